"""Formulas as a user types them: short strings over declared names, read and never evaluated.

Such as ``"D_W(t + 1) <= (1 - eta*mu)*D_W(t) + eta**2*sigma2/m"``. Python's own parser gives the
tree; only sums, products, whole or rational powers, ``sqrt``, ``min``, ``max``, the run operators
``Mean_t``, ``Sum_t``, ``Max_t``, declared constants and declared quantities of a round may occur.
"""

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sympy as sp

from fedbounds.errors import FedboundsError, unknown_name

from .claims import Condition
from .symbols import (
    CONSTANTS,
    MEANING,
    SHARED,
    Max_t,
    Mean_t,
    RunOperator,
    Sum_t,
    T,
    quantities_in,
    t,
)

_RELATIONS: dict[type[ast.cmpop], str] = {ast.LtE: "<=", ast.GtE: ">=", ast.Eq: "=="}
_OPERATORS = {"Mean_t": Mean_t, "Sum_t": Sum_t, "Max_t": Max_t}
_FUNCTIONS = {"sqrt": sp.sqrt, "min": sp.Min, "max": sp.Max, "Min": sp.Min, "Max": sp.Max}
_MOST = 2000  # characters
_LEAST = 1e-300


def identifier(name: str) -> str:
    """A symbol's name as it is typed: sigma_u^2 is sigma_u2."""
    return name.replace("^", "")


@dataclass(frozen=True)
class Names:
    """What formulas may speak of.

    Attributes
    ----------
    constants : mapping from typed name to symbol
    quantities : mapping from typed name to function of the round
    """

    constants: Mapping[str, sp.Symbol]
    quantities: Mapping[str, Any]

    @property
    def every(self) -> set[str]:
        """All names that may be typed."""
        return {*self.constants, *self.quantities, *_OPERATORS, *_FUNCTIONS, "t", "T"}


def shared_names() -> Names:
    """The symbols that every paper may use."""
    constants = {identifier(x): CONSTANTS[x] for x in SHARED if x in CONSTANTS}
    quantities = {x: sp.Function(x, real=True) for x in SHARED - CONSTANTS.keys() if x in MEANING}
    return Names(constants, quantities)


def as_text(formula: Any) -> str:
    """A formula as text: itself, or a SymPy relation in the vocabulary's symbols as it is typed.

    Raises
    ------
    FedboundsError
        If it is neither; ``a == b`` of SymPy is no relation, ``Eq(a, b)`` is.

    Examples
    --------
    >>> from fedbounds.theory.symbols import D_W, eta, sigma2, t
    >>> as_text(D_W(t + 1) <= D_W(t) + eta * sigma2)
    'D_W(t + 1) <= eta*sigma2 + D_W(t)'
    """
    if isinstance(formula, str):
        return formula
    if not isinstance(formula, sp.core.relational.Relational):
        raise FedboundsError(
            f"formula {formula!r}; expected text such as 'left <= right', or a SymPy relation "
            "(for an identity Eq(left, right))"
        )
    renamed = {x: sp.Symbol(identifier(x.name)) for x in formula.free_symbols}
    sides = (str(side.xreplace(renamed)) for side in (formula.lhs, formula.rhs))
    return f" {formula.rel_op} ".join(sides)


def expression(text: str, names: Names) -> sp.Expr:
    """One side of a formula.

    Raises
    ------
    FedboundsError
        If it is no formula, or has a name that is not declared; the nearest ones are told.
    """
    return _Reader(text, names).read(_tree(text))


def relation(text: str, names: Names) -> Condition:
    """A formula with one relation, ``<=``, ``>=`` or ``==``.

    Raises
    ------
    FedboundsError
        As `expression`; and if there is no relation, or more than one.
    """
    tree = _tree(text)
    if not isinstance(tree, ast.Compare) or len(tree.ops) != 1:
        raise FedboundsError(f"{text!r} has no single relation; expected left <= right, >= or ==")
    sign = _RELATIONS.get(type(tree.ops[0]))
    if sign is None:
        raise FedboundsError(f"{text!r} has a relation that is not judged; expected <=, >= or ==")
    reader = _Reader(text, names)
    return Condition(reader.read(tree.left), sign, reader.read(tree.comparators[0]))


