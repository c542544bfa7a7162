"""Heavy-ball method on smooth strongly convex functions.

Reference: E. Ghadimi, H. R. Feyzmahdavian, M. Johansson, "Global convergence of the heavy-ball
method for convex optimization", European Control Conference 2015; Theorem 4.
PEPit: PEPit/examples/unconstrained_convex_minimization/heavy_ball_momentum.py; upper value as
documented there, which is not said to be tight: (1 - alpha mu)^n.
As printed: f L-smooth and mu-strongly convex, alpha in (0, 1/L],
beta = sqrt((1 - alpha mu) (1 - L alpha)) and
x_{t+1} = x_t - alpha grad f(x_t) + beta (x_t - x_{t-1}). Then
f(x_n) - f* <= (1 - alpha mu)^n (f(x_0) - f*).
Read as: one client, T rounds for PEPit's n, and x_{-1} = x_0. The values of alpha are such that
beta is rational.
"""

from fedbounds.own import Algorithm, quadratics, theory, unlike


def init(problem, start):
    """The model and the one before it."""
    return {"x": start, "old": start}


def draw(random, problem, p):
    """Nothing is random."""
    return {}


def step(problem, p, state, drawn):
    """A gradient step and momentum."""
    x = state["x"]
    ahead = x - p["alpha"] * problem.full_gradient(x) + p["beta"] * (x - state["old"])
    return {"x": ahead, "old": x}


one_client = [
    *(pair for pair in unlike() if pair[0].clients == 1),
    *quadratics(clients=(1,), dimensions=(2, 3), noise=False),
]
me = theory(
    "pep_heavy_ball_momentum",
    Algorithm(init, draw, step, "heavy-ball method"),
    title="PEPit: heavy-ball method",
    parameters={},
    problems=one_client,
)
me.parameter("alpha", "step size", ("1/L", "3/(4*L - mu)", "9/(25*L - 16*mu)"))
me.parameter("beta", "momentum", ("sqrt((1 - alpha*mu)*(1 - L*alpha))",), positive=False)
me.claim(
    "upper",
    "f(T) <= (1 - alpha*mu)**T * f(0)",
    conditions=["alpha <= 1/L", "beta == sqrt((1 - alpha*mu)*(1 - L*alpha))"],
    assumptions=["smooth", "strongly convex clients"],
)
