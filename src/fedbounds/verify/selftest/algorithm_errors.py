"""Errors in algorithms: one function of a module is replaced while its check runs."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from types import ModuleType
from typing import Any
from unittest.mock import patch

import numpy as np
from flint import fmpq

from fedbounds.algorithms import (
    fedavg_p,
    fedplt,
    random_masks,
    rolling_masks,
    scaffold_p,
    submodel_parts,
)
from fedbounds.algorithms.fedavg_p import Carry
from fedbounds.vocabulary import Verdict

from .. import affine
from .algorithm_checks import (
    BROKEN,
    HOLDS,
    identity,
    keep_law,
    masked_round,
    orders_law,
    own_coordinates,
    participants_law,
    reduces,
    renaming_clients,
)
from .enumerated import AGREES, DISAGREES, moments_and_enumeration, two_of_three
from .planted import ErrorKind, Planted, Said

Rule = Callable[..., Any]


# ---- what is planted: a function that takes the place of the original


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
        factor = fmpq(carry.controls.shape[0], algorithm.participants)
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


def compensation_forgotten(compensation: Rule) -> Rule:
    return lambda algorithm: (fmpq(1),) * len(algorithm.masks[0])


def stale_masks(clients_mean: Rule) -> Rule:
    """The server fills in by the masks of another outcome of the draw."""

    def wrong(carry: Any, drawn: Any, reached: Any) -> Any:
        stale = replace(drawn, masks=np.roll(drawn.masks, 1, axis=1))
        return clients_mean(carry, stale, reached)

    return wrong


def no_projection(project: Rule) -> Rule:
    return lambda domain, w: w


def half_as_often(bernoulli_masks: Rule) -> Rule:
    def wrong(rng: Any, keep: Any, *rest: Any) -> Any:
        return bernoulli_masks(rng, tuple(p / 2 for p in keep), *rest)

    return wrong


def fixed_order(orders: Rule) -> Rule:
    def wrong(rng: Any, clients: int, replicas: int, length: int, shared: bool) -> Any:
        return np.tile(np.arange(length), (clients, replicas, 1))

    return wrong


# ---- the table


def _planted(
    name: str,
    error: str,
    where: str,
    check: str,
    place: tuple[ModuleType, str],
    plant: Callable[[Rule], Rule],
    ask: Callable[[], Said],
    words: tuple[str, str],
) -> Planted:
    """The function of that name, or what takes its place while the check asks."""
    module, attribute = place

    def examine(rule: Rule) -> Said:
        with patch.object(module, attribute, rule):
            return ask()

    original: Rule = getattr(module, attribute)
    kind = ErrorKind.ALGORITHM
    return Planted(name, kind, error, where, check, lambda: original, plant, examine, *words)


_SAME = (Verdict.NOT_VIOLATED.value, Verdict.VIOLATED.value)
_LAW = (HOLDS, BROKEN)
_TO_FEDAVG = partial(reduces, "personalization/sc-fedavg", "n=3 m=2 K=2 d_u=2 d_v=0")
_TO_FEDSIM = partial(reduces, "personalization/sc-fedsim", "n=3 m=2 K=2 d_u=2 d_v=1")
_TO_SCAFFOLD = partial(reduces, "personalization/sc-scaffold", "n=3 m=2 K=2 d_u=2 d_v=0")

PLANTED = (
    _planted(
        "K-1-local-steps", "K - 1 local steps instead of K", "FedAvg-P, local training",
        "reduces to FedAvg, in rationals",
        (fedavg_p, "local"), one_step_too_few, _TO_FEDAVG, _SAME,
    ),
    _planted(
        "average-over-n", "the participants' sum is divided by n, not m", "FedAvg-P, server",
        "reduces to FedAvg, in rationals",
        (fedavg_p, "server"), average_over_all_clients, _TO_FEDAVG, _SAME,
    ),
    _planted(
        "absent-clients-move", "absent clients move their personal variables", "FedAvg-P, server",
        "reduces to FedSim, in rationals",
        (fedavg_p, "server"), absent_clients_move, _TO_FEDSIM, _SAME,
    ),
    _planted(
        "client-weighs-twice", "the first client counts twice when it takes part",
        "FedAvg-P, server", "invariance under renaming clients, in rationals",
        (fedavg_p, "server"), first_client_weighs_twice, renaming_clients, _LAW,
    ),
    _planted(
        "control-variate-sign", "the correction is c_i - c instead of c - c_i",
        "Scaffold-P, local training", "reduces to Scaffold, in rationals",
        (scaffold_p, "local"), control_with_the_wrong_sign, _TO_SCAFFOLD, _SAME,
    ),
    _planted(
        "control-mean-over-m", "the mean control variate is renewed with 1/m, not 1/n",
        "Scaffold-P, server", "reduces to Scaffold, in rationals",
        (scaffold_p, "server"), mean_control_divided_by_m, _TO_SCAFFOLD, _SAME,
    ),
    _planted(
        "sampling-with-replacement", "participants are drawn with replacement",
        "draw of the participants", "law of the draws, frequencies of all sets",
        (fedavg_p, "draw_participants"), with_replacement, participants_law, _LAW,
    ),
    _planted(
        "independent-participants", "P(i and j take part) = (m/n)^2, as if drawn independently",
        "exact moments", "moments against enumeration of every outcome",
        (affine, "inclusion"), independent_pairs,
        lambda: moments_and_enumeration(two_of_three()), (AGREES, DISAGREES),
    ),
    _planted(
        "no-mask-compensation", "the server's mean is not compensated for masks: biased",
        "FedPLT, server", "identity fedplt/A2.2-split, in rationals",
        (fedplt, "compensation"), compensation_forgotten,
        lambda: identity("fedplt/A2.2-split", own_coordinates()), _SAME,
    ),
    _planted(
        "stale-mask", "the server fills in by masks of another draw", "random masks, server",
        "identity submodel/claim-virtual, in rationals",
        (submodel_parts, "clients_mean"), stale_masks,
        lambda: identity("submodel/claim-virtual", masked_round()), _SAME,
    ),
    _planted(
        "no-projection", "the server forgets the projection", "random masks in a box, server",
        "identity submodel/claim-virtual, in rationals",
        (random_masks, "project"), no_projection,
        lambda: identity("submodel/claim-virtual", masked_round(boxed=True)), _SAME,
    ),
    _planted(
        "rare-masks", "coordinates are kept with half the probability", "draw of random masks",
        "law of the draws, frequencies of all coordinates",
        (random_masks, "bernoulli_masks"), half_as_often, keep_law, _LAW,
    ),
    _planted(
        "fixed-order", "every epoch visits the sub-models in the same order",
        "draw of rolling masks", "law of the draws, frequencies of all orders",
        (rolling_masks, "orders"), fixed_order, orders_law, _LAW,
    ),
)  # fmt: skip
