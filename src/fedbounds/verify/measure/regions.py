"""Where a run is, in all rounds and under every outcome: regions of states that are never left.

A round that is affine in the state z and in its draws s, z+ = A z + b + C s, leads the box of
states within r of its fixed point into itself if |A| r + |C| w <= r, where the draws are within w
of their middles. Besides, a run without draws may shrink straight towards the fixed point; or it
may stay where it is whatever a parameter is that changes from round to round.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp
from flint import fmpq

from fedbounds.errors import FedboundsError
from fedbounds.problems.linear import rational, solve
from fedbounds.theory.language.symbols import t

from .enumerated import begun
from .ranges import Number, as_range, multiple, over_cube, quotient
from .round_maps import flat
from .sources import Entries, Participants, Source, WithReplacement
from .spaces import Unrolled
from .subject import Subject
from .unknowns import Refused, bare
from .unrolled import Unrolling, unroll, unrolled_space

Array = Any
_ZERO = fmpq(0)
_EXPLICIT = 200  # rounds with a changing parameter that are looked at one by one


@dataclass(frozen=True, eq=False)
class Region:
    """States, draws and parameters: every variable as a polynomial in variables in [-1, 1].

    Attributes
    ----------
    substitutes : tuple of polynomials
        One for every variable of the round. Some state of the run is in the region.
    """

    substitutes: tuple[Any, ...]

    def within(self, value: Any) -> Any:
        """A polynomial of the round as one in the variables of the region."""
        value = bare(value)
        if not hasattr(value, "compose"):
            return rational(value)
        found = value.compose(*self.substitutes, ctx=self.substitutes[0].context())
        return found if found.total_degree() > 0 else over_cube(found)

    def range(self, value: Any) -> Number:
        """What a polynomial of the round may be."""
        return over_cube(self.within(value))

    def quotient(self, top: Any, bottom: Any) -> Number:
        """What a quotient of polynomials may be, where it is defined.

        Raises
        ------
        Refused
            If its denominator may vanish.
        """
        always = multiple(bare(top), bare(bottom))
        return quotient(self.within(top), self.within(bottom)) if always is None else always


@dataclass(frozen=True, eq=False)
class AllRounds:
    """One round on unknowns, from which all rounds are known.

    Attributes
    ----------
    subject : Subject
    changing : mapping from parameter to expression in t
        Parameters that are others in other rounds, and fall with t towards 0.
    """

    subject: Subject
    changing: Mapping[str, sp.Expr]

    @cached_property
    def start(self) -> tuple[fmpq, ...]:
        """The entries of the state."""
        rows = begun(self.subject)
        if len(rows) != 1:
            raise Refused("it starts at random")
        return tuple(rational(x) for x in flat(rows.state))

    @cached_property
    def trace(self) -> Unrolling:
        """A round on unknowns."""
        rows = begun(self.subject)
        shapes = {name: (1, *array.shape[1:]) for name, array in rows.state.items()}
        found = unroll(self.subject, shapes, unknown=tuple(self.changing))
        if found.asked_round:
            raise Refused("the step depends on the round: all rounds are not known from one")
        if len(found.listed.chances) != 1:
            raise Refused("draws have to be listed: a round is no polynomial of them")
        return found

    @cached_property
    def space(self) -> Unrolled:
        """Its vectors."""
        return unrolled_space(self.subject, self.trace)

    @cached_property
    def regions(self) -> tuple[Region, ...]:
        """Together they contain every state of the run, with every outcome of a round's draws.

        Raises
        ------
        Refused
            If none are found.
        """
        if self.changing:
            return self._staying()
        shrinking = self._shrinking()
        return (shrinking,) if shrinking else (self.box(_ZERO),)

    # ---- a step that is the same in all rounds

    @cached_property
    def fixed_point(self) -> tuple[fmpq, ...]:
        """The state that a round leads back to, where draws are in the middle of their supports.

        Raises
        ------
        Refused
            If there is none, or more than one.
        """
        matrix, shift, _ = self._affine
        left = np.eye(len(shift), dtype=int).astype(object) - matrix
        inverse = _inverse(left)
        if inverse is None:
            raise Refused("a round leads back to no state, or to many")
        return tuple((inverse @ shift).tolist())

    def box(self, margin: fmpq) -> Region:
        """A box around the fixed point, with the start in it, that a round leads into itself.

        Parameters
        ----------
        margin : rational
            By how much it is larger than it needs to be; where positive, its inside is enough.

        Raises
        ------
        Refused
            If none is found.
        """
        centre = np.array(self.fixed_point, dtype=object)
        matrix, _, spread = self._affine
        left = np.eye(len(centre), dtype=int).astype(object) - abs(matrix)
        away = abs(np.array(self.start, dtype=object) - centre)
        # (1 - |A|) r >= spread, and r >= |start - centre|
        needed = np.array([max(x, _ZERO) for x in left @ away - spread], dtype=object)
        radius = solve(left, (spread + needed + margin)[:, None])
        if radius is None or not all(
            r > x if margin else r >= x for r, x in zip(radius[:, 0], away, strict=True)
        ):
            raise Refused("no box around the fixed point is led into itself")
        return self._around(centre.tolist(), radius[:, 0].tolist())

    def _shrinking(self) -> Region | None:
        """A start from which every round moves straight towards the fixed point."""
        matrix, _, spread = self._affine
        away = np.array(self.start, dtype=object) - np.array(self.fixed_point, dtype=object)
        live = [i for i, x in enumerate(away) if x != 0]
        if not live or any(spread):
            return None
        moved = matrix @ away
        factor = moved[live[0]] / away[live[0]]
        if (moved != away * factor).any() or not 0 < factor < 1:
            return None
        half = fmpq(1, 2)
        share = self._generators[0] * half + half  # from 0 to 1
        own = zip(self.fixed_point, away, strict=True)
        return Region((*(share * x + p for p, x in own), *self._draws))

    @cached_property
    def _affine(self) -> tuple[Array, Array, Array]:
        """A, b, and what the draws add at most, coordinate by coordinate."""
        named = self.trace.variables
        size = named.entries
        matrix = np.full((size, size), _ZERO, dtype=object)
        shift, spread = (np.full(size, _ZERO, dtype=object) for _ in range(2))
        unchanged = (*self._generators[:size], *self._draws)
        for row, value in enumerate(flat(self.trace.after)):
            after = Region(unchanged).within(value)
            for exponents, factor in after.to_dict().items() if hasattr(after, "to_dict") else ():
                powers = [int(power) for power in exponents]
                if sum(powers) > 1:
                    raise Refused("the step is not affine in the state and in its draws")
                at = powers.index(1) if any(powers) else None
                if at is None:
                    shift[row] = factor
                elif at < size:
                    matrix[row, at] = factor
                else:
                    spread[row] += abs(factor)
            if not hasattr(after, "to_dict"):
                shift[row] = after
        return matrix, shift, spread

    # ---- a step that changes

    def _staying(self) -> tuple[Region, ...]:
        """A state that every round leads back to, whatever the parameters are; round by round."""
        if not self.stays:
            raise Refused("rounds differ, and the run does not stay where it starts")
        named, found = self.trace.variables, []
        here = [self._constant(x) for x in self.start]
        for at in range(_EXPLICIT):
            own = (self._constant(_at(self.changing[name], at)) for name in named.parameters)
            found.append(Region((*here, *self._draws[: self._sources], *own)))
        half = fmpq(1, 2)
        ends = [_at(falling(self.changing[x], _EXPLICIT), _EXPLICIT) for x in named.parameters]
        rest = zip(ends, self._generators[named.ends :], strict=True)
        tail = (x * (end * half) + end * half for end, x in rest)
        return (*found, Region((*here, *self._draws[: self._sources], *tail)))

    @cached_property
    def stays(self) -> bool:
        """Whether the state is the same in all rounds, under every outcome."""
        after = (self.at(self.start).within(value) for value in flat(self.trace.after))
        return all(x == own for x, own in zip(after, self.start, strict=True))

    @cached_property
    def silent(self) -> bool:
        """Whether draws move nothing."""
        return self.stays if self.changing else not any(self._affine[2])

    # ---- states that no run need be in

    def at(self, state: Sequence[fmpq]) -> Region:
        """One state; draws and parameters are what they are."""
        size = len(self.start)
        return Region((*map(self._constant, state), *self._generators[size:]))

    def along(self, at: int) -> Region:
        """The start and what differs from it in one coordinate."""
        state = list(map(self._constant, self.start))
        state[at] = self._generators[at]
        return Region((*state, *self._generators[len(state) :]))

    # ---- parts of regions

    @property
    def _generators(self) -> tuple[Any, ...]:
        return tuple(self.trace.variables.context.gens())

    @property
    def _sources(self) -> int:
        named = self.trace.variables
        return named.ends - named.entries

    def _constant(self, value: fmpq) -> Any:
        return self._generators[0] * 0 + value

    @cached_property
    def _draws(self) -> tuple[Any, ...]:
        """Every entry of a draw, and every parameter, as a middle and a variable in [-1, 1]."""
        named = self.trace.variables
        found, gens = [], self._generators
        for start, source in zip(named.starts, named.sources, strict=True):
            low, high = support(source)
            count = int(np.prod(source.shape, dtype=int))
            half = (high - low) / 2
            found += [gens[start + i] * half + (low + half) for i in range(count)]
        return (*found, *gens[named.ends :])

    def _around(self, centre: Sequence[fmpq], radius: Sequence[fmpq]) -> Region:
        own = zip(centre, radius, self._generators, strict=False)
        return Region((*(x * r + c for c, r, x in own), *self._draws))

    def hull(self, region: Region, names: Sequence[str], margin: fmpq) -> Region:
        """States in a box that contains all of these vectors, with a margin."""
        low, high = [], []
        for at in range(len(self.start)):
            every = [
                as_range(region.range(entry)).ends
                for name in names
                for entry in self.space.vectors[name][..., at].reshape(-1)
            ]
            low.append(min(end for end, _ in every) - margin)
            high.append(max(end for _, end in every) + margin)
        middle = [(a + b) / 2 for a, b in zip(low, high, strict=True)]
        half = [(b - a) / 2 for a, b in zip(low, high, strict=True)]
        return self._around(middle, half)


def support(source: Source) -> tuple[fmpq, fmpq]:
    """Between which numbers every entry of a source is.

    Raises
    ------
    Refused
        If there are no bounds.
    """
    if isinstance(source, Entries):
        every = [rational(value) for value, _ in source.values]
        return min(every), max(every)
    if isinstance(source, Participants | WithReplacement):
        return _ZERO, fmpq(1 if isinstance(source, Participants) else source.m)
    raise Refused(f"{source.name} is not bounded")


def falling(rule: sp.Expr, first: int) -> sp.Expr:
    """The rule of a parameter that is seen to fall towards 0 from a round on.

    Raises
    ------
    Refused
        If that is not seen.
    """
    s = sp.Symbol("s", nonnegative=True)
    top, bottom = sp.fraction(sp.together(rule.subs(t, first + s)))
    if not (top.is_polynomial(s) and bottom.is_polynomial(s)):
        raise Refused(f"{rule} is no quotient of polynomials in the round")
    if sp.degree(top, s) < sp.degree(bottom, s) and _positive(top, s) and _positive(bottom, s):
        lower = sp.diff(top, s) * bottom - top * sp.diff(bottom, s)
        if _positive(-lower, s):
            return rule
    raise Refused(f"{rule} is not seen to fall towards 0")


def _positive(polynomial: sp.Expr, s: sp.Symbol) -> bool:
    """Whether no coefficient is negative, and some is positive."""
    every = sp.Poly(sp.expand(polynomial), s).all_coeffs()
    return all(x >= 0 for x in every) and any(x > 0 for x in every)


def _at(rule: sp.Expr, at: int) -> fmpq:
    found = rule.subs(t, at)
    if not found.is_Rational:
        raise FedboundsError(f"{rule} at round {at}; expected a rational number")
    return fmpq(int(found.p), int(found.q))


def _inverse(matrix: Array) -> Array | None:
    identity = np.eye(len(matrix), dtype=int).astype(object)
    found = solve(matrix, identity)
    return None if found is None or (matrix @ found != identity).any() else found
