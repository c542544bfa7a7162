"""Trivial bounds: they hold where they are named, and a bound that never beats one is flagged."""

from collections import defaultdict
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from fedbounds.theory.language.registry import claim, encoded_claims
from fedbounds.theory.submodel.point_setups import Law, quadratics, setup_of
from fedbounds.verify.decide.case import Case
from fedbounds.verify.decide.measurement import measure
from fedbounds.verify.decide.part import rounds_of
from fedbounds.verify.judge.judge import judge
from fedbounds.verify.judge.plan import quick_cases
from fedbounds.verify.judge.summary import summarise
from fedbounds.verify.measure.evaluate import Numbers, evaluate
from fedbounds.verify.results.records import record
from fedbounds.vocabulary import Method, Verdict

# what the domain, smoothness, or what is measured, gives without the claim
BOUNDED = {
    "lem-1", "lem-2", "lem-3", "lem-7", "lem-8", "lem-mask-gap", "lem-wor", "stat-random",
    "stat-rolling", "thm-1", "thm-2", "thm-3", "thm-4", "thm-5", "thm-6", "cor-1",
    "claim-stationary", "claim-residual", "claim-K-speedup", "claim-projection",
}  # fmt: skip


@cache
def concerned():
    return [c for c in encoded_claims("submodel") if any(p.trivial is not None for p in c.parts)]


def test_claims_with_a_bound_that_holds_anyway_name_it():
    assert {found.id.partition("/")[2] for found in concerned()} == BOUNDED


MOST = 3  # cases of each part that are measured again


def test_trivial_bounds_hold_where_their_claims_are_examined(quick_plan):
    every = {case.name: case for case in quick_cases("submodel")}
    ours = {found.id: found for found in concerned()}
    chosen = defaultdict(list)
    for row in (x for x in quick_plan("submodel") if x["claim"] in ours):
        for part in row["parts"]:
            cases = chosen[row["claim"], part["part"]]
            name = row["problem"]["instance"]
            if part["beats_trivial"] is not None and name not in cases:
                cases.append(name)
    chosen = {
        key: sorted(names, key=lambda x: every[x].work)[:MOST] for key, names in chosen.items()
    }
    found = {name: measure(every[name]).numbers for names in chosen.values() for name in names}
    for (claim_id, name), cases in chosen.items():
        for case in cases:
            numbers, part = found[case], ours[claim_id].part(name)
            left, trivial = (
                floats(side, numbers, rounds_of(part, numbers))
                for side in (part.left, part.trivial)
            )
            # a start may lie outside the domain; it is not what a claim bounds
            slack = 1e-9 * (1 + abs(trivial))
            started = part.first_round == 0 and left.shape[-1:] > (1,)
            inside = (left <= trivial + slack)[..., 1:] if started else left <= trivial + slack
            assert inside.all(), (claim_id, name, case)
    assert len({claim_id for (claim_id, _), cases in chosen.items() if cases}) >= 15


def floats(side, numbers, rounds):
    in_floats = Numbers(
        {name: float(x) for name, x in numbers.constants.items()},
        {name: row.astype(float) for name, row in numbers.series.items()},
    )
    return np.atleast_1d(evaluate(side, in_floats, rounds))


# ---- the flag


def lemma_3(domain=None):
    problem = quadratics((((2, 1), (1, 2)),), ((1, -3),))
    setup = setup_of(problem, Law("keep", ("3/4",)), ((1, 0), (0, 0)), domain)
    return Case("one", "masked objective", setup, Method.RATIONAL)


BOX = ((-2, -2), (2, 2))


def summary_of(found, case):
    """The line of a claim that was judged on one case."""
    rows = [record(one, str(k)) for k, one in enumerate(judge((found,), case).judgements)]
    return summarise(found.entry, rows, {})


def scaled(factor):
    found = claim("submodel/lem-3")
    return replace(found, parts=tuple(replace(p, right=factor * p.right) for p in found.parts))


@pytest.mark.parametrize(("factor", "flag"), [(1, False), (10**6, True)])
def test_a_bound_that_never_beats_its_trivial_one_is_flagged(factor, flag):
    shown = summary_of(scaled(factor), lemma_3(BOX))
    assert shown["statement"] == "survived"
    assert shown["uninformative"] is flag
    assert shown["readings"][0]["uninformative"] is flag


def test_without_a_domain_there_is_no_diameter_to_beat():
    found = judge((claim("submodel/lem-3"),), lemma_3()).judgements[0]
    assert found.verdict is Verdict.NOT_VIOLATED
    assert {outcome.beats_trivial for outcome in found.outcomes} == {None}
    assert summary_of(scaled(10**6), lemma_3())["uninformative"] is None
