"""Gradient descent on smooth functions that need not be convex: the least squared gradient.

Reference: A. B. Taylor, "Convex interpolation and performance estimation of first-order methods for
convex optimization", PhD thesis, UCLouvain 2017; page 190.
PEPit: PEPit/examples/nonconvex_optimization/gradient_descent.py; (empirically) tight value as
documented there: (4/3) L/n.
As printed: f L-smooth, x_{t+1} = x_t - gamma grad f(x_t), gamma <= 1/L. Then
min_{t <= n} ||grad f(x_t)||^2 <= (4/3) (L/n) (f(x_0) - f(x_n)).
Read as: one client, and t for PEPit's n. The claim "documented" is about every gamma <= 1/L, as
PEPit's text says; "computed" about gamma = 1/L, for which PEPit computes it.
"""

import numpy as np

from fedbounds.own import Algorithm, objective, quadratic, quadratics, theory, unlike


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


def value(problem, state):
    """f(x)."""
    return problem.value(state["x"])[:, 0]


def square(problem, state):
    """||grad f(x)||^2."""
    return (problem.full_gradient(state["x"]) ** 2).sum(axis=1)


def dented(start):
    """Slope 1, less in [0, 5]: between whole numbers it falls to 1/2 at the rate 1, and rises."""
    at, signs = np.arange(11) / 2, np.array([1, *[-2, 2] * 5])
    signs[-1] = 1

    def gradient(y):
        return 1 - (signs * abs(y - at)).sum(axis=2, keepdims=True) / 2

    def value(y):
        return y[:, :, 0] - (signs * abs(y - at) * (y - at)).sum(axis=2) / 4

    found = objective(
        clients=1,
        dimension=1,
        gradient=gradient,
        value=value,
        constants={"L": (1, "exact")},
        assumptions=["smooth"],
    )
    return found, np.array([start])


one_client = [
    *quadratics(clients=(1,), dimensions=(1, 2), noise=False),
    *(pair for pair in unlike() if pair[0].clients == 1),
    *(quadratic([[[-1]]], [[h]], [2]) for h in (0, 1)),
    *(quadratic([[[1, 0], [0, -2]]], [[1, 1]], start) for start in ([1, 0], [5, "1/2"], [0, -3])),
    quadratic([[["1/1000", 0], [0, 1]]], [[0, 0]], [1000, 0]),
    dented(5),
]
me = theory(
    "pep_nonconvex_gradient_descent",
    Algorithm(init, draw, step, "gradient descent"),
    title="PEPit: gradient descent on smooth functions",
    parameters={"gamma": "edges"},
    problems=one_client,
)
me.quantity("F", "the function", value, signed=True)
me.quantity("G", "its squared gradient", square)
for name, condition in {"documented": "gamma <= 1/L", "computed": "gamma == 1/L"}.items():
    me.claim(
        name,
        "3*t*Min_to(G(t)) <= 4*L*(F(0) - F(t))",
        conditions=[condition],
        assumptions=["smooth"],
        first=1,
    )
