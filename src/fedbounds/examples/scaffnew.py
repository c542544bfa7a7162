"""Scaffnew (ProxSkip): communication with probability p in every step, and a linear rate.

Reference: K. Mishchenko, G. Malinovsky, S. Stich, P. Richtarik, "ProxSkip: Yes! Local gradient
steps provably lead to communication acceleration! Finally!", ICML 2022; Theorem 3.6 with
Algorithm 2.
As printed: f L-smooth and mu-strongly convex, 0 < gamma <= 1/L, 0 < p <= 1. Then
E[Psi_T] <= (1 - zeta)^T Psi_0, where Psi_t = ||x_t - x*||^2 + (gamma^2/p^2) ||h_t - h*||^2 and
zeta = min{gamma mu, p^2}.
"""

from fedbounds.own import Algorithm, theory


def init(problem, start):
    """Models and control variates of all clients: at first the start and 0."""
    y = problem.spread(start)
    return {"x": start, "y": y, "h": 0 * y}


def draw(random, problem, p):
    """Whether the clients communicate."""
    return {"theta": random.bernoulli(p["chance"], 1)}


def step(problem, p, state, drawn):
    """A local step, then the mean of what the clients hold, if they communicate."""
    gamma, chance, theta = p["gamma"], p["chance"], drawn["theta"][:, :, None]
    h = state["h"]
    ahead = state["y"] - gamma * (problem.gradient(state["y"]) - h)
    mean = problem.spread(problem.xp.sum(ahead - gamma / chance * h, axis=1) / problem.clients)
    y = theta * mean + (1 - theta) * ahead
    h = h + chance / gamma * (y - ahead)
    return {"x": problem.xp.sum(y, axis=1) / problem.clients, "y": y, "h": h}


def potential(problem, state, p):
    """Psi_t / n: the norm of all clients' models together, in place of the mean's."""
    best = problem.spread(problem.minimiser[None, :])
    models = problem.xp.sum((state["y"] - best) ** 2, axis=(1, 2))
    apart = problem.xp.sum((state["h"] - problem.gradient(best)) ** 2, axis=(1, 2))
    return models + p["gamma"] ** 2 / p["chance"] ** 2 * apart


me = theory(
    "scaffnew",
    Algorithm(init, draw, step, "Scaffnew"),
    title="ProxSkip: Local gradient steps lead to communication acceleration (Theorem 3.6)",
    parameters={"gamma": "edges"},
)
me.parameter("chance", "probability p of communication", ("1/4", "1/2", 1))
me.quantity("Psi", "distance of models and control variates", potential)
me.claim(
    "theorem-3.6",
    "Psi(t) <= (1 - Min(gamma*mu, chance**2))**t * Psi(0)",
    conditions=["gamma <= 1/L", "chance <= 1"],
    assumptions=["strongly convex clients"],
)
