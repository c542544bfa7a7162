"""What is true instead of the final step and of Theorem IV.2 where everyone takes part.

The matrix of term 1 is then P(0), which is symmetric; local steps move by what (40) says, with the
L of its eigenvalues that it leaves out.
"""

from itertools import combinations

import sympy as sp

from fedbounds.theory.language.claims import Condition
from fedbounds.theory.language.symbols import K, eta, n, t
from fedbounds.theory.proof.language import Book, Uses, above, below, cite, equal, square
from fedbounds.theory.proof.vectors import sq

from .. import linear
from ..scope_names import LAYERS
from ..sizes import MOVED, SHORT
from ..symbols import R_2, P_max, P_min, S_least, depth, term_2q, term_3q, term_4q
from ..vectors import res, term_1, term_2, term_3, term_4, xis
from .layers import FEW, at_longest, defs
from .over_rounds import before
from .scopes import SIZE

_X = eta * K * P_min / n
_TENTHS = {"term 2": sp.Rational(28, 10), "term 3": sp.Rational(3), "term 4": sp.Rational(1)}
_EVERYONE = Condition(S_least, "==", n)
_MOVES = K * depth * MOVED / 2
_LONGEST = 1 / (20 * K * P_max)
_TOLD = (*linear.SUPPOSED, _EVERYONE)
_SHORTER = (*_TOLD, Condition(eta, "<=", _LONGEST))


def write(book: Book) -> None:
    """All of them."""
    book.suppose("everyone", sq(term_1), (1 - _X) ** 2 * sq(res),
                 "P^S(0) is P(0), which is symmetric, and eta K lambda_max(P(0)) <= N",
                 linear.EVENT, scope=LAYERS, conditions=(SHORT, _EVERYONE))  # fmt: skip
    book.suppose("local moves", sq(xis - res), _MOVES**2 * sq(res),
                 "(40) with the L of its eigenvalues, in steps that lose nothing", linear.EVENT,
                 scope=LAYERS, conditions=linear.SUPPOSED)  # fmt: skip
    _terms(book)
    weights = (sp.Integer(1), *(share * _X / 10 for share in _TENTHS.values()))
    whole = sum(weights)
    pairs = combinations(zip(weights, (term_1, term_2, term_3, term_4), strict=True), 2)
    uses: Uses = [*defs("R_2 after", "R_2", *(f"term_{i}q" for i in (2, 3, 4))),
                  cite("asm everyone", times=n * whole),
                  *(cite(f"{name}, everyone", times=10 * whole / (share * _X))
                    for name, share in _TENTHS.items()),
                  *(square(s * v - r * w, times=n / (r * s))
                    for (r, v), (s, w) in pairs)]  # fmt: skip
    chart, rest = [below(P_min, P_max), below(eta, _LONGEST)], 1 - sp.Rational(3, 5) * _X
    book.line("final-step:everyone/corrected", R_2(t + 1), "<=", rest * R_2(t), uses, scope=LAYERS,
              vectors=False, chart=chart, conditions=_SHORTER,
              assumptions=linear.EVENT)  # fmt: skip
    uses = before(book, "rounds of everyone", R_2, rest, "final-step:everyone/corrected", chart,
                  _SHORTER, linear.EVENT)  # fmt: skip
    book.line("thm-iv.2:everyone/corrected", R_2(t + 1), "<=", rest ** (t + 1) * R_2(0), uses,
              chart=chart, conditions=_SHORTER, assumptions=linear.EVENT)  # fmt: skip


def _terms(book: Book) -> None:
    of_3: Uses = [*defs("term_3q", "R_2"), "asm ||P^S(0)||", "asm local moves",
                  *at_longest("ratio, squared", _MOVES, n * sq(res))]  # fmt: skip
    of_4: Uses = [*defs("term_4q", "R_2"), "asm term 4"]
    many = [equal(S_least, n), above(SIZE, S_least)]
    every = ((term_2q, ["eq-25:second"], many), (term_3q, of_3, many), (term_4q, of_4, [FEW]))
    for (name, share), (left, uses, chart) in zip(_TENTHS.items(), every, strict=True):
        book.line(f"{name}, everyone", left(t), "<=", (share * _X / 10) ** 2 * R_2(t), uses,
                  scope=LAYERS, vectors=False, chart=chart, conditions=_TOLD,
                  assumptions=linear.EVENT)  # fmt: skip
