"""The mean of a norm of the state, from its moments: as a number, or within a ball.

||E v|| <= E ||v|| <= sqrt(E ||v||^2); on the line E |v| = |E v|, where v keeps its sign.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import sympy as sp
from flint import arb, ctx, fmpq

from fedbounds.problems.linear import rational
from fedbounds.theory.language.setups import dot

from .balls import Ball, as_arb
from .evaluate import Roots, as_roots
from .settled import FromAnywhere
from .spaces import Unrolled, vector
from .subject import Subject
from .unknowns import Refused, Unknown

PRECISE = 512  # bits


def norm_of(node: sp.Expr) -> sp.Expr | None:
    """v of ``given(sqrt(dot(v, v)))``; None of all else."""
    if node.func.__name__ != "given" or len(node.args) > 1:
        return None
    (root,) = node.args
    if not (isinstance(root, sp.Pow) and root.exp == sp.S.Half and isinstance(root.base, dot)):
        return None
    left, right = root.base.args
    return left if left == right else None


def entries(v: sp.Expr, space: Unrolled, values: Mapping[str, Any] | None = None) -> list[Any]:
    """A vector of the state: its coordinates as polynomials.

    Raises
    ------
    Refused
        If there are several, or draws or parameters occur in it.
    """
    found = vector(v, space, values or {})
    if found.size > found.shape[-1]:
        raise Refused(f"{v} has an index: norms of single vectors are looked at")
    every: list[Any] = found.reshape(-1).tolist()
    size = space.variables.entries
    for entry in every:
        if isinstance(entry, Unknown) and any(
            any(powers[size:]) or sum(powers) > 1 for powers in entry.polynomial.to_dict()
        ):
            raise Refused(f"{v} is not affine in the state alone")
    return every


def squared(means: Sequence[fmpq]) -> fmpq:
    """||E v||^2 from E v."""
    return sum((x * x for x in means), fmpq(0))


def mean_norm(low: fmpq, square: fmpq, *, signed: bool) -> fmpq | Roots | arb:
    """E ||v|| from ||E v||^2 and E ||v||^2; ``signed``: v is a number that keeps its sign."""
    if isinstance(low, Ball) or isinstance(square, Ball):
        return _between(*(as_arb(x).max(arb(0)) for x in (low, low if signed else square)))
    if signed or low == square:
        root = as_roots(low).root(2)
        number = root.rational()
        return root if number is None else number
    with ctx.workprec(PRECISE):
        return _between(arb(low), arb(square))


def _between(low: arb, high: arb) -> arb:
    """A ball that holds the roots of both, and all between."""
    below, above = low.sqrt(), high.sqrt()
    middle, radius = (below + above) / 2, (above - below) / 2
    # a ball around the middle whose radius holds the balls at both ends
    return arb(middle.mid(), abs(radius).upper() + below.rad() + above.rad())


def alike(norms: Sequence[fmpq | Roots | arb]) -> list[fmpq | Roots | arb]:
    """Norms that can be added: where one is a ball, roots are balls too."""
    balls = any(isinstance(x, arb) for x in norms)
    with ctx.workprec(PRECISE):
        return [x.ball() if balls and isinstance(x, Roots) else x for x in norms]


def keeps_sign(subject: Subject, v: Sequence[Any]) -> bool:
    """Whether a number is surely on one side of 0 in all rounds: shown by its own rounds alone.

    Under every outcome v+ = c v + b with c >= 0, and every b and the start are on that side.
    """
    if len(v) != 1:
        return False
    try:
        rounds = FromAnywhere.of(subject)
        size = sum(x[0].size for x in rounds.starts.values())
        states = [tuple(fmpq(int(i == j)) for j in range(size)) for i in range(-1, size)]
        ends = rounds.after(states)
    except Refused:
        return False
    shift, slopes = _line(v[0], size)
    pushes = [shift + _dot(slopes, start) for start in rounds.first()]
    for at, chance in enumerate(rounds.every.chances):
        if not chance:
            continue
        first, *others = (shift + _dot(slopes, end[at]) for end in ends)
        moved = [other - first for other in others]
        c = next((a / b for a, b in zip(moved, slopes, strict=True) if b), fmpq(0))
        if c < 0 or any(a != c * b for a, b in zip(moved, slopes, strict=True)):
            return False
        pushes.append(first - c * shift)
    return all(x >= 0 for x in pushes) or all(x <= 0 for x in pushes)


def _line(value: Any, size: int) -> tuple[fmpq, list[fmpq]]:
    """What a polynomial of degree one is at the origin, and its slopes."""
    if not isinstance(value, Unknown):
        return rational(value), [fmpq(0)] * size
    shift, slopes = fmpq(0), [fmpq(0)] * size
    for powers, factor in value.polynomial.to_dict().items():
        at = next((i for i, power in enumerate(powers) if power), None)
        if at is None:
            shift += factor
        else:
            slopes[at] += factor
    return shift, slopes


def _dot(a: Sequence[fmpq], b: Sequence[fmpq]) -> fmpq:
    return sum((x * y for x, y in zip(a, b, strict=True)), fmpq(0))
