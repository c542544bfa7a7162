"""Set-ups of many rounds against every outcome by hand; what is certified, said and refused."""

from dataclasses import replace
from fractions import Fraction as F

import numpy as np
import pytest
import sympy as sp
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st
from many_runs import ByHand, fractions, many

from fedbounds.errors import FedboundsError
from fedbounds.problems.linear import rational
from fedbounds.theory.fedplt import assumed
from fedbounds.theory.fedplt.long_runs import (
    DECAYING,
    LONGER,
    PARTIAL,
    own_minimisers,
    partial_masks,
    planned,
    run_of,
    setup,
    shared_minimiser,
)
from fedbounds.theory.fedplt.results import CONSTANT_STEP
from fedbounds.theory.fedplt.rounds import RECURSION
from fedbounds.theory.fedplt.symbols import rho_min, z
from fedbounds.theory.language.registry import setups
from fedbounds.theory.language.setups import Largest, Least, Says, dot
from fedbounds.theory.language.symbols import D_W, G2, eta, t, tau
from fedbounds.verify.decide.case import find, without_floats
from fedbounds.verify.judge.judge import judge
from fedbounds.verify.measure.known import MissingError
from fedbounds.verify.setups.found import InFloats, view_of
from fedbounds.verify.setups.instance_file import from_data, to_data
from fedbounds.verify.setups.plan import case_of
from fedbounds.vocabulary import Method, Verdict

FULL, SPLIT = ((1, 1), (1, 1)), ((1, 0), (0, 1))
COUPLED = (((2, 1), (1, 2)), ((1, 0), (0, 3)))
SLOPES = ((-1, 1), (1, -6))


def coupled(masks=PARTIAL, noise="1/2", tau=2, rounds=2, start=(3, 2), **step):
    step = step or {"eta": "1/8"}
    return run_of(COUPLED, SLOPES, start, rounds, masks=masks, noise=noise, tau=tau, **step)


# ---- quantities


@pytest.mark.parametrize("masks", [FULL, PARTIAL, SPLIT])
@pytest.mark.parametrize("noise", [0, "1/2"])
@pytest.mark.parametrize("tau", [1, 2])
def test_moments_are_those_of_every_outcome(masks, noise, tau):
    horizon = 1 if noise and tau > 1 else 2
    run = coupled(masks, noise, tau, horizon)
    distance, divergence, _ = ByHand(run).moments([F(1, 8)] * horizon)
    known = many(setup(run))
    assert fractions(known.series("D_W")) == distance
    assert fractions(known.series("V_W")) == divergence


@pytest.mark.parametrize(
    ("steps", "each"), [(DECAYING, [F(1, 3), F(1, 6)]), (LONGER, [F(1, 3), F(2, 9)])]
)
def test_steps_by_a_rule_are_those_of_every_round(steps, each):
    run = coupled(tau=1, eta=steps, z=3)
    known = many(setup(run))
    assert fractions(known.series("D_W")) == ByHand(run).moments(each)[0]
    assert fractions(known.series("eta_t")) == each


def test_a_rule_may_name_constants_of_the_problem_and_nothing_else():
    run = coupled(tau=1, eta="1/(L*(t+4))", z=1)  # L = 3
    assert fractions(many(setup(run)).series("eta_t")) == [F(1, 12), F(1, 15)]
    for wrong, why in (("1/(q*(t+1))", "names q"), ("1/(t - 1)", "divides by 0")):
        with pytest.raises(FedboundsError, match=why):
            many(setup(coupled(tau=1, eta=wrong, z=1)))
    with pytest.raises(FedboundsError, match="no expression"):
        coupled(tau=1, eta="1/(z*(t+1", z=1)


