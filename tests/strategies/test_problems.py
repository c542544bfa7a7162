"""Problems satisfy what was asked for; refusals name what cannot be had."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st

from fedbounds import strategies
from fedbounds.errors import FedboundsError
from fedbounds.facts import Fact
from fedbounds.problems import CoupledCosine, FederatedQuadratic, SineBowls
from fedbounds.strategies.problems import OFFERS

SHRUNK = settings(max_examples=2000, database=None, phases=(Phase.generate, Phase.shrink))
CLASSES = sorted(
    {frozenset(c) for o in OFFERS.values() for k in range(len(o) + 1) for c in combinations(o, k)},
    key=lambda wanted: (len(wanted), sorted(wanted)),
)
_PATIENT = settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.mark.parametrize("exact", [False, True])
@_PATIENT
@given(data=st.data())
def test_every_assumption_asked_for_holds(exact, data):
    possible = [wanted for wanted in CLASSES if not exact or wanted <= OFFERS[FederatedQuadratic]]
    wanted = data.draw(st.sampled_from(possible))
    problem = data.draw(strategies.problems(wanted, exact=exact, personal_dimension=(0, 1)))
    held = {assumption: problem.satisfies(assumption).holds for assumption in wanted}
    assert held == dict.fromkeys(wanted, True)
    assert 1 <= problem.clients <= 3
    assert 1 <= problem.shared_dimension <= 2
    if exact:
        assert problem.hessian.dtype == object


@pytest.mark.parametrize("family", OFFERS, ids=lambda family: family.__name__)
@settings(max_examples=10, deadline=None)
@given(data=st.data())
def test_every_family_satisfies_all_that_it_offers(family, data):
    drawn = strategies.problems(
        OFFERS[family], families=(family,), clients=2, personal_dimension=(0, 1)
    )
    problem = data.draw(drawn)
    assert type(problem) is family
    assert all(problem.satisfies(assumption).holds is True for assumption in OFFERS[family])


@pytest.mark.parametrize("assumption", [Fact.STRONGLY_CONVEX, Fact.DISSIMILARITY])
def test_nothing_is_promised_that_was_not_asked_for(assumption):
    """The test above could pass because every problem satisfies everything."""
    drawn = strategies.problems(exact=True)
    found = find(drawn, lambda p: p.satisfies(assumption).holds is False, settings=SHRUNK)
    assert found.clients <= 2
    assert np.abs(found.hessian.astype(float)).max() <= 2


@settings(deadline=None)
@given(strategies.masked_quadratics(exact=True))
def test_masked_quadratics_are_strongly_convex(problem):
    assert problem.satisfies(Fact.STRONGLY_CONVEX).holds is True
    assert all(entry >= 0 for own in problem.hessian for entry in np.diagonal(own))


@given(data=st.data())
def test_starts_have_the_problems_shapes_and_numbers(data):
    problem = data.draw(strategies.problems(exact=True, personal_dimension=1))
    start = data.draw(strategies.starts(problem))
    constants = problem.constants(start)
    assert constants
    assert start.u.dtype == start.v.dtype == object


def test_the_simplest_problem_is_one_client_with_half_a_square():
    problem = find(strategies.problems(exact=True), lambda p: True, settings=SHRUNK)
    assert (problem.hessian.tolist(), problem.linear.tolist()) == ([[[1]]], [[0]])
    assert problem.noise.scale_u == 0


def test_a_quadratic_decides_strong_convexity_and_pl():
    flat = FederatedQuadratic(np.array([[[1.0, 1.0], [1.0, 1.0]]]), np.zeros((1, 2)), 2)
    assert flat.satisfies(Fact.STRONGLY_CONVEX).holds is False
    assert flat.satisfies(Fact.PL).holds is True
    tilted = FederatedQuadratic(flat.hessian, np.array([[1.0, -1.0]]), 2)
    assert tilted.satisfies(Fact.PL).holds is False


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"assumptions": {Fact.CONVEX}},
            "no family of problems is convex clients: none satisfies convex clients; expected some of",
        ),
        (
            {"assumptions": {Fact.BOUNDED_GRADIENTS, Fact.STRONGLY_CONVEX}},
            "no family of problems is bounded gradients, strongly convex clients: none satisfies all",
        ),
        (
            {"assumptions": {Fact.BOUNDED_GRADIENTS}, "exact": True},
            "of FederatedLogistic is exact = True",
        ),
        ({"families": (CoupledCosine,)}, "of CoupledCosine is .*personal_dimension = 0"),
        ({"families": (SineBowls,), "personal_dimension": 1}, "of SineBowls is"),
        ({"clients": 0}, "clients is 0; expected a size"),
        ({"clients": (3, 1)}, "clients is \\(3, 1\\); expected a size"),
        ({"dimension": 0}, "largest dimensions"),
    ],
)
def test_what_cannot_be_had_is_refused_at_once(arguments, message):
    with pytest.raises(FedboundsError, match=message):
        strategies.problems(**arguments)
