"""Numbers of mask laws, by the names of their symbols."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from flint import arb, ctx, fmpq

from fedbounds.problems.linear import rational
from fedbounds.problems.masked_laws import Bernoulli, Law, Rolling
from fedbounds.problems.spectrum import square_root

_BITS = 512  # of roots that are not rational


def root(square: Any) -> fmpq | arb:
    """The root of a rational: exact where it is rational, else a ball."""
    found = square_root(square)
    if found.lower == found.upper:
        return found.lower
    with ctx.workprec(_BITS):
        return arb(rational(square)).sqrt()


def total(terms: Iterable[fmpq | arb]) -> fmpq | arb:
    """A sum of rationals and balls."""
    with ctx.workprec(_BITS):
        return sum(terms, fmpq(0))


def kept(law: Law) -> tuple[fmpq, ...] | None:
    """The p_i > 0 with E m_i = p_i 1; None if a client has none."""
    if isinstance(law, Bernoulli):
        return tuple(rational(p) for p in law.keep)
    shares = coverage(law)
    if (shares != shares[:, :1]).any() or (shares == 0).any():
        return None
    return tuple(row[0] for row in shares)


def coverage(law: Rolling) -> Any:
    """How often each client holds each coordinate, shape (n, d)."""
    counts = np.array(law.masks, dtype=object).sum(axis=1)
    return counts * fmpq(1, law.length)


def law_numbers(law: Law, other: Law | None) -> dict[str, fmpq | arb]:
    """Mean, spread and distance of the laws.

    Rolling masks, drawn uniformly, are random masks too: both names are given.
    """
    found: dict[str, fmpq | arb] = {}
    keep = kept(law)
    if isinstance(law, Rolling):
        held = coverage(law).sum(axis=0) / fmpq(law.clients)
        found |= {"S_sub": fmpq(law.length), "c_min": min(held), "c_max": max(held)}
    if keep is not None:
        for name in _names(law):
            found |= {f"{name}_mean": _mean(keep), f"{name}_spread": _spread(keep)}
            found |= {name: keep[0]} if len(set(keep)) == 1 else {}
    return found if other is None else found | _second(law, keep, other)


def _second(law: Law, keep: tuple[fmpq, ...] | None, other: Law) -> dict[str, fmpq | arb]:
    found: dict[str, fmpq | arb] = {}
    if isinstance(law, Rolling) and isinstance(other, Rolling) and law.length == other.length:
        found["mask_dist"] = _mask_distance(law, other)
    second = kept(other)
    if second is None:
        return found
    found |= {f"{name}_mean_2": _mean(second) for name in _names(other)}
    found |= {"p_2": second[0]} if len(set(second)) == 1 else {}
    if keep is not None:
        moves = [abs(a - b) for a, b in zip(keep, second, strict=True)]
        found["p_dist"] = _mean(moves)
        found["p_dist_2"] = sum((x * x for x in moves), fmpq(0))
    return found


def _names(law: Law) -> tuple[str, ...]:
    return ("p", "q") if isinstance(law, Rolling) else ("p",)


def _mean(numbers: Iterable[fmpq]) -> fmpq:
    listed = list(numbers)
    found: fmpq = sum(listed, fmpq(0)) / len(listed)
    return found


def _spread(keep: tuple[fmpq, ...]) -> fmpq | arb:
    with ctx.workprec(_BITS):
        return total(root(p * (1 - p)) for p in keep) / len(keep)


def _mask_distance(law: Rolling, other: Rolling) -> fmpq | arb:
    moved = np.array(law.masks, dtype=object) - np.array(other.masks, dtype=object)
    squares = (moved * moved).sum(axis=2).reshape(-1)
    with ctx.workprec(_BITS):
        return total(root(fmpq(int(x))) for x in squares) / len(squares)
