"""`check`: an own instance is judged, or refused with the reason and both sides."""

from dataclasses import replace

import numpy as np
import pytest
from set_ups import vectors_case

from fedbounds.algorithms.fedavg_p import with_effective_step
from fedbounds.errors import FedboundsError
from fedbounds.facts import Constant
from fedbounds.problems import (
    ConstantValue,
    FederatedQuadratic,
    Noise,
    NoiseLaw,
    Start,
    federated_quadratic,
)
from fedbounds.theory.registry import claim
from fedbounds.verify.instance import Instance, rational
from fedbounds.verify.judge import check
from fedbounds.vocabulary import Method, Provenance, Side, Verdict

THEOREM = claim("personalization/thm-3.7")
PROBLEM = federated_quadratic(
    clients=4,
    shared_dimension=2,
    personal_dimension=2,
    dissimilarity=1.0,
    noise=Noise(NoiseLaw.GAUSSIAN, 0.2, 0.2),
)
INSIDE = Instance(
    "mine",
    PROBLEM,
    with_effective_step(2, 3, 1 / 96, 2.0, 2.0),
    rounds=20,
    method=Method.MOMENTS,
    start=Start(np.ones(2), np.ones((4, 2))),
)
OUTSIDE = replace(INSIDE, algorithm=with_effective_step(2, 3, 1 / 90, 2.0, 2.0))


def test_inside_the_conditions_there_is_a_verdict_with_both_sides():
    found = check(THEOREM, INSIDE)
    assert found.verdict is Verdict.NOT_VIOLATED
    assert 0 < found.deciding.left < found.deciding.right


def test_outside_is_an_error_that_shows_both_sides():
    with pytest.raises(
        FedboundsError, match=r"gamma <= 1/\(32\*K\*L\) fails: 0.0111111 against 0.0104"
    ):
        check(THEOREM, OUTSIDE)


def test_research_outside_is_measured_and_never_called_a_verdict():
    found = check(THEOREM, OUTSIDE, outside=True)
    assert found.verdict is Verdict.OUTSIDE
    assert found.deciding.left is not None
    assert "gamma" in found.deciding.reason


def test_an_assumption_that_fails_is_an_error_that_names_it():
    own_curvature = federated_quadratic(clients=4, shared_dimension=2, personal_dimension=2)
    with pytest.raises(FedboundsError, match="bounded gradient dissimilarity: the deviation"):
        check(THEOREM, replace(INSIDE, problem=own_curvature))


@pytest.mark.parametrize(
    ("provenance", "side"),
    [(Provenance.ESTIMATE, Side.UPPER), (Provenance.CERTIFIED, Side.LOWER)],
)
def test_no_firm_verdict_rests_on_an_estimate_or_on_the_wrong_side(monkeypatch, provenance, side):
    original = FederatedQuadratic.constants

    def guessed(problem, start):
        found = original(problem, start)
        value = found[Constant.SMOOTHNESS].value
        return found | {Constant.SMOOTHNESS: ConstantValue(value, provenance, side)}

    monkeypatch.setattr(FederatedQuadratic, "constants", guessed)
    found = check(THEOREM, replace(INSIDE, name="guessed"))
    assert found.verdict is Verdict.UNDECIDED
    assert found.deciding.reason.startswith(f"L is {provenance.value}, side {side.value}")


def test_more_participants_than_clients_is_an_error_before_any_work():
    with pytest.raises(
        FedboundsError, match="participants m is 5; expected between 1 and .* n = 4"
    ):
        replace(INSIDE, algorithm=with_effective_step(5, 3, 1 / 96, 3.0, 2.0))


@pytest.mark.parametrize("mixed", ["problem", "start", "method"])
def test_exact_arithmetic_on_floats_is_refused(mixed):
    """Rounding decided by sign would be a firm verdict on nothing."""
    exact = rational(INSIDE)
    changes = {
        "problem": {"problem": INSIDE.problem},
        "start": {"start": INSIDE.start},
        "method": {"method": Method.MOMENTS},
    }
    with pytest.raises(FedboundsError, match="exact rationals if and only if every array"):
        replace(exact, **changes[mixed])


def test_a_claim_about_another_algorithm_is_an_error():
    with pytest.raises(
        FedboundsError, match="is about FedAvg-P; the instance runs participant mean"
    ):
        check(THEOREM, vectors_case())
