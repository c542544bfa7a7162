"""EF21: error feedback by compressed differences between gradients and what the server knows.

Reference: P. Richtarik, I. Sokolov, I. Fatkhullin, "EF21: a new, simpler, theoretically better,
and practically faster error feedback", NeurIPS 2021; Theorems 1 and 2 with Algorithm 2.
As printed: f_i L_i-smooth, f L-smooth and bounded below, Lt^2 = (1/n) sum_i L_i^2; a compressor
with E||C(v) - v||^2 <= (1 - alpha) ||v||^2, theta = 1 - sqrt(1 - alpha),
beta = (1 - alpha)/(1 - sqrt(1 - alpha)), G^t = (1/n) sum_i ||g_i^t - grad f_i(x^t)||^2.
Theorem 1: for 0 < gamma <= 1/(L + Lt sqrt(beta/theta)), and x of x^0, ..., x^{T-1} at random,
E||grad f(x)||^2 <= 2 (f(x^0) - inf f)/(gamma T) + E[G^0]/(theta T).
Theorem 2: if also ||grad f||^2 >= 2 mu (f - f(x*)), and
gamma <= min{1/(L + Lt sqrt(2 beta/theta)), theta/(2 mu)}, then
E[Psi^T] <= (1 - gamma mu)^T E[Psi^0] for Psi^t = f(x^t) - f(x*) + (gamma/theta) G^t.
Read as: top-k, alpha = k/d; smoothness and PL constant by Gershgorin's bounds on Hessians.
"""

import numpy as np

from fedbounds.own import Algorithm, quadratic, quadratics, theory, unlike


def top(problem, v, k):
    """The k entries of largest modulus; of equal ones the first."""
    xp, size, place = problem.xp, abs(v)[:, :, None, :], problem.xp.arange(problem.dimension)
    own = abs(v)[:, :, :, None]
    ahead = (size > own) | (size == own) & (place[None, :] < place[:, None])
    return xp.where(xp.sum(xp.astype(ahead, xp.int64), axis=3) < k, v, 0 * v)


def init(problem, start, random, p):
    """The model, and of every client its compressed gradient."""
    return {"x": start, "g": top(problem, problem.gradient(start), p["kept"])}


def draw(random, problem, p):
    """Nothing is random."""
    return {}


def step(problem, p, state, drawn):
    """A step with the mean of what the server knows, which then learns a compressed difference."""
    g = state["g"]
    x = state["x"] - p["gamma"] * problem.xp.sum(g, axis=1) / problem.clients
    return {"x": x, "g": g + top(problem, problem.gradient(x) - g, p["kept"])}


def error(problem, state):
    """G^t."""
    apart = state["g"] - problem.gradient(state["x"])
    return problem.xp.sum(apart**2, axis=(1, 2)) / problem.clients


def hessians(problem, gradient):
    """Derivatives of a gradient, which is affine, along every coordinate."""
    units = np.eye(problem.dimension, dtype=int).astype(object)
    return gradient(units) - gradient(0 * units)


def smoothness(problem, start):
    """L of f."""
    return max(abs(hessians(problem, problem.full_gradient)).sum(axis=1))


def mean_square(problem, start):
    """Lt^2."""
    rows = abs(hessians(problem, problem.gradient)).sum(axis=2)
    return sum(rows.max(axis=0) ** 2) / problem.clients


def modulus(problem, start):
    """A PL constant of f: its Hessian's diagonal entries, less the other entries of their rows."""
    hessian = hessians(problem, problem.full_gradient)
    return min(2 * row[j] - sum(abs(row)) for j, row in enumerate(hessian))


ALPHA = "(kept/d_u)"
THETA = f"(1 - sqrt(1 - {ALPHA}))"
BETA = f"((1 - {ALPHA})/(1 - sqrt(1 - {ALPHA})))"
UNEQUAL = [  # clients that are not convex, and dimension 4
    quadratic([[[3, 0], [0, -1]], [[-1, 0], [0, 3]]], [[1, -2], [0, 3]], [4, -1]),
    quadratic([np.diag([8, 4, 2, 1]), np.diag([1, 1, 5, -1]) / 2], np.eye(2, 4), [1, -2, 3, 5]),
    quadratic([np.diag([1, 2, 3, 4])], [[1, 1, -1, 1]], [1, 1, 2, -1]),
]

me = theory(
    "ef21",
    Algorithm(init, draw, step, "EF21"),
    title="EF21: a simpler error feedback (Theorems 1 and 2)",
    parameters={"kept": "1:d_u", "gamma": "edges"},
    problems=(*quadratics(dimensions=(1, 2, 3), noise=False), *unlike(), *UNEQUAL),
)
me.parameter("kept", "entries k that the compressor keeps", "1:d_u")
me.quantity("G", "distance of gradients from what the server knows", error)
me.constant("L_f", "smoothness of f", smoothness, positive=True)
me.constant("Lt2", "mean square of the clients' smoothness", mean_square, positive=True)
me.constant("mu_f", "PL constant of f", modulus, positive=True)
me.claim(
    "theorem-1",
    f"Mean_t(G_u(t)) <= 2*f(0)/(gamma*T) + G(0)/({THETA}*T)",
    conditions=[f"gamma <= 1/(L_f + sqrt(Lt2)*sqrt({BETA}/{THETA}))"],
    assumptions=["smooth", "bounded below"],
)
me.claim(
    "theorem-2",
    f"f(t) + gamma/{THETA}*G(t) <= (1 - gamma*mu_f)**t * (f(0) + gamma/{THETA}*G(0))",
    conditions=[
        f"gamma <= 1/(L_f + sqrt(Lt2)*sqrt(2*{BETA}/{THETA}))",
        f"gamma <= {THETA}/(2*mu_f)",
    ],
    assumptions=["smooth", "Polyak-Lojasiewicz"],
)
