"""Definitions of a view as the Python of a script, each line after what it needs.

A vector stands for its array in the round that is looked at: an axis of what went before, one of
every draw and index, and the last one of coordinates. A quantity is a list over rounds.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import reduce
from operator import mul
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.printing.precedence import PRECEDENCE

from fedbounds.errors import FedboundsError
from fedbounds.theory.checker.names import identifier
from fedbounds.theory.language.setups import (
    Largest,
    Least,
    MeanOfLargest,
    Says,
    Shown,
    Where,
    above,
    dot,
)
from fedbounds.theory.language.symbols import RunOperator, VectorSymbol, k, t
from fedbounds.theory.proof.vectors import ip, sq

from ..measure.balls import Ball
from .script_asserts import broken
from .script_lines_of import COUNTS, IDENTIFIERS, WIDTH, Script, wrapped

_ROOTS = (sp.S.Half, -sp.S.Half)
_POINTS = "map(look, range(len(rounds)))"  # those that tell what is of degree two
_EXTREMES = {Largest: "largest", Least: "least", MeanOfLargest: "mean_of_largest"}
# names that a script has itself; another of that name gets an underscore
TAKEN = frozenset(
    {"Q", "np", "prod", "product", "isqrt", "lcm", "exact", "Count", "Random", "Shown", "outcomes"}
    | {"joint", "look", "given", "dot", "ip", "sq", "largest", "least", "only", "root", "mean"}
    | {"q", "p", "t", "n", "d", "T", "H", "h", "problem", "rounds", "state", "weights", "left"}
    | {"right", "positive", "plus", "sign", "alone", "above", "root_of", "noises", "own_noises"}
    | {"probe", "axes", "indices", "whole", "diagonal", "indicator"}
    | {"roots", "most", "mean_of_largest", "threshold", "ridge", "rank_of", "against", "log", "end"}
)
HELPERS = {
    "largest": (
        "largest = lambda f: max(x for t in map(look, range(T)) for a in f() for x in a.flat)",
    ),
    "least": (
        "least = lambda f: min(x for t in map(look, range(T)) for a in f() for x in a.flat)",
    ),
    "only": (
        "def only(top, bottom, also):  # top / bottom where the last is positive",
        "    rows = zip(*(a.flat for a in np.broadcast_arrays(top, bottom, also)))",
        "    return np.array([a / b for a, b, c in rows if c > 0], dtype=object)",
    ),
    "root": (
        "def root(x):  # of a square of a rational number",
        "    found = Q(isqrt(Q(x).numerator), isqrt(Q(x).denominator))",
        "    return found if found**2 == x else float(x) ** 0.5",
    ),
    "root_of": (
        "def root_of(power, x):  # exact where it is a rational number",
        "    ends = (Q(x).numerator, Q(x).denominator)",
        "    found = Q(*(round(end ** (1 / power)) for end in ends))",
        "    return found if found**power == x else float(x) ** (1 / power)",
    ),
    "above": (
        "def above(x):  # the root; where it is not rational, one above by 2^-60 of it",
        "    x = Q(x)",
        "    number, scale = x.numerator * x.denominator, 0",
        "    if isqrt(number) ** 2 != number:",
        "        scale = max(0, 60 - number.bit_length() // 2)",
        "    top = isqrt(number << 2 * scale)",
        "    return Q(top + (top**2 != number << 2 * scale), x.denominator << scale)",
    ),
    "roots": (
        "def roots(x):  # of every entry",
        "    return np.vectorize(root, otypes=[object])(x)",
    ),
    "most": (
        "def most(x, index):  # the largest over an index of the mean over all else",
        "    return max(given(x, index).flat)",
    ),
    "mean_of_largest": (
        "def mean_of_largest(f, index):  # over an index, of the largest of each of its values",
        "    axis, found = [*weights].index(index), []",
        "    for x in (f() for t in map(look, range(T))):",
        "        found.append(x.max(axis=tuple(a for a in range(x.ndim) if a != axis)))",
        "    return (np.stack(np.broadcast_arrays(*found)).max(axis=0) * weights[index]).sum()",
    ),
    "mean": ('mean = lambda x: (x * weights["past"]).sum()  # of a number of every state',),
    "alone": (
        "def alone(f, **own):  # of one value of indices",
        "    before = dict(weights)",
        "    for x in own.keys() & weights.keys():",
        "        weights[x] = exact([int(j == own[x]) for j in range(len(weights[x]))])",
        "    try:",
        "        return f()",
        "    finally:",
        "        weights.update(before)",
    ),
    "indicator": (
        "indicator = np.vectorize(lambda x: Q(int(x > 0)), otypes=[object])  # of every outcome",
    ),
    "sign": ("sign = lambda x: (x > 0) - (x < 0)",),
    "log": (
        "def log(x):  # a number below and one above it: x = 2^k y, and log y = 2 artanh z",
        "    def of(y):",
        "        z = (y - 1) / (y + 1)",
        "        found = 2 * sum(z**j / j for j in range(1, 40, 2))",
        "        return found, found + 2 * z**41 / (41 * (1 - z**2))",
        "    y, k = Q(x), 0",
        "    while y >= 2: y, k = y / 2, k + 1",
        "    while y < 1: y, k = 2 * y, k - 1",
        "    return [k * of(Q(2))[end if k > 0 else 1 - end] + of(y)[end] for end in (0, 1)]",
    ),
}


def named(name: str, vectors: Mapping[str, Any]) -> str:
    """A constant's name in a script."""
    typed = IDENTIFIERS.get(name) or identifier(name)
    return f"{typed}_" if typed in {*TAKEN, *vectors} and name not in COUNTS else typed


