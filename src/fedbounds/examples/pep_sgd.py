"""One step of stochastic gradient descent on n smooth strongly convex functions.

Reference: A. Taylor, J. Hendrickx, F. Glineur, "Performance Estimation Toolbox (PESTO): automated
worst-case analysis of first-order optimization methods", CDC 2017; in the code of PESTO.
PEPit: PEPit/examples/stochastic_and_randomized_convex_minimization/sgd.py; (empirically) tight
value as documented there, in PEPit 0.5.1:
(gamma (L - mu)/2 R + sqrt((1 - gamma (L + mu)/2)^2 R^2 + gamma^2 v^2))^2.
As printed: f_1, ..., f_n L-smooth and mu-strongly convex, x* the minimiser of their mean F,
(1/n) sum_i ||grad f_i(x*)||^2 <= v^2 and ||x_0 - x*||^2 <= R^2; i uniform in 1, ..., n and
x_1 = x_0 - gamma grad f_i(x_0). Then
E ||x_1 - x*||^2 <= (gamma (L - mu)/2 R + sqrt((1 - gamma (L + mu)/2)^2 R^2 + gamma^2 v^2))^2.
Read as: f_i is the function of client i; v is the least that its condition allows. PEPit says that
x_0, x_1 may be any two consecutive iterates: R^2 is E ||x_t - x*||^2, of which the right side is a
concave function.
"""

from fedbounds.own import Algorithm, quadratic, quadratics, theory, unlike


def init(problem, start):
    """The model alone."""
    return {"x": start}


def draw(random, problem, p):
    """The function i."""
    return {"i": random.participants(problem.clients, 1)}


def step(problem, p, state, drawn):
    """A step along the gradient of f_i."""
    i = drawn["i"][:, :, None]
    gradient = problem.xp.sum(i * problem.gradient(state["x"]), axis=1)
    return {"x": state["x"] - p["gamma"] * gradient}


def variance(problem, start):
    """v^2 = (1/n) sum_i ||grad f_i(x*)||^2."""
    gradients = problem.gradient(problem.minimiser[None, :])
    return (gradients**2).sum() / problem.clients


# Curvatures 2 and 52 along axes that mirror each other. From (1, 0) the worst slope v is 600/7 for
# gamma = 1/L, and 264 for half of it.
mirrored = [[[20, 24], [24, 34]], [[20, -24], [-24, 34]]]
finite_sums = [
    *quadratics(clients=(1, 2, 3, 4), noise=False),
    *unlike(),
    *(quadratic(mirrored, [[0, v], [0, f"-{v}"]], [1, 0]) for v in ("600/7", 264, 1)),
]
me = theory(
    "pep_sgd",
    Algorithm(init, draw, step, "SGD"),
    title="PEPit: one step of SGD",
    parameters={"gamma": ("1/(2*L)", "7/(10*L)", "1/L", "2/(L + mu)", "2/L")},
    problems=finite_sums,
    horizon=4,
)
me.constant("v2", "mean squared gradient at the minimiser", variance)
me.claim(
    "tight",
    "D_W(t + 1) <= (gamma*(L - mu)/2*sqrt(D_W(t))"
    " + sqrt((1 - gamma*(L + mu)/2)**2*D_W(t) + gamma**2*v2))**2",
    assumptions=["smooth", "strongly convex clients"],
)
