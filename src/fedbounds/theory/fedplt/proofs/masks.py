"""Section 1.3 and what is said of Assumption 6."""

from fedbounds.facts import Fact
from fedbounds.theory.fedplt.masks import ATTENUATION
from fedbounds.theory.fedplt.scope_names import CLIENT, CLIENT_ROUND, CLIENT_ROUND_FGD
from fedbounds.theory.fedplt.vectors import W, Wk, mgs, mns
from fedbounds.theory.language.symbols import eta, tau
from fedbounds.theory.proof.language import Book, above, below, equal
from fedbounds.theory.proof.vectors import given, past, sq, xi

from ..symbols import cos_1, cos_2, cos_3, psi_i, rho_k, w_i
from .writing import prove


def _update(book: Book) -> None:
    claim = "update-identity"
    # no mask in the sum: U_k is not W_k^{t,tau} - W^t unless the client trains everything
    prove(book, claim, "SGD", scope=CLIENT_ROUND)
    prove(book, claim, "FGD", scope=CLIENT_ROUND_FGD)
    for variant, masked, scope, supposed in (
        ("SGD", given(mgs + mns, past, xi), CLIENT_ROUND, ()),
        ("FGD", given(mgs, past), CLIENT_ROUND_FGD, (Fact.NOISELESS,)),
    ):
        book.line(
            f"{claim}:{variant}/corrected", sq(Wk - W + eta * tau * masked), "==", 0,
            scope=scope, claim=claim, source="ours", assumptions=supposed,
        )  # fmt: skip


def _angles(book: Book) -> None:
    prove(
        book, "alignment-identity", "identity",
        [f"asm {name} ({CLIENT})" for name in ("cos_g", "cos_m", "rho")], scope=CLIENT,
    )  # fmt: skip
    for part in ("sign", "sign, any mask"):  # a projection may be 0; rho_k > 0 excludes it
        prove(book, "alignment-identity", part, scope=CLIENT)
    ratio = equal(rho_k, cos_3 * cos_2 / cos_1)
    for part, order in (
        ("better", above),
        ("worse", below),
        # rho_k = cos_3 cos_2 / cos_1 falls where cos theta_2 rises towards 0
        ("better, both negative", below),
        ("worse, both negative", above),
    ):
        prove(book, "alignment-interpretation", part, chart=[order(cos_2, cos_1), ratio])


def write(book: Book) -> None:
    """Masks, updates, compensation, angles."""
    # so alpha_r = 1 for every client that trains a coordinate: it attenuates nothing
    book.line("alpha: never below 1", ATTENUATION, "==", 1, claim="alpha", source="ours")
    _update(book)
    prove(book, "coordinate-average", "", chart=[equal(psi_i, 1 / w_i)])
    _angles(book)