@given(
    tau=st.integers(1, 4),
    power=st.integers(2, 8),
    steps=st.sampled_from([None, DECAYING, LONGER]),
    noise=st.sampled_from([0, "1/2"]),
    masks=st.sampled_from([FULL, PARTIAL]),
)
@settings(max_examples=15, deadline=None)
def test_floats_are_within_their_bound(tau, power, steps, noise, masks):
    step = {"eta": steps, "z": 2} if steps else {"eta": f"1/{2**power}"}
    own = setup(coupled(masks, noise, tau, 25, **step))
    floats, exact = many(own, floats=True), many(own)
    for name in ("D_W", "V_W"):
        series, bounds = floats.series(name), floats.errors_of(name)
        off = [abs(rational(x) - y) for x, y in zip(series, exact.series(name), strict=True)]
        assert all(x <= rational(bound) for x, bound in zip(off, bounds, strict=True))
        assert max(bounds) <= 1e-9 * series.max()
    assert floats.errors_of("eta_t") is None  # exact


def test_a_run_that_overflows_says_where_and_bounds_nothing():
    run = shared_minimiser(3_000, noise="1/2", tau=1, eta=3)
    found = find(InFloats(setup(run)))
    assert 100 < found.diverged_at < 2_000
    assert len(found.series["D_W"]) == found.diverged_at
    assert "diverges" in found.undefined["G^2"]


# ---- constants: the same definitions as where every outcome is listed


def listed(run, bounded="global"):
    """The same run, every outcome listed."""
    own = setup(run, bounded)
    chosen = tuple((x, y) for x, y in own.chosen if x != "C_rate")
    return replace(own, view="rounds", chosen=chosen)


@pytest.mark.parametrize("bounded", ["global", "local"])
def test_without_noise_constants_are_those_of_the_listed_models(bounded):
    """But for digits that a bound leaves out."""
    run = partial_masks(6, "1/64", 2)
    every, own = (find(x).parameters for x in (listed(run, bounded), setup(run, bounded)))
    assert every["G^2"] <= own["G^2"] <= every["G^2"] * (1 + fmpq(1, 2**18))
    assert every["rho_min"] * (1 - fmpq(1, 2**18)) <= own["rho_min"] <= every["rho_min"]
    exact = every.keys() - {"G^2", "rho_min", "nu_max", "z", "B_step", "w_gap", "j"}
    assert exact >= {"D_0", "Gamma", "Gamma_2", "Lambda", "alpha_k", "psi_max", "psi_min", "n"}
    assert all(every[name] == own[name] for name in exact)
    floats = find(InFloats(setup(run, bounded))).parameters
    assert every["G^2"] <= floats["G^2"] <= every["G^2"] * (1 + fmpq(1, 2**30))
    assert floats["rho_min"] <= every["rho_min"]


@pytest.mark.parametrize("masks", [FULL, PARTIAL])
@pytest.mark.parametrize("tau", [1, 2])
@pytest.mark.parametrize("start", [(3, 2), (0, 0)])
@pytest.mark.parametrize("floats", [False, True])
def test_no_model_that_is_visited_has_a_larger_gradient_than_the_bound(masks, tau, start, floats):
    """By hand, at every sign of the noise; and the bound is not far."""
    run = coupled(masks, "1/2", tau, 2 if tau == 1 else 1, start)
    hand = ByHand(run)
    _, _, seen = hand.moments([F(1, 8)] * run.rounds)
    largest = {
        "global": max(sum(x * x for x in hand.wide(W)) for _, W in seen),
        "local": max(sum(x * x for x in hand.gradient(k, W)) for k, W in seen),
    }
    for bounded, square in largest.items():
        own = setup(run, bounded)
        bound = find(InFloats(own) if floats else own).parameters["G^2"]
        bound = F(int(bound.p), int(bound.q))
        assert square <= bound <= F(3, 2) * square


def test_the_alignment_is_below_that_of_every_model_with_noise_too():
    run = coupled(PARTIAL)
    hand = ByHand(run)
    _, _, seen = hand.moments([F(1, 8)])
    ratios = []
    for k, W in seen:
        x, g = [a - b for a, b in zip(W, hand.best, strict=True)], hand.gradient(k, W)
        whole = sum(a * b for a, b in zip(g, x, strict=True))
        ratios.append(sum(a * b * m for a, b, m in zip(g, x, PARTIAL[k], strict=True)) / whole)
    own = find(setup(replace(run, rounds=1))).parameters["rho_min"]
    assert 0 < F(int(own.p), int(own.q)) <= min(ratios)


