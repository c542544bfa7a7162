"""Random masks against a slow oracle in fractions, the paper's identities, and planted errors."""

from dataclasses import replace
from fractions import Fraction as F
from itertools import product

import bridge
import numpy as np
import pytest
import submodel_oracle as slow
from hypothesis import given, settings
from hypothesis import strategies as st

from fedbounds.algorithms import fedplt, random_masks, submodel_parts
from fedbounds.algorithms.fedavg_p import Carry
from fedbounds.algorithms.random_masks import RandomMasks
from fedbounds.problems.domain import Box
from fedbounds.verify.measure.clients import Clients

ETA = F(1, 7)


def rational_case(n, d, steps, seed, box=None):
    """Objective, algorithm, two replicas' states, and two rounds of masks and noise."""
    rng = np.random.default_rng(seed)
    objective = slow.random_objective(rng, n, d)
    domain = None if box is None else Box(*map(bridge.rational, box))
    algorithm = RandomMasks([F(1, 2)] * n, steps, bridge.rational(ETA), domain)
    rounds = [
        (slow.random_masks_of(rng, n, 2, d), slow.quarters(rng, n, steps, 2, d)) for _ in range(2)
    ]
    return objective, algorithm, slow.quarters(rng, 2, d), rounds


def carry_of(states, n):
    return Carry(u=bridge.exact(states), v=bridge.exact(np.zeros((n, len(states), 0))))


def run_exactly(objective, algorithm, states, rounds):
    """The package's iterates after each round, as fractions."""
    problem, carry, found = bridge.exact_problem(objective), None, []
    carry = carry_of(states, problem.clients)
    for masks, noise in rounds:
        carry = random_masks.step(problem, algorithm, carry, slow.given_draw(masks, noise))
        found.append(bridge.fractions(carry.u))
    return found


def run_oracle(objective, states, rounds, box=None):
    states, found = states.tolist(), []
    for masks, noise in rounds:
        states = slow.oracle_rounds(slow.submodel_round, objective, ETA, states, masks, noise, box)
        found.append(states)
    return found


SIZES = {"n": st.integers(1, 4), "d": st.integers(1, 3), "steps": st.integers(1, 3)}
SEED = st.integers(0, 999)
TIGHT = (F(-1, 2), F(1))


@given(**SIZES, seed=SEED, box=st.sampled_from([None, TIGHT]))
@settings(max_examples=40)
def test_rounds_are_the_oracles(n, d, steps, seed, box):
    objective, algorithm, states, rounds = rational_case(n, d, steps, seed, box)
    expected = run_oracle(objective, states, rounds, box)
    assert run_exactly(objective, algorithm, states, rounds) == expected


# ---- planted errors, each against the oracle


def agrees(box=None):
    objective, algorithm, states, rounds = rational_case(3, 3, 2, 5, box)
    expected = run_oracle(objective, states, rounds, box)
    return run_exactly(objective, algorithm, states, rounds) == expected


def test_a_skipped_projection_is_caught(monkeypatch):
    assert agrees(TIGHT)
    monkeypatch.setattr(random_masks, "project", lambda domain, w: w)
    assert not agrees(TIGHT)


def test_a_mask_on_the_gradient_alone_is_caught(monkeypatch):
    def planted(problem, algorithm, carry, drawn):
        y = submodel_parts.rows(carry, drawn.cohort)
        mask = drawn.masks.reshape(y.shape)
        for k in range(algorithm.local_steps):
            noisy = problem.gradient(y, drawn.cohort) + drawn.noise[k]
            y = np.where(mask, y - noisy * algorithm.inner_step_u, y)
        return y

    assert agrees()
    monkeypatch.setattr(random_masks, "local", planted)
    assert not agrees()


@pytest.mark.parametrize("kind", ["zeros", "virtual noise", "holders"])
def test_old_coordinates_averaged_in_wrongly_are_caught(monkeypatch, kind):
    def planted(carry, drawn, reached):
        every = reached.reshape(drawn.masks.shape)
        old = np.broadcast_to(carry.u, every.shape)
        if kind == "zeros":
            return np.where(drawn.masks, every, old * 0)
        if kind == "virtual noise":
            return np.where(drawn.masks, every, old + drawn.noise[0].reshape(every.shape))
        held = drawn.masks.sum(axis=0)
        total = np.where(drawn.masks, every, old * 0).sum(axis=0)
        return np.broadcast_to(np.where(held > 0, total / np.maximum(held, 1), carry.u), old.shape)

    assert agrees()
    monkeypatch.setattr(submodel_parts, "filled", planted)
    assert not agrees()


def test_masks_redrawn_in_a_local_step_are_caught(monkeypatch):
    def planted(problem, algorithm, carry, drawn):
        found = original(problem, replace(algorithm, local_steps=1), carry, drawn)
        moved = Carry(u=found[: len(carry.u)], v=carry.v)  # n = 1
        other = replace(drawn, masks=~drawn.masks, noise=drawn.noise[1:])
        return original(problem, replace(algorithm, local_steps=1), moved, other)

    original = random_masks.local
    objective, algorithm, states, rounds = rational_case(1, 3, 2, 5)
    expected = run_oracle(objective, states, rounds)
    assert run_exactly(objective, algorithm, states, rounds) == expected
    monkeypatch.setattr(random_masks, "local", planted)
    assert run_exactly(objective, algorithm, states, rounds) != expected


# ---- virtual iterates (submodel/claim-virtual)


