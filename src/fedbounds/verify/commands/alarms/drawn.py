"""Instances of a part by a seed: at edges of its conditions and inside, by several methods."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from flint import fmpq
from numpy.random import Generator

from fedbounds.theory.language.claims import Claim, Part
from fedbounds.theory.language.registry import sought, views
from fedbounds.theory.language.setups import Setup, View
from fedbounds.vocabulary import Method, Relation

from ...decide.case import Case
from ...decide.conditions import holds
from ...measure.balls import BITS
from ...measure.evaluate import Numbers
from ...search.seeking import Asking, Space, spaces
from ...setups.found import MOST_EXACT_WORK, InFloats, Named, method_of
from ...setups.inside import names_in, rounded

_EDGE_BITS = 16  # of an irrational edge: rounded inside the conditions, by less than counts
_SIZE_BITS = 3  # of every other number: rationals stay short
_SHARES = 8
_AT_END = 0.1
NAME = "drawn"


class Chances(Asking):
    """Answers by chance, short ones; step sizes at their edges, or not.

    Parameters
    ----------
    space : Space
    random : Generator
    at_edges : bool
        Whether every step size is at its edge, and counts are at one where they can be.
    """

    def __init__(self, space: Space, random: Generator, *, at_edges: bool) -> None:
        super().__init__(space, _EDGE_BITS)
        self._random, self._at_edges = random, at_edges

    def counts(self) -> dict[str, Any]:
        """See `Asking.counts`."""
        if not self._counts:
            every = self.space.counts
            near = [own for own in every if _meets_equality(self.space.part, own)]
            self._counts = dict(self.choice(near if self._at_edges and near else every))
        return dict(self._counts)

    def which(self, options: Sequence[Any], what: str) -> int:
        """See `Asking.which`."""
        return int(self._random.integers(len(options)))

    def share(self) -> Fraction:
        """See `Asking.share`."""
        return Fraction(int(self._random.integers(_SHARES + 1)), _SHARES)

    def size(self, least: Any, most: Any) -> Fraction:
        """See `Asking.size`."""
        low, high = Fraction(least), Fraction(most)
        at = float(self._random.uniform(-_AT_END, 1 + _AT_END))
        if not 0 < at < 1:
            return low if at <= 0 else high
        near = Fraction(rounded(float(low) * float(high / low) ** at, _SIZE_BITS))
        return min(max(near, low), high)

    def factors(self, *, rising: Sequence[str], falling: Sequence[str]) -> dict[str, fmpq]:
        """See `Asking.factors`."""
        if self._at_edges:
            return {}
        up = {name: fmpq(_SHARES + int(self._random.integers(3 * _SHARES)), _SHARES)
              for name in rising}  # fmt: skip
        return up | {name: fmpq(1 + int(self._random.integers(_SHARES)), _SHARES)
                     for name in falling}  # fmt: skip


def _meets_equality(part: Part, counts: Any) -> bool:
    """Whether a condition on counts alone holds there with equality, and need not."""
    known = {name: fmpq(value) for name, value in counts.items() if isinstance(value, int)}
    numbers = Numbers(known, {}, fmpq)
    own = (c for c in part.conditions if c.relation != "==" and names_in(c) <= known.keys())
    return any(holds(replace(c, relation="=="), numbers) for c in own)


# ---- where instances of a part are drawn


@dataclass(frozen=True, eq=False)
class Source:
    """Set-ups of one space, looked at in its own view or in another one of the same runs.

    Attributes
    ----------
    space : Space
    view : View or None
        None where the space does not say which.
    other : str
        Name of the view, if it is not the space's own.
    """

    space: Space
    view: View | None
    other: str = ""

    def case(self, chances: Asking, turn: int) -> Case:
        """The instance of some answers, measured by one of the methods in turn.

        Raises
        ------
        FedboundsError
            If there is none.
        """
        runs, part = self.space.sought.runs, self.space.part
        setup = self.space.sought.make(chances)
        if not isinstance(setup, Setup):
            return Case(NAME, runs, setup, Method.RATIONAL)
        if self.other and self.view is not None:
            chosen = tuple(pair for pair in setup.chosen if pair[0] in self.view.choices)
            setup = replace(setup, view=self.other, chosen=chosen)
        if part.vectors:
            return Case(NAME, runs, setup, method_of(setup))
        methods = methods_of(part, views(setup.theory)[setup.view])
        method = methods[turn % len(methods)]
        if method is Method.MOMENTS:
            return Case(NAME, runs, InFloats(setup), method)
        balls = method is Method.BALLS
        named = Named(setup, part.named, MOST_EXACT_WORK, BITS if balls else None)
        return Case(NAME, runs, named, method if balls else method_of(setup))


def methods_of(part: Part, view: View) -> tuple[Method, ...]:
    """By which a part is measured in a view, as often as they stand here.

    Neither a ball nor a float shows that two sides are equal; and where outcomes are listed, both
    would be rationals by another name.
    """
    if part.relation is Relation.EQUAL or not (view.many or view.moments):
        return (Method.RATIONAL,)
    others = (Method.MOMENTS,) if view.many else (Method.BALLS, Method.MOMENTS)
    return Method.RATIONAL, Method.RATIONAL, *others


def sources(claim: Claim, part: Part) -> tuple[Source, ...]:
    """Where instances are searched; of a part that none is searched for, where it can be seen."""
    every = views(claim.entry.paper)
    own = tuple(Source(x, every.get(x.sought.view)) for x in spaces(claim, part, longer=False))
    return own or tuple(
        Source(space, view, name)
        for one in sought(claim.entry.paper)
        if one.view and one.runs in ((part.algorithm,) if part.algorithm else claim.algorithms)
        for name, view in every.items()
        if _alike(every[one.view], view) and _shows(view, part)
        for space in (Space(part, one),)
        if space.counts
    )


def _alike(one: View, other: View) -> bool:
    """Whether runs of one view are runs of the other, and cost no more."""
    same = one.algorithm == other.algorithm and one.takes == other.takes
    return same and (one.many, one.moments) == (other.many, other.moments)


def _shows(view: View, part: Part) -> bool:
    """Whether the view evaluates the part's vectors and has its quantities."""
    scopes = not part.scopes or not {*part.scopes}.isdisjoint(view.scopes)
    return scopes and part.quantities <= {*view.quantities, *view.functions}
