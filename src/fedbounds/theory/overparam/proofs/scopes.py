"""The vectors that the proofs speak of, and the random objects that each depends on.

A round of clients at random: S are the clients of the round, i is a uniform client and k a uniform
local step.
"""

from fedbounds.theory.checker.data import Scope

from ..names import SAMPLED
from ..scope_names import AT_RANDOM

_STEPS = ("past", "i", "k")
A_ROUND = Scope(
    sources=("past", "S", "i", "k"),
    atoms=(
        ("x", ("past",)),
        ("star", ()),
        *((name, ("past", "i")) for name in ("res", "y")),
        *((name, _STEPS) for name in ("ys", "gs", "xis")),
    ),
    derived=(
        ("ys_next", "ys - eta*gs"),
        ("after", "n/m*given(present(y), past, S)"),
    ),
    sampled=True,
    algorithm=SAMPLED[0],
)

SCOPES = {AT_RANDOM: A_ROUND}
