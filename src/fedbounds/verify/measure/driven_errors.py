r"""What rounding did to second moments that are driven: a bound, round by round.

A round is x+ = A x + b + noise for random A and b, x the state measured from its centre. Floats use
maps A', b' that differ from A, b by what `Driving.wrong` bounds, and round every sum. Let m = E x
and S = E x x', and let d and D be what is wrong with them in floats. With any invertible G and
|x| = ||G x||, |D| = ||G D G'|| in the nuclear norm, and rho the norm of P -> E A' P A at P = G'G,
that is E A' P A <= rho P,

    |E A d| <= sqrt(rho) |d|,   |E A D A'| <= rho |D|,   |E A d b'| <= sqrt(rho) |d| sqrt(E |b|^2):

for D >= 0 the second is tr P E A D A' = tr (E A' P A) D <= rho tr P D, and any D is a difference of
two such whose norms add up to its own; the others are the inequality of Cauchy and Schwarz. So

    |d+| <= sqrt(rho) |d| + (fresh),   |D+| <= rho |D| + 2 sqrt(rho E |b|^2) |d| + (fresh).

P is a sum of images of the identity, as many as leave the least bound: with more of them rho is
near 1 or below although a round may stretch single states, and G is worse conditioned. Most are
taken by the mean of the map alone, which is quick, and the last ones by all of it.
P may be any matrix; what has to be right is rho, and norms with G and G^-1. These are of float
matrices, each with room for the rounding of its own computation (`_SAFE` for sums of squares and
eigenvalues, `_room` for products).

Fresh, in a round, for S = E (1, x)(1, x)' as floats have it: `averaged` has its sum and letters.
Take any r with |S_ij| <= r_i r_j (its diagonal's roots, nearly), t_l = |C_l| r, t their sum, and

    q = (I + p sum_l |C_l|) r   where S + H + H' is taken,   q = |M| r   elsewhere.

All products of single numbers that add up to the next S, the sum T written out, are together at
most q q' + |c| t t' + sum_ab |w_ab| t_a t_b', entry by entry: in S + H + H' they are at most
r r' + p (r t' + t r') + (p^2 + |c|) t t', with p^2 of the mean and c of the covariance. Sums lose
g times that at most, g = (2 N + 2 L + ...) u, and of E x+, which is the first column, g q. And a
matrix whose entries are at most those of q q' has |.| at most sqrt(N) || |G| q ||^2, and
N sum_i P_ii q_i^2, as it is diag(q) e diag(q) with entries of e below 1.

What is wrong with the map itself adds 2 a d + d^2, with a^2 = E |A (1, x)|^2 of the random map and
d^2 that of the difference. `Averaged.lost` is in it, entry by entry: M is a sum of L + 1 matrices,
and C_l + (A_0 - I)/m has lost at most 3 u (|C_l| + |A_0 - I|/m), whose sum over l, each times s_l,
is in the square mean at most that of each times the root of E s_l^2.

A product <F, M> is then wrong by ||G^-T F G^-1|| |D| + 2 |G^-T F_0| |d|, by what is wrong with the
vectors in it (`terms.Size`), and by its own sums, which are of the size of the terms of both.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from .rounded import TINY, UNIT
from .unknowns import Refused

if TYPE_CHECKING:
    from .driven import Driven
    from .driven_vectors import Product

Array = Any
_SAFE = 1 + 1e-9
_DOUBLED = 2  # times, from one norm that is tried to the next
_IMAGES = (0, 1, 4, 8, 8, 8)  # of each by all of the map
_ENOUGH = 1e-10  # of what is wrong, relative
_WORSE = 1e3  # times the least so far: more images are not tried
_OF_USE = 1e-6  # relative: from here on they are tried only where the last ones gained
_LITTLE = 1.5  # by this factor


@dataclass(frozen=True, eq=False)
class Wrong:
    """What rounding did to the map.

    Attributes
    ----------
    after : array, shape (3, N)
        To a next state: from the centre, from all unit states, and from all noises.
    shown : mapping from name to array, shape (3, *own axes)
        Likewise, to vectors.
    begun : array, shape (2, N)
        To the state before round 0, and to what a unit of its noise does.
    exact : mapping from name to array of bool, shape (*own axes)
        Of the vectors in which presence is not, the entries with whose responses nothing is wrong.
    """

    after: Array
    shown: Mapping[str, Array]
    begun: Array
    exact: Mapping[str, Array]


@dataclass(frozen=True, eq=False)
class Weight:
    """G, its inverse and what they do.

    Attributes
    ----------
    matrix : array, shape (N, N)
        P = G'G, but for rounding.
    factor, inverse : arrays, shape (N, N)
        G, and nearly its inverse.
    room : float
        The norm of G^-1 over that of what is called its inverse, at most.
    rate : float
        rho.
    least : float
        At least the 2-norm of G^-1.
    """

    matrix: Array
    factor: Array
    inverse: Array
    room: float
    rate: float
    least: float

    @cached_property
    def sizes(self) -> Array:
        """|G|, entry by entry."""
        found: Array = abs(self.factor)
        return found

    @cached_property
    def diagonal(self) -> Array:
        """Of G'G."""
        found: Array = (self.factor**2).sum(axis=0) * _SAFE
        return found

    def of(self, bound: Array) -> Array:
        """|x| of vectors whose entries are at most these."""
        entries, size = _lengths(bound @ self.sizes.T), len(self.diagonal)
        return np.minimum(entries, np.sqrt(size * (bound**2 @ self.diagonal)) * _SAFE)

    def of_square(self, bound: Array, at: Any = slice(None)) -> Array:
        """|.| of matrices whose entries are at most those of q q', q on some rows alone."""
        entries, size = _lengths(bound @ self.sizes[:, at].T) ** 2, len(self.diagonal)
        return np.minimum(sqrt(size) * entries, size * (bound**2 @ self.diagonal[at])) * _SAFE


