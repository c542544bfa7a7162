"""A step carries what its vectors suppose: assumptions and conditions of their scope."""

from dataclasses import replace

import pytest
from checker_theory import ROUND, THEORY, claim, fact, prove

from fedbounds.theory.checker.data import Need, Scope
from fedbounds.theory.checker.errors import Refused

NOISE = "unbiased noise of bounded variance"
SCOPE = Scope(
    sources=("past", "i"),
    atoms=(("u", ("past",)), ("p", ("past",)), ("free", ("past",))),
    derived=(("du", "2*p"), ("u1", "u + du")),
    values=(("start", "u", "free"), ("end", "u1", "free")),
    gradients=(("p", "u", "u", "free"),),
    needs=(
        Need(("p",), ("quadratic clients",)),
        Need(("free",), (), (("x", ">=", "3"),)),
    ),
)
OWN = replace(THEORY, scopes={"own": SCOPE})
UNDER = {"assumptions": ("quadratic clients",), "scope": "own"}


def step(text, *premises, conditions=(), assumptions=(), scope="own", **more):
    statement = claim(text, *conditions, assumptions=assumptions, scope=scope)
    prove(statement, *premises, theory=OWN, **{"scope": "own", **more})


@pytest.mark.parametrize("vector", ["p", "du", "u1 - u"])
def test_a_vector_brings_its_assumptions_also_through_what_is_derived_from_it(vector):
    step(f"0 <= sq({vector})", assumptions=("quadratic clients",))
    with pytest.raises(Refused, match="quadratic clients"):
        step(f"0 <= sq({vector})")


def test_a_vector_without_needs_brings_none():
    step("0 <= sq(u)")


def test_a_condition_is_asked_for():
    step("0 <= sq(free)", conditions=("x >= 3",))
    with pytest.raises(Refused, match="x >= 3"):
        step("0 <= sq(free)")
    with pytest.raises(Refused, match="x >= 3"):
        step("0 <= sq(free)", conditions=("x >= 2",))


def test_squares_count_where_the_statement_has_no_vectors():
    step("0 <= A(t)", scope="", squares=(("0", "u"),))
    with pytest.raises(Refused, match="quadratic clients"):
        step("0 <= A(t)", scope="", squares=(("0", "du"),))


def test_facts_count():
    """Descent speaks of the points at which values are taken, which are derived from p."""
    use = fact("descent", "start", "end", "p")
    with pytest.raises(Refused, match="quadratic clients"):
        step("A(t) >= 0", use, scope="", assumptions=("smooth",), conditions=("x >= 3",))


def test_a_given_statement_carries_them_too():
    options = {"rule": "given", "origin": "Section 2"}
    step("sq(du) <= 1", assumptions=("quadratic clients",), **options)
    with pytest.raises(Refused, match="quadratic clients"):
        step("sq(du) <= 1", **options)


def test_no_proof_under_fewer_assumptions_than_the_noise_needs():
    """Where the mean of the noise vanishes only by assumption, leaving it out is refused."""
    scope = replace(ROUND, needs=(Need(("Y",), (NOISE,)),))
    theory = replace(THEORY, scopes={"round": scope})
    vanishes = "sq(given(Y, past, i)) <= 0"
    prove(claim(vanishes, assumptions=(NOISE,), scope="round"), scope="round", theory=theory)
    with pytest.raises(Refused, match=NOISE):
        prove(claim(vanishes, scope="round"), scope="round", theory=theory)
