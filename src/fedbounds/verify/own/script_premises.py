"""Premises in the names of scripts of own claims: constants they compute, assumptions they assert.

H and h are the clients' Hessians and slopes, `start` the start, `problem` what the algorithm sees.
"""

from fedbounds.vocabulary import Assumption

from ..script_asserts import Table, curvature

COMPUTED = {
    "sigma^2": "sigma2 = d * problem.noise_scale**2",
    "b^2": "b2 = _square(h - sum(h) / Q(n)).sum() / n",
    "B_0": "B_0 = _square(problem.gradient(start)).sum()",
    "G_0": "G_0 = _square(problem.full_gradient(start))[0]",
}
ASSUMED: Table = {
    **curvature("H"),
    Assumption.QUADRATIC: ("assert (H == H.transpose(0, 2, 1)).all()",),
    Assumption.DISSIMILARITY: ("assert all((A == H[0]).all() for A in H)",),
    Assumption.BOUNDED_BELOW: (
        "assert not problem.full_gradient(problem.minimiser[None]).any()",
        "assert positive(plus(0, sum(H), 1))",
    ),
    Assumption.UNBIASED: (
        "(probe := Random()).noise(problem, 1)",
        "noises = [Random(x).noise(problem, 1) for x in product(*map(range, probe.sizes))]",
        "assert not sum(noises).any()",
    ),
    Assumption.NOISELESS: ("assert problem.noise_scale == 0",),
    Assumption.NOISY: ("assert problem.noise_scale != 0",),
    Assumption.SHARED_MINIMISER: (
        "assert not problem.gradient(problem.minimiser[None]).any()",
    ),
}  # fmt: skip
