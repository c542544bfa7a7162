"""Lemmas 2, 3, 7 and 8: minimisers of masked objectives, and what they lose."""

from fedbounds.facts import Fact
from fedbounds.theory.language.symbols import L, mu, n, t
from fedbounds.theory.proof.language import Book, cite, square
from fedbounds.theory.proof.vectors import ip, sq
from fedbounds.theory.submodel.symbols import (
    D_full,
    D_opt,
    Dl_w,
    L_hat,
    full_dist,
    gap_at_1,
    gap_at_2,
    gap_full_at_1,
    gap_full_at_p,
    opt_dist,
    p_dist,
    p_dist_2,
    p_mean,
    p_mean_2,
    q_mean,
    q_mean_2,
)
from fedbounds.theory.submodel.vectors import (
    at,
    full,
    gf_o,
    gf_s,
    gp_2,
    gp_o,
    gp_s,
    gq_2,
    gq_o,
    hat,
    masked,
    one,
    opt,
    opt_2,
    opt_s,
    p_diff,
)

from .. import assumed
from .scopes import MINIMISERS, STEP
from .writing import Row, Use, defined, prove, suppose, supposed

_SMOOTH, _CONVEX = (Fact.SMOOTH,), (Fact.STRONGLY_CONVEX,)
_KEPT, _COVERED = (assumed.KEPT,), (assumed.COVERAGE,)

PAIRED = {
    "opt_dist": sq(opt - opt_2),
    "full_dist": sq(opt - opt_s),
    "gap_at_1": sq(gp_o - gq_o),
    "gap_at_2": sq(gp_2 - gq_2),
    "gap_full_at_p": sq(gp_o - gf_o),
    "gap_full_at_1": sq(gp_s - gf_s),
}
OF_STEP = {"D_full": sq(at - opt_s), "D_opt": sq(at - opt), "Dl_w": sq(full - masked)}


def _minimisers(book: Book) -> None:
    """Lemmas 2 and 7: two variational inequalities, strong convexity, Young."""
    for left in (opt_dist, full_dist, gap_at_1, gap_at_2, gap_full_at_p, gap_full_at_1):
        name = f"{left.name} ({MINIMISERS})"
        book.define(name, left, PAIRED[left.name], "Lemma 2", MINIMISERS)
    apart, away = opt - opt_2, opt - opt_s
    optimal = "optimality over the domain"
    rows: list[Row] = [
        ("w*(p) against w*(p')", ip(gp_o, apart), "<=", 0, optimal, ()),
        ("w*(p') against w*(p)", ip(gq_2, apart), ">=", 0, optimal, ()),
        ("w*(p) against w*", ip(gp_o, away), "<=", 0, optimal, ()),
        ("w* against w*(p)", ip(gf_s, away), ">=", 0, optimal, ()),
        ("F", ip(gf_o - gf_s, away), ">=", mu * sq(away), "Assumption 2", _CONVEX),
        ("one", sq(one), "==", 1, "the number 1", ()),
        ("p_dist", ip(p_diff, one), "==", p_dist, "(1/N) sum_i |p_i - p'_i|", ()),
        ("p_dist_2", n * sq(p_diff), "==", p_dist_2, "sum_i (p_i - p'_i)^2", ()),
    ]
    suppose(book, MINIMISERS, rows)
    for label, first, second, masks, lemma in (
        ("p", p_mean, p_mean_2, _KEPT, "prop-1"),
        ("q", q_mean, q_mean_2, _COVERED, "prop-2"),
    ):
        for name, slope, far, share in (
            (f"F_{label}", ip(gp_o - gp_2, apart), apart, first),
            (f"F_{label}'", ip(gq_o - gq_2, apart), apart, second),
            (f"F_{label}, to w*", ip(gp_o - gp_s, away), away, first),
        ):
            convex = mu * share * sq(far)
            row: Row = (name, slope, ">=", convex, lemma, (*_CONVEX, *masks))
            step = f"{lemma}:strong convexity"
            suppose(book, MINIMISERS, [row], restates=[step])

    pair = supposed(MINIMISERS, "w*(p) against w*(p')", "w*(p') against w*(p)")
    to_full = supposed(MINIMISERS, "w*(p) against w*", "w* against w*(p)")
    for claim, label, first, second in (
        ("lem-2", "p", p_mean, p_mean_2),
        ("lem-7", "q", q_mean, q_mean_2),
    ):
        for at_optimum, gap, gradients, law, share in (
            ("'", gap_at_2, gp_2 - gq_2, label, first),
            ("", gap_at_1, gp_o - gq_o, f"{label}'", second),
        ):
            name = "gap_at_2" if at_optimum else "gap_at_1"
            uses: list[Use] = [
                *defined(MINIMISERS, "opt_dist", name),
                *pair,
                *supposed(MINIMISERS, f"F_{law}"),
                square(gradients + mu * share * apart),
            ]
            if claim == "lem-2":
                prove(book, claim, f"gap at w*(p{at_optimum})", uses, scope=MINIMISERS)
                continue
            book.line(
                f"lem-7: gap at w*(M{at_optimum})", opt_dist, "<=", gap / (mu * share) ** 2,
                uses, scope=MINIMISERS, vectors=False, claim=claim,
                assumptions=(*_CONVEX, *_COVERED),
            )  # fmt: skip
    uses = [
        *defined(MINIMISERS, "full_dist", "gap_full_at_p"),
        *to_full,
        *supposed(MINIMISERS, "F"),
        square(gp_o - gf_o + mu * away),
    ]
    for claim, part in (("lem-2", "full, gap at w*(p)"), ("lem-7", "full, gap at w*(M)")):
        prove(book, claim, part, uses, scope=MINIMISERS)
    uses = [
        *defined(MINIMISERS, "full_dist", "gap_full_at_1"),
        *to_full,
        *supposed(MINIMISERS, "F_p, to w*"),
        square(gp_s - gf_s + mu * p_mean * away),
    ]
    prove(book, "lem-2", "full, gap at w*", uses, scope=MINIMISERS)
    # Jensen: the square of a mean is at most the mean of the squares
    uses = [
        cite(f"asm p_dist_2 ({MINIMISERS})", times=1 / n),
        cite(f"asm p_dist ({MINIMISERS})", times=-2 * p_dist),
        cite(f"asm one ({MINIMISERS})", times=p_dist**2),
        square(p_diff - p_dist * one, 1),
    ]
    prove(book, "lem-2", "norms of p", uses, scope=MINIMISERS)


