"""Strongly convex cohorts have exactly the constants asked for, or refuse."""

import bridge
import numpy as np
import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from fedbounds.errors import FedboundsError
from fedbounds.problems.linear import solve
from fedbounds.problems.spectrum import largest_eigenvalue, smallest_eigenvalue
from fedbounds.problems.strongly_convex import heterogeneity_of, strongly_convex_cohort


def minimisers(cohort):
    """Of every client, solved anew."""
    pairs = zip(cohort.problem.hessian, cohort.problem.linear, strict=True)
    return [solve(a, -b[:, None])[:, 0] for a, b in pairs]


def check(cohort):
    """Everything the record says, from the arrays alone."""
    top, low = (
        [eigenvalue(a) for a in cohort.problem.hessian]
        for eigenvalue in (largest_eigenvalue, smallest_eigenvalue)
    )
    assert {max(x.lower for x in top), max(x.upper for x in top)} == {cohort.smoothness}
    assert {min(x.lower for x in low), min(x.upper for x in low)} == {cohort.strong_convexity}
    column = np.array(cohort.weights, dtype=object)
    slope = sum(
        c * (a @ cohort.minimiser + b)
        for c, a, b in zip(column, cohort.problem.hessian, cohort.problem.linear, strict=True)
    )
    assert (slope == 0).all()
    assert column.sum() == 1
    assert heterogeneity_of(cohort.problem, cohort.weights) == cohort.heterogeneity
    away = [((x - cohort.minimiser) ** 2).sum() for x in minimisers(cohort)]
    assert max(away) == cohort.spread**2


@given(
    clients=st.integers(2, 5),
    dimension=st.integers(2, 4),
    heterogeneity=st.none() | st.fractions(min_value=0, max_value=50, max_denominator=7),
    ratio=st.integers(1, 20),
    seed=st.integers(0, 99),
    weighted=st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_what_was_asked_is_attained_exactly(
    clients, dimension, heterogeneity, ratio, seed, weighted
):
    wanted = None if heterogeneity is None else bridge.rational(heterogeneity)
    cohort = strongly_convex_cohort(
        clients=clients, dimension=dimension, smoothness=3, strong_convexity=fmpq(3, ratio + 1),
        heterogeneity=wanted, seed=seed, weights=range(1, clients + 1) if weighted else None,
    )  # fmt: skip
    check(cohort)
    assert wanted is None or cohort.heterogeneity == wanted


@pytest.mark.parametrize("share", [0, fmpq(1, 3), 1])
@pytest.mark.parametrize("weights", [None, [1, 2, 5], [4, 1, 1]])
def test_heterogeneity_and_spread_together(share, weights):
    def made(wanted):
        return strongly_convex_cohort(
            clients=3, dimension=3, heterogeneity=wanted, spread=2, weights=weights, seed=4
        )

    with pytest.raises(FedboundsError, match="expected between") as refused:
        made(1000)
    low, high = str(refused.value).split("expected between ")[1].split(" and ")
    low, high = (fmpq(*map(int, x.split("/"))) for x in (low, high))
    cohort = made(low + (high - low) * share)
    check(cohort)
    assert (cohort.spread, cohort.heterogeneity) == (2, low + (high - low) * share)
    for beyond in (low * fmpq(99, 100), high * fmpq(101, 100)):
        with pytest.raises(FedboundsError, match="expected between"):
            made(beyond)


def test_masks_matter_and_a_minimiser_may_be_asked_for():
    cohort = strongly_convex_cohort(clients=2, dimension=2, minimiser=[3, -1], seed=0)
    check(cohort)
    assert (cohort.minimiser == bridge.exact([3, -1])).all()
    for seed in range(10):
        for dimension in (2, 3, 4):
            hessian = strongly_convex_cohort(
                clients=2, dimension=dimension, seed=seed
            ).problem.hessian
            off = hessian - hessian * np.eye(dimension, dtype=int).astype(object)
            assert (off != 0).any()


def test_one_client_and_shared_minimisers():
    alone = strongly_convex_cohort(clients=1, dimension=2)
    check(alone)
    assert (alone.spread, alone.heterogeneity) == (0, 0)
    same = strongly_convex_cohort(clients=3, dimension=3, heterogeneity=0)
    check(same)
    assert same.spread == 0


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"dimension": 1}, "dimension d is 1; expected at least 2"),
        ({"strong_convexity": 2}, "strong convexity mu is 2; expected at most L = 1"),
        ({"strong_convexity": 0}, "strong convexity mu is 0; expected a finite number > 0"),
        ({"heterogeneity": -1}, "heterogeneity Lambda is -1; expected a finite number >= 0"),
        ({"clients": 1, "heterogeneity": 1}, "0 with one client"),
        ({"heterogeneity": 0, "spread": 1}, "both 0 or both positive"),
        ({"heterogeneity": 1, "spread": 0}, "both 0 or both positive"),
        ({"weights": [1, 0]}, "weight of client 1 is 0; expected > 0"),
        ({"weights": [1, 1, 1]}, "number of weights is 3; expected 2"),
        ({"minimiser": [1]}, "coordinates of the minimiser is 1; expected 3"),
        ({"strong_convexity": 1, "heterogeneity": 3}, "a rational square, as mu = L"),
    ],
)
def test_what_cannot_be_is_refused(asked, message):
    with pytest.raises(FedboundsError) as error:
        strongly_convex_cohort(**({"clients": 2, "dimension": 3} | asked))
    assert message in str(error.value)
