"""False steps that the checker once accepted, each with the certificate that passed."""

from dataclasses import replace

import pytest
from checker_theory import ROUND, THEORY, cite, claim, condition, fact, prove

from fedbounds.errors import FedboundsError
from fedbounds.theory.checker.data import Absent, Certificate, Scope, Step
from fedbounds.theory.checker.files import book_data, step_data
from fedbounds.theory.checker.recheck import recheck

SMOOTH, NOISE = "smooth", "unbiased noise of bounded variance"
ALIKE = "bounded gradient dissimilarity"


def refuse(statement, *premises, changed, **more):
    """The theory, or the step, is refused: it depends on what is checked first."""
    with pytest.raises(FedboundsError):
        prove(statement, *premises, theory=replace(THEORY, **changed), **more)


# ---- names: one thing is read for another

READ_OTHERWISE = {  # a quantity of this name, never negative: what is false of it
    "Sum_i": "Sum_i(t) <= n*t",
    "Sum_ik": "Sum_ik(t) <= n*K*t",
    "Sum_t": "Sum_t(0) <= 0",
    "Mean_t": "Mean_t(0) <= 0",
    "sqrt": "sqrt(0) <= 0",
    "Max": "Max(t) <= t",
    "Min": "Min(t) <= t",
    "sq": "sq(0) <= 0",
    "ip": "ip(0, 0) <= 0",
}


@pytest.mark.parametrize(("name", "text"), READ_OTHERWISE.items())
def test_a_quantity_with_the_name_of_a_sum_or_a_function(name, text):
    more = {"scope": "twice", "algorithm": "twice"}
    quantities = THEORY.quantities | {name: True}
    refuse(claim(text, **more), scope="twice", changed={"quantities": quantities})


KELVIN, BOLD, DOUBLE_M = "\u212a", "\U0001d400", "\u217f"  # Python reads them as K, A and m


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        (f"1 <= {KELVIN}", {"symbols": THEORY.symbols | {KELVIN: "positive"}}),
        (f"{DOUBLE_M} <= n", {"symbols": THEORY.symbols | {DOUBLE_M: "positive"}}),
        (f"0 <= {BOLD}(t)", {"quantities": THEORY.quantities | {BOLD: False}}),
    ],
)
def test_two_names_that_python_reads_as_one(text, changed):
    """A positive constant is not at least 1, nor a quantity of either sign at least 0."""
    used = [condition("0")] if "n" in text else []
    refuse(claim(text), *used, changed=changed)


def test_the_slack_of_a_name_that_is_not_ascii_in_a_power():
    """Both branches of "below or above 2^y (1 + y)", y being the slack itself, are at least 1."""
    changed = {"symbols": THEORY.symbols | {"\u03c4": "positive"}}
    premises = [fact("power_grows", "2", "0", "\u03c4_", times=("1 + \u03c4_", "1"))]
    chart = [("\u03c4", "split", "2**\u03c4_*(1 + \u03c4_)")]
    refuse(claim("1 <= \u03c4"), *premises, chart=chart, changed=changed)


# the objective at a point, where the point does not move: "y" and "m_" are parameters elsewhere
STILL = Scope(
    sources=("past", "i"),
    atoms=(("u", ("past",)), ("v", ("past", "i")), ("au", ("past", "i"))),
    derived=(("u1", "u + 0*u"),),
    gradients=(("au", "u", "u", "v"),),
)


@pytest.mark.parametrize(
    ("values", "text"),
    [
        (("x", "y"), "y <= x"),  # the names of two constants
        (("n_", "m_"), "m <= n"),  # of two slacks
        (("t", "k"), "k <= t"),  # of a round and a step
    ],
)
def test_a_value_of_the_objective_with_the_name_of_a_number(values, text):
    start, end = values
    scope = replace(STILL, values=((start, "u", "v"), (end, "u1", "v")))
    changed = {"scopes": {"still": scope}, "always": ()}
    used = fact("descent", start, end, "au")
    refuse(claim(text, assumptions=(SMOOTH,)), used, scope="still", changed=changed)


def test_two_vectors_of_one_name():
    """What bounds the noise Y is no bound of 5 u."""
    scopes = {"round": replace(ROUND, derived=(("Y", "5*u"),))}
    statement = claim("25*sq(u) <= sigma2", scope="round", assumptions=(NOISE,))
    refuse(statement, fact("variance", "Y"), scope="round", changed={"scopes": scopes})


# ---- signs of what the checker itself speaks of


@pytest.mark.parametrize(
    ("name", "sign", "statement", "at", "chart"),
    [
        # a slack of the round, or of the step, passes for a constant in a sum
        ("t", "positive", "T*A(0) <= T*t*A(0)", {"over": "t"}, [("t", "split", "1")]),
        ("k", "positive", "n*K*A(0) <= n*K*k*A(0)", {"over": "ik"}, [("k", "split", "1")]),
        # where there may be no round at all, nothing is known of round 0
        ("T", "nonnegative", "A(0) <= 0", {"at": (("t", "0"),)}, []),
    ],
)
def test_rounds_and_steps_are_indices_and_horizons_counts(name, sign, statement, at, chart):
    index = name if name in "tk" else "t"
    text = f"A(0) <= {index}*A(0)" if name in "tk" else "A(t) <= 0"
    changed = {"symbols": THEORY.symbols | {name: sign}}
    refuse(claim(statement), cite("a", **at), earlier={"a": claim(text)}, chart=chart, changed=changed)  # fmt: skip


