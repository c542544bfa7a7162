"""Parameters in terms of variables of known sign, so that conditions hold by construction.

Every choice of parameters that meets the conditions must lie in some branch: an assignment is
accepted only with a condition that says what it says.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from flint import fmpq

from .data import Assignment, Comparison, Scope, Theory
from .errors import Refused
from .expressions import NewVariable, Reader, parsed
from .ratios import Ratio, Ring
from .vectors import Atom, Sampling, Space

_INTEGER = "integer"


@dataclass(frozen=True)
class Branch:
    """One branch of a chart: how its parameters are read, and its conditions."""

    reader: Reader
    conditions: tuple[Comparison, ...]


@dataclass(frozen=True)
class _Choice:
    """An assignment with the alternatives of `split` and `integer` decided."""

    name: str
    kind: str  # above, below, equal, root, solve, after (bound + 1 + y)
    bound: str
    of: str
    justified: bool  # by its own alternatives


def branches(
    theory: Theory,
    scope: Scope | None,
    conditions: tuple[Comparison, ...],
    chart: tuple[Assignment, ...],
    powers: dict[str, bool],
) -> Iterator[Branch]:
    """The branches of a chart; ``powers`` are further variables of the ring."""
    for choices in _alternatives(_completed(theory, chart)):
        yield _branch(theory, scope, conditions, choices, powers)


def _completed(theory: Theory, chart: tuple[Assignment, ...]) -> list[Assignment]:
    """Counts that the chart leaves out are at least 1."""
    named = {assignment.name for assignment in chart}
    if len(named) < len(chart):
        raise Refused("a parameter is assigned twice")
    unknown = named - set(theory.symbols)
    if unknown:
        raise Refused(f"assignment of unknown parameters {sorted(unknown)}")
    free = [
        Assignment(name, "above", "1")
        for name, sign in theory.symbols.items()
        if sign == _INTEGER and name not in named
    ]
    return [*free, *chart]


def _alternatives(chart: list[Assignment]) -> Iterator[list[_Choice]]:
    if not chart:
        yield []
        return
    first, rest = chart[0], chart[1:]
    kinds = {"split": ("above", "below"), "integer": ("equal", "after")}.get(first.kind)
    for tail in list(_alternatives(rest)):
        for kind in kinds or (first.kind,):
            yield [_Choice(first.name, kind, first.bound, first.of, kinds is not None), *tail]


def _branch(
    theory: Theory,
    scope: Scope | None,
    conditions: tuple[Comparison, ...],
    choices: list[_Choice],
    powers: dict[str, bool],
) -> Branch:
    ring = _ring(theory, choices, powers)
    known: dict[str, Ratio] = {}
    reader = Reader(ring, known, theory)
    every = (*theory.always, *conditions)
    for position, choice in enumerate(choices):
        later = {other.name for other in choices[position + 1 :]}
        _assign(reader, choice, every, known, theory, later)
    if scope is not None:
        reader = Reader(ring, known, theory, scope, _space(scope, reader))
    return Branch(reader, every)


def _ring(theory: Theory, choices: list[_Choice], powers: dict[str, bool]) -> Ring:
    names: list[str] = []
    positive = set()
    assigned = {choice.name: choice for choice in choices}
    for name, sign in theory.symbols.items():
        # the parameter itself stays a variable while its own assignment is justified
        names.append(name)
        if sign in (_INTEGER, "positive"):
            positive.add(name)
        if name in assigned and assigned[name].kind != "equal":
            names.append(f"{name}_")
            if assigned[name].kind == "root":
                positive.add(f"{name}_")
    names += powers
    positive |= {name for name, strict in powers.items() if strict}
    return Ring(tuple(names), frozenset(positive))


def _assign(
    reader: Reader,
    choice: _Choice,
    conditions: tuple[Comparison, ...],
    known: dict[str, Ratio],
    theory: Theory,
    later: set[str],
) -> None:
    ring, name, one = reader.ring, choice.name, reader.ring.number(1)
    bound = None if choice.kind == "root" else reader.ratio(choice.bound)
    early = {name, *later} if bound is not None else set()
    if bound is not None and any(bound.has(other) for other in early):
        raise Refused(f"the bound {choice.bound} of {name} names what is not yet assigned")
    own = ring.variable(f"{name}_") if choice.kind != "equal" else one
    sign = theory.symbols[name]
    match choice.kind:
        case "above":
            assert bound is not None
            if not (choice.justified or (sign == _INTEGER and bound == one)):
                _justify(reader, name, bound, ">=", conditions)
            if sign in (_INTEGER, "positive") and not bound.nonnegative():
                raise Refused(f"{name} above {choice.bound}, which may be negative")
            known[name] = bound + own
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
            if sign not in (_INTEGER, "positive") or not bound.positive():
                raise Refused(f"{name} below {choice.bound}: one of them is not positive")
            known[name] = bound / (one + own)
        case "equal":
            assert bound is not None
            if not choice.justified:
                _justify(reader, name, bound, "==", conditions)
            known[name] = bound
        case "root":
            if sign not in (_INTEGER, "positive"):
                raise Refused(f"{name} is not positive: it has no positive root")
            known[name] = own.power(_degree(choice.bound))
        case "solve":
            assert bound is not None
            known[name] = bound
            if not reader.ratio(choice.of) == own * own:
                raise Refused(f"{name} = {choice.bound} does not make {choice.of} a square")
            del known[name]
            if not reader.ratio(choice.of).nonnegative():
                raise Refused(f"{choice.of} may be negative: it has no real root")
            known[name] = bound
        case _:
            raise Refused(f"unknown assignment {choice.kind!r}")


def _degree(text: str) -> fmpq:
    """The degree of a root."""
    if not text.isdigit() or text == "0":
        raise Refused(f"the degree {text!r} of a root is no positive integer")
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
    if not (text.isdigit() or theory.symbols.get(text) == _INTEGER):
        raise Refused(f"the bound {text} of {name} is no integer")
    if bound == reader.ring.number(1):
        return
    _justify(reader, name, bound, ">=", conditions)


def _justify(
    reader: Reader, name: str, bound: Ratio, relation: str, conditions: tuple[Comparison, ...]
) -> None:
    """Raise unless a condition says ``name relation bound``."""
    if any(_says(reader, name, bound, relation, c) for c in weaker(reader, conditions)):
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


def weaker(reader: Reader, conditions: tuple[Comparison, ...]) -> Iterator[Comparison]:
    """The conditions, and x >= a from x >= Max(a, b), x <= c a from x <= c Min(a, b), c > 0."""
    for left, relation, right in conditions:
        yield left, relation, right
        word = {">=": "Max", "<=": "Min"}.get(relation)
        tree = parsed(right)
        calls = [
            node
            for node in ast.walk(tree)
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == word
        ]
        if len(calls) != 1:
            continue
        text, whole = ast.unparse(tree), ast.unparse(calls[0])
        if text.count(whole) == 1 and _increasing(reader, text, whole):
            for argument in calls[0].args:
                yield left, relation, text.replace(whole, f"({ast.unparse(argument)})")


def _increasing(reader: Reader, text: str, whole: str) -> bool:
    """Whether an expression is a positive multiple of one of its parts."""
    if text == whole:
        return True
    try:
        factor = reader.ratio(text.replace(whole, "1"))
        none = reader.ratio(text.replace(whole, "0"))
        twice = reader.ratio(text.replace(whole, "2"))
    except Refused:
        return False
    return factor.positive() and none.is_zero() and twice == factor + factor


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
