"""How much of a theorem's slack each lemma loses on an instance, and which term rules its bound."""

from dataclasses import dataclass, replace
from functools import cache, singledispatch
from typing import Any

import numpy as np

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.claims import Claim
from fedbounds.theory.language.slack import Loss, decompose, round_weights
from fedbounds.theory.language.symbols import T, quantities_in, t

from ..measure.evaluate import Numbers, evaluate, whole
from ..measure.lazily import together

_RESIDUE = 1e-14  # relative: what a loss with weight zero leaves by rounding
_VISIBLE = 1e-6  # of the gap
CLOSING = 1e-9  # relative: the losses must add up to the gap


@dataclass(frozen=True)
class Share:
    """One loss: its amount, and its part of right - left."""

    name: str
    amount: float
    share: float


@singledispatch
def shares_of(setup: Any, judgement: Any, numbers: Numbers) -> tuple[Share, ...]:
    """Shares of a set-up that a plan prepared; none unless its plan registers how."""
    return ()


@cache
def _losses(claim_id: str) -> tuple[Loss, ...]:
    from fedbounds.theory.language.registry import claim

    return decompose(claim(claim_id))


def shares(theorem: Claim, numbers: Numbers) -> tuple[Share, ...]:
    """Shares that add up to one, largest first.

    Raises
    ------
    FedboundsError
        If they do not add up: the decomposition or a measurement is wrong.
    """
    gap = float(evaluate(theorem.parts[0].gap, numbers))
    weighted = with_weights(theorem, numbers)
    amounts = [(loss.name, float(amount_of(loss, weighted))) for loss in _losses(theorem.id)]
    total = sum(amount for _, amount in amounts)
    size = sum(abs(amount) for _, amount in amounts)
    if abs(total - gap) > CLOSING * max(size, abs(gap)):
        raise FedboundsError(
            f"the losses of {theorem.id} add up to {total!r}, but right - left is {gap!r}"
        )
    found = [
        Share(name, amount, amount / gap)
        for name, amount in amounts
        if abs(amount) > _RESIDUE * size
    ]
    return tuple(sorted(found, key=lambda share: -share.share))


def told_shares(theorem: Claim, numbers: Numbers) -> tuple[Share, ...]:
    """The same; none where what rounding may have done to quantities moves a share visibly."""
    found = shares(theorem, numbers)
    errors = numbers.errors
    named = quantities_in(theorem.parts[0].gap).union(
        *(quantities_in(loss.amount) for loss in _losses(theorem.id))
    )
    known = ((x, numbers.series[x]) for x in sorted(named) if x in numbers.series)
    off = {x: y + errors[x] if x in errors else y for x, y in known}
    other = {one.name: one.share for one in shares(theorem, replace(numbers, series=off))}
    moved = max(abs(one.share - other.get(one.name, 0.0)) for one in found)
    return found if moved <= _VISIBLE else ()


def with_weights(theorem: Claim, numbers: Numbers) -> Numbers:
    """The numbers, with the theorem's weights per round among the series."""
    own = {}
    for name, weight in round_weights(theorem).items():
        rounds = range(whole(numbers.constants[T.name]) + 1)
        at = ({**numbers.constants, t.name: numbers.rational(r, 1)} for r in rounds)
        own[name] = np.array([evaluate(weight, Numbers(c, {}, numbers.rational)) for c in at])
    return replace(numbers, series=together(own, numbers.series))


def amount_of(loss: Loss, weighted: Numbers) -> Any:
    """The loss on one instance, from the numbers of `with_weights`."""
    if loss.rounds is None:
        return evaluate(loss.amount, weighted)
    first, stop = (whole(evaluate(end, weighted)) for end in loss.rounds)
    if first >= stop:
        return weighted.rational(0, 1)
    amounts = evaluate(loss.amount, weighted, range(first, stop))
    return amounts.sum() / weighted.constants[T.name]


def regime_of(claim: Claim, numbers: Numbers) -> str:
    """Name of the term that is the largest of the bound; empty for a claim that names none."""
    if not claim.regimes:
        return ""
    return max(claim.regimes, key=lambda regime: evaluate(regime[1], numbers))[0]
