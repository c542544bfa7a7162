"""Deciding on runs: the trivial bounds, diverged runs by round, converged tails never by rounding."""

from dataclasses import replace
from functools import cache

import pytest
from personal_cases import alike, case, coupled, quadratics, run, sizes

from fedbounds.theory.language.claims import AS_PRINTED, read
from fedbounds.theory.language.registry import claim, encoded_claims
from fedbounds.verify.decide.conditions import refusal
from fedbounds.verify.decide.measurement import measure
from fedbounds.verify.decide.part import decide
from fedbounds.verify.judge.judge import judge
from fedbounds.vocabulary import Index, Method, Verdict

CLAIMS = encoded_claims("personalization")


def quadratic(*, seed=0, step="1/10", rounds=20, participants=2):
    problem = alike(seed=seed, noise="1/10", law="gaussian")
    return case(run(problem, sizes(participants, 2, step), rounds))


# ---- the trivial bound


BOUNDED = [
    (c, reading)
    for c in CLAIMS
    for reading in c.readings
    if any(part.trivial for part in read(c, reading))
]


@cache
def anywhere():
    """What is measured on runs, whatever the step size."""
    steps = ((0, "1/1000"), (1, "3/10"), (2, "9/10"))
    runs = [quadratic(seed=s, step=x, participants=3) for s, x in steps]
    # all is lost in one block, of curvature L throughout: there the bound is attained
    flat = quadratics([((1, 0), (0, 1))] * 3, [(0, 0)] * 3)
    for start in ((1, 0, 0, 0), (0, 1, 1, 1)):
        runs.append(case(run(flat, sizes(3, 1, "1/1000000000"), 20, start)))
    return [measure(instance).numbers for instance in runs]


@pytest.mark.parametrize(
    ("found", "reading"), BOUNDED, ids=[f"{c.id}, {reading.name}" for c, reading in BOUNDED]
)
def test_the_named_trivial_bound_is_a_bound(found, reading):
    """||grad f||^2 <= 2L (f - inf f), on runs of quadratics, whatever the step size."""
    for numbers in anywhere():
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
    instance = quadratic(step=1000, rounds=60)
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
        assert partial.verdict is Verdict.UNDECIDED  # the rounds before hold, as the counts say
        assert partial.reason.endswith(f"diverged at round {round_}")
        assert (partial.unresolved, partial.since) == (60 - round_ + 1, round_ - 1)
        assert partial.rounds <= round_ - 1
        assert partial.at < round_ - 1


def test_a_theorem_with_conditions_is_outside_before_it_diverges():
    judged = judge((claim("personalization/thm-3.7"),), quadratic(step=1000, rounds=60))
    assert {x.verdict for x in judged.judgements} == {Verdict.OUTSIDE}


# ---- converged tails


def tail(problem, steps, step, *, start=None, rounds=4000):
    """A long noise-free run with every client taking part."""
    clients = len(dict(problem.data)["slopes"])
    return case(run(problem, sizes(clients, steps, step), rounds, start))


def tails():
    drifting = coupled(3)
    return {
        "homogeneous": tail(coupled(1), 3, "1/10"),
        "homogeneous, two clients": tail(
            quadratics([((2, 1), (1, 1))] * 2, [(3, -1)] * 2), 2, "1/5", start=(7, 1, 1)
        ),
        "heterogeneous, K = 1": tail(drifting, 1, "1/2"),
        "heterogeneous, drifting": tail(drifting, 3, "1/10", rounds=10_000),
        "heterogeneous slopes": tail(alike(4, lowest="1/5"), 2, "1/5"),
        "far away": tail(drifting, 1, "1/2", start=(10**8, -(10**8), *[10**8] * 3)),
    }


TAILS = tails()


@pytest.mark.parametrize("name", TAILS)
def test_a_converged_tail_is_never_taken_for_a_violation(name):
    judged = judge(CLAIMS, TAILS[name])
    assert judged.measurement.diverged_at is None
    outcomes = [(x.claim.id, x.reading.name, o) for x in judged.judgements for o in x.outcomes]
    for claim_id, reading, outcome in outcomes:
        assert outcome.verdict is not Verdict.VIOLATED, (claim_id, reading)
        assert not outcome.candidate, (claim_id, reading)
    examined = [o.rounds for claim_id, _, o in outcomes if "lem-3" in claim_id and o.rounds]
    assert min(examined) > 50  # rounds were judged, not waved through


def test_the_tails_do_converge_and_their_rounding_would_fool_a_plain_sign_test():
    """Planted: without their errors the last digits of a converged run look like candidates."""
    instance = TAILS["heterogeneous, K = 1"]
    numbers = measure(instance).numbers
    value, error = numbers.series["f"], numbers.errors["f"]
    assert abs(value[-1]) < error[-1] < 1e-12 * value[0]  # which digits are left varies by machine
    lemmas = [
        part for c in CLAIMS for part in c.parts
        if part.index is Index.ROUND and refusal(part, instance, numbers) is None
    ]  # fmt: skip
    assert not any(decide(part, numbers, Method.MOMENTS).candidate for part in lemmas)
    bare = replace(numbers, errors={x: 0 * y for x, y in numbers.series.items()})
    assert any(decide(part, bare, Method.MOMENTS).candidate for part in lemmas)