@pytest.mark.parametrize("steps", [{"eta": "1/16"}, {"eta": DECAYING, "z": 8}])
def test_far_rounds_are_bounded_too(steps):
    """Sampled: 40 rounds have too many outcomes."""
    run = coupled(FULL, "1/2", 2, 40, (1, 2), **steps)
    hand, rng = ByHand(run), np.random.default_rng(0)
    bound = float(find(setup(run)).parameters["G^2"])
    largest = 0.0
    H, h = (np.array(x, dtype=float) for x in (hand.H, hand.h))
    c = np.array(hand.c, dtype=float)
    W = np.tile(np.array(hand.start, dtype=float), (500, 1))
    for at in range(40):
        size = 1 / 16 if "z" not in steps else 1 / (8 * (at + 1))
        after = np.zeros_like(W)
        for k in range(2):
            own = W
            for s in range(3):
                wide = sum(c[j] * (own @ H[j] + h[j]) for j in range(2))
                largest = max(largest, float((wide**2).sum(axis=1).max()))
                if s < 2:
                    noise = rng.choice([-0.5, 0.5], W.shape)
                    own = own - size * (own @ H[k] + h[k] + noise)
            after += c[k] * own
        W = after
    assert largest <= bound <= 8 * largest


def test_a_wrong_support_would_be_seen(monkeypatch):
    """Planted: noise half as large as it is."""
    from fedbounds.verify.measure import reach

    run = coupled(FULL, "1/2", 1, 2, (0, 0))
    _, _, seen = ByHand(run).moments([F(1, 8)] * 2)
    largest = max(sum(x * x for x in ByHand(run).wide(W)) for _, W in seen)
    right = reach._largest
    monkeypatch.setattr(reach, "_largest", lambda source: right(source) / 8)
    bound = find(setup(run)).parameters["G^2"]
    assert F(int(bound.p), int(bound.q)) < largest


def test_gaussian_noise_leaves_gradients_unbounded():
    run = coupled(FULL)
    data = {**dict(run.problem.data), "noise": "1/2", "law": "gaussian"}
    noisy = replace(run, problem=replace(run.problem, data=tuple(data.items())))
    found = find(setup(noisy))
    assert found.evidence[assumed.GLOBAL_GRADIENT].holds is None
    assert "unbounded" in found.undefined["G^2"]
    assert not {"G^2", "B_step"} & found.parameters.keys()
    assert found.parameters["rho_min"] == 1  # whatever is visited


# ---- statements: true, false, or not known


@pytest.mark.parametrize(
    ("run", "bounded", "assumption", "holds"),
    [
        (coupled(FULL), "global", assumed.ALIGNED, True),
        (coupled(PARTIAL), "global", assumed.ALIGNED, True),  # at every sign of the noise
        (coupled(PARTIAL, 4), "global", assumed.ALIGNED, None),  # models are not known enough
        (coupled(FULL), "global", assumed.GLOBAL_GRADIENT, True),
        (coupled(FULL), "global", assumed.LOCAL_GRADIENTS, False),
        (coupled(FULL), "local", assumed.LOCAL_GRADIENTS, True),
        (coupled(FULL), "global", assumed.ALIGNED_COMPENSATED, True),
        (partial_masks(5, "1/64"), "global", assumed.ALIGNED, True),
        (partial_masks(5, "1/64", -1, "1/2"), "global", assumed.ALIGNED, False),
        (coupled(FULL), "global", assumed.SINGLE_STEP, False),
        (coupled(FULL), "global", assumed.EQUAL_ATTENUATION, True),
        (coupled(FULL), "global", assumed.DECAYING_STEPS, False),
        (coupled(FULL, eta=DECAYING, z=1), "global", assumed.DECAYING_STEPS, True),
        (coupled(FULL, eta=LONGER, z=1), "global", assumed.DECAYING_STEPS, False),
    ],
)
def test_an_assumption_is_said_to_hold_where_it_does(run, bounded, assumption, holds):
    for own in (setup(run, bounded), InFloats(setup(run, bounded))):
        found = find(own).evidence[assumption]
        assert found.holds is holds, found.reason
        assert found.holds or "round" in found.reason or "no value" in found.reason


