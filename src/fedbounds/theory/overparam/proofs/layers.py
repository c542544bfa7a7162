"""From (21) to the final step: what a round does to the residual of a deep linear network.

What is true instead is of rounds in which everyone takes part, where the matrix of term 1 is P(0).
"""

from itertools import combinations

import sympy as sp

from fedbounds.theory.checker.data import Premise
from fedbounds.theory.language.claims import Condition
from fedbounds.theory.language.symbols import K, eta, n, t
from fedbounds.theory.proof.language import (
    Book,
    Uses,
    above,
    below,
    cite,
    condition,
    equal,
    integer,
    square,
)
from fedbounds.theory.proof.vectors import sq

from .. import assumed, linear
from ..measured import QUANTITIES
from ..scope_names import LAYERS
from ..sizes import MOVED, SHORT, STEP, rate
from ..symbols import (
    P_max,
    P_min,
    R_2,
    S_least,
    S_size,
    d_out,
    depth,
    high_0,
    low_0,
    s_max2,
    s_min2,
    term_2q,
    term_3q,
    term_4q,
)
from ..vectors import res, res_next, res_s, term_1, term_2, term_3, term_4, xis
from .scopes import ORDERED, SIZE

_LOSS = R_2(t)
_UNIT = eta * K / S_size(t)
_X = _UNIT * P_min
_EVERYONE = Condition(S_least, "==", n)
_HYPOTHESIS = Premise("hypothesis", "hypothesis", ("?",))
_LEAST, _LARGEST = sp.Rational(16, 25), sp.Rational(36, 25)  # of Lemma A.1, squared
_ONE = (Condition(depth, "==", sp.Integer(1)),)
_SEVERAL = (Condition(depth, ">=", sp.Integer(2)),)
_FEW = below(SIZE, n)


def write(book: Book) -> None:
    """All of them."""
    for number in (1, 2, 3, 4):
        name = f"term_{number}q"
        book.define(f"{name}, layers", sp.Function(name)(t), QUANTITIES[name], "(18)", LAYERS)
    book.define("R_2, layers", _LOSS, QUANTITIES["R_2"], "(18)", LAYERS)
    book.define("R_2 after, layers", R_2(t + 1), n * sq(res_next), "(18)", LAYERS)
    _given(book)
    _spectra(book)
    _terms(book)
    _sum(book)
    _everyone(book)


def _given(book: Book) -> None:
    event, always = linear.EVENT, ()
    for name, left, relation, right, origin, supposed, conditions in (
        ("least at the start", low_0, ">=", _LEAST, "Lemma A.1", event, ()),
        ("largest at the start", high_0, "<=", _LARGEST, "Lemma A.1", event, ()),
        ("P(0), least", P_min * d_out, ">=", s_min2 * ((depth - 2) * low_0**2 + 2 * low_0),
         "least eigenvalues of sums and of Kronecker products", always, _SEVERAL),
        ("P(0), largest", P_max * d_out, "<=", s_max2 * ((depth - 2) * high_0**2 + 2 * high_0),
         "largest eigenvalues of sums and of Kronecker products", always, _SEVERAL),
        ("one layer, least", P_min * d_out, "==", s_min2, "P(0) is X'X, and more outputs", always,
         _ONE),
        ("one layer, largest", P_max * d_out, "==", s_max2, "P(0) is X'X, and more outputs", always,
         _ONE),
    ):  # fmt: skip
        book.suppose(name, left, right, origin, supposed, relation, conditions=conditions)
    apart = linear.APART * s_max2 * sp.sqrt(S_size(t)) / (sp.sqrt(n) * d_out)
    for name, left, relation, right, origin, conditions in (
        ("P^S(0)", sq(res - term_1), ">=", (_UNIT * P_min) ** 2 * sq(res_s),
         "lambda_min of P^S(0) is at least that of P(0), of singular values", ()),
        ("||P^S(0)||", sq(term_3), "<=", (_UNIT * P_max) ** 2 * sq(xis - res),
         "lambda_max(P^S(0)) <= lambda_max(P(0)), of singular values", ()),
        ("P^S(t,k) and P^S(0)", sq(term_2), "<=", (_UNIT * apart) ** 2 * sq(xis), "Lemma A.5",
         linear.SUPPOSED),
        ("(44)", sq(xis), "<=", sq(res), "(44), of all clients", linear.SUPPOSED),
        ("Lemma A.7", sq(xis - res), "<=", (K * MOVED) ** 2 * sq(res), "Lemma A.7, of all clients",
         linear.SUPPOSED),
        ("local moves", sq(xis - res), "<=", (K * depth * MOVED / 2) ** 2 * sq(res),
         "(40) with the L of its eigenvalues, in steps that lose nothing", linear.SUPPOSED),
        ("term 4", sq(term_4), "<=", (_UNIT * P_min * S_size(t)**2 / (10 * n**2)) ** 2 * sq(res),
         "the bound of term 4, with what Omega hides", linear.SUPPOSED),
    ):  # fmt: skip
        book.suppose(name, left, right, origin, () if not conditions else linear.EVENT, relation,
                     LAYERS, conditions=conditions)  # fmt: skip


