"""Small instances of FedPLT on which every step of its proofs is evaluated, in the three views.

Two or three clients, two coordinates, every outcome enumerated. A statement about one step is
about free vectors (view A) or local steps with virtual aggregation (view V); one about a round is
about the algorithm (view R); one about a client is about each of them alone.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from fedbounds.algorithms.fedplt_rows import FedPLT, compensation, shares
from fedbounds.problems import FederatedQuadratic, Noise, NoiseLaw, Start
from fedbounds.theory.fedplt.proofs import scopes
from fedbounds.theory.fedplt.vectors import MEANS
from fedbounds.vocabulary import Assumption

from .measured import (
    Premises,
    a_round,
    constants,
    distance,
    joined,
    mean,
    of_one_client,
    one_step,
    premises,
    series,
)
from .outcomes import Enumerated, free_outcomes, round_outcomes, virtual_outcomes
from .values import alignment, with_vectors
from .views import dependent, of_client, unsent_outcomes, with_virtual_step

ROUNDS, LOCAL_STEPS, NEITHER = "rounds", "local steps", "neither"

_HESSIANS = np.array([[[2, 0.5], [0.5, 1]], [[1, -0.25], [-0.25, 1.5]], [[1.5, 0], [0, 0.75]]])
_FAR = np.array([[-4.0, -1.5], [-3.5, -2.0], [-3.0, -2.5]])  # W* is at a distance from the start
_NEAR = np.array([[1, -1], [-0.5, 2], [0.25, -3]])  # the clients' own minimisers are far apart
_MASKS = ((1, 0), (1, 1), (0, 1))
_COUNTS = (1, 3, 2)
_W = np.array([0.5, -0.75])
_OWN = np.array([[0.5, -1.0], [0.0, 0.75], [-2.0, 0.25]])
_SIZES = (1 / 8, 1 / 64)  # step sizes: beyond the conditions, and within
_FIRST = 2.0  # as long as the first of the decaying steps may be

# of strongly convex quadratics, noise of a known law, and G^2 as it is measured
_EVERY = frozenset(
    {
        Assumption.SMOOTH,
        Assumption.STRONGLY_CONVEX,
        Assumption.NOISE,
        Assumption.INDEPENDENT,
        Assumption.GLOBAL_GRADIENT,
        Assumption.LOCAL_GRADIENTS,
    }
)


@dataclass(frozen=True, eq=False)
class Case:
    """One step, one round, or one client of either, with all values but those that are chosen.

    Attributes
    ----------
    view : "A", "V" or "R"
    scopes : frozenset of str
        Of the statements that it can evaluate.
    found : Enumerated
    values : mapping from symbol name to number
    premises : Premises
    assumptions : frozenset of Assumption
        Those that hold, besides alignments.
    counts : str
        What t counts.
    own : frozenset of str
        Names that only one client has; statements without a scope are of this client if they name
        one of these.
    """

    view: str
    scopes: frozenset[str]
    found: Enumerated
    values: Mapping[str, float]
    premises: Premises
    assumptions: frozenset[Assumption]
    counts: str = NEITHER
    own: frozenset[str] = frozenset()


@cache
def cases() -> tuple[Case, ...]:
    """All instances."""
    found: list[Case] = []
    for size in _SIZES:
        found += _free(size)
        for slopes, steps in ((_FAR, 1), (_FAR, 2), (_NEAR, 2)):
            problem, algorithm, start = _instance(2, slopes, steps, size)
            found += _virtual(problem, algorithm, start)
            found += _rounds(problem, algorithm, start)
        found += _unsent(size)
    found += [*_noiseless(), *_free(_FIRST)]
    return tuple(found)


def _instance(
    n: int, slopes: np.ndarray, steps: int, size: float, noise: float = 0.25
) -> tuple[FederatedQuadratic, FedPLT, Start]:
    law = Noise(NoiseLaw.RADEMACHER, noise, 0.0)
    problem = FederatedQuadratic(_HESSIANS[:n], slopes[:n], 2, law)
    return problem, FedPLT(_MASKS[:n], _COUNTS[:n], steps, size), Start(_W, np.zeros((n, 0)))


def _free(size: float) -> Iterator[Case]:
    """View A, also with one noise for all clients."""
    for n, slopes, own in ((2, _FAR, _OWN), (3, _NEAR, _OWN), (2, _NEAR, _between(2, _NEAR))):
        problem, algorithm, _ = _instance(n, slopes, 1, size)
        found = free_outcomes(problem, algorithm, _W, own[:n])
        case = _of_step("A", problem, algorithm, found, premises(found), _EVERY)
        yield case
        yield from _clients(case, algorithm)
        correlated = dependent(found)
        less = _EVERY - {Assumption.INDEPENDENT}
        yield _of_step("A", problem, algorithm, correlated, premises(found), less)


def _between(n: int, slopes: np.ndarray) -> np.ndarray:
    """Points at which every gradient points away from W*: both angles are above 90 degrees."""
    problem, algorithm, _ = _instance(n, slopes, 1, 1.0)
    found = free_outcomes(problem, algorithm, _W, _OWN[:n])
    best = found.space.vectors["Wstar"][0, 0, 0, 0]
    least = -np.linalg.solve(problem.hessian, problem.linear[..., None])[..., 0]
    return np.asarray(best + 0.25 * (least - best))


def _virtual(problem: FederatedQuadratic, algorithm: FedPLT, start: Start) -> Iterator[Case]:
    """View V at the first local steps."""
    tau = algorithm.local_steps
    every = [virtual_outcomes(problem, algorithm, start, steps) for steps in (1, 2, 3)]
    distances = [*map(distance, every), distance(every[-1], "Wn")]
    seen = [premises(found) for found in every]
    holding = _EVERY | {Assumption.VIRTUAL} | ({Assumption.SINGLE_STEP} if tau == 1 else set())
    for t, found in enumerate(every):
        case = _of_step("V", problem, algorithm, found, joined(seen[: t + 1]), holding)
        case = replace(_with_distances(case, distances), counts=LOCAL_STEPS)
        since = {"j": float(t % tau)} if t % tau else {}
        yield replace(case, values={**case.values, **since})
        if t == 1:
            yield from _clients(case, algorithm)


def _rounds(problem: FederatedQuadratic, algorithm: FedPLT, start: Start) -> Iterator[Case]:
    """View R in the first two rounds; the first also with the analysis's step from its end."""
    every = [round_outcomes(problem, algorithm, start, rounds) for rounds in (1, 2)]
    distances = [*map(distance, every), distance(every[-1], "Wn")]
    for t, found in enumerate(every):
        whole = found if t else with_virtual_step(problem, algorithm, found)
        case = Case(
            "R", frozenset({"", scopes.ROUND, scopes.UNBIASED_ROUND}),
            _told(whole, a_round(whole)),
            constants(problem, algorithm, found), premises(found), _EVERY | _equal(found), ROUNDS,
        )  # fmt: skip
        yield _with_distances(case, distances)
        yield from _clients_rounds(replace(case, found=_told(found, {})), algorithm)


