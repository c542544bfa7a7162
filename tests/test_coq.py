"""Proved steps are lemmas that Coq accepts, what is false it refuses, and nothing is admitted."""

import ast
import json
import random
import re
import shutil
from dataclasses import asdict, replace
from fractions import Fraction

import pytest
from click.testing import CliRunner

from fedbounds.theory.checker.check import check
from fedbounds.theory.checker.data import (
    Assignment,
    Certificate,
    Need,
    Premise,
    Scope,
    Square,
    Statement,
    Step,
    Theory,
)
from fedbounds.theory.checker.errors import Refused
from fedbounds.theory.checker.files import VERSION, hash_of
from fedbounds.theory.checker.text import parsed
from fedbounds.verify.commands.command_line import cli
from fedbounds.verify.page.exports.coq.book import book_of, files
from fedbounds.verify.page.exports.coq.planted import planted
from fedbounds.verify.page.exports.coq.run import (
    ACCEPTED,
    REFUSED,
    alone,
    axioms,
    compiled,
    prepared,
    refused,
    verdicts,
)
from fedbounds.verify.page.exports.coq.terms import Terms

needs_coq = pytest.mark.skipif(
    shutil.which("coqc") is None, reason="needs coqc, from Debian's package coq"
)

THEORY = Theory(
    symbols={
        **dict.fromkeys(("n", "m", "K", "T"), "integer"),
        **dict.fromkeys(("eta", "L", "mu"), "positive"),
        **dict.fromkeys(("s", "b"), "nonnegative"),
        **dict.fromkeys(("t", "k"), "index"),
    },
    quantities={"E": True, "D": False, "C_i": True},
    per_client=frozenset({"C_i"}),
    always=(("m", "<=", "n"), ("k", "<=", "K - 1")),
)
NEED = Need(("Y",), ("unbiased noise",), ())
ROUND = Scope(
    sources=("past", "S", "xi", "i"),
    atoms=(("u", ("past",)), ("p", ("past", "i")), ("Y", ("past", "xi", "i"))),
    centred=(("Y", "xi"),),
    derived=(("u1", "u - eta*given(p + Y, past, xi)"),),
    noises=(("Y", "s"),),
    values=(("start", "u", ""),),
    sampled=True,
    needs=(NEED,),
)
THEORY = replace(THEORY, scopes={"a round": ROUND})
SMALL = (("eta", "<=", "1/(2*L)"),)
EITHER = (("eta", "<=", "Min(1/L, 1/mu)"),)
ROOT = (Assignment("L", "root", "2"),)
BELOW = (Assignment("eta", "below", "1/(2*L)"),)


def step(name, left, relation, right, certificate, conditions=(), first=0):
    statement = Statement(left, relation, right, conditions=conditions, first=first)
    return Step(name, statement, certificate)


def vectors(name, left, relation, right, certificate):
    statement = Statement(left, relation, right, (), ("unbiased noise",), scope="a round")
    return Step(name, statement, replace(certificate, scope="a round"))


def combine(*premises, chart=(), squares=()):
    every = tuple(Square(("1",), vector) for vector in squares)
    return Certificate("combine", chart, premises, every)


def of(name, times="1", **more):
    return Premise("step", name, (times,), **more)


GIVEN = Certificate("given", origin="(1)")
STEPS = (
    step("round", "E(t + 1)", "<=", "(1 - eta*L)*E(t) + s", GIVEN),
    step("start", "E(0)", "<=", "b", GIVEN),
    step("client", "C_i(t)", "<=", "E(t) + s", GIVEN),
    step("half", "E(t + 1)", "<=", "E(t) + s", combine(of("round"), chart=BELOW), SMALL),
    step(
        "rounds",
        "E(T) - E(0)",
        "<=",
        "T*s",
        combine(of("half", over="t"), chart=BELOW),
        SMALL,
    ),
    step("clients", "Sum_i(C_i(t))", "<=", "n*E(t) + n*s", combine(of("client", over="i"))),
    step(
        "all rounds",
        "E(t)",
        "<=",
        "b + t*s",
        Certificate(
            "induction",
            BELOW,
            (Premise("hypothesis", "", ("1",)), of("half")),
            variable="t",
            base=combine(of("start"), chart=BELOW),
        ),
        SMALL,
    ),
    step("root", "sqrt(L)*sqrt(L)", "==", "L", combine(chart=ROOT)),
    step(
        "least",
        "eta*mu*s",
        "<=",
        "s",
        combine(chart=(Assignment("eta", "below", "1/mu"),)),
        EITHER,
    ),
    step(
        "larger",
        "Max(eta, mu)",
        "<=",
        "eta + mu",
        combine(chart=(Assignment("eta", "split", "mu"),)),
    ),
    step(
        "power",
        "(1 + eta)**(T + 1)",
        "==",
        "(1 + eta)*(1 + eta)**T",
        combine(),
    ),
    step("geometric", "eta*Sum((1 + eta)**r, (r, 0, T - 1))", "<=", "(1 + eta)**T", combine()),
    vectors(
        "tower",
        "sq(u1)",
        "==",
        "sq(u) - 2*eta*ip(u, p) + eta**2*sq(given(p, past)) + eta**2*sq(given(Y, past, xi))",
        combine(),
    ),
    vectors("centred", "ip(u + p, Y)", "==", "0", combine()),
    vectors("young", "2*ip(u, p)", "<=", "sq(u) + sq(p)", combine(squares=("u - p",))),
    vectors("defined", "D(t)", "==", "sq(u)", GIVEN),
    vectors("D is no less", "D(t)", ">=", "-s", combine(of("defined", "-1"))),
    step("counts", "1", "<=", "n*m", combine(chart=(Assignment("n", "integer", "1"),))),
)


