"""How far minimisers move with the masks: what is left of Lemmas 2 and 7, with G and W.

The gap of client i's gradients is the integral, over a keep probability between p'_i and p_i, of
the sum over j of E[g(m with j) - g(m without j)], g(m) = m o grad f_i(m o w), w a minimiser.
Clients (and sub-models) are drawn in proportion to |p_i - p'_i| (to ||m - m'||); a vector of norm
at most b is b times one that is called "one", of norm at most 1.
"""

import sympy as sp

from fedbounds.facts import Fact
from fedbounds.theory.checker.data import Scope
from fedbounds.theory.language.symbols import L, mu
from fedbounds.theory.proof.language import Book, cite, split, square
from fedbounds.theory.proof.text import need, text
from fedbounds.theory.proof.vectors import given, sq, vectors
from fedbounds.theory.submodel.symbols import (
    G,
    W_sup,
    dim,
    gap_at_1,
    gap_at_2,
    mask_dist,
    opt_dist,
    p_dist,
    p_mean,
    p_mean_2,
    q_mean,
    q_mean_2,
)

from .. import assumed
from .writing import Row, Use, defined, prove, suppose, supposed

one_g, one_cut, one_rest, one_with, one_without, one_kept, one_left = vectors(
    {
        "one_g": r"\tfrac1G\mathbb E\nabla f_i(m\odot w)",
        "one_cut": r"\tfrac{1-q}{LW}\mathbb E(\partial_jf_i(m^{j\to1}w)-\partial_jf_i(m^{j\to0}w))",
        "one_rest": r"\tfrac1{L\sqrt dW}\textstyle\sum_j\mathbb E\,m\odot"
        r"(\nabla f_i(m^{j\to1}w)-\nabla f_i(m^{j\to0}w))",
        "one_with": r"\tfrac1{dG}\textstyle\sum_jg_i(m^{j\to1})",
        "one_without": r"-\tfrac1{dG}\textstyle\sum_jg_i(m^{j\to0})",
        "one_kept": r"\tfrac{(m-m')\odot\nabla f_i(m\odot w)}{G\|m-m'\|}",
        "one_left": r"\tfrac{m'\odot(\nabla f_i(m\odot w)-\nabla f_i(m'\odot w))}{LW\|m-m'\|}",
    }
)
(rate,) = vectors({"rate": r"\tfrac{\nabla F_i(p_i,w)-\nabla F_i(p'_i,w)}{|p_i-p'_i|}"})

_BOUNDED = (Fact.SMOOTH, assumed.BOUNDED_DOMAIN, assumed.BOUNDED_MASKED_GRADIENTS)
_BERNOULLI = (assumed.KEPT, assumed.BERNOULLI, *_BOUNDED)
_COVERED = (assumed.COVERAGE, *_BOUNDED)
_G = "||grad f_i(m o w)|| <= G"
_EVERY_J = f"{_G}; d values of j"
_ONE_J = (
    "entry j moves, and no other one, by |w_j|: by Assumption 1 the gradient by at most L |w_j|"
)
# what of, (name, size, origin) of each piece, what it is a share of, claim, assumptions
_PIECES = {
    "smooth path": (
        "lem-2",
        (
            (one_g, G, _G),
            (one_cut, L * W_sup, f"{_ONE_J}; the norm of these entries is at most that of w"),
            (one_rest, L * sp.sqrt(dim) * W_sup, f"{_ONE_J}; ||w||_1 <= sqrt(d) ||w||"),
        ),
        p_dist,
        _BERNOULLI,
    ),
    "path": (
        "lem-2",
        ((one_with, dim * G, _EVERY_J), (one_without, dim * G, _EVERY_J)),
        p_dist,
        _BERNOULLI,
    ),
    "masks": (
        "lem-7",
        (
            (one_kept, G, f"{_G}; entries of m - m' are at most 1, and ||m - m'|| >= 1"),
            (one_left, L * W_sup, "Assumption 1; ||(m - m') o w|| <= ||m - m'|| ||w||"),
        ),
        mask_dist,
        _COVERED,
    ),
}  # fmt: skip
_SHARES = {"lem-2": (p_mean, p_mean_2, "p"), "lem-7": (q_mean, q_mean_2, "M")}
_KNOWN = (
    "lem-2:gap at w*(p)", "lem-2:gap at w*(p')", "lem-7: gap at w*(M)", "lem-7: gap at w*(M')",
)  # fmt: skip
_AT = (("w*(p)", "gap_at_1", gap_at_1), ("w*(p')", "gap_at_2", gap_at_2))


