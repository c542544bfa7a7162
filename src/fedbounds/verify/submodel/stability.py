"""Which cases judge the claims about stability and generalisation of sub-model training."""

from collections.abc import Iterator
from itertools import chain

from ..case import Case
from ..profile import Profile
from . import (
    stability_comparisons,
    stability_found,
    stability_gap,
    stability_ladders,
    stability_script,
)
from .stability_plan import coupled_cases

# importing them registers what finds out about their set-ups, and what writes scripts
_REGISTERED = (stability_found, stability_gap, stability_ladders, stability_script)


def cases(profile: Profile, seed: int) -> Iterator[Case]:
    """Every case of a profile."""
    return chain(coupled_cases(profile), stability_comparisons.cases(profile))
