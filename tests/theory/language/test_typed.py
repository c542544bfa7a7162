"""Formulas as they are typed: what is read, exactly, and what is refused, with the nearest name."""

from fractions import Fraction

import pytest
import sympy as sp
from each import each
from hypothesis import given
from hypothesis import strategies as st

from fedbounds.errors import FedboundsError
from fedbounds.theory.checker.names import identifier
from fedbounds.theory.language import symbols as s
from fedbounds.theory.language.symbols import (
    D_W,
    SHARED,
    Max_t,
    Mean_t,
    Min_to,
    Prod_to,
    Sum_t,
    T,
    eta,
    sigma2,
    t,
)
from fedbounds.theory.language.typed import as_text, condition_of, expression, names_of, relation

NAMES = names_of(SHARED)


def read(text):
    return expression(text, NAMES)


def test_every_shared_constant_has_a_name_of_its_own_that_can_be_typed():
    shared = list(SHARED.constants)
    typed = {identifier(name) for name in shared}
    assert len(typed) == len(shared)
    assert all(name.isidentifier() for name in typed)
    for name in shared:
        assert read(identifier(name)) is SHARED.constants[name]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1/(4*L*K)", 1 / (4 * s.L * s.K)),
        ("-eta*mu + +m", -s.eta * s.mu + s.m),
        ("2 - 3 - 4", sp.Integer(-5)),
        ("2*3/4/5", sp.Rational(3, 10)),
        ("2**3**2", sp.Integer(512)),
        ("-2**2", sp.Integer(-4)),
        ("(1 - eta*mu)**t", (1 - s.eta * s.mu) ** t),
        ("L**(1/2)", sp.sqrt(s.L)),
        ("sqrt(L*mu)", sp.sqrt(s.L * s.mu)),
        ("min(L, mu, 1)", sp.Min(s.L, s.mu, 1)),
        ("max(eta, 2)", sp.Max(s.eta, 2)),
        ("D_W(t + 1) - D_W(t)", s.D_W(t + 1) - s.D_W(t)),
        ("f(T) + f(0)", s.f(T) + s.f(0)),
        ("Mean_t(G_u(t))/T", Mean_t(s.G_u(t)) / T),
        ("Sum_t(f(t + 1))", Sum_t(s.f(t + 1))),
        ("Max_t(f(t))", Max_t(s.f(t))),
        ("Prod_to(1 - eta*f(t))", Prod_to(1 - s.eta * s.f(t))),
        ("Min_to(f(t))", Min_to(s.f(t))),
        ("sigma2 + b2", SHARED.constants["sigma^2"] + SHARED.constants["b^2"]),
        ("  1 +\n 2  ", None),
    ],
)
def test_formulas_are_what_sympy_would_have(text, expected):
    if expected is None:  # a line break outside brackets is no formula
        with pytest.raises(FedboundsError, match="cannot be read"):
            read(text)
    else:
        assert read(text) == expected


@given(st.decimals(min_value=-1000, max_value=1000, allow_nan=False, places=6))
def test_decimals_are_exact(number):
    found = read(f"{number:f}")
    assert Fraction(int(found.p), int(found.q)) == Fraction(number)


@given(st.fractions(), st.fractions(), st.sampled_from("+-*"))
def test_arithmetic_is_exact(a, b, sign):
    found = read(f"({a}) {sign} ({b})")
    expected = {"+": a + b, "-": a - b, "*": a * b}[sign]
    assert Fraction(int(found.p), int(found.q)) == expected


names = st.sampled_from(["eta", "L", "mu", "m", "n", "D_W(t)", "f(0)", "2", "1/3", "t"])
formulas = st.recursive(
    names,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+-*"), inner).map(lambda x: f"({x[0]} {x[1]} {x[2]})"),
        inner.map(lambda x: f"sqrt({x})"),
        inner.map(lambda x: f"({x})**2"),
    ),
    max_leaves=6,
)


@given(formulas)
def test_reading_agrees_with_sympys_own_parser(text):
    """SymPy evaluates what it parses, so it is an oracle here and never in the package."""
    space = {"D_W": s.D_W, "f": s.f, "t": t} | {
        x: SHARED.constants[x] for x in ("eta", "L", "mu", "m", "n")
    }
    assert read(text) == sp.parse_expr(text, local_dict=space)