def _optimality_gaps(book: Book) -> None:
    """Lemmas 3 and 8."""
    for name, left, right in (
        ("D_full", D_full(t), OF_STEP["D_full"]),
        ("D_opt", D_opt(t), OF_STEP["D_opt"]),
        ("Dl_w", Dl_w(t), OF_STEP["Dl_w"]),
        ("full_dist", full_dist, PAIRED["full_dist"]),
    ):
        book.define(f"{name} ({STEP})", left, right, "Lemma 3", STEP)
    descent = ip(full, hat - opt_s) + L / 2 * sq(hat - at)
    rows: list[Row] = [
        (
            "projection", ip(at - masked / L - hat, opt_s - hat), "<=", 0,
            "the projection onto a convex set", (),
        ),
    ]  # fmt: skip
    for name, convex in (
        ("convex", (Fact.CONVEX,)),
        ("strongly convex", _CONVEX),
    ):
        origin = "descent from w to w^, and convexity from w* to w"
        rows.append((name, L_hat(t), "<=", descent, origin, (*_SMOOTH, *convex)))
    suppose(book, STEP, rows)
    names = defined(STEP, "D_full", "D_opt", "Dl_w", "full_dist")
    young = square(full - masked - L * (hat - opt_s))
    twice = square(at - opt - (opt - opt_s))
    for claim, lemma in (
        ("lem-3", "lem-2:full, gap at w*(p)"),
        ("lem-8", "lem-7:full, gap at w*(M)"),
    ):
        base = supposed(STEP, "projection")
        uses: list[Use] = [names[0], names[2], *base, *supposed(STEP, "convex"), young]
        prove(book, claim, "convex", uses, scope=STEP)
        uses = [*names[1:], *base, *supposed(STEP, "strongly convex"), lemma, young, twice]
        prove(book, claim, "strongly convex", uses, scope=STEP)


def write(book: Book) -> None:
    """Lemmas 2, 3, 7 and 8."""
    _minimisers(book)
    _optimality_gaps(book)
