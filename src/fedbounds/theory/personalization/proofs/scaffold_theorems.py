"""Theorem 4.5 and Corollary 4.6: convergence of Scaffold-P, and its special scenarios."""

from typing import Any

import sympy as sp

from fedbounds.theory.checker.data import Assignment, Premise
from fedbounds.theory.language.claims import AS_PRINTED, Condition, Part
from fedbounds.theory.language.symbols import (
    F_0,
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
from fedbounds.theory.personalization.lemmas import SMOOTH_NOISE
from fedbounds.theory.personalization.scaffold_memory import (
    HAT,
    NOISE_LEVEL,
    TWO_THIRDS,
)
from fedbounds.theory.personalization.scaffold_theorems import (
    COROLLARY_46,
    TWENTY_ONE,
    USED_STEPS,
)
from fedbounds.theory.personalization.special import EQUATION_46, SPECIAL_431_PSGD
from fedbounds.theory.personalization.symbols import C, E
from fedbounds.theory.personalization.theorems import DECREASE, FULL, MEASURED, SUMMED
from fedbounds.theory.proof.language import (
    Book,
    Uses,
    above,
    below,
    cite,
    equal,
    fact,
    root,
    scaled,
    solve,
    split,
)
from fedbounds.theory.proof.text import text

from .scopes import SCAFFOLD

_PLACE = "proof of Theorem 4.5"
SMALL = below(gamma, 1 / (72 * L * K))
PARTICIPANTS = (above(n, m), SMALL)
# roots of m and n/m, neither of which is below 1
_ROOTS = (scaled(m, 1, 2), scaled(n, m, 2))
_INNER = (equal(gamma_u, gamma / eta_u), equal(gamma_v, gamma / eta_v))
STEPS = (
    *_ROOTS,
    above(eta_u, sp.sqrt(m)),
    above(eta_v, sp.sqrt(n / m)),
    SMALL,
    *_INNER,
)
_MANY = (root(n, 3), below(gamma, m / n**TWO_THIRDS / (72 * L * K)))


def _descent(book: Book) -> None:
    """(4.4), the drift, and one round."""
    lemmas = [f"lem-{name} ({SCAFFOLD})" for name in ("3.2:u", "3.2:v", "3.3:u", "3.3:v")]
    book.prove("eq-4.4", "line 1", ["lem-4.1", *lemmas, "lem-4.2"], chart=[above(n, m)])
    book.prove("eq-4.4", "drift factor", chart=PARTICIPANTS)
    uses: Uses = ["eq-4.4:line 1", cite("eq-4.4:drift factor", times=E(t))]
    book.prove("eq-4.4", "line 2", uses)

    book.prove("thm-4.5-E", "line 1", ["lem-4.3"], chart=STEPS)
    book.prove("thm-4.5-E", "line 2", chart=_INNER)
    book.prove("thm-4.5-E", "line 3", chart=STEPS[:5])
    book.prove("thm-4.5-E", "bound", [f"thm-4.5-E:line {number}" for number in (1, 2, 3)])

    uses = ["eq-4.4:line 2", "thm-4.5-E:bound"]
    book.prove("thm-4.5-desc", "descent", uses, chart=[SMALL])
    book.prove("thm-4.5-round", "", ["thm-4.5-desc:descent"])


_CONTRACTED = sp.S.Half - 6 * L * K * gamma
_FROM_C = 72 * L**3 * gamma / (m * n * T) * Sum_t(C(t))


def _average(book: Book) -> None:
    """(4.5): the mean over rounds."""
    rewritten = cite("thm-4.5-round", over="t")
    line: dict[str, Any] = {
        "claim": "eq-4.5",
        "conditions": USED_STEPS,
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
    bounded = [fact(name, times=once) for name in ("initial_gap", "infimum")]
    gap = [cite("eq-4.5: mean", times=1), *bounded]
    # the mean has 21, and G_v with a hat
    for reading in (AS_PRINTED, TWENTY_ONE, HAT):
        book.prove("eq-4.5", "", gap, chart=PARTICIPANTS, reading=reading)
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
    uses: Uses = ["C start", cite("lem-4.4", over="t")]
    chart = [scaled(m, 1, 3), scaled(n, m, 3)]
    book.prove("thm-4.5-sumC", "", uses, chart=chart)
    book.prove("thm-4.5-fin", "step size", chart=[SMALL])
    book.prove("thm-4.5-fin", "step size and n", chart=_MANY)

    # G_v without its hat is at least m/n of itself
    uses = ["eq-4.5", "thm-4.5-sumC"]
    book.prove("thm-4.5-fin", "bound", uses, chart=[*chart, SMALL])
    uses = ["eq-4.5/corrected", "thm-4.5-sumC"]
    book.prove("thm-4.5-fin", "bound", uses, chart=[*chart, SMALL], reading=HAT)

    both = Mean_t(G_u(t) + G_v(t))
    book.prove(
        "thm-4.5", "", [cite("thm-4.5-fin:bound", times=4), *_small_steps(both)], chart=chart
    )
    uses = [cite("thm-4.5-fin:bound [amb-6]", times=4), *_small_steps(MEASURED)]
    book.prove("thm-4.5", "", uses, chart=chart, source="ours")
    # summed over clients, G_v weighs n times as much as in (4.5)
    book.prove("thm-4.5", "", uses, chart=chart, reading=SUMMED)
    uses = [cite("eq-4.5: mean", times=4), "thm-4.5-sumC", *_small_steps(MEASURED)]
    book.prove("thm-4.5", "", uses, chart=[*chart, SMALL], reading=DECREASE, source="ours")


def _small_steps(mean: sp.Expr) -> list[Premise]:
    """How small the step sizes are, times what is measured."""
    return [
        cite("thm-4.5-fin:step size", times=4 * mean),
        cite("thm-4.5-fin:step size and n", times=4 * n**TWO_THIRDS / m * mean),
    ]


def _by_root(variance: sp.Symbol, of: sp.Expr) -> Assignment:
    """The variance that makes ``of`` the square of a variable."""
    rest = sp.Symbol(f"{text(variance)}_") ** 2 - of.subs(variance, 0)
    return solve(variance, rest / sp.diff(of, variance), of)


def _step(part: Part) -> Assignment:
    """gamma as its condition has it."""
    (step,) = (c.right for c in part.conditions if c.left == gamma)
    return equal(gamma, step)


_LARGER = (root(n, 3), split(m, n**TWO_THIRDS))
_ROOT = 37 * L * K * T / F_0 * NOISE_LEVEL  # under the root in Corollary 4.6's step size
CHART_46 = (*_LARGER, _by_root(variance_u, _ROOT), _step(COROLLARY_46.part("")))


def _corollary(book: Book) -> None:
    book.prove("cor-4.6", "", ["thm-4.5"], chart=CHART_46)
    book.prove("cor-4.6", "", ["thm-4.5 [amb-2]"], chart=CHART_46, reading=SUMMED)


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
    # without the block its step size is free, and its noise is bounded by 0
    chart = [*_LARGER, equal(variance_v, 0), equal(eta_v, sp.sqrt(n / m)), only_u[-1]]
    chart += [_step(shared), *_INNER]
    book.prove("eq-4.6", "", [cite("eq-4.6: sigma_v = 0", times=1)], chart=chart)
    chart = [*only_v[:-1], equal(eta_u, sp.sqrt(m)), only_v[-1], _step(personal)]
    chart += _INNER
    uses: Uses = [cite("spec-4.3.1-psgd: sigma_u = 0", times=1)]
    for reading in SPECIAL_431_PSGD.readings:
        (part,) = reading.parts
        book.prove("spec-4.3.1-psgd", part, uses, chart=chart, reading=reading)


def write(book: Book) -> None:
    """The steps of this chapter."""
    _descent(book)
    _average(book)
    _end(book)
    _corollary(book)
    _special(book)
