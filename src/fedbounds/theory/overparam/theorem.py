"""Theorem IV.2, which is the hypothesis A of its proof."""

import sympy as sp

from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.claims import Claim, Condition, Part, Reading
from fedbounds.theory.language.symbols import n, t

from .linear import EVENT, SUPPOSED
from .names import EVERY, FEDAVG, SAMPLED
from .sizes import of_fewest, of_fewest_later, of_rounds, rate
from .symbols import R_2, S_least, S_most

_ALIKE = Condition(S_least, "==", S_most)
_ALL = Condition(S_least, "==", n)
_LATER = R_2(t + 1)


def _bound(
    name: str, algorithm: str, left: sp.Expr, right: sp.Expr, *conditions: Condition, first: int = 0
) -> Part:
    return Part(
        name=name, left=left, right=right, conditions=(*SUPPOSED, *conditions), assumptions=EVENT,
        algorithm=algorithm, first_round=first,
    )  # fmt: skip


def _of_loss(name: str, algorithm: str, *conditions: Condition) -> Part:
    """L(t) is at most a power of the factor, times L(0); all rounds are of one size."""
    power = (1 - rate(S_least)) ** (t + 1)
    return _bound(name, algorithm, _LATER, power * R_2(0), *conditions)


_ANY = _bound("any sequence", FEDAVG[0], _LATER, of_fewest() * R_2(0))
_PRODUCT = _bound("product", FEDAVG[0], _LATER, of_rounds() * R_2(0))
_EVERYONE = _of_loss("everyone", FEDAVG[0], _ALL)
_OF_ALL = Reading("every client in every round", parts=("everyone",))
THEOREM = Claim(
    entry("overparam/thm-iv.2"),
    algorithms=EVERY,
    parts=(
        _ANY,
        _PRODUCT,
        _bound("second", FEDAVG[0], of_rounds() * R_2(0), of_fewest() * R_2(0)),
        _bound("from 1", FEDAVG[0], R_2(t), of_fewest_later() * R_2(0), first=1),
        _of_loss("uniform", SAMPLED[0], _ALIKE),
        _EVERYONE,
    ),
    readings=(
        Reading(
            "any sequence, bound by min |S_i|; a start as in Lemma A.1, 1 or more in Omega",
            parts=("any sequence",),
        ),
        Reading("any sequence, bound by the product over rounds", parts=("product",)),
        Reading("the product is at most the power of min |S_i|", parts=("second",)),
        Reading("any sequence, the minimum over rounds 1 to t, as [t] is read elsewhere",
                parts=("from 1",)),
        Reading("clients drawn uniformly, in the mean", parts=("uniform",)),
        _OF_ALL,
    ),
)  # fmt: skip
LOSSES = Claim(
    entry("overparam/hyp-A"), algorithms=FEDAVG, parts=(_PRODUCT, _EVERYONE),
    readings=(
        Reading("any sequence; a start as in Lemma A.1, 1 or more in Omega", parts=("product",)),
        _OF_ALL,
    ),
)  # fmt: skip
CLAIMS = (THEOREM, LOSSES)
