"""Clients of whom nothing is known but the class: gradients and values are unknowns.

A block has one entry, a vector that stands for all of its coordinates (`forms.Vector`), so that an
algorithm and definitions run on it as they do on any problem. The start is the origin, which a
translation makes it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from flint import fmpq

from fedbounds.facts import Constant
from fedbounds.problems import Noise, NoiseLaw, Start
from fedbounds.problems.cohort import Cohort
from fedbounds.problems.problem import initial_gradients, initial_value

from ...measure.unknowns import Refused
from .forms import Form, Vector, mean

Array = Any


@dataclass(frozen=True, eq=False)
class Evaluation:
    """A client at a point: its value and the gradients in both blocks."""

    u: Vector
    v: Vector
    value: Form
    in_u: Vector
    in_v: Vector

    def renamed(self, vectors: Mapping[int, int], values: Mapping[int, int]) -> "Evaluation":
        """With other numbers of the atoms."""
        u, v, in_u, in_v = (x.renamed(vectors) for x in (self.u, self.v, self.in_u, self.in_v))
        return Evaluation(u, v, self.value.renamed(vectors, values), in_u, in_v)


@dataclass(eq=False)
class Unknown:
    """A problem of unknown functions: the same point gives the same gradients and the same value.

    Attributes
    ----------
    clients : int
    shared, personal : bool
        Which blocks there are.
    vectors, values : lists of str
        Names of the atoms so far.
    seen : list of dicts from point to Evaluation
        Of every client, in the order of the calls.
    """

    clients: int
    shared: bool
    personal: bool
    vectors: list[str] = field(default_factory=list)
    values: list[str] = field(default_factory=list)
    seen: list[dict[tuple[Vector, ...], Evaluation]] = field(default_factory=list)
    exact: ClassVar[bool] = True
    noise: ClassVar[Noise] = Noise(NoiseLaw.RADEMACHER, 0, 0)  # full gradients

    def __post_init__(self) -> None:
        self.seen = [{} for _ in range(self.clients)]

    @property
    def shared_dimension(self) -> int:
        """Entries of u."""
        return int(self.shared)

    @property
    def personal_dimension(self) -> int:
        """Entries of a client's v."""
        return int(self.personal)

    @property
    def start(self) -> Start:
        """The origin."""
        return Start(
            u=_zeros(self.shared_dimension), v=_zeros(self.clients, self.personal_dimension)
        )

    def unknown(self, name: str) -> Form:
        """A new unknown number."""
        self.values.append(name)
        return Form(values={len(self.values) - 1: fmpq(1)})

    def _vector(self, name: str) -> Vector:
        self.vectors.append(name)
        return Vector(((len(self.vectors) - 1, fmpq(1)),))

    def at(self, client: int, point: Sequence[Vector]) -> Evaluation:
        """The evaluation of a client at a point (u, v), without the block that there is not.

        Raises
        ------
        Refused
            If the point is no combination of gradients.
        """
        known, own = self.seen[client], tuple(point)
        if not all(isinstance(x, Vector) for x in own):
            raise Refused("an iterate is no combination of gradients with known factors")
        if own not in known:
            name = f"{client}_{len(known)}"
            u = own[0] if self.shared else Vector()
            v = own[-1] if self.personal else Vector()
            value = self.unknown(f"f_{name}")
            in_u = self._vector(f"gu_{name}") if self.shared else Vector()
            in_v = self._vector(f"gv_{name}") if self.personal else Vector()
            known[own] = Evaluation(u, v, value, in_u, in_v)
        return known[own]

    # ---- as a problem

    def gradient(self, points: Array, cohort: Cohort) -> Array:
        """Shape (rows, blocks)."""
        blocks = [name for name in ("in_u", "in_v")[not self.shared : 1 + self.personal]]
        return self._of_rows(points, cohort, lambda e: [getattr(e, x) for x in blocks])

    def value(self, points: Array, cohort: Cohort) -> Array:
        """Shape (rows,)."""
        return self._of_rows(points, cohort, lambda e: [e.value])[:, 0]

    def _of_rows(
        self, points: Array, cohort: Cohort, told: Callable[[Evaluation], list[Any]]
    ) -> Array:
        clients = cohort.pair // cohort.replicas
        every = [told(self.at(int(i), row)) for i, row in zip(clients, points, strict=True)]
        found = np.empty((len(every), len(every[0])), dtype=object)
        for at, own in enumerate(every):
            found[at] = own
        return found

    def lowest(self) -> tuple[Form, ...]:
        """New unknowns: inf f; without a shared block one for each client, f is their mean."""
        if self.shared:
            return (self.unknown("inf"),)
        return tuple(self.unknown(f"inf_{i}") for i in range(self.clients))

    def constants(self, lowest: Sequence[Form]) -> dict[str, Form]:
        """Those of the start, by symbol name."""
        own: Any = self  # of a problem, only what is asked for
        every, one = initial_gradients(own, self.start)
        return {
            Constant.INITIAL_GAP.value: initial_value(own, self.start) - mean(lowest, Form()),
            Constant.INITIAL_GRADIENTS.value: Form() + every,
            Constant.INITIAL_GRADIENT.value: Form() + one,
        }

    def reached(self, kept: Callable[[Evaluation], bool]) -> set[int]:
        """Atoms of the points of these evaluations."""
        every = (e for own in self.seen for e in own.values() if kept(e))
        return {at for e in every for x in (e.u, e.v) for at, _ in x.entries}

    def restricted(self, kept: Callable[[Evaluation], bool], lowest: int) -> "Restricted":
        """The atoms of these evaluations, and of the first numbers, the infima, alone."""
        chosen = [[e for e in own.values() if kept(e)] for own in self.seen]
        every = [e for own in chosen for e in own]
        vectors = sorted({at for e in every for x in (e.in_u, e.in_v) for at, _ in x.entries})
        values = [*range(lowest), *sorted(at for e in every for at in e.value.values)]
        return Restricted(
            {at: number for number, at in enumerate(vectors)},
            {at: number for number, at in enumerate(values)},
            tuple(self.vectors[at] for at in vectors),
            tuple(self.values[at] for at in values),
            tuple(tuple(own) for own in chosen),
        )


@dataclass(frozen=True, eq=False)
class Restricted:
    """Some evaluations, and how their atoms are numbered anew.

    Attributes
    ----------
    of_vectors, of_values : mapping from old to new number
    vectors, values : tuples of str
    evaluations : tuple of tuples of Evaluation
        Of every client; atoms by their old numbers.
    """

    of_vectors: Mapping[int, int]
    of_values: Mapping[int, int]
    vectors: tuple[str, ...]
    values: tuple[str, ...]
    evaluations: tuple[tuple[Evaluation, ...], ...]

    def form(self, form: Form) -> Form:
        """By the new numbers."""
        return form.renamed(self.of_vectors, self.of_values)

    def evaluation(self, one: Evaluation) -> Evaluation:
        """Likewise."""
        return one.renamed(self.of_vectors, self.of_values)


def _zeros(*shape: int) -> Array:
    found = np.empty(shape, dtype=object)
    found.reshape(-1)[:] = [Vector()] * found.size
    return found
