"""Step sizes at the edge of the claims' own conditions, where a claim is most exposed."""

from collections.abc import Iterator
from typing import Any

from fedbounds.algorithms.fedavg_p import FedAvgP, with_effective_step
from fedbounds.facts import Constant
from fedbounds.problems import CoupledCosine, FederatedLogistic, FederatedQuadratic, Start
from fedbounds.theory.claims import Claim, read

from .conditions import holds
from .evaluate import Numbers, evaluate
from .instance import ALGORITHM_NAMES

Objective = FederatedQuadratic | CoupledCosine | FederatedLogistic


def schedules(
    claims: tuple[Claim, ...],
    kind: type[FedAvgP],
    problem: Objective,
    start: Start,
    m: int,
    steps: int,
    rounds: int,
) -> Iterator[tuple[str, FedAvgP]]:
    """Step sizes at the edge of every claim's conditions that this problem can meet, once each.

    ``kind`` is the algorithm: only claims about it count.
    """
    fixed: dict[str, Any] = {k.value: float(c.value) for k, c in problem.constants(start).items()}
    fixed |= {"n": problem.clients, "m": m, "K": steps, "T": rounds}
    fixed |= {"d_u": problem.shared_dimension, "d_v": problem.personal_dimension}
    if not fixed.get(Constant.INITIAL_GAP, 1.0) > 0:
        return
    seen: set[FedAvgP] = set()
    about = (claim for claim in claims if ALGORITHM_NAMES[kind] in claim.algorithms)
    for claim in about:
        for number, schedule in enumerate(claim.schedules):
            needed = {s.name for side in schedule.values() for s in side.free_symbols}
            if not needed <= fixed.keys():
                continue
            value = {k: float(evaluate(e, Numbers(fixed, {}))) for k, e in schedule.items()}
            if not _admissible(claim, fixed | value):
                continue
            outer = value["eta_u"], value["eta_v"]
            edge = kind(**vars(with_effective_step(m, steps, value["gamma"], *outer)))
            if edge not in seen:
                seen.add(edge)
                yield claim.id.partition("/")[2] + (f".{number + 1}" if number else ""), edge


def _admissible(claim: Claim, values: dict[str, Any]) -> bool:
    """Whether some conditions of the claim, under some reading, hold at all: m = n, say."""
    inner = {f"gamma_{b}": values["gamma"] / values[f"eta_{b}"] for b in ("u", "v")}
    numbers = Numbers(values | inner, {})
    return any(
        part.conditions and all(holds(condition, numbers) for condition in part.conditions)
        for reading in claim.readings
        for part in read(claim, reading)
    )
