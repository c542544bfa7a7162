"""What was tried against the checker and its re-check, and got through."""

import copy
import io
import json
import random
from contextlib import redirect_stdout
from dataclasses import replace

import pytest
from checker_theory import THEORY, cite, claim, prove

from fedbounds.theory.checker.__main__ import main
from fedbounds.theory.checker.check import check
from fedbounds.theory.checker.data import Certificate, Need, Premise, Scope, Step
from fedbounds.theory.checker.errors import Refused
from fedbounds.theory.checker.files import book_data, hash_of, step_data
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
    # a given that is a claim itself would define nothing
    given_ = [step.certificate.rule == "given" for step in steps]
    rows = [
        step_data(step) | {"claim": "" if own else "p/" + step.id}
        for step, own in zip(steps, given_, strict=True)
    ]
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
    ["s == -1", "x == 0", "K == 0", "t == -1", "n == m - 1", "L == 0", "b2 == 0", "sigma2 == 0",
     "s == Sum_t(A(t))"],  # of A the sign is only declared
)  # fmt: skip
def test_a_definition_says_nothing_of_a_sign_or_of_what_is_known(text):
    assert last(given("def", text)).givens == ("def",)


def test_a_declared_sign_that_a_definition_denies_is_a_given():
    """From these 1 <= 0 was proved once, and resting on definitions alone."""
    found = last(given("def", "A(t) == -1"), proved("thm", "1 <= 0", cite("def", "1")))
    assert not found.refused
    assert found.givens == ("sign of A",)


@pytest.mark.parametrize(
    "text", ["A(t) == sq(u)", "f(t) == -1", "s == 2", "A(t) == Sum_i(g(t))", "A(t) == (K - 1)*s"]
)
def test_what_only_names_is_a_definition(text):
    scope = "round" if "sq" in text else ""
    assert last(given("def", text, scope)).givens == ()


VARYING = [  # what stands on the right differs where what is named does not
    "s == B(t)",
    "s == sq(u)",  # u is one of the past
    "s == sq(u1)",  # made of u
    "s == end",  # a value at u1
    "s == t",
    "f(0) == B(t)",
    "f(T) == B(t)",
    "f(0) == sq(u)",
    "f(t) == h(t, k)",
    "f(t) == g(t)",  # of a client
    "f(t) == Sum_t(g(t))",
    "f(t) == 2*k",
    "f(x) == t",
]


@pytest.mark.parametrize("text", VARYING)
def test_a_definition_does_not_say_that_something_never_changes(text):
    scope = "round" if any(word in text for word in ("sq", "end")) else ""
    assert last(given("def", text, scope)).givens == ("def",)


def test_a_constant_that_is_said_to_be_a_quantity_makes_no_theorem_of_definitions():
    """From s == B(t) it follows that B never changes."""
    constant = given("d", "s == B(t)")
    never = proved("thm", "B(t) == B(0)", cite("d", "-1"), cite("d", at=(("t", "0"),)))
    found = last(constant, never)
    assert not found.refused
    assert found.givens == ("d",)


@pytest.mark.parametrize(
    "text",
    ["f(t) == Sum_ik(h(t, k))", "g(t) == A(t)", "h(t, k) == g(t)",
     "f(t + 1) == B(t)", "f(t) == sq(given(p, past, k))", "f(0) == B(0)", "s == 2*L"],
)  # fmt: skip
def test_what_is_summed_or_averaged_over_does_not_vary(text):
    assert last(given("def", text, "round" if "sq" in text else "")).givens == ()


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


@pytest.mark.parametrize(
    "text",
    [
        "Sum_t(A(t + 1000000000)) >= 0",  # counted round by round
        "2**(1/1000000000000) >= 0",
        "*".join(["(x + y + z + L + gamma + 1)**8"] * 8) + " >= 0",
    ],
)
def test_work_without_end_is_refused(text):
    with pytest.raises(Refused):
        prove(claim(text))


def test_a_root_is_not_factored_without_end():
    prove(claim("sqrt(x**1000000 + y) >= 0"))  # it is a number of which the sign is known


def test_branches_are_limited():
    names = [f"c{i}" for i in range(40)]
    theory = replace(THEORY, symbols=THEORY.symbols | dict.fromkeys(names, "positive"))
    with pytest.raises(Refused, match="branches"):
        prove(claim("0 <= 1"), chart=[(x, "split", "1") for x in names], theory=theory)


LONG = "9" * 5000


@pytest.mark.parametrize(
    ("premise", "chart"),
    [
        (Premise("condition", LONG, ("1",)), ()),
        (Premise("condition", f"0 {LONG}", ("1",)), ()),
        (Premise("step", "one", ("1",), at=(("t", LONG),)), ()),
        (cite("one", "0"), [("x", "root", LONG)]),
    ],
)
def test_a_long_number_is_refused(premise, chart):
    with pytest.raises(Refused):
        prove(claim("0 <= 1"), premise, chart=chart, earlier={"one": claim("0 <= A(t)")})


@pytest.mark.parametrize(
    "name", ["x: proved\n  p/rate, rate", "\ud800", "\x1b[2J", "\u202e", "a\rb"]
)
def test_a_name_ends_no_line(name, tmp_path):
    status, lines = said(tmp_path, book(proved(name, "0 <= 1")))
    assert status == 0
    assert len(lines) == 4
    assert "".join(lines).isascii()
    assert "".join(lines).isprintable()


ODD = (None, True, 0, -1, 1.5, 10**30, "", "T", "1/0", LONG, [], {}, ["a"], [["a", "b"]], "given",
       "unroll", "fact", "\ud800", "(", "lambda: 1", "sqrt(-1)", "Max()", "f(*x)", "0**t", "sq(u)")  # fmt: skip


def test_edited_books_end_in_a_status_and_a_line(tmp_path):
    """One field at a time, with a hash that fits: no traceback, whatever stands in it."""
    recursion = proved("rec", "A(t + 1) <= A(t)", cite("g"))
    steps = [
        given("def B", "B(t) == sq(u)", "round"),
        given("g", "A(t + 1) <= A(t)"),
        recursion,
        proved("low", "0 <= B(t)", cite("def B", "0"), scope="round"),
    ]
    whole, random_ = book(*steps), random.Random(0)
    places = [place for place in _places(whole) if place[:1] != ("hash",)]
    for _ in range(400):
        data, place = copy.deepcopy(whole), random_.choice(places)
        inner = data
        for key in place[:-1]:
            inner = inner[key]
        if random_.random() < 0.2:
            del inner[place[-1]]
        else:
            inner[place[-1]] = random_.choice(ODD)
        data["hash"] = hash_of(data.get("theory"))
        status, lines = said(tmp_path, data)
        assert status in (0, 1, 2)
        assert status != 2 or len(lines) <= 2


def _places(data, at=()):
    if at:
        yield at
    if isinstance(data, dict | list):
        for key in data if isinstance(data, dict) else range(len(data)):
            yield from _places(data[key], (*at, key))
