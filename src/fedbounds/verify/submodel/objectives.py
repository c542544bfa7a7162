"""Which cases judge the claims about masked objectives alone."""

from collections.abc import Iterator
from itertools import chain, islice

from fedbounds.theory.submodel.names import OBJECTIVE, OBJECTIVE_LADDER
from fedbounds.vocabulary import Method

from ..case import Case
from ..profile import Profile
from .objective_ladders_plan import ladders, random_ladders
from .objectives_large import other_losses
from .objectives_setups import Rungs, SmoothObjective, TrilinearRungs
from .point_random import random_cases

_RANDOM = {Profile.QUICK: 1, Profile.DEFAULT: 6, Profile.THOROUGH: 40}


def cases(profile: Profile, seed: int) -> Iterator[Case]:
    """Every case of a profile but the set-ups that are data."""
    yield from random_cases(profile, seed)
    few = 3 if profile is Profile.QUICK else 1
    for label, smooth in islice(other_losses(seed), None, None, few):
        yield as_case(label, smooth)
    for label, ladder in chain(ladders(), random_ladders(seed, _RANDOM[profile])):
        yield as_ladder(label, ladder)


def as_case(label: str, setup: SmoothObjective) -> Case:
    """A case whose work is the number of gradients."""
    n, d = setup.problem.clients, setup.problem.shared_dimension
    work = n * len(setup.points) * 2 ** min(d, 8)
    return Case(f"{label}, n={n} d={d}", OBJECTIVE[0], setup, Method.MOMENTS, work)


def as_ladder(label: str, setup: Rungs | TrilinearRungs) -> Case:
    """A case over p; the smallest have few clients and coordinates."""
    d = len(setup.point) if isinstance(setup, Rungs) else 3
    rows = setup.samples.clients if isinstance(setup, Rungs) else 1
    name = f"ladder in p, {label}, d={d}, rational"
    return Case(name, OBJECTIVE_LADDER[0], setup, Method.RATIONAL, rows * len(setup.laws) * 2**d)
