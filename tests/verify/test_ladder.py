"""Ladders: what they measure, which kinds are planned, and that a planted error is noticed."""

from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fedbounds.algorithms.fedavg_p import FedAvgP
from fedbounds.errors import FedboundsError
from fedbounds.problems import FederatedQuadratic, Noise, NoiseLaw, Start
from fedbounds.theory.claims import Part, read
from fedbounds.theory.personalization import figures
from fedbounds.theory.symbols import P, t
from fedbounds.verify.decide import decide
from fedbounds.verify.evaluate import Numbers
from fedbounds.verify.instance import Instance
from fedbounds.verify.ladder import Ladder, fitted_exponent, measure_ladder
from fedbounds.verify.ladder_plan import float_ladders
from fedbounds.vocabulary import Index, Method, Relation, Verdict

EQUAL = Part(left=P(t + 1), right=P(t), relation=Relation.EQUAL, index=Index.RUNG)
FALLS = replace(EQUAL, relation=Relation.AT_MOST)


def personal(m, method=Method.MOMENTS):
    """Three clients without a shared block: the steady state of G_v does not depend on m."""
    problem = FederatedQuadratic(
        np.full((3, 1, 1), 2.0), np.ones((3, 1)), 0, Noise(NoiseLaw.RADEMACHER, 1.0, 1.0)
    )
    algorithm = FedAvgP(m, 1, 0.125, 0.125, 1.0, 1.0)
    return Instance(f"m={m}", problem, algorithm, 1, method, Start(np.zeros(0), np.ones((3, 1))))


def judged(part, series):
    """The verdict on a part over the rungs of a ladder."""
    return decide(part, Numbers({"T": float(len(series["P"]) - 1)}, series), Method.MOMENTS)


def test_the_personal_part_counts_with_its_weight():
    ladder = Ladder("m", tuple(map(personal, (1, 2, 3))), "m", (1, 2, 3))
    series, level = measure_ladder(ladder), 2 * 0.125 / (2 - 0.25)
    known = {"P_sum": [level] * 3, "P": [level * m / 3 for m in (1, 2, 3)], "P_G_u": [0] * 3}
    for name, values in known.items():
        assert series[name] == pytest.approx(values, rel=1e-12)
    # without its weight the steady state would not change with m, and an ordering would pass
    assert judged(FALLS, series).verdict is not Verdict.NOT_VIOLATED
    unweighted = series | {"P": series["P_sum"]}
    assert judged(EQUAL, unweighted).verdict is not Verdict.VIOLATED


def test_an_equality_notices_a_millionth():
    series = measure_ladder(Ladder("same", (personal(2),) * 3, "K", (1, 2, 3)))
    off = series["P"] * np.array([1.0, 1 + 1e-6, 1.0])
    found = judged(EQUAL, {"P": off})
    assert found.verdict is Verdict.UNDECIDED
    assert found.candidate


@pytest.mark.parametrize(
    ("rungs", "values", "message"),
    [
        ((personal(1),), (1,), "at least 2"),
        ((personal(1), personal(2)), (1,), "one per rung"),
        ((personal(1), personal(2, Method.SAMPLING)), (1, 2), "methods"),
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


def test_every_part_names_a_ladder_and_every_reading_keeps_both_sides_apart():
    for claim in figures.CLAIMS:
        assert {part.algorithm for part in claim.parts} == set(claim.algorithms)
        for reading in claim.readings:
            for part in read(claim, reading):
                assert part.index is Index.RUNG
                assert part.left != part.right
    for part in read(figures.FIGURE_2C, figures.FIGURE_2C.readings[1]):
        assert part.quantities in ({"P_G_u"}, {"rho"})


def test_ladders_in_float64_settle():
    """The first ladders of a seed: all rungs converge, and are resolved."""
    for ladder in islice(float_ladders(1, 1), 4):
        assert ladder.method is Method.MOMENTS
        series = measure_ladder(ladder)
        assert (series["P"] > 0).all()
        assert (series["rho"] < 1).all()
