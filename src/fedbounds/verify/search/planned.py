"""Among the cases of a paper's own plan: the cheapest that breaks a claim, and the tightest."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from fedbounds.theory.language.claims import Claim, read
from fedbounds.theory.language.contributed import Contribution, contributed, declared
from fedbounds.theory.language.registry import glossary
from fedbounds.theory.language.setups import Setup
from fedbounds.vocabulary import Method, Relation

from ..decide.case import Case
from ..decide.judgement import Judgement
from ..decide.measurement import measure
from ..decide.part import Outcome
from ..decide.profile import Profile
from ..judge.judge import judge_reading
from ..judge.plan import own_cases
from ..setups.found import Named
from .tightest import Best


def planned_cases(claim: Claim, seed: int = 0) -> tuple[Case, ...]:
    """The exact cases of a claim; none for a paper without a plan of its own."""
    paper = claim.entry.paper
    # a user's file is searched as far as it is verified, so that the answer does not take minutes
    if declared(paper) is not None:
        every = _exact(own_cases(paper, Profile.DEFAULT, seed))
    else:
        every = _of_paper(paper, seed, contributed(paper))
    return tuple(case for case in every if case.algorithm_name in claim.algorithms)


@lru_cache(maxsize=2)  # its random set-ups take seconds to make
def _of_paper(paper: str, seed: int, _of: Contribution | None) -> tuple[Case, ...]:
    """A folder of one's own may be another one later."""
    return _exact(own_cases(paper, Profile.THOROUGH, seed, floats=False))


def _exact(every: Iterable[Case]) -> tuple[Case, ...]:
    return tuple(case for case in every if case.method is Method.RATIONAL)


def narrowed_to(claim: Claim, case: Case) -> Case:
    """The case with no more quantities than the claim speaks of, and what tells a start at rest."""
    if not isinstance(case.setup, Setup):
        return case
    parts = (part for reading in claim.readings for part in read(claim, reading))
    names = glossary(claim.entry.paper).left.union(*(part.named for part in parts))
    return replace(case, setup=Named(case.setup, names))


def judged(claim: Claim, cases: Sequence[Case]) -> dict[str, list[Judgement]]:
    """By reading, on every case; each is measured once."""
    found: dict[str, list[Judgement]] = {reading.name: [] for reading in claim.readings}
    for case in cases:
        own = narrowed_to(claim, case)
        measured = measure(own)
        for reading in claim.readings:
            found[reading.name].append(judge_reading(claim, reading, own, measured))
    return found


def tightest_cases(every: Sequence[Judgement]) -> tuple[Best, ...]:
    """Among judgements of one reading, of each inequality; the tightest part first."""
    best: dict[str, Best] = {}
    for judgement in every:
        parts = read(judgement.claim, judgement.reading)
        inequalities = {part.name for part in parts if part.relation is not Relation.EQUAL}
        for found in _examined(judgement, f"plan, {len(every)} cases"):
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
