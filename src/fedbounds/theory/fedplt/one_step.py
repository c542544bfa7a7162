"""Steps 1 to 4.2: one step from W^t with gradients at W_1^t, ..., W_n^t."""

from dataclasses import replace

import sympy as sp

from fedbounds.facts import Fact
from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.claims import Claim, Condition, Part, Reading
from fedbounds.theory.language.symbols import D_W, L, eta, mu, sigma2, t, tau
from fedbounds.theory.proof.vectors import given, ip, past, sq, xi
from fedbounds.vocabulary import Index, Relation

from . import assumed
from .masks import FEDPLT
from .scope_names import CLIENT, CLIENT_ROUND, ROUND, STEP
from .symbols import (
    A_1,
    A_2,
    A_3,
    A_21,
    A_22,
    D_1,
    F_att,
    F_opt,
    F_own,
    F_raw,
    Gamma,
    Gamma_2,
    alpha_k,
    b_rho,
    c_k,
    norm_g,
    norm_x,
    psi_inf,
    psi_max,
    psi_min,
    psi_sup,
    rho_min,
)
from .vectors import (
    D,
    Db,
    W,
    Wk,
    Wstar,
    adelta,
    aUb,
    delta,
    g,
    mdelta,
    mg,
    mUb,
    ns,
    pmg,
    rg,
    sadelta,
    smdelta,
)

NOISE = (Fact.NOISE,)
INDEPENDENT = (Fact.NOISE, Fact.INDEPENDENT)
SMOOTH = (Fact.SMOOTH,)
ALIGNED = (Fact.STRONGLY_CONVEX, assumed.ALIGNED)
SEVERAL = Condition(tau, ">=", sp.Integer(2))


# psi_i is any real number where nobody trains i, and Steps 3 and 4.2 take extremes over all i
FREE_PSI = "psi over all coordinates, free values among them, harsh"


def with_free_psi(part: Part, least: sp.Expr = psi_inf) -> Part:
    """The part, with extremes of psi over all coordinates."""

    def over_all(side: sp.Expr) -> sp.Expr:
        return side.subs({psi_max: psi_sup, psi_min: least})

    conditions = tuple(
        replace(c, left=over_all(c.left), right=over_all(c.right)) for c in part.conditions
    )
    name = f"{part.name}, free psi"
    left, right = over_all(part.left), over_all(part.right)
    return replace(part, name=name, left=left, right=right, conditions=conditions)


EXPANSION = Claim(
    entry("fedplt/expansion"),
    algorithms=FEDPLT,
    parts=(Part(left=D_1(t), right=A_1(t) + A_2(t) + A_3(t), relation=Relation.EQUAL),),
)

A3_ZERO = Claim(
    entry("fedplt/A3-zero"),
    algorithms=FEDPLT,
    parts=(
        Part(
            name="A_3",
            left=A_3(t),
            right=sp.Integer(0),
            relation=Relation.EQUAL,
            assumptions=NOISE,
        ),
        Part(
            name="sum",
            left=D_1(t),
            right=A_1(t) + A_2(t),
            relation=Relation.EQUAL,
            assumptions=NOISE,
        ),
        # Delta and its mean are the sums over the tau local steps of the round
        Part(
            name="round",
            left=2 * ip(D - Db, W - Wstar + Db),
            right=sp.Integer(0),
            relation=Relation.EQUAL,
            conditions=(SEVERAL,),
            assumptions=NOISE,
            scopes=(ROUND,),
        ),
    ),
    readings=(
        Reading("one virtual step", parts=("A_3", "sum")),
        Reading("a round of tau local steps", parts=("round",)),
    ),
)

