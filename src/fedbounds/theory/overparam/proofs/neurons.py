"""From (49) to (70): what a round does to the residual of a two-layer ReLU network.

What the paper cites of earlier work, of matrices and of neurons that stay near, is given. What is
true instead is of rounds in which everyone takes part, where the matrix of (59) is symmetric.
"""

import sympy as sp

from fedbounds.theory.checker.data import Premise
from fedbounds.theory.language.claims import Claim, Condition, Reading
from fedbounds.theory.language.symbols import K, eta, n, t
from fedbounds.theory.proof.language import Book, Uses, above, below, cite, square
from fedbounds.theory.proof.vectors import ip, sq

from .. import assumed, relu
from ..relu_measured import QUANTITIES
from ..scope_names import NEURONS, NEURONS_AT_RANDOM
from ..sizes import rate
from ..symbols import (
    A_1,
    D_3,
    R_2,
    H_min,
    S_least,
    S_size,
    lam,
    lam_max,
    radius,
    samples,
)
from ..vectors import by_gram, by_local, by_still, flips, perp, res, res_next, res_s, xis
from .over_rounds import before
from .scopes import SIZE

_UNIT = eta / S_size(t)
_GROWN = 1 + 2 * eta * K * samples
_SPREAD = _UNIT * 4 * samples * radius * K * _GROWN
_DRIFT = _UNIT * 2 * eta * lam_max * K**2 * samples
_MOVED = res_next - res
_FEW, _MANY = below(SIZE, n), above(SIZE, S_least)
_LONGEST = lam**2 / (1000 * lam_max * samples**2 * K)
_SHORT = [above(lam_max, lam), below(eta, _LONGEST), below(radius, lam / (1000 * samples))]
_HALF = cite("asm lambda, ReLU", times=_UNIT * K * lam * R_2(t) * (2 + lam) / 100)
_MOST = n / (2 * K * lam)  # longer than any step of the theorem, lambda being small
_POSITIVE = Condition(eta, "<=", _MOST)
_FEWEST = Condition(S_least, "<=", n)
_EVERYONE = Condition(S_least, "==", n)
_TOLD = {NEURONS: "ReLU", NEURONS_AT_RANDOM: "ReLU at random"}
_HYPOTHESIS = Premise("hypothesis", "hypothesis", ("?",))


def write(book: Book) -> None:
    """All of them."""
    for name in ("A_3p", "v_2", "v_p2"):
        _define(book, name, sp.Function(name)(t), QUANTITIES[name])
    for scope in (NEURONS_AT_RANDOM, NEURONS):
        _identities(book, scope)
    _given(book)
    _terms(book)
    _sum(book)
    _everyone(book)


def _define(book: Book, name: str, left: sp.Expr, right: sp.Expr, of: str = NEURONS) -> None:
    (defined,) = _defs(name, of=of)
    book.define(str(defined).removeprefix("def "), left, right, "(53) to (56)", of)


def _defs(*names: str, of: str = NEURONS) -> Uses:
    return [f"def {name}, {_TOLD[of]}" for name in names]


def _identities(book: Book, of: str) -> None:
    for name in ("R_2", "A_1", "A_2", "A_3", "A_4", "D_1", "D_2", "D_3"):
        _define(book, name, sp.Function(name)(t), QUANTITIES[name], of)
    _define(book, "R_2 after", R_2(t + 1), n * sq(res_next), of)
    book.suppose(f"neurons of Q_i, {_TOLD[of]}", ip(res, _MOVED), ip(res, perp + flips - by_gram),
                 "neurons of Q_i are linear where all stay within R", (assumed.STAYS,), "==",
                 of)  # fmt: skip
    apart = "" if of == NEURONS else _TOLD[of]
    uses = _defs("A_1", "D_1", "D_2", "D_3", of=of)
    book.prove("a1-split", "", uses, scope=of, apart=apart)
    uses = [*_defs("R_2", "R_2 after", "A_1", "A_2", "A_3", "A_4", of=of),
            f"asm neurons of Q_i, {_TOLD[of]}"]  # fmt: skip
    book.prove("eq-53-56", "changes", uses, scope=of, apart=apart,
               reading=_reading(relu.FOUR_TERMS, "changes"))  # fmt: skip


