"""Limits in balls: closed forms, exact limits, values of another program, planted errors."""

import json
from pathlib import Path

import numpy as np
import pytest
from flint import arb, arb_mat, ctx, fmpq
from hypothesis import given
from hypothesis import strategies as st
from threadpoolctl import threadpool_limits
from traced_runs import scalar

from fedbounds.theory.language.registry import ladders, rungs
from fedbounds.theory.language.setups import Objective, Run, Setup
from fedbounds.verify.decide.case import find
from fedbounds.verify.measure import ball_limits
from fedbounds.verify.measure.ball_limits import Settling, _Second, definite, settling
from fedbounds.verify.measure.beginnings import beginning
from fedbounds.verify.measure.folded import unroll_folded
from fedbounds.verify.measure.moments import round_map
from fedbounds.verify.measure.round_matrices import read_off
from fedbounds.verify.measure.trace import subject_of
from fedbounds.verify.measure.unknowns import Refused
from fedbounds.verify.measure.unrolled import unroll
from fedbounds.verify.setups.found import view_of
from fedbounds.verify.setups.rungs import LadderInFloats, rung_of

STORED = Path(__file__).parents[2] / "data" / "personalization_ten_clients.json"
whole = st.integers(1, 5)
SHOWN = rungs("personalization")["FedAvg-P over gamma"].series


def planned():
    return {one.name: one for one in ladders("personalization")}


def inside(ball, number):
    """Whether a ball contains a rational, which a ball of few bits would not tell."""
    with ctx.workprec(400):
        return ball.contains(arb(number))


def level(setup, name):
    return rung_of(setup, floats=True).number(SHOWN[name])[0]


def scalars(curvature, slopes, scale, shared, m, K, gamma):
    """One coordinate per client, shared or personal, with one curvature."""
    n = len(slopes)
    data = {
        "hessians": tuple(((curvature,),) for _ in range(n)), "slopes": tuple((x,) for x in slopes),
        "apart": 1, "noise": scale, "personal": 0 if shared else 1, "personal_noise": scale,
    }  # fmt: skip
    parameters = {"cohort": m, "K": K, "gamma_u": gamma, "gamma_v": gamma, "eta_u": 1, "eta_v": 1}
    run = Run(
        Objective("quadratics", tuple(data.items())),
        (1,) if shared else (1,) * n,
        tuple((x, str(y)) for x, y in parameters.items()),
        1,
    )
    return Setup("personalization", "FedAvg-P, where runs settle", run)


# ---- closed forms


@given(a=whole, scale=whole, part=whole, K=st.integers(1, 4))
def test_one_client_has_the_stationary_variance_of_sgd(a, scale, part, K):
    gamma = fmpq(part, 6 * a)
    setup = scalars(a, [3], scale, True, 1, K, gamma)
    # x+ = (1 - gamma a) x + gamma noise, looked at every K steps
    variance = gamma * scale**2 / (a * (2 - gamma * a))
    found, rate = level(setup, "P"), level(setup, "rho")
    assert inside(found, a**2 * variance)
    assert found.rad() < 1e-12
    assert inside(rate, (1 - gamma * a) ** K)
    assert rate.rad() < 1e-9


@given(a=whole, scale=st.integers(0, 3), m=st.integers(1, 4),
       slopes=st.lists(whole, min_size=4, max_size=4))  # fmt: skip
def test_sampled_clients_add_their_spread(a, scale, m, slopes):
    gamma = fmpq(1, 3 * a)
    mean = fmpq(sum(slopes), 4)
    b2 = sum((x - mean) ** 2 for x in slopes) / 4
    noise = fmpq(scale**2, m) + fmpq(4 - m, 3 * m) * b2
    found = level(scalars(a, slopes, scale, True, m, 1, gamma), "P_G_u")
    assert inside(found, a * gamma * noise / (2 - gamma * a))


