"""What is said of rates alone: nothing is run. lambda is lambda_min(P(0)), S clients take part."""

import sympy as sp

from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.claims import Claim, Condition, Part, Reading
from fedbounds.theory.language.symbols import n, t
from fedbounds.vocabulary import Index, Relation

from .names import MORE_CLIENTS, NOTHING_RUN
from .sizes import FIRST_RATE, rate
from .symbols import R_end, S_least, S_other

_SOME = Condition(S_least, "<=", n)
# below: factors are not negative, as step sizes of the theorem have it
_SHORT = Condition(FIRST_RATE, "<=", sp.Integer(1))


def _at_most(name: str, left: sp.Expr, right: sp.Expr, *conditions: Condition) -> Part:
    return Part(
        name=name, left=left, right=right, index=Index.POINT, conditions=(_SOME, *conditions)
    )


_SECOND = rate(S_least)
FORMS = Claim(
    entry("overparam/rate-forms"),
    algorithms=NOTHING_RUN,
    parts=(
        _at_most("(a) gives (b)", 1 - FIRST_RATE, 1 - _SECOND),
        _at_most("(b) gives (d)", (1 - _SECOND) ** 2, 1 - _SECOND, _SHORT),
        _at_most("(b) gives (c)", (1 - _SECOND) ** 2, 1 - n * _SECOND, _SHORT),
        _at_most("(d) gives (e)", 1 - _SECOND, 1 - S_least / n**2, _SHORT),
    ),
    readings=(
        Reading("the theorem's factor, from that of the four terms",
                parts=("(a) gives (b)", "(b) gives (d)")),
        Reading("the last display of the proof, with N in place of N^2",
                parts=("(b) gives (c)",)),
        Reading("the abstract's factor, to the letter, harsh", parts=("(d) gives (e)",)),
    ),
)  # fmt: skip


MEAN_LOSS = Part(
    name="mean loss", left=R_end(t + 1), right=R_end(t), index=Index.RUNG, algorithm=MORE_CLIENTS[0]
)
# with more clients the factor of (19) is smaller, at equal N, eta, K and lambda
MORE = Claim(
    entry("overparam/rem-iv.2"),
    algorithms=(*NOTHING_RUN, *MORE_CLIENTS),
    parts=(
        MEAN_LOSS,
        Part(
            name="guarantee", left=1 - rate(S_other), right=1 - _SECOND, index=Index.POINT,
            algorithm=NOTHING_RUN[0],
            conditions=(Condition(S_least, "<=", S_other), Condition(S_other, "<=", n)),
        ),
        Part(
            name="inversely", left=rate(S_other) * S_other, right=_SECOND * S_least,
            relation=Relation.EQUAL, index=Index.POINT, algorithm=NOTHING_RUN[0],
            conditions=(Condition(S_least, "<=", S_other), Condition(S_other, "<=", n)),
        ),
    ),
    readings=(
        Reading("the guarantee (19), at equal N, eta, K and lambda", parts=("guarantee",)),
        Reading("the mean loss, clients drawn uniformly, from one number to a larger one",
                parts=("mean loss",)),
        Reading("\"inversely proportional to the participated rate\", to the letter, harsh",
                parts=("inversely",)),
    ),
)  # fmt: skip

CLAIMS = (FORMS, MORE)
