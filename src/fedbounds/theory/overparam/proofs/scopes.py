"""The vectors that the proofs speak of, and the random objects that each depends on.

A round of clients at random: S are the clients of the round, i is a uniform client and k a uniform
local step. On a schedule nothing is random; of a ReLU network, vectors are told apart as in (53).
"""

from dataclasses import replace

import sympy as sp

from fedbounds.theory.checker.data import Scope
from fedbounds.theory.language.claims import Condition
from fedbounds.theory.language.symbols import n

from ..names import BESIDE_SAMPLED, FEDAVG, RELU, RELU_SAMPLED, SAMPLED
from ..scope_names import (
    AT_RANDOM,
    BESIDE_LINEAR,
    LAYERS,
    LINEAR_AT_RANDOM,
    NEURONS,
    NEURONS_AT_RANDOM,
)
from ..symbols import P_max, P_min, S_least, lam, lam_max, s_max2, s_min2

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
OF_LINEARISED = replace(
    A_ROUND,
    atoms=(
        ("x_lin", ("past",)),
        ("fit", ()),
        *((name, ("past", "i")) for name in ("still", "z_end")),
        *((name, _STEPS) for name in ("zs", "gs_z", "lins_z")),
    ),
    derived=(
        ("zs_next", "zs - eta*gs_z"),
        ("after_z", "n/m*given(present(z_end), past, S)"),
    ),
    algorithm=BESIDE_SAMPLED[0],
)
_OF_CLIENTS = ("past", "i")
_BY_NEURONS = ("res_next", "by_gram", "by_local", "by_still", "perp", "flips")
OF_NEURONS = Scope(
    sources=_STEPS,
    atoms=(
        *((name, _OF_CLIENTS) for name in ("res", "res_s", *_BY_NEURONS)),
        ("xis", _STEPS),
    ),
    algorithm=RELU[0],
)  # fmt: skip
OF_NEURONS_AT_RANDOM = replace(
    OF_NEURONS,
    sources=("past", "S", "i"),
    atoms=(("res", _OF_CLIENTS), *((name, ("past", "S", "i")) for name in _BY_NEURONS)),
    algorithm=RELU_SAMPLED[0],
)
OF_LAYERS = Scope(
    sources=_STEPS,
    atoms=(
        *((name, _OF_CLIENTS) for name in ("res", "term_1", "term_2", "term_3", "term_4", "res_s")),
        ("xis", _STEPS),
    ),
    derived=(("res_next", "term_1 + term_2 + term_3 + term_4"),),
    algorithm=FEDAVG[0],
)
OF_BOTH = Scope(  # of a schedule, and of clients at random
    sources=("past", "S", "i", "k"),
    atoms=(
        *((name, ("past",)) for name in ("x", "x_lin")),
        *((name, ("past", "S")) for name in ("kept", "gained")),
        *((name, ("past", "S", "i")) for name in ("res_next", "lin_next", "still_next")),
        *((name, ("past", "S", "i", "k")) for name in ("bent", "pulled", "bowed")),
    ),
)

# clients of a round are at most all, and no fewer than in any; and least and largest eigenvalues
SIZE = sp.Symbol("S_size", integer=True, positive=True)
ORDERED = (
    Condition(SIZE, "<=", n), Condition(SIZE, ">=", S_least),
    *(Condition(x, "<=", y) for x, y in ((lam, lam_max), (P_min, P_max), (s_min2, s_max2))),
)  # fmt: skip

SCOPES = {
    AT_RANDOM: A_ROUND,
    NEURONS: OF_NEURONS,
    NEURONS_AT_RANDOM: OF_NEURONS_AT_RANDOM,
    LAYERS: OF_LAYERS,
    BESIDE_LINEAR: OF_BOTH,
    LINEAR_AT_RANDOM: OF_LINEARISED,
}
