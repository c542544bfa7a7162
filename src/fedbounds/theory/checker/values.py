"""Linear expressions in quantities, with quotients of polynomials as coefficients."""

from dataclasses import dataclass

from .errors import Refused
from .ratios import Ratio, Ring

CONSTANT = ""


@dataclass(frozen=True, eq=False)
class Value:
    """Sum of coefficient times quantity; the constant part has the empty name."""

    ring: Ring
    terms: dict[str, Ratio]

    @staticmethod
    def of(ratio: Ratio) -> "Value":
        """A value without quantities."""
        return Value(ratio.ring, {} if ratio.is_zero() else {CONSTANT: ratio})

    @staticmethod
    def quantity(ring: Ring, name: str) -> "Value":
        """One quantity."""
        return Value(ring, {name: ring.number(1)})

    def __add__(self, other: "Value") -> "Value":
        found = dict(self.terms)
        for name, ratio in other.terms.items():
            found[name] = found[name] + ratio if name in found else ratio
        return Value(self.ring, {name: r for name, r in found.items() if not r.is_zero()})

    def __neg__(self) -> "Value":
        return Value(self.ring, {name: -ratio for name, ratio in self.terms.items()})

    def __sub__(self, other: "Value") -> "Value":
        return self + (-other)

    def __mul__(self, other: "Value") -> "Value":
        if self.is_plain():
            factor = self.plain()
            if factor.is_zero():  # no quantity is left, so that a zero multiplier shows
                return Value(self.ring, {})
            return Value(self.ring, {name: r * factor for name, r in other.terms.items()})
        if other.is_plain():
            return other * self
        raise Refused("a product of two measured quantities")

    def __truediv__(self, other: "Value") -> "Value":
        inverse = self.ring.number(1) / other.plain()
        return self * Value.of(inverse)

    def is_plain(self) -> bool:
        """Whether no quantity occurs."""
        return all(name == CONSTANT for name in self.terms)

    def plain(self) -> Ratio:
        """The value as a quotient of polynomials."""
        if not self.is_plain():
            told = ", ".join(sorted(self.terms))
            raise Refused(
                f"a measured quantity where none may stand: {told}; in Max, Min, roots and powers "
                "name a constant that bounds it"
            )
        return self.terms.get(CONSTANT, self.ring.number(0))
