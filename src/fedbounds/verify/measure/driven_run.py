"""A run whose moments are driven: quantities by definition, with bounds of their rounding."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product as every_one
from typing import Any

import numpy as np
import sympy as sp
from flint import arb, ctx

from fedbounds.errors import FedboundsError
from fedbounds.problems import FederatedQuadratic, Noise
from fedbounds.problems.linear import rational
from fedbounds.problems.spectrum import to_floats
from fedbounds.theory.language.setups import Says

from .balls import precise
from .clients import Clients
from .driven import Driven, drive
from .driven_errors import Followed, followed
from .driven_vectors import DrivenSpace, Product
from .enumerated import first_outcome
from .evaluate import ENCLOSED, Numbers, apart, around, in_balls
from .expressions import at_once, without_products
from .known import Defined, Indices, MissingError
from .listed import listed_space
from .spaces import Listed
from .spaces import product as mean_product
from .subject import Subject
from .unknowns import Refused

Array = Any
_MOST_ENTRIES = 8_000_000  # of the moments of some rounds


@dataclass(frozen=True, eq=False)
class DrivenRun:
    """All rounds.

    Attributes
    ----------
    subject : Subject
        In rationals.
    driven : Driven
    kept : dict
        What was measured of it, by what determines it.
    """

    subject: Subject
    driven: Driven
    kept: dict[Any, Any] = field(default_factory=dict)

    @cached_property
    def space(self) -> DrivenSpace:
        """The vectors of any round."""
        return DrivenSpace(self.driven)

    @cached_property
    def moments(self) -> Array:
        """E (1, x)(1, x)' of rounds 0, ..., T, or up to the round before they overflow."""
        found, moment = np.empty((self.subject.rounds + 1, *self.driven.start.shape)), None
        with np.errstate(over="ignore", invalid="ignore"):
            for t in range(len(found)):
                moment = self.driven.start if moment is None else self.driven.after(moment)
                if not np.isfinite(moment).all():
                    return found[:t]
                found[t] = moment
        return found

    @cached_property
    def errors(self) -> Followed:
        """What rounding did to them."""
        return followed(self.driven, self.moments)

    def series(self, every: Sequence[Product]) -> Array:
        """Products in every round: rows of a form by columns of M first, so that sums are short."""
        forms = np.array([one.matrix for one in every])
        numbers = np.array([one.number for one in every])
        step = max(1, _MOST_ENTRIES // forms.shape[-1] ** 2)
        found = [
            np.matmul(forms.transpose(1, 0, 2), self.moments[a : a + step].transpose(1, 2, 0)).sum(
                axis=0
            )
            for a in range(0, len(self.moments), step)
        ]
        return np.concatenate(found, axis=1) + numbers[:, None]

    @cached_property
    def beginning(self) -> Listed:
        """The vectors of round 0 in rationals, of one outcome."""
        return listed_space(
            replace(self.subject, shown=replace(self.subject.shown, draws={})),
            first_outcome(self.subject),
        )


def driven_run(subject: Subject) -> DrivenRun:
    """A run, by driving.

    Parameters
    ----------
    subject : Subject
        In rationals.

    Raises
    ------
    Refused
        If it is not driven, or squares of its start are beyond floats.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        found = DrivenRun(subject, drive(in_floats(subject)))
        if not np.isfinite(found.driven.start).all():
            raise Refused("squares of the start are beyond floats")
    return found


def in_floats(subject: Subject) -> Subject:
    """The same subject, its data rounded once.

    Raises
    ------
    Refused
        If its problem is no quadratic.
    """
    given = subject.problem.objective
    if not isinstance(given, FederatedQuadratic):
        raise Refused("only rounds on quadratics are driven")
    noise = Noise(given.noise.law, float(given.noise.scale_u), float(given.noise.scale_v))
    arrays = {"hessian": to_floats(given.hessian), "linear": to_floats(given.linear)}
    floats = replace(given, **arrays, noise=noise)
    return replace(subject, problem=Clients(floats), start=to_floats(subject.start))


@dataclass(eq=False)
class DrivenKnown(Defined[DrivenRun]):
    """What is known of such a run."""

    _wrong: dict[str, Array] = field(default_factory=dict)

    def errors_of(self, name: str) -> Array:
        """What rounding may have done to a quantity.

        Raises
        ------
        MissingError
            If it is not defined here.
        """
        self.series(name)
        return self._wrong[name]

    @property
    def diverged_at(self) -> int | None:
        """The first round whose moments are not finite."""
        count = len(self.trace.moments)
        return count if count <= self.trace.subject.rounds else None

    # ---- products

    def products(self, node: sp.Expr, indices: Indices = None) -> Array:
        """sq(x) or ip(x, y) of every round, in balls; values of indices first, of the view's own if
        None.
        """
        return self._told(node, indices)[..., : self.trace.subject.rounds]

    def _at_end(self, node: sp.Expr, indices: Indices) -> Any:
        rounds = self.trace.subject.rounds
        if not self._of_the_past(node):
            raise MissingError(f"{node} depends on draws: it is no state of a round's start")
        return self._told(node, indices)[..., rounds : rounds + 1]

    def _told(self, node: sp.Expr, indices: Indices) -> Array:
        """In all rounds there are, with what rounding did."""
        values = self._of_vectors([node], {})
        key = node, indices, self.alone, *sorted({**values, **self.only}.items())
        if key not in self.trace.kept:
            places = dict(self._places(indices))
            own = self.alone if indices is None else indices
            counts = [len({place[at] for place in places}) for at in range(len(own))]
            if own:
                depth = max(map(len, (self.alone, *self.each.values())))
                counts += [1] * (depth - len(own))
            try:
                floats = {x: float(y) for x, y in values.items()}
                every = [space.product(node, floats) for space in places.values()]
            except Refused as error:
                raise MissingError(f"{node} is not measured: {error}") from error
            shape = *counts, len(self.trace.moments)
            found = self.trace.series(every).reshape(shape)
            wrong = np.array([self.trace.errors.of_product(one) for one in every])
            told = around(found, wrong.reshape(shape))
            if not own and not len(self.trace.driven.begun):
                with ctx.workprec(ENCLOSED), suppress(FedboundsError, Refused):
                    told[..., 0] = arb(self._at_start(node))  # nothing was rounded yet
            self.trace.kept[key] = told
        kept: Array = self.trace.kept[key]
        return kept

    def _places(self, indices: Indices) -> Iterator[tuple[tuple[int, ...], DrivenSpace]]:
        names, only = (self.alone, self.only) if indices is None else (indices, {})
        whole = self.trace.space
        ranges = ([only[x]] if x in only else range(whole.indices[x]) for x in names)
        for place in every_one(*ranges):
            key = "space", *zip(names, place, strict=True)
            if key not in self.trace.kept:
                space = whole
                for index, at in zip(names, place, strict=True):
                    space = space.alone(index, at)
                self.trace.kept[key] = space
            yield place, self.trace.kept[key]

    def _of_the_past(self, node: sp.Expr) -> bool:
        try:
            return self.trace.space.of_the_past({x.name for x in node.free_symbols})
        except Refused:
            return False

    # ---- quantities

    def _over_rounds(self, expression: sp.Expr, indices: Indices = None, *, ending: bool) -> Array:
        ends = ending and self.diverged_at is None
        return super()._over_rounds(expression, indices, ending=ends)

    @precise()
    def _quantity(self, name: str) -> Array:
        found = np.asarray(super()._quantity(name))
        values, self._wrong[name] = apart(found)
        return values

    def _numbers(
        self, plain: sp.Expr, own: Mapping[str, Any], series: Mapping[str, Array] | None = None
    ) -> Numbers:
        found = super()._numbers(plain, own, series)
        if not found.series:
            return found
        return in_balls(replace(found, errors=self._wrong))

    # ---- numbers

    def number(self, expression: sp.Expr, values: Mapping[str, Any] | None = None) -> Any:
        """Of an expression that does not depend on the round; products are those of round 0."""
        plain, nodes = without_products(expression)
        own = {**(values or {}), **{name: self._at_start(node) for name, node in nodes}}
        return super().number(at_once(plain), own)

    def _at_start(self, node: sp.Expr) -> Any:
        """In round 0, in rationals."""
        if not self._of_the_past(node):
            raise MissingError(f"{node} depends on draws")
        found = mean_product(node, self.trace.beginning, self._of_vectors([node], {}))
        return rational(found)  # of no coordinates it is no fraction, but 0

    def _extreme(self, node: sp.Expr, own: Mapping[str, Any]) -> Any:
        raise MissingError(f"{node} speaks of single outcomes, and moments are followed")

    def _broken_somewhere(self, says: Says, sides: Any, own: dict[str, Any]) -> str:
        raise MissingError(f"{says} speaks of single outcomes, and moments are followed")

    def _settled(self, node: sp.Expr) -> Any:
        raise Refused("limits are not taken of what is driven")
