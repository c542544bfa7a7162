"""Gradient descent on smooth convex functions, whose worst case is a Huber loss.

Reference: Y. Drori, M. Teboulle, "Performance of first-order methods for smooth convex
minimization: a novel approach", Mathematical Programming 145, 2014; Theorem 3.1.
PEPit: PEPit/examples/unconstrained_convex_minimization/gradient_descent.py; tight value as
documented there: L/(4 n L gamma + 2).
As printed: f L-smooth and convex, x_{t+1} = x_t - gamma grad f(x_t) and gamma <= 1/L. Then
f(x_n) - f* <= L/(4 n L gamma + 2) ||x_0 - x*||^2, which is tight on some Huber loss functions.
Read as: one client, and T rounds for PEPit's n. After T of them, the Huber loss of threshold 1 is
worst from the start 2 T L gamma + 1.
"""

import numpy as np

from fedbounds.own import Algorithm, objective, quadratics, theory, unlike


def init(problem, start):
    """The model alone."""
    return {"x": start}


def draw(random, problem, p):
    """Nothing is random."""
    return {}


def step(problem, p, state, drawn):
    """A gradient step."""
    x = state["x"]
    return {"x": x - p["gamma"] * problem.full_gradient(x)}


def clipped(y):
    """y, but no further from 0 than 1."""
    return (abs(y + 1) - abs(y - 1)) / 2


def huber(L, start):
    """L y^2/2 for |y| <= 1, L (|y| - 1/2) elsewhere."""
    found = objective(
        clients=1,
        dimension=1,
        gradient=lambda y: L * clipped(y),
        value=lambda y: (L * clipped(y) * (y - clipped(y) / 2))[:, :, 0],
        constants={"L": (L, "exact")},
        assumptions=["smooth", "convex clients", "bounded below"],
        infimum=(0, "exact"),
    )
    return found, np.array([start])


def distance(problem, start):
    """||x_0 - x*||^2; Huber losses, which state no minimiser, have it at 0."""
    best = problem.minimiser
    return ((start if best is None else start - best) ** 2).sum()


one_client = [
    *quadratics(clients=(1,), dimensions=(1, 2, 3), noise=False),
    *(pair for pair in unlike() if pair[0].clients == 1),
    *(huber(L, start) for L in (1, 4) for start in (2, 3, 4, 5, 7, 21, 41)),
]
me = theory(
    "pep_gradient_descent",
    Algorithm(init, draw, step, "gradient descent"),
    title="PEPit: gradient descent on smooth convex functions",
    parameters={"gamma": "edges"},
    problems=one_client,
)
me.constant("R2", "squared distance of the start from the minimiser", distance)
me.claim(
    "tight",
    "f(T) <= L/(4*T*L*gamma + 2) * R2",
    conditions=["gamma <= 1/L"],
    assumptions=["smooth", "convex clients"],
)
