"""Numbers against steps: exact, within what is cited, and never against what is proved."""

import ast
import re
from fractions import Fraction
from functools import cache
from itertools import combinations, product

import pytest
import sympy as sp
from hypothesis import given as forall
from hypothesis import settings
from hypothesis import strategies as st

from fedbounds.facts import Fact
from fedbounds.theory.checker.data import Certificate, Premise, Scope, Statement, Theory
from fedbounds.theory.language.claims import Condition
from fedbounds.theory.language.symbols import (
    G_u,
    G_v,
    K,
    L,
    Sum_t,
    T,
    gamma,
    gamma_u,
    k,
    m,
    n,
    t,
    variance_u,
)
from fedbounds.theory.personalization.glossary import GLOSSARY
from fedbounds.theory.personalization.proofs import definitions, technical
from fedbounds.theory.personalization.proofs.book import PER_CLIENT, PER_STEP
from fedbounds.theory.personalization.proofs.scopes import (
    FEDAVG,
    SCOPES,
    Yu,
    au,
    av,
    hu,
    u,
    uh,
)
from fedbounds.theory.personalization.symbols import (
    D_2,
    S_2,
    X_2,
    E,
    Eu_ik,
    T_1u,
)
from fedbounds.theory.proof import feasible
from fedbounds.theory.proof.finite import Evaluator, Function, space_of
from fedbounds.theory.proof.instances import instance
from fedbounds.theory.proof.language import Book, above, below, cite, fact, integer, square
from fedbounds.theory.proof.points import Question, points
from fedbounds.theory.proof.refute import breaking_numbers
from fedbounds.theory.proof.replay import Local, draft, replay
from fedbounds.theory.proof.text import theory_of
from fedbounds.theory.proof.vectors import S, given, ip, past, present, sq, xi
from fedbounds.theory.proof.vectors import i as client

SMOOTH_NOISE = [Fact.SMOOTH, Fact.NOISE, Fact.DISSIMILARITY]
STEP = f"step of {FEDAVG}"
COUNTS = [integer(m, 1), integer(n, m)]
SQUARE = square(given(au, past) + hu - au)
DRIFT = [f"def {name} ({FEDAVG})" for name in ("T_1u", "E", "G_u")]
PARTICIPANTS = technical.of(technical.PARTICIPANTS, "S_2", "X_2", "D_2")
STEPS = [f"def {name} ({STEP})" for name in ("Eu_ik next", "Eu_ik")]
SEVERAL_STEPS = [Condition(K, ">=", sp.Integer(2))]


@cache
def _definitions():
    found = Book(
        "personalization", theory_of(GLOSSARY, SCOPES | technical.SCOPES, PER_CLIENT, PER_STEP)
    )
    definitions.write(found)
    technical.definitions(found)
    return found


def new_book():
    return Book("personalization", _definitions().theory, list(_definitions().steps))


def replayed(left, relation, right, uses=(), *, scope=FEDAVG, vectors=True, **more):
    """One line on top of the definitions."""
    found = new_book()
    found.line("line", left, relation, right, uses, scope=scope, vectors=vectors,
               assumptions=SMOOTH_NOISE, **more)  # fmt: skip
    return replay(found)[-1]


# ---- planted failures: numbers are found


def lemma_32(factor, uses):
    right = -gamma * K / 2 * G_u(t) + factor * L**2 * gamma / n * E(t)
    return replayed(T_1u(t), "<=", right, uses, vectors=False)


def participants(factor, relation="<="):
    right = X_2(t) + factor * (n - m) / (m * n**2) * D_2(t)
    return replayed(S_2(t), relation, right, PARTICIPANTS, scope=technical.PARTICIPANTS,
                    vectors=False, chart=COUNTS)  # fmt: skip


