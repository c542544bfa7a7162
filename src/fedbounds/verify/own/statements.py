"""What a user's file states: claims and what is taken as given, read from text into data."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sympy as sp
from sympy.core.function import AppliedUndef

from fedbounds.errors import FedboundsError, unknown_name
from fedbounds.facts import Fact
from fedbounds.theory.checker.data import Premise, Square
from fedbounds.theory.language.catalogue import Entry
from fedbounds.theory.language.claims import AS_PRINTED, Claim, Part, Reading
from fedbounds.theory.language.symbols import RunOperator, T, t
from fedbounds.theory.language.typed import Typed, as_text, names_of, relation
from fedbounds.vocabulary import Kind, Relation, Source

from .formulas import condition_typed, index_of

if TYPE_CHECKING:
    from .declare import Theory

CONDITIONS = "conditions"
_RELATIONS = {
    "<=": Relation.AT_MOST,
    ">=": Relation.AT_MOST,
    "==": Relation.EQUAL,
    "<": Relation.BELOW,
    ">": Relation.BELOW,
}
STEP = "step"  # the kind of a premise that is an earlier step
_NAME = re.compile(r"[\w.-]+")
Use = str | Premise | Square


@dataclass(frozen=True)
class Piece:
    """What a file says of one part of a claim, as it was typed; see `part`."""

    formula: Any
    conditions: Sequence[Any] = ()
    assumptions: Sequence[str] = ()
    uses: Sequence[Use] | None = None
    by: str = ""
    first: int | None = None


def part(
    formula: Any,
    *,
    conditions: Sequence[Any] = (),
    assumptions: Sequence[str] = (),
    uses: Sequence[Use] | None = None,
    by: str = "",
    first: int | None = None,
) -> Piece:
    """A part of a claim, with what it has of its own beside what the claim says of all.

    Parameters are those of `Theory.claim`: conditions and assumptions are added to the claim's,
    the others stand for the claim's.
    """
    return Piece(formula, conditions, assumptions, uses, by, first)


@dataclass(frozen=True)
class Proof:
    """How a part follows: what it uses, and whether by induction over rounds."""

    uses: tuple[Use, ...]
    by: str = ""


@dataclass(frozen=True, eq=False)
class StatedPart:
    """A part as it is judged, as it was typed, and how it follows, if it is said to."""

    part: Part
    typed: Typed
    proof: Proof | None


@dataclass(frozen=True, eq=False)
class Statement:
    """One claim, or one thing taken as given, as declared."""

    claim: Claim
    given: bool
    line: str
    parts: tuple[StatedPart, ...]

    def reading_of(self, name: str) -> str:
        """The first reading that speaks of a part."""
        speaking = (r for r in self.claim.readings if not r.parts or name in r.parts)
        return next(speaking).name


def step_of(claim: str, name: str) -> str:
    """What a part is cited as: "thm-1:rate", or "thm-1" where the claim is one formula."""
    return f"{claim}:{name}" if name else claim


def stated(
    theory: "Theory",
    name: str,
    formula: Any,
    common: Piece,
    line: str,
    *,
    statement: str = "",
    readings: Mapping[str, Sequence[str]] | None = None,
    given: bool = False,
    source: str = Source.VERBATIM,
) -> Statement:
    """A claim, or something taken as given, read from what was typed.

    Parameters
    ----------
    formula : formula, or mapping from names of parts to formulas and to what `part` makes
    common : Piece
        What is said of all parts.

    Raises
    ------
    FedboundsError
        Whatever is wrong with it.
    """
    _check_name(theory, name)
    if given and isinstance(formula, Mapping):
        raise FedboundsError(f"{name!r} is given in parts; expected one formula for each given")
    pieces = formula if isinstance(formula, Mapping) else {"": formula}
    if source not in set(Source):
        raise unknown_name("source", source, Source)
    if not pieces:
        raise FedboundsError(f"{name!r} has no parts; expected names with formulas")
    known = {
        step_of(_short(s), x.part.name): (s.given, x) for s in theory.statements for x in s.parts
    }
    found = list[StatedPart]()
    for called, given_piece in pieces.items():
        if isinstance(formula, Mapping) and not (
            isinstance(called, str) and _NAME.fullmatch(called)
        ):
            raise FedboundsError(
                f"part {called!r} of {name!r}; expected letters, digits, '-', '_' and '.'"
            )
        piece = _with(common, given_piece)
        step = step_of(name, called)
        proof = None if piece.uses is None else _proof(theory, step, piece, known)
        found.append(_part(theory, called, piece, proof))
        if found[-1].part.relation is Relation.BELOW and (given or proof is not None):
            raise FedboundsError(
                f"{step!r} is strict, and proofs are of what it implies, with <= or >=; state that "
                "as another claim, or leave out `uses`"
            )
        known[step] = (given, found[-1])
    same = all(one.part.relation is Relation.EQUAL for one in found)
    kind = Kind.IDENTITY if same else Kind.INEQUALITY
    text = statement or "; ".join(as_text(_with(common, x).formula) for x in pieces.values())
    cited = dict.fromkeys(x for one in found if one.proof for x in _cited(one.proof))
    uses = tuple(f"{theory.key}/{x}" for x in cited if x != name)
    entry = Entry(
        f"{theory.key}/{name}", kind, Source(source), line.rpartition("/")[2], text, "own", uses
    )
    parts = tuple(one.part for one in found)
    claim = Claim(entry, (theory.algorithm_name,), parts, _readings(name, parts, readings))
    return Statement(claim, given, line, tuple(found))


def _short(statement: Statement) -> str:
    return statement.claim.id.partition("/")[2]


def _check_name(theory: "Theory", name: Any) -> None:
    if name in map(_short, theory.statements):
        raise FedboundsError(f"{name!r} is declared twice; every claim needs its own name")
    if name == CONDITIONS or not isinstance(name, str) or not _NAME.fullmatch(name):
        raise FedboundsError(
            f"claim name {name!r}; expected letters, digits, '-', '_' and '.', not {CONDITIONS!r}"
        )


def _with(common: Piece, given: Any) -> Piece:
    """What is said of a part: of all, and of it alone."""
    own = given if isinstance(given, Piece) else Piece(given)
    for piece in (common, own):
        only(piece.conditions, "conditions")
        only(piece.assumptions, "assumptions")
    return Piece(
        own.formula,
        (*common.conditions, *own.conditions),
        (*common.assumptions, *own.assumptions),
        common.uses if own.uses is None else own.uses,
        own.by or common.by,
        common.first if own.first is None else own.first,
    )


def _readings(
    name: str, parts: Sequence[Part], given: Mapping[str, Sequence[str]] | None
) -> tuple[Reading, ...]:
    """The first is the headline's; each part is of one at least."""
    if given is None:
        return (AS_PRINTED,)
    known = [part.name for part in parts if part.name]
    if not isinstance(given, Mapping) or not given or not known:
        raise FedboundsError(
            f"readings of {name!r} are {given!r}; expected names with names of parts, of a claim "
            "whose formula is a mapping of parts"
        )
    for reading, spoken in given.items():
        only(spoken, f"reading {reading!r} of {name!r}")
        if not isinstance(reading, str) or not reading.strip() or not reading.isprintable():
            raise FedboundsError(f"name of a reading {reading!r}; expected a line of text")
        if not spoken:
            raise FedboundsError(f"reading {reading!r} of {name!r} has no parts; expected some")
        for one in spoken:
            if one not in known:
                raise unknown_name(f"part of {name!r}", str(one), known)
    silent = [x for x in known if not any(x in spoken for spoken in given.values())]
    if silent:
        raise FedboundsError(
            f"part {silent[0]!r} of {name!r} is in no reading; add it to one, or make it a claim"
        )
    return tuple(Reading(reading, parts=tuple(spoken)) for reading, spoken in given.items())


