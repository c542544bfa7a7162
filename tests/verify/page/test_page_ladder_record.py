"""What a record tells of a ladder: the measured values, and exponents that are what they claim."""

from dataclasses import replace
from functools import cache

import pytest
import sympy as sp
from flint import arb

from fedbounds.theory.language.claims import Reading
from fedbounds.theory.language.registry import ladders
from fedbounds.theory.language.symbols import K, L, gamma, t
from fedbounds.theory.personalization import figures
from fedbounds.theory.personalization.symbols import P
from fedbounds.verify.decide.case import found
from fedbounds.verify.decide.judgement import Judgement
from fedbounds.verify.decide.part import Outcome
from fedbounds.verify.judge.ladder_record import ladder_of, symbolic_exponent
from fedbounds.verify.results.records import dumps
from fedbounds.verify.setups.plan import ladder_case
from fedbounds.vocabulary import Verdict


@cache
def ladder(name, *, floats=False):
    """The first one of a name, in rationals or of ten clients."""
    every = (
        ladder_case(one.name, one.ladder, floats=one.floats)
        for one in ladders("personalization")
        if one.floats is floats and ("own" in one.name or "algorithm" in one.name)
    )
    return next(one for one in every if one.algorithm_name == name)


def judged(claim, subject, verdict=Verdict.NOT_VIOLATED, reading=0):
    return Judgement(claim, claim.readings[reading], subject, (Outcome("", verdict),))


IN_K = ladder(figures.FEDAVG_K)


@pytest.mark.parametrize("floats", [False, True])
def test_values_and_series_are_those_measured_as_floats(floats):
    subject = ladder(figures.FEDAVG_K, floats=floats)
    told, series = ladder_of(judged(figures.FIGURE_1C, subject))["ladder"], found(subject).series
    assert told["parameter"] == "K"
    assert told["values"] == [1.0, 2.0, *([5.0, 10.0, 25.0] if floats else [4.0])]
    assert told["series"] == {name: [float(x) for x in series[name]] for name in ("P", "rho")}
    assert isinstance(series["P"][0], arb) is floats
    assert told["fit"]["symbolic"] is None
    assert told["fit"]["low"] <= told["fit"]["exponent"] <= told["fit"]["high"]
    dumps(told)


def test_only_what_the_claim_says_of_this_ladder_is_told():
    told = ladder_of(judged(figures.FIGURE_1D, IN_K))["ladder"]
    assert set(told["series"]) == {"P"}
    assert told["fit"]["symbolic"] == "0"


def test_a_violated_ladder_is_told_and_a_refused_one_or_another_reading_is_not():
    assert ladder_of(judged(figures.FIGURE_1D, IN_K, Verdict.VIOLATED))
    assert not ladder_of(judged(figures.FIGURE_1D, IN_K, Verdict.OUTSIDE))
    assert not ladder_of(judged(figures.FIGURE_1D, IN_K, Verdict.NOT_APPLICABLE))
    assert not ladder_of(judged(figures.FIGURE_1D, IN_K, reading=1))


def test_two_points_have_no_exponent():
    setups = IN_K.setup.setups[:2]
    two = replace(IN_K, setup=replace(IN_K.setup, setups=setups))
    assert ladder_of(judged(figures.FIGURE_1C, two))["ladder"]["fit"] is None


@pytest.mark.parametrize("floats", [False, True])
def test_algorithms_are_named(floats):
    told = ladder_of(judged(figures.REMARK_47, ladder(figures.PAIR, floats=floats)))["ladder"]
    assert told["values"] == ["FedAvg-P", "Scaffold-P"]
    assert told["fit"] is None


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
    assert {name: symbolic_exponent(claim, "P", name) for name in exponents} == exponents


def test_every_level_of_the_paper_has_an_exponent_in_gamma():
    for claim in (figures.FIGURE_1D, figures.FIGURE_2C):
        assert symbolic_exponent(claim, "P", "gamma") == "1"
        assert symbolic_exponent(claim, "P", "b^2") == "0"
