"""Which cases judge the claims about sub-model training."""

from collections.abc import Iterator
from itertools import chain

from ..case import Case
from ..profile import Profile
from . import (
    objectives,
    random_long,
    random_plan,
    rolling_plan,
    run_ladders,
    side_by_side,
    stability,
)
from .displays import displays as displays

_KINDS = (
    stability,
    objectives,
    random_plan,
    random_long,
    rolling_plan,
    side_by_side,
    run_ladders,
)


def cases(profile: Profile, seed: int) -> Iterator[Case]:
    """Every case of a profile."""
    return chain.from_iterable(kind.cases(profile, seed) for kind in _KINDS)
