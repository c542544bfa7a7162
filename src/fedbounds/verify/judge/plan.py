"""Which instances judge the claims of a paper: small exact ones, sharp corners, realistic sizes.

Step sizes come from the claims' own conditions at equality, so that a claim is met where it is
most exposed. Nothing here knows what any verdict should be.
"""

from collections.abc import Collection, Iterator
from functools import cache
from typing import Any

from fedbounds.theory.language.claims import Claim
from fedbounds.theory.language.contributed import Contribution, contributed

from ..decide.case import Case
from ..decide.profile import Profile
from ..setups import ladders
from ..setups.chance import drawn_cases
from ..setups.plan import planned

Record = dict[str, Any]


def instances(
    claims: tuple[Claim, ...], profile: Profile, seed: int, names: frozenset[str]
) -> Iterator[Case]:
    """Every instance of a profile, the cheapest kinds first.

    Parameters
    ----------
    claims : tuple of Claim
        Those of the whole papers: their conditions fix the step sizes.
    names : set of str
        Algorithms whose instances are wanted.
    """
    for paper in dict.fromkeys(claim.entry.paper for claim in claims):
        every = own_cases(paper, profile, seed)
        yield from (case for case in every if case.algorithm_name in names)


def own_cases(paper: str, profile: Profile, seed: int, *, floats: bool = True) -> Iterator[Case]:
    """Cases of a paper's own: the set-ups of its theory, the drawn ones first.

    Without ``floats``, what is drawn to be measured in floats is not drawn.
    """
    other = contributed(paper)
    if other is not None and other.cases is not None:
        yield from other.cases(profile, seed)
    yield from drawn_cases(paper, "", profile, seed, floats=floats)
    yield from planned(paper, "", profile)
    yield from ladders.ladder_cases(paper, "", profile)


def quick_cases(paper: str) -> tuple[Case, ...]:
    """Those of the quick plan of seed 0, which many ask for: made once."""
    return _quick(paper, contributed(paper))


@cache
def _quick(paper: str, _of: Contribution | None) -> tuple[Case, ...]:
    """A theory of one's own may be another one later."""
    return tuple(own_cases(paper, Profile.QUICK, 0))


def own_displays(paper: str, profile: Profile, claims: Collection[str]) -> dict[str, list[Record]]:
    """Measured scalings that a paper's theory shows beside these of its claims, by claim."""
    return ladders.displays(paper, profile, claims)
