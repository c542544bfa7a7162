"""False statements and the certificates that might seem to prove them; beside each, a true one."""

from dataclasses import replace

import pytest
from checker_theory import THEORY, cite, claim, condition, fact, hypothesis, prove

from fedbounds.theory.checker.check import check
from fedbounds.theory.checker.data import Certificate, Premise, Statement, Step
from fedbounds.theory.checker.errors import Refused

SMOOTH, NOISE = "smooth", "unbiased noise of bounded variance"


def refused(match=None):
    return pytest.raises(Refused, match=match)


def about(*texts, **more):
    """Earlier steps a, b, ..."""
    return {name: claim(text, **more) for name, text in zip("abc", texts, strict=False)}


# ---- combinations: signs of multipliers, squares, relations


def test_a_combination_of_premises_squares_and_non_negative_terms():
    earlier = about("f(t) <= A(t)", "A(t) == 2*B(t)")
    prove(claim("f(t) <= 2*B(t)"), cite("a"), cite("b"), earlier=earlier)
    prove(claim("f(t) <= A(t) + B(t)"), cite("a"), earlier=earlier)
    prove(claim("A(t) >= B(t)"), cite("b", "-1"), earlier=earlier)
    prove(
        claim("2*ip(u, p) <= sq(u) + sq(p)", scope="round"), scope="round", squares=[("1", "u - p")]
    )


@pytest.mark.parametrize(
    "text",
    [
        "f(t) <= B(t)",
        "f(t) <= 0",
        "0 <= f(t)",
        "0 <= x - y",
        "0 <= -x",
        "0 < 0",
        "0 != 1",
        "x <= n",
    ],
)
def test_what_does_not_follow(text):
    earlier = about("f(t) <= A(t)", "A(t) == 2*B(t)")
    left, relation, right = text.split(" ", 2)
    with refused():
        prove(Statement(left, relation, right), cite("a"), cite("b"), earlier=earlier)


def test_an_inequality_has_no_negative_multiplier():
    earlier = about("f(t) <= A(t)")
    for times in ("-1", "x - y", "f(t)", "x - 1", "-A(t)", "value start"):
        with refused():
            prove(claim("0 <= f(t) - A(t)"), cite("a", times), earlier=earlier)


def test_an_equality_may_have_any_multiplier_that_is_a_number():
    earlier = about("f(t) == A(t)")
    prove(claim("f(t) >= A(t)"), cite("a", "-1"), earlier=earlier)
    with refused("product"):
        prove(claim("0 <= 0"), cite("a", "f(t)"), earlier=earlier)


def test_a_quantity_multiplies_what_has_none():
    earlier = about("x <= y")
    prove(claim("x*A(t) <= y*A(t)"), cite("a", "A(t)"), earlier=earlier)
    with refused("multiplier"):
        prove(claim("x*f(t) <= y*f(t)"), cite("a", "f(t)"), earlier=earlier)


def test_an_equality_follows_from_equalities_only():
    earlier = about("f(t) <= A(t)", "A(t) <= f(t)")
    with refused("equality"):
        prove(claim("f(t) == A(t)"), cite("a"), earlier=earlier)
    with refused("equality"):
        prove(claim("0 == sq(u)", scope="round"), scope="round", squares=[("-1", "u")])
    with refused():
        prove(claim("A(t) == A(t) + B(t)"))


@pytest.mark.parametrize(
    "vector", ["u) - 5*sq(u", "u, -u", "u, v", "u)*(-1", "n", "sq(u)", "u)", ""]
)
def test_a_square_is_one_of_a_vector_and_nothing_else(vector):
    """As text pasted into sq(...), these would be negative."""
    with refused():
        prove(claim("sq(u) <= 0", scope="round"), scope="round", squares=[("1", vector)])


def test_a_square_has_no_negative_multiplier():
    for times in ("-1", "x - y", "f(t)"):
        with refused():
            prove(claim("sq(u) <= 0", scope="round"), scope="round", squares=[(times, "u")])


def test_multipliers_of_different_branches_are_kept_apart():
    earlier = about("f(t) <= A(t)")
    statement, chart = claim("(x - 1)*f(t) <= (x - 1)*A(t)"), [("x", "split", "1")]  # false below 1
    above = replace(statement, conditions=(("x", ">=", "1"),))
    prove(above, cite("a", "x - 1"), earlier=earlier, chart=[("x", "above", "1")])
    for times in (("x - 1", "x - 1"), ("x - 1", "0"), ("x - 1", "1 - x"), ("x - 1", "x_")):
        with refused("negative"):
            prove(statement, cite("a", times), earlier=earlier, chart=chart)
    with refused("multipliers"):
        prove(statement, cite("a", ()), earlier=earlier, chart=chart)


