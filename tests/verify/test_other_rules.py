"""What is written for FedAvg-P refuses another rule instead of taking it for FedAvg-P."""

from dataclasses import replace

import numpy as np
import pytest

from fedbounds.algorithms.fedavg_p import FedAvgP, with_effective_step
from fedbounds.algorithms.scaffold_p import ScaffoldP
from fedbounds.errors import FedboundsError
from fedbounds.problems import Noise, NoiseLaw, Start, federated_quadratic
from fedbounds.theory.registry import claim
from fedbounds.verify.instance import Instance, rational
from fedbounds.verify.instance_file import from_data, to_data
from fedbounds.verify.judge import _inside, check, judge
from fedbounds.verify.moments import exact_moments
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


def test_scaffold_p_is_stored_as_itself():
    assert type(from_data(to_data(OTHER)).algorithm) is ScaffoldP


class Unknown(FedAvgP):
    """Parameters whose rules nobody has given."""


def test_parameters_without_rules_are_refused_not_run_as_fedavg_p():
    unknown = replace(INSTANCE, algorithm=Unknown(**vars(PLAIN)))
    arguments = (PROBLEM, unknown.algorithm, START, 1)
    with pytest.raises(FedboundsError, match="Unknown does not move iterates"):
        exact_moments(*arguments)
    with pytest.raises(FedboundsError, match="only FedAvg-P and Scaffold-P on quadratics are"):
        to_data(unknown)


def test_moving_inside_the_conditions_keeps_the_rule():
    assert type(_inside(rational(OTHER)).algorithm) is ScaffoldP