def _defs(*names: str) -> Uses:
    return [f"def {name}, layers" for name in names]


def _spectra(book: Book) -> None:
    """Of several layers a little sharper than (21), in which the first and the last count alike."""
    for part, sign, value, relation, of_data, bound in (
        ("least", "-", low_0, ">=", s_min2, _LEAST),
        ("largest", "", high_0, "<=", s_max2, _LARGEST),
    ):
        several = of_data * ((depth - 2) * bound**2 + 2 * bound)
        whole = P_min if part == "least" else P_max
        slope = ((depth - 2) * (value + bound) + 2) * of_data / d_out
        uses: Uses = [cite(f"asm P(0), {part}", times=1 / d_out), cite(f"asm {part} at the start", times=slope)]
        book.line(f"{part}, several layers", whole, relation, several / d_out, uses,
                  conditions=_SEVERAL, assumptions=linear.EVENT,
                  chart=[above(depth, 2)])  # fmt: skip
        uses = [Premise("step", f"asm one layer, {part}", (f"{sign}1/d_out", "0")),
                Premise("step", f"{part}, several layers", ("0", "1"))]  # fmt: skip
        book.prove("eq-21", part, uses, chart=[integer(depth, 1)])
    low = _LEAST**2 * depth * s_min2 / d_out
    book.line("least squared", low**2, "<=", P_min**2, [cite("eq-21:least", times=low + P_min)],
              assumptions=linear.EVENT)  # fmt: skip
    ratio = sp.Rational(81, 16)
    book.line("ratio", P_max * s_min2, "<=", ratio * P_min * s_max2, [cite("eq-21:least", times=ratio * s_max2), cite("eq-21:largest", times=s_min2)],
              assumptions=linear.EVENT)  # fmt: skip
    book.line("ratio squared", (P_max * s_min2)**2, "<=", (ratio * P_min * s_max2)**2,
              [cite("ratio", times=P_max * s_min2 + ratio * P_min * s_max2)],
              assumptions=linear.EVENT)  # fmt: skip
    _by_layers(book)


def _by_layers(book: Book) -> None:
    """Of few layers the eigenvalues are less far apart."""
    one = {"largest": ("s_min2/d_out", "0"), "least": ("-s_max2/d_out", "0")}
    more = {"largest": "s_min2", "least": f"7/4*{depth}*s_max2"}
    uses = [Premise("step", f"asm one layer, {part}", times) for part, times in one.items()]
    uses += [Premise("step", f"{part}, several layers", ("0", x)) for part, x in more.items()]
    ratio = sp.Rational(7, 4) * depth
    book.line("ratio, by layers", P_max * s_min2, "<=", ratio * P_min * s_max2, uses,
              assumptions=linear.EVENT, chart=[integer(depth, 1)])  # fmt: skip
    book.line("ratio squared, by layers", (P_max * s_min2) ** 2, "<=",
              (ratio * P_min * s_max2) ** 2,
              [cite("ratio, by layers", times=P_max * s_min2 + ratio * P_min * s_max2)],
              assumptions=linear.EVENT)  # fmt: skip


def _short_squared(times: sp.Expr) -> Premise:
    return condition(SHORT, squared=True, times=times)


def _at_step(moved: sp.Expr) -> sp.Expr:
    """Of local steps at the longest: what multiplies a ratio of eigenvalues, squared."""
    return (moved * STEP / s_min2) ** 2


def _terms(book: Book) -> None:
    """Terms 1 to 4; (26) and what is ours need how far the eigenvalues of P(0) are apart."""
    uses: Uses = [*_defs("term_1q", "R_2"), "asm P^S(0)"]
    book.prove("term-1", "", uses, scope=LAYERS)
    uses = [*_defs("term_2q", "R_2"), "asm P^S(t,k) and P^S(0)", "asm (44)"]
    book.prove("eq-25", "first", uses, scope=LAYERS)
    factor = sp.Rational(49, 625) * (eta * K) ** 2 / (n * S_size(t))
    uses = [cite("eq-25:first", times=1), cite("least squared", times=factor * _LOSS)]
    book.prove("eq-25", "second", uses)
    uses = [*_defs("term_3q", "R_2"), "asm ||P^S(0)||", "asm Lemma A.7"]
    book.prove("eq-26", "first", uses, scope=LAYERS)
    moved = _UNIT * K * MOVED / eta
    uses = [cite("eq-26:first", times=1), _short_squared((moved * P_max) ** 2 * _LOSS),
            cite("ratio squared, by layers", times=_at_step(moved) * _LOSS)]  # fmt: skip
    book.prove("eq-26", "second", uses)


