"""Small coupled runs that judge the claims about stability: step sizes at the edges they allow.

Samples of a client are (features..., target), each as likely as the others of its pool.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from fedbounds.theory.language.setups import Number, Objective, Planned, Run, Setup

_FEW, _HALF, _MOST, _ALL, _RARE = "1/5", "1/2", "3/4", 1, "1/10"
_Rows = tuple[tuple[tuple[Number, ...], ...], ...]


@dataclass(frozen=True)
class Loss:
    """Squares with a ridge; Huber's loss where there is a threshold."""

    ridge: Number = 0
    threshold: Number | None = None


_SQUARES, _RIDGE, _HUBER = Loss(), Loss("1/2"), Loss(threshold=1)


@dataclass(frozen=True)
class Shape:
    """Samples of every client, chances of masks or masks that roll, a loss, sizes and a box.

    Attributes
    ----------
    places : tuple of int
        The place that is looked at, of every edge; empty: the first.
    hull : tuple of numbers or tuples of them
        Ends of a box that contains all iterates, of every edge; empty: the box and 0.
    """

    name: str
    rows: _Rows
    keep: tuple[Any, ...]
    loss: Loss = _SQUARES
    samples: int = 1
    local_steps: int = 1
    rounds: int = 3
    box: tuple[Number, Number] | None = None
    start: tuple[Number, ...] = (0,)
    places: tuple[int, ...] = ()
    hull: tuple[Any, ...] = ()

    @property
    def rolling(self) -> bool:
        """Whether `keep` has masks, not chances."""
        return isinstance(self.keep[0], tuple)

    @property
    def sub_models(self) -> int:
        """S; 1 of random masks."""
        return len(self.keep[0]) if self.rolling else 1

    @property
    def smoothness(self) -> Fraction:
        """L of every sample's loss."""
        return max(map(_square, _samples(self.rows))) + Fraction(self.loss.ridge)

    @property
    def strong_convexity(self) -> Fraction:
        """mu of every sample's loss."""
        ridge = Fraction(self.loss.ridge)
        if len(self.start) > 1 or self.loss.threshold is not None:
            return ridge
        return min(map(_square, _samples(self.rows))) + ridge


def _samples(rows: _Rows) -> Iterator[tuple[Number, ...]]:
    return (sample for own in rows for sample in own)


def _square(sample: tuple[Number, ...]) -> Fraction:
    """||a||^2."""
    return sum((Fraction(x) ** 2 for x in sample[:-1]), Fraction(0))


def _edges(shape: Shape) -> Mapping[str, Fraction]:
    """The longest steps that the claims allow."""
    top, low, many = shape.smoothness, shape.strong_convexity, shape.local_steps * shape.sub_models
    found = {
        "eta = 2/L": 2 / top,
        "eta S K L = 1/10": 1 / (10 * top * many),
        "eta S K L = 1/8": 1 / (8 * top * many),
    }
    return {**found, "eta = 2/(L + mu)": 2 / (top + low)} if low > 0 else found


def _edges_of_pair(shape: Shape) -> Mapping[str, Fraction]:
    top, low = shape.smoothness, shape.strong_convexity
    found = {"eta = 2/L": 2 / top, "eta = 1/L": 1 / top}
    strong = {"eta = 2/(L + mu)": 2 / (top + low), "eta = 1/(10 L)": 1 / (10 * top)}
    return {**found, **strong} if low > 0 else found


def setup_of(shape: Shape, eta: Number | Fraction, at: int = 0) -> Setup:
    """On all data sets; ``at`` is the number of the edge."""
    place = shape.places[at] if shape.places else 0
    return _setup(shape, "all data sets", eta, at, {"place": place})


def setup_of_pair(shape: Shape, eta: Number | Fraction, changed: tuple[int, int] = (0, 0)) -> Setup:
    """On two data sets; the last sample of a client's pool is the new one."""
    return _setup(shape, "two data sets", eta, 0, {"changed": changed})


def _setup(
    shape: Shape, view: str, eta: Number | Fraction, at: int, own: Mapping[str, Any]
) -> Setup:
    d = len(shape.start)
    parameters: dict[str, Any] = {
        "sub_models" if shape.rolling else "keep": shape.keep,
        "K": shape.local_steps,
        "eta": str(eta),
        "n_s": shape.samples,
        **own,
    }
    if shape.rolling:
        parameters["epochs"] = str(Fraction(shape.rounds, shape.sub_models))
        view += ", rolling masks"
    if shape.box is not None:
        ends = (min(shape.box[0], 0, key=Fraction), max(shape.box[1], 0, key=Fraction))
        parameters["box"] = tuple((end,) * d for end in shape.box)
        parameters["hull"] = shape.hull[at] if shape.hull else tuple((end,) * d for end in ends)
        view += " in a box" if shape.rolling else ", in a box"
    run = Run(problem_of(shape), shape.start, tuple(parameters.items()), shape.rounds)
    return Setup("submodel", view, run)


