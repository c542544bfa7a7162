"""What quantities are, what masks and shares do to a vector, and what the assumptions say."""

from fedbounds.facts import Fact
from fedbounds.theory.fedplt.measured import (
    AFTER_ROUND,
    ROUND_QUANTITIES,
    START,
    STEP_QUANTITIES,
    SUMS,
    VALUES,
)
from fedbounds.theory.fedplt.scope_names import (
    CLIENT,
    CLIENT_ROUND,
    ROUND,
    STEP,
    UNBIASED_STEP,
    VIRTUAL,
)
from fedbounds.theory.fedplt.vectors import (
    Gs,
    W,
    Wk,
    Wn,
    Wstar,
    ag,
    ags,
    an,
    ans,
    anyv,
    aone,
    g,
    g0,
    gs,
    mg,
    mgs,
    mn,
    mns,
    mv,
    noise,
    ns,
    pmg,
    pmgs,
    pmn,
    pmns,
    rg,
    san,
    saone,
    smn,
)  # fmt: skip
from fedbounds.theory.language.symbols import D_W, G2, L, mu, sigma2, t
from fedbounds.theory.proof.language import Book, square
from fedbounds.theory.proof.vectors import given, ip, past, sq, xi

from .. import assumed
from ..symbols import (
    A_1,
    A_2,
    A_3,
    A_21,
    A_22,
    D_0,
    D_1,
    V_W,
    F_att,
    F_bar,
    F_opt,
    F_own,
    F_raw,
    F_star,
    Gamma,
    Gamma_2,
    Lambda,
    alpha_k,
    b_rho,
    cos_3,
    cos_g,
    cos_m,
    norm_g,
    norm_x,
    norm_y,
    psi_max,
    psi_min,
    rho_k,
    rho_min,
)
from .writing import prove

_NOISE = (Fact.NOISE,)
_SMOOTH = (Fact.SMOOTH,)
_PSI = "Step 3: ||a o v|| <= max |a_i| ||v||"
_MASKING = "Step 4.2: the masking inequality, fedplt/alpha, of every client"
_A1 = "Assumption 1: descent from a point along its gradient, F_k >= F_k*"


def _step(book: Book) -> None:
    is_ = {**STEP_QUANTITIES, **SUMS}
    for name, left, origin in (
        ("D_W", D_W(t), "Step 5"),
        ("D_1", D_1(t), "Step 1"),
        ("A_1", A_1(t), "Step 1, eq. (14)"),
        ("A_2", A_2(t), "Step 1, eq. (14)"),
        ("A_3", A_3(t), "Step 1, eq. (14)"),
        ("A_21", A_21(t), "Step 4"),
        ("A_22", A_22(t), "Step 4"),
        ("V_W", V_W(t), "Step 4.6"),
        ("Gamma", Gamma, "Step 4.6"),
        ("Gamma_2", Gamma_2, "Step 3"),
    ):
        book.define(f"{name} ({STEP})", left, is_[name], origin, STEP)
    noisy = is_["A_3"]
    book.define(f"A_3 ({UNBIASED_STEP})", A_3(t), noisy, "Step 1, eq. (14)", UNBIASED_STEP)


def _step_facts(book: Book) -> None:
    mean_g, mean_n = given(mg, past, xi), given(mn, past, xi)
    compensated = given(pmg, past, xi), given(pmn, past, xi)
    for name, left, right, origin, assumptions in (
        ("psi of the mean gradient", sq(compensated[0]), psi_max**2 * sq(mean_g), _PSI, ()),
        ("psi of the mean noise", sq(compensated[1]), psi_max**2 * sq(mean_n), _PSI, ()),
        ("psi", sq(pmg), psi_max**2 * sq(mg), _PSI, ()),
        ("masking of gradients", sq(mg), sq(ag), _MASKING, ()),
        ("masking of noise", sq(mn), sq(an), _MASKING, ()),
        ("masking of noise, shares squared", ip(smn, mn), ip(san, an), _MASKING, ()),
        ("variance", sq(an), sigma2 * Gamma, "Assumption 4", _NOISE),
        ("variance, shares squared", ip(san, an), sigma2 * Gamma_2, "Assumption 4", _NOISE),
        ("smooth", sq(ag), 2 * L * F_att(t), _A1, _SMOOTH),
        ("shares", sq(saone), ip(saone, aone), "0 <= c_k <= 1", ()),
        ("shares of gaps", F_att(t), F_raw(t), "c_k <= 1 and F_k >= F_k*", ()),
    ):
        again = _restated(origin)
        book.suppose(
            f"{name} ({STEP})", left, right, origin, assumptions, scope=STEP, restates=again
        )
    for name, left, relation, right, origin in (
        ("psi from below", ip(pmg, mg), ">=", psi_min * sq(mg), "Step 4.2: the smallest psi_i"),
        ("projection", ip(mg, g), "==", sq(mg), "(3): entries of m_k are 0 or 1"),
    ):
        book.suppose(f"{name} ({STEP})", left, right, origin, (), relation, STEP)
    book.suppose(
        f"unbiased ({STEP})",
        sq(given(mn, past)),
        0,
        "Assumption 3, given what comes before the step",
        _NOISE,
        "==",
        STEP,
    )
    book.suppose(
        f"independence ({STEP})",
        sq(mean_n),
        ip(smn, mn),
        "independence over clients: cross terms vanish",
        (Fact.NOISE, Fact.INDEPENDENT),
        "==",
        STEP,
    )


