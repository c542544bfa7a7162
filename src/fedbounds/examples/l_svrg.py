"""L-SVRG: SVRG whose reference point is renewed by a coin flip in every step.

Reference: D. Kovalev, S. Horvath, P. Richtarik, "Don't jump through hoops and remove those loops:
SVRG and Katyusha are better without the outer loop", ALT 2020; theorem of Section 4 on L-SVRG
(Algorithm 1).
As printed: f_i convex and L-smooth, f = (1/n) sum_i f_i mu-strongly convex, eta <= 1/(6L),
0 < p <= 1, w^0 = x^0. Then E[Phi^k] <= max{1 - eta mu, 1 - p/2}^k Phi^0, where
Phi^k = ||x^k - x*||^2 + D^k and D^k = (4 eta^2/(p n)) sum_i ||grad f_i(w^k) - grad f_i(x*)||^2.
Read as: the clients are the functions f_i; mu is a bound of Gershgorin, which is exact where the
Hessian of f is diagonal.
"""

import numpy as np

from fedbounds.own import Algorithm, quadratic, quadratics, theory, unlike


def init(problem, start):
    """Model and reference point, which are the same at first."""
    return {"x": start, "w": start}


def draw(random, problem, p):
    """One function, and whether the reference point is renewed."""
    return {
        "chosen": random.participants(problem.clients, 1),
        "coin": random.bernoulli(p["chance"], 1),
    }


def step(problem, p, state, drawn):
    """A step with the estimate of one function; the new reference point is the model before it."""
    x, w, coin = state["x"], state["w"], drawn["coin"]
    change = drawn["chosen"][:, :, None] * (problem.gradient(x) - problem.gradient(w))
    estimate = problem.xp.sum(change, axis=1) + problem.full_gradient(w)
    return {"x": x - p["eta"] * estimate, "w": coin * x + (1 - coin) * w}


def potential(problem, state, p):
    """Phi^k."""
    best = problem.minimiser[None, :]
    apart = problem.xp.sum((state["x"] - best) ** 2, axis=1)
    gradients = (problem.gradient(state["w"]) - problem.gradient(best)) ** 2
    factor = 4 * p["eta"] ** 2 / (p["chance"] * problem.clients)
    return apart + factor * problem.xp.sum(gradients, axis=(1, 2))


def modulus(problem, start):
    """mu of f: diagonal entries of its Hessian, less the other entries of their rows."""
    units = np.eye(problem.dimension, dtype=int).astype(object)
    hessian = problem.full_gradient(units) - problem.full_gradient(0 * units)
    return min(2 * row[j] - sum(abs(row)) for j, row in enumerate(hessian))


CONVEX = [  # functions that are not strongly convex, while their mean is
    quadratic([[[4, 0], [0, 0]], [[0, 0], [0, 1]]], [[1, 0], [0, -2]], [3, 1]),
    quadratic(
        [[[1, 1], [1, 1]], [[0, 0], [0, 0]], [[2, -1], [-1, 2]]], [[1, 1], [2, 0], [0, 3]], [1, 6]
    ),
]

me = theory(
    "l_svrg",
    Algorithm(init, draw, step, "L-SVRG"),
    title="SVRG is better without the outer loop (L-SVRG)",
    parameters={"eta": "edges"},
    problems=(*quadratics(), *unlike(), *CONVEX),
)
me.parameter("chance", "probability p of a new reference point", ("1/10", "1/2", 1))
me.quantity("Phi", "distance of the model and of gradients at the reference point", potential)
me.constant("mu_f", "strong convexity of f", modulus, positive=True)
me.claim(
    "theorem",
    "Phi(t) <= Max(1 - eta*mu_f, 1 - chance/2)**t * Phi(0)",
    conditions=["eta <= 1/(6*L)", "chance <= 1"],
    assumptions=["convex clients"],
)