_MEAN = given(mdelta, past, xi)
A1_TERM = Claim(
    entry("fedplt/A1-term"),
    algorithms=FEDPLT,
    parts=(
        Part(name="a", left=sq(D - Db), right=psi_max**2 * sq(_MEAN), scopes=(STEP,)),
        Part(
            name="b",
            left=sq(_MEAN),
            right=ip(smdelta, mdelta),
            assumptions=INDEPENDENT,
            scopes=(STEP,),
        ),
        Part(name="c", left=ip(smdelta, mdelta), right=ip(sadelta, adelta), scopes=(STEP,)),
        Part(
            name="d",
            left=sq(delta),
            right=eta**2 * sigma2,
            index=Index.CLIENT,
            assumptions=NOISE,
            scopes=(CLIENT,),
        ),
        Part(
            name="e",
            left=A_1(t),
            right=eta**2 * sigma2 * psi_max**2 * Gamma_2,
            assumptions=INDEPENDENT,
        ),
        Part(
            name="b, dependent clients",
            left=sq(_MEAN),
            right=ip(smdelta, mdelta),
            assumptions=NOISE,
            scopes=(STEP,),
        ),
        Part(
            name="e, dependent clients",
            left=A_1(t),
            right=eta**2 * sigma2 * psi_max**2 * Gamma_2,
            assumptions=NOISE,
        ),
        # Delta^t = W^{t+1} - W^t: delta_k^t is -eta times the sum of the noises of tau local steps
        Part(
            name="d, round",
            left=sq(eta * tau * given(ns, past, xi)),
            right=eta**2 * sigma2,
            index=Index.CLIENT,
            conditions=(SEVERAL,),
            assumptions=NOISE,
            scopes=(CLIENT_ROUND,),
        ),
        Part(
            name="e, round",
            left=sq(D - Db),
            right=eta**2 * sigma2 * psi_max**2 * Gamma_2,
            conditions=(SEVERAL,),
            assumptions=INDEPENDENT,
            scopes=(ROUND,),
        ),
    ),
    readings=(
        Reading("noise independent over clients", parts=("a", "b", "c", "d", "e")),
        Reading(
            "noise dependent over clients",
            parts=("b, dependent clients", "e, dependent clients"),
        ),
        Reading("a round of tau local steps", parts=("d, round", "e, round")),
    ),
)

A2_EXPANSION = Claim(
    entry("fedplt/A2-expansion"),
    algorithms=FEDPLT,
    parts=(Part(left=A_2(t), right=D_W(t) + A_21(t) + A_22(t), relation=Relation.EQUAL),),
)

A21 = Claim(
    entry("fedplt/A2.1"),
    algorithms=FEDPLT,
    parts=(
        Part(name="a", left=sq(Db), right=psi_max**2 * sq(mUb), scopes=(STEP,)),
        Part(name="b", left=psi_max**2 * sq(mUb), right=psi_max**2 * sq(aUb), scopes=(STEP,)),
        Part(
            name="c",
            left=sq(g),
            right=2 * L * F_own(t),
            index=Index.CLIENT,
            assumptions=SMOOTH,
            scopes=(CLIENT,),
        ),
        Part(
            name="d",
            left=A_21(t),
            right=2 * L * eta**2 * psi_max**2 * F_att(t),
            assumptions=SMOOTH,
        ),
        # the mean of Delta^t is a sum over tau local steps, W_k^t the model after them
        Part(
            name="d, round",
            left=sq(Db),
            right=2 * L * eta**2 * psi_max**2 * F_att(t),
            conditions=(SEVERAL,),
            assumptions=SMOOTH,
            scopes=(ROUND,),
        ),
    ),
    readings=(
        Reading("one virtual step", parts=("a", "b", "c", "d")),
        Reading("a round of tau local steps", parts=("d, round",)),
    ),
)

# ---- Step 4.2: psi o (c_k m_k o Ub_k) = -eta c_k pmg

_NEAR, _FAR = W - Wk, Wk - Wstar

A22_SPLIT = Claim(
    entry("fedplt/A2.2-split"),
    algorithms=FEDPLT,
    parts=(
        Part(
            left=A_22(t),
            right=2 * (-eta * ip(_NEAR, pmg) - eta * ip(_FAR, pmg)),
            relation=Relation.EQUAL,
            scopes=(STEP,),
        ),
    ),
)

