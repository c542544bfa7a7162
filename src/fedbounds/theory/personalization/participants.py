"""The mean of the participants' vectors, of Lemma A.2: its quantities, and vectors to see them on.

For random vectors that are independent of the participants, both sides are means of those of fixed
vectors: fixed ones decide.
"""

from collections.abc import Iterator

from sympy import Integer

from fedbounds.theory.language.setups import Objective, Planned, Run, Says, Setup, Shown, View
from fedbounds.theory.language.symbols import m, n
from fedbounds.theory.proof.vectors import S, given, past, present, sq, vectors

PARTICIPANTS = "participant mean"
_I = ("i",)
X, _SERVED = vectors({"X": "X_i", "X_S": r"\bar X_S"})
MEAN = n / m * given(present(X), past, S)
_ALL = given(X, past)
QUANTITIES = {
    "S_2": sq(MEAN),
    "X_2": sq(_ALL),
    "D_2": n * sq(X - _ALL),
    "O_2": n * sq(X),
    "N_2": n**2 * sq(_ALL) - n * sq(X),
}
VIEW = View(
    told="the mean of the participants' vectors",
    algorithm="participant_mean.MEAN",
    shown=Shown(
        draws={"S": ("present",)},
        indices={"i": ""},
        vectors={"X": _I, "X_S": ()},
        factors={"present": _I},
    ),
    runs=PARTICIPANTS,
    scopes=(PARTICIPANTS,),
    quantities=QUANTITIES,
    takes=("m",),
    single=True,
    moments=True,
    requires=(Says(sq(_SERVED - MEAN), "==", Integer(0)),),  # what the server computes
)
VIEWS = {"participants": VIEW}

# ---- clients, participants, coordinates

_SIZES = [(count, own, 2) for count in range(1, 6) for own in range(1, count + 1)]
_QUICK, _LARGE = (10, 5, 3), ((10, 1, 3), (10, 10, 3), (100, 10, 1))


def _setup(rows: tuple[tuple[int, ...], ...], m: int) -> Setup:
    d = len(rows[0])
    zeros = ((0,) * d,) * d
    problem = Objective("quadratics", (("hessians", (zeros,) * len(rows)), ("slopes", rows)))
    return Setup("personalization", "participants", Run(problem, (0,) * d, (("m", m),), 1))


def _rows(n: int, d: int) -> tuple[tuple[int, ...], ...]:
    """Whole numbers from -3 to 3, without a pattern."""
    return tuple(
        tuple((i * i * (3 + j) + 5 * i + j * n + 2 * n) % 7 - 3 for j in range(d)) for i in range(n)
    )


def _planned() -> Iterator[Planned]:
    yield Planned("one vector of three", _setup(((0,), (0,), (1,)), 1), quick=True)
    for size in (*_SIZES, _QUICK, *_LARGE):
        count, own, d = size
        told = f"vectors n={count} m={own} d={d}"
        yield Planned(told, _setup(_rows(count, d), own), quick=size not in _LARGE)


PLANNED = tuple(_planned())
