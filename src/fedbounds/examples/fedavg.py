"""FedAvg with decreasing steps, on clients that differ, with everyone or with some of them.

Reference: X. Li, K. Huang, W. Yang, S. Wang, Z. Zhang, "On the convergence of FedAvg on non-IID
data", ICLR 2020; Theorems 1, 2 and 3.
As printed: F = sum_k p_k F_k, every F_k L-smooth and mu-strongly convex; E||grad F_k(w, xi) - grad
F_k(w)||^2 <= sigma_k^2 and E||grad F_k(w_t^k, xi_t^k)||^2 <= G^2 for all k and t. With
kappa = L/mu, gamma = max{8 kappa, E} and eta_t = 2/(mu (gamma + t)), communication in every E-th
step, everyone taking part, E[F(w_T)] - F* <= kappa/(gamma + T - 1) (2 B/mu + (mu gamma/2)
E||w_1 - w*||^2), where B = sum_k p_k^2 sigma_k^2 + 6 L Gamma + 8 (E - 1)^2 G^2 and
Gamma = F* - sum_k p_k F_k*. With K clients per round, B + C stands for B: C = (4/K) E^2 G^2 if they
are drawn with replacement by p_k (scheme I), C = (N - K)/(N - 1) (4/K) E^2 G^2 if without, all p_k
alike (scheme II).
Read as: p_k = 1/N, steps t = 1, 2, ... and communication after each E of them, so that the model
after r rounds is w_T with T = r E + 1. N, K and E are n, m and K in formulas.
"""

from fedbounds.own import Algorithm, theory


def init(problem, start):
    """The start w_1."""
    return {"x": start}


def draw(random, problem, p):
    """How often each client is drawn, and the noise of its gradients."""
    n, m = problem.clients, p["m"]
    scheme = random.participants_with_replacement if p["repeats"] else random.participants
    return {"times": scheme(n, m), "xi": random.noise(problem, p["K"])}


def step(problem, p, state, drawn, see):
    """E local steps of all clients, then the mean of those that were drawn."""
    w, seen = problem.spread(state["x"]), []
    for k in range(p["K"]):
        eta = p["beta"] / (p["gamma"] + p["t"] * p["K"] + k + 1)
        g = problem.gradient(w) + drawn["xi"][:, :, k, :]
        w = w - eta * g
        seen.append(g)
    see(g=problem.xp.stack(seen, axis=2))
    return {"x": problem.xp.sum(drawn["times"][:, :, None] * w, axis=1) / p["m"]}


def heterogeneity(problem, start):
    """Gamma = F* - mean of F_k*."""
    at_best = problem.value(problem.minimiser[None, :])[0]
    return sum(at_best - problem.lowest) / problem.clients


me = theory(
    "fedavg",
    Algorithm(init, draw, step, "FedAvg"),
    title="On the convergence of FedAvg on non-IID data (Theorems 1 to 3)",
    parameters={"K": (1, 2, 3), "gamma": ("Max(8*L/mu, K)",), "m": "1:n"},
)
me.parameter("repeats", "whether clients are drawn with replacement", (0, 1), positive=False)
me.parameter("beta", "2/mu", ("2/mu",))
me.vector("g", "stochastic gradients of the local steps", over="ik")
me.constant("Gap", "heterogeneity Gamma", heterogeneity)
me.constant("Gmax", "largest mean squared gradient", is_="Largest(given(dot(g, g), i, k))")
me.assumption("everyone", lambda problem, start, p: p["m"] == problem.clients and not p["repeats"])
me.assumption("scheme I", lambda problem, start, p: bool(p["repeats"]))
me.assumption("scheme II", lambda problem, start, p: not p["repeats"])

B = "sigma2/n + 6*L*Gap + 8*(K - 1)**2*Gmax"
schemes = {
    "theorem-1": ("everyone", "0"),
    "theorem-2": ("scheme I", "4/m*K**2*Gmax"),
    "theorem-3": ("scheme II", "(n - m)/(n - 1)*4/m*K**2*Gmax"),
}
for name, (scheme, C) in schemes.items():
    me.claim(
        name,
        f"f(t) <= L/mu/(gamma + K*t) * (2*({B} + {C})/mu + mu*gamma/2*D_W(0))",
        assumptions=[
            "smooth",
            "strongly convex clients",
            "unbiased noise of bounded variance",
            scheme,
        ],
    )