def _unsent(size: float) -> Iterator[Case]:
    """View V between two rounds, with all local steps since the first of them."""
    for steps, done, rounds in ((2, 1, 1), (2, 1, 2), (3, 2, 1)):
        problem, algorithm, start = _instance(2, _NEAR, steps, size)
        found = unsent_outcomes(problem, algorithm, start, rounds, done)
        yield Case(
            "V", frozenset({scopes.VIRTUAL}), _told(found, a_round(found)),
            constants(problem, algorithm, found) | {"j": float(done)}, premises(found),
            _EVERY | _equal(found) | {Assumption.VIRTUAL}, LOCAL_STEPS,
        )  # fmt: skip


def _noiseless() -> Iterator[Case]:
    """View R with full gradients."""
    for steps in (1, 2):
        problem, algorithm, start = _instance(2, _NEAR, steps, _SIZES[0], noise=0.0)
        found = round_outcomes(problem, algorithm, start, 2)
        case = Case(
            "R", frozenset({scopes.CLIENT_ROUND_FGD}), _told(found, {}),
            constants(problem, algorithm, found), premises(found),
            _EVERY | _equal(found) | {Assumption.NOISELESS},
        )  # fmt: skip
        for each in _clients_rounds(case, algorithm):
            yield replace(each, scopes=case.scopes)


