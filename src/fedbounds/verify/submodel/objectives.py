"""Which cases judge the claims about masked objectives alone."""

from collections.abc import Iterator
from itertools import islice

from fedbounds.theory.submodel.names import OBJECTIVE
from fedbounds.vocabulary import Method

from ..case import Case
from ..profile import Profile
from .objectives_large import other_losses
from .objectives_setups import SmoothObjective


def cases(profile: Profile, seed: int) -> Iterator[Case]:
    """Every case of a profile but the set-ups that are data."""
    few = 3 if profile is Profile.QUICK else 1
    for label, smooth in islice(other_losses(seed), None, None, few):
        yield as_case(label, smooth)


def as_case(label: str, setup: SmoothObjective) -> Case:
    """A case whose work is the number of gradients."""
    n, d = setup.problem.clients, setup.problem.shared_dimension
    work = n * len(setup.points) * 2 ** min(d, 8)
    return Case(f"{label}, n={n} d={d}", OBJECTIVE[0], setup, Method.MOMENTS, work)
