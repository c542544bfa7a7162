"""Expressions of certificates, which are text, as LaTeX: multipliers, vectors, facts, conditions.

They are read with `ast` and never evaluated, as written: a certificate has thousands of them, for
which SymPy would be slow, and a result folder may be a stranger's.
"""

import ast
from collections.abc import Sequence
from functools import cache

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
    "Sum_i": r"\sum_i",
    "Sum_ik": r"\sum_{i,k}",
}
Piece = tuple[str, int]


class _UnknownError(Exception):
    """The text is no expression of a certificate."""


@cache
def latex_of(text: str) -> str | None:
    """LaTeX in the paper's notation; None for what is no expression.

    Examples
    --------
    >>> latex_of("((-4*K*L**2) / (1*n))"), latex_of("K_ + 2"), latex_of("2 squared")
    ('-\\\\frac{4 K L^{2}}{n}', 'K^{\\\\prime} + 2', None)
    """
    try:
        return _piece(tree(text))[0]
    except (FedboundsError, _UnknownError, RecursionError):
        return None


def _piece(node: ast.expr) -> Piece:
    match node:
        case ast.Constant(value=int() | float() as value):
            return str(value), _ATOM
        case ast.Name(id=name):
            return _name(name), _ATOM
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return f"-{_at_least(inner, _PRODUCT)}", _SUM
        case ast.BinOp(op=ast.Add() | ast.Sub()):
            return _sum(node), _SUM
        case ast.BinOp(op=ast.Mult() | ast.Div()):
            return _product(node)
        case ast.BinOp(left=base, op=ast.Pow(), right=exponent):
            return _power(base, exponent), _POWER
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
            return _call(name, arguments)
        case ast.Compare(left=left, ops=[sign], comparators=[right]) if type(sign) in _SIGNS:
            return f"{_piece(left)[0]} {_SIGNS[type(sign)]} {_piece(right)[0]}", _SUM
    raise _UnknownError(ast.dump(node))


def _at_least(node: ast.expr, binding: int) -> str:
    """In parentheses unless it binds as tightly."""
    latex, own = _piece(node)
    return latex if own >= binding else rf"\left({latex}\right)"


def _sum(node: ast.BinOp) -> str:
    left, right = _piece(node.left)[0], _piece(node.right)[0]
    if isinstance(node.op, ast.Sub):
        return f"{left} - {_at_least(node.right, _PRODUCT)}"
    return f"{left} - {right[1:]}" if right.startswith("-") else f"{left} + {right}"


def _product(node: ast.expr) -> Piece:
    """A product or quotient, its sign in front and without factors 1."""
    above, below, negative = _factors(node)
    sign = "-" if negative else ""
    if below:
        up, down = (_multiplied(factors, alone=True) for factors in (above, below))
        return rf"{sign}\frac{{{up}}}{{{down}}}", _SUM if negative else _PRODUCT
    if len(above) == 1 and not negative:
        return _piece(above[0])
    return sign + _multiplied(above), _SUM if negative else _PRODUCT


def _factors(node: ast.expr) -> tuple[list[ast.expr], list[ast.expr], bool]:
    """Factors above and below the line, and whether their number of signs is odd."""
    match node:
        case ast.BinOp(left=left, op=ast.Mult() | ast.Div() as operator, right=right):
            above, below, negative = _factors(left)
            more, fewer, other = _factors(right)
            if isinstance(operator, ast.Div):
                more, fewer = fewer, more
            return above + more, below + fewer, negative != other
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            above, below, negative = _factors(inner)
            return above, below, not negative
        case ast.Constant(value=1):
            return [], [], False
    return [node], [], False


def _multiplied(factors: Sequence[ast.expr], *, alone: bool = False) -> str:
    """The factors; a sum without another one needs no parentheses above or below a line."""
    if not factors:
        return "1"
    if len(factors) == 1:
        return _at_least(factors[0], _SUM if alone else _PRODUCT)
    text = ""
    for factor in factors:
        piece = _at_least(factor, _PRODUCT)
        text += rf" \cdot {piece}" if text and piece[0].isdigit() else f" {piece}"
    return text.strip()


def _power(base: ast.expr, exponent: ast.expr) -> str:
    match exponent:
        case ast.BinOp(left=ast.Constant(1), op=ast.Div(), right=ast.Constant(2)):
            return rf"\sqrt{{{_piece(base)[0]}}}"
    latex = _at_least(base, _ATOM)
    raised = f"{{{latex}}}" if "^" in latex else latex
    return f"{raised}^{{{_piece(exponent)[0]}}}"


def _call(name: str, arguments: Sequence[ast.expr]) -> Piece:
    if name in _quantities():
        return _quantity(name, arguments), _POWER
    inner = [_piece(argument)[0] for argument in arguments]
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


def _quantity(name: str, arguments: Sequence[ast.expr]) -> str:
    import sympy as sp

    from fedbounds.theory.symbols import MEANING
    from fedbounds.verify.formula import to_latex

    if name not in MEANING or not arguments:
        raise _UnknownError(name)
    at = [read_text(ast.unparse(argument), sp.Symbol, {}) for argument in arguments]
    return to_latex(sp.Function(name)(*at))


def _quantities() -> frozenset[str]:
    from fedbounds.vocabulary import Quantity

    return frozenset(quantity.value for quantity in Quantity)


def _name(name: str) -> str:
    """A symbol or vector; a slack variable, which ends in an underscore, with a prime."""
    from fedbounds.theory.symbols import MEANING, VECTORS

    known = name.replace("_sq", "^2")  # as the checker calls a squared constant
    if known in MEANING:
        return MEANING[known].latex
    if name in VECTORS:
        return VECTORS[name]
    if name.endswith("_"):
        return rf"{_name(name[:-1])}^{{\prime}}"
    return name if len(name) == 1 else rf"\mathrm{{{name}}}"
