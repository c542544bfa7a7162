"""Bounds of claims by hand, in fractions; numbers that are missing, wrong or outside."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.bounds import summands
from fedbounds.theory.language.inputs import exact
from fedbounds.theory.language.registry import claim
from fedbounds.theory.language.symbols import F_0, K, L, T, gamma, m, n
from fedbounds.vocabulary import Provenance

THM_37 = "personalization/thm-3.7"
GIVEN = {
    **dict(n=100, m=10, K=5, T=1000, L=1, F_0=1, sigma_u2=1, sigma_v2=1, b2=1),
    "gamma": "1/200",
}
POSITIVE = st.fractions(Fraction(1, 20), 20, max_denominator=20)
COUNTS = st.integers(1, 30)


@settings(max_examples=25, deadline=None)
@given(COUNTS, COUNTS, COUNTS, COUNTS, *[POSITIVE] * 6)
def test_theorem_37_term_by_term(m, more, K, T, L, F_0, s_u, s_v, b2, share):
    n, step = m + more - 1, share / 20 / (32 * L * K)
    found = claim(THM_37).evaluate(
        n=n, m=m, K=K, T=T, L=L, F_0=F_0, sigma_u2=s_u, sigma_v2=s_v, b2=b2, gamma=step
    )
    transient = 4 * F_0 / (T * K * step)
    noise = 12 * L * step * (s_u / m + Fraction(m, n) * s_v)
    drift = 128 * L**2 * K * (K - 1) * b2 / m * step**2  # eta_u^2 = m, the least allowed
    spread = 12 * L * step * Fraction(4 * (n - m), m * n) * K * b2
    (part,) = found.parts
    values = {term.name: term.value.number for term in part.terms}
    assert values == {"transient": transient, "noise": noise, "heterogeneity": drift + spread}
    assert part.value.number == transient + noise + drift + spread
    assert part.value.provenance is Provenance.EXACT
    assert part.dominating.value.number == max(values.values())
    assert sum(term.share for term in part.terms) == pytest.approx(1)
    assert not part.outside


def test_corollary_38_takes_its_own_step_size():
    numbers = {name: value for name, value in GIVEN.items() if name != "gamma"}
    (part,) = claim("personalization/cor-3.8").evaluate(**numbers).parts
    level = 4 * 90 * 5 / 1000 + 1 / 10 + 10 / 100
    assert float(part.value) == pytest.approx(8 * (3 * level / 5000) ** 0.5 + 0.129, rel=1e-14)
    assert part.value.provenance is Provenance.CERTIFIED
    assert "gamma" in {d.name for d in part.derived}


def test_another_reading_is_another_bound():
    given = {**GIVEN, "f(0)": 3, "f(T)": 1}
    del given["F_0"]
    found = claim(THM_37).evaluate(reading="F_0 = f(u^0, v^0) - E f(u^T, v^T)", **given)
    (first,) = claim(THM_37).evaluate(**{**GIVEN, "F_0": 2}).parts
    assert found.parts[0].value == first.value
    with pytest.raises(FedboundsError, match="unknown reading .*G_v summed over clients"):
        claim(THM_37).evaluate(reading="G_v summed", **GIVEN)


def test_everything_missing_is_listed_at_once_with_its_meaning():
    with pytest.raises(FedboundsError) as error:
        claim(THM_37).evaluate(n=10, m=3)
    said = str(error.value)
    for name in (
        "K (local steps per round)",
        "T (rounds)",
        "b^2 (gradient dissimilarity)",
        "gamma ",
    ):
        assert name in said
    assert " n (" not in said
    assert "eta_u (" not in said  # a condition gives it


def test_measured_numbers_are_named_and_may_be_given():
    with pytest.raises(FedboundsError, match=r"right side is measured: E\(t\), G_u\(t\), G_v\(t\)"):
        claim("personalization/lem-3.2").evaluate(L=1)
    given = {"E(t)": 2, "G_u( t )": 1, "G_v(t)": 0}
    found = claim("personalization/lem-3.2").evaluate(
        L=1, K=2, n=4, m=2, gamma="1/100", part="u", **given
    )
    assert found.parts[0].value.number == -Fraction(1, 100) + Fraction(2, 400)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"m": 200}, "m is 200; expected at most n = 100"),
        ({"m": 0}, "m .* is 0; expected an integer > 0"),
        ({"K": "5/2"}, "K .* is 5/2; expected an integer > 0"),
        ({"sigma_u2": -1}, "sigma_u.2 .* is -1; expected a number >= 0"),
        ({"gamma": "1/100"}, r"gamma <= 1/\(32\*K\*L\) fails: 0.01 against 0.00625"),
        ({"eta_u": 3}, r"eta_u >= sqrt\(m\) fails: 3 against 3.16228"),
        ({"gamma_u": 1, "eta_u": 4}, r"gamma == eta_u\*gamma_u fails: 0.005 against 4"),
        ({"gama": 1}, "unknown symbol of personalization/thm-3.7 'gama'; the nearest are gamma"),
        ({"sigma_u^2": 1}, "sigma_u.2 is given twice"),
        ({"L": "one"}, "L is 'one'; expected an integer"),
        ({"part": "u"}, "unknown part"),
    ],
)
def test_bad_input_is_told(change, said):
    with pytest.raises(FedboundsError, match=said):
        claim(THM_37).evaluate(**{**GIVEN, **change})


def test_outside_the_conditions_says_so():
    (part,) = claim(THM_37).evaluate(outside=True, **{**GIVEN, "gamma": 1}).parts
    assert part.value.number > 200
    assert part.outside == ("gamma <= 1/(32*K*L) fails: 1 against 0.00625",)


@pytest.mark.parametrize("claim_id", ["personalization/lem-A.2", "submodel/lem-1"])
def test_what_bounds_nothing_is_an_error(claim_id):
    with pytest.raises(FedboundsError, match="no bound to evaluate"):
        claim(claim_id).evaluate()


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("1/3", Fraction(1, 3)),
        ("1e-3", Fraction(1, 1000)),
        (" 0.1 ", Fraction(1, 10)),
        (0.1, Fraction(1, 10)),
        (np.float64(0.1), Fraction(1, 10)),
        (np.int64(7), Fraction(7)),
        (Fraction(2, 7), Fraction(2, 7)),
        (Decimal("0.25"), Fraction(1, 4)),
        (sp.Rational(2, 7), Fraction(2, 7)),
    ],
)
def test_numbers_are_read_exactly(given, expected):
    found = exact("x", given)
    assert (found.numerator, found.denominator) == (expected.numerator, expected.denominator)


@pytest.mark.parametrize("given", ["", "1/0", "nan", float("inf"), "1e999999999", True, None, "x"])
def test_what_is_no_number_is_refused(given):
    with pytest.raises(FedboundsError, match="x is .*expected an integer, a decimal"):
        exact("x", given)


def test_summands_keep_differences_whole():
    e = 12 * L * gamma * (4 * (n - m) * K / (m * n) + F_0 / m) + K * (K - 1)
    found = summands(e)
    assert sp.expand(sp.Add(*found) - e) == 0
    assert len(found) == 3
    assert any(part.has(K - 1) for part in found)
    assert summands(F_0 / T) == (F_0 / T,)


def test_regimes_that_do_not_add_up_are_found():
    theorem = claim(THM_37)
    name, formula = theorem.regimes[0]
    wrong = replace(theorem, regimes=((name, 2 * formula), *theorem.regimes[1:]))
    with pytest.raises(FedboundsError, match="do not add up"):
        wrong.evaluate(**GIVEN)


def test_a_part_without_its_numbers_has_a_reason():
    found = claim("submodel/thm-1").evaluate(
        K=5, n=100, L=1, mu="1/10", p_mean="1/2", zeta_star2=1, nu_star2=1, sigma2=1, eta="1/100",
        t=3, **{"D_opt(0)": 1},
    )  # fmt: skip
    assert [part.name for part in found.parts] == ["distance"]
    reasons = dict(found.without)
    assert "D_opt(t)" in reasons["gap"]
    assert "T (rounds)" in reasons["rate"]


def test_the_definition_of_a_step_size_gives_the_inner_ones():
    lemma = claim("personalization/lem-3.5")
    shared = {"L": 1, "K": 3, "n": 4, "sigma_u2": 1, "sigma_v2": 1, "B(t)": 1, "G_v(t)": 1}
    (whole,) = lemma.evaluate(gamma="1/50", eta_u=2, eta_v=4, **shared).parts
    (inner,) = lemma.evaluate(gamma_u="1/100", gamma_v="1/200", **shared).parts
    assert whole.value == inner.value
