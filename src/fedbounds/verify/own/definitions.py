"""Quantities by definition: text such as ``n*K*sq(y - x)`` over vectors that a round shows.

And constants of a run, and what an assumption says: the same words as in the views of papers.
"""

import re
from collections.abc import Mapping, Set

import sympy as sp

from fedbounds.errors import FedboundsError, unknown_name
from fedbounds.theory.language.setups import (
    RUN,
    Largest,
    Least,
    MeanOfLargest,
    Says,
    Settled,
    dot,
    most,
    positive,
)
from fedbounds.theory.language.symbols import VectorSymbol
from fedbounds.theory.proof.read_text import OF_NUMBERS, Functions, read_text
from fedbounds.theory.proof.vectors import given, ip, sq

from ..measure.spaces import products_in

_EXTREMES = (Largest, Least, MeanOfLargest, Settled)
_OF_OUTCOMES = {"dot": dot, "positive": positive}  # inside of given, most and extremes
_FUNCTIONS: Functions = {
    **OF_NUMBERS,
    "sq": sq,
    "ip": ip,
    "given": given,
    "most": most,
    **_OF_OUTCOMES,
}
_OF_RUNS: Functions = {
    "Largest": Largest,
    "Least": Least,
    "MeanOfLargest": MeanOfLargest,
    "Settled": lambda what: Settled(what, RUN),
}
_RELATION = re.compile(r"<=|>=|==|<|>")


def read_definition(
    text: str,
    constants: Mapping[str, sp.Symbol],
    vectors: Set[str],
    sources: Set[str],
    *,
    of_run: bool = False,
) -> sp.Expr:
    """A quantity in squared norms, inner products, and means of numbers of every outcome.

    Parameters
    ----------
    constants : mapping from typed name to symbol
    vectors : set of str
    sources : set of str
        What a conditional mean may be given.
    of_run : bool
        Whether it is a number of a whole run: extremes over all that is visited, and limits.

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

    found = read_text(text, symbol, {**_FUNCTIONS, **(_OF_RUNS if of_run else {})})
    extremes = found.atoms(*_EXTREMES)
    outside = found.xreplace(dict.fromkeys(extremes, sp.S.One))
    inside = products_in(outside)
    left = outside.xreplace(dict.fromkeys(inside, sp.S.One))
    bare = sorted(one.name for one in left.free_symbols if isinstance(one, VectorSymbol))
    if not (inside or of_run) or bare or left.has(given, most, *_OF_OUTCOMES.values()):
        raise FedboundsError(
            f"{text!r} is no quantity in vectors: expected sq(...) and ip(..., ...) of them, or "
            "given(...) of a number of every outcome, such as sqrt(dot(x, x))"
            + (f"; {', '.join(bare)} stands outside" if bare else "")
        )
    for node in inside:
        if products_in(node) != {node}:
            raise FedboundsError(f"in {text!r}: sq or ip stands in a vector of {node}")
    for node in (*inside, *extremes):
        _check_means(text, node, sources)
    return found


def read_statement(
    text: str, constants: Mapping[str, sp.Symbol], vectors: Set[str], sources: Set[str]
) -> Says:
    """A relation of two numbers of a run, or of every outcome where one is made of `dot`.

    Raises
    ------
    FedboundsError
        If it has no single relation, or a side cannot be read.
    """
    signs = _RELATION.findall(text)
    if len(signs) != 1:
        raise FedboundsError(f"{text!r} has no single relation; expected left <= right or so")
    sides = []
    for side in text.split(signs[0]):
        every = read_text(side.strip(), sp.Symbol, {**_FUNCTIONS, **_OF_RUNS})
        plain = every.has(dot) and not every.atoms(*_EXTREMES, given, most)
        if not plain:
            sides.append(read_definition(side.strip(), constants, vectors, sources, of_run=True))
            continue
        # a number of every outcome, read as the mean of it is
        mean = read_definition(f"given({side.strip()})", constants, vectors, sources)
        sides.append(mean.args[0])
    return Says(sides[0], signs[0], sides[1])


def _check_means(text: str, node: sp.Basic, sources: Set[str]) -> None:
    """Raise unless sources stand in conditional means, and nothing else is given there."""
    inside = node.args
    if isinstance(node, given | most | MeanOfLargest):
        inside, told = node.args[:1], node.args[1:]
        wrong = [str(one) for one in told if getattr(one, "name", "") not in sources]
        if wrong or not (told or (isinstance(node, given) and inside[0].has(dot))):
            raise FedboundsError(
                f"in {text!r}: {node} is given {', '.join(wrong) or 'nothing'}; expected some of "
                f"{', '.join(sorted(sources))}"
            )
    elif getattr(node, "name", "") in sources:
        raise FedboundsError(f"in {text!r}: {node} is no vector; see `given`")
    for one in inside:
        _check_means(text, one, sources)
