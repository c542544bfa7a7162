"""Which cases judge the claim about stability in p."""

from collections.abc import Iterator

from ..case import Case
from ..profile import Profile
from . import stability_comparisons, stability_ladders, stability_script

# importing them registers what finds out about their set-ups, and what writes scripts
_REGISTERED = (stability_ladders, stability_script)


def cases(profile: Profile, seed: int) -> Iterator[Case]:
    """Every case of a profile."""
    return stability_comparisons.cases(profile)
