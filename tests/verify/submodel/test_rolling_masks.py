"""How rolling masks roll, draws without replacement, and long runs against enumerated ones."""

from itertools import combinations, permutations
from math import log, sqrt

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from fedbounds.algorithms.masks import window_masks
from fedbounds.algorithms.rolling_masks import RollingMasks
from fedbounds.errors import FedboundsError
from fedbounds.problems import FederatedQuadratic, Noise, NoiseLaw, Start, to_rational
from fedbounds.theory.registry import encoded_claims
from fedbounds.verify.case import Case, find, in_rationals
from fedbounds.verify.judge import judge
from fedbounds.verify.submodel import rolling_draws, rolling_ends
from fedbounds.verify.submodel.rolling_draws import Draws
from fedbounds.verify.submodel.rolling_ends import RollingLimit
from fedbounds.verify.submodel.rolling_limits import in_order
from fedbounds.verify.submodel.rolling_long import RollingLong
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


# ---- moments


def test_floats_of_a_long_run_stay_within_their_bounds():
    algorithm = RollingMasks((window_masks(3, 2),) * 2, 2, fmpq(1, 180))
    problem = quadratic(
        [np.diag([1.0, 2.0, 3.0]) + 0.5, np.eye(3)], [[1.0, 0.0, -2.0], [3.0, 1.0, 0.0]], 0.5
    )
    setup = RollingLong(problem, algorithm, at(1, 0, 2), 30)
    rough, exact = find(setup), find(in_rationals(setup))
    for name, errors in rough.errors.items():
        off = abs(rough.series[name] - exact.series[name].astype(float))
        assert (off <= errors + 1e-16 * abs(rough.series[name])).all(), name
        assert errors.max() < 1e-10


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


# ---- draws


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), min_size=2, max_size=6),
    st.integers(1, 6),
    st.fractions(min_value="1/50", max_value=1),
)
def test_draws_against_permutations(rows, m, failure):
    m = min(m, len(rows))
    vectors = np.array([[fmpq(a), fmpq(b)] for a, b in rows], dtype=object)
    delta = fmpq(failure.numerator, failure.denominator)
    shown = find(Draws(vectors, m, delta))
    plain = np.array(rows, dtype=float)
    apart = plain - plain.mean(axis=0)
    sums = [apart[list(order[:m])].sum(axis=0) for order in permutations(range(len(rows)))]
    squares = (np.array(sums) ** 2).sum(axis=1)
    assert float(shown.series["Dr_2"][0]) == pytest.approx(squares.mean(), abs=1e-9)
    c = sqrt((apart**2).sum(axis=1).max())
    edge = c * sqrt(8 * (1 - (m - 1) / len(rows)) * log(2 / float(delta)) / m)
    if abs(np.sqrt(squares) / m - edge).min() > 1e-9:
        outside = (np.sqrt(squares) / m > edge).mean()
        assert float(shown.series["P_out"][0]) == pytest.approx(outside)
    if len(rows) > 1 and m < len(rows) and squares.any():
        assert (
            verdicts(Draws(vectors, m, delta), "draws without replacement")[
                "lem-wor", "second moment"
            ]
            is Verdict.NOT_VIOLATED
        )


@pytest.mark.parametrize(
    ("taken", "failure"), [(0, fmpq(1)), (4, fmpq(1)), (2, fmpq(2)), (2, fmpq(0))]
)
def test_draws_refuse_what_makes_no_sense(taken, failure):
    vectors = np.array([[fmpq(1)], [fmpq(2)], [fmpq(4)]], dtype=object)
    with pytest.raises(FedboundsError):
        Draws(vectors, taken, failure)


# ---- planted errors


def test_a_fixed_order_in_place_of_shuffling_hides_what_shuffling_costs(monkeypatch):
    algorithm = RollingMasks((HALVES,) * 2, 1, fmpq(1, 20), False)
    problem = quadratic([np.eye(2)] * 2, [[1.0, -1.0], [-1.0, 1.0]])
    setup, part = RollingLimit(problem, algorithm, at(0, 0)), "own permutations, a fixed order"
    assert verdicts(setup)["claim-shuffle", part] is Verdict.VIOLATED
    monkeypatch.setattr(rolling_ends, "shuffled", in_order)
    assert verdicts(setup)["claim-shuffle", part] is not Verdict.VIOLATED


def test_draws_that_are_not_uniform_break_the_second_moment(monkeypatch):
    vectors = np.array([[fmpq(x)] for x in (3, -1, 0, 1)], dtype=object)
    setup = Draws(vectors, 2, fmpq(1, 2))
    key = ("lem-wor", "second moment")
    assert verdicts(setup, "draws without replacement")[key] is Verdict.NOT_VIOLATED
    monkeypatch.setattr(
        rolling_draws, "combinations", lambda items, m: list(combinations(items, m))[:2]
    )
    assert verdicts(setup, "draws without replacement")[key] is Verdict.VIOLATED
