"""Numbers that break a step of a proof, as a lead: there a search looks for the like on runs."""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from fedbounds.theory.language.claims import Claim, Reading, read
from fedbounds.theory.language.sought import Counts
from fedbounds.theory.proof.replay import Local, Replayed, rested_on
from fedbounds.theory.proof.status import is_of

from ..measure.evaluate import Numbers

_MOST = 3  # leads of a reading, the steps of the claim itself first
_CALL = re.compile(r"(\w+)\((\d+)(?:,\d+)*\)")


@dataclass(frozen=True)
class Lead:
    """What breaks a step on which a claim rests, while all holds that the step cites.

    Attributes
    ----------
    step : str
        Its id.
    numbers : tuple of pairs
        Values of constants, n and K among them.
    sizes : tuple of triples
        A quantity, how many rounds after the first that is spoken of, and its value.
    """

    step: str
    numbers: tuple[tuple[str, Fraction], ...]
    sizes: tuple[tuple[str, int, Fraction], ...]

    @property
    def quantities(self) -> frozenset[str]:
        """Of whose sizes it speaks."""
        return frozenset(name for name, _, _ in self.sizes)

    @property
    def has_shares(self) -> bool:
        """Whether some of its sizes are compared: one alone has no share."""
        return len(self.sizes) > 1


def leads_of(steps: Sequence[Replayed], claim: Claim, reading: Reading) -> tuple[Lead, ...]:
    """Of the failed steps on which a reading rests, those of its own parts first."""
    parts = read(claim, reading)
    own = {
        step.written.id
        for step in steps
        if step.written.claim == claim.id and any(is_of(step, claim, reading, x) for x in parts)
    }
    wanted = rested_on(steps, own)
    found = [
        _lead(step.written.id, step.numbers)
        for step in sorted(steps, key=lambda step: step.written.id not in own)
        if step.written.id in wanted and step.local is not Local.PROVED and step.numbers
    ]
    return tuple(found[:_MOST])


def _lead(step: str, given: Iterable[tuple[str, str]]) -> Lead:
    values = dict(_numbers(given))
    first = int(values.get("t", Fraction(0)))
    calls = [(match, value) for name, value in values.items() if (match := _CALL.fullmatch(name))]
    sizes = [(call[1], int(call[2]) - first, value) for call, value in calls]
    least = min((after for _, after, _ in sizes), default=0)
    return Lead(
        step,
        tuple((name, value) for name, value in values.items() if name.isidentifier()),
        tuple((name, after - least, value) for name, after, value in sizes),
    )


def _numbers(given: Iterable[tuple[str, str]]) -> Iterator[tuple[str, Fraction]]:
    """Those that are rational; a vector is told in words."""
    for name, value in given:
        with suppress(ValueError):
            yield name, Fraction(value)


def nearest(lead: Lead, every: Sequence[Counts]) -> int:
    """The number of the counts that have most in common with it, the first of several."""
    known = dict(lead.numbers)
    return max(
        range(len(every)),
        key=lambda at: sum(known.get(name) == value for name, value in every[at].items()),
    )


def distance(lead: Lead, numbers: Numbers) -> float:
    """From 0 to 1: how unlike the sizes are where they are most alike.

    Half the sum of the differences of shares, in the round, for the client and in the local step
    where that is least; 1 where it cannot be told.
    """
    if not lead.has_shares:
        return 0.0
    rows = []
    for name, after, _ in lead.sizes:
        if name not in numbers.series:
            return 1.0
        rows.append(np.asarray(numbers.series[name], dtype=np.float64)[..., after:])
    rounds = min(row.shape[-1] for row in rows)
    own = np.stack(np.broadcast_arrays(*(row[..., :rounds] for row in rows)), axis=-1)
    wanted = np.array([float(value) for _, _, value in lead.sizes])
    with np.errstate(all="ignore"):  # where all are 0 there are no shares
        shares = own / np.abs(own).sum(axis=-1, keepdims=True)
        apart = np.abs(shares - wanted / np.abs(wanted).sum()).sum(axis=-1) / 2
    return float(np.nanmin(apart, initial=1.0))
