"""A claim's formulas for the page: parts, conditions and notation as MathML.

What is shown equals what is judged; only square roots are merged and common factors collected.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from fedbounds.vocabulary import SIGNS

from .mathml import element

if TYPE_CHECKING:
    import sympy as sp

    from fedbounds.theory.language.claims import Condition, Part
    from fedbounds.theory.language.glossary import Glossary


@dataclass(frozen=True)
class PartView:
    """One part of a claim, ready to print.

    Attributes
    ----------
    name, index : str
        ``index`` says in words what it is quantified over.
    relation : str
        The sign between its sides.
    formula : Markup
        Several MathML pieces, between which a narrow screen may break the line.
    conditions : tuple of (text, Markup)
        The text is that of a record's premise.
    assumptions : tuple of str
    trivial : Markup or None
        The bound that holds anyway.
    """

    name: str
    index: str
    relation: str
    formula: Markup
    conditions: tuple[tuple[str, Markup], ...]
    assumptions: tuple[str, ...]
    trivial: Markup | None


def with_equal_terms(parts: Sequence[PartView]) -> list[tuple[PartView, ...]]:
    """Neighbours of which the same is said, besides their formulas."""
    return [tuple(found) for _, found in groupby(parts, key=_terms_of)]


def _terms_of(part: PartView) -> tuple[object, ...]:
    return part.index, part.conditions, part.assumptions, part.trivial


@dataclass(frozen=True)
class ClaimView:
    """Formulas of a claim: parts per reading name, and notation as (symbol, meaning).

    Attributes
    ----------
    counts : str
        What t counts in them; empty if they have no t.
    stated : tuple of str
        What the description of an experiment fixes.
    """

    readings: dict[str, tuple[PartView, ...]]
    notation: tuple[tuple[Markup, str], ...] = ()
    counts: str = ""
    stated: tuple[str, ...] = ()


NO_FORMULAS = ClaimView({})


def formulas(claim_id: str) -> ClaimView:
    """Formulas of an encoded claim; none for one in words alone, or that is not known here."""
    from fedbounds.errors import FedboundsError
    from fedbounds.theory.language import registry
    from fedbounds.theory.language.catalogue import known
    from fedbounds.theory.language.claims import Claim, read

    from .settled_formulas import settled_view

    entry = known(claim_id)
    if entry is None:
        return NO_FORMULAS
    try:
        found = registry.encoded(entry)
    except FedboundsError:
        return NO_FORMULAS
    if not isinstance(found, Claim):
        return settled_view(found)
    parts = {reading.name: read(found, reading) for reading in found.readings}
    names = registry.glossary(found.entry.paper)
    views = {
        name: tuple(part_view(part, found.entry.paper) for part in own)
        for name, own in parts.items()
    }
    every = [part for own in parts.values() for part in own]
    stated = () if found.experiment is None else found.experiment.stated
    return ClaimView(views, _notation(every, names), _counts(every), stated)


def tidy(expression: "sp.Expr") -> "sp.Expr":
    """An equal expression that reads better: merged roots, common factors within a term.

    Equal for non-negative symbols, which all symbols of claims are.
    """
    import sympy as sp

    from fedbounds.theory.language.formula import bare
    from fedbounds.theory.language.symbols import RunOperator

    plain = bare(expression).replace(
        lambda e: isinstance(e, RunOperator), lambda e: e.func(_by_term(e.args[0]), *e.args[1:])
    )
    return _by_term(sp.powsimp(plain, deep=True, combine="base", force=True))


def _by_term(expression: "sp.Expr") -> "sp.Expr":
    import sympy as sp

    return sp.Add(*(sp.factor_terms(term) for term in sp.Add.make_args(expression)))


def latex(expression: Any, names: "Glossary") -> str:
    """LaTeX of an expression that reads better."""
    import sympy as sp

    return _tidied(sp.sympify(expression, strict=True), names)


@cache
def _tidied(expression: "sp.Expr", names: "Glossary") -> str:
    """The same conditions and left sides stand in many claims."""
    from fedbounds.theory.language.formula import to_latex

    return to_latex(tidy(expression), names)


def part_view(part: "Part", paper: str) -> PartView:
    """One part of a claim, ready to print."""
    from fedbounds.theory.language.formula import means_in
    from fedbounds.theory.language.registry import glossary
    from fedbounds.theory.proof.averages import printed

    names = glossary(paper)
    left, right = printed(part, paper)
    pieces = [f"{latex(left, names)} {SIGNS[part.relation.value]}", *_terms(right, names)]
    means = means_in(pieces, names)
    return PartView(
        name=part.name,
        index=f"{_index(part)}; {means}" if means else _index(part),
        relation={"==": "=", "<=": "≤"}.get(part.relation.value, part.relation.value),
        formula=_join(pieces),
        conditions=tuple((str(c), condition(c, names)) for c in part.conditions),
        assumptions=tuple(map(str, part.assumptions)),
        trivial=None if part.trivial is None else Markup(element(latex(part.trivial, names))),
    )


def _terms(expression: Any, names: "Glossary") -> tuple[str, ...]:
    """LaTeX of the terms of a sum, each with its sign, in printing order."""
    import sympy as sp

    return _signed(sp.sympify(expression, strict=True), names)


@cache
def _signed(expression: "sp.Expr", names: "Glossary") -> tuple[str, ...]:
    from fedbounds.theory.language.formula import ordered_terms, to_latex

    terms = ordered_terms(tidy(expression))
    found = [to_latex(terms[0], names)]
    for term in terms[1:]:
        negative = term.could_extract_minus_sign()
        sign = "{} -" if negative else "{} +"  # the empty group makes the sign a binary one
        found.append(f"{sign} {to_latex(-term if negative else term, names)}")
    return tuple(found)


def _join(pieces: Iterable[str]) -> Markup:
    return Markup(" ".join(element(piece) for piece in pieces))


def condition(found: "Condition", names: "Glossary") -> Markup:
    """A condition as one MathML piece."""
    left, right = latex(found.left, names), latex(found.right, names)
    return Markup(element(f"{left} {SIGNS[found.relation]} {right}"))


def _index(part: "Part") -> str:
    from fedbounds.theory.language.symbols import t
    from fedbounds.vocabulary import Index

    rounds = f"every round t = {part.first_round}, …, T − 1"
    rungs = "every rung t" if part.left.has(t) else "the rungs that are named"
    if part.compares_neighbours:
        rungs = "every two neighbours t and t + 1"
    words = {
        Index.RUN: "once per run",
        Index.ROUND: f"for {rounds}",
        Index.CLIENT: f"for {rounds} and every client i",
        Index.STEP: f"for {rounds}, every client i and every local step k that occurs",
        Index.RUNG: f"for {rungs} on a ladder of instances",
        Index.POINT: "for every choice of parameters; nothing is run",
        Index.START: "for every problem, of random starts; nothing is run",
    }
    only = f"; {part.algorithm} only" if part.algorithm else ""
    return f"{words[part.index]}{only}"


def _counts(parts: Iterable["Part"]) -> str:
    """What t counts: rounds of a run, or rungs of a ladder."""
    from fedbounds.vocabulary import Index

    indices = {part.index for part in parts}
    if Index.RUNG in indices:
        return (
            "A superscript t counts the rungs of a ladder: instances that differ in one parameter "
            "alone, each measured at its steady state. The parameter grows with t, but γ falls; "
            "of two algorithms, 0 is the one named first."
        )
    if indices <= {Index.POINT, Index.START}:
        return ""
    return (
        "A superscript t, t − 1, T or 0 on a quantity is its round; without one it is that of "
        "round t."
    )


def _notation(parts: Iterable["Part"], names: "Glossary") -> tuple[tuple[Markup, str], ...]:
    used = frozenset[str]().union(*(part.quantities | part.constants for part in parts))
    return tuple(
        (Markup(element(meaning.latex)), meaning.text)
        for name, meaning in names.meanings.items()
        if name in used
    )
