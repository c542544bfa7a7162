"""Second moments of a large state in floats: the map of a round is read off by driving the step.

With s who takes part and e independent noise of mean zero, a round is x+ = (A + sum_l s_l C_l)
(1, x) + sum_l s_l D_l e, which a small exact twin shows (`twins`) and draws of the large run
confirm. Then E x+ x+' needs of s only E s_l and E s_l s_l'. The state is measured from a centre,
near a state that the mean of a round keeps: there few digits cancel. What rounding did is bounded
in `driven_errors`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import prod, sqrt
from typing import Any

import numpy as np
from flint import fmpq

from .averaged import Averaged, Part
from .driven_errors import Weight, Wrong
from .driving import STATE, TRIED, Driving, Rows, near, plain
from .random import sampled
from .rounded import UNIT
from .subject import Subject
from .terms import Law, Term, tied
from .twins import POINT, SLOPE, is_noise
from .unknowns import Refused

Array = Any
_SQUARED = 16  # times that the map of a mean is squared
_FAR = 1e6  # from where nothing is measured, over the start


@dataclass(frozen=True, eq=False)
class Driven:
    """The map of a round.

    Attributes
    ----------
    subject : Subject
        In floats.
    driving : Driving
    centre : array, shape (N,)
        From where the state x is measured.
    absent : array, shape (N + 1, N + 1)
        A, the constant first.
    parts : tuple of Part
        C_l, per entry of the law.
    pushed : mapping from entry of the law to array, shape (J, N)
        What its client's noise adds to the state; per client where there is no law.
    law : Law
    shown : mapping from name to tuple of Term
        What is known of every vector, with the axes of its own indices alone.
    start : array, shape (N + 1, N + 1)
        E (1, x)(1, x)' before round 0.
    begun : array, shape (J', N)
        What noise adds to the state before round 0.
    """

    subject: Subject
    driving: Driving
    centre: Array
    absent: Array
    parts: tuple[Part, ...]
    pushed: Mapping[int, Array]
    law: Law
    shown: Mapping[str, tuple[Term, ...]]
    start: Array
    begun: Array

    @property
    def size(self) -> int:
        """N + 1."""
        return len(self.absent)

    @cached_property
    def averaged(self) -> Averaged:
        """What a round makes of second moments, but for its noise."""
        owners = [None, *self.driving.owners]
        return Averaged(self.absent, self.parts, self.law, owners)

    @cached_property
    def noise(self) -> Array:
        """What noise adds to E (1, x)(1, x)'."""
        found, n = np.zeros((self.size,) * 2), self.driving.clients
        second = self.law.second.reshape((len(self.parts),) * 2)
        for one, first in self.pushed.items():
            for other, more in self.pushed.items():
                weight = float(second[one, other]) if self.parts else float(one == other)
                if one % n == other % n and weight:
                    rows = np.flatnonzero(first.any(axis=0) | more.any(axis=0))
                    found[np.ix_(1 + rows, 1 + rows)] += first[:, rows].T @ more[:, rows] * weight
        return (found + found.T) / 2

    def after(self, moment: Array) -> Array:
        """E (1, x)(1, x)' after a round from that before."""
        return self.averaged.around(moment) + self.noise

    # ---- what rounding did; see `driven_errors`

    @cached_property
    def wrong(self) -> Wrong:
        """To the map."""
        squares = np.diagonal(self.law.second.reshape((len(self.parts),) * 2))
        root = float(np.sqrt(squares.max(initial=0.0))) * 1.001
        shown, exact = self.driving.wrong(self.centre, root)
        plainly = {x: y for x, y in exact.items() if x not in {STATE, *self.driving.form.mixed}}
        return Wrong(shown.pop(STATE), shown, self.driving.wrong_start(), plainly)

    def stretch(self, scale: Array) -> float:
        """At least the norm of P -> E A' P A where entries are in these units, of any P.

        Likewise of the sum of the sizes of all products of which it is made: those of P with I and
        p T, or with M twice, are at most 2 |A_0| + sum_l E s_l |C_l||^2.
        """
        found = self.averaged
        own = [
            float(np.linalg.norm(part.values[:, 1:] * scale[part.rows - 1, None]
                                 / scale[part.columns[1:] - 1]))
            for part in found.parts
        ]  # fmt: skip
        every = sum(abs(weight) * own[one] * own[other] for one, other, weight in self.law.pairs)
        mean = float(np.linalg.norm(found.sizes[1:, 1:] * scale[:, None] / scale))
        return (2 * mean**2 + abs(self.law.common) * sum(own) ** 2 + every) * 1.001

    @cached_property
    def lost_in_one(self) -> float:
        """What a response that is driven may differ by from that which the map tells, relative."""
        shown = (float(x.max(initial=0.0)) for x in self.wrong.shown.values())
        return self.size * max(float(self.wrong.after.max(initial=0.0)), *shown, 0.0)

    def lost_noise(self, weight: Weight) -> float:
        """Of the noise of a round, in the nuclear norm of `driven_errors`."""
        noises = len(self.driving.inner)
        roots = np.sqrt(np.diagonal(self.noise)[1:])
        _, _, wrong = weight.of(self.wrong.after)
        size = sqrt(float(roots**2 @ weight.diagonal))  # sqrt(tr P N) of the noise's N, at most
        size = sqrt(len(roots)) * size
        sums = (4 * noises + 8 * len(self.parts) + 8) * UNIT
        square = float(weight.of_square(roots[None])[0])
        return float(2 * size * wrong + wrong**2 + sums * square)

    def shift(self, weight: Weight) -> float:
        """sqrt(E ||G b||^2)."""
        found = self.averaged
        own = [
            float(np.linalg.norm(weight.factor[:, part.rows - 1] @ part.values[:, 0]))
            for part in found.parts
        ]
        mean, total = (
            float(np.linalg.norm(weight.factor @ x[1:, 0])) for x in (found.mean, found.total)
        )
        square = mean**2 + abs(self.law.common) * total**2
        square += sum(abs(factor) * own[one] * own[other] for one, other, factor in self.law.pairs)
        lost = UNIT * self.size * abs(found.mean[1:, 0]) + found.lost[1:, 0]
        rounded = float(weight.of(lost[None])[0])
        return sqrt(square) * 1.001 + rounded + float(weight.of(self.wrong.after)[0])

    def wrong_start(self, weight: Weight) -> tuple[float, float]:
        """To E x, and to E x x', in the norms of `driven_errors`."""
        first, unit = weight.of(self.wrong.begun)
        point = abs(self.start[1:, 0])
        each = point, np.sqrt((self.begun**2).sum(axis=0))
        gap, begun = (float(weight.of(x[None])[0]) for x in each)
        squares = sum(float(weight.of_square(x[None])[0]) for x in each)
        noises = len(self.begun)
        mean = first + UNIT * gap
        wrong = 2 * unit * sqrt(noises)
        sums = (noises + 4) * UNIT * squares
        return mean, 2 * gap * mean + mean**2 + 2 * begun * wrong + wrong**2 + sums

    @cached_property
    def sources(self) -> Mapping[str, tuple[bool, Array]]:
        """Whether a random object says who takes part, and which noises of a client it has."""
        return {x: _random(self.driving, own) for x, own in self.subject.shown.draws.items()}


def drive(subject: Subject) -> Driven:
    """Read off the map of a round.

    Parameters
    ----------
    subject : Subject
        In floats.

    Raises
    ------
    Refused
        If a twin has not the form, something is too large, or draws disagree with the map.
    """
    driving = Driving(subject)
    law = _law(driving)
    reading = _Reading(driving)
    centre = _centre(reading, law.means.reshape(-1))
    reading.measure_from(centre)
    start, begun = _start(driving, centre)
    found = Driven(
        subject,
        driving,
        centre,
        reading.map_,
        tuple(reading.parts),
        reading.pushed,
        law,
        reading.shown(),
        start,
        begun,
    )
    _confirm(found)
    return found


class _Reading:
    """Responses to unit states and unit draws."""

    def __init__(self, driving: Driving) -> None:
        self.driving = driving
        n = driving.clients
        size = driving.size
        self.asked = _asked(driving)
        self.mixed = self.asked & driving.form.mixed
        self.kinds = len(driving.entries) // n
        states = np.eye(size + 1, size, -1)
        ((after, shown),) = driving.run([Rows(states)], self.asked)
        self.absent = np.concatenate([after[:1], after[1:] - after[:1]])
        self.vectors = {x: np.concatenate([y[:1], y[1:] - y[:1]]) for x, y in shown.items()}
        self.parts: list[Part] = []
        self.moved: dict[str, list[tuple[Array, Array]]] = {}
        if driving.entries:
            self._take_part()
        self._push()

    def _take_part(self) -> None:
        """What presence adds: all clients have unit states at once, as each weighs its own."""
        driving = self.driving
        met = driving.columns
        units = np.zeros((1 + met.shape[1], driving.size))
        for row, entries in enumerate(met.T, 1):
            units[row, entries] = 1.0
        after, shown = driving.crossed(Rows(units), self.mixed)
        for at, client in enumerate(driving.entries, 1):
            own = np.concatenate([[0], 1 + met[client]])
            self.parts.append(_part(_less(after[at], after[0]), own))
            for name, seen in shown.items():
                moved = _less(_with(seen, at), seen[0])
                self.moved.setdefault(name, []).append((own, moved))

    def _push(self) -> None:
        """Noise of all clients at once: each is alone, or weighed by its own presence."""
        driving, n = self.driving, self.driving.clients
        self.pushed: dict[int, Array] = {}
        self.tied: dict[str, Array] = {}
        self.apart: dict[str, list[Array]] = {}
        if not driving.inner:
            return
        states = np.zeros((len(driving.inner) + 1, driving.size))
        every: Any
        if driving.entries:
            after, shown = driving.crossed(Rows(states, driving.units(None)), self.asked)
            alone = {name: seen[0] for name, seen in shown.items()}
            every = [
                (after[at], {name: _with(seen, at) for name, seen in shown.items()})
                for at in range(1, len(after))
            ]
        else:
            ((_, alone),) = driving.run([Rows(states, driving.units(None))], self.asked)
            every = driving.run([Rows(states, driving.units(x)) for x in range(n)], self.mixed)
        for name in alone:
            indices = driving.subject.shown.vectors[plain(name)]
            own = alone[name][1:] - alone[name][:1]
            if (
                indices
                and own.shape[1] == n
                and not (name in driving.form.mixed and not self.kinds)
            ):
                self.tied[name] = own
        for at, (after, seen) in enumerate(every):
            self.pushed[at] = after[1:] - after[:1]
            clients = slice(None) if driving.entries else at  # whose noise there was
            for name in self.mixed & seen.keys():
                moved = seen[name][1:] - seen[name][:1]
                if name in self.tied:
                    moved[:, clients] -= self.tied[name][:, clients]
                self.apart.setdefault(name, []).append(moved)

    def measure_from(self, centre: Array) -> None:
        """With the constants that there are where the state is measured from a centre."""
        driving = self.driving
        point = centre[None]
        after, shown = driving.crossed(Rows(point), self.asked)
        self.absent[0] = after[0, 0] - centre
        self.map_ = _bordered(self.absent)
        for name, own in self.vectors.items():
            own[0] = shown[name][0, 0]
        for at, old in enumerate(self.parts):
            own = after[1 + at, 0] - after[0, 0]
            rows = np.unique(np.concatenate([old.rows, 1 + np.flatnonzero(own)])).astype(int)
            values = np.zeros((len(rows), len(old.columns)))
            values[np.searchsorted(rows, old.rows)] = old.values
            values[:, 0] = own[rows - 1]
            self.parts[at] = Part(rows, old.columns, values)
            for name, moved in self.moved.items():
                moved[at][1][0] = _with(shown[name], 1 + at)[0] - shown[name][0, 0]

    def shown(self) -> dict[str, tuple[Term, ...]]:
        """The terms of every vector."""
        driving, n, found = self.driving, self.driving.clients, {}
        for name, own in self.vectors.items():
            terms = [Term(own[:, None], noise=False)]
            if name in self.tied and self.tied[name].any():
                terms.append(Term(self.tied[name][:, None], noise=True, tied=2))
            clients = driving.subject.shown.vectors[plain(name)] and own.shape[1] == n
            every = []
            for kind in range(self.kinds):
                entries = range(kind * n, (kind + 1) * n)
                if name in self.moved:
                    array = np.zeros((len(own), n, *own.shape[1:]))
                    for c, at in enumerate(entries):
                        columns, values = self.moved[name][at]
                        array[columns, c] = values
                    every.append(Term(array, False, kind))
                if name in self.apart:
                    array = np.stack([self.apart[name][at] for at in entries], axis=1)
                    every.append(Term(array, True, kind))
            if not self.kinds and name in self.apart:
                every.append(Term(np.stack(self.apart[name], axis=1), True))
            terms += [tied(x, 2, n) if clients else x for x in every if x.array.any()]
            found[name] = tuple(terms)
        return found


def _asked(driving: Driving) -> set[str]:
    """Vectors of the theory that are driven, and what values are made of."""
    shown = driving.subject.shown.vectors
    every = {name + x for name in shown for x in ("", POINT, SLOPE)}
    return {name for name in every if plain(name) not in driving.form.refused}


def _with(seen: Array, at: int) -> Array:
    """What is seen with a presence; what presence is not in has one row for all."""
    return np.asarray(seen[at if len(seen) > 1 else 0])


def _less(present: Array, absent: Array) -> Array:
    """What presence adds to (1, x)."""
    found = present - absent
    return np.concatenate([found[:1], found[1:] - found[:1]])


def _law(driving: Driving) -> Law:
    """E s, E s s', by kind and client; covariances are rounded once."""
    count, n = len(driving.entries), driving.clients
    moment = None if driving.law is None else driving.sources[driving.law].moment
    every = range(count)
    means = [moment({a: 1}) for a in every] if moment else []
    second = [[moment({a: 1, b: 1} if a != b else {a: 2}) for b in every] for a in every if moment]
    spread = [[second[a][b] - means[a] * means[b] for b in every] for a in every]
    common = spread[0][1] if count > 1 else fmpq(0)
    pairs = ((a, b, float(spread[a][b] - common)) for a in every for b in every)
    kinds, whole = count // n, sum(means, fmpq(0))
    surely = kinds == 1 and whole**2 == sum((x for row in second for x in row), fmpq(0))
    return Law(
        np.array(list(map(float, means))).reshape(kinds, n),
        np.array([float(x) for row in second for x in row]).reshape(kinds, n, kinds, n),
        float(common),
        tuple(x for x in pairs if x[2]),
        float(whole) if surely else None,
    )


def _part(moved: Array, columns: Array) -> Part:
    """C_l: who takes part moves shared entries and its own, by those of either."""
    matrix = moved.T
    rows = np.flatnonzero((matrix != 0).any(axis=1))
    return Part(1 + rows, columns, matrix[rows])


def _random(driving: Driving, arrays: tuple[str, ...]) -> tuple[bool, Array]:
    """Whether arrays of ``draw`` vary with the law; and with which noises of a client."""
    none = driving.drawn({})

    def vary(answers: Mapping[int, Array]) -> bool:
        other = driving.drawn(answers)
        return any((none[name] != other[name]).any() for name in arrays)

    law = driving.law is not None and vary({driving.law: np.ones((1, len(driving.entries)))})
    found = np.zeros(len(driving.inner), dtype=bool)
    for number in driving.noises:
        ones = {number: np.ones((1, prod(driving.sources[number].shape)))}
        if vary(ones):
            found |= np.array([at == number for at, _ in driving.inner])
    if law and found.any():
        raise Refused(f"{', '.join(arrays)} are both noise and who takes part")
    return law, found


def _centre(reading: _Reading, means: Array) -> Array:
    """A state that is at rest at the minimiser, where there is one; any point would do.

    Else where the mean of a run tends, after 2^16 rounds, or its start.
    """
    driving = reading.driving
    least = driving.problem.minimiser
    if least is not None and np.isfinite(least).all():
        return driving.started({}, 1, least)[0]
    mean = _bordered(reading.absent)
    for part, weight in zip(reading.parts, means, strict=True):
        part.add_to(mean, weight)
    point = np.concatenate([[1.0], driving.started({}, 1)[0]])
    with np.errstate(over="ignore", invalid="ignore"):
        for _ in range(_SQUARED):
            mean = mean @ mean
        found: Array = (mean @ point)[1:]
    far = not np.isfinite(found).all() or abs(found).max(initial=0.0) > _FAR * abs(point).max()
    return point[1:] if far else found


def _start(driving: Driving, centre: Array) -> tuple[Array, Array]:
    """E (1, x)(1, x)' before round 0, and what noise adds to x."""
    sources = driving.of_init
    noisy = [at for at, source in enumerate(sources) if source.count != 1]
    if not all(is_noise(sources[at]) for at in noisy):
        raise Refused("init draws what is no noise")
    mean = driving.started({}, 1)[0]
    point = np.concatenate([[1.0], mean - centre])
    found, samples = np.outer(point, point), sampled(sources, exact=False, rows=TRIED)
    wanted, every = mean + np.zeros((TRIED, 1)), [np.zeros((0, driving.size))]
    for at in noisy:
        count = prod(sources[at].shape)
        own = driving.started({at: np.eye(count)}, count) - mean
        every.append(own * float(sources[at].moment({0: 2})) ** 0.5)
        wanted = wanted + samples[at].reshape(TRIED, count) @ own
    begun = np.concatenate(every)
    found[1:, 1:] += begun.T @ begun
    if not near(driving.started({at: samples[at] for at in noisy}, TRIED), wanted):
        raise Refused("init is not affine in what it draws")
    return found, begun


def _bordered(responses: Array) -> Array:
    """As a matrix that acts on (1, x)."""
    top = np.zeros((1, len(responses)))
    top[0, 0] = 1.0
    return np.concatenate([top, responses.T], axis=0)


# ---- against the step itself


def _confirm(found: Driven) -> None:
    """Hold the map against the step on some states and draws."""
    driving = found.driving
    states = np.random.default_rng(1).standard_normal((TRIED, driving.size))
    rows = Rows(states + found.centre, dict(enumerate(driving.tried)))
    driving.check_means(rows.states, rows.answers)
    ((after, shown),) = driving.run([rows], found.shown.keys())
    for row, state in enumerate(states):
        point = np.concatenate([[1.0], state])
        wanted = [(after[row], found.centre + _next(found, point, row))]
        wanted += [
            (shown[name][row], _vector(found, terms, point, row))
            for name, terms in found.shown.items()
        ]
        if not all(near(one, other, found.lost_in_one) for one, other in wanted):
            raise Refused("the step of the large run is not the map that was read off")


def _next(found: Driven, point: Array, row: int) -> Array:
    matrix = found.absent.copy()
    for entry, part in enumerate(found.parts):
        part.add_to(matrix, _present(found, row)[entry])
    total: Array = (matrix @ point)[1:]
    for entry, own in found.pushed.items():
        weight = _present(found, row)[entry] if found.parts else 1.0
        total = total + weight * _drawn(found, row)[entry % found.driving.clients] @ own
    return total


def _vector(found: Driven, terms: tuple[Term, ...], point: Array, row: int) -> Array:
    total: Any = 0.0
    n = found.driving.clients
    for x in terms:
        clients = n if x.tied is not None else x.array.shape[1]
        weight = np.ones(clients)
        if x.kind is not None:
            weight = _present(found, row)[x.kind * n : (x.kind + 1) * n]
        inputs = _drawn(found, row) if x.noise else np.broadcast_to(point, (clients, len(point)))
        own = inputs * weight[:, None]
        if x.tied is None:
            total = total + np.tensordot(own, x.array, axes=((1, 0), (0, 1)))
        else:
            along = own.T.reshape(-1, *(n if at == x.tied else 1 for at in range(2, x.array.ndim)))
            total = total + (x.array[:, 0] * along).sum(axis=0)
    return total


def _present(found: Driven, row: int) -> Array:
    driving = found.driving
    return np.zeros(0) if driving.law is None else driving.tried[driving.law][row]


def _drawn(found: Driven, row: int) -> Array:
    """Noises of variance 1, shape (n, J)."""
    driving = found.driving
    own = [
        driving.tried[at][row].reshape(driving.clients, -1) / driving.scale(at)
        for at in driving.noises
    ]
    return np.concatenate(own, axis=1) if own else np.zeros((driving.clients, 0))
