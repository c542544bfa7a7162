"""Gradient descent with exact line search on smooth strongly convex functions.

Reference: E. de Klerk, F. Glineur, A. Taylor, "On the worst-case complexity of the gradient method
with exact line search for smooth strongly convex functions", Optimization Letters 11, 2017;
Theorem 1.2.
PEPit: PEPit/examples/unconstrained_convex_minimization/gradient_exact_line_search.py; tight value
as documented there: ((L - mu)/(L + mu))^(2n).
As printed: f L-smooth and mu-strongly convex, x_{t+1} = x_t - gamma_t grad f(x_t), where gamma_t
minimises f(x_t - gamma grad f(x_t)). Then f(x_n) - f* <= ((L - mu)/(L + mu))^(2n) (f(x_0) - f*).
Read as: one client, T rounds for PEPit's n; quadratics, on which gamma_t is g'g/(g'Hg).
"""

from fedbounds.own import Algorithm, quadratic, quadratics, theory, unlike


def init(problem, start):
    """The model alone."""
    return {"x": start}


def draw(random, problem, p):
    """Nothing is random."""
    return {}


def step(problem, p, state, drawn):
    """A gradient step as long as the function decreases."""
    xp, x = problem.xp, state["x"]
    g = problem.full_gradient(x)
    bent = xp.sum(g * (problem.full_gradient(x + g) - g), axis=1)
    gamma = xp.sum(g * g, axis=1) / xp.where(bent == 0, 1, bent)
    return {"x": x - gamma[:, None] * g}


one_client = [
    *(quadratic([[[1, 0], [0, L]]], [[1, -1]], [L - 1, 1 + 1 / L]) for L in (2, 4, 16)),
    *quadratics(clients=(1,), dimensions=(2, 3), noise=False),
    *(pair for pair in unlike() if pair[0].clients == 1),
]
me = theory(
    "pep_gradient_exact_line_search",
    Algorithm(init, draw, step, "gradient descent with exact line search"),
    title="PEPit: gradient descent with exact line search",
    parameters={},
    problems=one_client,
    horizon=6,
)
me.claim(
    "tight",
    "f(T) <= ((L - mu)/(L + mu))**(2*T) * f(0)",
    assumptions=["smooth", "strongly convex clients"],
)
