"""Quadratics of up to three coordinates under masks: where instances are searched.

W* is the origin: every quadratic that has a minimiser is one of these, translated.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

from fedbounds.theory.language.setups import Objective, Run, Setup
from fedbounds.theory.language.sought import Counts, Row, Seeking, Sought, Steps
from fedbounds.theory.language.symbols import L

from . import assumed
from .long_runs import DECAYING
from .masks import FEDPLT
from .setups import free_step, sequence

_CLIENTS, _DIMENSIONS, _LOCAL_STEPS = (1, 2, 3), (1, 2, 3), (1, 2, 3)
_MASKS: dict[int, tuple[Row, ...]] = {
    d: tuple(own for own in product((1, 0), repeat=d) if any(own)) for d in _DIMENSIONS
}
_MOST_SIGNS = 6  # of the noise of a run whose outcomes are listed
# of a run, or of numbers that no search fixes: conditions that speak of them are looked at there
_TOLD = frozenset(
    ("nu_max", "z", "w_gap", "B_step", "C_rate", "j", "D_0",
     "c_k", "rho_k", "cos_1", "cos_2", "cos_3", "norm_g", "norm_x")
)  # fmt: skip
_STEPS = Steps(largest={"eta": 2 / L}, told=_TOLD)


def _counts(rounds: Sequence[int], least: int = 1) -> tuple[Counts, ...]:
    """Of at least so many coordinates."""
    every = (
        {"n": n, "d": d, "tau": tau, "T": T}
        for n, d, tau, T in product(_CLIENTS, _DIMENSIONS, _LOCAL_STEPS, rounds)
        if d >= least
    )
    return tuple(sorted(every, key=lambda own: own["n"] * own["d"] * own["tau"] * own["T"]))


# ---- clients


def _signed(seek: Seeking) -> Fraction:
    """From -1 to 1; 1 at first."""
    return 1 - 2 * seek.share()


def _hessian(seek: Seeking, d: int) -> tuple[tuple[Fraction, ...], ...]:
    """Of eigenvalues up to 1 that are rational; two coordinates may be turned by 45 degrees."""
    own = [seek.size("1/100", 1) for _ in range(d)]
    turn = seek.choice((0, 1, -1)) if d == 2 else 0
    if turn:
        mean, off = (own[0] + own[1]) / 2, turn * (own[0] - own[1]) / 2
        return ((mean, off), (off, mean))
    return tuple(tuple(own[i] if i == j else Fraction(0) for j in range(d)) for i in range(d))


def _problem(seek: Seeking, weights: Row, start: Sequence[str], noisy: bool) -> Objective:
    """Curvatures alike or not, minimisers alike or not; the weighted mean is least at 0."""
    n, d = (seek.counts()[x] for x in ("n", "d"))
    scale = seek.size("1/4", 4)
    alike = n == 1 or seek.choice((True, False))
    every = [_hessian(seek, d)] * n if alike else [_hessian(seek, d) for _ in range(n)]
    hessians = [[[scale * x for x in row] for row in own] for own in every]
    free = _slopes(seek, hessians[:-1], [Fraction(x) for x in start])
    last = [
        -sum((w * x for w, x in zip(weights, own, strict=False)), Fraction(0)) / weights[-1]
        for own in zip(*free, strict=True)
    ] or [Fraction(0)] * d
    noise = seek.size("1/100", 100) if noisy and seek.choice((False, True)) else 0
    data = {"hessians": hessians, "slopes": [*free, last], "noise": noise}
    return Objective("quadratics", tuple(data.items()))


def _slopes(
    seek: Seeking, hessians: Sequence[Any], start: Sequence[Fraction]
) -> list[list[Fraction]]:
    """At 0, of all clients but the last: none, any, or such as all coordinates go one way.

    The gradient at the start then points away from 0, or to it, under any mask.
    """
    kind = seek.choice(("none", "any", "one way", "one way")) if hessians else "none"
    if kind == "none":
        return [[Fraction(0)] * len(start) for _ in hessians]
    if kind == "any":
        size = seek.size("1/100", 100)
        return [[size * _signed(seek) for _ in start] for _ in hessians]
    return [
        [seek.size("1/10", 10) * way * x - sum(a * y for a, y in zip(row, start, strict=True))
         for x, row in zip(start, own, strict=True)]
        for own, way in ((own, seek.choice((-1, 1))) for own in hessians)
    ]  # fmt: skip


def _point(seek: Seeking) -> tuple[Any, ...]:
    """Where one starts; seldom at W*."""
    size = seek.size("1/100", 100) * seek.choice((1, 1, 1, 0))
    return tuple(str(size * _signed(seek)) for _ in range(seek.counts()["d"]))


def _masks(seek: Seeking, *, idle: bool = False) -> tuple[Row, ...]:
    """Nobody's is empty; where ``idle`` nobody trains the last coordinate."""
    n, d = (seek.counts()[x] for x in ("n", "d"))
    some = d - idle
    full = seek.choice((True, False, False, False))
    every = (_MASKS[some][0] if full else seek.choice(_MASKS[some]) for _ in range(n))
    return tuple(own + (0,) * idle for own in every)


