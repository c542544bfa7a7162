"""Section 2 of the sheet: masked objectives, their minimisers and stationary points."""

from typing import Any

from fedbounds.facts import Fact
from fedbounds.theory.language.symbols import L, mu, t
from fedbounds.theory.proof.language import Book, below, cite, square
from fedbounds.theory.proof.vectors import ip, sq
from fedbounds.theory.submodel.symbols import (
    D_xy,
    Es_2,
    G_xy,
    I_xy,
    c_max,
    c_min,
    g_F,
    g_Fp,
    p,
    p_mean,
    p_own,
    q,
    q_mean,
    w_2,
)
from fedbounds.theory.submodel.vectors import (
    cpv,
    diag,
    full,
    g_own,
    masked,
    mpr,
    mpu,
    mpv,
    pr,
    pu,
    pv,
    quad,
)

from .. import assumed
from .scopes import ONE, PAIR, POINT, POINT_ROLLING, QUADRATIC
from .symbols_proofs import weight
from .writing import Row, defined, prove, suppose, supposed

_SMOOTH, _CONVEX = (Fact.SMOOTH,), (Fact.STRONGLY_CONVEX,)
_KEPT, _COVERED = (assumed.KEPT,), (assumed.COVERAGE,)
_ENTRIES = "entries of a mask are 0 or 1"
# of quantities
OF_PAIR = {"D_xy": sq(pv), "G_xy": sq(pr), "I_xy": ip(mpu, pv)}
OF_POINT = {"g_F": sq(full), "g_Fp": sq(masked), "w_2": sq(pv)}
STATIONARY = {"Es_2": sq(full - masked / p - (1 - p) * (quad - diag))}


def _masks(book: Book, scope: str) -> None:
    """What masks do to a fixed vector, and to the gradients at masked points."""
    rows: list[Row] = [
        ("entries of m o v", ip(mpv, pv), "==", sq(mpv), _ENTRIES, ()),
        ("entries of m o r", ip(mpr, pr), "==", sq(mpr), _ENTRIES, ()),
        ("entries of m o u", ip(mpu, pu), "==", sq(mpu), _ENTRIES, ()),
        ("moved, v", ip(mpu, pv), "==", ip(pu, mpv), _ENTRIES, ()),
        ("moved, r", ip(mpu, pr), "==", ip(pu, mpr), _ENTRIES, ()),
        ("complement", ip(mpv, pv), "==", sq(pv) - sq(cpv), _ENTRIES, ()),
    ]
    suppose(book, scope, rows)


def _pairs(book: Book) -> None:
    """Propositions 1 and 2."""
    _masks(book, PAIR)
    for name, left in (("D_xy", D_xy), ("G_xy", G_xy), ("I_xy", I_xy)):
        book.define(f"{name} ({PAIR})", left(t), OF_PAIR[name], "Proposition 1", PAIR)
    rows: list[Row] = [
        ("strongly convex", ip(pu, mpv), ">=", mu * sq(mpv), "Assumption 2", _CONVEX),
        ("smooth", sq(pu), "<=", L**2 * sq(mpv), "Assumption 1", _SMOOTH),
    ]
    for label, share, masks in (("p", p_mean, _KEPT), ("q", q_mean, _COVERED)):
        for vector, own in (("v", (mpv, pv)), ("r", (mpr, pr))):
            name = f"mean of m is {label}, {vector}"
            rows.append((name, ip(*own), "==", share * sq(own[1]), "E m_i = p_i 1", masks))
    for vector, own in (("v", (mpv, pv)), ("r", (mpr, pr))):
        for name, relation, bound in (("least", ">=", c_min), ("largest", "<=", c_max)):
            title = f"{name} coverage, {vector}"
            rows.append((title, ip(*own), relation, bound * sq(own[1]), "c_j", ()))
    suppose(book, PAIR, rows)

    lower = defined(PAIR, "I_xy", "D_xy")
    upper = defined(PAIR, "G_xy", "D_xy")
    convex = [*lower, *supposed(PAIR, "strongly convex", "entries of m o v", "moved, v")]
    smooth = [*upper, *supposed(PAIR, "smooth", "entries of m o v", "entries of m o r", "moved, r")]
    for claim, label, share in (("prop-1", "p", p_mean), ("prop-2", "q", q_mean)):
        kept = supposed(PAIR, f"mean of m is {label}, v")
        both = [*kept, *supposed(PAIR, f"mean of m is {label}, r")]
        prove(book, claim, "strong convexity", [*convex, *kept], scope=PAIR)
        young = square(share * pu - mpr)
        prove(book, claim, "smoothness", [*smooth, *both, young], scope=PAIR)
    # masks shrink the curvature: there is nothing to add to
    kept = supposed(PAIR, "mean of m is q, v")
    prove(book, "prop-2", "strong convexity, unchanged", [*convex, *kept], scope=PAIR)
    shrunk = supposed(PAIR, "smooth", "entries of m o v", "entries of m o u")
    squares = [square(mpu - pr), square(pu - mpu), square(pv - mpv)]
    prove(book, "prop-2", "smoothness, unchanged", [*upper, *shrunk, *squares], scope=PAIR)
    least = supposed(PAIR, "least coverage, v")
    prove(book, "prop-2", "strong convexity, general", [*convex, *least], scope=PAIR)
    largest = supposed(PAIR, "largest coverage, v", "largest coverage, r")
    young = square(c_max * pu - mpr)
    prove(book, "prop-2", "smoothness, general", [*smooth, *largest, young], scope=PAIR)


