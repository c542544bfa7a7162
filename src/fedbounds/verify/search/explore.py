"""Counted search for the set-up on which a part's two sides are closest."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.claims import Part
from fedbounds.vocabulary import Index, Method

from ..decide.case import Case
from ..decide.conditions import refusal
from ..decide.measurement import fingerprint, measure
from ..measure.balls import BITS
from ..measure.moments import FLOATS
from ..measure.steering import UnclearError
from ..setups.instance_file import is_kept
from .closest import EQUAL, as_floats, closest
from .leads import Lead, distance, nearest
from .seeking import Space
from .small import exactly
from .tape import COUNTS, DOUBLINGS, FULL_BITS, Answers, Key, Tape, beside, moved

_SPREAD = 0.4  # share of the budget for one point in each of many shapes
_BROKEN = -0.1  # a relative gap that nobody takes for rounding
_STUCK = 60  # neighbours in a row that are no closer: there a climb ends
_LED = 15  # evaluations towards the numbers of a lead
_LAST, _FAST = 20, 0.02  # evaluations, and by how much a gap falls in them that falls fast
_FURTHER = 4  # times its share of the budget that a climb may take while it does
_LITTLE = 1e-3  # of the distance of a gap from both: less is no closer
GROWS = 1e-2  # of a relative gap: by so much it falls where longer runs are tighter


@dataclass(frozen=True, eq=False)
class Seen:
    """An evaluated set-up by its answers, and the relative gap of every part there."""

    space: Space
    made: Answers
    widths: dict[Key, int]
    gaps: dict[Part, float]
    size: int


class Exploration:
    """A counted search: one set-up in each of many shapes, then steps from the tightest ones.

    Parameters
    ----------
    spaces : sequence of Space
    budgets : mapping
        How many evaluations the parts of each reading may have; a climb that falls fast goes on
        beyond its share. All readings look at every set-up, and share those of the many shapes.
    seed : int
    leads : sequence of Lead
        Each is followed first, and climbs begin where it ends too.
    """

    def __init__(
        self,
        spaces: Sequence[Space],
        budgets: Mapping[tuple[Part, ...], int],
        seed: int,
        leads: Sequence[Lead] = (),
    ) -> None:
        self.seen: list[Seen] = []
        self.led: dict[Lead, tuple[float, Seen]] = {}  # how near each came, and where
        self._leads = leads
        self._spaces, self._budgets = spaces, budgets
        self._random = np.random.default_rng(seed)
        self._parts = tuple(dict.fromkeys(part for own in budgets for part in own))
        self._most = max(budgets.values())
        self._known: dict[str, dict[Part, float]] = {}
        self._shapes = [self._shape(at) for at in range(_spread(self._most))]

    @property
    def told_leads(self) -> str:
        """How near the search came to the numbers that break steps; empty without any."""
        every = [f"{self._told(lead)} what breaks step {lead.step}" for lead in self._leads]
        return f"; led to set-ups {', '.join(every)}" if every else ""

    def _told(self, lead: Lead) -> str:
        away = self.led[lead][0] if lead in self.led else 1.0
        if away == 1:
            return "nowhere near"
        return f"{away:.0%} from" if lead.has_shares else "with the counts of"

    @property
    def first(self) -> list[Case]:
        """Set-ups of all shapes."""
        return [case for _, case in self._shapes if case is not None]

    def gaps(self, case: Case) -> dict[Part, float]:
        """Of every part that applies; other answers may have made a set-up that is known."""
        key = fingerprint(case.setup)
        if key not in self._known:
            self._known[key] = gaps(self._parts, case)
        return self._known[key]

    def go(self) -> None:
        """Look at all shapes, at more as long as nothing applies, and climb from the tightest."""
        for tape, case in self._shapes:
            self.seen.append(self._seen(tape, case))
        while len(self.seen) < self._most and not any(one.gaps for one in self.seen):
            self.seen.append(self._seen(*self._shape(len(self.seen))))
        left = self._most - len(self.seen)
        for lead in self._leads:
            self.seen.extend(self._follow(lead))
        climbed: set[Part] = set()
        for own, budget in self._budgets.items():
            steps = min(left, budget - _spread(budget))
            ends = [one for _, one in self.led.values()]
            for part, start, share in _starts(own, self.seen, ends, steps):
                if part not in climbed:
                    self.seen.extend(self._climb(part, start, share))
            climbed.update(own)

    def _follow(self, lead: Lead) -> Iterator[Seen]:
        """Set-ups with its counts, and from one to the next with sizes more like its own."""
        for space in self._spaces:
            counts = {COUNTS: float(nearest(lead, space.counts))}
            past: Answers = counts
            best = 1.0
            for _ in range(max(1, _LED // len(self._spaces))):
                tape, case = self._made(space, past, names=lead.quantities)
                one = self._seen(tape, case)
                yield one
                away = 1.0 if case is None or not one.gaps else _away(lead, case)
                if away <= best:
                    best, now = away, one
                    if lead not in self.led or away < self.led[lead][0]:
                        self.led[lead] = away, one
                past = {**moved(space, now.made, now.widths, self._random, 0.3), **counts}

    def _climb(self, part: Part, start: Seen, steps: int) -> Iterator[Seen]:
        """Longer runs, other answers to one or two questions, longer runs; kept when not worse.

        It ends where many in a row were no closer, and goes on while the gap still falls fast.
        """
        now, width, failed = start, 0.5, 0
        gaps = [start.gaps[part]]

        def is_over() -> bool:
            used, falls = len(gaps) - 1, gaps[max(0, len(gaps) - 1 - _LAST)] - gaps[-1] >= _FAST
            return (
                failed >= _STUCK
                or used >= (_FURTHER * steps if falls else steps)
                or _is_found(part, now)
            )

        while not is_over():
            at_first = len(gaps)
            for tried in self._one_by_one(part, now):
                yield tried
                failed = 0 if _is_closer(part, tried, now) else failed + 1
                now = _closer(part, tried, now)
                gaps.append(now.gaps[part])
                if is_over():
                    return
            left = max(1, steps - len(gaps))
            for _ in range(max(1, left // 2 if at_first < len(gaps) else left)):
                past = moved(now.space, now.made, now.widths, self._random, width)
                tried = self._evaluated(now.space, past)
                yield tried
                better = _closer(part, tried, now) is tried
                failed = 0 if _is_closer(part, tried, now) else failed + 1
                now = tried if better else now
                gaps.append(now.gaps[part])
                if is_over():
                    return
                width = min(1.0, 1.5 * width) if better else max(0.02, 0.85 * width)

    def _one_by_one(self, part: Part, start: Seen) -> Iterator[Seen]:
        """Longer runs, then from the best of them each count a step less, and a step more."""
        now = start
        for tried in self._longer(part, start):
            yield tried
            now = _closer(part, tried, now)
        for name, sign in product(now.space.counts[0], (-1, 1)):
            at = beside(now.space.counts, int(now.made[COUNTS]), name, sign)
            if at is not None:
                tried = self._evaluated(now.space, {**now.made, COUNTS: float(at)})
                yield tried
                now = _closer(part, tried, now)

    def _longer(self, part: Part, start: Seen) -> Iterator[Seen]:
        """Twice as many rounds, as long as that brings the sides closer.

        Lengths that take rationals too long, and are too short for balls, are passed over.
        """
        now, most = start, start.widths.get(DOUBLINGS, 1)
        for doublings in range(int(start.made.get(DOUBLINGS, 0)) + 1, most):
            tried = self._evaluated(now.space, {**now.made, DOUBLINGS: doublings})
            yield tried
            if part not in tried.gaps:
                continue
            if tried.gaps[part] > now.gaps[part] - GROWS:
                return
            now = tried

    def _shape(self, number: int) -> tuple[Tape, Case | None]:
        corner, at = divmod(number, len(self._spaces))
        return self._made(self._spaces[at], {}, corner)

    def _evaluated(self, space: Space, past: Answers) -> Seen:
        return self._seen(*self._made(space, past))

    def _made(
        self,
        space: Space,
        past: Answers,
        corner: int | None = None,
        names: frozenset[str] = frozenset(),
    ) -> tuple[Tape, Case | None]:
        tape = Tape(space, past, self._random, corner=corner)
        return tape, case_of(self._parts, tape, names)

    def _seen(self, tape: Tape, case: Case | None) -> Seen:
        counts = [value for value in tape.counts().values() if isinstance(value, int)]
        size = int(np.prod([1 + value for value in counts], dtype=object))
        found = {} if case is None else self.gaps(case)
        return Seen(tape.space, tape.made, tape.widths, found, size)


def explore(every: Sequence[Exploration]) -> None:
    """All of them; of their shapes, those of equal set-ups together, which are measured once."""
    alike: dict[str, list[tuple[Exploration, Case]]] = {}
    for one in every:
        for case in one.first:
            alike.setdefault(fingerprint(exactly(case).setup), []).append((one, case))
    for same in alike.values():
        for one, case in same:
            one.gaps(case)
    for one in every:
        one.go()


def _spread(budget: int) -> int:
    return max(1, int(_SPREAD * budget))


def _away(lead: Lead, case: Case) -> float:
    """How unlike its sizes are; 1 where they are not measured."""
    try:
        return distance(lead, as_floats(measure(case).numbers))
    except (OverflowError, UnclearError, FedboundsError):
        return 1.0


def _starts(
    parts: Sequence[Part], seen: Sequence[Seen], led: Sequence[Seen], budget: int
) -> Iterator[tuple[Part, Seen, int]]:
    """For every part its tightest set-up, its tightest one short of equality, and ends of leads."""
    chosen: list[tuple[Part, Seen]] = []
    for part in parts:
        own = sorted((s for s in seen if part in s.gaps), key=lambda s: s.gaps[part])
        if own and _is_found(part, own[0]):
            continue
        short = [s for s in own if s.gaps[part] > EQUAL]
        ends = [s for s in led if part in s.gaps]
        chosen.extend((part, s) for s in dict.fromkeys((*own[:1], *short[:1], *ends)))
    for part, start in chosen:
        yield part, start, budget // len(chosen)


def _is_found(part: Part, seen: Seen) -> bool:
    """Whether a part is clearly broken where a file holds it: that is sought no closer."""
    if seen.gaps[part] > _BROKEN:
        return False
    case = again(seen, [part])
    return case is not None and is_kept(exactly(case))


def _is_closer(part: Part, one: Seen, other: Seen) -> bool:
    """Whether a part is tighter on the first: by some of what is between a gap and 0, and 1."""
    gap = other.gaps[part]
    least = _LITTLE * max(0.0, min(abs(gap), 1 - abs(gap)))
    return one.gaps.get(part, np.inf) < gap - least


def _closer(part: Part, one: Seen, other: Seen) -> Seen:
    """The one on which a part is tighter; the first if both are as tight."""
    return one if one.gaps.get(part, np.inf) <= other.gaps[part] else other


def again(seen: Seen, parts: Sequence[Part], bits: int = FULL_BITS) -> Case | None:
    """The same set-up, its numbers with so many significant binary digits."""
    return case_of(parts, Tape(seen.space, seen.made, np.random.default_rng(0), bits))


def case_of(
    parts: Sequence[Part], tape: Tape, besides: frozenset[str] = frozenset()
) -> Case | None:
    """None if the conditions leave no step sizes, or the answers make no set-up.

    ``besides``: quantities that are measured too.
    """
    names = besides.union(*(part.named for part in parts))
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
