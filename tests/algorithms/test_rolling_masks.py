"""Rolling masks against a slow oracle in fractions; epochs, orders and planted errors."""

from dataclasses import replace
from fractions import Fraction as F
from math import factorial

import bridge
import numpy as np
import pytest
import submodel_oracle as slow
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from fedbounds.algorithms import fedavg, rolling_masks
from fedbounds.algorithms.fedavg import FedAvg
from fedbounds.algorithms.masks import orders, partition_masks, window_masks
from fedbounds.algorithms.rolling_masks import (
    RollingMasks,
    coordinate_shares,
    coverage,
    masks_at,
)
from fedbounds.algorithms.rules import rules_of
from fedbounds.errors import FedboundsError
from fedbounds.problems import Noise, NoiseLaw, Start, federated_quadratic, to_namespace
from fedbounds.problems.domain import Box

ETA, TIGHT = F(1, 7), (F(-1, 2), F(3, 4))
PARTS = [partition_masks(3, 3)] * 2
WINDOWS = [window_masks(3, 2), window_masks(3, 1)]


def rational_case(masks, seed, box=None, **options):
    """Objective, algorithm, start, and the noise of two epochs, two replicas, two local steps."""
    rng = np.random.default_rng(seed)
    n, S, d = np.shape(masks)
    domain = None if box is None else Box(*map(bridge.rational, box))
    algorithm = RollingMasks(masks, 2, bridge.rational(ETA), domain=domain, **options)
    start = np.array([F(1, 2), F(-1, 4), F(3, 4)], dtype=object)
    return slow.random_objective(rng, n, d), algorithm, start, slow.quarters(rng, 2 * S, n, 2, 2, d)


def run_exactly(objective, algorithm, start, noise, seed=0):
    """Iterates after each round, and the orders that every round used."""
    problem, rng = bridge.exact_problem(objective), np.random.default_rng(seed)
    begun = Start(u=bridge.exact(start), v=bridge.exact(np.zeros((problem.clients, 0))))
    carry, found, used = rolling_masks.init(problem, algorithm, begun, 2), [], []
    for one in noise:
        drawn = rolling_masks.draw(problem, algorithm, rng, 2, carry=carry)
        given = slow.given_draw(drawn.masks, one, order=drawn.order)
        carry = rolling_masks.step(problem, algorithm, carry, given)
        found.append(bridge.fractions(carry.u))
        used.append(drawn.order)
    return found, used


def run_oracle(objective, algorithm, start, noise, used, box=None):
    """The epoch s -> pi(s) from the orders of its first round."""
    masks = np.array(algorithm.masks)
    n, S, _ = masks.shape
    states, found = [start.tolist()] * 2, []
    for t, one in enumerate(noise):
        position, epoch = t % S, used[t - t % S]
        ends = position == S - 1 or algorithm.project_each_round
        states = [
            slow.submodel_round(
                objective,
                [masks[i, epoch[i, r, position]].tolist() for i in range(n)],
                ETA,
                states[r],
                one[:, :, r].tolist(),
                box if ends else None,
            )
            for r in range(2)
        ]
        found.append(states)
    return found


def agrees(masks=WINDOWS, seed=3, box=None, **options):
    objective, algorithm, start, noise = rational_case(masks, seed, box, **options)
    found, used = run_exactly(objective, algorithm, start, noise)
    return found == run_oracle(objective, algorithm, start, noise, used, box)


@given(
    masks=st.sampled_from([PARTS, WINDOWS, [[[1, 1, 1]]]]),
    box=st.sampled_from([None, TIGHT]),
    shared=st.booleans(),
    each=st.booleans(),
    seed=st.integers(0, 99),
)
def test_epochs_are_the_oracles(masks, box, shared, each, seed):
    assert agrees(masks, seed, box, shared_order=shared, project_each_round=each)


# ---- planted errors


def test_a_skipped_projection_is_caught(monkeypatch):
    monkeypatch.setattr(rolling_masks, "project", lambda domain, w: w)
    assert agrees()
    assert not agrees(box=TIGHT)


def test_projecting_in_the_middle_of_an_epoch_is_caught(monkeypatch):
    def planted(algorithm, *rest):
        return original(replace(algorithm, project_each_round=True), *rest)

    original = rolling_masks.server
    monkeypatch.setattr(rolling_masks, "server", planted)
    assert agrees(box=TIGHT, project_each_round=True)
    assert not agrees(box=TIGHT)