def _proof(
    theory: "Theory", step: str, piece: Piece, known: Mapping[str, tuple[bool, StatedPart]]
) -> Proof:
    uses = piece.uses
    only(uses, "uses")
    if not uses:
        raise FedboundsError(
            f"the proof of {step!r} cites nothing; add to `uses` what it rests on, such as a "
            f"given, an earlier claim, or {CONDITIONS!r}"
        )
    if piece.by not in ("", "induction"):
        raise unknown_name("rule", piece.by, ["induction"])
    for use in uses:
        if not isinstance(use, str | Premise | Square):
            raise FedboundsError(f"{step!r} uses {use!r}; expected names, premises and squares")
        cited = use.name if isinstance(use, Premise) and use.kind == STEP else use
        if not isinstance(cited, str) or use == CONDITIONS:
            continue
        if cited not in known:
            raise unknown_name(f"step cited by {step!r}:", cited, {*known, CONDITIONS})
        is_given, one = known[cited]
        if one.proof is None and not is_given:
            raise FedboundsError(
                f"{step!r} cites {cited!r}, which has no proof; give that claim `uses`, or "
                f"state it with {theory.key}.given"
            )
    return Proof(tuple(uses), piece.by)


def _part(theory: "Theory", name: str, piece: Piece, proof: Proof | None) -> StatedPart:
    names, first = names_of(theory.glossary), 0 if piece.first is None else piece.first
    read = relation(as_text(piece.formula), names)
    turned = read.relation in (">=", ">")
    sides = (read.right, read.left) if turned else (read.left, read.right)
    _check_rounds(theory, sides, first)
    if not isinstance(first, int) or first < 0:
        raise FedboundsError(f"first is {first!r}; expected a whole number from 0")
    typed = [relation(as_text(text), names) for text in piece.conditions]
    found = Part(
        left=sides[0],
        right=sides[1],
        name=name,
        relation=_RELATIONS[read.relation],
        index=index_of(sides),
        first_round=first,
        conditions=tuple(map(condition_typed, piece.conditions, typed)),
        assumptions=tuple(_assumed(theory, word) for word in piece.assumptions),
        divisors=tuple(x for one in (read, *typed) for x in one.divisors),
    )
    return StatedPart(found, read, proof)


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


def _cited(proof: Proof) -> Iterator[str]:
    """Names of the claims that it cites."""
    for use in proof.uses:
        if isinstance(use, Premise) and use.kind == STEP:
            yield use.name.partition(":")[0]
        elif isinstance(use, str) and use != CONDITIONS:
            yield use.partition(":")[0]


def only(texts: Any, what: str) -> None:
    """Refuse a text where a sequence of them is expected."""
    if isinstance(texts, str):
        raise FedboundsError(f"{what} is the string {texts!r}; expected a sequence: [{texts!r}]")
