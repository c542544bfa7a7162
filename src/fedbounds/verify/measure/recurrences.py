"""All T at once: a quantity under a constant step is a linear recurrence, found on exact values.

Where moments follow m+ = R m with N of them, c'm is a recurrence of order N at most, so 2N values
determine it (Berlekamp and Massey): that is a proof, not a fit. Its sign for every later round
follows from its dominant root and finitely many values.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from flint import acb, acb_mat, arb, ctx, fmpq, fmpq_poly

from .unknowns import Refused

MOST_ORDER = 64
_BITS = 512
_MOST_ROUNDS = 100_000  # that may have to be looked at before the dominant root decides


@dataclass(frozen=True)
class Recurrence:
    """q_{t+N} = sum over j of coefficients[j] q_{t+j}, from its first N values.

    Attributes
    ----------
    coefficients, first : tuples of N rationals
    """

    coefficients: tuple[fmpq, ...]
    first: tuple[fmpq, ...]

    @property
    def order(self) -> int:
        """N."""
        return len(self.first)


def recurrence(values: Sequence[fmpq], most: int) -> Recurrence:
    """The shortest recurrence of exact values, known to have one of order ``most`` at most.

    Raises
    ------
    Refused
        If there are fewer than 2 ``most`` values, or more than `MOST_ORDER` would be needed.
    """
    if most > MOST_ORDER:
        raise Refused(f"a recurrence of order up to {most}; at most {MOST_ORDER} are looked for")
    if len(values) < 2 * most:
        raise Refused(f"{len(values)} values; a recurrence of order {most} needs {2 * most}")
    # connection polynomial 1 + c_1 x + ..., and the one before the order last grew
    current, previous = [fmpq(1)], [fmpq(1)]
    length, shift, old = 0, 1, fmpq(1)
    for at, value in enumerate(values):
        own = (c * values[at - j] for j, c in enumerate(current) if j)
        rest = value + sum(own, fmpq(0))
        if not rest:
            shift += 1
            continue
        corrected = _less(current, previous, rest / old, shift)
        if 2 * length <= at:
            length, previous, old, shift = at + 1 - length, current, rest, 0
        current = corrected
        shift += 1
    padded = [*current, *[fmpq(0)] * (length + 1 - len(current))]
    return Recurrence(tuple(-padded[length - j] for j in range(length)), tuple(values[:length]))


def _less(left: list[fmpq], right: list[fmpq], factor: fmpq, shift: int) -> list[fmpq]:
    """left - factor x^shift right."""
    found = [*left, *[fmpq(0)] * max(0, len(right) + shift - len(left))]
    for at, value in enumerate(right):
        found[at + shift] -= factor * value
    while len(found) > 1 and not found[-1]:
        found.pop()
    return found


@dataclass(frozen=True)
class Sign:
    """Where a recurrence is negative.

    Attributes
    ----------
    negative_at : int or None
        The first round; None if it is never negative.
    looked_at : int
        Rounds whose values were looked at; after them the dominant root decides.
    """

    negative_at: int | None
    looked_at: int


def sign(of: Recurrence) -> Sign:
    """Whether a recurrence is ever negative, for all rounds.

    Raises
    ------
    Refused
        If no single real positive root dominates, or its reach is too long.
    """
    if of.order == 0:
        return Sign(None, 0)
    if not of.coefficients[0]:  # a root 0 tells of the first value only
        if of.first[0] < 0:
            return Sign(0, 1)
        later = sign(_later(of))
        negative = later.negative_at
        return Sign(None if negative is None else negative + 1, later.looked_at + 1)
    with _precision():
        parts = _parts(of)
        lead = _leading(parts)
        height = lead.weight.real
        if bool(height < 0):
            return _first_negative(of, _MOST_ROUNDS)
        if not bool(height > 0):
            raise Refused("the dominant part may vanish: the sign for all rounds is open")
        return _first_negative(of, _settled(lead, [part for part in parts if part is not lead]))


def _later(of: Recurrence) -> Recurrence:
    """The same from the next round on, where a root is 0: of one order less."""
    return Recurrence(of.coefficients[1:], of.first[1:])


@dataclass(frozen=True, eq=False)
class _Part:
    """weight t^power root^t; the recurrence is a sum of such parts."""

    weight: acb
    power: int
    root: acb


def _leading(parts: Sequence[_Part]) -> _Part:
    """The part that outgrows all others.

    Raises
    ------
    Refused
        If it is not that of a positive root.
    """
    top = max(parts, key=lambda part: (float(abs(part.root).mid()), part.power))
    for other in parts:
        same = other.root is top.root
        if not same and not bool(abs(other.root) < abs(top.root)):
            raise Refused("no single positive root dominates: the sign for all rounds is open")
    if not top.root.imag.contains(0) or not bool(top.root.real > 0):
        raise Refused("no single positive root dominates: the sign for all rounds is open")
    return top


def _settled(lead: _Part, others: Sequence[_Part]) -> int:
    """From which round on the leading part exceeds the sum of the sizes of all others."""
    t = 1
    while t <= _MOST_ROUNDS:
        if all(_falls(part, lead, t) for part in others):
            shares = (_share(part, lead, t) for part in others)
            if bool(sum(shares, arb(0)) < lead.weight.real):
                return t
        t *= 2
    raise Refused(f"the dominant root decides only after {_MOST_ROUNDS} rounds")


def _share(part: _Part, lead: _Part, t: int) -> arb:
    """Size of a part at t, divided by t^power root^t of the leading one."""
    ratio = abs(part.root) / abs(lead.root) if part.root is not lead.root else arb(1)
    return abs(part.weight) * arb(t) ** (part.power - lead.power) * ratio**t


def _falls(part: _Part, lead: _Part, t: int) -> bool:
    """Whether that share does not grow from t on."""
    degree = part.power - lead.power
    if degree <= 0:
        return True
    ratio = abs(part.root) / abs(lead.root)
    return bool(arb(degree) < -ratio.log() * t)  # the derivative of t^degree ratio^t


def _first_negative(of: Recurrence, count: int) -> Sign:
    """Among so many rounds; a value that a ball cannot tell is decided in rationals."""
    window = [arb(x) for x in of.first]
    exact = list(of.first)
    own = [arb(c) for c in of.coefficients]
    for t in range(count + 1):
        value = window[t] if t < of.order else None
        if value is None:
            value = sum((c * x for c, x in zip(own, window[-of.order :], strict=True)), arb(0))
            window.append(value)
        if bool(value < 0):
            return Sign(t, t + 1)
        if not bool(value >= 0) and _exact(of, exact, t) < 0:
            return Sign(t, t + 1)
    return Sign(None, count + 1)


def _exact(of: Recurrence, known: list[fmpq], t: int) -> fmpq:
    """Value t in rationals."""
    while len(known) <= t:
        last = known[-of.order :]
        known.append(sum((c * x for c, x in zip(of.coefficients, last, strict=True)), fmpq(0)))
    return known[t]


def _parts(of: Recurrence) -> list[_Part]:
    """The sum of powers that a recurrence without a root 0 is."""
    polynomial = fmpq_poly([*(-c for c in of.coefficients), fmpq(1)])
    found: Any = polynomial.numer().complex_roots()  # pairs of a root and its multiplicity
    terms = [(root, power) for root, count in found for power in range(int(count))]
    size = of.order
    rows = [[arb(t) ** power * root**t for root, power in terms] for t in range(size)]
    matrix = acb_mat(size, size, [x for row in rows for x in row])
    weights = matrix.solve(acb_mat(size, 1, [acb(x) for x in of.first]))
    return [_Part(weights[j, 0], power, root) for j, (root, power) in enumerate(terms)]


class _precision:
    """Bits of balls for a while."""

    def __enter__(self) -> None:
        self._before = ctx.prec
        ctx.prec = _BITS

    def __exit__(self, *_: object) -> None:
        ctx.prec = self._before
