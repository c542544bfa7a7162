"""The value of a statement about FedPLT on the outcomes of `outcomes`.

Beside sq, ip and given of the common language, a statement may multiply a vector x by the mask
(``mask(x)`` = m_k o x), by the compensation vector (``comp(x)`` = psi o x), by the client's share
(``share(x)`` = c_k x) or by its attenuation (``attenuate(x)`` = alpha_{r_k} x).
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import sympy as sp

from fedbounds.errors import FedboundsError

from .. import outcome_values
from ..outcome_values import Evaluated, _Scope, _vector
from .kinds import largest
from .outcomes import NUMBERS, Enumerated


def evaluate(expression: sp.Expr, found: Enumerated, values: Mapping[str, float]) -> Evaluated:
    """Value of a statement in sq, ip, given, mask, comp, share and attenuate.

    Parameters
    ----------
    values : mapping from symbol name to number
    """
    vectors, numbers = dict(found.space.vectors), set(NUMBERS)
    known = {"t": found.space.t, **values}
    scale = found.space.scale  # at least the largest term of any vector: what cancels is not lost

    def scope() -> _Scope:
        return _Scope(replace(found.space, vectors=vectors, scale=scale), known)

    def is_number(node: sp.Basic) -> bool:
        kinds = {s.name in numbers for s in node.free_symbols if s.name in vectors}
        if len(kinds) > 1:
            raise FedboundsError(f"{node} mixes vectors with d coordinates and with one")
        return kinds == {True}

    def resolved(node: sp.Basic) -> sp.Basic:
        """The node, with every product by a factor as a vector of its own."""
        nonlocal scale
        if not node.args:
            return node
        name, arguments = node.func.__name__, [resolved(argument) for argument in node.args]
        if name in ("sq", "ip"):
            is_number(node.func(*arguments))
        if name not in found.factors:
            return node.func(*arguments)
        if is_number(arguments[0]):
            if name in ("mask", "comp"):
                raise FedboundsError(f"{node}: {arguments[0]} has one coordinate, not d")
            numbers.add(str(node))
        part, factor = _vector(arguments[0], scope()), found.factors[name]
        vectors[str(node)] = factor * part.array
        scale = max(scale, part.size * float(abs(factor).max()))
        return sp.Symbol(str(node))

    statement = resolved(sp.sympify(expression, strict=True))
    return outcome_values.evaluate(statement, scope().outcomes, known)


def with_vectors(found: Enumerated, means: Mapping[sp.Symbol, sp.Expr]) -> Enumerated:
    """The same, with vectors that stand for others multiplied by factors.

    Those whose own vectors are not there are left out.
    """
    vectors = dict(found.space.vectors)
    for symbol, meaning in means.items():
        if {other.name for other in meaning.free_symbols} <= found.space.vectors.keys():
            vectors[symbol.name] = _array(meaning, found)
    scale = max(largest(list(vectors.values())), found.space.scale)
    return replace(found, space=replace(found.space, vectors=vectors, scale=scale))


def _array(node: sp.Expr, found: Enumerated) -> np.ndarray:
    if isinstance(node, sp.Symbol):
        return found.space.vector(node.name)
    parts = [_array(part, found) for part in node.args if not part.is_Number]
    if isinstance(node, sp.Add):
        return np.asarray(sum(parts))
    (part,) = parts
    if isinstance(node, sp.Mul):
        return np.asarray(int(node.args[0]) * part)
    return np.asarray(found.factors[node.func.__name__] * part)


def alignment(found: Enumerated) -> np.ndarray:
    """rho_k^t = <m_k o g, W_k - W*> / <g, W_k - W*>, shape (past, xi, n).

    NaN where the denominator is 0.
    """
    vectors = found.space.vectors
    g, x = vectors["g"], vectors["Wk"] - vectors["Wstar"]
    masked = (found.factors["mask"] * g * x).sum(axis=-1)[..., 0]
    whole = (g * x).sum(axis=-1)[..., 0]
    ratio = np.full(whole.shape, np.nan, dtype=whole.dtype)
    np.divide(masked, whole, out=ratio, where=whole != 0)
    return ratio