def vector_named(name: str) -> str:
    """A vector's or a factor's name in a script."""
    return f"{name}_" if name in TAKEN else name


@dataclass
class Definitions:
    """Lines that define what was asked for.

    Attributes
    ----------
    shown : Shown
        What vectors there are.
    constants : mapping from name to definition or number
    quantities : mapping from name to expression
    given : mapping from constant name to Python
        Those that are no definitions.
    measured : mapping from quantity name to Python
        Those that are functions of a round's start.
    ends : function of a quantity's name
        Whether it is measured after the last round too.
    holds : function of a constant's name
        Whether it has a value.
    each : mapping from quantity name to indices
        Those that are one for each client, or for each client and local step.
    steps : function of a quantity's name
        Of how many local steps it is.
    place : (int or None, int or None)
        The client and the local step that are looked at.
    later : tuple of str
        Quantities of the next round.
    followed : bool
        Whether moments are followed: a script looks at points that tell what is of degree two.
    written : list of pairs (line, comment)
    vectors, helpers, numbers : sets of str
        Vectors and factors, helping functions, and numbers that are given, as far as they are used.
    """

    shown: Shown
    constants: Mapping[str, Any]
    quantities: Mapping[str, sp.Expr]
    given: Mapping[str, str]
    ends: Callable[[str], bool]
    holds: Callable[[str], bool]
    each: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    steps: Callable[[str], int] = lambda name: 1
    place: tuple[int | None, int | None] = (None, None)
    later: tuple[str, ...] = ()
    measured: Mapping[str, str] = field(default_factory=dict)
    followed: bool = False
    written: list[tuple[str, str]] = field(default_factory=list)
    vectors: set[str] = field(default_factory=set)
    helpers: set[str] = field(default_factory=set)
    numbers: dict[str, None] = field(default_factory=dict)
    _done: set[str] = field(default_factory=set)
    _extremes: dict[sp.Expr, str] = field(default_factory=dict)
    _at_start: bool = False

    # ---- what is asked for

    def side(self, side: sp.Expr) -> str:
        """Python for a side, whose products are those of the round that is looked at."""
        if any(inside.has(sq, ip, dot) for inside in side.atoms(RunOperator)):
            raise FedboundsError("no script is written for products over all rounds")
        if side.has(sp.log):
            raise FedboundsError("no script is written for sides with logarithms")
        if self.followed and side.has(sq, ip, dot):
            raise FedboundsError("no script of moments is written for products of a round")
        _, step = self.place
        return self._python(self._plain(side if step is None else side.subs(k, step)))

    def held(self, says: Says, name: str = "") -> bool:
        """A line that asserts a statement; ``name`` stands behind it.

        Returns whether there is one: not of a statement whose sides are defined as the same.
        """
        left, right = (self._plain(side) for side in (says.left, says.right))
        logs = left.atoms(sp.log) | right.atoms(sp.log)
        one, other = self._python(left), self._python(right)
        if one == other and "=" in says.relation:
            return False
        relation = f"{one} {says.relation} {other}"
        if left.has(dot) or right.has(dot):
            line = self._everywhere(one, says.relation, other)
            self._at_start = False
        elif any(side.has(t) or side.atoms(AppliedUndef) for side in (left, right)):
            line = f"assert all({relation} for t in range(T))"
        else:
            self._start(left, right)
            line = f"assert {relation}"
            line = line if len(line) <= WIDTH else f"assert ({relation})"
            if logs:
                _check_between(right - left if says.relation[0] == "<" else left - right, logs)
                line = f"assert all({relation} for end in (0, 1))"
        if (line, "") in self.written:
            self.written.remove((line, ""))
        if name or line not in dict(self.written):
            self.written.append((line, name))
        return True

    def _everywhere(self, left: str, relation: str, right: str) -> str:
        """Assert it of all that is visited; of degree two, wherever a run may go."""
        if not self.followed:
            return f"assert all(np.all({left} {relation} {right}) for t in map(look, range(T)))"
        if relation == "==":
            return f"assert all(np.all({left} == {right}) for t in {_POINTS})"
        if relation not in ("<=", ">="):
            raise FedboundsError(f"no script of moments is written for {relation}")
        less, more = (left, right) if relation == "<=" else (right, left)
        return f"assert never_negative([{more} - ({less}) for t in {_POINTS}])"

    def use(self, name: str) -> None:
        """Have a constant that lines of others name."""
        self._constant(name)

    # ---- definitions

    def _constant(self, name: str) -> None:
        if name in self._done or name in ("n", "T"):
            return
        self._done.add(name)
        if name in self.given:
            self.numbers[name] = None
            found = self.constants.get(name)
            if isinstance(found, above):
                self.held(Says(sp.Symbol(name) ** 2, ">=", found.args[0]))
            return
        if name not in self.constants:
            raise FedboundsError(f"no number for {name}")
        found = self.constants[name]
        if isinstance(found, Ball):
            raise FedboundsError(f"no script is written where {name} is known to within a ball")
        typed = named(name, self.shown.vectors)
        value = self._plain(found.value if isinstance(found, Where) else found, typed)
        if isinstance(value, sp.Symbol) and value.name == typed:
            pass  # an extreme of that name
        else:
            python = self._python(value)
            self._start(value)
            self._write(wrapped(typed, python).replace("\n    ", " "))
        for says in found.holds if isinstance(found, Where) else ():
            self.held(says)

    def _quantity(self, name: str) -> None:
        if name in self._done:
            return
        self._done.add(name)
        if name not in {**self.measured, **self.quantities}:
            raise FedboundsError(f"no definition of {name}")
        later = name in self.later
        every = "range(T + 1)" if self.ends(name) and not later else "range(T)"
        if name in self.measured:
            self.helpers.add("mean")
            self._at_start = False
            self._write(f'q["{name}"] = [mean({self.measured[name]}) for t in map(look, {every})]')
            return
        expression = self._plain(self.quantities[name])
        python = self._python(expression)
        if self.followed:
            if later or not expression.has(sq, ip, dot):
                raise FedboundsError(f"no script of moments is written for {name}")
            self._at_start = False
            self._write(
                f'q["{name}"] = over_rounds([{self._at_place(name, python)} for t in {_POINTS}])'
            )
            return
        if expression.has(sq, ip, dot):
            self._at_start = False
            every = f"map(look, {every})"
        found = f"[{self._at_place(name, python)} for t in {every}]"
        self._write(f'q["{name}"] = {f"[None, *{found}]" if later else found}')

    def _at_place(self, name: str, python: str) -> str:
        """Of the client that is looked at; of each of its local steps, where it has them."""
        indices = self.each.get(name, ())
        if not indices:
            return python
        self.helpers.add("alone")
        client = f"{indices[0]}={self.place[0] or 0}"
        if len(indices) == 1:
            return f"alone(lambda: {python}, {client})"
        every = f"for step in range({self.steps(name)})"
        return f"[alone(lambda: {python}, {client}, {indices[1]}=step) {every}]"

    @property
    def end(self) -> bool:
        """Whether something is measured after the last round."""
        return any("range(T + 1)" in line for line, _ in self.written)

    @property
    def lines(self) -> list[str]:
        """All that was written, within the width."""
        return [part for line, name in self.written for part in _lines(line, name)]

    def _plain(self, expression: sp.Expr, name: str = "") -> sp.Expr:
        """In shown vectors, with a name for every extreme; ``name``: of one that is all of it."""
        expression = self._meant(sp.sympify(expression, strict=True))
        while inner := sorted(
            (
                node
                for node in expression.atoms(*_EXTREMES)
                if not any(argument.has(*_EXTREMES) for argument in node.args)
            ),
            key=str,
        ):
            names = {node: sp.Symbol(self._extreme(node, name if node == expression else ""))
                     for node in inner}  # fmt: skip
            expression = expression.xreplace(names)
        return expression

    def _meant(self, expression: sp.Expr) -> sp.Expr:
        """Vectors that stand for others replaced by what they stand for."""
        shown, meanings = self.shown.vectors, self.shown.derived
        while found := {
            symbol: meanings[symbol.name]
            for symbol in expression.free_symbols
            if symbol.name in meanings and symbol.name not in shown
        }:
            expression = expression.xreplace(found)
        factors = self.shown.factors
        return expression.replace(
            lambda node: isinstance(node, sp.Function) and node.func.__name__ in factors,
            lambda node: VectorSymbol(node.func.__name__, "") * node.args[0],
        )

    def _extreme(self, node: sp.Expr, name: str) -> str:
        """The name of an extreme, that of a constant that is one, where there is one."""
        if node not in self._extremes:
            same = [] if name else [x for x in self.constants if self._is(x, node)]
            if same and same[0] not in self._done:
                self._constant(same[0])
            else:
                self._write_extreme(node, name or f"extreme_{len(self._extremes) + 1}")
        return self._extremes[node]

    def _is(self, name: str, node: sp.Expr) -> bool:
        """Whether a constant is this extreme, and has a value."""
        found = self.constants[name]
        value = found.value if isinstance(found, Where) else found
        same = isinstance(value, sp.Expr) and self._meant(value) == node
        return same and self.holds(name)

    def _write_extreme(self, node: sp.Expr, name: str) -> None:
        if self.followed:
            raise FedboundsError(f"no script of moments is written for {node}")
        helper = _EXTREMES[type(node)]
        self.helpers.add(helper)
        if isinstance(node, MeanOfLargest):
            inside, index = self._visited(node.args[0]), node.args[1].name
            self._write(f'{name} = {helper}(lambda: {inside}, "{index}")')
        else:
            every = ", ".join(map(self._visited, node.args))
            self._write(f"{name} = {helper}(lambda: [{every}])")
        self._extremes[node], self._at_start = name, False

    def _visited(self, argument: sp.Expr) -> str:
        if not isinstance(argument, sp.Tuple):
            return self._python(argument, inside=True)
        value, positive = argument
        self.helpers.add("only")
        parts = ", ".join(self._python(x, inside=True) for x in (*sp.fraction(value), positive))
        return f"only({parts})"

    # ---- Python

    def _python(self, expression: sp.Expr, inside: bool = False) -> str:
        """Python for an expression, or one ``inside`` of which are vectors; names come before."""
        printer = _Printer(self.shown, inside)
        text = str(printer.doprint(expression))
        extremes = set(self._extremes.values())
        self.vectors |= printer.vectors
        self.helpers |= printer.helpers
        for name in printer.quantities:
            self._quantity(name)
        for name in printer.constants:
            if name not in extremes:
                self._constant(name)
        return text

    def _start(self, *sides: sp.Expr) -> None:
        """Look at round 0 where numbers are products of it."""
        if not self._at_start and any(side.has(sq, ip, dot) for side in sides):
            self._write("look(0)")
            self._at_start = True

    def _write(self, line: str) -> None:
        self.written.append((line, ""))


