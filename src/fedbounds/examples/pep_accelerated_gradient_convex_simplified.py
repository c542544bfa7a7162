"""Accelerated gradient method on smooth convex functions, with momentum t/(t + 3).

Reference: A. Taylor, J. Hendrickx, F. Glineur, "Exact worst-case performance of first-order methods
for composite convex optimization", SIAM Journal on Optimization 27(3), 2017; Table 1.
PEPit: PEPit/examples/unconstrained_convex_minimization/accelerated_gradient_convex_simplified.py;
tight value as documented there: 2 L/(n^2 + 5 n + 6).
As printed: f L-smooth and convex, x_{t+1} = y_t - grad f(y_t)/L and
y_{t+1} = x_{t+1} + (t - 1)/(t + 2) (x_{t+1} - x_t). Then
f(x_n) - f* <= 2 L ||x_0 - x*||^2/(n^2 + 5 n + 6), tight on some Huber loss functions.
Read as: one client, T rounds for PEPit's n. As in PEPit's code, y_0 = x_0 and the first momentum is
0, so that in rounds 0, 1, 2, ... it is t/(t + 3).
"""

import numpy as np

from fedbounds.own import Algorithm, objective, quadratics, theory, unlike


def init(problem, start):
    """The model and the point of the next gradient."""
    return {"x": start, "y": start}


def draw(random, problem, p):
    """Nothing is random."""
    return {}


def step(problem, p, state, drawn):
    """A gradient step, then momentum."""
    y, t = state["y"], p["t"]
    x = y - p["gamma"] * problem.full_gradient(y)
    return {"x": x, "y": x + t * (x - state["x"]) / (t + 3)}


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
    *(huber(L, start) for L in (1, 4) for start in (3, 5, 15 / 2, 253 / 2)),
]
me = theory(
    "pep_accelerated_gradient_convex_simplified",
    Algorithm(init, draw, step, "accelerated gradient method"),
    title="PEPit: accelerated gradient method on smooth convex functions",
    parameters={"gamma": ("1/L",)},
    problems=one_client,
)
me.constant("R2", "squared distance of the start from the minimiser", distance)
me.claim(
    "tight",
    "f(T) <= 2*L*R2/(T**2 + 5*T + 6)",
    conditions=["gamma == 1/L"],
    assumptions=["smooth", "convex clients"],
)
