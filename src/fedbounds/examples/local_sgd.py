"""Local SGD on identical data: constant steps, and communication at least every H steps.

Reference: A. Khaled, K. Mishchenko, P. Richtarik, "Tighter theory for local SGD on identical and
heterogeneous data", AISTATS 2020; Theorem 1 with Algorithm 1.
As printed: all M nodes have the same f, which is L-smooth and mu-strongly convex, and stochastic
gradients of variance at most sigma^2. With gamma <= 1/(4 L) and at most H >= 1 steps between
communications, E||x^_T - x*||^2 <= (1 - gamma mu)^T ||x_0 - x*||^2 + gamma sigma^2/(mu M)
+ 2 L gamma^2 (H - 1) sigma^2/mu, where x^_T is the mean of the nodes' models after T steps.
Read as: the nodes communicate after every H-th step. M is n in formulas.
"""

from fractions import Fraction

import numpy as np

from fedbounds.own import Algorithm, objective, quadratic, theory


def init(problem, start):
    """The models of all nodes, and their mean."""
    return {"x": start, "y": problem.spread(start)}


def draw(random, problem, p):
    """The noise of the nodes' gradients."""
    return {"xi": random.noise(problem, 1)}


def step(problem, p, state, drawn):
    """A step of every node, and their mean if they communicate."""
    y = state["y"] - p["gamma"] * (problem.gradient(state["y"]) + drawn["xi"][:, :, 0, :])
    mean = problem.xp.sum(y, axis=1) / problem.clients
    synchronised = (p["t"] + 1) % p["H"] == 0
    return {"x": mean, "y": problem.spread(mean) if synchronised else y}


# the same quadratic at every node: its Hessian, slope, start and noise
SHARED = (
    ([[1]], [2], [6], 1),
    ([[100]], [-3], [1], 10),
    ([[1, 0], [0, 3]], [1, -1], [2, 2], Fraction(1, 2)),
    ([[2, 1], [1, 2]], [0, 3], [-2, 6], 0),
    ([[1, 0], [0, 100]], [0, 0], [0, 0], 10),
    ([[Fraction(1, 100), 0], [0, 1]], [1, 0], [-2, 1], Fraction(1, 10)),
    ([[1, 0, 0], [0, 2, 0], [0, 0, 4]], [1, 2, 3], [1, 1, -2], 1),
)


def bent(nodes, start, noise):
    """f(x) = x^2/2 + sqrt(1 + x^2) at every node: here communication matters, unlike above."""
    same = objective(
        clients=nodes,
        dimension=1,
        gradient=lambda x: x + x / np.sqrt(1 + x**2),
        value=lambda x: (x**2 / 2 + np.sqrt(1 + x**2)).sum(axis=2),
        constants={"L": (2, "exact"), "mu": (1, "exact")},
        assumptions=["smooth", "strongly convex clients", "unbiased noise of bounded variance"],
        minimiser=([0], "exact"),
        noise=noise,
    )
    return same, [start]


me = theory(
    "local_sgd",
    Algorithm(init, draw, step, "local SGD"),
    title="Tighter theory for local SGD, identical data (Theorem 1)",
    parameters={"gamma": "edges"},
    problems=[
        quadratic([hessian] * nodes, [slope] * nodes, start, noise)
        for hessian, slope, start, noise in SHARED
        for nodes in (1, 2, 3, 5)
    ]
    + [bent(1, 3, 1), bent(2, 0, 1), bent(2, 3, 2)],
    rounds=(1, 2, 3, 4),
)
me.parameter("H", "steps between communications", (1, 2, 4))
me.claim(
    "theorem-1",
    "D_W(t) <= (1 - gamma*mu)**t*D_W(0) + gamma*sigma2/(mu*n) + 2*L*gamma**2*(H - 1)*sigma2/mu",
    conditions=["gamma <= 1/(4*L)"],
    assumptions=["smooth", "strongly convex clients", "unbiased noise of bounded variance"],
)
