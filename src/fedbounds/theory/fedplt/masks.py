"""Section 1.3 and what is said of Assumption 6: masks, attenuation, compensation, angles."""

import sympy as sp

from fedbounds.facts import Fact
from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.claims import Claim, Condition, Part, Reading
from fedbounds.theory.language.symbols import eta, t, tau
from fedbounds.theory.proof.vectors import given, past, sq, xi
from fedbounds.vocabulary import Index, Relation

from . import assumed
from .scope_names import CLIENT, CLIENT_ROUND, CLIENT_ROUND_FGD
from .symbols import U_coord, cos_1, cos_2, cos_3, cos_g, cos_m, d_k, psi_i, rho_k, sgn_3, w_i
from .vectors import W, Wk, anyv, gs, mv, ns

FEDPLT = ("FedPLT",)
_ZERO = sp.Integer(0)

# alpha_r^2 = min(1, d r), with d r = ||m_k||_0
ATTENUATION = sp.Min(sp.Integer(1), d_k, evaluate=False)

# a client with an empty mask trains nothing: m_k o v = 0 and alpha = 0
ALPHA = Claim(
    entry("fedplt/alpha"),
    algorithms=FEDPLT,
    parts=(
        # a vector with some of its entries is no longer than with all of them
        Part(
            left=sq(mv),
            right=ATTENUATION * sq(anyv),
            index=Index.CLIENT,
            trivial=sq(anyv),
            scopes=(CLIENT,),
        ),
    ),
)

# tau times the mean over the local steps s is their sum
_STOCHASTIC = tau * given(gs + ns, past, xi)
UPDATE_IDENTITY = Claim(
    entry("fedplt/update-identity"),
    algorithms=FEDPLT,
    parts=(
        Part(
            name="SGD",
            left=sq(Wk - W + eta * _STOCHASTIC),
            right=_ZERO,
            relation=Relation.EQUAL,
            index=Index.CLIENT,
            scopes=(CLIENT_ROUND,),
        ),
        Part(
            name="FGD",
            left=sq(Wk - W + eta * tau * given(gs, past)),
            right=_ZERO,
            relation=Relation.EQUAL,
            index=Index.CLIENT,
            assumptions=(Fact.NOISELESS,),
            scopes=(CLIENT_ROUND_FGD,),
        ),
    ),
)

# one coordinate that some client trains
COORDINATE_AVERAGE = Claim(
    entry("fedplt/coordinate-average"),
    algorithms=FEDPLT,
    parts=(
        Part(
            left=psi_i * U_coord(t),
            right=U_coord(t) / w_i,
            relation=Relation.EQUAL,
            conditions=(Condition(psi_i, "==", 1 / w_i),),
        ),
    ),
)


def _asserted(name: str, assumptions: tuple[str, ...]) -> Part:
    """cos theta_3 > 0, "the masked gradient is the projection of the gradient"."""
    return Part(
        name=name,
        left=sgn_3(t),
        right=sp.Integer(1),
        relation=Relation.EQUAL,
        index=Index.CLIENT,
        assumptions=assumptions,
    )


# times cos theta_1, which may vanish
ALIGNMENT_IDENTITY = Claim(
    entry("fedplt/alignment-identity"),
    algorithms=FEDPLT,
    parts=(
        Part(
            name="identity",
            left=rho_k * cos_g(t),
            right=cos_3 * cos_m(t),
            relation=Relation.EQUAL,
            index=Index.CLIENT,
            assumptions=(assumed.ALIGNED,),
        ),
        _asserted("sign", (assumed.ALIGNED,)),
        _asserted("sign, any mask", ()),
    ),
    readings=(
        Reading("the identity", parts=("identity",)),
        Reading("with cos theta_3 > 0, where Assumption 6 holds", parts=("sign",)),
        Reading("with cos theta_3 > 0 of every projection, harsh", parts=("sign, any mask",)),
    ),
)

# rho = cos theta_3 cos theta_2 / cos theta_1, whose two last cosines have one sign: cos_1 and cos_2
# are their sizes. Where both are negative, cos theta_2 > cos theta_1 says cos_2 < cos_1.
_RATIO = Condition(rho_k, "==", cos_3 * cos_2 / cos_1)
_MORE, _LESS = Condition(cos_2, ">=", cos_1), Condition(cos_2, "<=", cos_1)


def _compared(name: str, left: sp.Expr, right: sp.Expr, angles: Condition, both: str) -> Part:
    return Part(
        name=name,
        left=left,
        right=right,
        index=Index.RUN,
        conditions=(angles, _RATIO),
        assumptions=(assumed.ALIGNED, both),
    )


ALIGNMENT_INTERPRETATION = Claim(
    entry("fedplt/alignment-interpretation"),
    algorithms=FEDPLT,
    parts=(
        _compared("better", cos_3, rho_k, _MORE, assumed.ACUTE),
        _compared("worse", rho_k, cos_3, _LESS, assumed.ACUTE),
        _compared("better, both negative", cos_3, rho_k, _LESS, assumed.OBTUSE),
        _compared("worse, both negative", rho_k, cos_3, _MORE, assumed.OBTUSE),
    ),
    readings=(
        Reading(
            "both angles below 90 degrees",
            parts=("better", "worse"),
        ),
        Reading(
            "both angles above 90 degrees",
            parts=("better, both negative", "worse, both negative"),
        ),
    ),
)

CLAIMS = (
    ALPHA,
    UPDATE_IDENTITY,
    COORDINATE_AVERAGE,
    ALIGNMENT_IDENTITY,
    ALIGNMENT_INTERPRETATION,
)
