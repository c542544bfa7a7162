"""Claims that runs are other runs: virtual iterates, and local SGD at full masks.

Two vectors are equal if their distance is zero; the size beside it shows that they are not zero.
"""

import sympy as sp

from fedbounds.facts import Fact
from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.claims import Claim, Condition, Part
from fedbounds.theory.language.symbols import t
from fedbounds.vocabulary import Index, Relation

from . import assumed
from .bounds import MASK_GAP_BOUND
from .names import RANDOM, ROLLING
from .symbols import (
    Ea_2,
    Er_2,
    Ev_2,
    G,
    Sa_2,
    Sr_2,
    Sv_2,
    nu_star2,
    p_mean,
    zeta_star2,
)


def _same(
    name: str,
    distance: sp.Expr,
    size: sp.Expr,
    conditions: tuple[Condition, ...] = (),
    assumptions: tuple[str, ...] = (),
) -> Part:
    return Part(
        name=name,
        left=distance + size,
        right=size,
        relation=Relation.EQUAL,
        conditions=conditions,
        assumptions=assumptions,
    )


VIRTUAL = Claim(
    entry("submodel/claim-virtual"),
    algorithms=(RANDOM, ROLLING),
    parts=(
        _same("local iterates", Ev_2(t), Sv_2(t)),
        _same("average", Ea_2(t), Sa_2(t)),
    ),
)

_FULL = (Condition(p_mean, "==", sp.Integer(1)),)
RECOVER = Claim(
    entry("submodel/claim-recover"),
    algorithms=(RANDOM,),
    parts=(
        _same("algorithm", Er_2(t), Sr_2(t), _FULL, (assumed.KEPT,)),
        Part(
            name="no mask variance",
            left=nu_star2 + zeta_star2,
            right=zeta_star2,
            relation=Relation.EQUAL,
            index=Index.RUN,
            conditions=_FULL,
            assumptions=(assumed.KEPT,),
        ),
        Part(
            name="no residual",
            left=MASK_GAP_BOUND + G,
            right=G,
            relation=Relation.EQUAL,
            index=Index.RUN,
            conditions=_FULL,
            assumptions=(Fact.SMOOTH,),
        ),
    ),
)

CLAIMS = (VIRTUAL, RECOVER)
