"""Lemmas B.7 and B.8: the two moments of a two-point estimate along a Gaussian direction."""

import sympy as sp

from fedbounds.facts import Fact
from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.claims import Claim, Part, Reading
from fedbounds.theory.language.symbols import t
from fedbounds.vocabulary import Index, Relation

from . import assumed
from .local import READINGS
from .names import MEERKAT
from .symbols import bias_2, c, est_2, s_k2, u, u_ratio

_IN_THE_LIMIT = (assumed.EXACT,)
_FIXED = "at a fixed epsilon, as (1) has it"


def _norm(name: str, size: sp.Expr, assumptions: tuple[str, ...] = _IN_THE_LIMIT) -> Part:
    return Part(
        name=name,
        left=est_2(t),
        right=(2 + size) * c * s_k2(t),
        relation=Relation.EQUAL,
        index=Index.CLIENT,
        assumptions=(*assumptions, assumed.SPARSE_SAMPLES),
    )


LEMMA_B7 = Claim(
    entry("meerkat/lemma-b7"),
    algorithms=MEERKAT,
    parts=(_norm("count", u), _norm("density", u_ratio), _norm("fixed epsilon", u, ())),
    readings=(*READINGS, Reading(_FIXED, parts=("fixed epsilon",))),
)


def _bias(name: str, assumptions: tuple[str, ...]) -> Part:
    return Part(
        name=name,
        left=bias_2(t),
        right=sp.Integer(0),
        relation=Relation.EQUAL,
        index=Index.CLIENT,
        assumptions=(*assumptions, Fact.NOISE),
    )


LEMMA_B8 = Claim(
    entry("meerkat/lemma-b8"),
    algorithms=MEERKAT,
    parts=(_bias("limit", _IN_THE_LIMIT), _bias("fixed epsilon", ())),
    readings=(
        Reading("as epsilon tends to 0", parts=("limit",)),
        Reading(_FIXED, parts=("fixed epsilon",)),
    ),
)

CLAIMS = (LEMMA_B7, LEMMA_B8)
