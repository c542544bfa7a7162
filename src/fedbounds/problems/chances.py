"""Certified probabilities of counts, and what counting tells of a probability."""

from math import comb

from flint import arb, ctx, fmpq

from fedbounds.errors import require

_BITS = 256
_STEPS = 40  # halvings of an interval
_MOST = 10**5  # of what is counted


def binomial_tail(count: int, chance: arb, above: int) -> arb:
    """P(more than ``above`` of ``count`` independent events of that chance), as a ball.

    Examples
    --------
    >>> binomial_tail(2, arb(fmpq(1, 2)), 1).overlaps(arb(fmpq(1, 4)))
    True
    """
    require(0 <= count <= _MOST, "events that are counted", count, f"at most {_MOST}")
    if above >= count:
        return arb(0)
    if above < 0:
        return arb(1)
    before = ctx.prec
    ctx.prec = max(before, _BITS)
    try:
        return _between(count, chance, above + 1, count)
    finally:
        ctx.prec = before


def _between(count: int, chance: arb, first: int, last: int) -> arb:
    """P(from ``first`` to ``last`` of them), added up; the chance is below 1."""
    term = arb(comb(count, first)) * chance**first * (1 - chance) ** (count - first)
    total, odds = term, chance / (1 - chance)
    for many in range(first, last):
        term = term * odds * fmpq(count - many, many + 1)
        total += term
    found: arb = total
    return found


def largest_chance(seen: int, count: int, level: fmpq) -> fmpq:
    """Clopper and Pearson's bound: with a larger chance so few were seen with at most ``level``.

    Of ``count`` independent events, ``seen`` happened. The chance is above the bound returned with
    probability at most ``level``, whatever it is; every number of it is certified.
    """
    require(0 <= seen <= count and count >= 1, "events that were seen", seen, f"0 to {count}")
    if seen == count:
        return fmpq(1)
    low, high = fmpq(seen, count), fmpq(1)
    for _ in range(_STEPS):
        middle = (low + high) / 2
        few = _between(count, arb(middle), 0, seen)
        if bool(few <= arb(level)):
            high = middle
        else:
            low = middle
    return high
