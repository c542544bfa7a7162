"""Laws of training with masks: who trains which coordinates.

Two functions can be put under test: ``local(x, mask, local_steps, step_size, gradient) -> y``, a
client's local steps with ``mask`` of shape (d,) and ``gradient(y)``; and ``aggregate(x, vectors,
masks) -> x``, a server that merges ``vectors`` (n, d), of which client i trained the coordinates
where ``masks`` (n, d) is true. Masks are arrays of bool.
"""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from fedbounds.errors import require

from .base import ROUNDING, Law, agree, largest
from .examples import arrays, check_counts, number, quadratics, shaped

Array = Any
Local = Callable[[Array, Array, int, Any, Callable[[Array], Array]], Array]
Aggregate = Callable[[Array, Array, Array], Array]

LOCAL = Law("masked steps", "local steps leave coordinates outside the mask as they are")
NOBODY = Law("untrained coordinates", "a coordinate that nobody trains keeps the server's value")
OUTSIDE = Law("outside the mask", "what a client holds outside its mask does not matter")
_MOST_PATTERNS = 4096


def local_steps_keep_masked(local: Local, *, dimension: int = 3, exact: bool = False) -> None:
    """Outside its mask a client returns the server's coordinates to the bit.

    Parameters
    ----------
    local : function (x, mask, local_steps, step_size, gradient) -> y
    dimension : int
        d; all 2^d masks are tried.
    exact : bool
        Call with fractions in object arrays instead of floats.

    Raises
    ------
    LawBroken
        With the point and the mask that show it.
    FedboundsError
        If there are too many masks.
    """
    client = quadratics(1, dimension, shared_hessian=True, exact=exact)
    size = number(1, 8, exact=exact)
    for mask in _patterns((dimension,)):
        for x in arrays((dimension,), exact=exact):
            for steps in (1, 2):
                y = local(x.copy(), mask.copy(), steps, size, partial(client.gradient, 0))
                where = {"x": x, "mask": mask, "local_steps": steps, "step_size": size}
                agree(LOCAL, shaped(y, x, where)[~mask], x[~mask], where, 0)


def untrained_coordinates_stay(
    aggregate: Aggregate,
    *,
    n: int = 2,
    dimension: int = 2,
    exact: bool = False,
    tolerance: float = ROUNDING,
) -> None:
    """Where no mask is true, the aggregate is the server's own coordinate.

    Parameters
    ----------
    aggregate : function (x, vectors, masks) -> x
    n, dimension : int
        Clients and d; all 2^(n d) masks are tried.
    exact : bool
        Call with fractions in object arrays instead of floats.
    tolerance : float
        Units in the last place, see `agree`.

    Raises
    ------
    LawBroken
        With the masks and vectors that show it.
    FedboundsError
        If the counts do not fit, or there are too many masks.
    """
    for x, vectors, masks in _merges(n, dimension, exact):
        nobody = ~masks.any(axis=0)
        where = {"x": x, "vectors": vectors, "masks": masks}
        after = shaped(aggregate(x.copy(), vectors.copy(), masks.copy()), x, where)
        agree(NOBODY, after[nobody], x[nobody], where, tolerance, scale=largest(x, vectors))


def aggregation_ignores_masked(
    aggregate: Aggregate,
    *,
    n: int = 2,
    dimension: int = 2,
    exact: bool = False,
    tolerance: float = ROUNDING,
) -> None:
    """Other values where a client's mask is false give the same aggregate.

    Parameters and errors are those of `untrained_coordinates_stay`.
    """
    for x, vectors, masks in _merges(n, dimension, exact):
        other = np.where(masks, vectors, vectors + 7)
        plain = aggregate(x.copy(), vectors.copy(), masks.copy())
        changed = aggregate(x.copy(), other, masks.copy())
        where = {"x": x, "vectors": vectors, "masks": masks, "outside the masks": "7 more"}
        agree(OUTSIDE, changed, plain, where, tolerance, scale=largest(x, vectors))


def _merges(n: int, dimension: int, exact: bool) -> Iterator[tuple[Array, Array, Array]]:
    """The server's point, the clients' vectors and masks; no mask at all comes first."""
    check_counts(n, n, dimension)
    for masks in _patterns((n, dimension)):
        for rows in arrays((n + 1, dimension), exact=exact):
            yield rows[0], rows[1:], masks


def _patterns(shape: tuple[int, ...]) -> Iterator[Array]:
    size = int(np.prod(shape))
    require(size >= 1, "shape of the masks", shape, "no axis of length 0")
    require(2**size <= _MOST_PATTERNS, "number of masks", f"2^{size}", f"at most {_MOST_PATTERNS}")
    for bits in product((False, True), repeat=size):
        yield np.array(bits, dtype=bool).reshape(shape)
