"""Value of the right side of a claim, term by term, for given constants. Nothing is run."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import sympy as sp

from fedbounds.errors import FedboundsError, unknown_name
from fedbounds.vocabulary import Relation

from ..proof.vectors import ip, sq
from .claims import Claim, Part, Reading, read
from .glossary import Glossary
from .inputs import Derived, Inputs, complete, missing_error, recognised, unmet
from .registry import glossary
from .symbols import VectorSymbol
from .values import Value, is_measured, number

_ROUNDING = 1e-12  # of a sum of floats, relative to the sizes of the summands
NEEDS = "it needs"  # how the reason begins for a part of which a number is missing


@dataclass(frozen=True)
class Term:
    """One term of a bound.

    Attributes
    ----------
    name : str
        Of its regime ("noise"); empty for a summand.
    formula : SymPy expression
    value : Value
    share : float
        Its size divided by the sum of the sizes of all terms.
    """

    name: str
    formula: sp.Expr
    value: Value
    share: float


@dataclass(frozen=True)
class PartValue:
    """The bound of one part.

    Attributes
    ----------
    name : str
    left, right : SymPy expressions
        What is bounded, and by what.
    value : Value
    terms : tuple of Term
        They add up to the value.
    inputs : Inputs
        The numbers used, those that conditions gave among them.
    outside : tuple of str
        Conditions that fail, with both sides; the claim then says nothing.
    """

    name: str
    left: sp.Expr
    right: sp.Expr
    value: Value
    terms: tuple[Term, ...]
    inputs: Inputs
    outside: tuple[str, ...] = ()

    @property
    def dominating(self) -> Term:
        """The largest term."""
        return max(self.terms, key=lambda term: term.share)

    @property
    def derived(self) -> tuple[Derived, ...]:
        """Numbers that conditions gave."""
        return self.inputs.derived


@dataclass(frozen=True)
class Evaluation:
    """The bounds of a claim under one reading.

    Attributes
    ----------
    claim, reading : str
    parts : tuple of PartValue
    without : pairs (part, reason)
        Parts that have no value here, and why.
    """

    claim: str
    reading: str
    parts: tuple[PartValue, ...]
    without: tuple[tuple[str, str], ...] = ()


def reading_named(claim: Claim, name: str) -> Reading:
    """The reading of that name; the first for an empty one."""
    for reading in claim.readings:
        if name in ("", reading.name):
            return reading
    raise unknown_name(f"reading of {claim.id}", name, [r.name for r in claim.readings])


def bounded_parts(claim: Claim, reading: Reading, name: str | None = None) -> tuple[Part, ...]:
    """The parts whose right side is a bound by numbers.

    Raises
    ------
    FedboundsError
        If there is none, or ``name`` is not one of them.
    """
    every = read(claim, reading)
    if name is not None and name not in {part.name for part in every}:
        raise unknown_name(f"part of {claim.id}", name, [part.name for part in every])
    wanted = [part for part in every if name in (None, part.name)]
    found = tuple(part for part in wanted if not _no_bound(part))
    if not found:
        reasons = dict.fromkeys(_no_bound(part) for part in wanted)
        raise FedboundsError(f"{claim.id} has no bound to evaluate: {'; '.join(reasons)}")
    return found


def _no_bound(part: Part) -> str:
    """Why the right side is no bound; empty if it is one."""
    if part.relation is Relation.EQUAL:
        return "an identity bounds nothing"
    if part.right.is_Symbol or is_measured(part.right):
        return f"its right side is one number, {part.right}"
    if part.right.has(sq, ip) or part.right.atoms(VectorSymbol):
        return "its right side speaks of vectors"
    return ""


def evaluate(
    claim: Claim,
    values: Mapping[str, Any],
    reading: str = "",
    part: str | None = None,
    outside: bool = False,
) -> Evaluation:
    """The bounds of a claim for given numbers; see `Claim.evaluate`."""
    chosen = reading_named(claim, reading)
    parts = bounded_parts(claim, chosen, part)
    names = glossary(claim.entry.paper)
    given = recognised(names, claim.id, values, bounded_parts(claim, chosen))
    found: list[PartValue] = []
    without: list[tuple[str, str]] = []
    missing: set[str] = set()
    for one in parts:
        inputs = complete(one, given)
        if inputs.missing:
            missing.update(inputs.missing)
            without.append((one.name, needs(names, inputs.missing)))
            continue
        try:
            found.append(value_of(claim, one, inputs, outside))
        except FedboundsError as error:
            without.append((one.name, str(error)))
    if not found:
        raise none_of(names, claim.id, without, missing)
    return Evaluation(claim.id, chosen.name, tuple(found), tuple(without))


def needs(names: Glossary, missing: Iterable[str]) -> str:
    """The reason why a part has no value: what it needs."""
    return str(missing_error(names, NEEDS.partition(" ")[0], missing))


def none_of(
    names: Glossary, what: str, without: list[tuple[str, str]], missing: set[str]
) -> FedboundsError:
    """An error for a claim of which no part has a value: reasons, and all that is missing."""
    reasons = [
        f"part {name!r}: {reason}" if name else reason
        for name, reason in without
        if not reason.startswith(NEEDS)
    ]
    if not reasons:
        return missing_error(names, what, missing)
    others = [str(missing_error(names, "another part", missing))] if missing else []
    return FedboundsError(f"{what}: {'; '.join([*reasons, *others])}")


def value_of(claim: Claim, part: Part, inputs: Inputs, outside: bool) -> PartValue:
    """The bound of one part from complete inputs.

    Raises
    ------
    FedboundsError
        If a condition fails and ``outside`` is false, or the bound is no real number.
    """
    failed = unmet(glossary(claim.entry.paper), inputs, part)
    if failed and not outside:
        raise FedboundsError(f"outside its conditions: {'; '.join(failed)}")
    named = terms_of(claim, part)
    values = [number(formula, inputs.values) for _, formula in named]
    sizes = [abs(float(value)) for value in values]
    whole = sum(sizes) or 1.0
    terms = tuple(
        Term(name, formula, value, size / whole)
        for (name, formula), value, size in zip(named, values, sizes, strict=True)
    )
    total = number(part.right, inputs.values)
    if abs(sum(map(float, values)) - float(total)) > _ROUNDING * whole:
        raise FedboundsError(f"the regimes of {claim.id} do not add up to its bound")
    return PartValue(part.name, part.left, part.right, total, terms, inputs, failed)


def terms_of(claim: Claim, part: Part) -> tuple[tuple[str, sp.Expr], ...]:
    """Pairs (name, formula) that add up to the right side: regimes if the claim has them."""
    first = claim.parts[0]
    if claim.regimes and part.name == first.name and part.right == first.right:
        return claim.regimes
    return tuple(("", term) for term in summands(part.right))


def summands(e: sp.Expr) -> tuple[sp.Expr, ...]:
    """Summands of a formula; a factor such as (n - m), which has a minus sign, is kept whole."""
    if e.is_Add:
        return tuple(term for argument in e.args for term in summands(argument))
    if e.is_Mul:
        for factor in e.args:
            if factor.is_Add and all(a.as_coeff_Mul()[0] > 0 for a in factor.args):
                rest = e / factor
                return tuple(term for a in factor.args for term in summands(rest * a))
    return (e,)