def test_a_new_order_in_the_middle_of_an_epoch_is_caught(monkeypatch):
    """The oracle keeps the order of the epoch's first round."""

    def planted(*arguments, carry, **named):
        drawn = original(*arguments, carry=replace(carry, position=0), **named)
        masks = masks_at(arguments[1], drawn.order, carry.position)
        return replace(drawn, masks=masks)

    original = rolling_masks.draw
    assert agrees()
    monkeypatch.setattr(rolling_masks, "draw", planted)
    assert not agrees()


def check_orders(draws):
    """All S! orders alike often; one order for all clients, or independent ones."""
    S, count = 3, 6000
    for shared in (True, False):
        found = draws(np.random.default_rng(0), 2, count, S, shared)
        assert found.shape == (2, count, S)
        assert (np.sort(found, axis=2) == np.arange(S)).all()
        codes = found @ np.array([9, 3, 1])
        for own in codes:
            kinds, often = np.unique(own, return_counts=True)
            assert len(kinds) == factorial(S)
            assert (abs(often - count / 6) < 5 * np.sqrt(count * 5 / 36)).all()
        equal = (codes[0] == codes[1]).mean()
        assert equal == 1 if shared else abs(equal - 1 / 6) < 5 * np.sqrt(5 / 36 / count)


def test_orders_are_uniform_and_shared_or_not():
    check_orders(orders)


@pytest.mark.parametrize(
    "planted",
    [
        lambda rng, n, R, S, shared: np.broadcast_to(np.arange(S), (n, R, S)),
        lambda rng, n, R, S, shared: rng.integers(0, S, (1, R, 1)) + np.zeros((n, 1, S), int),
        lambda rng, n, R, S, shared: (
            (rng.integers(0, S, (1 if shared else n, R, 1)) + np.arange(S)) % S + np.zeros((n, 1, 1), int)
        ),
        lambda rng, n, R, S, shared: orders(rng, n, R, S, True),
        lambda rng, n, R, S, shared: orders(rng, n, R, S, False),
        lambda rng, n, R, S, shared: np.repeat(orders(rng, n, 1, S, shared), R, axis=1),
    ],
    ids=["fixed", "with repeats", "rotations", "always shared", "never shared", "one for all runs"],
)  # fmt: skip
def test_a_shuffle_replaced_by_something_else_is_caught(planted):
    with pytest.raises(AssertionError):
        check_orders(planted)


def test_draws_use_the_shuffle(monkeypatch):
    fixed = lambda rng, n, R, S, shared: np.tile(np.arange(S), (n, R, 1))  # noqa: E731
    objective, algorithm, start, noise = rational_case(PARTS, 1)
    shuffled, used = run_exactly(objective, algorithm, start, noise)
    assert any((order != np.arange(3)).any() for order in used)
    monkeypatch.setattr(rolling_masks, "orders", fixed)
    assert run_exactly(objective, algorithm, start, noise)[0] != shuffled


# ---- epochs


def problem_and_start(n, d):
    noise = Noise(NoiseLaw.GAUSSIAN, 0.5, 0.0)
    problem = federated_quadratic(clients=n, shared_dimension=d, personal_dimension=0, noise=noise)
    return problem, Start(u=np.linspace(-1.0, 1.0, d), v=np.zeros((n, 0)))


def test_an_epoch_visits_every_sub_model_once_and_the_next_draws_again():
    algorithm = RollingMasks([window_masks(5, 2)] * 3, 1, 0.1, shared_order=False)
    problem, start = problem_and_start(3, 5)
    carry, rng = rolling_masks.init(problem, algorithm, start, 8), np.random.default_rng(0)
    orders_seen = []
    for _ in range(2):
        seen = []
        for s in range(5):
            assert carry.position == s
            drawn = rolling_masks.draw(problem, algorithm, rng, 8, carry=carry)
            carry = rolling_masks.step(problem, algorithm, carry, drawn)
            seen.append(drawn.masks)
        assert (np.sum(seen, axis=0) == 2).all()
        assert (np.sum(seen, axis=3) == 2).all()
        assert len({tuple(each.reshape(-1).tolist()) for each in seen}) == 5
        assert carry.position == 0
        assert carry.order is None
        orders_seen.append(drawn.order)
    assert (orders_seen[0] != orders_seen[1]).any()


def test_a_coordinate_outside_the_sub_models_keeps_its_value():
    algorithm = RollingMasks([partition_masks(4, 4)] * 3, 2, 0.1)
    problem, start = problem_and_start(3, 4)
    carry, rng = rolling_masks.init(problem, algorithm, start, 6), np.random.default_rng(0)
    drawn = rolling_masks.draw(problem, algorithm, rng, 6, carry=carry)
    after = rolling_masks.step(problem, algorithm, carry, drawn)
    held = drawn.masks.any(axis=0)
    assert (held.sum(axis=1) == 1).all()
    np.testing.assert_array_equal(after.u[~held], carry.u[~held])
    assert (after.u[held] != carry.u[held]).all()


