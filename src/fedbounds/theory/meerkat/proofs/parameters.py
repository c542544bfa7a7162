"""What follows for every choice of parameters: the displays between (27) and (28), and remarks."""

from collections.abc import Sequence

from fedbounds.theory.checker.data import Assignment
from fedbounds.theory.language.claims import Claim
from fedbounds.theory.language.symbols import n
from fedbounds.theory.proof.language import Book, above, below, equal, root

from ..parameters import AGAINST, INSIGHTS
from ..sizes import ROOT_H
from ..softmax import BALANCED, VARIANCE
from ..softmax import GRADIENT as SOFTMAX
from ..symbols import K_b, K_g, c, c_h, delta_1, delta_2, gamma_g, mu_PL, u_ratio, u_ratio2


def write(book: Book) -> None:
    """All of them."""
    roots = [root(x, 2) for x in (c, c_h)]
    book.prove("vp-delta", "coefficient", chart=roots)
    book.prove("vp-delta", "sign", chart=[*roots, above(K_b, 1)])
    denser = [*roots, above(u_ratio2, u_ratio)]
    for part in ("transient in u", "floor in u"):
        _prove(book, INSIGHTS, part, denser)
    for part in ("transient in T", "floor in T"):
        _prove(book, INSIGHTS, part, roots)
    for part in SOFTMAX.readings[0].parts:
        _prove(book, SOFTMAX, part)
    _prove(book, VARIANCE, "one J")
    _prove(book, BALANCED, "covariance, alike", [equal(delta_1, delta_2)])
    _prove(book, BALANCED, "not 0")
    for part in ("mean", "covariance"):
        _prove(book, BALANCED, part)
    _prove(book, AGAINST, "minimisers, density", [below(u_ratio, 1)])
    of_named = [below(gamma_g, 1 / ROOT_H**2), below(mu_PL, 2 / ROOT_H**2), below(u_ratio, 1),
                equal(K_g, n - K_b)]  # fmt: skip
    _prove(book, AGAINST, "density", [*roots, *of_named])


def _prove(book: Book, claim: Claim, part: str, chart: Sequence[Assignment] = ()) -> None:
    """In the reading that has the part."""
    reading = next(one for one in claim.readings if part in one.parts)
    book.prove(claim.id, part, chart=chart, reading=reading)
