"""Wrong functions for parameters with rules of their own: each makes one from the original."""

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
