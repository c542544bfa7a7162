"""Does an instance meet an assumption, or a condition? Decided exactly, or said to be unknown."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import singledispatch
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.algorithms.fedplt_rows import shares
from fedbounds.errors import FedboundsError
from fedbounds.problems import Evidence
from fedbounds.problems.linear import is_positive_semidefinite
from fedbounds.theory.claims import Condition
from fedbounds.theory.setting import Asked
from fedbounds.vocabulary import Assumption

from ..evaluate import Numbers, evaluate
from .exhibits import Exhibit
from .facts import facts, values
from .iterates import minimiser
from .witnesses import far_from_alignment, large_gradient


@dataclass(frozen=True, eq=False)
class Parameters:
    """Constants and a step size alone; nothing is run."""

    name: str
    values: dict[str, fmpq]


@dataclass(frozen=True, eq=False)
class Sequence:
    """Numbers D^0, D^1, ... that meet a recursion with equality.

    Attributes
    ----------
    name : str
    recursion : Assumption
        Which: that of constant or of decaying steps.
    """

    name: str
    recursion: Assumption


@dataclass(frozen=True)
class Met:
    """Whether an instance meets all that is asked: None where something is not known.

    Attributes
    ----------
    holds : bool or None
    reason : str
        What is not met, or not known; else what was computed.
    numbers : dict
        Computed constants, as text.
    """

    holds: bool | None
    reason: str
    numbers: dict[str, str] = field(default_factory=dict)


def met(subject: Any, asked: Asked) -> Met:
    """Every assumption and every condition of a reading on one instance."""
    unknown = ""
    reasons = []
    for assumption in asked.assumptions:
        evidence = holds(subject, assumption)
        told = f"{assumption.value}: {evidence.reason}"
        if evidence.holds is False:
            return Met(False, told)
        if evidence.holds is None:
            unknown = unknown or told
        reasons.append(evidence.reason)
    if unknown:
        return Met(None, unknown)
    every = constants(subject)
    if (asked.conditions or asked.strict) and not every:
        return Met(None, "has no constants and no step size")
    for conditions, strict in ((asked.conditions, False), (asked.strict, True)):
        for condition in conditions:
            for known in every:
                failed = _fails(condition, known, strict=strict)
                if failed:
                    return Met(False, failed)
    numbers = {name: str(value) for name, value in sorted(every[0].items())} if every else {}
    return Met(True, "; ".join(dict.fromkeys(filter(None, reasons))), numbers)


# ---- conditions


def constants(subject: Any) -> list[dict[str, Any]]:
    """Values of the symbols: at both ends of what is known of rho_min.

    Conditions are linear in rho_min, so that one that holds at both ends holds between them.
    """
    if isinstance(subject, Parameters):
        return [dict(subject.values)]
    if not isinstance(subject, Exhibit):
        return []
    ratio = facts(subject).aligned
    ends = (None,) if ratio.reason else dict.fromkeys((ratio.over.low, ratio.over.high))
    return [values(subject, rho) for rho in ends]


def _fails(condition: Condition, known: dict[str, Any], *, strict: bool) -> str:
    """Why a condition does not hold; empty if it does."""
    numbers = Numbers(known, {}, lambda p, q: fmpq(p, q))
    try:
        left, right = evaluate(condition.left, numbers), evaluate(condition.right, numbers)
    except FedboundsError as error:
        return f"{condition} fails: {error}"
    kept = {
        "<=": left < right or (left == right and not strict),
        ">=": left > right or (left == right and not strict),
        "==": left == right,
    }[condition.relation]
    return "" if kept else f"{condition} fails: {left} and {right}"


# ---- assumptions


@singledispatch
def holds(subject: Any, assumption: Assumption) -> Evidence:
    """Whether a problem of some family meets an assumption at all points, as it says itself."""
    wide = assumption is Assumption.GLOBAL_GRADIENT_EVERYWHERE
    if wide and subject.personal_dimension:
        return Evidence(None, "the family speaks of the shared block alone")
    asked = _OF_FAMILIES.get(assumption, assumption)
    found: Evidence = subject.satisfies(asked)
    return found


# what a family of problems calls them; block gradients are bounded on average over the clients, and
# so is that of F then
_OF_FAMILIES = {
    Assumption.UNBIASED: Assumption.NOISE,
    Assumption.INDEPENDENT: Assumption.NOISE,
    Assumption.BOUNDED_VARIANCE: Assumption.NOISE,
    Assumption.GLOBAL_GRADIENT_EVERYWHERE: Assumption.BOUNDED_GRADIENTS,
}


@holds.register
def _of_parameters(subject: Parameters, assumption: Assumption) -> Evidence:
    if assumption not in (Assumption.SMOOTH, Assumption.STRONGLY_CONVEX):
        return Evidence(None, "nothing is run")
    ordered = subject.values["mu"] <= subject.values["L"]
    return Evidence(ordered, "mu <= L, as some F_k have these constants")


@holds.register
def _of_sequence(subject: Sequence, assumption: Assumption) -> Evidence:
    if assumption is subject.recursion:
        return Evidence(True, "equality is allowed")
    return Evidence(None, "no problem and no algorithm")


@holds.register
def _of_exhibit(subject: Exhibit, assumption: Assumption) -> Evidence:
    if assumption not in _EXHIBIT:
        return Evidence(None, "not known of this run")
    return _EXHIBIT[assumption](subject)


def _smooth(e: Exhibit) -> Evidence:
    identity = np.eye(e.problem.shared_dimension, dtype=int).astype(object) * e.L
    signed = [identity + sign * H for H in e.problem.hessian for sign in (1, -1)]
    return Evidence(all(map(is_positive_semidefinite, signed)), f"-L I <= H_k <= L I, L = {e.L}")


def _convex(e: Exhibit) -> Evidence:
    identity = np.eye(e.problem.shared_dimension, dtype=int).astype(object) * e.mu
    above = all(is_positive_semidefinite(H - identity) for H in e.problem.hessian)
    return Evidence(above and e.mu > 0, f"H_k >= mu I, mu = {e.mu}")


def _noise(e: Exhibit) -> Evidence:
    scale = e.problem.noise.scale_u
    return Evidence(True, f"each coordinate of the noise is +-{scale}, independent")


def _global(e: Exhibit) -> Evidence:
    bound = facts(e).G2_wide
    return _bounded(e, bound, "||grad F||^2")


def _local(e: Exhibit) -> Evidence:
    return _bounded(e, facts(e).G2_local, "every ||grad F_k||^2")


def _bounded(e: Exhibit, bound: fmpq | None, what: str) -> Evidence:
    if bound is None:
        return Evidence(None, str(facts(e).found))
    return Evidence(True, f"{what} < {float(bound):.6g} at the iterates of all rounds")


def _global_everywhere(e: Exhibit) -> Evidence:
    c = np.array(shares(e.algorithm), dtype=object)
    if not np.tensordot(c, e.problem.hessian, 1).any():
        return Evidence(True, "grad F is constant")
    return Evidence(False, large_gradient(e))


def _aligned(e: Exhibit) -> Evidence:
    ratio = facts(e).aligned
    if ratio.reason:
        return Evidence(None, ratio.reason)
    low, high = ratio.over.low, ratio.over.high
    told = str(low) if low == high else f"between {float(low):.6g} and {float(high):.6g}"
    return Evidence(True, f"the infimum of rho_k over all rounds is {told}")


def _aligned_open(e: Exhibit) -> Evidence:
    known = facts(e)
    if isinstance(known.found, str) or not known.found.open:
        return Evidence(None, "no open set around the iterates was examined")
    if known.everywhere.reason:
        return Evidence(None, known.everywhere.reason)
    low = known.everywhere.over.low
    return Evidence(True, f"every rho_k >= {float(low):.6g} on open boxes around the iterates")


def _aligned_everywhere(e: Exhibit) -> Evidence:
    if all(all(mask) for mask in e.algorithm.masks):
        return Evidence(True, "rho_k = 1 for full masks, wherever it is defined")
    return Evidence(False, far_from_alignment(e))


def _shared(e: Exhibit) -> bool:
    best = minimiser(e.problem, e.algorithm)
    slopes = e.problem.hessian @ best + e.problem.linear
    return not slopes.any()


_EXHIBIT: dict[Assumption, Callable[[Exhibit], Evidence]] = {
    Assumption.SMOOTH: _smooth,
    Assumption.STRONGLY_CONVEX: _convex,
    Assumption.UNBIASED: _noise,
    Assumption.INDEPENDENT: _noise,
    Assumption.BOUNDED_VARIANCE: _noise,
    Assumption.NOISE: _noise,
    Assumption.GLOBAL_GRADIENT: _global,
    Assumption.LOCAL_GRADIENTS: _local,
    Assumption.GLOBAL_GRADIENT_EVERYWHERE: _global_everywhere,
    Assumption.ALIGNED: _aligned,
    Assumption.ALIGNED_OPEN: _aligned_open,
    Assumption.ALIGNED_EVERYWHERE: _aligned_everywhere,
    Assumption.LEAVES_OUT: lambda e: Evidence(
        not all(all(mask) for mask in e.algorithm.masks), "some client trains a part"
    ),
    Assumption.FULL_MASKS: lambda e: Evidence(
        all(all(mask) for mask in e.algorithm.masks), "all entries are 1"
    ),
    Assumption.EQUAL_MASKS: lambda e: Evidence(
        len(set(e.algorithm.masks)) == 1, "one mask for all"
    ),
    Assumption.SINGLE_STEP: lambda e: Evidence(e.algorithm.local_steps == 1, "tau = 1"),
    Assumption.SHARED_MINIMISER: lambda e: Evidence(_shared(e), "grad F_k(W*) = 0 for every k"),
    Assumption.OWN_MINIMISERS: lambda e: Evidence(not _shared(e), "grad F_k(W*) is not 0"),
    Assumption.NOISY: lambda e: Evidence(e.problem.noise.scale_u != 0, "sigma > 0"),
    Assumption.NOISELESS: lambda e: Evidence(e.problem.noise.scale_u == 0, "sigma = 0"),
}