@given(**SIZES, seed=SEED)
def test_virtual_iterates_are_the_clients_models_and_the_servers_values(n, d, steps, seed):
    objective, algorithm, states, [(masks, noise), _] = rational_case(n, d, steps, seed)
    problem, drawn = bridge.exact_problem(objective), slow.given_draw(masks, noise)
    carry = carry_of(states, n)
    reached = random_masks.local(problem, algorithm, carry, drawn)
    y = np.reshape(np.array(bridge.fractions(reached), dtype=object), masks.shape)
    for i, r in product(range(n), range(2)):
        asked = (
            objective,
            i,
            masks[i, r].tolist(),
            ETA,
            states[r].tolist(),
            noise[i, :, r].tolist(),
        )
        assert y[i, r].tolist() == slow.virtual_model(*asked)
        assert np.where(masks[i, r], y[i, r], F(0)).tolist() == slow.local_model(*asked)
        assert y[i, r][~masks[i, r]].tolist() == states[r][~masks[i, r]].tolist()
    after = random_masks.server(algorithm, carry, drawn, reached)
    assert bridge.fractions(after.u) == y.mean(axis=0).tolist()
    own = np.where(masks.reshape(reached.shape), reached, reached * 0)
    np.testing.assert_array_equal(random_masks.server(algorithm, carry, drawn, own).u, after.u)


def test_visits_see_every_virtual_iterate_and_the_gradients_there():
    objective, algorithm, states, [(masks, noise), _] = rational_case(2, 3, 3, 8)
    problem, drawn = bridge.exact_problem(objective), slow.given_draw(masks, noise)
    seen = []
    reached = random_masks.local(
        problem, algorithm, carry_of(states, 2), drawn, lambda *each: seen.append(each)
    )
    flat = masks.reshape(reached.shape)
    points = [y for _, y, _, _ in seen] + [reached]
    assert [k for k, *_ in seen] == [0, 1, 2]
    for (k, y, gradient, noisy), after in zip(seen, points[1:], strict=True):
        own = np.where(flat, y, y * 0)
        np.testing.assert_array_equal(gradient, problem.gradient(own, drawn.cohort))
        np.testing.assert_array_equal(noisy, gradient + drawn.noise[k])
        np.testing.assert_array_equal(after, np.where(flat, y - noisy * bridge.rational(ETA), y))


# ---- special cases, symmetries, exact expectations


@given(**SIZES, seed=SEED)
def test_with_every_coordinate_kept_it_is_fedplt_with_equal_weights(n, d, steps, seed):
    objective, algorithm, states, rounds = rational_case(n, d, steps, seed)
    problem, carry = bridge.exact_problem(objective), carry_of(states, n)
    drawn = slow.given_draw(np.ones((n, 2, d), dtype=bool), rounds[0][1])
    noise = bridge.exact(rounds[0][1].transpose(2, 0, 1, 3))  # by replica, client and step
    clients, W = Clients(problem), carry.u
    trained, c = np.ones((n, d), dtype=bool), fedplt.shares(bridge.exact([1] * n))
    ends = fedplt.local(
        lambda s, models: clients.gradient(models) + noise[:, :, s],
        trained, algorithm.inner_step_u, steps, clients.spread(W),
    )  # fmt: skip
    expected = fedplt.server(W, ends - W[:, None], trained, c)
    found = random_masks.step(problem, algorithm, carry, drawn)
    np.testing.assert_array_equal(found.u, expected)


@given(seed=SEED, order=st.permutations(range(3)))
def test_clients_may_be_renamed(seed, order):
    objective, algorithm, states, rounds = rational_case(3, 2, 2, seed)
    renamed = slow.oracles.Quadratic(
        2, [objective.hessian[i] for i in order], [objective.linear[i] for i in order]
    )
    moved = [(masks[order], noise[order]) for masks, noise in rounds]
    found = run_exactly(renamed, algorithm, states, moved)
    assert found == run_exactly(objective, algorithm, states, rounds)


@given(seed=SEED, p=st.fractions(F(1, 5), 1), q=st.fractions(F(1, 5), 1))
@settings(max_examples=10)
def test_the_first_local_step_is_unbiased_for_the_masked_objective(seed, p, q):
    """All pairs of masks as replicas; grad F_i(q, w) of a quadratic by its closed form."""
    objective, algorithm, states, _ = rational_case(2, 2, 1, seed)
    w, patterns = states[0], np.array(list(product((False, True), repeat=2)))
    pairs = np.array(list(product(range(4), repeat=2)))
    masks = np.stack([patterns[pairs[:, i]] for i in range(2)])
    sizes = patterns.sum(axis=1).tolist()
    chances = [[keep**k * (1 - keep) ** (2 - k) for k in sizes] for keep in (p, q)]
    weights = np.array([chances[0][a] * chances[1][b] for a, b in pairs], dtype=object)
    assert weights.sum() == 1
    drawn = slow.given_draw(masks, np.full((2, 1, len(pairs), 2), F(0)))
    problem, carry = bridge.exact_problem(objective), carry_of([w] * len(pairs), 2)
    after = random_masks.step(problem, algorithm, carry, drawn).u
    mean = (np.array(bridge.fractions(after), dtype=object) * weights[:, None]).sum(axis=0)
    slope = 0
    for keep, hessian, linear in zip((p, q), objective.hessian, objective.linear, strict=True):
        A = np.array(hessian, dtype=object)
        shrunk = keep**2 * A + keep * (1 - keep) * np.diag(np.diag(A))
        slope = slope + (shrunk @ w + keep * np.array(linear, dtype=object)) / 2
    assert mean.tolist() == (w - ETA * slope).tolist()
