"""Products of terms, counted from degrees, are at least those of the polynomials themselves."""

from collections import Counter
from dataclasses import replace
from itertools import combinations_with_replacement

import numpy as np
import pytest

from fedbounds.theory.language.registry import setups
from fedbounds.theory.meerkat.ridges import Ridge
from fedbounds.theory.meerkat.setups import rounds
from fedbounds.verify.measure import degrees, moments
from fedbounds.verify.measure.moments import FirstRound
from fedbounds.verify.measure.trace import subject_of
from fedbounds.verify.measure.unknowns import TooManyTerms, Unknown
from fedbounds.verify.setups.found import view_of


def first_round(setup):
    return FirstRound(replace(subject_of(setup.run, view_of(setup)), rounds=1))


def few_steps(size, steps, clients=1, kept=None):
    of = Ridge("", (1,) * size, (1,) * (kept or size) + (0,) * (size - (kept or size)),
               (1,) * clients, (0,) * clients)  # fmt: skip
    planned = rounds(of, of.local_step, (1, steps), "", quick=False)
    return replace(planned.setup, view="few local steps")


def odd(monomial, centred, first):
    powers = Counter(at for at in monomial if first <= at < first + len(centred))
    return frozenset(at for at, power in powers.items() if power % 2 and centred[at - first])


def counted(first):
    """Pairs of terms of every entry, whose product has no draw of mean 0 to an odd power."""
    trace = first._trace
    named, total, terms = trace.variables, 0, 0
    for array in (*trace.shown.values(), *trace.ends.values()):
        for entry in np.asarray(array, dtype=object).flat:
            if isinstance(entry, Unknown) and entry.polynomial.total_degree() > 0:
                kinds = Counter(odd(x, named.centred, named.entries) for x in entry.monomials)
                total += sum(count**2 for count in kinds.values())
                terms += kinds.total()
    return total, terms


PLANNED = [
    one
    for one in setups("meerkat")
    if one.quick is True
    and view_of(one.setup).moments
    and not one.setup.view.startswith("first round")  # of sines, which are no polynomials
    and one.setup.run.problem.family != "softmax"  # nor are cross-entropies
]


@pytest.mark.parametrize("view", sorted({one.setup.view for one in PLANNED}))
def test_it_is_never_less(view):
    every = [one.setup for one in PLANNED if one.setup.view == view]
    for setup in (every[0], every[len(every) // 2], every[-1]):
        found = first_round(setup).products()
        total, _ = counted(first_round(setup))
        assert total <= found <= 100 * max(total, 100)


@pytest.mark.parametrize(("size", "steps", "clients"), [(1, 5, 1), (2, 3, 1), (3, 2, 4), (6, 2, 1)])
def test_it_grows_as_they_do(size, steps, clients):
    found = first_round(few_steps(size, steps, clients)).products()
    total, terms = counted(first_round(few_steps(size, steps, clients)))
    assert terms < total <= found <= 60 * total


def test_what_a_mask_leaves_is_not_counted():
    whole, kept = (first_round(few_steps(6, 2, kept=x)).products() for x in (6, 2))
    assert 100 * kept < whole


def test_one_coordinate_is_counted_exactly():
    """z and 1 to powers of one unknown each: (1 + z^2) w is two terms, whose pairs all count."""
    first = first_round(few_steps(1, 1))
    assert first.products() == counted(first)[0]


@pytest.mark.parametrize(("size", "one", "other"), [(1, 3, 1), (2, 2, 2), (3, 4, 2), (3, 2, 1),
                                                    (4, 3, 3), (3, 0, 2)])  # fmt: skip
def test_pairs_of_even_powers(size, one, other):
    def kinds(power):
        every = combinations_with_replacement(range(size), power)
        return Counter(frozenset(x for x in own if own.count(x) % 2) for own in every)

    left, right = kinds(one), kinds(other)
    assert degrees._met(size, True, one, other) == sum(left[x] * right[x] for x in left)


def test_degrees_that_are_too_many_are_said_so():
    with pytest.raises(TooManyTerms, match="products of terms; at most"):
        first_round(few_steps(1, 40)).products()


def test_no_round_is_run_on_unknowns(monkeypatch):
    def unroll(*_, **__):
        raise AssertionError

    monkeypatch.setattr(moments, "unroll", unroll)
    assert first_round(few_steps(5, 4)).products() > 10**8


def test_what_is_no_polynomial_has_no_terms():
    one = next(x for x in setups("meerkat") if x.setup.view == "first round")
    assert first_round(one.setup).products() == 0
