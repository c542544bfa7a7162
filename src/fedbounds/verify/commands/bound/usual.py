"""What `bound` takes for numbers that are not given: ten clients, a thousand rounds, units of 1."""

from collections.abc import Iterable, Mapping

import sympy as sp

_COUNTS = {"n": 10, "K": 5, "tau": 5, "T": 1000, "t": 1000}
_UNITS = frozenset(
    {"L", "F_0", "b^2", "sigma^2", "sigma_u^2", "sigma_v^2", "G^2", "D_W(0)", "f(0)", "G_u(0)"}
)
_CONDITION = 10  # L/mu


def usual(missing: Iterable[str], given: Mapping[str, sp.Expr]) -> dict[str, sp.Expr]:
    """Usual numbers of these names; a name that has none is left out.

    Half of the clients take part, and L/mu is 10.
    """
    names = set(missing)
    found = {x: sp.Integer(_COUNTS[x]) for x in sorted(names & _COUNTS.keys())}
    found |= {x: sp.Integer(1) for x in sorted(names & _UNITS)}
    known = {**given, **found}
    if "m" in names:
        found["m"] = sp.ceiling(known.get("n", sp.Integer(_COUNTS["n"])) / 2)
    if "mu" in names:
        found["mu"] = known.get("L", sp.Integer(1)) / _CONDITION
    return found
