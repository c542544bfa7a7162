"""Steps 1 to 4.2."""

from fedbounds.facts import Fact
from fedbounds.theory.fedplt.one_step import ALIGNED, EXCESS, SLOPE_BOUND, SMOOTH
from fedbounds.theory.fedplt.scope_names import (
    CLIENT,
    CLIENT_ROUND,
    ROUND,
    STEP,
    UNBIASED_ROUND,
    UNBIASED_STEP,
)
from fedbounds.theory.fedplt.vectors import W, Wk, Wstar, aone, mg, mn, pmg, saone
from fedbounds.theory.language.claims import Condition
from fedbounds.theory.language.symbols import L, eta, t, tau
from fedbounds.theory.proof.language import Book, above, below, cite, split, square
from fedbounds.theory.proof.vectors import given, ip, past, sq, xi

from .. import assumed
from ..symbols import (
    A_22,
    F_att,
    F_own,
    alpha_k,
    b_own,
    b_rho,
    c_k,
    norm_g,
    norm_x,
    psi_max,
    psi_min,
    rho_k,
    rho_min,
)
from .writing import prove

_NEAR, _FAR = W - Wk, Wk - Wstar
COMPENSATED = (Fact.STRONGLY_CONVEX, assumed.ALIGNED_COMPENSATED)


def of_step(*names: str) -> list[str]:
    """Ids of definitions and assumptions of the scope of one step."""
    return [f"{name} ({STEP})" for name in names]


def of_client(*names: str) -> list[str]:
    """Ids of assumptions of the scope of one client."""
    return [f"asm {name} ({CLIENT})" for name in names]


def _cross_term(book: Book) -> None:
    parts = of_step("def A_1", "def A_2", "def A_3", "def D_1")
    prove(book, "expansion", "", parts, scope=STEP)
    prove(book, "A3-zero", "A_3", [f"def A_3 ({UNBIASED_STEP})"], scope=UNBIASED_STEP)
    prove(book, "A3-zero", "sum", ["expansion", "A3-zero:A_3"])
    # the later gradients of a round depend on the earlier samples, and so does their sum
    prove(book, "A3-zero", "round", scope=UNBIASED_ROUND, chart=[above(tau, 2)])


def _variance(book: Book) -> None:
    claim = "A1-term"
    prove(book, claim, "a", of_step("asm psi of the mean noise"), scope=STEP)
    prove(book, claim, "b", of_step("asm independence"), scope=STEP)
    prove(book, claim, "c", of_step("asm masking of noise, shares squared"), scope=STEP)
    prove(book, claim, "d", of_client("variance"), scope=CLIENT)
    variance = of_step("def A_1", "asm variance, shares squared")
    prove(book, claim, "e", [*variance, *(f"{claim}:{x}" for x in "abc")], scope=STEP)
    # a round has tau noises, of which (d) counts one
    tau_steps = [above(tau, 2)]
    own = [f"asm variance ({CLIENT_ROUND})"]
    prove(book, claim, "d, round", own, scope=CLIENT_ROUND, chart=tau_steps)
    prove(book, claim, "e, round", scope=UNBIASED_ROUND, chart=tau_steps)
    # without independence only the convexity of the square is left, which gives c_k for c_k^2
    dependent = "dependent clients"
    jensen = square(mn - given(mn, past, xi))
    prove(book, claim, f"b, {dependent}", [*of_step("asm unbiased"), jensen], scope=STEP)
    uses = [*variance, f"{claim}:a", f"{claim}:b, {dependent}", f"{claim}:c"]
    prove(book, claim, f"e, {dependent}", uses, scope=STEP)


def _update_norm(book: Book) -> None:
    prove(
        book, "A2-expansion", "", of_step("def A_2", "def D_W", "def A_21", "def A_22"), scope=STEP
    )
    psi = of_step("asm psi of the mean gradient")
    prove(book, "A2.1", "a", [*psi, square(mg - given(mg, past))], scope=STEP)
    prove(book, "A2.1", "b", of_step("asm masking of gradients"), scope=STEP)
    prove(book, "A2.1", "c", of_client("smooth"), scope=CLIENT)
    uses = [*of_step("def A_21", "asm smooth"), "A2.1:a", "A2.1:b"]
    prove(book, "A2.1", "d", uses, scope=STEP)
    # tau gradients at models before W_k^t, which is nearer to the minimiser of F_k
    prove(book, "A2.1", "d, round", scope=ROUND, chart=[above(tau, 2)])


