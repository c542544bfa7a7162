"""Errors in algorithms: one function of a module is replaced while its check runs."""

from collections.abc import Callable
from functools import partial
from types import ModuleType
from unittest.mock import patch

from fedbounds.algorithms import (
    fedavg_p,
    fedplt,
    random_masks,
    rolling_masks,
    scaffold_p,
    sub_models,
)
from fedbounds.vocabulary import Verdict

from .. import affine
from . import wrong_rules
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
from .wrong_rules import Rule


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
        "no-mask-compensation", "the server's mean is not compensated for masks: biased",
        "FedPLT, server", "identity fedplt/A2.2-split, in rationals",
        (fedplt, "compensation"), wrong_rules.compensation_forgotten,
        lambda: identity("fedplt/A2.2-split", own_coordinates()), _SAME,
    ),
    _planted(
        "stale-mask", "the server fills in by the masks of other clients", "random masks, server",
        "identity submodel/claim-virtual, in rationals",
        (sub_models, "filled"), wrong_rules.stale_masks,
        lambda: identity("submodel/claim-virtual", masked_round()), _SAME,
    ),
    _planted(
        "no-projection", "the server forgets the projection", "random masks in a box, server",
        "identity submodel/claim-virtual, in rationals",
        (sub_models, "server"), wrong_rules.no_projection,
        lambda: identity("submodel/claim-virtual", masked_round(boxed=True)), _SAME,
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
)  # fmt: skip
