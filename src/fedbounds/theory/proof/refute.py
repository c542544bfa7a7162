"""Numbers that satisfy all that a step cites, and break it.

At a few choices of the parameters that meet the step's conditions, a linear programme looks for
quantities, and for vectors where the step or what it cites speaks of them. What is reported is
rational and evaluated again, exactly.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import islice

from fedbounds.theory.checker.data import Certificate, Statement, Theory
from fedbounds.theory.checker.errors import Refused

from . import feasible
from .instances import Instance, instance
from .points import Point, Question, points
from .refute_vectors import Numbers, breaking_vectors

_SAMPLES = 8  # of the parameters
_SPACES = 4  # of the numbers of clients, participants and steps, with vectors
_PER_SPACE = 12  # the first points are too alike to break what holds where a number is 1
# clients, participants, steps: those tried, the most telling first
_SIZES = ((2, 1, 2), (3, 2, 1), (2, 1, 1), (2, 2, 2), (1, 1, 2), (2, 2, 1), (1, 1, 1))


def breaking_numbers(
    theory: Theory,
    statement: Statement,
    certificate: Certificate,
    earlier: Mapping[str, Statement],
) -> Numbers | None:
    """Parameters, vectors and quantities as fractions; None if the counted tries found none."""
    question = Question(theory, statement, certificate, earlier)
    return next(filter(None, (broken_at(question, one) for one in instances_of(question))), None)


def instances_of(question: Question) -> Iterator[Instance]:
    """The step at every choice of its parameters that is tried, the most telling first."""
    if question.certificate.rule == "combine":
        yield from _in_order(_instances(question))


def broken_at(question: Question, found: Instance) -> Numbers | None:
    """Numbers with these parameters that break the step."""
    if _with_vectors(found):
        return breaking_vectors(question, found)
    return _quantities(found, question.statement)


def _in_order(every: Iterator[Instance]) -> Iterator[Instance]:
    """First where nothing that is cited is outside its conditions, as soon as one is found."""
    others = []
    try:
        for found in every:
            if found.refused:
                others.append(found)
            else:
                yield found
    except Refused:  # something that is cited cannot be read
        return
    yield from sorted(others, key=lambda one: len(one.refused))


def _instances(question: Question) -> Iterator[Instance]:
    tried = _small(question)
    if not question.certificate.scope:
        tried = islice(points(question, small=False), _SAMPLES)
    for point in tried:
        found = instance(question, point)
        if found is not None:
            yield found


def _small(question: Question) -> Iterator[Point]:
    """Parameters of spaces that are small enough to enumerate."""
    sources = question.scope.sources
    counted = [("n", "i" in sources), ("m", "S" in sources), ("K", "k" in sources)]
    by_size: dict[tuple[int | None, ...], list[Point]] = {}
    for point in points(question, small=True):
        size = tuple(int(point[x]) if x in point and used else None for x, used in counted)
        by_size.setdefault(size, []).append(point)
    wanted = list(
        dict.fromkeys(
            tuple(x if used else None for x, (_, used) in zip(size, counted, strict=True))
            for size in _SIZES
        )
    )
    chosen = [size for size in wanted if size in by_size][:_SPACES]
    for place in range(_PER_SPACE):
        for size in chosen:
            yield from by_size[size][place : place + 1]


def _with_vectors(found: Instance) -> bool:
    lines = [found.gap, *(premise.line for premise in found.premises)]
    return any(name.startswith("<") for line in lines for name in line)


def _quantities(found: Instance, statement: Statement) -> Numbers | None:
    for sign in (1, -1) if statement.relation == "==" else (1,):
        gap = {name: sign * c for name, c in found.gap.items()}
        values = feasible.breaking(gap, found.premises, found.signed)
        if values is not None:
            left, right = (feasible.value(found.line(side), _all(values, found, side))
                           for side in (statement.left, statement.right))  # fmt: skip
            shown = {**found.point, **values, "left": left, "right": right}
            return tuple((name, str(number)) for name, number in shown.items())
    return None


def _all(values: Mapping[str, Fraction], found: Instance, side: str) -> Mapping[str, Fraction]:
    """Values of all that a side names; what cancels between the sides is 0."""
    return {name: values.get(name, Fraction(0)) for name in found.line(side)}
