"""Problems on which own claims are judged unless the file brings its own."""

from collections.abc import Iterator, Sequence
from itertools import product
from random import Random
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.errors import FedboundsError, require, unknown_name
from fedbounds.problems import FederatedQuadratic, Noise, NoiseLaw, SampledRegression
from fedbounds.problems.linear import rational
from fedbounds.problems.sampled_regression import Loss

from ..measure.objectives import exact_array

Array = Any
Pair = tuple[Any, Array]  # a problem and a start

# symmetric, with rational eigenvalues, so that L and mu are exact
_HESSIANS: dict[int, tuple[tuple[tuple[int, ...], ...], ...]] = {
    1: (((1,),), ((2,),), ((4,),)),
    2: (((1, 0), (0, 1)), ((1, 0), (0, 3)), ((2, 1), (1, 2)), ((2, -1), (-1, 2))),
    3: (((1, 0, 0), (0, 2, 0), (0, 0, 4)), ((2, 1, 0), (1, 2, 0), (0, 0, 1))),
}
_REPEATS = 3  # of every shape
_CURVED = (1, 3, 10, 100)
_SCALES = (fmpq(1, 10_000), fmpq(1, 100), fmpq(1))  # of curvatures, slopes and noise
_CLIENTS = ((1, False), (1, False), (2, True), (2, False), (3, False), (5, False))  # alike
_NOISES = (0, 1, fmpq(1, 10), 10)


def quadratics(
    clients: Sequence[int] = (1, 2, 3), dimensions: Sequence[int] = (1, 2), noise: bool = True
) -> tuple[Pair, ...]:
    """Small strongly convex quadratics in rationals, with and without noise, and a start each.

    Parameters
    ----------
    clients, dimensions : sequences of int
        n of 1 to 4, and d of 1 to 3.
    noise : bool
        Whether some have Rademacher noise, whose variance is known exactly.
    """
    for n in clients:
        require(1 <= n <= 4, "clients n", n, "between 1 and 4")
    for d in dimensions:
        require(d in _HESSIANS, "dimension d", d, f"one of {sorted(_HESSIANS)}")
    return tuple(_pairs(clients, dimensions, noise))


def unlike() -> tuple[Pair, ...]:
    """Quadratics whose curvatures differ a hundredfold, with L from 1/100 to 100; a start each.

    With 1 to 5 clients, alike or not, at several noise levels; some start at the minimiser, where
    only noise moves the model, and what differs between clients, one along the least curvature.
    """
    return tuple(_unlike())


def quadratic(
    hessians: Sequence[Any],
    slopes: Sequence[Any],
    start: Sequence[Any],
    noise: Any = 0,
    law: str = "rademacher",
    personal: Sequence[Any] = (),
) -> Pair:
    """f_i(x) = 1/2 x' H_i x + h_i' x in rationals, and a start.

    With ``personal``, x is (u, v_i): a shared block, then one of client i alone.

    Parameters
    ----------
    hessians : nested sequence, shape (n, d, d)
    slopes : nested sequence, shape (n, d)
    start : sequence, shape (d,)
        With ``personal``, of the shared block, whose length is d - d_v.
    noise : number
        Standard deviation of every coordinate of the gradient noise.
    law : "rademacher" or "gaussian"
        Of the noise; runs under Gaussian noise are measured by moments.
    personal : sequence, shape (n, d_v)
        Starts of the personal blocks.
    """
    laws = {one.value: one for one in NoiseLaw}
    if law not in laws:
        raise unknown_name("law of the noise", law, laws)
    linear, shared, own = exact_entries(slopes), exact_entries(start), exact_entries(personal)
    d_v = own.shape[-1] if own.size else 0
    require(
        not own.size or own.shape == (len(linear), d_v),
        "shape of the personal starts",
        own.shape,
        f"one for each of {len(linear)} clients",
    )
    (scale,) = exact_entries([noise])
    law_of_noise = Noise(laws[law], scale, scale if d_v else fmpq(0))
    problem = FederatedQuadratic(
        exact_entries(hessians), linear, linear.shape[-1] - d_v, law_of_noise
    )
    return problem, np.concatenate([shared, own.reshape(-1)])


def regression(
    features: Sequence[Any], targets: Sequence[Any], start: Sequence[Any], ridge: Any = 0
) -> Pair:
    """f_i(x) = (1/n_s) sum_j (a_ij'x - y_ij)^2/2 + (ridge/2) ||x||^2 in rationals, and a start.

    Gradients of minibatches are `Clients.sampled_gradient`.

    Parameters
    ----------
    features : nested sequence, shape (n, n_s, d)
    targets : nested sequence, shape (n, n_s)
    start : sequence, shape (d,)
    ridge : number
    """
    loss = Loss(rational(ridge))
    return SampledRegression(exact_entries(features), exact_entries(targets), loss), exact_entries(
        start
    )


def _pairs(clients: Sequence[int], dimensions: Sequence[int], noise: bool) -> Iterator[Pair]:
    random = Random(0)
    scales = (0, fmpq(1, 2)) if noise else (0,)
    for d in dimensions:
        for n in clients:
            for repeat in range(_REPEATS):
                same = random.choice(_HESSIANS[d])
                own = [random.choice(_HESSIANS[d]) for _ in range(n)]
                hessians = [same] * n if repeat == 0 else own
                slopes = [[random.randint(-3, 3) for _ in range(d)] for _ in range(n)]
                start = [random.choice((-2, -1, 1, 2, 6)) for _ in range(d)]
                for scale in scales:
                    yield quadratic(hessians, slopes, start, scale)
                if noise and repeat == 0:  # from the minimiser, where only noise moves the model
                    problem, _ = quadratic(hessians, slopes, start, scales[-1])
                    yield problem, problem.minimiser


def _unlike() -> Iterator[Pair]:
    random = Random(1)
    for (at, scale), (of, (n, alike)) in product(enumerate(_SCALES), enumerate(_CLIENTS)):
        d = 2 if n == 1 else 1 + (at + of) % 2
        curvatures = [[random.choice(_CURVED) for _ in range(d)] for _ in range(n)]
        curvatures[-1] = [_CURVED[0]] * d
        curvatures[0] = [*[_CURVED[0]] * (d - 1), _CURVED[-1]]
        hessians = [np.diag([scale * x for x in own]) for own in curvatures]
        hessians = hessians[:1] * n if alike else hessians
        slopes = [[scale * random.randint(-3, 3) for _ in range(d)] for _ in range(n)]
        noise = scale * _NOISES[(at + of) % len(_NOISES)]
        problem, start = quadratic(hessians, slopes, [random.choice((-2, 1, 6))] * d, noise)
        resting = at != 1 if n > 1 else of == 1
        if n == 1 and at == 1 and not resting:  # along the least curvature: the slowest there is
            start = problem.minimiser + exact_entries([6, *[0] * (d - 1)])
        yield problem, problem.minimiser if resting else start


def exact_entries(rows: Any) -> Array:
    """An array of the rational numbers that these are; of floats those that they are, unrounded.

    Raises
    ------
    FedboundsError
        If they are no array of finite numbers.
    """
    try:
        found = exact_array(rows)
    except (TypeError, ValueError, AttributeError, OverflowError) as error:
        raise _no_array(rows) from error
    if any(isinstance(entry, tuple) for entry in found.reshape(-1)):
        raise _no_array(rows)
    return found


def _no_array(rows: Any) -> FedboundsError:
    return FedboundsError(
        f"{rows!r} is no array of numbers; expected rows of one length, of numbers or fractions"
    )
