"""Every symbol of every claim, in one place, with meaning and sign.

A constant is a SymPy symbol named by its `Constant` or parameter word, so that a value is found
by name. A quantity is a SymPy function of the round: ``G_u(t)``, ``f(t + 1)``, ``f(T)``.
`Mean_t`, `Sum_t` and `Max_t` run over rounds t = 0, ..., T - 1.
"""

from dataclasses import dataclass

import sympy as sp

from fedbounds.vocabulary import Constant, Quantity


@dataclass(frozen=True)
class Meaning:
    """What a symbol stands for, and its paper's notation in LaTeX."""

    text: str
    latex: str


MEANING: dict[str, Meaning] = {}


def _symbol(name: str, text: str, latex: str, **assumptions: bool) -> sp.Symbol:
    MEANING[str(name)] = Meaning(text, latex)
    return sp.Symbol(str(name), **assumptions)


def _quantity(name: Quantity, text: str, latex: str) -> type[sp.Function]:
    MEANING[name.value] = Meaning(text, latex)
    function: type[sp.Function] = sp.Function(name.value, real=True)
    return function


_COUNT = {"integer": True, "positive": True}
n = _symbol("n", "number of clients", "n", **_COUNT)
m = _symbol("m", "clients sampled per round", "m", **_COUNT)
K = _symbol("K", "local steps per round", "K", **_COUNT)
T = _symbol("T", "rounds", "T", **_COUNT)
t = sp.Symbol("t", integer=True, nonnegative=True)

gamma_u = _symbol("gamma_u", "inner step size of the shared block", r"\gamma_u", positive=True)
gamma_v = _symbol("gamma_v", "inner step size of the personal block", r"\gamma_v", positive=True)
eta_u = _symbol("eta_u", "outer step size of the shared block", r"\eta_u", positive=True)
eta_v = _symbol("eta_v", "outer step size of the personal block", r"\eta_v", positive=True)
gamma = _symbol(
    "gamma", "effective step size gamma_u eta_u = gamma_v eta_v", r"\gamma", positive=True
)

L = _symbol(Constant.SMOOTHNESS, "largest block smoothness", "L", positive=True)
variance_u = _symbol(
    Constant.VARIANCE_U, "variance of the shared gradient", r"\sigma_u^2", nonnegative=True
)
variance_v = _symbol(
    Constant.VARIANCE_V, "variance of the personal gradient", r"\sigma_v^2", nonnegative=True
)
b2 = _symbol(Constant.DISSIMILARITY, "gradient dissimilarity", "b^2", nonnegative=True)
F_0 = _symbol(Constant.INITIAL_GAP, "f(u^0, v^0) - inf f", "F_0", positive=True)
B_0 = _symbol(
    Constant.INITIAL_GRADIENTS,
    "sum of squared client gradients at the start",
    r"\mathcal B^0",
    nonnegative=True,
)

G_0 = _symbol(
    Constant.INITIAL_GRADIENT,
    "||grad_u f(u^0, v^0)||^2",
    r"\|\nabla_u f(u^0,\mathbf v^0)\|^2",
    nonnegative=True,
)

f = _quantity(Quantity.GAP, "expected objective above its infimum", "f")
G_u = _quantity(Quantity.GRADIENT_U, "E ||grad_u f||^2", r"\mathcal G_u")
G_v = _quantity(Quantity.GRADIENT_V, "client mean of E ||grad_v f_i||^2", r"\mathcal G_{\mathbf v}")
T_1u = _quantity(Quantity.T_1U, "shared first-order term of the descent", "T_{1,u}")
T_1v = _quantity(Quantity.T_1V, "personal first-order term of the descent", r"T_{1,\mathbf v}")
T_2u = _quantity(Quantity.T_2U, "shared second-order term", "T_{2,u}")
T_2v = _quantity(Quantity.T_2V, "personal second-order term", r"T_{2,\mathbf v}")
T_3u = _quantity(Quantity.T_3U, "spread of the clients' shared updates", "T_{3,u}")
E = _quantity(
    Quantity.DRIFT, "drift of the local iterates, summed over clients and steps", r"\mathcal E"
)
B = _quantity(Quantity.GRADIENTS, "sum over clients of E ||grad_u f_i||^2", r"\mathcal B")
S_2 = _quantity(
    Quantity.SAMPLE_MEAN,
    "E ||(1/m) sum of participants' vectors||^2",
    r"\mathbb E\|\tfrac1m\textstyle\sum_i 1_{i\in\mathcal S}X_i\|^2",
)
X_2 = _quantity(Quantity.POPULATION_MEAN, "E ||mean vector||^2", r"\mathbb E\|\bar X\|^2")
D_2 = _quantity(
    Quantity.SPREAD, "sum_i E ||X_i - mean||^2", r"\textstyle\sum_i\mathbb E\|X_i-\bar X\|^2"
)


class RunOperator(sp.Function):  # type: ignore[misc]
    """A reduction over the rounds of a run; never evaluated by SymPy."""

    nargs = 1


class Mean_t(RunOperator):
    """(1/T) sum over t = 0, ..., T - 1."""


class Sum_t(RunOperator):
    """Sum over t = 0, ..., T - 1."""


class Max_t(RunOperator):
    """Largest over t = 0, ..., T - 1."""


def quantities_in(expression: sp.Expr) -> frozenset[str]:
    """Names of the measured quantities an expression uses."""
    return frozenset(atom.func.__name__ for atom in expression.atoms(sp.core.function.AppliedUndef))


def constants_in(expression: sp.Expr) -> frozenset[str]:
    """Names of the constants and parameters an expression uses; the round t is not one."""
    return frozenset(symbol.name for symbol in expression.free_symbols if symbol != t)
