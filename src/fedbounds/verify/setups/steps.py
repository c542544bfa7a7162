"""Every step of a theory's proofs on the theory's own set-ups, by what its vectors are.

A step is evaluated where what it assumes holds, in rationals: of the quantities, constants and
vectors of the set-up, by their definitions. Where a run is in balls, only what is certain counts.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import sympy as sp
from flint import arb, fmpq
from sympy.core.function import AppliedUndef

from fedbounds.errors import ConflictError, FedboundsError
from fedbounds.problems import Evidence
from fedbounds.theory.checker.data import Need, Scope
from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.claims import Claim, Condition
from fedbounds.theory.language.contributed import Contribution, contributed
from fedbounds.theory.language.registry import claim as claim_of
from fedbounds.theory.language.registry import encoded, setups
from fedbounds.theory.language.setups import Says, Setup, View
from fedbounds.theory.language.symbols import k
from fedbounds.theory.proof.language import Written
from fedbounds.theory.proof.read_text import OF_NUMBERS, read_text

from ..measure.balls import enclosed, precise
from ..measure.evaluate import IrrationalError, Roots, UndefinedError, as_roots
from ..measure.known import Known, MissingError
from ..measure.moments import moments
from ..measure.spaces import Listed, Unrolled, alone, depends_on, vector
from ..measure.trace import subject_of
from ..measure.unknowns import Refused, bare
from ..measure.unrolled import unrolled_space
from .found import evidence, known_of, view_of

Array = Any
_FUNCTIONS = {**OF_NUMBERS, "given": sp.Function("given")}
_NOTHING_RUN = ("bound",)  # the algorithms of a claim about parameters alone
_RELATIONS = {"<=": np.less_equal, ">=": np.greater_equal, "==": np.equal}


@dataclass(frozen=True, eq=False)
class Judged:
    """A set-up on which steps are evaluated."""

    setup: Setup
    view: View
    sides: dict[Any, tuple[Array, Array]] = field(default_factory=dict)  # what was evaluated
    signs: dict[sp.Symbol, bool] = field(default_factory=dict)  # and looked at

    @cached_property
    def known(self) -> Known:
        """Its numbers; a set-up of which no step speaks is not run."""
        with precise():
            return known_of(self.setup, self.view)

    @property
    def scopes(self) -> set[str]:
        """What its vectors may be."""
        every = (self.view, self.view.besides)
        return {name for view in every if view is not None for name in view.scopes}

    @property
    def again(self) -> bool:
        """Whether its quantities are those of another view, which looks at the whole run."""
        return bool(self.view.each and self.view.alone)

    @cached_property
    def holding(self) -> Mapping[str, bool]:
        """Which assumptions do."""
        return {name: one.holds is True for name, one in self._evidence.items()}

    @cached_property
    def failing(self) -> set[str]:
        """Which of them do not, for certain."""
        return {name for name, one in self._evidence.items() if one.holds is False}

    @cached_property
    def _evidence(self) -> Mapping[str, Evidence]:
        problem = self.known.trace.subject.problem.objective
        return evidence(self.view, self.known, problem)


def judged_on(theory: str) -> tuple[Judged, ...]:
    """The set-ups of a theory's quick plan, and those for proofs alone."""
    return _judged_on(theory, contributed(theory))


@lru_cache(maxsize=4)  # 50 MiB each; theories are asked in turn
def _judged_on(theory: str, _of: Contribution | None) -> tuple[Judged, ...]:
    """A theory of one's own may be another one later."""
    found = []
    for one in setups(theory):
        if one.quick and one.steps:
            view = view_of(one.setup)
            if view.many:  # not listed: steps speak of every outcome
                continue
            found.append(Judged(one.setup, view))
    return tuple(found)


@precise()
def gaps(theory: str, written: Written) -> list[float]:
    """(right - left) / size of a step, the least of every set-up that can evaluate it."""
    scopes = _scopes(theory, written)
    assumed = written.statement.assumptions
    of_steps = any(side.has(k) for side in (written.left, written.right))
    symbols = _symbols(written)
    found = []
    for on in judged_on(theory):
        if scopes and not scopes & set(on.view.scopes):
            continue
        if not scopes and on.again and not of_steps:
            continue
        if not _speaks_of(written, on.view.runs):
            continue
        if all(on.holding.get(name, False) for name in assumed):
            least = least_on(written, on, symbols)
            if least is not None:
                found.append(least)
    return found


def _speaks_of(written: Written, runs: str) -> bool:
    """Whether a step is about runs of an algorithm, as far as it or its claim says."""
    said = written.statement.algorithm
    if not runs or said:
        return not runs or said == runs
    if written.scope or not written.claim or _of_numbers(written):
        return True
    claim = encoded(entry(written.claim))
    return not isinstance(claim, Claim) or bool({runs, *_NOTHING_RUN} & {*claim.algorithms})


