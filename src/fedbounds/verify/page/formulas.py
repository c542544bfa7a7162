"""A claim's formulas for the page: parts, conditions and notation as MathML.

What is shown equals what is judged; only square roots are merged and common factors collected.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from .mathml import element

if TYPE_CHECKING:
    import sympy as sp

    from fedbounds.theory.claims import Claim, Condition, Part

_SIGNS = {"<=": r"\le", ">=": r"\ge", "==": "="}


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


@dataclass(frozen=True)
class ClaimView:
    """Formulas of a claim: parts per reading name, and notation as (symbol, meaning)."""

    readings: dict[str, tuple[PartView, ...]]
    notation: tuple[tuple[Markup, str], ...]


NO_FORMULAS = ClaimView({}, ())


def formulas(claim_id: str) -> ClaimView:
    """Formulas of an encoded claim; none for one in words alone, or that is not known here."""
    from fedbounds.errors import FedboundsError
    from fedbounds.theory.claims import Claim, read
    from fedbounds.theory.registry import claim

    try:
        found = claim(claim_id)
    except FedboundsError:
        return NO_FORMULAS
    if not isinstance(found, Claim):
        return NO_FORMULAS
    views = {
        reading.name: tuple(_part(part) for part in read(found, reading))
        for reading in found.readings
    }
    return ClaimView(views, _notation(found))


def tidy(expression: "sp.Expr") -> "sp.Expr":
    """An equal expression that reads better: merged roots, common factors within a term.

    Equal for non-negative symbols, which all symbols of claims are.
    """
    import sympy as sp

    from fedbounds.theory.symbols import RunOperator

    plain = expression.xreplace({s: sp.Symbol(s.name) for s in expression.free_symbols})
    plain = plain.replace(
        lambda e: isinstance(e, RunOperator), lambda e: e.func(_by_term(e.args[0]))
    )
    return _by_term(sp.powsimp(plain, deep=True, combine="base", force=True))


def _by_term(expression: "sp.Expr") -> "sp.Expr":
    import sympy as sp

    return sp.Add(*(sp.factor_terms(term) for term in sp.Add.make_args(expression)))


def _latex(expression: Any) -> str:
    import sympy as sp

    from .notation import to_latex

    return to_latex(tidy(sp.sympify(expression)))


def _part(part: "Part") -> PartView:
    relation = _SIGNS[part.relation.value]
    pieces = [f"{_latex(part.left)} {relation}", *_terms(part.right)]
    return PartView(
        name=part.name,
        index=_index(part),
        relation={"<=": "≤"}.get(part.relation.value, "="),
        formula=_join(pieces),
        conditions=tuple((str(c), _condition(c)) for c in part.conditions),
        assumptions=tuple(assumption.value for assumption in part.assumptions),
        trivial=None if part.trivial is None else Markup(element(_latex(part.trivial))),
    )


def _terms(expression: "sp.Expr") -> list[str]:
    """LaTeX of the terms of a sum, each with its sign, in printing order."""
    import sympy as sp

    from fedbounds.verify.formula import ordered_terms

    from .notation import to_latex

    terms = ordered_terms(tidy(sp.sympify(expression)))
    found = [to_latex(terms[0])]
    for term in terms[1:]:
        negative = term.could_extract_minus_sign()
        sign = "{} -" if negative else "{} +"  # the empty group makes the sign a binary one
        found.append(f"{sign} {to_latex(-term if negative else term)}")
    return found


def _join(pieces: Iterable[str]) -> Markup:
    return Markup(" ".join(element(piece) for piece in pieces))


def _condition(condition: "Condition") -> Markup:
    left, right = _latex(condition.left), _latex(condition.right)
    return Markup(element(f"{left} {_SIGNS[condition.relation]} {right}"))


def _index(part: "Part") -> str:
    from fedbounds.vocabulary import Index

    rounds = f"every round t = {part.first_round}, …, T − 1"
    words = {
        Index.RUN: "once per run",
        Index.ROUND: f"for {rounds}",
        Index.CLIENT: f"for {rounds} and every client i",
        Index.STEP: f"for {rounds}, every client i and every local step k that occurs",
        Index.RUNG: "for every step t of a ladder of instances that differ in one parameter",
        Index.POINT: "for every choice of parameters; nothing is run",
    }
    only = f"; {part.algorithm} only" if part.algorithm else ""
    return f"{words[part.index]}{only}"


def _notation(claim: "Claim") -> tuple[tuple[Markup, str], ...]:
    from fedbounds.theory.symbols import MEANING

    used = frozenset[str]().union(*(part.quantities | part.constants for part in claim.parts))
    return tuple(
        (Markup(element(meaning.latex)), meaning.text)
        for name, meaning in MEANING.items()
        if name in used
    )
