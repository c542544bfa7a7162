"""The quick plan of submodel, judged once for all tests that look at it."""

from collections.abc import Iterable
from functools import cache

from fedbounds.theory.language.registry import encoded_claims
from fedbounds.verify.decide.case import Case
from fedbounds.verify.decide.profile import Profile
from fedbounds.verify.judge.judge import Judged, judge
from fedbounds.verify.setups import plan
from fedbounds.verify.setups.chance import drawn_cases
from fedbounds.verify.setups.ladders import ladder_cases

Found = tuple[tuple[Case, Judged], ...]
_PLAN = "submodel", "", Profile.QUICK


@cache
def planned() -> Found:
    """Every case that is planned, with what all claims of the paper say of it."""
    return _judged(plan.planned(*_PLAN))


@cache
def drawn() -> Found:
    """Those of random numbers."""
    return _judged(drawn_cases(*_PLAN, seed=0))


@cache
def of_ladders() -> Found:
    """The first set-ups of ladders."""
    return _judged(ladder_cases(*_PLAN))


def everything() -> Found:
    """The whole plan."""
    return (*drawn(), *planned(), *of_ladders())


def _judged(cases: Iterable[Case]) -> Found:
    claims = encoded_claims("submodel")
    return tuple((case, judge(claims, case)) for case in cases)
