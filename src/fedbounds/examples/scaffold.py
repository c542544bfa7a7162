"""SCAFFOLD with control variates of option II: progress of a round on strongly convex functions.

Reference: S. P. Karimireddy, S. Kale, M. Mohri, S. J. Reddi, S. U. Stich, A. T. Suresh, "SCAFFOLD:
Stochastic controlled averaging for federated learning", ICML 2020; Lemma 15 of appendix E.1
(progress in one round), behind the theorem for strongly convex functions, which is in O-form.
As printed: f_i mu-convex and beta-smooth, stochastic gradients of variance at most sigma^2, S of N
clients and K local steps in a round, eta_g >= 1. With h = K eta_l eta_g <= min{1/(81 beta),
S/(15 mu N)}, E||x^r - x*||^2 + (9 N h^2/S) C_r <= (1 - mu h/2) (E||x^{r-1} - x*||^2
+ (9 N h^2/S) C_{r-1}) - h (E f(x^{r-1}) - f*) + (12 h^2/(K S)) (1 + S/eta_g^2) sigma^2,
where C_r = (1/N) sum_i E||E[c_i^r] - grad f_i(x*)||^2 and E[c_i^r] is without the noise of the
gradients whose mean c_i is.
Read as: from memory, where the constants agree with what others quote of the lemma; that C_r is
without the noise is not certain. At first c_i = grad f_i(x^0). In formulas, beta, N, S and eta_l
are L, n, m and eta.
"""

from fedbounds.own import Algorithm, quadratic, quadratics, theory, unlike


def init(problem, start):
    """The model, and control variates c_i with what they are without noise."""
    c = problem.gradient(start)
    return {"x": start, "c": c, "noiseless": c}


def draw(random, problem, p):
    """Who takes part, and the noise of the gradients."""
    return {
        "present": random.participants(problem.clients, p["m"]),
        "xi": random.noise(problem, p["K"]),
    }


def step(problem, p, state, drawn):
    """K corrected local steps of those who take part; c_i is the mean of the gradients."""
    x, c, steps = problem.spread(state["x"]), state["c"], p["K"]
    server = problem.spread(problem.xp.sum(c, axis=1) / problem.clients)
    y, own, noiseless = x, 0 * c, 0 * c
    for k in range(steps):
        gradient = problem.gradient(y)
        noisy = gradient + drawn["xi"][:, :, k, :]
        own, noiseless = own + noisy / steps, noiseless + gradient / steps
        y = y - p["eta"] * (noisy - c + server)
    present = drawn["present"][:, :, None]
    moved = problem.xp.sum(present * (y - x), axis=1) / p["m"]
    return {
        "x": state["x"] + p["eta_g"] * moved,
        "c": c + present * (own - c),
        "noiseless": state["noiseless"] + present * (noiseless - state["noiseless"]),
    }


def control_lag(problem, state):
    """C_r: how far control variates are from the gradients at x*."""
    apart = state["noiseless"] - problem.gradient(problem.minimiser[None, :])
    return problem.xp.sum(apart**2, axis=(1, 2)) / problem.clients


# many clients that are well conditioned, where S/(15 mu N) is the smaller bound
MANY = [
    quadratic([[[1]]] * 7, [[i] for i in range(7)], [6], 1),
    quadratic([[[2, 0], [0, 2]]] * 6 + [[[2, 0], [0, 3]]], [[i, 1] for i in range(7)], [0, 1]),
]

me = theory(
    "scaffold",
    Algorithm(init, draw, step, "SCAFFOLD"),
    title="SCAFFOLD: progress in one round, strongly convex functions",
    parameters={"m": "1:n", "K": (1, 2)},
    problems=[*quadratics(), *unlike(), *MANY],
    laws=["control variates"],
)
me.parameter("eta_g", "step size of the server", (1, 2))
me.parameters["eta"] = "edges"
me.quantity("C", "control lag C_r", control_lag)
h = "(K*eta*eta_g)"
me.claim(
    "progress-in-one-round",
    f"D_W(t + 1) + 9*n*{h}**2/m*C(t + 1) <= (1 - mu*{h}/2)*(D_W(t) + 9*n*{h}**2/m*C(t))"
    f" - {h}*f(t) + 12*{h}**2/(K*m)*(1 + m/eta_g**2)*sigma2",
    conditions=["eta_g >= 1", "eta <= Min(1/(81*L), m/(15*mu*n))/(K*eta_g)"],
    assumptions=["smooth", "strongly convex clients", "unbiased noise of bounded variance"],
    source="reconstructed",
)
