"""What is true instead of Theorem IV.2 where outputs are linear in the model.

That is a network of one layer, and any network linearised at its start. Every client's losses
vanish at a fit, the one nearest to the start. A local step brings a client nearer to it by its
loss; the mean of some clients is as near as clients are on average; and the losses of all clients
together are at least lambda times the squared distance.
"""

from dataclasses import dataclass
from typing import Any

import sympy as sp

from fedbounds.theory.language.claims import Condition
from fedbounds.theory.language.symbols import K, eta, n, t
from fedbounds.theory.proof.language import Book, Uses, above, below, cite, square
from fedbounds.theory.proof.vectors import given, ip, past, sq

from .. import assumed, vectors
from ..scope_names import AT_RANDOM, LINEAR_AT_RANDOM
from ..sizes import LINEAR_RATE as _RATE
from ..sizes import LONGEST_LINEAR as _LONGEST
from ..symbols import P_max, P_min, depth, far_2, far_z2
from .over_rounds import before

_ONE_LAYER = Condition(depth, "==", sp.Integer(1))
_MANY = (Condition(n, ">=", sp.Integer(2)),)  # of one client there is nothing to draw
_ASSUMED = (assumed.INDEPENDENT,)
_ORDER = Condition(P_min, "<=", P_max)  # the least eigenvalue, and the largest


@dataclass(frozen=True, eq=False)
class _Linear:
    """A model in which outputs are linear: what its vectors are called.

    Attributes
    ----------
    told : str
        What its steps end in.
    scope : str
    far : function
        E of its squared distance to the fit.
    x, after, fit, res, ys, ys_next, y, gs, xis : expressions
    conditions : tuple of Condition
    """

    told: str
    scope: str
    far: sp.Function
    x: sp.Expr
    after: sp.Expr
    fit: sp.Expr
    res: sp.Expr
    ys: sp.Expr
    ys_next: sp.Expr
    y: sp.Expr
    gs: sp.Expr
    xis: sp.Expr
    conditions: tuple[Condition, ...]


def _short(*more: Condition) -> tuple[Condition, ...]:
    return (*_MANY, *more, Condition(eta, "<=", _LONGEST))


_LAYER = _Linear(
    "", AT_RANDOM, far_2, vectors.x, vectors.after, vectors.star, vectors.res, vectors.ys,
    vectors.ys_next, vectors.y, vectors.gs, vectors.xis, _short(_ONE_LAYER),
)  # fmt: skip
_LINEARISED = _Linear(
    ", linearised", LINEAR_AT_RANDOM, far_z2, vectors.x_lin, vectors.after_z, vectors.fit,
    vectors.still, vectors.zs, vectors.zs_next, vectors.z_end, vectors.gs_z, vectors.lins_z,
    _short(),
)  # fmt: skip


def write(book: Book) -> None:
    """Of both."""
    chart = [below(P_min, P_max), below(eta, _LONGEST)]
    for of, name in ((_LAYER, "far_2"), (_LINEARISED, "far_z2")):
        book.define(name, of.far(t), sq(of.x - of.fit), "ours", of.scope)
        book.define(f"{name} after a round", of.far(t + 1), sq(of.after - of.fit), "ours",
                    of.scope)  # fmt: skip
        _given(book, of)
        _of_a_round(book, of, name)
    rounds = [
        before(book, f"rounds of some clients{of.told}", of.far, 1 - _RATE, f"a round{of.told}",
               chart, (*of.conditions, _ORDER), _ASSUMED)
        for of in (_LAYER, _LINEARISED)
    ]  # fmt: skip
    book.line("thm-iv.2:uniform/corrected", far_2(t + 1), "<=", (1 - _RATE) ** (t + 1) * far_2(0),
              rounds[0], chart=chart, conditions=(*_LAYER.conditions, _ORDER),
              assumptions=_ASSUMED)  # fmt: skip
    book.prove("kernel", "", rounds[1], chart=chart)


def _of_a_round(book: Book, of: _Linear, name: str) -> None:
    told = {"conditions": of.conditions, "assumptions": _ASSUMED}
    asked: dict[str, Any] = {"source": "ours", "scope": of.scope, **told}
    x, y, fit = of.x, of.y, of.fit
    moved, first = sq(of.ys_next - fit) - sq(of.ys - fit), (1 - eta * K * P_max) ** 2 * sq(of.res)
    uses: Uses = [f"asm slope towards a fit{of.told}", f"asm slope and loss{of.told}"]
    book.line(
        f"a local step{of.told}", moved, "<=", -eta * (2 - eta * P_max) * sq(of.xis), uses, **asked
    )
    pulled = eta * K * (2 - eta * P_max)
    uses = [cite(f"a local step{of.told}", times=K), f"asm local steps add up{of.told}",
            cite(f"asm losses stay{of.told}", times=pulled)]  # fmt: skip
    book.line(f"local steps{of.told}", sq(y - fit), "<=", sq(x - fit) - pulled * first, uses,
              chart=[below(eta, _LONGEST)], **asked)  # fmt: skip
    book.line(f"the mean of some clients{of.told}", sq(of.after - fit), "<=", sq(y - fit),
              [square(y - given(y, past))], scope=of.scope, chart=[above(n, 2)],
              source="ours", conditions=_MANY, assumptions=_ASSUMED)  # fmt: skip
    book.line(f"a round{of.told}", of.far(t + 1), "<=", (1 - _RATE) * of.far(t),
              [f"def {name} after a round", f"the mean of some clients{of.told}",
               f"local steps{of.told}", f"asm losses and distance{of.told}", f"def {name}"],
              vectors=False, chart=[above(n, 2), below(eta, _LONGEST)], **asked)  # fmt: skip


def _given(book: Book, of: _Linear) -> None:
    x, y, ys, ys_next, fit, gs, xis = of.x, of.y, of.ys, of.ys_next, of.fit, of.gs, of.xis
    for name, left, relation, right, origin in (
        ("slope towards a fit", ip(gs, ys - fit), "==", sq(xis),
         "linear: residuals are J times the way to a fit"),
        ("slope and loss", sq(gs), "<=", P_max * sq(xis),
         "linear: slopes are J' times residuals, and ||J' r||^2 <= lambda_max(P(0)) ||r||^2"),
        ("local steps add up", K * (sq(ys_next - fit) - sq(ys - fit)), "==",
         sq(y - fit) - sq(x - fit), "K local steps follow each other"),
        ("losses stay", (1 - eta * K * P_max) ** 2 * sq(of.res), "<=", sq(xis),
         "linear: a local step takes at most eta lambda_max(P(0)) of a residual"),
        ("losses and distance", P_min * sq(x - fit), "<=", n * sq(of.res),
         "linear: the way to the fit is in the range of J', where ||J v||^2 >= lambda_min ||v||^2"),
    ):  # fmt: skip
        book.suppose(f"{name}{of.told}", left, right, origin, _ASSUMED, relation, of.scope,
                     conditions=of.conditions)  # fmt: skip
