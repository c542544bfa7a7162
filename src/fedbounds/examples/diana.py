"""DIANA: clients send compressed differences between their gradients and learnt shifts.

Reference: S. Horvath, D. Kovalev, K. Mishchenko, P. Richtarik, S. Stich, "Stochastic distributed
learning with gradient quantization and variance reduction", arXiv 1904.05115, 2019; theorem on
DIANA with arbitrary quantization (Algorithm 1).
As printed: f_i L-smooth and mu-strongly convex, unbiased stochastic gradients of variance at most
sigma^2, an unbiased compressor with E||Q(v) - v||^2 <= omega ||v||^2. For alpha <= 1/(omega + 1),
c >= 4 omega/(alpha n) and gamma = min{alpha/(2 mu), 2/((mu + L) (1 + 2 omega/n + c alpha))},
E[Psi^k] <= (1 - gamma mu)^k Psi^0 + 2 sigma^2/(mu (mu + L)), where
Psi^k = ||x^k - x*||^2 + (c gamma^2/n) sum_i ||h_i^k - grad f_i(x*)||^2.
Read as: recalled, not read; the first term of gamma's minimum and the factor 2 of the noise are
what the proof gives. The compressor is rand-k, omega = d/k - 1, and h_i^0 = 0.
"""

from fedbounds.own import Algorithm, quadratics, theory, unlike


def init(problem, start):
    """The model, and the clients' shifts, at first 0."""
    return {"x": start, "h": 0 * problem.spread(start)}


def draw(random, problem, p):
    """The noise of gradients, and the coordinates that each client sends."""
    sent = [random.participants(problem.dimension, p["kept"]) for _ in range(problem.clients)]
    return {"noise": random.noise(problem, 1), "sent": problem.xp.stack(sent, axis=1)}


def step(problem, p, state, drawn):
    """Clients send rand-k of gradient less shift, by which the server and they go on."""
    x, h = state["x"], state["h"]
    gradient = problem.gradient(x) + drawn["noise"][:, :, 0, :]
    change = problem.dimension * drawn["sent"] * (gradient - h) / p["kept"]
    estimate = problem.xp.sum(h + change, axis=1) / problem.clients
    return {"x": x - p["gamma"] * estimate, "h": h + p["alpha"] * change}


def potential(problem, state, p):
    """Psi^k."""
    best = problem.minimiser[None, :]
    model = problem.xp.sum((state["x"] - best) ** 2, axis=1)
    shifts = problem.xp.sum((state["h"] - problem.gradient(best)) ** 2, axis=(1, 2))
    return model + p["c"] * p["gamma"] ** 2 / problem.clients * shifts


OMEGA = "(d_u/kept - 1)"
EDGES = ("kept/d_u", "kept/(2*d_u)")  # of alpha; those of c depend on it
LEAST = f"4*{OMEGA}/(alpha*n)"
STEP = f"Min(alpha/(2*mu), 2/((mu + L)*(1 + 2*{OMEGA}/n + c*alpha)))"

me = theory(
    "diana",
    Algorithm(init, draw, step, "DIANA"),
    title="DIANA with arbitrary quantization",
    parameters={"kept": "1:d_u", "alpha": EDGES, "c": (LEAST, f"1 + {LEAST}"), "gamma": (STEP,)},
    problems=(*quadratics(dimensions=(1, 2, 3)), *unlike()),
)
me.parameter("kept", "coordinates k that a client sends", "1:d_u")
me.parameter("alpha", "step size of the shifts", EDGES)
me.parameter("c", "weight of the shifts", (LEAST, f"1 + {LEAST}"), positive=False)
me.quantity("Psi", "distance of model and shifts", potential)
me.claim(
    "theorem",
    "Psi(t) <= (1 - gamma*mu)**t * Psi(0) + 2*sigma2/(mu*(mu + L))",
    conditions=[f"alpha <= 1/({OMEGA} + 1)", f"c >= {LEAST}"],
    assumptions=["strongly convex clients"],
    source="reconstructed",
)
