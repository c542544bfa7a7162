"""Parameters in terms of variables of known sign, so that conditions hold by construction.

Every choice of parameters that meets the conditions must lie in some branch: an assignment is
accepted only with a condition that says what it says.
"""

import ast
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cache

from flint import fmpq

from .data import Absent, Assignment, Comparison, Scope, Theory
from .errors import Refused
from .expressions import ROUND, NewVariable, Reader
from .ratios import Ratio, Ring
from .text import parsed, words
from .vectors import Atom, Sampling, Space

_INTEGER, _INDEX, _VARYING = "integer", "index", "varying"
_COUNTS = (_INTEGER, _VARYING)
_RELATIONS = ("<=", ">=", "==")
_DECIDED = {"split": ("above", "below"), "integer": ("equal", "after")}
_MOST_DECIDED = 8
_IN_CONDITIONS = ("sqrt", "log", "Max", "Min")  # log: a condition is cited as it stands


@dataclass(frozen=True)
class Branch:
    """One branch of a chart: how its parameters are read, and its conditions."""

    reader: Reader
    conditions: tuple[Comparison, ...]


@dataclass(frozen=True)
class _Choice:
    """An assignment with the alternatives of `split` and `integer` decided."""

    name: str
    kind: str  # above, below, equal, root, scaled, solve, after (bound + 1 + y)
    bound: str
    of: str
    justified: bool  # by its own alternatives


def branches(
    theory: Theory,
    scope: Scope | None,
    conditions: tuple[Comparison, ...],
    chart: tuple[Assignment, ...],
    powers: dict[str, bool],
    absent: Sequence[Absent] = (),
    first: int = 0,
) -> Iterator[Branch]:
    """The branches of a chart; ``powers`` are further variables of the ring.

    Of a statement about rounds from ``first`` on, t is positive if that is 1.

    A run does not depend on what ``absent`` blocks leave free: such a parameter is what the chart
    says.
    """
    for condition in conditions:
        refuse_foreign(theory, condition)
    for choices in _alternatives(_completed(theory, chart)):
        yield _branch(theory, scope, conditions, choices, powers, absent, first)


def refuse_foreign(theory: Theory, condition: Comparison) -> None:
    """Raise unless a condition compares parameters, the same at every round and step."""
    left, relation, right = condition
    if relation not in _RELATIONS:
        raise Refused(f"unknown relation {relation!r}")
    for side in (left, right):
        for node in ast.walk(parsed(side)):
            if isinstance(node, ast.Call) and ast.unparse(node.func) not in _IN_CONDITIONS:
                raise Refused(f"{side} is no expression in parameters")
            if isinstance(node, ast.Name) and (
                node.id not in _IN_CONDITIONS
                and theory.symbols.get(node.id, _INDEX) in (_INDEX, _VARYING)
            ):
                raise Refused(f"a condition on {node.id}, which is no parameter")


def _completed(theory: Theory, chart: tuple[Assignment, ...]) -> list[Assignment]:
    """Counts that the chart leaves out are at least 1."""
    named = {assignment.name for assignment in chart}
    if len(named) < len(chart):
        raise Refused("a parameter is assigned twice")
    if sum(1 for assignment in chart if assignment.kind in _DECIDED) > _MOST_DECIDED:
        raise Refused(f"a chart of more than 2^{_MOST_DECIDED} branches")
    unknown = named - set(theory.symbols)
    if unknown:
        raise Refused(f"assignment of unknown parameters {sorted(unknown)}")
    if any(theory.symbols[name] == _INDEX for name in named):
        raise Refused("a round or a step is no parameter: it runs over all its values")
    if any(f"{name}_" in theory.symbols for name in theory.symbols):
        raise Refused("a symbol has the name of another one's slack")
    free = [
        Assignment(name, "above", "1")
        for name, sign in theory.symbols.items()
        if sign in _COUNTS and name not in named
    ]
    return [*free, *chart]


def _alternatives(chart: list[Assignment]) -> Iterator[list[_Choice]]:
    if not chart:
        yield []
        return
    first, rest = chart[0], chart[1:]
    kinds = _DECIDED.get(first.kind)
    for tail in list(_alternatives(rest)):
        for kind in kinds or (first.kind,):
            yield [_Choice(first.name, kind, first.bound, first.of, kinds is not None), *tail]


def _branch(
    theory: Theory,
    scope: Scope | None,
    conditions: tuple[Comparison, ...],
    choices: list[_Choice],
    powers: dict[str, bool],
    absent: Sequence[Absent],
    first: int,
) -> Branch:
    ring = _ring(theory, choices, powers, {ROUND} if first == 1 else set())
    known: dict[str, Ratio] = {}
    reader = Reader(ring, known, theory)
    every = (*theory.always, *conditions, *(c for block in absent for c in block.holds))
    held = words(*(side for c in theory.always for side in c[::2]))  # none of these is free
    free = {name for block in absent for name in block.free} - held
    for position, choice in enumerate(choices):
        later = {name for c in choices[position + 1 :] for name in (c.name, f"{c.name}_")}
        _assign(reader, choice, every, known, theory, later, free)
    if scope is not None:
        reader = Reader(ring, known, theory, scope, _space(scope, reader))
    return Branch(reader, every)


