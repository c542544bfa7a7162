"""What two runs judged, compared by content: numbers, not names, keys, methods or order."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from fedbounds.vocabulary import Verdict

from .difference import TOLERANCE
from .judged import ClaimSummary, Content, Judged, Number, Sides
from .pairing import SAME, Pair, Pairing, apart, pair_up
from .table import Table, table

CELLS = ("what", "claim", "reading", "part", "called", "field", "old", "new", "relative", "setup")


class What(StrEnum):
    """What may differ, gravest first."""

    VIOLATION = "violation lost"  # or with other sides
    STANDING = "standing differs"
    FEWER = "fewer applicable"
    TIGHTNESS = "tightness fell"
    RELATION = "relation differs"
    SIDES = "sides differ"
    VERDICT = "verdict differs"
    ROUND = "round differs"  # of equal sides
    ONLY_OLD = "only in OLD"
    ONLY_NEW = "only in NEW"
    SETUP = "set-up told otherwise"


GRAVITY = {what: at for at, what in enumerate(What)}
Cell = str | float | int | None


@dataclass(frozen=True)
class Difference:
    """One thing that differs.

    Attributes
    ----------
    what : What
    claim, reading, part : str
        Empty where they do not apply.
    called, setup : str
        What the older run that has it calls the set-up; and the numbers that it is.
    field : str
        What differs of it.
    old, new : JSON values
        None for what a run does not have.
    relative : float or None
        Distance of two numbers, relative to the larger; of two gaps, to the largest term.
    """

    what: What
    claim: str
    reading: str
    part: str
    called: str
    field: str
    old: Cell
    new: Cell
    relative: float | None = None
    setup: str = ""


@dataclass
class Agreed:
    """How much agrees, counted.

    Attributes
    ----------
    exact, rounded, wordless : int
        Parts with equal sides: as rationals, up to rounding, and without a number.
    softened : int
        Of those up to rounding, parts that were rationals in OLD.
    widest : float
        Largest distance of those up to rounding.
    violations, standings, applicable, tightness : int
        Violations with equal sides; claims; readings with as many records that apply, or more;
        readings as tight, or tighter.
    more, tighter : int
        Of these readings, those with more, and those that are tighter.
    """

    exact: int = 0
    rounded: int = 0
    wordless: int = 0
    softened: int = 0
    widest: float = 0.0
    violations: int = 0
    standings: int = 0
    applicable: int = 0
    more: int = 0
    tightness: int = 0
    tighter: int = 0


@dataclass(frozen=True)
class Comparison:
    """Differences, gravest first, and counts of what agrees."""

    differences: tuple[Difference, ...]
    agreed: Agreed


def compare(old: Content, new: Content, tolerance: float = SAME) -> Comparison:
    """Compare what two runs judged.

    Parameters
    ----------
    old, new : Content
    tolerance : float
        Sides this near to each other, relative to the larger, count as equal, unless both are
        exact. Tightness may fall by as much, and by 1e-9 at least.
    """
    agreed = Agreed()
    pairing = pair_up(old.judged, new.judged)
    found = [
        *_summaries(old.claims, new.claims, max(tolerance, TOLERANCE), agreed),
        *_paired(pairing, tolerance, agreed),
        *_alone(pairing),
    ]
    return Comparison(tuple(sorted(found, key=_rank)), agreed)


def as_table(comparison: Comparison) -> Table:
    """A row per difference."""
    rows = [[getattr(one, name) for name in CELLS] for one in comparison.differences]
    return table(CELLS, rows)


def _rank(one: Difference) -> tuple[int, bool, float, str, str, str, str]:
    """Gravest first; of one kind new violations, then what is furthest apart, then by claim."""
    far = 0.0 if one.relative is None else -one.relative
    place = one.claim, one.reading, one.called, one.part
    return GRAVITY[one.what], one.new != Verdict.VIOLATED, far, *place


# ---- what is said of claims


def _summaries(
    old: Mapping[str, ClaimSummary],
    new: Mapping[str, ClaimSummary],
    tolerance: float,
    agreed: Agreed,
) -> Iterator[Difference]:
    for key in dict.fromkeys((*old, *new)):
        if key not in new:
            yield _of(What.STANDING, key, "", "claim", old[key].standing or "there", None)
        elif key not in old:
            yield _of(What.ONLY_NEW, key, "", "claim", None, new[key].standing or "there")
        else:
            found = list(_words(key, old[key], new[key]))
            agreed.standings += not found
            yield from found
            yield from _readings(key, old[key], new[key], tolerance, agreed)


def _words(key: str, old: ClaimSummary, new: ClaimSummary) -> Iterator[Difference]:
    kept = old.standing == new.standing
    # a standing that differs says more than the proof it rests on
    for field in ("standing", *(("paper_proof",) if kept else ()), "severity"):
        one, other = getattr(old, field), getattr(new, field)
        if one != other:
            yield _of(What.STANDING, key, "", field, one, other)
    for name in dict.fromkeys((*old.readings, *new.readings)):
        before, after = old.readings.get(name), new.readings.get(name)
        if before is None and after is not None:
            yield _of(What.ONLY_NEW, key, name, "reading", None, after.statement)
        elif after is None and before is not None:
            yield _of(What.STANDING, key, name, "reading", before.statement, None)
        elif before and after and before.statement != after.statement:
            yield _of(What.STANDING, key, name, "statement", before.statement, after.statement)


def _readings(
    key: str, old: ClaimSummary, new: ClaimSummary, tolerance: float, agreed: Agreed
) -> Iterator[Difference]:
    """Of readings that both runs have."""
    for name in (name for name in old.readings if name in new.readings):
        before, after = old.readings[name], new.readings[name]
        if after.applicable < before.applicable:
            counts = before.applicable, after.applicable
            yield _of(What.FEWER, key, name, "applicable records", *counts)
        else:
            agreed.applicable += 1
            agreed.more += after.applicable > before.applicable
        far = apart(before.tightness, after.tightness)
        if _fell(before.tightness, after.tightness) and far > tolerance:
            told = _plain(before.tightness), _plain(after.tightness)
            yield _of(What.TIGHTNESS, key, name, "tightness", *told, far)
        else:
            agreed.tightness += 1
            agreed.tighter += far > tolerance


def _fell(old: Number | None, new: Number | None) -> bool:
    return old is not None and (new is None or new.value < old.value)


def _of(
    what: What,
    claim: str,
    reading: str,
    field: str,
    old: Cell,
    new: Cell,
    relative: float | None = None,
) -> Difference:
    """A difference that is of no record."""
    return Difference(what, claim, reading, "", "", field, old, new, relative)


# ---- records


def _paired(pairing: Pairing, tolerance: float, agreed: Agreed) -> Iterator[Difference]:
    for pair in (*pairing.pairs, *pairing.otherwise):
        mine, theirs = ({part.part: part for part in record.parts} for record in pair)
        for name in dict.fromkeys((*mine, *theirs)):
            before, after = mine.get(name), theirs.get(name)
            if before and after:
                found = list(_part(pair, before, after, tolerance))
                if before.verdict == Verdict.VIOLATED:
                    agreed.violations += all(one.what != What.VIOLATION for one in found)
                if not found:
                    _count(before, after, agreed)
                yield from found
            elif before:
                yield _part_alone(pair[0], before)
            elif after:
                yield _on(What.ONLY_NEW, pair[1], name, "part", None, after.verdict)
    for old, new in pairing.otherwise:
        one, other = dict(old.setup), dict(new.setup)
        shared = one.keys() & other.keys()
        told = (_facts(r, [k for k, _ in r.setup if k not in shared]) for r in (old, new))
        yield _on(What.SETUP, old, "", "set-up", next(told), next(told))


def _part(pair: Pair, old: Sides, new: Sides, tolerance: float) -> Iterator[Difference]:
    """All that differs of a part; of one that was violated it is a violation lost."""
    record, name = pair[0], old.part
    lost = old.verdict == Verdict.VIOLATED
    if old.verdict != new.verdict:
        what = What.VIOLATION if lost else What.VERDICT
        yield _on(what, record, name, "verdict", old.verdict, new.verdict)
    elif old.word != new.word:
        yield _on(What.VERDICT, record, name, "word", old.word, new.word)
    if old.relation != new.relation:
        what = What.VIOLATION if lost else What.RELATION
        yield _on(what, record, name, "relation", old.relation, new.relation)
    sides = list(_sides(old, new, tolerance))
    for field, far in sides:
        what = What.VIOLATION if lost else What.SIDES
        told = _plain(getattr(old, field)), _plain(getattr(new, field))
        yield _on(what, record, name, field, *told, far)
    if old.round != new.round and not sides:
        yield _on(What.ROUND, record, name, "round", old.round, new.round)


def _sides(old: Sides, new: Sides, tolerance: float) -> Iterator[tuple[str, float]]:
    """Sides that differ and how far; the gap only where no side does, as it follows from them."""
    differ = False
    for field in ("left", "right"):
        one, other = getattr(old, field), getattr(new, field)
        far = apart(one, other)
        if _differ(one, other, far, tolerance):
            differ = True
            yield field, far
    if not differ:
        # a difference of reals is no better known than they are
        size = max((abs(n.value) for n in (*old.numbers, *new.numbers) if n), default=None)
        far = apart(old.gap, new.gap, size)
        if _differ(old.gap, new.gap, far, tolerance):
            yield "gap", far


def _differ(old: Number | None, new: Number | None, far: float, tolerance: float) -> bool:
    """Whether two numbers differ; rationals also by less than any float."""
    if old is None or new is None:
        return old is not new
    return old.value != new.value if old.exact and new.exact else far > tolerance


def _exact(*numbers: Number | None) -> bool:
    return all(number is not None and number.exact for number in numbers)


def _count(old: Sides, new: Sides, agreed: Agreed) -> None:
    """A part that agrees."""
    both = [(n, m) for n, m in zip(old.numbers, new.numbers, strict=True) if n or m]
    if not both:
        agreed.wordless += 1
    elif all(_exact(n, m) for n, m in both):
        agreed.exact += 1
    else:
        agreed.rounded += 1
        agreed.softened += all(_exact(n) for n, _ in both)
        agreed.widest = max(agreed.widest, *(apart(n, m) for n, m in both[:2]))


def _alone(pairing: Pairing) -> Iterator[Difference]:
    """Records that one run has alone, and the violations among them."""
    for record in pairing.old:
        for part in record.parts:
            if part.verdict == Verdict.VIOLATED:
                yield _part_alone(record, part)
        yield _on(What.ONLY_OLD, record, "", "record", record.verdict, None)
    for record in pairing.new:
        yield _on(What.ONLY_NEW, record, "", "record", None, record.verdict)


def _part_alone(record: Judged, part: Sides) -> Difference:
    """A part of OLD that NEW does not have."""
    lost = part.verdict == Verdict.VIOLATED
    what = What.VIOLATION if lost else What.ONLY_OLD
    return _on(what, record, part.part, "part", part.verdict, None)


def _on(
    what: What,
    record: Judged,
    part: str,
    field: str,
    old: Cell,
    new: Cell,
    relative: float | None = None,
) -> Difference:
    """A difference of a record."""
    place = record.claim, record.reading, part, record.called
    return Difference(what, *place, field, old, new, relative, _facts(record))


def _facts(record: Judged, names: Sequence[str] | None = None) -> str:
    """A set-up as text: all facts of it, or some."""
    told = (pair for pair in record.setup if names is None or pair[0] in names)
    return ", ".join(f"{k}={v.plain if isinstance(v, Number) else v}" for k, v in told)


def _plain(number: Number | None) -> Cell:
    return None if number is None else number.plain
