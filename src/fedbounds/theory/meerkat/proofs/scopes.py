"""The vectors that the proofs speak of, and the random objects that each depends on.

A local step of one client: z is its direction, xi its noise; dev is what the estimate has more than
the masked stochastic gradient, and vanishes on average over z where differences are exact. A
round: k is a uniform client and s a uniform local step; the gradient of a local step depends on
the draws of the steps before it. In a round of one local step, all clients have one direction.
"""

from dataclasses import replace

import sympy as sp

from fedbounds.facts import Fact
from fedbounds.theory.checker.data import Scope
from fedbounds.theory.language.claims import Condition
from fedbounds.theory.language.symbols import n
from fedbounds.theory.proof.text import need

from .. import assumed
from ..scope_names import LOCAL, ONE_STEP, ROUND, SAMPLE, STOPPED_ROUND
from ..symbols import K_b, K_g, c, c_h, delta_1, delta_2, u_ratio

_DRAWN = ("past", "z", "xi")
A_STEP = Scope(
    sources=_DRAWN,
    atoms=(
        *((name, ("past",)) for name in ("y", "g", "mg")),
        *((name, ("past", "xi")) for name in ("noise", "mn")),
        ("dev", _DRAWN),
    ),
    derived=(("est", "mg + mn + dev"), ("after", "y - eta*est")),
    centred=(("dev", "z"), ("noise", "xi"), ("mn", "xi")),
    needs=(need(("noise", "mn"), Fact.NOISE), need(("dev",), assumed.EXACT)),
)

# of one sample: nothing is asked of the mean over samples
A_SAMPLE = replace(A_STEP, derived=(), centred=(), needs=(), atoms=(*A_STEP.atoms, ("est", _DRAWN)))

_OFTEN, _STEPS = (*_DRAWN, "k"), (*_DRAWN, "k", "s")
A_ROUND = Scope(
    sources=_STEPS,
    atoms=(
        ("w", ("past",)),
        ("w_star", ()),
        *((name, ("past", "k")) for name in ("g0", "mg0", "values")),
        *((name, ("k",)) for name in ("at_star", "lows", "best")),
        ("one", ()),
        *((name, _STEPS) for name in ("ys", "gs", "mgs", "ests")),
    ),
    derived=(
        ("reached", "w - eta*K*given(ests, past, z, xi, k)"),
        ("w_next", "w - eta*K*given(ests, past, z, xi)"),
    ),
)

# k before a vector: of kept clients; s: of stopped ones; c: of the local steps that are taken
A_STOPPED_ROUND = Scope(
    sources=_STEPS,
    atoms=(
        ("w", ("past",)),
        *((name, ("past", "k")) for name in ("g0", "mg0", "sg", "sg0", "smg0")),
        ("sfirst", _OFTEN),
        *((name, ("past", "k", "s")) for name in ("cg", "cmg0")),
        *((name, _STEPS) for name in ("cmgs", "cests", "away", "kgs", "kmgs", "kests")),
    ),
    derived=(("w_next", "w - eta*K*given(cests, past, z, xi)"),),
)

# one local step of every client, along one direction
A_ROUND_OF_ONE = Scope(
    sources=_OFTEN,
    atoms=(
        ("w", ("past",)),
        *((name, ("past", "k")) for name in ("g0", "mg0", "values")),
        *((name, ("past", "xi", "k")) for name in ("n0", "mn0")),
        ("at_star", ("k",)),
        ("one", ()),
        ("dev0", _OFTEN),
    ),
    derived=(
        ("first", "mg0 + mn0 + dev0"),
        ("w_next", "w - eta*given(first, past, z, xi)"),
    ),
    centred=(("dev0", "z"), ("n0", "xi"), ("mn0", "xi")),
    needs=(need(("n0", "mn0"), Fact.NOISE), need(("dev0",), assumed.EXACT)),
)

# shares and chances are at most 1, c_h too (B.3), and every client is kept or stopped
MEANT = (
    *(Condition(share, "<=", sp.Integer(1)) for share in (c, c_h, u_ratio, delta_1, delta_2)),
    Condition(K_b, "==", n - K_g),
)

SCOPES = {
    LOCAL: A_STEP,
    SAMPLE: A_SAMPLE,
    ROUND: A_ROUND,
    STOPPED_ROUND: A_STOPPED_ROUND,
    ONE_STEP: A_ROUND_OF_ONE,
}
