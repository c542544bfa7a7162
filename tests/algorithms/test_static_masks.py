"""Static masks against a slow oracle in fractions, the mask makers, and planted errors."""

from dataclasses import replace
from fractions import Fraction as F

import bridge
import numpy as np
import pytest
import submodel_oracle as slow
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from fedbounds.algorithms import fedavg, static_masks
from fedbounds.algorithms.fedavg import FedAvg
from fedbounds.algorithms.fedavg_p import Carry
from fedbounds.algorithms.masks import (
    nested_masks,
    partition_masks,
    window_masks,
)
from fedbounds.algorithms.rules import rules_of
from fedbounds.algorithms.static_masks import StaticMasks, holders
from fedbounds.errors import FedboundsError
from fedbounds.problems import Noise, NoiseLaw, Start, federated_quadratic, to_namespace
from fedbounds.problems.domain import Box

ETA, TIGHT = F(1, 7), (F(-1, 2), F(3, 4))
NESTED = ((1, 0, 0), (1, 1, 0), (1, 0, 0))


def rational_case(seed, masks=NESTED, box=None, over_holders=False):
    rng = np.random.default_rng(seed)
    n, d = np.shape(masks)
    domain = None if box is None else Box(*map(bridge.rational, box))
    algorithm = StaticMasks(masks, 2, bridge.rational(ETA), over_holders, domain)
    start = slow.quarters(rng, 2, d)
    return slow.random_objective(rng, n, d), algorithm, start, slow.quarters(rng, 2, n, 2, 2, d)


def run_exactly(objective, algorithm, states, noise):
    problem = bridge.exact_problem(objective)
    n = problem.clients
    carry = Carry(u=bridge.exact(states), v=bridge.exact(np.zeros((n, len(states), 0))))
    found, rng = [], np.random.default_rng(0)
    for one in noise:
        masks = static_masks.draw(problem, algorithm, rng, len(states)).masks
        carry = static_masks.step(problem, algorithm, carry, slow.given_draw(masks, one))
        found.append(bridge.fractions(carry.u))
    return found


def run_oracle(objective, algorithm, states, noise, box=None):
    rule = slow.holders_round if algorithm.average_over_holders else slow.submodel_round
    masks = np.repeat(np.array(algorithm.masks)[:, None, :], 2, axis=1)
    states, found = states.tolist(), []
    for one in noise:
        states = slow.oracle_rounds(rule, objective, ETA, states, masks, one, box)
        found.append(states)
    return found


def agrees(seed=4, masks=NESTED, box=None, over_holders=False):
    case = rational_case(seed, masks, box, over_holders)
    return run_exactly(*case) == run_oracle(*case, box)


@given(
    seed=st.integers(0, 99),
    masks=st.sampled_from([NESTED, [[1, 1, 1]], [[0, 1], [1, 0], [1, 1], [1, 0]]]),
    box=st.sampled_from([None, TIGHT]),
    over_holders=st.booleans(),
)
def test_rounds_are_the_oracles(seed, masks, box, over_holders):
    assert agrees(seed, masks, box, over_holders)


# ---- planted errors


@pytest.mark.parametrize("over_holders", [False, True])
def test_a_skipped_projection_is_caught(monkeypatch, over_holders):
    monkeypatch.setattr(static_masks, "project", lambda domain, w: w)
    assert agrees(over_holders=over_holders)
    assert not agrees(box=TIGHT, over_holders=over_holders)


@pytest.mark.parametrize("over_holders", [False, True])
def test_the_wrong_kind_of_average_is_caught(monkeypatch, over_holders):
    def planted(algorithm, *rest):
        return original(replace(algorithm, average_over_holders=not over_holders), *rest)

    original = static_masks.server
    assert agrees(over_holders=over_holders)
    monkeypatch.setattr(static_masks, "server", planted)
    assert not agrees(over_holders=over_holders)


def test_a_coordinate_of_nobody_divided_by_one_holder_is_caught(monkeypatch):
    assert agrees(over_holders=True)
    monkeypatch.setattr(static_masks, "holders", lambda algorithm: (3, 1, 1))
    assert not agrees(over_holders=True)


# ---- properties


@given(seed=st.integers(0, 99), over_holders=st.booleans())
def test_what_nobody_holds_never_moves(seed, over_holders):
    case = rational_case(seed, over_holders=over_holders)
    assert holders(case[1]) == (3, 1, 0)
    for states in run_exactly(*case):
        assert [state[2] for state in states] == case[2][:, 2].tolist()
        assert any(
            state[:2] != begun[:2] for state, begun in zip(states, case[2].tolist(), strict=True)
        )


