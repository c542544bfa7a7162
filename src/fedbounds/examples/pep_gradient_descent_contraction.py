"""Gradient descent from two starts: how far apart the iterates are.

Reference: B. Goujaud, C. Moucer, F. Glineur, J. Hendrickx, A. Taylor, A. Dieuleveut, "PEPit:
computer-assisted worst-case analyses of first-order optimization methods in Python", Mathematical
Programming Computation 16, 2024; the tutorial of that package.
PEPit: PEPit/examples/tutorials/gradient_descent_contraction.py; tight value as documented there:
max{(1 - L gamma)^2, (1 - mu gamma)^2}^n.
As printed: f L-smooth and mu-strongly convex, x_{t+1} = x_t - gamma grad f(x_t) and the same for
y_t. Then ||x_n - y_n||^2 <= max{(1 - L gamma)^2, (1 - mu gamma)^2}^n ||x_0 - y_0||^2, which is
tight on simple quadratic functions.
Read as: one client, and y_0 = 0.
"""

from fedbounds.own import Algorithm, quadratic, quadratics, theory, unlike


def init(problem, start):
    """Two models."""
    return {"x": start, "y": 0 * start}


def draw(random, problem, p):
    """Nothing is random."""
    return {}


def step(problem, p, state, drawn):
    """A gradient step of each."""
    return {name: x - p["gamma"] * problem.full_gradient(x) for name, x in state.items()}


one_client = [
    *quadratics(clients=(1,), dimensions=(1, 2, 3), noise=False),
    *(pair for pair in unlike() if pair[0].clients == 1),
    *(quadratic([[[1, 0], [0, 9]]], [[3, -2]], start) for start in ([2, 0], [0, 2], [1, 3])),
]
me = theory(
    "pep_gradient_descent_contraction",
    Algorithm(init, draw, step, "gradient descent"),
    title="PEPit: contraction of gradient descent",
    parameters={"gamma": ("1/(2*L)", "1/L", "2/(L + mu)", "2/L", "3/L")},
    problems=one_client,
)
me.vector("y", "the iterate from the other start")
me.quantity("apart", "squared distance of the two iterates", is_="sq(x - y)")
me.claim(
    "tight",
    "apart(T) <= Max((1 - L*gamma)**2, (1 - mu*gamma)**2)**T * apart(0)",
    assumptions=["smooth", "strongly convex clients"],
)