def _alignment(book: Book) -> None:
    """Strong convexity from W_k to W*, and what a lower bound on an alignment says."""
    far = Wk - Wstar
    excess = F_opt(t) + mu / 2 * sq(far)
    convex = (Fact.STRONGLY_CONVEX,)
    ratio, aligned = "Step 4.2, Part 2: rho_k^t", (assumed.ALIGNED,)
    book.suppose(f"rho ({STEP})", ip(rg, far), ip(mg, far), ratio, aligned, "==", STEP)
    for name, left, right, origin, assumptions in (
        ("strongly convex", ip(g, far), excess, "Assumption 2", convex),
        (
            "strongly convex, times rho_k", ip(rg, far), b_rho(t),
            "Assumption 2, times c_k rho_k > 0", (*convex, assumed.ALIGNED),
        ),
        (
            "compensated alignment", ip(pmg, far), psi_min * rho_min * ip(g, far),
            "our repair of Assumption 6: with psi, and as an inequality",
            (assumed.ALIGNED_COMPENSATED,),
        ),
    ):  # fmt: skip
        book.suppose(f"{name} ({STEP})", left, right, origin, assumptions, ">=", STEP)


def _restated(origin: str) -> tuple[str, ...]:
    """The step that a line says again of other vectors."""
    return ("alpha",) if origin == _MASKING else ()


def _masks(book: Book) -> None:
    """The masking inequality of a client and a vector."""
    entries = f"projection ({CLIENT})"
    book.suppose(entries, ip(mv, anyv), sq(mv), "(3): entries of m_k are 0 or 1", (), "==", CLIENT)
    prove(book, "alpha", "", [f"asm {entries}", square(anyv - mv)], scope=CLIENT)


def _client(book: Book) -> None:
    aligned = (assumed.ALIGNED,)
    for name, left, relation, right, origin, assumptions in (
        ("norm_g", sq(g), "==", norm_g**2, "Step 4.2, Part 1", ()),
        ("norm_x", sq(W - Wk), "==", norm_x**2, "Step 4.2, Part 1", ()),
        ("psi", sq(pmg), "<=", psi_max**2 * sq(mg), _PSI, ()),
        ("masking", sq(mg), "<=", alpha_k**2 * sq(g), _MASKING, ()),
        ("variance", sq(noise), "<=", sigma2, "Assumption 4", _NOISE),
        ("smooth", sq(g), "<=", 2 * L * F_own(t), _A1, _SMOOTH),
        ("smooth at W", sq(g0), "<=", 2 * L * F_bar(t), _A1, _SMOOTH),
        (
            "convex", F_own(t) - F_bar(t), ">=", ip(g0, Wk - W), "Assumption 2",
            (Fact.STRONGLY_CONVEX,),
        ),
        (
            "cos_g", ip(g, Wk - Wstar), "==", norm_g * norm_y * cos_g(t),
            "after Assumption 6: theta_1", (),
        ),
        (
            "cos_m", ip(mg, Wk - Wstar), "==", norm_g * cos_3 * norm_y * cos_m(t),
            "after Assumption 6: theta_2 and theta_3", (),
        ),
        ("rho", ip(mg, Wk - Wstar), "==", rho_k * ip(g, Wk - Wstar), "Assumption 6", aligned),
    ):  # fmt: skip
        again = _restated(origin)
        book.suppose(
            f"{name} ({CLIENT})", left, right, origin, assumptions, relation, CLIENT, restates=again
        )


