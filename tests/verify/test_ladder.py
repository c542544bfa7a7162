"""Ladders: what they measure, which kinds are planned, and that a planted error is noticed."""

from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from fedbounds.algorithms.fedavg_p import FedAvgP
from fedbounds.errors import FedboundsError
from fedbounds.problems import FederatedQuadratic, Noise, NoiseLaw, Start, to_rational
from fedbounds.problems.linear import rational
from fedbounds.theory.claims import Part, read
from fedbounds.theory.personalization import figures
from fedbounds.theory.symbols import P, t
from fedbounds.verify.decide import decide
from fedbounds.verify.evaluate import Numbers
from fedbounds.verify.instance import Instance
from fedbounds.verify.ladder import Ladder, fitted_exponent, measure_ladder
from fedbounds.verify.ladder_plan import float_ladders, rational_ladders
from fedbounds.verify.plateau import plateau
from fedbounds.vocabulary import Index, Method, Quantity, Relation, Verdict

EQUAL = Part(left=P(t + 1), right=P(t), relation=Relation.EQUAL, index=Index.RUNG)
FALLS = replace(EQUAL, relation=Relation.AT_MOST)


def personal(m, exact, scale=1.0):
    """Three clients without a shared block: the steady state of G_v does not depend on m."""
    problem = FederatedQuadratic(
        np.full((3, 1, 1), 2.0), np.ones((3, 1)), 0, Noise(NoiseLaw.RADEMACHER, scale, scale)
    )
    step = fmpq(1, 8) if exact else 0.125
    algorithm = FedAvgP(m, 1, step, step, step / step, step / step)
    start = Start(np.zeros(0), np.ones((3, 1)))
    if exact:
        problem, start = to_rational(problem), to_rational(start)
    method = Method.RATIONAL if exact else Method.MOMENTS
    return Instance(f"m={m}", problem, algorithm, 1, method, start)


def judged(part, series, method):
    """The verdict on a part over the rungs of a ladder."""
    constants, exact = {"T": len(series["P"]) - 1}, method is Method.RATIONAL
    if exact:
        numbers = Numbers({"T": rational(constants["T"])}, series, lambda p, q: fmpq(p, q))
    else:
        numbers = Numbers({"T": float(constants["T"])}, series)
    return decide(part, numbers, method)


@pytest.mark.parametrize("exact", [True, False])
def test_the_personal_part_counts_with_its_weight(exact):
    ladder = Ladder("m", tuple(personal(m, exact) for m in (1, 2, 3)), "m", (1, 2, 3))
    series = measure_ladder(ladder)
    level = 2 * fmpq(1, 8) / (2 - fmpq(1, 4))
    known = {"P_sum": [level] * 3, "P": [level * m / 3 for m in (1, 2, 3)], "P_G_u": [0] * 3}
    for name, values in known.items():
        if exact:
            assert list(series[name]) == values
        else:
            assert series[name] == pytest.approx([float(v) for v in values], rel=1e-12)
    # without its weight the steady state would not change with m, and an ordering would pass
    assert judged(FALLS, series, ladder.method).verdict is not Verdict.NOT_VIOLATED
    unweighted = series | {"P": series["P_sum"]}
    assert judged(EQUAL, unweighted, ladder.method).verdict is not Verdict.VIOLATED


def test_an_equality_notices_a_millionth():
    rungs = tuple(personal(2, True) for _ in range(3))
    series = measure_ladder(Ladder("same", rungs, "K", (1, 2, 3)))
    assert judged(EQUAL, series, Method.RATIONAL).verdict is Verdict.NOT_VIOLATED
    off = series["P"].copy()
    off[1] *= 1 + fmpq(1, 10**6)
    assert judged(EQUAL, {"P": off}, Method.RATIONAL).verdict is Verdict.VIOLATED
    floats = off.astype(np.float64)
    found = judged(EQUAL, {"P": floats}, Method.MOMENTS)
    assert found.verdict is Verdict.UNDECIDED
    assert found.candidate


def test_an_order_notices_a_noise_of_the_wrong_size():
    """Rungs of falling noise; one rung's variance is wrong."""
    scales = (3.0, 2.0, 1.0)
    rungs = tuple(personal(2, True, scale) for scale in scales)
    series = measure_ladder(Ladder("noise", rungs, "noise", scales))
    assert judged(FALLS, series, Method.RATIONAL).verdict is Verdict.NOT_VIOLATED
    wrong = series["P"].copy()
    wrong[2] = wrong[2] + 2 * (wrong[1] - wrong[2])
    assert judged(FALLS, {"P": wrong}, Method.RATIONAL).verdict is Verdict.VIOLATED