def _sum(book: Book) -> None:
    """The final step; (b) follows from (a) since eta K lambda is at most 1/20."""
    most = _LARGEST**2 * depth * s_max2 / d_out
    book.line("short", eta * K * P_min, "<=", sp.Rational(1, 20),
              [cite("eq-21:largest", times=eta * K), condition(SHORT, times=K * most),
               condition(ORDERED[-2], times=eta * K),
               condition(ORDERED[-1], times=K * most * STEP / s_min2)], conditions=(SHORT,),
              assumptions=linear.EVENT)  # fmt: skip
    (a, b, c) = (one for one in linear.SUMMED.readings if one.parts[0] in ("(a)", "(b)", "(c)"))
    norms = (1 - _X, sp.Rational(7, 25) * _X, _X / 5, _X / 10)
    terms = (term_1, term_2, term_3, term_4)
    pairs = combinations(zip(norms, terms, strict=True), 2)
    uses: Uses = [*_defs("R_2 after", "R_2", *(f"term_{i}q" for i in (1, 2, 3))), "term-1",
                  "eq-25:second", "eq-26:second", "asm term 4",
                  *(square(s * v - r * w) for (r, v), (s, w) in pairs)]  # fmt: skip
    book.prove("final-step", "(a)", uses, reading=a, scope=LAYERS)
    apart = _X / 2 - rate(S_size(t))
    book.line("factors", _X / 2 + rate(S_size(t)), "<=", sp.Integer(2),
              [cite("short", times=(1 / S_size(t) + 1 / n) / 2), condition(ORDERED[0], times=eta * K * P_min / (2 * n**2))],
              conditions=(SHORT,), assumptions=linear.EVENT)  # fmt: skip
    book.prove("final-step", "(b)", ["final-step:(a)", cite("factors", times=apart * _LOSS)],
               reading=b, chart=[_FEW])  # fmt: skip
    book.prove("final-step", "(c)", ["final-step:(b)"], reading=c)


def _everyone(book: Book) -> None:
    """What is true instead: with everyone, term 1 is as said, and term 3 has the L of (40)."""
    x, event = eta * K * P_min / n, linear.EVENT
    conditions = (*linear.SUPPOSED, _EVERYONE)
    every = [equal(S_least, n), above(SIZE, S_least)]
    book.suppose("everyone", sq(term_1), (1 - x) ** 2 * sq(res),
                 "P^S(0) is P(0), which is symmetric, and eta K lambda_max(P(0)) <= N", event,
                 "<=", LAYERS, conditions=(SHORT, _EVERYONE))  # fmt: skip
    told: dict[str, sp.Expr] = {"term 2": sp.Rational(7, 25), "term 3": sp.Rational(3, 10),
                                "term 4": sp.Rational(1, 10)}  # fmt: skip
    seen = (term_2q, term_3q, term_4q)
    moved = _UNIT * K * depth * MOVED / (2 * eta)
    of_3 = [*_defs("term_3q", "R_2"), "asm ||P^S(0)||", "asm local moves",
            _short_squared((moved * P_max) ** 2 * n * sq(res)),
            cite("ratio squared", times=_at_step(moved) * n * sq(res))]  # fmt: skip
    for (name, share), left, uses, chart in zip(
        told.items(), seen,
        (["eq-25:second"], of_3, [*_defs("term_4q", "R_2"), "asm term 4"]),
        (every, every, [_FEW]), strict=True,
    ):  # fmt: skip
        book.line(f"{name}, everyone", left(t), "<=", (share * x) ** 2 * _LOSS, uses, scope=LAYERS,
                  vectors=False, chart=chart, conditions=conditions, assumptions=event)  # fmt: skip
    weights = (sp.Integer(1), *(share * x for share in told.values()))
    whole = sum(weights)
    pairs = combinations(zip(weights, (term_1, term_2, term_3, term_4), strict=True), 2)
    uses = [*_defs("R_2 after", "R_2", *(f"term_{i}q" for i in (2, 3, 4))),
            cite("asm everyone", times=n * whole),
            *(cite(f"{name}, everyone", times=whole / (share * x)) for name, share in told.items()),
            *(square(s * v - r * w, times=n / (r * s)) for (r, v), (s, w) in pairs)]  # fmt: skip
    shorter = (*conditions, Condition(eta, "<=", 1 / (20 * K * P_max)))
    chart = [below(P_min, P_max), below(eta, 1 / (20 * K * P_max))]
    rest = 1 - sp.Rational(3, 5) * x
    book.line("final-step:everyone/corrected", R_2(t + 1), "<=", rest * _LOSS, uses, scope=LAYERS,
              vectors=False, chart=chart, conditions=shorter, assumptions=event)  # fmt: skip
    book.line("thm-iv.2:everyone/corrected", _LOSS, "<=", rest**t * R_2(0),
              ["final-step:everyone/corrected", _HYPOTHESIS], chart=chart, conditions=shorter,
              assumptions=event, rule="induction", variable="t")  # fmt: skip
