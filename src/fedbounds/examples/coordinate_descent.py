"""Random coordinate descent with steps 1/L_i on a strongly convex function.

Reference: Yu. Nesterov, "Efficiency of coordinate descent methods on huge-scale optimization
problems", SIAM J. Optim. 22(2), 2012; Theorem 2, and Theorem 5 without constraints.
As printed: the partial derivatives of f are Lipschitz with constants L_i, and f is strongly convex
with parameter sigma_{1-alpha} in the norm ||x||^2 = sum_i L_i^(1-alpha) x_i^2. A step takes
coordinate i with probability L_i^alpha / S_alpha, where S_alpha = sum_i L_i^alpha, and moves it by
-(1/L_i) grad_i f(x). Then E f(x_k) - f* <= (1 - sigma_{1-alpha} / S_alpha)^k (f(x_0) - f*).
For alpha = 0, all n coordinates alike, and R = R_1(x_0), the largest distance ||x - x*||_1 of a
point with f(x) <= f(x_0), E f(x_k) - f* is at most n/(n + k) (R^2/2 + f(x_0) - f*), and at most
(1 - 2 sigma_1/(n (1 + sigma_1)))^k (R^2/2 + f(x_0) - f*).
Read as: on a quadratic R^2 = 2 (f(x_0) - f*)/sigma_1. n is d_u in formulas.
"""

from fractions import Fraction

import sympy as sp

from fedbounds.own import Algorithm, part, quadratic, theory


def init(problem, start):
    """The start x_0."""
    return {"x": start}


def draw(random, problem, p):
    """The direction e_i and the step 1/L_i: a wheel has L_i^alpha places for coordinate i."""
    sizes = curvatures(problem)
    places = [i for i, size in enumerate(sizes) for _ in range(int(size) ** int(p["alpha"]))]
    chosen = problem.xp.asarray(places)[random.index(len(places))]
    return {"along": units(problem)[chosen, :], "length": 1 / sizes[chosen]}


def step(problem, p, state, drawn):
    """A step along the coordinate."""
    moved = drawn["length"][:, None] * drawn["along"] * problem.full_gradient(state["x"])
    return {"x": state["x"] - moved}


def units(problem):
    """The unit vectors, one per row."""
    zero, at = 0 * problem.minimiser, problem.xp.arange(problem.dimension)
    return problem.xp.where(at[:, None] == at[None, :], zero + 1, zero)


def hessian(problem):
    """The Hessian of a quadratic, from its gradients."""
    return problem.full_gradient(units(problem)) - problem.full_gradient(0 * units(problem))


def curvatures(problem):
    """L_1, ..., L_d, the diagonal of the Hessian."""
    return problem.xp.sum(units(problem) * hessian(problem), axis=1)


def convexity(problem, start, p):
    """sigma_{1-alpha}: the least eigenvalue of the Hessian with rows divided by L_i^(1-alpha)."""
    divided = hessian(problem) / curvatures(problem)[:, None] ** (1 - int(p["alpha"]))
    exact = sp.Matrix([[sp.Rational(str(x)) for x in row] for row in divided])
    return Fraction(str(min(exact.eigenvals())))


def total(problem, start, p):
    """S_alpha."""
    return sum(curvatures(problem) ** int(p["alpha"]))


# whole L_i, and rational sigma_0 and sigma_1
HESSIANS = (
    [[3]],
    [[2, 1], [1, 2]],
    [[1, 0], [0, 100]],
    [[1, "5/8"], ["5/8", 4]],
    [[1, "-9/8"], ["-9/8", 4]],
    [[9, "15/8"], ["15/8", 4]],
    [[1, 0, 0], [0, 2, 0], [0, 0, 4]],
    [[2, 1, 0], [1, 2, 0], [0, 0, 1]],
    [[40, -10, -10], [-10, 40, -10], [-10, -10, 40]],
)
STARTS = ((1, -2, 3), (6, 6, 6), (0, 1, 0))

me = theory(
    "coordinate_descent",
    Algorithm(init, draw, step, "random coordinate descent"),
    title="Random coordinate descent for strongly convex functions (Theorem 2)",
    parameters={},
    problems=[
        quadratic([own], [(1, -1, 2)[: len(own)]], start[: len(own)])
        for own in HESSIANS
        for start in STARTS
    ],
)
me.parameter("alpha", "power of L_i in the probabilities", (0, 1), positive=False)
me.constant("sigma", "strong convexity sigma_{1-alpha}", convexity)
me.constant("S", "S_alpha", total)
me.assumption("uniform", lambda problem, start, p: p["alpha"] == 0)
me.claim(
    "theorem-2",
    "f(t) <= (1 - sigma/S)**t * f(0)",
    assumptions=["smooth", "strongly convex clients"],
)
me.claim(
    "theorem-5",
    {
        "convex": "f(t) <= d_u/(d_u + t) * (f(0)/sigma + f(0))",
        "strongly-convex": part(
            "f(t) <= (1 - 2*sigma/(d_u*(1 + sigma)))**t * (f(0)/sigma + f(0))",
            assumptions=["strongly convex clients"],
        ),
    },
    assumptions=["smooth", "convex clients", "uniform"],
)