def test_exact_rates_are_ordered_firmly():
    ladder = Ladder("m", tuple(personal(m, True) for m in (1, 2, 3)), "m", (1, 2, 3))
    series = measure_ladder(ladder)
    faster = figures.FIGURE_1C.part("faster")
    assert judged(faster, series, Method.RATIONAL).verdict is Verdict.NOT_VIOLATED
    backwards = {"P": series["P"], "rho": series["rho"][::-1]}
    assert judged(faster, backwards, Method.RATIONAL).verdict is Verdict.VIOLATED


@pytest.mark.parametrize(
    ("rungs", "values", "message"),
    [
        ((personal(1, True),), (1,), "at least 2"),
        ((personal(1, True), personal(2, True)), (1,), "one per rung"),
        ((personal(1, True), personal(2, False)), (1, 2), "for every rung"),
    ],
)
def test_a_ladder_is_checked(rungs, values, message):
    with pytest.raises(FedboundsError, match=message):
        Ladder("bad", rungs, "m", values)


@given(power=st.sampled_from([-2, -1, 0.5, 1, 3]), factor=st.floats(0.1, 10))
def test_a_power_law_has_its_exponent(power, factor):
    values = np.array([1.0, 2.0, 5.0, 10.0])
    found = fitted_exponent(values, factor * values**power)
    assert found.slope == pytest.approx(power, abs=1e-9)
    assert found.low - 1e-9 <= power <= found.high + 1e-9


@pytest.mark.parametrize("series", [[1.0, 2.0], [1.0, 0.0, 2.0]])
def test_a_fit_without_enough_positive_points_is_refused(series):
    with pytest.raises(FedboundsError):
        fitted_exponent(np.arange(1.0, len(series) + 1), np.array(series))


@pytest.fixture(scope="module")
def planned():
    """The ladders in rationals."""
    return list(rational_ladders())


def test_every_kind_that_a_claim_names_is_planned(planned):
    kinds = {ladder.algorithm_name for ladder in planned}
    assert kinds == {kind for claim in figures.CLAIMS for kind in claim.algorithms}
    names = [ladder.name for ladder in planned] + [r.name for x in planned for r in x.rungs]
    assert len(set(names)) == len(names)


def test_every_part_names_a_ladder_and_every_reading_keeps_both_sides_apart():
    for claim in figures.CLAIMS:
        assert {part.algorithm for part in claim.parts} == set(claim.algorithms)
        for reading in claim.readings:
            for part in read(claim, reading):
                assert part.index is Index.RUNG
                assert part.left != part.right
    for part in read(figures.FIGURE_2C, figures.FIGURE_2C.readings[1]):
        assert part.quantities in ({"P_G_u"}, {"rho"})


def test_rungs_differ_in_what_the_ladder_says(planned):
    for ladder in planned:
        algorithms = [rung.algorithm for rung in ladder.rungs]
        if ladder.parameter == "K":
            assert tuple(a.local_steps for a in algorithms) == ladder.values
            assert len({(a.inner_step_u, a.outer_step_u, a.participants) for a in algorithms}) == 1
        if ladder.parameter == "gamma":
            steps = tuple(a.inner_step_u * a.outer_step_u for a in algorithms)
            assert steps == ladder.values
            assert steps[0] > steps[-1]
        if ladder.parameter == "m":
            assert tuple(a.participants for a in algorithms) == ladder.values
            assert all(rung.problem.noise.scale_v == 0 for rung in ladder.rungs)
        if ladder.parameter == "b^2":
            assert tuple(rung.problem.dissimilarity for rung in ladder.rungs) == ladder.values


def test_tuned_steps_leave_fedavg_p_no_more_accurate(planned):
    tuned = (
        x
        for x in planned
        if x.parameter == "algorithm at equal steady state"
        and x.rungs[0].problem.dissimilarity >= 1
    )
    for ladder in islice(tuned, 4):
        first, second = ladder.rungs
        series = measure_ladder(ladder)
        assert series["P"][1] <= series["P"][0]
        assert first.algorithm.inner_step_u <= second.algorithm.inner_step_u
        shorter = replace(
            first.algorithm,
            inner_step_u=first.algorithm.inner_step_u * fmpq(1, 2),
            inner_step_v=first.algorithm.inner_step_v * fmpq(1, 2),
        )
        less = plateau(first.problem, shorter).quantities
        assert less[Quantity.GRADIENT_U] < series["P_G_u"][0]


def test_ladders_in_float64_settle():
    """The first ladders of a seed: all rungs converge, and are resolved."""
    for ladder in islice(float_ladders(1, 1), 4):
        assert ladder.method is Method.MOMENTS
        series = measure_ladder(ladder)
        assert (series["P"] > 0).all()
        assert (series["rho"] < 1).all()
