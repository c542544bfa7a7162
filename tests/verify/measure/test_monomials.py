"""Monomials of a polynomial are its terms, whatever its degree and how many unknowns it has."""

import pytest
from flint import Ordering, fmpq, fmpq_mpoly_ctx
from hypothesis import given
from hypothesis import strategies as st

from fedbounds.verify.measure.monomials import monomials
from fedbounds.verify.measure.unknowns import Unknown, variables

COUNT = 9
TERMS = st.dictionaries(
    st.lists(st.integers(0, COUNT - 1), max_size=3).map(lambda own: tuple(sorted(own))),
    st.fractions().filter(bool).map(lambda x: fmpq(x.numerator, x.denominator)),
    max_size=5,
)
AFFINE = TERMS.map(lambda own: {key: x for key, x in own.items() if len(key) < 2})


def polynomial(terms):
    context = fmpq_mpoly_ctx.get([f"x{at}" for at in range(COUNT)], Ordering.lex)
    powers = {tuple(key.count(at) for at in range(COUNT)): x for key, x in terms.items()}
    return context.from_dict(powers)


@given(st.one_of(TERMS, AFFINE))
def test_they_are_its_terms(terms):
    assert monomials(polynomial(terms)) == terms
    found = Unknown(polynomial(terms)).affine
    assert found == (terms if all(len(key) < 2 for key in terms) else None)


@pytest.mark.parametrize("number", [0, 2, 4])
def test_those_of_an_unknown_are_known_with_it(number):
    named = variables({"x": (1, 5)}, ())
    own = named.unknown(number)
    assert own.monomials == monomials(own.bare) == {(number,): 1}
    assert named.state()["x"][0, number].monomials == own.monomials
