"""What a small exact twin shows of a step: what may be read off by driving it where it is large.

Of the same algorithm on fewer clients and coordinates, one round is run on unknowns. It must be
affine in the state, of degree one in who takes part, and of degree one in noise; and it must treat
clients apart: what the presence of a client weighs is of its own entries and shared ones, and of
its own noise.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from .beginnings import beginning
from .sources import Source
from .subject import Subject
from .unknowns import Refused, Unknown
from .unrolled import Unrolling, unroll

Array = Any


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


def check_twin(subject: Subject) -> None:
    """Show on a small subject that a step has the form that driving it takes for granted.

    Raises
    ------
    Refused
        If it has not; the message says where.
    """
    trace = unroll(subject, beginning(subject).shapes)
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
    for name, array in trace.shown.items():
        if array.dtype == object and name in subject.shown.vectors:
            check.vector(name, array, subject.shown.vectors[name])


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

    def vector(self, name: str, array: Array, indices: tuple[str, ...]) -> None:
        """Of a vector that is shown; clients are its first index, if it has noise."""
        for place in np.ndindex(*array.shape):
            for term in self._terms(array[place]):
                self._of_degree_one(name, term)
                if term.law:
                    raise Refused(f"{name} depends on who takes part; such vectors are not driven")
                apart = bool(indices) and array.shape[1] == self._clients
                if term.noise and not (apart and term.noise == [place[1]]):
                    raise Refused(f"{name} of a client has the noise of another")

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
