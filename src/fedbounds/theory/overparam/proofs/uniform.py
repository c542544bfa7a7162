"""What is true instead of Theorem IV.2 where outputs are linear in the model: one layer.

Every client's losses vanish at theta*, the fit nearest to the start. A local step brings a client
nearer to it by its loss; the mean of some clients is as near as clients are on average; and the
losses of all clients together are at least lambda times the squared distance.
"""

import sympy as sp

from fedbounds.theory.checker.data import Premise
from fedbounds.theory.language.claims import Condition
from fedbounds.theory.language.symbols import K, eta, n, t
from fedbounds.theory.proof.language import Book, Uses, above, below, cite, square
from fedbounds.theory.proof.vectors import given, ip, past, sq

from .. import assumed
from ..measured import QUANTITIES
from ..scope_names import AT_RANDOM
from ..symbols import P_max, P_min, depth, far_2
from ..vectors import after, gs, res, star, x, xis, y, ys, ys_next

_ONE_LAYER = Condition(depth, "==", sp.Integer(1))
_LONGEST = 1 / (5 * K * P_max)
_MANY = (Condition(n, ">=", sp.Integer(2)),)  # of one client there is nothing to draw
_SHORT = (*_MANY, _ONE_LAYER, Condition(eta, "<=", _LONGEST))
_ASSUMED = (assumed.INDEPENDENT,)
_ORDER = Condition(P_min, "<=", P_max)  # the least eigenvalue, and the largest
_HYPOTHESIS = Premise("hypothesis", "hypothesis", ("?",))
_RATE = eta * K * P_min / n


def write(book: Book) -> None:
    """All of them."""
    for name in ("R_2", "far_2"):
        book.define(name, sp.Function(name)(t), QUANTITIES[name], "ours", AT_RANDOM)
    book.define("far_2 after a round", far_2(t + 1), sq(after - star), "ours", AT_RANDOM)
    _given(book)
    moved, first = sq(ys_next - star) - sq(ys - star), (1 - eta * K * P_max) ** 2 * sq(res)
    uses: Uses = ["asm slope towards a fit", "asm slope and loss"]
    book.line("a local step", moved, "<=", -eta * (2 - eta * P_max) * sq(xis), uses,
              scope=AT_RANDOM, source="ours", conditions=_SHORT, assumptions=_ASSUMED)  # fmt: skip
    pulled = eta * K * (2 - eta * P_max)
    uses = [cite("a local step", times=K), "asm local steps add up",
            cite("asm losses stay", times=pulled)]  # fmt: skip
    book.line("local steps", sq(y - star), "<=", sq(x - star) - pulled * first, uses,
              scope=AT_RANDOM, chart=[below(eta, _LONGEST)], source="ours", conditions=_SHORT,
              assumptions=_ASSUMED)  # fmt: skip
    book.line("the mean of some clients", sq(after - star), "<=", sq(y - star),
              [square(y - given(y, past))], scope=AT_RANDOM,
              chart=[above(n, 2)], conditions=_MANY, source="ours",
              assumptions=_ASSUMED)  # fmt: skip
    book.line("a round", far_2(t + 1), "<=", (1 - _RATE) * far_2(t),
              ["def far_2 after a round", "the mean of some clients", "local steps",
               "asm losses and distance", "def far_2"],
              scope=AT_RANDOM, vectors=False, chart=[above(n, 2), below(eta, _LONGEST)],
              source="ours", conditions=_SHORT, assumptions=_ASSUMED)  # fmt: skip
    book.line("thm-iv.2:uniform/corrected", far_2(t), "<=", (1 - _RATE) ** t * far_2(0),
              ["a round", _HYPOTHESIS], chart=[below(P_min, P_max), below(eta, _LONGEST)],
              conditions=(*_SHORT, _ORDER), assumptions=_ASSUMED, rule="induction",
              variable="t")  # fmt: skip


def _given(book: Book) -> None:
    for name, left, relation, right, origin in (
        ("slope towards a fit", ip(gs, ys - star), "==", sq(xis),
         "one layer: residuals are J times the way to a fit"),
        ("slope and loss", sq(gs), "<=", P_max * sq(xis),
         "one layer: slopes are J' times residuals, and ||J' r||^2 <= lambda_max(P(0)) ||r||^2"),
        ("local steps add up", K * (sq(ys_next - star) - sq(ys - star)), "==",
         sq(y - star) - sq(x - star), "K local steps follow each other"),
        ("losses stay", (1 - eta * K * P_max) ** 2 * sq(res), "<=", sq(xis),
         "one layer: a local step takes at most eta lambda_max(P(0)) of a residual"),
        ("losses and distance", P_min * sq(x - star), "<=", n * sq(res),
         "one layer: theta - theta* is in the range of J', where ||J v||^2 >= lambda_min ||v||^2"),
    ):  # fmt: skip
        book.suppose(name, left, right, origin, _ASSUMED[:1], relation, AT_RANDOM,
                     conditions=_SHORT)  # fmt: skip
