"""Which cases judge the claims about FedPLT."""

from collections.abc import Iterator
from itertools import chain

from ..case import Case
from ..profile import Profile
from . import small_plan

_KINDS = (small_plan,)


def cases(profile: Profile, seed: int) -> Iterator[Case]:
    """Every case of a profile."""
    return chain.from_iterable(kind.cases(profile, seed) for kind in _KINDS)