def _ring(theory: Theory, choices: list[_Choice], powers: dict[str, bool], later: set[str]) -> Ring:
    names: list[str] = []
    positive, varying = later & theory.symbols.keys(), set()
    assigned = {choice.name: choice for choice in choices}
    for name, sign in theory.symbols.items():
        # the parameter itself stays a variable while its own assignment is justified
        names.append(name)
        if sign in (*_COUNTS, "positive"):
            positive.add(name)
        if sign == _VARYING:
            varying |= {name, f"{name}_"}
        if name in assigned and assigned[name].kind != "equal":
            names.append(f"{name}_")
            if assigned[name].kind == "root":
                positive.add(f"{name}_")
    names += powers
    positive |= {name for name, strict in powers.items() if strict}
    return Ring(tuple(names), frozenset(positive), frozenset(varying))


def _assign(
    reader: Reader,
    choice: _Choice,
    conditions: tuple[Comparison, ...],
    known: dict[str, Ratio],
    theory: Theory,
    later: set[str],
    free: Set[str],
) -> None:
    ring, name, one = reader.ring, choice.name, reader.ring.number(1)
    bound = None if choice.kind == "root" else reader.ratio(choice.bound)
    early = {name, *later} | ({f"{name}_"} if choice.kind != "solve" else set())
    # a slack that changes from round to round would pass for a constant in a sum
    early |= {other for other, sign in theory.symbols.items() if sign == _INDEX}
    if bound is not None and bound.names() & early:
        raise Refused(f"the bound {choice.bound} of {name} names what is not yet assigned")
    own = ring.variable(f"{name}_") if choice.kind != "equal" else one
    sign = theory.symbols[name]
    match choice.kind:
        case "above":
            assert bound is not None
            if not (choice.justified or (sign in _COUNTS and bound == one)):
                _justify(reader, name, bound, ">=", conditions)
            if sign in (*_COUNTS, "positive") and not bound.nonnegative():
                raise Refused(f"{name} above {choice.bound}, which may be negative")
            known[name] = bound + own
        case "scaled":
            assert bound is not None
            if not (sign in _COUNTS and bound == one):
                _justify(reader, name, bound, ">=", conditions)
            if not bound.positive():
                raise Refused(f"{name} scaled by {choice.bound}, which may not be positive")
            known[name] = bound * (one + own).power(_degree(choice.of))
        case "after":
            assert bound is not None
            if sign != _INTEGER:
                raise Refused(f"{name} is no integer")
            _integer(reader, name, bound, choice.bound, conditions, theory)
            known[name] = bound + one + own
        case "below":
            assert bound is not None
            if not choice.justified:
                _justify(reader, name, bound, "<=", conditions)
            if sign not in (*_COUNTS, "positive") or not bound.positive():
                raise Refused(f"{name} below {choice.bound}: one of them is not positive")
            known[name] = bound / (one + own)
        case "equal":
            assert bound is not None
            if name in free:
                if sign in _COUNTS:
                    raise Refused(f"{name} is a count, and {choice.bound} need not be one")
                if not (bound.nonnegative() if sign == "nonnegative" else bound.positive()):
                    raise Refused(f"{name} = {choice.bound}, which may be negative")
            elif not choice.justified:
                _justify(reader, name, bound, "==", conditions)
            known[name] = bound
        case "root":
            if sign not in (*_COUNTS, "positive"):
                raise Refused(f"{name} is not positive: it has no positive root")
            known[name] = own.power(_degree(choice.bound))
        case "solve":
            assert bound is not None
            whole = reader.ratio(choice.of)
            if not whole.nonnegative():
                raise Refused(f"{choice.of} may be negative: it has no real root")
            if whole.has(f"{name}_") or not _determines(whole, name):
                raise Refused(f"{choice.of} does not determine {name}")
            known[name] = bound
            if not reader.ratio(choice.of) == own * own:
                raise Refused(f"{name} = {choice.bound} does not make {choice.of} a square")
        case _:
            raise Refused(f"unknown assignment {choice.kind!r}")


def _determines(whole: Ratio, name: str) -> bool:
    """Whether an expression is a + b x with b positive, in the parameter x."""
    ring, x = whole.ring, whole.ring.variable(name)
    slope = whole.above.derivative(ring.names.index(name))
    rest = whole - Ratio(ring, slope, whole.below) * x
    return ring.sign(slope) == 1 and not any(
        part.has(name) for part in (rest, Ratio(ring, slope, whole.below))
    )