def test_steps_of_a_z_larger_than_the_alignment_allows_are_refused():
    """With full masks the least rho_k is 1, and mu is 1."""
    for own, holds in (("1/2", True), (1, True), (2, False)):
        run = own_minimisers(5, noise="1/2", eta=DECAYING, z=own)
        assert find(setup(run)).evidence[assumed.ALIGNED].holds is holds
    with pytest.raises(FedboundsError, match="z > 0"):
        find(setup(own_minimisers(5, noise="1/2", eta=DECAYING, z=-1)))


def test_a_bound_from_one_side_decides_from_that_side_alone():
    run = coupled(FULL, rounds=30)
    known = many(setup(run), floats=True)
    wide = Largest(*known.constants["G^2"].args)
    low, high = known._ends(wide, {})
    assert low < high
    assert known.holds(Says(G2, ">=", wide)) == (True, "")
    below, between = (sp.Rational(int(x.p), int(x.q)) for x in (low - 1, (low + high) / 2))
    assert known.holds(Says(wide, "<=", below))[0] is False
    verdict, reason = known.holds(Says(wide, ">", between))
    assert verdict is None
    assert "not clear" in reason or "fails" in reason
    with pytest.raises(MissingError, match="one side"):
        known.number(1 / wide)
    assert known.holds(Says(tau, "==", tau))[0] is True
    assert known.holds(Says(D_W(t), ">", D_W(t) + 1))[0] is False
    verdict, reason = known.holds(Says(D_W(t), "==", D_W(t) + 0 * eta))
    assert verdict is None or verdict is True


def test_a_number_read_off_floats_is_none():
    """In rationals it is one; up to rounding it would pass for exact."""
    both = [many(setup(coupled(FULL)), floats=floats) for floats in (False, True)]
    assert both[0].number(D_W(1)) == both[0].series("D_W")[1]
    with pytest.raises(MissingError, match="known up to rounding"):
        both[1].number(D_W(1))


def test_where_another_is_positive_counts_what_surely_is():
    """The least of x over what is positive, against the models themselves."""
    run = shared_minimiser(4, eta="1/64", masks=PARTIAL)
    known = many(setup(run))
    least = known.constants["rho_min"].value
    first = least.args[0]
    top, bottom = sp.fraction(first)
    both = known._bounded(Least(sp.Tuple(first, bottom)), {})
    alone = known._bounded(Least(first), {})
    assert both == alone  # the divisor is positive throughout
    with pytest.raises(MissingError, match="nothing visited"):
        known._bounded(Least(sp.Tuple(first, -bottom)), {})
    assert top.has(dot)


# ---- refusals are records


def test_a_step_that_is_not_affine_is_not_measured_and_says_why(monkeypatch):
    from fedbounds.algorithms import fedplt

    def squared(problem, p, state, drawn, see):
        after = fedplt.step(problem, p, state, drawn, see)
        return {"x": after["x"] * after["x"]}

    own = replace(fedplt.ROUNDS, step=squared)
    monkeypatch.setattr(fedplt, "ROUNDS", own)
    found = find(setup(coupled(FULL)))
    assert "not affine" in found.missing["D_W"]
    assert "not measured" in found.undefined["G^2"] if "G^2" in found.undefined else True
    case = case_of(planned("squared", coupled(FULL)), "FedPLT")
    outcomes = judge((RECURSION,), case).judgements[0].outcomes
    assert {o.verdict for o in outcomes} <= {Verdict.NOT_APPLICABLE, Verdict.UNDECIDED}
    assert all("not measured" in o.reason or "speaks" in o.reason for o in outcomes)


