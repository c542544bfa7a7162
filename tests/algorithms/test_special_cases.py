"""FedAvg-P, Scaffold-P and their special cases, each against its paper's pseudo-code."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st
from special_case_oracles import (
    G_U,
    G_V,
    KINDS,
    World,
    far,
    quadratic,
    rows,
    starting,
    subject_of,
)
from traced_rounds import run

from fedbounds.algorithms import personal_averaging, personal_scaffold
from fedbounds.algorithms.traced import Algorithm
from fedbounds.errors import FedboundsError
from fedbounds.problems import Noise, NoiseLaw, coupled_cosine, to_rational
from fedbounds.verify.measure.clients import Clients
from fedbounds.verify.measure.contract import one_step
from fedbounds.verify.measure.subject import Subject

# ---- the oracles


@pytest.mark.parametrize("kind", KINDS)
@given(n=st.integers(1, 4), data=st.data(), K=st.integers(1, 3), seed=st.integers(0, 1000))
def test_runs_are_the_oracles_in_rationals_whatever_the_sizes(kind, n, data, K, seed):
    m = data.draw(st.integers(1, n))
    problem = quadratic(n, *KINDS[kind].blocks, seed=seed)
    assert far(kind, problem, n, m, K, seed) == 0


@pytest.mark.parametrize("kind", ["FedSim", "FedAlt", "FedAvg-P", "Scaffold-P"])
def test_runs_are_the_oracles_on_a_coupled_nonlinear_problem(kind):
    noise = Noise(NoiseLaw.GAUSSIAN, 0.7, 0.3)
    problem = coupled_cosine(
        clients=4, shared_dimension=2, personal_dimension=1, noise=noise, seed=2
    )
    own = KINDS[kind]
    one = subject_of(kind, to_rational(problem), 4, 2, 2)
    floats = Subject(own.algorithm, Clients(problem), one.start.astype(float), dict(one.values), 3)
    found, world, p = run(floats, seed=1), World(problem), floats.parameters()
    state = rows(found.states[0], 0)
    for t in range(3):
        state = own.oracle(world, p, state, rows(found.draws[t], 0))
        for name, value in state.items():
            np.testing.assert_allclose(found.states[t + 1][name][0], value, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("kind", ["FedSim", "FedAlt", "FedAvg-P", "Scaffold-P"])
@pytest.mark.parametrize("blocks", [(2, 0), (0, 2)])
def test_a_block_may_be_empty(kind, blocks):
    assert far(kind, quadratic(3, *blocks), 3, 2, 2) == 0


def test_the_order_of_blocks_matters_to_fedalt_and_not_to_fedsim():
    """FedAlt with one step each is not FedSim with one, since u sees the new v_i."""
    problem = quadratic(3, 2, 1, noise=Noise(NoiseLaw.GAUSSIAN, 0, 0))
    alternating = {"cohort": 3, "K_v": 1, "K_u": 1, "gamma_u": G_U, "gamma_v": G_V}
    start = starting(problem)
    sim = run(subject_of("FedSim", problem, 3, 3, 1, rounds=1))
    alt = run(Subject(personal_averaging.ALTERNATING, Clients(problem), start, alternating, 1))
    assert (sim.states[1]["v"] == alt.states[1]["v"]).all()
    assert (sim.states[1]["u"] != alt.states[1]["u"]).any()


# ---- what is known of them


@pytest.mark.parametrize("kind", ["Scaffold", "Scaffold-P"])
def test_the_mean_of_the_controls_is_the_control(kind):
    found = run(subject_of(kind, quadratic(3, *KINDS[kind].blocks), 3, 2, 2))
    for state in found.states:
        assert (state["ci"].sum(axis=1) / fmpq(3) == state["c"]).all()


def test_controls_are_the_mean_gradients_of_the_last_participation():
    """c_i = (1/K) sum_k of the stochastic gradients met when client i last took part."""
    problem = quadratic(3, 2, 1)
    found = run(subject_of("Scaffold-P", problem, 3, 2, 2, rounds=4))
    world, p = World(problem), found.subject.parameters()
    for r in range(2):
        expected = list(found.states[0]["ci"][r])
        for before, after, drawn in zip(found.states, found.states[1:], found.draws, strict=False):
            for i in np.flatnonzero(drawn["present"][r] == 1):
                u, v, met = before["u"][r], before["v"][r, i], []
                for k in range(2):
                    noise = drawn["xi_u"][r, i, k], drawn["xi_v"][r, i, k]
                    g_u, g_v = world.g(i, u, v, *noise)
                    met.append(g_u)
                    u = u - p["gamma_u"] * (g_u - before["ci"][r, i] + before["c"][r])
                    v = v - p["gamma_v"] * g_v
                expected[i] = sum(met) / 2
            assert (after["ci"][r] == np.array(expected)).all()


def test_one_client_alone_needs_no_correction():
    silent = quadratic(1, 2, 1, noise=Noise(NoiseLaw.GAUSSIAN, 0, 0))
    plain, corrected = (
        run(subject_of(kind, silent, 1, 1, 2)) for kind in ("FedAvg-P", "Scaffold-P")
    )
    for one, other in zip(plain.states, corrected.states, strict=True):
        assert (one["u"] == other["u"]).all()
        assert (one["v"] == other["v"]).all()


def test_increments_are_sums_of_noisy_gradients():
    """The identity alg-inc: both increments carry the effective step gamma."""
    problem, gamma = quadratic(4, 2, 1), fmpq(3, 25)
    outer = {"eta_u": fmpq(8, 5), "eta_v": fmpq(4, 5)}
    inner = {"gamma_u": gamma / outer["eta_u"], "gamma_v": gamma / outer["eta_v"]}
    shown = {}

    def step(problem, p, state, drawn, see):
        def look(**named):
            for name, array in named.items():
                shown.setdefault(name, array)  # rows are also asked for by themselves
            see(**named)

        return personal_averaging.step(problem, p, state, drawn, look)

    algorithm = Algorithm(personal_averaging.init, personal_averaging.draw, step)
    values = {"cohort": 2, "K": 3, **inner, **outer}
    found = run(Subject(algorithm, Clients(problem), starting(problem), values, 1))
    drawn, (before, after) = found.draws[0], found.states
    present = drawn["present"][:, :, None]
    noisy_u = (shown["hu"] + drawn["xi_u"]).sum(axis=2) * present
    noisy_v = (shown["hv"] + drawn["xi_v"]).sum(axis=2) * present
    assert (after["u"] - before["u"] == noisy_u.sum(axis=1) * (-gamma / 2)).all()
    assert (after["v"] - before["v"] == noisy_v * (-gamma)).all()


# ---- symmetries, on equal draws


@pytest.mark.parametrize("kind", KINDS)
@given(order=st.permutations(range(3)), seed=st.integers(0, 99))
@settings(max_examples=8)
def test_renaming_clients_renames_the_result(kind, order, seed):
    problem, own = quadratic(3, *KINDS[kind].blocks, seed=seed), list(order)
    one = subject_of(kind, problem, 3, 2, 2, seed=seed)
    arrays = {"hessian": problem.hessian[own], "linear": problem.linear[own]}
    other = replace(one, problem=Clients(replace(problem, **arrays)))
    found = run(one, seed=seed)
    before, after = found.states[0], found.states[1]
    drawn, p = found.draws[0], one.parameters()
    again, _ = one_step(one.algorithm, other.problem, p, renamed(before, own), renamed(drawn, own))
    for name, array in renamed(after, own).items():
        assert (again[name] == array).all(), name


def renamed(arrays, order):
    """Those with an axis of clients, in another order; models that are shared, as they are."""
    shared = ("x", "u", "c")
    return {name: y if name in shared else y[:, order] for name, y in arrays.items()}


@pytest.mark.parametrize("m", [1, 2, 3])
@pytest.mark.parametrize("kind", ["FedAvg", "FedSim", "FedAvg-P", "Scaffold", "Scaffold-P"])
def test_the_average_is_unbiased(kind, m):
    """The mean over every set of participants is the step of full participation."""
    problem = quadratic(3, *KINDS[kind].blocks)
    found = run(subject_of(kind, problem, 3, m, 2), rows=1)
    before, drawn = found.states[0], found.draws[0]
    sets = list(combinations(range(3), m))

    def after(chosen, count):
        one = subject_of(kind, problem, 3, count, 2)
        present = np.array([[fmpq(int(i in chosen)) for i in range(3)]], dtype=object)
        weights = {"weight": present / count} if "weight" in drawn else {}
        given_ = {**drawn, "present": present, **weights}
        return one_step(one.algorithm, one.problem, one.parameters(), before, given_)[0]

    full = after((0, 1, 2), 3)
    some = [after(chosen, m) for chosen in sets]
    shared = "x" if "x" in full else "u"
    mean = sum(each[shared] for each in some) / len(sets)
    assert (mean == full[shared]).all()
    if "v" in full:
        own = sum(each["v"] for each in some) / len(sets)
        assert (own == before["v"] * fmpq(3 - m, 3) + full["v"] * fmpq(m, 3)).all()


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_given_is_changed(kind):
    found = run(subject_of(kind, quadratic(3, *KINDS[kind].blocks), 3, 2, 2, rounds=1))
    one, before, drawn = found.subject, found.states[0], found.draws[0]
    kept = {name: array.copy() for name, array in (before | drawn).items()}
    KINDS[kind].algorithm.step(one.problem, one.parameters(), before, drawn, lambda **_: None)
    for name, array in (before | drawn).items():
        assert (array == kept[name]).all()


# ---- what does not fit


@pytest.mark.parametrize(
    ("kind", "blocks", "message"),
    [
        ("FedAvg", (2, 1), r"init returned a model of shape state\['x'\]"),
        ("Scaffold", (2, 1), "personal dimension of a problem asked for gradient"),
        ("parallel SGD", (1, 2), "shared dimension d_u is 1"),
    ],
)
def test_a_problem_of_the_wrong_shape_is_refused(kind, blocks, message):
    with pytest.raises(FedboundsError, match=message):
        run(subject_of(kind, quadratic(3, *blocks), 3, 2, 1))


@pytest.mark.parametrize("kind", ["FedAvg", "FedSim", "Scaffold", "FedAvg-P", "Scaffold-P"])
def test_more_participants_than_clients_are_refused(kind):
    with pytest.raises(FedboundsError, match="participants m is 4"):
        run(subject_of(kind, quadratic(3, *KINDS[kind].blocks), 3, 4, 1))


# ---- planted errors


def one_step_fewer(own):
    def step(problem, p, state, drawn, see):
        return own.step(problem, p.with_values({"K": p["K"] - 1}), state, drawn, see)

    return step


def mean_over_all(own):
    def step(problem, p, state, drawn, see):
        return own.step(problem, p.with_values({"m": problem.clients}), state, drawn, see)

    return step


def everyone_counts(own):
    def step(problem, p, state, drawn, see):
        everyone = {**drawn, "present": drawn["present"] * 0 + 1}
        return own.step(problem, p, state, everyone, see)

    return step


@pytest.mark.parametrize("plant", [one_step_fewer, mean_over_all, everyone_counts])
@pytest.mark.parametrize("kind", ["FedAvg", "FedSim", "Scaffold"])
def test_planted_errors_are_caught_by_the_oracle(plant, kind):
    own = KINDS[kind].algorithm
    wrong = Algorithm(own.init, own.draw, plant(own), own.name)
    problem = quadratic(4, *KINDS[kind].blocks)
    assert far(kind, problem, 4, 2, 3) == 0
    assert far(kind, problem, 4, 2, 3, algorithm=wrong) > 1e-3


def wrong_sign(step):
    def wrong(problem, p, state, drawn, see):
        turned = {**state, "ci": -state["ci"], "c": -state["c"]}
        after = step(problem, p, turned, drawn, see)
        return {**after, "ci": -after["ci"], "c": -after["c"]}

    return wrong


def mean_over_participants_only(step):
    def wrong(problem, p, state, drawn, see):
        after = step(problem, p, state, drawn, see)
        return {**after, "c": state["c"] + (after["c"] - state["c"]) * fmpq(3, 2)}

    return wrong


def absent_clients_renewed(step):
    def wrong(problem, p, state, drawn, see):
        everyone = {**drawn, "present": drawn["present"] * 0 + 1}
        renewed = step(problem, p, state, everyone, lambda **_: None)
        after = step(problem, p, state, drawn, see)
        return {**after, "ci": renewed["ci"], "c": renewed["c"]}

    return wrong


@pytest.mark.parametrize("plant", [wrong_sign, mean_over_participants_only, absent_clients_renewed])
@pytest.mark.parametrize("kind", ["Scaffold", "Scaffold-P"])
def test_planted_errors_of_controls_are_caught_by_the_oracle(plant, kind):
    own = KINDS[kind].algorithm
    wrong = Algorithm(own.init, own.draw, plant(own.step), own.name)
    assert far(kind, quadratic(3, *KINDS[kind].blocks), 3, 2, 2, algorithm=wrong) > 1e-3


def test_controls_that_start_at_zero_are_caught():
    own = personal_scaffold.ROUNDS

    def init(problem, start, random, p):
        state = own.init(problem, start, random, p)
        return {**state, "ci": state["ci"] * 0, "c": state["c"] * 0}

    wrong = Algorithm(init, own.draw, own.step, own.name)
    assert far("Scaffold-P", quadratic(3, 2, 1), 3, 2, 2, algorithm=wrong) > 1e-3


def test_a_shared_update_at_the_old_personal_variables_is_caught(monkeypatch):
    problem, original = quadratic(3, 1, 2), personal_averaging.local

    def local(problem, state, noise, sizes, steps, correction=0):
        reached, shown = original(problem, state, noise, sizes, steps)

        def later(k, *at):
            return noise(k + 2, *at)

        still = original(problem, state, later, lambda k: (sizes(steps - 1)[0], 0), 2)[0]
        return (still[0], reached[1]), shown

    assert far("FedAlt", problem, 3, 2, 2) == 0
    monkeypatch.setattr(personal_averaging, "local", local)
    assert far("FedAlt", problem, 3, 2, 2) > 1e-3