def problem_of(shape: Shape) -> Objective:
    """Its samples."""
    data: dict[str, Any] = {
        "features": tuple(tuple(sample[:-1] for sample in own) for own in shape.rows),
        "targets": tuple(tuple(sample[-1] for sample in own) for own in shape.rows),
        "ridge": shape.loss.ridge,
    }
    if shape.loss.threshold is not None:
        data["threshold"] = shape.loss.threshold
    return Objective("regression", tuple(data.items()))


# ---- all data sets

_PULLED: _Rows = (((1, 9), (1, -9)),)  # Huber's gradients are -1 and 1 wherever the runs go
_LINE: _Rows = (((1, 1), (1, -1)),)
_BENT: _Rows = (((1, 1), (2, -1)),)
_TWO: _Rows = (((1, 1), (1, -1)), ((1, 2), (2, 0)))
_APART: _Rows = (((1, 4), (1, 3)), ((1, -4), (1, -3)))
_NOISY: _Rows = (((1, 10), (1, -10)),)
_PLANE: _Rows = (((1, 1, 1), (1, -1, 2)),)
_ALIGNED: _Rows = (((1, 1, 2), (1, 1, -2)),)
_BOTH: _Rows = (((1, 1, 1), (1, 0, -1)), ((1, -1, 0), (0, 1, 2)))
_BOX, _SHIFTED = (-1, 1), (1, 2)
_ROLL_LINE = (((1,), (0,)),)
_ROLL_PLANE = (((1, 0), (0, 1)),)
_ROLL_TWO = (((1,), (0,)), ((1,), (0,)))
_QUICK = (
    Shape("pulled apart", _PULLED, (_HALF,), _HUBER, 2),
    Shape("line", _LINE, (_HALF,), local_steps=2),
    Shape("two clients, unequal masks", _TWO, (_HALF, _MOST), rounds=2, start=(1,),
          places=(1, 1, 1, 1)),
    Shape("line in a box", _BENT, (_HALF,), local_steps=2, box=_BOX, start=(1,)),
    Shape("plane with a ridge", _PLANE, (_HALF,), _RIDGE, start=(1, -1)),
    Shape("rolling line", _LINE, _ROLL_LINE, rounds=4, start=(1,)),
    Shape("rolling, pulled apart", _PULLED, _ROLL_LINE, _HUBER, 2, rounds=2),
)  # fmt: skip
_MORE = (
    Shape("line, full masks", _LINE, (_ALL,), samples=2),
    Shape("line, rare masks", _BENT, (_RARE,), samples=2, start=(2,)),
    Shape("line, many rounds", _LINE, (_MOST,), rounds=8),
    Shape("noisy line", _NOISY, (_HALF,), samples=3, local_steps=2, rounds=2),
    Shape("noisy line, full masks", _NOISY, (_ALL,), samples=2, local_steps=2),
    Shape("noisy line in a box", _NOISY, (_ALL,), samples=2, box=_BOX, start=(1,)),
    Shape("box that leaves out the minimisers", _BENT, (_MOST,), box=_SHIFTED, start=(1,)),
    Shape("clients apart", _APART, (_HALF, _HALF), local_steps=2, rounds=2),
    Shape("clients apart, Huber", _APART, (_HALF, _MOST), _HUBER, rounds=2),
    Shape("bent, Huber", _BENT, (_HALF,), _HUBER, 2, 2, start=(1,)),
    Shape("pulled apart, full masks", _PULLED, (_ALL,), _HUBER, 1, 2, 4),
    Shape("pulled apart in a box", _PULLED, (_HALF,), _HUBER, 2, box=_BOX),
    Shape("plane", _PLANE, (_MOST,), samples=2, start=(1, -1)),
    Shape("aligned plane with a ridge", _ALIGNED, (_HALF,), _RIDGE, 1, 2, start=(0, 0)),
    Shape("plane in a box with a ridge", _PLANE, (_HALF,), _RIDGE, rounds=2, box=_BOX,
          start=(1, -1)),
    Shape("plane, Huber", _PLANE, (_HALF,), _HUBER, start=(1, -1)),
    Shape("aligned plane, Huber, full masks", _ALIGNED, (_ALL,), _HUBER, start=(0, 0)),
    Shape("two clients on a plane with a ridge", _BOTH, (_HALF, _ALL), _RIDGE, 1, 2, 1,
          start=(1, 1), places=(1, 1, 1, 1)),
    Shape("rolling noisy line", _NOISY, _ROLL_LINE, samples=2, local_steps=2, rounds=2),
    Shape("rolling plane", _PLANE, _ROLL_PLANE, rounds=4, start=(1, -1)),
    Shape("rolling plane with a ridge", _ALIGNED, _ROLL_PLANE, _RIDGE, 2, 1, 2, start=(0, 0)),
    Shape("rolling plane in a box", _PLANE, _ROLL_PLANE, rounds=4, box=_BOX, start=(1, -1),
          hull=(((-1, -2), (2, 1)), ((-1, "-41/40"), ("41/40", 1)),
                ((-1, "-33/32"), ("33/32", 1)))),
    Shape("rolling clients", _APART, _ROLL_TWO, rounds=4),
    Shape("rolling clients, Huber", _APART, _ROLL_TWO, _HUBER, rounds=4),
    Shape("one round of full masks", _TWO, (_ALL, _ALL), local_steps=2, rounds=1, start=(3,),
          places=(0, 1, 1, 0)),
)  # fmt: skip

