"""Triple momentum method on smooth strongly convex functions.

Reference: B. Van Scoy, R. A. Freeman, K. M. Lynch, "The fastest known globally convergent
first-order method for minimizing strongly convex functions", IEEE Control Systems Letters 2(1),
2018; Theorem 1, equation (4).
PEPit: PEPit/examples/unconstrained_convex_minimization/triple_momentum.py; upper (empirically
tight) value as documented there: rho^(2(n+1)) L kappa/2; in its code: rho^(2n) L kappa/2.
As printed: f L-smooth and mu-strongly convex, kappa = L/mu, rho = 1 - 1/sqrt(kappa),
alpha = (1 + rho)/L, beta = rho^2/(2 - rho), gamma = rho^2/((1 + rho)(2 - rho)),
delta = rho^2/(1 - rho^2), xi_0 = xi_1 = x_0 and y = x_0;
xi_{t+1} = (1 + beta) xi_t - beta xi_{t-1} - alpha grad f(y_t),
y_t = (1 + gamma) xi_t - gamma xi_{t-1}, x_t = (1 + delta) xi_t - delta xi_{t-1}. Then
f(x_n) - f* <= rho^(2(n+1)) L kappa/2 ||x_0 - x*||^2.
Read as: one client, T rounds for PEPit's n; as in PEPit's code, x_n is what n gradients give. The
claim "documented" has the value of PEPit's text, "computed" that of its code.
"""

from fedbounds.own import Algorithm, quadratic, theory, unlike


def init(problem, start):
    """The model x, the iterate xi and the one before it."""
    return {"x": start, "xi": start, "old": start}


def draw(random, problem, p):
    """Nothing is random."""
    return {}


def step(problem, p, state, drawn):
    """The gradient at y and the three momenta."""
    rho, xi, old = p["rho"], state["xi"], state["old"]
    alpha, beta = (1 + rho) / p["L_f"], rho**2 / (2 - rho)
    gamma, delta = rho**2 / ((1 + rho) * (2 - rho)), rho**2 / (1 - rho**2)
    y = (1 + gamma) * xi - gamma * old
    ahead = (1 + beta) * xi - beta * old - alpha * problem.full_gradient(y)
    return {"x": (1 + delta) * ahead - delta * xi, "xi": ahead, "old": xi}


# condition numbers are squares, so that rho is rational
square = [
    *(quadratic([[[1, 0], [0, 4]]], [[1, -3]], start) for start in ([0, 1], [5, 1], [-1, 7])),
    *(quadratic([[[5, 4], [4, 5]]], [[0, 0]], start) for start in ([1, 1], [1, -1], [1, 0])),
    quadratic([[[1, 0, 0], [0, 4, 0], [0, 0, 16]]], [[1, 2, 3]], [6, -2, 1]),
    *(pair for pair in unlike() if pair[0].clients == 1),
]
me = theory(
    "pep_triple_momentum",
    Algorithm(init, draw, step, "triple momentum method"),
    title="PEPit: triple momentum method",
    parameters={},
    problems=square,
)
me.parameter("rho", "1 - 1/sqrt(kappa)", ("1 - sqrt(mu/L)",), positive=False)
me.parameter("L_f", "the smoothness, as the algorithm knows it", ("L",))
for name, power in {"documented": "2*(T + 1)", "computed": "2*T"}.items():
    me.claim(
        name,
        f"f(T) <= rho**({power})*L*(L/mu)/2 * D_W(0)",
        conditions=["rho == 1 - sqrt(mu/L)", "L_f == L"],
        assumptions=["smooth", "strongly convex clients"],
    )
