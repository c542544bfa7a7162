"""Means of sums of products of two polynomials, without the product, which has many more terms."""

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from operator import add
from typing import Any

from flint import fmpq

from .monomials import Monomial, Partners, joined
from .roots import Roots, plain, total
from .unknowns import Unknown, Variables

Place = tuple[fmpq, Sequence[Any], Sequence[Any]]
_ZERO = fmpq(0)
_BySource = Mapping[Monomial, Sequence[tuple[Monomial, fmpq]]]


def mean_product(named: Variables, places: Iterable[Place], over: Iterable[int]) -> Any:
    """`Variables.mean` of the sum over places of weight sum_i left_i right_i, over some sources.

    With left_i = sum_a s^a P_a and right_i = sum_b s^b Q_b it is sum_ab E[s^(a+b)] P_a Q_b: only
    pairs whose expectation is not zero are multiplied.

    Parameters
    ----------
    places : iterable of weights with both vectors
    over : iterable of int
        Numbers of the sources.
    """
    sources, drawn = frozenset(over), dict[Monomial, fmpq]()
    others: list[Any] = []
    for weight, left, right in places:
        rest: Any = None
        for one, other in zip(left, right, strict=True):
            if _is_drawn(named, one, other):
                _add(named, drawn, one, other, sources, weight)
            else:
                own = one * other
                rest = own if rest is None else rest + own
        if rest is not None:
            others.append(rest if weight == 1 else rest * weight)
    if not others:
        return named.made(drawn)
    rest = named.mean(_sum(others), sources)
    if not drawn:
        return rest
    if not isinstance(rest, Unknown):
        return named.made(drawn) + rest
    for monomial, factor in rest.monomials.items():
        drawn[monomial] = drawn.get(monomial, _ZERO) + factor
    return named.made(drawn)


def _sum(numbers: Sequence[Any]) -> Any:
    """All at once where there are roots, which grow with every term."""
    return plain(total(numbers)) if Roots in set(map(type, numbers)) else reduce(add, numbers)


def _is_drawn(named: Variables, one: Any, other: Any) -> bool:
    """Whether a product depends on sources, and no monomial of it can be refused."""
    if not isinstance(one, Unknown) or not isinstance(other, Unknown):
        return False
    degrees = map(max, one.polynomial.degrees(), other.polynomial.degrees())
    occurring = tuple(at for at, degree in enumerate(degrees) if degree > 0)
    first, last = named.drawn_in(occurring)
    if first == last:
        return False
    stages, used = named.stages_in(occurring), named.groups_in(occurring)
    return len(stages) < 2 and not any(used & named.stages[at].used for at in stages)


def _add(
    named: Variables,
    total: dict[Monomial, fmpq],
    left: Unknown,
    right: Unknown,
    over: frozenset[int],
    times: fmpq,
) -> None:
    one = _by_source(named, left)
    other = one if right is left else _by_source(named, right)
    every = len(over) == len(named.sources)
    partners = Partners(named.centred, named.entries, other) if every else None
    met_before = set[Monomial]()  # of a square each pair is met twice: the second time is left out
    for drawn, first in one.items():
        for met in partners.of(drawn) if partners else other:
            if met in met_before:
                continue
            kept, weight = named.integrated(joined(drawn, met), over)
            if not weight:
                continue
            if right is left and met != drawn:
                weight = 2 * weight
            weight *= times
            for a, x in first:
                weighted = x * weight
                for b, y in other[met]:
                    key = tuple(sorted(a + b + kept))
                    own = weighted * y
                    total[key] = total[key] + own if key in total else own
        if right is left:
            met_before.add(drawn)


def _by_source(named: Variables, value: Unknown) -> _BySource:
    """Per monomial of the sources, what stands beside it."""
    found: dict[Monomial, list[tuple[Monomial, fmpq]]] = {}
    for monomial, factor in value.monomials.items():
        first, last = named.drawn_in(monomial)
        beside = monomial[:first] + monomial[last:]
        found.setdefault(monomial[first:last], []).append((beside, factor))
    return found