def test_what_stands_beside_a_trace_is_missing_where_no_method_measures_it(monkeypatch):
    """A bound on it is then undecided, and not outside what the set-up shows."""
    from fedbounds.verify.setups import found

    every = (planned.setup for planned in setups("fedplt"))
    one = next(x for x in every if view_of(x).besides and not view_of(x).many)
    asked = set(view_of(one).besides.quantities)
    assert not asked & find(one).missing.keys()

    def refuse(kind):
        def method(*_):
            raise kind("planted")

        return method

    found.analysed.cache_clear()
    monkeypatch.setattr(found, "by_moments", refuse(found.Refused))
    monkeypatch.setattr(found, "by_enumeration", refuse(found.TooManyError))
    seen = find(one)
    found.analysed.cache_clear()
    assert asked <= seen.missing.keys()
    assert set(seen.missing.values()) == {"planted; planted"}
    assert not asked & (seen.undefined.keys() | seen.series.keys())


# ---- verdicts


def outcome(run, claim, part, *, floats=False):
    case = case_of(planned("run", run, floats=floats), "FedPLT")
    judged = judge((claim,), case).judgements[0]
    return next(o for o in judged.outcomes if o.part == part)


def test_the_recursion_fails_where_the_limit_is_not_the_minimiser():
    run = partial_masks(4, "1/256", 1, "1/2")
    assert outcome(run, RECURSION, "round").verdict is Verdict.VIOLATED
    assert outcome(run, CONSTANT_STEP, "unrolled").verdict is Verdict.VIOLATED


def test_a_float_violation_is_repeated_in_rationals():
    found = outcome(partial_masks(300, "1/256"), CONSTANT_STEP, "unrolled", floats=True)
    assert (found.verdict, found.replayed) == (Verdict.VIOLATED, "exact rationals")
    long = setup(partial_masks(1_000, "1/256"))
    assert without_floats(InFloats(long)) == (long, Method.RATIONAL)
    assert without_floats(InFloats(setup(partial_masks(10_000, "1/256")))) is None


def test_the_theorem_holds_with_full_masks_and_shared_minimiser():
    run = shared_minimiser(30, noise="1/2", tau=2, eta="1/64")
    for claim, part in ((RECURSION, "round"), (CONSTANT_STEP, "unrolled")):
        assert outcome(run, claim, part).verdict is Verdict.NOT_VIOLATED
    assert outcome(run, RECURSION, "round", floats=True).verdict is Verdict.NOT_VIOLATED


def test_a_long_step_is_outside_the_conditions():
    run = shared_minimiser(5, noise="1/2", eta="1/2")
    assert outcome(run, RECURSION, "round").verdict is Verdict.OUTSIDE
    noisy = coupled(PARTIAL, 4)
    assert outcome(noisy, RECURSION, "round").verdict is Verdict.NOT_APPLICABLE


def test_planned_ones_are_named_once_and_rational_ones_can_be_stored():
    many_ones = [one for one in setups("fedplt") if view_of(one.setup).many]
    assert len({one.name for one in many_ones}) == len(many_ones) > 30
    exact = [case_of(one, "FedPLT") for one in many_ones if not one.floats]
    assert exact
    for case in exact:
        assert case.method is Method.RATIONAL
        again = from_data(to_data(case)).setup
        assert dict(again.run.parameters) == dict(case.setup.run.parameters)
    own = many(from_data(to_data(exact[0])).setup).series("D_W")
    assert (own == many(exact[0].setup).series("D_W")).all()
    assert all(one.quick is True or one.quick.setup.run.rounds == 1_000 for one in many_ones)


def test_symbols_of_the_decaying_view_are_what_they_are_called():
    found = find(setup(own_minimisers(3, noise="1/2", eta=DECAYING, z="1/2"))).parameters
    assert found["rho_min"] == found["z"] / found["psi_min"]  # mu = 1
    assert {rho_min.name, z.name} <= found.keys()
    assert "eta" not in found
