"""What the chains of Theorems 2.1 and 2.2 rest on: what is true of local gradients, and what not."""

from fractions import Fraction
from functools import cache

import pytest

from fedbounds.facts import Fact
from fedbounds.theory.proof.library import replayed
from fedbounds.theory.proof.replay import Local


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


def test_the_last_step_of_theorem_21_follows_as_mu_is_at_most_l():
    found = steps()["thm-2.1-explicit"]
    assert found.local is Local.PROVED
    assert not found.inherited  # the chain before it does not
    assert "asm step of Theorem 2.1" in found.givens


def test_the_last_step_of_theorem_22_does_not_follow_from_28():
    found = steps()["thm-2.2-explicit:D_delta positive"]
    assert found.local is Local.DOES_NOT_FOLLOW
    of = {name: Fraction(number) for name, number in found.numbers}
    n, kept, stopped, steps_, eta = (of[x] for x in ("n", "K_g", "K_b", "K", "eta"))
    every, start, last = kept * steps_ + stopped, of["f(0)"], of["f(8)"]
    curved, smooth, u, gamma = of["mu_PL"], of["L"], of["u_m"] + 2, of["gamma_g"]
    variances = steps_**2 * of["sigma2"] * kept + 2 * stopped * of["sigma_h"] ** 2
    # all that (28) and Theorem 2.2 suppose; c = 1 has a root
    assert n == kept + stopped
    assert of["c_m"] == 1
    assert of["c_h"] < 1
    assert curved <= smooth
    assert gamma <= 1
    assert min(start, last, of["Sum_t(f(t))"]) >= 0
    second = curved * every / (2 * n * u**2 * smooth**2 * steps_ * gamma)
    assert eta == min(1 / (smooth * u), second)
    divided = eta * every - 2 * eta**2 * u * smooth * stopped * (1 + of["c_h"])
    assert divided == of["D_delta"] > 0
    whole = eta * curved * every / n - eta**2 * u**2 * smooth**2 * steps_ * gamma
    mean = of["Sum_t(f(t))"] / of["T"]
    # (28) holds
    assert whole * mean <= (
        (start - last) / of["T"]
        + eta**2 * every**2 * of["sigma_h"] ** 2 / (2 * n * divided)
        + eta**2 * u**2 * smooth**3 * steps_ * gamma * of["Delta"] / 2
        + eta**2 * u * smooth * variances / (2 * n)
    )
    # the bound of the theorem does not
    assert mean > (
        4 * n**2 * u**2 * smooth**2 * steps_ * gamma * start / (curved**2 * every**2 * of["T"])
        + of["sigma_h"] ** 2 / 2
        + u * smooth * of["Delta"] / 4
        + variances / (4 * n * u * smooth * steps_ * gamma)
    )


@pytest.mark.parametrize(
    "name", ["eq-23:any step", "iid-label:mean", "iid-label:covariance", "vp-vs-meerkat:density"]
)
def test_parts_without_a_proof_have_numbers_against_them(name):
    found = dict(steps()[name].numbers)
    assert all(Fraction(found[x]) <= 1 for x in ("c_m", "c_h", "delta_p1") if x in found)


def test_no_step_of_the_printed_chain_is_open():
    assert not [name for name, one in steps().items() if one.local is Local.OPEN]
