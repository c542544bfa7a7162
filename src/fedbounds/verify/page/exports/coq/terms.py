"""Expressions of statements as terms of Coq, word by word."""

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

from fedbounds.theory.checker.data import Theory
from fedbounds.theory.checker.keys import affine_of
from fedbounds.theory.checker.text import parsed

from .errors import Withheld
from .scopes import inlined, mask, of_scope, space_of

# Names that a term or a script uses; a symbol of that name gets an apostrophe.
_TAKEN = frozenset(
    {
        *("R", "Rmax", "Rmin", "sqrt", "ln", "pw", "sum", "count", "whole", "INR", "IZR", "nat"),
        *("Prop", "Type", "Set", "S", "O", "forall", "exists", "fun", "let", "in", "if", "then"),
        *("else", "at", "as", "end", "match", "with", "return", "fix", "cofix", "mod", "by"),
        *("using", "where", "True", "False", "not", "up", "above", "below", "scaled", "named"),
        *("tangent", "same", "pos", "lra", "ring", "field", "ip", "mean", "vec", "space", "law"),
        *("vzero", "vadd", "vscale", "all", "over", "point", "put", "kept", "sources"),
    }
)
_VECTORS = ("sq", "ip", "given", "present", "dot")
_EXTREMES = {"Max": "Rmax", "Min": "Rmin", "max": "Rmax", "min": "Rmin"}


def identifier(name: str) -> str:
    """A symbol, quantity or slack as Coq names it."""
    return f"{name}'" if name in _TAKEN or name.rstrip("_") in _TAKEN else name


def parameter(theory: Theory, name: str) -> str:
    """A parameter; what each round has its own of is that of the round t."""
    own = identifier(name)
    return f"({own} t)" if theory.symbols[name] == "varying" else own


