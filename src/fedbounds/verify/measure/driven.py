"""Second moments of a large state in floats: the map of a round is read off by driving the step.

With s who takes part and e independent noise of mean zero, a round is x+ = (A + sum_l s_l C_l)
(1, x) + sum_l s_l D_l e, which a small exact twin shows (`twins`) and draws of the large run
confirm. Then E x+ x+' needs of s only E s_l and E s_l s_l'. What rounding did is
not bounded: these numbers are estimates.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from .driving import TRIED, Driving, near
from .random import sampled
from .subject import Subject
from .twins import check_twin, is_noise
from .unknowns import Refused

Array = Any
_NONE = 1e-15  # a covariance that only rounding has left


@dataclass(frozen=True, eq=False)
class Part:
    """A matrix on the rows and columns where it is not zero."""

    rows: Array
    columns: Array
    values: Array

    def add_to(self, matrix: Array, weight: float) -> None:
        """Add a multiple to a matrix, in place."""
        matrix[np.ix_(self.rows, self.columns)] += self.values * weight


@dataclass(frozen=True, eq=False)
class Driven:
    """The map of a round.

    Attributes
    ----------
    subject : Subject
        In floats.
    absent : array, shape (N + 1, N + 1)
        A, the constant first.
    parts : tuple of Part
        C_l, per entry of the law.
    noise : array, shape (N + 1, N + 1)
        What noise adds to E (1, x)(1, x)'.
    means, second : arrays, shapes (L,) and (L, L)
        E s and E s s'.
    shown : mapping from name to array, shape (N + 1, *axes)
        What every vector makes of (1, x).
    shown_noise : mapping from name to array, shape (J, *axes)
        What it makes of the noise of the client that its first axis says.
    places : mapping from field to slice
        Where a field of the state stands in (1, x).
    shapes : mapping from field to shape
    draws : mapping from random object to (bool, bool)
        Whether it says who takes part, and whether it is noise.
    start : array, shape (N + 1, N + 1)
        E (1, x)(1, x)' before round 0.
    """

    subject: Subject
    absent: Array
    parts: tuple[Part, ...]
    noise: Array
    means: Array
    second: Array
    shown: Mapping[str, Array]
    shown_noise: Mapping[str, Array]
    places: Mapping[str, slice]
    shapes: Mapping[str, tuple[int, ...]]
    draws: Mapping[str, tuple[bool, bool]]
    start: Array

    @cached_property
    def _mean(self) -> Array:
        """E of the map."""
        found = self.absent.copy()
        for part, weight in zip(self.parts, self.means, strict=True):
            part.add_to(found, weight)
        return found

    @cached_property
    def _total(self) -> Array:
        found = self.absent * 0
        for part in self.parts:
            part.add_to(found, 1.0)
        return found

    @cached_property
    def _spread(self) -> tuple[float, list[tuple[int, int, float]]]:
        """Covariances of s: what all pairs have, and what some have besides."""
        covariance = self.second - np.outer(self.means, self.means)
        common = float(covariance[0, 1]) if len(self.means) > 1 else 0.0
        rest = covariance - common
        pairs = zip(*np.nonzero(abs(rest) > _NONE), strict=True)
        return common, [(int(i), int(j), float(rest[i, j])) for i, j in pairs]

    def after(self, moment: Array) -> Array:
        """E (1, x)(1, x)' after a round from that before."""
        found = self._mean @ moment @ self._mean.T + self.noise
        common, pairs = self._spread
        if common:
            found += (self._total @ moment @ self._total.T) * common
        for one, other, weight in pairs:
            first, second = self.parts[one], self.parts[other]
            inner = moment[np.ix_(first.columns, second.columns)]
            block = first.values @ inner @ second.values.T
            found[np.ix_(first.rows, second.rows)] += block * weight
        found = found / 2
        return found + found.T  # an antisymmetric part of rounding would grow


