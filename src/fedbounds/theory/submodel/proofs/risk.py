"""Corollary 1: Theorem 1 of each run, Lemma 2 and Theorem 5.

Theorem 1 is claimed of runs on one data set; means over data sets keep it.
"""

from fedbounds.facts import Fact
from fedbounds.theory.checker.data import Scope
from fedbounds.theory.language.symbols import K, L, eta, mu, n, t
from fedbounds.theory.proof.language import Book, below, cite, square
from fedbounds.theory.proof.vectors import ip, vectors
from fedbounds.theory.submodel.bounds import random_distance
from fedbounds.theory.submodel.risk import COROLLARY_1
from fedbounds.theory.submodel.symbols import (
    L_F,
    D_full,
    D_opt,
    G,
    G_m,
    L_hat,
    dl_w,
    ex_hat,
    ex_w,
    full_dist,
    gen,
    n_s,
    p_mean,
)
from fedbounds.theory.submodel.vectors import at, one, opt, opt_s

from .. import assumed
from .scopes import STEP
from .writing import Row, Use, defined, prove, suppose, supposed

HAT = "a projected step of coupled runs"
hat_loss, hat_apart = vectors(
    {
        "hat_loss": r"(\ell(\hat w;z')-\ell(\hat w';z'))",
        "hat_apart": r"\|\hat w-\hat w'\|",
    }
)
SCOPES = {
    HAT: Scope(
        sources=("past", "i"),
        atoms=(("one", ()), ("hat_loss", ("past", "i")), ("hat_apart", ("past", "i"))),
    )
}
_STRONG = (
    Fact.SMOOTH,
    Fact.NOISE,
    Fact.STRONGLY_CONVEX,
    assumed.KEPT,
)
_SMOOTH, _FREE = Fact.SMOOTH, Fact.UNCONSTRAINED
_EDGE = below(eta, 1 / (10 * K * L))
_CHART = [below(mu, L), below(p_mean, 1), _EDGE]


def _last(book: Book) -> None:
    """F(w) - F(w*) <= L/2 ||w - w*||^2 without constraint, over w*(p)."""
    conditions = COROLLARY_1.part("last model").conditions
    book.line(
        "cor-1: distances", D_full(t), "<=", 2 * D_opt(t) + 2 * full_dist,
        [*defined(STEP, "D_full", "D_opt", "full_dist"), square(at - 2 * opt + opt_s)],
        scope=STEP, vectors=False, claim="cor-1",
    )  # fmt: skip
    book.suppose("excess of w^t", ex_w(t), gen(t) + L_F(t), "F_pop = F_S + their gap", (), "==")
    optimum = "descent lemma from w*, where grad F is zero"
    book.suppose("loss of w^t", L_F(t), L / 2 * D_full(t), optimum, (_SMOOTH, _FREE))
    book.suppose(
        "Theorem 1 of both runs", D_opt(t), random_distance(t), "thm-1:distance", _STRONG,
        conditions=conditions, restates=["thm-1:distance"],
    )  # fmt: skip
    uses: list[Use] = [
        cite("asm excess of w^t", times=1), cite("lem-1:above", times=1),
        cite("thm-5:a, stability", times=1), cite("asm loss of w^t", times=1),
        cite("cor-1: distances", times=L / 2), cite("asm Theorem 1 of both runs", times=L),
        cite("lem-2:full, gap at w*(p)", times=L),
    ]  # fmt: skip
    prove(book, "cor-1", "last model", uses, chart=_CHART)


def _hat(book: Book) -> None:
    """w^ is a non-expansive step of w^t, plus a gradient of one sample over n n_s."""
    samples = (_SMOOTH, Fact.SMOOTH_SAMPLES, Fact.CONVEX_SAMPLES)
    lipschitz, data = (assumed.LIPSCHITZ_SAMPLES,), (assumed.INDEPENDENT_SAMPLES,)
    moved = dl_w(t) + 2 * G_m / (L * n_s * n)
    rows: list[Row] = [
        ("excess", ex_hat(t), "==", ip(hat_loss, one) + L_hat(t), "Lemma 1 for w^", data),
        ("losses", ip(hat_loss, one), "<=", G * ip(hat_apart, one), "G-Lipschitz", lipschitz),
        (
            "step", ip(hat_apart, one), "<=", moved,
            "a step of size 1/L on equal data, and two gradients of the changed sample", samples,
        ),
    ]  # fmt: skip
    for row, lemma in zip(rows, ("lem-1:above", None, "lem-12: equal samples"), strict=True):
        suppose(book, HAT, [row], restates=[lemma] if lemma else [])
    excess, losses, step = supposed(HAT, "excess", "losses", "step")
    uses: list[Use] = [
        cite(str(excess), times=1), cite(str(losses), times=1), cite(str(step), times=G),
        cite("thm-5:a", times=G), cite("lem-3:strongly convex", times=1),
        cite("asm Theorem 1 of both runs", times=L), cite("thm-1: gap_full_at_p", times=L / mu**2),
        cite("thm-1: Dl_w", times=1 / (2 * L)),
    ]  # fmt: skip
    prove(book, "cor-1", "projected step", uses, scope=HAT, chart=_CHART)


def write(book: Book) -> None:
    """Both parts."""
    _last(book)
    _hat(book)