def _one_client(book: Book) -> None:
    """The auxiliary lemma (a) of one client, for every weight of the mean inequality."""
    _masks(book, ONE)
    rows: list[Row] = [("smooth", sq(pu), "<=", L**2 * sq(cpv), "Assumption 1", _SMOOTH)]
    for vector, own in (("v", (mpv, pv)), ("r", (mpr, pr))):
        mean = p_own * sq(own[1])
        rows.append((f"mean of m, {vector}", ip(*own), "==", mean, "E m = p 1", _KEPT))
    suppose(book, ONE, rows)
    lost = 1 - p_own
    facts = ("smooth", "complement", "entries of m o r", "moved, r", "mean of m, v", "mean of m, r")
    part, bound = "lem-mask-gap: a, one client, masked part", p_own * lost * L**2 * sq(pv)
    line: dict[str, Any] = {
        "scope": ONE, "claim": "lem-mask-gap", "assumptions": (*_SMOOTH, *_KEPT),
    }  # fmt: skip
    book.line(part, sq(pr), "<=", bound, [*supposed(ONE, *facts), square(p_own * pu - mpr)], **line)
    # E[m o grad f(m o w)] - grad f(w), where the weight that gives the lemma is B/A
    book.line(
        "lem-mask-gap: a, one client", sq(pr - lost * g_own), "<=",
        (1 + weight) * lost**2 * sq(g_own) + (1 + 1 / weight) * bound,
        [cite(part, times=1 + 1 / weight), square(pr + weight * lost * g_own, 1 / weight)],
        chart=[below(p_own, 1)], **line,
    )  # fmt: skip


def _points(book: Book) -> None:
    """The auxiliary lemma (a) for equal p, and what it says of stationary points."""
    equal = assumed.EQUAL_KEEP
    for scope, label, share, masks, claim, part in (
        (POINT, "p", p, _KEPT, "stat-random", "a, squares"),
        (POINT_ROLLING, "q", q, _COVERED, "stat-rolling", "equal q, squares"),
    ):
        _masks(book, scope)
        for name, left in (("g_F", g_F), ("g_Fp", g_Fp), ("w_2", w_2)):
            book.define(f"{name} ({scope})", left(t), OF_POINT[name], "Sections 2.2 and 3.2", scope)
        rows: list[Row] = [("smooth", sq(pu), "<=", L**2 * sq(cpv), "Assumption 1", _SMOOTH)]
        for vector, own in (("v", (mpv, pv)), ("r", (mpr, pr))):
            mean = share * sq(own[1])
            name = f"mean of m, {vector}"
            rows.append((name, ip(*own), "==", mean, "E m = p 1", (*masks, equal)))
        suppose(book, scope, rows)
        facts = ("smooth", "complement", "entries of m o r", "moved, r")
        moved = f"lem-mask-gap: a, masked part, equal {label}"
        book.line(
            moved, sq(pr), "<=", share * (1 - share) * L**2 * sq(pv),
            [*supposed(scope, *facts, "mean of m, v", "mean of m, r"), square(share * pu - mpr)],
            scope=scope, claim="lem-mask-gap", assumptions=(*_SMOOTH, *masks, equal),
        )  # fmt: skip
        definitions = defined(scope, "g_F", "g_Fp", "w_2")
        prove(book, claim, part, [*definitions, moved, square(masked + pr)], scope=scope)

    said = "lem-mask-gap (d)"
    book.define(f"Es_2 ({QUADRATIC})", Es_2(t), STATIONARY["Es_2"], said, QUADRATIC)
    prove(book, "stat-random", "c", [f"def Es_2 ({QUADRATIC})"], scope=QUADRATIC)


def write(book: Book) -> None:
    """Propositions 1 and 2, stationary points."""
    _pairs(book)
    _one_client(book)
    _points(book)