def _scope(kind: str) -> Scope:
    _, pieces, _, assumptions = _PIECES[kind]
    whole = sum((size * one for one, size, _ in pieces), sp.Integer(0))
    return Scope(
        sources=("i",),
        atoms=tuple((one.name, ("i",)) for one, _, _ in pieces),
        derived=(("rate", text(whole)),),
        needs=(need(("rate",), *assumptions),),
    )


def place(kind: str, at: str) -> str:
    """The scope's name."""
    return f"{kind}, at {at}"


SCOPES = {place(kind, at): _scope(kind) for kind in _PIECES for at, _, _ in _AT}


def _gaps(book: Book) -> None:
    """Every gap at a minimiser, from the sizes of its pieces: Jensen and the mean inequality."""
    for kind, (claim, pieces, moved, assumptions) in _PIECES.items():
        for at, name, left in _AT:
            scope = place(kind, at)
            book.define(f"{name} ({scope})", left, sq(moved * given(rate)), claim, scope)
            rows: list[Row] = [
                (one.name, sq(one), "<=", 1, origin, assumptions) for one, _, origin in pieces
            ]
            suppose(book, scope, rows)
            whole = sum((size for _, size, _ in pieces), sp.Integer(0))
            uses: list[Use] = [
                *(cite(str(use), times=1) for use in defined(scope, name)),
                square(moved * (rate - given(rate)), 1),
            ]
            for number, (one, size, _) in enumerate(pieces):
                (fact,) = supposed(scope, one.name)
                uses.append(cite(str(fact), times=moved**2 * size * whole))
                uses += [
                    square(one - other, moved**2 * size * less)
                    for other, less, _ in pieces[:number]
                ]
            book.line(
                line(kind, at), left, "<=", (moved * whole) ** 2, uses,
                scope=scope, vectors=False, claim=claim, assumptions=assumptions,
            )  # fmt: skip


def line(kind: str, at: str) -> str:
    """The id of the line about one gap."""
    return f"{_PIECES[kind][0]}: {kind}, at {at}"


def _moved(book: Book) -> None:
    """The distance of the minimisers, from either of them: the better one for the larger mean."""
    for kind, (claim, pieces, moved, assumptions) in _PIECES.items():
        bound = moved * sum((size for _, size, _ in pieces), sp.Integer(0))
        first, second, label = _SHARES[claim]
        for (at, _, _), share, of in zip(_AT, (second, first), (label, f"{label}'"), strict=True):
            (known,) = (x for x in _KNOWN if x.startswith(claim) and x.endswith(f"({of})"))
            book.line(
                f"{line(kind, at)}, over its share", opt_dist, "<=", (bound / (mu * share)) ** 2,
                [cite(known, times=1), cite(line(kind, at), times=1 / (mu * share) ** 2)],
                claim=claim, assumptions=(Fact.STRONGLY_CONVEX, *assumptions),
            )  # fmt: skip
    uses = [f"{line('masks', at)}, over its share" for at, _, _ in _AT]
    prove(book, "lem-7", "Lipschitz", uses, chart=[split(q_mean, q_mean_2)])


def write(book: Book) -> None:
    """All of these."""
    _gaps(book)
    _moved(book)
