"""A run of many rounds, by moments; each way of knowing it is made when it is asked for."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp
from flint import fmpq

from fedbounds.problems.linear import solve

from .ball_limits import Settling, settling
from .float_moments import InFloats, in_floats
from .many_rounds import InRationals, in_rationals, rounds_of, traced
from .norms import norm_of
from .reach import Reach
from .round_maps import forms_of
from .spaces import Unrolled
from .spaces import product as mean_product
from .subject import Subject
from .unrolled import Unrolling, unrolled_space


@dataclass(frozen=True, eq=False)
class Long:
    """A run of many rounds, by moments.

    Attributes
    ----------
    subject : Subject
    near : sq of a vector of the state, or None
        The state is measured from where this is least: there it has all its digits.
    floats : bool
        Whether moments are floats, with bounds of their rounding errors.
    kept : dict
        What was measured of it, by what determines it.
    """

    subject: Subject
    near: sp.Expr | None = None
    floats: bool = False
    kept: dict[Any, Any] = field(default_factory=dict)

    @cached_property
    def traced(self) -> Unrolling:
        """One round; see `many_rounds.traced`."""
        return traced(self.subject)

    @cached_property
    def space(self) -> Unrolled:
        """The vectors of any of its rounds."""
        return unrolled_space(self.subject, self.traced)

    @cached_property
    def centre(self) -> tuple[fmpq, ...]:
        """From where the state is measured."""
        if self.near is None or norm_of(self.near) is not None:
            return (fmpq(0),) * self.traced.variables.entries
        return least(self.space, self.near)

    @cached_property
    def found(self) -> InRationals | InFloats:
        """Moments of all rounds.

        Raises
        ------
        Refused
            If the step is not affine in the state, or asks for the round itself.
        """
        rounds = rounds_of(self.subject, self.traced, self.centre)
        return in_floats(rounds) if self.floats else in_rationals(rounds)

    @cached_property
    def reach(self) -> Reach:
        """What may be visited."""
        return Reach(self.found.rounds, self.centre, self.found)

    @cached_property
    def settling(self) -> Settling:
        """Where it settles, in balls."""
        return settling(self.subject)


def least(space: Unrolled, near: sp.Expr) -> tuple[fmpq, ...]:
    """Where a square of the state is least; the origin, if it is so in many places."""
    size = space.variables.entries
    forms = forms_of(space.variables, mean_product(near, space, {}), folded=False)
    form = forms.get((0,) * len(space.variables.parameters), {})
    matrix, shift = np.full((size, size), fmpq(0)), np.full((size, 1), fmpq(0))
    for (i, j), factor in form.items():
        if i:
            matrix[i - 1, j - 1] += factor
            matrix[j - 1, i - 1] += factor
        elif j:
            shift[j - 1, 0] = -factor
    found = solve(matrix, shift)
    return (fmpq(0),) * size if found is None else tuple(found[:, 0].tolist())
