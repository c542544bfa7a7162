"""What was tried against the checker and its re-check, and got through."""

import io
import json
from contextlib import redirect_stdout
from dataclasses import replace

import pytest
from checker_theory import THEORY, cite, claim, prove

from fedbounds.theory.checker.__main__ import main
from fedbounds.theory.checker.data import Certificate, Need, Premise, Scope, Step
from fedbounds.theory.checker.errors import Refused
from fedbounds.theory.checker.files import book_data, step_data
from fedbounds.theory.checker.recheck import recheck

NEEDY = Scope(
    sources=("past",), atoms=(("u", ("past",)),), needs=(Need(("u",), ("quadratic clients",)),)
)
OWN = replace(THEORY, scopes={"own": NEEDY})


def given(name, text, scope=""):
    return Step(name, claim(text, scope=scope), Certificate("given", origin="(1)", scope=scope))


def proved(name, text, *premises, rule="combine", scope="", **more):
    certificate = Certificate(rule, premises=tuple(premises), scope=scope, **more)
    return Step(name, claim(text), certificate)


def book(*steps, unproved=(), theory=THEORY):
    rows = [step_data(step) | {"claim": "p/" + step.id} for step in steps]
    for row in rows:
        if row["id"] in unproved:
            row["certificate"] = None
    return json.loads(json.dumps(book_data(theory, rows)))


def last(*steps, **more):
    return recheck(book(*steps, **more))[-1]


def said(folder, data):
    """Exit status and lines of the command on a file."""
    path = folder / "proofs.json"
    path.write_text(json.dumps({"p": data}))
    with redirect_stdout(io.StringIO()) as out:
        status = main([str(path)])
    return status, out.getvalue().splitlines()


@pytest.mark.parametrize("kind", ["fact", "condition", "hypothesis", "?"])
def test_an_unrolling_cites_a_step_and_nothing_that_hides_one(kind):
    """What is cited under another kind was not counted among what a theorem rests on."""
    bad = proved("bad", "A(t + 1) <= 2*A(t)")
    thm = proved(
        "thm", "Sum_t(A(t)) <= (2**T - 1)*A(0)", Premise(kind, "bad", ("1",)),
        rule="unroll", variable="A", origin="2",
    )  # fmt: skip
    found = last(bad, thm, unproved=("bad",))
    assert found.refused
    assert "thm" in found.missing
    step = replace(thm.certificate, premises=(cite("bad"),))
    assert last(bad, replace(thm, certificate=step), unproved=("bad",)).missing == ("bad",)


def test_a_given_of_vectors_names_their_scope():
    absurd = Step(
        "g", claim("sq(u) <= 0", scope="own"), Certificate("given", origin="(1)", scope="")
    )
    with pytest.raises(Refused, match="own"):
        prove(absurd.statement, rule="given", origin="(1)", theory=OWN)
    with pytest.raises(Refused, match="quadratic clients"):
        prove(absurd.statement, rule="given", origin="(1)", scope="own", theory=OWN)


def test_the_base_of_an_induction_carries_what_its_vectors_need():
    base = Certificate("combine", scope="own", premises=(cite("u", "0"), cite("one", "sq(u)")))
    step = Step(
        "s",
        claim("0 <= A(t)"),
        Certificate("induction", variable="t", base=replace(base, premises=()), scope=""),
    )
    earlier = {"one": claim("0 <= 1"), "u": claim("0 <= 1")}
    from fedbounds.theory.checker.check import check

    check(OWN, step, earlier)
    needy = replace(step, certificate=replace(step.certificate, base=base))
    with pytest.raises(Refused, match="quadratic clients"):
        check(OWN, needy, earlier)


def test_a_multiplier_names_vectors_too():
    statement = claim("0 <= A(t)")
    more = {"scope": "own", "theory": OWN, "earlier": {"one": claim("0 <= 1")}}
    with pytest.raises(Refused, match="quadratic clients"):
        prove(statement, cite("one", "0*sq(u)"), **more)


@pytest.mark.parametrize(
    "text",
    ["A(t) == -1", "A(t) == x - y", "s == -1", "x == 0", "K == 0", "t == -1", "n == m - 1",
     "L == 0", "b2 == 0", "sigma2 == 0"],
)  # fmt: skip
def test_a_definition_says_nothing_of_a_sign_or_of_what_is_known(text):
    """From the first of these 1 <= 0 was proved, and resting on definitions alone."""
    assert last(given("def", text)).givens == ("def",)


@pytest.mark.parametrize(
    "text", ["A(t) == sq(u)", "f(t) == -1", "s == 2", "A(t) == Sum_i(g(t))", "A(t) == (K - 1)*s"]
)
def test_what_only_names_is_a_definition(text):
    scope = "round" if "sq" in text else ""
    assert last(given("def", text, scope)).givens == ()


def test_one_name_is_not_defined_at_two_rounds_that_may_be_one():
    steps = [given("d", "f(t) == 1"), given("e", "f(0) == 2")]
    thm = proved("thm", "1 <= 0", cite("d", at=(("t", "0"),)), cite("e", "-1"))
    found = last(*steps, thm)
    assert not found.refused
    assert found.givens == ("e",)


def test_one_name_is_not_defined_in_two_scopes_without_vectors():
    steps = [given("d", "f(t) == 1", "round"), given("e", "f(t) == 2", "alike")]
    low = proved("low", "f(t) <= 1", cite("d"), scope="round")
    high = proved("high", "f(t) >= 2", cite("e", "-1"), scope="alike")
    found = last(*steps, low, high, proved("thm", "1 <= 0", cite("low"), cite("high")))
    assert not found.refused
    assert found.givens == ("e",)
