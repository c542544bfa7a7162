"""Small quadratics, masks, boxes and points that are made to break claims about objectives."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.problems import FederatedQuadratic
from fedbounds.problems.domain import Box
from fedbounds.problems.masked_laws import Bernoulli, Law, Rolling, static
from fedbounds.problems.spectrum import in_rationals

from .objectives_masks import root
from .objectives_points import square
from .objectives_setups import Objective

Array = Any
Corner = tuple[str, Objective]

# sqrt(p (1 - p)) is rational for each
HALF, LOW, HIGH = fmpq(1, 2), fmpq(1, 5), fmpq(4, 5)
LOWER, HIGHER, TINY = fmpq(1, 10), fmpq(9, 10), fmpq(1, 50)
ONE = fmpq(1)


def exact(numbers: Any) -> Array:
    """An array of rationals."""
    return in_rationals(np.asarray(numbers, dtype=object))


def quadratic(hessians: Sequence[Any], slopes: Sequence[Any]) -> FederatedQuadratic:
    """f_i(w) = 1/2 w'A_i w - b_i'w in rationals."""
    hessian = exact(hessians)
    return FederatedQuadratic(hessian, -exact(slopes), hessian.shape[1])


def coupled(d: int, between: Any, ridge: Any = 0) -> Array:
    """1 + ridge on the diagonal, the same number everywhere else."""
    one = np.eye(d, dtype=np.int64).astype(object)
    return exact(one * (1 + ridge - between) + between)


def _problems() -> Iterator[tuple[str, FederatedQuadratic]]:
    ten = fmpq(1, 10)
    yield "one coordinate", quadratic([[[2]]], [[3]])
    yield "one coordinate, far apart", quadratic([[[1]], [[4]]], [[6], [-4]])
    yield "one coordinate, concave client", quadratic([[[-1]], [[3]]], [[1], [1]])
    yield "round", quadratic([np.diag([2, 2])], [[6, 8]])
    yield "diagonal, ill-conditioned", quadratic([np.diag([1, 100])], [[3, 400]])
    yield "aligned coupling", quadratic([coupled(2, 9 * ten)], [[1, 1]])
    yield "coupling, flat direction", quadratic([coupled(2, 9 * ten)], [[1, -1]])
    yield "coupling, w* on an axis", quadratic([coupled(2, fmpq(3, 5))], [[5, 3]])
    yield "coupling, w* = 0", quadratic([coupled(2, fmpq(3, 5))], [[0, 0]])
    signs = [coupled(2, 9 * ten), coupled(2, -9 * ten)]
    yield "couplings that cancel", quadratic(signs, [[3, 4], [4, -3]])
    yield "indefinite", quadratic([[[1, 2], [2, 1]], [[4, 0], [0, 4]]], [[3, 4], [0, 5]])
    yield "singular", quadratic([[[1, 1], [1, 1]]], [[2, 2]])
    yield "singular clients", quadratic([[[1, 1], [1, 1]], [[1, -1], [-1, 1]]], [[2, 2], [0, 0]])
    weighted = [[12, 16], [-3, -4]]
    yield "slopes that masks weigh", quadratic([coupled(2, HALF), coupled(2, 0)], weighted)
    yield "slopes that cancel", quadratic([coupled(2, 0), coupled(2, 0)], [[3, 4], [-3, -4]])
    yield "three equal features", quadratic([coupled(3, 1, ten)], [[1, 1, 1]])
    yield "four equal features", quadratic([coupled(4, 1, ten)], [[1, 1, 1, 1]])
    features = [coupled(4, 1, ten), coupled(4, fmpq(-1, 4)), coupled(4, 0)]
    slopes = [[1, 1, 1, 1], [2, -4, 5, 2], [1, 0, 0, 0]]
    yield "features, own couplings", quadratic(features, slopes)
    chain = exact([[2, 1, 0], [1, 2, 1], [0, 1, 2]])
    yield "chain", quadratic([chain, chain * 3], [[1, 2, 2], [-2, 3, 6]])
    five = coupled(5, fmpq(1, 2))
    yield "five coordinates", quadratic([five, five[::-1] * 2], [[1, 2, 0, -2, 4], [0, 3, 4, 0, 0]])


def laws(n: int, d: int) -> Iterator[tuple[str, Law, Law | None]]:
    """Pairs of laws for n clients and d coordinates."""
    yield "p=1/2, p'=1", _equal(HALF, n), _equal(ONE, n)
    yield "p=1/50, p'=1/10", _equal(TINY, n), _equal(LOWER, n)
    yield "p=9/10, p'=4/5", _equal(HIGHER, n), _equal(HIGH, n)
    if n > 1:
        low = Bernoulli((LOW,) * (n - 1) + (HIGH,))
        yield "unequal p, p'", low, Bernoulli((HIGH,) + (LOW,) * (n - 1))
        yield (
            "some p=1",
            Bernoulli((ONE,) + (LOWER,) * (n - 1)),
            Bernoulli((HALF,) * (n - 1) + (ONE,)),
        )
    if d > 1:
        parts = windows(n, d, 1)
        yield "partition, M' shifted by client", parts, windows(n, d, 1, shift=True)
        wide = windows(n, d, d - 1, shift=True)
        yield "windows of d-1, M' full", wide, Rolling(np.ones((n, d, d), dtype=int))
        yield "partition, Bernoulli", parts, _equal(HALF, n)
        nested = [[int(j <= i) for j in range(d)] for i in range(n)]
        yield "nested static", static(nested), static(np.ones((n, d), dtype=int))
        uneven = [[[1] * d, [int(j % 2 == i % 2) for j in range(d)]] for i in range(n)]
        yield "uneven coverage", Rolling(uneven), None
    if d == 4:
        halves = [[1, 1, 0, 0], [0, 0, 1, 1]]
        yield "halves, M' in the other order", Rolling([halves] * n), Rolling([halves[::-1]] * n)
        yield "cyclic windows of 2", windows(n, 4, 2), windows(n, 4, 2, shift=True)


def _equal(p: fmpq, n: int) -> Bernoulli:
    return Bernoulli((p,) * n)


def windows(n: int, d: int, size: int, *, shift: bool = False) -> Rolling:
    """Cyclic windows of `size` coordinates, each client's begun one further where shifted."""
    return Rolling(
        [
            [[int((j - s - i * shift) % d < size) for j in range(d)] for s in range(d)]
            for i in range(n)
        ]
    )


