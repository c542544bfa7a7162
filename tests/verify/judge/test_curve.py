"""The curve of a theorem is what its left side averages, and ends at the left side itself."""

from dataclasses import replace

import pytest
from personal_cases import alike, case, run, sizes

from fedbounds.theory.language.registry import claim
from fedbounds.verify.judge.curve import curve_of
from fedbounds.verify.judge.judge import judge
from fedbounds.verify.measure.evaluate import evaluate
from fedbounds.vocabulary import Verdict

THEOREM = claim("personalization/thm-3.7")


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
    for t, left, mean in zip(found["rounds"], found["left"], found["mean"], strict=True):
        assert left == pytest.approx(each[t], rel=1e-12)
        assert mean == pytest.approx(sum(each[: t + 1]) / (t + 1), rel=1e-12)


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


def test_claims_per_step_and_exact_runs_have_no_curve():
    assert curve_of(*first(instance(), claim("personalization/lem-3.5-ik"))) is None
    assert curve_of(*first(instance(2, floats=False))) is None