def _psi(masks: Sequence[Row], weights: Row) -> list[Fraction]:
    """Of the coordinates that somebody trains."""
    held = [
        sum(w for m, w in zip(own, weights, strict=True) if m) for own in zip(*masks, strict=True)
    ]
    return [Fraction(sum(weights), own) for own in held if own]


# ---- set-ups


def _alignment(seek: Seeking, masks: Sequence[Row]) -> tuple[str, Fraction]:
    """rho_min, and what it may be where only the run tells: 1 of full masks."""
    told = {assumed.ALIGNED: "aligned", assumed.ALIGNED_COMPENSATED: "compensated"}
    for name in told.keys() & seek.assumptions:
        return told[name], Fraction(1) if all(map(all, masks)) else seek.size("1/100", 1)
    free = seek.size("1/100", 2)
    return str(free), free


def _bounded(seek: Seeking) -> dict[str, Any]:
    return {"G^2": "local" if assumed.LOCAL_GRADIENTS in seek.assumptions else "global"}


def _run(
    seek: Seeking,
    known: dict[str, Any],
    weights: Row,
    masks: tuple[Row, ...],
    *,
    free: bool = False,
    most: int | None = _MOST_SIGNS,
) -> Run:
    """With noise of at most so many signs, if with any; one step from ``free`` models."""
    counts = seek.counts()
    signs = counts["n"] * counts["d"] * counts["tau"] * counts["T"]
    start = _point(seek)
    problem = _problem(seek, weights, start, most is None or signs <= most)
    more: dict[str, Any] = {}
    if free:
        own = [_point(seek) for _ in range(counts["n"])]
        common = seek.choice((0, 1)) if dict(problem.data)["noise"] else 0
        start = _mean(own, weights) if seek.choice((True, False)) else start
        more = {"models": own, "common": common}
    psi = _psi(masks, weights)
    known = {"alpha_k": 1, "psi_max": max(psi), "psi_min": min(psi)} | known
    steps = seek.steps(problem, start, {x: str(y) for x, y in known.items()})
    taken = {"masks": masks, "weights": weights, "tau": counts["tau"], "eta": steps["eta"], **more}
    return Run(problem, start, tuple(taken.items()), steps["T"])


def _mean(own: Sequence[Sequence[str]], weights: Row) -> tuple[Any, ...]:
    columns = zip(*own, strict=True)
    return tuple(
        str(sum(Fraction(x) * w for x, w in zip(column, weights, strict=True)) / sum(weights))
        for column in columns
    )


def _weights(seek: Seeking) -> Row:
    return tuple(seek.choice((1, 2, 3)) for _ in range(seek.counts()["n"]))


def _seen(view: str, seek: Seeking, **how: Any) -> Setup:
    weights, masks = _weights(seek), _masks(seek)
    rho, guess = _alignment(seek, masks)
    run = _run(seek, {"rho_min": guess}, weights, masks, **how)
    chosen: dict[str, Any] = {"rho_min": rho} | _bounded(seek)
    return Setup("fedplt", view, run, tuple(chosen.items()))


_ROOTED = tuple((x * a, y * b) for a, b in ((3, 4), (4, 3), (5, 12), (12, 5), (24, 7), (1, 0))
                for x in (1, -1) for y in (1, -1))  # fmt: skip


def _of_first(seek: Seeking) -> Setup:
    """The first client alone, whose gradient and distance from W* = 0 have rational lengths."""
    size, way = seek.size("1/100", 100), seek.size("1/100", 100)
    y, g = ([each * x for x in seek.choice(_ROOTED)] for each in (size, way))
    off = seek.choice(_ROOTED)
    slope = [a - b for a, b in zip(g, y, strict=True)]
    curved = (((1, 0), (0, 1)),) * 2
    run = free_step(
        curved, (slope, [-x for x in slope]), (seek.choice(_MASKS[2]), (1, 1)),
        [a - size * b for a, b in zip(y, off, strict=True)], (y, y), eta=seek.size("1/1000", 1),
    )  # fmt: skip
    chosen: dict[str, Any] = {"rho_min": "aligned", "k": 0} | _bounded(seek)
    return Setup("fedplt", "one step of one client", run, tuple(chosen.items()))