# ---- what a case is made of


def _of_step(
    view: str,
    problem: FederatedQuadratic,
    algorithm: FedPLT,
    found: Enumerated,
    assumed: Premises,
    assumptions: frozenset[Assumption],
) -> Case:
    values = constants(problem, algorithm, found)
    ratio = alignment(found)[..., None, None]
    told = _told(found, one_step(found, values["mu"]))
    vectors = dict(told.space.vectors)
    vectors["anyv"] = vectors["Wk"] - vectors["Wstar"]
    vectors["mv"] = found.factors["mask"] * vectors["anyv"]
    if np.isfinite(ratio).all():
        vectors["rg"] = ratio * vectors["g"]
    told = replace(told, space=replace(told.space, vectors=vectors))
    scoped = frozenset({"", scopes.STEP, scopes.UNBIASED_STEP})
    return Case(view, scoped, told, values, assumed, assumptions | _equal(found))


def _told(found: Enumerated, quantities: dict[str, float]) -> Enumerated:
    """With the vectors that the proofs name, and measured quantities."""
    named = with_vectors(found, MEANS)
    measured = series(quantities, found.space.t)
    return replace(named, space=replace(named.space, series=measured))


def _equal(found: Enumerated) -> frozenset[Assumption]:
    alpha = found.factors["attenuate"]
    equal = bool((alpha == alpha.max()).all())
    return frozenset({Assumption.EQUAL_ATTENUATION} if equal else ())


def _with_distances(case: Case, distances: list[float]) -> Case:
    """With D_W at other times as well, for statements whose t counts what it counts here."""
    space = case.found.space
    measured = {**space.series, "D_W": np.array(distances)}
    found = replace(case.found, space=replace(space, series=measured))
    return replace(case, found=found, values={**case.values, "D_0": distances[0]})


def _clients(case: Case, algorithm: FedPLT) -> Iterator[Case]:
    """Every client, after the first and the last outcome of the past."""
    last = len(case.found.space.weights[0]) - 1
    for k, own in _numbers(algorithm):
        for past in sorted({0, last}):
            found = of_client(case.found, k, past)
            t, i = found.space.t, k % len(algorithm.masks[0])
            numbers, quantities = of_one_client(found, case.values["mu"])
            psi = float(compensation(algorithm)[i])
            share = sum(
                float(c) * row[i] for c, row in zip(shares(algorithm), algorithm.masks, strict=True)
            )
            numbers |= {**own, "psi_i": psi, "w_i": share}
            # the mean over outcomes of coordinate i of sum_k c_k m_k o U_k
            update = case.found.space.vectors["D"][..., i : i + 1]
            quantities["U_coord"] = mean(case.found, update[..., 0]) / psi
            yield replace(
                case,
                scopes=frozenset({"", scopes.CLIENT}),
                found=replace(found, space=replace(found.space, series=series(quantities, t))),
                values={**case.values, **numbers},
                own=frozenset(numbers) | frozenset(quantities),
            )


def _clients_rounds(case: Case, algorithm: FedPLT) -> Iterator[Case]:
    for k, own in _numbers(algorithm):
        yield replace(
            case,
            scopes=frozenset({scopes.CLIENT_ROUND}),
            found=of_client(case.found, k),
            values={**case.values, **own},
        )


def _numbers(algorithm: FedPLT) -> Iterator[tuple[int, dict[str, float]]]:
    """Share, coordinates and attenuation of every client."""
    for k, (share, mask) in enumerate(zip(shares(algorithm), algorithm.masks, strict=True)):
        trained = float(sum(mask))
        yield k, {"c_k": float(share), "d_k": trained, "alpha_k": min(1.0, trained**0.5)}
