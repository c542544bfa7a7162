"""Checks that a wrong algorithm fails: what each says of the algorithms as they are now.

A wrong algorithm may violate no bound at all. What catches it is that it must be another algorithm
under a restriction, that clients have no names, that draws follow their law, and that identities
about its iterates hold.
"""

from dataclasses import replace
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.algorithms import fedavg_p, random_masks, rolling_masks
from fedbounds.algorithms.fedavg_p import Carry, Draw, FedAvgP
from fedbounds.algorithms.random_masks import RandomMasks
from fedbounds.algorithms.rolling_masks import RollingMasks
from fedbounds.problems import FederatedQuadratic, Start, everyone
from fedbounds.theory.catalogue import entry
from fedbounds.theory.registry import claim, encoded
from fedbounds.vocabulary import Verdict

from ..equivalence import compare_exactly
from ..judge import Subject, judge_reading
from ..measurement import measure
from ..special_cases import build
from ..special_cases import cases as small_cases
from .instances import verdict_said
from .planted import Said

HOLDS, BROKEN = "holds", "broken"
_ROUNDS = 3
_ERRORS = 5  # standard errors: a frequency that is further off is no chance


def reduces(claim_id: str, sizes: str) -> Said:
    """Whether the first pair of an equivalence is one algorithm, on one small instance."""
    pair = encoded(entry(claim_id)).pairs[0]
    case = next(case for case in small_cases(pair.conditions) if case.name == sizes)
    general = build(pair.general, pair.general_parameters, case.numbers)
    special = build(pair.special, pair.special_parameters, case.numbers)
    found = compare_exactly(case.problem, case.start, general, special, _ROUNDS)
    said = f"{pair.general} against {pair.special}: {found.reason}"
    if found.verdict is Verdict.VIOLATED:
        said = f"{said}, by up to {float(fmpq(str(found.deviation))):.6g}"
    return Said(found.verdict.value, said)


def renaming_clients() -> Said:
    """Whether a round of FedAvg-P with clients in another order is that round, reordered."""
    pair = encoded(entry("personalization/sc-fedsim")).pairs[0]
    sizes = "n=3 m=2 K=2 d_u=2 d_v=1"
    case = next(case for case in small_cases(pair.conditions) if case.name == sizes)
    problem, order = case.problem, [2, 0, 1]
    renamed = replace(problem, hessian=problem.hessian[order], linear=problem.linear[order])
    algorithm = FedAvgP(2, 2, fmpq(1, 3), fmpq(1, 7), fmpq(5, 2), fmpq(11, 13))
    present = np.array([[1, 1, 0], [1, 0, 1], [0, 1, 1]], dtype=object)
    after = _round(problem, algorithm, case.start, present)
    start = Start(case.start.u, case.start.v[order])
    again = _round(renamed, algorithm, start, present[order])
    far = max(abs(after.u - again.u).max(), abs(after.v[order] - again.v).max())
    return Said(BROKEN if far > 0 else HOLDS, f"the two rounds differ by up to {float(far):.6g}")


def _round(problem: Any, algorithm: FedAvgP, start: Start, present: Any) -> Carry:
    """One noise-free round, a replica for every set of participants."""
    replicas = present.shape[1]
    carry = fedavg_p.init(problem, algorithm, start, replicas)
    drawn = Draw(present, None, everyone(problem.clients, replicas))
    return fedavg_p.step(problem, algorithm, carry, drawn)


def participants_law() -> Said:
    """Whether every set of 3 of 5 clients is drawn, and no other, as often as it must."""
    n, m, replicas = 5, 3, 4000
    problem = FederatedQuadratic(np.ones((n, 1, 1)), np.zeros((n, 1)), 1)
    algorithm = FedAvgP(m, 1, 0.1, 0.1, 1.0, 1.0)
    rng = np.random.default_rng(4)
    present = fedavg_p.draw(problem, algorithm, rng, replicas, virtual=True).present
    wrong = int((present.sum(axis=0) != m).sum())
    if wrong:
        return Said(BROKEN, f"{wrong} of {replicas} draws do not have {m} participants")
    return _alike_often([str(column) for column in present.T], 10)


def orders_law() -> Said:
    """Whether the 6 orders of an epoch of 3 sub-models are drawn alike often."""
    replicas = 3000
    algorithm = RollingMasks((((1, 0, 0), (0, 1, 0), (0, 0, 1)),), 1, 0.1)
    problem = FederatedQuadratic(np.eye(3)[None], np.zeros((1, 3)), 3)
    start = Start(np.zeros(3), np.zeros((1, 0)))
    carry = rolling_masks.init(problem, algorithm, start, replicas)
    rng = np.random.default_rng(0)
    drawn = rolling_masks.draw(problem, algorithm, rng, replicas, carry=carry)
    assert drawn.order is not None
    return _alike_often([str(order) for order in drawn.order[0]], 6)


def _alike_often(seen: list[str], kinds: int) -> Said:
    """Whether each of so many kinds is seen alike often, within five standard errors."""
    _, often = np.unique(seen, return_counts=True)
    count, p = len(seen), 1 / kinds
    missing = [0] * (kinds - len(often))
    far = max(abs(x - count * p) for x in [*often, *missing]) / np.sqrt(count * p * (1 - p))
    fine = len(often) <= kinds and far <= _ERRORS
    said = f"{len(often)} of {kinds} kinds drawn; a frequency is off by {far:.2g} standard errors"
    return Said(HOLDS if fine else BROKEN, said)


def keep_law() -> Said:
    """Whether every coordinate is kept with the client's probability."""
    keep, replicas = (fmpq(1, 2), fmpq(4, 5)), 4000
    problem = FederatedQuadratic(np.stack([np.eye(2)] * 2), np.zeros((2, 2)), 2)
    algorithm = RandomMasks(keep, 1, 0.1)
    drawn = random_masks.draw(problem, algorithm, np.random.default_rng(1), replicas)
    worst = 0.0
    for p, own in zip((0.5, 0.8), drawn.masks, strict=True):
        off = abs(own.mean(axis=0) - p) / np.sqrt(p * (1 - p) / replicas)
        worst = max(worst, float(off.max()))
    said = f"a frequency is off by {worst:.2g} standard errors"
    return Said(HOLDS if worst <= _ERRORS else BROKEN, said)


def identity(claim_id: str, subject: Subject) -> Said:
    """The gravest verdict on a part of a claim as printed, in exact rationals."""
    found = claim(claim_id)
    return verdict_said(judge_reading(found, found.readings[0], subject, measure(subject)).deciding)