def _of_gram(times: sp.Expr) -> sp.Expr:
    """Of a sum over local steps of a matrix, of the clients of S_t, times residuals."""
    return (_UNIT * K * times) ** 2


def _given(book: Book) -> None:
    near = 4 * samples * radius
    for name, left, relation, right, origin, supposed in (
        ("(74)", sq(xis - res), "<=", (2 * eta * samples * K) ** 2 * sq(res),
         "(74) of Lemma A.8, of an earlier work", relu.START),
        ("(75)", sq(xis), "<=", 2 * _GROWN**2 * sq(res),
         "(75) of Lemma A.8, of an earlier work", relu.START),
        ("H(t,k) and H(0)", sq(by_gram - by_local), "<=",
         _of_gram(2 * samples * radius) * sq(xis),
         "||H(t,k) - H(0)||_F <= 2nR, of an earlier work", relu.STAYS),
        ("(62)", sq(perp), "<=", _of_gram(near) * sq(xis), "(62), of an earlier work", relu.STAYS),
        ("(66)", sq(flips), "<=", _of_gram(near) * sq(xis),
         "(65), and (66), of an earlier work", relu.STAYS),
        ("||H(0)||", sq(by_local - by_still), "<=", _of_gram(lam_max) * sq(xis - res),
         "||H^S(0)|| <= ||H(0)|| <= kappa lambda", relu.START),
        ("H^S(0)", sq(by_still), ">=", _of_gram(H_min) * sq(res_s),
         "lambda_min(H^S(0)) >= lambda_min(H(0)), of singular values", ()),
        ("(65)", sq(_MOVED), "<=", _of_gram(samples) * sq(xis),
         "(65): how far neurons go in a round", relu.START),
        ("lambda", lam, "<=", sp.Rational(1, 2), "tr(H^infinity) = n/2, of samples of norm 1", ()),
        ("H(0)", H_min, ">=", sp.Rational(3, 4) * lam, "what the start is said to be", relu.START),
    ):  # fmt: skip
        of = NEURONS if left not in (H_min, lam) else ""
        book.suppose(f"{name}, ReLU", left, right, origin, supposed, relation, of)
    book.suppose("everyone, ReLU", ip(res, by_still), _UNIT * K * H_min * sq(res),
                 "of all clients, H^S(0) is H(0), which is symmetric", (), ">=", NEURONS,
                 conditions=(_EVERYONE,))  # fmt: skip


def _asm(*names: str) -> Uses:
    return [f"asm {name}, ReLU" for name in names]


def _reading(claim: Claim, part: str) -> Reading:
    return next(one for one in claim.readings if part in one.parts)


def _terms(book: Book) -> None:
    for part, sign in (("above", 1), ("below", -1)):
        uses = [*_defs("D_1", "R_2"), *_asm("H(t,k) and H(0)", "(75)"),
                square(by_gram - by_local - sign * _SPREAD * res)]  # fmt: skip
        book.prove("eq-57", part, uses, scope=NEURONS)
        uses = [*_defs("D_2", "R_2"), *_asm("||H(0)||", "(74)"),
                square(by_local - by_still - sign * _DRIFT * res)]  # fmt: skip
        book.prove("eq-58", part, uses, scope=NEURONS)
    for part in ("H^infinity", "H(0)"):
        book.prove("eq-59", part, [*_defs("D_3", "R_2"), *_asm("H^S(0)")], scope=NEURONS,
                   reading=_reading(relu.THIRD, part))  # fmt: skip
    uses = ["a1-split", "eq-57:below", "eq-58:below", "eq-59:H^infinity"]
    book.prove("eq-60", "", uses)
    uses = [*_defs("A_2", "R_2"), *_asm("(62)", "(75)"), square(perp - 2 * _SPREAD * res)]
    book.prove("eq-61-63", "(63)", uses, scope=NEURONS, reading=_reading(relu.A_TWO, "(63)"))
    for part, v, a, vector, sign in (
        ("changes", "v_2", "A_3", flips, 1), ("printed", "v_p2", "A_3p", perp, -1)
    ):  # fmt: skip
        reading = _reading(relu.A_THREE, f"(64), {part}")
        uses = [*_defs(v, "R_2"), *_asm("(66)" if sign > 0 else "(62)", "(75)")]
        book.prove("eq-64-67", f"(64), {part}", uses, scope=NEURONS, reading=reading)
        uses = [*_defs(a, v, "R_2"), f"eq-64-67:(64), {part}",
                square(vector - sign * 2 * _SPREAD * res)]  # fmt: skip
        book.prove("eq-64-67", f"(67), {part}", uses, scope=NEURONS, reading=reading)
    book.prove("eq-68", "", [*_defs("A_4", "R_2"), *_asm("(65)", "(75)")], scope=NEURONS)


