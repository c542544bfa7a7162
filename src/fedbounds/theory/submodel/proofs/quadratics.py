"""Quadratics in closed form: the auxiliary lemma (d), Lemma 2's exact case, order of the residual.

Of client i: A_i w apart from its diagonal, its diagonal part and b_i. With D the diagonal of A and
M = p A + (1 - p) D, grad F_p(w) = p (M w - b). Eigenvalues l are those of D^{-1/2} A D^{-1/2}.
"""

import sympy as sp

from fedbounds.facts import Fact
from fedbounds.theory.checker.data import Scope
from fedbounds.theory.language.claims import Condition
from fedbounds.theory.language.symbols import L, mu, t
from fedbounds.theory.proof.language import Book, below, cite, square
from fedbounds.theory.proof.text import need
from fedbounds.theory.proof.vectors import ip, sq, vectors
from fedbounds.theory.submodel.symbols import (
    Eq_2,
    Sq_2,
    closed_err,
    coupling2,
    dim,
    full_dist,
    p,
    p_2,
    q_miss,
    residual,
    residual_2,
    shift_err,
    spectral,
    var_slope,
    vr_m,
)

from .. import assumed
from .symbols_proofs import lam
from .writing import Row, Use, defined, prove, suppose, supposed

CLIENT, OPTIMA, EIGEN = "a quadratic client", "minimisers, quadratics", "an eigenvalue"
ENTRY = "an entry of a client's gradient"
_CONVEX = (Fact.STRONGLY_CONVEX,)
_STRONG = (Fact.SMOOTH, *_CONVEX)
SHARE = below(p, 1)
BOTH = [below(p_2, 1), below(p, p_2)]
_FREE = (
    Fact.QUADRATIC,
    assumed.KEPT,
    assumed.BERNOULLI,
    assumed.EQUAL_KEEP,
    Fact.UNCONSTRAINED,
)

m_off, m_diag, m_slope, size_i = vectors(
    {
        "m_off": r"(m\odot(A_i-\operatorname{diag}A_i)(m\odot w))",
        "m_diag": r"(m\odot\operatorname{diag}(A_i)(m\odot w))",
        "m_slope": r"(m\odot b_i)",
        "size_i": r"\nabla F_i(p_i,w)",
    }
)
p2_off, p2_diag, p_diag, p_slope = vectors(
    {
        "p2_off": r"p_i^2(A_i-\operatorname{diag}A_i)w",
        "p2_diag": r"p_i^2\operatorname{diag}(A_i)w",
        "p_diag": r"p_i\operatorname{diag}(A_i)w",
        "p_slope": "p_ib_i",
    }
)
c_off, c_diag, c_slope = vectors(
    {
        "c_off": r"(m\odot(A_i-\operatorname{diag}A_i)(m\odot w)-\dots)",
        "c_diag": r"(m\odot\operatorname{diag}(A_i)w-\dots)",
        "c_slope": r"(m\odot b_i-p_ib_i)",
    }
)
solved, moved, coupled, full_opt, masked_opt = vectors(
    {
        "solved": "M^{-1}b",
        "moved_M": r"M^{-1}(A-D)w^*",
        "coupled": r"(A-D)w^*",
        "full_opt": "w^*",
        "masked_opt": "w^*(p)",
    }
)
zero_p, zero_1 = vectors(
    {"zero_p": r"\tfrac1pM^{-1}\nabla F_p(w^*(p))", "zero_1": r"M^{-1}\nabla F(w^*)"}
)
lost, lost_2, told = vectors(
    {
        "lost": r"\sqrt\lambda\,(D^{1/2}(w^*(p)-w^*))_\lambda",
        "lost_2": r"\sqrt\lambda\,(D^{1/2}(w^*(p')-w^*))_\lambda",
        "told": r"\tfrac{(1-p)(\lambda-1)}{\sqrt\lambda(1+p(\lambda-1))}\beta",
    }
)
spread_a, own_a, other_a, top_a = vectors(
    {
        "spread_a": r"\|(A_{ab}w_b)_{b\neq a}\|",
        "own_a": "(A_{aa}w_a-b_a)",
        "other_a": r"\textstyle\sum_{b\neq a}A_{ab}w_b",
        "top_a": r"\max_{p=0,1}|A_{aa}w_a-b_a+p\textstyle\sum_{b\neq a}A_{ab}w_b|",
    }
)