def test_full_sub_models_are_fedavg_to_the_bit():
    algorithm = RollingMasks(np.ones((3, 2, 4)), 3, 0.1)
    problem, start = problem_and_start(3, 4)
    rng, average = np.random.default_rng(0), FedAvg(3, 3, 0.1)
    carry = rolling_masks.init(problem, algorithm, start, 5)
    expected = fedavg.init(problem, average, start, 5)
    for _ in range(4):
        drawn = rolling_masks.draw(problem, algorithm, rng, 5, carry=carry)
        carry = rolling_masks.step(problem, algorithm, carry, drawn)
        expected = fedavg.step(problem, average, expected, drawn)
        np.testing.assert_array_equal(carry.u, expected.u)


def test_draws_and_rounds_are_equal_on_each_array_library(xp):
    algorithm = RollingMasks([window_masks(4, 2)] * 3, 2, 0.1, domain=Box(-1.5, [1, 2, 1, 2]))
    problem, start = problem_and_start(3, 4)
    found = {}
    for library in (np, xp):
        moved, rng = to_namespace(problem, library), np.random.default_rng(5)
        carry = rolling_masks.init(moved, algorithm, to_namespace(start, library), 3)
        for _ in range(5):
            drawn = rolling_masks.draw(moved, algorithm, rng, 3, xp=library, carry=carry)
            carry = rolling_masks.step(moved, algorithm, carry, drawn)
        found[library] = np.asarray(carry.u), np.asarray(drawn.masks)
    np.testing.assert_allclose(found[xp][0], found[np][0], rtol=1e-13)
    np.testing.assert_array_equal(found[xp][1], found[np][1])


# ---- coverage and refusals


def test_coverage_is_exact_and_per_client():
    assert coverage(RollingMasks(WINDOWS, 1, 0.1)) == (fmpq(2, 3), fmpq(1, 3))
    assert coverage(RollingMasks(PARTS, 1, 0.1)) == (fmpq(1, 3), fmpq(1, 3))
    uneven = RollingMasks([[[1, 1], [1, 0]]], 1, 0.1)
    assert coordinate_shares(uneven) == ((fmpq(1), fmpq(1, 2)),)
    with pytest.raises(FedboundsError, match="coverage of coordinate 1 by client 0 is 1/2"):
        coverage(uneven)


@pytest.mark.parametrize(
    ("masks", "said"),
    [
        (
            [[[1, 1], [1, 1]], [[1, 0], [1, 0]]],
            "number of sub-models of client 1 with coordinate 1 is 0",
        ),
        ([[1, 1]], r"shape of the masks is \(1, 2\); expected \(n, S, d\)"),
        ([[[1, 2]]], r"mask entry \(0, 0, 1\) is 2; expected 0 or 1"),
        ([[[1, 1]], [[1, 1], [1, 1]]], "shape of the masks"),
    ],
)
def test_wrong_masks_are_refused(masks, said):
    with pytest.raises(FedboundsError, match=said):
        RollingMasks(masks, 1, 0.1)


def test_a_draw_without_its_place_in_the_epoch_is_refused():
    algorithm = RollingMasks([window_masks(4, 2)] * 3, 2, 0.1)
    problem, start = problem_and_start(3, 4)
    rng = np.random.default_rng(0)
    with pytest.raises(FedboundsError, match="carry is None"):
        rolling_masks.draw(problem, algorithm, rng, 2)
    lost = replace(rolling_masks.init(problem, algorithm, start, 2), position=1)
    with pytest.raises(FedboundsError, match="order of the epoch is None at position 1"):
        rolling_masks.draw(problem, algorithm, rng, 2, carry=lost)


def test_the_rules_are_registered_and_the_start_is_checked():
    algorithm = RollingMasks(PARTS, 1, 0.1, domain=Box(-0.5, 1))
    assert rules_of(algorithm) is rolling_masks
    assert algorithm == RollingMasks(np.array(PARTS), 1, 0.1, domain=Box(-0.5, 1))
    problem, start = problem_and_start(2, 3)
    with pytest.raises(FedboundsError, match="expected a point of the domain"):
        rolling_masks.init(problem, algorithm, start, 1)
    with pytest.raises(FedboundsError, match=r"is \(2, 3\); expected \(2, 4\)"):
        rolling_masks.init(problem_and_start(2, 4)[0], algorithm, start, 1)
