"""What is written for FedAvg-P refuses another rule instead of taking it for FedAvg-P."""

from dataclasses import replace

import numpy as np
import pytest

from fedbounds.algorithms.fedavg_p import with_effective_step
from fedbounds.algorithms.scaffold_p import ScaffoldP
from fedbounds.errors import FedboundsError
from fedbounds.problems import Noise, NoiseLaw, Start, federated_quadratic
from fedbounds.theory.registry import claim
from fedbounds.verify.enumeration import enumerate_run
from fedbounds.verify.instance import Instance, rational
from fedbounds.verify.instance_file import to_data
from fedbounds.verify.judge import _inside, check, judge
from fedbounds.verify.reach import bounded_reach
from fedbounds.verify.small import rounded, small_instances
from fedbounds.vocabulary import Method

THEOREM = claim("personalization/thm-3.7")
PROBLEM = federated_quadratic(
    clients=2,
    shared_dimension=1,
    personal_dimension=1,
    dissimilarity=1.0,
    noise=Noise(NoiseLaw.RADEMACHER, 0.5, 0.5),
)
START = Start(np.ones(1), np.ones((2, 1)))
PLAIN = with_effective_step(1, 2, 1 / 64, 1.0, 2.0)
INSTANCE = Instance("plain", PROBLEM, PLAIN, 2, Method.MOMENTS, START)
OTHER = replace(INSTANCE, algorithm=ScaffoldP(**vars(PLAIN)))


def test_a_claim_about_fedavg_p_is_not_judged_on_scaffold_p():
    assert OTHER.algorithm_name == "Scaffold-P"
    assert judge([THEOREM], OTHER).judgements == ()
    with pytest.raises(FedboundsError, match="is about FedAvg-P; the instance runs Scaffold-P"):
        check(THEOREM, OTHER)


def test_the_certified_range_is_that_of_fedavg_p_alone():
    constants = PROBLEM.constants(START)
    assert bounded_reach(PROBLEM, PLAIN, START, 2, constants) is not None
    assert bounded_reach(PROBLEM, OTHER.algorithm, START, 2, constants) is None


def test_it_is_neither_enumerated_nor_stored_nor_rounded_as_fedavg_p():
    with pytest.raises(FedboundsError, match="ScaffoldP has initial draws"):
        enumerate_run(PROBLEM, OTHER.algorithm, START, 2)
    with pytest.raises(FedboundsError, match="only vectors, and FedAvg-P on quadratics"):
        to_data(OTHER)
    assert list(rounded(THEOREM, OTHER)) == []
    with pytest.raises(FedboundsError, match="unknown algorithm with small instances 'Scaffold-P'"):
        small_instances(replace(THEOREM, algorithm="Scaffold-P"))


def test_moving_inside_the_conditions_keeps_the_rule():
    assert type(_inside(rational(OTHER)).algorithm) is ScaffoldP
