"""Quadratics, windows and keep probabilities in rationals."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.problems import FederatedQuadratic
from fedbounds.problems.masked_laws import Rolling
from fedbounds.problems.spectrum import in_rationals

Array = Any

# sqrt(p (1 - p)) is rational for each
HALF, LOW, HIGH = fmpq(1, 2), fmpq(1, 5), fmpq(4, 5)
LOWER, HIGHER = fmpq(1, 10), fmpq(9, 10)
ONE = fmpq(1)


def exact(numbers: Any) -> Array:
    """An array of rationals."""
    return in_rationals(np.asarray(numbers, dtype=object))


def quadratic(hessians: Sequence[Any], slopes: Sequence[Any]) -> FederatedQuadratic:
    """f_i(w) = 1/2 w'A_i w - b_i'w in rationals."""
    hessian = exact(hessians)
    return FederatedQuadratic(hessian, -exact(slopes), hessian.shape[1])


def coupled(d: int, between: Any, ridge: Any = 0) -> Array:
    """1 + ridge on the diagonal, the same number everywhere else."""
    one = np.eye(d, dtype=np.int64).astype(object)
    return exact(one * (1 + ridge - between) + between)


def windows(n: int, d: int, size: int, *, shift: bool = False) -> Rolling:
    """Cyclic windows of `size` coordinates, each client's begun one further where shifted."""
    return Rolling(
        [
            [[int((j - s - i * shift) % d < size) for j in range(d)] for s in range(d)]
            for i in range(n)
        ]
    )
