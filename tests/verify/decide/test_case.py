"""Cases: what is found of a set-up decides a claim; products of vectors; storing a set-up."""

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st
from stored_setups import alike, read_again

from fedbounds.errors import FedboundsError
from fedbounds.facts import Fact
from fedbounds.problems import Evidence
from fedbounds.theory.fedplt.results import CONSTANT_STEP
from fedbounds.theory.fedplt.setups import run_of
from fedbounds.theory.fedplt.vectors import W as X
from fedbounds.theory.fedplt.vectors import Wk as Y
from fedbounds.theory.language.claims import Condition, Part
from fedbounds.theory.language.setups import Setup
from fedbounds.theory.language.symbols import D_W, L, eta, t
from fedbounds.theory.proof.vectors import ip, sq
from fedbounds.verify.decide.case import Case, Found, find, without_floats
from fedbounds.verify.decide.measurement import measure
from fedbounds.verify.judge.judge import check, judge_reading
from fedbounds.verify.measure.evaluate import Numbers, evaluate
from fedbounds.verify.search.witness import find_witness
from fedbounds.verify.setups.instance_file import from_data, to_data
from fedbounds.verify.setups.setup_data import encoded
from fedbounds.vocabulary import Method, Verdict


@dataclass(frozen=True)
class Given:
    """Numbers as they are."""

    distances: tuple
    step: object
    holds: bool = True


@find.register
def _find(setup: Given) -> Found:
    exact = not isinstance(setup.step, float)
    kind = object if exact else np.float64
    series = np.array(setup.distances, dtype=kind)

    def products(node):
        if node.has(Y):
            raise FedboundsError("W_k is not there")
        return series[:-1] * (2 if isinstance(node, ip) else 1)

    return Found(
        family="numbers",
        parameters={"T": len(series) - 1, "eta": setup.step, "n": 1},
        series={"D_W": series},
        errors={} if exact else {"D_W": np.zeros(len(series))},
        evidence={Fact.SMOOTH: Evidence(setup.holds, "as given")},
        products=products,
    )


@without_floats.register
def _exact(setup: Given) -> tuple[Given, Method]:
    distances = tuple(fmpq(int(x * 64), 64) for x in setup.distances)
    return Given(distances, fmpq(1, 2), setup.holds), Method.RATIONAL


def claim(part):
    return replace(CONSTANT_STEP, parts=(part,), readings=CONSTANT_STEP.readings[:1])


def judged(part, setup, method=Method.RATIONAL):
    found = replace(claim(part), readings=(replace(CONSTANT_STEP.readings[0], parts=()),))
    case = Case("numbers", "FedPLT", setup, method)
    return judge_reading(found, found.readings[0], case, measure(case)).deciding


FALLS = Part(left=D_W(t + 1), right=eta * D_W(t))
EXACT = Given((fmpq(8), fmpq(4), fmpq(2)), fmpq(1, 2))
GROWS = Given((fmpq(8), fmpq(4), fmpq(3)), fmpq(1, 2))


def test_a_case_is_decided_by_what_is_found():
    assert judged(FALLS, EXACT).verdict is Verdict.NOT_VIOLATED
    broken = judged(FALLS, GROWS)
    assert (broken.verdict, broken.gap, broken.at) == (Verdict.VIOLATED, "-1", 1)


def test_a_float_violation_is_settled_by_the_rational_set_up():
    broken = judged(FALLS, Given((8.0, 4.0, 3.0), 0.5), Method.MOMENTS)
    assert broken.verdict is Verdict.VIOLATED
    assert broken.replayed == "exact rationals"


def test_assumptions_and_conditions_of_a_case_are_asked_for():
    smooth = replace(FALLS, assumptions=(Fact.SMOOTH,))
    assert judged(smooth, EXACT).verdict is Verdict.NOT_VIOLATED
    assert judged(smooth, replace(EXACT, holds=False)).verdict is Verdict.NOT_APPLICABLE
    unknown = replace(FALLS, assumptions=(Fact.NOISE,))
    assert judged(unknown, EXACT).verdict is Verdict.NOT_APPLICABLE
    outside = replace(FALLS, conditions=(Condition(eta, "<=", sp.Rational(1, 4)),))
    assert judged(outside, EXACT).verdict is Verdict.OUTSIDE
    assert "L" in judged(replace(FALLS, right=L * D_W(t)), EXACT).reason


