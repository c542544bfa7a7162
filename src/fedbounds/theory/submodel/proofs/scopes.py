"""The vectors that the proofs speak of, and the random objects that each depends on.

Where nothing is run, i is a uniform client and xi its mask (a uniform sub-model where masks roll).
"""

from fedbounds.facts import Fact
from fedbounds.theory.checker.data import Scope
from fedbounds.theory.proof.text import need

from .. import assumed

PAIR, POINT, POINT_ROLLING = "a pair", "a point", "a point, rolling masks"
MINIMISERS, STEP = "minimisers", "a projected step"
ONE, SAMPLE, COUPLED = "one client at a point", "a sample's step", "coupled runs"

_DRAWN = ("xi", "i")
_MASKED = tuple((name, _DRAWN) for name in ("mpv", "cpv", "pu", "mpu", "mpr"))

_A_PAIR = Scope(
    sources=_DRAWN,
    atoms=(("pv", ()), *_MASKED),
    derived=(("pr", "given(mpu)"),),
)


def _a_point(share: str, masks: str) -> Scope:
    """All p_i (q_i) alike: p grad F = grad F_p - E[m o u]."""
    return Scope(
        sources=_DRAWN,
        atoms=(("pv", ()), ("masked", ()), *_MASKED),
        derived=(("pr", "given(mpu)"), ("full", f"(masked - pr)/{share}")),
        needs=(need(("full",), masks, assumed.EQUAL_KEEP),),
    )


_ONE_CLIENT = Scope(
    sources=("xi",),
    atoms=(("pv", ()), ("g_own", ()), *((name, ("xi",)) for name, _ in _MASKED)),
    derived=(("pr", "given(mpu)"),),
)

_OF_QUADRATIC = ("quad", "diag", "slope")
_A_QUADRATIC = Scope(
    atoms=tuple((name, ()) for name in _OF_QUADRATIC),
    derived=(("full", "quad - slope"), ("masked", "p**2*quad + p*(1 - p)*diag - p*slope")),
    needs=(
        need(_OF_QUADRATIC, Fact.QUADRATIC),
        # E m_j m_l = p^2 for two entries of a mask
        need(("masked",), assumed.KEPT, assumed.BERNOULLI, assumed.EQUAL_KEEP),
    ),
)

_FIXED = ("opt", "opt_2", "opt_s", "gp_o", "gp_2", "gp_s", "gq_o", "gq_2", "gf_o", "gf_s")
_MINIMISERS = Scope(
    sources=("i",),
    atoms=(*((name, ()) for name in (*_FIXED, "one")), ("p_diff", ("i",))),
)

_A_STEP = Scope(
    atoms=tuple((name, ()) for name in ("at", "hat", "opt", "opt_s", "full", "masked")),
)

_A_SAMPLE = Scope(
    sources=("xi",),
    atoms=(("pv", ()), *((name, ("xi",)) for name in ("mpv", "pu", "mpu"))),
)

_RUNS = ("past", "xi", "i", "k")
_COUPLED = Scope(
    sources=_RUNS,
    atoms=(
        ("one", ()),
        ("apart", ("past",)),
        ("apart_new", ("past", "xi")),
        ("apart_own", ("past", "xi", "i")),
        ("pushed", _RUNS),
        ("loss_diff", ("past", "i")),
        ("loss_size", ("past", "i")),
    ),
)

QUADRATIC = "a point, quadratics"
SCOPES = {
    PAIR: _A_PAIR,
    POINT: _a_point("p", assumed.KEPT),
    POINT_ROLLING: _a_point("q", assumed.COVERAGE),
    QUADRATIC: _A_QUADRATIC,
    ONE: _ONE_CLIENT,
    MINIMISERS: _MINIMISERS,
    STEP: _A_STEP,
    SAMPLE: _A_SAMPLE,
    COUPLED: _COUPLED,
}