@given(a=whole, scale=whole, m=st.integers(1, 3), part=whole)
def test_absence_slows_personal_models_and_does_not_move_their_steady_state(a, scale, m, part):
    gamma, share = fmpq(part, 3 * a), fmpq(m, 3)
    setup = scalars(a, [1, 2, 3], scale, False, m, 1, gamma)
    settled = a * gamma * scale**2 / (2 - gamma * a)
    assert inside(level(setup, "P_sum"), settled)
    assert inside(level(setup, "P"), share * settled)
    # long steps shrink the mean faster than the square: present or absent, not in between
    first = abs(1 - share * gamma * a)
    second = 1 - share * (1 - (1 - gamma * a) ** 2)
    rate = level(setup, "rho")
    assert inside(rate, max(first, second))
    assert rate.rad() < 1e-6


# ---- the same numbers otherwise


def test_exact_limits_lie_in_the_balls():
    compared = 0
    for one in planned().values():
        if one.quick is None or "eta = 1," not in one.name:
            continue
        exact, balls = find(one.ladder).series, find(LadderInFloats(one.ladder)).series
        for name in ("P", "P_sum", "P_G_u"):
            for x, ball in zip(exact[name], balls[name], strict=True):
                assert inside(ball, x), (one.name, name)
                assert ball.rad() <= 1e-14 * float(x)
                compared += 1
        assert all(a.overlaps(b) for a, b in zip(exact["rho"], balls["rho"], strict=True))
    assert compared > 100


def test_values_of_another_program_are_found_again():
    """Solved for in float64 by another program, to its relative error of 1e-10 or so."""
    compared = 0
    for name, wanted in json.loads(STORED.read_text()).items():
        with threadpool_limits(1, "blas"):
            found = find(LadderInFloats(planned()[name].ladder)).series
        for quantity, row in wanted.items():
            for ball, value in zip(found[quantity], row, strict=True):
                assert float(ball.mid()) == pytest.approx(value, rel=2e-9), (name, quantity)
                assert ball.rad() < 1e-10 * value
                compared += 1
    assert compared > 150


@pytest.mark.parametrize("rule", ["FedAvg-P", "Scaffold-P"])
def test_matrices_give_the_moments_that_polynomials_give(rule):
    name = next(x for x in planned() if x.startswith(f"{rule}, own curvature n=4"))
    setup = planned()[name].ladder.setups[0]
    subject = subject_of(setup.run, view_of(setup))
    shapes = beginning(subject).shapes
    exact, rounds = round_map(unroll(subject, shapes)), read_off(unroll_folded(subject, shapes))
    draw = np.random.default_rng(0)
    size = rounds.size
    x = [fmpq(int(a), 7) for a in draw.integers(-9, 9, size)]
    point = [fmpq(1), *x]
    moved = _Second(rounds)
    mean = [
        sum((row * point[j] for j, row in rounds.mean.get(i, {}).items()), fmpq(0))
        for i in range(size)
    ]
    spread = moved.shift(arb_mat([[p] for p in point])) + rounds.noise
    for i in range(size):
        for j in range(i, size):
            wanted = sum(
                (c * point[a] * point[b] for (a, b), c in exact[i + 1, j + 1].items()), fmpq(0)
            )
            ball = spread[i, j] + mean[i] * mean[j]
            assert inside(ball, wanted)
            assert ball.rad() < 1e-12


# ---- what does not settle


@pytest.mark.parametrize("gamma", [fmpq(5, 2), fmpq(2, 3)])
def test_an_unstable_step_has_no_limit(gamma):
    setup = scalars(3, [1, 2], 1, True, 1, 1, gamma)
    with pytest.raises(Exception, match="settle|contract"):
        level(setup, "P")


@pytest.mark.parametrize("factor", [1, -1, 2])
def test_a_step_that_does_not_contract_has_no_limit(factor):
    found = settling(scalar(lambda problem, p, state, drawn: {"x": state["x"] * factor}))
    with pytest.raises(Refused, match="settle|contract"):
        found.limit  # noqa: B018


def rounds_of(subject):
    """Of draws that no theory names."""
    return Settling(read_off(unroll_folded(subject, beginning(subject).shapes)), None)