def _tree(text: str) -> ast.expr:
    if len(text) > _MOST:
        raise FedboundsError(f"a formula has {len(text)} characters; at most {_MOST} are read")
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        why = error.msg if isinstance(error, SyntaxError) else "too deep"
        raise FedboundsError(f"formula {text!r} cannot be read: {why}") from error


def _is_whole(exponent: sp.Expr) -> bool:
    """Whether it is a polynomial in t and T with whole coefficients."""
    if quantities_in(exponent) or exponent.has(RunOperator):
        return False
    if not exponent.free_symbols <= {t, T} or not exponent.is_polynomial(t, T):
        return False
    return all(c.is_Integer for c in sp.Poly(exponent, t, T).coeffs())


@dataclass(frozen=True)
class _Reader:
    """Walks one formula; ``text`` is for the messages."""

    text: str
    names: Names

    def read(self, node: ast.expr) -> sp.Expr:
        match node:
            case ast.Constant(value=bool() | str() | bytes() | None | complex()):
                raise self._bad(f"{node.value!r} is no number")
            case ast.Constant():
                return self._number(node)
            case ast.Name(id=name):
                return self._name(name)
            case ast.UnaryOp(op=ast.USub(), operand=inside):
                return -self.read(inside)
            case ast.UnaryOp(op=ast.UAdd(), operand=inside):
                return self.read(inside)
            case ast.BinOp(op=ast.Pow(), left=base, right=power):
                return self._power(base, power)
            case ast.BinOp(op=ast.BitXor()):
                raise self._bad("write x**2 for a power, not x^2")
            case ast.BinOp(left=left, op=op, right=right):
                return self._binary(self.read(left), op, self.read(right))
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
                return self._call(name, arguments)
        raise self._bad(f"{ast.unparse(node)!r} is not part of a formula")

    def _bad(self, why: str) -> FedboundsError:
        return FedboundsError(f"in {self.text!r}: {why}")

    def _number(self, node: ast.Constant) -> sp.Rational:
        """The decimal as it is written, never rounded."""
        written = ast.get_source_segment(self.text.strip(), node) or ""
        try:
            size = abs(float(written))
            if size and not _LEAST < size < 1 / _LEAST:
                raise ValueError
            found = sp.Rational(written)
        except (TypeError, ValueError) as error:
            raise self._bad(f"{written} is not a decimal number of moderate size") from error
        if (found == 0) != (node.value == 0):
            raise self._bad(f"{written} is not a decimal number of moderate size")
        return found

    def _name(self, name: str) -> sp.Expr:
        if name == "t":
            return t
        if name == "T":
            return T
        if name in self.names.constants:
            return self.names.constants[name]
        if name in self.names.quantities:
            raise self._bad(
                f"{name} is measured per round; write {name}(t), {name}(0) or {name}(T)"
            )
        raise self._unknown(name)

    def _unknown(self, name: str) -> FedboundsError:
        return self._bad(str(unknown_name("name", name, self.names.every)))

    def _power(self, base: ast.expr, power: ast.expr) -> sp.Expr:
        exponent = self.read(power)
        if not (exponent.is_Rational or _is_whole(exponent)):
            raise self._bad(f"the power {exponent} is neither a number nor whole in t and T")
        if exponent.is_Rational and abs(exponent) > 64:
            raise self._bad(f"the power {exponent} is above 64")
        return self.read(base) ** exponent

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
            case ast.Div():
                raise self._bad("a division by zero")
        raise self._bad(f"the operator {type(op).__name__} is not part of a formula")

    def _call(self, name: str, arguments: list[ast.expr]) -> sp.Expr:
        if name not in self.names.every:
            raise self._unknown(name)
        inside = [self.read(argument) for argument in arguments]
        if name in _FUNCTIONS:
            if not inside or (name == "sqrt" and len(inside) != 1):
                raise self._bad(f"{name} has {len(inside)} arguments")
            return _FUNCTIONS[name](*inside)
        if len(inside) != 1:
            raise self._bad(f"{name} has {len(inside)} arguments; expected one")
        if name in _OPERATORS:
            return _OPERATORS[name](inside[0])
        if name not in self.names.quantities:
            raise self._bad(f"{name} is a constant; it has no argument")
        at = inside[0]
        if not (at == T or at.is_Integer or (at - t).is_Integer):
            raise self._bad(f"{name} at {at}; expected a round: t, t + 1, 0 or T")
        return self.names.quantities[name](at)
