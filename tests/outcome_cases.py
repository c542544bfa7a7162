"""Small instances with finitely many outcomes, and the language of statements about them."""

from functools import cache

import numpy as np
import sympy as sp

from fedbounds.algorithms.fedavg_p import FedAvgP
from fedbounds.algorithms.scaffold_p import ScaffoldP
from fedbounds.problems import (
    Noise,
    NoiseLaw,
    Start,
    coupled_cosine,
    federated_logistic,
    federated_quadratic,
)
from fedbounds.theory.proof.vectors import sq
from fedbounds.verify.outcome_values import evaluate
from fedbounds.verify.outcomes import round_outcomes

CLOSE = 1e-13  # times the size of a statement

# ---- instances

NOISES = {"u": (0.5, 0.0), "v": (0.0, 0.4), "both": (0.5, 0.4), "none": (0.0, 0.0)}
VALUES = {"K": 2, "gamma": 0.18, "gamma_u": 0.15, "gamma_v": 0.1, "eta_u": 1.2, "eta_v": 1.8}


def instance(family, rule, m, noise):
    """A problem with one coordinate per block; minibatches have a noise of their own."""
    law = Noise(NoiseLaw.RADEMACHER, *NOISES.get(noise, (0.0, 0.0)))
    size = {"clients": 2, "shared_dimension": 1, "personal_dimension": 1}
    if family == "quadratic":
        problem = federated_quadratic(**size, coupling=0.3, noise=law)
    elif family == "cosine":
        problem = coupled_cosine(**size, amplitude=0.8, noise=law)
    else:
        problem = federated_logistic(**size, samples=2, heterogeneity=1.0, batch=1)
    rng = np.random.default_rng(1)
    start = Start(rng.standard_normal(1), rng.standard_normal((2, 1)))
    return problem, rule(m, 2, 0.15, 0.1, 1.2, 1.8), start


@cache
def outcomes_of(family, rule, m, noise, rounds):
    return round_outcomes(*instance(family, rule, m, noise), rounds)


def values_of(case):
    return VALUES | {"n": 2, "m": case[2]}


# family, rule, m, noise, rounds: at most MOST_ROWS outcomes each
CASES = [
    ("quadratic", FedAvgP, 1, "both", 1),
    ("quadratic", FedAvgP, 2, "both", 1),
    ("quadratic", FedAvgP, 1, "both", 2),
    ("quadratic", FedAvgP, 2, "u", 2),
    ("cosine", FedAvgP, 1, "both", 2),
    ("cosine", FedAvgP, 2, "v", 2),
    ("logistic", FedAvgP, 1, "minibatch", 2),
    ("quadratic", ScaffoldP, 1, "u", 1),
    ("quadratic", ScaffoldP, 2, "v", 1),
    ("quadratic", ScaffoldP, 1, "u", 2),
    ("cosine", ScaffoldP, 1, "v", 2),
    ("cosine", ScaffoldP, 2, "u", 2),
    ("cosine", ScaffoldP, 1, "none", 2),
    ("logistic", ScaffoldP, 1, "minibatch", 1),
    ("logistic", ScaffoldP, 1, "minibatch", 2),
    ("logistic", ScaffoldP, 2, "minibatch", 2),
]
SCAFFOLD = [case for case in CASES if case[1] is ScaffoldP]
MINIBATCH = {rule: ("logistic", rule, 1, "minibatch", 2) for rule in (FedAvgP, ScaffoldP)}


def name_of(case):
    family, rule, m, noise, rounds = case
    return f"{family} {rule.__name__} m={m} {noise} t={rounds - 1}"


# ---- the symbols of the language

past, S, xi, i, k, old = sp.symbols("past S xi i k old")
n, m, K, t, gamma, gamma_u, gamma_v = sp.symbols("n m K t gamma gamma_u gamma_v")
u, v, uh, vh, up, vp, hu, hv, au, av, Yu, Yv = sp.symbols("u v uh vh up vp hu hv au av Yu Yv")
du, dv, nu, gu, ci, c, di = sp.symbols("du dv nu gu ci c di")
al, be, eu, Wh, al1, be1 = sp.symbols("al be eu Wh al1 be1")


def assert_equal(left, right, found, values):
    a, b = evaluate(left, found, values), evaluate(right, found, values)
    assert abs(a.value - b.value) <= CLOSE * (a.size + b.size), (left, right)


def assert_zero(vector, found, values):
    """A vector that vanishes: its square is below the square of rounding."""
    square = evaluate(sq(vector), found, values)
    assert square.value <= CLOSE**2 * square.size, vector
