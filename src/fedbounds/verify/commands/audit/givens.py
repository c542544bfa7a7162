"""What the proofs of a claim take as given, of their vectors and of everything else."""

from collections.abc import Iterator, Sequence
from typing import Any

from fedbounds.theory.checker.data import Need, Scope, Theory
from fedbounds.theory.proof.language import Book, Written, cited
from fedbounds.theory.proof.library import book_of, has_book


def given_lines(steps: Sequence[Written]) -> Iterator[str]:
    """A line for all givens of the same premises, scopes and origin; one formula stands once."""
    formulas: dict[tuple[Any, ...], list[Written]] = {}
    for step in steps:
        key = (formula(step), step.assumptions, step.conditions, step.origin, step.uses)
        formulas.setdefault(key, []).append(step)
    lines: dict[str, list[str]] = {}
    for own in formulas.values():
        names = dict.fromkeys(_short(step) for step in own)
        lines.setdefault(_supposed(own), []).append(f"{', '.join(names)}: {formula(own[0])}")
    for under, own_formulas in lines.items():
        yield f"given {'; '.join(own_formulas)} | {under}"


def formula(step: Written) -> str:
    """What it says."""
    return f"{step.left} {step.relation} {step.right}"


def _short(step: Written) -> str:
    return step.id.removesuffix(f" ({step.scope})").partition(" ")[2]


def _supposed(steps: Sequence[Written]) -> str:
    """Premises, scopes and origin of steps that have the same ones."""
    first = steps[0]
    scopes = dict.fromkeys(step.scope for step in steps if step.scope)
    restated = ", ".join(cited(first))
    more = (
        *(f"if {condition}" for condition in first.conditions),
        *(f"assuming {name}" for name in first.assumptions),
        f"of {', '.join(scopes)}" if scopes else "",
        f"restates {restated}" if restated else "",
        first.origin,
    )
    return "; ".join(filter(None, more))


def book(theory: str) -> Book | None:
    """The proofs of a theory; None if it has none."""
    return book_of(theory) if has_book(theory) else None


def rested_on(proofs: Book, claim_id: str) -> Iterator[Written]:
    """All steps on which the proofs of a claim rest, its own among them."""
    known: dict[str, list[Written]] = {}
    for step in proofs.steps:
        known.setdefault(step.id, []).append(step)
    waiting = [step.id for step in proofs.steps if step.claim == claim_id]
    seen: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            for step in known.get(name, ()):
                yield step
                waiting.extend(cited(step))


def scope_line(name: str, scope: Scope) -> str:
    """What the vectors of a scope are, on what they depend, and what that supposes."""
    atoms: dict[tuple[str, ...], list[str]] = {}
    for vector, sources in scope.atoms:
        atoms.setdefault(sources, []).append(vector)
    said = (
        *(f"{', '.join(own)} known from {', '.join(sources) or 'the start'}"
          for sources, own in atoms.items()),
        *(f"{vector} = {text}" for vector, text in scope.derived),
        *(f"{vector} vanishes on average over {source}" for vector, source in scope.centred),
        *(f"{vector} is the gradient of block {block} at ({u}, {v})"
          for vector, block, u, v in scope.gradients),
        *(f"E|{vector}|^2 <= {constant}" for vector, constant in scope.noises),
        f"martingale differences: {', '.join(scope.differences)}" if scope.differences else "",
        *(f"{value} is the objective at ({u}, {v})" for value, u, v in scope.values),
        "clients are drawn" if scope.sampled else "",
        f"of runs of {scope.algorithm}" if scope.algorithm else "",
        *map(_needed, scope.needs),
    )  # fmt: skip
    return f"vectors of {name}: " + "; ".join(filter(None, said))


def _needed(need: Need) -> str:
    under = (*need.assumptions, *(" ".join(condition) for condition in need.conditions))
    return f"{', '.join(need.vectors)} so only under {', '.join(under)}"


def always_lines(theory: Theory) -> Iterator[str]:
    """What all proofs take for granted."""
    if theory.always:
        yield f"always: {'; '.join(' '.join(condition) for condition in theory.always)}"
    for absent in theory.absent:
        holds = "; ".join(" ".join(condition) for condition in absent.holds)
        without = (*absent.free, *absent.assumptions)
        yield f"where {absent.dimension} = 0: {holds}; nothing rests on {', '.join(without)}"
