"""Ladders of runs that settle: in gamma, m, K and b^2, and from FedAvg-P to Scaffold-P.

Two and four clients with one shared and one personal coordinate, in rationals; ten clients with
two shared coordinates, as in the paper's figures, in balls. The paper names no outer step sizes:
half of the ladders have eta = 1, half those that its theorems ask for. All steps are within the
theorems' conditions at the largest K, so that a ladder in K has one gamma. Nothing here knows what
any verdict should be.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import isqrt
from typing import Any

from fedbounds.theory.language.drawn import Chance, Drawn
from fedbounds.theory.language.setups import Ladder, Number, Objective, PlannedLadder, Run, Setup

FEDAVG_P, SCAFFOLD_P = "FedAvg-P", "Scaffold-P"
_RULES = (FEDAVG_P, SCAFFOLD_P)
Matrix = tuple[tuple[Number | Fraction, ...], ...]


@dataclass(frozen=True)
class Outer:
    """eta_u and eta_v, of n and m."""

    told: str
    steps: Callable[[int, int], tuple[Number | Fraction, Number | Fraction]]


@dataclass(frozen=True, eq=False)
class Clients:
    """Clients of some Hessians and slopes, and the ladders that are made of them.

    Attributes
    ----------
    told : str
    hessians : tuple of matrices
        By u, then v; of v there is one coordinate.
    slopes : tuple of rows
        Likewise.
    spread : number
        b^2 of these slopes where the curvature is shared.
    alike : bool
        Whether all have one curvature by u, and u and v are not coupled.
    noise : number
        Of every coordinate of a gradient.
    local : tuple of int
        K.
    some : tuple of int
        m < n.
    step : function of m and K
        gamma within the conditions of Theorems 3.7, 3.11 and 4.5.
    outer : tuple of Outer
    exact : bool
        Whether they are measured in rationals.
    """

    told: str
    hessians: tuple[Matrix, ...]
    slopes: Matrix
    spread: Fraction
    alike: bool
    noise: Number
    local: tuple[int, ...]
    some: tuple[int, ...]
    step: Callable[[int, int], Fraction]
    outer: tuple[Outer, ...]
    exact: bool

    @property
    def n(self) -> int:
        """How many."""
        return len(self.slopes)

    @lru_cache(maxsize=32)  # noqa: B019, of few clients, and many rungs have the same one
    def problem(self, apart: Number | Fraction, personal: bool) -> Objective:
        """Slopes of the shared coordinates times ``apart``; personal noise or none."""
        data: dict[str, Any] = {
            "hessians": self.hessians,
            "slopes": self.slopes,
            "apart": apart,
            "noise": self.noise,
            "personal": 1,
            "personal_noise": self.noise if personal else 0,
        }
        return Objective("quadratics", tuple(data.items()))


def setup(
    of: Clients, outer: Outer, rule: str, m: int, K: int, gamma: Fraction,
    apart: Number | Fraction = 1, personal: bool = True,
) -> Setup:  # fmt: skip
    """With gamma = gamma_u eta_u = gamma_v eta_v."""
    u, v = (Fraction(x) for x in outer.steps(of.n, m))
    parameters = {
        **{"cohort": m, "K": K, "gamma_u": gamma / u, "gamma_v": gamma / v},
        **{"eta_u": u, "eta_v": v},
    }
    problem = of.problem(apart, personal)
    start = (1,) * (len(of.slopes[0]) - 1 + of.n)
    run = Run(problem, start, tuple(parameters.items()), 1)
    return Setup("personalization", f"{rule}, where runs settle", run)


# ---- in one parameter


def _planned(
    of: Clients, outer: Outer, label: str, rules: Sequence[str], over: str, setups: Sequence[Setup]
) -> PlannedLadder:
    told = " to ".join(rules)
    ladder = Ladder("personalization", f"{told} over {over}", tuple(setups))
    name = f"{told}, {of.told}, {outer.told}, {label}, ladder in {over}"
    return PlannedLadder(name, ladder, ladder if of.n == 2 else None, floats=not of.exact)


def _in_gamma(of: Clients, outer: Outer) -> Iterator[PlannedLadder]:
    for m in of.some:
        K = of.local[-1]
        steps = [of.step(m, K) / 2**halvings for halvings in range(3)]
        for rule in _RULES:
            every = [setup(of, outer, rule, m, K, gamma) for gamma in steps]
            yield _planned(of, outer, f"m={m} K={K}", (rule,), "gamma", every)


def _in_participants(of: Clients, outer: Outer) -> Iterator[PlannedLadder]:
    for K in (of.local[0], of.local[-1]):
        gamma = of.step(1, K)  # one for all m: the shortest
        for rule in _RULES:
            every = [
                setup(of, outer, rule, m, K, gamma, personal=False) for m in range(1, of.n + 1)
            ]
            yield _planned(of, outer, f"K={K}", (rule,), "m", every)


def _in_steps(of: Clients, outer: Outer, m: int) -> Iterator[PlannedLadder]:
    gamma = of.step(m, of.local[-1])
    for rule in _compared(of, m):
        every = [setup(of, outer, rule, m, K, gamma) for K in of.local]
        yield _planned(of, outer, f"m={m}", (rule,), "K", every)


def _compared(of: Clients, m: int) -> tuple[str, ...]:
    """With everyone taking part, only FedAvg-P is spoken of."""
    return _RULES if m < of.n else (FEDAVG_P,)


def _in_dissimilarity(of: Clients, outer: Outer, m: int) -> Iterator[PlannedLadder]:
    K = of.local[-1]
    gamma = of.step(m, K)
    for rule in _compared(of, m):
        every = [setup(of, outer, rule, m, K, gamma, apart) for apart in (1, 2, 4, 8)]
        yield _planned(of, outer, f"m={m} K={K}", (rule,), "b^2", every)


# ---- FedAvg-P, then Scaffold-P: at one step size, and at about one steady state

_APART = tuple(map(Fraction, ("1/8", "1", "4", "16")))  # from clients nearly alike on
EQUAL = "algorithm at equal steady state"
_ALL = 64
# In 64ths, how short FedAvg-P's steps must be, at least, for its steady state to be no more
# accurate than Scaffold-P's; all of them where it is more accurate at every one. By n and m, with
# either outer steps, then clients apart, for the smallest K and the largest.
TUNED: Mapping[tuple[int, int], tuple[tuple[int, int], ...]] = {
    (2, 1): ((64, 64), (51, 23), (7, 2), (1, 1)),
    (4, 3): ((64, 64), (54, 32), (12, 4), (1, 1)),
    (10, 3): ((64, 44), (24, 2), (2, 1), (1, 1)),
    (10, 9): ((64, 63), (58, 16), (22, 2), (2, 1)),
}


def _in_algorithm(of: Clients, outer: Outer, m: int) -> Iterator[PlannedLadder]:
    for apart, tuned in zip(_APART, TUNED[of.n, m], strict=True):
        for K, parts in zip((of.local[0], of.local[-1]), tuned, strict=True):
            gamma = of.step(m, K)
            first, second = (setup(of, outer, rule, m, K, gamma, apart) for rule in _RULES)
            shorter = setup(of, outer, FEDAVG_P, m, K, gamma * Fraction(parts, _ALL), apart)
            label = f"m={m} K={K} b^2={of.spread * apart**2}"
            yield _planned(of, outer, label, _RULES, "algorithm", (first, second))
            yield _planned(of, outer, label, _RULES, EQUAL, (shorter, second))


# ---- clients


def _small(n: int, alike: bool) -> Clients:
    shared = (2, 2, 2, 2) if alike else (2, 1, 2, 1)
    own = (1, 2, 1, 2) if alike else (2, 2, 1, 2)
    coupling = (0, 0, 0, 0) if alike else (1, 0, -1, 0)
    entries = zip(shared, coupling, own, strict=True)
    return Clients(
        told=f"{'shared' if alike else 'own'} curvature n={n} in rationals",
        hessians=tuple(((a, c), (c, d)) for a, c, d in entries)[:n],
        slopes=((1, 1), (-1, 0), (2, -1), (-2, 1))[:n],
        spread=Fraction(1) if n == 2 else Fraction(5, 2),
        alike=alike,
        noise=1,
        local=(1, 2, 4),
        some=(n - 1,),
        step=lambda m, K: Fraction(min(m, 3), 3) / (84 * 3 * K),  # n^(2/3) and L are below 3
        outer=(
            Outer("eta = 1", lambda n, m: (1, 1)),
            Outer("outer steps", lambda n, m: (2, 2)),  # at least sqrt(m) and sqrt(n/m) for n <= 4
        ),
        exact=True,
    )


_FINE = 2**20  # steps are short binary fractions, so that exact rounds have short numbers


def _step_of_ten(m: int, K: int) -> Fraction:
    """n^(2/3) is below 5 for n = 10, and L is at most 1."""
    return Fraction(int(Fraction(min(m, 5), 5) / (84 * K) * _FINE), _FINE)


def _roots(n: int, m: int) -> tuple[Fraction, Fraction]:
    """The smallest multiples of 1/16 from sqrt(m) and sqrt(n/m) on."""
    return Fraction(isqrt(256 * m - 1) + 1, 16), Fraction(isqrt((256 * n - 1) // m) + 1, 16)


def _ten(
    told: str, hessians: Sequence[Sequence[int]], slopes: Matrix, *, alike: bool, parts: int = 16
) -> Clients:
    """Hessians by their upper triangles, in so many parts of 1, which L is at most."""
    matrices = []
    for a, b, c, d, e, f in hessians:
        rows = (a, b, c), (b, d, e), (c, e, f)
        matrices.append(tuple(tuple(Fraction(x, parts) for x in row) for row in rows))
    return Clients(
        told=told,
        hessians=tuple(matrices),
        slopes=slopes,
        spread=sum((_variance(x) for x in list(zip(*slopes, strict=True))[:-1]), Fraction(0)),
        alike=alike,
        noise="3/10",
        local=(1, 2, 5, 10, 25),
        some=(3, 9),
        step=_step_of_ten,
        outer=(Outer("eta = 1", lambda n, m: (1, 1)), Outer("outer steps", _roots)),
        exact=False,
    )


def _variance(values: Sequence[Any]) -> Fraction:
    every = [Fraction(x) for x in values]
    mean = sum(every, Fraction(0)) / len(every)
    return sum(((x - mean) ** 2 for x in every), Fraction(0)) / len(every)


_APART_OF_TEN = (
    (1, 1), (-1, 0), (0, 0), (1, -1), (0, 0), (-1, -1), (1, 0), (0, 0), (-1, 1), (0, 0),
)  # fmt: skip
_PERSONAL = (1, -2, 0, 2, 1, -1, 2, 0, -1, 1)
_SHARED = tuple((14, 1, 0, 10, 0, own) for own in (12, 9, 15, 11, 16, 8, 13, 10, 14, 12))
_OWN = (
    (42, 6, -4, 61, -12, 37), (61, 0, -2, 63, 12, 37), (54, 7, -8, 58, -10, 37),
    (62, -4, -12, 45, 3, 37), (62, -3, -12, 55, 4, 37), (60, -7, -12, 45, 5, 37),
    (62, -2, -11, 59, 6, 37), (58, 3, -6, 61, -11, 37), (55, -5, -6, 60, 11, 37),
    (62, -1, -5, 63, 12, 37),
)  # fmt: skip
_OWN_SLOPES = (
    (1, 32, 3), (-10, -6, -17), (-20, 10, 9), (21, -12, 27), (-5, 25, -7), (-12, 4, 17),
    (3, -9, -21), (-22, 8, 16), (-3, -17, 14), (-20, -11, 10),
)  # fmt: skip


def _of(of: Clients, outer: Outer) -> Iterator[PlannedLadder]:
    yield from _in_gamma(of, outer)
    yield from _in_participants(of, outer)
    for m in (*of.some, of.n):
        yield from _in_steps(of, outer, m)
        if of.alike:
            yield from _in_dissimilarity(of, outer, m)


def _every(of: Clients) -> Iterator[PlannedLadder]:
    """All but those of two algorithms."""
    for outer in of.outer:
        yield from _of(of, outer)
    # eta_u of Theorem 3.11 in a run of that many rounds
    yield from _in_steps(of, Outer("eta_u = 1000", lambda n, m: (1000, 1)), of.n)


CLIENTS = (
    *(_small(n, alike) for n in (2, 4) for alike in (True, False)),
    _ten(
        "shared curvature n=10",
        _SHARED,
        tuple((*x, y) for x, y in zip(_APART_OF_TEN, _PERSONAL, strict=True)),
        alike=True,
    ),
    _ten(
        "own curvature n=10",
        _OWN,
        tuple(tuple(Fraction(x, 16) for x in row) for row in _OWN_SLOPES),
        alike=False,
        parts=64,
    ),
)


def drawn(chance: Chance, count: int) -> Iterator[PlannedLadder]:
    """So many times ten clients of random curvatures and slopes, alike and not."""
    for at in range(count):
        diagonals, others = chance.integers(11, 14, (10, 3)), chance.integers(-1, 2, (10, 3))
        alone, ends = chance.integers(8, 17, (10,)), chance.integers(-2, 3, (10,))
        apart = chance.integers(-2, 3, (10, 2))
        slopes = tuple((x, y, z) for (x, y), z in zip(apart, ends, strict=True))
        (a, d, _), (b, _, _) = diagonals[0], others[0]
        alike = [(a, b, 0, d, 0, f) for f in alone]
        own = [(a, b, c, d, e, f) for (a, d, f), (b, c, e) in zip(diagonals, others, strict=True)]
        told = f"n=10, drawn {at + 1} of {chance.given}"
        for name, rows in (("shared", alike), ("own", own)):
            clients = _ten(f"{name} curvature {told}", rows, slopes, alike=name == "shared")
            yield from _every(clients)


def planned() -> Iterator[PlannedLadder]:
    """Every ladder."""
    for of in CLIENTS:
        yield from _every(of)
        if of.alike:
            for outer in of.outer:
                for m in of.some:
                    yield from _in_algorithm(of, outer, m)


DRAWN = (Drawn(drawn, 0, 0, 2),)