@each(
    "text, told",
    [
        ("D_X(t)", "unknown name 'D_X'; the nearest are D_W"),
        ("etaa", "unknown name 'etaa'; the nearest are eta"),
        ("D_W", "D_W is measured per round; write D_W(t)"),
        ("eta(0)", "eta is a constant; it has no argument"),
        ("D_W(t, 1)", "2 arguments; expected one"),
        ("D_W(t*t)", "expected a round"),
        ("D_W(t/2)", "expected a round"),
        ("D_W(m)", "expected a round"),
        ("D_W(t=0)", "is not part of a formula"),
        ("eta^2", "write x**2 for a power"),
        ("1/(n - n)", "division by zero"),
        ("eta % 2", "operator Mod"),
        ("eta // 2", "operator FloorDiv"),
        ("eta @ L", "operator MatMult"),
        ("sqrt()", "sqrt has 0 arguments"),
        ("sqrt(1, 2)", "sqrt has 2 arguments"),
        ("min()", "min has 0 arguments"),
        ("Mean_t(f(t), 1)", "expected one"),
        ("True", "True is no number"),
        ("'a'", "'a' is no number"),
        ("None", "None is no number"),
        ("1j", "1j is no number"),
        ("...", "not a decimal number"),
        ("0x10", "not a decimal number"),
        ("1e999", "not a decimal number of moderate size"),
        ("1e-999", "not a decimal number of moderate size"),
        ("1" * 2500, "2500 characters"),
        ("2**100", "the power 100 is above 64"),
        ("2**mu", "neither a number nor whole in t, T and counts"),
        ("2**(t/2)", "neither a number nor whole in t, T and counts"),
        ("2**D_W(0)", "neither a number nor whole in t, T and counts"),
        ("2**Mean_t(t)", "neither a number nor whole in t, T and counts"),
        ("2**sqrt(t)", "neither a number nor whole in t, T and counts"),
        ("eta.real", "is not part of a formula"),
        ("eta[0]", "is not part of a formula"),
        ("[eta]", "is not part of a formula"),
        ("lambda: 1", "is not part of a formula"),
        ("eta if L else mu", "is not part of a formula"),
        ("eta and L", "is not part of a formula"),
        ("not eta", "is not part of a formula"),
        ("(x := 1)", "is not part of a formula"),
        ("f'{eta}'", "is not part of a formula"),
        ("__import__('os').system('true')", "is not part of a formula"),
        ("__import__('os')", "unknown name '__import__'"),
        ("(lambda: 1)()", "is not part of a formula"),
        ("1 +", "cannot be read"),
        ("", "cannot be read"),
        ("(" * 300 + ")" * 300, "cannot be read"),
    ],
)
def test_anything_else_is_refused(text, told):
    with pytest.raises(FedboundsError) as caught:
        read(text)
    assert told in str(caught.value), str(caught.value)


def test_nothing_is_evaluated(tmp_path):
    path = tmp_path / "made"
    for text in (f"open({str(path)!r}, 'w')", f"exec('open({str(path)!r}, \"w\")')"):
        with pytest.raises(FedboundsError):
            read(text)
    assert not path.exists()


@pytest.mark.parametrize("sign", ["<=", ">=", "=="])
def test_relations_keep_their_sides(sign):
    found = relation(f"eta {sign} 1/L", NAMES)
    assert (found.left, found.relation, found.right) == (s.eta, sign, 1 / s.L)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("eta", "no single relation"),
        ("eta <= L <= mu", "no single relation"),
        ("eta != L", "expected <=, >=, ==, < or >"),
        ("eta in L", "expected <=, >=, ==, < or >"),
        ("eta = L", "cannot be read"),
        ("eta <= nothing", "unknown name 'nothing'"),
    ],
)
def test_what_is_no_relation_is_refused(text, told):
    with pytest.raises(FedboundsError, match=told):
        relation(text, NAMES)


def test_a_relation_of_sympy_is_read_as_its_text():
    names = NAMES
    for formula, text in (
        (D_W(t + 1) <= D_W(t) + eta**2 * sigma2, "D_W(t+1) <= D_W(t) + eta**2*sigma2"),
        (sp.Eq(Mean_t(D_W(t)), sp.Max(D_W(0), D_W(T))), "Mean_t(D_W(t)) == max(D_W(0), D_W(T))"),
    ):
        assert condition_of(relation(as_text(formula), names)) == condition_of(
            relation(text, names)
        )
    with pytest.raises(FedboundsError, match=r"Eq\(left, right\)"):
        as_text(D_W(0) == 3)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("(((9**64)**64)**64)**64", "above 64"),
        ("(((L**2)**8)**4)**2", "above 64"),
        ("9**(9**9*T)", "above 64"),
        ("9**(T**3)", "degree above 2"),
        ("(9**64)**(T*65)", "above 64"),
        ("0**(-1)", "no real number"),
        ("(mu - mu)**(-3)", "no real number"),
        ("sqrt(-1)", "no real number"),
        ("sqrt(0 - 4)*L", "no real number"),
        ("(0 - 8)**(1/3)", "no real number"),
        ("1/(mu - mu)", "division by zero"),
    ],
)
def test_what_is_too_large_or_no_real_number_is_refused_where_it_is_read(text, told):
    with pytest.raises(FedboundsError, match=told):
        read(text)


@pytest.mark.parametrize(
    ("text", "checked"),
    [
        ("D_W(t + 1) <= -L**2", ("D_W(t + 1)", "-((L)**(2))")),
        ("b2/b2 >= min(0.5, L)", ("(b2)/(b2)", "Min((1/2), L)")),
        ("2**3**2 == Mean_t(D_W(t))", ("(2)**((3)**(2))", "Mean_t(D_W(t))")),
    ],
)
def test_the_checker_reads_what_was_typed(text, checked):
    found = relation(text, NAMES)
    assert (found.left_text, found.right_text) == checked


@pytest.mark.parametrize(
    ("text", "divisors"),
    [
        ("b2/b2 <= 1", ["b^2"]),
        ("1 <= (m - 1)**(-2)", ["m - 1"]),
        ("1/L <= D_W(t)/eta", []),  # positive
        ("1/(t + 1) <= D_W(0)/(L - mu)", ["L - mu"]),
    ],
)
def test_what_is_divided_by_and_may_be_zero_is_told(text, divisors):
    found = relation(text, NAMES).divisors
    assert [str(one).replace("-mu + L", "L - mu") for one in found] == divisors
