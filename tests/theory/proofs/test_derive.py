"""Derived bounds against runs of the recursions themselves, made of numbers."""

from dataclasses import replace
from functools import cache
from math import sqrt

import pytest
import sympy as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.registry import claim
from fedbounds.theory.language.symbols import (
    B_0,
    F_0,
    B,
    G_u,
    G_v,
    K,
    L,
    T,
    b2,
    eta_u,
    f,
    gamma,
    m,
    n,
    t,
    variance_u,
    variance_v,
)
from fedbounds.theory.personalization.proofs.derivations import ROUTES, Route, rows
from fedbounds.theory.personalization.symbols import C
from fedbounds.theory.proof.derive import Memory, derive, edges, most, total
from fedbounds.theory.proof.step_size import at_best_step, leading

THEOREMS = [route for route in ROUTES if route.claim == route.theorem]
COROLLARIES = [route for route in ROUTES if route.claim != route.theorem]
NAMES = (n, m, K, T, L, gamma, eta_u, F_0, B_0, b2, variance_u, variance_v)
QUANTITIES = {f: "f", G_u: "G_u", G_v: "G_v", B: "X", C: "X"}


def part(name):
    return claim(f"personalization/{name[0]}").part(name[1])


def named(route):
    return route.claim[0] + route.claim[1]


@cache
def compiled(expression, shift=0):
    """A formula as a function of numbers, its quantities at round t + shift."""
    plain = expression
    for quantity, word in QUANTITIES.items():
        plain = plain.subs(quantity(t + shift), sp.Symbol(word))
    assert not plain.atoms(sp.core.function.AppliedUndef)
    words = [sp.Symbol(word) for word in ("f", "G_u", "G_v", "X")]
    return sp.lambdify([*NAMES, *words], plain, "math")


def value(expression, numbers, shift=0, **quantities):
    own = {"f": 0.0, "G_u": 0.0, "G_v": 0.0, "X": 0.0} | quantities
    return compiled(expression, shift)(*(numbers[x] for x in NAMES), *own.values())


@cache
def bound(route):
    theorem = replace(route, claim=route.theorem)
    return total(rows(theorem))


def run(route, numbers, gradients):
    """The start from which f ends at 0 where all inequalities are equalities, and the mean."""
    descent, theorem = part(route.descent), part(route.theorem)
    x, lost, mean = (numbers[B_0] if route.start == B_0 else 0.0), 0.0, 0.0
    for shared, personal in gradients:
        own = {"G_u": shared, "G_v": personal}
        lost -= value(descent.right, numbers, X=x, **own)
        mean += value(theorem.left.args[0], numbers, **own) / len(gradients)
        if route.memory is not None:
            x = value(part(route.memory).right, numbers, shift=-1, X=x, **own)
    return lost, mean


positive = st.floats(0.1, 10)


@st.composite
def parameters(draw, route, at_edge=False):
    """Numbers that meet the theorem's conditions."""
    clients = draw(st.integers(1, 9))
    full = route.theorem[0] == "thm-3.11"
    numbers = {
        n: clients,
        m: clients if full else draw(st.integers(1, clients)),
        K: draw(st.integers(1, 5)),
        T: draw(st.integers(2, 12)),
        **{x: draw(positive) for x in (L, variance_u, variance_v, b2)},
        B_0: draw(positive),
        F_0: 1.0,
        eta_u: 1.0,
        gamma: 1.0,
    }
    within = 1.0 if at_edge else draw(st.floats(0.2, 1))
    limits = edges(part(route.theorem).conditions)
    numbers[gamma] = within * min(value(x, numbers) for x in limits[gamma])
    outer = [value(x, numbers) for x in limits[eta_u] if not x.has(B_0)]
    numbers[eta_u] = max(outer) * (1.0 if at_edge else draw(st.floats(1, 3)))
    gradients = draw(
        st.lists(st.tuples(positive, positive), min_size=numbers[T], max_size=numbers[T])
    )
    return numbers, gradients


@pytest.mark.parametrize("route", THEOREMS, ids=named)
def test_no_run_exceeds_the_derived_bound(route):
    @settings(max_examples=60, deadline=None)
    @given(parameters(route))
    def check(drawn):
        numbers, gradients = drawn
        start, mean = run(route, numbers, gradients)
        needed = numbers[B_0] * numbers[T] / (numbers[n] * numbers[L] * numbers[eta_u] ** 2)
        assume(start > 1e-6 and (route.start != B_0 or start >= needed))
        assert mean <= value(bound(route), numbers | {F_0: start}) * (1 + 1e-9)

    check()


