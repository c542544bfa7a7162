"""Counted search for the set-up on which a part's two sides are closest."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.claims import Part
from fedbounds.vocabulary import Index, Method

from ..decide.case import Case
from ..decide.conditions import refusal
from ..decide.measurement import measure
from ..measure.balls import BITS
from ..measure.moments import FLOATS
from ..measure.steering import UnclearError
from .closest import EQUAL, as_floats, closest
from .seeking import Space
from .small import exactly, is_kept
from .tape import DOUBLINGS, FULL_BITS, Answers, Key, Tape, moved

_SPREAD = 0.4  # share of the budget for one point in each of many shapes
_BROKEN = -0.1  # a relative gap that nobody takes for rounding
GROWS = 1e-2  # of a relative gap: by so much it falls where longer runs are tighter


@dataclass(frozen=True, eq=False)
class Seen:
    """An evaluated set-up by its answers, and the relative gap of every part there."""

    space: Space
    made: Answers
    widths: dict[Key, int]
    gaps: dict[Part, float]
    size: int


def explore(
    spaces: Sequence[Space], budgets: Mapping[tuple[Part, ...], int], seed: int
) -> list[Seen]:
    """Every evaluated set-up: one in each of many shapes, then steps from the tightest ones.

    Parameters
    ----------
    spaces : sequence of Space
    budgets : mapping
        How many evaluations the parts of each reading may have. All readings look at every set-up,
        and share those of the many shapes.
    seed : int
    """
    random = np.random.default_rng(seed)
    parts = tuple(dict.fromkeys(part for own in budgets for part in own))
    most = max(budgets.values())
    seen: list[Seen] = []
    while len(seen) < _spread(most) or (len(seen) < most and not any(s.gaps for s in seen)):
        corner, at = divmod(len(seen), len(spaces))
        seen.append(evaluated(parts, Tape(spaces[at], {}, random, corner=corner)))
    left = most - len(seen)
    climbed: set[Part] = set()
    for own, budget in budgets.items():
        for part, start, steps in _starts(own, seen, min(left, budget - _spread(budget))):
            if part not in climbed:
                seen.extend(_climb(part, parts, start, random, steps))
        climbed.update(own)
    return seen


def _spread(budget: int) -> int:
    return max(1, int(_SPREAD * budget))


def _starts(
    parts: Sequence[Part], seen: Sequence[Seen], budget: int
) -> Iterator[tuple[Part, Seen, int]]:
    """For every part its tightest set-up, and its tightest one short of equality."""
    chosen: list[tuple[Part, Seen]] = []
    for part in parts:
        own = sorted((s for s in seen if part in s.gaps), key=lambda s: s.gaps[part])
        if own and _is_found(part, own[0]):
            continue
        short = [s for s in own if s.gaps[part] > EQUAL]
        chosen.extend((part, s) for s in dict.fromkeys((*own[:1], *short[:1])))
    for part, start in chosen:
        yield part, start, budget // len(chosen)


def _climb(
    part: Part, parts: Sequence[Part], start: Seen, random: np.random.Generator, steps: int
) -> Iterator[Seen]:
    """Longer runs, other answers to one or two questions, longer runs; kept when not worse."""
    now, width, left = start, 0.5, steps
    while left and not _is_found(part, now):
        at_first = left
        for tried in _longer(part, parts, now, random):
            yield tried
            now, left = _closer(part, tried, now), left - 1
            if not left or (now is tried and _is_found(part, now)):
                return
        for _ in range(max(1, left // 2 if left < at_first else left)):
            past = moved(now.space, now.made, now.widths, random, width)
            tried = evaluated(parts, Tape(now.space, past, random))
            yield tried
            better = _closer(part, tried, now) is tried
            now, left = (tried if better else now), left - 1
            if better and _is_found(part, now):
                return
            width = min(1.0, 1.5 * width) if better else max(0.02, 0.85 * width)


def _is_found(part: Part, seen: Seen) -> bool:
    """Whether a part is clearly broken where a file holds it: that is sought no closer."""
    if seen.gaps[part] > _BROKEN:
        return False
    case = again(seen, [part])
    return case is not None and is_kept(exactly(case))


def _longer(
    part: Part, parts: Sequence[Part], start: Seen, random: np.random.Generator
) -> Iterator[Seen]:
    """Twice as many rounds, as long as that brings the sides closer.

    Lengths that take rationals too long, and are too short for balls, are passed over.
    """
    now, most = start, start.widths.get(DOUBLINGS, 1)
    for doublings in range(int(start.made.get(DOUBLINGS, 0)) + 1, most):
        tried = evaluated(parts, Tape(now.space, {**now.made, DOUBLINGS: doublings}, random))
        yield tried
        if part not in tried.gaps:
            continue
        if tried.gaps[part] > now.gaps[part] - GROWS:
            return
        now = tried


def _closer(part: Part, one: Seen, other: Seen) -> Seen:
    """The one on which a part is tighter; the first if both are as tight."""
    return one if one.gaps.get(part, np.inf) <= other.gaps[part] else other


def evaluated(parts: Sequence[Part], tape: Tape) -> Seen:
    """The set-up of a tape's answers."""
    case = case_of(parts, tape)
    found = {} if case is None else gaps(parts, case)
    counts = [value for value in tape.counts().values() if isinstance(value, int)]
    size = int(np.prod([1 + value for value in counts], dtype=object))
    return Seen(tape.space, tape.made, tape.widths, found, size)


def again(seen: Seen, parts: Sequence[Part], bits: int = FULL_BITS) -> Case | None:
    """The same set-up, its numbers with so many significant binary digits."""
    return case_of(parts, Tape(seen.space, seen.made, np.random.default_rng(0), bits))


def case_of(parts: Sequence[Part], tape: Tape) -> Case | None:
    """None if the conditions leave no step sizes, or the answers make no set-up."""
    names: frozenset[str] = frozenset().union(*(part.named for part in parts))
    bits = FLOATS if with_floats(parts) else BITS
    try:
        return tape.space.case(tape, names, bits)
    except FedboundsError:
        return None


def with_floats(parts: Sequence[Part]) -> bool:
    """Whether floats steer; of late rounds, where all is small, they do not tell."""
    return all(part.index is Index.RUN for part in parts)


def gaps(parts: Sequence[Part], case: Case) -> dict[Part, float]:
    """The smallest relative gap of every part that applies; what is reported is judged."""
    try:
        try:
            found = _gaps(parts, case)
        except UnclearError:
            return _gaps(parts, in_balls(case))
        # what rounding does to large numbers looks like a violation, and would be climbed
        broken = case.method is Method.MOMENTS and any(gap < -EQUAL for gap in found.values())
        return _gaps(parts, in_balls(case)) if broken else found
    except (OverflowError, FedboundsError):  # above all floats; or there is no such set-up
        return {}


def _gaps(parts: Sequence[Part], case: Case) -> dict[Part, float]:
    measured = measure(case)
    if measured.diverged_at is not None:
        return {}
    numbers = as_floats(measured.numbers)
    with np.errstate(all="ignore"):  # what is not finite is no gap
        applies = [part for part in parts if refusal(part, case, numbers) is None]
        nearest = {part: closest(part, numbers) for part in applies}
    return {part: found.gap for part, found in nearest.items() if found is not None}


def in_balls(case: Case) -> Case:
    """The same, measured in balls."""
    return replace(case, setup=replace(case.setup, bits=BITS), method=Method.BALLS)
