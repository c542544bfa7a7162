"""How rolling masks roll, and what a fixed order hides."""

import numpy as np
from flint import fmpq

from fedbounds.algorithms.masks import window_masks
from fedbounds.algorithms.rolling_masks import RollingMasks
from fedbounds.problems import FederatedQuadratic, Noise, NoiseLaw, Start, to_rational
from fedbounds.theory.registry import encoded_claims
from fedbounds.verify.case import Case
from fedbounds.verify.judge import judge
from fedbounds.verify.submodel import rolling_ends
from fedbounds.verify.submodel.rolling_ends import RollingLimit
from fedbounds.verify.submodel.rolling_limits import in_order
from fedbounds.verify.submodel.rolling_modes import mode_evidence
from fedbounds.vocabulary import Assumption, Method, Verdict

CLAIMS = encoded_claims("submodel")
HALVES = ((1, 0), (0, 1))
PLANE = [[[2.0, 1.0], [1.0, 2.0]], [[2.0, -1.0], [-1.0, 2.0]]]


def quadratic(matrices, slopes, noise=0.0):
    matrices, slopes = np.array(matrices), np.array(slopes)
    law = Noise(NoiseLaw.RADEMACHER, noise, 0.0)
    return to_rational(FederatedQuadratic(matrices, slopes, slopes.shape[1], law))


def at(*u, n=2):
    return to_rational(Start(np.array(u, dtype=float), np.zeros((n, 0))))


def plane(noise=0.5):
    return quadratic(PLANE, [[1.0, -1.0], [2.0, 0.5]], noise)


def verdicts(setup, name="rolling masks"):
    case = Case("case", name, setup, Method.RATIONAL)
    return {
        (j.claim.id.removeprefix("submodel/"), outcome.part): outcome.verdict
        for j in judge(CLAIMS, case).judgements
        for outcome in j.outcomes
    }


# ---- modes


def test_modes_are_read_off_the_masks():
    def modes(masks, shared=True):
        found = mode_evidence(RollingMasks(masks, 1, 0.1, shared))
        return {name for name, evidence in found.items() if evidence.holds}

    crossed, blocks = ((1, 0, 1, 0), (0, 1, 0, 1)), ((1, 1, 0, 0), (0, 0, 1, 1))
    assert Assumption.SHARED_PARTITION in modes((HALVES,) * 2)
    assert Assumption.OWN_PERMUTATIONS not in modes((HALVES,) * 2)
    assert Assumption.OWN_PERMUTATIONS in modes((HALVES,) * 2, False)
    assert Assumption.OWN_PARTITIONS in modes((blocks, crossed))
    assert not {Assumption.OWN_PARTITIONS, Assumption.SHARED_PARTITION} & modes(
        (HALVES, HALVES[::-1])
    )
    windows = modes((window_masks(4, 2), window_masks(4, 3)))
    assert Assumption.OVERLAPPING_WINDOWS in windows
    assert Assumption.OVERLAPPING_WINDOWS not in modes((window_masks(3, 1),))  # a partition
    assert Assumption.OVERLAPPING_WINDOWS not in modes((((1, 1), (1, 1)),))
    assert Assumption.SHARED_PARTITION not in modes((((1,), (0,)),))  # an empty block


# ---- planted errors


def test_a_fixed_order_in_place_of_shuffling_hides_what_shuffling_costs(monkeypatch):
    algorithm = RollingMasks((HALVES,) * 2, 1, fmpq(1, 20), False)
    problem = quadratic([np.eye(2)] * 2, [[1.0, -1.0], [-1.0, 1.0]])
    setup, part = RollingLimit(problem, algorithm, at(0, 0)), "own permutations, a fixed order"
    assert verdicts(setup)["claim-shuffle", part] is Verdict.VIOLATED
    monkeypatch.setattr(rolling_ends, "shuffled", in_order)
    assert verdicts(setup)["claim-shuffle", part] is not Verdict.VIOLATED
