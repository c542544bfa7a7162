"""What a witness script computes of FedPLT: one line of Python per vector and per quantity.

A row is one coordinate i of one client k in one local step s, under one outcome. So ||x||^2 is the
sum of x^2 over rows, and F_k(W) - F_k^* that of half the gradient times W - A_k.
"""

from dataclasses import dataclass, field
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from fedbounds.errors import FedboundsError
from fedbounds.theory.fedplt.vectors import MEANS
from fedbounds.theory.proof.vectors import given, ip, sq
from fedbounds.theory.symbols import VectorSymbol, t

from ..script_code import code

# attributes of a row, each with its Python; {own} is W_k^t
ATTRIBUTES = {
    "W": "W[i]",
    "Wk": "{own}[i]",
    "Wn": "new[i]",
    "Wstar": "best[i]",
    "D": "D[i]",
    "Db": "Db[i]",
    "U": "U[k][i]",
    "Ub": "Ub[k][i]",
    "g": "gradient(k, {own})[i]",
    "g0": "gradient(k, W)[i]",
    "gb": "gradient(k, best)[i]",
    "gs": "gradient(k, pos[k][s])[i]",
    "ns": "xi[k][s][i]",
    "a": "A[k][i]",
    "m": "M[k][i]",
    "y": "psi[i]",
    "c": "c[k]",
    "al": "alpha[k]",
    "rho": "ratio(k, {own})",
    "gap": "gap[k] / len(I)",
    "far": "W[i] - best[i] - eta * psi[i] * sum("
    "c[j] * M[j][i] * gradient(j, pos[j][-1])[i] for j in K)",
    "fresh": "sum((eta * draws[0][0][0][0] * psi[i] * c[j] * M[j][i]) ** 2 for j in K)",
}
UPDATES = frozenset({"U", "Ub", "D", "Db"})  # what local steps add up to
# lines that an attribute asks for
HELPERS = {
    "rho": (
        "def ratio(k, w):",
        "    x = [g * (a - b) for g, a, b in zip(gradient(k, w), w, best)]",
        "    return sum(m * a for m, a in zip(M[k], x)) / sum(x)",
    ),
    "gap": (
        "low = [sum(A[k][i] * a for i, a in zip(I, gradient(k, [0] * len(I)))) / 2 for k in K]",
        "up = [sum(g * (b - a) / 2 for g, b, a in zip(gradient(k, best), best, A[k])) for k in K]",
        "gap = [sum(c[j] * (low[j] + up[j]) for j in K) - low[k] for k in K]  # F* - F_k*",
    ),
}
_NAMES = {name: sp.Symbol(name, real=True) for name in ATTRIBUTES}
_W, _WK, _WN, _BEST = (_NAMES[x] for x in ("W", "Wk", "Wn", "Wstar"))
_G, _G0, _GB, _A, _AL, _GAP, _RHO, _C = (
    _NAMES[x] for x in ("g", "g0", "gb", "a", "al", "gap", "rho", "c")
)
_D, _DB = _NAMES["D"], _NAMES["Db"]
_FACTORS = {"mask": _NAMES["m"], "comp": _NAMES["y"], "share": _C, "attenuate": _AL}
_FAR, _OWN, _AT_W, _AT_BEST = (
    _W - _BEST,
    _G * (_WK - _A) / 2,
    _G0 * (_W - _A) / 2,
    (_GB * (_BEST - _A) / 2),
)
_mu = sp.Symbol("mu")

# quantities as means over rows, at time t
QUANTITIES = {
    "D_W": _FAR**2,
    "A_1": (_D - _DB) ** 2,
    "A_2": (_FAR + _DB) ** 2,
    "A_3": 2 * (_D - _DB) * (_FAR + _DB),
    "A_21": _DB**2,
    "A_22": 2 * _FAR * _DB,
    "D_1": (_FAR + _D) ** 2,
    "V_W": (_WK - _W) ** 2,
    "F_loc": _OWN,
    "F_own": _OWN,
    "F_bar": _AT_W,
    "F_att": _AL**2 * _OWN,
    "F_raw": _AL**2 / _C * _OWN,
    "F_opt": _OWN - _AT_BEST,
    "F_star": _AT_BEST,
    "F_glob": _AT_W - _AT_BEST,
    "F_gatt": _AL**2 * (_AT_W - _GAP),
    "Lam_att": _AL**2 * _GAP,
    "F_gap": _GAP,
    "b_rho": _RHO * (_OWN - _AT_BEST + _mu / 2 * (_WK - _BEST) ** 2),
}
_ATTENUATED = 4 * sp.Symbol("eta") ** 2 * sp.Symbol("psi_max") ** 2 * sp.Symbol("L")
_ALIGNED = 2 * sp.Symbol("eta") * sp.Symbol("psi_min") * sp.Symbol("rho_min")
QUANTITIES["A_24"] = _ATTENUATED * QUANTITIES["F_att"] - _ALIGNED * QUANTITIES["F_opt"]
# 1 if the mean over rows is positive, else 0
_SIGNS = {"sgn_3": (_NAMES["m"] * _G) ** 2}
_AFTER = {"D_W": (_WN - _BEST) ** 2}  # at time t + 1
# after a round, the step that the analysis takes from W^t and W_k^t has a sample of its own
_OF_ROUNDS = {"D_1": _NAMES["far"] ** 2 + _NAMES["fresh"]}


