"""Quotients of polynomials as terms of Coq, their denominators in factors."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import lcm

from flint import fmpq

from fedbounds.theory.checker.ratios import Polynomial, Ratio, Ring
from fedbounds.theory.checker.values import CONSTANT, Value

from .terms import identifier


@dataclass(frozen=True)
class Quotients:
    """How the quotients of one branch are written.

    Attributes
    ----------
    further : dict from a further variable of the ring to its name
    atoms : dict from a key to the name of the quantity
    """

    ring: Ring
    further: Mapping[str, str]
    atoms: Mapping[str, str]

    def ratio(self, ratio: Ratio) -> str:
        """A quotient with whole coefficients: one number below, where there would be many."""
        coefficient, factors = ratio.below.factor()
        if any(self.ring.sign(one) != 1 for one, _ in factors):
            coefficient, factors = fmpq(1), [(ratio.below, 1)]
        common = lcm(*(int(c.q) for c in ratio.above.coeffs()))
        number = coefficient * common
        above = self.polynomial(ratio.above * common * number.q)
        found = [f"{self.polynomial(p)}" + (f" ^ {e}" if e > 1 else "") for p, e in factors]
        found = [str(number.p), *found] if number.p != 1 else found
        return f"({above} / ({' * '.join(found)}))" if found else above

    def value(self, value: Value) -> str:
        """A sum of quotients times quantities."""
        terms = []
        for key in sorted(value.terms):
            own = self.ratio(value.terms[key])
            terms.append(own if key == CONSTANT else f"{own} * {self.atoms[key]}")
        return f"({' + '.join(terms)})" if terms else "0"

    def polynomial(self, polynomial: Polynomial) -> str:
        """A polynomial, term by term."""
        terms = []
        for powers, coefficient in polynomial.terms():
            own = [
                self._name(name) + (f" ^ {power}" if power > 1 else "")
                for name, power in zip(self.ring.names, powers, strict=True)
                if power
            ]
            value = str(coefficient) if coefficient > 0 else f"({coefficient})"
            if coefficient != 1 or not own:
                own = [value if "/" not in value else f"({value})", *own]
            terms.append(" * ".join(own))
        if len(terms) == 1 and terms[0].isidentifier():
            return terms[0]
        return _sum(terms) if terms else "0"

    def _name(self, name: str) -> str:
        return self.further.get(name, identifier(name))


def _sum(terms: Sequence[str]) -> str:
    """A sum in halves: what Coq does with each of its parts then takes less time."""
    if len(terms) <= 4:
        return f"({' + '.join(terms)})"
    half = len(terms) // 2
    return f"({_sum(terms[:half])} + {_sum(terms[half:])})"
