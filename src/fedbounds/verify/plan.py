"""Which instances judge the claims of a paper: small exact ones, sharp corners, realistic sizes.

Step sizes come from the claims' own conditions at equality, so that a claim is met where it is
most exposed. Nothing here knows what any verdict should be.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from fedbounds.algorithms.fedavg_p import FedAvgP
from fedbounds.algorithms.scaffold_p import ScaffoldP
from fedbounds.problems import (
    SILENT,
    CoupledCosine,
    FederatedLogistic,
    FederatedQuadratic,
    Noise,
    NoiseLaw,
    Start,
    federated_quadratic,
)
from fedbounds.theory.claims import Claim
from fedbounds.theory.contributed import contributed
from fedbounds.vocabulary import Method

from .case import Case
from .instance import Instance
from .judge import Subject
from .profile import Profile
from .schedules import schedules
from .setup_data import class_name
from .setups import ladders
from .setups.chance import drawn_cases
from .setups.plan import planned
from .stored.work import Setup

Record = dict[str, Any]
Objective = FederatedQuadratic | CoupledCosine | FederatedLogistic


def instances(
    claims: tuple[Claim, ...], profile: Profile, seed: int, names: frozenset[str]
) -> Iterator[Subject]:
    """Every instance of a profile, the cheapest kinds first.

    Parameters
    ----------
    claims : tuple of Claim
        Those of the whole papers: their conditions fix the step sizes.
    names : set of str
        Algorithms whose instances are wanted.
    """
    for kind, name in ((FedAvgP, "FedAvg-P"), (ScaffoldP, "Scaffold-P")):
        if name in names:
            yield from quadratic_instances(claims, kind, profile, seed)
    for paper in dict.fromkeys(claim.entry.paper for claim in claims):
        every = own_cases(paper, profile, seed)
        yield from (case for case in every if case.algorithm_name in names)


def own_cases(paper: str, profile: Profile, seed: int) -> Iterator[Case]:
    """Cases of a paper's own: the set-ups of its theory, the drawn ones first."""
    other = contributed(paper)
    if other is not None:
        yield from other.cases(profile, seed)
    else:
        yield from drawn_cases(paper, "", profile, seed)
        yield from planned(paper, "", profile)
        yield from ladders.ladder_cases(paper, "", profile)


def own_displays(paper: str, profile: Profile) -> dict[str, list[Record]]:
    """Measured scalings that a paper's theory shows beside its claims, by claim."""
    return {} if contributed(paper) is not None else ladders.displays(paper, profile)


def stored_setups() -> dict[str, Setup]:
    """Every set-up that a file may hold, by the name of its class."""
    from .setups.stored import (  # which load what it is that they hold
        stored,
        stored_beside,
        stored_choice,
        stored_ladder,
    )

    every = (stored(), stored_choice(), stored_ladder(), stored_beside())
    return {class_name(setup.record.make): setup for setup in every}


def _start(problem: Objective, seed: int, size: float) -> Start:
    """A random start at about ``size`` from the minimiser, or from the origin if there is none."""
    rng = np.random.default_rng(seed)
    u = size * rng.standard_normal(problem.shared_dimension)
    v = size * rng.standard_normal((problem.clients, problem.personal_dimension))
    if isinstance(problem, FederatedQuadratic) and problem.minimiser is not None:
        centre = problem.split(problem.minimiser)
        return Start(u=centre.u + u, v=centre.v + v)
    return Start(u=u, v=v)


def _noise(scale: float, law: NoiseLaw = NoiseLaw.GAUSSIAN) -> Noise:
    return Noise(law, scale, scale) if scale else SILENT


