"""Text of the checker as SymPy expressions: read node by node, never evaluated.

SymPy's own reader evaluates what it reads. Text that comes from a file is data: it becomes an
expression here or nowhere. The work is bounded: length, arguments and powers are.
"""

import ast
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import sympy as sp

from fedbounds.errors import FedboundsError

# names, numbers and signs; a letter after a digit would be read with a warning
# (nothing is tried twice: + and * with a + are possessive)
_NUMBER = r"\d++(?:\.\d++)?+(?:[eE][-+]?\d++)?+(?!\w)"
_TEXT = re.compile(rf"(?:[A-Za-z_]\w*+|{_NUMBER}|[-+*/(),<>= ])*+", re.ASCII)
_MOST = 20_000  # characters
_LARGEST = 2_000  # characters of what SymPy computes with
_POWER = 64  # the product of exponents that stand above each other
_ARGUMENTS = 20  # of Max and Min, which compare each with each

Functions = Mapping[str, Callable[..., sp.Expr]]
OF_NUMBERS: Functions = MappingProxyType({"sqrt": sp.sqrt, "Max": sp.Max, "Min": sp.Min})


def tree(text: str) -> ast.expr:
    """The syntax tree of an expression.

    Raises
    ------
    FedboundsError
        If it is none, has a character that no expression of the checker has, or is too long.
    """
    if len(text) > _MOST:
        raise FedboundsError(f"an expression has {len(text)} characters; at most {_MOST} are read")
    if not _TEXT.fullmatch(text):
        raise FedboundsError(f"{text[:60]!r} is no expression: expected names, numbers, + - * / ()")
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise FedboundsError(f"{text[:60]!r} is no expression") from error


def read_text(text: str, symbol: Callable[[str], sp.Expr], functions: Functions) -> sp.Expr:
    """An expression of sums, products, powers and known functions.

    Parameters
    ----------
    text : str
    symbol : function of a name
        What the name is, such as `sympy.Symbol`.
    functions : mapping from name to function
        Those that may be called.

    Raises
    ------
    FedboundsError
        If it is none, calls anything else, or would be too much work.

    Examples
    --------
    >>> read_text("sqrt(4*x) - y**2/3", sp.Symbol, {"sqrt": sp.sqrt})
    2*sqrt(x) - y**2/3
    """
    if len(text) > _LARGEST:
        raise FedboundsError(f"an expression has {len(text)} characters; expected {_LARGEST}")
    try:
        return _Reader(text, symbol, functions).read(tree(text), 1)
    except (RecursionError, ValueError, TypeError) as error:  # SymPy compares no complex numbers
        raise FedboundsError(f"{text[:60]!r} is no expression: {error}") from error


@dataclass(frozen=True)
class _Reader:
    text: str
    symbol: Callable[[str], sp.Expr]
    functions: Functions

    def read(self, node: ast.expr, raised: int) -> sp.Expr:
        """Its value, where it is raised to powers whose product is ``raised``."""
        match node:
            case ast.Constant(value=int() as value) if not isinstance(value, bool):
                return sp.Integer(value)
            case ast.Name(id=name):
                return self.symbol(name)
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                return -self.read(inner, raised)
            case ast.BinOp(left=base, op=ast.Pow(), right=exponent):
                return self._power(base, exponent, raised)
            case ast.BinOp(left=left, op=op, right=right):
                return self._binary(self.read(left, raised), op, self.read(right, raised))
            case ast.Call(func=ast.Name(id=name), args=[_, *_] as inside, keywords=[]):
                if name in self.functions and len(inside) <= _ARGUMENTS:
                    return self.functions[name](*(self.read(one, raised) for one in inside))
        raise self._bad(f"{ast.unparse(node)[:60]!r} is not part of one")

    def _bad(self, why: str) -> FedboundsError:
        return FedboundsError(f"in the expression {self.text[:60]!r}: {why}")

    def _power(self, base: ast.expr, exponent: ast.expr, raised: int) -> sp.Expr:
        above = self.read(exponent, raised)
        if above.is_Rational:
            raised *= max(1, int(sp.ceiling(abs(above))))
            if raised > _POWER or above.q > _POWER:
                raise self._bad(f"the power {above} is too high")
        below = self.read(base, raised)
        if below == 0 and not above.is_nonnegative:
            raise self._bad("a division by zero")
        return below**above

    def _binary(self, left: sp.Expr, op: ast.operator, right: sp.Expr) -> sp.Expr:
        match op:
            case ast.Add():
                return left + right
            case ast.Sub():
                return left - right
            case ast.Mult():
                return left * right
            case ast.Div() if right != 0:
                return left / right
        raise self._bad(f"{type(op).__name__} is not part of one, nor is a division by zero")