_DEFINED = {
    "delta": _NAMES["U"] - _NAMES["Ub"],
    "noise": _NAMES["ns"],
    "rg": _RHO * _G,
    "anyv": _WK - _BEST,
    "mv": _NAMES["m"] * (_WK - _BEST),
}


@dataclass
class Printed:
    """Python for the sides of a part, and what it needs.

    Attributes
    ----------
    rounds : bool
        Whether t counts rounds.
    attributes : set of str
        Of rows.
    means : list of str
        Definitions of conditional means.
    scalars : set of str
        Names of symbols.
    """

    rounds: bool
    attributes: set[str] = field(default_factory=set)
    means: list[str] = field(default_factory=list)
    scalars: set[str] = field(default_factory=set)

    def side(self, expression: sp.Expr) -> str:
        """Python for one side.

        Raises
        ------
        FedboundsError
            If a vector or a quantity has no line here.
        """
        found: dict[sp.Basic, sp.Symbol] = {}
        for node in expression.atoms(sq, ip):
            product = self._rows(node.args[0]) * self._rows(node.args[-1])
            found[node] = sp.Symbol(f"E(lambda r: {self._python(product)})")
        for atom in expression.atoms(AppliedUndef):
            found[atom] = sp.Symbol(self._quantity(atom))
        plain = expression.xreplace(found)
        own = plain.free_symbols - set(found.values())
        self.scalars |= {symbol.name for symbol in own}
        return code(plain)

    def _quantity(self, atom: Any) -> str:
        name, at = atom.func.__name__, atom.args[0]
        if at == 0 and name == "D_W":
            return "sum((a - b) ** 2 for a, b in zip(start[0], best))"
        if name in _SIGNS and at == t:
            return f"Q(E(lambda r: {self._python(_SIGNS[name])}) > 0)"
        now = QUANTITIES | (_OF_ROUNDS if self.rounds else {})
        table = now if at == t else _AFTER if at == t + 1 else {}
        if name not in table:
            raise FedboundsError(f"no script for the quantity {atom}")
        self.scalars |= {s.name for s in table[name].free_symbols} - ATTRIBUTES.keys()
        return f"E(lambda r: {self._python(table[name])})"

    def _rows(self, node: sp.Expr) -> sp.Expr:
        """A vector as its coordinate in a row."""
        if isinstance(node, given):
            return self._mean(node)
        if isinstance(node, sp.Symbol):
            return self._symbol(node)
        if not node.args:
            return node
        return node.func(*(self._rows(argument) for argument in node.args))

    def _symbol(self, node: sp.Symbol) -> sp.Expr:
        if node.name in _DEFINED:
            return _DEFINED[node.name]
        if node in MEANS:
            return self._meaning(MEANS[node])
        if isinstance(node, VectorSymbol) and node.name not in ATTRIBUTES:
            raise FedboundsError(f"no script for the vector {node}")
        if not isinstance(node, VectorSymbol):
            self.scalars.add(node.name)
            return node
        return _NAMES[node.name]

    def _meaning(self, node: sp.Expr) -> sp.Expr:
        if isinstance(node, AppliedUndef):
            return _FACTORS[node.func.__name__] * self._meaning(node.args[0])
        if isinstance(node, sp.Symbol):
            if node.name == "one":
                raise FedboundsError("no script for vectors of one coordinate")
            return self._symbol(node)
        return node.func(*(self._meaning(argument) for argument in node.args))

    def _mean(self, node: sp.Expr) -> sp.Expr:
        inner = self._python(self._rows(node.args[0]))
        kept = ", ".join(f'"{source}"' for source in node.args[1:])
        line = f"given(lambda r: {inner}, {kept})"
        if line not in self.means:
            self.means.append(line)
        return sp.Symbol(f"mean_{self.means.index(line)}(r)")

    def _python(self, expression: sp.Expr) -> str:
        """Python in attributes of r."""
        every = {s.name for s in expression.free_symbols}
        self.attributes |= every & ATTRIBUTES.keys()
        symbols = expression.free_symbols
        own = {s: sp.Symbol(f"r.{s.name}") for s in symbols if s.name in ATTRIBUTES}
        return code(expression.xreplace(own))
