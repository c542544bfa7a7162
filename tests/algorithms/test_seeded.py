"""Meerkat on seeds: replay bit for bit, bytes, data pointers, and what bad input gets."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from zeroth_order_oracle import one_round

from fedbounds.algorithms.seeded import check_replay, direction, rounds, virtual_paths
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
    # a scalar and a seed; a scalar
    assert (one.down.tolist(), one.up.tolist()) == ([4 * (4 + 8)] * 2, [4 * 4] * 2)
    # parameters and seeds; scalars
    assert many.down.tolist() == [4 * (3 * 4 + 5 * 8)] * 2
    assert many.up.tolist() == [4 * 5 * 4] * 2


@given(st.integers(2, 5), st.integers(1, 3), st.integers(1, 6))
def test_a_stopped_client_exchanges_less_and_a_larger_model_costs_more(steps, count, size):
    def plain(models, pointers):
        return (models * models).sum(axis=1)

    def exchanged(size, stopped=()):
        seeds = np.arange(count * steps).reshape(count, steps)
        return rounds(plain, np.ones(size), clients=2, eta=0.1, epsilon=0.5, seeds=seeds,
                      stopped=stopped)  # fmt: skip

    one, other = exchanged(size, stopped=[1]), exchanged(size + 3)
    assert one.up.tolist() == [4 * count * steps, 4 * count]
    assert one.down.tolist() == [count * (4 * size + 8 * k) for k in (steps, 1)]
    assert (other.up == 4 * count * steps).all()
    assert (other.down - exchanged(size).down == 4 * 3 * count).all()


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
         r"shape of the start is \(0,\)"),
        (lambda: virtual_paths(np.ones(2), np.ones((2, 3)), [1, 2], 0.1),
         "length of the seed list is 2; expected 3"),
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
