"""A bound on the terminal, and as plain JSON values."""

from fractions import Fraction
from typing import Any

from rich.console import Console

from fedbounds.theory.language.bounds import PartValue, Term
from fedbounds.theory.language.values import Value, names_in, number
from fedbounds.verify.page.listing import columns, console

from .answer import Answer, Answers
from .rounds import Rounds
from .step import Step, is_strict

_INNER = ("gamma_u", "gamma_v")  # they follow from gamma; shown where the bound speaks of them
_MOST_BITS = 4096  # of a number that is written as it is
_LONG = 24  # characters; a longer fraction is shown as a decimal


def print_answers(found: Answers) -> None:
    """Each part with its terms, the numbers that were not given, and what the value rests on."""
    out = console()
    out.print(f"{found.claim}, {found.reading}", style="bold")
    if found.taken:
        told = ", ".join(f"{name} = {said(number(x, {}))}" for name, x in found.taken.items())
        out.print(f"not given, and taken to be: {told}")
    for answer in found.parts:
        out.print()
        _print_part(out, answer)
    for name, reason in found.without:
        out.print(f"\npart {name!r} has no value here: {reason}")


def _print_part(out: Console, answer: Answer) -> None:
    part = answer.part
    title = f"part {part.name!r}: " if part.name else ""
    out.print(f"{title}{part.left} {part.relation} {part.right}")
    if answer.rounds is not None:
        out.print(in_words(answer.rounds))
    value = answer.value
    if value is None:
        return
    if answer.step is not None:
        _print_step(out, answer.step, value)
    for d in value.derived:
        if d.name in _INNER and d.name not in names_in(value.right):
            continue
        shown = said(number(d.formula, value.inputs.values))
        formula = "" if d.formula.is_Rational else f"{d.formula} = "
        out.print(f"{d.name} = {formula}{shown}, from: {d.why}")
    table = columns("term", "value", "share", "")
    for column in (1, 2):
        table.columns[column].justify = "right"
    for term in value.terms:
        largest = "dominates" if term is value.dominating and len(value.terms) > 1 else ""
        table.add_row(_title(term), said(term.value), f"{100 * term.share:.1f} %", largest)
    table.add_row("bound", said(value.value), "", value.value.provenance.value)
    out.print(table)
    if any(float(term.value) < 0 for term in value.terms):
        out.print("shares are of the sum of the sizes of the terms, some of which are negative")
    for sentence in value.outside:
        out.print(f"outside the claim's conditions, it says nothing here: {sentence}")


def _title(term: Term) -> str:
    return f"{term.name}: {term.formula}" if term.name else str(term.formula)


def _print_step(out: Console, step: Step, value: PartValue) -> None:
    shown = said(number(step.value, value.inputs.values))
    where = "the best admissible, inside the conditions"
    if step.edge is not None:
        where = f"the best admissible, at the edge of {step.edge}"
        if is_strict(step.edge):
            where = f"just inside of {step.edge}, towards which the bound falls: none is the best"
    why = step.shown or "sampled; not shown to be the global minimum"
    out.print(f"{step.name} = {shown}, {where} ({why})")


def in_words(rounds: Rounds) -> str:
    """How many rounds are enough, and what is known of it."""
    if rounds.floor is not None:
        return f"never at most {rounds.eps}: the bound exceeds its floor {said(rounds.floor)}"
    if rounds.smallest:
        return f"{rounds.name} = {rounds.found}: the smallest with a bound of at most {rounds.eps}"
    return (
        f"{rounds.name} = {rounds.found} is enough for a bound of at most {rounds.eps}, one less "
        f"is not; not shown to be the smallest"
    )


def said(value: Value) -> str:
    """A number: exactly if that is short, else with six digits."""
    text = _as_text(value.number) if isinstance(value.number, Fraction) else None
    if text is not None and len(text) <= _LONG:
        return text if "/" not in text else f"{text} = {float(value):.6g}"
    return f"{float(value):.6g}"


def as_data(found: Answers) -> dict[str, Any]:
    """Answers as plain JSON values: exact numbers as "p/q", others as floats."""
    return {
        "claim": found.claim,
        "reading": found.reading,
        "given": {name: str(value) for name, value in found.given.items()},
        "taken": {name: str(value) for name, value in found.taken.items()},
        "parts": [_part(answer) for answer in found.parts],
        "without": [{"part": name, "reason": reason} for name, reason in found.without],
    }


def _part(answer: Answer) -> dict[str, Any]:
    part, value, step, rounds = answer.part, answer.value, answer.step, answer.rounds
    data: dict[str, Any] = {"part": part.name, "left": str(part.left), "right": str(part.right)}
    if rounds is not None:
        data["rounds"] = {
            "name": rounds.name,
            "eps": str(rounds.eps),
            "found": rounds.found,
            "smallest": rounds.smallest,
            "floor": None if rounds.floor is None else _number(rounds.floor),
        }
    if value is None:
        return data
    values = value.inputs.values
    if step is not None:
        data["step"] = {
            "name": step.name,
            "value": _number(number(step.value, values)),
            "edge": None if step.edge is None else str(step.edge),
            "shown": step.shown or None,
        }
    data["derived"] = [
        {
            "name": d.name,
            "formula": str(d.formula),
            "value": _number(number(d.formula, values)),
            "from": d.why,
        }
        for d in value.derived
    ]
    data["terms"] = [
        {
            "name": term.name,
            "formula": str(term.formula),
            "value": _number(term.value),
            "share": term.share,
            "dominates": term is value.dominating,
        }
        for term in value.terms
    ]
    data["bound"] = _number(value.value)
    data["outside"] = list(value.outside)
    return data


def _as_text(exact: Fraction) -> str | None:
    """As it is; None of one that is longer than Python prints."""
    bits = max(abs(exact.numerator), exact.denominator).bit_length()
    return str(exact) if bits <= _MOST_BITS else None


def _number(value: Value) -> dict[str, Any]:
    return {
        "exact": _as_text(value.number) if isinstance(value.number, Fraction) else None,
        "float": float(value),
        "provenance": value.provenance.value,
    }
