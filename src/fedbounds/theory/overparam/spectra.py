"""Deep linear networks: products of layers and Gram matrices along a run.

Squared singular values are in units of what they tend to as the width grows.
"""

import sympy as sp

from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.claims import Claim, Part, Reading
from fedbounds.theory.language.symbols import eta, k, n, t
from fedbounds.vocabulary import Index

from .linear import EVENT, LOCALLY, SUPPOSED
from .names import EVERY, FEDAVG
from .sizes import KAPPA
from .symbols import (
    S_size,
    W_first,
    W_high,
    W_last,
    W_low,
    d_out,
    depth,
    grams_2,
    own_max,
    s_max2,
    s_min2,
    step_k2,
    xi_k2,
)

_HUNDREDTH = 1 / (100 * KAPPA * sp.sqrt(n))


def _part(name: str, left: sp.Expr, right: sp.Expr) -> Part:
    return Part(
        name=name, left=left, right=right, conditions=SUPPOSED, assumptions=EVENT,
        algorithm=FEDAVG[0],
    )  # fmt: skip


PRODUCTS = Claim(
    entry("overparam/hyp-B"),
    algorithms=FEDAVG,
    parts=(
        _part("least", sp.Rational(3, 4) ** 2, W_low(t)),
        _part("largest", W_high(t), sp.Rational(5, 4) ** 2),
    ),
)
LAST = Claim(entry("overparam/eq-22"), FEDAVG, (_part("", W_last(t), _HUNDREDTH**2),))
FIRST = Claim(entry("overparam/eq-23"), FEDAVG, (_part("", W_first(t), _HUNDREDTH**2 * s_min2),))
_GRAMS = sp.Rational(109, 1000) * depth * s_max2 / (d_out * KAPPA)
GRAMS = Claim(
    entry("overparam/lemma-a5"),
    algorithms=FEDAVG,
    parts=(
        _part("(34)", grams_2(t), _GRAMS**2 * S_size(t) / n),
        _part("statement", grams_2(t), _GRAMS**2),
    ),
)
_STEP = 57 * eta * own_max(t) / (20 * d_out)
LOCAL_STEP = Claim(
    entry("overparam/eq-40"),
    algorithms=EVERY,
    parts=(
        Part(name="last", left=step_k2(t, k), right=_STEP**2 * xi_k2(t, k), index=Index.STEP,
             conditions=LOCALLY, assumptions=EVENT),
    ),
    readings=(Reading("its last bound", parts=("last",)),),
)  # fmt: skip

CLAIMS = (PRODUCTS, LAST, FIRST, GRAMS, LOCAL_STEP)
