"""SAGA on n smooth strongly convex functions: one step of a Lyapunov function.

Reference: A. Defazio, F. Bach, S. Lacoste-Julien, "SAGA: a fast incremental gradient method with
support for non-strongly convex composite objectives", NIPS 2014; Theorem 1.
PEPit: PEPit/examples/stochastic_and_randomized_convex_minimization/saga.py; upper (empirically
tight) value as documented there: 1 - gamma mu.
As printed: f_1, ..., f_n L-smooth and mu-strongly convex, h closed, proper and convex,
gamma = 1/(2 (mu n + L)). SAGA draws j uniformly and sets phi_j^{t+1} = x^t,
w^{t+1} = x^t - gamma [grad f_j(phi_j^{t+1}) - grad f_j(phi_j^t) + (1/n) sum_i grad f_i(phi_i^t)],
x^{t+1} = prox_{gamma h}(w^{t+1}). Then E V^{t+1} <= (1 - gamma mu) V^t, where
V^t = (1/n) sum_i (f_i(phi_i^t) - f_i(x*) - <grad f_i(x*), phi_i^t - x*>)
+ ||x^t - x*||^2/(2 n gamma (1 - mu gamma)).
Read as: f_i is the function of client i, h = 0, and every phi_i^0 = 0.
"""

from fedbounds.own import Algorithm, quadratic, quadratics, theory, unlike


def init(problem, start):
    """The model, and where each gradient in the table was taken."""
    return {"x": start, "phi": 0 * problem.spread(start)}


def draw(random, problem, p):
    """The function j."""
    return {"j": random.participants(problem.clients, 1)}


def step(problem, p, state, drawn):
    """A step along the corrected gradient; a new gradient in the table."""
    xp, x, phi, j = problem.xp, state["x"], state["phi"], drawn["j"][:, :, None]
    table = problem.gradient(phi)
    mean = xp.sum(table, axis=1) / problem.clients
    gradient = xp.sum(j * (problem.gradient(x) - table), axis=1) + mean
    return {"x": x - p["gamma"] * gradient, "phi": phi + j * (problem.spread(x) - phi)}


def divergence(problem, state):
    """(1/n) sum_i (f_i(phi_i) - f_i(x*) - <grad f_i(x*), phi_i - x*>)."""
    best = problem.spread(problem.minimiser[None, :])
    linear = problem.xp.sum(problem.gradient(best) * (state["phi"] - best), axis=2)
    apart = problem.value(state["phi"]) - problem.value(best) - linear
    return problem.xp.sum(apart, axis=1) / problem.clients


finite_sums = [
    *quadratics(clients=(1, 2, 3), noise=False),
    *unlike(),
    *(quadratic([[[1, 0], [0, L]]] * n, [[0, 0]] * n, [1, 0]) for n in (1, 3) for L in (2, 50)),
]
me = theory(
    "pep_saga",
    Algorithm(init, draw, step, "SAGA"),
    title="PEPit: SAGA",
    parameters={"gamma": ("1/(2*(mu*n + L))",)},
    problems=finite_sums,
    horizon=4,
)
me.quantity("E", "Bregman divergence of the table", divergence)
weight = "1/(2*n*gamma*(1 - mu*gamma))"
me.claim(
    "tight",
    f"E(t + 1) + {weight}*D_W(t + 1) <= (1 - gamma*mu) * (E(t) + {weight}*D_W(t))",
    conditions=["gamma == 1/(2*(mu*n + L))"],
    assumptions=["smooth", "strongly convex clients"],
)
