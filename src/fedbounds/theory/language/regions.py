"""Regions of parameters on which the order of a rate is decided by finitely many linear forms.

Factors that can vanish (a variance, n - m, K - 1) split the parameters into cases. In each case
the positive variables range over a cone: x = s^ray[x], as s grows, for every ray of the cone.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from itertools import combinations, product

from fedbounds.errors import FedboundsError

from .rates import Monomial, Rate, variable
from .symbols import K, T, m, n


class Sense(StrEnum):
    """How "improves on" is read."""

    UNIFORM = "uniform constants"  # one constant for all admissible parameters
    ROUNDS = "order as T grows"  # everything but T fixed; the constant may depend on it


@dataclass(frozen=True)
class Cone:
    """A region of parameters: some variables zero, the others positive.

    Attributes
    ----------
    name : str
        In words.
    variables, zero : names of the positive variables, and of those that are zero
    at_least_one : monomials that are at least one in the region
    order_one : monomials that stay between two positive constants in it
    """

    name: str
    variables: tuple[str, ...]
    zero: frozenset[str]
    at_least_one: tuple[Monomial, ...]
    order_one: tuple[Monomial, ...]

    def remaining(self, found: Rate) -> tuple[Monomial, ...]:
        """The monomials of a rate that do not vanish here."""
        vanishing = [(p, q) for p in found.monomials for x, q in p.powers if x in self.zero]
        if any(q < 0 for _, q in vanishing):
            raise FedboundsError(f"{found.expression} is infinite where {self.name}")
        return tuple(p for p in found.monomials if p not in {p for p, _ in vanishing})

    def contains(self, ray: Mapping[str, Fraction]) -> bool:
        """Whether x = s^ray[x] stays in the region, up to constants, as s grows."""
        return (
            set(ray) <= set(self.variables)
            and all(g.degree(ray) >= 0 for g in self.at_least_one)
            and all(g.degree(ray) == 0 for g in self.order_one)
        )


def cones(
    rates: Iterable[Rate],
    vanishing: Iterable[str],
    sense: Sense,
    never_small: Iterable[Monomial] = (),
) -> tuple[Cone, ...]:
    """Regions that together hold all admissible parameters: n >= m >= 1, K >= 1, T >= 1, whole;
    the rest positive, where ``vanishing`` names those that may be zero as well.

    Where all of their variables are positive, monomials that are ``never_small`` are at least one,
    up to a constant.
    """
    names = frozenset().union(*(found.variables for found in rates))
    may_vanish = [x for x in vanishing if x in names]
    zeros = [c for size in range(len(may_vanish) + 1) for c in combinations(may_vanish, size)]
    found = []
    for zero, clients, steps in product(zeros, _clients(names), _steps(names)):
        gone = frozenset({*zero, *clients[1], *steps[1]})
        words = [clients[0], *(f"{x} = 0" for x in zero), steps[0]]
        positive = tuple(sorted(names - gone))
        at_least = (*clients[2], *steps[2], *_powers(names & {T.name}))
        at_least += tuple(p for p in never_small if {x for x, _ in p.powers} <= {*positive})
        order_one = (*clients[3], *steps[3])
        name = ", ".join(filter(None, words)) or "all parameters positive"
        found.append(Cone(name, positive, gone, at_least, order_one))
    return tuple(found) if sense is Sense.UNIFORM else _only_rounds(found)


_Case = tuple[str, frozenset[str], tuple[Monomial, ...], tuple[Monomial, ...]]


def _clients(names: frozenset[str]) -> tuple[_Case, ...]:
    """Cases of n and m. Where m < n, one of m and n - m is at least n/2: two cases cover all."""
    nothing = frozenset[str]()
    if not {n.name, m.name} <= names:
        return (("", nothing, _powers(names & {n.name, m.name}), ()),)
    ratio = variable("n") * variable("m", -1)
    if "n - m" not in names:
        return (("", nothing, (ratio, variable("m")), ()),)
    rest = variable("n") * variable("n - m", -1)
    return (
        ("m < n, n - m of order n", nothing, (ratio, variable("m")), (rest,)),
        ("m < n, m of order n", nothing, (rest, variable("n - m")), (ratio,)),
        ("m = n", frozenset({"n - m"}), (variable("m"),), (ratio,)),
    )


def _steps(names: frozenset[str]) -> tuple[_Case, ...]:
    """Cases of K. Where K >= 2, K - 1 is at least K/2."""
    nothing = frozenset[str]()
    if "K - 1" not in names:
        return (("", nothing, _powers(names & {K.name}), ()),)
    ratio = variable("K") * variable("K - 1", -1)
    return (
        ("K >= 2", nothing, (variable("K"),), (ratio,)),
        ("K = 1", frozenset({"K - 1"}), (), (variable("K"),)),
    )


def _powers(names: Iterable[str]) -> tuple[Monomial, ...]:
    return tuple(variable(x) for x in sorted(names))


def _only_rounds(regions: Iterable[Cone]) -> tuple[Cone, ...]:
    """T alone grows: one cone for each set of vanishing variables."""
    found: dict[frozenset[str], Cone] = {}
    for cone in regions:
        name = cone.name.replace(", n - m of order n", "").replace(", m of order n", "")
        fixed = _powers(x for x in cone.variables if x != T.name)
        found.setdefault(
            cone.zero, Cone(name, cone.variables, cone.zero, (variable(T.name),), fixed)
        )
    return tuple(found.values())