def test_a_branch_need_not_be_able_to_use_what_it_does_not_use():
    earlier = {"a": claim("f(t) <= A(t)", "K >= 2"), "b": claim("f(t) <= A(t)", "K == 1")}
    chart = [("K", "integer", "1")]
    split = (cite("a", ("0", "1")), cite("b", ("1", "0")))
    prove(claim("f(t) <= A(t)"), *split, earlier=earlier, chart=chart)
    with refused("needs"):
        prove(claim("f(t) <= A(t)"), cite("a", ("1", "1")), earlier=earlier, chart=chart)


def test_the_sign_of_a_parameter_is_that_of_its_declaration():
    prove(claim("0 <= s"))
    for text in ("1 <= s + 1/2", "x <= 1", "1 <= x", "2 <= n", "1 <= t", "m <= K", "n <= m"):
        with refused():
            prove(claim(text))
    prove(claim("1 <= n"))
    prove(claim("m <= n"), condition("0"))


def test_division_by_what_may_vanish():
    for text in (
        "A(t)/(n - 1) <= A(t)/(n - 1)",
        "A(t)/s == A(t)/s",
        "(n - 1)/(n - 1) == 1",
        "s/s == 1",
    ):
        with refused("division"):
            prove(claim(text))


def test_a_statement_means_the_same_under_every_chart():
    """n_ is n - 1 in one chart and the root of n in another."""
    with refused("n_"):
        prove(claim("n_ == n - 1"))
    with refused("n_"):
        prove(claim("n <= 1"), cite("a"), earlier=about("n_ == 0"))
    with refused("n_"):
        prove(claim("A(t) <= 0", "n_ >= 1"))


@pytest.mark.parametrize("rule", ["combine", "given"])
def test_relations_are_three(rule):
    for relation in ("<", ">", "!=", "", "<= 0 <="):
        step = Step("s", Statement("0", relation, "0"), Certificate(rule, origin="somewhere"))
        with refused("relation"):
            check(THEORY, step, {})


def test_rules_that_there_are_not():
    for certificate in (Certificate("trust me"), Certificate("given"), Certificate("")):
        with refused():
            check(THEORY, Step("s", claim("0 <= 1"), certificate), {})


# ---- scopes


def test_vectors_of_another_scope():
    earlier = {"a": claim("sq(u) <= sq(p)", scope="alike")}
    statement = claim("sq(u) <= sq(p)", scope="round")
    prove(replace(statement, scope="alike"), cite("a"), earlier=earlier, scope="alike")
    with refused("alike"):
        prove(statement, cite("a"), earlier=earlier, scope="round")
    with refused("is proved in"):
        prove(statement, cite("a"), earlier=earlier, scope="alike")
    with refused():
        prove(replace(statement, scope=""), scope="round", squares=[("1", "p")])
    prove(claim("0 <= 4*sq(p) + sq(du) - 4*ip(du, p)", scope="twice", algorithm="twice"),
          scope="twice", squares=[("1", "du - 2*p")])  # fmt: skip


def test_a_statement_without_a_scope_names_no_vectors():
    """Cited elsewhere, du would be another vector: 2 p here, the mean of participants there."""
    text = "sq(du) == 4*sq(p)"
    with refused("not declared"):
        prove(claim(text, algorithm="twice"), scope="twice")
    prove(claim(text, scope="twice", algorithm="twice"), scope="twice")
    with refused("no scope"):
        loose = about("sq(u) == 0")
        prove(claim("sq(u) == 0", scope="round"), cite("a"), earlier=loose, scope="round")
    with refused("not declared"):
        prove(claim("start == start"), scope="round")


def test_what_one_algorithm_gives_is_not_claimed_of_another():
    """A(t) = |u1 - u|^2 is 4 |p|^2 for the first, and something else for the second."""
    defined = {"a": claim("A(t) == sq(du)", scope="twice", algorithm="twice")}
    found = claim("A(t) == 4*B(t)")
    known = defined | {"b": claim("B(t) == sq(p)", scope="twice", algorithm="twice")}
    with refused("another algorithm"):
        prove(found, cite("a"), cite("b", "-4"), earlier=known, scope="twice")
    own = replace(found, algorithm="twice")
    prove(own, cite("a"), cite("b", "-4"), earlier=known, scope="twice")
    for algorithm in ("", "thrice"):
        with refused("twice only"):
            prove(replace(found, algorithm=algorithm), cite("a"), earlier={"a": own})
    prove(own, cite("a"), earlier={"a": own})
    prove(own, cite("a"), earlier={"a": found})