def _weighed(matrix: Array, image: Array, found: "Driven") -> Weight | None:
    """At P = G'G, nearly this matrix, of which ``image`` is the adjoint but for rounding.

    None where floats hold no such factor.
    """
    size = len(matrix)
    try:
        factor = np.linalg.cholesky(matrix).T
        inverse = np.linalg.inv(factor)
    except np.linalg.LinAlgError:  # so uneven that rounding leaves it indefinite
        return None
    # in coordinates where the diagonal of P is 1: G D^-1, D G^-1
    scale = np.sqrt(np.diagonal(matrix))
    even, back = factor / scale, inverse * scale[:, None]
    away = _length(even @ back - np.eye(size)) + _room(size) * _length(even) * _length(back)
    if not away < 0.5:
        return None
    room = 1 / (1 - away)
    other = (
        _length(even.T @ even - matrix / np.outer(scale, scale)) + _room(size) * _length(even) ** 2
    )
    sums = 2 * len(found.parts) + len(found.law.pairs)  # as in `_Fresh`
    lost = (_room(size) + sums * UNIT) * _length(even) ** 2 + other
    inner = inverse.T @ image @ inverse
    around = _length(image / np.outer(scale, scale))
    own = (lost * found.stretch(scale) + _room(size) * around) * _length(back) ** 2
    largest = float(np.linalg.eigvalsh((inner + inner.T) / 2)[-1]) if size else 0.0
    rate = (max(largest, 0.0) * _SAFE + own) * room**2
    least = _length(inverse) * room
    made = _length(found.averaged.lost[1:, 1:] * scale[:, None] / scale)
    bent = _length(abs(factor) @ found.wrong.after[1][:, None]) * least
    bent += made * _length(even) * _length(back) * room
    return Weight(matrix, factor, inverse, room, (sqrt(rate) + 2 * bent) ** 2 * _SAFE, least)


def _room(size: int) -> float:
    """What two products of matrices of that size lose, over products of their norms."""
    return (4 * size + 40) * UNIT


@dataclass(frozen=True, eq=False)
class Followed:
    """Bounds of errors in rounds 0, 1, ...

    Attributes
    ----------
    weight : Weight
    mean, square : arrays
        |d| and |D|.
    radius : array
        sqrt(tr S), at most.
    """

    weight: Weight
    mean: Array
    square: Array
    radius: Array

    @property
    def relative(self) -> float:
        """What is wrong with S at last, over S."""
        last, radius = float(self.square[-1]), float(self.radius[-1])
        found = last * self.weight.least**2 / (radius**2 + TINY)
        return found if np.isfinite(found) else np.inf

    def of_product(self, one: "Product") -> Array:
        """Of <F, M> in every round."""
        own, size = self.weight, len(self.weight.inverse)
        form, linear = one.matrix[1:, 1:], one.matrix[1:, 0]
        rows = np.flatnonzero(form.any(axis=0))
        inverse = own.inverse[rows]
        inner = inverse.T @ form[np.ix_(rows, rows)] @ inverse
        room = _room(size) * _length(own.inverse) * (1 + own.least)
        square = (_length(inner) + room * _length(form)) * own.room**2
        linear = 2 * (_length(own.inverse.T @ linear) + room * _length(linear)) * own.room
        (a, d, p), (b, f, q) = (
            [x[0] + x[1] * self.radius for x in (side.size, side.wrong, side.terms)]
            for side in one.sides
        )
        sums = (one.places + 4 * size + 40) * UNIT
        vectors = (a * f + b * d + d * f + p * q * sums) * one.factor
        zero = any(not any((*side.size, *side.wrong, *side.terms)) for side in one.sides)
        tiny = 0.0 if zero or not one.places else TINY  # of vectors without coordinates all is 0
        return (square * self.square + linear * self.mean + vectors + tiny) * _SAFE


