"""What a user's file states: claims and what is taken as given, read from text into data."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import sympy as sp
from sympy.core.function import AppliedUndef

from fedbounds.errors import FedboundsError, unknown_name
from fedbounds.facts import Fact
from fedbounds.theory.checker.data import Premise, Square
from fedbounds.theory.language.catalogue import Entry
from fedbounds.theory.language.claims import Claim, Part
from fedbounds.theory.language.symbols import RunOperator, T, t
from fedbounds.theory.language.typed import Typed, as_text, names_of, relation
from fedbounds.vocabulary import Kind, Relation, Source

from .formulas import condition_typed, index_of

if TYPE_CHECKING:
    from .declare import Theory

CONDITIONS = "conditions"
STEP = "step"  # the kind of a premise that is an earlier step
_CLAIM = re.compile(r"[\w.-]+")


@dataclass(frozen=True)
class Proof:
    """How a claim follows: what it uses, and whether by induction over rounds."""

    uses: tuple[str | Premise | Square, ...]
    by: str = ""


@dataclass(frozen=True, eq=False)
class Statement:
    """One claim, or one thing taken as given, as declared."""

    claim: Claim
    given: bool
    proof: Proof | None
    line: str
    typed: Typed


def proof_of(theory: "Theory", name: str, uses: Sequence[Any], by: str) -> Proof:
    only(uses, "uses")
    if not uses:
        raise FedboundsError(
            f"the proof of {name!r} cites nothing; add to `uses` what it rests on, such as a "
            f"given, an earlier claim, or {CONDITIONS!r}"
        )
    if by not in ("", "induction"):
        raise unknown_name("rule", by, ["induction"])
    known = {s.claim.id.partition("/")[2]: s for s in theory.statements}
    bare = {name for name, s in known.items() if s.proof is None and not s.given}
    for use in uses:
        if not isinstance(use, str | Premise | Square):
            raise FedboundsError(f"{name!r} uses {use!r}; expected names, premises and squares")
        cited = use.name if isinstance(use, Premise) and use.kind == STEP else use
        if isinstance(cited, str) and cited not in known and use != CONDITIONS:
            raise unknown_name(f"step cited by {name!r}:", cited, {*known, CONDITIONS})
        if isinstance(cited, str) and cited in bare:
            raise FedboundsError(
                f"{name!r} cites {cited!r}, which has no proof; give that claim `uses`, or "
                f"state it with {theory.key}.given"
            )
    return Proof(tuple(uses), by)


def entry_of(theory: "Theory", name: str, statement: str, formula: str, line: str) -> Entry:
    taken = {s.claim.id.partition("/")[2] for s in theory.statements}
    if name in taken:
        raise FedboundsError(f"{name!r} is declared twice; every claim needs its own name")
    if name == CONDITIONS or not _CLAIM.fullmatch(name):
        raise FedboundsError(
            f"claim name {name!r}; expected letters, digits, '-', '_' and '.', not {CONDITIONS!r}"
        )
    kind = Kind.IDENTITY if "==" in formula else Kind.INEQUALITY
    place = line.rpartition("/")[2]
    return Entry(f"{theory.key}/{name}", kind, Source.VERBATIM, place, statement or formula, "own")


def stated(
    theory: "Theory",
    entry: Entry,
    formula: str,
    conditions: Sequence[str],
    assumptions: Sequence[str],
    first: int,
    proof: Proof | None,
    line: str,
    given: bool,
) -> Statement:
    names = names_of(theory.glossary)
    read = relation(formula, names)
    sides = (read.left, read.right) if read.relation != ">=" else (read.right, read.left)
    _check_rounds(theory, sides, first)
    only(conditions, "conditions")
    only(assumptions, "assumptions")
    if not isinstance(first, int) or first < 0:
        raise FedboundsError(f"first is {first!r}; expected a whole number from 0")
    typed = [relation(as_text(text), names) for text in conditions]
    part = Part(
        left=sides[0],
        right=sides[1],
        relation=Relation.EQUAL if read.relation == "==" else Relation.AT_MOST,
        index=index_of(sides),
        first_round=first,
        conditions=tuple(map(condition_typed, conditions, typed)),
        assumptions=tuple(_assumed(theory, word) for word in assumptions),
        divisors=tuple(x for one in (read, *typed) for x in one.divisors),
    )
    uses = () if proof is None else tuple(_ids(theory, proof))
    found = Claim(replace(entry, uses=uses), (theory.algorithm_name,), (part,))
    return Statement(found, given, proof, line, read)


def _assumed(theory: "Theory", word: str) -> str:
    known = (*map(str, Fact), *theory.assumptions, *theory.stated)
    if word not in known:
        raise unknown_name("assumption", word, known)
    return word


def _check_rounds(theory: "Theory", sides: Sequence[sp.Expr], first: int) -> None:
    """Refuse rounds that are not measured: before the first one, or after the last."""
    operators = set().union(*(side.atoms(RunOperator) for side in sides))
    inside = set().union(*(one.atoms(AppliedUndef) for one in operators))
    for atom in set().union(*(side.atoms(AppliedUndef) for side in sides)):
        at, of_round = atom.args[0], atom.func.__name__ in theory.within
        begin, shift = (0 if atom in inside else first), at - t
        known = (
            not of_round
            if at == T
            else 0 <= at <= min(theory.rounds) - of_round
            if at.is_Integer
            else 0 <= begin + shift <= begin + 1 - of_round
        )
        if not known:
            raise FedboundsError(
                f"{atom} is not measured in every run: rounds are t = {begin}, ..., T - 1 and "
                f"their ends, with T from {min(theory.rounds)}; see `first` and `rounds`"
            )


def _ids(theory: "Theory", proof: Proof) -> Iterator[str]:
    for use in proof.uses:
        if isinstance(use, Premise) and use.kind == STEP:
            yield f"{theory.key}/{use.name}"
        elif isinstance(use, str) and use != CONDITIONS:
            yield f"{theory.key}/{use}"


def only(texts: Any, what: str) -> None:
    """Refuse a text where a sequence of them is expected."""
    if isinstance(texts, str):
        raise FedboundsError(f"{what} is the string {texts!r}; expected a sequence: [{texts!r}]")
