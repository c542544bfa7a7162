"""Appendix B.6: gradients of a cross-entropy, and their variance over samples, at given numbers.

Three classes, whose logits h_j have exp(h_j) = e_j, and label 1; or two classes and two samples
that are equally likely, whose labels have the probabilities 1 - delta_1 and 1 - delta_2. A mask
keeps one coordinate, or two.
"""

import sympy as sp

from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.claims import Claim, Condition, Reading

from .points import NOTHING_RUN, at_most, equal
from .symbols import J_1, J_2, J_11, J_12, J_21, Jp_1, Jp_2, delta_1, delta_2, e_1, e_2, e_3

_E = (e_1, e_2, e_3)
_P = [own / sum(_E) for own in _E]
_LOSS = -sp.log(_P[0])
_A = [p - int(j == 0) for j, p in enumerate(_P)]
# (J^T a) and J a of a square J, in the first coordinate; a sums up to 0
_PRINTED, _MEANT = J_11 * _A[0] + J_21 * _A[1], J_11 * _A[0] + J_12 * _A[1]
GRADIENT = Claim(
    entry("meerkat/softmax-grad"),
    algorithms=NOTHING_RUN,
    parts=(
        # d/dh = e d/de
        *(
            equal(f"logit {j + 1}", own * sp.diff(_LOSS, own), a)
            for j, (own, a) in enumerate(zip(_E, _A, strict=True))
        ),
        equal("transposed", _MEANT, _PRINTED),
    ),
    readings=(
        Reading("the derivatives by logits; g is J a", parts=("logit 1", "logit 2", "logit 3")),
        Reading("J^T a as printed, which has a meaning only where d_m = C",
                parts=("transposed",)),
    ),
)  # fmt: skip


def _variance(first: sp.Expr, second: sp.Expr) -> sp.Expr:
    """Of two values that are equally likely."""
    return ((first - second) / 2) ** 2


def _moved(delta: sp.Expr, label: int) -> tuple[sp.Expr, sp.Expr]:
    """a = p - e_y of a sample."""
    return (-delta, delta) if label == 1 else (delta, -delta)


def _gradient(row: tuple[sp.Expr, sp.Expr], a: tuple[sp.Expr, sp.Expr]) -> sp.Expr:
    return row[0] * a[0] + row[1] * a[1]


_FIRST, _ONE_LABEL, _TWO_LABELS = _moved(delta_1, 1), _moved(delta_2, 1), _moved(delta_2, 2)
_ROW, _OTHER = (J_1, J_2), (Jp_1, Jp_2)


def _similar(second: tuple[sp.Expr, sp.Expr]) -> sp.Expr:
    """J Sigma_a J^T; both entries of a have one variance, and their covariance is minus it."""
    return (J_1 - J_2) ** 2 * _variance(_FIRST[0], second[0])


VARIANCE = Claim(
    entry("meerkat/sigma-k"),
    algorithms=NOTHING_RUN,
    parts=(
        equal("one J", _variance(_gradient(_ROW, _FIRST), _gradient(_ROW, _TWO_LABELS)),
              _similar(_TWO_LABELS)),
        equal("own J", _variance(_gradient(_ROW, _FIRST), _gradient(_OTHER, _TWO_LABELS)),
              _similar(_TWO_LABELS)),
    ),
    readings=(
        Reading("J is the same for all samples", parts=("one J",)),
        Reading("J is that of each sample, as it is where layers lie below", parts=("own J",)),
    ),
)  # fmt: skip
_SMALL = 2 * (J_1 - J_2) ** 2 * (delta_1**2 + delta_2**2) / 2
SINGLE_LABEL = Claim(
    entry("meerkat/single-label"),
    algorithms=NOTHING_RUN,
    parts=(
        at_most("vanishes", _similar(_ONE_LABEL), _SMALL),
        at_most("less than of two labels", _similar(_ONE_LABEL), _similar(_TWO_LABELS)),
    ),
    readings=(
        Reading("sigma^2 is at most a multiple of E (1 - p_y)^2", parts=("vanishes",)),
        Reading("it is less than that of balanced labels", parts=("less than of two labels",)),
    ),
)  # fmt: skip
_MEAN = (_FIRST[0] + _TWO_LABELS[0]) / 2
BALANCED = Claim(
    entry("meerkat/iid-label"),
    algorithms=NOTHING_RUN,
    parts=(
        equal("mean", _MEAN, sp.Integer(0)),
        equal("covariance", _variance(_FIRST[0], _TWO_LABELS[0]),
              (_FIRST[0] ** 2 + _TWO_LABELS[0] ** 2) / 2),
        equal("covariance, alike", _variance(_FIRST[0], _TWO_LABELS[0]),
              (_FIRST[0] ** 2 + _TWO_LABELS[0] ** 2) / 2,
              Condition(delta_1, "==", delta_2)),
        at_most("not 0", (delta_1**2 + delta_2**2) / 4, _variance(_FIRST[0], _TWO_LABELS[0])),
    ),
    readings=(
        Reading("balanced labels alone, as printed", parts=("mean", "covariance")),
        Reading("Sigma_a is not 0 while the model is not sure of both: it has at least half of "
                "E (1 - p_y)^2, and may fall to 0 with it", parts=("not 0",)),
        Reading("labels of equal probabilities too", parts=("covariance, alike",)),
    ),
)  # fmt: skip

CLAIMS = (GRADIENT, VARIANCE, SINGLE_LABEL, BALANCED)
