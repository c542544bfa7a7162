"""What is true instead of claims that are refuted: objectives, stationary points, ladders in p."""

from fedbounds.facts import Fact
from fedbounds.theory.checker.data import Scope
from fedbounds.theory.language.symbols import L, mu, t
from fedbounds.theory.proof.language import Book, below, cite, square
from fedbounds.theory.proof.text import need
from fedbounds.theory.proof.vectors import given, i, ip, sq, vectors
from fedbounds.theory.submodel.bounds import MASK_GAP_BOUND
from fedbounds.theory.submodel.symbols import (
    B2_fix,
    B2_sup,
    D_xy,
    G,
    I_xy,
    R_p,
    W_sup,
    g_F,
    g_Fp,
    grad_0_F,
    grad_0_Fp,
    p,
    p_mean,
    q_mean,
    q_miss,
    vr_m,
    w_2,
)
from fedbounds.theory.submodel.vectors import full, masked

from .. import assumed
from .scopes import PAIR, STEP
from .writing import Row, Use, defined, prove, suppose, supposed

ZERO = "w = 0"
AT_POINT, AT_POINT_2 = "a rung, variance at w", "a rung, dissimilarity at w"
AT_OPTIMUM, AT_LARGEST = "a rung, at w*(p)", "a rung, where the dissimilarity is largest"
g_mask, g_full, m_change, c_full, c_point, m_mean, away_p, g_one = vectors(
    {
        "g_mask": r"m\odot\nabla f_i(m\odot w)",
        "g_full": r"\nabla f_i(w)",
        "m_change": r"m\odot(\nabla f_i(m\odot w)-\nabla f_i(w))",
        "c_full": r"(\mathbf 1-m)\odot\nabla f_i(w)",
        "c_point": r"(\mathbf 1-m)\odot w",
        "m_mean": r"m\odot\nabla F_i(p,w)",
        "away_p": "(w^*(p)-w^*)",
        "g_one": r"\nabla f_i(m\odot w)",
    }
)
at_zero, masked_zero = vectors({"at_zero": r"\nabla F(0)", "masked_zero": r"\nabla F_p(0)"})
_DRAWN = ("xi", "i")
_RUNG = Scope(
    sources=_DRAWN,
    atoms=(
        ("away_p", ()),
        ("g_full", ("i",)),
        *((name, _DRAWN) for name in ("m_change", "c_full", "c_point", "m_mean", "g_one")),
    ),
    derived=(("g_mask", "g_full - c_full + m_change"),),
)
SCOPES = {
    **dict.fromkeys((AT_POINT, AT_POINT_2, AT_OPTIMUM, AT_LARGEST), _RUNG),
    # m o 0 = 0, so that grad F_p(0) = E[m o grad f(0)] = p grad F(0)
    ZERO: Scope(
        atoms=(("at_zero", ()),),
        derived=(("masked_zero", "p*at_zero"),),
        needs=(need(("masked_zero",), assumed.KEPT, assumed.EQUAL_KEEP),),
    ),
}
_SMOOTH, _KEPT = Fact.SMOOTH, assumed.KEPT
_EQUAL = (_SMOOTH, _KEPT, assumed.EQUAL_KEEP)
_BOUNDED = (assumed.BOUNDED_DOMAIN, assumed.BOUNDED_MASKED_GRADIENTS)
_ASSUMED = (*_EQUAL, *_BOUNDED)
_MISSED = q_miss(t) * (G**2 + L**2 * W_sup**2)


def _objectives(book: Book) -> None:
    """Proposition 2 (B): the constants shrink with the mean coverage."""
    convex = (_SMOOTH, Fact.STRONGLY_CONVEX, assumed.COVERAGE)
    book.line(
        "prop-2:strong convexity, unchanged/corrected", q_mean * mu * D_xy(t), "<=", I_xy(t),
        ["prop-2:strong convexity"], scope=PAIR, vectors=False, claim="prop-2", source="ours",
        assumptions=convex,
    )  # fmt: skip


def _stationary(book: Book) -> None:
    """epsilon/p and the residual term for equal p, and what unequal p_i leave for ever."""
    claim = "claim-stationary"
    for name, left, right in (
        ("grad_0_F", grad_0_F, sq(at_zero)),
        ("grad_0_Fp", grad_0_Fp, sq(masked_zero)),
    ):
        book.define(f"{name} ({ZERO})", left, right, "Section 2.2 at w = 0", ZERO)
    book.line(
        f"{claim}:equal p, w = 0/corrected", grad_0_F, "==", grad_0_Fp / p**2,
        defined(ZERO, "grad_0_F", "grad_0_Fp"), scope=ZERO, vectors=False, claim=claim,
        source="ours", assumptions=_EQUAL,
    )  # fmt: skip
    book.line(
        f"{claim}:equal p/corrected", g_F(t), "<=",
        2 / p**2 * g_Fp(t) + 2 * (1 - p) / p * L**2 * w_2(t),
        ["stat-random:a, squares"], claim=claim, source="ours", chart=[below(p, 1)],
        assumptions=_EQUAL,
    )  # fmt: skip
    multiples = [f"{claim}:equal p/corrected"]
    prove(book, claim, "equal p, multiples", multiples, chart=[below(p, 1)], source="ours")
    for name, left, right in (("g_F", g_F(t), sq(full)), ("g_Fp", g_Fp(t), sq(masked))):
        book.define(f"{name} ({STEP})", left, right, "Section 2.2", STEP)
    uses: list[Use] = [*defined(STEP, "g_F", "g_Fp", "Dl_w"), square(full - 2 * masked)]
    book.line(
        f"{claim}:unequal p/corrected", g_F(t), "<=", 2 * g_Fp(t) + 2 * MASK_GAP_BOUND**2,
        [*uses, cite("thm-1: Dl_w", times=2)], scope=STEP, vectors=False, claim=claim,
        source="ours", chart=[below(p_mean, 1)], assumptions=(_SMOOTH, _KEPT, *_BOUNDED),
    )  # fmt: skip


