"""What the assumptions on gradients say, decided at every model that a run visits, exactly.

Visited are W^t, every W_k^t and every W_k^{t,s} of the rounds examined, under every outcome:
reading b of Assumptions 5 and 6. A gradient of F_k is looked at where client k is, and at W^t.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.algorithms.fedplt_rows import compensation, shares, untrained
from fedbounds.problems import Evidence
from fedbounds.problems.linear import rational
from fedbounds.vocabulary import Assumption

from .kinds import numbers
from .outcomes import Enumerated
from .setups import Run

_MODELS = (("g", "Wk"), ("gs", "Ws"), ("g0", "W"))


@dataclass(frozen=True)
class Visited:
    """What holds at all models that a run visits.

    Attributes
    ----------
    ratio : rational or None
        The least rho_k; None where one is not positive, or not defined.
    broken : str
        Where and why, if so.
    range : (least, largest) or None
        Where rho_min may lie, if <psi o m o g, x> >= psi_min rho_min <g, x> with x = W_k - W*.
    local, wide : rational
        The largest squared gradient of an F_k where client k is, and of F.
    """

    ratio: Any | None
    broken: str
    range: tuple[Any, Any] | None
    local: Any
    wide: Any


@dataclass(frozen=True)
class _At:
    """Gradients g at some models of all clients: axes past, xi, k, s."""

    t: int
    whole: np.ndarray  # <g, x>
    masked: np.ndarray
    compensated: np.ndarray
    square: np.ndarray  # ||g||^2
    wide: np.ndarray  # ||grad F||^2


def visited(run: Run, every: Iterable[Enumerated]) -> Visited:
    """Of the rounds, or steps, that were enumerated."""
    seen = [each for found in every for each in _models(run, found)]
    free = untrained(run.algorithm)
    least_psi = min(x for i, x in enumerate(compensation(run.algorithm)) if i not in free)
    broken = next((where for where in map(_broken, seen) if where), "")
    ratios = [] if broken else [(each.masked / each.whole).min() for each in seen]
    whole = np.concatenate([each.whole.reshape(-1) for each in seen]) * least_psi
    part = np.concatenate([each.compensated.reshape(-1) for each in seen])
    return Visited(
        min(ratios, default=None),
        broken,
        interval(whole, part),
        max(each.square.max() for each in seen),
        max(each.wide.max() for each in seen),
    )


def _models(run: Run, found: Enumerated) -> Iterator[_At]:
    vectors, factors = found.space.vectors, found.factors
    c, n = numbers(shares(run.algorithm), run.problem.hessian), run.problem.clients
    d = run.problem.shared_dimension
    hessian, slope = (c @ run.problem.hessian.reshape(n, -1)).reshape(d, d), c @ run.problem.linear
    for gradient, model in _MODELS:
        g, x = vectors[gradient], vectors[model] - vectors["Wstar"]
        masked, wide = factors["mask"] * g, vectors[model] @ hessian + slope
        yield _At(
            found.space.t,
            (g * x).sum(axis=-1),
            (masked * x).sum(axis=-1),
            (factors["comp"] * masked * x).sum(axis=-1),
            (g * g).sum(axis=-1),
            (wide * wide).sum(axis=-1),
        )


def _broken(seen: _At) -> str:
    """Where Assumption 6 fails, or says nothing; empty if nowhere."""
    undefined = seen.whole == 0
    negative = ~undefined & (seen.masked * seen.whole <= 0)
    for wrong, what in ((undefined, "rho_k is not defined"), (negative, "rho_k <= 0")):
        if wrong.any():
            place = tuple(int(x) for x in np.argwhere(wrong)[0])
            whole, part = seen.whole[place], seen.masked[place]
            return f"{what} at a model of client {place[2]}, t = {seen.t}: {part} against {whole}"
    return ""


def interval(whole: np.ndarray, part: np.ndarray) -> tuple[Any, Any] | None:
    """All positive numbers r with part >= r whole; None if there is none, or all are."""
    up, down = whole > 0, whole < 0
    if not up.any() or (part[whole == 0] < 0).any():
        return None
    largest = (part[up] / whole[up]).min()
    least = max((part[down] / whole[down]).max(), fmpq(0)) if down.any() else fmpq(0)
    return None if largest <= 0 or least > largest else (least, largest)


def chosen(wanted: Any, seen: Visited) -> Any | None:
    """rho_min: a number, or what an alignment defines; None if that does not hold."""
    if wanted is Assumption.ALIGNED:
        return seen.ratio
    if wanted is Assumption.ALIGNED_COMPENSATED:
        return None if seen.range is None else seen.range[1]
    return rational(wanted)


def alignments(rho_min: Any | None, seen: Visited) -> dict[Assumption, Evidence]:
    """Whether rho_min is what the two alignments say it is."""
    where = "at the models visited"
    if seen.ratio is None:
        printed = Evidence(False, f"{seen.broken} ({where})")
    elif rho_min != seen.ratio:
        printed = Evidence(False, f"rho_min is {rho_min}, the least rho_k {seen.ratio} ({where})")
    else:
        printed = Evidence(True, f"rho_min is the least rho_k {where}")
    if rho_min is None or seen.range is None:
        ours = Evidence(False, f"no rho_min > 0 fits {where}")
    else:
        least, largest = seen.range
        fits = bool(rho_min > 0 and least <= rho_min <= largest)
        reason = f"rho_min is {rho_min}, and fits from {least} to {largest} ({where})"
        ours = Evidence(fits, reason)
    return {Assumption.ALIGNED: printed, Assumption.ALIGNED_COMPENSATED: ours}


def gradient_bounds(square: Any, seen: Visited) -> dict[Assumption, Evidence]:
    """Whether G^2 bounds the gradient of F, and those of every F_k."""
    largest = {
        Assumption.GLOBAL_GRADIENT: seen.wide,
        Assumption.LOCAL_GRADIENTS: seen.local,
    }
    return {
        name: Evidence(bool(most <= square), f"the largest square at the models visited is {most}")
        for name, most in largest.items()
    }
