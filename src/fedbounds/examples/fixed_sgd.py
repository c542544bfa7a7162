"""SGD with a fixed step size on a strongly convex function.

Reference: L. Bottou, F. E. Curtis, J. Nocedal, "Optimization methods for large-scale machine
learning", SIAM Review 60(2), 2018; Theorem 4.6.
As printed: grad F is L-Lipschitz (Assumption 4.1) and F is c-strongly convex (4.5). The direction
g(w_k, xi_k) has grad F(w_k)' E g >= mu ||grad F(w_k)||^2, ||E g|| <= mu_G ||grad F(w_k)|| and
Var g <= M + M_V ||grad F(w_k)||^2 (4.3); M_G = M_V + mu_G^2. With 0 < alpha <= mu/(L M_G), for all
k = 1, 2, ..., E[F(w_k) - F*] <= b + (1 - alpha c mu)^(k - 1) (F(w_1) - F* - b), where
b = alpha L M / (2 c mu).
Read as: g = a (1 + b theta) grad F + xi with a sign theta, so that mu = mu_G = a, M_V = a^2 b^2
and M is the variance of xi. The first round is k = 1. c stands as mu in formulas.
"""

from fedbounds.own import Algorithm, theory


def init(problem, start):
    """The start w_1."""
    return {"x": start}


def draw(random, problem, p):
    """The sign in the direction, and the noise that is added."""
    return {"theta": random.signs(1), "xi": random.noise(problem, 1)}


def step(problem, p, state, drawn):
    """A step of length alpha along the direction."""
    xi = problem.xp.sum(drawn["xi"][:, :, 0, :], axis=1) / problem.clients
    factor = p["scale"] * (1 + p["spread"] * drawn["theta"])
    return {"x": state["x"] - p["alpha"] * (factor * problem.full_gradient(state["x"]) + xi)}


me = theory(
    "fixed_sgd",
    Algorithm(init, draw, step, "SGD with a fixed step"),
    title="Strongly convex objective, fixed step size (Theorem 4.6)",
    parameters={},
)
me.parameter("scale", "a: the mean direction, in gradients", (1, "1/2"))
me.parameter("spread", "b: relative deviation of the direction", (0, 1), positive=False)
me.parameter("alpha", "step size")
floor = "alpha*L*(sigma2/n)/(2*mu*scale)"
me.claim(
    "theorem-4.6",
    f"f(t) <= {floor} + (1 - alpha*mu*scale)**t*(f(0) - {floor})",
    conditions=["alpha <= scale/(L*(scale**2*spread**2 + scale**2))"],
    assumptions=["smooth", "strongly convex clients", "unbiased noise of bounded variance"],
)
