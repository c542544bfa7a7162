"""Gradient descent on smooth convex functions: a potential with the squared gradient.

Reference: A. Taylor, F. Bach, "Stochastic first-order methods: non-asymptotic and computer-aided
analyses via potential functions", COLT 2019; Theorem 3.
PEPit: PEPit/examples/potential_functions/gradient_descent_lyapunov_2.py; tight value as documented
there: V_{n+1} - V_n <= 0.
As printed: f L-smooth and convex, x_{n+1} = x_n - gamma grad f(x_n) and gamma = 1/L. Then
V_{n+1} <= V_n, where V_n = (2n + 1) L (f(x_n) - f*) + n (n + 2) ||grad f(x_n)||^2
+ L^2 ||x_n - x*||^2.
Read as: one client. As in PEPit, n is any number and x_n any point: the parameter N, beside rounds.
The minimiser x* is 0.
"""

import numpy as np

from fedbounds.own import Algorithm, objective, quadratic, theory


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


curved = ([[1]], [[2, 1], [1, 2]], [[1, 0], [0, 100]], [[1, 0, 0], [0, 2, 0], [0, 0, 400]])
minimal_at_0 = [
    *(quadratic([hessian], [[0] * len(hessian)], [6, 1, -2][: len(hessian)]) for hessian in curved),
    quadratic([[["1/100", 0], [0, "1/10"]]], [[0, 0]], [6, -2]),
    *(huber(L, start) for L in (1, 4) for start in (1, 3, 25)),
]
me = theory(
    "pep_gradient_descent_lyapunov_2",
    Algorithm(init, draw, step, "gradient descent"),
    title="PEPit: gradient descent, potential with the squared gradient",
    parameters={"gamma": ("1/L",)},
    problems=minimal_at_0,
)
me.parameter("N", "the number of the iterate, in the potential", (0, 1, 10), positive=False)
me.quantity("R2", "squared distance from the minimiser", is_="sq(x)")
me.claim(
    "tight",
    "(2*N + 3)*L*f(t + 1) + (N + 1)*(N + 3)*G_u(t + 1) + L**2*R2(t + 1)"
    " <= (2*N + 1)*L*f(t) + N*(N + 2)*G_u(t) + L**2*R2(t)",
    conditions=["gamma == 1/L"],
    assumptions=["smooth", "convex clients"],
)
