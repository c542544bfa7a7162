"""What coupled runs show: quantities, constants, and which assumptions hold."""

from typing import Any

from flint import arb, ctx

from fedbounds.algorithms.random_masks import RandomMasks
from fedbounds.problems import Evidence
from fedbounds.problems.domain import diameter_squared
from fedbounds.problems.spectrum import square_root
from fedbounds.vocabulary import Assumption

from ..case import Found, find
from .stability_constants import (
    clients_convexity,
    lipschitz,
    masks_numbers,
    means_over_data,
    risk,
    shares,
    smoothness,
    strong_convexity,
    upper,
)
from .stability_data import CoupledLaw, CoupledPair, DataSets, Masked, data_sets
from .stability_quantities import (
    Pushes,
    distances,
    generalization,
    largest,
    loss_differences,
    pushes,
    series,
)
from .stability_runs import JointRun, joint_run

Array = Any


@find.register
def _find_pair(setup: CoupledPair) -> Found:
    sets = data_sets(setup)
    run = joint_run(sets.problems, setup.algorithm, setup.start, setup.rounds)
    pushed = pushes(run, sets, list(sets.pairs))
    name, own = shares(setup.algorithm)
    parameters = _common(sets, setup.algorithm, run, setup.rounds)
    parameters |= {name: own[setup.client]} | _bounds([pushed], own[setup.client], sets)
    return Found(
        family=f"coupled runs on two data sets, {_kind(setup.algorithm)}, enumerated",
        parameters=parameters,
        series={"dl_w": distances(run, list(sets.pairs)), "G_pair": pushed.pair},
        evidence=_evidence(sets, setup.algorithm, run, independent=False),
    )


@find.register
def _find_law(setup: CoupledLaw) -> Found:
    algorithm, sets = setup.algorithm, data_sets(setup)
    run = joint_run(sets.problems, algorithm, setup.start, setup.rounds)
    pairs = [sets.of(place) for place in sets.changed]
    apart = [distances(run, own) for own in pairs]
    losses = [loss_differences(run, sets, own) for own in pairs]
    pushed = [pushes(run, sets, own) for own in pairs]
    farthest = max(range(len(pairs)), key=lambda at: float(apart[at][-1]))
    found = {
        "dl_w": apart[farthest],
        "G_pair": pushed[farthest].pair,
        "dl_mean": sum(apart) / len(apart),
        "st_max": series(largest(own) for own in zip(*losses, strict=True)),
        "st_mean": sum(losses) / len(losses),
        "gen": generalization(run, sets, setup.laws),
    }
    parameters = _common(sets, algorithm, run, setup.rounds)
    parameters |= means_over_data(sets, algorithm, run)
    name, own = shares(algorithm)
    # G_m is the largest over clients: beside one share only where they agree
    alike = own[0] if len(set(own)) == 1 else None
    parameters |= ({} if alike is None else {name: alike}) | _bounds(pushed, alike, sets)
    squares = setup.loss.threshold is None
    if squares and isinstance(algorithm, RandomMasks) and clients_convexity(sets) > 0:
        numbers, risks = risk(sets, setup.laws, algorithm, run, setup.start)
        parameters |= numbers
        found |= risks
    return Found(
        family=f"coupled runs on all data sets of a law, {_kind(algorithm)}, enumerated",
        parameters=parameters,
        series=found,
        evidence=_evidence(sets, algorithm, run, independent=True),
    )


def _kind(algorithm: Masked) -> str:
    return "random masks" if isinstance(algorithm, RandomMasks) else "rolling masks"


def _common(sets: DataSets, algorithm: Masked, run: JointRun, rounds: int) -> dict[str, Any]:
    problem, mu = sets.problems[0], clients_convexity(sets)
    found = masks_numbers(algorithm, strong_convexity(sets))
    found |= {
        "n": problem.clients,
        "n_s": problem.samples,
        "dim": problem.shared_dimension,
        "T": rounds,
        "L": smoothness(sets),
    }
    if mu > 0:
        found["mu"] = mu
    if isinstance(algorithm, RandomMasks) and algorithm.domain is not None:
        # rounds within an epoch of rolling masks leave the domain
        found["D_dom"] = square_root(diameter_squared(algorithm.domain, found["dim"])).upper
    steepest = lipschitz(sets, algorithm, run)
    return found if steepest is None else found | {"G": steepest}


def _bounds(pushed: list[Pushes], share: Any, sets: DataSets) -> dict[str, Any]:
    """G_m, from above; G_inf where the order of G_m and G_inf sqrt(p d) is that of their values."""
    size, entry = largest(own.largest for own in pushed), max(own.entry for own in pushed)
    most = upper(size)
    found = {"G_m": most}
    if share is None:
        return found
    square = entry**2 * share * sets.problems[0].shared_dimension
    with ctx.workprec(512):
        straddles = isinstance(size, arb) and most**2 > square and not size**2 > square
    return found if straddles else found | {"G_inf": entry}


def _evidence(
    sets: DataSets, algorithm: Masked, run: JointRun, independent: bool
) -> dict[Assumption, Evidence]:
    random, domain = isinstance(algorithm, RandomMasks), algorithm.domain
    own, clients = strong_convexity(sets), clients_convexity(sets)
    bounded = lipschitz(sets, algorithm, run) is not None
    form = "squares or Huber's loss of an affine function, and a ridge"
    domain_is = f"domain {domain}"
    epoch = 1 if isinstance(algorithm, RandomMasks) else algorithm.epoch
    shared = not isinstance(algorithm, RandomMasks) and algorithm.shared_order
    law = "given data sets" if not independent else "drawn one by one from the client's law"
    facts = {
        Assumption.SMOOTH: (True, form),
        Assumption.SMOOTH_SAMPLES: (True, form),
        Assumption.CONVEX: (True, form),
        Assumption.CONVEX_SAMPLES: (True, form),
        Assumption.STRONGLY_CONVEX_SAMPLES: (own > 0, f"mu of the samples is {own}"),
        Assumption.STRONGLY_CONVEX: (clients > 0, f"mu of the clients is at least {clients}"),
        Assumption.LIPSCHITZ_SAMPLES: (bounded, f"gradients over {domain_is}, {form}"),
        Assumption.BOUNDED_MASKED_GRADIENTS: (bounded, f"gradients over {domain_is}, {form}"),
        Assumption.INDEPENDENT_SAMPLES: (independent, law),
        Assumption.NOISE: (True, "indices are uniform; their variance at the points of the runs"),
        Assumption.DATA_FREE_MASKS: (True, "drawn without looking at the data"),
        Assumption.KEPT: (random, "E m_i = p_i 1 given the past" if random else "masks roll"),
        Assumption.BERNOULLI: (random, "the law of the masks"),
        Assumption.COVERAGE: (not random, "computed from the masks" if not random else "random"),
        Assumption.WHOLE_EPOCHS: ((len(run.rounds)) % epoch == 0, f"epochs of {epoch} rounds"),
        Assumption.SHARED_ORDER: (shared, "the algorithm" if not random else "no permutation"),
        Assumption.BOUNDED_DOMAIN: (domain is not None, domain_is),
        Assumption.UNCONSTRAINED: (domain is None, domain_is),
    }
    return {name: Evidence(bool(holds), why) for name, (holds, why) in facts.items()}