# of quantities: the clients' gradients, minimisers
_FORMULA = p2_off + p2_diag + (p_diag - p2_diag) - p_slope
OF_CLIENT = {"Eq_2": sq(size_i - _FORMULA), "Sq_2": sq(size_i)}
_AWAY = masked_opt - full_opt
OF_OPTIMA = {
    "closed_err": sq(masked_opt - solved),
    "shift_err": sq(_AWAY - (1 - p) * moved),
    "full_dist": sq(_AWAY),
    "coupling2": sq(coupled),
}
_DRAWN = ("xi", "i")
_FIXED = ("p2_off", "p2_diag", "p_diag", "p_slope")
_CENTRED = ("c_off", "c_diag", "c_slope")
_SOLVED = ("solved", "moved_M", "zero_p", "zero_1")  # by M
_ENTRY = ("spread_a", "own_a", "other_a", "top_a")
_EIGEN = ("lost", "lost_2", "told")
SCOPES = {
    # entries of a mask are 0 or 1, independent, and 1 with probability p_i: E m_j m_l = p_i^2
    CLIENT: Scope(
        sources=_DRAWN,
        atoms=(
            *((name, ("i",)) for name in _FIXED),
            *((name, _DRAWN) for name in _CENTRED),
        ),
        centred=tuple((name, "xi") for name in _CENTRED),
        derived=(
            ("m_off", "p2_off + c_off"),
            ("m_diag", "p_diag + c_diag"),
            ("m_slope", "p_slope + c_slope"),
            ("size_i", "given(m_off + m_diag - m_slope, i)"),
        ),
        needs=(
            need((*_FIXED, *_CENTRED), Fact.QUADRATIC),
            need(_CENTRED, assumed.KEPT),
            need(("c_off",), assumed.BERNOULLI),
        ),
    ),
    # w*(p) = M^{-1} (grad F_p/p + b), and M w* = grad F(w*) + b - (1 - p) (A - D) w*
    OPTIMA: Scope(
        atoms=tuple((name, ()) for name in (*_SOLVED, "coupled")),
        derived=(
            ("masked_opt", "solved + zero_p"),
            ("full_opt", "solved + zero_1 - (1 - p)*moved_M"),
        ),
        needs=(
            need(("coupled",), Fact.QUADRATIC),
            need(_SOLVED, Fact.QUADRATIC, Fact.STRONGLY_CONVEX),
            need(("masked_opt",), assumed.KEPT, assumed.BERNOULLI, assumed.EQUAL_KEEP),
        ),
    ),
    ENTRY: Scope(
        sources=_DRAWN,
        atoms=tuple((name, _DRAWN) for name in _ENTRY),
        needs=(need(_ENTRY, Fact.QUADRATIC),),
    ),
    EIGEN: Scope(
        sources=("i",),
        atoms=tuple((name, ("i",)) for name in _EIGEN),
        needs=(need(_EIGEN, Fact.QUADRATIC, Fact.STRONGLY_CONVEX),),
    ),
}


def _clients(book: Book) -> None:
    """The auxiliary lemma (d)."""
    for name, left in (("Eq_2", Eq_2), ("Sq_2", Sq_2)):
        book.define(f"{name} ({CLIENT})", left(t), OF_CLIENT[name], "lem-mask-gap (d)", CLIENT)
    prove(book, "lem-mask-gap", "d", defined(CLIENT, "Eq_2"), scope=CLIENT)


