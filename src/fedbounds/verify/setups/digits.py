"""Numbers of a long run in balls: few digits first, and more of them where these do not tell.

A number that is the difference of much larger ones loses as many digits as it is smaller. How many
a run will need is not known before; most need few, and thousands are slow.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from flint import arb, ctx

from fedbounds.theory.language.setups import Says

from ..measure.balls import BITS, enclosed
from ..measure.known import Known, MissingError

_SPARE = 64  # bits beyond what is wanted
FEWEST = BITS + _SPARE


@dataclass(eq=False)
class Digits:
    """Everything that is defined of a set-up, with as many digits as it takes.

    Attributes
    ----------
    most : int
        Bits of the arithmetic; what so many tell is taken as it is.
    make : function
        Everything that is defined, with so many.
    """

    most: int
    make: Callable[[int], Known]
    _known: dict[int, Known] = field(default_factory=dict)

    @property
    def first(self) -> Known:
        """With the fewest digits: names and the run are the same in all."""
        return self._at(FEWEST)

    @property
    def constants(self) -> Iterable[str]:
        """Names of the constants."""
        return self.first.constants

    @property
    def quantities(self) -> Iterable[str]:
        """Names of the quantities."""
        return self.first.quantities

    @property
    def given(self) -> Iterable[str]:
        """Names of quantities that are not measured on the run."""
        return self.first.given

    def constant(self, name: str) -> Any:
        """Value of a constant."""
        return self._told(lambda known: known.constant(name), _lost)

    def series(self, name: str) -> Any:
        """Value of a quantity in every round."""
        return self._told(lambda known: known.series(name), _lost)

    def products(self, node: Any) -> Any:
        """Value of a product of vectors in every round."""
        return self._told(lambda known: known.products(node), _lost)

    def holds(self, says: Says) -> tuple[bool | None, str]:
        """Whether a statement holds, and why it does not."""
        found: tuple[bool | None, str] = self._told(
            lambda known: known.holds(says), lambda told: 0 if told[0] else self.most
        )
        return found

    def broken(self, says: Says) -> str:
        """Where a statement fails; empty if it holds."""
        found: str = self._told(
            lambda known: known.broken(says), lambda told: self.most if told else 0
        )
        return found

    def _told(self, ask: Callable[[Known], Any], lost: Callable[[Any], int]) -> Any:
        """What is asked, with more digits as long as too many of them are lost.

        Whatever was asked before: what is told of a run does not depend on that.
        """
        bits = FEWEST
        while bits < self.most:
            with ctx.workprec(bits):
                try:
                    found = ask(self._at(bits))
                    gone = lost(found)
                except MissingError:  # it may be for want of digits
                    gone = self.most
            if bits - gone >= BITS:
                return found
            if gone > self.most:  # nothing is told, not even how much is lost: it may be 0
                bits *= 4
            else:
                bits = max(2 * bits, FEWEST << ((BITS + gone + _SPARE) // FEWEST).bit_length())
        with ctx.workprec(self.most):
            return ask(self._at(self.most))

    def _at(self, bits: int) -> Known:
        if bits not in self._known:
            with ctx.workprec(bits):
                self._known[bits] = self.make(bits)
        return self._known[bits]


def _lost(told: Any) -> int:
    """Of the digits of the arithmetic, how many are not in some of these numbers."""
    every = np.asarray(enclosed(told), dtype=object).flat
    known = (_known(x) for x in every if isinstance(x, arb) and not x.is_exact())
    return int(ctx.prec) - min(known, default=int(ctx.prec))


def _known(ball: arb) -> int:
    """Digits from its first one; from the point where it is large, as differences may be small."""
    size = 0
    if ball.is_finite():
        mantissa, exponent = ball.mid().man_exp()
        size = max(0, int(mantissa).bit_length() + int(exponent))
    return int(ball.rel_accuracy_bits()) - size