def test_products_of_vectors_are_measured_per_round():
    assert judged(Part(left=sq(X), right=D_W(t)), EXACT).verdict is Verdict.NOT_VIOLATED
    broken = judged(Part(left=ip(X, X + X), right=D_W(t) + sq(X)), GROWS)
    assert broken.verdict is Verdict.NOT_VIOLATED
    assert judged(Part(left=ip(X, 2 * X) + sq(X), right=2 * D_W(t)), EXACT).gap == "-8"
    missing = judged(Part(left=sq(Y), right=D_W(t)), EXACT)
    assert (missing.verdict, missing.reason) == (Verdict.NOT_APPLICABLE, "W_k is not there")


def test_the_cheapest_broken_case_is_the_witness_and_is_stored_exactly():
    wanted = claim(FALLS)
    readings = (replace(wanted.readings[0], parts=()),)
    wanted = replace(wanted, readings=readings, algorithms=("one that is searched nowhere",))
    suspects = [Case(str(w), "FedPLT", s, Method.RATIONAL, w) for w, s in ((9, GROWS), (2, GROWS))]
    witness = find_witness(
        wanted, wanted.readings[0], [*suspects, Case("ok", "FedPLT", EXACT, Method.RATIONAL, 1)]
    )
    assert witness is not None
    assert witness.judgement.instance.name == "2"
    assert witness.script is None
    with pytest.raises(FedboundsError, match="the type of a set-up"):
        from_data(to_data(witness.judgement.instance))  # the class is of this file


def test_check_refuses_a_case_of_another_algorithm():
    with pytest.raises(FedboundsError, match="runs another"):
        check(CONSTANT_STEP, Case("x", "another", EXACT, Method.RATIONAL))


# ---- t in a formula


@pytest.mark.parametrize("exact", [True, False])
def test_t_stands_for_each_round(exact):
    rational = (lambda p, q: fmpq(p, q)) if exact else (lambda p, q: p / q)
    numbers = Numbers({"eta": rational(1, 2), "T": 4}, {}, rational)
    values = evaluate(eta**t + t / (t + 1), numbers, range(1, 4))
    assert [float(x) for x in values] == [1.0, 1 / 4 + 2 / 3, 1 / 8 + 3 / 4]


# ---- storing


def test_a_stored_set_up_is_made_again():
    run = run_of((((2,),), (("1/3",),)), ((1,), ("1/3",)), ((1,), (1,)), (2,), 3,
                 weights=(1, "2/3"), tau=2, eta="1/8")  # fmt: skip
    setup = Setup("fedplt", "rounds", run, (("rho_min", "9/10"), ("G^2", "local")))
    assert alike(read_again(setup, "FedPLT"), setup)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_are_stored_as_the_rationals_that_they_are(x):
    text = encoded(x)["rational"]
    assert Fraction(text) == Fraction(x)
    assert encoded(np.array([x, 1.0]))["array"] == [{"rational": text}, {"rational": "1"}]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), np.array([np.nan]), {1: 2}, print])
def test_what_is_no_plain_number_is_not_stored(value):
    with pytest.raises(FedboundsError, match="cannot store"):
        encoded(value)


def test_a_case_in_floats_is_not_stored():
    case = Case("floats", "FedPLT", EXACT, Method.MOMENTS)
    with pytest.raises(FedboundsError, match="floats: only what is in rationals"):
        to_data(case)


@pytest.mark.parametrize(
    "data",
    [
        {"type": "os:system", "fields": {"command": "true"}},
        {"type": "fedbounds.verify.decide.case:find", "fields": {}},
        {"type": "fedbounds.verify.decide.case:np", "fields": {}},
        {"enum": "fedbounds.vocabulary:Method.__class__", "value": "x"},
        {"enum": "fedbounds.verify.decide.case:Case", "value": "x"},
        {"unknown": 1},
        [1, 2],
    ],
)
def test_anything_else_is_refused(data):
    with pytest.raises(FedboundsError, match=r"expected the type of a set-up"):
        from_data({"family": "Case", "algorithm": "FedPLT", "setup": data})
