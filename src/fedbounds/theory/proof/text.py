"""Claims as the checker's text."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

import sympy as sp

from fedbounds.errors import FedboundsError
from fedbounds.facts import Fact
from fedbounds.theory.checker.data import Absent, Comparison, Need, Scope, Statement, Theory
from fedbounds.theory.checker.names import identifier
from fedbounds.theory.language.claims import Condition, Part
from fedbounds.theory.language.glossary import Glossary
from fedbounds.theory.language.symbols import eta_u, eta_v, gamma, gamma_u, gamma_v, m, n
from fedbounds.vocabulary import Index

_INDEX = ("t", "k")
# gamma is the effective step size of the block that is there; without a shared block, nothing
# differs between the clients' gradients in it
_ABSENT = (
    Absent("d_v", ("gamma_v", "eta_v", "sigma_v2"), (("gamma", "==", "eta_u*gamma_u"),)),
    Absent(
        "d_u",
        ("gamma_u", "eta_u", "sigma_u2", "b2"),
        (("gamma", "==", "eta_v*gamma_v"),),
        (str(Fact.DISSIMILARITY),),
    ),
)
_NOT_STRICT = {"<": "<=", ">": ">="}
_EFFECTIVE = Condition(gamma_u * eta_u, "==", gamma_v * eta_v)


@cache
def text(expression: Any) -> str:
    """An expression as the checker reads it."""
    expression = sp.sympify(expression, strict=True)
    renamed = {
        symbol: sp.Symbol(identifier(symbol.name))
        for symbol in expression.free_symbols
        if identifier(symbol.name) != symbol.name
    }
    return str(expression.replace(lambda e: e.is_Mul, _one_root).xreplace(renamed))


def _one_root(product: sp.Mul) -> sp.Expr:
    """sqrt(37) sqrt(x)/sqrt(y) as the root of 37 x/y, as it was before SymPy took it apart."""
    roots = [factor for factor in product.args if factor.is_Pow and abs(factor.exp) == sp.S.Half]
    if len(roots) < 2:
        return product
    rest = sp.Mul(*(factor for factor in product.args if factor not in roots))
    return rest * sp.Function("sqrt")(sp.Mul(*(factor**2 for factor in roots)))


def comparisons(conditions: tuple[Condition, ...]) -> Iterator[Comparison]:
    """Conditions as text; that of an effective step says what gamma is.

    A strict one is read as one that equality meets: what is proved then is proved of more.
    """
    for condition in conditions:
        if condition == _EFFECTIVE:
            yield text(gamma), "==", text(gamma_u * eta_u)
            yield text(gamma), "==", text(gamma_v * eta_v)
        else:
            relation = _NOT_STRICT.get(condition.relation, condition.relation)
            yield text(condition.left), relation, text(condition.right)


def need(vectors: Iterable[str], *assumptions: str, under: tuple[Condition, ...] = ()) -> Need:
    """What must be assumed, and under which conditions, for vectors to be what a scope says."""
    return Need(tuple(vectors), tuple(map(str, assumptions)), tuple(comparisons(under)))


def statement_of(part: Part, scope: str = "") -> Statement:
    """A part of a claim; ``scope`` names the vectors that its sides speak of."""
    return Statement(
        left=text(part.left),
        relation=part.relation.value,
        right=text(part.right),
        conditions=tuple(comparisons(part.conditions)),
        assumptions=tuple(map(str, part.assumptions)),
        first=part.first_round if part.index is not Index.RUN else 0,
        scope=scope,
    )


def theory_of(
    glossary: Glossary,
    scopes: Mapping[str, Scope],
    per_client: frozenset[str],
    per_step: frozenset[str],
    always: tuple[Comparison, ...] = ((text(m), "<=", text(n)), ("k", "<=", "K - 1")),
) -> Theory:
    """Every symbol and quantity of a glossary with its sign.

    What holds everywhere: m <= n, and local steps k run from 0 to K - 1.
    """
    quantities = {
        name: name not in glossary.signed
        for name in glossary.meanings
        if name not in glossary.constants and name not in glossary.varying
    }
    return Theory(
        symbols={identifier(name): _sign(symbol) for name, symbol in glossary.constants.items()}
        | dict.fromkeys(_INDEX, "index")
        | dict.fromkeys(glossary.varying, "varying")
        | dict.fromkeys((block.dimension for block in _ABSENT), "nonnegative"),
        quantities=quantities,
        per_client=per_client,
        per_step=per_step,
        scopes=dict(scopes),
        always=always,
        absent=_ABSENT,
    )


def _sign(symbol: sp.Symbol) -> str:
    """As it is declared; the checker has no constant that may be negative."""
    if symbol.is_positive:
        return "integer" if symbol.is_integer else "positive"
    if symbol.is_nonnegative:
        return "nonnegative"
    raise FedboundsError(
        f"the constant {symbol.name!r} has no declared sign, expected positive or nonnegative: "
        "write it as a difference of two"
    )
