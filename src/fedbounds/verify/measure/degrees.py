"""How many products of terms a round on unknowns asks for, from its degrees alone.

A block of unknowns, such as a direction of one local step, is one unknown here, times numbers that
differ: which powers of blocks occur together shows, and how many monomials have them. That is fast
where the round itself is not: its terms grow exponentially in the local steps.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import compress, groupby, product
from math import comb, prod
from typing import Any

import numpy as np
from flint import Ordering, fmpq, fmpq_mpoly_ctx

from .contract import State, one_step
from .random import answered
from .sources import is_centred
from .subject import Subject
from .unknowns import Exponents, Unknown
from .unrolled import asked, joint_outcomes, left_alone

Array = Any


class _Blocks:
    """One unknown for every row of the last axis of an array of unknowns.

    Parameters
    ----------
    count : int
        Of blocks.
    """

    def __init__(self, count: int) -> None:
        names = [f"b{at}" for at in range(count)]
        self._gens = fmpq_mpoly_ctx.get(names, Ordering.lex).gens()
        self.sizes = [0] * count
        self.next = 0

    def instead(self, array: Array, moves: Callable[[Any], bool]) -> Array:
        """An array with unknowns for the entries that move."""
        found = np.array(array, dtype=object)
        for row in found.reshape(-1, found.shape[-1]) if found.size else ():
            own = [at for at, entry in enumerate(row) if moves(entry)]
            if own:
                gen, self.sizes[self.next] = self._gens[self.next], len(own)
                row[own] = [Unknown(gen * fmpq(at * at + at + 41)) for at in own]
                self.next += 1
        return found


def products_of_round(subject: Subject, start: State) -> int:
    """Pairs of terms with a mean that may not be 0, where all is squared that a round shows.

    At most so many are multiplied.

    Parameters
    ----------
    start : dict of arrays
        With one row.

    Raises
    ------
    Refused
        If the step asks of an unknown more than sums and products, or powers are too many too.
    """
    p, draw, sources = asked(subject, 0)
    lists = [x.selects or x.count == 1 for x in sources]
    still = left_alone(subject, p, draw, sources, lists, start)
    free = [x for x, own in zip(sources, lists, strict=True) if not own]
    entries = sum(array.size for array in start.values())
    most = sum(prod(x.shape) for x in free) + entries + max(still.carried, default=0)
    blocks = _Blocks(most)
    known = iter(joint_outcomes(sources, lists).answers)
    answers, centred = [], list[bool]()
    for source, own in zip(sources, lists, strict=True):
        answers.append(next(known)[:1] if own else blocks.instead(_none(source.shape), _is_none))
        centred += [is_centred(source)] * (blocks.next - len(centred))
    before = {}
    for name, array in start.items():
        numbers = still.numbers.get(name, np.full(array.size, None)).reshape(array.shape)
        before[name] = blocks.instead(numbers, _is_none)
    first = blocks.next

    def carry(arrays: tuple[Array, ...]) -> tuple[Array, ...]:
        blocks.next = first
        return tuple(blocks.instead(array, _varies) for array in arrays)

    what = subject.algorithm, subject.problem, p, before, answered(draw, sources, answers)
    every = (array for own in one_step(*what, carry) for array in own.values())
    values = [x for array in every for x in np.asarray(array, object).flat if _varies(x)]
    centred += [False] * (most - len(centred))
    return sum(_squared(blocks.sizes, centred, value) for value in values)


def _none(shape: tuple[int, ...]) -> Array:
    return np.full((1, *shape), None)


def _is_none(entry: Any) -> bool:
    return entry is None


def _varies(entry: Any) -> bool:
    return isinstance(entry, Unknown) and bool(entry.polynomial.total_degree() > 0)


def _squared(sizes: Sequence[int], centred: Sequence[bool], value: Unknown) -> int:
    """Of one entry."""
    used = [at for at, degree in enumerate(value.polynomial.degrees()) if degree]
    powers = sorted(tuple(own[at] for at in used) for own in value.polynomial.to_dict())
    own_sizes, own_centred = tuple(sizes[at] for at in used), tuple(centred[at] for at in used)
    return _pairs(own_sizes, own_centred, tuple(powers))


@lru_cache(maxsize=256)  # clients and coordinates are alike
def _pairs(sizes: Exponents, centred: tuple[bool, ...], powers: tuple[Exponents, ...]) -> int:
    """Of monomials that have these powers of blocks, some of draws with mean 0."""

    def odd(own: Exponents) -> Exponents:
        return tuple(x % 2 for x in compress(own, centred))

    total = 0
    for _, alike in groupby(sorted(powers, key=odd), key=odd):
        for one, other in product(list(alike), repeat=2):
            every = zip(sizes, centred, one, other, strict=True)
            total += prod(_met(*own) for own in every)
    return total


@lru_cache(maxsize=4096)
def _met(size: int, centred: bool, one: int, other: int) -> int:
    """Pairs of monomials of a block; of draws with mean 0, those with the same odd powers."""
    if not centred:
        return _monomials(size, one) * _monomials(size, other)
    return sum(
        comb(size, odd) * _monomials(size, (one - odd) // 2) * _monomials(size, (other - odd) // 2)
        for odd in range(min(one, other, size) + 1)
        if odd % 2 == one % 2 == other % 2
    )


def _monomials(size: int, power: int) -> int:
    return comb(size + power - 1, power) if power else 1