def _degree(text: str) -> fmpq:
    """The degree of a root."""
    if not (text.isascii() and text.isdecimal()) or text == "0" or len(text) > 4:
        raise Refused(f"the degree {text!r:.20} of a root is no positive integer of four digits")
    return fmpq(int(text))


def _integer(
    reader: Reader,
    name: str,
    bound: Ratio,
    text: str,
    conditions: tuple[Comparison, ...],
    theory: Theory,
) -> None:
    """``name`` is an integer of at least ``bound``, an integer: equal to it or larger by one."""
    if not ((text.isascii() and text.isdecimal()) or theory.symbols.get(text) == _INTEGER):
        raise Refused(f"the bound {text} of {name} is no integer")
    if bound == reader.ring.number(1):
        return
    _justify(reader, name, bound, ">=", conditions)


def _justify(
    reader: Reader, name: str, bound: Ratio, relation: str, conditions: tuple[Comparison, ...]
) -> None:
    """Raise unless a condition says ``name relation bound``."""
    # one that does not name it says nothing of it: what is assigned before names nothing later
    named = (c for c in conditions if name in words(c[0], c[2]))
    if any(_says(reader, name, bound, relation, c) for c in weaker(reader, named)):
        return
    raise Refused(f"no condition says {name} {relation} {bound}")


def _says(reader: Reader, name: str, bound: Ratio, relation: str, condition: Comparison) -> bool:
    try:
        left, right = reader.ratio(condition[0]), reader.ratio(condition[2])
    except NewVariable:
        raise
    except Refused:
        return False
    free = reader.ring.variable(name)
    larger, smaller = (left, right) if condition[1] == ">=" else (right, left)
    if relation == "==" and condition[1] != "==":
        return False
    if condition[1] == "==" and relation != "==":
        return False
    difference = bound - free if relation == "<=" else free - bound
    if difference.is_zero():
        return True
    return _multiple(larger - smaller, difference, name, either=relation == "==")


def _multiple(given: Ratio, wanted: Ratio, name: str, either: bool) -> bool:
    """Whether given = c wanted with c positive (or, with ``either``, of one sign)."""
    common = given.above.gcd(wanted.above)
    if not (wanted.above // common).is_constant():
        return False
    factor = given.above // wanted.above
    sign = given.ring.sign(factor)
    return sign == 1 or (either and sign == -1)


def weaker(reader: Reader, conditions: Iterable[Comparison]) -> Iterator[Comparison]:
    """The conditions, and x >= a from x >= Max(a, b), x <= c a from x <= c Min(a, b), c > 0."""
    for left, relation, right in conditions:
        yield left, relation, right
        tree, call = _only_call(right, {">=": "Max", "<=": "Min"}.get(relation, ""))
        if call is None:
            continue
        text, whole = ast.unparse(tree), ast.unparse(call)
        if text.count(whole) == 1 and _increasing(reader, tree, call):
            for argument in call.args:
                yield left, relation, text.replace(whole, f"({ast.unparse(argument)})")


@cache
def _only_call(text: str, name: str) -> tuple[ast.expr, ast.Call | None]:
    """An expression, and the call of a function in it if there is exactly one."""
    tree = parsed(text)
    calls = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name
    ]
    return tree, calls[0] if len(calls) == 1 else None


def _increasing(reader: Reader, tree: ast.expr, part: ast.expr) -> bool:
    """Whether an expression is one of its parts times and over what is positive."""
    match tree:
        case _ if tree is part:
            return True
        case ast.BinOp(left=left, op=ast.Mult(), right=right) if part in ast.walk(right):
            return _positive(reader, left) and _increasing(reader, right, part)
        case ast.BinOp(left=left, op=ast.Mult() | ast.Div(), right=right):
            return _positive(reader, right) and _increasing(reader, left, part)
    return False


def _positive(reader: Reader, node: ast.expr) -> bool:
    try:
        return reader.ratio(ast.unparse(node)).positive()
    except Refused:
        return False


def _space(scope: Scope, reader: Reader) -> Space:
    centred = dict(scope.centred)
    atoms = {name: Atom(frozenset(depends), centred.get(name, "")) for name, depends in scope.atoms}
    if not scope.sampled:
        return Space(atoms, None)
    one, n, m = reader.ring.number(1), reader.ratio("n"), reader.ratio("m")
    if (n - one).is_zero():
        return Space(atoms, None, single=True)
    if "S" not in scope.sources:
        raise Refused("a scope with sampling needs the source S")
    fixed = "i" not in scope.sources
    return Space(
        atoms, lambda: Sampling(m / n, m * (m - one) / (n * (n - one)), n), one_client=fixed
    )
