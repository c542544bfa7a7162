"""Judge parts on replicas, look by look, within a certified range."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from fedbounds.theory.language.claims import Part
from fedbounds.vocabulary import Verdict

from ..measure.evaluate import Numbers, evaluate
from ..measure.samples import CHUNK
from ..measure.threads import one_thread
from .case import Case, sampled_by
from .conditions import refusal
from .interval import FIRST_LOOK, Sums, sums_of
from .measurement import numbers_of
from .part import Outcome, decide_sampled, is_affine, rounds_of

Array = Any


@dataclass(frozen=True, eq=False)
class Judged:
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
    parts: Sequence[Part], case: Case, *, seed: int, workers: int, xp: Any
) -> Judged:
    """Double the replicas until every part is decided or the most are used.

    ``xp`` is the array namespace that simulates; draws are made on the host all the same.
    """
    own, fixed = sampled_by(case.setup), numbers_of(case, {}).constants
    names = frozenset().union(*(part.quantities for part in parts))
    bounds = Numbers(fixed, own.ranges(names))

    def gap_sums(chunk: int) -> _Totals:
        with np.errstate(over="ignore", invalid="ignore"):  # what diverges tells by its sums
            series = own.chunk(names, seed, chunk, xp)
            numbers = Numbers(fixed, series)
            gaps = tuple(_gap_sums(part, case, numbers) for part in parts)
        return _Totals({name: sums_of(values) for name, values in series.items()}, gaps)

    totals: _Totals | None = None
    outcomes: list[Outcome | None] = [None] * len(parts)
    look, done = 0, 0
    while True:
        upto = min(FIRST_LOOK * 2**look, own.replicas // CHUNK * CHUNK)
        for found in _each(gap_sums, range(done // CHUNK, upto // CHUNK), workers):
            totals = found if totals is None else totals + found
        assert totals is not None
        done = upto
        sums = totals.quantities
        means = Numbers(fixed, {name: s.total / s.count for name, s in sums.items()})
        for index, part in enumerate(parts):
            known = outcomes[index]
            # a decided part keeps its look, so that it does not depend on what else is judged
            if known is None or known.verdict is Verdict.UNDECIDED:
                outcomes[index] = _decide(part, totals.gaps[index], bounds, means, case, look)
        found_all = tuple(outcome for outcome in outcomes if outcome is not None)
        settled = all(outcome.verdict is not Verdict.UNDECIDED for outcome in found_all)
        if settled or done >= own.replicas // CHUNK * CHUNK:
            return Judged(found_all, means)
        look += 1


def _each(of_chunk: Callable[[int], _Totals], chunks: range, workers: int) -> Iterator[_Totals]:
    """Of every chunk, in order; memory holds one chunk per worker."""
    with one_thread(), ThreadPoolExecutor(workers) as pool:
        yield from pool.map(of_chunk, chunks)


def _gap_sums(part: Part, case: Case, numbers: Numbers) -> Sums | None:
    if refusal(part, case, numbers) is not None:
        return None
    gap = np.asarray(evaluate(part.gap, numbers, rounds_of(part, numbers)))
    if not part.quantities:  # constants alone: the same in every replica
        gap = np.broadcast_to(gap, (CHUNK, *gap.shape))
    return sums_of(gap.reshape(len(gap), -1))


def _decide(
    part: Part, gap: Sums | None, bounds: Numbers, means: Numbers, case: Case, look: int
) -> Outcome:
    if not is_affine(part):
        reason = "the gap is not affine in the quantities: replicas say nothing of it"
        return Outcome(part.name, Verdict.UNDECIDED, reason)
    refused = refusal(part, case, means)
    if refused is not None or gap is None:
        assert refused is not None
        return Outcome(part.name, refused.verdict, refused.reason)
    rounds = rounds_of(part, means)
    if rounds is not None and len(rounds) == 0:
        return Outcome(part.name, Verdict.NOT_APPLICABLE, "speaks of no round of this run")
    # no certified range of some quantity
    known = bounds if part.quantities <= bounds.series.keys() else None
    return decide_sampled(part, gap, known, means, rounds, look)
