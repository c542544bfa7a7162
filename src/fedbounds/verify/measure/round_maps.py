"""What a round makes of moments of (1, x), as polynomials in the parameters that change.

With x+ = sum over monomials s^a of the sources of B_a (1, x), every moment of degree two at most
after the round is a linear function of those before. The state is measured from a centre.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import combinations_with_replacement
from math import prod
from operator import add
from typing import Any

from flint import fmpq

from fedbounds.problems.linear import rational

from .contract import State
from .monomials import Monomial, Partners, joined
from .unknowns import Exponents, Refused, Unknown, Variables

MOST_STATE = 60  # numbers of a state

Pair = tuple[int, int]  # of entries of (1, x), the first not larger than the second
Form = dict[Pair, fmpq]  # a linear function of the moments
Line = dict[int, fmpq]  # a linear function of (1, x)
ByParameter = dict[Exponents, Form]  # one per monomial of the parameters
Lines = dict[Exponents, Line]  # likewise
BySource = dict[Monomial, Lines]  # per monomial of the sources
Rows = list[tuple[fmpq, list[BySource]]]  # per outcome: its chance, and every entry


def pairs(named: Variables) -> list[Pair]:
    """Of entries of (1, x), in the order of all vectors of moments."""
    return list(combinations_with_replacement(range(named.entries + 1), 2))


def flat(state: State) -> list[Any]:
    """Entries of a state with one row, in the order of the unknowns."""
    return [x for array in state.values() for x in array.reshape(-1).tolist()]


def check_state(named: Variables) -> None:
    """Raise if there are too many numbers of state, or carried by a step, to look at all pairs."""
    size = named.entries + max(named.carried, default=0)
    if size > MOST_STATE - 1:
        raise Refused(f"{size} numbers of state; at most {MOST_STATE - 1}")


def outcomes_of(
    named: Variables, rows: Sequence[list[Any]], chances: Sequence[fmpq], centre: Sequence[fmpq]
) -> Rows:
    """B_a of every entry of the next state, per outcome that is listed.

    Raises
    ------
    Refused
        If the step is not affine in the state.
    """
    found = []
    for after, chance in zip(rows, chances, strict=True):
        every = [by_source(named, value, centre) for value in after]
        for at, own in enumerate(every):
            if centre and centre[at]:
                _add_line(own.setdefault((), {}), (0,) * len(named.parameters), {0: -centre[at]})
        found.append((chance, every))
    return found


def pair_map(named: Variables, rows: Rows, pair: Pair, centre: Sequence[fmpq] = ()) -> ByParameter:
    """One moment after the round as a linear function of those before."""
    i, j = pair
    if not j:
        return {(0,) * len(named.parameters): {(0, 0): fmpq(1)}}
    total: ByParameter = {}
    for chance, every in rows:
        if i:
            add_product(named, every[i - 1], every[j - 1], chance, total)
        else:
            add_mean(named, every[j - 1], chance, total)
    return without_zeros(_from_start(total, _carried(named, tuple(centre))))


@lru_cache(maxsize=16)  # the quantities of a round ask for the same
def _carried(named: Variables, centre: tuple[fmpq, ...]) -> dict[Pair, ByParameter]:
    """Products with what a step carries on as linear functions of the moments before the round.

    Columns of what is carried follow those of the state.
    """
    found: dict[Pair, ByParameter] = {}
    none, size = (0,) * len(named.parameters), named.entries
    plain: list[BySource] = [{(): {none: {column: fmpq(1)}}} for column in range(size + 1)]
    for stage in named.stages:
        values = [by_source(named, value, centre) for value in stage.values]
        columns = [size + 1 + stage.first - named.fresh + at for at in range(len(values))]
        own: dict[Pair, ByParameter] = {}
        for at, value in zip(columns, values, strict=True):
            for column, line in enumerate(plain):
                add_product(named, line, value, fmpq(1), own.setdefault((column, at), {}))
        for (i, one), (j, other) in combinations_with_replacement(
            zip(columns, values, strict=True), 2
        ):
            add_product(named, one, other, fmpq(1), own.setdefault((i, j), {}))
        found |= {pair: _from_start(forms, found) for pair, forms in own.items()}
    return found


def _from_start(forms: ByParameter, carried: Mapping[Pair, ByParameter]) -> ByParameter:
    """The same in the moments before the round alone."""
    if not carried:
        return forms
    found: ByParameter = {}
    for powers, form in forms.items():
        for pair, factor in form.items():
            if pair not in carried:
                _add(found.setdefault(powers, {}), pair, factor)
                continue
            for more, own in carried[pair].items():
                total = found.setdefault(_times(powers, more), {})
                for first, weight in own.items():
                    _add(total, first, factor * weight)
    return found


def by_source(named: Variables, value: Any, centre: Sequence[fmpq] = ()) -> BySource:
    """B_a: per monomial of the sources, what is affine in the state; () is the monomial 1."""
    none = (0,) * len(named.parameters)
    if not isinstance(value, Unknown):
        return {(): {none: {0: rational(value)}}}
    if not named.parameters and not named.stages and (terms := value.affine) is not None:
        return _affine(named, terms, centre)
    size, found = named.entries, BySource()
    for monomial, factor in value.monomials.items():
        source, powers, state = named.split(monomial)
        if len(state) > 1:
            raise Refused("the step is not affine in the state")
        lines = found.setdefault(source, {})
        if not state:
            _add_line(lines, powers, {0: factor})
            continue
        (at,) = state
        shift = factor * centre[at] if centre and at < size else fmpq(0)
        _add_line(lines, powers, {1 + at: factor, 0: shift} if shift else {1 + at: factor})
    return found


def _affine(named: Variables, terms: Mapping[Monomial, fmpq], centre: Sequence[fmpq]) -> BySource:
    """Without parameters, of a polynomial of degree one: its monomials have one entry each."""
    size, found, line = named.entries, BySource(), Line()
    for monomial, factor in terms.items():
        if not monomial:
            line[0] = line.get(0, fmpq(0)) + factor
            continue
        (at,) = monomial
        if at < size:
            line[1 + at] = factor
            if centre and centre[at]:
                line[0] = line.get(0, fmpq(0)) + factor * centre[at]
        else:
            found[(at,)] = {(): {0: factor}}
    return {(): {(): line}, **found} if line else found


def _add_line(lines: Lines, powers: Exponents, more: Mapping[int, fmpq]) -> None:
    line = lines.setdefault(powers, {})
    for column, factor in more.items():
        line[column] = line.get(column, fmpq(0)) + factor


def add_mean(named: Variables, own: BySource, chance: fmpq, total: ByParameter) -> None:
    """Adds the mean of a number over the sources, with a weight."""
    for source, lines in own.items():
        weight = named.expectation(source) * chance
        if weight:
            for powers, line in lines.items():
                form = total.setdefault(powers, {})
                for column, factor in line.items():
                    _add(form, (0, column), factor * weight)


def add_product(
    named: Variables, left: BySource, right: BySource, chance: fmpq, total: ByParameter
) -> None:
    """Adds the mean of a product over the sources, with a weight."""
    partners = Partners(named.centred, named.entries, right)
    for one, first in left.items():
        for other in partners.of(one):
            weight = named.expectation(joined(one, other))
            if weight:
                _add_lines(first, right[other], weight * chance, total)


def _add_lines(left: Lines, right: Lines, weight: fmpq, total: ByParameter) -> None:
    for mine, first in left.items():
        for theirs, second in right.items():
            form = total.setdefault(_times(mine, theirs), {})
            for a, x in first.items():
                weighted = x * weight
                for b, y in second.items():
                    key = (a, b) if a < b else (b, a)
                    amount = weighted * y
                    form[key] = form[key] + amount if key in form else amount


def _times(one: Exponents, other: Exponents) -> Exponents:
    """A product of monomials of the parameters."""
    return tuple(map(add, one, other)) if one and other else one or other


def _add(total: Form, key: Pair, amount: fmpq) -> None:
    total[key] = total[key] + amount if key in total else amount


def without_zeros(forms: ByParameter) -> ByParameter:
    """Only what is there."""
    plain = {powers: {k: v for k, v in form.items() if v} for powers, form in forms.items()}
    return {powers: form for powers, form in plain.items() if form}


def forms_of(
    named: Variables, value: Any, centre: Sequence[fmpq] = (), *, folded: bool = True
) -> ByParameter:
    """A polynomial of degree two at most in the state, as linear functions of the moments.

    Parameters
    ----------
    folded : bool
        Whether of those before the round alone: products with what is carried are such functions.

    Raises
    ------
    Refused
        If the degree is higher, or a source is left.
    """
    found: ByParameter = {}
    for powers, terms in named.by_parameter(value).items():
        form = found.setdefault(powers, {})
        for monomial, factor in terms.items():
            if len(monomial) > 2:
                raise Refused("it is not quadratic in the state")
            for own, weight in _shifted(monomial, centre):
                i, j = [0] * (2 - len(own)) + own
                _add(form, (i, j), factor * weight)
    if folded:
        found = _from_start(found, _carried(named, tuple(centre)))
    return without_zeros(found)


def _shifted(at: Monomial, centre: Sequence[fmpq]) -> list[tuple[list[int], fmpq]]:
    """A monomial of the state in the state measured from the centre; entries counted from 1."""
    found = [(list[int](), fmpq(1))]
    for i in at:
        more = [([*own, i + 1], weight) for own, weight in found]
        if centre and i < len(centre) and centre[i]:  # what is carried has no centre
            more += [(own, weight * centre[i]) for own, weight in found]
        found = more
    return found


def at_values(forms: ByParameter, values: Sequence[fmpq]) -> Form:
    """With numbers for the parameters."""
    total: Form = {}
    for powers, form in forms.items():
        weight = prod((x**k for x, k in zip(values, powers, strict=True)), start=fmpq(1))
        for pair, factor in form.items():
            _add(total, pair, factor * weight)
    return total


def applied(own: Form, values: Mapping[Pair, fmpq]) -> fmpq:
    """The number that a linear function of the moments has."""
    return sum((factor * values[pair] for pair, factor in own.items()), fmpq(0))
