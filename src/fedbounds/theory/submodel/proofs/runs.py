"""Claims that runs are other runs: virtual iterates, and local SGD at full masks.

A local step, k steps into a round: where m o y = w, both gradients are taken at the same point, so
that m o y = w after the step too. By induction from m o w^t this holds in the whole round.
"""

from fedbounds.theory.checker.data import Scope
from fedbounds.theory.language.symbols import K, L, eta, t
from fedbounds.theory.proof.language import Book, cite, equal
from fedbounds.theory.proof.text import need
from fedbounds.theory.proof.vectors import given, past, sq, xi
from fedbounds.theory.submodel import measured
from fedbounds.theory.submodel.runs import RECOVER
from fedbounds.theory.submodel.scope_names import FULL, STEP, WHOLE
from fedbounds.theory.submodel.symbols import (
    Ea_2,
    Er_2,
    Ev_2,
    Sa_2,
    Sr_2,
    Sv_2,
    W_sup,
    nu_star2,
    p_mean,
    p_spread,
    zeta_star2,
)
from fedbounds.theory.submodel.vectors_runs import (
    back,
    cx,
    cy_k,
    cy_next,
    masked_step,
    my_k,
    my_next,
    server,
    sgd,
    sgd_step,
    virtual,
    w_k,
    w_next,
    y_K,
)

from .. import assumed
from .definitions_rounds import y
from .writing import Row, defined, prove, suppose, supposed

_ALL = ("past", "xi", "i", "k")
_LAST = ("past", "xi", "i")
SCOPES = {
    STEP: Scope(
        sources=_ALL,
        atoms=tuple((name, _ALL) for name in ("w_k", "my_k", "cy_k", "step_k")),
        # m o (m o g) = m o g, and (1 - m) o (m o g) = 0
        derived=(
            ("w_next", "w_k - eta*step_k"),
            ("my_next", "my_k - eta*step_k"),
            ("cy_next", "cy_k"),
        ),
    ),
    WHOLE: Scope(
        sources=_ALL,
        atoms=(
            ("w_k", _ALL),
            *((name, _ALL) for name in ("my_k", "cy_k")),
            ("cx", _LAST),
            *((name, ("past", "xi")) for name in ("server", "virtual")),
            *((name, _LAST) for name in ("back", "y_K")),
        ),
        derived=(("y", "my_k + cy_k"),),
    ),
    FULL: Scope(
        sources=_ALL,
        atoms=(
            ("x", ("past",)),
            ("ho", ("i",)),
            *((name, _ALL) for name in ("sgd_step", "masked_step")),
            *((name, ("past", "xi")) for name in ("server", "sgd")),
        ),
        # no mask is random: ho depends on none
        needs=(need(("ho",), assumed.KEPT, under=RECOVER.part("algorithm").conditions),),
    ),
}


def _virtual(book: Book) -> None:
    claim = "claim-virtual"
    book.line(
        f"{claim}: one step, kept entries", sq(my_next - w_next), "==", sq(my_k - w_k),
        scope=STEP, claim=claim,
    )  # fmt: skip
    book.line(
        f"{claim}: one step, other entries", sq(cy_next - cy_k), "==", 0, scope=STEP, claim=claim
    )
    sums = {"Sv_2": measured.LOCAL_SIZE.xreplace({my_k + cy_k: y})}
    for quantity in (Ev_2, Sv_2, Ea_2, Sa_2):
        name = str(quantity)
        right = sums.get(name, measured.SAME_RUNS[name])
        book.define(f"{name} ({WHOLE})", quantity(t), right, "Appendix C.1", WHOLE)
    steps = [f"{claim}: one step, {entries} entries" for entries in ("kept", "other")]
    every = "every step leaves m o y - w and (1 - m) o y as they are, from m o w^t on"
    rows: list[Row] = [
        ("kept entries", sq(my_k - w_k), "==", 0, every, ()),
        ("other entries", sq(cy_k - cx), "==", 0, every, ()),
        ("last iterates", sq(given(back - y_K, past, xi)), "==", 0, every, ()),
    ]
    suppose(book, WHOLE, rows, restates=steps)
    uses = [*defined(WHOLE, "Ev_2"), *supposed(WHOLE, "kept entries", "other entries")]
    prove(book, claim, "local iterates", uses, scope=WHOLE)
    means = sq(given(back - y_K, past, xi))
    row: Row = (
        "equal points have equal projections", sq(server - virtual), "==", means,
        "Algorithms 1 and 2: w^{t+1} is the projection of the mean of these, which are equal", (),
    )  # fmt: skip
    suppose(book, WHOLE, [row])
    uses = [*defined(WHOLE, "Ea_2"), *supposed(WHOLE, row[0], "last iterates")]
    prove(book, claim, "average", uses, scope=WHOLE)


def _recover(book: Book) -> None:
    claim, full = "claim-recover", RECOVER.part("algorithm").conditions
    of_runs, at_best = measured.SAME_RUNS, measured.AT_OPTIMUM
    for name, left, right, conditions in (
        ("Er_2", Er_2(t), of_runs["Er_2"], ()),
        ("Sr_2", Sr_2(t), of_runs["Sr_2"], ()),
        ("nu_star2", nu_star2, at_best["nu_star2"], full),
        ("zeta_star2", zeta_star2, at_best["zeta_star2"], full),
    ):
        book.define(f"{name} ({FULL})", left, right, "after Theorem 1, p = 1", FULL, conditions)
    same = "every mask is 1: the same steps from the same points, by induction over the steps"
    projected = "the server's projection of the same mean"
    apart = sq(given(masked_step - sgd_step, past, xi))
    rows: list[Row] = [
        ("same steps", apart, "==", 0, same, (assumed.KEPT,)),
        (
            "same server", sq(server - sgd), "==", eta**2 * K**2 * apart, projected,
            (assumed.KEPT,),
        ),
    ]  # fmt: skip
    suppose(book, FULL, rows, full)
    book.suppose("no spread", p_spread, 0, "every p_i is 1", (), "==", conditions=full)
    chart = [equal(p_mean, 1)]
    uses = [*defined(FULL, "Er_2"), *supposed(FULL, *(row[0] for row in rows))]
    prove(book, claim, "algorithm", uses, scope=FULL, chart=chart)
    uses = [*defined(FULL, "nu_star2")]
    prove(book, claim, "no mask variance", uses, scope=FULL, chart=chart)
    uses = [cite("asm no spread", times=L * W_sup)]
    prove(book, claim, "no residual", uses, chart=chart)


def write(book: Book) -> None:
    """Both claims."""
    _virtual(book)
    _recover(book)
