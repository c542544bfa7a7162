"""Conditions hold at equality, fail just outside with both sides shown, exactly where numbers are."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from flint import arb, ctx, fmpq
from hypothesis import given
from hypothesis import strategies as st
from personal_cases import alike, case, coupled, quadratics, run, sizes
from set_ups import choice

from fedbounds.facts import Constant, Fact
from fedbounds.problems.constants import OF_BLOCKS, ConstantValue
from fedbounds.theory.language.claims import Condition, Part
from fedbounds.theory.language.registry import claim, setups
from fedbounds.theory.language.symbols import (
    G_u,
    K,
    L,
    T,
    eta_u,
    eta_v,
    gamma,
    gamma_u,
    gamma_v,
    m,
    n,
    t,
)
from fedbounds.theory.personalization.glossary import GLOSSARY
from fedbounds.theory.personalization.symbols import E
from fedbounds.verify.decide import conditions
from fedbounds.verify.decide.conditions import (
    EQUALITY,
    failure,
    in_balls,
    raise_precision,
    refusal,
    sides,
)
from fedbounds.verify.decide.measurement import measure, numbers_of
from fedbounds.verify.measure.evaluate import Numbers
from fedbounds.verify.setups.plan import case_of
from fedbounds.vocabulary import Index, Provenance, Side, Verdict


def floats(**values):
    return Numbers({k: float(v) for k, v in values.items()}, {})


def exact(**values):
    return Numbers({k: fmpq(v) for k, v in values.items()}, {}, lambda p, q: fmpq(p, q))


SHORT = Condition(gamma, "<=", 1 / (32 * L * K))
SAME = Condition(gamma_u * eta_u, "==", gamma_v * eta_v)
LONG = Condition(eta_u, ">=", sp.sqrt(m))


# ---- floats


@given(st.floats(0.01, 100), st.integers(1, 50), st.sampled_from([-1e-13, 0.0, 1e-13]))
def test_floats_at_equality_hold_from_either_side(smooth, steps, off):
    edge = 1 / (32 * smooth * steps)
    assert failure(SHORT, floats(gamma=edge * (1 + off), L=smooth, K=steps)) is None
    assert failure(LONG, floats(eta_u=np.sqrt(steps) * (1 + off), m=steps)) is None


@given(st.floats(0.01, 100), st.integers(1, 50), st.floats(3e-12, 1.0))
def test_floats_just_outside_fail(smooth, steps, off):
    edge = 1 / (32 * smooth * steps)
    assert failure(SHORT, floats(gamma=edge * (1 + off), L=smooth, K=steps)) is not None
    assert failure(SHORT, floats(gamma=edge * (1 - off), L=smooth, K=steps)) is None
    assert failure(LONG, floats(eta_u=np.sqrt(steps) * (1 - off), m=steps)) is not None
    assert failure(LONG, floats(eta_u=np.sqrt(steps) * (1 + off), m=steps)) is None


@pytest.mark.parametrize("off", [-1e-9, 1e-9])
def test_an_equality_fails_on_both_sides(off):
    same = floats(gamma_u=0.1, eta_u=3.0, gamma_v=0.15, eta_v=2.0)
    assert failure(SAME, same) is None
    assert failure(SAME, Numbers(dict(same.constants) | {"eta_v": 2.0 + off}, {})) is not None


def test_the_tolerance_is_relative():
    tiny = Condition(gamma, "<=", L)
    assert failure(tiny, floats(gamma=2e-20, L=1e-20)) is not None
    assert failure(tiny, floats(gamma=1e20 * (1 + EQUALITY / 2), L=1e20)) is None


def test_zero_against_zero_is_equality():
    for relation in ("<=", ">=", "=="):
        assert failure(Condition(gamma, relation, L), floats(gamma=0, L=0)) is None


def test_a_failure_shows_the_condition_and_both_sides():
    reason = failure(SHORT, floats(gamma=0.5, L=2.0, K=4))
    assert str(SHORT) in reason
    assert "0.5 against 0.00390625" in reason


# ---- exact numbers


@given(st.fractions(min_value="1/100", max_value=100), st.integers(1, 50))
def test_rationals_have_no_tolerance(smooth, steps):
    smooth = fmpq(smooth.numerator, smooth.denominator)
    edge = 1 / (32 * smooth * steps)
    hair = fmpq(1, 10**40)
    assert failure(SHORT, exact(gamma=edge, L=smooth, K=steps)) is None
    assert failure(SHORT, exact(gamma=edge + hair, L=smooth, K=steps)) is not None
    assert failure(SHORT, exact(gamma=edge - hair, L=smooth, K=steps)) is None


@pytest.mark.parametrize("participants", [1, 4, 9, 100])
def test_a_rational_root_is_met_exactly(participants):
    root = fmpq(int(participants**0.5))
    assert failure(LONG, exact(eta_u=root, m=participants)) is None
    assert failure(LONG, exact(eta_u=root - fmpq(1, 10**30), m=participants)) is not None


@given(st.integers(2, 300), st.sampled_from([-1, 1]))
def test_an_irrational_root_is_compared_in_balls(participants, side):
    """Ten digits above the root holds, ten digits below fails, whatever the root."""
    if round(participants**0.5) ** 2 == participants:
        participants += 1
    near = fmpq(round(participants**0.5 * 10**10) + side, 10**10)
    expected = near * near >= participants  # decided without a root
    assert (failure(LONG, exact(eta_u=near, m=participants)) is None) == expected


def test_a_ball_that_is_not_decided_is_no_evidence():
    """A number that agrees with the root to 40 digits from below is never taken to be above it."""
    with ctx.workprec(200):
        digits = str((arb(2).sqrt() * arb(10) ** 40).floor().mid().fmpz())
    below = fmpq(int(digits), 10**40)
    assert below * below < 2
    assert failure(LONG, exact(eta_u=below, m=2)) is not None
    with ctx.workprec(30):
        assert failure(LONG, exact(eta_u=below, m=2)) is not None


def test_an_equality_with_an_irrational_never_holds_in_rationals():
    condition = Condition(eta_u, "==", sp.sqrt(m))
    assert failure(condition, exact(eta_u=fmpq(141421356, 10**8), m=2)) is not None
    assert failure(condition, exact(eta_u=2, m=4)) is None


@pytest.mark.parametrize(("clients", "participants"), [(4, 1), (9, 4), (5, 5), (7, 7)])
def test_a_ratio_of_roots_is_exact_where_it_can_be(clients, participants):
    condition = Condition(eta_v, ">=", sp.sqrt(n / m))
    root = fmpq(round((clients * participants) ** 0.5), participants)
    left, right = sides(condition, exact(eta_v=root, n=clients, m=participants))
    assert left == right == root
    assert failure(condition, exact(eta_v=root, n=clients, m=participants)) is None


def test_a_longest_of_several_is_compared_as_a_whole():
    condition = Condition(eta_u, ">=", sp.Max(T, sp.sqrt(n)))
    assert failure(condition, exact(eta_u=3, T=3, n=2)) is None
    assert failure(condition, exact(eta_u=fmpq(29, 10), T=3, n=2)) is not None
    assert failure(condition, exact(eta_u=3, T=1, n=10)) is not None
    assert failure(condition, exact(eta_u=fmpq(32, 10), T=1, n=10)) is None


def test_a_rational_that_is_the_longest_is_met_exactly_beside_an_irrational_one():
    """7/3 >= max(7/3, sqrt(2)): equality, although one of the two needs a ball."""
    condition = Condition(eta_u, ">=", sp.Max(L, sp.sqrt(n)))
    at_edge = {"eta_u": fmpq(7, 3), "L": fmpq(7, 3), "n": 2}
    assert failure(condition, exact(**at_edge)) is None
    below = at_edge | {"eta_u": fmpq(7, 3) - fmpq(1, 10**30)}
    assert failure(condition, exact(**below)) is not None


def test_balls_enclose_the_numbers_they_stand_for():
    numbers = exact(gamma=fmpq(1, 3), L=fmpq(22, 7))
    for name, ball in in_balls(numbers).constants.items():
        assert arb(ball).contains(numbers.constants[name])
    assert in_balls(numbers).rational(1, 3).contains(fmpq(1, 3))


def test_precision_doubles_up_to_a_limit():
    before = ctx.prec
    try:
        ctx.prec = 64
        seen = []
        while raise_precision():
            seen.append(ctx.prec)
        assert seen == [128, 256, 512, 1024, 2048, 4096]
        assert ctx.prec == 4096
    finally:
        ctx.prec = before


# ---- refusals of instances


def quadratic(*, of=alike, participants=3, **given):
    problem = of(noise="1/10", law="gaussian", **given)
    return case(run(problem, sizes(participants, 2, "1/256", 3, 3), 4))


def refused(instance, part):
    return refusal(part, instance, measure(instance).numbers)


def test_an_instance_inside_is_not_refused():
    for name in ("lem-3.1", "lem-3.4", "lem-3.5", "thm-3.7"):
        assert refused(quadratic(), claim(f"personalization/{name}").parts[0]) is None


def test_a_missing_assumption_is_named():
    found = refused(quadratic(of=coupled), claim("personalization/lem-3.4").parts[0])
    assert found.verdict is Verdict.NOT_APPLICABLE
    assert Fact.DISSIMILARITY in found.reason
    assert "without bound" in found.reason
    found = refused(quadratic(lowest="-1/2"), claim("personalization/thm-3.7").parts[0])
    assert found.verdict is Verdict.NOT_APPLICABLE
    assert Fact.BOUNDED_BELOW in found.reason


def test_a_missing_constant_and_a_missing_quantity_are_named():
    bare = Part(left=G_u(t), right=sp.Symbol("mu") * G_u(t))
    numbers = measure(quadratic()).numbers
    without = Numbers({k: v for k, v in numbers.constants.items() if k != "mu"}, numbers.series)
    found = refusal(bare, quadratic(), without)
    assert (found.verdict, "mu" in found.reason) == (Verdict.NOT_APPLICABLE, True)
    unmeasured = Numbers(numbers.constants, {})
    found = refusal(Part(left=E(t), right=G_u(t)), quadratic(), unmeasured)
    assert found.verdict is Verdict.NOT_APPLICABLE
    assert found.reason.startswith("E, G_u ")


def test_a_failed_condition_is_outside_and_shows_its_sides():
    found = refused(quadratic(participants=2), claim("personalization/lem-3.6").part("b"))
    assert found.verdict is Verdict.OUTSIDE
    assert "m == n" in found.reason
    assert "2 against 3" in found.reason


def test_a_run_from_the_minimiser_is_outside_a_bound_in_F_0():
    problem = quadratics([((1, 0), (0, 1))] * 2, [(1, -1), (-1, 1)])  # at u = 0, v = (1, -1)
    for floats in (True, False):
        own = run(problem, sizes(2, 2, "1/256", 3, 3), 4, start=(0, 1, -1))
        centre = case(own, floats=floats)
        part = claim("personalization/thm-3.7").parts[0]
        numbers = measure(centre).numbers
        assert numbers.constants["F_0"] == 0
        found = refusal(part, centre, numbers)
        assert found.verdict is Verdict.OUTSIDE
        assert "minimiser" in found.reason
        assert refusal(claim("personalization/lem-3.1").parts[0], centre, numbers) is None


def test_the_cosine_satisfies_every_assumption_but_bounded_gradients():
    planned = next(one for one in setups("personalization") if one.name.startswith("cosines"))
    instance = case_of(planned, "")
    numbers = numbers_of(instance, {"G_u": np.ones(2)})
    for assumption in OF_BLOCKS:
        part = Part(left=G_u(t), right=G_u(t), assumptions=(assumption,))
        found = refusal(part, instance, numbers)
        if assumption == Fact.BOUNDED_GRADIENTS:  # it has a quadratic part
            assert found.verdict is Verdict.NOT_APPLICABLE
            assert found.reason.startswith("bounded gradients: ")
        else:
            assert found is None


@pytest.mark.parametrize("off", [-1, 0, 1])
def test_floats_near_an_edge_are_inside_and_rationals_are_on_one_side_of_it(off):
    """1/(32LK), and 2^-60 of it more: no float tells it apart, exact numbers do."""
    part = claim("personalization/thm-3.7").parts[0]
    edge = Fraction(1, 32 * 3) * (1 + Fraction(off, 2**60))
    own = run(alike(2, shared=1), sizes(2, 3, edge, 2, 2), 2)
    instance, converted = case(own), case(own, floats=False)
    assert measure(instance).numbers.constants["L"] == 1
    assert refusal(part, instance, measure(instance).numbers) is None
    found = refusal(part, converted, measure(converted).numbers)
    assert (found is None) == (off <= 0)


@pytest.mark.parametrize(
    ("name", "side", "firm"),
    [
        (Constant.STRONG_CONVEXITY, Side.LOWER, True),
        (Constant.STRONG_CONVEXITY, Side.UPPER, False),
        (Constant.SMOOTHNESS, Side.UPPER, True),
        (Constant.SMOOTHNESS, Side.LOWER, False),
    ],
)
def test_a_constant_on_the_admissible_side_is_firm(name, side, firm, monkeypatch):
    value = ConstantValue(fmpq(1), Provenance.CERTIFIED, side)
    monkeypatch.setattr(conditions, "constants_of", lambda instance: {name: value})
    symbol = GLOSSARY.constants[name.value]
    part = Part(left=symbol, right=2 * symbol, index=Index.POINT)
    point = choice(**{name.value: 1})
    refused = conditions.refusal(part, point, measure(point).numbers)
    assert (refused is None) is firm


def test_a_constant_without_the_sign_of_its_symbol_is_outside():
    variance = GLOSSARY.constants[Constant.VARIANCE_U.value]
    part = Part(left=variance, right=2 * variance)
    for value, word in ((fmpq(-1), "not negative"), (fmpq(0), None), (fmpq(1), None)):
        point = choice(**{variance.name: str(value)})
        refused = refusal(part, point, measure(point).numbers)
        assert (refused is None) == (word is None)
        assert refused is None or (refused.verdict is Verdict.OUTSIDE and word in refused.reason)


def test_numbers_are_asked_for_in_an_order_of_names():
    """Floats that steer a search are rounded as they are asked for, and a hash has no order."""

    class Asked(dict):
        def __contains__(self, name):
            order.append(name)
            return super().__contains__(name)

    order = []
    part = replace(claim("personalization/thm-3.7").parts[0], assumptions=())
    instance = quadratic()
    numbers = measure(instance).numbers
    asked = Numbers(Asked(numbers.constants), Asked(numbers.series), numbers.rational)
    refusal(part, instance, asked)
    constants = order[: len(part.constants)]
    assert len(constants) > 5
    assert constants == sorted(part.constants)
    rest = order[len(constants) :]
    assert rest[: len(part.quantities)] == sorted(part.quantities)
