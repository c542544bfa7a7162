"""The curve of a theorem is what its left side averages, and ends at the left side itself."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import sympy as sp
from flint import arb, fmpq
from kinds import exact, object_array
from personal_cases import alike, case, run, sizes

from fedbounds.theory.language.claims import AS_PRINTED, Part
from fedbounds.theory.language.registry import claim
from fedbounds.theory.language.symbols import G_u, G_v, Mean_t, t
from fedbounds.verify.judge.curve import curve_of
from fedbounds.verify.judge.judge import judge
from fedbounds.verify.measure.evaluate import evaluate
from fedbounds.vocabulary import Index, Method, Verdict

THEOREM = claim("personalization/thm-3.7")
AT_MOST = Part(left=G_u(t), right=G_v(t))


def instance(rounds=40, step="1/256", floats=True):
    problem = alike(noise="1/5", personal_noise="1/10", law="gaussian")
    return case(run(problem, sizes(2, 2, step, 2, 2), rounds), floats=floats)


def first(instance, of=THEOREM):
    judged = judge((of,), instance)
    return judged.judgements[0], judged.measurement.numbers


@pytest.mark.parametrize("rounds", [1, 5, 40])
def test_a_curve_ends_at_the_left_side_and_shows_the_bound(rounds):
    judgement, numbers = first(instance(rounds))
    assert judgement.verdict is Verdict.NOT_VIOLATED
    found, outcome = curve_of(judgement, numbers), judgement.deciding
    assert found["rounds"][0] == 0
    assert found["rounds"][-1] == rounds - 1
    assert found["rounds"] == sorted(set(found["rounds"]))
    assert len({len(values) for values in found.values()}) == 1
    assert found["mean"][-1] == pytest.approx(outcome.left, rel=1e-12)
    assert found["right"] == pytest.approx([outcome.right] * len(found["rounds"]), rel=1e-15)


def test_every_point_is_the_measured_sum_of_gradients():
    judgement, numbers = first(instance())
    found = curve_of(judgement, numbers)
    each = numbers.series["G_u"] + 2 / 3 * numbers.series["G_v"]  # m/n = 2/3
    for at, left, mean in zip(found["rounds"], found["left"], found["mean"], strict=True):
        assert left == pytest.approx(each[at], rel=1e-12)
        assert mean == pytest.approx(sum(each[: at + 1]) / (at + 1), rel=1e-12)


def test_of_a_claim_per_round_both_sides_are_shown():
    judgement, numbers = first(instance(), claim("personalization/lem-3.1"))
    found = curve_of(judgement, numbers)
    assert found.keys() == {"rounds", "left", "right"}
    left = evaluate(judgement.claim.parts[0].left, numbers, range(40))
    assert found["left"] == [left[t] for t in found["rounds"]]
    assert all(x <= y for x, y in zip(found["left"], found["right"], strict=True))


def test_a_reading_that_leaves_the_first_part_out_is_drawn_by_its_own():
    """Planted: a part before it, whose bound is another one."""
    part = replace(THEOREM.parts[0], name="own")
    other = replace(part, name="other", right=10 * part.right)
    reading = replace(THEOREM.readings[0], parts=("own",))
    planted = replace(THEOREM, parts=(other, part), readings=(reading,))
    (judgement, numbers), (plain, same) = first(instance(), planted), first(instance())
    assert curve_of(judgement, numbers) == curve_of(plain, same)


def test_claims_per_step_and_short_exact_runs_have_no_curve():
    assert curve_of(*first(instance(), claim("personalization/lem-3.5-ik"))) is None
    assert curve_of(*first(instance(2, floats=False))) is None


def numbers_of(left, right, method=Method.RATIONAL, of=AT_MOST):
    """What is judged of two series, as if measured so."""
    planted = replace(THEOREM, parts=(of,), readings=(AS_PRINTED,))
    numbers = exact(left, right)
    found = SimpleNamespace(
        claim=planted,
        reading=AS_PRINTED,
        outcomes=(SimpleNamespace(rounds=len(left)),),
        instance=SimpleNamespace(method=method),
    )
    return found, numbers


def test_a_long_exact_run_is_drawn_as_floats():
    left, right = [fmpq(1, 3**t) for t in range(8)], [fmpq(2, 2**t) for t in range(8)]
    found = curve_of(*numbers_of(left, right))
    assert found["left"] == [1 / 3**t for t in range(8)]
    assert found["right"] == [2 / 2**t for t in range(8)]
    rooted = replace(AT_MOST, right=sp.sqrt(2) * G_v(t))
    drawn = curve_of(*numbers_of(left, right, of=rooted))
    assert drawn["right"] == pytest.approx([2**0.5 * 2 / 2**t for t in range(8)], rel=1e-15)


@pytest.mark.parametrize("inside", [sp.Integer(3), t])
def test_a_mean_of_what_is_no_measured_row_is_drawn_round_by_round(inside):
    of = replace(AT_MOST, left=Mean_t(inside), right=sp.Integer(8), index=Index.RUN)
    judged, numbers = numbers_of([fmpq(1)] * 8, [fmpq(2)] * 8, of=of)
    numbers = replace(numbers, constants={**numbers.constants, "T": fmpq(8)})
    drawn = curve_of(judged, numbers)
    assert drawn["left"] == [float(inside.subs(t, at)) for at in range(8)]
    assert drawn["right"] == [8.0] * 8


def test_what_a_float_cannot_be_or_is_not_known_is_not_drawn():
    """Planted: a number beyond float64, and a ball that says nothing."""
    known = [fmpq(1)] * 8
    assert curve_of(*numbers_of([*known[:-1], fmpq(10) ** 400], known)) is None
    judged, numbers = numbers_of(known, known, Method.BALLS)
    vague = object_array([*map(arb, known[:-1]), arb(1, 1)])
    numbers = replace(numbers, series=numbers.series | {"G_u": vague})
    assert curve_of(judged, numbers) is None


def test_what_has_several_values_in_a_round_is_no_curve():
    """As a quantity of a network has, one for each of its outcomes."""
    judged, numbers = numbers_of([fmpq(1)] * 8, [fmpq(2)] * 8)
    several = np.stack([numbers.series["G_u"]] * 3)
    numbers = replace(numbers, series=numbers.series | {"G_u": several})
    assert curve_of(judged, numbers) is None


def test_a_part_that_does_not_apply_leaves_its_place_to_the_next():
    """Theorem IV.2, corrected, is of everyone or of some drawn uniformly: never both."""
    left, right = [fmpq(1, 3**t) for t in range(8)], [fmpq(2, 2**t) for t in range(8)]
    found, numbers = numbers_of(left, right)
    other = replace(AT_MOST, name="other", right=3 * AT_MOST.right)
    found.claim = replace(found.claim, parts=(other, AT_MOST))
    found.outcomes = (SimpleNamespace(rounds=0), *found.outcomes)
    assert curve_of(found, numbers)["right"] == [2 / 2**t for t in range(8)]
