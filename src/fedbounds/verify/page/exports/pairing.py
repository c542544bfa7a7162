"""Which record of one run stands for which of another: by content, never by a name or a method.

First those of equal set-ups, several of one set-up nearest first by their numbers. Of what is
left, set-ups that agree in all that both tell: with equal numbers, then with most facts in common.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from flint import fmpq

from .judged import Judged, Number, Sides

SAME = 1e-12  # relative: two reals of set-ups this near are one
_REACH = 100  # of many records of one set-up, each is measured against so many that are near
_ALIKE = fmpq(1, 10**12)

Pair = tuple[Judged, Judged]
Fit = Callable[[Sequence[Judged], Sequence[Judged]], list[tuple[int, int]]]


@dataclass(frozen=True)
class Pairing:
    """Records of two runs.

    Attributes
    ----------
    pairs : list of an old and a new record each
    otherwise : list of the same
        Their set-ups agree in all that both tell, and one tells something that the other does not.
    old, new : sequence of records that only one run has
    """

    pairs: list[Pair]
    otherwise: list[Pair]
    old: Sequence[Judged]
    new: Sequence[Judged]


def pair_up(old: Sequence[Judged], new: Sequence[Judged]) -> Pairing:
    """Pair the records of two runs."""
    tokens = _Tokens((*old, *new))
    pairs, old, new = _within(old, new, tokens.of_setup, _nearest)
    equal, old, new = _within(old, new, tokens.of_numbers, tokens.agreeing)
    close, old, new = _within(old, new, _of_claim, tokens.sharing)
    return Pairing(pairs, equal + close, old, new)


def apart(one: Number | None, other: Number | None, size: fmpq | None = None) -> float:
    """How far two numbers are from each other, relative to the larger, or to a size.

    A number and none are 1 apart.
    """
    if one is None or other is None:
        return 0.0 if one is other else 1.0
    difference = abs(one.value - other.value)
    if difference == 0:
        return 0.0
    largest = max(abs(one.value), abs(other.value)) if size is None else size
    return float(difference / largest)


# ---- equal up to rounding


class _Tokens:
    """Words for records: equal words for what is equal up to the rounding of reals."""

    def __init__(self, every: Sequence[Judged]) -> None:
        found: dict[str, set[Number]] = defaultdict(set)
        for record in every:
            for name, value in record.setup:
                if isinstance(value, Number):
                    found[name].add(value)
        self._facts = {name: _same(values) for name, values in found.items()}
        numbers = (number for record in every for part in record.parts for number in part.numbers)
        self._numbers = _same(number for number in numbers if number is not None)

    def of_setup(self, record: Judged) -> Hashable:
        return record.claim, record.reading, tuple(self._told(record).items())

    def of_numbers(self, record: Judged) -> Hashable:
        return record.claim, record.reading, tuple(map(self._of_part, record.parts))

    def agreeing(self, old: Sequence[Judged], new: Sequence[Judged]) -> list[tuple[int, int]]:
        """Pairs whose set-ups differ in no fact that both tell; there is something to compare."""
        return self._alike(old, new, lambda shared, most, one: shared or _has_number(one))

    def sharing(self, old: Sequence[Judged], new: Sequence[Judged]) -> list[tuple[int, int]]:
        """The same, and both tell at least half of the facts."""
        return self._alike(old, new, lambda shared, most, one: shared and 2 * shared >= most)

    def _alike(
        self,
        old: Sequence[Judged],
        new: Sequence[Judged],
        enough: Callable[[int, int, Judged], bool | int],
    ) -> list[tuple[int, int]]:
        found, free = [], dict(enumerate(map(self._told, new)))
        for at, told in enumerate(map(self._told, old)):
            fitting = []
            for other, facts in free.items():
                shared = told.keys() & facts.keys()
                if all(told[name] == facts[name] for name in shared) and enough(
                    len(shared), max(len(told), len(facts)), old[at]
                ):
                    fitting.append((-len(shared), _distance(old[at], new[other]), other))
            if fitting:
                chosen = min(fitting)[-1]
                found.append((at, chosen))
                del free[chosen]
        return found

    def _told(self, record: Judged) -> dict[str, Hashable]:
        return {
            name: self._facts[name][value] if isinstance(value, Number) else value
            for name, value in record.setup
        }

    def _of_part(self, part: Sides) -> Hashable:
        sides = (None if n is None else self._numbers[n] for n in (part.left, part.right))
        return part.part, part.relation, part.verdict, part.word, *sides


def _has_number(record: Judged) -> bool:
    return any(number for part in record.parts for number in part.numbers)


def _of_claim(record: Judged) -> Hashable:
    return record.claim, record.reading


def _same(values: Iterable[Number]) -> dict[Number, int]:
    """A token per number; a real near an exact one, or near the real before it, has its token."""
    distinct = sorted(set(values), key=lambda number: (number.value, not number.exact))
    exact = [number for number in distinct if number.exact]
    places = [number.value for number in exact]
    tokens = {number: at for at, number in enumerate(exact)}
    before: Number | None = None
    for number in distinct:
        if number.exact:
            continue
        at = bisect_left(places, number.value)
        near = [one for one in exact[max(at - 1, 0) : at + 1] if _near(one, number)]
        if near:
            tokens[number] = tokens[min(near, key=lambda one: abs(one.value - number.value))]
            before = None
        else:
            linked = before is not None and _near(before, number)
            tokens[number] = tokens[before] if linked and before else len(tokens)
            before = number
    return tokens


def _near(one: Number, other: Number) -> bool:
    largest = max(abs(one.value), abs(other.value))
    return bool(abs(one.value - other.value) <= _ALIKE * largest)


# ---- pairs among records of one word


def _within(
    old: Sequence[Judged], new: Sequence[Judged], word: Callable[[Judged], Hashable], fit: Fit
) -> tuple[list[Pair], list[Judged], list[Judged]]:
    """Pairs of records that share a word, and what is left of both runs."""
    groups: dict[Hashable, tuple[list[Judged], list[Judged]]] = defaultdict(lambda: ([], []))
    for side, records in enumerate((old, new)):
        for record in records:
            groups[word(record)][side].append(record)
    pairs, old_left, new_left = [], [], []
    for olds, news in groups.values():
        if len(olds) + len(news) > 2:
            olds.sort(key=_order)  # how the documents order them is no content
            news.sort(key=_order)
        found = fit(olds, news) if olds and news else []
        pairs += [(olds[one], news[other]) for one, other in found]
        old_taken, new_taken = {one for one, _ in found}, {other for _, other in found}
        old_left += [record for at, record in enumerate(olds) if at not in old_taken]
        new_left += [record for at, record in enumerate(news) if at not in new_taken]
    return pairs, old_left, new_left


def _nearest(old: Sequence[Judged], new: Sequence[Judged]) -> list[tuple[int, int]]:
    """Pairs, nearest first; both are in order of their numbers."""
    if len(old) == len(new) == 1:
        return [(0, 0)]
    found, olds, news = _identical(old, new)
    while olds and news:
        places = [_order(new[other]) for other in news]
        near = []
        for one in olds:
            at = bisect_left(places, _order(old[one]))
            others = news[max(at - _REACH, 0) : at + _REACH]
            near += [(_distance(old[one], new[other]), one, other) for other in others]
        old_free, new_free = set(olds), set(news)
        for _, one, other in sorted(near):
            if one in old_free and other in new_free:
                found.append((one, other))
                old_free.remove(one)
                new_free.remove(other)
        olds, news = sorted(old_free), sorted(new_free)
    return found


def _identical(
    old: Sequence[Judged], new: Sequence[Judged]
) -> tuple[list[tuple[int, int]], list[int], list[int]]:
    """Pairs with the same parts, which are the nearest; and places in both of what is left."""
    places: dict[Hashable, list[int]] = defaultdict(list)
    for other, record in enumerate(new):
        places[record.parts].append(other)
    found, olds = [], []
    for one, record in enumerate(old):
        if places[record.parts]:
            found.append((one, places[record.parts].pop()))
        else:
            olds.append(one)
    return found, olds, sorted(other for left in places.values() for other in left)


def _order(record: Judged) -> tuple[Any, ...]:
    """Records in order of their numbers, then of all else that is compared."""
    parts = record.parts
    numbers = [_place(number) for part in parts for number in part.numbers]
    words = [(p.part, p.verdict, p.relation, p.word, p.round or 0) for p in parts]
    facts = [(k, str(v.value) if isinstance(v, Number) else v) for k, v in record.setup]
    return record.claim, record.reading, len(parts), numbers, words, facts


def _place(number: Number | None) -> tuple[bool, fmpq]:
    return (False, fmpq(0)) if number is None else (True, number.value)


def _distance(one: Judged, other: Judged) -> tuple[float, int]:
    """How far the numbers of two records are from each other; then how many words differ."""
    mine, theirs = ({part.part: part for part in record.parts} for record in (one, other))
    far, words = 0.0, 0
    for name in dict.fromkeys((*mine, *theirs)):
        if name not in mine or name not in theirs:
            far += 3.0
            continue
        left, right = mine[name], theirs[name]
        far += sum(map(apart, left.numbers, right.numbers))
        words += (left.verdict, left.relation, left.word) != (
            right.verdict, right.relation, right.word,
        )  # fmt: skip
        words += left.round != right.round
    return far, words