# ---- two data sets: the changed sample is as far away as one likes, in every client's pool


def _with(rows: _Rows, fresh: tuple[Number, ...]) -> _Rows:
    """The samples that are drawn, and the new one."""
    return tuple((*own, fresh) for own in rows)


_FIFTY: _Rows = (((1, 50), (1, 50)), ((1, 50), (1, 50)))
_PAIRS = (
    Shape("pair on the line", _with(_TWO, (1, -5)), (_HALF, _FEW), _SQUARES, 2, 2, 2, start=(1,)),
    Shape("pair on a plane with a ridge", _with(_PLANE, (1, 1, -9)), (_HALF,), _RIDGE, 2,
          rounds=4, start=(0, 0)),
    Shape("pair pulled apart", _with(_FIFTY, (1, -50)), (_HALF, _MOST), _HUBER, 2),
    Shape("pair, many rounds", (((1, 3), (1, -3)),), (_HALF,), rounds=12),
    Shape("pair, full masks, many rounds", (((1, 3), (1, -3)),), (_ALL,), rounds=30),
    Shape("pair with another feature", (((2, 3), (-1, 3)),), (_MOST,), rounds=8, start=(1,)),
    Shape("pair, rare masks", (((1, 1), (1, 2), (1, -7)),), (_RARE,), samples=2, rounds=6),
    Shape("pair, rolling plane", _with(_PLANE, (1, 1, -9)), _ROLL_PLANE, _RIDGE, 2, rounds=4,
          start=(0, 0)),
    Shape("pair in a box", (((1, 3), (1, 0), (1, -3)),), (_HALF,), samples=2, rounds=5, box=_BOX),
    Shape("pair of Huber's losses on a plane", (((3, 4, 50), (3, 4, -50)),), (_HALF,), _HUBER,
          rounds=4, start=(0, 0)),
)  # fmt: skip

# ---- every step of the proofs: masks, indices and a box, squares and Huber's losses

_CROSS: _Rows = (((1, 1, 1), (2, 0, 0)), ((0, 2, 2), (1, 0, -1)))
_BOWL, _SHORT_HUBER, _SMALL = Loss("1/4"), Loss(0, "1/2"), ("-1/2", "1/2")


def _proved() -> Iterator[Planned]:
    for name, loss in (("squares", _BOWL), ("Huber", _SHORT_HUBER)):
        rows = _with(_CROSS, (1, 1, 1))
        for keep, steps, rounds, eta, box in (
            ((_HALF, 1), 1, 2, "1/4", None),
            ((_HALF, "4/5"), 2, 1, "1/3", _SMALL),
            ((_ALL, _ALL), 2, 2, "1/8", None),
        ):
            told = f"pair across, {name}, p = {', '.join(map(str, keep))}, K = {steps}"
            shape = Shape(told, rows, keep, loss, 2, steps, rounds, box, (0, 0))
            yield Planned(told, setup_of_pair(shape, eta, (0, 1)), True)
        told = f"data sets across, {name}"
        shape = Shape(told, _CROSS, (_HALF, "4/5"), loss, 2, 1, 1, _SMALL, (0, 0), (2,))
        yield Planned(told, setup_of(shape, "1/4"), True)


def _planned() -> Iterator[Planned]:
    for shapes, quick in ((_QUICK, True), (_MORE, False)):
        for shape in shapes:
            for at, (edge, eta) in enumerate(_edges(shape).items()):
                yield Planned(f"{shape.name}, {edge}", setup_of(shape, eta, at), quick)
    for number, shape in enumerate(_PAIRS):
        for edge, eta in _edges_of_pair(shape).items():
            yield Planned(f"{shape.name}, {edge}", setup_of_pair(shape, eta), number < 2)
    yield from _proved()


PLANNED = tuple(_planned())
