"""Which cases judge the claims about FedPLT."""

from collections.abc import Iterator

from ..case import Case
from ..profile import Profile
from ..setups.plan import planned
from .displays import displays as displays
from .ladders import ladder_cases
from .long_runs_plan import ALGORITHM, as_case, at_rest, long_cases
from .random_runs import random_cases


def cases(profile: Profile, seed: int) -> Iterator[Case]:
    """Every case of a profile: exact ones first, then long runs and their ladders."""
    yield from planned("fedplt", ALGORITHM, profile)
    yield as_case("partial masks, at rest away from W*", at_rest(44))
    yield from random_cases(profile, seed)
    yield from long_cases(profile, seed)
    yield from ladder_cases(profile, seed)
