"""Steps 4.6 and 5."""

from fedbounds.facts import Fact
from fedbounds.theory.fedplt.distance import CONDITIONS, CONTRACTION, HETEROGENEITY
from fedbounds.theory.fedplt.rounds import DIVERGENCE, LOCAL_DIVERGENCE
from fedbounds.theory.fedplt.scope_names import CLIENT_ROUND, ROUND, STEP, VIRTUAL
from fedbounds.theory.fedplt.vectors import W, Wk, ags, ans, mgs, mns, pmgs, pmns
from fedbounds.theory.language.symbols import D_W, G2, L, eta, j, sigma2, t, tau
from fedbounds.theory.language.symbols import k as client
from fedbounds.theory.proof.language import Book, above, square
from fedbounds.theory.proof.vectors import given, past, sq, xi

from .. import assumed
from ..symbols import D_1, V_W, Gamma, Gamma_2, Lambda, nu_max, psi_max
from .distance import EQUAL
from .values import GAMMA_POSITIVE
from .writing import prove

_LOCAL = (Fact.NOISE, assumed.LOCAL_GRADIENTS)
_VIRTUAL = (*_LOCAL, assumed.VIRTUAL)
_GLOBAL = (Fact.NOISE, assumed.GLOBAL_GRADIENT)
_WITHIN = LOCAL_DIVERGENCE.part("virtual").conditions
_NOISE = (*EQUAL, Fact.NOISE, Fact.INDEPENDENT)


def _of(scope: str, *names: str) -> list[str]:
    return [f"asm {name} ({scope})" for name in names]


def _divergence(book: Book) -> None:
    claim, own = "local-divergence", CLIENT_ROUND
    prove(book, claim, "a", scope=own)
    jensen = square(mgs + mns - given(mgs + mns, past, xi))
    prove(book, claim, "b", [jensen], scope=own)
    moved = square(mgs + mns - given(mgs + mns, past, xi, client))
    # Assumption 5 bounds grad F, and says nothing of one client's gradient
    for suffix, bound, assumptions in (
        ("", "gradient of F", _GLOBAL),
        (", gradients of F_k", "gradients", _LOCAL),
    ):
        facts = _of(own, "unbiased", "variance", bound)
        prove(book, claim, f"c{suffix}", facts, scope=own)
        uses = [f"{claim}:b", *_of(own, "masking"), f"{claim}:c{suffix}"]
        prove(book, claim, f"d{suffix}", uses, scope=own)
        book.line(
            f"{claim}: c{suffix}, summed", sq(ags + ans), "<=", (G2 + sigma2) * Gamma,
            _of(ROUND, "unbiased", "variance", bound),
            scope=ROUND, claim=claim, assumptions=assumptions,
        )  # fmt: skip
        uses = [f"def V_W ({ROUND})", *_of(ROUND, "masking"), f"{claim}: c{suffix}, summed"]
        prove(book, claim, f"e{suffix}", [*uses, moved], scope=ROUND)


def _virtual(book: Book) -> None:
    claim, own = "local-divergence", mgs + mns
    steps, mean = given(own, past, xi, client), given(pmgs + pmns, past, xi)
    jensen = [square(own - steps), square(steps - given(own, past, xi))]
    # W^t moves as well, and by up to psi_max as far
    book.line(
        f"{claim}: moves", sq(Wk - W), "<=",
        2 * (1 + psi_max**2) * eta**2 * j**2 * sq(own),
        [*_of(VIRTUAL, "psi"), *jensen, square(steps + mean)],
        scope=VIRTUAL, claim=claim, source="ours", assumptions=_VIRTUAL[-1:],
    )  # fmt: skip
    gradient = _of(VIRTUAL, "unbiased", "variance", "gradients", "masking")
    book.line(
        f"{claim}: gradients", sq(own), "<=", (G2 + sigma2) * Gamma,
        gradient, scope=VIRTUAL, claim=claim, source="ours", assumptions=_LOCAL,
    )  # fmt: skip
    facts = [*_of(VIRTUAL, "psi", "psi at least 1"), f"{claim}: gradients"]
    moves = [*jensen, square(steps - mean)]
    prove(book, claim, "virtual", [*facts, *moves], scope=VIRTUAL, chart=[above(tau, j + 1)])
    book.line(
        f"{claim}:virtual/corrected", sq(Wk - W), "<=", 2 * (1 + psi_max**2) * DIVERGENCE,
        [f"{claim}: moves", f"{claim}: gradients"],
        scope=VIRTUAL, chart=[above(tau, j + 1)], claim=claim, source="ours",
        conditions=_WITHIN, assumptions=_VIRTUAL,
    )  # fmt: skip
    book.line(
        f"{claim}: V_W, virtual", V_W(t), "<=", 2 * (1 + psi_max**2) * DIVERGENCE,
        [f"asm V_W ({VIRTUAL})", f"{claim}:virtual/corrected"],
        scope=VIRTUAL, vectors=False, chart=[above(tau, j + 1)], claim=claim, source="ours",
        conditions=_WITHIN, assumptions=_VIRTUAL,
    )  # fmt: skip


