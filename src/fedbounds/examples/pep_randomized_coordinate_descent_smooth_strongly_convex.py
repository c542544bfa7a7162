"""Randomized coordinate descent on smooth strongly convex functions.

Reference: A. Taylor, F. Bach, "Stochastic first-order methods: non-asymptotic and computer-aided
analyses via potential functions", COLT 2019; Appendix I, Theorem 17.
PEPit: PEPit/examples/stochastic_and_randomized_convex_minimization/
randomized_coordinate_descent_smooth_strongly_convex.py; tight value as documented there:
max(((gamma mu - 1)^2 + d - 1)/d, ((gamma L - 1)^2 + d - 1)/d).
As printed: f L-smooth and mu-strongly convex, d blocks, i uniform in 1, ..., d,
x_{t+1} = x_t - gamma grad_i f(x_t), gamma <= 1/L. Then E ||x_{t+1} - x*||^2
<= max(((gamma mu - 1)^2 + d - 1)/d, ((gamma L - 1)^2 + d - 1)/d) ||x_t - x*||^2.
Read as: one client; every coordinate is a block.
"""

from fedbounds.own import Algorithm, quadratic, quadratics, theory, unlike


def init(problem, start):
    """The model alone."""
    return {"x": start}


def draw(random, problem, p):
    """The coordinate i."""
    return {"i": random.participants(problem.dimension, 1)}


def step(problem, p, state, drawn):
    """A step along one partial derivative."""
    x = state["x"]
    return {"x": x - p["gamma"] * drawn["i"] * problem.full_gradient(x)}


one_client = [
    *quadratics(clients=(1,), dimensions=(1, 2, 3), noise=False),
    *(pair for pair in unlike() if pair[0].clients == 1),
    *(quadratic([[[1, 0], [0, 9]]], [[3, -2]], start) for start in ([2, "2/9"], [-3, 2], [1, 3])),
]
me = theory(
    "pep_randomized_coordinate_descent_smooth_strongly_convex",
    Algorithm(init, draw, step, "randomized coordinate descent"),
    title="PEPit: randomized coordinate descent",
    parameters={"gamma": "edges"},
    problems=one_client,
    horizon=6,
)
me.claim(
    "tight",
    "D_W(t + 1) <= Max(((gamma*mu - 1)**2 + d_u - 1)/d_u, ((gamma*L - 1)**2 + d_u - 1)/d_u)*D_W(t)",
    conditions=["gamma <= 1/L"],
    assumptions=["smooth", "strongly convex clients"],
)
