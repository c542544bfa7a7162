"""The list of symbols is what the claims are made of."""

import pytest
import sympy as sp

from fedbounds.facts import Constant
from fedbounds.theory.language.catalogue import PAPERS, select
from fedbounds.theory.language.claims import Claim
from fedbounds.theory.language.registry import encoded, glossary
from fedbounds.theory.proof.library import names_of
from fedbounds.verify.page.exports.symbols import symbol_table


def by_name(table):
    return {row[0]: dict(zip(table.names, row, strict=True)) for row in table.rows}


@pytest.fixture(scope="module")
def every():
    return by_name(symbol_table(select(()), all_symbols=True))


def test_every_declared_symbol_has_one_row(every):
    meanings = {x: m for paper in PAPERS for x, m in glossary(paper).meanings.items()}
    assert set(every) >= {*meanings, "Mean_t", "Sum_t", "Max_t"}
    assert all(every[name]["meaning"] == meaning.text for name, meaning in meanings.items())
    assert all(every[name]["latex"] == meaning.latex for name, meaning in meanings.items())


def test_kind_and_sign_are_those_of_the_expressions(every):
    assert every["L"]["kind"] == "constant"
    assert every["n"] | {"claims": 0} == {
        "name": "n", "kind": "parameter", "latex": "n", "meaning": "number of clients",
        "sign": "> 0", "integer": True,
        "claims": 0, "papers": ["meerkat", "overparam", "personalization", "submodel"],
    }  # fmt: skip
    assert every["G_u"]["kind"] == "quantity"
    assert (every["Mean_t"]["kind"], every["past"]["kind"]) == (
        "run operator",
        "source of randomness",
    )
    having = {name: names for names in map(glossary, PAPERS) for name in names.meanings}
    for name, row in every.items():
        names = having.get(name, glossary("fedplt"))
        if name in names.constants:
            assert row["integer"] == bool(names.constants[name].is_integer)
            assert (row["sign"] == "> 0") == bool(names.constants[name].is_positive)
            assert (row["kind"] == "constant") == (name in set(Constant))
        elif row["kind"] == "quantity":
            assert (row["sign"] == "any") == (name in names.signed)


def test_users_are_the_claims_whose_formulas_print_the_name(every):
    """Against SymPy's own text of the formulas, for the claims that have parts."""
    for entry in select(("fedplt",)):
        claim = encoded(entry) if entry.module else None
        if not isinstance(claim, Claim):
            continue
        sides = [side for part in claim.parts for side in (part.left, part.right)]
        atoms = {s.name for side in sides for s in sp.sympify(side).atoms(sp.Symbol)}
        for name in atoms - {"t", "k"} - set(names_of("fedplt").vectors):
            assert claim.id in every[name]["claims"], (name, claim.id)


def test_a_paper_has_the_symbols_of_its_claims_alone():
    found = by_name(symbol_table(select(("fedplt",)), all_symbols=False))
    assert {"psi_max", "rho_min", "D_W"} <= set(found)
    assert "gamma_u" not in found
    assert all(row["papers"] == ["fedplt"] for row in found.values())
    assert all(c.startswith("fedplt/") for row in found.values() for c in row["claims"])
    assert found["psi_i"]["claims"] == ["fedplt/coordinate-average"]
