"""Deciding on runs: the trivial bounds, diverged runs by round, converged tails never by rounding."""

from dataclasses import replace

import numpy as np
import pytest

from fedbounds.algorithms.fedavg_p import with_effective_step
from fedbounds.problems import (
    FederatedQuadratic,
    Noise,
    NoiseLaw,
    Start,
    federated_quadratic,
)
from fedbounds.theory.claims import AS_PRINTED, read
from fedbounds.theory.registry import claim, encoded_claims
from fedbounds.verify.conditions import refusal
from fedbounds.verify.decide import decide
from fedbounds.verify.instance import Instance
from fedbounds.verify.judge import judge
from fedbounds.verify.measurement import measure
from fedbounds.vocabulary import Index, Method, Verdict

CLAIMS = encoded_claims("personalization")


def quadratic(*, seed=0, step=0.1, rounds=20, participants=2, scale=0.1, outer=1.0):
    problem = federated_quadratic(
        clients=3, shared_dimension=2, personal_dimension=1, dissimilarity=1.0,
        noise=Noise(NoiseLaw.GAUSSIAN, scale, scale), seed=seed,
    )  # fmt: skip
    rng = np.random.default_rng(seed)
    start = Start(rng.standard_normal(2), rng.standard_normal((3, 1)))
    algorithm = with_effective_step(participants, 2, step, outer, outer)
    return Instance("quadratic", problem, algorithm, rounds, Method.MOMENTS, start)


# ---- the trivial bound


BOUNDED = [
    (c, reading)
    for c in CLAIMS
    for reading in c.readings
    if any(part.trivial for part in read(c, reading))
]


@pytest.mark.parametrize(
    ("found", "reading"), BOUNDED, ids=[f"{c.id}, {reading.name}" for c, reading in BOUNDED]
)
def test_the_named_trivial_bound_is_a_bound(found, reading):
    """||grad f||^2 <= 2L (f - inf f), on runs of quadratics, whatever the step size."""
    runs = [quadratic(seed=s, step=x, participants=3) for s, x in ((0, 1e-3), (1, 0.3), (2, 0.9))]
    # all is lost in one block, of curvature L throughout: there the bound is attained
    alike = FederatedQuadratic(np.array([np.eye(2)] * 3), np.zeros((3, 2)), 1)
    slow = with_effective_step(3, 1, 1e-9)
    for u, v in ((1.0, 0.0), (0.0, 1.0)):
        start = Start(np.full(1, u), np.full((3, 1), v))
        runs.append(replace(runs[0], problem=alike, algorithm=slow, start=start))
    for instance in runs:
        numbers = measure(instance).numbers
        for part in read(found, reading):
            trivially = replace(part, right=part.trivial, conditions=())
            assert decide(trivially, numbers, Method.MOMENTS).verdict is Verdict.NOT_VIOLATED


# ---- diverged runs


UNCONDITIONAL = replace(
    claim("personalization/thm-3.7"),
    parts=tuple(replace(p, conditions=()) for p in claim("personalization/thm-3.7").parts),
    readings=(AS_PRINTED,),
    schedules=(),
)


def test_a_run_with_far_too_long_steps_is_reported_with_the_round_it_diverged_in():
    instance = quadratic(step=1e3, rounds=60)
    judged = judge((*CLAIMS, UNCONDITIONAL), instance)
    round_ = judged.measurement.diverged_at
    assert 1 < round_ < 60
    outcomes = {
        (x.claim.id, o.part): o for x in judged.judgements for o in x.outcomes
        if x.reading is x.claim.readings[0] and x.claim is not claim("personalization/thm-3.7")
    }  # fmt: skip
    whole_run = outcomes["personalization/thm-3.7", ""]
    assert whole_run.verdict is Verdict.DIVERGED
    assert whole_run.reason == f"diverged at round {round_}"
    for key in (("personalization/lem-3.2", "u"), ("personalization/lem-3.4", "")):
        partial = outcomes[key]
        assert partial.verdict is Verdict.NOT_VIOLATED
        assert partial.rounds <= round_ - 1
        assert partial.at < round_ - 1


def test_a_theorem_with_conditions_is_outside_before_it_diverges():
    judged = judge((claim("personalization/thm-3.7"),), quadratic(step=1e3, rounds=60))
    assert {x.verdict for x in judged.judgements} == {Verdict.OUTSIDE}


# ---- converged tails


def tail(*, clients, steps, step, coupling=None, dissimilarity=None, size=1.0, rounds=4000):
    """A long noise-free run with every client taking part."""
    problem = federated_quadratic(
        clients=clients, shared_dimension=2, personal_dimension=1, seed=clients,
        strong_convexity=0.2, coupling=coupling or 0.0, dissimilarity=dissimilarity,
    )  # fmt: skip
    rng = np.random.default_rng(clients)
    start = Start(size * rng.standard_normal(2), size * rng.standard_normal((clients, 1)))
    algorithm = with_effective_step(clients, steps, step)
    return Instance("tail", problem, algorithm, rounds, Method.MOMENTS, start)


TAILS = {
    "homogeneous": tail(clients=1, steps=3, step=0.1),
    "homogeneous, two clients": replace(
        tail(clients=1, steps=2, step=0.2),
        problem=FederatedQuadratic(
            np.array([[[2.0, 1.0], [1.0, 1.0]]] * 2), np.array([[3.0, -1.0]] * 2), 1
        ),
        start=Start(np.array([7.0]), np.array([[1.0], [1.0]])),
        algorithm=with_effective_step(2, 2, 0.2),
    ),
    "heterogeneous, K = 1": tail(clients=3, steps=1, step=0.5, coupling=0.3),
    "heterogeneous, drifting": tail(clients=3, steps=3, step=0.1, coupling=0.3, rounds=10_000),
    "heterogeneous slopes": tail(clients=4, steps=2, step=0.2, dissimilarity=1.0),
    "far away": tail(clients=3, steps=1, step=0.5, coupling=0.3, size=1e8),
}


@pytest.mark.parametrize("case", TAILS)
def test_a_converged_tail_is_never_taken_for_a_violation(case):
    judged = judge(CLAIMS, TAILS[case])
    assert judged.measurement.diverged_at is None
    outcomes = [(x.claim.id, x.reading.name, o) for x in judged.judgements for o in x.outcomes]
    for name, reading, outcome in outcomes:
        assert outcome.verdict is not Verdict.VIOLATED, (name, reading)
        assert not outcome.candidate, (name, reading)
    examined = [o.rounds for name, _, o in outcomes if "lem-3" in name and o.rounds]
    assert min(examined) > 50  # rounds were judged, not waved through


def test_the_tails_do_converge_and_their_rounding_would_fool_a_plain_sign_test():
    """Planted: without their errors the last digits of a converged run look like candidates."""
    instance = TAILS["heterogeneous, K = 1"]
    numbers = measure(instance).numbers
    assert numbers.series["f"][-1] < 1e-26 * numbers.series["f"][0]
    lemmas = [
        part for c in CLAIMS for part in c.parts
        if part.index is Index.ROUND and refusal(part, instance, numbers) is None
    ]  # fmt: skip
    assert not any(decide(part, numbers, Method.MOMENTS).candidate for part in lemmas)
    bare = replace(numbers, errors={x: 0 * y for x, y in numbers.series.items()})
    assert any(decide(part, bare, Method.MOMENTS).candidate for part in lemmas)
