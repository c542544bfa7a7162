"""Formulas as a user types them: short strings over declared names, read and never evaluated.

Such as ``"D_W(t + 1) <= (1 - eta*mu)*D_W(t) + eta**2*sigma2/m"``. Python's own parser gives the
tree; only sums, products, whole or rational powers, ``sqrt``, ``min``, ``max``, the run operators
``Mean_t``, ``Sum_t``, ``Max_t``, ``Min_t``, ``Prod_to``, ``Min_to``, declared constants and
declared quantities of a round may occur.
"""

import ast
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import sympy as sp

from fedbounds.errors import FedboundsError, unknown_name

from ..checker.names import identifier
from .claims import Condition
from .glossary import Glossary
from .symbols import Max_t, Mean_t, Min_t, Min_to, Prod_to, RunOperator, Sum_t, T, quantities_in, t

_RELATIONS: dict[type[ast.cmpop], str] = {
    ast.LtE: "<=",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.Lt: "<",
    ast.Gt: ">",
}
_OPERATORS = {
    "Mean_t": Mean_t,
    "Sum_t": Sum_t,
    "Max_t": Max_t,
    "Min_t": Min_t,
    "Prod_to": Prod_to,
    "Min_to": Min_to,
}
_FUNCTIONS = {"sqrt": sp.sqrt, "min": sp.Min, "max": sp.Max, "Min": sp.Min, "Max": sp.Max}
_AS_CHECKED = {"min": "Min", "max": "Max"}
_MOST = 2000  # characters
_LEAST = 1e-300
_HIGHEST = 64  # power, also of a power; and number in an exponent that names rounds
_BITS = 10_000  # of a number
_ALIKE = 16  # arguments of one Min or Max: SymPy compares each with each
_OF_ROUNDS = 2  # degree of an exponent in t and T


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


@dataclass(frozen=True)
class Typed:
    """A formula with one relation, as it was typed and as it is judged.

    Attributes
    ----------
    left, relation, right : SymPy expressions and a sign
    left_text, right_text : str
        The same for the checker, nothing cancelled.
    divisors : tuple of expressions
        Where one is zero, the formula says nothing.
    """

    left: sp.Expr
    relation: str
    right: sp.Expr
    left_text: str
    right_text: str
    divisors: tuple[sp.Expr, ...]


def names_of(glossary: Glossary) -> Names:
    """The names of a theory as they are typed."""
    constants = {identifier(x): symbol for x, symbol in glossary.constants.items()}
    return Names(constants, {x: sp.Function(x, real=True) for x in sorted(glossary.quantities)})


def as_text(formula: Any) -> str:
    """A formula as text: itself, or a SymPy relation in the vocabulary's symbols as it is typed.

    Raises
    ------
    FedboundsError
        If it is neither; ``a == b`` of SymPy is no relation, ``Eq(a, b)`` is.

    Examples
    --------
    >>> from fedbounds.theory.language.symbols import D_W, eta, sigma2, t
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
    with _deep(text):
        return _Reader(text, names).read(_tree(text))


def relation(text: str, names: Names) -> Typed:
    """A formula with one relation: ``<=``, ``>=``, ``==``, ``<`` or ``>``.

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
        raise FedboundsError(
            f"{text!r} has a relation that is not judged; expected <=, >=, ==, < or >"
        )
    reader = _Reader(text, names)
    left, right = tree.left, tree.comparators[0]
    with _deep(text):
        return Typed(
            reader.read(left),
            sign,
            reader.read(right),
            reader.checked(left),
            reader.checked(right),
            tuple(reader.divisors(tree)),
        )


@contextmanager
def _deep(text: str) -> Iterator[None]:
    try:
        yield
    except RecursionError as error:
        raise FedboundsError(f"formula {text!r:.200} cannot be read: too deep") from error


def condition_of(typed: Typed) -> Condition:
    """A formula as a condition."""
    return Condition(typed.left, typed.relation, typed.right)


def _tree(text: str) -> ast.expr:
    if len(text) > _MOST:
        raise FedboundsError(f"a formula has {len(text)} characters; at most {_MOST} are read")
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        why = error.msg if isinstance(error, SyntaxError) else "too deep"
        raise FedboundsError(f"formula {text!r} cannot be read: {why}") from error


def _is_whole(exponent: sp.Expr) -> bool:
    """Whether it is a polynomial in t, T and other whole numbers, with whole coefficients."""
    if quantities_in(exponent) or exponent.has(RunOperator):
        return False
    names = _wholes(exponent)
    if not all(x.is_integer for x in names) or not exponent.is_polynomial(*names):
        return False
    if _degree(exponent) > _HIGHEST:  # before it is multiplied out
        return False
    return all(c.is_Integer for c in sp.Poly(exponent, *names).coeffs())


def _wholes(exponent: sp.Expr) -> list[sp.Symbol]:
    return sorted({t, T} | exponent.free_symbols, key=str)


def _is_chain(first: ast.operator, then: ast.operator) -> bool:
    """Whether a + b - c, or a*b/c: read from the left without brackets, of which few may nest."""
    alike = ((ast.Add, ast.Sub), (ast.Mult, ast.Div))
    return any(isinstance(first, pair) and isinstance(then, pair) for pair in alike)


