"""Exact instances on which assumptions, conditions and claims in words are examined.

Each is a run of FedPLT on quadratics in rationals, told by its problem, algorithm, start and step
rule; what it meets is computed elsewhere. One local step from the fixed point of the round leads
back to it, so that its iterates are known for all rounds.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
from flint import fmpq

from fedbounds.algorithms.fedplt_rows import FedPLT
from fedbounds.problems import FederatedQuadratic, Noise, NoiseLaw


class Steps(StrEnum):
    """How the step size changes from round to round."""

    CONSTANT = "constant step"
    DECAYING = "eta^t = 1/(z(t+1))"


@dataclass(frozen=True, eq=False)
class Exhibit:
    """A run of FedPLT in rationals.

    Attributes
    ----------
    name : str
    problem : FederatedQuadratic
        Fully shared.
    algorithm : FedPLT
        Its step size counts where the step is constant.
    mu, L : rational
        Admissible constants of Assumptions 2 and 1.
    start : array, shape (d,), or None
        W^0; None for the fixed point of a round without noise.
    margin : rational
        By how much the box around the iterates exceeds what they need.
    """

    name: str
    problem: FederatedQuadratic
    algorithm: FedPLT
    mu: fmpq
    L: fmpq
    start: np.ndarray | None = None
    margin: fmpq = field(default_factory=fmpq)
    steps: Steps = Steps.CONSTANT


def rationals(rows: object) -> np.ndarray:
    """An object array of rationals from nested sequences of integers and rationals."""
    plain = np.array(rows, dtype=object)
    return np.array([fmpq(x) for x in plain.reshape(-1)], dtype=object).reshape(plain.shape)


# W* = 0 for equal shares, and F_k have minimisers of their own, as the slopes are opposite
_OWN = rationals([[[1, -1], [-1, 6]], [[2, -2], [-2, 6]]])
_SLOPES = rationals([[-3, 1], [3, -1]])
_ONE = rationals([[[1, 0], [0, 1]]] * 2)
_SAME = rationals([[0, 0], [0, 0]])
_MU, _L = fmpq(3, 4), fmpq(7)
_FULL, _OVERLAPPING, _DISJOINT, _EQUAL = (
    ((1, 1), (1, 1)), ((1, 0), (1, 1)), ((1, 0), (0, 1)), ((1, 0), (1, 0)),
)  # fmt: skip


def _quadratic(hessian: np.ndarray, slopes: np.ndarray, noise: fmpq) -> FederatedQuadratic:
    law = Noise(NoiseLaw.RADEMACHER, noise, fmpq(0))
    return FederatedQuadratic(hessian, slopes, shared_dimension=2, noise=law)


def exhibits() -> Iterator[Exhibit]:
    """Full, overlapping, disjoint and equal masks; with and without noise and heterogeneity."""
    quiet, noisy = (_quadratic(_OWN, _SLOPES, noise) for noise in (fmpq(0), fmpq(1, 256)))

    def run(masks: object, step: fmpq, local_steps: int = 1) -> FedPLT:
        return FedPLT(masks, (1, 1), local_steps, step)

    middle, short, tiny = fmpq(1, 64), fmpq(1, 10**4), fmpq(1, 4096)
    full, overlapping = run(_FULL, middle), run(_OVERLAPPING, short)
    yield Exhibit("full masks, noise", noisy, full, _MU, _L, margin=middle * tiny)
    yield Exhibit("full masks, full gradients", quiet, full, _MU, _L)
    yield Exhibit("full masks, two local steps", quiet, run(_FULL, middle, 2), _MU, _L)
    yield Exhibit("overlapping masks, noise", noisy, overlapping, _MU, _L, margin=short * tiny)
    yield Exhibit("overlapping masks, full gradients", quiet, overlapping, _MU, _L)
    yield Exhibit("overlapping masks, two local steps", quiet, run(_OVERLAPPING, short, 2), _MU, _L)
    yield Exhibit(
        "overlapping masks, full gradients, decaying steps",
        quiet, overlapping, _MU, _L, steps=Steps.DECAYING,
    )  # fmt: skip
    shared, one, far = _quadratic(_ONE, _SAME, fmpq(0)), fmpq(1), rationals([1, 1])
    sixteenth = fmpq(1, 16)
    yield Exhibit("disjoint masks, one minimiser", shared, run(_DISJOINT, sixteenth), one, one, far)
    uneven = _quadratic(_OWN, _SAME, fmpq(0))
    yield Exhibit(
        "overlapping masks, one minimiser, two local steps",
        uneven, run(_OVERLAPPING, sixteenth, 2), _MU, _L, far,
    )  # fmt: skip
    yield Exhibit("equal masks, full gradients", quiet, run(_EQUAL, middle), _MU, _L)