def followed(found: "Driven", moments: Array) -> Followed:
    """Errors of all rounds, in the norm that leaves least of them.

    Parameters
    ----------
    moments : array, shape (rounds, N + 1, N + 1)
        M in floats.

    Raises
    ------
    Refused
        If the map is not finite.
    """
    identity = np.eye(found.size - 1)
    summed, power = identity, found.averaged.mean[1:, 1:] * (1 - 0.5 / len(moments))
    best: Followed | None = None
    rows = roots(moments)
    for images in _IMAGES:
        matrix = summed
        for _ in range(images):
            matrix = identity + found.averaged.adjoint(matrix)
        if not np.isfinite(matrix).all():
            break
        weight = _weighed(matrix, found.averaged.adjoint(matrix), found)
        if weight is not None:
            one = _followed(found, weight, moments, rows)
            gained = _gained(best, one)
            if best is None or one.relative < best.relative:
                best = one
            if best.relative <= _ENOUGH or not gained:
                break
        for _ in range(_DOUBLED):  # twice as many images, by the mean of the map alone
            summed, power = summed + power.T @ summed @ power, power @ power
    if best is None:
        raise Refused("a round is not finite in floats")
    return best


def _gained(best: Followed | None, one: Followed) -> bool:
    """Whether more images may be worth while."""
    if best is None or best.relative > _OF_USE:
        return best is None or one.relative <= _WORSE * best.relative
    return one.relative * _LITTLE <= best.relative


def _followed(found: "Driven", weight: Weight, moments: Array, rows: Array) -> Followed:
    each = _Fresh(found, weight, moments, rows)
    every = [found.wrong_start(weight)]
    root = sqrt(weight.rate)
    shift = each.shift
    with np.errstate(over="ignore", invalid="ignore"):
        for t in range(len(moments) - 1):
            d, big = every[-1]
            fresh_mean, fresh_square = each.at(t, d, big)
            every.append(
                (
                    (root * d + fresh_mean) * _SAFE,
                    (weight.rate * big + 2 * root * shift * d + fresh_square) * _SAFE,
                )
            )
        means, squares = np.array(every).T
        radius = np.sqrt(each.radius**2 + squares * weight.least**2)
    return Followed(weight, means, squares, radius)


class _Fresh:
    """What a round loses by itself."""

    def __init__(self, found: "Driven", weight: Weight, moments: Array, rows: Array) -> None:
        self.weight, self.size, self.shift = weight, found.size, found.shift(weight)
        map_, pairs = found.averaged, found.law.pairs
        through = rows @ map_.largest[1:].T
        self.mean = weight.of(through)
        own, sums = [], rows[:, 1:] * 0
        for part in map_.parts:
            one = rows[:, part.columns] @ abs(part.values).T
            sums[:, part.rows - 1] += one
            own.append(np.sqrt(weight.of_square(one, part.rows - 1)))
        self.squares = weight.of_square(through) + abs(found.law.common) * weight.of_square(sums)
        for one_at, other_at, factor in pairs:  # the mean of both bounds that of their product
            self.squares = self.squares + abs(factor) * own[one_at] * own[other_at]
        self.around = weight.of(rows @ map_.lost[1:].T)
        self.lost = (2 * self.size + 2 * len(map_.parts) + len(pairs) + 24) * UNIT
        self.noise = float(weight.of_square(np.sqrt(np.diagonal(found.noise)[1:])[None])[0])
        self.noise_lost = found.lost_noise(weight)
        self.map_ = weight.of(found.wrong.after)
        self.radius = _lengths(rows[:, 1:])
        bordered = np.zeros(moments.shape[1:])
        bordered[1:, 1:] = weight.matrix
        inside = moments.reshape(len(moments), -1) @ bordered.reshape(-1)
        lost = self.lost * weight.of_square(rows[:, 1:])
        self.after = np.sqrt(np.maximum(inside, 0.0) + lost) * _SAFE

    def at(self, t: int, d: float, big: float) -> tuple[float, float]:
        """To |d| and |D|, where they are that before."""
        own = self.weight
        radius = sqrt(self.radius[t] ** 2 + own.least**2 * big)
        wrong = self.map_[0] + self.map_[1] * radius + self.around[t]
        entries = self.lost * (self.squares[t] + self.noise) + self.noise_lost
        cross = 2 * sqrt(own.rate) * self.shift * d
        after = sqrt(self.after[t + 1] ** 2 + own.rate * big + cross + entries) + 3 * wrong
        return self.lost * self.mean[t] + wrong, entries + 2 * after * wrong + wrong**2


def roots(moments: Array) -> Array:
    """r with |M_ij| <= r_i r_j, round by round."""
    found = np.sqrt(np.maximum(np.diagonal(moments, axis1=1, axis2=2), 0.0))
    for own, moment in zip(found, moments, strict=True):
        sizes = abs(moment)
        above = sizes > np.outer(own, own * (1 + 1e-6))
        if above.any():  # of a moment in floats
            own[:] = np.maximum(own, np.sqrt(np.where(above, sizes, 0.0).max(axis=1)))
    return found * (1 + 1e-6)


def _length(matrix: Array) -> float:
    """Of Frobenius."""
    return float(np.sqrt((matrix**2).sum())) * _SAFE


def _lengths(rows: Array) -> Array:
    return np.sqrt((rows**2).sum(axis=1)) * _SAFE
