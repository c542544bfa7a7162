"""Runs on logistic losses: what balls contain, what was found by another program, what is said."""

import json
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import exp, log1p
from pathlib import Path

import numpy as np
import pytest
from flint import arb, fmpq

from fedbounds.errors import FedboundsError
from fedbounds.problems import to_float
from fedbounds.theory.language.registry import claim
from fedbounds.theory.personalization import setups_logistic
from fedbounds.verify.decide.case import find
from fedbounds.verify.judge.judge import judge
from fedbounds.verify.measure.clients import Clients
from fedbounds.verify.measure.objectives import objective
from fedbounds.verify.setups.plan import case_of
from fedbounds.vocabulary import Method, Verdict

STORED = Path(__file__).parents[2] / "data" / "personalization_logistic.json"
PLANNED = {one.name: one for one in setups_logistic.PLANNED}
CLOSE = 1e-11  # relative: what floats of that program lose


def middle(ball):
    return float(arb(ball).mid())


def stored():
    return json.loads(STORED.read_text())


@pytest.mark.parametrize("name", stored())
def test_balls_contain_what_another_program_found_in_floats(name):
    setup = PLANNED[name].setup
    found, compared = find(setup), 0
    for quantity, rows in stored()[name].items():
        series = found.series[quantity]
        # f was measured from 0, which no loss is below; here from what F_0 says
        lowest = rows[0] - float(Fraction(dict(setup.chosen)["F_0"])) if quantity == "f" else 0
        size = max(abs(x) for x in rows if x is not None) + 1e-3
        for ball, number in zip(series, rows, strict=False):
            if number is not None:
                assert isinstance(ball, fmpq) or float(ball.rad()) < 1e-30
                assert abs(middle(ball) + lowest - number) <= CLOSE * size, quantity
                compared += 1
    assert compared > 30


# ---- one round in floats: every cohort and every minibatch, client by client and step by step


def _slopes(samples, rho, z):
    """The gradient of every sample at (u, v), and its loss."""
    blocks = (z[:2], z[2:])
    kept = np.concatenate([2 * rho * b / (1 + b @ b) ** 2 for b in blocks])
    ridge = rho * sum(b @ b / (1 + b @ b) for b in blocks)
    scores = samples @ z
    return (
        [-x / (1 + exp(s)) + kept for x, s in zip(samples, scores, strict=True)],
        [log1p(exp(-s)) + ridge for s in scores],
    )


def _by_hand(run):
    """E of f, of ||u' - u||^2, of the drift and of the noise, after one round of FedAvg-P."""
    exact = to_float(objective(run.problem))
    data, rho = np.concatenate([exact.shared_features, exact.personal_features], axis=2), 1 / 20
    n, N, _ = data.shape
    start = np.array([float(Fraction(x)) for x in run.start])
    u, v = start[:2], start[2:]
    m, K = run.parameter("cohort"), run.parameter("K")
    steps = {x: float(Fraction(run.parameter(x))) for x in ("gamma_u", "gamma_v", "eta_u", "eta_v")}
    local = np.array([steps["gamma_u"], steps["gamma_u"], steps["gamma_v"]])
    cohorts = [s for s in product((0, 1), repeat=n) if sum(s) == m]
    batches = list(product(range(N), repeat=n * K))
    found = dict.fromkeys(("f", "Du_2", "E", "Y_2"), 0.0)
    for cohort, batch in product(cohorts, batches):
        chance = 1 / (len(cohorts) * len(batches))
        reached = []
        for i in range(n):
            z = np.array([*u, v[i]])
            for k in range(K):
                slopes, _ = _slopes(data[i], rho, z)
                noise = slopes[batch[i * K + k]] - sum(slopes) / N
                apart = z - [*u, v[i]]
                found["E"] += chance * apart @ apart
                found["Y_2"] += chance * cohort[i] * noise[:2] @ noise[:2]
                z = z - local * slopes[batch[i * K + k]]
            reached.append(z)
        mean = sum(c * z[:2] for c, z in zip(cohort, reached, strict=True)) / m
        new = u + steps["eta_u"] * (mean - u)
        found["Du_2"] += chance * (new - u) @ (new - u)
        for i, (c, z) in enumerate(zip(cohort, reached, strict=True)):
            own = v[i] + c * steps["eta_v"] * (z[2] - v[i])
            losses = _slopes(data[i], rho, np.array([*new, own]))[1]
            found["f"] += chance * sum(losses) / (N * n)
    return found


@pytest.mark.parametrize(
    "name",
    [
        "logistic, n=2 m=1 K=2 T=2, edge of lem-3.5",
        "logistic, n=3 m=2 K=1 T=2, steps of cor-3.8",
    ],
)
def test_a_round_by_hand(name):
    setup = PLANNED[name].setup
    found, wanted = find(setup).series, _by_hand(setup.run)
    lowest = stored()[name]["f"][0] - float(Fraction(dict(setup.chosen)["F_0"]))
    assert abs(middle(found["f"][1]) + lowest - wanted.pop("f")) < 1e-12
    for quantity, number in wanted.items():
        assert abs(middle(found[quantity][0]) - number) < 1e-12, quantity


# ---- what set-ups are there for


@pytest.mark.parametrize(
    ("ending", "about"),
    [("cor-3.8", "cor-3.8"), ("steps of thm-3.11", "rem-3.12"), ("cor-4.6", "cor-4.6")],
)
def test_prescribed_steps_are_those_of_the_claim(ending, about):
    """An equation between rationals: wrong by the last digit, the claim would not apply."""
    every = [one for name, one in PLANNED.items() if name.endswith(ending)]
    assert len(every) >= 3
    for one in every:
        case = case_of(one, "")
        assert case.method is Method.BALLS
        (judgement,) = judge([claim(f"personalization/{about}")], case).judgements[:1]
        assert judgement.verdict is Verdict.NOT_VIOLATED, one.name


def test_an_infimum_above_zero_is_no_infimum():
    """F_0 is chosen; less than the loss at the start says that losses do not come near 0."""
    one = PLANNED["logistic, n=2 m=2 K=1 T=3, edge of lem-3.5"].setup
    assert find(one).parameters["F_0"] == fmpq(93, 100)
    with pytest.raises(FedboundsError, match="f_inf"):
        find(replace(one, chosen=(("F_0", "91/100"),)))


def test_values_and_gradients_of_minibatches_take_the_same_samples():
    run = PLANNED["logistic, n=2 m=1 K=2 T=2, edge of lem-3.5"].setup.run
    problem = Clients(to_float(objective(run.problem)))
    rng = np.random.default_rng(0)
    u, v = rng.standard_normal((4, 2)), rng.standard_normal((4, 2, 1))
    weights = np.eye(2)[rng.integers(2, size=(4, 2))]
    _, by_v = problem.sampled_gradients(u, v, weights)
    moved = (problem.sampled_value(u, weights, v + 1e-6)
             - problem.sampled_value(u, weights, v - 1e-6)) / 2e-6  # fmt: skip
    np.testing.assert_allclose(moved, by_v[:, :, 0], rtol=1e-6, atol=1e-9)
    with pytest.raises(FedboundsError, match="weights of samples"):
        problem.sampled_value(u, weights[:, :1], v)
