"""Premises in a script: constants as it computes them from its own numbers, conditions as asserts.

In a script of rounds a row of F is a client's a, b, d, p, r and v at the start, u is the shared
start, and noise_u, noise_v are the sizes of fair signs.
"""

from collections.abc import Iterable

from fedbounds.theory.claims import Part
from fedbounds.vocabulary import Assumption

from .script_asserts import Table, told

_SLOPES = "a * u + b * v + p for a, b, d, p, r, v in F"
_VALUE = "(a * u / 2 + b * v + p) * u + (d * v / 2 + r) * v for a, b, d, p, r, v in F"
_CONSTANTS = {
    "gamma": ("gamma = eta_u * gamma_u",),
    "L_u": ("L_u = max(abs(row[0]) for row in F)",),
    "L_uv": ("L_uv = max(abs(row[1]) for row in F)",),
    "L_v": ("L_v = max(abs(row[2]) for row in F)",),
    "L": ("L = max(abs(x) for row in F for x in row[:3])  # largest block smoothness",),
    "d_v": ("d_v = int(any(row[1] or row[2] or row[4] for row in F))",),
    "sigma_u^2": ("variance_u = noise_u**2",),
    "sigma_v^2": ("variance_v = noise_v**2",),
    "b^2": ("b2 = sum((row[3] - sum(x[3] for x in F) / n) ** 2 for row in F) / n",),
    "B_0": (f"B_0 = sum(x**2 for x in ({_SLOPES}))",),
    "G_0": (f"G_0 = (sum({_SLOPES}) / n) ** 2",),
    "F_0": (f"f_0 = sum({_VALUE}) / n", "F_0 = f_0 - infimum"),
}
_INFIMUM = (
    "ratio = lambda x, y: x / y if y else 0 * x",
    "A, B = (sum(r[j] - ratio(r[1] * r[k], r[2]) for r in F) for j, k in ((0, 1), (3, 4)))",
    "infimum = -(sum(ratio(r[4] ** 2, r[2]) for r in F) + ratio(B**2, A)) / (2 * n)",
    "assert all(r[2] > 0 or r[1] == r[2] == r[4] == 0 for r in F) and (A > 0 or A == B == 0)",
)
COMPUTED = _CONSTANTS.keys()
NOISE = frozenset({"sigma_u^2", "sigma_v^2"})


ASSUMED: Table = {
    Assumption.SMOOTH: ("assert all(abs(x) <= L for row in F for x in row[:3])",),
    Assumption.NOISE: ("assert noise_u**2 <= variance_u and noise_v**2 <= variance_v",),
    Assumption.DISSIMILARITY: ("assert n == 1 or all(row[:2] == [F[0][0], 0] for row in F)",),
}
_NEEDED: dict[str, Iterable[str]] = {
    Assumption.SMOOTH: {"L"},
    Assumption.NOISE: NOISE,
    Assumption.DISSIMILARITY: {"b^2"},
}


def of_quadratics(part: Part, used: Iterable[str], infimum: bool, table: Table) -> list[str]:
    """Lines that compute the constants used, and assert all premises of a part."""
    assumed = list(part.assumptions)
    names = set(used).union(*(_NEEDED[a] for a in assumed if a in table.keys() & _NEEDED.keys()))
    lines: list[str] = []
    if Assumption.BOUNDED_BELOW in assumed:
        assumed.remove(Assumption.BOUNDED_BELOW)
        lines += told([Assumption.BOUNDED_BELOW], (), {Assumption.BOUNDED_BELOW: _INFIMUM})
    elif infimum or "F_0" in names:
        lines += _INFIMUM
    lines += [line for name, own in _CONSTANTS.items() if name in names for line in own]
    return lines + told(assumed, part.conditions, table)
