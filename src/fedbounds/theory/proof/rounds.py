"""Quantities at chosen rounds and steps, and what sums of them say of their terms."""

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction

from fedbounds.theory.checker.check import nonnegative
from fedbounds.theory.checker.data import Theory
from fedbounds.theory.checker.keys import affine_of, parts

from .feasible import Premise

_SUM = re.compile(r"^Sum_(t|i|ik)\((.*)\)$")


def located(key: str, point: Mapping[str, Fraction]) -> str:
    """A quantity's name with its rounds and steps as numbers: E(t+1) at t = 1 is E(2)."""
    inside = _SUM.match(key)
    if inside is not None:
        axis, inner = inside.groups()
        bound = {"t": ("t",), "i": (), "ik": ("k",)}[axis]
        kept = {name: number for name, number in point.items() if name not in bound}
        return f"Sum_{axis}({located(inner, kept)})"
    found = parts(key)
    if found is None:
        return key
    name, arguments = found
    return f"{name}({','.join(_number(a, point) for a in arguments)})"


def _number(text: str, point: Mapping[str, Fraction]) -> str:
    affine = affine_of(text)
    if any(name and name not in point for name in affine):
        return text
    return str(sum(factor * (point[name] if name else 1) for name, factor in affine.items()))


def sums(theory: Theory, names: set[str], point: Mapping[str, Fraction]) -> Iterator[Premise]:
    """A sum is at least what is known of its terms, and equal to it if all are known."""
    for name in sorted(names):
        inside = _SUM.match(name)
        if inside is None:
            continue
        axis, inner = inside.groups()
        terms = {other for other in names if _is_term(axis, inner, other, point)}
        count = {"t": point.get("T"), "i": point.get("n"), "ik": None}[axis]
        if axis == "ik" and "n" in point and "K" in point:
            count = point["n"] * point["K"]
        complete = count is not None and len(terms) == count
        if complete or (terms and nonnegative(theory, inner)):
            line = {name: Fraction(1), **{term: Fraction(-1) for term in terms}}
            yield Premise(line, complete)


def _is_term(axis: str, inner: str, other: str, point: Mapping[str, Fraction]) -> bool:
    if axis == "i":
        return inner == other
    mine, theirs = parts(inner), parts(other)
    if mine is None or theirs is None or mine[0] != theirs[0]:
        return False
    count = point.get("T" if axis == "t" else "K")
    at = theirs[1][-1]
    same = axis == "t" or mine[1][:-1] == theirs[1][:-1]
    return same and at.isdigit() and count is not None and int(at) < count
