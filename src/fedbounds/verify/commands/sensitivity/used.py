"""Where a proof uses a premise: in which steps directly, and through which others."""

from collections.abc import Mapping
from dataclasses import dataclass

from fedbounds.theory.checker.data import Certificate, Comparison, Statement, Theory
from fedbounds.theory.proof.premises import Dropped, assuming
from fedbounds.theory.proof.replay import Replayed

from . import charts
from .proved import Proof, chain


@dataclass(frozen=True)
class Used:
    """Steps of a part's proof that use a premise: by themselves, or because what they cite does."""

    directly: tuple[str, ...]
    through: tuple[str, ...]


def used(proof: Proof, premise: Dropped) -> Used:
    """Where the proof of a part uses an assumption's value, or a condition."""
    directly: list[str] = []
    through: list[str] = []
    for step in chain(proof):
        statement = step.written.statement
        if step.written.rule == "given" or premise not in (
            *statement.assumptions,
            *statement.conditions,
        ):
            continue
        own = _directly(proof.book.theory, step, premise, proof.known, proof.steps)
        (directly if own else through).append(step.written.id)
    return Used(tuple(directly), tuple(through))


def _directly(
    theory: Theory,
    step: Replayed,
    premise: Dropped,
    known: Mapping[str, Statement],
    steps: Mapping[str, Replayed],
) -> bool:
    assert step.certificate is not None
    if isinstance(premise, str):
        uses = assuming(theory, step.certificate, {premise}, known)
        return any(use.kind == "fact" or steps[use.name].written.rule == "given" for use in uses)
    conditions = (*theory.always, *step.written.statement.conditions)
    return _in_certificate(step.certificate, premise, conditions)


def _in_certificate(
    certificate: Certificate, premise: Comparison, conditions: tuple[Comparison, ...]
) -> bool:
    """Whether a condition is a premise with a multiplier, or a bound of the chart."""
    cited = {
        conditions[int(use.name.split()[0])]
        for use in certificate.premises
        if use.kind == "condition" and any(times not in ("0", "((0) / (1))") for times in use.times)
    }
    charted = any(charts.bounds(premise, assignment) for assignment in certificate.chart)
    base = certificate.base
    return (
        premise in cited
        or charted
        or (base is not None and _in_certificate(base, premise, conditions))
    )