def _zero(name: str, vector: sp.Expr, others: tuple[sp.Expr, ...]) -> list[Row]:
    """A vector is zero: so are its products with others."""
    origin = "there is no constraint: the gradient at a minimiser is zero"
    pairs = [(vector, vector), *((vector, other) for other in others)]
    return [(f"{name}, {a * b}", ip(a, b), "==", 0, origin, _FREE) for a, b in pairs]


def _minimisers(book: Book) -> None:
    """w*(p) and w*(p) - w* in closed form, and the order of what is lost."""
    for left in (closed_err, shift_err, full_dist, coupling2):
        book.define(f"{left.name} ({OPTIMA})", left, OF_OPTIMA[left.name], "lem-2-quad", OPTIMA)
    at_p = _zero("grad F_p(w*(p)) = 0", zero_p, (zero_1, moved))
    at_1 = _zero("grad F(w*) = 0", zero_1, (moved,))
    rows: list[Row] = [
        *at_p,
        *at_1,
        # M is a mean of A and D, whose eigenvalues are at least mu
        ("M >= mu", ip(coupled, moved), ">=", mu * sq(moved), "M moved = (A - D) w*", _CONVEX),
        (
            "descent", residual, "<=", L / 2 * full_dist,
            "descent lemma from w*, where grad F is zero", (*_STRONG, Fact.UNCONSTRAINED),
        ),
    ]  # fmt: skip
    suppose(book, OPTIMA, rows)
    zeros = supposed(OPTIMA, *(row[0] for row in (*at_p, *at_1)))
    uses = [*defined(OPTIMA, "closed_err"), zeros[0]]
    prove(book, "lem-2-quad", "closed form", uses, scope=OPTIMA)
    # of products, those of the gradients with each other alone
    own = supposed(OPTIMA, *(row[0] for row in (*at_p[:2], at_1[0])))
    prove(book, "lem-2-quad", "shift", [*defined(OPTIMA, "shift_err"), *own], scope=OPTIMA)
    claim = "claim-residual"
    book.line(
        f"{claim}: distance at one p", full_dist, "==", (1 - p) ** 2 * sq(moved),
        [*defined(OPTIMA, "full_dist"), *zeros], scope=OPTIMA, claim=claim, source="ours",
        assumptions=(*_CONVEX, *_FREE),
    )  # fmt: skip
    book.line(
        f"{claim}: moved", sq(moved), "<=", coupling2 / mu**2,
        [*defined(OPTIMA, "coupling2"), *supposed(OPTIMA, "M >= mu"), square(coupled - mu * moved)],
        scope=OPTIMA, claim=claim, source="ours",
        assumptions=(*_CONVEX, Fact.QUADRATIC),
    )  # fmt: skip
    book.line(
        f"{claim}: order at one p", residual, "<=", L / (2 * mu**2) * coupling2 * (1 - p) ** 2,
        [
            *supposed(OPTIMA, "descent"), cite(f"{claim}: distance at one p", times=L / 2),
            cite(f"{claim}: moved", times=L / 2 * (1 - p) ** 2),
        ],
        scope=OPTIMA, vectors=False, chart=[SHARE], claim=claim, source="ours",
        assumptions=(*_STRONG, *_FREE),
    )  # fmt: skip


