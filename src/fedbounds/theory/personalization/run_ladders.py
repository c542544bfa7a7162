"""Ladders of runs that settle: in gamma, m, K and b^2, and from FedAvg-P to Scaffold-P.

Two and four clients with one shared and one personal coordinate. The paper names no outer step
sizes: half of the ladders have eta = 1, half those that its theorems ask for. All steps are within
the theorems' conditions at the largest K, so that a ladder in K has one gamma. Nothing here knows
what any verdict should be.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from fedbounds.theory.setups import Ladder, Number, Objective, PlannedLadder, Run, Setup

FEDAVG_P, SCAFFOLD_P = "FedAvg-P", "Scaffold-P"
_RULES = (FEDAVG_P, SCAFFOLD_P)
_STEPS = (1, 2, 4)  # K


@dataclass(frozen=True)
class Clients:
    """Entries of Hessians [[a, c], [c, d]], client by client; alike: of one shared curvature."""

    n: int
    alike: bool

    @property
    def told(self) -> str:
        """In words."""
        return f"{'shared' if self.alike else 'own'} curvature n={self.n} in rationals"

    @property
    def spread(self) -> Fraction:
        """b^2 of these slopes."""
        return Fraction(1) if self.n == 2 else Fraction(5, 2)

    def problem(self, apart: Number | Fraction, personal: bool) -> Objective:
        """Slopes of the shared coordinate times ``apart``; personal noise or none."""
        shared = (2, 2, 2, 2) if self.alike else (2, 1, 2, 1)
        own = (1, 2, 1, 2) if self.alike else (2, 2, 1, 2)
        coupling = (0, 0, 0, 0) if self.alike else (1, 0, -1, 0)
        entries = zip(shared, coupling, own, strict=True)
        data: dict[str, Any] = {
            "hessians": tuple(((a, c), (c, d)) for a, c, d in entries)[: self.n],
            "slopes": ((1, 1), (-1, 0), (2, -1), (-2, 1))[: self.n],
            "apart": apart,
            "noise": 1,
            "personal": 1,
            "personal_noise": int(personal),
        }
        return Objective("quadratics", tuple(data.items()))

    def step(self, m: int, K: int) -> Fraction:
        """gamma within the conditions of Theorems 3.7, 3.11 and 4.5: n^(2/3) and L are below 3."""
        return Fraction(min(m, 3), 3) / (84 * 3 * K)


@dataclass(frozen=True)
class Outer:
    """eta_u and eta_v."""

    told: str
    u: int
    v: int


# 2 is at least sqrt(m) and sqrt(n/m) for n <= 4
_OUTER = (Outer("eta = 1", 1, 1), Outer("outer steps", 2, 2))
_LONG = Outer("eta_u = 1000", 1000, 1)  # of Theorem 3.11 in a run of that many rounds


def setup(
    of: Clients, outer: Outer, rule: str, m: int, K: int, gamma: Fraction,
    apart: Number | Fraction = 1, personal: bool = True,
) -> Setup:  # fmt: skip
    """With gamma = gamma_u eta_u = gamma_v eta_v."""
    parameters = {
        **{"cohort": m, "K": K, "gamma_u": gamma / outer.u, "gamma_v": gamma / outer.v},
        **{"eta_u": outer.u, "eta_v": outer.v},
    }
    problem = of.problem(apart, personal)
    run = Run(problem, (1,) * (1 + of.n), tuple(parameters.items()), 1)
    return Setup("personalization", f"{rule}, where runs settle", run)


def _planned(
    of: Clients, outer: Outer, label: str, rules: Sequence[str], over: str, setups: Sequence[Setup]
) -> PlannedLadder:
    told = " to ".join(rules)
    ladder = Ladder("personalization", f"{told} over {over}", tuple(setups))
    name = f"{told}, {of.told}, {outer.told}, {label}, ladder in {over}"
    return PlannedLadder(name, ladder, ladder if of.n == 2 else None)


def _in_gamma(of: Clients, outer: Outer) -> Iterator[PlannedLadder]:
    m, K = of.n - 1, _STEPS[-1]
    steps = [of.step(m, K) / 2**halvings for halvings in range(3)]
    for rule in _RULES:
        every = [setup(of, outer, rule, m, K, gamma) for gamma in steps]
        yield _planned(of, outer, f"m={m} K={K}", (rule,), "gamma", every)


def _in_participants(of: Clients, outer: Outer) -> Iterator[PlannedLadder]:
    for K in (_STEPS[0], _STEPS[-1]):
        gamma = of.step(1, K)  # one for all m: the shortest
        for rule in _RULES:
            every = [
                setup(of, outer, rule, m, K, gamma, personal=False) for m in range(1, of.n + 1)
            ]
            yield _planned(of, outer, f"K={K}", (rule,), "m", every)


def _in_steps(of: Clients, outer: Outer, m: int) -> Iterator[PlannedLadder]:
    gamma = of.step(m, _STEPS[-1])
    for rule in _compared(of, m):
        every = [setup(of, outer, rule, m, K, gamma) for K in _STEPS]
        yield _planned(of, outer, f"m={m}", (rule,), "K", every)


def _compared(of: Clients, m: int) -> tuple[str, ...]:
    """With everyone taking part, only FedAvg-P is spoken of."""
    return _RULES if m < of.n else (FEDAVG_P,)


def _in_dissimilarity(of: Clients, outer: Outer, m: int) -> Iterator[PlannedLadder]:
    K = _STEPS[-1]
    gamma = of.step(m, K)
    for rule in _compared(of, m):
        every = [setup(of, outer, rule, m, K, gamma, apart) for apart in (1, 2, 4, 8)]
        yield _planned(of, outer, f"m={m} K={K}", (rule,), "b^2", every)


# ---- FedAvg-P, then Scaffold-P: at one step size, and at about one steady state

_APART = tuple(map(Fraction, ("1/8", "1", "4", "16")))  # from clients nearly alike on
EQUAL = "algorithm at equal steady state"
# In 64ths, how short FedAvg-P's steps must be, at least, for its steady state to be no more
# accurate than Scaffold-P's; all of them where it is more accurate at every one.
TUNED = {
    2: ((64, 64), (51, 23), (7, 2), (1, 1)),
    4: ((64, 64), (54, 32), (12, 4), (1, 1)),
}


def _in_algorithm(of: Clients, outer: Outer) -> Iterator[PlannedLadder]:
    m = of.n - 1
    for apart, tuned in zip(_APART, TUNED[of.n], strict=True):
        for K, parts in zip((_STEPS[0], _STEPS[-1]), tuned, strict=True):
            gamma = of.step(m, K)
            first, second = (setup(of, outer, rule, m, K, gamma, apart) for rule in _RULES)
            shorter = setup(of, outer, FEDAVG_P, m, K, gamma * Fraction(parts, 64), apart)
            label = f"m={m} K={K} b^2={of.spread * apart**2}"
            yield _planned(of, outer, label, _RULES, "algorithm", (first, second))
            yield _planned(of, outer, label, _RULES, EQUAL, (shorter, second))


# ---- all


def _of(of: Clients, outer: Outer) -> Iterator[PlannedLadder]:
    yield from _in_gamma(of, outer)
    yield from _in_participants(of, outer)
    for m in (of.n - 1, of.n):
        yield from _in_steps(of, outer, m)
        if of.alike:
            yield from _in_dissimilarity(of, outer, m)
    if of.alike:
        yield from _in_algorithm(of, outer)


def planned() -> Iterator[PlannedLadder]:
    """Every ladder."""
    for n in (2, 4):
        for alike in (True, False):
            of = Clients(n, alike)
            for outer in _OUTER:
                yield from _of(of, outer)
            yield from _in_steps(of, _LONG, n)
