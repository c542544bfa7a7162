"""Changes of a statement that operators make, none of them chosen: each at each place.

A place is an occurrence in a side or in a condition. Rounds in the brackets of a quantity belong to
its name and are changed by one operator alone.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from fedbounds.theory.language.claims import Condition, Part
from fedbounds.theory.language.glossary import Glossary
from fedbounds.theory.language.neighbours import Neighbours
from fedbounds.theory.language.symbols import RunOperator, VectorSymbol, t

Rebuild = Callable[[sp.Expr], sp.Expr]
_ACCENT = re.compile(r"\\(wide)?hat\s*(\{([^{}]*)\}|\\[A-Za-z]+|[A-Za-z])")
_LONGEST = 24  # characters of an expression that are told
_TURNED = {"<=": ">=", ">=": "<="}


class Operator(StrEnum):
    """What is changed."""

    CONSTANT = "constant"
    EXPONENT = "exponent"
    SQUARE = "square"
    HAT = "hat"
    NEIGHBOUR = "neighbour"
    ROUND = "round"
    CONDITION = "condition dropped"
    ASSUMPTION = "assumption dropped"
    RELATION = "relation turned"


@dataclass(frozen=True, eq=False)
class Mutant:
    """A part of a claim with one change.

    Attributes
    ----------
    operator : Operator
    place : str
        "left", "right", "condition 2", or the assumption that is dropped.
    change : str
        What becomes what; a number follows where the same is changed at several places.
    original, part : Part
    """

    operator: Operator
    place: str
    change: str
    original: Part
    part: Part


def mutants(part: Part, names: Glossary, neighbours: Neighbours) -> tuple[Mutant, ...]:
    """Every mutant of a part; of two with the same statement, the first."""
    found: dict[Any, Mutant] = {}
    for mutant in _every(part, names, neighbours):
        found.setdefault(_said(mutant.part), mutant)
    found.pop(_said(part), None)
    seen: Counter[tuple[str, str, str]] = Counter()
    return tuple(_numbered(mutant, seen) for mutant in found.values())


def _numbered(mutant: Mutant, seen: Counter[tuple[str, str, str]]) -> Mutant:
    """The mutant with its number among those that read alike."""
    key = mutant.operator.value, mutant.place, mutant.change
    seen[key] += 1
    number = f" ({seen[key]})" if seen[key] > 1 else ""
    return replace(mutant, change=mutant.change + number)


def _said(part: Part) -> Any:
    return part.left, part.relation, part.right, part.conditions, part.assumptions


def _every(part: Part, names: Glossary, neighbours: Neighbours) -> Iterator[Mutant]:
    def made(operator: Operator, place: str, change: str, **changed: Any) -> Mutant:
        return Mutant(operator, place, change, part, replace(part, trivial=None, **changed))

    yield made(Operator.RELATION, "", "sides exchanged", left=part.right, right=part.left)
    for side in ("left", "right"):
        own = sp.sympify(getattr(part, side), strict=True)
        for operator, change, changed in changes(own, names, neighbours):
            yield made(operator, side, change, **{side: changed})
    for at, condition in enumerate(part.conditions):
        before, after = part.conditions[:at], part.conditions[at + 1 :]
        for operator, change, other in _of_condition(condition, names, neighbours):
            kept = (*before, *other, *after)
            yield made(operator, f"condition {at + 1}", change, conditions=kept)
    for at, assumption in enumerate(part.assumptions):
        left = (*part.assumptions[:at], *part.assumptions[at + 1 :])
        yield made(Operator.ASSUMPTION, str(assumption), "dropped", assumptions=left)


def _of_condition(
    condition: Condition, names: Glossary, neighbours: Neighbours
) -> Iterator[tuple[Operator, str, tuple[Condition, ...]]]:
    yield Operator.CONDITION, "dropped", ()
    if condition.relation in _TURNED:
        turned = replace(condition, relation=_TURNED[condition.relation])
        yield Operator.RELATION, f"{condition.relation} -> {turned.relation}", (turned,)
    for side in ("left", "right"):
        found = changes(sp.sympify(getattr(condition, side), strict=True), names, neighbours)
        for operator, change, changed in found:
            yield operator, change, (replace(condition, **{side: changed}),)


def changes(
    side: sp.Expr, names: Glossary, neighbours: Neighbours
) -> Iterator[tuple[Operator, str, sp.Expr]]:
    """Every change of an expression: operator, what becomes what, and the expression."""
    for node, put in spots(side):
        for operator, other in _of_node(node, names, neighbours):
            yield operator, f"{_short(node)} -> {_short(other)}", put(other)
    for term in sp.Add.make_args(side):  # a term without a number has the number 1
        if term != 0 and not term.is_number and abs(term.as_coeff_Mul()[0]) == 1:
            for times in (sp.Integer(2), sp.S.Half):
                yield (
                    Operator.CONSTANT,
                    f"{_short(term)} -> times {times}",
                    side + (times - 1) * term,
                )


def _short(expression: sp.Expr) -> str:
    text = str(expression).replace(" ", "")
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def spots(node: sp.Expr, put: Rebuild = lambda x: x) -> Iterator[tuple[sp.Expr, Rebuild]]:
    """Every expression below a node, with the node as a function of it.

    Not signs, nor what stands in the brackets of a quantity; SymPy writes 4 (n - m) as 4 n - 4 m:
    a common factor is one number.
    """
    yield node, put
    if isinstance(node, AppliedUndef) or not node.args:
        return
    if node.is_Add:
        content, inner = node.primitive()
        if content != 1:
            yield content, lambda x: put(x * inner)
    last = 1 if isinstance(node, RunOperator) else len(node.args)
    for at, argument in enumerate(node.args[:last]):
        sign = node.is_Mul and argument == -1
        exponent = node.is_Pow and at == 1 and argument.is_Rational
        if not (sign or exponent):
            yield from spots(argument, _argument(node, at, put))


def _argument(node: sp.Expr, at: int, put: Rebuild) -> Rebuild:
    return lambda x: put(node.func(*node.args[:at], x, *node.args[at + 1 :]))


def _of_node(
    node: sp.Expr, names: Glossary, neighbours: Neighbours
) -> Iterator[tuple[Operator, sp.Expr]]:
    if node.is_Rational and node != 0:
        yield from ((Operator.CONSTANT, node * times) for times in (2, sp.S.Half))
    if node.is_Pow and not node.base.is_number:
        if abs(node.exp) == 2:
            yield Operator.SQUARE, node.base ** (node.exp / 2)
        yield from ((Operator.EXPONENT, node.base ** (node.exp + one)) for one in (1, -1))
    if node.is_Symbol and not isinstance(node, VectorSymbol):
        known = names.meanings.get(node.name)
        if known is not None and "^2" in known.latex:
            yield Operator.SQUARE, sp.sqrt(node)
    yield from ((Operator.NEIGHBOUR, other) for other in _beside(node, names, neighbours))
    yield from ((Operator.HAT, other) for other in _without_hat(node, names))
    if isinstance(node, AppliedUndef) and t + 1 in node.args:
        yield Operator.ROUND, node.func(*(t if x == t + 1 else x for x in node.args))


def _beside(node: sp.Expr, names: Glossary, neighbours: Neighbours) -> Iterator[sp.Expr]:
    """What takes the place of a name."""
    own = _name(node, names)
    for one, other in neighbours:
        if own == one and isinstance(other, int):
            yield node + other
        elif own in (one, other):
            yield _renamed(node, str(other if own == one else one), names)


def _name(node: sp.Expr, names: Glossary) -> str:
    """Of a constant or a quantity; empty for anything else."""
    name = node.func.__name__ if isinstance(node, AppliedUndef) else getattr(node, "name", "")
    return name if name in names.meanings else ""


def _renamed(node: sp.Expr, name: str, names: Glossary) -> sp.Expr:
    """Another constant, or another quantity at the same place."""
    if isinstance(node, AppliedUndef):
        return sp.Function(name, real=True)(*node.args)
    return names.constants[name]


def _without_hat(node: sp.Expr, names: Glossary) -> Iterator[sp.Expr]:
    """The names whose notation is that of a name without its hats."""
    if isinstance(node, VectorSymbol):
        plain = _plain(node.latex)
        for name, latex in names.vectors.items():
            if latex == plain != node.latex:
                yield VectorSymbol(name, latex)
        return
    name = _name(node, names)
    if not name:
        return
    own = names.meanings[name].latex
    for other, meaning in names.meanings.items():
        alike = (other in names.constants) is (name in names.constants)
        if alike and meaning.latex == _plain(own) != own:
            yield _renamed(node, other, names)


def _plain(latex: str) -> str:
    return _ACCENT.sub(lambda found: found[3] or found[2], latex)
