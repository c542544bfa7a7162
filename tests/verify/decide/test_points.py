"""Claims about parameters alone: judged exactly, against sums written out in fractions."""

from dataclasses import replace
from fractions import Fraction
from functools import cache
from math import isclose, sqrt

import pytest
import sympy as sp
from set_ups import choice

from fedbounds.facts import Fact
from fedbounds.theory.language.catalogue import PAPERS
from fedbounds.theory.language.claims import AS_PRINTED, Condition, read
from fedbounds.theory.language.registry import choices, claim, encoded_claims
from fedbounds.theory.language.symbols import K, L, n
from fedbounds.verify.decide.case import constants_of, evidence_of, parameters_of
from fedbounds.verify.judge.judge import check, concerned, judge
from fedbounds.verify.judge.plan import quick_cases
from fedbounds.verify.search.witness import find_witness
from fedbounds.verify.setups.choices import choice_case
from fedbounds.vocabulary import Method, Verdict

GEO_35, GEO_43 = (claim(f"personalization/lem-{x}-geo") for x in ("3.5", "4.3"))
REMARK = claim("personalization/rem-3.9")


def outcomes(found, at):
    (judgement,) = judge((found,), at).judgements
    return {outcome.part: outcome for outcome in judgement.outcomes}


def fraction(text):
    return Fraction(str(text))


# ---- geometric sums


def sides(steps, done):
    """What the displays compare, by adding up fractions."""
    growth = 1 + Fraction(2, steps - 1)
    power = [Fraction(steps - 1, 2) * growth**r for r in range(steps + 1)]
    total = [sum((growth**r for r in range(upto)), Fraction(0)) for upto in (done, steps)]
    return {
        ("3.5", "sum"): (total[0], power[steps - 1]),
        ("3.5", "power k"): (total[0], power[done]),
        ("3.5", "last power"): (power[done], power[steps - 1]),
        ("3.5", "4(K-1)"): (power[steps - 1], Fraction(4 * (steps - 1))),
        ("4.3", "all steps"): (total[0], total[1]),
        ("4.3", "last power"): (total[1], power[steps - 1]),
    }


@pytest.mark.parametrize("steps", [2, 3, 4, 7, 12])
def test_geometric_sums_are_judged_as_fractions_say(steps):
    for done in range(1, steps):
        expected = sides(steps, done)
        for label, found in (("3.5", GEO_35), ("4.3", GEO_43)):
            judged = outcomes(found, choice(K=steps, j=done))
            assert judged.keys() == {name for key, name in expected if key == label}
            for name, outcome in judged.items():
                left, right = expected[label, name]
                verdict = Verdict.NOT_VIOLATED if left <= right else Verdict.VIOLATED
                assert outcome.verdict is verdict, (steps, done, name)
                # long fractions are reported rounded
                assert isclose(float(fraction(outcome.left)), left, rel_tol=1e-15)
                assert isclose(float(fraction(outcome.right)), right, rel_tol=1e-15)


@pytest.mark.parametrize(("steps", "done"), [(1, 1), (3, 3)])
def test_outside_its_conditions_a_sum_is_not_judged(steps, done):
    for outcome in outcomes(GEO_35, choice(K=steps, j=done)).values():
        assert outcome.verdict is Verdict.OUTSIDE


def test_a_point_that_lacks_a_parameter_is_no_evidence():
    for outcome in outcomes(REMARK, choice(K=3, j=2)).values():
        assert outcome.verdict is Verdict.NOT_APPLICABLE
        assert "no value for" in outcome.reason


# ---- the bound as a function of its parameters


def bound(n, m, K, T, L, F_0, b2, s_u, s_v):
    level = 4 * (n - m) * K * b2 / (m * n) + s_u / m + m * s_v / n
    return 8 * sqrt(3 * level * L * F_0 / (K * T)) + 129 * L * F_0 / T


VALUES = {
    "n": 6,
    "m": 2,
    "K": 3,
    "T": 50,
    "L": 2,
    "F_0": 5,
    "b^2": 3,
    "sigma_u^2": 4,
    "sigma_v^2": 1,
}


@pytest.mark.parametrize("change", [{}, {"b^2": 0}, {"sigma_v^2": 50, "sigma_u^2": 0}])
@pytest.mark.parametrize("name", ["L", "b^2", "sigma_u^2", "sigma_v^2"])
def test_a_larger_constant_slows_down(name, change):
    values = VALUES | change
    outcome = outcomes(REMARK, choice(**values))[name]
    before = bound(*values.values())
    after = bound(*(values | {name: 2 * values[name]}).values())
    if not values[name]:  # the same root on both sides, which is decided exactly
        assert outcome.verdict is Verdict.NOT_VIOLATED
        assert outcome.reason == "both sides are equal"
        return
    assert float(outcome.left) == pytest.approx(before, rel=1e-12)
    assert float(outcome.right) == pytest.approx(after, rel=1e-12)
    assert outcome.verdict is Verdict.NOT_VIOLATED
    assert before < after


