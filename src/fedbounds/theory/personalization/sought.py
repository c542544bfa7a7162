"""Quadratics with at most one shared and one personal coordinate: where instances are searched.

Runs of both algorithms, and ladders in K of FedAvg-P.

The minimiser is the origin: every quadratic with a stationary point is one of these, translated.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

from sympy import Rational

from fedbounds.facts import Fact
from fedbounds.theory.language.setups import Ladder, Number, Objective, Run, Setup
from fedbounds.theory.language.sought import Counts, Seeking, Sought, Steps
from fedbounds.theory.language.symbols import F_0, K, L, eta_u, eta_v, gamma, m, n

from .figures import FEDAVG_K
from .lemmas import FEDAVG_P
from .scaffold_lemmas import SCAFFOLD_P

_CLIENTS = (
    (1, 1), (2, 1), (2, 2), (3, 1), (3, 2), (3, 3), (4, 1), (4, 3), (6, 1), (6, 6), (8, 8),
)  # fmt: skip
_LOCAL_STEPS = (1, 2, 3, 4, 6)
_ROUNDS = (1, 2, 3, 6, 12, 30, 60, 100)
_BLOCKS = ((1, 1), (1, 0), (0, 1))  # d_u and d_v
_FREE = Rational(1, 4)  # outer steps on which no condition speaks: from a quarter on
STEPS = Steps(
    least={"eta_u": _FREE, "eta_v": _FREE},
    largest={"gamma": 2 / (K * L)},
    derived={"gamma_u": gamma / eta_u, "gamma_v": gamma / eta_v},
)
_TAKEN = ("cohort", "K", "gamma_u", "gamma_v", "eta_u", "eta_v")


# of ladders: with these, the conditions of Theorems 3.7 and 3.11 hold at the largest K
_SETTLING = replace(
    STEPS, least={"eta_u": m, "eta_v": n / m}, largest={"gamma": m / (84 * n * K * L)}
)
_SETTLED_CLIENTS = ((2, 1), (2, 2), (3, 3))  # of few outcomes: a limit is solved for
_LONGEST = (2, 4, 8)


def _counts_of_ladders() -> tuple[Counts, ...]:
    every = (
        {"n": n, "m": m, "K": steps, "T": 1, "d_u": d_u, "d_v": d_v}
        for (n, m), steps, (d_u, d_v) in product(_SETTLED_CLIENTS, _LONGEST, _BLOCKS)
    )
    return tuple(sorted(every, key=lambda own: (own["n"] * own["K"], own["n"])))


def _counts() -> tuple[Counts, ...]:
    every = (
        {"n": n, "m": m, "K": steps, "T": rounds, "d_u": d_u, "d_v": d_v}
        for rounds, (n, m), steps, (d_u, d_v) in product(_ROUNDS, _CLIENTS, _LOCAL_STEPS, _BLOCKS)
    )
    return tuple(sorted(every, key=lambda own: (own["n"] * own["K"] * own["T"], own["n"])))


def _quadratics(view: str, seek: Seeking) -> Setup:
    problem, start, steps = _searched(seek)
    return _setup(view, problem, start, steps | {"K": seek.counts()["K"]})


def _in_steps(seek: Seeking) -> Ladder:
    """One gamma for all K, which doubles from rung to rung."""
    problem, start, steps = _searched(seek)
    local = [2**rung for rung in range(seek.counts()["K"].bit_length())]
    setups = (
        _setup(f"{FEDAVG_P}, where runs settle", problem, start, steps | {"K": K}) for K in local
    )
    return Ladder("personalization", f"{FEDAVG_P} over K", tuple(setups))


def _setup(
    view: str, problem: Objective, start: tuple[Number, ...], steps: Mapping[str, Any]
) -> Setup:
    taken = tuple((name, steps[name]) for name in _TAKEN)
    return Setup("personalization", view, Run(problem, start, taken, steps["T"]))


def _searched(seek: Seeking) -> tuple[Objective, tuple[Number, ...], dict[str, Any]]:
    """Clients, where they start, and their steps."""
    counts = seek.counts()
    n, shared, personal = counts["n"], bool(counts["d_u"]), bool(counts["d_v"])
    # gradients of several clients differ by a bounded vector if curvatures by u are one, uncoupled
    similar = n > 1 and Fact.DISSIMILARITY in seek.assumptions
    below = {Fact.DISSIMILARITY, Fact.BOUNDED_BELOW} & seek.assumptions
    alike = similar or n == 1 or seek.choice((True, False))
    coupled = shared and personal and not similar and seek.choice((False, True))
    scale = seek.size("1/4", 4) * (1 if below else seek.choice((1, -1)))
    common = [seek.size("1/100", 1)] * n if alike and shared else []
    # one client alone slopes down for ever nowhere, up to c = root(a d)
    share = (Fraction(1) if n == 1 else Fraction(49, 50)) if coupled else Fraction(0)
    hessians = [_hessian(seek, scale, common[i:], (shared, personal), share) for i in range(n)]
    differ, noisy = seek.choice(((False, False), (True, False), (False, True), (True, True)))
    slopes = _slopes(seek, n) if shared and differ and n > 1 else [Fraction(0)] * n
    start = _start(seek, n, (shared, personal))
    noise = [_perhaps(seek) if there and noisy else 0 for there in (shared, personal)]
    problem = Objective(
        "quadratics",
        (
            ("hessians", hessians),
            ("slopes", [(slope, 0) if shared and personal else (slope,) for slope in slopes]),
            ("noise", noise[0]),
            ("personal", counts["d_v"]),
            ("personal_noise", noise[1]),
        ),
    )
    return problem, start, seek.steps(problem, start) | {"cohort": counts["m"]}


def _hessian(
    seek: Seeking,
    scale: Fraction,
    common: Sequence[Fraction],
    there: tuple[bool, bool],
    share: Fraction,
) -> tuple[tuple[Number | Fraction, ...], ...]:
    """Of one client: of u, of v, and between them; ``scale`` times numbers up to 1."""
    a, d = (
        ((common[0] if common else None) or seek.size("1/100", 1)) if there[0] else Fraction(0),
        seek.size("1/100", 1) if there[1] else Fraction(0),
    )
    if not all(there):
        return ((scale * (a + d),),)
    # below the root of a d, or with a share of 1 at it, so that it stays convex
    c = _signed(seek) * share * 2 * a * d / (a + d) if share else Fraction(0)
    return ((scale * a, scale * c), (scale * c, scale * d))


def _slopes(seek: Seeking, n: int) -> list[Fraction]:
    """By u at the origin, of all clients; their sum is 0."""
    # they may dwarf the distance from the minimiser
    size = seek.size("1/100", 100) * seek.choice((1, 1, 10**6))
    free = [size * _signed(seek) for _ in range(n - 1)]
    return [*free, -sum(free, Fraction(0))]


def _start(seek: Seeking, n: int, there: tuple[bool, bool]) -> tuple[Number, ...]:
    """(u, v_1, ..., v_n); seldom the minimiser, of which bounds by F_0 say nothing."""
    seldom = (1,) if F_0.name in seek.constants else (1, 1, 1, 0)
    size = seek.size("1/100", 100) * seek.choice(seldom)
    own = (size * _signed(seek) for _ in range(n * there[1]))
    return tuple(map(str, ([size] if there[0] else []) + list(own)))


def _perhaps(seek: Seeking) -> Fraction:
    return seek.size("1/100", 100) if seek.choice((True, True, False)) else Fraction(0)


def _signed(seek: Seeking) -> Fraction:
    """From -1 to 1; 1 at first."""
    return 1 - 2 * seek.share()


_DOUBLINGS = 5  # from 100 rounds to 3,200, as far as work allows
SOUGHT = (
    Sought(FEDAVG_P, _counts(), STEPS, partial(_quadratics, "rounds"), _DOUBLINGS),
    Sought(SCAFFOLD_P, _counts(), STEPS, partial(_quadratics, "Scaffold-P, rounds"), _DOUBLINGS),
    Sought(FEDAVG_K, _counts_of_ladders(), _SETTLING, _in_steps),
)