def _of_numbers(written: Written) -> bool:
    """Whether it speaks of no quantity: numbers are the same, whatever is run."""
    return not any(side.atoms(AppliedUndef) for side in (written.left, written.right))


def _scopes(theory: str, written: Written) -> set[str]:
    """What its vectors are; where it has none, what the part that it proves says."""
    if written.scope:
        return {written.scope}
    if not written.claim or written.source != "paper":
        return set()
    parts = claim_of(written.claim).parts
    return {scope for part in parts if part.name == written.part for scope in part.scopes}


def least_on(
    written: Written, on: Judged, symbols: frozenset[sp.Symbol] | None = None
) -> float | None:
    """None where a condition fails throughout, or something has no value; its symbols, if known."""
    symbols = _symbols(written) if symbols is None else symbols
    try:
        rounds = range(written.statement.first, on.known.trace.subject.rounds)
        if not len(rounds):
            return None
        if not all(_has_its_sign(symbol, on) for symbol in symbols):
            return None
        held = [_held(condition, on, rounds) for condition in written.conditions]
        sized = (
            _sized(side.xreplace(on.view.meant), on, rounds)
            for side in (written.left, written.right)
        )
        (left, right), (one, other) = (_alike(*both) for both in zip(*sized, strict=True))
    except (FedboundsError, ZeroDivisionError, IrrationalError, UndefinedError):
        return None
    gap, size, *masks = np.broadcast_arrays(right - left, one + other, *held)
    if written.relation == "==":
        gap = -abs(gap)
    elif written.relation == ">=":
        gap = -gap
    kept = np.ones(gap.shape, dtype=bool)
    for mask in masks:
        kept = kept & mask.astype(bool)
    every = [
        _quotient(x, y) if y > 0 else _quotient(x, fmpq(1))
        for x, y in zip(gap[kept], size[kept], strict=True)
    ]
    return min(every, default=None)


def _alike(left: Array, right: Array) -> tuple[Array, Array]:
    """Sums of roots as balls, where the other side has balls."""
    if not any(isinstance(x, arb) for side in (left, right) for x in side.reshape(-1)):
        return left, right
    to_balls = np.vectorize(lambda x: x.ball() if isinstance(x, Roots) else x, otypes=[object])
    return to_balls(left), to_balls(right)


def _sized(side: sp.Expr, on: Judged, rounds: range) -> tuple[Array, Array]:
    """Once for all steps: they have sides and conditions in common."""
    key = side, rounds
    if key not in on.sides:
        value, size = on.known.sized(side, rounds)
        on.sides[key] = enclosed(value), enclosed(size)
    return on.sides[key]


def _symbols(written: Written) -> frozenset[sp.Symbol]:
    """All symbols of a step and of its conditions."""
    sides = [side for c in written.conditions for side in (c.left, c.right)]
    every = (written.left, written.right, *(sp.sympify(side, strict=True) for side in sides))
    return frozenset().union(*(side.free_symbols for side in every))


def _has_its_sign(symbol: sp.Symbol, on: Judged) -> bool:
    """Whether a number has the sign that its symbol is declared with; proofs rest on it."""
    if symbol.name not in on.known.constants:
        return True
    if symbol not in on.signs:
        value = enclosed(on.known.constant(symbol.name))
        meant = value > 0 if symbol.is_positive else value >= 0 or not symbol.is_nonnegative
        on.signs[symbol] = bool(meant)
    return on.signs[symbol]


def _quotient(x: Any, y: Any) -> float:
    """In floats, however large both are; of sums of roots too; of balls, the upper end."""
    if isinstance(x, arb) or isinstance(y, arb):
        return float((arb(x) / arb(y)).upper())
    if isinstance(x, Roots) or isinstance(y, Roots):
        return float(as_roots(x).ball() / as_roots(y).ball())
    ratio = fmpq(x) / fmpq(y)
    return int(ratio.p) / int(ratio.q)


def _held(condition: Condition, on: Judged, rounds: range) -> Array:
    left, right = _alike(
        *(
            _sized(sp.sympify(side, strict=True), on, rounds)[0]
            for side in (condition.left, condition.right)
        )
    )
    return _RELATIONS[condition.relation](left, right)


# ---- what proofs declare of vectors and of quantities


@precise()
def check_declared(theory: str, scopes: Mapping[str, Scope]) -> None:
    """Hold scopes against the runs of a theory's set-ups.

    Raises
    ------
    ConflictError
        If a vector varies with a source that it is declared not to depend on, does not vanish on
        average over the source that is said to centre it, or is not what it is derived from. Where
        what that needs to be assumed does not hold, it need not vanish.
    """
    for on in judged_on(theory):
        if not scopes.keys() & on.scopes:
            continue
        for at, space, offered in _spaces(on):
            whole = isinstance(space, Listed) or on.view.integrated or on.view.moments
            every = _one_by_one(space, on) if whole else [space]
            for name in offered & scopes.keys():
                for each in every:
                    _check(name, scopes[name], each, on)
                    if whole:
                        _check_derived(name, scopes[name], each, on, at)


