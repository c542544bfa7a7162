"""Random reshuffling: an epoch goes through all functions in a random order.

Reference: K. Mishchenko, A. Khaled, P. Richtarik, "Random reshuffling: simple analysis with vast
improvements", NeurIPS 2020; Theorem 1 with Definition 2 and Algorithm 1 (RR).
As printed: f is the mean of n functions, each f_i L-smooth and mu-strongly convex; gamma <= 1/L.
Then E||x_T - x*||^2 <= (1 - gamma mu)^(n T) ||x_0 - x*||^2 + 2 gamma sigma_Shuffle^2 / mu after T
epochs. With x_*^i = x* - gamma sum_{j < i} grad f_{pi_j}(x*), the shuffling variance is
sigma_Shuffle^2 = max_{i = 1, ..., n - 1} (1/gamma) E[D_{f_{pi_i}}(x_*^i, x*)], where
D_f(x, y) = f(x) - f(y) - <grad f(y), x - y> and pi_0, ..., pi_{n-1} is a random order.
"""

from itertools import permutations

from fedbounds.own import Algorithm, theory


def init(problem, start):
    """The start x_0."""
    return {"x": start}


def draw(random, problem, p):
    """The order of the functions in an epoch."""
    return {"order": random.permutation(problem.clients)}


def step(problem, p, state, drawn):
    """An epoch: a gradient step on each function in turn."""
    x, functions = state["x"], problem.xp.arange(problem.clients)
    for i in range(problem.clients):
        gradients = problem.gradient(x)
        turn = (functions[None, :] == drawn["order"][:, i][:, None])[:, :, None]
        x = x - p["gamma"] * problem.xp.sum(
            problem.xp.where(turn, gradients, 0 * gradients), axis=1
        )
    return {"x": x}


def shuffling_variance(problem, start, p):
    """sigma_Shuffle^2, from all orders."""
    gamma, n, best = p["gamma"], problem.clients, problem.minimiser
    gradients = problem.gradient(best[None, :])[0]
    orders = list(permutations(range(n)))
    means = [0]
    for i in range(1, n):
        total = 0
        for order in orders:
            at = best - gamma * gradients[list(order[:i])].sum(axis=0)
            rise = (problem.value(at[None, :]) - problem.value(best[None, :]))[0, order[i]]
            total += rise - (gradients[order[i]] * (at - best)).sum()
        means.append(total / (gamma * len(orders)))
    return max(means)


def epoch(problem, start, p):
    """(1 - gamma mu)^n, the contraction of an epoch."""
    return (1 - p["gamma"] * p["convexity"]) ** problem.clients


me = theory(
    "reshuffling",
    Algorithm(init, draw, step, "random reshuffling"),
    title="Random reshuffling of strongly convex functions (Theorem 1)",
    parameters={"gamma": "edges"},
)
me.parameter("convexity", "mu, for the contraction", ("mu",))
me.constant("contraction", "(1 - gamma mu)^n", epoch)
me.constant("shuffle", "shuffling variance sigma_Shuffle^2", shuffling_variance)
me.claim(
    "theorem-1",
    "D_W(t) <= contraction**t*D_W(0) + 2*gamma*shuffle/mu",
    conditions=["gamma <= 1/L"],
    assumptions=["smooth", "strongly convex clients"],
)