@pytest.mark.parametrize("change", [{}, {"sigma_v^2": 50, "sigma_u^2": 0, "b^2": 0}])
def test_more_participants_are_judged_by_the_bound_itself(change):
    """With personal noise alone the bound grows with m."""
    values = VALUES | change
    outcome = outcomes(REMARK, choice(**values))["m"]
    better = bound(*(values | {"m": 3}).values()) <= bound(*values.values())
    assert better == (not change)
    assert outcome.verdict is (Verdict.NOT_VIOLATED if better else Verdict.VIOLATED)


def test_equal_roots_are_told_apart_from_smaller_ones():
    """A difference of 1e-30 shows at some precision."""
    part = replace(REMARK.part("L"), left=sp.sqrt(L), right=sp.sqrt(L) - sp.Rational(1, 10**30))
    planted = replace(REMARK, parts=(part,), readings=(AS_PRINTED,))
    assert check(planted, choice(**VALUES)).verdict is Verdict.VIOLATED
    closer = replace(planted, parts=(replace(part, left=part.right, right=part.left),))
    assert check(closer, choice(**VALUES)).verdict is Verdict.NOT_VIOLATED


# ---- points as instances


def test_a_point_is_measured_without_a_run():
    at = choice(K=3, j=2)
    assert parameters_of(at) == {"K": 3, "j": 2}
    assert constants_of(at) == {}
    assert all(evidence_of(at, assumption).holds for assumption in Fact)
    assert (at.algorithm_name, at.method) == ("bound", Method.RATIONAL)


@cache
def planned():
    every = quick_cases("personalization")
    return [case for case in every if case.algorithm_name == "bound"]


def test_planned_choices_reach_every_part():
    for found in (GEO_35, GEO_43, REMARK):
        seen = set()
        for at in planned()[::5]:
            (judgement,) = judge((found,), at).judgements
            firm = (Verdict.VIOLATED, Verdict.NOT_VIOLATED)
            seen |= {o.part for o in judgement.outcomes if o.verdict in firm}
        assert seen == {part.name for part in read(found, found.readings[0])}
    names = [at.name for at in planned()]
    assert len(set(names)) == len(names)


FIRST = "parameters n=3, m=2, K=15, T=60, L=9, F_0=1000, sigma_v^2=5, b^2=0, sigma_u^2=0"


def test_what_is_planned_is_the_same_in_every_process():
    """Their random numbers are those of their names."""
    first = next(at for at in planned() if "n=3, m=2" in at.name)
    assert first.name == FIRST
    assert {x: str(y) for x, y in parameters_of(first).items()} == dict(
        pair.split("=") for pair in first.name.removeprefix("parameters ").split(", ")
    )


def test_the_smallest_witness_of_a_planted_error_is_found():
    """(K-1)/2 (1 + 2/(K-1))^(K-1) <= 2 (K-1) breaks first at K = 3: 4 <= 4 holds, K = 4 does not."""
    part = replace(GEO_35.part("4(K-1)"), right=2 * (K - 1))
    planted = replace(GEO_35, parts=(part,))
    expected = next(
        steps for steps in range(2, 99)
        if Fraction(steps - 1, 2) * (1 + Fraction(2, steps - 1)) ** (steps - 1) > 2 * (steps - 1)
    )  # fmt: skip
    suspects = planned()
    witness = find_witness(planted, AS_PRINTED, suspects, examples=1)
    assert dict(witness.judgement.instance.setup.values)["K"] == expected
    held = replace(
        part, conditions=(*part.conditions, Condition(K, "<=", sp.Integer(expected - 1)))
    )
    assert find_witness(replace(planted, parts=(held,)), AS_PRINTED, suspects, examples=1) is None
    assert n.name not in part.constants


def test_a_choice_concerns_the_claims_of_its_theory_alone():
    """Whichever papers are judged together: a claim has the same cases."""
    every = tuple(one for paper in PAPERS for one in encoded_claims(paper))
    for paper in PAPERS:
        for one in choices(paper):
            case = choice_case(one.name, one.choice)
            assert concerned(every, case) == concerned(encoded_claims(paper), case)
            assert concerned(every, case)
