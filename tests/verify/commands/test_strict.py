"""Strict conditions and claims, as commands beside `verify` read them."""

import pytest
from own_files import own_file

from fedbounds.theory.language.claims import Condition, Part
from fedbounds.theory.language.symbols import D_W, L, eta, t
from fedbounds.verify.commands.command_line import status
from fedbounds.verify.commands.sensitivity.printed import printed

GIVEN = ["--set", "L=2", "F_0=3"]


@pytest.fixture
def told(tmp_path, capsys):
    def asked(command, body, *more):
        code = status([command, f"{own_file(tmp_path, body=body)}::a", *more])
        found = capsys.readouterr()
        return code, found.out + found.err

    return asked


@pytest.mark.parametrize(("sign", "inside"), [("<", [1, 1, 0]), (">", [0, 0, 1])])
def test_a_table_tells_where_a_strict_condition_fails(told, sign, inside):
    body = f'me.claim("a", "f(T) < 2*F_0/eta + 1", conditions=["eta {sign} 2/L"])'
    _, text = told("bound", body, *GIVEN, "--grid", "eta=0.5:1.5:3")
    rows = [line for line in text.splitlines() if line[:1].isdigit()]
    fails = [not row.endswith("2/L") for row in rows]
    # at eta = 1 the condition is met with equality, and so by neither
    assert fails == [bool(inside[0]), False, bool(inside[2])]


def test_the_best_step_stays_above_a_strict_bound(told):
    body = 'me.claim("a", "f(T) <= 2*F_0*eta + 1", conditions=["eta > 1/(2*L)"])'
    _, text = told("bound", body, *GIVEN)
    assert "falls to 0" not in text
    assert "eta = 10000000001/40000000000" in text
    assert "just inside of eta > 1/(2*L)" in " ".join(text.split())
    assert "the best admissible" not in text


def test_the_fewest_rounds_that_a_strict_condition_allows(told):
    body = 'me.claim("a", "f(T) <= F_0 + 10/T", conditions=["T > 4"])'
    _, text = told("bound", body, "--set", "F_0=3", "--to", "100")
    assert "T = 5" in text


def test_a_bound_is_told_as_it_is_claimed(told):
    body = 'me.claim("a", "f(T) < 2*F_0 + 1")'
    _, text = told("bound", body, "--set", "F_0=3")
    assert "f(T) < 2*F_0 + 1" in text


@pytest.mark.parametrize(("strict", "weak"), [("<", "<="), (">", ">=")])
def test_a_number_of_a_strict_condition_is_weakened_as_without(strict, weak):
    every = []
    for relation in (strict, weak):
        part = Part(D_W(t), 2 * D_W(t), conditions=(Condition(eta, relation, 2 / L),))
        (own,) = (one for one in printed(part, frozenset()) if one.condition is not None)
        every.append((own.gap, own.towards))
    assert every[0] == every[1]