def data(steps=STEPS, theory=THEORY):
    plain = json.loads(json.dumps(asdict(theory), default=sorted))
    rows = [{**json.loads(json.dumps(asdict(one))), "claim": "x"} for one in steps]
    return {"version": VERSION, "theory": plain, "steps": rows, "hash": hash_of(plain)}


def test_every_step_of_the_small_book_is_proved():
    earlier = {}
    for one in STEPS:
        check(THEORY, one, earlier)
        earlier[one.id] = one.statement


def small_book():
    return book_of("small", data())


@needs_coq
def test_coq_accepts_every_step_and_theorem_of_the_small_book():
    book = small_book()
    assert not book.withheld
    lemmas, theorems = verdicts(book, 1)
    assert [(one.step, one.verdict, one.told) for one in lemmas] == [
        (one.step, ACCEPTED, "") for one in book.lemmas
    ]
    assert {one.verdict for one in theorems} == {ACCEPTED}
    assert {one.step for one in theorems} == {one.step for one in lemmas}


@needs_coq
def test_a_dozen_false_lemmas_are_refused_beside_true_ones(tmp_path):
    book = small_book()
    false = planted(book, 0, 12)
    assert len(false) == 12
    prepared(tmp_path, book)
    assert refused(tmp_path, book, false, book.lemmas) == [one.lemma.name for one in false]


@needs_coq
@pytest.mark.parametrize(
    ("name", "old", "new"),
    [("half", "E(t) + s", "E(t)"), ("rounds", "T*s", "T*s/2"), ("larger", "eta + mu", "eta")],
)
def test_an_unsound_step_that_a_checker_lets_pass_is_refused(tmp_path, name, old, new):
    """The exporter asks no checker: it writes what the certificate says, and Coq decides."""
    steps = [*STEPS]
    at = next(number for number, one in enumerate(steps) if one.id == name)
    said = steps[at].statement
    assert old in said.right
    wrong = Statement(said.left, said.relation, said.right.replace(old, new), said.conditions)
    steps[at] = Step(name, wrong, steps[at].certificate)
    with pytest.raises(Refused):
        check(THEORY, steps[at], {one.id: one.statement for one in steps[:at]})
    book = book_of("wrong", data(steps))
    prepared(tmp_path, book)
    (lemma,) = (one for one in book.lemmas if one.step == name)
    assert alone(tmp_path, book, lemma).verdict == REFUSED


@needs_coq
@pytest.mark.parametrize(
    "text",
    [
        "Axiom cheat : 0 = 1.\nLemma a : 0 = 1.\nProof. exact cheat. Qed.\n",
        "Lemma a : 0 = 1.\nProof. Admitted.\n",
    ],
)
def test_what_rests_on_an_axiom_of_its_own_is_refused(tmp_path, text):
    (tmp_path / "a.v").write_text(f"{text}Print Assumptions a.\n", encoding="utf-8")
    done = compiled(tmp_path, "a.v", 60)
    assert done.verdict == REFUSED
    assert "rests on" in done.told


def test_axioms_are_read_from_what_coq_prints():
    told = "Axioms:\nA.b\n  : forall x : nat,\n    x = x\ncheat : 0 = 1\n"
    assert axioms(told) == {"A.b", "cheat"}
    assert axioms("Closed under the global context\n") == set()


def test_nothing_is_admitted_and_all_is_printed():
    book = small_book()
    every = files(book)
    for name, text in every.items():
        assert not re.search(r"Admitted|admit\b|Axiom|Parameter|Hypothesis", text), name
    text = every["small_theorems.v"]
    assert text.count("Print Assumptions") == text.count("Qed.") == len(book.theorems)