def _recursion(book: Book) -> None:
    claim = "recursion"
    chart = [*GAMMA_POSITIVE]
    uses = ["A3-zero:sum", "A1-term:e", "A2-final", "local-divergence:e", "gamma-relax:sum"]
    prove(book, claim, "virtual step", uses, chart=chart)
    # Delta^t of the algorithm is a sum over tau local steps; that of the analysis is one step,
    # from the models that these lead to
    book.line(
        f"{claim}: simplified notation", D_W(t + 1), "==", D_1(t),
        [f"def D_W next ({ROUND})", f"def D_1 ({ROUND})"],
        scope=ROUND, vectors=False, claim=claim, place="before Section 2.1",
    )  # fmt: skip
    uses = [f"{claim}: simplified notation", f"{claim}:virtual step"]
    prove(book, claim, "round", uses, chart=chart)
    prove(book, claim, "round, free psi")


def _corrected(book: Book) -> None:
    claim, virtual_step = "recursion", "recursion:virtual step/corrected"
    noise = eta**2 * sigma2 * psi_max**2
    book.line(
        virtual_step, D_1(t), "<=",
        (1 - eta * CONTRACTION / 2) * D_W(t) + (2 + eta * CONTRACTION) * V_W(t)
        + HETEROGENEITY + noise * Gamma_2,
        ["A3-zero:sum", "A1-term:e", "A2-final/corrected"], chart=GAMMA_POSITIVE,
        claim=claim, source="ours", conditions=CONDITIONS, assumptions=_NOISE,
    )  # fmt: skip
    # of the algorithm: at multiples of tau, W^t is its global model
    virtual = (*_NOISE, assumed.LOCAL_GRADIENTS, assumed.VIRTUAL)
    moved = 2 * (2 + eta * CONTRACTION) * (1 + psi_max**2) * tau**2 * (G2 + sigma2) * Gamma
    book.line(
        f"{claim}:round/corrected", D_W(t + 1), "<=",
        (1 - eta * CONTRACTION / 2) * D_W(t)
        + eta**2 * (moved + 2 * L * nu_max * Lambda + sigma2 * psi_max**2 * Gamma_2),
        ["asm virtual aggregation", virtual_step, "local-divergence: V_W, virtual"],
        chart=[*GAMMA_POSITIVE, above(tau, j + 1)],
        claim=claim, source="ours", conditions=(*CONDITIONS, *_WITHIN), assumptions=virtual,
    )  # fmt: skip
    single = (*_NOISE, assumed.SINGLE_STEP)
    once = [f"asm one local step: {x} ({STEP})" for x in ("W_k", "V_W", "D_W")]
    book.line(
        f"{claim}:one local step/corrected", D_W(t + 1), "<=",
        (1 - eta * CONTRACTION) * D_W(t)
        + eta**2 * (2 * L * nu_max * Lambda + sigma2 * psi_max**2 * Gamma),
        [*once, "A3-zero:sum", "A1-term:e", "A2-grouped/corrected", "def A_24", "A2.4:equal",
         "gamma-relax:sum"],
        scope=STEP, vectors=False, chart=GAMMA_POSITIVE,
        claim=claim, source="ours", conditions=CONDITIONS, assumptions=single,
    )  # fmt: skip


def write(book: Book) -> None:
    """Steps 4.6 and 5."""
    _divergence(book)
    _virtual(book)
    _recursion(book)
    _corrected(book)
