"""Theorem 4.5 and Corollary 4.6 without rounding their proof's constants up on the way."""

from typing import Any

import sympy as sp

from fedbounds.theory.language.symbols import (
    F_0,
    K,
    L,
    T,
    f,
    gamma,
    m,
    n,
    t,
    variance_u,
    variance_v,
)
from fedbounds.theory.personalization.lemmas import SMOOTH_NOISE
from fedbounds.theory.personalization.scaffold_memory import (
    HAT_GRADIENTS,
    LAG_STEPS,
    NOISE_LEVEL,
    TWO_THIRDS,
)
from fedbounds.theory.personalization.scaffold_theorems import (
    COROLLARY_46,
    DISPLAY_44,
    THEOREM_45_E,
)
from fedbounds.theory.personalization.symbols import C, E
from fedbounds.theory.personalization.theorems import FULL, MEASURED
from fedbounds.theory.proof.language import (
    Book,
    cite,
    condition,
    fact,
    root,
)

from .scaffold_theorems import CHART_46, PARTICIPANTS, SMALL, STEPS


def write(book: Book) -> None:
    """The steps of this chapter."""
    fraction = sp.Rational
    line: dict[str, Any] = {"source": "ours", "vectors": False}
    stepped = line | {"conditions": THEOREM_45_E.part("bound").conditions}
    factor, lag = fraction(28, 9) * L**2 * gamma / n, C(t)
    printed = DISPLAY_44.part("line 2").right
    book.line(
        "eq-4.4/sharper",
        f(t + 1),
        "<=",
        printed - (4 * L**2 * gamma / n - factor) * E(t),
        ["eq-4.4:line 1"],
        claim="eq-4.4",
        chart=PARTICIPANTS,
        assumptions=SMOOTH_NOISE,
        **line | {"conditions": DISPLAY_44.part("line 2").conditions},
    )
    book.line(
        "thm-4.5-E/sharper",
        E(t),
        "<=",
        fraction(4, 3) * L * K * gamma / m * lag
        + n * K**2 * gamma / (3 * L) * HAT_GRADIENTS
        + fraction(13, 18) * n * K * gamma / L * NOISE_LEVEL,
        [cite(f"thm-4.5-E:line {number}", times=1) for number in (1, 2)],
        claim="thm-4.5-E",
        chart=STEPS[:5],
        assumptions=SMOOTH_NOISE,
        **stepped,
    )
    line |= {"conditions": LAG_STEPS}
    noise_u, noise_v = variance_u / m, m * variance_v / n
    book.line(
        "thm-4.5-desc/sharper",
        f(t + 1),
        "<=",
        f(t)
        + (-K * gamma / 2 + fraction(136, 27) * L * K**2 * gamma**2) * HAT_GRADIENTS
        + fraction(1840, 27) * L**3 * K * gamma**2 / (m * n) * lag
        + (1640 * noise_u + 344 * noise_v) / 81 * L * K * gamma**2,
        ["eq-4.4/sharper", "thm-4.5-E/sharper"],
        claim="thm-4.5-desc",
        chart=[SMALL],
        assumptions=SMOOTH_NOISE,
        **line,
    )
    # over what the largest step size leaves of the 1/2
    times = fraction(4374, 1421)
    once, step = times / (T * K * gamma), LAG_STEPS[-1]
    small = fraction(136, 27) * times * L * K * MEASURED
    many = fraction(1840, 243) * times * L * K * n**TWO_THIRDS / m * MEASURED
    book.line(
        "thm-4.5/sharper",
        MEASURED,
        "<=",
        fraction(77, 25) * F_0 / (T * K * gamma) + (109 * noise_u + 60 * noise_v) * L * gamma,
        [
            cite("thm-4.5-desc/sharper", over="t", times=once),
            *(fact(name, times=once) for name in ("initial_gap", "infimum")),
            cite("thm-4.5-sumC", times=fraction(7360, 27) * times * L**3 * gamma / (m**2 * T)),
            *(condition(step, option=1, times=small), condition(step, option=2, times=many)),
        ],
        claim="thm-4.5",
        chart=[root(n, 3)],
        assumptions=FULL,
        **line,
    )
    claimed = COROLLARY_46.part("")
    book.line(
        "cor-4.6/sharper",
        MEASURED,
        "<=",
        fraction(603, 100) * sp.sqrt(37 * L * F_0 / (K * T) * NOISE_LEVEL)
        + 222 * L * F_0 / T * sp.Max(1, n**TWO_THIRDS / m),
        ["thm-4.5/sharper"],
        claim="cor-4.6",
        chart=CHART_46,
        assumptions=FULL,
        **line | {"conditions": claimed.conditions},
    )
