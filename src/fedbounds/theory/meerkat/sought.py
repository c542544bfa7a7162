"""Ridge quadratics: where instances are searched.

Every gradient is a multiple of one vector of rational length, and f is least where a'w = 0.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

from fedbounds.theory.language.setups import Number, Run, Setup
from fedbounds.theory.language.sought import Counts, Row, Seeking, Sought, Steps

from . import assumed
from .names import EARLY_STOPPED, MEERKAT
from .ridges import Ridge
from .sizes import LOCAL_STEP

# a, and what the mask keeps: shares of squared lengths that are squares, and lengths that are whole
_KEPT = (
    ((3, 4), (0, 1)),
    ((1, 0), (1, 0)),
    ((1, 2, 2), (0, 1, 0)),
    ((4, 4, 4, 4, 4, 4, 2), (1, 0, 0, 0, 0, 0, 0)),
)
_MOST_CLIENTS = 3
_TOLD = frozenset(("young", "Q", "q_17", "D_delta", "C_S", "sigma^2"))
_STEPS = Steps(largest={"eta": 4 * LOCAL_STEP}, told=_TOLD)
_EPSILON = "1/10"


def _counts(rounds: Sequence[int], steps: Sequence[int] = (1,)) -> tuple[Counts, ...]:
    every = (
        {"n": n, "K": K, "T": T} for n, K, T in product(range(1, _MOST_CLIENTS + 1), steps, rounds)
    )
    return tuple(sorted(every, key=lambda own: own["n"] * own["K"] * own["T"]))


def _signed(seek: Seeking) -> Fraction:
    """From -1 to 1; 1 at first."""
    return 1 - 2 * seek.share()


# ---- clients


def _ridge(seek: Seeking) -> Ridge:
    """Curvatures alike or not, minimisers alike or not; c_h and sigma_h as small as these allow."""
    n = seek.counts()["n"]
    along, mask = seek.choice(_KEPT)
    scale = seek.size("1/400", 4)
    curved = [scale * x for x in _curvatures(seek, n)]
    noise = seek.size("1/100", 100) if seek.choice((False, False, True)) else Fraction(0)
    # noise of samples along the ridge is of a family that has no minimisers of its own
    swings = noise if assumed.SPARSE_SAMPLES in seek.assumptions else Fraction(0)
    slopes = [Fraction(0)] * n if swings else _slopes(seek, n)
    near, off = _near(seek, curved, slopes)
    size = _length(along)
    return Ridge("searched", along, mask, _text(curved), _text(slopes), str(near), str(off * size),
                 noise=str(noise - swings), swings=str(swings) if swings else 0)  # fmt: skip


def _curvatures(seek: Seeking, n: int) -> list[Fraction]:
    """Alike or not; their mean is 1, from which none differs by more, that c_h may be below 1."""
    if n == 1 or seek.choice((True, False, False)):
        return [Fraction(1)] * n
    apart = seek.size("1/100", "99/100")
    return [1 - apart, 1 + apart, *(Fraction(1) for _ in range(n - 2))]


def _slopes(seek: Seeking, n: int) -> list[Fraction]:
    """At 0; their sum is 0."""
    if n == 1 or seek.choice((True, True, False)):
        return [Fraction(0)] * n
    size = seek.size("1/100", 100)
    free = [size * _signed(seek) for _ in range(n - 1)]
    return [*free, -sum(free, Fraction(0))]


def _near(
    seek: Seeking, curved: Sequence[Fraction], slopes: Sequence[Fraction]
) -> tuple[Fraction, Fraction]:
    """c_h, a square, and sigma_h over ||a||: of (h_k - h) s + b_k against h s, for every s."""
    mean = sum(curved, Fraction(0)) / len(curved)
    apart = max(abs(h / mean - 1) for h in curved)
    off = max(map(abs, slopes))
    if not apart:  # any square will do
        return seek.size("1/100", "99/100") ** 2, off
    # (x + y)^2 <= x^2/r^2 + y^2/(1 - r^2): r is 4/5, or 1 where there is no y
    return (apart if not off else apart * Fraction(5, 4)) ** 2, off * Fraction(5, 3)


def _length(along: Sequence[int]) -> int:
    """Of a vector whose length is whole."""
    square = sum(x * x for x in along)
    return next(x for x in range(square + 1) if x * x == square)


def _text(numbers: Sequence[Fraction]) -> tuple[str, ...]:
    return tuple(map(str, numbers))


def _start(seek: Seeking, d: int) -> tuple[Any, ...]:
    size = seek.size("1/100", 100)
    return tuple(str(size * _signed(seek)) for _ in range(d))


# ---- set-ups


def _taken(
    seek: Seeking, of: Ridge, start: tuple[Any, ...], **more: Number
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Parameters of a run, and constants that are chosen."""
    chosen: dict[str, Any] = dict(of.chosen)
    chosen["mu_PL"] = str(of.pl * Fraction(seek.choice(("1", "1", "1/2"))))
    known = chosen | {"u_m": of.u, "u_ratio": str(Fraction(of.u, len(of.mask)))}
    known |= {"near": str(1 - Fraction(of.c_h)), **more}
    found = seek.steps(of.objective, start, {x: str(y) for x, y in known.items()})
    own = 0 if assumed.SHARED in seek.assumptions else seek.choice((0, 0, 1))
    given = {"mask": of.mask, "epsilon": _EPSILON, "own": own, "eta": found["eta"]}
    return given, chosen


