"""The instance on which a claim is tightest: a counted search, reported in exact rationals.

What is sought is the smallest relative gap (right - left) / (|left| + |right|) inside assumptions
and conditions. Where both sides are sums of non-negative terms this is the largest left / right.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from types import MappingProxyType
from typing import Any

from fedbounds.theory.language.claims import Claim, Part, Reading, read
from fedbounds.vocabulary import Index, Relation, Verdict

from ..decide.case import Case, parameters_of
from ..decide.conditions import UNMEASURED, refusal
from ..decide.judgement import Judgement
from ..decide.measurement import measure
from ..decide.part import Outcome
from ..judge.judge import judge_reading
from ..measure.threads import one_thread
from ..setups.found import MOST_EXACT_WORK, Named, method_of
from ..setups.instance_file import is_kept, to_data
from .closest import EQUAL, Closest, as_floats, closest
from .explore import Exploration, Seen, again, explore, gaps, in_balls, with_floats
from .leads import Lead
from .seeking import spaces
from .small import exactly

BUDGET = 100  # evaluations of a claim in a run of the default profile
_KEPT = 0.99  # of the ratio of the sides, by the simpler instance that is reported
_BITS = (1, 2, 3, 4, 5, 6, 8)  # kept of every number, coarsest first
_TARGETS = 6  # points of a part whose tightness is wanted exactly, one after the other
_SIMPLEST = 4  # points nearly as tight that are rounded for each
_ATTAINED = 1e-11  # what rounding leaves of equality
_MOST_EXACT = 6  # exact runs of a part
_READABLE = 24  # characters of an exact number
Asked = tuple[Claim, Mapping[Reading, int]]
_Key = tuple[Any, ...]  # all of a group of parts on which its set-ups, and their numbers, depend


@dataclass(frozen=True)
class Best:
    """The tightest exact instance found.

    Attributes
    ----------
    part : str
    tightness : float or None
        Largest left / right, where both sides are sums of non-negative terms.
    relative_gap : float
        Smallest (right - left) / sum of the sizes of all terms; where the objective stands on
        both sides, its decrease counts as one term.
    left, right : float
        Where that is smallest; the judgement has them exactly.
    judgement : Judgement
        Of the whole reading, in exact rationals; "violated" where the claim is broken there.
    how : str
        "search, 400 evaluations".
    at : int or None
        The round, for parts that hold for each.
    """

    part: str
    tightness: float | None
    relative_gap: float
    left: float
    right: float
    judgement: Judgement
    how: str
    at: int | None

    @property
    def instance(self) -> Case:
        """The exact instance, whatever is measured of it."""
        assert isinstance(self.judgement.instance, Case)
        return exactly(self.judgement.instance)

    @property
    def outcome(self) -> Outcome:
        """The outcome of the part."""
        return next(o for o in self.judgement.outcomes if o.part == self.part)


def tightest(
    asked: Sequence[Asked], seed: int, leads: Mapping[str, tuple[Lead, ...]] = MappingProxyType({})
) -> list[dict[Reading, Best | None]]:
    """The tightest exact instance of each reading of which an inequality can be searched.

    None where no set-up was found to which it applies.

    Parameters
    ----------
    asked : sequence of pairs of a claim and a mapping
        Evaluations of every reading, counted: the same search finds the same instance, whatever
        else is asked. Readings whose parts differ in their sides alone look at the same set-ups.
    seed : int
        Of the searches.
    leads : mapping
        By claim id: each is followed beyond these evaluations.
    """
    return [
        {reading: min(own, key=rank, default=None) for reading, own in found.items()}
        for found in _searched(asked, seed, leads, first_only=True)
    ]


def tightest_parts(
    claim: Claim,
    reading: Reading,
    seed: int,
    budget: int = BUDGET,
    first_only: bool = False,
    longer: bool = True,
    leads: tuple[Lead, ...] = (),
) -> tuple[Best, ...]:
    """The tightest exact instance of each inequality of a reading, the tightest part first.

    ``first_only``: stop at the first part that has one, but for those that look broken. ``longer``:
    runs may have more rounds than the theory's counts say.
    """
    of_claim = {claim.id: leads}
    (found,) = _searched([(claim, {reading: budget})], seed, of_claim, first_only, longer)
    return tuple(sorted(found.get(reading, ()), key=rank))


def rank(best: Best) -> tuple[bool, float]:
    """The order in which they are told: what is broken first, then the tightest."""
    return best.outcome.verdict is not Verdict.VIOLATED, best.relative_gap


def places(claim: Claim) -> frozenset[tuple[str, str]]:
    """Runs and views of the set-ups among which its instances are searched."""
    parts = (part for reading in claim.readings for part in read(claim, reading))
    every = (space.sought for part in parts for space in spaces(claim, part))
    return frozenset((one.runs, one.view) for one in every)


def _searched(
    asked: Sequence[Asked],
    seed: int,
    leads: Mapping[str, tuple[Lead, ...]],
    first_only: bool,
    longer: bool = True,
) -> list[dict[Reading, list[Best]]]:
    with one_thread():
        every = [
            _explorations(claim, budgets, seed, longer, leads.get(claim.id, ()))
            for claim, budgets in asked
        ]
        explore([one for own in every for one in own.values()])
        return [
            {
                reading: _found(claim, reading, {own[key]: seen[key] for key in own}, first_only)
                for reading in budgets
                if (own := _groups(claim, reading, longer))
            }
            for (claim, budgets), seen in zip(asked, every, strict=True)
        ]


def _explorations(
    claim: Claim,
    budgets: Mapping[Reading, int],
    seed: int,
    longer: bool,
    leads: tuple[Lead, ...],
) -> dict[_Key, Exploration]:
    """Those of a claim: what is found for one of its readings rests on the others."""
    wanted: dict[_Key, dict[tuple[Part, ...], int]] = {}
    for reading, budget in budgets.items():
        own = _groups(claim, reading, longer)
        for key, parts in own.items():
            share = max(1, budget // len(own))
            shares = wanted.setdefault(key, {})
            shares[parts] = max(share, shares.get(parts, 0))
    return {
        key: Exploration(spaces(claim, next(iter(shares))[0], longer), shares, seed, leads)
        for key, shares in wanted.items()
    }


def _groups(claim: Claim, reading: Reading, longer: bool) -> dict[_Key, tuple[Part, ...]]:
    """The inequalities of a reading that can be searched; those of one group share set-ups."""
    conditions: dict[tuple[Any, ...], list[Part]] = {}
    for part in read(claim, reading):
        own = spaces(claim, part, longer)
        if part.relation is not Relation.EQUAL and own:
            where = tuple((space.sought.runs, space.sought.view) for space in own)
            key = (part.conditions, part.assumptions, part.algorithm, part.first_round, where)
            conditions.setdefault(key, []).append(part)
    return {
        (*key, own[0].constants, own[0].index, with_floats(own)): tuple(own)
        for key, own in conditions.items()
    }


def _found(
    claim: Claim,
    reading: Reading,
    groups: Mapping[tuple[Part, ...], Exploration],
    first_only: bool,
) -> list[Best]:
    pending = []
    for parts, explored in groups.items():
        seen, led = explored.seen, explored.told_leads
        for part in parts:
            own = sorted((s for s in seen if part in s.gaps), key=lambda s: s.gaps[part])
            if own:
                how = f"search, {len(seen)} evaluations, of which {len(own)} apply{led}"
                pending.append((own[0].gaps[part], part, own, how))
    found: list[Best] = []
    for gap, part, own, how in sorted(pending, key=lambda entry: entry[0]):
        if first_only and found and gap >= -EQUAL:
            break
        best = _exactly(claim, reading, part, own, how)
        if best is not None:
            found.append(best)
    return found


def _exactly(claim: Claim, reading: Reading, part: Part, own: list[Seen], how: str) -> Best | None:
    """The simplest exact instance nearly as tight as the tightest set-up that has one.

    A violation that no file may hold, since its replay would cost too much, is one; another that
    a file holds, and a script may show, is preferred.
    """
    spare = None
    for case, needed in islice(_nearest(part, own), _MOST_EXACT):
        best = _confirmed(claim, reading, part, case, needed, how)
        if best is None:
            continue
        if best.outcome.verdict is not Verdict.VIOLATED:
            return spare or best
        if is_kept(best.instance):
            return best
        spare = spare or best
    return spare


def _nearest(part: Part, own: list[Seen]) -> Iterator[tuple[Case, float]]:
    """Set-ups nearly as tight as the tightest ones, the simplest first, and what is needed."""
    tried: set[int] = set()
    for target in own[:_TARGETS]:
        needed = _needed(target.gaps[part])
        near = [s for s in own if s.gaps[part] <= needed and id(s) not in tried]
        attained = target.gaps[part] <= _ATTAINED  # then no mere approach takes its place
        for seen in sorted(near, key=lambda s: (attained and s.gaps[part] > _ATTAINED, s.size))[
            :_SIMPLEST
        ]:
            tried.add(id(seen))
            yield from ((case, needed) for case in _simpler(part, seen, needed))


def _needed(gap: float) -> float:
    """The largest relative gap that is nearly as tight: the ratio of the sides within 1 %.

    Where it is violated or attained, half of the violation, or equality, must remain.
    """
    close = (1 + gap - _KEPT * (1 - gap)) / (1 + gap + _KEPT * (1 - gap))
    if gap < -EQUAL:
        return min(close, gap / 2)  # an equality is simpler, and breaks nothing
    return EQUAL if gap <= EQUAL else close


def _simpler(part: Part, seen: Seen, needed: float) -> Iterator[Case]:
    """Coarsely rounded versions of a set-up first, as far as they are nearly as tight."""
    for bits in _BITS:
        case = again(seen, [part], bits)
        if case is not None:
            gap = gaps([part], case).get(part)
            if gap is not None and gap <= needed:
                yield case


def _confirmed(
    claim: Claim, reading: Reading, part: Part, case: Case, needed: float, how: str
) -> Best | None:
    """Judged in rationals; in balls if it has many rounds, or takes too long in rationals.

    None if the part does not apply, or is not as tight after all.
    """
    for exact in _exact(case):
        measured = measure(exact)
        refused = refusal(part, exact, measured.numbers)
        if refused is None:
            nearest = closest(part, as_floats(measured.numbers))
            if nearest is None or nearest.gap > needed:
                return None
            return _best(claim, reading, part, whole(exact, read(claim, reading)), nearest, how)
        if not refused.reason.startswith(UNMEASURED):
            return None
    return None


def _exact(case: Case) -> Iterator[Case]:
    """The same without floats, as cheap to check as can be first; a ladder has none."""
    if not isinstance(case.setup, Named):
        yield case
        return
    judged = replace(case, setup=replace(case.setup, steers=False))  # its premises hold, surely
    setup = replace(judged.setup, bits=None, most=MOST_EXACT_WORK)
    yield replace(case, setup=setup, method=method_of(setup.setup))
    yield in_balls(judged)


def whole(case: Case, parts: tuple[Part, ...]) -> Case:
    """The instance with all quantities of which some parts speak."""
    if not isinstance(case.setup, Named):
        return case
    names: frozenset[str] = frozenset().union(*(part.named for part in parts))
    if names == case.setup.names:  # what was measured is all
        return case
    return replace(case, setup=replace(case.setup, names=names, most=None))


def _best(claim: Claim, reading: Reading, part: Part, case: Case, near: Closest, how: str) -> Best:
    """With the exact judgement of the whole reading."""
    judgement = judge_reading(claim, reading, case, measure(case))
    outcome = next(o for o in judgement.outcomes if o.part == part.name)
    sides = near.left, near.right
    return Best(part.name, outcome.tightness, near.gap, *sides, judgement, how, near.at)


def as_summary(best: Best) -> dict[str, Any]:
    """Plain data for the results."""
    return {
        "tightness": best.tightness,
        "relative_gap": best.relative_gap,
        "parameters": parameters(best),
        "instance": best.instance.name,
        "how": best.how,
        "part": best.part,
        "data": to_data(best.instance),
    }


def parameters(best: Best) -> dict[str, str]:
    """Parameters by symbol name, as "p/q"; of a choice of parameters, those the part names."""
    values = parameters_of(best.judgement.instance)
    parts = read(best.judgement.claim, best.judgement.reading)
    part = next(p for p in parts if p.name == best.part)
    if part.index is Index.POINT:
        values = {name: value for name, value in values.items() if name in part.constants}
    return {name: _short(value) for name, value in values.items()}


def _short(value: Any) -> str:
    """Exact where that is readable, else in six digits."""
    text = str(value)
    return text if len(text) <= _READABLE else f"{float(value):.6g}"
