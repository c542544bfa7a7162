"""What a process does for a table: the mutants of some claims."""

from collections.abc import Sequence

from fedbounds.theory.language.claims import Claim
from fedbounds.theory.language.contributed import declared
from fedbounds.theory.language.registry import claim

from ...decide.profile import Profile
from ...judge import plan
from ...own.known import theory_of
from . import of_file
from .rows import rows, subjects
from .table import Line, line_of


def lines_of(paper: str, ids: Sequence[str], seed: int) -> list[Line]:
    """Every mutant of these claims of a paper; a set-up is measured once for all of them."""
    found_claims: list[Claim] = [claim(name) for name in ids]
    # the default plan of a file has few cases, and many problems
    profile = Profile.QUICK if declared(paper) is None else Profile.DEFAULT
    cases = tuple(plan.own_cases(paper, profile, seed))
    found = rows(paper, subjects(paper, found_claims), cases)
    if declared(paper) is not None:
        found = [of_file.at_its_edges(theory_of(paper), row) for row in found]
    return [line_of(row) for row in found]