def drive(subject: Subject, twin: Subject) -> Driven:
    """Read off the map of a round.

    Parameters
    ----------
    subject : Subject
        In floats.
    twin : Subject
        Small and exact, of the same algorithm; see `twins.check_twin`.

    Raises
    ------
    Refused
        If the twin has not the form, something is too large, or draws disagree with the map.
    """
    if subject.algorithm is not twin.algorithm:
        raise Refused(f"the twin runs {twin.algorithm.name}, not {subject.algorithm.name}")
    if subject.changing:
        raise Refused("parameters change from round to round; one map is driven")
    check_twin(twin)
    driving = Driving(subject)
    states = np.eye(driving.size + 1, driving.size, -1)
    absent, shown = driving.run(states, {})
    if driving.p.asked_round:
        raise Refused("the step asks for the round; one map is driven")
    means, second = _moments(driving)
    noise, shown_noise, pushed = _noise(driving, second)
    asked = subject.shown.vectors.keys() & shown.keys()
    found = Driven(
        subject,
        _bordered(_responses(absent)),
        tuple(_part(driving, entry, absent) for entry in range(len(means))),
        noise,
        means,
        second,
        {name: _responses(shown[name]) for name in asked},
        {name: array for name, array in shown_noise.items() if array.any()},
        driving.places,
        driving.shapes,
        {name: _random(driving, own) for name, own in subject.shown.draws.items()},
        _start(driving),
    )
    _confirm(driving, found, pushed)
    return found


def _moments(driving: Driving) -> tuple[Array, Array]:
    """E s, E s s'."""
    count = len(driving.entries)
    means, second = np.zeros(count), np.zeros((count, count))
    if driving.law is not None:
        law = driving.sources[driving.law]
        for a in range(count):
            means[a] = float(law.moment({a: 1}))
            for b in range(count):
                second[a, b] = float(law.moment({a: 1, b: 1} if a != b else {a: 2}))
    return means, second


def _part(driving: Driving, entry: int, absent: Array) -> Part:
    """C_l: who takes part moves shared entries and its own, by those of either."""
    client = driving.entries[entry]
    own = [at for at, x in enumerate(driving.owners) if x in (None, client)]
    states = np.zeros((len(own) + 1, driving.size))
    states[range(1, len(own) + 1), own] = 1.0
    columns = np.array([0, *(1 + at for at in own)])
    present, _ = driving.run(states, {driving.law or 0: driving.present(entry, len(states))})
    matrix = _responses(present - absent[columns]).T
    rows = np.flatnonzero((matrix != 0).any(axis=1))
    return Part(1 + rows, columns, matrix[rows])


def _noise(driving: Driving, second: Array) -> tuple[Array, dict[str, Array], Array]:
    """What noise adds to E x x', and what vectors make of that of their own client.

    And what the draws that are tried add to the next state.
    """
    added, tried = np.zeros((driving.size + 1,) * 2), np.zeros((TRIED, driving.size))
    shown: dict[str, list[Array]] = {}
    for number in driving.noises:
        every: dict[str, list[Array]] = {}
        drawn = driving.tried[number].reshape(TRIED, driving.clients, -1) / driving.scale(number)
        for client in range(driving.clients):
            pushed = _pushed(driving, number, client, every)
            for one, first in pushed.items():
                tried += drawn[:, client] @ first * driving.weight(one)
                for other, more in pushed.items():
                    weight = 1.0 if one is None or other is None else second[one, other]
                    rows = np.flatnonzero(first.any(axis=0) | more.any(axis=0))
                    added[np.ix_(1 + rows, 1 + rows)] += first[:, rows].T @ more[:, rows] * weight
        for name, arrays in every.items():
            shown.setdefault(name, []).append(np.stack(arrays, axis=1))
    return added, {name: np.concatenate(arrays, axis=0) for name, arrays in shown.items()}, tried