def _check_between(slack: sp.Expr, logs: set[sp.Expr]) -> None:
    """Raise unless what is not negative at both ends of a logarithm is so between them.

    It is where the slack is concave there, or never falls, or never rises.
    """
    inside, share = sp.Dummy(real=True), sp.Dummy(nonnegative=True)
    rises = sp.diff(slack.xreplace(dict.fromkeys(logs, inside)), inside)
    one_way = rises.replace(sp.Heaviside, lambda *_: share)  # of the largest of some: 0 to 1
    shown = (
        one_way.is_nonnegative or one_way.is_nonpositive or sp.diff(rises, inside).is_nonpositive
    )
    if len(logs) > 1 or not shown:
        raise FedboundsError("no script is written for logarithms that bend upwards")


def _lines(line: str, name: str) -> list[str]:
    """A line within the width; a comment stands behind it, or before where there is no room."""
    if not name:
        return broken(line)
    one = f"{line}  # {name}"
    return [one] if len(one) <= WIDTH else [f"# {name}", *broken(line)]


class _Printer(Script):
    """Python for definitions; remembers what they name."""

    def __init__(self, shown: Shown, inside: bool) -> None:
        super().__init__({"fully_qualified_modules": False})
        self.shown, self.inside = shown, int(inside)
        self.vectors: set[str] = set()
        self.helpers: set[str] = set()
        self.constants: dict[str, None] = {}
        self.quantities: dict[str, None] = {}

    def _print_Symbol(self, expr: sp.Symbol) -> str:
        if self.inside and expr.name in self.shown.vectors:
            return self._vector(expr.name)
        if expr == t:
            return "t"
        self.constants[expr.name] = None
        if expr.name in COUNTS:
            return f"Q({expr.name})"
        return named(expr.name, self.shown.vectors)

    def _print_VectorSymbol(self, expr: VectorSymbol) -> str:
        if expr.name not in {**self.shown.vectors, **self.shown.factors}:
            raise FedboundsError(f"no script for the vector {expr}, which nothing shows")
        return self._vector(expr.name)

    def _vector(self, name: str) -> str:
        self.vectors.add(name)
        return vector_named(name)

    def _print_AppliedUndef(self, expr: Any) -> str:
        self.quantities[expr.func.__name__] = None
        steps = "".join(f"[{step}]" for step in expr.args[1:])
        return f"{super()._print_AppliedUndef(expr)}{steps}"

    def _called(self, name: str, expr: sp.Expr) -> str:
        self.inside += 1
        try:
            return f"{name}({', '.join(self._print(argument) for argument in expr.args)})"
        finally:
            self.inside -= 1

    def _print_sq(self, expr: sp.Expr) -> str:
        return self._called("sq", expr)

    def _print_ip(self, expr: sp.Expr) -> str:
        return self._called("ip", expr)

    def _print_dot(self, expr: sp.Expr) -> str:
        return self._called("dot", expr)

    def _print_given(self, expr: sp.Expr) -> str:
        kept = "".join(f', "{source.name}"' for source in expr.args[1:])
        self.inside += 1
        try:
            text = f"given({self._print(expr.args[0])}{kept})"
        finally:
            self.inside -= 1
        return text if self.inside else f"{text}.item()"

    def _print_most(self, expr: sp.Expr) -> str:
        self.helpers.add("most")
        self.inside += 1
        try:
            return f'most({self._print(expr.args[0])}, "{expr.args[1].name}")'
        finally:
            self.inside -= 1

    def _rooted(self, expr: sp.Expr) -> str:
        self.helpers |= {"root", "roots"} if self.inside else {"root"}
        return f"{'roots' if self.inside else 'root'}({self._print(expr)})"

    def _print_above(self, expr: sp.Expr) -> str:
        self.helpers.add("above")
        return f"above({self._print(expr.args[0])})"

    def _print_positive(self, expr: sp.Expr) -> str:
        self.helpers.add("indicator")
        return self._called("indicator", expr)

    def _print_log(self, expr: sp.Expr) -> str:
        """One end of what is known of it; see `Definitions.held`."""
        self.helpers.add("log")
        return f"log({self._print(expr.args[0])})[end]"

    def _print_sign(self, expr: sp.Expr) -> str:
        self.helpers.add("sign")
        return f"sign({self._print(expr.args[0])})"

    def _print_Mul(self, expr: sp.Expr) -> str:
        """All square roots of a product are one: its square may be one of a rational number."""
        roots = [a for a in expr.args if isinstance(a, sp.Pow) and a.exp in _ROOTS]
        if not roots:
            return str(super()._print_Mul(expr))
        under = reduce(mul, (a.base if a.exp > 0 else 1 / a.base for a in roots))
        others = [self.parenthesize(a, PRECEDENCE["Mul"]) for a in expr.args if a not in roots]
        return "*".join([*others, self._rooted(under)])

    def _print_Pow(self, expr: sp.Expr, **settings: Any) -> str:
        if expr.exp in _ROOTS:
            root = self._rooted(expr.base)
            return root if expr.exp > 0 else f"1/{root}"
        if expr.exp.is_Rational and not expr.exp.is_Integer:
            self.helpers.add("root_of")
            inside = self._print(expr.base ** abs(expr.exp.p))
            found = f"root_of({expr.exp.q}, {inside})"
            return found if expr.exp > 0 else f"1/{found}"
        return str(super()._print_Pow(expr, **settings))
