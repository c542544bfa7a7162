"""What is claimed, as data: a claim has parts, a part has two sides, a reading turns one switch."""

from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import sympy as sp
from sympy.core.function import AppliedUndef

from fedbounds.errors import unknown_name
from fedbounds.vocabulary import Index, Relation

from ..proof.vectors import ip, sq
from .catalogue import Entry
from .symbols import constants_in, quantities_in, t

if TYPE_CHECKING:
    from .bounds import Evaluation
    from .setting import Experiment


@dataclass(frozen=True)
class Condition:
    """A condition on constants and parameters: '<=', '>=', '==', '<' or '>' between two sides."""

    left: sp.Expr
    relation: str
    right: sp.Expr

    def __str__(self) -> str:
        return f"{self.left} {self.relation} {self.right}"


@dataclass(frozen=True, eq=False)
class Part:
    """One inequality or identity of a claim.

    Attributes
    ----------
    name : str
        Distinguishes the parts of a claim ("u", "a"); empty when there is one.
    left, right : SymPy expressions
        In constants and in measured quantities.
    relation : Relation
        ``left <= right`` or ``left == right``.
    index : Index
        Per run; or per round t from ``first_round`` to T - 1, for every client, and for every
        local step k that the quantities reach; or per rung of a ladder, counted by t; or per
        choice of parameters, or per problem whose starts are random, where nothing is run.
    conditions : tuple of Condition
        On parameters; running outside them is no evidence.
    assumptions : tuple of str
        Facts of the problem (`fedbounds.facts`), and names that the theory's own views decide.
    algorithm : str
        Only for instances of this algorithm; empty: for all that the claim is about.
    trivial : expression or None
        A bound that holds anyway; a right side that never beats it is uninformative.
    scopes : tuple of str
        What its vectors and quantities are, where one name stands for several; empty: whatever
        they are.
    divisors : tuple of expressions
        What is divided by where it was typed, whatever cancels: where one is zero, nothing is said.
    """

    left: sp.Expr
    right: sp.Expr
    name: str = ""
    relation: Relation = Relation.AT_MOST
    index: Index = Index.ROUND
    first_round: int = 0
    conditions: tuple[Condition, ...] = ()
    assumptions: tuple[str, ...] = ()
    algorithm: str = ""
    trivial: sp.Expr | None = None
    scopes: tuple[str, ...] = ()
    divisors: tuple[sp.Expr, ...] = ()

    @property
    def gap(self) -> sp.Expr:
        """right - left."""
        return self.right - self.left

    @cached_property
    def vectors(self) -> bool:
        """Whether it speaks of vectors themselves, whose products only small runs enumerate."""
        return any(side.has(sq, ip) for side in (self.left, self.right))

    @cached_property
    def compares_neighbours(self) -> bool:
        """Whether it speaks of what follows t, so that the last rung of a ladder has no say."""
        return any(
            t + 1 in atom.args
            for side in (self.left, self.right)
            for atom in side.atoms(AppliedUndef)
        )

    @cached_property
    def quantities(self) -> frozenset[str]:
        """Names of the measured quantities it needs."""
        return quantities_in(self.left) | quantities_in(self.right)

    @cached_property
    def named(self) -> frozenset[str]:
        """Those quantities, and those of the trivial bound."""
        return self.quantities | (
            frozenset() if self.trivial is None else quantities_in(self.trivial)
        )

    @cached_property
    def constants(self) -> frozenset[str]:
        """Names of the constants and parameters it needs, conditions included."""
        sides = [self.left, self.right, *self.divisors]
        sides += [s for c in self.conditions for s in (c.left, c.right)]
        return frozenset().union(*(constants_in(sp.sympify(side, strict=True)) for side in sides))

    @cached_property
    def signed(self) -> tuple[sp.Symbol, ...]:
        """Constants of which the formulas take a sign for granted, by name."""
        sides = (self.left, self.right, *(s for c in self.conditions for s in (c.left, c.right)))
        symbols = set().union(*(sp.sympify(side, strict=True).free_symbols for side in sides))
        named = [s for s in symbols if s.is_nonnegative and s.name in self.constants]
        return tuple(sorted(named, key=lambda symbol: str(symbol.name)))


@dataclass(frozen=True)
class Reading:
    """One way to read an ambiguity; it turns one switch.

    Attributes
    ----------
    name : str
        "as printed", or the alternative in a few words.
    ambiguity : str
        Id in the sheet's register, such as "amb-4"; empty for the first reading.
    relation : Relation or None
        Replaces the relation of every part.
    substitute : pairs (old, new)
        Replaced in both sides and in the conditions of every part.
    parts : tuple of str
        The parts it speaks of; empty: all.
    """

    name: str
    ambiguity: str = ""
    relation: Relation | None = None
    substitute: tuple[tuple[Any, Any], ...] = ()
    parts: tuple[str, ...] = ()


