"""Scaffold-P with the memory of each client's last participation, which its lemmas speak of.

The algorithm does not need alpha, beta and d_i; its analysis does. They are carried beside the
algorithm's own state, renewed for participants by the same draws. `Each` remembers every local
step; `Means` only the mean over steps, which is enough for d_i on quadratics and keeps the state
of large instances small.
"""

from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

import array_api_compat

from fedbounds.algorithms import scaffold_p
from fedbounds.algorithms.fedavg_p import Draw, Visit, rows
from fedbounds.algorithms.rules import rules_of
from fedbounds.algorithms.scaffold_p import ScaffoldP
from fedbounds.errors import FedboundsError
from fedbounds.problems import Problem, Start, everyone

Array = Any
Features = dict[str, Array]


@dataclass(frozen=True, eq=False)
class Means:
    """Scaffold-P's carry with the mean points (n, R, d) of the last participations."""

    u: Array
    v: Array
    controls: Array
    control: Array
    point: Array

    def noise_free(self, problem: Problem) -> Array:
        """d_i, shape (n, R, d_u): the gradient at the mean point, as gradients are affine."""
        n, replicas, d = self.point.shape
        xp = array_api_compat.array_namespace(self.point)
        z = xp.reshape(self.point, (n * replicas, d))
        gradient = problem.gradient(z, everyone(n, replicas, xp))
        return xp.reshape(gradient, (n, replicas, d))[:, :, : problem.shared_dimension]

    def remembered(self, problem: Problem) -> Features:
        """The lag of the mean point; the lag of the points needs their squares too."""
        return {"mean lag": self.point - _joint(self), "mean point": self.point}


@dataclass(frozen=True, eq=False)
class Each:
    """Scaffold-P's carry with every point of the last participations.

    Attributes
    ----------
    points : array, shape (n, R, K d)
        alpha_{i,k} and beta_{i,k}.
    exact : array, shape (n, R, d_u)
        d_i.
    noise : array, shape (n, R, K d_u)
        Stochastic minus exact gradient at each of these points.
    """

    u: Array
    v: Array
    controls: Array
    control: Array
    points: Array
    exact: Array
    noise: Array

    def noise_free(self, problem: Problem) -> Array:
        """d_i."""
        return self.exact

    def remembered(self, problem: Problem) -> Features:
        """Lag and noise of every point, steps before clients."""
        xp = array_api_compat.array_namespace(self.points)
        joint, d_u = _joint(self), problem.shared_dimension
        points = _split(self.points, joint.shape[2])
        noise = _split(self.noise, d_u) if d_u else [self.noise]
        total = reduce(add, noise)
        return {
            "lag": xp.concat([point - joint for point in points], axis=0),
            "past noise": xp.concat(noise, axis=0),
            "past noise sum": xp.sum(total, axis=0, keepdims=True),
            "past gradient": self.exact + total / len(points),
        }


def _split(array: Array, width: int) -> list[Array]:
    return [array[:, :, a : a + width] for a in range(0, array.shape[2], width)]


def _joint(carry: Any) -> Array:
    """(u, v_i) of every client, shape (n, R, d)."""
    xp = array_api_compat.array_namespace(carry.u)
    n, replicas, _ = carry.v.shape
    u = xp.broadcast_to(carry.u[None, :, :], (n, replicas, carry.u.shape[1]))
    return xp.concat([u, carry.v], axis=2)


@dataclass(frozen=True, eq=False)
class _Reached:
    rows: Array
    memory: tuple[Array, ...]


