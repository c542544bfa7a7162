"""One-parameter families in which corrections were sought: theta in place of our constant."""

import sympy as sp

from fedbounds.theory.language.symbols import (
    Du_2,
    K,
    L,
    gamma,
    m,
    n,
    t,
    variance_u,
    variance_v,
)
from fedbounds.theory.proof.repair import THETA

from .book import book

_NOISE = L * gamma * (variance_u / m + m * variance_v / n)


def _right(step: str) -> sp.Expr:
    return next(written.right for written in book().steps if written.id == step)


def families() -> dict[str, sp.Expr]:
    """Right sides in theta, by the correction that has a number there."""
    return {
        "lem-4.3-geo/corrected": THETA * (K - 1) * (1 + 2 / (K - 1)) ** (K - 1),
        "eq-A.10/corrected": _right("eq-A.10/corrected")
        + (THETA - sp.Rational(1, 2)) * n * K * Du_2(t),
        "eq-4.5/corrected": _right("eq-4.5/corrected") + (THETA - 21) * _NOISE,
    }
