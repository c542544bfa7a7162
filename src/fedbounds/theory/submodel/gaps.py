"""The auxiliary lemma: how far masking moves a gradient, at points w."""

import sympy as sp

from fedbounds.facts import Fact
from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.claims import Claim, Part
from fedbounds.theory.language.symbols import L, t
from fedbounds.vocabulary import Relation

from . import assumed
from .names import OBJECTIVE
from .symbols import (
    Dl_pp,
    Dl_w,
    Eq_2,
    G_miss,
    G_w2,
    Sq_2,
    dim,
    g_F,
    g_Fp,
    p_dist,
    p_spread,
    q_spread,
    w_1,
    w_2,
)

BERNOULLI = (assumed.KEPT, assumed.BERNOULLI)
_G_W = sp.sqrt(G_w2(t))


# of a difference, or of any two gradients at masked points
BOTH_GRADIENTS = sp.sqrt(g_F(t)) + sp.sqrt(g_Fp(t))


def full_gap(spread: sp.Expr) -> sp.Expr:
    """(1/N) sum_i [(1 - p_i) ||grad f_i(w)|| + L sqrt(p_i (1 - p_i)) ||w||]."""
    return G_miss(t) + L * spread * sp.sqrt(w_2(t))


MASK_GAP = Claim(
    entry("submodel/lem-mask-gap"),
    algorithms=OBJECTIVE,
    parts=(
        Part(
            name="a, random",
            left=sp.sqrt(Dl_w(t)),
            right=full_gap(p_spread),
            assumptions=(Fact.SMOOTH, assumed.KEPT),
            trivial=BOTH_GRADIENTS,
        ),
        Part(
            name="a, rolling",
            left=sp.sqrt(Dl_w(t)),
            right=full_gap(q_spread),
            assumptions=(Fact.SMOOTH, assumed.COVERAGE),
            trivial=BOTH_GRADIENTS,
        ),
        Part(
            name="b",
            left=sp.sqrt(Dl_pp(t)),
            right=(_G_W + L * w_1(t) + L * sp.sqrt(w_2(t))) * p_dist,
            assumptions=(Fact.SMOOTH, *BERNOULLI),
            trivial=2 * _G_W,
        ),
        Part(
            name="c",
            left=sp.sqrt(Dl_pp(t)),
            right=2 * _G_W * dim * p_dist,
            assumptions=BERNOULLI,
            trivial=2 * _G_W,
        ),
        # two vectors are equal if their distance is zero; their size shows that they are not
        Part(
            name="d",
            left=Eq_2(t) + Sq_2(t),
            right=Sq_2(t),
            relation=Relation.EQUAL,
            assumptions=(Fact.QUADRATIC, *BERNOULLI),
        ),
    ),
)

CLAIMS = (MASK_GAP,)
