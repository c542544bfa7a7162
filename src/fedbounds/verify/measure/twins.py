"""What a small exact twin shows of a step: what may be read off by driving it where it is large.

Of the same algorithm on fewer clients and coordinates, one round is run on unknowns. It must be
affine in the state, of degree one in who takes part, and of degree one in noise; and it must treat
clients apart: what the presence of a client weighs is of its own entries and shared ones, and of
its own noise. Noise of those who are absent is seen in what clients show of themselves alone.
Values of the objective are f(z) = <z, grad f(z) + grad f(0)> / 2, whose factors are affine.
A field of the state that is shared may be the mean of one that clients have, before round 0 and
after every round, whatever is drawn: that is conserved, and polynomials show it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import product as every_two
from math import prod
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.algorithms.traced import Algorithm
from fedbounds.problems import FederatedQuadratic, Noise, NoiseLaw
from fedbounds.theory.language.setups import Shown

from .beginnings import beginning
from .clients import Clients
from .crossed import Crossed
from .sources import Source
from .subject import Subject, as_parameter
from .unknowns import Refused, Unknown, Variables, bare
from .unrolled import Unrolling, unroll

Array = Any
POINT, SLOPE = " at", " slope"  # after the name of a value: its two affine factors
_CLIENTS, _STEPS = 3, 2  # of a twin, and other counts of it


@dataclass(frozen=True, eq=False)
class Valuing(Clients):
    """Clients who note where values are asked for.

    Attributes
    ----------
    asked : list of (value, z, grad f(z) + grad f(0))
    """

    asked: list[tuple[Array, Array, Array]] = field(default_factory=list)

    def value(self, y: Array, v: Array | None = None) -> Array:
        """As of clients."""
        found = super().value(y, v)
        models = self.spread(y) if y.ndim == 2 else y
        blocks = [models] if v is None else [models, v]
        slopes, first = self._slopes(blocks), self._slopes([x[:1] * 0 for x in blocks])
        sums = [a + b for a, b in zip(slopes, first, strict=True)]
        joint = (self.xp.concat(x, axis=2) for x in (blocks, sums))
        self.asked.append((found, *joint))
        return found

    def _of_clients(self, name: str, models: Array) -> Array:
        """As of clients; rows that are crossed once."""
        if isinstance(models, Crossed):
            return models.by_rows(lambda rows: super(Valuing, self)._of_clients(name, rows))
        return super()._of_clients(name, models)

    def _slopes(self, blocks: list[Array]) -> list[Array]:
        return list(self.gradients(*blocks)) if len(blocks) > 1 else [self.gradient(*blocks)]


def valued(problem: Valuing, shown: Mapping[str, Array]) -> dict[str, Array]:
    """What a step showed, with the factors of values in place of these."""
    found = {}
    for name, array in shown.items():
        own = [asked for asked in problem.asked if asked[0] is array]
        if own:
            _, found[name + POINT], found[name + SLOPE] = own[0]
        else:
            found[name] = array
    return found


@dataclass(frozen=True, eq=False)
class Form:
    """What is known of the form of a round.

    Attributes
    ----------
    refused : mapping from vector to reason
        Those that are not driven.
    mixed : frozenset of str
        Vectors in which presence occurs, or noise of other clients.
    means : tuple of pairs (field, field)
        The first is shared and the mean over clients of the second, in all rounds.
    """

    refused: Mapping[str, str]
    mixed: frozenset[str]
    means: tuple[tuple[str, str], ...]


def form_of(subject: Subject) -> Form:
    """Of a subject in floats, read off a small twin; one is made for each shape of subjects.

    Raises
    ------
    Refused
        If the next state has not the form, or it runs on no quadratics.
    """
    given = subject.problem.objective
    if not isinstance(given, FederatedQuadratic):
        raise Refused("only rounds on quadratics are driven")
    n = int(given.clients)
    counts = tuple(
        (name, _small(as_parameter(value, exact=True), n)) for name, value in subject.values.items()
    )
    sizes = min(n, _CLIENTS), min(given.shared_dimension, 1), min(given.personal_dimension, 1)
    silent = not given.noise.scale_u, not given.noise.scale_v
    shown = tuple(subject.shown.vectors.items()), tuple(subject.shown.indices)
    found = _form(subject.algorithm, counts, sizes, silent, shown)
    if isinstance(found, Refused):
        raise found
    return found


def _small(value: Any, n: int) -> Any:
    """A parameter of the twin: counts as small as may be, lists of cohorts that are mixed."""
    if isinstance(value, np.ndarray):
        return ((1, 0, 0), (1, 1, 0), (0, 1, 2))[:n] if value.ndim == 2 else tuple(value.tolist())
    if isinstance(value, int):
        return min(n, _CLIENTS) if value == n else min(int(value), _STEPS)
    return fmpq(1, 4)


@lru_cache(maxsize=64)
def _form(
    algorithm: Algorithm,
    counts: tuple[tuple[str, Any], ...],
    sizes: tuple[int, int, int],
    silent: tuple[bool, bool],
    shown: tuple[Any, Any],
) -> Form | Refused:
    shows = Shown(indices=dict.fromkeys(shown[1], ""), vectors=dict(shown[0]))
    try:
        return check_twin(twin_of(algorithm, counts, sizes, silent, shows))
    except Refused as error:
        return error


def twin_of(
    algorithm: Algorithm,
    counts: tuple[tuple[str, Any], ...],
    sizes: tuple[int, int, int],
    silent: tuple[bool, bool],
    shows: Shown,
) -> Subject:
    """One round on small quadratics.

    Parameters
    ----------
    counts : tuple of pairs (parameter, value)
    sizes : n, d_u, d_v
    silent : pair of bool
        Whether gradients by u, and by v, have no noise.
    """
    n, d, d_v = sizes
    size = d + d_v
    hessian = np.array(
        [[[fmpq(3 + i) if a == b else fmpq(1, 2 + i) for a in range(size)] for b in range(size)]
         for i in range(n)], dtype=object,
    ).reshape(n, size, size)  # fmt: skip
    linear = np.array([[fmpq(1 + i, 2 + a) for a in range(size)] for i in range(n)], dtype=object)
    noise = Noise(NoiseLaw.GAUSSIAN, *(fmpq(0) if own else fmpq(1, 2) for own in silent))
    problem = FederatedQuadratic(hessian, linear.reshape(n, size), d, noise)
    start = np.array([fmpq(1, 2 + a) for a in range(d + n * d_v)], dtype=object)
    values = {name: _of_twin(name, value, n) for name, value in counts}
    return Subject(algorithm, Clients(problem), start, values, 1, shows)


def _of_twin(name: str, value: Any, n: int) -> Any:
    """A parameter; of cohorts, the clients that a twin has."""
    if not isinstance(value, tuple):
        return value
    if not all(isinstance(row, tuple) for row in value):
        raise Refused(f"{name} is a list of numbers, and a twin has fewer clients and coordinates")
    return tuple(row[:n] for row in value)


def is_noise(source: Source) -> bool:
    """Whether its entries are independent, of mean zero."""
    return bool(source.independent and source.count != 1 and not source.moment({0: 1}))


def owner(source: Source, entry: int, clients: int) -> int:
    """The client of an entry: noise has clients on its first axis, presence on its last.

    Raises
    ------
    Refused
        If the source has no such axis.
    """
    axis = 0 if is_noise(source) else -1
    if not source.shape or source.shape[axis] != clients:
        raise Refused(f"{source.name} has no entry for each client")
    inner = prod(source.shape[1:])
    return entry // inner if axis == 0 else entry % clients


def owners(shapes: Mapping[str, tuple[int, ...]], clients: int) -> list[int | None]:
    """The client of every entry of a state, rows first; None where it is shared."""
    found: list[int | None] = []
    for shape in shapes.values():
        own = len(shape) > 2 and shape[1] == clients
        inner = prod(shape[2:])
        found += [at // inner for at in range(clients * inner)] if own else [None] * prod(shape[1:])
    return found


def check_twin(subject: Subject) -> Form:
    """Show on a small subject that a step has the form that driving it takes for granted.

    Raises
    ------
    Refused
        If the next state has not; the message says where.
    """
    problem, first = Valuing(subject.problem.objective, subject.problem.xp), beginning(subject)
    trace = unroll(replace(subject, problem=problem), first.shapes)
    random = [source for source in trace.listed.sources if source.count != 1]
    if random:
        raise Refused(f"{random[0].name} is listed: its outcomes are no polynomial")
    laws = [source for source in trace.variables.sources if not is_noise(source)]
    if len(laws) > 1:
        raise Refused(f"{laws[0].name} and {laws[1].name} are not noise; one such law is driven")
    check = _Check(trace, int(subject.problem.clients))
    for name, array in trace.after.items():
        for entry in array.reshape(-1):
            check.after(f"state[{name!r}]", entry)
    asked, refused, mixed = subject.shown.vectors, dict[str, str](), set[str]()
    for name, array in valued(problem, trace.shown).items():
        own = name.removesuffix(POINT).removesuffix(SLOPE)
        if array.dtype == object and own in asked:
            try:
                mixed |= {name} if check.vector(own, array, asked[own]) else set()
            except Refused as error:
                refused[own] = str(error)
    for value, z, slope in problem.asked:
        if any(bare(entry) != 0 for entry in (value - (z * slope).sum(axis=2) / 2).reshape(-1)):
            raise Refused("a value is no quadratic of where it is asked for")
    return Form(refused, frozenset(mixed), _means(trace, first.state))


def _means(trace: Unrolling, begun: Mapping[str, Array]) -> tuple[tuple[str, str], ...]:
    """Which shared fields are means of which others at first, and remain so."""
    shapes = trace.variables.shapes
    pairs = ((x, y) for x, y in every_two(shapes, shapes) if len(shapes[y]) == len(shapes[x]) + 1)
    return tuple(
        (shared, own)
        for shared, own in pairs
        if (shapes[own][0], *shapes[own][2:]) == tuple(shapes[shared])
        and not any(bare(entry) != 0 for entry in _gap(begun, shared, own))
        and all(_vanishes(trace.variables, entry, shared, own)
                for entry in _gap(trace.after, shared, own))
    )  # fmt: skip


def _gap(state: Mapping[str, Array], shared: str, own: str) -> list[Any]:
    """A field less the mean of another."""
    found: list[Any] = (state[shared] - state[own].sum(axis=1) / state[own].shape[1]).reshape(-1)
    return list(found)


def _vanishes(named: Variables, entry: Any, shared: str, own: str) -> bool:
    """Whether a polynomial is 0 where the shared field is the mean of the other.

    It is affine in the state: the mean stands for every entry of the field.
    """
    if not isinstance(entry, Unknown):
        return not bare(entry)
    places = {name: at for name, at in _places(named.shapes)}
    first, count = places[shared], prod(named.shapes[shared])
    clients, total = named.shapes[own][1], dict[tuple[int, ...], fmpq]()
    for exponents, factor in entry.polynomial.to_dict().items():
        powers = [int(x) for x in exponents]
        at = next((j for j in range(count) if powers[first + j]), None)
        each = [(powers, fmpq(factor))]
        if at is not None:
            each = []
            for client in range(clients):
                moved = list(powers)
                moved[first + at] -= 1
                moved[places[own] + client * count + at] += 1
                each.append((moved, fmpq(factor) / clients))
        for moved, part in each:
            total[tuple(moved)] = total.get(tuple(moved), fmpq(0)) + part
    return not any(total.values())


def _places(shapes: Mapping[str, tuple[int, ...]]) -> Iterator[tuple[str, int]]:
    """Where the entries of every field begin."""
    at = 0
    for name, shape in shapes.items():
        yield name, at
        at += prod(shape)


@dataclass(frozen=True, eq=False)
class _Term:
    """A monomial: the clients of the entries in it."""

    state: list[int | None]
    law: list[int]
    noise: list[int]


class _Check:
    def __init__(self, trace: Unrolling, clients: int) -> None:
        self._named = trace.variables
        self._clients = clients
        self._of_state = owners(trace.variables.shapes, clients)
        self._has_law = not all(is_noise(source) for source in trace.variables.sources)

    def after(self, name: str, entry: Any) -> None:
        """Of an entry of the next state."""
        for term in self._terms(entry):
            self._of_degree_one(name, term)
            wrong = [x for x in term.state if term.law and x not in (None, *term.law)]
            if wrong:
                raise Refused(f"{name}: the presence of a client weighs another's entries")
            if term.noise and self._has_law and term.law != term.noise:
                raise Refused(f"{name}: noise of a client enters without its presence")

    def vector(self, name: str, array: Array, indices: tuple[str, ...]) -> bool:
        """Of a vector that is shown, whether presence or noise of other clients is in it.

        Clients are the first index of those in which noise of the absent is.
        """
        mixed = False
        for place in np.ndindex(*array.shape):
            for term in self._terms(array[place]):
                self._of_degree_one(name, term)
                if any(x not in (None, *term.law) for x in term.state if term.law):
                    raise Refused(f"{name}: the presence of a client weighs another's entries")
                apart = bool(indices) and array.shape[1] == self._clients
                own = [place[1]] if apart else []
                if term.noise and self._has_law and term.noise != (term.law or own):
                    raise Refused(f"{name} of a client has the noise of another")
                mixed |= bool(term.law) or (bool(term.noise) and term.noise != own)
        return mixed

    def _of_degree_one(self, name: str, term: _Term) -> None:
        if max(len(term.state), len(term.law), len(term.noise)) > 1 or (term.state and term.noise):
            raise Refused(f"{name} is not affine in the state, in presence and in noise")

    def _terms(self, entry: Any) -> Iterator[_Term]:
        if not isinstance(entry, Unknown):
            return
        size = self._named.entries
        for exponents in entry.polynomial.to_dict():
            powers = [int(e) for e in exponents]
            state = [x for x, k in zip(self._of_state, powers, strict=False) for _ in range(k)]
            law, noise = list[int](), list[int]()
            for start, source in zip(self._named.starts, self._named.sources, strict=True):
                for at in range(prod(source.shape)):
                    own = [owner(source, at, self._clients)] if powers[start + at] else []
                    (noise if is_noise(source) else law).extend(own * powers[start + at])
            if sum(powers[:size]) != len(state):
                raise Refused("entries of the state have no owner")
            yield _Term(state, law, noise)