def _sum(book: Book) -> None:
    for part, of in (("A_1", "eq-60"), ("A_2", "eq-61-63:(63)"), ("A_3", "eq-64-67:(67), changes"),
                     ("A_4", "eq-68")):  # fmt: skip
        book.prove("eq-69", part, [of, _HALF], chart=_SHORT)
    four = [f"eq-69:A_{number}" for number in (1, 2, 3, 4)]
    first, second = relu.ROUND.readings
    book.prove("eq-70", "first", ["eq-53-56:changes", *four], reading=first)
    book.prove("eq-70", "second", ["eq-70:first"], reading=second, chart=[_FEW])
    rest, fewest = 1 - rate(S_least, lam), "eq-70, by the fewest"
    book.line(fewest, R_2(t + 1), "<=", rest * R_2(t), ["eq-70:second"], chart=[_MANY],
              conditions=relu.SUPPOSED, assumptions=relu.STAYS)  # fmt: skip
    book.line("(29), where neurons stay", R_2(t), "<=", rest**t * R_2(0), [fewest, _HYPOTHESIS],
              chart=[above(n, S_least), below(eta, _MOST)],
              conditions=(*relu.SUPPOSED, _POSITIVE, _FEWEST), claim="thm-iv.3",
              assumptions=relu.STAYS, rule="induction", variable="t")  # fmt: skip


def _everyone(book: Book) -> None:
    """What is true instead of (59) to (70), and of Theorem IV.3 where neurons stay."""
    rest, conditions = 1 - eta * K * lam / n, (*relu.SUPPOSED, _EVERYONE)
    uses = [*_defs("D_3", "R_2"), *_asm("everyone"),
            cite("asm H(0), ReLU", times=_UNIT * K * n * sq(res))]  # fmt: skip
    book.line("eq-59:everyone/corrected", sp.Rational(3, 4) * K * _UNIT * lam * R_2(t), "<=",
              D_3(t), uses, scope=NEURONS, vectors=False,
              conditions=(_EVERYONE,), assumptions=relu.START)  # fmt: skip
    uses = ["a1-split", "eq-57:below", "eq-58:below", "eq-59:everyone/corrected", _HALF]
    book.line("A_1, everyone", A_1(t), "<=",
              -sp.Rational(11, 8) * _UNIT * K * lam * R_2(t), uses, chart=_SHORT,
              conditions=conditions, assumptions=relu.STAYS)  # fmt: skip
    uses = ["eq-53-56:changes", "A_1, everyone", *(f"eq-69:A_{i}" for i in (2, 3, 4))]
    book.line("eq-70:everyone/corrected", R_2(t + 1), "<=", rest * R_2(t), uses, chart=[_FEW],
              conditions=conditions, assumptions=relu.STAYS)  # fmt: skip
    chart, whole = [below(eta, _MOST)], (*conditions, _POSITIVE)
    cites = before(book, "rounds of everyone, ReLU", R_2, rest, "eq-70:everyone/corrected", chart,
                  whole, relu.STAYS)  # fmt: skip
    book.line("thm-iv.3:everyone/corrected", R_2(t + 1), "<=", rest ** (t + 1) * R_2(0), cites,
              chart=chart, conditions=whole, assumptions=relu.STAYS)  # fmt: skip