@dataclass(frozen=True)
class Terms:
    """How expressions are written.

    Attributes
    ----------
    theory : Theory
    index : dict from t or k to the expression that replaces it
    scope : str
        Whose vectors, none of them derived, may be named; empty for none.
    """

    theory: Theory
    index: Mapping[str, ast.expr] = field(default_factory=dict)
    scope: str = ""

    def at(self, index: Mapping[str, str]) -> "Terms":
        """The same at other rounds or steps."""
        return replace(self, index={name: parsed(_spelled(text)) for name, text in index.items()})

    def text(self, expression: str) -> str:
        """An expression as a term."""
        return self.term(parsed(self.atomic(expression)))

    def term(self, node: ast.expr) -> str:
        """A syntax tree as a term: in parentheses, unless it is a name or a number."""
        match node:
            case ast.Constant(value=value):
                return str(value)
            case ast.Name(id=name) if name in self.index:
                return replace(self, index={}).term(self.index[name])
            case ast.Name(id=name):
                return self._name(name)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return f"(- {self.term(operand)})"
            case ast.BinOp(left=left, op=ast.Pow(), right=right):
                return self._power(left, right)
            case ast.BinOp(left=left, op=op, right=right):
                return f"({self.term(left)} {_OPERATORS[type(op)]} {self.term(right)})"
            case ast.Call(func=ast.Name(id=name), args=arguments):
                return self._call(name, arguments)
        raise Withheld(f"no term for {type(node).__name__}")

    def _name(self, name: str) -> str:
        if name in self.theory.symbols:
            return parameter(self.theory, name)
        if self.scope and name in {row[0] for row in self.theory.scopes[self.scope].values}:
            return of_scope(self.theory, self.scope, name)
        raise Withheld(f"no term for {name}")

    def _product(self, name: str, arguments: list[ast.expr]) -> str:
        """An inner product of vectors, which are not derived."""
        if name not in ("sq", "ip") or not self.scope:
            raise Withheld("the mean of a norm")
        left, right = self.vector(arguments[0]), self.vector(arguments[-1])
        return f"(ip {space_of(self.theory, self.scope)} {left} {right})"

    def vector(self, node: ast.expr) -> str:
        """An expression in vectors."""
        scope = self.theory.scopes[self.scope]
        match node:
            case ast.Constant(value=0):
                return "vzero"
            case ast.Name(id=name) if name in dict(scope.atoms):
                return of_scope(self.theory, self.scope, name)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return f"(vscale (- 1) {self.vector(operand)})"
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return f"(vadd {self.vector(left)} {self.vector(right)})"
            case ast.BinOp(left=left, op=ast.Sub(), right=right):
                return f"(vadd {self.vector(left)} (vscale (- 1) {self.vector(right)}))"
            case ast.BinOp(left=left, op=ast.Mult(), right=right):
                if not _names_one(left, dict(scope.atoms)):
                    left, right = right, left
                return f"(vscale {self.term(right)} {self.vector(left)})"
            case ast.BinOp(left=left, op=ast.Div(), right=right):
                return f"(vscale (/ {self.term(right)}) {self.vector(left)})"
            case ast.Call(func=ast.Name(id="given"), args=[inner, *sources]):
                kept = mask(scope, {ast.unparse(one) for one in sources})
                return f"(mean {space_of(self.theory, self.scope)} {kept} {self.vector(inner)})"
            case ast.Call(func=ast.Name(id="present")):
                raise Withheld("participants drawn without replacement")
        raise Withheld(f"no vector {ast.unparse(node)}")

    def _power(self, left: ast.expr, right: ast.expr) -> str:
        exponent, base = constant(right), self.term(left)
        if exponent is None or exponent.denominator != 1:
            return f"(pw {base} {self.term(right)})"
        if exponent >= 0:
            return f"({base} ^ {exponent})"
        return f"(/ ({base} ^ {-exponent}))"

    def _call(self, name: str, arguments: list[ast.expr]) -> str:
        match name, arguments:
            case (("sqrt" | "log"), [inner]):
                return f"({'ln' if name == 'log' else name} {self.term(inner)})"
            case _, [first, *rest] if name in _EXTREMES:
                if not rest:
                    return self.term(first)
                return f"({_EXTREMES[name]} {self.term(first)} {self._call(name, rest)})"
            case "Sum_t", [inner]:
                return f"(sum T (fun t => {self._binding('t').term(inner)}))"
            case "Mean_t", [inner]:
                return f"({self._call('Sum_t', [inner])} / T)"
            case "Sum_i", [inner]:
                return f"(sum n (fun i => {self.term(inner)}))"
            case "Sum_ik", [inner]:
                return f"(sum n (fun i => sum K (fun k => {self._binding('k').term(inner)})))"
            case "Sum", [ast.BinOp(left=base), ast.Tuple(elts=[ast.Name(id=r), _, last])]:
                if r in self.theory.symbols:
                    raise Withheld("a sum whose index is a symbol")
                count = f"({self.term(last)} + 1)"
                return f"(sum {count} (fun {r}_ => pw {self.term(base)} {r}_))"
        if name in _VECTORS:
            return self._product(name, arguments)
        if self.theory.symbols.get(name) != "varying" and name not in self.theory.quantities:
            raise Withheld(f"no term for {name}")
        client = ["i"] if name in self.theory.per_client | self.theory.per_step else []
        return f"({' '.join([identifier(name), *client, *map(self.term, arguments)])})"

    def _binding(self, bound: str) -> "Terms":
        return replace(self, index={n: a for n, a in self.index.items() if n != bound})

    def atomic(self, expression: str) -> str:
        """An expression in which vectors that are derived give place to what they are."""
        return inlined(self.theory, self.scope, expression)


_OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}


def _names_one(node: ast.expr, atoms: Mapping[str, object]) -> bool:
    return any(isinstance(one, ast.Name) and one.id in atoms for one in ast.walk(node))


def constant(node: ast.expr) -> Fraction | None:
    """The value of an expression without names; None of any other."""
    match node:
        case ast.Constant(value=int() as value):
            return Fraction(value)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            inner = constant(operand)
            return None if inner is None else -inner
        case ast.BinOp(left=left, op=op, right=right):
            a, b = constant(left), constant(right)
            if a is None or b is None:
                return None
            match op:
                case ast.Add():
                    return a + b
                case ast.Sub():
                    return a - b
                case ast.Mult():
                    return a * b
                case ast.Div() if b:
                    return a / b
    return None


def _spelled(affine: str) -> str:
    """A round as an expression: 2*T - 1 for 2T-1."""
    found = affine_of(affine)
    named = [(name, factor) for name, factor in sorted(found.items()) if name]
    text = ""
    for name, factor in named:
        sign = "-" if factor < 0 else "+"
        one = name if abs(factor) == 1 else f"{abs(factor)}*{name}"
        text = f"{text} {sign} {one}" if text else f"{'-' if factor < 0 else ''}{one}"
    number = found.get("", 0)
    if not text:
        return str(number)
    return text if not number else f"{text} {'-' if number < 0 else '+'} {abs(number)}"
