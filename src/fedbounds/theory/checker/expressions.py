"""Text to values: arithmetic, quantities, inner products of vectors, powers, geometric sums."""

import ast
from dataclasses import dataclass, field, replace

from flint import fmpq

from .data import Scope, Theory
from .errors import Refused
from .keys import Affine, applied, over_clients, over_rounds
from .ratios import Ratio, Ring
from .text import parsed
from .values import Value
from .vectors import Space, Vector, norm_key

ROUND = "t"
_FURTHEST = 10**4  # round or step
_VARYING = "varying"
_WHOLE = ("integer", "index", _VARYING)  # signs of the symbols that stand for integers


class NewVariable(Exception):
    """A power or a root that the ring has no variable for yet."""

    def __init__(self, name: str, positive: bool) -> None:
        super().__init__(name)
        self.name = name
        self.positive = positive


@dataclass(frozen=True, eq=False)
class Reader:
    """How names are read in one branch of a chart.

    Attributes
    ----------
    ring : Ring
    parameters : dict from name to Ratio
    theory : Theory
    scope : Scope or None
    space : Space or None
    index : dict from index variable to affine expression
        Where statements about t or k are used.
    slacks : bool
        Whether the variables of the chart may be named.
    open_extremes : bool
        Whether a maximum of what does not compare is a number of which the sign is known.
    """

    ring: Ring
    parameters: dict[str, Ratio]
    theory: Theory
    scope: Scope | None = None
    space: Space | None = None
    index: dict[str, Affine] = field(default_factory=dict)
    slacks: bool = True
    open_extremes: bool = False

    def stating(self, vectors: bool) -> "Reader":
        """For a statement, which means the same under every chart: it names no slack."""
        if vectors:
            return replace(self, slacks=False)
        return replace(self, slacks=False, scope=None, space=None)

    def read(self, text: str) -> Value:
        """The value of an expression."""
        return self._value(parsed(text))

    def ratio(self, text: str) -> Ratio:
        """The value of an expression without quantities."""
        return self.read(text).plain()

    def vector(self, text: str) -> Vector:
        """The value of an expression in vectors."""
        return self._vector(parsed(text))

    def square(self, text: str) -> Value:
        """The mean squared norm of an expression in vectors."""
        vector = self.vector(text)
        return self._product(vector, vector)

    def refuse_sum(self) -> None:
        """Raise where t is positive: in a sum over all rounds it begins at 0."""
        if ROUND in self.ring.positive:
            raise Refused("a sum over rounds from 0 on, in what is said of rounds from 1 on")

    def _number(self, value: object) -> Value:
        return Value.of(self.ring.number(value))

    def _value(self, node: ast.expr) -> Value:
        match node:
            case ast.Constant(value=int() as value) if not isinstance(value, bool):
                return self._number(value)
            case ast.Name(id=name):
                return self._name(name)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self._value(operand)
            case ast.BinOp(left=left, op=ast.Pow(), right=right):
                return self._power(left, right)
            case ast.BinOp(left=left, op=op, right=right):
                return self._arithmetic(op, self._value(left), self._value(right))
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
                return self._call(name, arguments)
        raise Refused(f"cannot read {ast.unparse(node)!r}")

    def _arithmetic(self, op: ast.operator, left: Value, right: Value) -> Value:
        match op:
            case ast.Add():
                return left + right
            case ast.Sub():
                return left - right
            case ast.Mult():
                return left * right
            case ast.Div():
                return left / right
        raise Refused(f"unknown operation {type(op).__name__}")

    def _name(self, name: str) -> Value:
        if name in self.index:
            return self._index_value(self.index[name])
        if name in self.parameters:
            return Value.of(self.parameters[name])
        if name in self.ring.names and (self.slacks or name in self.theory.symbols):
            return Value.of(self.ring.variable(name))
        if self.scope is not None and any(name == row[0] for row in self.scope.values):
            return Value.quantity(self.ring, f"value {name}")
        raise Refused(f"undeclared symbol {name!r}")

    def _of_round(self, name: str, arguments: list[ast.expr]) -> Value:
        """What varies, in round t: in another it is another number."""
        if [self._affine(argument) for argument in arguments] != [{"t": 1}]:
            shown = ", ".join(map(ast.unparse, arguments))
            raise Refused(f"{name}({shown}), where only that of the round t is known")
        return Value.of(self._plain_symbol(name))

    def _index_value(self, affine: Affine) -> Value:
        total = self._number(affine.get("", 0))
        for name, factor in affine.items():
            if name:
                total = total + self._number(factor) * Value.of(self._plain_symbol(name))
        return total

    def _plain_symbol(self, name: str) -> Ratio:
        return self.parameters[name] if name in self.parameters else self.ring.variable(name)

    def _affine(self, node: ast.expr) -> Affine:
        """An argument of a quantity: an integer combination of t, k, T and 1."""
        match node:
            case ast.Constant(value=int() as value) if value < _FURTHEST:
                return {"": value}
            case ast.Name(id=name) if self.theory.symbols.get(name, _VARYING) != _VARYING:
                return dict(self.index.get(name, {name: 1}))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return {n: -c for n, c in self._affine(operand).items()}
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=right):
                found, sign = self._affine(left), 1 if isinstance(op, ast.Add) else -1
                for name, factor in self._affine(right).items():
                    found[name] = found.get(name, 0) + sign * factor
                return {n: c for n, c in found.items() if c}
        raise Refused(f"{ast.unparse(node)!r} is no round or step")

    def _call(self, name: str, arguments: list[ast.expr]) -> Value:
        match name, arguments:
            case "sqrt", [inner]:
                return Value.of(self._root(self._value(inner).plain()))
            case "Max" | "Min", [_, _, *_]:
                return self._extreme(name, [self._value(a).plain() for a in arguments])
            case "sq", [inner]:
                vector = self._vector(inner)
                return self._product(vector, vector)
            case "ip", [left, right]:
                return self._product(self._vector(left), self._vector(right))
            case "given", [ast.Call(func=ast.Name(id="sqrt"), args=[ast.Call() as inside])]:
                return self._norm(inside)
            case "Sum_t", [inner]:
                return self._sum_t(inner)
            case "Mean_t", [inner]:
                return self._sum_t(inner) / self._name("T")
            case "Sum_i", [inner]:
                return self._sum_i(self._value(inner), None)
            case "Sum_ik", [inner]:
                return self._sum_i(self._binding("k")._value(inner), self._name("K"))
            case "Sum", _:
                return self._geometric(arguments)
        if self.theory.symbols.get(name) == _VARYING:
            return self._of_round(name, arguments)
        if name in ("Max_t", "Min_t"):
            raise Refused(f"proofs do not know {name}, but for a Min_t that is all of a left side")
        if name not in self.theory.quantities:
            raise Refused(f"undeclared quantity {name!r}")
        return Value.quantity(self.ring, applied(name, [self._affine(a) for a in arguments]))

    def _sum_t(self, node: ast.expr) -> Value:
        self.refuse_sum()
        return over_rounds(self._binding("t")._value(node), 0, self._name("T"))

    def _sum_i(self, value: Value, steps: Value | None) -> Value:
        per_client, per_step = self.theory.per_client, self.theory.per_step
        return over_clients(value, per_client, per_step, self._name("n"), steps)

    def _binding(self, bound: str) -> "Reader":
        """Inside a sum over an index, which is read there as itself."""
        return replace(self, index={n: a for n, a in self.index.items() if n != bound})

    def _extreme(self, name: str, ratios: list[Ratio]) -> Value:
        """Of what compares; else a number of which only the sign is known."""
        left: list[Ratio] = []
        for other in ratios:
            if not any(_is_beyond(name, one, other) for one in left):
                left = [one for one in left if not _is_beyond(name, other, one)] + [other]
        if len(left) == 1:
            return Value.of(left[0])
        enough = any if name == "Max" else all
        if not (self.open_extremes and enough(one.nonnegative() for one in left)):
            raise Refused(f"{name}: which is larger does not show; split the chart there")
        shown = ", ".join(sorted(map(str, left)))
        positive = enough(one.positive() for one in left)
        return Value.of(self._variable(f"{name}({shown})", positive, name, *left))

    def _power(self, base: ast.expr, exponent: ast.expr) -> Value:
        ratio, power = self._value(base).plain(), self._value(exponent).plain()
        if power.above.is_constant() and power.below.is_constant():
            return Value.of(ratio.power(_rational(power)))
        whole = _constant_part(power)
        rest = power - self.ring.number(whole)
        positive = ratio.positive()
        if not positive:  # 0**0 is 1; what may be 0 has no other powers than whole ones from 0 on
            counts = whole >= 0 and rest.nonnegative() and self._is_whole(exponent)
            if not (counts and ratio.nonnegative()):
                raise Refused(f"a power of {ratio}, which is not positive")
        power_of_it = self._variable(f"({ratio})**({rest})", positive, "power", ratio, rest)
        return Value.of(power_of_it * ratio.power(fmpq(whole)))

    def _root(self, ratio: Ratio) -> Ratio:
        """The square root; of what is no square it is a number of which only the sign is known."""
        try:
            return ratio.power(fmpq(1, 2))
        except Refused:
            if not ratio.nonnegative():
                raise
        return self._variable(f"sqrt({ratio})", ratio.positive(), "sqrt", ratio)

    def _variable(self, name: str, positive: bool, kind: str, *of: Ratio) -> Ratio:
        if name not in self.ring.names:
            raise NewVariable(name, positive)
        if name in self.ring.positive and not positive:
            raise Refused(f"{name} is positive in one branch only")
        self.ring.notes.opened.setdefault(name, (kind, of))
        return self.ring.variable(name)

    def _geometric(self, arguments: list[ast.expr]) -> Value:
        """Sum of q^r over r from 0 to N: (q^(N + 1) - 1) / (q - 1)."""
        match arguments:
            case [
                ast.BinOp(left=base, op=ast.Pow(), right=ast.Name(id=r)),
                ast.Tuple(elts=[ast.Name(id=s), ast.Constant(value=0), last]),
            ] if r == s and r not in {n.id for n in ast.walk(base) if isinstance(n, ast.Name)}:
                after = ast.BinOp(left=last, op=ast.Add(), right=ast.Constant(value=1))
                one = self._number(1)
                if not self._is_whole(last):
                    raise Refused(f"a sum up to {ast.unparse(last)}, which may be no integer")
                if not self._value(after).plain().nonnegative():
                    raise Refused("a sum that may end before it begins")
                return (self._power(base, after) - one) / (self._value(base) - one)
        raise Refused("only geometric sums from 0 are known")

    def _is_whole(self, node: ast.expr) -> bool:
        """Whether an expression is an integer, by its form: sums and products of integers."""
        match node:
            case ast.Constant(value=int() as value):
                return not isinstance(value, bool)
            case ast.Name(id=name):
                inner = [one for one in self.index.get(name, {name: 1}) if one]
                return all(self.theory.symbols.get(one) in _WHOLE for one in inner)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return self._is_whole(operand)
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult(), right=right):
                return self._is_whole(left) and self._is_whole(right)
        return False

    def _product(self, left: Vector, right: Vector) -> Value:
        if self.space is None:
            raise Refused("vectors where no scope is named")
        found = self.space.product(left, right)
        return Value(self.ring, {key: r for key, r in found.items() if not r.is_zero()})

    def _norm(self, node: ast.Call) -> Value:
        """The mean of a norm, given(sqrt(dot(x, x))): a number of which the sign is known."""
        match node:
            case ast.Call(func=ast.Name(id="dot"), args=[left, right], keywords=[]) if ast.unparse(
                left
            ) == ast.unparse(right):
                return Value.quantity(self.ring, norm_key(self._vector(left)))
        raise Refused(f"{ast.unparse(node)!r} is no square of a norm")

    def _vector(self, node: ast.expr) -> Vector:
        if self.space is None or self.scope is None:
            raise Refused("vectors where no scope is named")
        match node:
            case ast.Constant(value=0):
                return {}
            case ast.Name(id=name):
                derived = dict(self.scope.derived)
                if name in derived:
                    return self.vector(derived[name])
                if name not in self.space.atoms:
                    raise Refused(f"undeclared vector {name!r}")
                return self.space.vector(name, self.ring.number(1))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return _scaled(self._vector(operand), self.ring.number(-1))
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return _sum(self._vector(left), self._vector(right))
            case ast.BinOp(left=left, op=ast.Sub(), right=right):
                return _sum(self._vector(left), _scaled(self._vector(right), self.ring.number(-1)))
            case ast.BinOp(left=left, op=ast.Mult(), right=right):
                if self._is_vector(left):
                    return _scaled(self._vector(left), self._value(right).plain())
                return _scaled(self._vector(right), self._value(left).plain())
            case ast.BinOp(left=left, op=ast.Div(), right=right):
                divisor = self._value(right).plain()
                return _scaled(self._vector(left), self.ring.number(1) / divisor)
            case ast.Call(func=ast.Name(id="given"), args=[inner, *sources], keywords=[]):
                kept = frozenset(ast.unparse(s) for s in sources)
                unknown = kept - set(self.scope.sources)
                if unknown:
                    raise Refused(f"undeclared source {sorted(unknown)}")
                return self.space.given(self._vector(inner), kept)
            case ast.Call(func=ast.Name(id="present"), args=[inner], keywords=[]):
                return self.space.present(self._vector(inner))
        raise Refused(f"{ast.unparse(node)!r} is no vector")

    def _is_vector(self, node: ast.expr) -> bool:
        assert self.space is not None
        assert self.scope is not None
        names = set(self.space.atoms) | {name for name, _ in self.scope.derived}
        return any(isinstance(n, ast.Name) and n.id in names for n in ast.walk(node))


def _sum(left: Vector, right: Vector) -> Vector:
    found = dict(left)
    for term, weight in right.items():
        found[term] = found[term] + weight if term in found else weight
    return found


def _scaled(vector: Vector, factor: Ratio) -> Vector:
    return {term: weight * factor for term, weight in vector.items()}


def _rational(ratio: Ratio) -> fmpq:
    above = ratio.above.coeffs()
    value: fmpq = (above[0] if above else fmpq(0)) / ratio.below.coeffs()[0]
    return value


def _is_beyond(name: str, one: Ratio, other: Ratio) -> bool:
    """Whether the other does not matter beside one, for a maximum or a minimum."""
    return (one - other if name == "Max" else other - one).nonnegative()


def _constant_part(ratio: Ratio) -> int:
    """The integer constant term of a polynomial exponent."""
    if not ratio.below.is_constant():
        raise Refused(f"the exponent {ratio} is no polynomial")
    zero = tuple(0 for _ in ratio.ring.names)
    constant = ratio.above.to_dict().get(zero, fmpq(0)) / ratio.below.coeffs()[0]
    if constant.q != 1:
        raise Refused(f"the exponent {ratio} is no integer")
    return int(constant.p)