def test_a_sign_that_there_is_not():
    """Of what is just real, nothing is known."""
    refuse(claim("0 <= w"), changed={"symbols": THEORY.symbols | {"w": "real"}})


# ---- geometric sums

BETWEEN = [  # a limit that is no integer at numbers that meet the conditions
    (claim("2 <= Sum(4**r, (r, 0, 1/2))"), [], []),  # 1
    (claim("10 <= Sum(4**r, (r, 0, K/2))", "K == 3"), [], [("K", "equal", "3")]),  # 1 + 4
    # with x = 1/2: again 1
    (
        claim("2 <= Sum(4**r, (r, 0, x))", "1/2 <= x"),
        [fact("power_grows", "4", "1/2", "x", times="4/3")],
        [],
    ),
    # at K = 3, and at t = 1
    (
        claim("Sum(4**r, (r, 0, K/2)) == (4*4**(K/2) - 1)/3", "K >= 2"),
        [],
        [("K", "above", "2")],
    ),
    (claim("Sum(4**r, (r, 0, t/2)) == (4*4**(t/2) - 1)/3"), [], []),
]


@pytest.mark.parametrize(("statement", "premises", "chart"), BETWEEN)
def test_a_geometric_sum_to_what_is_no_integer(statement, premises, chart):
    refuse(statement, *premises, chart=chart, changed={})


# ---- blocks that are absent


def test_no_two_blocks_are_absent_though_the_statement_names_all_that_they_leave_free():
    """gamma == x L without the one, gamma == y z without the other: x L == y z is false."""
    absent = (
        Absent("d", ("y", "s"), (("gamma", "==", "x*L"),)),
        Absent("e", ("x", "L"), (("gamma", "==", "y*z"),)),
    )
    symbols = THEORY.symbols | {"d": "nonnegative", "e": "nonnegative"}
    statement = claim("x*L <= y*z", "d == 0", "e == 0")
    used = [condition("4", "-1"), condition("5", "1")]
    refuse(statement, *used, changed={"symbols": symbols, "absent": absent})


def test_what_always_holds_of_a_parameter_holds_of_the_one_that_is_chosen():
    """With y <= 1 everywhere, y = 2 is no choice: 2 <= 1 would follow."""
    changed = {
        "symbols": THEORY.symbols | {"d": "nonnegative"},
        "absent": (Absent("d", ("y",), ()),),
        "always": (*THEORY.always, ("y", "<=", "1")),
    }
    refuse(claim("2 <= 1", "d == 0"), condition("2"), chart=[("y", "equal", "2")], changed=changed)


# ---- a file of certificates


def test_a_step_written_twice_does_not_rest_on_itself_through_another():
    """1 <= 0 by b from c, which is by c from b, which was written down before, unproved."""
    first, second = (
        Step(name, claim("1 <= 0"), Certificate("combine", premises=(cite(other),)))
        for name, other in ("bc", "cb")
    )
    rows = [step_data(step) for step in (first, second, first)]
    rows[0]["certificate"] = None
    assert all(one.missing for one in recheck(book_data(THEORY, rows)))


# ---- what cannot be read is refused, with a reason


def test_a_given_statement_can_be_read():
    for text in ("foo((t <= 1", "0 <= nobody(t)", "0 <= nobody", "sq(u) <= 1"):
        with pytest.raises(FedboundsError):
            prove(claim(text), rule="given", origin="(1)")


@pytest.mark.parametrize(
    ("statement", "more"),
    [
        (claim("0 <= 1"), {"chart": [("x", "root", "\u00b2")]}),
        (claim("0 <= 1", scope="nowhere"), {"scope": "nowhere"}),
        (claim("0 <= 1"), {"scope": "nowhere"}),
        (claim("-" * 5000 + "x <= 1"), {}),
    ],
)
def test_what_is_malformed_is_refused_and_no_traceback(statement, more):
    refuse(statement, changed={}, **more)


@pytest.mark.parametrize(
    ("name", "arguments", "changed"),
    [
        ("martingale", ("W", "k"), {"differences": ("W",)}),
        ("dissimilarity", ("W",), {"gradients": (("W", "u", "u", "v"),)}),
        ("variance", ("a",), {"derived": (("a", "b"), ("b", "a")), "noises": (("a", "s"),)}),
    ],
)
def test_a_scope_that_speaks_of_vectors_without_sources_is_refused(name, arguments, changed):
    changed = {"scopes": {"round": replace(ROUND, **changed)}}
    statement = claim("0 <= 1", scope="round", assumptions=(NOISE, ALIKE))
    refuse(statement, fact(name, *arguments), scope="round", changed=changed)
