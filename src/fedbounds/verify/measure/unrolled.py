"""One round run on unknowns: the next state as polynomials in the state and the sources.

Sources that select are listed, a row for each outcome; if the step asks of a source what a
polynomial cannot answer, all sources are. Of a step that is made of stages, each stage is run.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.errors import FedboundsError

from .blocks import Blocks, blocks, quietly
from .contract import Parameters, See, State, called, drawn_by, one_step, stepped
from .listed import calls_along, joint
from .random import MOST_OUTCOMES, Drawn, Outcomes, Random, answered, count_of, outcomes, sources_of
from .reading import reading, with_derived
from .sources import Source, TooManyError
from .spaces import Unrolled
from .subject import Subject, fields
from .unknowns import NotCarried, Refused, Variables, bare, variables
from .unmoved import Unmoved, anything, unmoved
from .visited import Visits, orders_in, places, visits

Array = Any
MOST_VARIABLES = 600  # entries of the state and of the sources
MOST_TOGETHER = 150  # of which more are taken in groups, where draws do not mix


@dataclass(frozen=True, eq=False)
class Unrolling:
    """A round from an unknown state; rows are the outcomes of the sources that are listed.

    Attributes
    ----------
    variables : Variables
        Of the state and of the sources that are not listed.
    listed : Outcomes
    numbers : tuple of int or None
        Of every call: its number among the variables' sources, None if it is listed.
    drawn, before, shown : dicts of arrays
    ends : dict of arrays or None
        The state after the round; None where neither outcomes nor polynomials tell it.
    asked_round : bool
        Whether the round was asked for.
    by : Visits or Blocks or None
        What the round is known by, where outcomes are not listed: its stages, or groups of draws.
    """

    variables: Variables
    listed: Outcomes
    numbers: tuple[int | None, ...]
    drawn: Drawn
    before: State
    ends: State | None
    shown: Mapping[str, Array]
    asked_round: bool
    by: Visits | Blocks | None = None

    @property
    def after(self) -> State:
        """The state after the round, a row per outcome that is listed.

        Raises
        ------
        Refused
            If there is none.
        """
        if self.ends is None:
            raise Refused(
                "outcomes are not listed: the state after a round is known by its moments"
            )
        return self.ends

    @property
    def around(self) -> dict[str, Array]:
        """The state before the round, and after it where that is a polynomial, by their names."""
        return fields(self.before, self.ends or {})


def unroll(
    subject: Subject,
    shapes: Mapping[str, tuple[int, ...]],
    at: int = 0,
    unknown: tuple[str, ...] = (),
    *,
    carries: bool = False,
    start: State | None = None,
) -> Unrolling:
    """One round on unknowns.

    Parameters
    ----------
    shapes : mapping from field of the state to shape
        With a first axis of length one.
    unknown : tuple of str
        Parameters that are unknown too.
    carries : bool
        Whether what the step carries is unknown anew, where draws are not listed; else it is the
        polynomial that it was.
    start : dict of arrays or None
        The state of which entries are numbers that no round moves: where all rounds are the same.

    Raises
    ------
    Refused
        If the algorithm asks of an unknown more than sums and products, or there are too many.
    """
    p, draw, sources = asked(subject, at)
    apart = ""
    if subject.algorithm.stages is not None:
        try:
            return _in_stages(subject, shapes, p, draw, sources, unknown)
        except Refused as error:
            apart = f"orders are listed, as {error}; "
    if not _few(shapes, sources) and not unknown:
        try:
            return _in_blocks(subject, shapes, p, draw, sources)
        except (FedboundsError, Refused) as error:
            apart = f"by groups of draws: {error}; "
    try:
        return _listing(subject, shapes, p, draw, sources, unknown, carries, start)
    except Refused as error:
        if not apart or isinstance(error, NotCarried):
            raise
        raise Refused(f"{apart}{error}") from error


def together(subject: Subject, shapes: Mapping[str, tuple[int, ...]]) -> bool:
    """Whether entries of the state and draws are few enough to be unknown at once.

    Raises
    ------
    Refused
        If it is in floats.
    """
    return _few(shapes, asked(subject, 0)[2])


def unroll_from(subject: Subject, state: State) -> Unrolling:
    """The first round from a state that is known: polynomials in the sources, of any degree.

    Raises
    ------
    Refused
        As `unroll`.
    """
    p, draw, sources = asked(subject, 0)
    lists = [x.selects or x.count == 1 for x in sources]
    named = _variables({}, sources, lists, (), ())
    return _unrolled(subject, named, p, draw, sources, lists, state=state)


def _few(shapes: Mapping[str, tuple[int, ...]], sources: Sequence[Source]) -> bool:
    drawn = sum(prod(x.shape) for x in sources if x.count != 1)
    return sum(map(prod, shapes.values())) + drawn <= MOST_TOGETHER


def asked(subject: Subject, at: int) -> tuple[Parameters, Any, Sequence[Source]]:
    """Parameters of a round, what it draws, and the sources that are asked for."""
    if not subject.exact:
        raise Refused("it is in floats; polynomials are exact")
    p = subject.parameters(at)

    def draw(random: Random) -> Drawn:
        return drawn_by(subject.algorithm, random, subject.problem, p)

    return p, draw, sources_of(draw, exact=True)


def _listing(
    subject: Subject,
    shapes: Mapping[str, tuple[int, ...]],
    p: Parameters,
    draw: Any,
    sources: Sequence[Source],
    unknown: tuple[str, ...],
    carries: bool,
    start: State | None,
) -> Unrolling:
    """With every outcome of what selects, or of all draws."""
    try:
        lists = [x.selects or x.count == 1 for x in sources]  # one outcome is no randomness
        return _carrying(subject, shapes, p, draw, sources, lists, unknown, carries, start)
    except NotCarried:  # listed draws would hide it
        raise
    except Refused:
        finite = [source.count is not None for source in sources]
        if finite == lists:  # nothing more would be listed, and what is carried is too much whole
            raise
        if not any(finite) or count_of([s for s in sources if s.count]) > MOST_OUTCOMES:
            raise
        still = left_alone(subject, p, draw, sources, finite, start)
        named = _variables(shapes, sources, finite, unknown, (), still.numbers)
        return _unrolled(subject, named, p, draw, sources, finite)


def _no_carry(arrays: tuple[Array, ...]) -> tuple[Array, ...]:
    raise Refused("a step that carries has few draws at a time")


class _Carry:
    """What ``see.carry`` does: unknowns in place of polynomials, as many as there are.

    Parameters
    ----------
    named : Variables
    """

    def __init__(self, named: Variables) -> None:
        self._named = named
        self.place, self.missing = 0, 0  # where another number is carried than is known, and which

    def __call__(self, arrays: tuple[Array, ...]) -> tuple[Array, ...]:
        entries = [entry for array in arrays for entry in array.reshape(-1).tolist()]
        moving = [at for at, entry in enumerate(entries) if _varies(entry)]
        if not moving:
            return arrays
        self.place = len(self._named.stages)
        if self._named.carried[self.place : self.place + 1] != (len(moving),):
            self.missing = len(moving)
            raise Refused("it carries another number than is known")
        fresh = np.empty(len(entries), dtype=object)
        fresh[:] = entries
        fresh[moving] = self._named.carry([entries[at] for at in moving])
        ends = np.cumsum([array.size for array in arrays])[:-1]
        parts = zip(np.split(fresh, ends), arrays, strict=True)
        return tuple(own.reshape(array.shape) for own, array in parts)


def _varies(entry: Any) -> bool:
    """Whether it is no number."""
    polynomial = bare(entry)
    return hasattr(polynomial, "total_degree") and bool(polynomial.total_degree() > 0)


def _carrying(
    subject: Subject,
    shapes: Mapping[str, tuple[int, ...]],
    p: Parameters,
    draw: Any,
    sources: Sequence[Source],
    lists: Sequence[bool],
    unknown: tuple[str, ...],
    carries: bool,
    start: State | None,
) -> Unrolling:
    """Once more with more unknowns, as often as the step carries more.

    Where it carries again, it is taken to do so as often as before.
    """
    still = left_alone(subject, p, draw, sources, lists, start)
    fixed, carried = still.numbers, still.carried
    whole = all(source.count == 1 for source, own in zip(sources, lists, strict=True) if own)
    if not (carries and whole) or _count(shapes, sources, lists, carried) > MOST_VARIABLES:
        carried = ()
    while carries and whole:
        named = _variables(shapes, sources, lists, unknown, carried, fixed)
        carry = _Carry(named)
        try:
            found = _unrolled(subject, named, p, draw, sources, lists, carry)
        except Refused:
            if not carry.missing:
                raise
            carried = carried[: carry.place]
            room = (MOST_VARIABLES - named.fresh - sum(carried)) // carry.missing
            carried += (carry.missing,) * max(1, min(len(carried), room))
        else:
            if len(named.stages) == len(carried):
                return found
            carried = carried[: len(named.stages)]  # fewer: without those that stand for nothing
    named = _variables(shapes, sources, lists, unknown, carried, fixed)
    return _unrolled(subject, named, p, draw, sources, lists)


def left_alone(
    subject: Subject,
    p: Parameters,
    draw: Any,
    sources: Sequence[Source],
    lists: Sequence[bool],
    start: State | None,
) -> Unmoved:
    """What a round from this start leaves as it is, and so every round, if all are the same."""
    if start is None:
        return Unmoved()
    every = joint_outcomes(sources, lists)
    rows, known = len(every.chances), iter(every.answers)
    answers = [
        next(known) if own else anything((rows, *source.shape))
        for source, own in zip(sources, lists, strict=True)
    ]
    what = subject.algorithm, subject.problem, p
    try:
        drawn = answered(draw, sources, answers)
        found = unmoved(start, rows, lambda before, carry: one_step(*what, before, drawn, carry)[0])
    except (FedboundsError, Refused):  # the round on unknowns says what is wrong
        return Unmoved()
    return Unmoved() if p.asked_round else found


def joint_outcomes(sources: Sequence[Source], lists: Sequence[bool]) -> Outcomes:
    """All joint outcomes of those that are listed."""
    try:
        return outcomes([s for s, own in zip(sources, lists, strict=True) if own], exact=True)
    except TooManyError as error:
        raise Refused(str(error)) from error


def _variables(
    shapes: Mapping[str, tuple[int, ...]],
    sources: Sequence[Source],
    lists: Sequence[bool],
    unknown: tuple[str, ...],
    carried: tuple[int, ...],
    fixed: Mapping[str, Array] | None = None,
) -> Variables:
    count = _count(shapes, sources, lists, carried)
    if count > MOST_VARIABLES:
        raise Refused(f"{count} unknowns; at most {MOST_VARIABLES}")
    free = [source for source, own in zip(sources, lists, strict=True) if not own]
    return variables(shapes, free, unknown, carried, fixed)


def _count(
    shapes: Mapping[str, tuple[int, ...]],
    sources: Sequence[Source],
    lists: Sequence[bool],
    carried: tuple[int, ...],
) -> int:
    """Of unknowns."""
    free = [prod(source.shape) for source, own in zip(sources, lists, strict=True) if not own]
    return sum(map(prod, shapes.values())) + sum(free) + sum(carried)


def _unrolled(
    subject: Subject,
    named: Variables,
    p: Parameters,
    draw: Any,
    sources: Sequence[Source],
    lists: Sequence[bool],
    carry: _Carry | None = None,
    state: State | None = None,
) -> Unrolling:
    every = joint_outcomes(sources, lists)
    rows = len(every.chances)
    blocks, known = iter(named.answers()), iter(every.answers)
    answers = [next(known) if own else _repeated(next(blocks), rows) for own in lists]
    given = named.state() if state is None else state
    before = {name: _repeated(array, rows) for name, array in given.items()}
    try:
        drawn = answered(draw, sources, answers)
        traced = p.with_values({name: named.parameter(name) for name in named.parameters})
        step = one_step if subject.steers else stepped
        after, shown = step(subject.algorithm, subject.problem, traced, before, drawn, carry)
        if named.stages:
            named.together([entry for array in after.values() for entry in array.reshape(-1)])
    except FedboundsError as error:  # whatever it is, enumeration tells it where it matters
        raise Refused(str(error)) from error
    counter = iter(range(len(named.sources)))
    numbers = tuple(None if own else next(counter) for own in lists)
    asked = p.asked_round or traced.asked_round
    return Unrolling(named, every, numbers, drawn, before, after, shown, asked)


def _in_stages(
    subject: Subject,
    shapes: Mapping[str, tuple[int, ...]],
    p: Parameters,
    draw: Any,
    sources: Sequence[Source],
    unknown: tuple[str, ...],
) -> Unrolling:
    """Each stage by itself; orders are not listed."""
    stages, orders = subject.algorithm.stages, orders_in(sources)
    assert stages is not None
    if unknown:
        raise Refused(f"{', '.join(unknown)} changes from round to round")
    silent = [source.count == 1 and n not in orders for n, source in enumerate(sources)]
    free = [x for n, x in enumerate(sources) if n not in orders and not silent[n]]
    if sum(map(prod, shapes.values())) + sum(prod(x.shape) for x in free) > MOST_VARIABLES:
        raise Refused(f"more than {MOST_VARIABLES} unknowns")
    named = variables(shapes, free)
    every = outcomes([x for x, own in zip(sources, silent, strict=True) if own], exact=True)
    blocks, known, owner = iter(named.answers()), iter(every.answers), iter(range(len(orders)))
    answers = [
        places(source, next(owner)) if n in orders else next(known if silent[n] else blocks)
        for n, source in enumerate(sources)
    ]
    before = named.state()
    see = See(1, _no_carry)
    try:
        drawn = answered(draw, sources, answers)
        called(stages.begin, subject.problem, p, before, see)
        found = visits(subject, stages, p, before, drawn, named)
    except FedboundsError as error:
        raise Refused(str(error)) from error
    counter = iter(range(len(free)))
    numbers = tuple(
        None if n in orders or silent[n] else next(counter) for n in range(len(sources))
    )
    return Unrolling(named, every, numbers, drawn, before, None, see.shown, p.asked_round, found)


def _in_blocks(
    subject: Subject,
    shapes: Mapping[str, tuple[int, ...]],
    p: Parameters,
    draw: Any,
    sources: Sequence[Source],
) -> Unrolling:
    """By groups of draws that do not mix; what depends on draws is not shown."""
    checked = 0

    def run(answers: Sequence[Array], state: State) -> tuple[State, Mapping[str, Array]]:
        nonlocal checked
        own = answered(draw, sources, answers)
        checked += len(answers[0]) > 1
        what = subject.algorithm, subject.problem, p, state, own
        # rows are held against themselves alone in the first runs
        return one_step(*what) if checked > 1 else stepped(*what, _no_carry)

    found, shown = blocks(shapes, sources, run, {*subject.shown.vectors, *subject.shown.factors})
    named = variables(shapes, ())
    quiet = answered(draw, sources, [quietly(source, 1) for source in sources])
    alone, none = Outcomes((), (), [fmpq(1)]), (None,) * len(sources)
    return Unrolling(named, alone, none, quiet, named.state(), None, shown, p.asked_round, found)


def _repeated(array: Array, rows: int) -> Array:
    return np.concatenate([array] * rows)


def unrolled_space(subject: Subject, trace: Unrolling) -> Unrolled:
    """The vectors of a round: what is listed of a random object is an axis, the rest is integrated.

    Raises
    ------
    FedboundsError
        If two random objects share a call, a call belongs to none, or an array has not the axes
        that it is said to have.
    """
    shown = subject.shown
    draws, groups = _unknown(subject, trace), _listed(subject, trace)
    counts = [int(source.count or 0) for source in trace.listed.sources]
    order = [number for own in groups.values() for number in own]
    order += [number for number in range(len(counts)) if number not in order]  # of one outcome
    sizes = [prod(counts[number] for number in own) for own in groups.values()]
    read = reading(subject, {**trace.around, **trace.shown})

    def by_source(rows: Array) -> Array:
        inner = range(len(counts), len(counts) + rows.ndim - 1)
        ordered = rows.reshape(*counts, *rows.shape[1:]).transpose(*order, *inner)
        return ordered.reshape(1, *sizes, *rows.shape[1:])

    vectors, factors = (
        {name: by_source(array) for name, array in own.items()}
        for own in (read.vectors, read.factors)
    )
    chances = [joint(trace.listed, own, counts, exact=True) if own else None
               for own in groups.values()]  # fmt: skip
    weights = (None, *chances, *read.weights)
    space = Unrolled(
        shown.sources, weights, draws, trace.variables, vectors, factors, tuple(shown.indices)
    )
    return with_derived(subject, space)


def _unknown(subject: Subject, trace: Unrolling) -> dict[str, tuple[int, ...]]:
    """The sources behind every random object, of those that are unknowns."""
    found = {source: _behind(names, trace) for source, names in subject.shown.draws.items()}
    _check_apart(found)
    used = {n for n, source in enumerate(trace.variables.sources) if source.count != 1}
    left = sorted(used - {number for own in found.values() for number in own})
    _check_owned([trace.variables.sources[n].name for n in left])
    return found


def _listed(subject: Subject, trace: Unrolling) -> dict[str, tuple[int, ...]]:
    """Likewise, of those that are listed."""
    sources = trace.listed.sources
    counts = [int(source.count or 0) for source in sources]
    plain = {
        name: np.frompyfunc(bare, 1, 1)(np.asarray(rows, dtype=object))
        for name, rows in trace.drawn.items()
    }
    found = {
        source: tuple(sorted({n for name in names for n in calls_along(name, plain, counts)}))
        for source, names in subject.shown.draws.items()
    }
    _check_apart(found)
    owned = {number for own in found.values() for number in own}
    _check_owned([x.name for n, x in enumerate(sources) if counts[n] > 1 and n not in owned])
    return found


def _check_apart(found: Mapping[str, tuple[int, ...]]) -> None:
    every = [number for own in found.values() for number in own]
    if sorted(every) != sorted(set(every)):
        raise FedboundsError("two random objects of the theory share a call: they are dependent")


def _check_owned(left: Sequence[str]) -> None:
    if left:
        raise FedboundsError(f"no random object of the theory has the draws of {', '.join(left)}")


def _behind(names: Sequence[str], trace: Unrolling) -> tuple[int, ...]:
    """The sources whose unknowns occur in arrays of ``draw``."""
    found: set[int] = set()
    for name in names:
        if name not in trace.drawn:
            raise FedboundsError(f"draw returns no {name!r}; it returns: {', '.join(trace.drawn)}")
        for entry in np.asarray(trace.drawn[name]).reshape(-1):
            found |= trace.variables.occurring(entry)
    return tuple(sorted(found))


def expected(found: Unrolling, values: Sequence[Any]) -> Any:
    """E over all sources of a number per row: a polynomial of the state, or a number."""
    over = range(len(found.variables.sources))
    total: Any = fmpq(0)
    for chance, value in zip(found.listed.chances, values, strict=True):
        total = total + found.variables.mean(value, over) * chance
    return total