def points_of(problem: FederatedQuadratic) -> Array:
    """Axes, diagonals and points far away; pairs that differ by them."""
    d = problem.shared_dimension
    axes = list(np.eye(d, dtype=int))
    turns = [(-1) ** np.arange(d), np.ones(d, dtype=int)]
    far = 1000 * np.arange(3, 3 + d)
    rows = [row for w in (*axes, *turns, far) for row in (w, 2 * w)]
    return exact(np.array([*rows, far + axes[0]]))


def origin(problem: FederatedQuadratic) -> Array | None:
    """w = 0, where several claims hold with equality; None where its norms would hide that."""
    n, d = problem.linear.shape
    norm = root(square(problem.linear.sum(axis=0) / n))
    return exact(np.zeros((1, d), dtype=int)) if isinstance(norm, fmpq) else None


def vertices(box: Box, d: int) -> Array:
    """The vertices of a box and a point inside."""
    bounds = box.bounds(d)
    corner = [[side[(k >> j) & 1] for j, side in enumerate(bounds)] for k in range(2**d)]
    inside = [(low + 3 * high) / 4 for low, high in bounds]
    return exact(np.array([*corner, inside], dtype=object))


def _boxes(d: int) -> Iterator[tuple[str, Box]]:
    sides = tuple([3, 4, 12, 84][:d])  # of norm 3, 5, 13 or 85
    if d <= 4:
        yield "wide box", Box(tuple(-x for x in sides), sides)
    yield "box that cuts w* off", Box((fmpq(-1, 4),) * d, (fmpq(1, 4),) * d)
    yield "box away from 0", Box((fmpq(1, 2),) * d, (fmpq(3, 2),) * d)
    yield "point", Box((1,) * d, (1,) * d)


def corners(*, few: bool) -> Iterator[Corner]:
    """Every problem with every pair of laws, on boxes with every other pair; of few, half of it."""
    for number, (label, problem) in enumerate(_problems()):
        n, d = problem.clients, problem.shared_dimension
        points, zero = points_of(problem), origin(problem)
        if zero is not None:
            # elsewhere both sides of several claims are the same irrational norm
            full = Objective(problem, _equal(ONE, n), zero, None, _equal(HALF, n))
            yield f"{label}, p=1, p'=1/2, w=0", full
        for at, (masks, law, other) in enumerate(laws(n, d)):
            if few and (number + at) % 2:
                continue
            yield f"{label}, {masks}", Objective(problem, law, points, None, other)
            if zero is not None and not (few and at % 3):
                yield f"{label}, {masks}, w=0", Objective(problem, law, zero, None, other)
            for place, (room, box) in enumerate(_boxes(d)):
                chosen = (at + place) % (3 if few else 2) == 0
                if chosen and d <= 4:
                    setup = Objective(problem, law, vertices(box, d), box, other)
                    yield f"{label}, {masks}, {room}", setup