def _degree(polynomial: sp.Expr) -> int:
    """At least the degree of a polynomial in t and T, as it stands."""
    if isinstance(polynomial, sp.Add):
        return max(map(_degree, polynomial.args))
    if isinstance(polynomial, sp.Mul):
        return sum(map(_degree, polynomial.args))
    if isinstance(polynomial, sp.Pow):
        return int(polynomial.exp) * _degree(polynomial.base)
    return int(bool(polynomial.free_symbols))


@dataclass(frozen=True)
class _Reader:
    """Walks one formula; ``text`` is for the messages. Each node is read once."""

    text: str
    names: Names
    _known: dict[ast.expr, sp.Expr] = field(default_factory=dict)

    def read(self, node: ast.expr) -> sp.Expr:
        if node not in self._known:
            found = self._read(node)
            if any(max(abs(x.p), x.q).bit_length() > _BITS for x in found.atoms(sp.Rational)):
                raise self._bad(f"a number of more than {_BITS} bits")
            self._known[node] = found
        return self._known[node]

    def _read(self, node: ast.expr) -> sp.Expr:
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

    def checked(self, node: ast.expr) -> str:
        """What was read as the checker's text: nothing is cancelled, and decimals are fractions."""
        match node:
            case ast.Constant():
                number = self._number(node)
                return f"({number.p}/{number.q})" if number.q != 1 else str(number.p)
            case ast.Name(id=name):
                return name
            case ast.UnaryOp(op=ast.USub(), operand=inside):
                return f"-({self.checked(inside)})"
            case ast.UnaryOp(operand=inside):
                return self.checked(inside)
            case ast.BinOp(left=left, op=op, right=right):
                sign = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}.get(type(op), "**")
                first = self.checked(left)
                if not (isinstance(left, ast.BinOp) and _is_chain(left.op, op)):
                    first = f"({first})"
                return f"{first}{sign}({self.checked(right)})"
            case ast.Call(func=ast.Name(id=name), args=arguments) if name in self.names.quantities:
                return f"{name}({', '.join(ast.unparse(argument) for argument in arguments)})"
            case ast.Call(func=ast.Name(id=name), args=arguments):
                listed = ", ".join(self.checked(argument) for argument in arguments)
                return f"{_AS_CHECKED.get(name, name)}({listed})"
        raise self._bad(f"{ast.unparse(node)!r} is not part of a formula")

    def divisors(self, tree: ast.expr) -> Iterator[sp.Expr]:
        """What is divided by and may be zero; below a power that may be negative too."""
        for node in ast.walk(tree):
            if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Div | ast.Pow):
                continue
            below = self.read(node.right if isinstance(node.op, ast.Div) else node.left)
            power = sp.S.NegativeOne if isinstance(node.op, ast.Div) else self.read(node.right)
            if not power.is_nonnegative and not below.is_positive:
                yield below

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
            raise self._bad(
                f"the power {exponent} is neither a number nor whole in t, T and counts"
            )
        if exponent.is_Rational and abs(exponent) * self._height(base) > _HIGHEST:
            raise self._bad(
                f"the power {exponent} is above {_HIGHEST}, that of its base counted in"
            )
        if not exponent.is_Rational:
            rounds = sp.Poly(exponent, *_wholes(exponent))
            small = all(abs(c) <= _HIGHEST for c in rounds.coeffs())
            if not small or rounds.total_degree() > _OF_ROUNDS or self._height(base) > _HIGHEST:
                raise self._bad(
                    f"the power {exponent} has a number above {_HIGHEST}, or a degree above "
                    f"{_OF_ROUNDS}"
                )
        return self._real(self.read(base) ** exponent, f"{ast.unparse(base)} to {exponent}")

    def _height(self, node: ast.expr) -> sp.Rational:
        """The largest product of powers that stand on each other, at least 1."""
        inside = [x for x in ast.iter_child_nodes(node) if isinstance(x, ast.expr)]
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            power = self.read(node.right)
            below, above = map(self._height, inside)
            own = abs(power) if power.is_Rational else sp.S.One
            return max(below, above, own * below)
        return max(map(self._height, inside), default=sp.S.One)

    def _real(self, found: sp.Expr, what: str) -> sp.Expr:
        """The same; what is no real number whatever the symbols are is refused."""
        if found.is_real is False or found.has(sp.zoo, sp.nan, sp.oo, -sp.oo, sp.I):
            raise self._bad(f"{what} is no real number")
        return found

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
            kind = sp.Max if name in ("max", "Max") else sp.Min
            if sum(len(x.args) if isinstance(x, kind) else 1 for x in inside) > _ALIKE:
                raise self._bad(f"{name} of more than {_ALIKE} arguments")
            if not inside or (name == "sqrt" and len(inside) != 1):
                raise self._bad(f"{name} has {len(inside)} arguments")
            return self._real(_FUNCTIONS[name](*inside), f"{name} of {inside[0]}")
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
