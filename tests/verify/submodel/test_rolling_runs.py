"""Epochs of rolling masks: enumeration and draws against other ways, and planted errors."""

from dataclasses import replace
from itertools import combinations, permutations
from math import log, sqrt

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from fedbounds.algorithms import rolling_masks, submodel_parts
from fedbounds.algorithms.masks import window_masks
from fedbounds.algorithms.rolling_masks import RollingMasks
from fedbounds.errors import FedboundsError
from fedbounds.problems import FederatedQuadratic, Noise, NoiseLaw, Start, to_rational
from fedbounds.problems.domain import Box
from fedbounds.theory.registry import encoded_claims
from fedbounds.verify.case import Case, find, found, in_rationals
from fedbounds.verify.judge import judge
from fedbounds.verify.submodel import rolling_draws, rolling_ends, rolling_epochs
from fedbounds.verify.submodel.rolling_draws import Draws
from fedbounds.verify.submodel.rolling_ends import RollingLimit
from fedbounds.verify.submodel.rolling_epochs import enumerate_epochs
from fedbounds.verify.submodel.rolling_limits import in_order
from fedbounds.verify.submodel.rolling_long import RollingLong
from fedbounds.verify.submodel.rolling_modes import mode_evidence
from fedbounds.verify.submodel.rolling_runs import RollingRun
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


# ---- enumeration and moments


@pytest.mark.parametrize("shared", [True, False])
def test_enumerated_epochs_are_those_of_exact_moments(shared):
    algorithm = RollingMasks((HALVES,) * 2, 1, fmpq(1, 60), shared)
    short = find(RollingRun(plane(), algorithm, at(1, -1), 2)).series
    long = find(RollingLong(plane(), algorithm, at(1, -1), 2, exact=True)).series
    for name in ("D_opt", "L_Fp", "g_Fp", "D_br", "B_M2_x", "L_hat", "Dl_w"):
        assert (short[name] == long[name]).all(), name


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


def test_chances_add_up_and_orders_are_uniform():
    algorithm = RollingMasks((window_masks(3, 2),) * 2, 1, fmpq(1, 40), False)
    problem = quadratic([np.eye(3)] * 2, [[1.0, 0.0, 2.0], [0.0, 1.0, 0.0]])
    (epoch,) = enumerate_epochs(problem, algorithm, at(0, 0, 0), 1).epochs
    assert epoch.chance.sum() == 1
    assert epoch.order.shape == (2, 36, 3)
    pairs = {tuple(map(tuple, epoch.order[:, row])) for row in range(36)}
    assert len(pairs) == 36


def test_gaussian_noise_is_refused():
    problem = plane()
    problem = replace(problem, noise=replace(problem.noise, law=NoiseLaw.GAUSSIAN))
    with pytest.raises(FedboundsError, match="noise law"):
        find(RollingRun(problem, RollingMasks((HALVES,) * 2, 1, fmpq(1, 60)), at(0, 0), 1))


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


# ---- planted errors: the claim and part that catch each


def _small(**more):
    algorithm = RollingMasks((HALVES,) * 2, 2, fmpq(1, 120), **more)
    problem = quadratic(
        [[[2.0, 1.0], [1.0, 2.0]], [[3.0, 1.0], [1.0, 2.0]]], [[1.0, -1.0], [2.0, 0.5]]
    )
    return RollingRun(problem, algorithm, at(0.25, -0.25), 2)


CAUGHT = {("lem-9", "recursion"), ("lem-10", "unrolled"), ("claim-virtual", "average")}


def broken(setup):
    return {key for key, verdict in verdicts(setup).items() if verdict is Verdict.VIOLATED}


def test_nothing_planted_nothing_broken():
    assert not broken(_small())
    assert not broken(_small(domain=Box(fmpq(-1, 4), fmpq(1, 4))))


def test_old_coordinates_left_out_of_the_mean(monkeypatch):
    def held_only(carry, drawn, reached):
        models = submodel_parts.filled(carry, drawn, reached)
        kept = np.asarray((fmpq(0), fmpq(1)), dtype=object)[drawn.masks.astype(int)]
        return (models * kept).sum(axis=0) / len(models)

    monkeypatch.setattr(submodel_parts, "clients_mean", held_only)
    assert broken(_small()) >= CAUGHT


def test_the_mask_on_the_gradient_only(monkeypatch):
    def local(problem, algorithm, carry, drawn, visit=lambda k, y, gradient, noisy: None):
        y = np.concatenate([carry.u] * problem.clients)
        mask = np.asarray((fmpq(0), fmpq(1)), dtype=object)[
            drawn.masks.reshape(y.shape).astype(int)
        ]
        for k in range(algorithm.local_steps):
            gradient = problem.gradient(y, drawn.cohort)
            visit(k, y, gradient, gradient)
            y = y - gradient * algorithm.inner_step_u * mask
        return y

    monkeypatch.setattr(rolling_masks, "local", local)
    assert broken(_small()) >= {
        ("lem-9", "recursion"), ("lem-10", "unrolled"), ("claim-virtual", "local iterates")
    }  # fmt: skip


def test_a_projection_that_is_skipped(monkeypatch):
    monkeypatch.setattr(rolling_masks, "project", lambda domain, w: w)
    setup = _small(domain=Box(fmpq(-1, 4), fmpq(1, 4)))
    assert ("claim-virtual", "average") in broken(replace(setup, start=at(-0.25, -0.25)))


def test_one_order_for_all_epochs_breaks_the_deviation_of_many_sub_models(monkeypatch):
    # client 1 is held in the first 24 rounds, client 2 in the others; at w*(M) their pulls cancel
    masks = (((1,),) * 24 + ((0,),) * 24, ((0,),) * 24 + ((1,),) * 24)
    problem = quadratic([[[1.0]], [[1.0]]], [[1.0], [-1.0]])
    algorithm = RollingMasks(masks, 1, fmpq(1, 480))
    one = np.arange(48)[None, None].repeat(2, axis=0)
    monkeypatch.setattr(rolling_epochs, "orders_of", lambda algorithm: one)
    assert ("lem-11", "convex") in broken(RollingRun(problem, algorithm, at(0), 1))


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


def test_rounds_that_are_projected_say_nothing_about_unprojected_ones():
    algorithm = RollingMasks(
        (HALVES,) * 2, 1, fmpq(1, 60), True, True, Box(fmpq(-1, 4), fmpq(1, 4))
    )
    shown = found(
        Case(
            "case", "rolling masks", RollingRun(plane(0.0), algorithm, at(0, 0), 1), Method.RATIONAL
        )
    )
    assert not {"Rc_2", "Un_2", "V_bar", "A_sum"} & shown.series.keys()
    assert {"Ev_2", "Ea_2"} <= shown.series.keys()
