"""Where mean squares settle, also of runs that are projected: three ways, each with a certificate.

Moments contract (`limits`). Or a start leads to finitely many states, and one outcome takes all of
them to the same one. Or every round leaves a face of the box invariant: what is pushed against a
bound stays there, all else moves as if it were free, and its moments contract.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import product as every_one
from typing import Any

import numpy as np
import sympy as sp
from flint import fmpq

from fedbounds.problems.linear import solve

from .clients import Clients
from .contract import MODEL, State
from .enumerated import Round, Rows, begun, draws_of, first_outcome, sources_of_init, taken
from .limits import Limit, limit
from .listed import listed_space
from .moments import form
from .random import Drawn, Outcomes
from .sources import TooManyError
from .spaces import product
from .subject import Subject
from .unknowns import Refused, Unknown
from .unrolled import unrolled_space

Array = Any
Values = Mapping[str, Any]
_MOST_STATES = 24
_MOST_FACES = 3**4


def settled(subject: Subject, node: sp.Expr, values: Values) -> fmpq:
    """What sq(x) or ip(x, y) tends to, from the start of a run.

    Raises
    ------
    Refused
        If none of the three ways certifies a limit.
    """
    reasons = []
    for way in (by_moments, by_states, on_a_face):
        try:
            return way(subject, node, values)
        except Refused as error:
            reasons.append(str(error))
    raise Refused("; ".join(dict.fromkeys(reasons)))


def by_moments(subject: Subject, node: sp.Expr, values: Values) -> fmpq:
    """Of rounds that are affine in the state, whatever the start."""
    return _of_moments(subject, limit(subject), node, values)


def _of_moments(subject: Subject, found: Limit, node: sp.Expr, values: Values) -> fmpq:
    space = unrolled_space(subject, found.unrolled)
    return found(form(space.variables, product(node, space, values)))


# ---- finitely many states


def by_states(subject: Subject, node: sp.Expr, values: Values) -> fmpq:
    """By the stationary law of the states that come back for ever."""
    rounds = FromAnywhere.of(subject)
    reached = _closure(rounds, rounds.first())
    likely = [at for at, chance in enumerate(rounds.every.chances) if chance]
    ends = [{row[at] for row in reached.values()} for at in likely]
    common = [next(iter(end)) for end in ends if len(end) == 1]
    if not common:
        raise Refused("no outcome of a round takes all states to one")
    recurrent = _closure(rounds, common[:1])  # only what a common end leads to comes back
    place = {state: at for at, state in enumerate(recurrent)}
    flow = np.full((len(place), len(place)), fmpq(0), dtype=object)
    for state, row in recurrent.items():
        flow[place[state], place[state]] -= 1
        for end, chance in zip(row, rounds.every.chances, strict=True):
            flow[place[end], place[state]] += chance
    flow[0] = fmpq(1)  # one equation is the sum of the others; the law adds up to 1
    right = np.array([[fmpq(int(at == 0))] for at in range(len(place))], dtype=object)
    law = solve(flow, right)
    assert law is not None
    rows = Rows(rounds.states(list(place)), law[:, 0])
    found: fmpq = product(node, listed_space(subject, rounds.taken(rows)), values)
    return found


@dataclass(frozen=True, eq=False)
class FromAnywhere:
    """A round from any states, under every outcome."""

    subject: Subject
    every: Outcomes
    drawn: Drawn
    starts: State

    @classmethod
    def of(cls, subject: Subject) -> "FromAnywhere":
        """Of a run.

        Raises
        ------
        Refused
            If it is in floats, or has too many outcomes.
        """
        if not subject.exact:
            raise Refused("it is in floats; equal states are told in rationals")
        try:
            every, drawn = draws_of(subject, subject.parameters())
            return cls(subject, every, drawn, begun(subject).state)
        except TooManyError as error:
            raise Refused(str(error)) from error

    def taken(self, rows: Rows) -> Round:
        """A round from these states.

        Raises
        ------
        Refused
            If rounds differ, or there are too many rows.
        """
        p = self.subject.parameters()
        try:
            one = taken(self.subject, p, 0, rows, self.every, self.drawn)
        except TooManyError as error:
            raise Refused(str(error)) from error
        if p.asked_round or self.subject.changing:
            raise Refused("the step depends on the round: states have no common law")
        return one

    def first(self) -> list[tuple[fmpq, ...]]:
        """The states from which a run starts."""
        return _tuples(self.starts)

    def states(self, rows: list[tuple[fmpq, ...]]) -> State:
        """States from all their entries."""
        table = np.array(rows, dtype=object)
        ends = np.cumsum([x[0].size for x in self.starts.values()])[:-1]
        parts = np.split(table, ends, axis=1)
        named = zip(self.starts.items(), parts, strict=True)
        return {name: part.reshape(len(rows), *x.shape[1:]) for (name, x), part in named}

    def after(self, rows: list[tuple[fmpq, ...]]) -> list[list[tuple[fmpq, ...]]]:
        """Where every outcome takes each of these states."""
        chances = np.full(len(rows), fmpq(1), dtype=object)
        one = self.taken(Rows(self.states(rows), chances))
        ends = _tuples(one.after)
        count = len(self.every.chances)
        return [ends[at : at + count] for at in range(0, len(ends), count)]


def _tuples(state: State) -> list[tuple[fmpq, ...]]:
    count = len(next(iter(state.values())))
    table = np.concatenate([x.reshape(count, -1) for x in state.values()], axis=1)
    return [tuple(row) for row in table.tolist()]


def _closure(
    rounds: FromAnywhere, starts: list[tuple[fmpq, ...]]
) -> dict[tuple[fmpq, ...], list[tuple[fmpq, ...]]]:
    """All states that these lead to, and where each outcome takes them."""
    found: dict[tuple[fmpq, ...], list[tuple[fmpq, ...]]] = {}
    waiting = list(dict.fromkeys(starts))
    while waiting:
        found |= zip(waiting, rounds.after(waiting), strict=True)
        ends = (end for state in waiting for end in found[state])
        waiting = [end for end in dict.fromkeys(ends) if end not in found]
        if len(found) + len(waiting) > _MOST_STATES:
            raise Refused(f"more than {_MOST_STATES} states are visited")
    return found


# ---- a face of the box


@dataclass(frozen=True, eq=False)
class OnAFace(Clients):
    """Clients whose projection is that of points beyond some sides of a box, within the others.

    Attributes
    ----------
    sides : array of int
        Of each coordinate: -1 below the box, 1 above, 0 within.
    projected : list of pairs (points, box)
        What was asked for.
    """

    sides: Array = None
    projected: list[tuple[Array, Array]] = field(default_factory=list)

    def project(self, w: Array, box: Array) -> Array:
        """Affine in the points: it is the projection as long as they are where they are said to."""
        self.projected.append((w, box))
        low, high = box
        return np.where(self.sides < 0, w * 0 + low, np.where(self.sides > 0, w * 0 + high, w))


def on_a_face(subject: Subject, node: sp.Expr, values: Values) -> fmpq:
    """Of the free coordinates, on a face that has the start and that no round leaves."""
    start, box = _start_in_box(subject)
    for sides in _faces(start, box):
        own = _within(subject, sides)
        there = replace(subject, problem=own)
        try:
            found = limit(there)
        except Refused:
            continue
        if _stays(found, own, box):
            return _of_moments(there, found, node, values)
    raise Refused("no face of a box is shown to be one that no round leaves")


def _start_in_box(subject: Subject) -> tuple[list[fmpq], Array]:
    """The one model and the ends of the one box that it is projected onto."""
    own = _within(subject, (0,) * subject.problem.dimension)
    state = first_outcome(replace(subject, problem=own)).before
    boxes = {tuple(map(str, np.ravel(box))): box for _, box in own.projected}
    if len(boxes) != 1 or set(state) != {MODEL} or not subject.exact or sources_of_init(subject):
        raise Refused("it is no single model from one start, projected onto one box")
    (box,) = boxes.values()
    start = state[MODEL][0]
    ends = np.stack([start * 0 + end for end in box])
    if any(not low <= x <= high for x, low, high in zip(start, *ends, strict=True)):
        raise Refused("it does not start in the box")
    if 3 ** len(start) > _MOST_FACES:
        raise Refused(f"{3 ** len(start)} faces; at most {_MOST_FACES} are looked at")
    return start.tolist(), ends


def _within(subject: Subject, sides: tuple[int, ...]) -> OnAFace:
    clients = subject.problem
    return OnAFace(clients.objective, clients.xp, np.array(sides))


def _faces(start: list[fmpq], box: Array) -> list[tuple[int, ...]]:
    """Those that have the start; not the corners, which are single states."""
    ways = [
        [0, *([-1] if x == low else []), *([1] if x == high else [])]
        for x, low, high in zip(start, *box, strict=True)
    ]
    return [sides for sides in every_one(*ways) if not all(sides)]


def _stays(found: Limit, own: OnAFace, box: Array) -> bool:
    """Whether points are projected as it was said, and rounds end there, from all of the face.

    All of it is affine, and so decided at the corners of the face.
    """
    trace, (low, high) = found.unrolled, box
    every = [row for points, _ in own.projected for row in points.reshape(-1, len(low))]
    boxes = [np.stack([low * 0 + end for end in ends]) for _, ends in own.projected]
    if any((other != box).any() for other in boxes):
        return False
    if trace.variables.sources or not all(map(_is_affine, np.ravel(every))):
        return False  # what is drawn and not listed could lead away
    ends = [
        (a,) if side < 0 else (b,) if side > 0 else (a, b)
        for side, a, b in zip(own.sides.tolist(), low, high, strict=True)
    ]
    corners = list(every_one(*ends))
    return all(_leads(_at(row, x), own.sides, box) for row in every for x in corners) and all(
        end[0] <= y <= end[-1]
        for row in trace.after[MODEL]
        for x in corners
        for y, end in zip(_at(row, x), ends, strict=True)
    )


def _is_affine(value: Any) -> bool:
    return not isinstance(value, Unknown) or bool(value.polynomial.total_degree() <= 1)


def _at(row: Array, corner: tuple[fmpq, ...]) -> list[fmpq]:
    """Polynomials in the state at a point."""
    return [x.polynomial(*corner) if isinstance(x, Unknown) else x for x in row.tolist()]


def _leads(x: list[fmpq], sides: Array, box: Array) -> bool:
    return all(
        a <= low if side < 0 else a >= high if side > 0 else low <= a <= high
        for a, side, low, high in zip(x, sides.tolist(), *box, strict=True)
    )
