"""A claim's text, which the checker reads, has the value of its SymPy expression."""

import zlib
from functools import cache

import pytest
import sympy as sp

from fedbounds.theory.checker.names import identifier
from fedbounds.theory.language.claims import read
from fedbounds.theory.language.registry import encoded_claims
from fedbounds.theory.language.symbols import RunOperator
from fedbounds.theory.proof.text import comparisons, text
from fedbounds.theory.proof.vectors import sq
from fedbounds.theory.submodel.glossary import GLOSSARY

CLAIMS = encoded_claims("personalization")
COUNTS = {"n": 7, "m": 3, "K": 4, "T": 5, "t": 2, "k": 1, "j": 2, "d_u": 3, "d_v": 2}


def number(name):
    """A positive number for a constant, a quantity at its place, or a sum of quantities."""
    return COUNTS.get(name) or 0.5 + zlib.crc32(name.encode()) % 1000 / 700


def of_sympy(expression):
    expression = sp.sympify(expression)
    operators = {o: sp.Float(_operated(o)) for o in expression.atoms(RunOperator)}
    expression = expression.xreplace(operators)
    quantities = expression.atoms(sp.core.function.AppliedUndef)
    expression = expression.xreplace({q: sp.Float(_measured(q)) for q in quantities})
    expression = expression.replace(sp.Sum, _added).replace(sq, lambda x: x**2)
    return float(expression.subs({s: number(identifier(s.name)) for s in expression.free_symbols}))


def _added(summand, limits):
    """A sum written out, at the numbers of its limits."""
    index, first, last = limits
    last = int(last.subs({s: number(s.name) for s in last.free_symbols}))
    return sp.Add(*(summand.subs(index, r) for r in range(int(first), last + 1)))


def _measured(quantity):
    places = [int(a.subs({s: number(s.name) for s in a.free_symbols})) for a in quantity.args]
    return number(f"{quantity.func.__name__}{places}")


def _operated(operator):
    """Sums and means of quantities, linearly; the inside is evaluated at the rounds."""
    t = next((s for s in operator.free_symbols if s.name == "t"), None)
    inside = operator.args[0]
    values = [of_sympy(inside.subs(t, r) if t else inside) for r in range(5)]
    return {"Sum_t": sum(values), "Mean_t": sum(values) / 5, "Max_t": max(values)}[
        operator.func.__name__
    ]


class _Names(dict):
    """Names as Python evaluates the text: quantities are functions, the rest numbers."""

    def __init__(self, source):
        super().__init__(Max=max, Min=min, sqrt=lambda x: x**0.5, sq=lambda x: x**2)
        self.source = source

    def __missing__(self, name):
        if f"{name}(" in self.source and name not in COUNTS:
            return lambda *places: number(f"{name}{list(places)}")
        return number(name)


def of_text(source):
    for operator in ("Sum_t(", "Mean_t(", "Max_t("):
        while operator in source:
            start = source.index(operator)
            end = _closing(source, start + len(operator))
            inside = source[start + len(operator) : end]
            values = [_at_round(inside, r) for r in range(5)]
            value = {"S": sum(values), "M": sum(values) / 5}[operator[0]]
            if operator == "Max_t(":
                value = max(values)
            source = f"{source[:start]}({value!r}){source[end + 1 :]}"
    while "Sum(" in source:
        start = source.index("Sum(")
        end = _closing(source, start + 4)
        summand, limits = source[start + 4 : end].rsplit(", (r, ", 1)
        first, last = (of_text(x) for x in limits.removesuffix(")").split(", "))
        total = sum(_evaluated(summand, r=r) for r in range(int(first), int(last) + 1))
        source = f"{source[:start]}({total!r}){source[end + 1 :]}"
    return _evaluated(source)


def _evaluated(source, **more):
    names = _Names(source)
    names.update(more)
    return eval(source, {"__builtins__": {}}, names)


def _at_round(source, r):
    return _evaluated(source, t=r)


def _closing(source, start):
    depth = 1
    for at in range(start, len(source)):
        depth += {"(": 1, ")": -1}.get(source[at], 0)
        if not depth:
            return at
    raise AssertionError(source)


@cache
def sides():
    found = {}
    for claim in CLAIMS:
        for reading in claim.readings:
            for part in read(claim, reading):
                for side in (part.left, part.right):
                    found.setdefault(str(side), (claim.id, side))
    return tuple(found.values())


def test_every_side_of_every_claim():
    assert len(sides()) > 150
    for claim, side in sides():
        assert of_text(text(side)) == pytest.approx(of_sympy(side), rel=1e-9), claim


def test_every_condition_of_every_claim():
    conditions = {c for claim in CLAIMS for part in claim.parts for c in part.conditions}
    assert len(conditions) > 30
    for condition in conditions:
        for left, relation, right in comparisons((condition,)):
            if relation != condition.relation or left == "gamma":  # an effective step, apart
                continue
            assert of_text(left) == pytest.approx(of_sympy(condition.left))
            assert of_text(right) == pytest.approx(of_sympy(condition.right))


def test_names_stay_apart():
    names = [identifier(name) for name in GLOSSARY.meanings]
    assert len(set(names)) == len(names)
    assert all(name.isidentifier() and not name.endswith("_") for name in names)