_BY_CLIENT = -eta * c_k * ip(_NEAR, pmg)
_SCALED = (eta * psi_max * alpha_k) ** 2
A22_PART1 = Claim(
    entry("fedplt/A2.2-part1"),
    algorithms=FEDPLT,
    parts=(
        Part(
            name="a",
            left=_BY_CLIENT,
            right=psi_max * eta * c_k * alpha_k * norm_g * norm_x,
            index=Index.CLIENT,
            scopes=(CLIENT,),
        ),
        Part(
            name="b",
            left=norm_x * psi_max * alpha_k * norm_g,
            right=norm_x**2 / eta + eta * (psi_max * alpha_k) ** 2 * norm_g**2,
            index=Index.RUN,
        ),
        Part(
            name="c",
            left=_BY_CLIENT,
            right=c_k * (sq(_NEAR) + _SCALED * sq(g)),
            index=Index.CLIENT,
            scopes=(CLIENT,),
        ),
        Part(
            name="d",
            left=_BY_CLIENT,
            right=c_k * (sq(_NEAR) + _SCALED * L * F_own(t)),
            index=Index.CLIENT,
            assumptions=SMOOTH,
            scopes=(CLIENT,),
        ),
    ),
)

# summed over the clients: sum_k c_k b_k = EXCESS
EXCESS = F_opt(t) + mu / 2 * sq(_FAR)
_PART2 = -eta * ip(_FAR, pmg)
_PART2_MASKED = -eta * psi_min * ip(_FAR, mg)
_PART2_ALIGNED = -eta * psi_min * ip(rg, _FAR)
_PART2_LAST = Part(
    name="d",
    left=_PART2,
    right=-eta * psi_min * rho_min * EXCESS,
    assumptions=ALIGNED,
    scopes=(STEP,),
)
A22_PART2 = Claim(
    entry("fedplt/A2.2-part2"),
    algorithms=FEDPLT,
    parts=(
        Part(name="a", left=_PART2, right=_PART2_MASKED, assumptions=ALIGNED, scopes=(STEP,)),
        Part(
            name="b",
            left=_PART2_MASKED,
            right=_PART2_ALIGNED,
            relation=Relation.EQUAL,
            assumptions=ALIGNED,
            scopes=(STEP,),
        ),
        Part(
            name="c",
            left=_PART2,
            right=-eta * psi_min * b_rho(t),
            assumptions=ALIGNED,
            scopes=(STEP,),
        ),
        _PART2_LAST,
        with_free_psi(_PART2_LAST),
    ),
    readings=(
        Reading("psi over the coordinates that somebody trains", parts=("a", "b", "c", "d")),
        Reading(FREE_PSI, parts=("d, free psi",)),
    ),
)

SLOPE_BOUND = 2 * eta * psi_min * rho_min


def _part3(name: str, gap: sp.Expr) -> Part:
    return Part(
        name=name,
        left=A_22(t),
        right=sq(_NEAR) + 2 * (eta * psi_max) ** 2 * L * gap - SLOPE_BOUND * EXCESS,
        assumptions=(*SMOOTH, *ALIGNED),
        scopes=(STEP,),
    )


A22_PART3 = Claim(
    entry("fedplt/A2.2-part3"),
    algorithms=FEDPLT,
    parts=(_part3("as printed", F_raw(t)), _part3("c_k", F_att(t))),
    readings=(
        Reading("no c_k on the middle term, as printed", parts=("as printed",)),
        Reading("c_k on the middle term, as from Step 4.3 on", parts=("c_k",)),
    ),
)

# ---- Step 5: c_k <= 1

GAMMA_RELAX = Claim(
    entry("fedplt/gamma-relax"),
    algorithms=FEDPLT,
    parts=(
        Part(
            name="client",
            left=c_k**2 * alpha_k**2,
            right=c_k * alpha_k**2,
            index=Index.RUN,
            conditions=(Condition(c_k, "<=", sp.Integer(1)),),
        ),
        # alpha_k and the sum of all c_k are at most 1
        Part(name="sum", left=Gamma_2, right=Gamma, index=Index.RUN, trivial=sp.Integer(1)),
    ),
)

CLAIMS = (
    EXPANSION,
    A3_ZERO,
    A1_TERM,
    A2_EXPANSION,
    A21,
    A22_SPLIT,
    A22_PART1,
    A22_PART2,
    A22_PART3,
    GAMMA_RELAX,
)
