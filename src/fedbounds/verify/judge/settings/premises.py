"""Does an instance meet assumptions and conditions? Decided exactly, or said to be unknown."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from flint import fmpq

from fedbounds.errors import FedboundsError
from fedbounds.facts import Fact
from fedbounds.problems import Evidence
from fedbounds.theory.language.claims import Condition
from fedbounds.theory.language.setting import Asked
from fedbounds.theory.language.setups import Alone, Says

from ...measure.evaluate import Numbers, evaluate
from ...measure.objectives import exact
from ...measure.ranges import compared
from .subjects import Examined, SubjectOf


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


def met(subject: SubjectOf, asked: Asked) -> Met:
    """Every assumption and every condition of a reading on one instance."""
    unknown = ""
    reasons = []
    for assumption in asked.assumptions:
        evidence = holds(subject, assumption)
        told = f"{assumption}: {evidence.reason}".rstrip(": ")
        if evidence.holds is False:
            return Met(False, told)
        if evidence.holds is None:
            unknown = unknown or told
        reasons.append(told)
    if unknown:
        return Met(None, unknown)
    conditions = [(c, c.relation) for c in asked.conditions]
    conditions += [(c, c.relation[0]) for c in asked.strict]
    if conditions and not isinstance(subject, Examined | Alone):
        return Met(None, "has no constants and no step size")
    for condition, relation in conditions:
        kept, told = _kept(condition, relation, subject)
        if not kept:
            return Met(kept, told)
    numbers = {name: str(value) for name, value in sorted(numbers_of(subject).items())}
    return Met(True, "; ".join(dict.fromkeys(reasons)), numbers)


# ---- conditions


def numbers_of(subject: SubjectOf) -> Mapping[str, fmpq]:
    """Values of the symbols, as far as they are exact."""
    if isinstance(subject, Alone):
        return {name: exact(value) for name, value in subject.values}
    return subject.numbers if isinstance(subject, Examined) else {}


def _kept(condition: Condition, relation: str, subject: Examined | Alone) -> tuple[Any, str]:
    """Whether a condition holds, and why not."""
    says = Says(condition.left, relation, condition.right)
    if isinstance(subject, Examined):
        kept, told = subject.always.decided(says)
    else:
        known = Numbers(numbers_of(subject), {}, lambda p, q: fmpq(p, q))
        try:
            left, right = evaluate(condition.left, known), evaluate(condition.right, known)
        except FedboundsError as error:
            return False, f"{condition} fails: {error}"
        kept, told = compared(left, relation, right), f"{left} and {right}"
    word = "fails" if kept is False else "is not decided"
    return kept, "" if kept else f"{condition} {word}: {told}"


# ---- assumptions


def holds(subject: SubjectOf, assumption: str) -> Evidence:
    """Whether an instance meets an assumption, by definition or by its own word."""
    if isinstance(subject, Examined):
        return subject.evidence(assumption)
    if isinstance(subject, Alone):
        return _of_constants(subject, assumption)
    wide = assumption == Fact.GLOBAL_GRADIENT_EVERYWHERE
    if wide and subject.personal_dimension:
        return Evidence(None, "the family speaks of the shared block alone")
    found: Evidence = subject.satisfies(_OF_FAMILIES.get(assumption, assumption))
    return found


# what a family of problems calls them; block gradients are bounded on average over the clients, and
# so is that of F then
_OF_FAMILIES: Mapping[str, str] = {
    Fact.UNBIASED: Fact.NOISE,
    Fact.INDEPENDENT: Fact.NOISE,
    Fact.BOUNDED_VARIANCE: Fact.NOISE,
    Fact.GLOBAL_GRADIENT_EVERYWHERE: Fact.BOUNDED_GRADIENTS,
}


def _of_constants(subject: Alone, assumption: str) -> Evidence:
    if assumption not in (Fact.SMOOTH, Fact.STRONGLY_CONVEX):
        return Evidence(None, "nothing is run")
    known = numbers_of(subject)
    return Evidence(bool(known["mu"] <= known["L"]), "mu <= L, as some F_k have these constants")
