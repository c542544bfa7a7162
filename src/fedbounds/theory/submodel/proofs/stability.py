"""Section 5 of the sheet: coupled runs."""

from fedbounds.facts import Fact
from fedbounds.theory.checker.data import Premise
from fedbounds.theory.language.symbols import K, L, eta, n, t
from fedbounds.theory.proof.language import Book, below, cite, square
from fedbounds.theory.proof.vectors import ip, sq
from fedbounds.theory.submodel.stability import SHORT
from fedbounds.theory.submodel.symbols import (
    G,
    G_m,
    G_pair,
    dl_w,
    gen,
    n_s,
    st_max,
    st_mean,
)
from fedbounds.theory.submodel.vectors import (
    apart,
    apart_new,
    apart_own,
    loss_diff,
    loss_size,
    mpu,
    mpv,
    one,
    pu,
    pushed,
    pv,
)

from .. import assumed
from .scopes import COUPLED, SAMPLE
from .writing import Row, Use, prove, suppose, supposed

_SAMPLES = (Fact.SMOOTH, Fact.SMOOTH_SAMPLES, Fact.CONVEX_SAMPLES)
_HYPOTHESIS = Premise("hypothesis", "hypothesis", ("?",))


def _exchange(book: Book) -> None:
    """Lemma 1."""
    absolute = "-|x| <= x <= |x|"
    independent, swapped = (assumed.INDEPENDENT_SAMPLES,), "exchanging z_ij and z'_ij"
    rows: list[Row] = [
        ("exchange", gen(t), "==", ip(loss_diff, one), swapped, independent),
        ("st_mean", st_mean(t), "==", ip(loss_size, one), "Definition 4, averaged", ()),
        ("above", ip(loss_diff, one), "<=", ip(loss_size, one), absolute, ()),
        ("below", ip(loss_diff, one), ">=", -ip(loss_size, one), absolute, ()),
        ("largest", st_mean(t), "<=", st_max(t), "a mean is at most the largest", ()),
    ]
    suppose(book, COUPLED, rows)
    for side in ("above", "below"):
        facts = supposed(COUPLED, "exchange", "st_mean", side)
        prove(book, "lem-1", f"{side}, averaged", facts, scope=COUPLED)
        uses: list[Use] = [f"lem-1:{side}, averaged", *supposed(COUPLED, "largest")]
        prove(book, "lem-1", side, uses, scope=COUPLED)


def _one_step(book: Book) -> None:
    """A masked gradient step on an equal sample does not part two points."""
    entries = "entries of a mask are 0 or 1"
    rows: list[Row] = [
        ("entries of m o u", ip(mpu, pu), "==", sq(mpu), entries, ()),
        ("moved", ip(mpu, pv), "==", ip(pu, mpv), entries, ()),
        (
            "co-coercive", ip(pu, mpv), ">=", sq(pu) / L,
            "convex and smooth: Baillon and Haddad", _SAMPLES,
        ),
    ]  # fmt: skip
    suppose(book, SAMPLE, rows)
    facts = supposed(SAMPLE, "entries of m o u", "moved", "co-coercive")
    book.line(
        "lem-12: equal samples", sq(pv - eta * mpu), "<=", sq(pv),
        [*facts, square(pu - mpu), square(mpu)], scope=SAMPLE, chart=[below(eta, 2 / L)],
        conditions=[SHORT], claim="lem-12", assumptions=_SAMPLES,
    )  # fmt: skip


def _one_round(book: Book) -> None:
    """Lemma 12: K steps of every client, the average and the projection, in mean norms."""
    steps = ip(apart, one) + eta * K * ip(pushed, one)
    rows: list[Row] = [
        ("dl_w", dl_w(t), "==", ip(apart, one), "E ||w^t - w'^t||", ()),
        ("dl_w next", dl_w(t + 1), "==", ip(apart_new, one), "E ||w^{t+1} - w'^{t+1}||", ()),
        (
            "server", ip(apart_new, one), "<=", ip(apart_own, one),
            "a mean over clients and a projection do not part points", (),
        ),
        (
            "sample drawn", n * n_s * K * ip(pushed, one), "==", G_pair(t),
            "client i of n draws index j of n_s, apart from the points of this step", (),
        ),
    ]  # fmt: skip
    suppose(book, COUPLED, rows)
    # what "lem-12: equal samples" says of every step
    apart_by = "steps on equal samples, and the triangle inequality at the changed one"
    every: Row = ("K steps", ip(apart_own, one), "<=", steps, apart_by, _SAMPLES)
    suppose(book, COUPLED, [every], [SHORT], restates=["lem-12: equal samples"])
    facts = supposed(COUPLED, "dl_w", "dl_w next", "server", "sample drawn", "K steps")
    prove(book, "lem-12", "", facts, scope=COUPLED, chart=[below(eta, 2 / L)])


def _all_rounds(book: Book) -> None:
    """Theorems 5 (a) and 6 (a)."""
    bounded = "G_m bounds both mean norms"
    book.suppose("start of coupled runs", dl_w(0), 0, "one start", (), "==")
    book.suppose("G_pair", G_pair(t), 2 * K * G_m, bounded)
    lipschitz = (assumed.LIPSCHITZ_SAMPLES,)
    worst = "the pair of runs that are furthest apart in loss"
    book.suppose("losses", st_max(t), G * dl_w(t), worst, lipschitz)
    for claim in ("thm-5", "thm-6"):
        prove(
            book, claim, "a", ["lem-12", "asm G_pair", _HYPOTHESIS],
            chart=[below(eta, 2 / L)], base=["asm start of coupled runs"], variable="t",
        )  # fmt: skip
        uses: list[Use] = ["asm losses", cite(f"{claim}:a", times=G)]
        prove(book, claim, "a, stability", uses, chart=[below(eta, 2 / L)])


def write(book: Book) -> None:
    """Section 5."""
    _exchange(book)
    _one_step(book)
    _one_round(book)
    _all_rounds(book)
