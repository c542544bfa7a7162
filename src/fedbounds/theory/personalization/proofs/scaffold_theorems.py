"""Theorem 4.5 and Corollary 4.6: convergence of Scaffold-P, and its special scenarios."""

from typing import Any

import sympy as sp

from fedbounds.theory.checker.data import Assignment, Premise
from fedbounds.theory.claims import AS_PRINTED, Condition
from fedbounds.theory.personalization.lemmas import SMOOTH_NOISE
from fedbounds.theory.personalization.scaffold_memory import (
    HAT,
    HAT_GRADIENTS,
    LAG_STEPS,
    NOISE_LEVEL,
    TWO_THIRDS,
)
from fedbounds.theory.personalization.scaffold_theorems import (
    COROLLARY_46,
    DISPLAY_44,
    THEOREM_45_E,
    TWENTY_ONE,
)
from fedbounds.theory.personalization.special import EQUATION_46, SPECIAL_431_PSGD
from fedbounds.theory.personalization.theorems import DECREASE, FULL, MEASURED, SUMMED
from fedbounds.theory.proof.language import (
    Book,
    Uses,
    above,
    below,
    cite,
    condition,
    equal,
    root,
    scaled,
    solve,
    split,
)
from fedbounds.theory.proof.text import text
from fedbounds.theory.symbols import (
    F_0,
    C,
    E,
    G_u,
    G_v,
    K,
    L,
    Mean_t,
    Sum_t,
    T,
    eta_u,
    eta_v,
    f,
    gamma,
    gamma_u,
    gamma_v,
    m,
    n,
    t,
    variance_u,
    variance_v,
)

from .scopes import SCAFFOLD

_PLACE = "proof of Theorem 4.5"
_SMALL = below(gamma, 1 / (72 * L * K))
_PARTICIPANTS = (above(n, m), _SMALL)
# roots of m and n/m, neither of which is below 1
_ROOTS = (scaled(m, 1, 2), scaled(n, m, 2))
_STEPS = (
    *_ROOTS,
    above(eta_u, sp.sqrt(m)),
    above(eta_v, sp.sqrt(n / m)),
    _SMALL,
    equal(gamma_u, gamma / eta_u),
    equal(gamma_v, gamma / eta_v),
)
_MANY = (root(n, 3), below(gamma, m / n**TWO_THIRDS / (72 * L * K)))


def _descent(book: Book) -> None:
    """(4.4), the drift, and one round."""
    lemmas = [f"lem-{name} ({SCAFFOLD})" for name in ("3.2:u", "3.2:v", "3.3:u", "3.3:v")]
    book.prove("eq-4.4", "line 1", ["lem-4.1", *lemmas, "lem-4.2"], chart=[above(n, m)])
    book.prove("eq-4.4", "drift factor", chart=_PARTICIPANTS)
    uses: Uses = ["eq-4.4:line 1", cite("eq-4.4:drift factor", times=E(t))]
    book.prove("eq-4.4", "line 2", uses)

    book.prove("thm-4.5-E", "line 1", ["lem-4.3"], chart=_STEPS)
    book.prove("thm-4.5-E", "line 2", chart=_STEPS[-2:])
    book.prove("thm-4.5-E", "line 3", chart=_STEPS[:5])
    book.prove("thm-4.5-E", "bound", [f"thm-4.5-E:line {number}" for number in (1, 2, 3)])

    uses = ["eq-4.4:line 2", "thm-4.5-E:bound"]
    book.prove("thm-4.5-desc", "descent", uses, chart=[_SMALL])
    book.prove("thm-4.5-desc", "rewritten", ["thm-4.5-desc:descent"])


_CONTRACTED = sp.S.Half - 6 * L * K * gamma
_FROM_C = 72 * L**3 * gamma / (m * n * T) * Sum_t(C(t))


def _average(book: Book) -> None:
    """(4.5): the mean over rounds."""
    rewritten = cite("thm-4.5-desc:rewritten", over="t")
    line: dict[str, Any] = {
        "claim": "eq-4.5",
        "conditions": LAG_STEPS,
        "vectors": False,
        "place": _PLACE,
    }
    book.line(
        "eq-4.5: mean",
        _CONTRACTED * MEASURED,
        "<=",
        (f(0) - f(T)) / (T * K * gamma) + 21 * NOISE_LEVEL * L * gamma + _FROM_C,
        [rewritten],
        assumptions=SMOOTH_NOISE,
        **line,
    )
    once = 1 / (T * K * gamma)
    bounded = [cite(name, times=once) for name in ("asm F_0", "asm infimum")]
    gap = [cite("eq-4.5: mean", times=1), *bounded]
    # the mean has 21, and G_v with a hat
    for reading in (AS_PRINTED, TWENTY_ONE, HAT):
        book.prove("eq-4.5", "", gap, chart=_PARTICIPANTS, reading=reading)
    book.line(
        "eq-4.5/corrected",
        _CONTRACTED * MEASURED,
        "<=",
        F_0 / (T * K * gamma) + 21 * NOISE_LEVEL * L * gamma + _FROM_C,
        gap,
        source="ours",
        assumptions=FULL,
        **line,
    )


