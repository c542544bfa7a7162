"""dist-EF-SGD: workers and server compress, and each carries its error over to the next step.

Reference: S. Zheng, Z. Huang, J. Kwok, "Communication-efficient distributed blockwise momentum SGD
with error-feedback", NeurIPS 2019; Lemma 2, the bound of the error, with Algorithm 1.
As printed: M workers with stochastic gradients g_{t,i} of one function F, of variance at most
sigma^2, ||grad F(x_t)||^2 <= omega^2, G^2 = sigma^2 + omega^2, and a compressor with
||C(v) - v||^2 <= (1 - delta) ||v||^2. Steps eta_t > 0 are arbitrary. In step t, worker i sends
C(p_i) for p_i = g_{t,i} + (eta_{t-1}/eta_t) e_{t,i} and keeps e_{t+1,i} = p_i - C(p_i); the server
does the same to (1/M) sum_i C(p_i) + (eta_{t-1}/eta_t) e_t, and x_{t+1} = x_t - eta_t C(...). Then
E||e_t + (1/M) sum_i e_{t,i}||^2 <= (8 (1 - delta) G^2/delta^2) (1 + 16/delta^2).
Read as: recalled, not read; the constants 8 and 16 and the bound of gradients at the iterates alone
may differ from the print. The compressor is top-1, delta = 1/d, and eta_t = eta_0 q^t.
"""

from itertools import product

from fedbounds.own import Algorithm, quadratic, theory


def top(problem, v):
    """The entry of largest modulus; of equal ones the first."""
    xp, place = problem.xp, problem.xp.arange(problem.dimension)
    size, own = abs(v)[..., None, :], abs(v)[..., :, None]
    ahead = (size > own) | (size == own) & (place[None, :] < place[:, None])
    return xp.where(xp.any(ahead, axis=-1), 0 * v, v)


def init(problem, start):
    """The model, and the errors of server and workers, which are 0."""
    return {"x": start, "server": 0 * start, "e": 0 * problem.spread(start)}


def draw(random, problem, p):
    """The noise of the workers' gradients."""
    return {"noise": random.noise(problem, 1)}


def step(problem, p, state, drawn, see):
    """Both directions are compressed; errors are scaled by the ratio of two steps."""
    x, ratio = state["x"], 1 / p["q"] if p["t"] else 0
    see(full=problem.full_gradient(x))
    sent = problem.gradient(x) + drawn["noise"][:, :, 0, :] + ratio * state["e"]
    received = top(problem, sent)
    back = problem.xp.sum(received, axis=1) / problem.clients + ratio * state["server"]
    change = top(problem, back)
    x = x - p["eta_0"] * p["q"] ** p["t"] * change
    return {"x": x, "server": back - change, "e": sent - received}


def error(problem, state):
    """What server and workers have not yet applied."""
    mean = problem.xp.sum(state["e"], axis=1) / problem.clients
    return problem.xp.sum((state["server"] + mean) ** 2, axis=1)


FUNCTIONS = [  # Hessian, slope and start
    ([[2, 1], [1, 2]], [1, -2], [3, 1]),
    ([[1, 0], [0, 3]], [-1, 1], [2, -6]),
    ([[1, 0, 0], [0, 2, 0], [0, 0, 4]], [1, 1, -1], [4, 2, 1]),
    ([[2, 1, 0], [1, 2, 0], [0, 0, 1]], [0, 3, -1], [1, 2, 6]),
]
ALIKE = [
    quadratic([hessian] * workers, [slope] * workers, start, noise)
    for (hessian, slope, start), workers, noise in product(FUNCTIONS, (1, 2, 3), (0, 1))
]

me = theory(
    "dist_ef_sgd",
    Algorithm(init, draw, step, "dist-EF-SGD"),
    title="Distributed SGD with error feedback in both directions (Lemma 2)",
    parameters={},
    problems=ALIKE,
)
me.parameter("eta_0", "first step size", ("1/L", "1/(4*L)"))
me.parameter("q", "ratio of a step to the one before", (1, "1/2", "1/10", "1/1000"))
me.vector("full", "gradient of F")
me.constant("omega2", "bound of squared gradients", is_="Largest(dot(full, full))")
me.quantity("Error", "E ||e_t + (1/M) sum_i e_{t,i}||^2", error)
me.claim(
    "lemma-2",
    "Error(t) <= 8*(1 - 1/d_u)*(sigma2 + omega2)*d_u**2*(1 + 16*d_u**2)",
    assumptions=["smooth", "unbiased noise of bounded variance"],
    source="reconstructed",
)
