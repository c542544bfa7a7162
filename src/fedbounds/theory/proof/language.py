"""How a proof is written: steps that cite earlier steps, facts, conditions, and squares.

Such as ``book.prove("lem-3.2", "u", ["def T_1u", "def E", fact("smooth", hu, au)], scope=...)``.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import sympy as sp

from fedbounds.errors import FedboundsError, unknown_name
from fedbounds.theory.checker.data import (
    Assignment,
    Certificate,
    Premise,
    Square,
    Statement,
    Step,
    Theory,
)
from fedbounds.theory.checker.needs import needs_of
from fedbounds.theory.language.claims import AS_PRINTED, Condition, Part, Reading, read
from fedbounds.theory.language.glossary import Glossary
from fedbounds.theory.language.registry import claim as claim_of
from fedbounds.theory.language.symbols import SHARED

from .search import UNKNOWN
from .text import comparisons, statement_of, text

Uses = Sequence["str | Premise | Square"]
Times = Any  # a SymPy expression, or None where the multiplier is to be found


def cite(
    name: str,
    *,
    at: Mapping[Any, Any] | None = None,
    over: str = "",
    times: Times = None,
    tangent: Any = None,
) -> Premise:
    """An earlier step; ``at`` another round, or summed over "t", clients "i", or "ik".

    Of a step that bounds by a root, what its tangent says, at a positive number.
    """
    shift = tuple((str(variable), text(value)) for variable, value in (at or {}).items())
    where = () if tangent is None else (text(tangent),)
    return Premise("step", name, _times(times), where, at=shift, over=over)


def fact(name: str, *arguments: Any, times: Times = None) -> Premise:
    """A fact of the trusted list, or what an assumption says of given vectors."""
    return Premise(
        "fact",
        name,
        _times(times),
        arguments=tuple(a if isinstance(a, str) else text(a) for a in arguments),
    )


def square(vector: Any, times: Times = None) -> Square:
    """A squared norm, which is not negative: Young's, Jensen's and the mean inequality."""
    return Square(_times(times), text(vector))


def condition(
    of: Condition, *, times: Times = None, squared: bool = False, option: int | None = None
) -> Premise:
    """A condition of the step; ``option`` picks an argument of its Max or Min, from 1."""
    how = [] if option is None else [str(option)]
    how += ["squared"] if squared else []
    ((left, relation, right),) = comparisons((of,))
    return Premise("condition", " ".join(how), _times(times), (left, relation, right))


def given_times(factor: Any) -> str:
    """An unknown multiplier times a known factor."""
    return f"{UNKNOWN}*({text(factor)})"


def _times(times: Times) -> tuple[str, ...]:
    if times is None:
        return (UNKNOWN,)
    return (times if isinstance(times, str) else text(times),)


def above(symbol: sp.Symbol, bound: Any) -> Assignment:
    """symbol = bound + y, y >= 0."""
    return Assignment(text(symbol), "above", text(bound))


def below(symbol: sp.Symbol, bound: Any) -> Assignment:
    """symbol = bound / (1 + y), y >= 0."""
    return Assignment(text(symbol), "below", text(bound))


def equal(symbol: sp.Symbol, bound: Any) -> Assignment:
    """symbol = bound, by a condition."""
    return Assignment(text(symbol), "equal", text(bound))


def root(symbol: sp.Symbol, degree: int) -> Assignment:
    """symbol = y^degree; y is written with an underscore, as n_."""
    return Assignment(text(symbol), "root", str(degree))


def scaled(symbol: sp.Symbol, bound: Any, degree: int) -> Assignment:
    """symbol = bound * (1 + y)^degree, which has roots and shows that symbol >= bound."""
    return Assignment(text(symbol), "scaled", text(bound), str(degree))


def solve(symbol: sp.Symbol, bound: Any, of: Any) -> Assignment:
    """symbol = bound, which makes ``of`` the square of y, written with an underscore."""
    return Assignment(text(symbol), "solve", text(bound), text(of))


def split(symbol: sp.Symbol, bound: Any) -> Assignment:
    """Two branches: symbol above and below the bound."""
    return Assignment(text(symbol), "split", text(bound))


def integer(symbol: sp.Symbol, bound: Any) -> Assignment:
    """Two branches: symbol equal to the bound, and larger by at least 1."""
    return Assignment(text(symbol), "integer", text(bound))


CORRECTED = "/corrected"
OURS = (CORRECTED, "/sharper")
# such as lem-A.2/corrected, or of a part lem-4.4-split:u/corrected
_OWN = re.compile(r"(?P<claim>[^:/\s]+)(:(?P<part>[^\s/][^/]*))?/(?P<what>corrected|sharper)")


@dataclass(frozen=True)
class Written:
    """A step as written down.

    Attributes
    ----------
    id : str
        Such as "lem-3.2:u"; a reading's ambiguity follows in brackets.
    statement : Statement
    left, relation, right : the same as SymPy expressions, for display
    uses : cited steps, facts, conditions and squares
    chart : parameters in terms of variables of known sign
    rule : "given", "combine", "induction", "unroll" or "root"
    source : "paper" or "ours"
    claim, part, reading : the claim that it proves, if any
    base : what the start of an induction uses
    variable, origin, scope, place : see `Certificate`; where the paper prints it
    conditions, assumptions : under which it is claimed
    """

    id: str
    statement: Statement
    left: sp.Expr
    relation: str
    right: sp.Expr
    uses: tuple["str | Premise | Square", ...]
    chart: tuple[Assignment, ...] = ()
    rule: str = "combine"
    source: str = "paper"
    claim: str = ""
    part: str = ""
    reading: str = ""
    base: tuple["str | Premise | Square", ...] = ()
    variable: str = ""
    origin: str = ""
    scope: str = ""
    place: str = ""
    conditions: tuple[Condition, ...] = ()
    assumptions: tuple[str, ...] = ()


def cited(written: Written) -> Iterator[str]:
    """Ids of the steps that a step cites."""
    for use in (*written.uses, *written.base):
        if isinstance(use, str):
            yield use
        elif isinstance(use, Premise) and use.kind == "step":
            yield use.name


def step_id(claim_id: str, part: str = "", ambiguity: str = "", scope: str = "") -> str:
    """The id of the step that proves a part of a claim."""
    own = claim_id.partition("/")[2] + (f":{part}" if part else "")
    own += f" [{ambiguity}]" if ambiguity else ""
    return own + (f" ({scope})" if scope else "")


@dataclass(eq=False)
class Book:
    """The proofs of one paper, in the order in which they are written.

    Attributes
    ----------
    paper : str
    theory : Theory
        Symbols, quantities and the vectors of each scope.
    steps : list of Written
    glossary : Glossary
        How names are written, those of vectors too.
    meant : frozenset of str
        Quantities that are never negative by what they mean, with no definition in the book.
    """

    paper: str
    theory: Theory
    steps: list[Written] = field(default_factory=list)
    glossary: Glossary = SHARED
    meant: frozenset[str] = frozenset()

    def define(
        self,
        name: str,
        left: Any,
        right: Any,
        origin: str,
        scope: str = "",
        conditions: Sequence[Condition] = (),
    ) -> None:
        """A definition: left == right, taken as given; cited as ``def NAME``."""
        self._given(f"def {name}", left, "==", right, origin, scope, conditions=conditions)

    def suppose(
        self,
        name: str,
        left: Any,
        right: Any,
        origin: str,
        assumptions: Sequence[Any] = (),
        relation: str = "<=",
        scope: str = "",
        conditions: Sequence[Condition] = (),
        restates: Sequence[str] = (),
    ) -> None:
        """What is taken as given; cited as ``asm NAME``.

        ``restates`` names the steps of the theorem that it says in other symbols, or of another
        algorithm: it is no better proved than they are.
        """
        self._given(
            f"asm {name}", left, relation, right, origin, scope, assumptions, conditions, restates
        )

    def _given(
        self,
        name: str,
        left: Any,
        relation: str,
        right: Any,
        origin: str,
        scope: str,
        assumptions: Sequence[Any] = (),
        conditions: Sequence[Condition] = (),
        restates: Sequence[str] = (),
    ) -> None:
        """Under these premises, and under the assumptions that its vectors need."""
        told = Statement(text(left), relation, text(right), scope=scope)
        step = Step(name, told, Certificate("given", scope=scope))
        needed = [a for _, need in needs_of(self.theory, step) for a in need.assumptions]
        own = tuple(dict.fromkeys((*assumptions, *needed)))
        self._add(
            Written(
                name,
                replace(
                    told,
                    conditions=tuple(comparisons(tuple(conditions))),
                    assumptions=tuple(map(str, own)),
                ),
                sp.sympify(left, strict=True),
                relation,
                sp.sympify(right, strict=True),
                tuple(restates),
                rule="given",
                origin=origin,
                scope=scope,
                conditions=tuple(conditions),
                assumptions=own,
            )
        )

    def prove(
        self,
        claim: str,
        part: str = "",
        uses: Uses = (),
        *,
        scope: str = "",
        chart: Sequence[Assignment] = (),
        reading: Reading = AS_PRINTED,
        source: str = "paper",
        apart: str = "",
        base: Uses = (),
        variable: str = "",
        rule: str = "",
    ) -> None:
        """A part of a claim, from what it uses; the claim's own expression is the statement.

        ``apart`` tells apart the proofs of one part for two algorithms. With a ``variable``, t or
        k, it follows by induction, from ``base`` at its start. A ``rule`` is that of `Certificate`.
        """
        found = self._part(claim, part, reading)
        self._add(
            Written(
                step_id(
                    claim if "/" in claim else f"{self.paper}/{claim}",
                    part,
                    reading.ambiguity,
                    apart,
                ),
                statement_of(found, scope if found.vectors else ""),
                found.left,
                found.relation.value,
                found.right,
                tuple(uses),
                tuple(chart),
                rule or ("induction" if variable else "combine"),
                source,
                claim=self._full(claim),
                part=part,
                reading=reading.name,
                base=tuple(base),
                variable=variable,
                scope=scope,
                conditions=found.conditions,
                assumptions=found.assumptions,
            )
        )

    def line(
        self,
        name: str,
        left: Any,
        relation: str,
        right: Any,
        uses: Uses = (),
        *,
        scope: str = "",
        vectors: bool = True,
        chart: Sequence[Assignment] = (),
        conditions: Sequence[Condition] = (),
        assumptions: Sequence[Any] = (),
        first: int = 0,
        claim: str = "",
        source: str = "paper",
        rule: str = "combine",
        variable: str = "",
        base: Uses = (),
        origin: str = "",
        place: str = "",
    ) -> None:
        """A display that is no claim of its own; ``vectors`` tells whether it speaks of vectors."""
        left, right = sp.sympify(left, strict=True), sp.sympify(right, strict=True)
        own = _OWN.fullmatch(name)  # a claim of ours: what is true instead, or sharper
        mended = "" if own is None else f"{self.paper}/{own['claim']}/{own['what']}"
        statement = Statement(
            text(left),
            relation,
            text(right),
            tuple(comparisons(tuple(conditions))),
            tuple(map(str, assumptions)),
            first,
            scope if vectors else "",
        )
        self._add(
            Written(
                name,
                statement,
                left,
                relation,
                right,
                tuple(uses),
                tuple(chart),
                rule,
                source,
                mended or (self._full(claim) if claim else ""),
                part="" if own is None else own["part"] or "",
                reading=AS_PRINTED.name if own else "",
                base=tuple(base),
                variable=variable,
                origin=origin,
                scope=scope,
                place=place,
                conditions=tuple(conditions),
                assumptions=tuple(assumptions),
            )
        )

    def _full(self, claim: str) -> str:
        return claim if "/" in claim else f"{self.paper}/{claim}"

    def _part(self, claim: str, part: str, reading: Reading) -> Part:
        found = claim_of(self._full(claim))
        parts = {p.name: p for p in read(found, reading)}
        if part not in parts:
            raise unknown_name(f"part of {claim}", part, parts)
        return parts[part]

    def _add(self, step: Written) -> None:
        statement = replace(step.statement, algorithm=self._algorithm(step))
        step = replace(step, statement=statement)
        for other in self.steps:
            if other.id == step.id and other.source == step.source:
                raise FedboundsError(f"step {step.id!r} is written twice")
            if other.id == step.id and other.statement != statement:
                raise FedboundsError(f"two statements are called {step.id!r}")
        self.steps.append(step)

    def _algorithm(self, step: Written) -> str:
        """That of its vectors, or of what it cites; the checker refuses a second one."""
        scope = self.theory.scopes.get(step.scope)
        known = {s.id: s.statement.algorithm for s in self.steps}
        # a theorem may be restated of another algorithm
        found = {known.get(name, "") for name in cited(step) if step.rule != "given"}
        found |= {scope.algorithm if scope else ""}
        return min(found - {""}, default="")
