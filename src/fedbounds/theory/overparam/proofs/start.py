"""(21): eigenvalues of P(0) from products of layers at the start; and how far they are apart."""

from collections.abc import Sequence

import sympy as sp

from fedbounds.theory.checker.data import Assignment, Premise
from fedbounds.theory.language.claims import Condition
from fedbounds.theory.proof.language import Book, Uses, above, cite, integer

from .. import linear
from ..symbols import P_max, P_min, d_out, depth, high_0, low_0, s_max2, s_min2

_LEAST, _LARGEST = sp.Rational(16, 25), sp.Rational(36, 25)  # of Lemma A.1, squared
_ONE = Condition(depth, "==", sp.Integer(1))
_SEVERAL = (Condition(depth, ">=", sp.Integer(2)),)
_RATIO, _BY_LAYERS = sp.Rational(81, 16), sp.Rational(7, 4) * depth
MOST = _LARGEST**2 * depth * s_max2 / d_out  # of (21)


def write(book: Book) -> None:
    """All of them."""
    for part, whole, relation, of_data, value, bound, sign in (
        ("least", P_min, ">=", s_min2, low_0, _LEAST, "-"),
        ("largest", P_max, "<=", s_max2, high_0, _LARGEST, ""),
    ):
        several = of_data * ((depth - 2) * value**2 + 2 * value)  # the first and the last one alike
        book.suppose(f"{part} at the start", value, bound, "Lemma A.1", linear.EVENT, relation)
        book.suppose(f"P(0), {part}", whole * d_out, several, relation=relation,
                     origin=f"{part} eigenvalues of sums and of Kronecker products",
                     conditions=_SEVERAL)  # fmt: skip
        book.suppose(f"one layer, {part}", whole * d_out, of_data, "P(0) is X'X, of each output",
                     relation="==", conditions=(_ONE,))  # fmt: skip
        slope = ((depth - 2) * (value + bound) + 2) * of_data / d_out
        uses: Uses = [cite(f"asm P(0), {part}", times=1 / d_out),
                      cite(f"asm {part} at the start", times=slope)]  # fmt: skip
        book.line(f"{part}, several layers", whole, relation, several.subs(value, bound) / d_out,
                  uses, conditions=_SEVERAL, assumptions=linear.EVENT,
                  chart=[above(depth, 2)])  # fmt: skip
        uses = [Premise("step", f"asm one layer, {part}", (f"{sign}1/d_out", "0")),
                Premise("step", f"{part}, several layers", ("0", "1"))]  # fmt: skip
        book.prove("eq-21", part, uses, chart=[integer(depth, 1)])
    _apart(book)


def _apart(book: Book) -> None:
    low = _LEAST**2 * depth * s_min2 / d_out
    book.line("least squared", low**2, "<=", P_min**2, [cite("eq-21:least", times=low + P_min)],
              assumptions=linear.EVENT)  # fmt: skip
    uses: Uses = [cite("eq-21:least", times=_RATIO * s_max2), cite("eq-21:largest", times=s_min2)]
    _ratio(book, "ratio", _RATIO, uses, [])
    by_layers = (("asm one layer, largest", ("s_min2/d_out", "0")),
                 ("asm one layer, least", ("-s_max2/d_out", "0")),
                 ("largest, several layers", ("0", "s_min2")),
                 ("least, several layers", ("0", "7/4*depth*s_max2")))  # fmt: skip
    uses = [Premise("step", name, times) for name, times in by_layers]
    _ratio(book, "ratio, by layers", _BY_LAYERS, uses, [integer(depth, 1)])


def _ratio(book: Book, name: str, most: sp.Expr, uses: Uses, chart: Sequence[Assignment]) -> None:
    """lambda_max(P(0))/lambda_min(P(0)) is at most ``most`` times kappa; and squared."""
    left, right = P_max * s_min2, most * P_min * s_max2
    book.line(name, left, "<=", right, uses, assumptions=linear.EVENT, chart=chart)
    book.line(f"{name}, squared", left**2, "<=", right**2, [cite(name, times=left + right)],
              assumptions=linear.EVENT)  # fmt: skip
