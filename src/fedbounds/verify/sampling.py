"""Judge parts on replicas, look by look, within a certified range."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fedbounds.errors import require
from fedbounds.problems import CoupledCosine, FederatedQuadratic
from fedbounds.theory.claims import Part
from fedbounds.vocabulary import Quantity, Verdict

from .conditions import refusal
from .decide import Outcome, decide_sampled, is_affine, rounds_of
from .evaluate import Numbers, evaluate
from .instance import Instance, constants_of
from .interval import FIRST_LOOK, Sums, sums_of
from .measurement import numbers_of, stream_key
from .reach import bounded_reach
from .simulate import CHUNK, Series, simulate


@dataclass(frozen=True, eq=False)
class Sampled:
    """An outcome per part, and the mean of every quantity."""

    outcomes: tuple[Outcome, ...]
    means: Numbers


@dataclass(frozen=True, eq=False)
class _Totals:
    """Sums over replicas of each quantity and of each applicable part's gap (None: refused)."""

    quantities: dict[str, Sums]
    gaps: tuple[Sums | None, ...]

    def __add__(self, other: "_Totals") -> "_Totals":
        gaps = zip(self.gaps, other.gaps, strict=True)
        return _Totals(
            {name: sums + other.quantities[name] for name, sums in self.quantities.items()},
            tuple(None if a is None or b is None else a + b for a, b in gaps),
        )


def sample_and_decide(
    parts: Sequence[Part], instance: Instance, *, seed: int, workers: int, xp: Any
) -> Sampled:
    """Double the replicas until every part is decided or ``instance.replicas`` are used.

    ``xp`` is the array namespace that simulates; draws are made on the host all the same.
    """
    problem, algorithm, start = instance.problem, instance.algorithm, instance.start
    require(instance.replicas >= CHUNK, "replicas", instance.replicas, f"at least {CHUNK}")
    fixed = numbers_of(instance, {}).constants
    reach = None  # minibatches: no certified range
    if isinstance(problem, FederatedQuadratic | CoupledCosine):
        reach = bounded_reach(problem, algorithm, start, instance.rounds, constants_of(instance))
    bounds = None if reach is None else Numbers(fixed, reach.series)

    def gap_sums(series: Series) -> _Totals:
        numbers = Numbers(fixed, series)

        def of(part: Part) -> Sums | None:
            if refusal(part, instance, numbers) is not None:
                return None
            gap = np.asarray(evaluate(part.gap, numbers, rounds_of(part, numbers)))
            if not part.quantities:  # constants alone: the same in every replica
                gap = np.broadcast_to(gap, (len(series[Quantity.GAP.value]), *gap.shape))
            return sums_of(gap.reshape(len(gap), -1))

        return _Totals({k: sums_of(v) for k, v in series.items()}, tuple(of(p) for p in parts))

    totals: _Totals | None = None
    outcomes: list[Outcome | None] = [None] * len(parts)
    look, done = 0, 0
    while True:
        upto = min(FIRST_LOOK * 2**look, instance.replicas)
        for found in simulate(
            problem,
            algorithm,
            start,
            instance.rounds,
            range(done // CHUNK, upto // CHUNK),
            seed=seed,
            key=stream_key(instance),
            reduce=gap_sums,
            workers=workers,
            xp=xp,
        ):
            totals = found if totals is None else totals + found
        assert totals is not None
        done = upto
        sums = totals.quantities
        means = Numbers(fixed, {name: s.total / s.count for name, s in sums.items()})
        for index, part in enumerate(parts):
            known = outcomes[index]
            # a decided part keeps its look, so that it does not depend on what else is judged
            if known is None or known.verdict is Verdict.UNDECIDED:
                outcomes[index] = _decide(part, totals.gaps[index], bounds, means, instance, look)
        found_all = tuple(outcome for outcome in outcomes if outcome is not None)
        settled = all(outcome.verdict is not Verdict.UNDECIDED for outcome in found_all)
        if settled or done >= instance.replicas:
            return Sampled(found_all, means)
        look += 1


def _decide(
    part: Part,
    gap: Sums | None,
    bounds: Numbers | None,
    means: Numbers,
    instance: Instance,
    look: int,
) -> Outcome:
    if not is_affine(part):
        reason = "the gap is not affine in the quantities: replicas say nothing of it"
        return Outcome(part.name, Verdict.UNDECIDED, reason)
    refused = refusal(part, instance, means)
    if refused is not None or gap is None:
        assert refused is not None
        return Outcome(part.name, refused.verdict, refused.reason)
    if bounds is not None and not part.quantities <= bounds.series.keys():
        bounds = None  # no certified range of some quantity
    rounds = rounds_of(part, means)
    if rounds is not None and len(rounds) == 0:
        return Outcome(part.name, Verdict.NOT_APPLICABLE, "speaks of no round of this run")
    return decide_sampled(part, gap, bounds, means, rounds, look)
