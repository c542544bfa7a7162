"""Theorem B.9: the local steps of one client, which never sends; T counts them."""

import sympy as sp

from fedbounds.facts import Fact
from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.claims import Claim, Condition, Part, Reading
from fedbounds.theory.language.symbols import L, Max_t, Mean_t, T, eta, sigma2, t
from fedbounds.vocabulary import Index, Relation

from . import assumed
from .names import MEERKAT, SCORED
from .symbols import V_k, c, est_2, g_k2, lim_g2, mg_k2, noise_m2, u, u_ratio

# "an unbiased sparse zeroth-order gradient estimator"
_ASSUMED = (Fact.SMOOTH, Fact.NOISE, assumed.EXACT, assumed.SPARSE, assumed.SPARSE_SAMPLES)
READINGS = (
    Reading("u counts the coordinates of the mask, as Assumption B.6 has it", parts=("count",)),
    Reading("u is the density of the mask, as Section 2 has it", parts=("density",)),
)


def step_of(size: sp.Expr) -> Condition:
    """eta = 1/(L (u + 2))."""
    return Condition(eta, "==", 1 / (L * (size + 2)))


def _descent(name: str, size: sp.Expr) -> Part:
    alpha = L * c * (size + 2)
    return Part(
        name=name,
        left=V_k(t + 1),
        right=V_k(t) - c * eta / 2 * g_k2(t) + alpha / 2 * sigma2 * eta**2,
        index=Index.CLIENT,
        conditions=(step_of(size),),
        assumptions=_ASSUMED,
    )


EQ_6 = Claim(
    entry("meerkat/eq-6"),
    algorithms=MEERKAT,
    parts=(_descent("count", u), _descent("density", u_ratio)),
    readings=READINGS,
)


def _summed(name: str, size: sp.Expr) -> Part:
    return Part(
        name=name,
        left=Mean_t(g_k2(t)),
        right=2 * L * (size + 2) / (c * T) * V_k(0) + sigma2,
        index=Index.CLIENT,
        conditions=(step_of(size),),
        assumptions=_ASSUMED,
    )


EQ_7 = Claim(
    entry("meerkat/eq-7"),
    algorithms=MEERKAT,
    parts=(_summed("count", u), _summed("density", u_ratio)),
    readings=READINGS,
)

# an O hides constants; those of (7) stand in. The theorem's sigma^2 bounds the variance of the
# estimate, E ||estimate - m o grad f_k||^2; that of Assumption B.4 is of gradients of samples
_OF_ESTIMATE = Part(
    name="variance of the estimate",
    left=Mean_t(g_k2(t)),
    right=2 * L * (u + 2) / (c * T) * V_k(0) + Max_t(est_2(t) - mg_k2(t)),
    index=Index.CLIENT,
    conditions=(step_of(u),),
    assumptions=_ASSUMED,
)
ORDER = Claim(
    entry("meerkat/thm-b9"),
    algorithms=MEERKAT,
    parts=(_summed("count", u), _summed("density", u_ratio), _OF_ESTIMATE),
    readings=(
        *READINGS,
        Reading(
            "u counts coordinates, sigma^2 is the largest variance of the estimate, as the theorem "
            "and Table 2 have it", parts=(_OF_ESTIMATE.name,)
        ),
    ),
)  # fmt: skip

# ---- whole runs: what quantities tend to

WITHOUT_VARIANCE = Condition(sigma2, "==", sp.Integer(0))  # one label, of which a model is sure


def limit(
    name: str, left: sp.Expr, right: sp.Expr, relation: Relation, *conditions: Condition
) -> Part:
    """Of what is known of a whole run."""
    return Part(
        name=name,
        left=left,
        right=right,
        relation=relation,
        index=Index.RUN,
        conditions=(*conditions, step_of(u)),
        assumptions=(Fact.SMOOTH,),
        algorithm=SCORED[0],
    )


# of an upper bound follows neither that a norm oscillates nor that it falls; both can be looked at
_FALLS = Part(
    name="falls",
    left=g_k2(t + 1),
    right=g_k2(t),
    index=Index.CLIENT,
    conditions=(step_of(u), WITHOUT_VARIANCE),
    assumptions=_ASSUMED,
)
_VANISHES = limit("vanishes", lim_g2, sp.Integer(0), Relation.EQUAL, WITHOUT_VARIANCE)
# sigma_k^2 is a mean over the coordinates that are kept, as the displays with d_m have it
_STAYS = limit("stays", noise_m2 / (2 * u), lim_g2, Relation.AT_MOST)
DYNAMICS = Claim(
    entry("meerkat/norm-dynamics"),
    algorithms=(*MEERKAT, *SCORED),
    parts=(_FALLS, _VANISHES, _STAYS),
    readings=(
        Reading(
            "mean squared norms, of single runs nothing: to 0 without variance of samples, with it "
            "half of sigma_k^2 is kept",
            parts=("falls", "vanishes", "stays"),
        ),
        Reading("extreme Non-IID clients alone: they never grow", parts=("falls",)),
        Reading("extreme Non-IID clients alone: they tend to 0", parts=("vanishes",)),
        Reading("IID clients alone: they keep half of sigma_k^2", parts=("stays",)),
    ),
)

CLAIMS = (EQ_6, EQ_7, ORDER, DYNAMICS)
