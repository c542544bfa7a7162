"""SGD with steps beta/(gamma + k) on a strongly convex function.

Reference: L. Bottou, F. E. Curtis, J. Nocedal, "Optimization methods for large-scale machine
learning", SIAM Review 60(2), 2018; Theorem 4.7.
As printed: grad F is L-Lipschitz (Assumption 4.1) and F is c-strongly convex (4.5). The direction
g(w_k, xi_k) has grad F(w_k)' E g >= mu ||grad F(w_k)||^2, ||E g|| <= mu_G ||grad F(w_k)|| and
Var g <= M + M_V ||grad F(w_k)||^2 (4.3); M_G = M_V + mu_G^2. With alpha_k = beta/(gamma + k),
beta > 1/(c mu), gamma > 0 and alpha_1 <= mu/(L M_G), for all k = 1, 2, ...,
E[F(w_k) - F*] <= nu/(gamma + k), where
nu = max{beta^2 L M / (2 (beta c mu - 1)), (gamma + 1) (F(w_1) - F*)}.
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
    """A step of length beta/(gamma + k) along the direction, where k = t + 1."""
    alpha = p["beta"] / (p["gamma"] + p["t"] + 1)
    xi = problem.xp.sum(drawn["xi"][:, :, 0, :], axis=1) / problem.clients
    factor = p["scale"] * (1 + p["spread"] * drawn["theta"])
    return {"x": state["x"] - alpha * (factor * problem.full_gradient(state["x"]) + xi)}


me = theory(
    "decreasing_sgd",
    Algorithm(init, draw, step, "SGD with decreasing steps"),
    title="Strongly convex objective, diminishing step sizes (Theorem 4.7)",
    parameters={},
)
me.parameter("scale", "a: the mean direction, in gradients", (1, "1/2"))
me.parameter("spread", "b: relative deviation of the direction", (0, 1), positive=False)
beyond = ("1000001/(1000000*mu*scale)", "3/(2*mu*scale)", "2/(mu*scale)", "4/(mu*scale)")
me.parameter("beta", "of the step sizes, just above its bound 1/(c mu) and further on", beyond)
me.parameters["gamma"] = ("beta*L*scale*(1 + spread**2) - 1", "2*beta*L*scale*(1 + spread**2)")
me.claim(
    "theorem-4.7",
    "f(t) <= Max(beta**2*L*sigma2/n/(2*(beta*mu*scale - 1)), (gamma + 1)*f(0)) / (gamma + t + 1)",
    conditions=[
        "beta > 1/(mu*scale)",
        "beta/(gamma + 1) <= scale/(L*scale**2*(1 + spread**2))",
    ],
    assumptions=["smooth", "strongly convex clients", "unbiased noise of bounded variance"],
)
