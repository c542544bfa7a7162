"""Drive an algorithm on basis states, unit noises and chosen participants.

On quadratics a round is affine in the state and in the noise. Its matrices are the responses of
`local` and `server` themselves; nothing about any algorithm is repeated here.
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from fedbounds.algorithms import fedavg_p
from fedbounds.algorithms.fedavg_p import Draw, FedAvgP
from fedbounds.problems import FederatedQuadratic, Start, everyone

from .observe import Seen, observe

Array = Any


@dataclass(frozen=True, eq=False)
class Driver:
    """A centred problem, an algorithm, and the rules that move it (with or without a memory)."""

    problem: FederatedQuadratic
    algorithm: FedAvgP
    rules: Any

    def rest(self) -> Any:
        """The carry, one replica, of a noise-free start at the origin."""
        zero = self.problem.linear * 0
        d_u = self.problem.shared_dimension
        start = Start(zero[0, :d_u], zero[:, d_u:])
        return self.rules.init(self.problem, self.algorithm, start, 1)

    def shifted(self, states: Array) -> Any:
        """The carry at these states (D, R), measured from `rest`."""
        origin = self.rest()
        return unflatten(origin, flatten(origin) + states)

    def basis(self) -> Any:
        """Replica j < D is the j-th basis state, replica D the origin."""
        size = len(flatten(self.rest()))
        states = np.eye(size, size + 1, dtype=self.problem.hessian.dtype)
        return self.shifted(states + self.problem.linear.sum() * 0)

    def silent(self, carry: Any, noise: Array | None = None) -> Draw:
        """A draw in which everybody takes part."""
        replicas, n = carry.u.shape[0], self.problem.clients
        present = np.ones((n, replicas), dtype=carry.u.dtype)
        return Draw(present=present, noise=noise, cohort=everyone(n, replicas))

    def seen(self, carry: Any, drawn: Draw) -> Seen:
        """What all clients do from these carries."""
        return observe(self.problem, self.algorithm, self.rules, carry, drawn)

    def after(self, carry: Any, reached: Any, participants: tuple[int, ...]) -> Any:
        """The carry after the server step when just these take part (any number of them)."""
        drawn = self.silent(carry)
        present = drawn.present * 0
        for client in participants:
            present[client] = present[client] + 1
        return self.rules.server(self.algorithm, carry, replace(drawn, present=present), reached)

    def states(self, carry: Any) -> Array:
        """A carry as states (D, R), measured from `rest`."""
        return flatten(carry) - flatten(self.rest())

    def noises(self) -> "Iterator[NoiseProbe]":
        """Per client: replica (k, j) has unit noise in step k, coordinate j; the last has none."""
        problem, steps = self.problem, self.algorithm.local_steps
        d_u, d_v = problem.shared_dimension, problem.personal_dimension
        scales = problem.noise.scales(d_u, d_v)
        live = [j for j, scale in enumerate(scales) if scale != 0]
        if not live:
            return
        n, d, count = problem.clients, d_u + d_v, steps * len(live)
        zero = problem.linear.sum() * 0
        variance = np.array([zero + scales[j] ** 2 for _ in range(steps) for j in live])
        still = self.rest()
        carry = unflatten(still, np.repeat(flatten(still), count + 1, axis=1))
        for client in range(n):
            noise = np.zeros((steps, n, count + 1, d), dtype=problem.hessian.dtype) + zero
            for index in range(count):
                noise[index // len(live), client, index, live[index % len(live)]] += 1
            drawn = self.silent(carry, noise.reshape(steps, n * (count + 1), d))
            yield NoiseProbe(client, variance, carry, drawn)

    def initial_noises(self) -> Iterator[tuple[Array, Array]]:
        """Unit noises of the initial draw with their variances; none for FedAvg-P."""
        if self.rules.init_draw is fedavg_p.init_draw:
            return
        for probe in self.noises():
            yield np.append(probe.variance, probe.variance[0] * 0), probe.drawn.noise


@dataclass(frozen=True, eq=False)
class NoiseProbe:
    """Carries and draws with unit noise at one client, and each noise's variance."""

    client: int
    variance: Array
    carry: Any
    drawn: Draw


def flatten(carry: Any) -> Array:
    """State vectors, shape (D, R): the carry's arrays in order, client by client."""
    blocks = []
    for field in fields(carry):
        array = getattr(carry, field.name)
        blocks += [array.T] if array.ndim == 2 else [own.T for own in array]
    return np.concatenate(blocks, axis=0)


def unflatten(template: Any, states: Array) -> Any:
    """The carry of these states, in the shapes of a template's arrays."""
    found, at = {}, 0
    for field in fields(template):
        shape = getattr(template, field.name).shape
        size, owners = shape[-1], 1 if len(shape) == 2 else shape[0]
        own = [states[at + i * size : at + (i + 1) * size].T for i in range(owners)]
        found[field.name] = own[0] if len(shape) == 2 else np.stack(own)
        at += size * owners
    return type(template)(**found)


def response(states: Array) -> Array:
    """Replicas of `Driver.basis` as columns: response to each direction, then the origin's value.

    The replica axis is the last.
    """
    return np.concatenate([states[..., :-1] - states[..., -1:], states[..., -1:]], axis=-1)


def noise_response(states: Array) -> Array:
    """Replicas of a noise probe, on the last axis, as responses to each unit noise."""
    return states[..., :-1] - states[..., -1:]
