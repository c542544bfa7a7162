"""Rational numbers above ln R, for step sizes tuned with it."""

from typing import Any

from flint import arb, fmpq

from fedbounds.errors import require
from fedbounds.problems.linear import rational


def check_logarithm(given: Any, rounds: int) -> None:
    """Raise unless a number is at least ln R, or none is given."""
    least = arb(rounds).log()
    fits = given is None or arb(rational(given)) >= least
    require(fits, "log_rounds", given, f"at least ln {rounds} = {least.str(9, radius=False)}")


def log_above(rounds: int) -> fmpq:
    """A rational number between ln R and ln R + 2^-16."""
    enclosed = arb(rounds).log() + arb(fmpq(1, 2**17))
    found = rational(float(enclosed))
    assert arb(found) > arb(rounds).log()
    return found