def _part1(book: Book) -> None:
    claim = "A2.2-part1"
    prove(book, "A2.2-split", "", of_step("def A_22"), scope=STEP)
    bound = psi_max * alpha_k * norm_g
    facts = of_client("norm_g", "norm_x", "psi", "masking")
    cauchy = square(bound * _NEAR + norm_x * pmg)
    prove(book, claim, "a", [*facts, cauchy], scope=CLIENT)
    prove(book, claim, "b", chart=[split(norm_x, eta * bound)])
    scaled = (eta * psi_max * alpha_k) ** 2
    norms = [
        cite(name, times=times)
        for name, times in (
            (f"{claim}:a", 1),
            (f"{claim}:b", eta * c_k),
            (f"asm norm_x ({CLIENT})", -c_k),
            (f"asm norm_g ({CLIENT})", -c_k * scaled),
        )
    ]
    prove(book, claim, "c", norms, scope=CLIENT)
    # 2L where L is printed: (c) does not give it
    prove(book, claim, "d", [f"{claim}:c", *of_client("smooth")], scope=CLIENT)
    # a b <= a^2/(2 eta) + eta b^2/2 does
    young = [square(_NEAR + eta * pmg), square(_NEAR)]
    masked = of_client("psi", "masking", "smooth")
    prove(book, claim, "d", [*masked, *young], scope=CLIENT, source="ours")
    book.line(
        f"{claim}:d/corrected", -eta * c_k * ip(_NEAR, pmg), "<=",
        c_k * (sq(_NEAR) + scaled * 2 * L * F_own(t)),
        [f"{claim}:c", *of_client("smooth")],
        scope=CLIENT, claim=claim, source="ours", assumptions=SMOOTH,
    )  # fmt: skip
    # the sum of (d) over the clients
    masked = of_step("asm psi", "asm masking of gradients", "asm smooth")
    term = eta**2 * psi_max**2 * L * F_att(t)
    for name, factor in (("summed", 1), ("summed, halved", 2)):
        book.line(
            f"{claim}: {name}", -eta * ip(_NEAR, pmg), "<=", sq(_NEAR) / factor + term,
            [*masked, *young], scope=STEP, claim=claim, source="ours", assumptions=SMOOTH,
        )  # fmt: skip


def _part2(book: Book) -> None:
    claim = "A2.2-part2"
    # entries of (W_k - W*) o m_k o grad F_k may be negative, and psi then enlarges them
    facts = "asm psi", "asm psi from below", "asm projection", "asm rho", "asm strongly convex"
    prove(book, claim, "a", of_step(*facts), scope=STEP)
    prove(book, claim, "b", of_step("asm rho"), scope=STEP)
    convex = of_step("asm strongly convex, times rho_k")
    prove(book, claim, "c", [f"{claim}:a", f"{claim}:b", *convex], scope=STEP)
    # needs b_k >= 0, which fails where F_k(W_k) is far enough below F_k(W*)
    book.line(
        f"{claim}: rho, one client", rho_k * b_own(t), ">=", rho_min * b_own(t),
        chart=[above(rho_k, rho_min)], claim=claim, assumptions=ALIGNED,
        conditions=[Condition(rho_k, ">=", rho_min)],
    )  # fmt: skip
    book.line(
        f"{claim}: rho", b_rho(t), ">=", rho_min * EXCESS,
        scope=STEP, claim=claim, assumptions=ALIGNED,
    )  # fmt: skip
    prove(book, claim, "d", [f"{claim}:c", f"{claim}: rho"], scope=STEP)
    prove(book, claim, "d, free psi", scope=STEP)
    book.line(
        f"{claim}/corrected", -eta * ip(_FAR, pmg), "<=", -eta * psi_min * rho_min * EXCESS,
        of_step("asm compensated alignment", "asm strongly convex"),
        scope=STEP, claim=claim, source="ours", assumptions=COMPENSATED,
    )  # fmt: skip


def _part3(book: Book) -> None:
    claim = "A2.2-part3"
    part1, sharper = "A2.2-part1: summed", "A2.2-part1: summed, halved"
    shares = of_step("asm shares of gaps")
    # twice part 1 has 2 sum_k c_k ||W - W_k||^2, half of which is printed
    for part, own in (("as printed", shares), ("c_k", [])):
        uses = ["A2.2-split", "A2.2-part2:d", *own]
        prove(book, claim, part, [*uses, part1], scope=STEP)
        prove(book, claim, part, [*uses, sharper], scope=STEP, source="ours")
    book.line(
        f"{claim}/corrected", A_22(t), "<=",
        sq(_NEAR) + 2 * (eta * psi_max) ** 2 * L * F_att(t) - SLOPE_BOUND * EXCESS,
        ["A2.2-split", "A2.2-part2/corrected", sharper],
        scope=STEP, claim=claim, source="ours", assumptions=(*SMOOTH, *COMPENSATED),
    )  # fmt: skip


def write(book: Book) -> None:
    """Steps 1 to 4.2, and what Step 5 says of Gamma."""
    _cross_term(book)
    _variance(book)
    _update_norm(book)
    _part1(book)
    _part2(book)
    _part3(book)
    prove(book, "gamma-relax", "client", chart=[below(c_k, 1)])
    by = zip(of_step("def Gamma", "def Gamma_2", "asm shares"), (-1, 1, 1), strict=True)
    shares = [cite(name, times=times) for name, times in by]
    prove(book, "gamma-relax", "sum", [*shares, square(aone - saone, times=1)], scope=STEP)
