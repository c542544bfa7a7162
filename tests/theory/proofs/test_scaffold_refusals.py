"""Planted errors in the steps of Lemmas 4.1 to 4.4, each of which is refused."""

from dataclasses import replace

import pytest
import sympy as sp
from scaffold_book import book, earlier_than, find, refuses

from fedbounds.theory.checker.data import Square
from fedbounds.theory.checker.errors import Refused
from fedbounds.theory.language.symbols import (
    Du_2,
    G_u,
    G_v,
    m,
    n,
    t,
    variance_u,
)
from fedbounds.theory.personalization.symbols import (
    C,
    C_i,
    E,
    M_u,
    S_3u,
)
from fedbounds.theory.proof.replay import certified
from fedbounds.theory.proof.text import text

SMALLER = [
    ("lem-4.1", variance_u, None),
    ("lem-4.2", E(t), None),
    ("eq-A.8", S_3u(t), None),
    ("eq-A.8/sharper", variance_u, None),
    ("lem-4.3-u", C_i(t), None),
    ("lem-4.3-u", C(t), None),
    ("lem-4.3-ik:bound", G_u(t), "ours"),
    ("lem-4.3", C(t), None),
    ("eq-A.10/corrected", Du_2(t), None),
    ("eq-A.10: one participant", Du_2(t), None),
    ("eq-A.13:u", E(t - 1), None),
    ("lem-4.4", G_v(t - 1), None),
    ("lem-4.4", C(t - 1), None),
    ("lem-4.4-E:line 3", C(t), None),
]


@pytest.mark.parametrize(("name", "symbol", "source"), SMALLER, ids=str)
def test_a_smaller_constant_is_refused(name, symbol, source):
    right = sp.expand(find(name, source).right)
    assert right.coeff(symbol) != 0
    assert refuses(name, source=source, right=text(right - right.coeff(symbol) * symbol / 2))


@pytest.mark.parametrize("name", ["lem-4.2", "eq-A.9:both", "lem-4.4", "eq-A.10/corrected"])
def test_a_turned_inequality_is_refused(name):
    assert refuses(name, relation=">=")


@pytest.mark.parametrize(
    ("name", "premise"),
    [
        ("lem-4.2", "smooth"),
        ("eq-A.8: line 3", "martingale"),
        ("lem-4.3-u", "lem-4.3-c:mean"),
        ("lem-4.3-ik: k times", "hypothesis"),
        ("eq-A.14", "eq-A.13:v"),
        ("lem-4.4", "lem-4.4-E:bound"),
        ("lem-4.3", "lem-4.3: one step"),
    ],
)
def test_a_dropped_premise_is_refused(name, premise):
    own = find(name)
    kept = tuple(use for use in own.uses if premise not in (use, getattr(use, "name", use)))
    assert len(kept) < len(own.uses)
    assert refuses(name, uses=kept)


def test_a_dropped_square_is_refused():
    own = find("eq-A.10/corrected")
    squares = [use for use in own.uses if isinstance(use, Square)]
    for square in squares[:3]:
        assert refuses(own.id, uses=tuple(use for use in own.uses if use is not square))


@pytest.mark.parametrize("name", ["lem-4.3-ik:geometric", "lem-4.4-E:line 1", "lem-4.4-young:u"])
def test_a_dropped_condition_is_refused(name):
    assert refuses(name, conditions=find(name).statement.conditions[:-1])


@pytest.mark.parametrize("name", ["eq-A.8: participants", "eq-A.7/corrected", "eq-A.13:u"])
def test_m_and_n_exchanged_is_refused(name):
    assert refuses(name, right=text(find(name).right.subs({m: n, n: m}, simultaneous=True)))


def test_the_cross_term_with_the_increment_is_not_forgotten():
    """Without it the memory of absent clients would need no mean increment at all."""
    own = find("eq-A.10/corrected")
    assert refuses(own.id, right=text(own.right.subs(M_u(t), 0)))


def test_the_last_two_clients_need_the_larger_constant():
    own = find("eq-A.10: one participant")
    two = tuple((a, b, c.replace("3", "2")) for a, b, c in own.statement.conditions)
    chart = tuple(replace(a, bound=a.bound.replace("3", "2")) for a in own.chart)
    planted = replace(own, statement=replace(own.statement, conditions=two), chart=chart)
    with pytest.raises(Refused):
        certified(book().theory, planted, earlier_than(own))


def test_noise_that_depends_on_the_participants_is_refused():
    def dependent(scope):
        atoms = tuple((a, (*seen, "S") if a == "Yu" else seen) for a, seen in scope.atoms)
        return replace(scope, atoms=atoms)

    theory = book().theory
    changed = {name: dependent(scope) for name, scope in theory.scopes.items()}
    assert refuses("eq-A.8: line 3", theory=replace(theory, scopes=changed))


def test_one_clients_noise_does_not_average_out_over_clients():
    own = find("lem-4.3-c: client squares")
    uses = tuple(
        replace(use, arguments=("Wh", "ik")) if getattr(use, "kind", "") == "fact" else use
        for use in own.uses
    )
    assert refuses(own.id, uses=uses, right=own.statement.right.replace("/K", "/(n*K)"))
