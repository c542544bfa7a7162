"""A run whose moments are driven: quantities by definition, with bounds of their rounding."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import product as every_one
from typing import Any

import numpy as np
import sympy as sp
from flint import fmpq
from sympy.core.function import AppliedUndef

from fedbounds.problems import FederatedQuadratic, Noise
from fedbounds.problems.spectrum import to_floats
from fedbounds.theory.setups import Remembered, Says

from ..evaluate import Numbers, rounding
from .clients import Clients
from .driven import Driven, drive
from .driven_errors import Followed, followed
from .driven_vectors import DrivenSpace, Product
from .enumerated import first_outcome
from .known import (
    Defined,
    Indices,
    MissingError,
    at_once,
    without_products,
)
from .listed import listed_space
from .recalled import recalled, remembered
from .rounded import UNIT
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
        found, moment = [], self.driven.start
        with np.errstate(over="ignore", invalid="ignore"):
            for _ in range(self.subject.rounds + 1):
                if not np.isfinite(moment).all():
                    break
                found.append(moment)
                moment = self.driven.after(moment)
        return np.array(found)

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
        If it is not driven.
    """
    return DrivenRun(subject, drive(in_floats(subject)))


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

    def errors(self) -> dict[str, Array]:
        """What rounding may have done to quantities."""
        for name in self.quantities:
            with suppress(MissingError):
                self.series(name)
        return dict(self._wrong)

    @property
    def diverged_at(self) -> int | None:
        """The first round whose moments are not finite."""
        count = len(self.trace.moments)
        return count if count <= self.trace.subject.rounds else None

    # ---- products

    def products(self, node: sp.Expr, indices: Indices = None) -> Array:
        """sq(x) or ip(x, y) of every round; values of indices first, of the view's own if None."""
        return self._told(node, indices)[0][..., : self.trace.subject.rounds]

    def _at_end(self, node: sp.Expr, indices: Indices) -> Any:
        rounds = self.trace.subject.rounds
        if not self._of_the_past(node):
            raise MissingError(f"{node} depends on draws: it is no state of a round's start")
        return self._told(node, indices)[0][..., rounds : rounds + 1]

    def _told(self, node: sp.Expr, indices: Indices) -> tuple[Array, Array]:
        """In all rounds there are, and what rounding did."""
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
            self.trace.kept[key] = found, wrong.reshape(shape)
        kept: tuple[Array, Array] = self.trace.kept[key]
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

    def _quantity(self, name: str) -> Array:
        found = np.asarray(super()._quantity(name), dtype=np.float64)
        later = name in self.later
        own = self._rounding(self.quantities[name], self.each.get(name), found.shape[-1] - later)
        if own is not None:
            own = np.broadcast_to(own, (*found.shape[:-1], found.shape[-1] - later))
            if later:
                own = np.concatenate([np.zeros((*own.shape[:-1], 1)), own], axis=-1)
            self._wrong[name] = own
        return found

    def _rounding(self, expression: sp.Expr, indices: Indices, count: int) -> Array | None:
        """What rounding did to an expression; None where nothing of it is measured."""
        names = remembered(expression)
        plain, nodes = without_products(sp.expand(expression.xreplace(names)))
        if not nodes and not names:
            return None
        if term := _multiplied(plain):
            raise MissingError(f"the rounding of {term} is not bounded")
        told = {x: self._told(node, indices) for x, node in nodes}
        for node, name in names.items():
            values = self._remembered(node, indices)
            chance = float(self.number(node.args[1]))
            inner = self._rounding(node.args[0], indices, values.shape[-1] - 1)
            wrong = recalled(np.asarray(inner), chance) + 8 * self._sums * abs(values)
            told[str(name.func)] = values, wrong
        series, short = ({x: y[at][..., :count] for x, y in told.items()} for at in (0, 1))
        known = self._numbers(plain, {}, series)
        known = Numbers(known.constants, known.series, known.rational, short)
        found: Array = np.asarray(rounding(known, range(count), plain))
        return found

    @property
    def _sums(self) -> float:
        """Of as many terms as there are rounds."""
        return UNIT * (self.trace.subject.rounds + 4)

    def _remembered(self, node: Remembered, indices: Indices) -> Array:
        inner = np.asarray(self._over_rounds(node.args[0], indices, ending=False), dtype=float)
        return recalled(inner, float(self.number(node.args[1])))

    def _numbers(
        self, plain: sp.Expr, own: Mapping[str, Any], series: Mapping[str, Array] | None = None
    ) -> Numbers:
        found = super()._numbers(plain, own, series)
        if all(x.dtype == object for x in found.series.values()):
            return found
        return Numbers(
            {name: float(value) for name, value in found.constants.items()},
            {name: values.astype(float) for name, values in found.series.items()},
            errors={name: self._wrong[name] for name in found.series if name in self._wrong},
        )

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
        assert isinstance(found, fmpq)
        return found

    def _extreme(self, node: sp.Expr, own: Mapping[str, Any]) -> Any:
        raise MissingError(f"{node} speaks of single outcomes, and moments are followed")

    def _broken_somewhere(self, says: Says, sides: Any, own: dict[str, Any]) -> str:
        raise MissingError(f"{says} speaks of single outcomes, and moments are followed")

    def _settled(self, node: sp.Expr) -> Any:
        raise Refused("limits are not taken of what is driven")


@lru_cache(maxsize=4096)
def _multiplied(plain: sp.Expr) -> str:
    """A term in which quantities are multiplied with each other; empty if there is none."""
    for term in sp.Add.make_args(plain):
        if sum(sp.degree(term, x) for x in term.atoms(AppliedUndef)) > 1:
            return str(term)
    return ""