@given(seed=st.integers(0, 99), order=st.permutations(range(3)), over_holders=st.booleans())
def test_clients_may_be_renamed(seed, order, over_holders):
    objective, algorithm, states, noise = rational_case(seed, over_holders=over_holders)
    renamed = slow.oracles.Quadratic(
        3, [objective.hessian[i] for i in order], [objective.linear[i] for i in order]
    )
    moved = replace(algorithm, masks=[NESTED[i] for i in order])
    found = run_exactly(renamed, moved, states, noise[:, order])
    assert found == run_exactly(objective, algorithm, states, noise)


def floats():
    noise = Noise(NoiseLaw.GAUSSIAN, 0.5, 0.0)
    problem = federated_quadratic(clients=3, shared_dimension=3, personal_dimension=0, noise=noise)
    return problem, Start(u=np.array([1.0, -2.0, 0.5]), v=np.zeros((3, 0)))


def in_floats(algorithm, xp, rules=static_masks, drawn_by=None):
    problem, start = floats()
    moved, rng = to_namespace(problem, xp), np.random.default_rng(7)
    carry = rules.init(moved, algorithm, to_namespace(start, xp), 4)
    for _ in range(3):
        drawn = static_masks.draw(moved, drawn_by or algorithm, rng, 4, xp=xp)
        carry = rules.step(moved, algorithm, carry, drawn)
    return np.asarray(carry.u)


@pytest.mark.parametrize("over_holders", [False, True])
def test_full_masks_are_fedavg_to_the_bit(over_holders):
    full = StaticMasks(np.ones((3, 3)), 3, 0.1, over_holders)
    expected = in_floats(FedAvg(3, 3, 0.1), np, fedavg, full)
    np.testing.assert_array_equal(in_floats(full, np), expected)


@pytest.mark.parametrize("over_holders", [False, True])
def test_rounds_are_equal_on_each_array_library(xp, over_holders):
    algorithm = StaticMasks(NESTED, 3, 0.1, over_holders, Box(-2, [1.0, -1.99, 2]))
    expected = in_floats(algorithm, np)
    np.testing.assert_allclose(in_floats(algorithm, xp), expected, rtol=1e-13)


def test_the_rules_are_registered():
    algorithm = StaticMasks(np.array(NESTED), 1, 0.1)
    assert rules_of(algorithm) is static_masks
    assert algorithm == StaticMasks(NESTED, 1, 0.1)


@pytest.mark.parametrize(
    ("masks", "said"),
    [
        ([[1, 0], [0, 0]], "mask of client 1 is empty"),
        ([1, 0], r"shape of the masks is \(2,\); expected \(n, d\)"),
        ([[1, 0.5]], r"mask entry \(0, 1\) is 0.5; expected 0 or 1"),
    ],
)
def test_wrong_masks_are_refused(masks, said):
    with pytest.raises(FedboundsError, match=said):
        StaticMasks(masks, 1, 0.1)


def test_a_problem_of_another_size_is_refused():
    problem, start = floats()
    with pytest.raises(FedboundsError, match=r"is \(2, 3\); expected \(3, 3\)"):
        static_masks.init(problem, StaticMasks(NESTED[:2], 1, 0.1), start, 1)


# ---- makers of masks


def test_nested_masks_hold_the_first_coordinates():
    assert nested_masks(3, 4, [F(1, 4), 0.5, 1]) == ((1, 0, 0, 0), (1, 1, 0, 0), (1, 1, 1, 1))
    assert nested_masks(1, 3, [0.01]) == ((1, 0, 0),)
    assert [sum(row) for row in nested_masks(3, 100, [0.29, 0.57, 0.07])] == [29, 57, 7]


@given(d=st.integers(1, 7), data=st.data())
def test_windows_and_partitions_cover_evenly(d, data):
    size = data.draw(st.integers(1, d))
    windows, blocks = np.array(window_masks(d, size)), np.array(partition_masks(d, size))
    assert windows.shape == (d, d)
    assert (windows.sum(axis=0) == size).all()
    assert (windows.sum(axis=1) == size).all()
    assert all((np.roll(windows[0], s) == windows[s]).all() for s in range(d))
    assert windows[0].tolist() == [1] * size + [0] * (d - size)
    assert blocks.shape == (size, d)
    assert (blocks.sum(axis=0) == 1).all()
    assert set(blocks.sum(axis=1)) <= {d // size, -(-d // size)}


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: window_masks(3, 4), "width of the windows is 4; expected between 1 and d = 3"),
        (lambda: partition_masks(3, 0), "parts S is 0"),
        (lambda: nested_masks(2, 3, [0.5]), "number of shares is 1; expected n = 2"),
        (lambda: nested_masks(1, 3, [fmpq(3, 2)]), "keep probability of client 0 is 3/2"),
    ],
)
def test_impossible_masks_are_refused(call, said):
    with pytest.raises(FedboundsError, match=said):
        call()
