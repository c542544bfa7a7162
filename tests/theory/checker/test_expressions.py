"""Text is read as Python reads it, or refused."""

from dataclasses import replace
from fractions import Fraction

import pytest
from checker_theory import THEORY, branches_of, rational_root, slacks, value_at
from each import each
from hypothesis import assume, given
from hypothesis import strategies as st

from fedbounds.theory.checker.errors import Refused
from fedbounds.theory.checker.expressions import NewVariable

names = st.sampled_from(["n", "m", "K", "x", "y", "s"])
leaves = st.one_of(names, st.integers(0, 5).map(str))


def _joined(inner):
    return st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*", "/"]), inner).map(lambda p: f"({''.join(p)})"),
        inner.map(lambda x: f"(-{x})"),
        st.tuples(inner, st.integers(-2, 3)).map(lambda p: f"{p[0]}**({p[1]})"),
        inner.map(lambda x: f"sqrt(({x})**2)"),
        st.tuples(inner, inner).map(lambda p: f"Max({p[0]}, {p[1]})"),
        st.tuples(inner, inner).map(lambda p: f"Min({p[0]}, {p[1]})"),
    )  # fmt: skip


texts = st.recursive(leaves, _joined, max_leaves=8)
counts = st.integers(1, 6)
positive = st.fractions(Fraction(1, 5), 5, max_denominator=5)
parameters = st.fixed_dictionaries(
    {"n": counts, "m": counts, "K": counts, "T": counts, "x": positive, "y": positive}
    | {"s": st.one_of(st.just(Fraction(0)), positive)}
)


@given(texts, parameters)
def test_what_is_read_has_the_value_that_python_gives_it(text, values):
    (branch,) = branches_of()
    try:
        ratio = branch.reader.ratio(text)
    except Refused:
        assume(False)
    numbers = {name: Fraction(value) for name, value in values.items()}
    functions = {
        "sqrt": lambda x: rational_root(x, 2),
        "Max": max,
        "Min": min,
        "Fraction": Fraction,
    }
    expected = eval(text, functions | numbers)
    if isinstance(expected, float):  # an integer to a negative power
        assert abs(float(value_at(ratio, slacks(branch, values))) - expected) < 1e-9
    else:
        assert value_at(ratio, slacks(branch, values)) == expected


def read(text, powers=None, **more):
    (branch,) = branches_of(powers=powers, **more)
    return branch.reader.read(text)


@given(st.integers(1, 4), st.integers(0, 4), st.integers(2, 5), parameters)
def test_symbolic_powers_and_geometric_sums(times, shift, base, values):
    (branch,) = branches_of(powers={f"(({base}) / (1))**((1*K_) / (1))": True})
    point = slacks(branch, values)
    point[f"(({base}) / (1))**((1*K_) / (1))"] = Fraction(base) ** (values["K"] - 1)
    number = values["K"]
    power = branch.reader.ratio(f"{times}*{base}**(K + {shift})")
    assert value_at(power, point) == times * base ** (number + shift)
    total = branch.reader.ratio(f"Sum({base}**r, (r, 0, K - 1))")
    assert value_at(total, point) == sum(base**r for r in range(number))


def test_whole_powers_of_what_may_be_zero():
    """0**0 is 1: x**(T + 2) is x**T x**2 there too, and may be 0."""
    name = "((1*s) / (1))**((1*T_) / (1))"  # T is T_ + 1
    (branch,) = branches_of(powers={name: False})
    power, more = (branch.reader.ratio(text) for text in ("s**T", "s**(T + 2)"))
    assert power.nonnegative()
    assert not power.positive()
    assert (more - power * branch.reader.ratio("s**2")).is_zero()
    with pytest.raises(NewVariable) as asked:
        read("s**(K + T)")
    assert not asked.value.positive


@pytest.mark.parametrize(("text", "sign"), [("Max(x, y)", True), ("Max(x - y, s)", False),
                                            ("Min(x, y, K)", True), ("Min(s, x)", False),
                                            ("Max(s - 1, x)", True)])  # fmt: skip
def test_an_extreme_of_what_does_not_compare_has_a_sign_only(text, sign):
    (branch,) = branches_of()
    reader = replace(branch.reader, open_extremes=True)
    with pytest.raises(NewVariable) as asked:
        reader.read(text)
    assert asked.value.positive is sign


@pytest.mark.parametrize("text", ["Max(x - 9, y - 9)", "Min(x - 9, y)", "Min(s - 1, K)"])
def test_an_extreme_without_a_sign_is_refused(text):
    (branch,) = branches_of()
    with pytest.raises(Refused, match="which is larger"):
        replace(branch.reader, open_extremes=True).read(text)


def test_what_compares_is_left_out_of_an_extreme():
    (branch,) = branches_of()
    reader = replace(branch.reader, open_extremes=True)
    assert (reader.ratio("Max(x, 2*x)") - reader.ratio("2*x")).is_zero()
    with pytest.raises(NewVariable) as asked:
        reader.read("Max(x, y, 2*x)")
    assert asked.value.name == "Max((1*y) / (1), (2*x) / (1))"


def test_a_power_asks_for_its_variable():
    (branch,) = branches_of()
    with pytest.raises(NewVariable, match="x"):
        branch.reader.read("x**T")
    with pytest.raises(NewVariable, match="sqrt"):
        branch.reader.read("sqrt(x + y)")


