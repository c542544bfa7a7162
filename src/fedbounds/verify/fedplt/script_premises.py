"""Premises in the names of FedPLT's scripts: constants that they compute, assumptions they assert.

H are the Hessians, M the masks, c the shares, psi the compensation, `best` is W*; `draws` lists all
equally likely noises by client, step and coordinate, and `seen` every model that a client visits.
"""

import re
from collections.abc import Collection, Iterable, Mapping

from fedbounds.theory.claims import Condition
from fedbounds.vocabulary import Assumption

from ..script_asserts import Table, broken, curvature, not_checked, packed, told
from ..script_code import IDENTIFIERS

PRODUCT = "ip = lambda x, y, m=(1,) * len(I): sum(a * b * e for a, b, e in zip(x, y, m))"
MINIMISER = (
    "wide = lambda w: [sum(c[k] * gradient(k, w)[i] for k in K) for i in I]  # grad F",
    "assert sum(c) == 1 and not any(wide(best))  # shares; W* minimises F",
)
_AT = "at = [(k, gradient(k, w), [a - b for a, b in zip(w, best)]) for k, w in seen]"
_NOISES = "noises = [x for own in zip(*draws) for x in zip(*own)]  # of a client and step"
_MEAN = "assert not any(sum(x) for own in noises for x in zip(*own))"
_KEPT = "kept = [x for x, *m in zip(psi, *M) if any(m)]  # of coordinates that are trained"
# what a line needs before it
_BEFORE = {"noises": (_NOISES,), "at": (_AT,), "kept": (_KEPT,)}

COMPUTED = {
    "psi_max": "psi_max = max(kept)",
    "psi_min": "psi_min = min(kept)",
    "alpha_k": "alpha_k = max(alpha)",
    "Gamma": "Gamma = ip(c, alpha, alpha)",
    "Gamma_2": "Gamma_2 = ip(c, c, [a * a for a in alpha])",
    "Lambda": "Lambda = sum("
    "c[k] * g * (b - a) / 2 for k in K for g, b, a in zip(gradient(k, best), best, A[k]))",
    "variance": "variance = max(Q(sum(x * x for e in own for x in e), len(own)) for own in noises)",
    "D_0": "D_0 = sum((a - b) ** 2 for a, b in zip(start[0], best))",
}
# where room is short the last ones are not asserted
ASSUMED: Table = {
    **curvature("H"),
    Assumption.NOISE: (_MEAN,),
    Assumption.UNBIASED: (_MEAN,),
    Assumption.BOUNDED_VARIANCE: ("assert variance >= 0",),
    Assumption.NOISELESS: ("assert not any(x for e in draws for z in e for s in z for x in s)",),
    Assumption.NOISY: ("assert any(x for e in draws for z in e for s in z for x in s)",),
    Assumption.EQUAL_ATTENUATION: ("assert len(set(alpha)) == 1",),
    Assumption.SINGLE_STEP: ("assert tau == 1",),
    Assumption.FULL_MASKS: ("assert all(map(all, M))",),
    Assumption.LEAVES_OUT: ("assert not all(map(all, M))",),
    Assumption.EQUAL_MASKS: ("assert all(m == M[0] for m in M)",),
    Assumption.SHARED_MINIMISER: ("assert not any(x for k in K for x in gradient(k, best))",),
    Assumption.OWN_MINIMISERS: ("assert any(x for k in K for x in gradient(k, best))",),
    Assumption.ALIGNED: (
        "assert all(ip(g, x, M[k]) / ip(g, x) >= rho_min > 0 for k, g, x in at)",
    ),
    Assumption.ALIGNED_COMPENSATED: (
        "assert all(ip(g, x, [a * b for a, b in zip(psi, M[k])]) >= psi_min * rho_min * ip(g, x)"
        " for k, g, x in at)",
    ),
    Assumption.GLOBAL_GRADIENT: (
        "assert all(ip(wide(w), wide(w)) <= G2 for k, w in seen)",
    ),
    Assumption.LOCAL_GRADIENTS: ("assert all(ip(g, g) <= G2 for k, g, x in at)",),
    Assumption.INDEPENDENT: (
        "assert sorted(draws) == sorted(product(*map(set, zip(*draws))))",
    ),
}  # fmt: skip
# of steps eta^0, eta^1, ... in ``steps``, and of squared distances D
_CONTRACTS = (
    "assert all(D[s + 1] <= (1 - z * e) * D[s] + e**2 * B_step for s, e in enumerate(steps))"
)
_SHORTER = "assert all(e * z * (s + 1) == 1 for s, e in enumerate(steps))"
OF_STEPS: Table = {
    Assumption.RECURSION: ("assert len(set(steps)) == 1", _CONTRACTS),
    Assumption.RECURSION_DECAYING: (_SHORTER, _CONTRACTS),
    Assumption.RECURSION_LONGER: (
        "assert all(e * z * (s + 2) == 2 for s, e in enumerate(steps))",
        _CONTRACTS,
    ),
    Assumption.DECAYING_STEPS: (_SHORTER,),
}
LEAST_RATIO = "rho_min = min(ip(g, x, M[k]) / ip(g, x) for k, g, x in at)"
_NAMES = frozenset({"L", "mu", "rho_min", "G2", "z", "B_step", "variance", "psi_min"})


def named(assumptions: Collection[Assumption], conditions: Collection[Condition]) -> set[str]:
    """Names of numbers that the lines of these premises use."""
    lines = [x for a in assumptions for x in (ASSUMED | OF_STEPS).get(a, ())]
    words = {word for line in lines for word in re.findall(r"\w+", line)} & _NAMES
    sides = [side for c in conditions for side in (c.left, c.right)]
    return words | {IDENTIFIERS.get(s.name, s.name) for x in sides for s in x.free_symbols}


def lines_of(
    assumptions: Collection[Assumption],
    conditions: Collection[Condition],
    known: Iterable[str],
    constants: Mapping[str, str],
    table: Table,
) -> list[str]:
    """What these constants and premises are, each after what it needs.

    Parameters
    ----------
    known : names
        That a script has, beside those that `constants` computes.
    constants : dict from name to line
    """
    there = {*known, *constants}
    usable = {a: own for a, own in table.items() if named([a], ()) <= there}
    met = [c for c in conditions if named((), [c]) <= there | {"tau", "t", "eta"}]
    asserts = told(assumptions, met, usable)
    asserts += not_checked(str(c) for c in conditions if c not in met)
    lines = [*MINIMISER, *packed(x for line in constants.values() for x in broken(line))]
    needed = [x for name in _BEFORE if _uses(name, lines + asserts) for x in _BEFORE[name]]
    found = [*needed, *lines, *asserts]
    return [PRODUCT, *found] if _uses("ip", found) else found


def _uses(name: str, lines: list[str]) -> bool:
    return any(re.search(rf"\b{name}\b", line.partition("# ")[0]) for line in lines)
