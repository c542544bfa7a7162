"""Rounds to eps: the smallest by brute force, the floor, and what is not shown."""

from fractions import Fraction

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.registry import claim
from fedbounds.verify.commands.bound.answer import answers

THM_37 = "personalization/thm-3.7"
GIVEN = {"n": 100, "m": 10, "K": 5, "L": 1, "F_0": 1, "sigma_u2": 1, "sigma_v2": 1, "b2": 1}


def rounds(claim_id, to, part=None, reading="", **given):
    (found,) = answers(claim(claim_id), given, reading=reading, part=part, to=to).parts
    return found


def value(**given):
    (found,) = answers(claim(THM_37), given).parts
    return found.value.value.number


@settings(max_examples=8, deadline=None)
@given(st.integers(1, 400), st.integers(2, 9))
def test_the_smallest_at_a_fixed_step(eps, scale):
    given = {**GIVEN, "gamma": Fraction(1, 160 * scale)}
    found = rounds(THM_37, str(Fraction(eps, 40)), **given)
    floor = value(**given, T=10**30) - value(**given, T=1) / 10**30
    if found.value is None:
        assert floor >= Fraction(eps, 40)
        assert float(found.rounds.floor) == pytest.approx(float(floor), rel=1e-12)
        return
    assert found.rounds.smallest
    assert value(**given, T=found.rounds.found) <= Fraction(eps, 40)
    if found.rounds.found > 1:
        assert value(**given, T=found.rounds.found - 1) > Fraction(eps, 40)


def test_the_smallest_at_the_best_step_of_each_number_of_rounds():
    found = rounds(THM_37, "4", **GIVEN)
    assert found.rounds.smallest
    assert found.step is not None
    scan = next(T for T in range(1, 10**4) if value(**GIVEN, T=T) <= 4)
    assert found.rounds.found == scan


def test_reached_at_equality():
    # L F_0/T alone: 4 F_0/(T K gamma) + ... with no noise; T = 800 exactly
    given = {**GIVEN, "sigma_u2": 0, "sigma_v2": 0, "b2": 0, "gamma": "1/160"}
    found = rounds(THM_37, "128/800", **given)
    assert found.rounds.found == 800
    assert rounds(THM_37, str(Fraction(128, 800) - Fraction(1, 10**9)), **given).rounds.found == 801


def test_a_bound_after_t_rounds_counts_t():
    given = "the recursion taken as given, the same C"
    found = rounds("fedplt/decaying-step", "1/100", reading=given, z="1/2", B_step=1, D_0=1)
    assert (found.rounds.name, found.rounds.found) == ("t", 499)
    assert found.rounds.smallest


def test_a_logarithm_is_not_shown_to_fall():
    given = {"n": 100, "K": 5, "L": 1, "mu": "1/10", "p_mean": "1/2", "D_opt(0)": 1}
    given |= {"zeta_star2": 1, "nu_star2": 1, "sigma2": 1}
    found = rounds("submodel/thm-1", "1/10", "rate", **given)
    assert not found.rounds.smallest
    T = found.rounds.found

    def bound(T):
        log = sp.log(T)
        first = 16 * log / (sp.Rational(1, 400) * 100 * T) * sp.Rational(6, 5)
        second = 48 * log**2 / (sp.Rational(1, 8000) * T**2) * (1 + sp.Rational(1, 10))
        return float((sp.Integer(1) / T + first + second).evalf(30))

    assert bound(T) <= 0.1 < bound(T - 1)


def test_conditions_are_checked_where_the_rounds_end():
    given = {k: v for k, v in GIVEN.items() if k not in ("m", "b2")}
    with pytest.raises(
        FedboundsError, match=r"at T = \d+: .*eta_u >= Max\(T, .*fails: 1000 against"
    ):
        rounds("personalization/thm-3.11", "1/10", "a", eta_u=1000, B_0=1, **given)


@pytest.mark.parametrize(
    ("to", "more", "said"),
    [
        ("0", {}, "--to is 0; expected a number > 0"),
        ("x", {}, "--to is 'x'; expected an integer"),
        ("1", {"T": 5}, "T is 5; expected left out: --to looks for it"),
    ],
)
def test_bad_input_is_told(to, more, said):
    with pytest.raises(FedboundsError, match=said):
        rounds(THM_37, to, **GIVEN, **more)


def test_a_bound_without_rounds_is_told():
    with pytest.raises(FedboundsError, match="does not depend on the number of rounds"):
        rounds("personalization/eq-A.7", "1", K=2, m=1, sigma_u2=1)
