"""Which cases judge the claims about FedPLT."""

from collections.abc import Iterator

from ..case import Case
from ..profile import Profile


def cases(profile: Profile, seed: int) -> Iterator[Case]:
    """Every case of a profile."""
    yield from ()