def _run(seek: Seeking, of: Ridge, start: tuple[Any, ...], given: dict[str, Any]) -> Run:
    return Run(of.objective, start, tuple(given.items()), seek.counts()["T"])


def _local_steps(seek: Seeking) -> Setup:
    of = _ridge(seek)
    start = _start(seek, len(of.mask))
    given, chosen = _taken(seek, of, start)
    run = _run(seek, of, start, given)
    return Setup("meerkat", "local steps", run, (("c_m", chosen["c_m"]),))


def _young(seek: Seeking, of: Ridge, eta: Any, steps: Fraction) -> str:
    """From the least of its condition on, of so many local steps of a client on average."""
    least = 1 / (2 * Fraction(str(eta)) * steps * of.pull)
    return str(least * seek.size(1, 100))


def _rounds(view: str, seek: Seeking) -> Setup:
    of, steps = _ridge(seek), seek.counts()["K"]
    start = _start(seek, len(of.mask))
    given, chosen = _taken(seek, of, start)
    chosen["young"] = _young(seek, of, given["eta"], Fraction(steps))
    run = _run(seek, of, start, given | {"K": steps})
    return Setup("meerkat", view, run, tuple(chosen.items()))


def _stopped_clients(seek: Seeking, n: int) -> Row:
    """1 of those that are stopped; not all are."""
    stopped = seek.choice(range(n)) if n > 1 else 0
    return (*(0 for _ in range(n - stopped)), *(1 for _ in range(stopped)))


def _stopped(seek: Seeking) -> Setup:
    of, counts = _ridge(seek), seek.counts()
    n, steps = counts["n"], counts["K"]
    start, some = _start(seek, len(of.mask)), _stopped_clients(seek, n)
    kept = n - sum(some)
    least = of.share(some)
    shares = (least, least, least, Fraction(1), Fraction(kept, n), seek.size("1/8", 1))
    gamma = str(seek.choice(shares))
    given, chosen = _taken(seek, of, start, K_g=kept, K_b=sum(some), gamma_g=gamma)
    mean = Fraction(kept * steps + sum(some), n)
    chosen |= {"gamma_g": gamma, "young": _young(seek, of, given["eta"], mean)}
    run = _run(seek, of, start, given | {"K": steps, "stopped": some})
    return Setup("meerkat", "rounds, some clients stopped", run, tuple(chosen.items()))


_LOCAL, _MORE = (1, 2, 3, 6), (1, 2, 3, 6, 12)
_ROUNDS = (1, 2, 4, 12)
SOUGHT = (
    Sought(MEERKAT[0], _counts((1, 2, 4, 8, 30)), _STEPS, _local_steps, 3, "local steps"),
    Sought(MEERKAT[0], _counts(_ROUNDS, _MORE), _STEPS, partial(_rounds, "rounds"), 4, "rounds"),
    Sought(MEERKAT[0], _counts(_ROUNDS), _STEPS, partial(_rounds, "one local step"), 4,
           "one local step"),
    Sought(EARLY_STOPPED[0], _counts(_ROUNDS, _LOCAL), _STEPS, _stopped, 4,
           "rounds, some clients stopped"),
)  # fmt: skip