def test_a_theorem_names_what_is_given():
    book = small_book()
    (found,) = (one for one in book.theorems if one.step == "all rounds")
    names = [name for name, _ in found.hypotheses]
    assert sum(name.startswith("by_") for name in names) == 2  # round and start
    assert {"sign_eta", "sign_L", "sign_E", "sign_s"} <= set(names)


def test_a_draw_without_replacement_is_withheld_with_its_reason():
    drawn = vectors("norm", "0", "<=", "sq(present(p))", combine())
    book = book_of("small", data([drawn]))
    ((step, why),) = book.withheld
    assert step == "norm"
    assert "which may vanish" in why or "without replacement" in why
    assert not book.lemmas


# ---- the terms that Coq reads, against the expressions

TOKEN = re.compile(r"[A-Za-z_][\w']*|\d+|[-+*/^()]")


def value(text, known):
    """The value of a term as Coq groups it: all in parentheses, but for names and numbers."""
    tokens = TOKEN.findall(text)
    found, rest = _atom(tokens, known)
    assert not rest
    return found


def _atom(tokens, known):
    first, *rest = tokens
    if first != "(":
        return (known[first] if first in known else Fraction(int(first))), rest
    parts = []
    while rest[0] != ")":
        if rest[0] == "(" or rest[0] not in "-+*/^":
            part, rest = _atom(rest, known)
            parts.append(part)
        else:
            parts.append(rest[0])
            rest = rest[1:]
    return _applied(parts), rest[1:]


def _applied(parts):
    match parts:
        case ["-", one]:
            return -one
        case ["/", one]:
            return 1 / one
        case [left, str() as sign, right]:
            signs = {"+": left + right, "-": left - right, "*": left * right}
            if sign == "/":
                return left / right
            return signs[sign] if sign in signs else left ** int(right)
        case [function, *arguments]:
            return function(*arguments) if arguments else function
    raise AssertionError(parts)


class _Exact(ast.NodeTransformer):
    """Whole numbers as fractions, but for exponents."""

    def visit_BinOp(self, node):
        if isinstance(node.op, ast.Pow):
            return ast.BinOp(self.visit(node.left), node.op, node.right)
        return self.generic_visit(node)

    def visit_Constant(self, node):
        return ast.Call(ast.Name("Fraction", ast.Load()), [node], [])


FORMULAS = (
    "-x**2",
    "x**-2",
    "a_1 - b - c",
    "a_1/b/c",
    "a_1/(b*c) - (x - 2)**3/7",
    "Max(a_1, b, c*x) - Min(a_1, 2*b)",
    "f(x + 1) - 2*f(x)/3",
    "(a_1 + b)**2*(c - x)*3",
)


@pytest.mark.parametrize("formula", FORMULAS)
def test_a_term_has_the_value_of_the_expression(formula):
    names = ("a_1", "b", "c", "x")
    theory = Theory(symbols=dict.fromkeys(names, "positive"), quantities={"f": False})
    term = Terms(theory).text(formula)
    tree = ast.fix_missing_locations(
        ast.Expression(_Exact().visit(ast.parse(formula).body[0].value))
    )
    code = compile(tree, "formula", "eval")
    draw = random.Random(formula)

    def f(z):
        return 3 * z * z - 5

    for _ in range(20):
        own = {name: Fraction(draw.randint(1, 50), draw.randint(1, 50)) for name in names}
        coq = {"c'" if name == "c" else "x'" if name == "x" else name: z for name, z in own.items()}
        own |= {"Max": max, "Min": min, "f": f, "Fraction": Fraction}
        coq |= {"Rmax": max, "Rmin": min, "f": f}
        coq = {**coq, "c": own["c"], "x": own["x"]}
        assert value(term, coq) == eval(code, own)


def test_another_round_is_put_in_place_of_t():
    theory = Theory(symbols={"t": "index", "T": "integer"}, quantities={"E": True})
    assert Terms(theory).at({"t": "t-1"}).term(parsed("E(t + 1)")) == "(E ((t - 1) + 1))"
    assert Terms(theory).at({"t": "2T-1"}).term(parsed("E(t)")) == "(E ((2 * T) - 1))"


# ---- the command


def test_the_command_writes_files_and_says_what_is_withheld(tmp_path):
    out = tmp_path / "new"
    done = CliRunner().invoke(cli, ["export", "coq", "fedplt/nu", "--out", str(out)])
    assert done.exit_code == 0, done.output
    assert {"Fedbounds.v", "fedplt.v", "fedplt_0.v"} <= {path.name for path in out.iterdir()}
    assert re.search(r"fedplt: \d+ of \d+ proved steps, \d+ theorems", done.output)


def test_the_command_refuses_a_claim_without_proof():
    done = CliRunner().invoke(cli, ["export", "coq", "fedplt/A1"])
    assert done.exit_code != 0
