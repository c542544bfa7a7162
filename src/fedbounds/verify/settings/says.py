"""What claims in words say of one run, decided in rationals: kept, broken, or not decided here."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import sympy as sp
from flint import fmpq

from fedbounds.problems import Noise, NoiseLaw
from fedbounds.problems.linear import rational
from fedbounds.theory.fedplt.distance import BRACKET
from fedbounds.theory.fedplt.results import CONSTANT_STEP, CONSTANTS, FACTOR
from fedbounds.theory.setting import Says
from fedbounds.theory.symbols import B_step, eta, z
from fedbounds.vocabulary import Assumption, Method, Verdict

from ..decide import decide
from ..evaluate import Numbers, evaluate
from ..fedplt.long_runs_moments import centred, contraction, limit_of_distance, rounds_of
from .exhibits import Exhibit, Steps
from .facts import facts, first_step, values
from .growth import exceeds_every_multiple
from .iterates import fixed_point, minimiser, one_round
from .premises import Sequence

_ROUNDS = 2  # of the runs on which a bound is evaluated
_FLOOR = eta * B_step / z
_SILENT = Noise(NoiseLaw.RADEMACHER, fmpq(0), fmpq(0))


@dataclass(frozen=True)
class Told:
    """What was found: a verdict with its reason, and numbers as text."""

    verdict: Verdict
    reason: str
    numbers: dict[str, str] = field(default_factory=dict)


_NOT_HERE = Told(Verdict.NOT_APPLICABLE, "says nothing of this run")


def tell(subject: Any, says: Says) -> Told:
    """The verdict on what a claim says of an instance that meets what it asks for."""
    judges: dict[Says, Callable[[Exhibit], Told]] = {
        Says.STAYS: _stays,
        Says.BOUND: _bound,
        Says.LIMIT: _limit,
        Says.SETTLES: _settles,
        Says.REACHES: _reaches,
        Says.LESS: _less,
        Says.SLOWER: _slower,
    }
    if isinstance(subject, Sequence):
        of_sequences = {
            (Says.RATE, Assumption.RECURSION_DECAYING): _rate,
            (Says.REACHES, Assumption.RECURSION): _reached,
        }
        return of_sequences.get((says, subject.recursion), lambda: _NOT_HERE)()
    return judges[says](subject) if isinstance(subject, Exhibit) and says in judges else _NOT_HERE


def _stays(exhibit: Exhibit) -> Told:
    best = minimiser(exhibit.problem, exhibit.algorithm)
    moved = one_round(_silent(exhibit).problem, exhibit.algorithm, best) - best
    square = moved @ moved
    told = f"W^0 = W* = {_shown(best)} gives W^1 - W* = {_shown(moved)}"
    verdict = Verdict.NOT_VIOLATED if square == 0 else Verdict.VIOLATED
    return Told(verdict, told, {"left": str(square), "right": "0", "gap": str(-square)})


# ---- where the error settles


def halved(subject: Any) -> Any:
    """A run with half the step size; what is no run, as it is."""
    if not isinstance(subject, Exhibit):
        return subject
    step = rational(subject.algorithm.inner_step_u) / 2
    return replace(subject, algorithm=replace(subject.algorithm, inner_step_u=step))


def _silent(exhibit: Exhibit) -> Exhibit:
    """With full gradients."""
    return replace(exhibit, problem=replace(exhibit.problem, noise=_SILENT))


def _error(exhibit: Exhibit) -> Any:
    """The limit of D^t, whatever the start."""
    return limit_of_distance(exhibit.problem, exhibit.algorithm)


def _levels(exhibit: Exhibit) -> tuple[Any, Any]:
    """eta B / z, which falls with rho_min, at both ends of what is known of it."""
    ratio = facts(exhibit).aligned.over
    found = [_evaluated(_FLOOR, _known(exhibit, rho)) for rho in (ratio.high, ratio.low)]
    return found[0], found[1]


def _known(exhibit: Exhibit, rho: Any) -> dict[str, Any]:
    """Constants, with G^2 and nu as the run has them."""
    known = values(exhibit, rho) | {"G^2": facts(exhibit).G2_wide}
    known["nu_max"] = _evaluated(BRACKET, known)
    return known | {c.left.name: _evaluated(c.right, known) for c in CONSTANTS}


def _compared(left: Any, right: Any, holds: bool, reason: str) -> Told:
    verdict = Verdict.NOT_VIOLATED if holds else Verdict.VIOLATED
    numbers = {"left": str(left), "right": str(right), "gap": str(right - left)}
    return Told(verdict, reason, numbers)


def _settles(exhibit: Exhibit) -> Told:
    low, high = _levels(exhibit)
    # noise adds to what full gradients leave
    error, least = _error(exhibit), _error(_silent(exhibit))
    if low < error and least <= high:
        return Told(Verdict.UNDECIDED, "rho_min, or what the noise adds, decides it")
    reason = f"D^t tends to {float(error):.6g}, and eta B/z = {float(high):.6g}"
    return _compared(error, high, error <= low, reason)


def _reaches(exhibit: Exhibit) -> Told:
    low, high = _levels(exhibit)
    if low != high or exhibit.problem.noise.scale_u:
        return _NOT_HERE
    error = _error(exhibit)
    reason = f"D^t tends to {float(error):.6g}, and eta B/z = {float(high):.6g}"
    return _compared(error, high, error == high, reason)


def _less(exhibit: Exhibit) -> Told:
    error, less = _error(exhibit), _error(halved(exhibit))
    reason = f"D^t tends to {float(error):.6g}, and with half the step size to {float(less):.6g}"
    return _compared(less, error, less < error or error == 0, reason)


def _slower(exhibit: Exhibit) -> Told:
    factor, longer = (_factor(each) for each in (exhibit, halved(exhibit)))
    reason = f"a round shortens by {float(factor):.6g}, with half the step size by "
    reason += f"{float(longer):.6g}"
    if factor < longer or longer < factor:
        return Told(Verdict.NOT_VIOLATED if factor < longer else Verdict.VIOLATED, reason)
    return Told(Verdict.UNDECIDED, f"{reason}: too close to tell")


def _factor(exhibit: Exhibit) -> Any:
    """The largest size of an eigenvalue of a round, as a ball."""
    centre, _ = centred(exhibit.problem, exhibit.algorithm)
    step = np.array([rational(exhibit.algorithm.inner_step_u)], dtype=object)
    return contraction(rounds_of(centre, exhibit.algorithm, step).mean[0, :, :-1])


def _reached() -> Told:
    """D -> (1 - z eta) D + eta^2 B leads eta B/z back to itself, and contracts as eta < 1/z."""
    rest = sp.simplify(FACTOR * _FLOOR + eta**2 * B_step - _FLOOR)
    verdict = Verdict.NOT_VIOLATED if rest == 0 else Verdict.VIOLATED
    return Told(verdict, "eta B/z is the fixed point of the recursion, which contracts")


def _bound(exhibit: Exhibit) -> Told:
    """Both displays of the constant step, with G^2 and nu as the run has them."""
    ratio = facts(exhibit).aligned.over
    start = exhibit.start if exhibit.start is not None else fixed_point(exhibit)
    quiet = exhibit.problem.noise.scale_u == 0 and exhibit.steps is Steps.CONSTANT
    if (
        isinstance(facts(exhibit).found, str)
        or not quiet
        or ratio.low != ratio.high
        or start is None
    ):
        return _NOT_HERE
    best = minimiser(exhibit.problem, exhibit.algorithm)
    models = [start]
    for _ in range(_ROUNDS):
        models.append(one_round(exhibit.problem, exhibit.algorithm, models[-1]))
    distances = np.array([(W - best) @ (W - best) for W in models], dtype=object)
    known = _known(exhibit, ratio.low) | {"T": fmpq(_ROUNDS)}
    numbers = Numbers(known, {"D_W": distances}, lambda p, q: fmpq(p, q))
    for name in ("unrolled", "floor"):
        found = decide(CONSTANT_STEP.part(name), numbers, Method.RATIONAL)
        if found.verdict is not Verdict.NOT_VIOLATED:
            break
    told = {key: str(getattr(found, key)) for key in ("left", "right", "gap")}
    level = known["eta"] * known["B_step"] / known["z"]
    reason = f"{name} at t = {found.at}: eta B/z = {float(level):.6g}, D^t = {distances[-1]}"
    return Told(found.verdict, reason, told)


def _evaluated(expression: Any, known: dict[str, Any]) -> Any:
    return evaluate(expression, Numbers(known, {}, lambda p, q: fmpq(p, q)))


def _limit(exhibit: Exhibit) -> Told:
    """A run that stays at a model other than W* does not tend to W*."""
    if exhibit.steps is not Steps.DECAYING:
        return Told(Verdict.NOT_APPLICABLE, "its steps do not decay")
    W, first = fixed_point(exhibit), first_step(exhibit)
    if isinstance(facts(exhibit).found, str) or W is None or first is None:
        return Told(Verdict.UNDECIDED, "the limit of this run is not decided here")
    away = W - minimiser(exhibit.problem, exhibit.algorithm)
    square = away @ away
    if square == 0:
        return Told(Verdict.UNDECIDED, "the run starts at W*")
    reason = (
        f"W^t = {_shown(W)} for all t with eta^t = {first}/(t+1), one local step and W^0 = W^1, so "
        f"D^t = {square} for all t: (t+1) D^t exceeds every C"
    )
    return Told(Verdict.VIOLATED, reason, {"left": str(square), "right": "0", "gap": str(-square)})


def _rate() -> Told:
    proved, found = exceeds_every_multiple()
    shown = ", ".join(f"C = {c} B/z^2 fails at t = {t}" for c, t in found)
    if not proved:
        return Told(Verdict.UNDECIDED, f"{shown}; that this goes on is not proved")
    return Told(
        Verdict.VIOLATED,
        f"D^t = (B/z^2) H_t/t with H_t = 1 + 1/2 + ... + 1/t: {shown}; a proved step says that "
        "t D^t gains B/(4 z^2) at least from t = K to t = 2K - 1, for every K >= 2",
    )


def _shown(W: np.ndarray) -> str:
    return f"({', '.join(map(str, W))})"
