"""Text of the checker as expressions: what it says, or a refusal; never run, never endless."""

import ast

import pytest
import sympy as sp
from each import each
from hypothesis import given
from hypothesis import strategies as st

from fedbounds.errors import FedboundsError
from fedbounds.theory.proof.library import book_of, papers
from fedbounds.theory.proof.read_text import OF_NUMBERS, read_text, tree

SYMBOLS = {name: sp.Symbol(name, positive=True) for name in ("a", "b_", "gamma", "S")}


def read(text):
    return read_text(text, SYMBOLS.__getitem__, OF_NUMBERS)


leaves = st.sampled_from([(name, symbol) for name, symbol in SYMBOLS.items()]) | st.integers(
    1, 99
).map(lambda number: (str(number), sp.Integer(number)))


def grown(inner):
    pair = st.tuples(inner, inner)
    return st.one_of(
        pair.map(lambda p: (f"({p[0][0]}) + ({p[1][0]})", p[0][1] + p[1][1])),
        pair.map(lambda p: (f"({p[0][0]}) - ({p[1][0]})", p[0][1] - p[1][1])),
        pair.map(lambda p: (f"({p[0][0]})*({p[1][0]})", p[0][1] * p[1][1])),
        pair.map(lambda p: (f"Max({p[0][0]}, {p[1][0]})", sp.Max(p[0][1], p[1][1]))),
        inner.map(lambda x: (f"-({x[0]})", -x[1])),
        inner.map(lambda x: (f"({x[0]})**2/3", x[1] ** 2 / 3)),
    )


@given(st.recursive(leaves, grown, max_leaves=6))
def test_what_is_read_is_what_was_meant(pair):
    text, meant = pair
    assert read(text) == meant


def test_names_are_symbols_whatever_sympy_calls_so():
    for name in ("gamma", "S", "N", "I", "E", "pi", "beta", "zeta", "sqrt", "Max"):
        assert read_text(name, sp.Symbol, OF_NUMBERS) == sp.Symbol(name)


def test_every_derived_vector_of_every_book_is_read():
    functions = {**OF_NUMBERS, "given": sp.Function("given"), "present": sp.Function("present")}
    said = [
        text
        for paper in papers()
        for scope in book_of(paper).theory.scopes.values()
        for _, text in scope.derived
    ]
    assert said
    for text in said:
        typed = {node.id for node in ast.walk(tree(text)) if isinstance(node, ast.Name)}
        assert {s.name for s in read_text(text, sp.Symbol, functions).free_symbols} <= typed


@each(
    "text",
    [
        "__import__('os').system('true')",
        "D_W(__import__('os'))",
        "a.real",
        "a.__class__",
        "(lambda: a)()",
        "lambda: a",
        "[a for a in a]",
        "a[0]",
        "'a'",
        '"a"',
        "b'a'",
        "f'{a}'",
        "a if a else a",
        "a and a",
        "a < a",
        "a == a",
        "a := 1",
        "(a := 1)",
        "*a",
        "a, a",
        "sqrt(x=a)",
        "sqrt(*a)",
        "sqrt()",
        "cos(a)",
        "a(a)",
        "1.5",
        "1j",
        "0x10",
        "1_000",
        "True",
        "None",
        "...",
        "a // a",
        "a % a",
        "a @ a",
        "a ^ a",
        "a | a",
        "~a",
        "not a",
        "a\x00",
        "a\nb",
        "ａ",
        "",
        "(",
        "a +",
        "1if a else 2",
        "a/0",
        "a/(a - a)",
        "0**(-1)",
        "(a - a)**(-3)",
        "Max(sqrt(-1), a)",
    ],
)
def test_anything_else_is_refused(text):
    with pytest.raises(FedboundsError):
        read(text)


@pytest.mark.parametrize(
    "text",
    [
        "9**9**9",
        "a**10**10",
        "(((9**64)**64)**64)**64",
        "(((2*a)**64)**64)**64",
        "2**(64**64)",
        "2**(1/99999999999)",
        "(" * 150 + "a" + ")" * 150 + "**2" * 60,
        "-" * 1500 + "a",
        "+".join(["a"] * 900),
        "**".join(["a"] * 600),
        f"Max({', '.join(f'{k}*a' for k in range(200))})",
        "9" * 3000,
        "a" * 100_000,
        "a" * 19_000 + "?",
        "1" * 19_000 + "?",
        "1.1e1" * 3000 + "?",
        "ab " * 6000 + "?",
        "(" * 100_000,
    ],
)
def test_no_text_is_endless_work(text):
    """Each is read or refused at once: a hang would show as a test that does not end."""
    try:
        found = read(text)
    except (FedboundsError, KeyError):
        return
    assert found.count_ops() <= len(text)
