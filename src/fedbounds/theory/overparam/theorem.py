"""Theorem IV.2, which is the hypothesis A of its proof."""

from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.claims import Claim, Condition, Part, Reading
from fedbounds.theory.language.symbols import n, t

from .linear import EVENT, SUPPOSED
from .names import EVERY, FEDAVG, SAMPLED
from .sizes import rate
from .symbols import R_2, S_least, S_most

_ALIKE = Condition(S_least, "==", S_most)
_ALL = Condition(S_least, "==", n)


def _of_loss(name: str, algorithm: str, *conditions: Condition) -> Part:
    """(19): L(t) is at most a power of the factor, times L(0)."""
    return Part(
        name=name, left=R_2(t + 1), right=(1 - rate(S_least)) ** (t + 1) * R_2(0),
        conditions=(*SUPPOSED, *conditions), assumptions=EVENT, algorithm=algorithm,
    )  # fmt: skip


_PARTS = (
    _of_loss("any sequence", FEDAVG[0]),
    _of_loss("uniform", SAMPLED[0], _ALIKE),
    _of_loss("everyone", FEDAVG[0], _ALL),
)
_READINGS = (
    Reading(
        "any sequence, bound by min |S_i|; a start as in Lemma A.1, 1 or more in Omega",
        parts=("any sequence",),
    ),
    Reading("clients drawn uniformly, in the mean", parts=("uniform",)),
    Reading("every client in every round", parts=("everyone",)),
)
THEOREM = Claim(entry("overparam/thm-iv.2"), algorithms=EVERY, parts=_PARTS, readings=_READINGS)
LOSSES = Claim(
    entry("overparam/hyp-A"), algorithms=FEDAVG, parts=(_PARTS[0], _PARTS[2]),
    readings=(_READINGS[0], _READINGS[2]),
)  # fmt: skip
CLAIMS = (THEOREM, LOSSES)
