"""Problems of the families, asked for what they meet at all points, and constants alone."""

from collections.abc import Iterator
from itertools import product
from typing import Any

from flint import fmpq

from fedbounds.problems import federated_logistic
from fedbounds.problems.ridge_logistic import RidgeLogistic

from ..specimens import specimens
from .premises import Parameters


def families() -> Iterator[tuple[str, Any]]:
    """One problem of each family; without a personal block logistic losses, and with a ridge."""
    yield from specimens()
    loss = federated_logistic(
        clients=4,
        shared_dimension=3,
        personal_dimension=0,
        samples=20,
        heterogeneity=0.5,
        regularisation=0.0,
        batch=4,
    )
    yield "logistic losses, fully shared", loss
    yield "ridge logistic losses", RidgeLogistic(loss, 0.1)


def parameters() -> Iterator[Parameters]:
    """Constants with a step size inside the conditions where there is one, and a tiny one."""
    one, two, half = fmpq(1), fmpq(2), fmpq(1, 2)
    for (L, mu), psi, alpha, rho in product(
        ((one, one), (two, one)),
        ((one, one), (one, two)),
        (half, one),
        (fmpq(1, 4), one, fmpq(16)),
    ):
        psi_min, psi_max = psi
        curve = 2 * (psi_max * alpha) ** 2
        aligned = psi_min * rho
        # (iii) from below, (i) and (ii) from above
        low = max(fmpq(0), (aligned - 1) / (curve * L))
        high = min(1 / L, aligned / (curve * L))
        inside = (low + high) / 2 if low < high else 1 / (2 * L)
        known = {
            "L": L, "mu": mu, "psi_min": psi_min, "psi_max": psi_max, "alpha_k": alpha,
            "rho_min": rho,
        }  # fmt: skip
        if mu * aligned > L:
            known["w_first"] = mu * aligned - L
        if aligned > 1 + curve:
            known["w_large"] = aligned - 1 - curve
        for eta in (inside, fmpq(1, 10**4)):
            values = known | {"eta": eta}
            told = ", ".join(f"{name}={values[name]}" for name in values if name[0] != "w")
            yield Parameters(told, values)
