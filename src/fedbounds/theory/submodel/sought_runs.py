"""Runs of random and of rolling masks: where instances are searched."""

from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

from fedbounds.theory.language.setups import Objective, Run, Setup
from fedbounds.theory.language.sought import Counts, Seeking, Sought, Steps
from fedbounds.theory.language.symbols import K, L

from . import sought_shapes as shapes
from .names import RANDOM, ROLLING
from .run_ladders import log_between

# of a run: conditions that speak of them are looked at there
_TOLD = frozenset(("p_mean", "log_T", "v_mean", "nu2", "Phi", "a_bar2", "sigma^2"))
_STEPS = Steps(largest={"eta": 4 / (K * L)}, told=_TOLD)
_SHORT, _LONG, _TUNED = (1, 2, 3), (6, 20, 60), (100, 200)
_MOST = 8  # masks and signs of a run whose outcomes are listed, each of two outcomes
_ORDERS = 4  # of a run of rolling masks, likewise
_LOCAL_STEPS = (1, 2)


def _random_counts(rounds: tuple[int, ...], most: int | None = None) -> tuple[Counts, ...]:
    every = (
        {"n": n, "d": d, "K": steps, "T": T}
        for n, d, steps, T in product((1, 2, 3), (1, 2), _LOCAL_STEPS, rounds)
        if most is None or n * d * T <= most
    )
    return tuple(sorted(every, key=lambda own: own["n"] * own["d"] * own["K"] * own["T"]))


def _rolling_counts(rounds: tuple[int, ...], most: int | None = None) -> tuple[Counts, ...]:
    every = (
        {"n": n, "d": d, "S_sub": S, "K": steps, "T": T}
        for n, (d, S), steps, T in product((1, 2), shapes.COVERING, _LOCAL_STEPS, rounds)
        if most is None or most >= S * T
    )
    return tuple(sorted(every, key=lambda own: own["n"] * own["d"] * own["K"] * own["T"]))


def _problem(seek: Seeking, noisy: bool) -> tuple[Objective, bool]:
    """And whether clients are to have masks of one law."""
    counts = seek.counts()
    own, one = shapes.with_minimisers(seek, counts["n"], counts["d"])
    noise = seek.size("1/100", 100) if noisy and seek.choice((False, True)) else 0
    data = {"hessians": own.hessians, "slopes": own.slopes, "noise": noise}
    return Objective("quadratics", tuple(data.items())), one


def _signs(counts: Counts) -> int:
    """Of the noise of a run."""
    n, d, steps, rounds = (int(counts[x]) for x in ("n", "d", "K", "T"))
    return n * d * steps * rounds * int(counts.get("S_sub", 1))


def _setup(view: str, seek: Seeking, problem: Objective, own: dict[str, Any]) -> Setup:
    counts = seek.counts()
    start = shapes.point(seek, counts["d"])
    steps = seek.steps(problem, start)
    taken = {**own, "K": counts["K"], "eta": steps["eta"]}
    return Setup("submodel", view, Run(problem, start, tuple(taken.items()), steps["T"]))


def _random(view: str, listed: bool, seek: Seeking) -> Setup:
    counts = seek.counts()
    masks = counts["n"] * counts["d"] * counts["T"]
    problem, one = _problem(seek, not listed or masks + _signs(counts) <= _MOST)
    return _setup(view, seek, problem, {"keep": shapes.chances(seek, counts["n"], one=one)})


def _rolling(view: str, listed: bool, seek: Seeking) -> Setup:
    counts = seek.counts()
    n, d, S = (counts[x] for x in ("n", "d", "S_sub"))
    problem, one = _problem(seek, not listed or S * counts["T"] + _signs(counts) <= _MOST)
    own = n > 1 and S * counts["T"] <= 3 and seek.choice((False, True))
    masks = shapes.sub_models(seek, n, d, S, one=one, covering=True)
    return _setup(view, seek, problem, {"sub_models": masks, "orders": n if own else 1})


def _tuned(seek: Seeking) -> Setup:
    """With eta K = 2 log_T/(mu pbar R), log_T just above ln R."""
    counts = seek.counts()
    n, d, steps, rounds = (counts[x] for x in ("n", "d", "K", "T"))
    problem, one = _problem(seek, True)
    keep = shapes.chances(seek, n, one=one)
    mean = sum(map(Fraction, keep), Fraction(0)) / n
    log = log_between(rounds)[1]
    mu = shapes.least_curvature(_numbers(dict(problem.data)["hessians"]))
    eta = 2 * log / (max(mu, Fraction(1, 1000)) * mean * rounds * steps)
    taken = {"keep": keep, "K": steps, "eta": str(eta)}
    run = Run(problem, shapes.point(seek, d), tuple(taken.items()), rounds)
    return Setup("submodel", "many rounds, tuned", run, (("log_T", str(log)),))


def _numbers(every: Any) -> Any:
    return [[[Fraction(x) for x in row] for row in own] for own in every]


SOUGHT = (
    *(
        Sought(RANDOM, _random_counts(_SHORT, _MOST), _STEPS, partial(_random, view, True),
               view=view)
        for view in ("rounds", "rounds, F_p alone")
    ),
    Sought(RANDOM, _random_counts(_LONG), _STEPS, partial(_random, "many rounds", False),
           view="many rounds"),
    Sought(RANDOM, _random_counts(_TUNED), _STEPS, _tuned, view="many rounds, tuned"),
    *(
        Sought(ROLLING, _rolling_counts(_SHORT, _ORDERS), _STEPS, partial(_rolling, view, True),
               view=view)
        for view in ("epochs", "epochs, F_M alone")
    ),
    Sought(ROLLING, _rolling_counts(_LONG), _STEPS, partial(_rolling, "many epochs", False),
           view="many epochs"),
)  # fmt: skip
