"""Sections 3.2.3 and 3.3.2, Remarks 3.9 and 3.12: what follows from the rates of FedAvg-P.

With a block removed, a run does not depend on its step sizes, and its noise is bounded by 0: the
theorem is used at the choice that the chart names.
"""

import sympy as sp

from fedbounds.theory.checker.data import Assignment
from fedbounds.theory.language.claims import Claim
from fedbounds.theory.language.symbols import (
    F_0,
    K,
    L,
    T,
    b2,
    eta_u,
    eta_v,
    gamma,
    m,
    n,
    variance_u,
    variance_v,
)
from fedbounds.theory.personalization.special import (
    REMARK_312,
    SPECIAL_323_PERSONAL,
    SPECIAL_323_SHARED,
    SPECIAL_332,
)
from fedbounds.theory.personalization.theorems import NOISE_LEVEL
from fedbounds.theory.proof.language import (
    Book,
    above,
    cite,
    equal,
    fact,
    scaled,
    solve,
)

from .fedavg_theorems import INNER, ROOTS, rooted


def _step(claim: Claim) -> sp.Expr:
    (step,) = (c.right for c in claim.parts[0].conditions if c.left == gamma)
    return step


def _rate(claim: Claim) -> list[Assignment]:
    """The step size of a special case, whose root is that of its noise."""
    step = _step(claim)
    (root,) = (term for term in sp.Add.make_args(1 / step) if not term.is_polynomial(K, L))
    return [rooted(root**2), equal(gamma, step)]


def _blocks(book: Book) -> None:
    dissimilar = solve(b2, L * F_0 / T * sp.Symbol("b2_") ** 2, b2 * T / (L * F_0))
    chart = [
        *ROOTS,
        equal(variance_v, 0),
        equal(eta_v, sp.sqrt(n / m)),
        dissimilar,
        *_rate(SPECIAL_323_SHARED),
        *INNER,
    ]
    printed = SPECIAL_323_SHARED.readings[0]
    uses = [cite("cor-3.8", times=1)]
    book.prove("spec-3.2.3-shared", "outer step", uses, chart=chart, reading=printed)
    # eta_u = 1, where Corollary 3.8 and Theorem 3.11 need more
    for claim, own in ((SPECIAL_323_SHARED, "cor-3.8"), (SPECIAL_332, "thm-3.11:b")):
        name = claim.id.rpartition("/")[2]
        book.prove(name, "vanilla", [cite(own, times=1)], reading=claim.readings[1])
    level = 3 * L * T / F_0 * variance_v
    chart = [
        scaled(n, 1, 2),
        equal(m, n),
        equal(K, 1),
        equal(variance_u, 0),
        equal(b2, 0),
        equal(eta_u, sp.sqrt(n)),
        above(eta_v, 1),
        solve(variance_v, F_0 / (3 * L * T) * sp.Symbol("sigma_v2_") ** 2, level),
        equal(gamma, _step(SPECIAL_323_PERSONAL)),
        *INNER,
    ]
    book.prove("spec-3.2.3-personal", "", [cite("cor-3.8", times=1)], chart=chart)
    chart = [equal(m, n), equal(variance_v, 0), equal(eta_v, 1), *_rate(SPECIAL_332), *INNER]
    printed, uses = SPECIAL_332.readings[0], [cite("thm-3.11:b", times=1)]
    book.prove("spec-3.3.2", "outer step", uses, chart=chart, reading=printed)


def _remark_39(book: Book) -> None:
    """The bound is affine in a root, and its radicand grows or falls with each parameter."""
    radicand = 3 * NOISE_LEVEL * L * F_0 / (K * T)
    chart = [above(n, m)]
    for x in (variance_u, variance_v, b2, L):
        grows = fact("root_grows", radicand, radicand.subs(x, 2 * x), times=8)
        book.prove("rem-3.9", x.name, [grows], chart=chart)
    falls = fact("root_grows", radicand.subs(K, K + 1), radicand, times=8)
    book.prove("rem-3.9", "K", [falls], chart=chart)
    # false where sigma_v^2 rules: m sigma_v^2/n grows with m
    more = fact("root_grows", radicand.subs(m, m + 1), radicand, times=8)
    book.prove("rem-3.9", "m", [more], chart=[above(n, m + 1)])
    book.prove("rem-3.9", "speed-up in K", [], chart=chart)
    alone = radicand.subs(variance_v, 0)
    twice, longer = alone.subs(m, 2 * m), alone.subs(T, 2 * T)
    uses = [fact("root_grows", 4 * twice, 4 * longer, times=4)]
    book.prove("rem-3.9", "speed-up in m", uses, chart=[above(n, 2 * m), rooted(twice)])


def _remark_312(book: Book) -> None:
    remark, vanilla = REMARK_312.readings
    book.prove("rem-3.12", "remark", [cite("thm-3.11:b", times=1)], reading=remark)
    # eta_u = 1, where Theorem 3.11 has eta_u >= T
    book.prove("rem-3.12", "vanilla", [cite("thm-3.11:b", times=1)], reading=vanilla)


def write(book: Book) -> None:
    """The steps of this chapter."""
    _blocks(book)
    _remark_39(book)
    _remark_312(book)
