"""Among the cases of a paper's own plan: the cheapest that breaks a claim, and the tightest."""

from collections.abc import Iterator

from fedbounds.theory.claims import Claim, Reading, read
from fedbounds.theory.contributed import declared
from fedbounds.vocabulary import Method, Relation

from ..case import Case
from ..decide import Outcome
from ..judge import Judgement, judge_reading
from ..measurement import measure
from ..plan import own_cases
from ..profile import Profile
from .tightest import Best


def planned_cases(claim: Claim, seed: int = 0) -> tuple[Case, ...]:
    """The exact cases of a claim; none for a paper without a plan of its own."""
    # a user's file is searched as far as it is verified, so that the answer does not take minutes
    own = declared(claim.entry.paper) is not None
    profile = Profile.DEFAULT if own else Profile.THOROUGH
    every = own_cases(claim.entry.paper, profile, seed)
    return tuple(
        case
        for case in every
        if case.method is Method.RATIONAL and case.algorithm_name in claim.algorithms
    )


def tightest_cases(claim: Claim, reading: Reading, seed: int = 0) -> tuple[Best, ...]:
    """The tightest planned case of each inequality of a reading, the tightest part first."""
    cases = planned_cases(claim, seed)
    inequalities = {p.name for p in read(claim, reading) if p.relation is Relation.AT_MOST}
    best: dict[str, Best] = {}
    for case in cases:
        judgement = judge_reading(claim, reading, case, measure(case))
        for found in _examined(judgement, f"plan, {len(cases)} cases"):
            known = best.get(found.part)
            nearer = known is None or found.relative_gap < known.relative_gap
            if found.part in inequalities and nearer:
                best[found.part] = found
    return tuple(sorted(best.values(), key=lambda b: b.relative_gap))


def _examined(judgement: Judgement, how: str) -> Iterator[Best]:
    for outcome in judgement.outcomes:
        # a run of its start alone says nothing of how close the sides are
        if outcome.relative_gap is not None and not 0 < outcome.idle == outcome.rounds:
            yield Best(
                outcome.part, outcome.tightness, outcome.relative_gap, *_sides(outcome),
                judgement, how, outcome.at,
            )  # fmt: skip


def _sides(outcome: Outcome) -> tuple[float, float]:
    left, right = (str(side).partition("/") for side in (outcome.left, outcome.right))
    return float(left[0]) / float(left[2] or 1), float(right[0]) / float(right[2] or 1)