def test_facts_in_their_scope():
    smooth = claim("sq(p - au) <= L**2*sq(q - u)", scope="round", assumptions=(SMOOTH,))
    prove(smooth, fact("smooth", "p", "au"), scope="round")
    for arguments in (("p", "q"), ("p", "u"), ("p",), ("p", "au", "au"), ()):
        with refused():
            prove(smooth, fact("smooth", *arguments), scope="round")
    with refused():
        prove(claim("0 <= 1", assumptions=(SMOOTH,)), fact("smooth", "p", "au"))
    with refused("unknown fact"):
        prove(smooth, fact("miracle", "p"), scope="round")
    with refused("unknown premise"):
        prove(smooth, Premise("guess", "p", ("1",)), scope="round")


def test_side_conditions_of_facts():
    prove(claim("2**K <= 2**(K + 1)"), fact("power_grows", "2", "K", "K + 1"))
    for arguments in (
        ("2", "K + 1", "K"),
        ("x", "K", "K + 1"),
        ("1/2", "K", "K + 1"),
        ("2)*(2", "K", "K"),
    ):
        with refused():
            prove(claim("2**(K + 1) <= 2**K"), fact("power_grows", *arguments))
    prove(claim("(1 + 1/K)**K <= 3"), fact("growth", "1", "K", "3"))
    prove(claim("sqrt(x) <= sqrt(x + s)"), fact("root_grows", "x", "x + s"))
    for arguments in (("x + s", "x"), ("x", "y"), ("x - 1", "x"), ("x, y", "x, y")):
        with refused():
            prove(claim("sqrt(x + s) <= sqrt(x)"), fact("root_grows", *arguments))
    with refused("needs"):
        prove(claim("(1 + 1/x)**x <= 3"), fact("growth", "1", "x", "3"))


def test_extremes_bound_what_they_are_of():
    prove(
        claim("f(t) <= Max(x, y)"), cite("a"), fact("largest", "x", "y"), earlier=about("f(t) <= x")
    )
    with refused():
        prove(
            claim("f(t) <= Min(x, y)"),
            cite("a"),
            fact("least", "x", "y"),
            earlier=about("f(t) <= x"),
        )
    prove(
        claim("f(t) <= x"), cite("a"), fact("least", "x", "y"), earlier=about("f(t) <= Min(x, y)")
    )


# ---- rounds from 1 on


def test_a_round_from_1_on_is_positive():
    """Planted: the same from round 0 on, where 1/t is no number."""
    earlier = {"a": claim("f(t) <= A(t)/t", first=1)}
    prove(claim("f(t) <= 2*A(t)/t", first=1), cite("a"), earlier=earlier)
    with refused("may vanish"):
        prove(claim("f(t) <= 2*A(t)/t"), cite("a"), earlier=earlier)
    with refused("which may vanish"):
        prove(claim("f(t) <= A(t)/(t - 1)", first=1), cite("a"), earlier=earlier)


def test_sums_over_all_rounds_begin_where_1_over_t_is_no_number():
    over = replace(cite("a"), over="t")
    with refused("may vanish"):
        prove(claim("0 <= Sum_t(A(t)/t)", first=1))
    with refused("from 0 on"):
        prove(claim("0 <= x/t", first=1), cite("a"), earlier=about("0 <= Sum_t(A(t))"))
    with refused("from 0 on"):
        prove(claim("0 <= x", first=1), over, earlier=about("0 <= A(t)"))


def test_an_induction_from_1_on_has_its_start_at_1():
    base = [cite("b")]
    grow = cite("a", "1"), hypothesis("t/(t + 1)")
    earlier = about("A(t + 1) <= t/(t + 1)*A(t)", "A(1) <= x")
    rate = claim("A(t) <= x/t", first=1)
    whole = {"rule": "induction", "variable": "t", "earlier": earlier}
    prove(rate, *grow, base=base, **whole)
    with refused():
        prove(claim("A(t) <= x/(2*t)", first=1), *grow, base=base, **whole)


def test_a_hypothesis_belongs_to_an_induction():
    with refused("hypothesis"):
        prove(claim("f(t) <= A(t)"), hypothesis())


def test_citations():
    with refused("no earlier step"):
        prove(claim("f(t) <= A(t)"), cite("tested"))
    with refused():  # a cited step that is malformed
        prove(claim("0 <= 0"), cite("a"), earlier={"a": Statement("1", "<", "0")})
    with refused():
        prove(claim("0 <= 0"), cite("a"), earlier={"a": claim("0 <= 0", first=-3)})
