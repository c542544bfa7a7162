"""Quantities by definition: text such as ``n*K*sq(y - x)`` over vectors that a round shows."""

from collections.abc import Mapping, Set

import sympy as sp

from fedbounds.errors import FedboundsError, unknown_name
from fedbounds.theory.proof.read_text import OF_NUMBERS, read_text
from fedbounds.theory.proof.vectors import given, ip, sq
from fedbounds.theory.symbols import VectorSymbol

from ..measure.spaces import products_in

_FUNCTIONS = {**OF_NUMBERS, "sq": sq, "ip": ip, "given": given}


def read_definition(
    text: str, constants: Mapping[str, sp.Symbol], vectors: Set[str], sources: Set[str]
) -> sp.Expr:
    """A quantity in squared norms and inner products.

    Parameters
    ----------
    constants : mapping from typed name to symbol
    vectors : set of str
    sources : set of str
        What a conditional mean may be given.

    Raises
    ------
    FedboundsError
        If it is no expression, names what is not declared, has a vector outside sq and ip, or a
        conditional mean given nothing, or given what is no source.
    """

    def symbol(name: str) -> sp.Expr:
        if name in constants:
            return constants[name]
        if name in vectors or name in sources:
            return VectorSymbol(name, name)
        raise unknown_name("name", name, {*constants, *vectors, *sources, *_FUNCTIONS})

    found = read_text(text, symbol, _FUNCTIONS)
    inside = products_in(found)
    left = found.xreplace({node: sp.S.One for node in inside}).free_symbols
    bare = sorted(one.name for one in left if isinstance(one, VectorSymbol))
    if not inside or bare:
        raise FedboundsError(
            f"{text!r} is no quantity in vectors: expected sq(...) and ip(..., ...) of them"
            + (f"; {', '.join(bare)} stands outside" if bare else "")
        )
    for node in inside:
        if products_in(node) != {node}:
            raise FedboundsError(f"in {text!r}: sq or ip stands in a vector of {node}")
        _check_means(text, node, sources)
    return found


def _check_means(text: str, node: sp.Basic, sources: Set[str]) -> None:
    """Raise unless sources stand in conditional means, and nothing else is given there."""
    inside = node.args
    if isinstance(node, given):
        inside, told = node.args[:1], node.args[1:]
        wrong = [str(one) for one in told if getattr(one, "name", "") not in sources]
        if wrong or not told:
            raise FedboundsError(
                f"in {text!r}: {node} is given {', '.join(wrong) or 'nothing'}; expected some of "
                f"{', '.join(sorted(sources))}"
            )
    elif getattr(node, "name", "") in sources:
        raise FedboundsError(f"in {text!r}: {node} is no vector; see `given`")
    for one in inside:
        _check_means(text, one, sources)
