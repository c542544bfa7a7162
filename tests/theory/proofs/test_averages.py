"""Indices of means in printed formulas: what a scope says, and nothing else."""

import re

import pytest
import sympy as sp

from fedbounds.theory.checker.data import Scope
from fedbounds.theory.language.catalogue import keys
from fedbounds.theory.language.claims import Claim, Part
from fedbounds.theory.language.formula import means_in, to_latex
from fedbounds.theory.language.registry import claim, encoded_claims, glossary
from fedbounds.theory.proof.averages import indexed, printed
from fedbounds.theory.proof.library import book_of, names_of
from fedbounds.theory.proof.vectors import given, ip, past, present, sq, vectors
from fedbounds.verify.page.exports.claim_latex import claim_latex
from fedbounds.verify.page.formulas import formulas
from fedbounds.verify.page.referee.formulas import statement

JENSEN = "fedplt/jensen-distance"
x, y, late, of_all = vectors({"x": "x", "y": "y_i", "late": "z_{i,k}", "of_all": "a"})
SCOPE = Scope(
    sources=("past", "S", "i", "k"),
    atoms=(("x", ("past",)), ("y", ("past", "i")), ("late", ("past", "i", "k"))),
    derived=(("of_all", "x - given(present(late), past, S)"),),
)
NAMES = glossary("personalization")
_OF_A_MEAN = re.compile(r"\\mathbb E(?:_\{([^{}]*)\})?")


def shown(expression: sp.Expr) -> str:
    return to_latex(indexed(expression, SCOPE, NAMES.indices), NAMES)


@pytest.mark.parametrize(
    ("expression", "indices"),
    [
        (sq(x), [""]),
        (sq(x - y), ["i"]),
        (ip(x, late - x), ["i,k"]),
        (sq(given(late, past)), ["", "i,k"]),  # a mean of what does not depend on them any more
        (sq(given(late, past, sp.Symbol("i")) - x), ["i", "k"]),
        (sq(of_all), [""]),
        (sq(present(x)), ["i"]),
    ],
)
def test_a_mean_has_the_indices_on_which_its_vectors_depend(
    expression: sp.Expr, indices: list[str]
) -> None:
    assert _OF_A_MEAN.findall(shown(expression)) == indices


def test_without_a_scope_nothing_changes() -> None:
    assert indexed(sq(y), None, NAMES.indices) == sq(y)


def test_jensens_distance_is_told_as_a_mean_over_clients_wherever_it_is_printed() -> None:
    found = claim(JENSEN)
    assert isinstance(found, Claim)
    said = "clients k, each with weight c_k"
    (part,) = formulas(JENSEN).readings["as printed"]
    assert said in part.index
    assert "𝔼" in part.formula
    assert r"\mathbb E_{k}\|W_k^t - W^*\|^2" in claim_latex(found.entry, found, None, None)
    for text in (statement(JENSEN), found._repr_markdown_()):
        assert said in text


def of_vectors(paper: str) -> list[tuple[Claim, Part]]:
    return [(one, part) for one in encoded_claims(paper) for part in one.parts if part.scopes]


@pytest.mark.parametrize("paper", keys())
def test_every_step_is_printed(paper: str) -> None:
    scopes, names = book_of(paper).theory.scopes, names_of(paper)
    for step in book_of(paper).steps:
        scope = scopes.get(step.scope)
        sides = [indexed(side, scope, names.indices) for side in (step.left, step.right)]
        used = {name for x in sides for own in _OF_A_MEAN.findall(to_latex(x, names))
                for name in own.split(",")}  # fmt: skip
        own = set() if scope is None else {*scope.sources}
        assert used & {*names.indices} <= own, step.id


@pytest.mark.parametrize("paper", keys())
def test_indices_are_sources_of_the_scope_of_which_a_part_speaks(paper: str) -> None:
    scopes, names = book_of(paper).theory.scopes, glossary(paper)
    for one, part in of_vectors(paper):
        own = next((scopes[name] for name in part.scopes if name in scopes), None)
        texts = [to_latex(side, names) for side in printed(part, paper)]
        groups = (group for text in texts for group in _OF_A_MEAN.findall(text))
        found = {name for group in groups for name in group.split(",")}
        known = set() if own is None else {*own.sources}
        assert found & {*names.indices} <= known, one.id
        assert bool(means_in(texts, names)) == bool(found & {*names.indices}), one.id
