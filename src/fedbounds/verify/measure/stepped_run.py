"""A run whose moments go step by step in floats: quantities by definition, with their rounding."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any

import numpy as np
import sympy as sp
from flint import arb, ctx, fmpq

from .balls import precise
from .beginnings import Beginning
from .evaluate import ENCLOSED, Numbers, apart, around, in_balls
from .float_steps import FloatSteps, centres_of, float_steps
from .known import Known, MissingError
from .long import least
from .moments import begun, round_of
from .norms import norm_of
from .round_maps import Form, forms_of
from .spaces import Listed, Unrolled, product, products_in
from .step_maps import MOST_WIDE
from .subject import Subject
from .trace import Trace, space_of
from .unknowns import Refused

Array = Any
Space = Listed | Unrolled


@dataclass(frozen=True, eq=False)
class SteppedTrace(Trace):
    """A run, whose moments are floats.

    Attributes
    ----------
    steps : FloatSteps
    first : Beginning
    centre : sequence of rationals
        From where the state, and then all that is carried, is measured.
    """

    steps: FloatSteps = field(kw_only=True)
    first: Beginning = field(kw_only=True)
    centre: Sequence[fmpq] = field(kw_only=True)

    def measured(
        self, node: sp.Expr, spaces: Sequence[Space], first: int, values: Any
    ) -> list[Any]:
        """sq(x) or ip(x, y) of rounds ``first``, ..., in balls; their space is one."""
        form = self._form(node, spaces[0], values)
        if all(pair == (0, 0) for pair in form):
            return [form.get((0, 0), fmpq(0))] * len(spaces)
        told, wrong = self.steps.told(form, slice(first, first + len(spaces)))
        found: list[Any] = around(told, wrong).tolist()
        if not first and self._of_state(form):
            with ctx.workprec(ENCLOSED):
                found[0] = arb(self._at_start(form))  # nothing was rounded yet
        return found

    def on_average(self, value: Any, space: Space, at: int) -> Any:
        """It is asked for in rationals alone."""
        raise Refused("moments are floats")

    def at_start(self, node: sp.Expr, space: Space, values: Any) -> fmpq:
        """sq(x) or ip(x, y) in round 0, in rationals."""
        form = self._form(node, space, values)
        if not self._of_state(form):
            raise MissingError(f"{node} depends on draws")
        return self._at_start(form)

    def _form(self, node: sp.Expr, space: Space, values: Any) -> Form:
        assert isinstance(space, Unrolled)
        value = product(node, space, values)
        return forms_of(space.variables, value, self.centre, folded=False).get((), {})

    def _of_state(self, form: Form) -> bool:
        return all(j <= self.steps.size for _, j in form)

    def _at_start(self, form: Form) -> fmpq:
        own = self.centre[: self.steps.size]
        return sum((x * self.first.moment(pair, own) for pair, x in form.items()), fmpq(0))


def stepped(subject: Subject, nears: Sequence[sp.Expr] = ()) -> SteppedTrace:
    """Rounds that are all the same, from unknowns.

    Parameters
    ----------
    nears : sequence of expressions in vectors of the state
        The state is measured from where the first product among them is least: there it has all
        its digits.

    Raises
    ------
    Refused
        If the step is not affine in the state, rounds differ, or the state is too large.
    """
    first = begun(subject)
    count = sum(prod(shape) for shape in first.shapes.values())
    if count > MOST_WIDE:
        raise Refused(f"{count} numbers; at most {MOST_WIDE}")
    trace = round_of(subject, first, 0)
    space, entries = space_of(subject, trace), trace.variables.entries
    near = next((x for x in nears if _is_product(x, space)), None)
    centre = (fmpq(0),) * entries if near is None else least(space, near)
    try:
        centres = centres_of(trace, centre)
        steps = float_steps(first, trace, subject.rounds, centres)
    except OverflowError as error:
        raise Refused("moments are too large for floats") from error
    whole = [*centre, *(x for own in centres[1:] for x in own[entries:])]
    return SteppedTrace(
        subject,
        (space,) * subject.rounds,
        lambda: space,
        moments=(),
        steps=steps,
        first=first,
        centre=whole,
    )


def _is_product(node: sp.Expr, space: Unrolled) -> bool:
    """Whether it is one product of vectors alone."""
    named = {x.name for x in node.free_symbols} - set(space.sources)
    return products_in(node) == {node} and named <= set(space.vectors) and norm_of(node) is None


@dataclass(eq=False)
class SteppedKnown(Known):
    """What is known of such a run."""

    _wrong: dict[str, Array] = field(default_factory=dict)
    diverged_at = None  # what is too large for floats is refused

    def errors_of(self, name: str) -> Array:
        """What rounding may have done to a quantity.

        Raises
        ------
        MissingError
            If it is not defined here.
        """
        self.series(name)
        return self._wrong[name]  # of every quantity: none is exact

    def _measured(
        self, node: sp.Expr, spaces: Sequence[Space], first: int, values: dict[str, Any]
    ) -> list[Any]:
        if (v := norm_of(node)) is not None:
            raise MissingError(f"the mean of the norm of {v} is not looked at in floats")
        return self.trace.measured(node, spaces, first, values)

    @precise()
    def _quantity(self, name: str) -> Array:
        values, self._wrong[name] = apart(np.asarray(super()._quantity(name)))
        return values

    def _numbers(
        self, plain: sp.Expr, own: Mapping[str, Any], series: Mapping[str, Array] | None = None
    ) -> Numbers:
        found = super()._numbers(plain, own, series)
        return in_balls(replace(found, errors=self._wrong)) if found.series else found

    def _single(self, node: sp.Expr) -> Any:
        values, trace = self._of_vectors([node], {}), self.trace
        assert isinstance(trace, SteppedTrace)
        places = self._places(None, 0, trace.spaces[:1])
        rows = [[trace.at_start(node, own[0], values)] for own in places.values()]
        return self._first_of(node, np.array(rows, dtype=object))

    def _settled(self, node: sp.Expr) -> Any:
        raise Refused("limits are not taken step by step")