def _free_psi(view: str, seek: Seeking, **how: Any) -> Setup:
    """Nobody trains the last coordinate, whose psi is any number."""
    weights, masks = _weights(seek), _masks(seek, idle=True)
    rho, guess = _alignment(seek, masks)
    free = seek.size("1/4", 4) * seek.choice((1, -1))
    psi = (*_psi(masks, weights), free)
    # where the least is not positive there are no such conditions
    known = {"psi_sup": max(map(abs, psi)), "psi_inf": max(min(psi), Fraction(1, 100)),
             "w_free": max(-min(psi), Fraction(0)), "rho_min": guess}  # fmt: skip
    run = _run(seek, known, weights, masks, **how)
    chosen = {"rho_min": rho, "psi_free": str(free)} | _bounded(seek)
    return Setup("fedplt", view, run, tuple(chosen.items()))


def _many(seek: Seeking) -> Setup:
    """Of one step size; or of 1/(z(t+1)), with z = mu psi_min rho_min, or less."""
    found = _seen("many rounds", seek, most=None)
    chosen = {**dict(found.chosen), "C_rate": "base"}
    if assumed.DECAYING_STEPS not in seek.assumptions:
        return Setup("fedplt", "many rounds", found.run, tuple(chosen.items()))
    taken = dict(found.run.parameters)
    z = _least_curvature(found.run.problem) * min(_psi(taken["masks"], taken["weights"]))
    taken |= {"eta": DECAYING, "z": str(z * seek.size("1/100", 1))}
    run = Run(found.run.problem, found.run.start, tuple(taken.items()), found.run.rounds)
    chosen["rho_min"] = "steps"
    return Setup("fedplt", "many rounds, steps that decay", run, tuple(chosen.items()))


def _least_curvature(problem: Objective) -> Fraction:
    """Of matrices that are diagonal, or have one number on the diagonal."""
    rows = ((i, row) for own in dict(problem.data)["hessians"] for i, row in enumerate(own))
    return min(2 * Fraction(row[i]) - sum(abs(Fraction(x)) for x in row) for i, row in rows)


# ---- recursions with equality


def _sequence(seek: Seeking) -> Setup:
    """Steps as the part takes them; where it takes none for granted, any of three kinds."""
    rounds = seek.counts()["T"]
    z, B, D = seek.size("1/100", 100), seek.size("1/100", 100), seek.size("1/100", 100)
    same = seek.size("1/100", 1) / z
    kinds = {
        assumed.RECURSION: [same] * rounds,
        assumed.RECURSION_DECAYING: [1 / (z * (t + 1)) for t in range(rounds)],
        assumed.RECURSION_LONGER: [2 / (z * (t + 2)) for t in range(rounds)],
    }
    given = [x for x in kinds if x in seek.assumptions] or list(kinds)
    steps = " ".join(map(str, kinds[seek.choice(given)]))
    least = str(seek.size(1, 100) * B / z**2)
    rate = seek.choice(("base", "any", "longer", least))
    start = str(D * seek.choice((1, 0)))
    return sequence(start, str(B), steps, rate, str(z))


_SHORT, _LONG = (1, 2, 3, 4), (2, 8, 30, 100)
SOUGHT = (
    Sought(FEDPLT[0], _counts((1,)), _STEPS, partial(_seen, "one step", free=True),
           view="one step"),
    Sought(FEDPLT[0], ({"T": 1},), Steps(), _of_first, view="one step of one client"),
    Sought(FEDPLT[0], _counts(_SHORT), _STEPS, partial(_seen, "rounds"), view="rounds"),
    Sought(FEDPLT[0], _counts((1, 2, 4)), _STEPS, partial(_seen, "local steps"),
           view="local steps"),
    Sought(FEDPLT[0], _counts(_LONG), _STEPS, _many, view="many rounds"),
    Sought(FEDPLT[0], _counts((1,), 2), _STEPS, partial(_free_psi, "one step, free psi", free=True),
           view="one step, free psi"),
    Sought(FEDPLT[0], _counts(_SHORT, 2), _STEPS, partial(_free_psi, "rounds, free psi"),
           view="rounds, free psi"),
    Sought(FEDPLT[0], tuple({"T": T} for T in (1, 2, 3, 6, 12)), Steps(), _sequence,
           view="recursion"),
)  # fmt: skip
