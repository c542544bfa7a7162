"""The O(ln^2 R / R) rate: Theorem 1 with the R of every rung, where ln R >= 1."""

import sympy as sp

from fedbounds.facts import Fact
from fedbounds.theory.checker.data import Scope
from fedbounds.theory.language.symbols import K, L, mu, n, sigma2, t
from fedbounds.theory.proof.language import Book, cite
from fedbounds.theory.proof.vectors import ip, vectors
from fedbounds.theory.submodel.rates import LONG, RATED
from fedbounds.theory.submodel.symbols import (
    D_opt_0,
    D_r,
    ln2_r,
    nu_star2,
    p_mean,
    zeta_star2,
)
from fedbounds.theory.submodel.vectors import one

from .. import assumed
from .writing import Row, Use, prove, suppose, supposed

RUNG = "a rung with its own R"
inv_R, ln_R, ln2_R2 = vectors(
    {"inv_R": r"\tfrac1R", "ln_R": r"\tfrac{\ln R}R", "ln2_R2": r"\tfrac{\ln^2R}{R^2}"}
)
SCOPES = {RUNG: Scope(atoms=tuple((name, ()) for name in ("one", "inv_R", "ln_R", "ln2_R2")))}
_ASSUMED = (
    Fact.SMOOTH,
    Fact.STRONGLY_CONVEX,
    Fact.NOISE,
    assumed.KEPT,
)


def write(book: Book) -> None:
    """The rate of the distance."""
    terms = (
        (inv_R, D_opt_0),
        (ln_R, 16 / (mu**2 * p_mean**2 * n) * (sigma2 / K + nu_star2)),
        (ln2_R2, 48 * L / (mu**3 * p_mean**3) * (zeta_star2 + sigma2 / (2 * K))),
    )
    tuned = sum((factor * ip(number, one) for number, factor in terms), sp.Integer(0))
    rate_: Row = ("rate", D_r(t), "<=", tuned, "thm-1:rate with the rung's R", _ASSUMED)
    suppose(book, RUNG, [rate_], RATED, restates=["thm-1:rate"])
    rows: list[Row] = [
        (number.name, ip(number, one), "<=", ln2_r(t), "1 <= ln R <= R", ()) for number, _ in terms
    ]
    suppose(book, RUNG, rows, LONG)
    rate, *sizes = supposed(RUNG, *(row[0] for row in (rate_, *rows)))
    uses: list[Use] = [cite(str(rate), times=1)]
    uses += [cite(str(x), times=factor) for x, (_, factor) in zip(sizes, terms, strict=True)]
    prove(book, "claim-rate", "distance", uses, scope=RUNG)