@precise()
def check_signs(theory: str, quantities: Mapping[str, bool]) -> None:
    """Hold what is taken for no negative number against the runs of a theory's set-ups.

    Raises
    ------
    ConflictError
        If it is negative in one.
    """
    for on in judged_on(theory):
        if not any(quantities.get(name) for name in on.view.quantities) or on.again:
            continue
        for name in on.view.quantities.keys() & {x for x, signed in quantities.items() if signed}:
            try:
                every = enclosed(on.known.series(name)).reshape(-1)
            except MissingError:
                continue
            negative = next((x for x in every if x < 0), None)
            if negative is not None:
                raise ConflictError(f"{name} is {negative} in a run; the proofs say it is >= 0")


def _spaces(on: Judged) -> Iterator[tuple[int, Listed | Unrolled, set[str]]]:
    """The first two rounds of a set-up, and one with all draws that its view speaks of."""
    for at, space in enumerate(on.known.trace.spaces[:2]):
        yield at, space, set(on.view.scopes)
    if on.view.besides is not None:
        subject = subject_of(on.setup.run, on.view.besides)
        every = unrolled_space(subject, moments(subject).unrolled[0])
        yield 0, every, set(on.view.besides.scopes)


def _check(name: str, scope: Scope, space: Listed | Unrolled, on: Judged) -> None:
    for atom, declared in scope.atoms:
        more = _depends(space, atom) & set(scope.sources) - set(declared)
        if more:
            raise ConflictError(
                f"{atom} of {name!r} depends on {', '.join(sorted(more))} in a run; "
                f"the proofs say {', '.join(declared) or 'on nothing'}"
            )
    excused = {x for own in scope.needs if {*own.assumptions} & on.failing for x in own.vectors}
    for atom, source in scope.centred:
        if atom in space.vectors and source in space.sources and atom not in excused:
            kept = tuple(other for other in space.sources if other != source)
            left = space.mean(space.vectors[atom], kept)
            if any(_is_something(entry) for entry in left.reshape(-1)):
                raise ConflictError(
                    f"{atom} of {name!r} does not vanish on average over {source} in a run"
                )


def _is_something(entry: Any) -> bool:
    """Whether a number, or a polynomial, is not zero; of a ball, whether that is certain."""
    return bool(bare(enclosed(entry)) != 0)


def _one_by_one(space: Listed | Unrolled, on: Judged) -> list[Listed | Unrolled]:
    """For each value of the indices that a view looks at alone; of one, for the one that is."""
    found, only = [space], on.known.only
    for index in on.view.alone:
        count = len(np.asarray(space.weights[space.sources.index(index)]))
        values = [only[index]] if index in only else range(count)
        found = [alone(one, index, at) for one in found for at in values]
    return found


def _check_derived(
    name: str, scope: Scope, space: Listed | Unrolled, on: Judged, at: int = 0
) -> None:
    for atom, said in scope.derived:
        supposed = [need for need in scope.needs if atom in need.vectors]
        if atom not in space.vectors or not all(_met(need, on) for need in supposed):
            continue
        expression = _read(said, on.view.shown.factors)
        try:
            numbers = {
                symbol.name: on.known.constant(symbol.name)
                for symbol in expression.free_symbols
                if symbol.name not in space.vectors and symbol.name not in space.sources
            }
        except MissingError:  # of numbers that this set-up has not
            continue
        apart = vector(expression, space, numbers) - space.vectors[atom]
        if isinstance(space, Unrolled):  # unknown draws are not free: m of n take part
            square = space.mean((apart * apart).sum(axis=-1, keepdims=True), ()).item()
            apart = np.array([on.known.trace.on_average(square, space, at)])
        if any(_is_something(entry) for entry in apart.reshape(-1)):
            raise ConflictError(f"{atom} of {name!r} is another in a run; the proofs say {said}")


def _read(said: str, factors: Iterable[str] = ()) -> sp.Expr:
    own = {name: sp.Function(name) for name in factors}
    return read_text(said, sp.Symbol, {**_FUNCTIONS, **own})


def _met(need: Need, on: Judged) -> bool:
    """Whether a set-up has what is supposed of vectors."""
    conditions = [
        Says(_read(left), relation, _read(right)) for left, relation, right in need.conditions
    ]
    return all(on.holding.get(name) for name in need.assumptions) and not any(
        on.known.broken(says) for says in conditions
    )


def _depends(space: Listed | Unrolled, atom: str) -> frozenset[str]:
    """Nothing, where it is not there, or not defined."""
    if atom not in space.vectors:
        return frozenset()
    try:
        return depends_on(space, space.vectors[atom])
    except (ZeroDivisionError, Refused):
        return frozenset()