def _missed(book: Book, scope: str, claim: str) -> str:
    """Masks move a client's gradient by at most (1 - p)(G^2 + L^2 W^2) in mean square."""
    entries, kept = "entries of a mask are 0 or 1", "E (1 - m) = (1 - p) 1, ||.|| <= G or W"
    missed = (_KEPT, assumed.EQUAL_KEEP, *_BOUNDED)
    rows: list[Row] = [
        ("separate entries", ip(m_change, c_full), "==", 0, entries, ()),
        ("smooth", sq(m_change), "<=", L**2 * sq(c_point), f"Assumption 1; {entries}", (_SMOOTH,)),
        ("missed gradient", sq(c_full), "<=", G**2 * q_miss(t), kept, missed),
        ("missed point", sq(c_point), "<=", W_sup**2 * q_miss(t), kept, missed),
    ]
    suppose(book, scope, rows)
    name = f"{claim}: away from the full gradient"
    book.line(
        name, sq(g_mask - g_full), "<=", _MISSED, supposed(scope, *(row[0] for row in rows)),
        scope=scope, claim=claim, source="ours", assumptions=_ASSUMED,
    )  # fmt: skip
    return name


def _variance(book: Book) -> None:
    """The masks' variance is at most the distance to a fixed vector, the full gradient."""
    claim, own = "claim-variance", given(g_mask, i)
    away = _missed(book, AT_POINT, claim)
    book.define(f"vr_m ({AT_POINT})", vr_m(t), sq(g_mask - own), "Section 2.1", AT_POINT)
    book.line(
        f"{claim}:masks/corrected", vr_m(t), "<=", _MISSED,
        [*defined(AT_POINT, "vr_m"), away, square(own - g_full)], scope=AT_POINT, vectors=False,
        claim=claim, source="ours", assumptions=_ASSUMED,
    )  # fmt: skip


def _residual(book: Book) -> None:
    """Strong convexity at w*(p), the variational inequality there, and the gap of gradients."""
    claim, strong = "claim-residual", (_SMOOTH, Fact.STRONGLY_CONVEX)
    away = _missed(book, AT_OPTIMUM, claim)
    tangent = ip(g_full, away_p) - mu / 2 * sq(away_p)
    rows: list[Row] = [
        ("tangent", R_p(t), "<=", tangent, "strong convexity of F, at w*(p)", strong),
        ("optimality", ip(g_mask, away_p), "<=", 0, "w*(p) minimises F_p over the domain", ()),
    ]
    suppose(book, AT_OPTIMUM, rows)
    moved, half = given(g_mask - g_full), 1 / (2 * mu)
    uses: list[Use] = [
        *(cite(str(x), times=1) for x in supposed(AT_OPTIMUM, "tangent", "optimality")),
        cite(away, times=half), square(g_mask - g_full - moved, half),
        square(moved + mu * away_p, half),
    ]  # fmt: skip
    book.line(
        f"{claim}:equal/corrected", R_p(t), "<=", _MISSED / (2 * mu), uses, scope=AT_OPTIMUM,
        vectors=False, claim=claim, source="ours", assumptions=(*strong, *_ASSUMED[1:]),
    )  # fmt: skip
    prove(book, claim, "bounded", [f"{claim}:equal/corrected"], source="ours")


def _dissimilarity(book: Book) -> None:
    """||E m o u||^2 <= p E ||u||^2: what a smaller p bounds is the size of every gradient."""
    claim, own, entries = "claim-def2", given(g_mask, i), "entries of a mask are 0 or 1"
    for where, scope, number in (
        ("at a fixed w", AT_POINT_2, B2_fix),
        ("as a supremum over w", AT_LARGEST, B2_sup),
    ):
        book.define(f"{claim} ({scope})", number(t), sq(own - given(g_mask)), claim, scope)
        rows: list[Row] = [
            ("rung", q_miss(t), "==", 1 - p, "p of the rung", (assumed.EQUAL_KEEP,)),
            ("masked twice", ip(g_mask, own), "==", ip(g_one, m_mean), entries, ()),
            ("kept", sq(m_mean), "==", p * sq(own), "E m = p 1", (_KEPT, assumed.EQUAL_KEEP)),
            ("bounded", sq(g_one), "<=", G**2, "Assumption 5", _BOUNDED),
        ]
        suppose(book, scope, rows)
        uses: list[Use] = [
            *(cite(str(x), times=1) for x in defined(scope, claim)),
            *(
                cite(str(x), times=times)
                for x, times in zip(
                    supposed(scope, *(row[0] for row in rows)), (G**2, 2, 1 / p, p), strict=True
                )
            ),
            square(p * g_one - m_mean, 1 / p),
            square(given(g_mask), 1),
        ]
        book.line(
            f"{claim}:{where}, equal/corrected", number(t), "<=", (1 - q_miss(t)) * G**2, uses,
            scope=scope, vectors=False, claim=claim, source="ours",
            assumptions=(_KEPT, assumed.EQUAL_KEEP, *_BOUNDED),
        )  # fmt: skip


def write(book: Book) -> None:
    """All of these."""
    _objectives(book)
    _stationary(book)
    _variance(book)
    _residual(book)
    _dissimilarity(book)
