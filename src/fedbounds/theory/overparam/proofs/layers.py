"""From (25) to the final step: what a round does to the residual of a deep linear network."""

from itertools import combinations

import sympy as sp

from fedbounds.theory.checker.data import Premise
from fedbounds.theory.language.symbols import K, eta, n, t
from fedbounds.theory.proof.language import Book, Uses, above, below, cite, condition, square
from fedbounds.theory.proof.vectors import sq

from .. import linear
from ..measured import QUANTITIES
from ..scope_names import LAYERS
from ..sizes import MOVED, SHORT, STEP, rate
from ..symbols import R_2, P_max, P_min, S_least, S_size, d_out, s_max2, s_min2
from ..vectors import res, res_next, res_s, term_1, term_2, term_3, term_4, xis
from .scopes import ORDERED, SIZE
from .start import MOST

_LOSS, _UNIT = R_2(t), eta * K / S_size(t)
_X = _UNIT * P_min
FEW = below(SIZE, n)


def write(book: Book) -> None:
    """All of them."""
    for number in (1, 2, 3, 4):
        _define(book, f"term_{number}q", sp.Function(f"term_{number}q")(t))
    _define(book, "R_2", _LOSS)
    _define(book, "R_2 after", R_2(t + 1), n * sq(res_next))
    _given(book)
    _terms(book)
    _final_step(book)


def _define(book: Book, name: str, left: sp.Expr, right: sp.Expr | None = None) -> None:
    book.define(f"{name}, layers", left, right or QUANTITIES[name], "(18)", LAYERS)


def defs(*names: str) -> Uses:
    """Definitions of quantities of deep linear networks."""
    return [f"def {name}, layers" for name in names]


def _given(book: Book) -> None:
    apart = linear.APART * s_max2 * sp.sqrt(S_size(t)) / (sp.sqrt(n) * d_out)
    fourth = _X * S_size(t) ** 2 / (10 * n**2)
    for name, left, relation, right, origin in (
        ("P^S(0)", sq(res - term_1), ">=", (_UNIT * P_min) ** 2 * sq(res_s),
         "lambda_min of P^S(0) is at least that of P(0), of singular values"),
        ("||P^S(0)||", sq(term_3), "<=", (_UNIT * P_max) ** 2 * sq(xis - res),
         "lambda_max(P^S(0)) <= lambda_max(P(0)), of singular values"),
    ):  # fmt: skip
        book.suppose(name, left, right, origin, (), relation, LAYERS)
    for name, left, right, origin in (
        ("P^S(t,k) and P^S(0)", sq(term_2), (_UNIT * apart) ** 2 * sq(xis), "Lemma A.5"),
        ("(44)", sq(xis), sq(res), "(44), of all clients"),
        ("term 4", sq(term_4), fourth**2 * sq(res), "the bound of term 4, with what Omega hides"),
    ):  # fmt: skip
        book.suppose(name, left, right, origin, linear.EVENT, scope=LAYERS,
                     conditions=linear.SUPPOSED)  # fmt: skip


def at_longest(ratio: str, moved: sp.Expr, of: sp.Expr) -> list[Premise]:
    """||P^S(0)|| times moves of local steps, at the longest step size: a ratio of eigenvalues."""
    own = _UNIT * moved / eta
    return [condition(SHORT, squared=True, times=(own * P_max) ** 2 * of),
            cite(ratio, times=(own * STEP / s_min2) ** 2 * of)]  # fmt: skip


def _terms(book: Book) -> None:
    """Terms 1 to 3; of few layers, the eigenvalues of P(0) are less far apart than (21) says."""
    book.prove("term-1", "", [*defs("term_1q", "R_2"), "asm P^S(0)"], scope=LAYERS)
    uses = [*defs("term_2q", "R_2"), "asm P^S(t,k) and P^S(0)", "asm (44)"]
    book.prove("eq-25", "first", uses, scope=LAYERS)
    factor = sp.Rational(49, 625) * (eta * K) ** 2 / (n * S_size(t))
    uses = [cite("eq-25:first", times=1), cite("least squared", times=factor * _LOSS)]
    book.prove("eq-25", "second", uses)
    # Lemma A.7, which (26) cites, leaves out the L of (40): of ten layers it is broken
    book.prove("eq-26", "first", [*defs("term_3q", "R_2"), "asm ||P^S(0)||"], scope=LAYERS)
    uses = [cite("eq-26:first", times=1),
            *at_longest("ratio, by layers, squared", K * MOVED, _LOSS)]  # fmt: skip
    book.prove("eq-26", "second", uses)


def _final_step(book: Book) -> None:
    """The sum of four norms; (b) follows from (a), since eta K lambda is at most 1/20."""
    a, b, c = (one for one in linear.SUMMED.readings if one.parts[0] in ("(a)", "(b)", "(c)"))
    norms = (1 - _X, sp.Rational(7, 25) * _X, _X / 5, _X / 10)
    pairs = combinations(zip(norms, (term_1, term_2, term_3, term_4), strict=True), 2)
    uses: Uses = [*defs("R_2 after", "R_2", *(f"term_{i}q" for i in (1, 2, 3))), "term-1",
                  "eq-25:second", "eq-26:second", "asm term 4",
                  *(square(s * v - r * w) for (r, v), (s, w) in pairs)]  # fmt: skip
    book.prove("final-step", "(a)", uses, reading=a, scope=LAYERS)
    least_and_largest, of_data = ORDERED[-2:]
    uses = [cite("eq-21:largest", times=eta * K), condition(SHORT, times=K * MOST),
            condition(least_and_largest, times=eta * K),
            condition(of_data, times=K * MOST * STEP / s_min2)]  # fmt: skip
    book.line("short", eta * K * P_min, "<=", sp.Rational(1, 20), uses, conditions=(SHORT,),
              assumptions=linear.EVENT)  # fmt: skip
    uses = [cite("short", times=(1 / S_size(t) + 1 / n) / 2),
            condition(ORDERED[0], times=eta * K * P_min / (2 * n**2))]  # fmt: skip
    book.line("factors", _X / 2 + rate(S_size(t)), "<=", sp.Integer(2), uses, conditions=(SHORT,),
              assumptions=linear.EVENT)  # fmt: skip
    uses = ["final-step:(a)", cite("factors", times=(_X / 2 - rate(S_size(t))) * _LOSS)]
    book.prove("final-step", "(b)", uses, reading=b, chart=[FEW])
    book.prove("final-step", "(c)", ["final-step:(b)"], reading=c)
    own, told = rate(S_size(t)), "a round, of the loss"
    uses = ["final-step:(b)", cite("short", times=own * S_size(t) / (2 * n**2) * _LOSS)]
    book.line(told, R_2(t + 1), "<=", (1 - own) * _LOSS, uses, chart=[FEW],
              conditions=linear.SUPPOSED, assumptions=linear.EVENT)  # fmt: skip
    book.line("a round of (19)", R_2(t + 1), "<=", (1 - rate(S_least)) * _LOSS, [told],
              chart=[above(SIZE, S_least)], claim="thm-iv.2", conditions=linear.SUPPOSED,
              assumptions=linear.EVENT)  # fmt: skip
