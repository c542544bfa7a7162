"""A claim's expression in the paper's notation."""

from typing import Any

import sympy as sp
from sympy.printing.latex import LatexPrinter

from fedbounds.theory.symbols import MEANING


class _Latex(LatexPrinter):  # type: ignore[misc]
    def _print_Symbol(self, expr: sp.Symbol, style: str = "plain") -> str:
        known = MEANING.get(expr.name)
        return known.latex if known else str(super()._print_Symbol(expr, style))

    def _print_AppliedUndef(self, expr: Any, exp: str | None = None) -> str:
        base = MEANING[expr.func.__name__].latex
        if not base.endswith("^2"):  # of one draw, where a round would be a second power
            base += f"^{{({self._print(expr.args[0])})}}"
        return base if exp is None else f"\\left({base}\\right)^{{{exp}}}"

    def _as_ordered_terms(self, expr: Any, order: Any = None) -> list[Any]:
        """A positive term before a negative one."""
        terms = super()._as_ordered_terms(expr, order)
        return sorted(terms, key=lambda term: bool(term.could_extract_minus_sign()))

    def _print_run(self, expr: Any, operator: str) -> str:
        return f"{operator}\\left[{self._print(expr.args[0])}\\right]"

    def _print_Mean_t(self, expr: Any) -> str:
        return self._print_run(expr, r"\frac1T\sum_{t=0}^{T-1}")

    def _print_Sum_t(self, expr: Any) -> str:
        return self._print_run(expr, r"\sum_{t=0}^{T-1}")

    def _print_Max_t(self, expr: Any) -> str:
        return self._print_run(expr, r"\max_{0\le t<T}")


def ordered_terms(expression: sp.Expr) -> list[sp.Expr]:
    """The terms of a sum in printing order, positive ones first."""
    return list(_Latex()._as_ordered_terms(expression))


def to_latex(expression: sp.Expr) -> str:
    """LaTeX in the paper's symbols; a quantity of round t carries (t) above."""
    return str(_Latex().doprint(expression))