# n, m, d_u, d_v, K, T, b^2 (None: own curvatures), coupling, noise scale, and distance of the
# start from the minimiser: one row starts so close that client drift is all there is
_QUADRATICS = (
    (10, 5, 5, 5, 10, 100, 1.0, 0.0, 0.3, 1.0),
    (10, 1, 5, 5, 5, 100, 4.0, 0.0, 0.0, 1.0),
    (10, 10, 5, 5, 5, 100, 1.0, 0.0, 0.3, 1.0),
    (2, 1, 1, 1, 1, 400, 1.0, 0.0, 0.0, 0.1),
    (2, 1, 2, 1, 4, 200, 0.0, 0.0, 1.0, 0.1),
    (10, 5, 5, 5, 10, 100, None, 0.4, 0.3, 1.0),
    (10, 10, 5, 5, 20, 50, None, 0.4, 0.1, 1.0),
    (5, 2, 3, 2, 1, 100, None, 0.2, 0.0, 1.0),
    (4, 4, 3, 0, 5, 50, 2.0, 0.0, 0.2, 1.0),
    (6, 6, 0, 3, 1, 50, None, 0.0, 0.2, 1.0),
    (3, 3, 2, 2, 8, 40, None, 0.5, 0.0, 3.0),
    (1, 1, 2, 2, 10, 60, 0.0, 0.0, 0.5, 1.0),
    (8, 8, 0, 1, 1, 60, None, 0.0, 0.0, 1.0),
    (2, 2, 1, 0, 4, 16, None, 0.0, 0.0, 1e-7),
    (3, 2, 1, 1, 2, 1, 1.0, 0.0, 0.3, 1.0),
    (2, 2, 1, 1, 2, 1, None, 0.2, 0.1, 1.0),
    (3, 1, 1, 1, 1, 400, 0.01, 0.0, 0.0, 1.0),
    (3, 3, 1, 1, 2, 400, None, 0.3, 0.0, 1.0),
    (4, 4, 2, 2, 5, 200, 1.0, 0.0, 2.0, 0.1),
    (6, 3, 2, 1, 5, 200, 1.0, 0.0, 2.0, 0.1),
    (4, 1, 3, 0, 6, 200, 9.0, 0.0, 0.0, 0.3),
    (6, 2, 3, 0, 5, 60, 1.0, 0.0, 0.2, 1.0),
    (10, 1, 4, 0, 3, 60, 4.0, 0.0, 0.0, 1.0),
    (5, 5, 4, 0, 10, 60, None, 0.0, 0.1, 1.0),
    (6, 2, 0, 3, 1, 60, None, 0.0, 0.2, 1.0),
    (10, 10, 0, 2, 1, 60, None, 0.0, 1.0, 0.3),
)


_QUICK_STEPS = 24  # clients times local steps, at most, in a quick run
_QUICK_ROUNDS = 200


def _at_edges(
    claims: tuple[Claim, ...],
    kind: type[FedAvgP],
    label: str,
    problem: Objective,
    start: Start,
    sizes: tuple[int, int, int],
    method: Method,
) -> Iterator[Instance]:
    """One instance per schedule of the claims; ``sizes`` are m, K and T."""
    for edge, algorithm in schedules(claims, kind, problem, start, *sizes):
        name = f"{label}, edge of {edge}"
        yield Instance(name, problem, algorithm, sizes[2], method, start)


def quadratic_instances(
    claims: tuple[Claim, ...], kind: type[FedAvgP], profile: Profile, seed: int
) -> Iterator[Instance]:
    """Random quadratics at the edge of each claim's conditions, by exact moments."""
    count = {Profile.QUICK: 1, Profile.DEFAULT: 2, Profile.THOROUGH: 10}[profile]
    for repeat in range(count):
        for index, row in enumerate(_QUADRATICS):
            n, m, d_u, d_v, steps, rounds, b2, coupling, scale, size = row
            if profile is Profile.QUICK and (n * steps > _QUICK_STEPS or rounds > _QUICK_ROUNDS):
                continue
            problem = federated_quadratic(
                clients=n,
                shared_dimension=d_u,
                personal_dimension=d_v,
                strong_convexity=0.05,
                dissimilarity=b2,
                coupling=coupling,
                noise=_noise(scale),
                seed=seed + 1000 * repeat + index,
            )
            start = _start(problem, seed + index, size)
            label = f"quadratic {index + 1}.{repeat + 1}, n={n} m={m} K={steps} T={rounds}"
            yield from _at_edges(
                claims, kind, label, problem, start, (m, steps, rounds), Method.MOMENTS
            )
