"""Laws of random starts of networks: between which numbers chances are, for sure.

All entries are independent N(0, 1). Of one vector of them the squared length is chi-square. Of a
matrix of k columns of m entries (Davidson and Szarek): the largest singular value is above
m^1/2 + k^1/2 + t, and the least one below m^1/2 - k^1/2 - t, with chances of at most exp(-t^2/2).
"""

from collections.abc import Mapping
from math import floor
from typing import Any

from flint import arb, fmpq

from .chances import binomial_tail
from .deep_linear import DeepLinear
from .relu_network import ReluNetwork
from .spectrum import largest_eigenvalue, smallest_eigenvalue

_NONE, _SURE = arb(0), arb(1)


def law_of(
    problem: Any, name: str, relation: str, edge: fmpq | arb, given: Mapping[str, fmpq]
) -> arb | None:
    """Between which numbers the chance is that a number of a start is beyond its edge.

    Parameters
    ----------
    relation : "<=" or ">="
        Which is asked of the number.

    Returns
    -------
    ball or None
        None where no law is known.
    """
    if isinstance(problem, ReluNetwork) and problem.copies == 1 and isinstance(edge, fmpq):
        if (name, relation) == ("unsure", "<="):
            return unsure_above(problem, edge, given["radius"])
        known = (name, relation) == ("perp_most", "<=")
        return _perp_above(problem, edge, given["radius"]) if known else None
    if isinstance(problem, DeepLinear) and problem.kept is None:
        return of_layers(problem, name, relation, arb(edge))
    return None


def unsure_above(problem: ReluNetwork, share: fmpq, radius: fmpq) -> arb:
    """Between which numbers P(unsure > share) is.

    Of one sample the neurons near a change of sign are independent, of chance P(|N(0, 1)| <= R):
    of the sample that has most they are at least as likely too many, and at most so many times.
    """
    chance = (arb(radius) / arb(2).sqrt()).erf()
    above = floor(fmpq(problem.width) * share)
    tail = binomial_tail(problem.width, chance, int(above))
    every = (tail * problem.clients * problem.samples).min(arb(1))
    return tail.union(every)


def _perp_above(problem: ReluNetwork, edge: fmpq, radius: fmpq) -> arb:
    """P(perp_most > edge): entries are at most |x_i||x_j| times a sample's share of neurons."""
    features = problem.features.reshape(-1, problem.inputs)
    longest = max(sum((x * x for x in row), fmpq(0)) for row in features)
    share = edge / (len(features) * longest)
    return _NONE.union(unsure_above(problem, share, radius).upper())


# ---- matrices of independent N(0, 1)


def chi_square_above(count: int, value: arb) -> arb:
    """P(the sum of ``count`` squares > value), of a positive value."""
    return (value / 2).gamma_upper(arb(count) / 2, 1)


def largest_above(rows: int, columns: int, value: arb) -> arb:
    """P(largest singular value^2 > value) of one column; of more, no less than that."""
    if columns == 1:
        return chi_square_above(rows, value)
    return _beyond(value.sqrt() - arb(rows).sqrt() - arb(columns).sqrt())


def least_below(rows: int, columns: int, value: arb) -> arb:
    """P(least singular value^2 < value) of one column; of more, no less than that."""
    if columns == 1:
        return 1 - chi_square_above(rows, value)
    return _beyond(arb(rows).sqrt() - arb(columns).sqrt() - value.sqrt())


def _beyond(t: arb) -> arb:
    return (-(t**2) / 2).exp() if t > 0 else _SURE


# ---- deep linear networks


def of_layers(problem: DeepLinear, name: str, relation: str, edge: arb) -> arb | None:
    """Of the numbers of Lemma A.1, as `neural_starts.of_deep_linear` has them.

    Given W^(i-1) ... W^1 X = V, W^i V is a matrix of N(0, 1) of as many columns as there are
    samples times (V'V)^1/2: singular values of the product are between products of those of
    independent matrices, and of X. So it is with W^L ... W^i, of as many as there are outputs.
    """
    if not edge > 0:
        return None
    asked = {("low_0", ">="): _least, ("high_0", "<="): _largest, ("mid_0", "<="): _between,
             ("R_0", "<="): _loss}  # fmt: skip
    own = asked.get((name, relation))
    return None if own is None else own(problem, edge)


def _least(problem: DeepLinear, edge: arb) -> arb:
    factors, m = problem.depth - 1, problem.width
    if not factors:  # nothing is asked of one layer: this number is 1
        return _NONE if edge <= 1 else _NONE.union(_SURE)
    each = edge ** (1 / arb(factors)) * m
    most = sum((factors * least_below(m, k, each) for k in _columns(problem)), _NONE)
    alone = 1 - chi_square_above(m, edge * m)
    # of one row of W^L; and of W^1 on the least of X, where that is asked of
    return _at_least_one(alone, 2 if _is_independent(problem) else 1).union(most.min(_SURE))


def _largest(problem: DeepLinear, edge: arb) -> arb:
    factors, m = problem.depth - 1, problem.width
    if not factors:
        return _NONE if edge >= 1 else _NONE.union(_SURE)
    each = edge ** (1 / arb(factors)) * m
    most = sum((factors * largest_above(m, k, each) for k in _columns(problem)), _NONE)
    return _at_least_one(chi_square_above(m, edge * m), 2).union(most.min(_SURE))


def _between(problem: DeepLinear, edge: arb) -> arb:
    """Of products of 1, ..., L - 2 square layers, each no longer than (2 + s) m^1/2."""
    several, m = problem.depth - 2, problem.width
    if several < 1:
        return _NONE
    longer = edge ** (1 / arb(2 * several)) - 2
    if not longer > 0:
        return _NONE.union(_SURE)
    return _NONE.union((several * (-(longer**2) * m / 2).exp()).min(_SURE))


def _loss(problem: DeepLinear, edge: arb) -> arb:
    """P(||U - Y||^2 > edge): given V = W^(L-1) ... W^1 X, W^L V is at most ||V|| times N(0, 1).

    ||V||^2 above twice ||X||^2 m^(L-1) counts as beyond.
    """
    features, (factors, m) = _features(problem), (problem.depth - 1, problem.width)
    targets = sum((y * y for y in problem.targets.reshape(-1)), fmpq(0))
    left, long = edge.sqrt() - arb(targets).sqrt(), _NONE
    unit = arb(largest_eigenvalue(features @ features.T).upper) / problem.outputs
    if factors:
        each = arb(2) ** (1 / arb(factors)) * m
        long, unit = factors * largest_above(m, len(features), each), 2 * unit
    if not left > 0:
        return _NONE.union(_SURE)
    most = long + chi_square_above(problem.outputs * len(features), left**2 / unit)
    return _NONE.union(most.min(_SURE))


def _columns(problem: DeepLinear) -> tuple[int, int]:
    return problem.outputs, problem.clients * problem.samples


def _at_least_one(chance: arb, count: int) -> arb:
    return 1 - (1 - chance) ** count


def _features(problem: DeepLinear) -> Any:
    """All samples in rows."""
    return problem.features.reshape(-1, problem.features.shape[2])


def _is_independent(problem: DeepLinear) -> bool:
    features = _features(problem)
    return bool(smallest_eigenvalue(features @ features.T).lower > 0)