def _end(book: Book) -> None:
    """Theorem 4.5; its step sizes in terms of gamma and of n^(2/3)."""
    uses: Uses = ["def C start", cite("lem-4.4", over="t")]
    chart = [scaled(m, 1, 3), scaled(n, m, 3)]
    book.prove("thm-4.5-sumC", "", uses, chart=chart)
    book.prove("thm-4.5-fin", "step size", chart=[_SMALL])
    book.prove("thm-4.5-fin", "step size and n", chart=_MANY)

    # G_v without its hat is at least m/n of itself
    chart = [*chart, _SMALL]
    uses = ["eq-4.5", "thm-4.5-sumC"]
    book.prove("thm-4.5-fin", "bound", uses, chart=chart)
    uses = ["eq-4.5/corrected", "thm-4.5-sumC"]
    book.prove("thm-4.5-fin", "bound", uses, chart=chart, reading=HAT)

    both = Mean_t(G_u(t) + G_v(t))
    book.prove(
        "thm-4.5", "", [cite("thm-4.5-fin:bound", times=4), *_small_steps(both)], chart=chart
    )
    uses = [cite("thm-4.5-fin:bound [amb-6]", times=4), *_small_steps(MEASURED)]
    book.prove("thm-4.5", "", uses, chart=chart, source="ours")
    # summed over clients, G_v weighs n times as much as in (4.5)
    book.prove("thm-4.5", "", uses, chart=chart, reading=SUMMED)
    uses = [cite("eq-4.5: mean", times=4), "thm-4.5-sumC", *_small_steps(MEASURED)]
    book.prove("thm-4.5", "", uses, chart=chart, reading=DECREASE, source="ours")


def _small_steps(mean: sp.Expr) -> list[Premise]:
    """How small the step sizes are, times what is measured."""
    return [
        cite("thm-4.5-fin:step size", times=4 * mean),
        cite("thm-4.5-fin:step size and n", times=4 * n**TWO_THIRDS / m * mean),
    ]


def _by_root(variance: sp.Symbol, of: sp.Expr) -> Assignment:
    """The variance that makes ``of`` the square of a variable."""
    squared = sp.Symbol(f"{text(variance)}_") ** 2
    return solve(variance, sp.solve(sp.Eq(of, squared), variance)[0], of)


_LARGER = (root(n, 3), split(m, n**TWO_THIRDS))
_ROOT = 37 * L * K * T / F_0 * NOISE_LEVEL  # under the root in Corollary 4.6's step size
_CHOSEN = COROLLARY_46.part("").conditions[1]
_CHART_46 = (*_LARGER, _by_root(variance_u, _ROOT), equal(gamma, _CHOSEN.right))


def _corollary(book: Book) -> None:
    book.prove("cor-4.6", "", ["thm-4.5"], chart=_CHART_46)
    book.prove("cor-4.6", "", ["thm-4.5 [amb-2]"], chart=_CHART_46, reading=SUMMED)


def _special(book: Book) -> None:
    """Section 4.3.1: a block dropped, by setting its variance to zero in Corollary 4.6."""
    none = [Condition(variance, "==", sp.Integer(0)) for variance in (variance_v, variance_u)]
    one_step = Condition(K, "==", sp.Integer(1))
    both = COROLLARY_46.part("").conditions
    shared, personal = EQUATION_46.part(""), SPECIAL_431_PSGD.part("any m")
    line: dict[str, Any] = {"assumptions": FULL, "vectors": False, "place": "Section 4.3.1"}
    root_u, root_v = _ROOT.subs(variance_v, 0), _ROOT.subs({variance_u: 0, K: 1})
    only_u = [*_LARGER, equal(variance_v, 0), _by_root(variance_u, root_u)]
    only_v = [*_LARGER, equal(K, 1), equal(variance_u, 0), _by_root(variance_v, root_v)]
    book.line(
        "eq-4.6: sigma_v = 0",
        shared.left,
        "<=",
        shared.right,
        ["cor-4.6"],
        chart=only_u,
        conditions=[*both, none[0]],
        claim="eq-4.6",
        **line,
    )
    book.line(
        "spec-4.3.1-psgd: sigma_u = 0",
        personal.left,
        "<=",
        personal.right,
        ["cor-4.6"],
        chart=only_v,
        conditions=[*both, none[1], one_step],
        claim="spec-4.3.1-psgd",
        **line,
    )
    # The step sizes of the dropped block are free, so that no condition ties gamma to them, and
    # its variance is any number: the lines would have to be used at other parameters.
    chart = [*_LARGER, _by_root(variance_u, root_u)]
    book.prove("eq-4.6", "", ["eq-4.6: sigma_v = 0"], chart=chart)
    for reading in SPECIAL_431_PSGD.readings:
        (part,) = reading.parts
        chart = [*_LARGER, equal(K, 1), _by_root(variance_v, root_v)]
        uses = ["spec-4.3.1-psgd: sigma_u = 0"]
        book.prove("spec-4.3.1-psgd", part, uses, chart=chart, reading=reading)


def _sharper(book: Book) -> None:
    """The same chain without rounding its constants up on the way."""
    fraction = sp.Rational
    line: dict[str, Any] = {"source": "ours", "vectors": False}
    stepped = line | {"conditions": THEOREM_45_E.part("bound").conditions}
    factor, lag = fraction(28, 9) * L**2 * gamma / n, C(t)
    printed = DISPLAY_44.part("line 2").right
    uses: Uses = ["eq-4.4:line 1"]
    book.line(
        "eq-4.4/sharper",
        f(t + 1),
        "<=",
        printed - (4 * L**2 * gamma / n - factor) * E(t),
        uses,
        claim="eq-4.4",
        chart=_PARTICIPANTS,
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
        chart=_STEPS[:5],
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
        chart=[_SMALL],
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
            *(cite(name, times=once) for name in ("asm F_0", "asm infimum")),
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
        chart=_CHART_46,
        assumptions=FULL,
        **line | {"conditions": claimed.conditions},
    )


def write(book: Book) -> None:
    """The steps of this chapter."""
    _descent(book)
    _average(book)
    _end(book)
    _corollary(book)
    _special(book)
    _sharper(book)
