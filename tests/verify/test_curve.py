"""The curve of a theorem is what its left side averages, and ends at the left side itself."""

import numpy as np
import pytest

from fedbounds.algorithms.fedavg_p import with_effective_step
from fedbounds.problems import Noise, NoiseLaw, Start, federated_quadratic
from fedbounds.theory.registry import claim
from fedbounds.verify.curve import curve_of
from fedbounds.verify.instance import Instance, rational
from fedbounds.verify.judge import judge
from fedbounds.vocabulary import Method, Verdict

THEOREM = claim("personalization/thm-3.7")


def instance(rounds=40, step=1 / 256):
    problem = federated_quadratic(
        clients=3, shared_dimension=2, personal_dimension=1, dissimilarity=1.0,
        noise=Noise(NoiseLaw.GAUSSIAN, 0.2, 0.1), seed=5,
    )  # fmt: skip
    start = Start(np.ones(2), np.ones((3, 1)))
    return Instance(
        "run", problem, with_effective_step(2, 2, step, 2.0, 2.0), rounds, Method.MOMENTS, start
    )


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
    assert found["right"] == [outcome.right] * len(found["rounds"])


def test_every_point_is_the_measured_sum_of_gradients():
    judgement, numbers = first(instance())
    found = curve_of(judgement, numbers)
    each = numbers.series["G_u"] + 2 / 3 * numbers.series["G_v"]  # m/n = 2/3
    for t, left, mean in zip(found["rounds"], found["left"], found["mean"], strict=True):
        assert left == pytest.approx(each[t], rel=1e-12)
        assert mean == pytest.approx(sum(each[: t + 1]) / (t + 1), rel=1e-12)


def test_claims_per_round_and_exact_runs_have_no_curve():
    assert curve_of(*first(instance(), claim("personalization/lem-3.4"))) is None
    assert curve_of(*first(rational(instance(2)))) is None