def test_a_root_that_is_not_known_has_a_sign_only():
    roots = {"sqrt((1*x + 1*s) / (1))": True, "sqrt((1*s) / (1))": False}
    (branch,) = branches_of(powers=roots)
    positive, perhaps = (branch.reader.ratio(f"sqrt({text})") for text in ("x + s", "s"))
    assert positive.positive()
    assert perhaps.nonnegative()
    assert not perhaps.positive()
    assert positive.has("s")
    assert not (positive - perhaps).nonnegative()
    (wrong,) = branches_of(powers=dict.fromkeys(roots, True))
    with pytest.raises(Refused, match="one branch only"):
        wrong.reader.ratio("sqrt(s)")


@each("text", [
        "1.5", "True", "'a'", "x if y else s", "x < y", "x // y", "x % y", "~n", "+x", "[x]", "x.y",
        "lambda: x", "x[0]", "(x, y)", "x(y)", "unknown", "unknown(t)", "f", "f(x**2)", "f(2*t)",
        "f(nobody)", "sqrt(-x)", "sqrt(x - y)", "1/sqrt(s)", "sqrt(x, y)", "Max()", "Max(x, y)", "f(t)*f(t)", "1/f(t)", "x**f(t)",
        "1/s", "1/(n - 1)", "(n - 1)/(n - 1)", "s**(-1)", "s**(T - 2)", "s**(-T)", "s**(T/2)", "s**(T*x)", "s**(T - K)", "(x - 1)**T", "x**(T/2)",
        "x**(1/T)", "2**(1/2)", "sqrt((x - y)**2)", "Sum(x**r, (r, 1, K))", "Sum(1**r, (r, 0, K))",
        "Sum(r**r, (r, 0, K))", "Sum(2**r, (r, 0, K - 3))", "Sum(r, (r, 0, K))", "sq(u)", "ip(u, v)",
        "Sum_t(f(t), f(t))", "Sum_t(t)", "Sum_t(2**t)", "Sum_ik(k)", "Sum_ik(h(t, k + 1))",
        "Max(x, y, evaluate=False)", "f(t) f(t)", "x)*(y", "",
    ])  # fmt: skip
def test_what_cannot_be_read_is_refused(text):
    bases, exponents = ("1", "2", "1*x"), ("1*t", "1*K_")
    powers = {f"(({b}) / (1))**(({e}) / (1))": True for b in bases for e in exponents}
    powers["sqrt((1*s) / (1))"] = False
    with pytest.raises(Refused):
        read(text, powers)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Sum_i(2*g(t))", "2*Sum_i(g(t))"),
        ("Sum_i(3)", "3*n"),
        ("Sum_i(-g(t))", "-Sum_i(g(t))"),
        ("Sum_ik(h(t, k) + g(t))", "Sum_ik(h(t, k)) + K*Sum_i(g(t))"),
        ("Sum_ik(f(t))", "n*K*f(t)"),
        ("Sum_t(f(t + 1))", "Sum_t(f(t)) - f(0) + f(T)"),
        ("Mean_t(f(t) + x)", "Sum_t(f(t))/T + x"),
        ("Sum_t(Sum_t(f(t)))", "T*Sum_t(f(t))"),
        ("f(t + 1 - 1)", "f(t)"),
    ],
)
def test_sums_are_linear(left, right):
    assert not read(f"{left} - ({right})").terms


def test_quantities_of_different_places_are_told_apart():
    for left, right in (
        ("f(t)", "f(t + 1)"),
        ("f(t)", "A(t)"),
        ("f(0)", "f(T)"),
        ("Sum_i(g(t))", "Sum_t(g(t))"),
        ("Sum_i(g(t))", "Sum_i(2*g(t))"),
    ):
        assert read(f"{left} - {right}").terms


def test_a_bound_index_is_not_shifted_with_the_free_one():
    (branch,) = branches_of()
    later = replace(branch.reader, index={"t": {"t": 1, "": 1}, "k": {"k": 1, "": 1}})
    same = branch.reader
    for moved, here in (
        ("Sum_t(f(t))", "Sum_t(f(t))"),
        ("Sum_t(k*f(t))", "(k + 1)*Sum_t(f(t))"),  # k is free in it
        ("Sum_ik(h(t, k))", "Sum_ik(h(t + 1, k))"),
        ("Sum_i(g(t))", "Sum_i(g(t + 1))"),
        ("t*f(t) + k", "(t + 1)*f(t + 1) + k + 1"),
        ("h(t, k)", "h(t + 1, k + 1)"),
    ):
        assert not (later.read(moved) - same.read(here)).terms


def test_a_statement_names_no_slack_and_no_vector_without_a_scope():
    (branch,) = branches_of(scope=THEORY.scopes["twice"])
    assert branch.reader.read("sq(u) + n_").terms
    plain, vectors = (branch.reader.stating(vectors=flag) for flag in (False, True))
    assert vectors.read("sq(u) + n").terms
    for reader, text in (
        (plain, "sq(u)"),
        (plain, "n_"),
        (vectors, "n_*sq(u)"),
        (vectors, "sq(n_*u)"),
    ):
        with pytest.raises(Refused):
            reader.read(text)