def _rounds(book: Book) -> None:
    unbiased = "Assumption 3, given what comes before the local step"
    for scope, gradient, its_noise in (
        (ROUND, ags, ans), (VIRTUAL, ags, ans), (CLIENT_ROUND, gs, ns),
    ):  # fmt: skip
        book.suppose(
            f"unbiased ({scope})", ip(gradient, its_noise), 0, unbiased, _NOISE, "==", scope
        )
    local, wide = (assumed.LOCAL_GRADIENTS,), (assumed.GLOBAL_GRADIENT,)
    for name, left, right, origin, assumptions, scope in (
        ("masking", sq(mgs + mns), sq(ags + ans), _MASKING, (), ROUND),
        ("variance", sq(ans), sigma2 * Gamma, "Assumption 4", _NOISE, ROUND),
        ("gradients", sq(ags), G2 * Gamma, "Assumption 5 of every F_k", local, ROUND),
        ("gradient of F", sq(Gs), G2, "Assumption 5", wide, ROUND),
        ("masking", sq(mgs + mns), sq(ags + ans), _MASKING, (), VIRTUAL),
        (
            "psi", sq(given(pmgs + pmns, past, xi)),
            psi_max**2 * sq(given(mgs + mns, past, xi)), _PSI, (), VIRTUAL,
        ),
        (
            "psi at least 1", sq(given(mgs + mns, past, xi)),
            ip(given(mgs + mns, past, xi), given(pmgs + pmns, past, xi)),
            "Section 1.3: psi_i >= 1", (), VIRTUAL,
        ),
        ("variance", sq(ans), sigma2 * Gamma, "Assumption 4", _NOISE, VIRTUAL),
        ("gradients", sq(ags), G2 * Gamma, "Assumption 5 of every F_k", local, VIRTUAL),
        ("masking", sq(mgs + mns), alpha_k**2 * sq(gs + ns), _MASKING, (), CLIENT_ROUND),
        ("variance", sq(ns), sigma2, "Assumption 4", _NOISE, CLIENT_ROUND),
        ("gradients", sq(gs), G2, "Assumption 5 of every F_k", local, CLIENT_ROUND),
        ("gradient of F", sq(Gs), G2, "Assumption 5", wide, CLIENT_ROUND),
    ):  # fmt: skip
        again = _restated(origin)
        book.suppose(
            f"{name} ({scope})", left, right, origin, assumptions, scope=scope, restates=again
        )
    local_steps = (assumed.VIRTUAL,)
    book.suppose(f"V_W ({VIRTUAL})", V_W(t), sq(Wk - W), "Step 4.6", local_steps, "==", VIRTUAL)
    origin = "Section 2: aggregation at every local step"
    book.suppose("virtual aggregation", D_W(t + 1), D_1(t), origin, local_steps, "==")
    is_ = {**ROUND_QUANTITIES, **AFTER_ROUND}
    book.define(f"V_W ({ROUND})", V_W(t), is_["V_W"], "Step 4.6: W_k^t = W_k^{t,tau}", ROUND)
    book.define(f"D_W ({ROUND})", D_W(t), is_["D_W"], "Step 5", ROUND)
    virtual = "Step 1, from W_k^t = W_k^{t,tau}"
    book.define(f"D_1 ({ROUND})", D_1(t), is_["D_1"], virtual, ROUND)
    book.define(f"D_W next ({ROUND})", D_W(t + 1), sq(Wn - Wstar), "Step 5", ROUND)


def _single(book: Book) -> None:
    """With one local step the gradients are taken at W^t."""
    single = (assumed.SINGLE_STEP,)
    for name, left, right in (
        ("W_k", sq(Wk - Wstar), D_W(t)),
        ("V_W", V_W(t), 0),
        ("D_W", D_W(t + 1), D_1(t)),
    ):
        book.suppose(
            f"one local step: {name} ({STEP})", left, right, "W_k^t = W^t", single, "==", STEP
        )


def write(book: Book) -> None:
    """All definitions, and what is assumed of vectors; new names come before they are spoken of."""
    book.define("start", D_0, START["D_0"], "D^0")
    book.define("F_star", F_star(t), Lambda, "(1): F* = sum_k c_k F_k(W*)")
    book.define("F_opt", F_opt(t), VALUES["F_opt"], "Step 4.4: add and subtract F_k*")
    _masks(book)
    _step(book)
    _step_facts(book)
    _alignment(book)
    _client(book)
    _rounds(book)
    _single(book)