def _residual(book: Book) -> None:
    """F(w*(p)) - F(w*) as a sum over eigenvalues, whose terms fall as p grows."""
    shrunk, shrunk_2 = ((1 - x) / (1 + x * (lam - 1)) for x in (p, p_2))
    name = "lem-2-quad: one eigenvalue"
    # (1 + p (l - 1)) e = (1 - p) (l - 1) (w*), and the coordinate of w* is b/l
    term = (1 - p) ** 2 * (lam - 1) ** 2 / (lam * (1 + p * (lam - 1)) ** 2)
    book.line(
        name, lam * (shrunk * (lam - 1) / lam) ** 2, "==", term,
        claim="lem-2-quad", chart=[SHARE],
    )  # fmt: skip
    larger = (Condition(p_2, ">=", p),)
    book.line(
        f"{name}, monotone", shrunk_2, "<=", shrunk, claim="lem-2-quad",
        conditions=larger, chart=BOTH,
    )  # fmt: skip
    quadratic = "F(w*(p)) - F(w*) = <A u, u>/2 with u = w*(p) - w*, in the eigenbasis"
    rows: list[Row] = [
        ("residual", residual, "==", dim / 2 * sq(lost), quadratic, _FREE),
        ("residual_2", residual_2, "==", dim / 2 * sq(lost_2), quadratic, _FREE),
        ("spectral", spectral, "==", dim / 2 * sq(told), "Lemma 2, exact case", ()),
    ]
    suppose(book, EIGEN, rows)
    every, shift = "every coordinate of lem-2-quad, shift", "lem-2-quad:shift"
    shifted: Row = ("shift, in the eigenbasis", sq(lost), "==", sq(told), every, _FREE)
    suppose(book, EIGEN, [shifted], restates=[name, shift])
    monotone: Row = ("monotone", sq(lost_2), "<=", sq(lost), "every coordinate", _FREE)
    suppose(book, EIGEN, [monotone], larger, restates=[f"{name}, monotone", shift])
    uses = supposed(EIGEN, "residual", "spectral", "shift, in the eigenbasis")
    prove(book, "lem-2-quad", "residual", uses, scope=EIGEN, chart=[SHARE])
    names = supposed(EIGEN, "residual", "residual_2", "monotone")
    uses = [cite(str(x), times=y) for x, y in zip(names, (-1, 1, dim / 2), strict=True)]
    prove(book, "lem-2-quad", "monotone", uses, scope=EIGEN, chart=BOTH)


def _variance(book: Book) -> None:
    """Entry a of m o (A (m o w) - b) is m_a X, X apart from m_a, of mean own + p other."""
    said = "Bernoulli masks: Var(m_a X) = p Var X + p (1 - p) (E X)^2"
    alike = (assumed.EQUAL_KEEP,)
    bernoulli = (assumed.KEPT, assumed.BERNOULLI, *alike)
    entry = p * sq(spread_a) + sq(own_a + p * other_a)
    rows: list[Row] = [
        ("rung", q_miss(t), "==", 1 - p, "p of the rung", alike),
        ("vr_m", vr_m(t), "==", dim * p * (1 - p) * entry, said, bernoulli),
        ("C_w", var_slope, "==", dim * (sq(spread_a) + sq(top_a)), "Section 2.1", ()),
        ("p = 0", sq(own_a), "<=", sq(top_a), "the larger of the two, entry by entry", ()),
        ("p = 1", sq(own_a + other_a), "<=", sq(top_a), "the same", ()),
    ]
    suppose(book, ENTRY, rows)
    level = dim * p * (1 - p)
    factors = (-var_slope, 1, p - 1, level * (1 - p), level * p)
    names = supposed(ENTRY, *(row[0] for row in rows))
    uses: list[Use] = [cite(str(x), times=y) for x, y in zip(names, factors, strict=True)]
    uses.append(square(other_a, level * p * (1 - p)))
    claim = "claim-variance"
    mended = f"{claim}:masks, vanishes/corrected"
    book.line(
        mended, vr_m(t), "<=", var_slope * q_miss(t), uses, scope=ENTRY, vectors=False,
        chart=[SHARE], claim=claim, source="ours",
        assumptions=(Fact.QUADRATIC, *bernoulli),
    )  # fmt: skip
    # C_w is that of quadratic clients, of which the paper says nothing here
    prove(book, claim, "masks, vanishes", [mended])


def write(book: Book) -> None:
    """All of these."""
    _clients(book)
    _minimisers(book)
    _residual(book)
    _variance(book)
