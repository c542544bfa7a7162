"""A round on few unknowns: noise of a client and a local step is a product of two of them.

With an unknown for each of n clients and one for each of their J numbers, n J entries of noise
need n + J unknowns, and what has degree one in noise is told apart as before. No expectation is
taken over it: what is read off is what stands beside it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from flint import Ordering, fmpq, fmpq_mpoly_ctx

from fedbounds.errors import FedboundsError

from .contract import drawn_by, stepped
from .monomials import Monomial
from .random import Drawn, Random, answered, outcomes, sources_of
from .sources import Source
from .subject import Subject
from .unknowns import Exponents, Refused, Unknown, Variables
from .unrolled import MOST_VARIABLES, Unrolling

Array = Any


@dataclass(frozen=True, eq=False)
class Folded(Variables):
    """Unknowns of a round: the state's, those of other sources, then two kinds for each noise.

    Attributes
    ----------
    noises : tuple of Source
        Entry (i, j) of each is a product of two unknowns, one of i and one of j.
    """

    noises: tuple[Source, ...] = ()

    @cached_property
    def folds(self) -> tuple[tuple[range, range], ...]:
        """Numbers of the unknowns of every noise: of its first axis, and of all others."""
        found, at = [], self.ends
        for source in self.noises:
            first, rest = source.shape[0], prod(source.shape[1:])
            found.append((range(at, at + first), range(at + first, at + first + rest)))
            at += first + rest
        return tuple(found)

    def products(self) -> list[Array]:
        """Each noise as an array of products of unknowns, with one row."""
        gens, found = self.context.gens(), []
        for source, (first, rest) in zip(self.noises, self.folds, strict=True):
            own = np.empty(prod(source.shape), dtype=object)
            own[:] = [Unknown(gens[i] * gens[j]) for i in first for j in rest]
            found.append(own.reshape(1, *source.shape))
        return found

    def by_parameter(self, value: Any) -> dict[Exponents, dict[Monomial, fmpq]]:
        """Of what depends on no draw."""
        return {(): dict(self.terms(value))}


def unroll_folded(subject: Subject, shapes: Mapping[str, tuple[int, ...]]) -> Unrolling:
    """One round on unknowns, with folded noise.

    Parameters
    ----------
    shapes : mapping from field of the state to shape
        With a first axis of length one.

    Raises
    ------
    Refused
        If draws must be listed, the algorithm asks of an unknown more than sums and products, or
        there are too many.
    """
    if not subject.exact:
        raise Refused("it is in floats; polynomials are exact")
    p = subject.parameters()

    def draw(random: Random) -> Drawn:
        return drawn_by(subject.algorithm, random, subject.problem, p)

    sources = sources_of(draw, exact=True)
    if any(source.selects and source.count != 1 for source in sources):
        raise Refused("draws are listed: the round is no polynomial in them")
    kinds: dict[str, list[int]] = {"silent": [], "noise": [], "law": []}
    for number, source in enumerate(sources):
        kind = "silent" if source.count == 1 else "noise" if is_foldable(source) else "law"
        kinds[kind].append(number)
    own = {kind: [sources[number] for number in numbers] for kind, numbers in kinds.items()}
    named, every = _named(shapes, own["law"], own["noise"]), outcomes(own["silent"], exact=True)
    answers = {"silent": every.answers, "noise": named.products(), "law": named.answers()}
    known: dict[int, Array] = {}
    for kind, numbers in kinds.items():
        known |= zip(numbers, answers[kind], strict=True)
    before = named.state()
    try:
        drawn = answered(draw, sources, [known[number] for number in range(len(sources))])
        after, shown = stepped(subject.algorithm, subject.problem, p, before, drawn)
    except FedboundsError as error:
        raise Refused(str(error)) from error
    place = {number: at for at, number in enumerate(kinds["law"])}
    numbers_of = tuple(place.get(number) for number in range(len(sources)))
    return Unrolling(named, every, numbers_of, drawn, before, after, shown, p.asked_round)


def is_foldable(source: Source) -> bool:
    """Whether it is noise with an axis of clients: independent entries of mean zero."""
    return len(source.shape) > 1 and source.independent and not source.moment({0: 1})


def _named(
    shapes: Mapping[str, tuple[int, ...]], law: list[Source], noises: list[Source]
) -> Folded:
    starts, count = [], sum(prod(shape) for shape in shapes.values())
    for source in law:
        starts.append(count)
        count += prod(source.shape)
    count += sum(source.shape[0] + prod(source.shape[1:]) for source in noises)
    if count > MOST_VARIABLES:
        raise Refused(f"{count} unknowns; at most {MOST_VARIABLES}")
    context = fmpq_mpoly_ctx.get([f"x{i}" for i in range(count)], Ordering.lex)
    return Folded(dict(shapes), tuple(law), context, tuple(starts), {}, noises=tuple(noises))