AS_PRINTED = Reading("as printed")


@dataclass(frozen=True)
class Multiplier:
    """The weight a proof gives to one lemma inequality, averaged over rounds; may contain t."""

    claim: str
    part: str
    weight: sp.Expr


@dataclass(frozen=True, eq=False)
class Claim:
    """A claim with its formulas; `entry` is its line in the catalogue.

    Attributes
    ----------
    entry : Entry
        Id, kind, source, place and one-line statement.
    algorithms : tuple of str
        Names of the algorithms it is about; ("bound",) for a claim about parameters alone.
    parts : tuple of Part
    readings : tuple of Reading
        The first is the headline's.
    schedules : tuple of dicts from parameter name to expression
        Step sizes with the conditions at equality: where the claim is most exposed.
    proof_weights : tuple of Multiplier
        For a claim proved as a non-negative combination of lemmas.
    regimes : pairs (name, expression)
        Terms of the first part's right side, grouped by what they stand for; they add up to it.
    experiment : Experiment or None
        What the claim reports, which comes before all readings: they put its words on problems
        whose constants are known.
    """

    entry: Entry
    algorithms: tuple[str, ...]
    parts: tuple[Part, ...]
    readings: tuple[Reading, ...] = (AS_PRINTED,)
    schedules: tuple[dict[str, sp.Expr], ...] = ()
    proof_weights: tuple[Multiplier, ...] = ()
    regimes: tuple[tuple[str, sp.Expr], ...] = ()
    experiment: "Experiment | None" = None

    @property
    def id(self) -> str:
        """Stable id, such as "personalization/thm-3.7"."""
        return self.entry.id

    def __repr__(self) -> str:
        return f"<{self.id}: {self.entry.place}, {self.entry.statement}>"

    def _repr_markdown_(self) -> str:
        from .registry import glossary
        from .shown import as_markdown

        return as_markdown(self, glossary(self.entry.paper))

    def part(self, name: str) -> Part:
        """The part of that name, as printed."""
        for part in self.parts:
            if part.name == name:
                return part
        raise unknown_name(f"part of {self.id}", name, [part.name for part in self.parts])

    def evaluate(
        self, *, reading: str = "", part: str | None = None, outside: bool = False, **values: Any
    ) -> "Evaluation":
        """Value of the right side of each part, term by term, for given numbers.

        Parameters
        ----------
        reading : str
            Name of a reading; the first if left out.
        part : str or None
            Name of one part; all parts if left out.
        outside : bool
            Also where conditions fail; the result then lists them.
        **values : int, fraction, float or str
            Constants and parameters by name, without "^": ``sigma_u2`` for sigma^2_u, ``b2`` for
            b^2. Measured numbers by their formula: ``**{"f(0)": 1}``. A float stands for the
            shortest decimal that prints it; all are exact from then on.

        Raises
        ------
        FedboundsError
            If a name is unknown or missing, a number has the wrong sign, a condition fails, or
            the claim has no bound.

        Examples
        --------
        >>> from fedbounds.theory.language.registry import claim
        >>> theorem = claim("personalization/thm-3.7")
        >>> found = theorem.evaluate(n=100, m=10, K=5, T=1000, L=1, F_0=1, gamma="1/200",
        ...                          sigma_u2=1, sigma_v2=1, b2=1)
        >>> found.parts[0].value.number, found.parts[0].dominating.name
        (Fraction(179, 625), 'transient')
        """
        from .bounds import evaluate

        return evaluate(self, values, reading, part, outside)


@cache
def read(claim: Claim, reading: Reading) -> tuple[Part, ...]:
    """The parts of a claim under one reading."""

    def switch(part: Part) -> Part:
        changed = replace(part, relation=reading.relation or part.relation)
        for old, new in reading.substitute:
            changed = replace(
                changed,
                conditions=tuple(
                    replace(c, left=_replace(c.left, old, new), right=_replace(c.right, old, new))
                    for c in changed.conditions
                ),
            )
            changed = replace(
                changed,
                left=_replace(changed.left, old, new),
                right=_replace(changed.right, old, new),
            )
        # a trivial bound is one of the left side it was named for
        return changed if changed.left == part.left else replace(changed, trivial=None)

    spoken = [part for part in claim.parts if not reading.parts or part.name in reading.parts]
    return tuple(switch(part) for part in spoken)


def _replace(expression: sp.Expr, old: Any, new: Any) -> sp.Expr:
    """Substitute a symbol, or rescale a quantity given as function -> factor."""
    if isinstance(old, type):
        return expression.replace(lambda e: e.func == old, lambda e: new * e)
    return expression.subs(old, new)