@dataclass(frozen=True)
class Remembering:
    """The rules of Scaffold-P with a memory: ``carry`` is `Each` or `Means`."""

    carry: type[Each] | type[Means]

    def init_draw(self, *arguments: Any) -> Any:
        """As in Scaffold-P."""
        return scaffold_p.init_draw(*arguments)

    def init(
        self, problem: Problem, algorithm: ScaffoldP, start: Start, replicas: int, drawn: Any = None
    ) -> Each | Means:
        """Before the first round, the last participation was at the start (index -1)."""
        base = scaffold_p.init(problem, algorithm, start, replicas, drawn)
        xp = array_api_compat.array_namespace(base.u)
        n, d_u = problem.clients, problem.shared_dimension
        cohort = everyone(n, replicas, xp)
        z = rows(base, cohort)
        gradient = problem.gradient(z, cohort)
        noisy = [
            gradient if drawn is None else problem.disturbed(z, gradient, cohort, xp.asarray(row))
            for row in (range(algorithm.local_steps) if drawn is None else drawn)
        ]
        shape = (n, replicas, z.shape[1])
        steps = [xp.reshape(z, shape)] * algorithm.local_steps
        exact = [xp.reshape(gradient, shape)] * algorithm.local_steps
        memory = self._memory(d_u, steps, exact, [xp.reshape(row, shape) for row in noisy])
        return self.carry(base.u, base.v, base.controls, base.control, *memory)

    def draw(self, *arguments: Any) -> Draw:
        """As in Scaffold-P."""
        return scaffold_p.draw(*arguments)

    def local(
        self, problem: Problem, algorithm: ScaffoldP, carry: Any, drawn: Draw, visit: Visit
    ) -> _Reached:
        """The local steps of Scaffold-P, of all clients, and what each would remember of them."""
        if not drawn.cohort.everyone:
            raise FedboundsError("a memory is kept of virtual iterates: the cohort is everyone")
        xp = array_api_compat.array_namespace(carry.u)
        shape = (problem.clients, carry.u.shape[0], -1)
        points: list[Array] = []
        exact: list[Array] = []
        noisy: list[Array] = []

        def both(k: int, z: Array, gradient: Array, disturbed: Array) -> None:
            visit(k, z, gradient, disturbed)
            for kept, array in ((points, z), (exact, gradient), (noisy, disturbed)):
                kept.append(xp.reshape(array, shape))

        reached = scaffold_p.local(problem, algorithm, carry, drawn, both)
        return _Reached(reached, self._memory(problem.shared_dimension, points, exact, noisy))

    def _memory(
        self, d_u: int, points: list[Array], exact: list[Array], noisy: list[Array]
    ) -> tuple[Array, ...]:
        """The memory fields of the carry from one participation's points and gradients."""
        xp = array_api_compat.array_namespace(points[0])
        if self.carry is Means:
            return (reduce(add, points) / len(points),)
        pairs = zip(noisy, exact, strict=True)
        noise = [a[:, :, :d_u] - b[:, :, :d_u] for a, b in pairs]
        mean = reduce(add, exact)[:, :, :d_u] / len(exact)
        return xp.concat(points, axis=2), mean, xp.concat(noise, axis=2)

    def server(
        self, algorithm: ScaffoldP, carry: Any, drawn: Draw, reached: _Reached
    ) -> Each | Means:
        """Scaffold-P's server; participants remember this round, the others what they knew."""
        xp = array_api_compat.array_namespace(carry.u)
        base = scaffold_p.server(algorithm, carry, drawn, reached.rows)
        present = drawn.present[:, :, None] > 0
        names = ("point",) if self.carry is Means else ("points", "exact", "noise")
        memory = (
            xp.where(present, new, getattr(carry, name))
            for name, new in zip(names, reached.memory, strict=True)
        )
        return self.carry(base.u, base.v, base.controls, base.control, *memory)

    def step(self, problem: Problem, algorithm: ScaffoldP, carry: Any, drawn: Draw) -> Each | Means:
        """One round."""

        def ignore(k: int, z: Array, gradient: Array, noisy: Array) -> None:
            """Nobody looks."""

        return self.server(
            algorithm, carry, drawn, self.local(problem, algorithm, carry, drawn, ignore)
        )


def rules_with_memory(algorithm: Any, carry: type[Each] | type[Means]) -> Any:
    """An algorithm's rules, with a memory where its analysis has one."""
    return Remembering(carry) if isinstance(algorithm, ScaffoldP) else rules_of(algorithm)
