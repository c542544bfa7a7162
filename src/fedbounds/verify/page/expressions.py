"""Expressions of certificates, which are text, as LaTeX: multipliers, vectors, facts, conditions.

They are read with `ast` and never evaluated, as written: a certificate has thousands of them, for
which SymPy would be slow, and a result folder may be a stranger's.
"""

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fedbounds.theory.language.glossary import Glossary

from fedbounds.errors import FedboundsError
from fedbounds.theory.proof.read_text import read_text, tree

_SUM, _PRODUCT, _POWER, _ATOM = range(4)  # how tightly a piece binds
_SIGNS = {
    ast.LtE: r"\le",
    ast.GtE: r"\ge",
    ast.Eq: "=",
}
_RUN = {
    "Sum_t": r"\sum_t",
    "Mean_t": r"\frac1T\sum_t",
    "Max_t": r"\max_t",
    "Min_t": r"\min_t",
    "Sum_i": r"\sum_i",
    "Sum_ik": r"\sum_{i,k}",
}
Piece = tuple[str, int]


class _UnknownError(Exception):
    """The text is no expression of a certificate."""


def latex_of(text: str, paper: str) -> str | None:
    """LaTeX in the paper's notation; None for what is no expression.

    Examples
    --------
    >>> [latex_of(x, "fedplt") for x in ("((-4*K*L**2) / (1*n))", "K_ + 2", "2 squared")]
    ['-\\\\frac{4 K L^{2}}{n}', 'K^{\\\\prime} + 2', None]
    """
    from fedbounds.theory.proof.library import names_of

    return _written(text, names_of(paper))


@cache
def _written(text: str, names: "Glossary") -> str | None:
    try:
        return _Writer(names, names.notation)._piece(tree(text))[0]
    except (FedboundsError, _UnknownError, RecursionError):
        return None


@dataclass(frozen=True)
class _Writer:
    """Writes one expression in the notation of a theory."""

    names: "Glossary"
    notation: dict[str, str]

    def _piece(self, node: ast.expr) -> Piece:
        match node:
            case ast.Constant(value=int() | float() as value):
                return str(value), _ATOM
            case ast.Name(id=name):
                return self._name(name), _ATOM
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                return f"-{self._at_least(inner, _PRODUCT)}", _SUM
            case ast.BinOp(op=ast.Add() | ast.Sub()):
                return self._sum(node), _SUM
            case ast.BinOp(op=ast.Mult() | ast.Div()):
                return self._product(node)
            case ast.BinOp(left=base, op=ast.Pow(), right=exponent):
                return self._power(base, exponent), _POWER
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
                return self._call(name, arguments)
            case ast.Compare(left=left, ops=[sign], comparators=[right]) if type(sign) in _SIGNS:
                return f"{self._piece(left)[0]} {_SIGNS[type(sign)]} {self._piece(right)[0]}", _SUM
        raise _UnknownError(ast.dump(node))

    def _at_least(self, node: ast.expr, binding: int) -> str:
        """In parentheses unless it binds as tightly."""
        latex, own = self._piece(node)
        return latex if own >= binding else rf"\left({latex}\right)"

    def _sum(self, node: ast.BinOp) -> str:
        left, right = self._piece(node.left)[0], self._piece(node.right)[0]
        if isinstance(node.op, ast.Sub):
            return f"{left} - {self._at_least(node.right, _PRODUCT)}"
        return f"{left} - {right[1:]}" if right.startswith("-") else f"{left} + {right}"

    def _product(self, node: ast.expr) -> Piece:
        """A product or quotient, its sign in front and without factors 1."""
        above, below, negative = self._factors(node)
        sign = "-" if negative else ""
        if below:
            up, down = (self._multiplied(factors, alone=True) for factors in (above, below))
            return rf"{sign}\frac{{{up}}}{{{down}}}", _SUM if negative else _PRODUCT
        if len(above) == 1 and not negative:
            return self._piece(above[0])
        return sign + self._multiplied(above), _SUM if negative else _PRODUCT

    def _factors(self, node: ast.expr) -> tuple[list[ast.expr], list[ast.expr], bool]:
        """Factors above and below the line, and whether their number of signs is odd."""
        match node:
            case ast.BinOp(left=left, op=ast.Mult() | ast.Div() as operator, right=right):
                above, below, negative = self._factors(left)
                more, fewer, other = self._factors(right)
                if isinstance(operator, ast.Div):
                    more, fewer = fewer, more
                return above + more, below + fewer, negative != other
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                above, below, negative = self._factors(inner)
                return above, below, not negative
            case ast.Constant(value=1):
                return [], [], False
        return [node], [], False

    def _multiplied(self, factors: Sequence[ast.expr], *, alone: bool = False) -> str:
        """The factors; a sum without another one needs no parentheses above or below a line."""
        if not factors:
            return "1"
        if len(factors) == 1:
            return self._at_least(factors[0], _SUM if alone else _PRODUCT)
        text = ""
        for factor in factors:
            piece = self._at_least(factor, _PRODUCT)
            text += rf" \cdot {piece}" if text and piece[0].isdigit() else f" {piece}"
        return text.strip()

    def _power(self, base: ast.expr, exponent: ast.expr) -> str:
        match exponent:
            case ast.BinOp(left=ast.Constant(1), op=ast.Div(), right=ast.Constant(2)):
                return rf"\sqrt{{{self._piece(base)[0]}}}"
        latex = self._at_least(base, _ATOM)
        raised = f"{{{latex}}}" if "^" in latex else latex
        return f"{raised}^{{{self._piece(exponent)[0]}}}"

    def _call(self, name: str, arguments: Sequence[ast.expr]) -> Piece:
        if name in self.names.quantities:
            return self._quantity(name, arguments), _POWER
        inner = [self._piece(argument)[0] for argument in arguments]
        match name, inner:
            case "sq", [x]:
                return rf"\mathbb E\|{x}\|^2", _PRODUCT
            case "ip", [x, y]:
                return rf"\mathbb E\langle {x},{y}\rangle", _PRODUCT
            case "given", [x, *sources]:
                return rf"\mathbb E[{x}\mid {','.join(sources)}]", _POWER
            case "present", [x]:
                return rf"1_{{i\in\mathcal S}}({x})", _PRODUCT
            case "sqrt", [x]:
                return rf"\sqrt{{{x}}}", _ATOM
            case (("Max" | "Min"), [*_]):
                return rf"\{name.lower()}({', '.join(inner)})", _POWER
            case _, [x] if name in _RUN:
                return rf"{_RUN[name]}\left[{x}\right]", _PRODUCT
        return rf"\mathrm{{{name}}}({', '.join(inner)})", _POWER

    def _quantity(self, name: str, arguments: Sequence[ast.expr]) -> str:
        import sympy as sp

        from fedbounds.theory.language.formula import to_latex

        if not arguments:
            raise _UnknownError(name)
        at = [read_text(ast.unparse(argument), sp.Symbol, {}) for argument in arguments]
        return to_latex(sp.Function(name)(*at), self.names)

    def _name(self, name: str) -> str:
        """A symbol or vector; a slack variable, which ends in an underscore, with a prime."""
        if name in self.notation:
            return self.notation[name]
        if name.endswith("_"):
            return rf"{self._name(name[:-1])}^{{\prime}}"
        return name if len(name) == 1 else rf"\mathrm{{{name}}}"
