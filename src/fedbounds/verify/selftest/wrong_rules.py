"""Wrong functions for algorithms: each makes one from the original, whose place it takes."""

from dataclasses import replace
from typing import Any

import numpy as np

from fedbounds.algorithms.fedavg_p import Carry
from fedbounds.theory.planted import Rule


def one_step_too_few(local: Rule) -> Rule:
    def wrong(problem: Any, algorithm: Any, *rest: Any) -> Any:
        return local(problem, replace(algorithm, local_steps=algorithm.local_steps - 1), *rest)

    return wrong


def average_over_all_clients(server: Rule) -> Rule:
    def wrong(algorithm: Any, carry: Any, *rest: Any) -> Any:
        return server(replace(algorithm, participants=carry.v.shape[0]), carry, *rest)

    return wrong


def absent_clients_move(server: Rule) -> Rule:
    def wrong(algorithm: Any, carry: Any, drawn: Any, reached: Any) -> Carry:
        everyone = replace(drawn, present=drawn.present * 0 + 1)
        after = server(algorithm, carry, drawn, reached)
        return Carry(after.u, server(algorithm, carry, everyone, reached).v)

    return wrong


def first_client_weighs_twice(server: Rule) -> Rule:
    def wrong(algorithm: Any, carry: Any, drawn: Any, reached: Any) -> Carry:
        after = server(algorithm, carry, drawn, reached)
        models = reached[drawn.cohort.row].reshape(*carry.v.shape[:2], -1)
        extra = models[0, :, : carry.u.shape[1]] * drawn.present[0][:, None]
        return Carry(after.u + extra / algorithm.participants, after.v)

    return wrong


def control_with_the_wrong_sign(local: Rule) -> Rule:
    def wrong(problem: Any, algorithm: Any, carry: Any, *rest: Any) -> Any:
        flipped = replace(carry, controls=-carry.controls, control=-carry.control)
        return local(problem, algorithm, flipped, *rest)

    return wrong


def mean_control_divided_by_m(server: Rule) -> Rule:
    def wrong(algorithm: Any, carry: Any, *rest: Any) -> Any:
        after = server(algorithm, carry, *rest)
        one = carry.u.sum() * 0 + 1  # a rational among rationals, a float among floats
        factor = carry.controls.shape[0] / (algorithm.participants * one)
        return replace(after, control=carry.control + (after.control - carry.control) * factor)

    return wrong


def with_replacement(draw: Rule) -> Rule:
    """A client drawn twice takes part once."""

    def wrong(rng: np.random.Generator, n: int, m: int, replicas: int) -> Any:
        present = np.zeros((n, replicas))
        present[rng.integers(0, n, (m, replicas)), np.arange(replicas)] = 1.0
        return present

    return wrong


def independent_pairs(inclusion: Rule) -> Rule:
    """P(i and j in S) = (m/n)^2."""

    def wrong(n: int, m: int) -> Any:
        single, _ = inclusion(n, m)
        return single, single * single

    return wrong


def half_as_often(bernoulli_masks: Rule) -> Rule:
    def wrong(rng: Any, keep: Any, *rest: Any) -> Any:
        return bernoulli_masks(rng, tuple(p / 2 for p in keep), *rest)

    return wrong


def fixed_order(orders: Rule) -> Rule:
    def wrong(rng: Any, clients: int, replicas: int, length: int, shared: bool) -> Any:
        return np.tile(np.arange(length), (clients, replicas, 1))

    return wrong
