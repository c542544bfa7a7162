"""The random gradient-free method: differences of two values along Gaussian directions.

Reference: Y. Nesterov, V. Spokoiny, "Random gradient-free minimization of convex functions",
Found. Comput. Math. 17, 2017; Theorem 4 and Theorem 8, on the method RG_mu.
As printed: f has an L-Lipschitz gradient on R^d, u is standard normal, and
g(x) = (f(x + s u) - f(x))/s u with smoothing s > 0. Theorem 4:
E||g(x)||^2 <= (s^2/2) L^2 (d + 6)^3 + 2 (d + 4) ||grad f(x)||^2. Theorem 8, for convex f and
x_{k+1} = x_k - h g(x_k) with h = 1/(4 (d + 4) L), for all N >= 0:
(1/(N + 1)) sum_{k=0}^N (E f(x_k) - f*) <= 4 (d + 4) L ||x_0 - x*||^2/(N + 1)
+ (9/25) s^2 (d + 4)^2 L; and for tau-strongly convex f, delta = 18 s^2 (d + 4)^2 L/(25 tau),
E f(x_N) - f* <= (L/2) (delta + (1 - tau/(8 (d + 4) L))^N (||x_0 - x*||^2 - delta)).
Read as: f is the mean of the clients, tau the least modulus and L the largest of theirs.
"""

from fedbounds.own import Algorithm, part, quadratics, theory, unlike


def init(problem, start):
    """The start."""
    return {"x": start}


def draw(random, problem, p):
    """A direction."""
    return {"u": random.normal(problem.dimension)}


def step(problem, p, state, drawn, see):
    """A step along a random direction, by the difference of two values."""
    x, u, s = state["x"], drawn["u"], p["smoothing"]
    change = problem.xp.sum(problem.value(x + s * u) - problem.value(x), axis=1) / problem.clients
    estimate = change[:, None] / s * u
    see(g=estimate)
    return {"x": x - p["h"] * estimate}


STEP = "1/(4*(d_u + 4)*L)"
DELTA = "18*smoothing**2*(d_u + 4)**2*L/(25*mu)"

me = theory(
    "two_point",
    Algorithm(init, draw, step, "RG_mu"),
    title="Random gradient-free minimization (Theorems 4 and 8)",
    parameters={},
    problems=(*quadratics(dimensions=(1, 2, 3)), *unlike()),
)
me.parameter("smoothing", "distance s of the two points", ("1/100", 1, 10))
me.parameter("h", "step size", (STEP,))
me.vector("g", "estimate of the gradient")
me.quantity("Est", "E ||g||^2", is_="sq(g)")
me.claim(
    "theorem-4",
    "Est(t) <= smoothing**2/2*L**2*(d_u + 6)**3 + 2*(d_u + 4)*G_u(t)",
    assumptions=["smooth"],
)
me.claim(
    "theorem-8",
    {
        "convex": part(
            "Mean_t(f(t)) <= 4*(d_u + 4)*L*D_W(0)/T + 9*smoothing**2*(d_u + 4)**2*L/25",
            assumptions=["convex clients"],
        ),
        "strongly-convex": part(
            f"f(t) <= L/2*({DELTA} + (1 - mu/(8*(d_u + 4)*L))**t*(D_W(0) - {DELTA}))",
            assumptions=["strongly convex clients"],
        ),
    },
    conditions=[f"h == {STEP}"],
)
