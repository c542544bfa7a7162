"""Meerkat on seeds: replay bit for bit, bytes, data pointers, and what bad input gets."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from zeroth_order_oracle import one_round

from fedbounds.algorithms.early_stopping import Calibration, flagged, gradip, ratios
from fedbounds.algorithms.seeded import (
    at_random,
    check_replay,
    direction,
    largest,
    rounds,
    virtual_paths,
)
from fedbounds.errors import FedboundsError

CURVES = np.array([[2.0, 1.0, 0.5], [0.5, 3.0, 1.0]])
SLOPES = np.array([[1.0, -1.0, 0.0], [0.0, 2.0, -1.0]])


def value(models, pointers):
    """Diagonal quadratics, each batch of which adds a slope of its own."""
    return ((CURVES * models / 2 + SLOPES) * models).sum(axis=1) + pointers * models.sum(axis=1)


def run(seeds, **more):
    given = {"clients": 2, "eta": 0.1, "epsilon": 0.5, "seeds": seeds} | more
    return rounds(value, np.array([1.0, -2.0, 0.5]), **given)


@given(st.integers(1, 5), st.integers(1, 3), st.integers(0, 10**6))
def test_replayed_paths_are_the_clients_own_bit_for_bit(steps, count, seed):
    seeds = np.arange(count * steps).reshape(count, steps) + seed
    found = run(seeds)
    for r in range(count):
        ends = virtual_paths(found.models[r], found.scalars[r], seeds[r], 0.1)
        assert (ends.mean(axis=0) == found.models[r + 1]).all()


def test_a_round_is_that_of_the_slow_oracle():
    seeds = np.array([[3, 4]])
    found, z = run(seeds), [direction(s, 3).tolist() for s in seeds[0]]
    clients = [(np.diag(H).tolist(), h.tolist()) for H, h in zip(CURVES, SLOPES, strict=True)]
    noise = [[[0.0] * 3, [1.0] * 3]] * 2  # the second batch has slope 1 more
    after, _, _ = one_round(clients, [1.0, -2.0, 0.5], [z, z], noise, 0.5, 0.1)
    assert np.allclose(found.models[1], after, rtol=1e-12)


def test_a_stopped_client_makes_one_step_and_goes_on_in_its_data():
    seen = []

    def watched(models, pointers):
        seen.append(pointers.copy())
        return value(models, pointers)

    found = rounds(watched, np.ones(3), clients=2, eta=0.1, epsilon=0.5,
                   seeds=np.arange(6).reshape(2, 3), stopped=[1])  # fmt: skip
    assert found.steps.tolist() == [3, 1]
    assert (found.scalars[:, 1, 1:] == 0).all()
    assert (found.scalars[:, 0] != 0).all()
    at_round = [own.tolist() for own in seen[::2]]  # each step asks twice
    assert at_round == [[0, 0], [1, 1], [2, 1], [3, 1], [4, 2], [5, 2]]


def test_bytes_are_those_of_what_is_exchanged():
    one, many = run(np.arange(4).reshape(4, 1)), run(np.arange(20).reshape(4, 5))
    assert (one.down, one.up) == (4 * (4 + 8), 4 * 4)  # a scalar and a seed; a scalar
    assert (many.down, many.up) == (4 * (3 * 4 + 5 * 8), 4 * 5 * 4)  # parameters and seeds; scalars


def test_masks():
    assert largest([0.1, 3.0, 2.0, 3.0], 2).tolist() == [False, True, False, True]
    found = at_random(20, 5, seed=1)
    assert found.sum() == 5
    assert (found != at_random(20, 5, seed=2)).any()


# ---- GradIP


def test_scores_are_products_with_the_estimate():
    seeds, gradient = [5, 6], np.array([1.0, 2.0, -1.0])
    found = gradip([[2.0, -1.0]], seeds, gradient)
    every = [g * direction(s, 3) @ gradient for g, s in zip((2.0, -1.0), seeds, strict=True)]
    assert np.allclose(found, [every])


SCORES = np.array([[8.0, 8.0, 0.1, 0.1], [4.0, 4.0, -3.0, 8.0]])


def test_the_rule_as_printed_and_as_meant():
    """Printed: the later window is the first one, and every negative score is quiet."""
    meant = Calibration(2, 2, quiet=1.0, ratio=5.0, share=0.4, absolute=True)
    signed = Calibration(2, 2, quiet=1.0, ratio=5.0, share=0.4)
    printed = Calibration(2, 2, quiet=1.0, ratio=5.0, share=0.4, latest=False)
    assert flagged(SCORES, meant).tolist() == [True, False]
    assert flagged(SCORES, signed).tolist() == [True, True]
    assert flagged(SCORES, printed).tolist() == [False, False]
    assert ratios(SCORES, printed)[0].tolist() == [1.0, 1.0]  # whatever the scores are


# ---- bad input


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: run(np.ones((1, 2), int), epsilon=0.0), "epsilon is 0.0"),
        (lambda: run(np.ones((1, 2), int), epsilon=-1.0), "epsilon is -1.0"),
        (lambda: run(np.ones((1, 2), int), eta=float("nan")), "eta is nan"),
        (lambda: run(np.ones(3, int)), "shape of the seeds"),
        (lambda: run(np.ones((1, 2), int), stopped=[2]), "stopped client is 2"),
        (lambda: rounds(value, np.ones(0), clients=2, eta=1, epsilon=1, seeds=np.ones((1, 1))),
         "kept coordinates u is 0"),
        (lambda: largest([1.0, 2.0], 3), "kept coordinates u is 3; expected 1 to 2"),
        (lambda: at_random(4, 0, 0), "kept coordinates u is 0"),
        (lambda: virtual_paths(np.ones(2), np.ones((2, 3)), [1, 2], 0.1),
         "length of the seed list is 2; expected 3"),
        (lambda: gradip(np.ones((2, 3)), [1, 2], np.ones(2)), "length of the seed list is 2"),
        (lambda: ratios(SCORES, Calibration(5, 2)), "window initial is 5; expected at most the 4"),
        (lambda: ratios(SCORES, Calibration(2, 5)), "window later is 5"),
        (lambda: Calibration(0), "window initial is 0"),
        (lambda: Calibration(quiet=0.0), "threshold quiet is 0.0"),
        (lambda: Calibration(share=1.5), "threshold share is 1.5; expected between 0 and 1"),
        (lambda: Calibration(ratio=-1.0), "threshold ratio is -1.0"),
    ],
)  # fmt: skip
def test_bad_input_is_refused_in_a_line(call, told):
    with pytest.raises(FedboundsError, match=told) as error:
        call()
    assert "\n" not in str(error.value)


def test_a_replay_that_differs_names_client_and_step():
    sent = np.arange(24.0).reshape(2, 3, 4)
    check_replay(sent, sent.copy())
    other = sent.copy()
    other[1, 2, 0] = np.nextafter(other[1, 2, 0], 100)
    with pytest.raises(FedboundsError, match="client 1 differs at local step 2"):
        check_replay(sent, other)
    with pytest.raises(FedboundsError, match="shape of the replayed path"):
        check_replay(sent, sent[:, :2])
