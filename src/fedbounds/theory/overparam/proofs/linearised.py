"""How far networks of two layers are from their linearisation at the start.

A round keeps no more of theta - z than there was, since I - eta J(0)'J(0) lengthens nothing; and
gains by what slopes differ: J moves along what is missed, and outputs by what layers change
together.
"""

import sympy as sp

from fedbounds.theory.checker.data import Premise
from fedbounds.theory.language.symbols import K, eta, n, t
from fedbounds.theory.proof.language import Book, Uses, cite, root, square
from fedbounds.theory.proof.vectors import sq

from ..linearised import A_STEP, NEAR, SHORT, TOGETHER, TWO_LAYERS, UNIT
from ..scope_names import BESIDE_LINEAR
from ..symbols import P_max, S_size, apart_2, most_moved2, most_xi2, near_2
from ..vectors import bent, bowed, gained, kept, lin_next, pulled, res_next, still_next, x, x_lin

_SHARE = n / S_size(t)  # of means over all clients, in which those of S_t alone are not 0
_ROOT, _SHARED = sp.sqrt(P_max), sp.sqrt(most_moved2 * most_xi2)
_CHART = [root(symbol, 2) for symbol in (P_max, most_moved2, most_xi2)]
_TOLD = (TWO_LAYERS, SHORT)
_A_ROUND = UNIT * (eta * K * A_STEP) ** 2
_HYPOTHESIS = Premise("hypothesis", "hypothesis", ("?",))


def write(book: Book) -> None:
    """All of them."""
    for name, at, vector in (("", t, x - x_lin), (" after", t + 1, kept + gained)):
        book.define(f"near_2{name}", near_2(at), sq(vector), "ours", BESIDE_LINEAR)
    book.define("apart_2 after", apart_2(t + 1), n * sq(res_next - still_next), "ours",
                BESIDE_LINEAR)  # fmt: skip
    _given(book)
    _of_a_round(book)
    _of_outputs(book)


def _given(book: Book) -> None:
    book.suppose("both start alike", near_2(0), 0, "z(0) is theta(0)")
    for name, left, right, origin in (
        ("what is kept", sq(kept), sq(x - x_lin),
         "I - eta J_c(0)'J_c(0) has eigenvalues from 0 to 1; a mean is no longer"),
        ("what is gained", sq(gained), _SHARE * (eta * K) ** 2 * sq(bent + pulled),
         "the same; and a mean of squares is at least the square of the mean"),
    ):  # fmt: skip
        book.suppose(name, left, right, origin, scope=BESIDE_LINEAR, conditions=(SHORT,))
    for name, left, right, origin in (
        ("pulled back", sq(pulled), P_max * sq(bowed),
         "||J_c(0)' r||^2 <= lambda_max(P(0)) ||r||^2"),
        ("outputs of both", n * sq(lin_next - still_next), P_max * sq(kept + gained),
         "||J(0) v||^2 <= lambda_max(P(0)) ||v||^2"),
    ):  # fmt: skip
        book.suppose(name, left, right, origin, scope=BESIDE_LINEAR)
    for name, left, right, origin in (
        ("layers together", n * sq(res_next - lin_next), UNIT * TOGETHER**2,
         "C_1 ||D_2 D_1 X||, D_i the move of W^i"),
        ("layers together, locally", _SHARE * sq(bowed), UNIT * TOGETHER**2,
         "C_1 ||D_2 D_1 X_c||, D_i the move of W^i"),
        ("slopes", _SHARE * sq(bent), UNIT * most_moved2 * most_xi2,
         "C_1 (D_2 X_c)' and C_1 D_1 X_c along what is missed, in W^1 and in W^2"),
    ):  # fmt: skip
        book.suppose(name, left, right, origin, scope=BESIDE_LINEAR, conditions=(TWO_LAYERS,))


def _of_a_round(book: Book) -> None:
    """Norms add up: by a square each, whose weights are those of the bounds."""
    pulls = _ROOT * TOGETHER
    uses: Uses = [
        cite("asm slopes", times=A_STEP / _SHARED),
        cite("asm pulled back", times=_SHARE * A_STEP / pulls),
        cite("asm layers together, locally", times=P_max * A_STEP / pulls),
        square(pulls * bent - _SHARED * pulled, times=_SHARE / (pulls * _SHARED)),
    ]
    book.line("slopes of both", _SHARE * sq(bent + pulled), "<=", UNIT * A_STEP**2, uses,
              scope=BESIDE_LINEAR, chart=_CHART, conditions=_TOLD, source="ours")  # fmt: skip
    uses = [
        "def near_2", "def near_2 after", cite("asm what is kept", times=(t + 2) / (t + 1)),
        cite("asm what is gained", times=t + 2),
        cite("slopes of both", times=(t + 2) * (eta * K) ** 2),
        square(kept - (t + 1) * gained, times=1 / (t + 1)),
    ]  # fmt: skip
    book.line("a round of both", near_2(t + 1), "<=",
              (t + 2) / (t + 1) * near_2(t) + (t + 2) * _A_ROUND, uses, scope=BESIDE_LINEAR,
              vectors=False, chart=_CHART, conditions=_TOLD, source="ours")  # fmt: skip
    book.line("rounds of both", near_2(t), "<=", t * (t + 1) * _A_ROUND,
              [cite("a round of both", times=1), _HYPOTHESIS], base=["asm both start alike"],
              chart=_CHART, conditions=_TOLD, source="ours", rule="induction",
              variable="t")  # fmt: skip


def _of_outputs(book: Book) -> None:
    """(t + 1)(t + 2) is less than the square of t + 3/2."""
    far = _ROOT * eta * K * (t + sp.Rational(3, 2)) * A_STEP
    of_layers, of_models = (TOGETHER + far) / TOGETHER, (TOGETHER + far) / far
    uses: Uses = [
        "def apart_2 after",
        cite("asm outputs of both", times=of_models),
        cite("def near_2 after", times=-P_max * of_models),
        cite("a round of both", times=P_max * of_models),
        cite("rounds of both", times=P_max * of_models * (t + 2) / (t + 1)),
        cite("asm layers together", times=of_layers),
        square(far * (res_next - lin_next) - TOGETHER * (lin_next - still_next),
               times=n / (far * TOGETHER)),
    ]  # fmt: skip
    (reading,) = (one for one in NEAR.readings if "two layers" in one.parts)
    book.prove("linearised", "two layers", uses, scope=BESIDE_LINEAR, chart=_CHART,
               reading=reading)  # fmt: skip
