"""What the chains of Theorems 2.1 and 2.2 rest on: what is true of local gradients, and what not."""

from functools import cache

import pytest

from fedbounds.facts import Fact
from fedbounds.theory.proof.library import replayed
from fedbounds.theory.proof.replay import Local

LAST = "thm-2.1-explicit: the second step size is smaller"


@cache
def steps():
    return {one.written.id: one for one in replayed("meerkat")}


@pytest.mark.parametrize("name", ["cs-chain:short steps", "eq-20:bracket", "vp-secmom"])
def test_what_the_text_uses_without_a_bound_does_not_follow(name):
    assert steps()[name].local is Local.DOES_NOT_FOLLOW
    assert not steps()[name].inherited


def test_ten_follows_from_a_chain_that_does_not():
    found = steps()["eq-10:short steps"]
    assert found.local is Local.PROVED
    assert not found.inherited


def test_ten_is_proved_of_convex_quadratics_from_what_is_true_of_them():
    found = steps()["eq-10:quadratics"]
    assert found.inherited
    assert set(found.givens) == {"asm unbiased", "asm chain of convex quadratics"}
    given = steps()["asm chain of convex quadratics"].written.statement
    assert {Fact.CONVEX, Fact.QUADRATIC, Fact.SMOOTH} <= set(given.assumptions)
    assert given.conditions


def test_no_given_is_of_gradients_after_local_steps_of_any_objective():
    givens = [one for name, one in steps().items() if name.startswith("asm")]
    chains = [one for one in givens if "X_mask" in str(one.written.left)]
    assert [one.written.id for one in chains] == ["asm chain of convex quadratics"]
    assert not [one for one in givens if "X_g" in str(one.written.left)]


def test_the_last_step_of_theorem_21_follows_where_the_second_step_size_is_smaller():
    found = steps()[LAST]
    assert found.local is Local.PROVED
    assert not found.inherited  # the chain before it does not
    assert any("mu_PL" in " ".join(map(str, c)) for c in found.written.statement.conditions)