def noisy(step, **more):
    def draw(random, problem, p):
        return {"noise": random.noise(problem, 1), "s": random.bernoulli(fmpq(1, 2), 1)}

    return scalar(step, draw=draw, noise=fmpq(1, 2), **more)


@pytest.mark.parametrize(
    ("step", "why"),
    [
        (lambda x, e, s: x * x / 9, "affine"),
        (lambda x, e, s: x / 2 + e * e, "square"),
        (lambda x, e, s: x / 2 + x * e, "affine"),
        (lambda x, e, s: x / 2 + s * s * e, "square"),
    ],
)
def test_another_form_is_refused(step, why):
    with pytest.raises(Refused, match=why):
        rounds_of(noisy(lambda problem, p, state, drawn: {
            "x": step(state["x"], drawn["noise"][:, 0, 0], drawn["s"])
        }))  # fmt: skip


def test_draws_that_multiply_the_state_and_noise_together():
    found = rounds_of(noisy(lambda problem, p, state, drawn: {
        "x": drawn["s"] * state["x"] / 2 + drawn["noise"][:, 0, 0] * (1 + drawn["s"]) / 2
    }))  # fmt: skip
    # e has variance 1/4: m = m/8 + E (1 + s)^2 / 16, E (1 + s)^2 = 5/2
    assert inside(found.limit({(1, 1): fmpq(1)}), fmpq(5, 32) / (1 - fmpq(1, 8)))
    assert inside(found.limit({(0, 1): fmpq(1)}), 0)


# ---- planted errors: the certificate notices, or the ball is as wide as it must be


def tampered(monkeypatch, change):
    """The limit of E x, of E x^2 and the pace, where what floats solve for is not so."""
    subject = noisy(lambda problem, p, state, drawn: {
        "x": drawn["s"] * state["x"] / 2 + drawn["noise"][:, 0, 0] * (1 + drawn["s"]) / 2
    })  # fmt: skip
    plain = _Second.solver

    def wrong(self, factor):
        solve = plain(self, factor)
        return lambda side: change(solve(side))

    monkeypatch.setattr(_Second, "solver", wrong)
    return rounds_of(subject)


@pytest.mark.parametrize("off", [1e-12, 1e-6, 1e-2])
def test_a_wrong_solution_gives_a_wide_ball(off, monkeypatch):
    found = tampered(monkeypatch, lambda x: x * (1 + off)).limit({(1, 1): fmpq(1)})
    assert inside(found, fmpq(5, 28))
    assert found.rad() > off**2 / 10  # one step of refinement squares what is off


@pytest.mark.parametrize("change", [lambda x: -x, lambda x: x * 2, lambda x: x * 0])
def test_a_bound_that_is_none_is_noticed(change, monkeypatch):
    found = tampered(monkeypatch, change)
    with pytest.raises(Refused, match="contract"):
        found.limit  # noqa: B018
    with pytest.raises(Refused, match="enclosed"):
        found.pace  # noqa: B018


@pytest.mark.parametrize(
    ("matrix", "size"),
    [
        ([[0, -1], [1, 0]], 1.0),
        ([[0.5, 1], [0, 0.5]], 0.5),
        ([[0.9, 0, 0], [0, -0.99, 1], [0, 0, 0.3]], 0.99),
    ],
)
def test_the_factor_of_a_matrix_is_enclosed(matrix, size):
    found = ball_limits._factor(arb_mat(matrix))
    assert found.contains(arb(size)) or abs(float(found.mid()) - size) <= float(found.rad())
    assert float(found.upper()) < size * (1 + 1e-9)


def test_definite_matrices_are_told_from_others():
    assert definite(arb_mat([[2, 1], [1, 2]]))
    for other in ([[1, 2], [2, 1]], [[1, 1], [1, 1]], [[0, 0], [0, 0]], [[-1, 0], [0, 1]]):
        assert not definite(arb_mat(other))
    assert not definite(arb_mat([[arb(2, 3), 1], [1, 2]]))
