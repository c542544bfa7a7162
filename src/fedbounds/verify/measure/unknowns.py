"""Unknowns: polynomials in the entries of the state and of the sources of randomness.

They can be added, multiplied, and divided by numbers; whatever else is asked of one, a comparison
or a test for equality among it, is a refusal: a bare polynomial would answer ``x == 0`` with no,
and so take one branch where there are two.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, wraps
from itertools import repeat
from math import prod
from typing import Any, TypeVar, cast

import numpy as np
from flint import Ordering, fmpq, fmpq_mpoly_ctx

from fedbounds.problems.linear import rational

from .sources import Source, entries_together

Array = Any
Exponents = tuple[int, ...]
Operator = TypeVar("Operator", bound=Callable[[Any, Any], Any])


class Refused(Exception):
    """Why a method does not answer; it becomes a record that is counted, never an error."""


class NotCarried(Refused):
    """A step uses after ``see.carry`` what it did not carry."""


def entrywise(operator: Operator) -> Operator:
    """An operator that leaves arrays to NumPy, which takes their entries one by one."""

    @wraps(operator)
    def applied(self: Any, other: Any) -> Any:
        return NotImplemented if isinstance(other, np.ndarray) else operator(self, other)

    return cast(Operator, applied)


class Unknown:
    """A polynomial that answers sums and products, and nothing else."""

    __slots__ = ("polynomial",)

    def __init__(self, polynomial: Any) -> None:
        self.polynomial = polynomial

    @property
    def bare(self) -> Any:
        """Its polynomial."""
        return self.polynomial

    @entrywise
    def __add__(self, other: Any) -> "Unknown":
        if type(other) is fmpq and not other:
            return self
        return Unknown(self.polynomial + _operand(other))

    @entrywise
    def __sub__(self, other: Any) -> "Unknown":
        return Unknown(self.polynomial - _operand(other))

    @entrywise
    def __rsub__(self, other: Any) -> "Unknown":
        return Unknown(_operand(other) - self.polynomial)

    @entrywise
    def __mul__(self, other: Any) -> Any:
        if type(other) is fmpq and not other:
            return other  # matrices have zeros: what they leave out is no polynomial
        return Unknown(self.polynomial * _operand(other))

    __radd__, __rmul__ = __add__, __mul__

    @entrywise
    def __truediv__(self, other: Any) -> "Unknown":
        if isinstance(other, Unknown):
            raise Refused("it divides by an entry that is not known")
        return Unknown(self.polynomial * (1 / rational(_operand(other))))

    @entrywise
    def __rtruediv__(self, other: Any) -> "Unknown":
        raise Refused("it divides by an entry that is not known")

    def __neg__(self) -> "Unknown":
        return Unknown(-self.polynomial)

    def __pos__(self) -> "Unknown":
        return self

    def __pow__(self, power: int) -> "Unknown":
        if not isinstance(power, int | np.integer) or power < 0:
            raise Refused(f"it takes the power {power} of an entry that is not known")
        return Unknown(self.polynomial ** int(power))

    def __abs__(self) -> "Unknown":
        raise Refused("it takes the size of an entry that is not known")

    def _compared(self, other: object) -> bool:
        raise Refused("it compares an entry that is not known")

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _compared

    def __hash__(self) -> int:
        raise Refused("it looks an entry up that is not known")

    def __bool__(self) -> bool:
        raise Refused("it asks whether an entry that is not known is zero")

    def __float__(self) -> float:
        raise Refused("it makes a float of an entry that is not known")


def _operand(value: Any) -> Any:
    """A polynomial, a rational or a whole number; floats are not mixed with unknowns."""
    if isinstance(value, Unknown):
        return value.polynomial
    if isinstance(value, fmpq):
        return value
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, Fraction):
        return rational(value)
    raise Refused(f"it mixes unknowns with {type(value).__name__}")


def bare(value: Any) -> Any:
    """What can be compared: the polynomial of an unknown, both numbers of a ball, or a number."""
    return getattr(value, "bare", value)


@dataclass(frozen=True, eq=False)
class Stage:
    """What a step carried on at one place: unknowns that stand for what it had got.

    Attributes
    ----------
    first : int
        Number of the first of them.
    values : tuple of polynomials and numbers
        What each stands for, in the state, the sources, and what was carried at the place before.
    used : frozenset of int
        Numbers of the sources' unknowns on which these may depend.
    """

    first: int
    values: tuple[Any, ...]
    used: frozenset[int]


@dataclass(frozen=True, eq=False)
class Variables:
    """Unknowns of a round: the state's, those of every source, parameters, and what is carried.

    Attributes
    ----------
    shapes : mapping from field of the state to shape
        With a first axis of length one.
    sources : tuple of Source
        None of which selects.
    context : flint context
    starts : tuple of int
        Number of each source's first variable; the state's begin at 0.
    known : dict
        Moments of monomials that were asked for.
    parameters : tuple of str
        Those that change from round to round, and are unknown too.
    carried : tuple of int
        How many numbers a step carries on, place by place.
    stages : list of Stage
        Those places, as the step comes to them.
    fixed : mapping from field of the state to array
        Numbers of entries that no round changes, None for the others.
    """

    shapes: Mapping[str, tuple[int, ...]]
    sources: tuple[Source, ...]
    context: Any
    starts: tuple[int, ...]
    known: dict[tuple[int, Exponents], fmpq]
    parameters: tuple[str, ...] = ()
    carried: tuple[int, ...] = ()
    stages: list[Stage] = field(default_factory=list)
    fixed: Mapping[str, Array] = field(default_factory=dict)

    @cached_property
    def entries(self) -> int:
        """Of the state."""
        return sum(prod(shape) for shape in self.shapes.values())

    def state(self) -> dict[str, Array]:
        """The state, every entry an unknown, but for those that are fixed."""
        found, at = {}, 0
        for name, shape in self.shapes.items():
            found[name] = own = self._block(at, shape)
            if name in self.fixed:
                numbers = self.fixed[name].reshape(shape)
                known = np.array([x is not None for x in numbers.reshape(-1)]).reshape(shape)
                own[known] = numbers[known]
            at += prod(shape)
        return found

    def answers(self) -> list[Array]:
        """Each source as an array of unknowns with one row."""
        return [
            self._block(start, (1, *source.shape))
            for start, source in zip(self.starts, self.sources, strict=True)
        ]

    @cached_property
    def ends(self) -> int:
        """Number of the first parameter: the state's entries and the sources' come before."""
        return self.entries + sum(prod(source.shape) for source in self.sources)

    def parameter(self, name: str) -> Unknown:
        """A parameter that changes from round to round."""
        return Unknown(self.context.gens()[self.ends + self.parameters.index(name)])

    @cached_property
    def fresh(self) -> int:
        """Number of the first unknown of what is carried: the parameters come before."""
        return self.ends + len(self.parameters)

    def carry(self, values: Sequence[Any]) -> list[Unknown]:
        """Fresh unknowns for what a step has got; see `Stage`.

        Raises
        ------
        Refused
            If it rests on one source before the place where something was carried and after it.
        """
        used = self.together(values)
        first = self.fresh + sum(self.carried[: len(self.stages)])
        self.stages.append(Stage(first, tuple(values), used))
        return [Unknown(self.context.gens()[first + at]) for at in range(len(values))]

    def stood(self, number: int) -> Any:
        """What an unknown stands for that was carried."""
        stage = next(x for x in reversed(self.stages) if x.first <= number)
        return stage.values[number - stage.first]

    def together(self, values: Iterable[Any]) -> frozenset[int]:
        """The sources' unknowns on which numbers depend that may be multiplied.

        Raises
        ------
        Refused
            If one speaks of what was carried at two places, or of what was carried and of a source
            on which that depends.
        """
        stages, used = set[int](), set[int]()
        for value in values:
            for exponents in value.polynomial.to_dict() if isinstance(value, Unknown) else ():
                stages.update(self._stages_in(exponents))
                used |= self._groups_in(exponents)
        if not stages:
            return frozenset(used)
        if len(stages) > 1 or stages != {len(self.stages) - 1}:
            raise NotCarried(
                "what see.carry gave is used after a later see.carry: carry both at once"
            )
        self._refuse_both(self.stages[-1], used)
        return frozenset(used | self.stages[-1].used)

    def _refuse_both(self, stage: Stage, used: Set[int]) -> None:
        for number, (start, source) in enumerate(zip(self.starts, self.sources, strict=True)):
            own = range(start, start + prod(source.shape))
            if any(at in own for at in used & stage.used):
                raise NotCarried(
                    f"it uses {self.sources[number].name} before see.carry and after it; carry "
                    "what depends on it"
                )

    def _stages_in(self, exponents: Exponents) -> set[int]:
        ends = [stage.first for stage in self.stages]
        return {
            bisect_right(ends, at) - 1
            for at, power in enumerate(exponents[self.fresh :], self.fresh)
            if power
        }

    def _groups_in(self, exponents: Exponents) -> set[int]:
        """Entries of the sources in a monomial, with those that depend on them."""
        entries = enumerate(exponents[self.entries : self.ends], self.entries)
        return {own for at, power in entries if power for own in self._dependent[at - self.entries]}

    @cached_property
    def _dependent(self) -> list[range]:
        """Of every entry of the sources, the entries that are not independent of it."""
        found: list[range] = []
        for start, source in zip(self.starts, self.sources, strict=True):
            size = entries_together(source)
            for at in range(0, prod(source.shape), size):
                found += [range(start + at, start + at + size)] * size
        return found

    def stage_of(self, exponents: Exponents) -> Stage | None:
        """The place where what stands in a monomial was carried, if anything in it was.

        Raises
        ------
        Refused
            As `together`.
        """
        if not self.stages or not any(exponents[self.fresh :]):
            return None
        numbers = self._stages_in(exponents)
        if len(numbers) > 1:
            raise Refused("it multiplies what was carried at two places of a step")
        stage = self.stages[numbers.pop()]
        self._refuse_both(stage, self._groups_in(exponents))
        return stage

    def _block(self, start: int, shape: tuple[int, ...]) -> Array:
        gens = self.context.gens()
        found = np.empty(prod(shape), dtype=object)
        found[:] = [Unknown(gens[start + i]) for i in range(found.size)]
        return found.reshape(shape)

    def mean(self, value: Any, over: Iterable[int]) -> Any:
        """E over the sources of these numbers, which no longer occur; a number if none does."""
        if not isinstance(value, Unknown):
            return value
        polynomial = value.polynomial
        if self.stages:
            for exponents in polynomial.to_dict():
                self.stage_of(exponents)  # which refuses
        degrees = polynomial.degrees()
        spans = [(x, *self._span(x)) for x in over]
        spans = [own for own in spans if any(degrees[own[1] : own[2]])]
        total: dict[Exponents, fmpq] = {}
        for exponents, factor in polynomial.to_dict().items():
            left = exponents
            for number, start, stop in spans:
                own = exponents[start:stop]
                if any(own):
                    factor *= self._moment(number, own)
                    if not factor:
                        break
                    left = (*left[:start], *repeat(0, stop - start), *left[stop:])
            if factor:
                total[left] = total[left] + factor if left in total else factor
        total = {key: factor for key, factor in total.items() if factor}
        if not any(map(any, total)):
            return sum(total.values(), fmpq(0))
        return Unknown(self.context.from_dict(total))

    def _span(self, number: int) -> tuple[int, int]:
        """The unknowns of a source."""
        start = self.starts[number]
        return start, start + prod(self.sources[number].shape)

    def _moment(self, number: int, exponents: Exponents) -> fmpq:
        key = (number, exponents)
        if key not in self.known:
            powers = {i: int(power) for i, power in enumerate(exponents) if power}
            self.known[key] = self.sources[number].moment(powers)
        return self.known[key]

    @cached_property
    def centred(self) -> tuple[bool, ...]:
        """Of every entry of the sources: whether it is independent of all others, with mean 0."""
        found: list[bool] = []
        for source in self.sources:
            own = source.independent and not source.moment({0: 1})
            found += [own] * prod(source.shape)
        return tuple(found)

    def expectation(self, exponents: Exponents) -> fmpq:
        """E of a monomial in all sources, given by its exponents; empty for 1."""
        if exponents not in self._expected:
            self._expected[exponents] = self._expectation(exponents)
        return self._expected[exponents]

    @cached_property
    def _expected(self) -> dict[Exponents, fmpq]:
        return {}

    def _expectation(self, exponents: Exponents) -> fmpq:
        total, first = fmpq(1), self.entries
        for number, (start, source) in enumerate(zip(self.starts, self.sources, strict=True)):
            own = exponents[start - first : start - first + prod(source.shape)]
            if any(own):
                total *= self._moment(number, own)
                if not total:
                    break
        return total

    def by_parameter(self, value: Any) -> dict[Exponents, dict[Exponents, fmpq]]:
        """Per monomial of the parameters, exponents of all else with coefficients.

        That is the state's entries, and then what is carried.
        """
        if not isinstance(value, Unknown):
            none = (0,) * (self.entries + sum(self.carried))
            return {(0,) * len(self.parameters): {none: rational(value)}}
        if any(value.polynomial.degrees()[self.entries : self.ends]):
            raise Refused("a source is left after expectations were taken")
        found: dict[Exponents, dict[Exponents, fmpq]] = {}
        for exponents, factor in value.polynomial.to_dict().items():
            self.stage_of(exponents)
            own = exponents[: self.entries] + exponents[self.fresh :]
            powers = tuple(map(int, exponents[self.ends : self.fresh]))
            found.setdefault(powers, {})[own] = factor
        return found

    def terms(self, value: Any) -> dict[Exponents, fmpq]:
        """Exponents of the state's entries, each with its coefficient; no source is left."""
        if not isinstance(value, Unknown):
            return {(0,) * self.entries: rational(value)}
        found = {}
        for exponents, factor in value.polynomial.to_dict().items():
            if any(exponents[self.entries :]):
                raise Refused("a source, or a parameter, is left after expectations were taken")
            found[tuple(int(e) for e in exponents[: self.entries])] = factor
        return found

    def affine(self, value: Unknown) -> list[tuple[int | None, fmpq]] | None:
        """Unknowns with their coefficients, None for 1; None if the degree is more than one.

        The order is lexicographic: an affine polynomial has the unknowns in order, 1 last.
        """
        polynomial = value.polynomial
        if polynomial.total_degree() > 1:
            return None
        used: list[int | None] = [
            at for at, degree in enumerate(polynomial.degrees()) if degree > 0
        ]
        return list(zip([*used, None], polynomial.coeffs(), strict=False))

    def occurring(self, value: Any) -> set[int]:
        """Numbers of the sources on which a polynomial depends."""
        if not isinstance(value, Unknown):
            return set()
        every = [exponents[self.entries :] for exponents in value.polynomial.to_dict()]
        ends = zip(self.starts, self.sources, strict=True)
        found = {
            number
            for number, (start, source) in enumerate(ends)
            for own in every
            if any(own[start - self.entries : start - self.entries + prod(source.shape)])
        }
        return found | self.carried_from(value) if self.stages else found

    def carried_from(self, value: Any) -> set[int]:
        """Numbers of the sources on which what was carried depends that occurs in a polynomial."""
        if not isinstance(value, Unknown):
            return set()
        stages = {at for own in value.polynomial.to_dict() for at in self._stages_in(own)}
        used = {at for number in stages for at in self.stages[number].used}
        return {
            number
            for number, (start, source) in enumerate(zip(self.starts, self.sources, strict=True))
            if any(start <= at < start + prod(source.shape) for at in used)
        }

    def degree(self, values: Iterable[Any]) -> int:
        """Largest total degree in the state, and in what was carried."""
        degrees = [
            sum(map(int, (*exponents[: self.entries], *exponents[self.fresh :])))
            for value in values
            if isinstance(value, Unknown)
            for exponents in value.polynomial.to_dict()
        ]
        return max(degrees, default=0)


def variables(
    shapes: Mapping[str, tuple[int, ...]],
    sources: Sequence[Source],
    parameters: tuple[str, ...] = (),
    carried: tuple[int, ...] = (),
    fixed: Mapping[str, Array] | None = None,
) -> Variables:
    """One unknown for every entry of a state with one row, every source, and all the rest."""
    starts, count = [], sum(prod(shape) for shape in shapes.values())
    for source in sources:
        starts.append(count)
        count += prod(source.shape)
    names = [f"x{i}" for i in range(count + len(parameters) + sum(carried))]
    context = fmpq_mpoly_ctx.get(names, Ordering.lex)
    return Variables(
        dict(shapes),
        tuple(sources),
        context,
        tuple(starts),
        {},
        parameters,
        carried,
        [],
        fixed or {},
    )
