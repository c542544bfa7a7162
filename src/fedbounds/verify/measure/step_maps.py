"""What a step makes of second moments, in matrices: for states whose pairs are too many for forms.

With z = (1, x) before and z+ = sum_a s^a B_a z after, E z+ z+' = B M B' + sum_ab c_ab B_a M B_b':
B is the mean of the step, and c_ab are covariances of monomials of the sources, most of them 0. Of
all rows of these matrices few differ by more than a factor: with those in U, every entry after is a
sum of entries of U M U' with weights. A step that carries is several maps, each to (1, x) with what
is carried there.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from flint import fmpq

from .monomials import Monomial, Partners, joined
from .round_maps import MOST_STATE, Line, by_source, flat
from .unknowns import Refused, Variables
from .unrolled import Unrolling

MOST_WIDE = 400  # numbers of a state, with what a step carries
MOST_TERMS = 2_000_000  # of a map
_ONE = fmpq(1)
Term = tuple[int, int, int, int]  # entries i <= j after, and rows u <= v of U


@dataclass(frozen=True, eq=False)
class StepMap:
    """From second moments of (1, x) to those of the next, which may have other entries.

    Attributes
    ----------
    before, after : int
        Entries of both, the constant among them.
    rows : sequence of Line
        U.
    terms : mapping from (i, j, u, v) to rational
        Entry (i, j) after is their sum, each times entry (u, v) of U M U'.
    mean : sequence of Line
        B.
    """

    before: int
    after: int
    rows: Sequence[Line]
    terms: Mapping[Term, fmpq]
    mean: Sequence[Line]


def is_wide(named: Variables) -> bool:
    """Whether a step carries so much that not all pairs are looked at one by one."""
    return bool(named.stages) and named.entries + max(named.carried) > MOST_STATE - 1


def step_maps(trace: Unrolling, centres: Sequence[Sequence[fmpq]] = ()) -> tuple[StepMap, ...]:
    """The maps of a round, in their order; the last one leads to the next state.

    Parameters
    ----------
    centres : sequence of sequences of rationals
        From where x, with what is carried, is measured before each map; x is so after the last.

    Raises
    ------
    Refused
        If the step is not affine in the state, or it is too large.
    """
    named, chances = trace.variables, trace.listed.chances
    if named.parameters:
        raise Refused(f"{', '.join(named.parameters)} changes from round to round")
    size = named.entries
    if size + max(named.carried, default=0) > MOST_WIDE:
        raise Refused(f"{size + max(named.carried, default=0)} numbers; at most {MOST_WIDE}")
    state = [named.unknown(at) for at in range(size)]
    every = [[(_ONE, [*state, *stage.values])] for stage in named.stages]
    rows = [
        flat({name: array[row : row + 1] for name, array in trace.after.items()})
        for row in range(len(chances))
    ]
    every.append(list(zip(chances, rows, strict=True)))
    behind = [0, *(stage.first - named.fresh for stage in named.stages)]
    counts = [0, *(len(stage.values) for stage in named.stages)]
    ends = (*centres, centres[0][:size]) if centres else ((),) * (len(every) + 1)
    found = []
    for at, outcomes in enumerate(every):
        made = _Making(named, behind[at], ends[at], ends[at + 1])
        for chance, values in outcomes:
            made.add(chance, values)
        found.append(made.map_(1 + size + counts[at], 1 + len(outcomes[0][1])))
    return tuple(found)


@dataclass(eq=False)
class _Making:
    """A map, outcome by outcome.

    Attributes
    ----------
    behind : int
        How many numbers were carried before those from which it leads.
    """

    named: Variables
    behind: int
    before: Sequence[fmpq]
    after: Sequence[fmpq]
    rows: dict[Any, int] = field(default_factory=dict)
    lines: list[Line] = field(default_factory=list)
    terms: dict[Term, fmpq] = field(default_factory=dict)
    mean: list[Line] = field(default_factory=list)

    def map_(self, before: int, after: int) -> StepMap:
        """When all outcomes are in it."""
        terms = {key: weight for key, weight in self.terms.items() if weight}
        return StepMap(before, after, self.lines, terms, self.mean)

    def add(self, chance: fmpq, values: Sequence[Any]) -> None:
        """One outcome."""
        beside: dict[Monomial, list[tuple[int, int, fmpq]]] = {}
        means: list[Line] = [{0: _ONE}]
        for at, value in enumerate(values, 1):
            mean = Line()
            for source, line in self._read(at, value).items():
                weight = self.named.expectation(source)
                for column, factor in line.items() if weight else ():
                    mean[column] = mean.get(column, fmpq(0)) + factor * weight
                if source:
                    beside.setdefault(source, []).append((at, *self._row(line)))
            means.append({column: factor for column, factor in mean.items() if factor})
        own = [(at, *self._row(line)) for at, line in enumerate(means) if line]
        self._spread(own, own, chance)
        for one, other, weight in covariances(self.named, beside):
            self._spread(beside[one], beside[other], weight * chance)
        self.mean = self.mean or [{} for _ in means]
        for total, line in zip(self.mean, means, strict=True):
            for column, factor in line.items():
                total[column] = total.get(column, fmpq(0)) + factor * chance

    def _read(self, at: int, value: Any) -> dict[Monomial, Line]:
        """B_a of an entry after, the constant first; measured from the centres."""
        found, size = dict[Monomial, Line](), self.named.entries
        for source, lines in by_source(self.named, value).items():
            own = lines.get((), {})
            line = {x if x <= size else x - self.behind: factor for x, factor in own.items()}
            if self.before:
                shift = sum(
                    (factor * self.before[x - 1] for x, factor in line.items() if x), fmpq(0)
                )
                line[0] = line.get(0, fmpq(0)) + shift
            found[source] = line
        if self.after:
            line = found.setdefault((), {})
            line[0] = line.get(0, fmpq(0)) - self.after[at - 1]
        plain = {x: {y: z for y, z in line.items() if z} for x, line in found.items()}
        return {source: line for source, line in plain.items() if line}

    def _row(self, line: Line) -> tuple[int, fmpq]:
        """Its place among rows that differ by more than a factor, and its factor."""
        lead = line[min(line)]
        own = {column: factor / lead for column, factor in sorted(line.items())}
        key = tuple((column, factor.p, factor.q) for column, factor in own.items())
        if key not in self.rows:
            self.rows[key] = len(self.lines)
            self.lines.append(own)
        return self.rows[key], lead

    def _spread(
        self,
        left: Iterable[tuple[int, int, fmpq]],
        right: Sequence[tuple[int, int, fmpq]],
        weight: fmpq,
    ) -> None:
        terms = self.terms
        for i, u, x in left:
            weighted = x * weight
            for j, v, y in right:
                if i <= j:
                    key = (i, j, u, v) if u < v else (i, j, v, u)
                    own = weighted * y
                    terms[key] = terms[key] + own if key in terms else own
        if len(terms) > MOST_TERMS:
            raise Refused(f"a step has more than {MOST_TERMS} terms")


def covariances(
    named: Variables, every: Iterable[Monomial]
) -> Iterator[tuple[Monomial, Monomial, fmpq]]:
    """Of monomials of the sources, those that are not 0; of each pair both ways.

    Monomials are independent where no entry of one depends on an entry of the other.
    """
    own = list(every)
    means = {one: named.expectation(one) for one in own}
    groups = {one: frozenset(named.groups_in(one)) for one in own}
    having: dict[int, list[Monomial]] = {}
    for one, entries in groups.items():
        for at in entries:
            having.setdefault(at, []).append(one)
    partners = Partners(named.centred, named.entries, own)
    for one in own:
        if means[one]:
            near = dict.fromkeys(chain.from_iterable(having[at] for at in groups[one]))
        else:
            near = dict.fromkeys(x for x in partners.of(one) if groups[one] & groups[x])
        for other in near:
            weight = named.expectation(joined(one, other)) - means[one] * means[other]
            if weight:
                yield one, other, weight