PLANTED = {
    "a constant halved": lambda: lemma_32(
        sp.Rational(1, 2), [*DRIFT, fact("smooth", hu, au), SQUARE]
    ),
    "a premise dropped": lambda: lemma_32(1, [*DRIFT, SQUARE]),
    "an inequality as an equality": lambda: participants(2, "=="),
    "half of the sampling error": lambda: participants(1),
    "Young with a wrong constant": lambda: replayed(
        2 * ip(au, av), "<=", sq(au) / 2 + sq(av), [square(au - av)]
    ),
    "independent of later means": lambda: replayed(
        ip(hu, given(Yu, past, xi, client)), "==", 0
    ),
    "independent participants": lambda: replayed(
        sq(given(present(hu), past, S, xi)), "<=",
        m**2 / n**2 * sq(given(hu, past, xi)), chart=COUNTS,
    ),
    "orthogonal noises, too many": lambda: replayed(
        sq(given(Yu, past, xi)), "<=", variance_u / (2 * n * K),
        [fact("variance", Yu), fact("martingale", Yu, "ik")],
    ),
    "the mean of gradients": lambda: replayed(
        sq(au), "<=", sq(given(au, past)) + sp.Symbol("b2") / 2,
        [fact("dissimilarity", au), square(au - given(au, past))],
    ),
    "a cross term forgotten": lambda: replayed(
        Eu_ik(t, k + 1), "<=", (1 + 1 / (K - 1)) * Eu_ik(t, k) + gamma_u**2 * variance_u,
        [*STEPS, fact("smooth", hu, au), fact("variance", Yu)],
        scope=STEP, vectors=False, conditions=SEVERAL_STEPS, chart=[above(K, 2)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PLANTED)
def test_numbers_break_a_planted_failure(name):
    found = PLANTED[name]()
    assert found.local is Local.DOES_NOT_FOLLOW
    shown = dict(found.numbers)
    left, right = Fraction(shown["left"]), Fraction(shown["right"])
    assert left != right if found.written.relation == "==" else left > right


def test_numbers_of_a_sampling_error_agree_with_enumeration():
    shown = dict(participants(1).numbers)
    clients, chosen = int(shown["n"]), int(shown["m"])
    values = dict.fromkeys(range(1, clients + 1), Fraction(0))
    for place, value in re.findall(r"i=(\d+): ([-/\d]+)", shown["X"]):
        values[int(place)] = Fraction(value)
    groups = list(combinations(values, chosen))
    means = [sum(values[c] for c in group) / chosen for group in groups]
    mean = sum(values.values()) / clients
    assert Fraction(shown["S_2(0)"]) == sum(x * x for x in means) / len(groups)
    assert Fraction(shown["X_2(0)"]) == mean**2
    assert Fraction(shown["D_2(0)"]) == sum((x - mean) ** 2 for x in values.values())
    spread = Fraction(clients - chosen, chosen * clients**2) * Fraction(shown["D_2(0)"])
    assert Fraction(shown["right"]) == mean**2 + spread < Fraction(shown["left"])


# ---- true steps: none are found


TRUE = {
    "lemma 3.2": lambda: lemma_32(1, [*DRIFT, fact("smooth", hu, au), SQUARE]),
    "the sampling error": lambda: participants(2),
    "Young": lambda: replayed(2 * ip(au, av), "<=", sq(au) / 2 + 2 * sq(av),
                              [square(au - 2 * av)]),
    "orthogonal noises": lambda: replayed(
        sq(given(Yu, past, xi)), "<=", variance_u / (n * K),
        [fact("variance", Yu), fact("martingale", Yu, "ik")]),
    "Jensen": lambda: replayed(sq(given(hu, past, xi)), "<=", sq(hu),
                               [square(hu - given(hu, past, xi))]),
}  # fmt: skip


@pytest.mark.parametrize("name", TRUE)
def test_no_numbers_break_a_proved_step(name):
    found = TRUE[name]()
    assert found.local is Local.PROVED
    again = draft(new_book().theory, found.written)
    earlier = {step.id: step.statement for step in new_book().steps}
    assert breaking_numbers(new_book().theory, found.written.statement, again, earlier) is None


@settings(max_examples=15, deadline=None)
@forall(st.lists(st.integers(-2, 2), min_size=4, max_size=4), st.integers(0, 1), st.integers(1, 3))
def test_no_numbers_break_a_square_and_some_break_less_than_one(entries, which, size):
    vectors = (hu, Yu, au, given(hu, past, xi))
    combined = sum(c * x for c, x in zip(entries, vectors, strict=True))
    theory = new_book().theory
    plain = Certificate("combine", scope=FEDAVG)
    if combined:
        true = Statement("0", "<=", f"sq({combined})", scope=FEDAVG)
        assert breaking_numbers(theory, true, plain, {}) is None
        false = Statement(f"{size}*sq({vectors[which]})", "<=", "0", scope=FEDAVG)
        assert breaking_numbers(theory, false, plain, {}) is not None


def test_a_true_step_without_a_proof_stays_open():
    """A gradient at a step is independent of its noise, which this scope does not say."""
    found = replayed(sq(hu + Yu), "==", sq(hu) + sq(Yu))
    assert (found.local, found.numbers) == (Local.OPEN, None)


def test_a_step_that_cites_what_is_unknown_gets_no_numbers():
    found = new_book()
    found.line("line", T_1u(t), "<=", 0, [fact("martingale", au, "k")], scope=FEDAVG)
    (step,) = [s for s in found.steps if s.id == "line"]
    earlier = {s.id: s.statement for s in found.steps}
    unread = draft(found.theory, step)
    assert breaking_numbers(found.theory, step.statement, unread, earlier) is None


# ---- quantities: rounds that coincide, sums, conditions


def test_a_sum_is_at_least_its_terms():
    assert replayed(E(0), "<=", Sum_t(E(t)), scope="").numbers is None
    assert replayed(Sum_t(E(t)), "<=", T * E(0), scope="").numbers is not None


def test_numbers_satisfy_the_conditions():
    step = Condition(gamma, "<=", 1 / (8 * L * K))
    held = replayed(gamma * G_u(t), "<=", G_u(t) / (8 * L * K), scope="", conditions=[step])
    assert held.numbers is None
    broken = replayed(gamma * G_u(t), "<=", G_u(t) / (9 * L * K), scope="", conditions=[step])
    shown = {name: Fraction(x) for name, x in broken.numbers}
    assert 8 * shown["gamma"] * shown["L"] * shown["K"] <= 1
    assert shown["left"] > shown["right"]


def test_parameters_that_no_chart_names_are_moved_into_the_conditions():
    conditions = (("gamma", "==", "gamma_u*eta_u"), ("eta_u", ">=", "sqrt(m)"),
                  ("gamma", "<=", "Min(1, m/n)/(72*L)"))  # fmt: skip
    statement = Statement("gamma*G_u(t)", "<=", "gamma_u*L*G_u(t)", conditions)
    question = Question(new_book().theory, statement, Certificate("combine"), {})
    tried = list(points(question, small=False))
    assert len(tried) >= 2
    for point in tried:
        assert point["gamma"] == point["gamma_u"] * point["eta_u"]
        assert point["eta_u"] ** 2 >= point["m"] <= point["n"]
        assert 72 * point["L"] * point["gamma"] <= min(1, point["m"] / point["n"])


def test_an_earlier_step_says_nothing_outside_its_conditions():
    found = new_book()
    several = [Condition(K, ">=", sp.Integer(2))]
    found.line("several", G_u(t), "<=", G_v(t), [], conditions=several, vectors=False)
    found.line("any", G_u(t), "<=", G_v(t), ["several"], vectors=False)
    assert dict(replay(found)[-1].numbers)["K"] == "1"
    found.line("again", G_u(t), "<=", G_v(t), ["several"], conditions=several, vectors=False,
               chart=[above(K, 2)])  # fmt: skip
    assert replay(found)[-1].local is Local.PROVED


def test_what_a_step_does_not_assume_gives_no_numbers():
    found = new_book()
    found.line("free", sq(hu - au), "<=", 0, [fact("smooth", hu, au)], scope=FEDAVG)
    assert replay(found)[-1].numbers is None


def test_a_step_with_a_scope_but_a_cited_bound_uses_the_bound():
    found = new_book()
    found.line("drift", sq(uh - u), "<=", gamma**2, [], scope=FEDAVG)
    for factor, local in ((1, Local.PROVED), (sp.Rational(1, 2), Local.DOES_NOT_FOLLOW)):
        found.line(f"twice {factor}", 2 * sq(uh - u), "<=", 2 * factor * gamma**2,
                   [cite("drift")], scope=FEDAVG, chart=[])  # fmt: skip
        assert replay(found)[-1].local is local


# ---- the parts


def test_a_linear_programme_reports_exact_numbers_only():
    third = Fraction(1, 3)
    premises = [feasible.Premise({"x": Fraction(1), "": -third}, True),
                feasible.Premise({"y": Fraction(1), "x": Fraction(-7, 11)}, True)]  # fmt: skip
    values = feasible.breaking({"y": Fraction(-1), "": Fraction(0)}, premises, frozenset())
    assert values == {"x": third, "y": Fraction(7, 33)}
    assert feasible.breaking({"y": Fraction(1)}, premises, frozenset()) is None


SMALL = Scope(
    sources=("past", "S", "xi", "i", "k"),
    atoms=(("a", ("past", "i")), ("h", ("past", "xi", "i", "k")), ("Y", ("past", "xi", "i", "k"))),
    centred=(("Y", "xi"),),
    differences=("Y",),
    sampled=True,
)
TEXTS = ("sq(h)", "ip(h, Y)", "sq(given(Y, past, xi))", "sq(given(present(h + a), past, S, xi))",
         "ip(given(h, past, xi, i), a)", "sq(h - given(h, past, i))")  # fmt: skip


@settings(max_examples=25, deadline=None)
@forall(st.data(), st.sampled_from([(2, 1, 2), (3, 2, 1), (1, 1, 2), (2, 2, 1)]))
def test_products_of_basis_functions_agree_with_enumeration(data, sizes):
    space = space_of(SMALL, *sizes, random_past=False)
    values = {}
    for atom in ("a", "h", "Y"):
        functions = space.functions(atom)
        drawn = data.draw(st.lists(st.integers(-2, 2), min_size=len(functions),
                                   max_size=len(functions)))  # fmt: skip
        values[atom] = {f: (Fraction(x),) for f, x in zip(functions, drawn, strict=True)}
    tables = {atom: space.table(own, 1) for atom, own in values.items()}
    known = Evaluator({}, lambda text: Fraction(0), space, tables)
    for kept in ((), ("past", "xi"), ("past", "i", "xi"), ("past", "k"), ("past", "xi", "i", "k")):
        for one, other in product(values, repeat=2):
            total = sum(
                x[0] * y[0] * space.inner(f, g, frozenset(kept))
                for f, x in values[one].items()
                for g, y in values[other].items()
            )
            means = [f"given({name}{''.join(f', {s}' for s in kept)})" for name in (one, other)]
            assert known.value(f"ip({means[0]}, {means[1]})") == total
    clients, _, steps = sizes
    # martingale differences are orthogonal, and have mean zero
    assert known.value("sq(given(Y, past, xi))") == known.value("sq(Y)") / (clients * steps)
    assert known.value("sq(given(Y, past, i, k))") == 0


def test_a_vector_knows_the_earlier_samples_of_its_client_only():
    space = space_of(SMALL, 2, 1, 2, random_past=False)
    for function in space.functions("h"):
        _, own, step = function.index
        signs = [space.signs[j].own for j in function.signs]
        assert all(c == own and earlier < step for c, earlier in signs)
    assert Function((None, 0, 1), frozenset()) in space.functions("h")


@settings(max_examples=20, deadline=None)
@forall(st.data(), st.sampled_from([(2, 1, 2), (3, 2, 1), (2, 2, 1)]))
def test_the_checkers_products_agree_with_enumeration(data, sizes):
    """Its rules for conditional means and participants, against a sum over all outcomes."""
    space = space_of(SMALL, *sizes, random_past=False)
    tables, values = {}, {}
    for atom in ("a", "h", "Y"):
        functions = space.functions(atom)
        drawn = data.draw(st.lists(st.integers(-2, 2), min_size=len(functions),
                                   max_size=len(functions)))  # fmt: skip
        values[atom] = {f: (Fraction(x),) for f, x in zip(functions, drawn, strict=True)}
        tables[atom] = space.table(values[atom], 1)
    point = dict(zip(("n", "m", "K"), map(Fraction, sizes), strict=True))
    text = data.draw(st.sampled_from(TEXTS))
    theory = Theory(dict.fromkeys(("n", "m", "K"), "integer"), {}, scopes={"small": SMALL})
    statement = Statement("0", "<=", text, scope="small")
    question = Question(theory, statement, Certificate("combine", scope="small"), {})
    found = instance(question, point)
    total = sum(
        weight * x[0] * y[0] * space.inner(f, g, frozenset(kept.split(",")))
        for key, weight in found.gap.items()
        for one, other, kept in [key[1:-1].split("|")]
        for f, x in values[one].items()
        for g, y in values[other].items()
    )
    assert Evaluator(point, lambda _: Fraction(0), space, tables).value(text) == total


def test_roots_are_taken_only_where_they_are_rational():
    known = Evaluator({"n": Fraction(27)}, lambda text: Fraction(0))
    assert known.value("n**(2/3)") == 9
    assert known.value("sqrt(n/3)") == 3
    with pytest.raises(ValueError, match="not rational"):
        known.value("sqrt(n)")


def test_reported_vectors_satisfy_smoothness():
    """The premise that is cited, read off the numbers that are shown."""
    shown = dict(PLANTED["a constant halved"]().numbers)
    vectors = {name: parsed(shown[name]) for name in ("au", "hu", "u", "uh", "v", "vh")}
    signs = sorted({s for v in vectors.values() for _, terms in v for _, own in terms for s in own})
    clients, steps = int(shown["n"]), int(shown["K"])
    gap, drift = Fraction(0), Fraction(0)
    for i, j in product(range(1, clients + 1), range(steps)):
        for outcome in product((1, -1), repeat=len(signs)):
            at = dict(zip(signs, outcome, strict=True))
            value = {name: value_at(v, i, j, at) for name, v in vectors.items()}
            gap += distance(value["hu"], value["au"])
            drift += distance(value["uh"], value["u"]) + distance(value["vh"], value["v"])
    assert 0 < gap <= 2 * Fraction(shown["L"]) ** 2 * drift
    assert Fraction(shown[f"E({shown['t']})"]) == clients * steps * drift / (
        clients * steps * 2 ** len(signs)
    )


def parsed(text):
    """Places with terms: a vector times signs."""
    found = []
    for piece in text.split("; "):
        place, _, terms = piece.rpartition(": ")
        index = dict(re.findall(r"(\w)=(\d+)", place))
        found.append((index, [
            (ast.literal_eval("[" + re.sub(r"-?\d+(/\d+)?", r"'\g<0>'", body) + "]"),
             re.findall(r"xi\[\d+,\d+\]", own))
            for body, own in re.findall(r"\(([^)]*)\)((?: xi\[\d+,\d+\])*)", terms)
        ]))  # fmt: skip
    return found


def value_at(vector, i, j, signs):
    total = (Fraction(0), Fraction(0))
    for index, terms in vector:
        if index.get("i", str(i)) == str(i) and index.get("k", str(j)) == str(j):
            for entries, own in terms:
                factor = 1
                for sign in own:
                    factor *= signs[sign]
                total = tuple(a + factor * Fraction(b) for a, b in zip(total, entries, strict=True))
    return total


def distance(a, b):
    return sum((x - y) ** 2 for x, y in zip(a, b, strict=True))


def test_a_condition_as_a_premise_keeps_its_place():
    step = Condition(gamma, "<=", 1 / (4 * L * K))
    found = new_book()
    found.line("bound", 4 * L * K * gamma, "<=", sp.Rational(1, 2), [
        Premise("condition", "", ("?",), ("gamma", "<=", "1/(4*K*L)"))
    ], conditions=[step], vectors=False, chart=[below(gamma, 1 / (4 * L * K))])  # fmt: skip
    shown = {name: Fraction(x) for name, x in replay(found)[-1].numbers}
    assert 4 * shown["L"] * shown["K"] * shown["gamma"] > Fraction(1, 2)
