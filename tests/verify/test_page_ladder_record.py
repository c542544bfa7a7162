"""What a record tells of a ladder: the measured values, and exponents that are what they claim."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import sympy as sp
from flint import fmpq

from fedbounds.theory.claims import Reading
from fedbounds.theory.personalization import figures
from fedbounds.theory.symbols import K, L, P, gamma, t
from fedbounds.verify.decide import Outcome
from fedbounds.verify.evaluate import Numbers
from fedbounds.verify.judge import Judgement
from fedbounds.verify.ladder import Ladder
from fedbounds.verify.ladder_plan import float_ladders
from fedbounds.verify.ladder_record import ladder_of, symbolic_exponent
from fedbounds.verify.records import dumps
from fedbounds.vocabulary import Verdict


@cache
def ladder(name):
    return next(one for one in float_ladders(0, 1) if one.algorithm_name == name)


def judged(claim, subject, verdict=Verdict.NOT_VIOLATED, reading=0):
    return Judgement(claim, claim.readings[reading], subject, (Outcome("", verdict),))


def numbers(subject, power):
    x = [fmpq(int(value)) if value == int(value) else value for value in subject.values]
    steady = np.array([3 * value**power for value in x], dtype=object)
    return Numbers({}, {"P": steady, "rho": np.array([fmpq(1, 2)] * len(x), dtype=object)})


IN_K = ladder(figures.FEDAVG_K)


def test_values_and_series_are_those_measured_as_floats():
    found = ladder_of(judged(figures.FIGURE_1C, IN_K), numbers(IN_K, 2))["ladder"]
    assert found["parameter"] == "K"
    assert found["values"] == [float(value) for value in IN_K.values]
    assert found["series"] == {
        "P": [3 * value**2 for value in found["values"]],
        "rho": [0.5] * len(IN_K.values),
    }
    assert found["fit"]["exponent"] == pytest.approx(2)
    assert found["fit"]["symbolic"] is None
    dumps(found)


def test_only_what_the_claim_says_of_this_ladder_is_told():
    found = ladder_of(judged(figures.FIGURE_1D, IN_K), numbers(IN_K, 0))["ladder"]
    assert set(found["series"]) == {"P"}
    assert found["fit"]["symbolic"] == "0"
    assert found["fit"]["exponent"] == pytest.approx(0, abs=1e-12)


def test_a_violated_ladder_is_told_and_a_refused_one_or_another_reading_is_not():
    told = numbers(IN_K, 1)
    assert ladder_of(judged(figures.FIGURE_1D, IN_K, Verdict.VIOLATED), told)
    assert not ladder_of(judged(figures.FIGURE_1D, IN_K, Verdict.OUTSIDE), told)
    assert not ladder_of(judged(figures.FIGURE_1D, IN_K, Verdict.NOT_APPLICABLE), told)
    assert not ladder_of(judged(figures.FIGURE_1D, IN_K, reading=1), told)
    assert not ladder_of(judged(figures.FIGURE_1D, IN_K.rungs[0]), told)


def test_two_points_or_a_zero_have_no_exponent():
    told = numbers(IN_K, 1)
    zero = replace(told, series=told.series | {"P": told.series["P"] * 0})
    assert ladder_of(judged(figures.FIGURE_1C, IN_K), zero)["ladder"]["fit"] is None
    two = Ladder(IN_K.name, IN_K.rungs[:2], IN_K.parameter, IN_K.values[:2])
    assert ladder_of(judged(figures.FIGURE_1C, two), numbers(two, 1))["ladder"]["fit"] is None


def test_algorithms_are_named():
    pair = ladder(figures.PAIR)
    series = {name: np.array([1.0, 0.5]) for name in ("P", "rho")}
    found = ladder_of(judged(figures.REMARK_47, pair), Numbers({}, series))["ladder"]
    assert found["values"] == ["FedAvg-P", "Scaffold-P"]
    assert found["fit"] is None


@pytest.mark.parametrize(
    ("level", "exponents"),
    [
        (44 * L * gamma, {"gamma": "1", "K": "0", "b^2": "0"}),
        (sp.sqrt(gamma) / K**2, {"gamma": "1/2", "K": "-2"}),
        (gamma + K, {"gamma": None, "K": None, "m": "0"}),
        (2 * P(t), {"gamma": None}),
    ],
)
def test_the_symbolic_exponent_is_that_of_the_term_a_reading_names(level, exponents):
    reading = Reading("below a term", substitute=((P(t), level),))
    claim = replace(figures.FIGURE_1A, readings=(figures.AS_PRINTED, reading))
    assert {name: symbolic_exponent(claim, name) for name in exponents} == exponents


def test_every_level_of_the_paper_has_an_exponent_in_gamma():
    for claim in (figures.FIGURE_1D, figures.FIGURE_2C):
        assert symbolic_exponent(claim, "gamma") == "1"
        assert symbolic_exponent(claim, "b^2") == "0"