def test_the_bound_is_attained_where_nothing_is_rounded():
    """Without a memory, at the largest step size, the derived constants are the least."""
    route = next(route for route in THEOREMS if route.memory is None)

    @settings(max_examples=30, deadline=None)
    @given(parameters(route, at_edge=True))
    def check(drawn):
        numbers, gradients = drawn
        start, mean = run(route, numbers, gradients)
        assert mean == pytest.approx(value(bound(route), numbers | {F_0: start}), rel=1e-9)

    check()


def test_with_a_memory_half_of_the_derived_bound_is_exceeded():
    """Gradients in the first round only, from which the memory takes all of its growth."""
    for route in (route for route in THEOREMS if route.memory is not None):
        numbers = {n: 8, m: 8 if route.start == B_0 else 4, K: 3, T: 400, L: 1.0, b2: 1.0}
        numbers |= {variance_u: 1e-3, variance_v: 1e-3, B_0: 1e-3, F_0: 1.0, eta_u: 400.0}
        limits = edges(part(route.theorem).conditions)
        numbers[gamma] = 1.0
        numbers[gamma] = min(value(x, numbers) for x in limits[gamma])
        gradients = [(1e4, 1e4), *[(0.0, 0.0)] * 399]
        start, mean = run(route, numbers, gradients)
        assert start > 0
        assert mean > value(bound(route), numbers | {F_0: start}) / 2


# ---- constants


@pytest.mark.parametrize("route", ROUTES, ids=named)
def test_what_is_stated_is_no_less_than_what_is_derived(route):
    found = rows(route)
    assert found
    assert all(0 < row.ratio <= 1 for row in found)
    stated = part(route.claim).right
    at = {x: sp.Rational(7, 3) + k for k, x in enumerate((F_0, L, b2, variance_u, variance_v))}
    at |= {n: 5, m: 5 if route.start == B_0 else 2, K: 3, T: 4, gamma: sp.Rational(1, 9), eta_u: 11}
    terms = [row.stated * row.term for row in found]
    total_ = sp.Add(*terms) if route in THEOREMS else _root_of_squares(terms)
    assert sp.N(total_.subs(at)) == pytest.approx(sp.N(stated.subs(at)))


def _root_of_squares(terms):
    """A corollary's terms: roots whose squares add up in one root, and the rest."""
    *roots, rest = terms
    return sp.sqrt(sp.Add(*(root**2 for root in roots))) + rest


def test_constants_by_hand():
    by_claim = {route.claim: rows(route) for route in ROUTES}
    # 1/2 - 5/32 = 11/32; 1/2 - 6/72 - 8/72 = 11/36
    assert {row.ratio for row in by_claim["thm-3.7", ""]} == {sp.Rational(8, 11)}
    assert [row.derived for row in by_claim["thm-4.5", ""]] == [
        sp.Rational(36, 11), sp.Rational(36 * 37, 11), sp.Rational(36 * 37, 11),
    ]  # fmt: skip
    # the stated corollary from the stated theorem: 2 sqrt(4 * 37) = 8 sqrt(37/4), 4 * 72 = 288
    theorem = part(("thm-4.5", ""))
    exact = at_best_step(theorem.right, theorem, part(("cor-4.6", "")))
    assert [row.ratio for row in exact] == [1, 1, 1]


@pytest.mark.parametrize("route", THEOREMS, ids=named)
def test_a_stated_constant_halved_is_found(route):
    theorem, descent = part(route.theorem), part(route.descent)
    memory = None if route.memory is None else Memory(part(route.memory), route.start)
    right = sp.expand(theorem.right)
    smaller = right - right.coeff(variance_u) * variance_u / 2
    found = derive(replace(theorem, right=smaller), descent, memory)
    before = derive(theorem, descent, memory)
    changed = [(a, b) for a, b in zip(before, found, strict=True) if a.ratio != b.ratio]
    assert len(changed) == 1
    ((old, new),) = changed
    assert new.ratio == 2 * old.ratio > 1
    assert new.term.has(variance_u)


def test_a_shorter_descent_leaves_less():
    route = next(route for route in THEOREMS if route.claim[0] == "thm-3.7")
    theorem, descent = part(route.theorem), part(route.descent)
    slow = descent.right + K * gamma / 4 * theorem.left.args[0]
    found = derive(theorem, replace(descent, right=slow))
    assert {row.ratio for row in found} == {sp.Rational(8, 3)}  # 1/4 - 5/32 = 3/32
    with pytest.raises(FedboundsError, match="nothing is left"):
        derive(theorem, replace(descent, right=slow + K * gamma / 4 * theorem.left.args[0]))


