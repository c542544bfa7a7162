"""Gradient descent on quadratics: the exact worst case of f(x_n) - f*.

Reference: N. Bousselmi, J. Hendrickx, F. Glineur, "Interpolation conditions for linear operators
and applications to performance estimation problems", arXiv:2302.08781, 2023; equation (4.17).
PEPit: PEPit/examples/unconstrained_convex_minimization/gradient_descent_quadratics.py; tight value
as documented there: L/2 max{alpha (1 - alpha L gamma)^(2n), (1 - L gamma)^(2n)}.
As printed: f = x'Qx/2 with mu I <= Q <= L I, 0 <= mu <= L, x_{t+1} = x_t - gamma grad f(x_t) and
gamma <= 2/L. Then f(x_n) - f* <= L/2 max{alpha (1 - alpha L gamma)^(2n), (1 - L gamma)^(2n)}
||x_0 - x*||^2, where alpha is 1/(L gamma (2n + 1)), projected to [mu/L, 1].
Read as: one client, T rounds for PEPit's n, and the minimiser anywhere.
"""

from fedbounds.own import Algorithm, quadratic, quadratics, theory, unlike


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


one_client = [
    *quadratics(clients=(1,), dimensions=(1, 2, 3), noise=False),
    *(pair for pair in unlike() if pair[0].clients == 1),
    *(quadratic([[[1, 0], [0, L]]], [[0, 0]], [1, 0]) for L in (3, 5, 7, 41)),
]
me = theory(
    "pep_gradient_descent_quadratics",
    Algorithm(init, draw, step, "gradient descent"),
    title="PEPit: gradient descent on quadratics",
    parameters={"gamma": "edges"},
    problems=one_client,
)
alpha = "Max(mu/L, Min(1, 1/(L*gamma*(2*T + 1))))"
me.claim(
    "tight",
    f"f(T) <= L/2 * Max({alpha}*(1 - {alpha}*L*gamma)**(2*T), (1 - L*gamma)**(2*T)) * D_W(0)",
    conditions=["gamma <= 2/L"],
    assumptions=["quadratic clients", "smooth", "convex clients"],
)
