"""Deep linear networks, their starts, and schedules: where instances are searched."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import ceil, isqrt
from typing import Any

from fedbounds.theory.language.setups import Number, Objective, Run, Setup
from fedbounds.theory.language.sought import Counts, Seeking, Sought, Steps

from . import relu_sought
from .names import FEDAVG, SAMPLED
from .setups import WIDEST, Layer, flat
from .sizes import STEP
from .sought_counts import at_random, on_schedule, signed

_ROWS = 4  # that a schedule has at most
# clients, local steps, rounds by layers; of several, digits grow with every step
_FEW = (1, 2)
_SIZES = {1: ((1, 2, 3), (1, 2, 3), (1, 2, 3, 6, 12)), 2: (_FEW,) * 3, 3: (_FEW,) * 3}
_MOST = {1: 12, 2: 2, 3: 2}  # local steps of all clients and rounds
_LARGE = 10_000  # in Omega, as bounds of products with their 0.01 ask for
_GIVEN: dict[str, Number] = {"C_o": 1, "C_B": 2, "chance": "1/10"}


def _shapes() -> Iterator[Counts]:
    for depth, sizes in _SIZES.items():
        for n, K, T in product(*sizes):
            if n * K * T <= _MOST[depth]:
                for hidden in (1, _LARGE) if depth > 1 else (1,):
                    yield {"n": n, "K": K, "T": T, "depth": depth, "C_w": hidden}


def _samples(seek: Seeking, n: int, depth: int) -> list[list[Fraction]]:
    """One of each client, linearly independent; of one length and at right angles at first.

    The width that conditions ask for grows with the fifth power of kappa: it is not far from 1.
    """
    rows = [[Fraction(int(i == j)) for j in range(n)] for i in range(n)]
    if depth > 1:
        return rows
    if seek.choice((False, True)):
        rows = [[seek.size(1, "3/2") * x for x in row] for row in rows]
    if seek.choice((False, True)):
        rows = [[row[0] + (signed(seek, "1/4", 1) if i else 0), *row[1:]]
                for i, row in enumerate(rows)]  # fmt: skip
    return rows


def _root_of_width(counts: Mapping[str, int], targets: Sequence[Fraction]) -> int:
    """Of a width that is enough; samples being orthonormal, ||W*|| is the length of targets."""
    most = max(4, 1 + sum(y * y for y in targets))  # log(r/delta) is below 4
    return isqrt(ceil(counts["C_w"] * counts["depth"] * counts["n"] ** 6 * most)) + 1


def _start(seek: Seeking, root: int, targets: Sequence[Fraction]) -> tuple[Any, ...]:
    """Of several layers: orthogonal columns, and a row that is nearly orthogonal to these.

    Inner outputs are turned such that all but n + 1 are 0. Outputs are no larger than what the loss
    of Lemma A.1 lets them be.
    """
    n, depth = seek.counts()["n"], seek.counts()["depth"]
    if depth == 1:
        return tuple(str(signed(seek, "1/100", 100)) for _ in range(n))

    def near_one() -> Fraction:
        return 1 + (seek.share() - seek.share()) / (5 * (depth - 1))

    first = [[root * near_one() * int(i == j) for j in range(n)] for i in range(n + 1)]
    inner = [[[root * near_one() * int(i == j) for j in range(n + 1)] for i in range(n + 1)]
             for _ in range(depth - 2)]  # fmt: skip
    # of a start, ||xi||^2 <= 2 (n reach^2 + ||y||^2) <= 4 n max(2, ||y||^2), C_B being 2
    reach = isqrt(max(2, int(sum(y * y for y in targets))))
    along = [reach * (seek.share() - seek.share()) / root for _ in range(n)]
    layers: tuple[Layer, ...] = (first, *inner, [[root * x for x in (*along, Fraction(1))]])
    return flat(*layers)


def _networks(seek: Seeking) -> tuple[Objective, tuple[Any, ...], dict[str, Number], Any]:
    """A network with data, its start, what is hidden there, and what is chosen of a round."""
    counts = seek.counts()
    n, depth = counts["n"], counts["depth"]
    samples = _samples(seek, n, depth)
    targets = [signed(seek, "1/100", 10) for _ in range(n)]
    root = _root_of_width(counts, targets)
    data = {
        "features": [(tuple(map(str, own)),) for own in samples],
        "targets": [((str(y),),) for y in targets],
        "depth": depth,
        "width": WIDEST if depth == 1 else root**2,
    }
    if depth > 1:
        data["kept"] = n + 1
    start, given = _start(seek, root, targets), {**_GIVEN, "C_w": counts["C_w"]}
    problem = Objective("deep linear", tuple(data.items()))
    return problem, start, given, seek.steps(problem, start, given)


def _setup(view: str, seek: Seeking, **own: Any) -> Setup:
    problem, start, given, steps = _networks(seek)
    taken = {"eta": steps["eta"], "K": seek.counts()["K"], **own}
    run = Run(problem, start, tuple(taken.items()), steps["T"])
    return Setup("overparam", view, run, tuple(given.items()))


def _scheduled(seek: Seeking) -> Setup:
    n, least, most, rounds = (seek.counts()[x] for x in ("n", "S_least", "S_most", "T"))
    return _setup("rounds", seek, schedule=seek.schedule(n, least, most, min(rounds, _ROWS)))


def _of_some(seek: Seeking) -> Setup:
    return _setup("rounds, clients at random", seek, m=seek.counts()["m"])


_STEPS = Steps(largest={"eta": STEP})
SOUGHT = (
    Sought(FEDAVG[0], on_schedule(_shapes()), _STEPS, _scheduled),
    Sought(SAMPLED[0], at_random(_shapes()), _STEPS, _of_some),
    *relu_sought.SOUGHT,
)