def test_a_memory_without_its_recursion_is_refused():
    route = next(route for route in THEOREMS if route.memory is not None)
    with pytest.raises(FedboundsError, match="that nothing bounds"):
        derive(part(route.theorem), part(route.descent))


@pytest.mark.parametrize("factor", [sp.Integer(1), sp.Integer(2), 1 + 1 / T])
def test_a_memory_that_grows_without_bound_is_refused(factor):
    route = next(route for route in THEOREMS if route.claim[0] == "thm-4.5")
    recursion = part(route.memory)
    grown = sp.expand(recursion.right)
    grown += (factor - grown.coeff(C(t - 1))) * C(t - 1)
    memory = Memory(replace(recursion, right=grown), sp.S.Zero)
    with pytest.raises(FedboundsError, match="not bounded"):
        derive(part(route.theorem), part(route.descent), memory)


def test_a_bound_on_another_mean_is_refused():
    route = next(route for route in THEOREMS if route.claim[0] == "thm-4.5")
    theorem = part(route.theorem)
    other = replace(theorem, left=theorem.left.replace(G_v, lambda r: 2 * G_v(r)))
    with pytest.raises(FedboundsError, match="no multiple"):
        derive(other, part(route.descent), Memory(part(route.memory), route.start))


@pytest.mark.parametrize(
    ("quotient", "expected"),
    [
        (K * L * gamma, sp.Rational(1, 8)),
        (K / eta_u**2, None),
        (m / eta_u**2, 1),
        (gamma**2 * L**2 * K * (K - 1), sp.Rational(1, 64)),
        (1 / gamma, None),
        (eta_u, None),
        (-L * K * gamma, None),
        (gamma**2 * L**2 * K**3 / (K - 1), None),
    ],
    ids=str,
)
def test_products_at_the_edges(quotient, expected):
    limits = {gamma: (1 / (8 * L * K),), eta_u: (sp.sqrt(m),)}
    assert most(quotient, limits) == expected


# ---- step sizes and orders


@pytest.mark.parametrize("route", COROLLARIES, ids=named)
def test_the_derived_corollary_bounds_the_derived_theorem(route):
    """At 1/(1/largest + sqrt(B/A)), in numbers."""
    at = {n: 8, m: 8 if route.start == B_0 else 3, K: 3, T: 50, L: 2, F_0: 5, b2: 1}
    at |= {variance_u: 2, variance_v: 3, B_0: 1}
    limits = edges(part(route.theorem).conditions)[gamma]
    largest = min(float(x.subs(at)) for x in limits)
    outer = edges(part(route.claim).conditions)[eta_u]
    at[eta_u] = max(float(x.subs(at)) for x in outer)
    found = sp.expand(bound(route).subs(at))
    a, b = (float(found.coeff(gamma, k)) for k in (-1, 1))
    there = float(found.subs(gamma, 1 / (1 / largest + sqrt(b / a))))
    terms = [row.derived * row.term for row in rows(route)]
    claimed = float(_root_of_squares(terms).subs(at))
    assert there <= claimed <= 2 * there


def test_the_leading_order():
    shown = {
        route.claim[0]: {str(x) for x in leading(part(route.claim).right)} for route in COROLLARIES
    }
    noise = "K^(-1/2) T^(-1/2) {} ({})^(1/2)"
    u, v = "m^(-1/2)", "m^(1/2) n^(-1/2)"
    assert shown["cor-4.6"] == {noise.format(u, "sigma_u^2"), noise.format(v, "sigma_v^2")}
    assert shown["cor-4.6"] < shown["cor-3.8"]
    (spread,) = shown["cor-3.8"] - shown["cor-4.6"]
    assert spread == "T^(-1/2) (b^2)^(1/2) m^(-1/2) n^(-1/2) (n - m)^(1/2)"
    # without noise the rest is left
    rest = part(("cor-4.6", "")).right.subs({variance_u: 0, variance_v: 0})
    assert {str(x) for x in leading(rest)} == {"T^(-1)", "T^(-1) m^(-1) n^(2/3)"}


def test_routes_name_claims():
    for route in ROUTES:
        assert isinstance(route, Route)
        for name in (route.claim, route.theorem, route.descent, route.memory):
            assert name is None or part(name)
