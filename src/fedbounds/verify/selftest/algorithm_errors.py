"""Errors in algorithms: one function of a module is replaced while its check runs."""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from types import ModuleType
from unittest.mock import patch

from fedbounds.algorithms import fedavg_p, random_masks, rolling_masks, scaffold_p
from fedbounds.theory.catalogue import PAPERS
from fedbounds.theory.planted import Rule, WrongRule
from fedbounds.theory.registry import planted_rules
from fedbounds.vocabulary import Verdict

from .. import affine
from . import wrong_rules
from .algorithm_checks import (
    BROKEN,
    HOLDS,
    identity,
    keep_law,
    orders_law,
    participants_law,
    reduces,
    renaming_clients,
)
from .claim_errors import subject_of
from .enumerated import AGREES, DISAGREES, moments_and_enumeration, two_of_three
from .planted import ErrorKind, Planted, Said


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


def planted_in(paper: str, rule: WrongRule) -> Planted:
    """An error that a theory plants, with the claim that shows it."""
    module, _, attribute = rule.function.partition(".")
    place = import_module(f"fedbounds.algorithms.{module}"), attribute
    claim_id = f"{paper}/{rule.claim}"
    return _planted(
        rule.name, rule.error, rule.where, f"identity {claim_id}, in rationals", place, rule.wrong,
        lambda: identity(claim_id, subject_of(rule.setup)), _SAME,
    )  # fmt: skip


_SAME = (Verdict.NOT_VIOLATED.value, Verdict.VIOLATED.value)
_LAW = (HOLDS, BROKEN)
_TO_FEDAVG = partial(reduces, "personalization/sc-fedavg", "n=3 m=2 K=2 d_u=2 d_v=0")
_TO_FEDSIM = partial(reduces, "personalization/sc-fedsim", "n=3 m=2 K=2 d_u=2 d_v=1")
_TO_SCAFFOLD = partial(reduces, "personalization/sc-scaffold", "n=3 m=2 K=2 d_u=2 d_v=0")

PLANTED = (
    _planted(
        "K-1-local-steps", "K - 1 local steps instead of K", "FedAvg-P, local training",
        "reduces to FedAvg, in rationals",
        (fedavg_p, "local"), wrong_rules.one_step_too_few, _TO_FEDAVG, _SAME,
    ),
    _planted(
        "average-over-n", "the participants' sum is divided by n, not m", "FedAvg-P, server",
        "reduces to FedAvg, in rationals",
        (fedavg_p, "server"), wrong_rules.average_over_all_clients, _TO_FEDAVG, _SAME,
    ),
    _planted(
        "absent-clients-move", "absent clients move their personal variables", "FedAvg-P, server",
        "reduces to FedSim, in rationals",
        (fedavg_p, "server"), wrong_rules.absent_clients_move, _TO_FEDSIM, _SAME,
    ),
    _planted(
        "client-weighs-twice", "the first client counts twice when it takes part",
        "FedAvg-P, server", "invariance under renaming clients, in rationals",
        (fedavg_p, "server"), wrong_rules.first_client_weighs_twice, renaming_clients, _LAW,
    ),
    _planted(
        "control-variate-sign", "the correction is c_i - c instead of c - c_i",
        "Scaffold-P, local training", "reduces to Scaffold, in rationals",
        (scaffold_p, "local"), wrong_rules.control_with_the_wrong_sign, _TO_SCAFFOLD, _SAME,
    ),
    _planted(
        "control-mean-over-m", "the mean control variate is renewed with 1/m, not 1/n",
        "Scaffold-P, server", "reduces to Scaffold, in rationals",
        (scaffold_p, "server"), wrong_rules.mean_control_divided_by_m, _TO_SCAFFOLD, _SAME,
    ),
    _planted(
        "sampling-with-replacement", "participants are drawn with replacement",
        "draw of the participants", "law of the draws, frequencies of all sets",
        (fedavg_p, "draw_participants"), wrong_rules.with_replacement, participants_law, _LAW,
    ),
    _planted(
        "independent-participants", "P(i and j take part) = (m/n)^2, as if drawn independently",
        "exact moments", "moments against enumeration of every outcome",
        (affine, "inclusion"), wrong_rules.independent_pairs,
        lambda: moments_and_enumeration(two_of_three()), (AGREES, DISAGREES),
    ),
    _planted(
        "rare-masks", "coordinates are kept with half the probability", "draw of random masks",
        "law of the draws, frequencies of all coordinates",
        (random_masks, "bernoulli_masks"), wrong_rules.half_as_often, keep_law, _LAW,
    ),
    _planted(
        "fixed-order", "every epoch visits the sub-models in the same order",
        "draw of rolling masks", "law of the draws, frequencies of all orders",
        (rolling_masks, "orders"), wrong_rules.fixed_order, orders_law, _LAW,
    ),
    *(planted_in(paper, rule) for paper in PAPERS for rule in planted_rules(paper)),
)  # fmt: skip
