"""Unknowns: polynomials in the entries of the state and of the sources of randomness.

They can be added, multiplied, and divided by numbers; whatever else is asked of one, a comparison
or a test for equality among it, is a refusal: a bare polynomial would answer ``x == 0`` with no,
and so take one branch where there are two.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, wraps
from itertools import groupby
from math import prod
from typing import Any, TypeVar, cast

import numpy as np
from flint import Ordering, fmpq, fmpq_mpoly_ctx

from fedbounds.errors import FedboundsError
from fedbounds.problems.linear import rational

from .monomials import Monomial, monomials
from .sources import Source, entries_together, is_centred

Array = Any
MOST_IN_PRODUCT = 1_000_000  # of the terms of two polynomials: a second's work
Exponents = tuple[int, ...]
_ZERO, _ONE = fmpq(0), fmpq(1)
Operator = TypeVar("Operator", bound=Callable[[Any, Any], Any])


class Refused(Exception):
    """Why a method does not answer; it becomes a record that is counted, never an error."""


class DividedByZeroError(Refused, FedboundsError):
    """A function of a file divides by 0 on this run: a record of it, or an error where none is."""


class RootError(Refused, FedboundsError):
    """A function of a file takes a root that is not rational: in balls it can be taken."""


class NotCarried(Refused):
    """A step uses after ``see.carry`` what it did not carry."""


class TooManyTerms(Refused):
    """Draws of many steps at once make polynomials that grow with every step."""


def entrywise(operator: Operator) -> Operator:
    """An operator that leaves arrays to NumPy, which takes their entries one by one."""

    @wraps(operator)
    def applied(self: Any, other: Any) -> Any:
        return NotImplemented if isinstance(other, np.ndarray) else operator(self, other)

    return cast(Operator, applied)


class Unknown:
    """A polynomial that answers sums and products, and nothing else."""

    __slots__ = ("_monomials", "polynomial")

    def __init__(self, polynomial: Any, known: Mapping[Monomial, fmpq] | None = None) -> None:
        self.polynomial = polynomial
        self._monomials = known

    @property
    def bare(self) -> Any:
        """Its polynomial."""
        return self.polynomial

    @property
    def monomials(self) -> Mapping[Monomial, fmpq]:
        """With their coefficients; read once."""
        if self._monomials is None:
            self._monomials = monomials(self.polynomial)
        return self._monomials

    @property
    def affine(self) -> Mapping[Monomial, fmpq] | None:
        """Its monomials, of one unknown each but for 1; None if the degree is more than one."""
        return None if self.polynomial.total_degree() > 1 else self.monomials

    def __add__(self, other: Any) -> "Unknown":
        kind = type(other)  # the most frequent ones first
        if kind is Unknown:
            return Unknown(self.polynomial + other.polynomial)
        if kind is fmpq:
            return Unknown(self.polynomial + other) if other else self
        if isinstance(other, np.ndarray):
            return NotImplemented  # NumPy takes its entries one by one
        return Unknown(self.polynomial + _operand(other))

    @entrywise
    def __sub__(self, other: Any) -> "Unknown":
        return Unknown(self.polynomial - _operand(other))

    @entrywise
    def __rsub__(self, other: Any) -> "Unknown":
        return Unknown(_operand(other) - self.polynomial)

    def __mul__(self, other: Any) -> Any:
        kind = type(other)
        if kind is fmpq:  # matrices have zeros: what they leave out is no polynomial
            return Unknown(self.polynomial * other) if other else other
        if kind is Unknown:
            _refuse_many(len(self.polynomial) * len(other.polynomial))
            return Unknown(self.polynomial * other.polynomial)
        if isinstance(other, np.ndarray):
            return NotImplemented
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
        _refuse_many(len(self.polynomial) ** int(power))
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


def _refuse_many(products: int) -> None:
    if products > MOST_IN_PRODUCT:
        raise TooManyTerms(f"a product has {products} products of terms; at most {MOST_IN_PRODUCT}")


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
    known: dict[tuple[int, Monomial], fmpq]
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

    def unknown(self, number: int) -> Unknown:
        """By its number."""
        return Unknown(self.context.gen(number), {(number,): _ONE})

    @cached_property
    def ends(self) -> int:
        """Number of the first parameter: the state's entries and the sources' come before."""
        return self.entries + sum(prod(source.shape) for source in self.sources)

    def parameter(self, name: str) -> Unknown:
        """A parameter that changes from round to round."""
        return self.unknown(self.ends + self.parameters.index(name))

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
        return [self.unknown(first + at) for at in range(len(values))]

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
            for monomial in value.monomials if isinstance(value, Unknown) else ():
                stages |= self.stages_in(monomial)
                used |= self.groups_in(monomial)
        if not stages:
            return frozenset(used)
        if len(stages) > 1 or stages != {len(self.stages) - 1}:
            raise NotCarried(
                "what see.carry gave is used after a later see.carry: carry both at once"
            )
        self.refuse_both(self.stages[-1], used)
        return frozenset(used | self.stages[-1].used)

    def refuse_both(self, stage: Stage, used: Set[int]) -> None:
        """Raise if what was carried depends on one of these sources too."""
        if not used & stage.used:
            return
        for number, (start, source) in enumerate(zip(self.starts, self.sources, strict=True)):
            own = range(start, start + prod(source.shape))
            if any(at in own for at in used & stage.used):
                raise NotCarried(
                    f"it uses {self.sources[number].name} before see.carry and after it; carry "
                    "what depends on it"
                )

    def stages_in(self, monomial: Monomial) -> set[int]:
        """Numbers of the places where what stands in a monomial was carried."""
        if not monomial or monomial[-1] < self.fresh:
            return set()
        ends = [stage.first for stage in self.stages]
        carried = monomial[bisect_left(monomial, self.fresh) :]
        return {bisect_right(ends, at) - 1 for at in carried}

    def drawn_in(self, monomial: Monomial) -> tuple[int, int]:
        """Where entries of the sources stand in a monomial: from there, and up to there."""
        return bisect_left(monomial, self.entries), bisect_left(monomial, self.ends)

    def groups_in(self, monomial: Monomial) -> set[int]:
        """Entries of the sources in a monomial, with those that depend on them."""
        first, last = self.drawn_in(monomial)
        every = set(monomial[first:last])
        return {own for at in every for own in self._dependent[at - self.entries]}

    @cached_property
    def _dependent(self) -> list[range]:
        """Of every entry of the sources, the entries that are not independent of it."""
        found: list[range] = []
        for start, source in zip(self.starts, self.sources, strict=True):
            size = entries_together(source)
            for at in range(0, prod(source.shape), size):
                found += [range(start + at, start + at + size)] * size
        return found

    def stage_of(self, monomial: Monomial) -> Stage | None:
        """The place where what stands in a monomial was carried, if anything in it was.

        Raises
        ------
        Refused
            As `together`.
        """
        numbers = self.stages_in(monomial)
        if not numbers:
            return None
        if len(numbers) > 1:
            raise Refused("it multiplies what was carried at two places of a step")
        stage = self.stages[numbers.pop()]
        self.refuse_both(stage, self.groups_in(monomial))
        return stage

    def _block(self, start: int, shape: tuple[int, ...]) -> Array:
        found = np.empty(prod(shape), dtype=object)
        found[:] = [self.unknown(start + i) for i in range(found.size)]
        return found.reshape(shape)

    def mean(self, value: Any, over: Iterable[int]) -> Any:
        """E over the sources of these numbers, which no longer occur; a number if none does."""
        if not isinstance(value, Unknown):
            return value
        degrees = value.polynomial.degrees()
        if any(degrees[: self.entries]) and not any(degrees[self.entries :]):
            return value  # of the state alone
        if self.stages:
            for monomial in value.monomials:
                self.stage_of(monomial)  # which refuses
        own, total = frozenset(over), dict[Monomial, fmpq]()
        for monomial, factor in value.monomials.items():
            first, last = self.drawn_in(monomial)
            left, weight = self.integrated(monomial[first:last], own)
            if weight:
                key = monomial[:first] + left + monomial[last:]
                total[key] = total.get(key, _ZERO) + factor * weight
        return self.made(total)

    def made(self, terms: Mapping[Monomial, fmpq]) -> Any:
        """A polynomial of its monomials with their coefficients; a number if it is one."""
        own = {key: factor for key, factor in terms.items() if factor}
        if not any(own):
            return own.get((), _ZERO)
        long = {}
        for key, factor in own.items():
            exponents = [0] * self.context.nvars()
            for at in key:
                exponents[at] += 1
            long[tuple(exponents)] = factor
        return Unknown(self.context.from_dict(long), own)

    def integrated(self, drawn: Monomial, over: frozenset[int]) -> tuple[Monomial, fmpq]:
        """Of a monomial in the sources: what is left of it, and E of the rest, over some."""
        key = drawn, over
        if key not in self._integrated:
            self._integrated[key] = self._integral(drawn, over)
        return self._integrated[key]

    @cached_property
    def _integrated(self) -> dict[tuple[Monomial, frozenset[int]], tuple[Monomial, fmpq]]:
        return {}

    def _integral(self, drawn: Monomial, over: frozenset[int]) -> tuple[Monomial, fmpq]:
        left, weight = Monomial(), fmpq(1)
        for number, own in groupby(drawn, lambda at: bisect_right(self.starts, at) - 1):
            if number in over:
                weight *= self._moment(number, tuple(own))
            else:
                left += tuple(own)
            if not weight:
                break
        return left, weight

    def _moment(self, number: int, own: Monomial) -> fmpq:
        """E of a monomial in the entries of one source."""
        key = number, own
        if key not in self.known:
            start = self.starts[number]
            powers = {at - start: own.count(at) for at in own}
            self.known[key] = self.sources[number].moment(powers)
        return self.known[key]

    @cached_property
    def centred(self) -> tuple[bool, ...]:
        """Of every entry of the sources: whether it is independent of all others, with mean 0."""
        found: list[bool] = []
        for source in self.sources:
            found += [is_centred(source)] * prod(source.shape)
        return tuple(found)

    def expectation(self, drawn: Monomial) -> fmpq:
        """E of a monomial in the sources."""
        return self.integrated(drawn, self._all)[1]

    @cached_property
    def _all(self) -> frozenset[int]:
        return frozenset(range(len(self.sources)))

    def by_parameter(self, value: Any) -> dict[Exponents, dict[Monomial, fmpq]]:
        """Per monomial of the parameters, monomials of all else with coefficients.

        That is the state's entries, and then what is carried: see `split`.
        """
        if not isinstance(value, Unknown):
            return {(0,) * len(self.parameters): {(): rational(value)}}
        if any(value.polynomial.degrees()[self.entries : self.ends]):
            raise Refused("a source is left after expectations were taken")
        found: dict[Exponents, dict[Monomial, fmpq]] = {}
        for monomial, factor in value.monomials.items():
            self.stage_of(monomial)
            _, powers, own = self.split(monomial)
            found.setdefault(powers, {})[own] = factor
        return found

    def split(self, monomial: Monomial) -> tuple[Monomial, Exponents, Monomial]:
        """What is of the sources, powers of the parameters, and the rest.

        There, numbers of what is carried follow those of the state.
        """
        first, last = self.drawn_in(monomial)
        if last == len(monomial):
            return monomial[first:], (0,) * len(self.parameters), monomial[:first]
        powers, rest = [0] * len(self.parameters), list(monomial[:first])
        for at in monomial[last:]:
            if at < self.fresh:
                powers[at - self.ends] += 1
            else:
                rest.append(at - self.fresh + self.entries)
        return monomial[first:last], tuple(powers), tuple(rest)

    def terms(self, value: Any) -> Mapping[Monomial, fmpq]:
        """Monomials of the state, each with its coefficient; no source is left."""
        if not isinstance(value, Unknown):
            return {(): rational(value)}
        if any(monomial and monomial[-1] >= self.entries for monomial in value.monomials):
            raise Refused("a source, or a parameter, is left after expectations were taken")
        return value.monomials

    def occurring(self, value: Any) -> set[int]:
        """Numbers of the sources on which a polynomial depends."""
        if not isinstance(value, Unknown):
            return set()
        every = set[int]().union(*value.monomials)
        found = {
            bisect_right(self.starts, at) - 1 for at in every if self.entries <= at < self.ends
        }
        return found | self.carried_from(value) if self.stages else found

    def carried_from(self, value: Any) -> set[int]:
        """Numbers of the sources on which what was carried depends that occurs in a polynomial."""
        if not isinstance(value, Unknown):
            return set()
        stages = {at for own in value.monomials for at in self.stages_in(own)}
        used = {at for number in stages for at in self.stages[number].used}
        return {
            number
            for number, (start, source) in enumerate(zip(self.starts, self.sources, strict=True))
            if any(start <= at < start + prod(source.shape) for at in used)
        }

    def degree(self, values: Iterable[Any]) -> int:
        """Largest total degree in the state, and in what was carried."""
        degrees = [
            sum(not self.entries <= at < self.fresh for at in monomial)
            for value in values
            if isinstance(value, Unknown)
            for monomial in value.monomials
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
