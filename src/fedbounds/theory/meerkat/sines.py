"""f = sum_j x_j^2 + 3 sin^2 x_j in two coordinates: smooth with L = 8 and PL, and no quadratic.

The mask keeps the one coordinate that counts, and clients who are alike have any c_h.
"""

from fedbounds.theory.language.setups import Number, Objective

_TURN = ((1, 0), (0, 1))
CHOSEN: dict[str, Number] = {
    "c_m": 1, "c_h": "1/10000", "sigma_h": 0, "Delta": 0, "mu_PL": "1/32",
}  # fmt: skip


def clients(count: int) -> Objective:
    """Of so many clients, all alike."""
    data = {"rotation": _TURN, "weights": ((1, 1),) * count, "centres": ((0, 0),) * count}
    return Objective("sine bowls", tuple(data.items()))
