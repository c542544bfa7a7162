"""The symbols that every paper and every user may use, with meaning and sign.

A quantity is a SymPy function of the round: ``G_u(t)``, ``f(t + 1)``, ``f(T)``.
`Mean_t`, `Sum_t`, `Max_t` and `Min_t` run over rounds t = 0, ..., T - 1, `Prod_to` and `Min_to`
up to t.
"""

import sympy as sp

from fedbounds.facts import Constant

from .glossary import Draft, Glossary

_draft = Draft()
symbol, quantity = _draft.symbol, _draft.quantity

_COUNT = {"integer": True, "positive": True}
n = symbol("n", "number of clients", "n", **_COUNT)
m = symbol("m", "clients sampled per round", "m", **_COUNT)
K = symbol("K", "local steps per round", "K", **_COUNT)
T = symbol("T", "rounds", "T", **_COUNT)
t = sp.Symbol("t", integer=True, nonnegative=True)
k = sp.Symbol("k", integer=True, nonnegative=True)
d_u = symbol("d_u", "dimension of the shared block", "d_u", integer=True, nonnegative=True)
d_v = symbol("d_v", "dimension of a personal block", "d_v", integer=True, nonnegative=True)

j = symbol("j", "local steps done, in a geometric sum", "k", **_COUNT)

gamma_u = symbol("gamma_u", "inner step size of the shared block", r"\gamma_u", positive=True)
gamma_v = symbol("gamma_v", "inner step size of the personal block", r"\gamma_v", positive=True)
eta_u = symbol("eta_u", "outer step size of the shared block", r"\eta_u", positive=True)
eta_v = symbol("eta_v", "outer step size of the personal block", r"\eta_v", positive=True)
gamma = symbol(
    "gamma", "effective step size gamma_u eta_u = gamma_v eta_v", r"\gamma", positive=True
)

L = symbol(Constant.SMOOTHNESS, "largest block smoothness", "L", positive=True)
variance_u = symbol(
    Constant.VARIANCE_U, "variance of the shared gradient", r"\sigma_u^2", nonnegative=True
)
variance_v = symbol(
    Constant.VARIANCE_V, "variance of the personal gradient", r"\sigma_v^2", nonnegative=True
)
b2 = symbol(Constant.DISSIMILARITY, "gradient dissimilarity", "b^2", nonnegative=True)
F_0 = symbol(Constant.INITIAL_GAP, "f(u^0, v^0) - inf f", "F_0", positive=True)
B_0 = symbol(
    Constant.INITIAL_GRADIENTS,
    "sum of squared client gradients at the start",
    r"\mathcal B^0",
    nonnegative=True,
)


f = quantity("f", "expected objective above its infimum", "f", signed=True, left=True)
G_u = quantity("G_u", "E ||grad_u f||^2", r"\mathcal G_u")
G_v = quantity("G_v", "client mean of E ||grad_v f_i||^2", r"\mathcal G_{\mathbf v}")
B = quantity("B", "sum over clients of E ||grad_u f_i||^2", r"\mathcal B")
Du_2 = quantity("Du_2", "E ||Delta u||^2", r"\mathbb E\|\Delta u\|^2")
Dv_2 = quantity(
    "Dv_2",
    "client mean of E ||Delta v_i||^2",
    r"\tfrac1n\textstyle\sum_i\mathbb E\|\Delta v_i\|^2",
)


# ---- of one model W, trained in steps eta

tau = symbol("tau", "local steps per round", r"\tau", **_COUNT)
eta = symbol("eta", "step size", r"\eta", positive=True)
mu = symbol(Constant.STRONG_CONVEXITY, "strong convexity of every F_k", r"\mu", positive=True)
sigma2 = symbol("sigma^2", "variance of a stochastic gradient", r"\sigma^2", nonnegative=True)
G2 = symbol("G^2", "bound on squared gradients", "G^2", nonnegative=True)

D_W = quantity("D_W", "E ||W^t - W*||^2", "D", left=True)


# what every paper may use; those of one paper come on top
SHARED = _draft.closed() | Glossary(indices={"i": "clients i", "k": "local steps k"})


class RunOperator(sp.Function):
    """A reduction over the rounds of a run; never evaluated by SymPy."""

    nargs: int | tuple[int, ...] = 1


class Mean_t(RunOperator):
    """(1/T) sum over t = 0, ..., T - 1."""


class Sum_t(RunOperator):
    """Sum over t = 0, ..., T - 1."""


class Max_t(RunOperator):
    """Largest over t = 0, ..., T - 1."""


class Min_t(RunOperator):
    """Least over t = 0, ..., T - 1."""


class RunningOperator(RunOperator):
    """A reduction over rounds 0, ..., t; by a second argument, from another round on."""

    nargs = (1, 2)

    @property
    def first(self) -> int:
        """The first of these rounds."""
        return int(self.args[1]) if len(self.args) == 2 else 0


class Prod_to(RunningOperator):
    """Product over rounds 0, ..., t."""


class Min_to(RunningOperator):
    """Least over rounds 0, ..., t."""


class VectorSymbol(sp.Symbol):
    """A vector, or a source of randomness, as proofs name it; ``latex`` is its notation."""

    __slots__ = ("latex",)

    def __new__(cls, name: str, latex: str) -> "VectorSymbol":
        """Two of one name and another notation are two symbols."""
        found: VectorSymbol = sp.Symbol.__xnew__(cls, name)
        found.latex = latex
        return found

    def __getnewargs_ex__(self) -> tuple[tuple[str, str], dict[str, bool]]:
        return (self.name, self.latex), {}

    def _hashable_content(self) -> tuple[object, ...]:
        return (*super()._hashable_content(), self.latex)


def quantities_in(expression: sp.Expr) -> frozenset[str]:
    """Names of the measured quantities an expression uses."""
    return frozenset(atom.func.__name__ for atom in expression.atoms(sp.core.function.AppliedUndef))


def constants_in(expression: sp.Expr) -> frozenset[str]:
    """Names of the constants and parameters an expression uses; the round t is not one."""
    return frozenset(
        s.name
        for s in expression.free_symbols
        if s not in (t, k) and not isinstance(s, VectorSymbol)
    )
