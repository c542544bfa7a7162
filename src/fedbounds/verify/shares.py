"""How much of a theorem's slack each lemma loses on one instance."""

from dataclasses import dataclass
from functools import cache

from fedbounds.errors import FedboundsError
from fedbounds.theory.claims import Claim
from fedbounds.theory.slack import Loss, decompose

from .evaluate import Numbers, evaluate

_RESIDUE = 1e-14  # relative: what a loss with weight zero leaves by rounding
CLOSING = 1e-9  # relative: the losses must add up to the gap


@dataclass(frozen=True)
class Share:
    """One loss: its amount, and its part of right - left."""

    name: str
    amount: float
    share: float


@cache
def _losses(claim_id: str) -> tuple[Loss, ...]:
    from fedbounds.theory.registry import claim

    return decompose(claim(claim_id))


def shares(theorem: Claim, numbers: Numbers) -> tuple[Share, ...]:
    """Shares that add up to one, largest first.

    Raises
    ------
    FedboundsError
        If they do not add up: the decomposition or a measurement is wrong.
    """
    gap = float(evaluate(theorem.parts[0].gap, numbers))
    amounts = [(loss.name, float(evaluate(loss.amount, numbers))) for loss in _losses(theorem.id)]
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