def _pushed(
    driving: Driving, number: int, client: int, every: dict[str, list[Array]]
) -> dict[int | None, Array]:
    """Next states under the noise of a client, per entry of the law that is the client's.

    Parameters
    ----------
    every : dict
        What vectors of the client make of it is entered.
    """
    source = driving.sources[number]
    inner = prod(source.shape[1:])
    unit = np.zeros((inner + 1, driving.clients, inner))
    unit[range(1, inner + 1), client, range(inner)] = driving.scale(number)
    states = np.zeros((inner + 1, driving.size))
    entries: list[int | None] = [at for at, own in enumerate(driving.entries) if own == client]
    found: dict[int | None, Array] = {}
    for entry in entries or [None]:
        present = {} if entry is None else {driving.law or 0: driving.present(entry, inner + 1)}
        after, shown = driving.run(states, {number: unit, **present})
        found[entry] = after[1:] - after[:1]
    for name, indices in driving.subject.shown.vectors.items():
        if name in shown and indices and shown[name].shape[1] == driving.clients:
            own = shown[name][:, client]
            every.setdefault(name, []).append(own[1:] - own[:1])
    return found


def _random(driving: Driving, arrays: tuple[str, ...]) -> tuple[bool, bool]:
    """Whether arrays of ``draw`` vary with the law, and whether with noise."""
    none = driving.drawn({})

    def vary(numbers: list[int]) -> bool:
        ones = {at: np.ones((1, prod(driving.sources[at].shape))) for at in numbers}
        other = driving.drawn(ones)
        return any((none[name] != other[name]).any() for name in arrays)

    found = vary([] if driving.law is None else [driving.law]), vary(driving.noises)
    if all(found):
        raise Refused(f"{', '.join(arrays)} are both noise and who takes part")
    return found


def _start(driving: Driving) -> Array:
    """E (1, x)(1, x)' before round 0."""
    sources = driving.of_init
    noisy = [at for at, source in enumerate(sources) if source.count != 1]
    if not all(is_noise(sources[at]) for at in noisy):
        raise Refused("init draws what is no noise")
    mean = driving.started({}, 1)[0]
    point = np.concatenate([[1.0], mean])
    found, samples = np.outer(point, point), sampled(sources, exact=False, rows=TRIED)
    wanted = mean + np.zeros((TRIED, 1))
    for at in noisy:
        count = prod(sources[at].shape)
        own = driving.started({at: np.eye(count)}, count) - mean
        found[1:, 1:] += own.T @ own * float(sources[at].moment({0: 2}))
        wanted = wanted + samples[at].reshape(TRIED, count) @ own
    if not near(driving.started({at: samples[at] for at in noisy}, TRIED), wanted):
        raise Refused("init is not affine in what it draws")
    return found


def _responses(rows: Array) -> Array:
    """Of the origin and of unit states: what (1, x) are multiplied with, on the first axis."""
    found = rows - rows[:1]
    found[0] = rows[0]
    return found


def _bordered(responses: Array) -> Array:
    """As a matrix that acts on (1, x)."""
    top = np.zeros((1, len(responses)))
    top[0, 0] = 1.0
    return np.concatenate([top, responses.T], axis=0)


def _confirm(driving: Driving, found: Driven, pushed: Array) -> None:
    """Hold the map against the step on some states and draws."""
    states = np.random.default_rng(1).standard_normal((TRIED, driving.size))
    after, shown = driving.run(states, dict(enumerate(driving.tried)))
    for row, state in enumerate(states):
        matrix, point = found.absent.copy(), np.concatenate([[1.0], state])
        for entry, part in enumerate(found.parts):
            part.add_to(matrix, driving.weight(entry)[row, 0])
        wanted = [(after[row], (matrix @ point)[1:] + pushed[row])]
        wanted += [
            (
                shown[name][row],
                np.tensordot(point, own, axes=1) + _own_noise(driving, found, name, row),
            )
            for name, own in found.shown.items()
        ]
        if not all(near(one, other) for one, other in wanted):
            raise Refused("the step of the large run is not the map that was read off")


def _own_noise(driving: Driving, found: Driven, name: str, row: int) -> Any:
    """What a vector has of the noise that is tried."""
    if name not in found.shown_noise:
        return 0.0
    own = [
        driving.tried[at][row].reshape(driving.clients, -1) / driving.scale(at)
        for at in driving.noises
    ]
    return np.einsum("ij,ji...->i...", np.concatenate(own, axis=1), found.shown_noise[name])
