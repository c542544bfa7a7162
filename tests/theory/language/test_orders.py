"""Orders of rates: against numbers on random rays and points, and with errors planted."""

from dataclasses import replace
from fractions import Fraction
from itertools import product
from random import Random

import mpmath
import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.orders import Bound, Pair, Ray, Word, compare
from fedbounds.theory.language.rates import DIFFERENCES, Monomial, rate, variable
from fedbounds.theory.language.regions import Sense, cones
from fedbounds.theory.language.symbols import F_0, K, L, T, b2, m, n, variance_u, variance_v
from fedbounds.theory.personalization.comparisons import (
    CLAIMS,
    EQUATION_47,
    FEDAVG_P,
    FULL,
    REMARK_310,
    SAMPLED,
    TABLE_3,
)
from fedbounds.theory.personalization.theorems import COROLLARY_38, THEOREM_311

EVERY_PAIR = [
    pytest.param(claim, pair, sense, id=f"{pair.name}, {sense.value}")
    for claim in CLAIMS
    for pair in claim.pairs
    for sense in claim.senses
]
ROWS = {str(e): e for claim in CLAIMS for pair in claim.pairs for e in (pair.ours, pair.theirs)}
VARIANCES = (variance_u.name, variance_v.name)


def word(ours, theirs, sense=Sense.UNIFORM, vanishing=VARIANCES) -> Word:
    rates = rate(ours), rate(theirs)
    return compare(*rates, cones(rates, vanishing, sense)).word


def random_point(draw: Random) -> dict[sp.Symbol, int | Fraction]:
    """Admissible parameters, with m = n, K = 1 and zero variances among them."""
    values: dict[sp.Symbol, int | Fraction] = {m: draw.choice([1, draw.randint(1, 99)])}
    values[n] = values[m] + draw.choice([0, 1, draw.randint(1, 10**4)])
    values[K], values[T] = (draw.choice([1, draw.randint(1, 10**4)]) for _ in range(2))
    values[b2] = Fraction(draw.randint(1, 99), draw.randint(1, 99))
    for s in (variance_u, variance_v):
        values[s] = draw.choice([0, Fraction(draw.randint(1, 99), draw.randint(1, 99))])
    return values


def number(expression: sp.Expr, values: dict[sp.Symbol, int | Fraction]) -> mpmath.mpf:
    known = {s: sp.Rational(*Fraction(v).as_integer_ratio()) for s, v in values.items()}
    return mpmath.mpf(expression.subs(known).evalf(30))


def named(values: dict[sp.Symbol, int | Fraction]) -> dict[str, int | Fraction]:
    differences = {"n - m": values[n] - values[m], "K - 1": values[K] - 1}
    return {s.name: v for s, v in values.items()} | differences


def monomial_value(p: Monomial, values: dict[str, int | Fraction]) -> mpmath.mpf:
    factors = (mpmath.mpf(Fraction(values[x]).numerator) / Fraction(values[x]).denominator
               if values[x] else mpmath.mpf(0) for x, _ in p.powers)  # fmt: skip
    powers = (mpmath.mpf(q.numerator) / q.denominator for _, q in p.powers)
    return mpmath.fprod(v**q for v, q in zip(factors, powers, strict=True))


# ---- rates


@pytest.mark.parametrize("expression", ROWS.values(), ids=list(ROWS))
def test_a_rate_is_its_monomials_up_to_their_number(expression):
    found, draw = rate(expression), Random(1)
    for _ in range(20):
        values = random_point(draw)
        terms = [monomial_value(p, named(values)) for p in found.monomials]
        ratio = number(expression, values) / mpmath.fsum(terms)
        assert 1 / (len(terms) + 1e-9) <= ratio <= 1 + 1e-9


def test_differences_are_found_however_they_are_written():
    for e in (1 - m / n, (n - m) / n, n * (1 / m - 1 / n) * m / n, -(m - n) / n):
        assert rate(e).monomials == rate(1 - m / n).monomials == (
            variable("n", -1) * variable("n - m"),
        )  # fmt: skip
    assert rate(1 - 1 / K).monomials == (variable("K", -1) * variable("K - 1"),)


@pytest.mark.parametrize(
    "expression",
    [
        m - n,
        1 - K,
        n - 2 * m,
        -variance_u,
        sp.sqrt(T - 1) / K,
        1 / (m + n),
        1 / sp.sqrt(m + K),
        sp.log(T) / T,
        sp.Symbol("x") / T,
        sp.Symbol("y", real=True) ** 2,
    ],
    ids=str,
)
def test_what_is_no_sum_of_non_negative_products_is_refused(expression):
    with pytest.raises(FedboundsError):
        rate(expression)


def test_a_rate_that_is_infinite_in_a_region_is_refused():
    with pytest.raises(FedboundsError, match="infinite where"):
        word(1 / T, 1 / (variance_u * T))


# the tables against the theorems they suppress constants of


@pytest.mark.parametrize(
    ("row", "theorem"),
    [
        (FEDAVG_P.rate, COROLLARY_38.part("").right),
        (SAMPLED.rate, COROLLARY_38.part("").right.subs(variance_v, 0)),
        (FULL.rate, THEOREM_311.part("b").right.subs(variance_v, 0)),
    ],
)
def test_our_rows_are_of_the_order_of_our_theorems(row, theorem):
    assert word(row, theorem.subs({L: 1, F_0: 1})) is Word.SAME_ORDER


# ---- regions


def test_regions_hold_all_admissible_parameters():
    rates, draw = [rate(e) for e in ROWS.values()], Random(2)
    regions = cones(rates, VARIANCES, Sense.UNIFORM)
    assert len({cone.name for cone in regions}) == len(regions)
    for _ in range(500):
        values = named(random_point(draw))
        zero = {x for x, v in values.items() if v == 0}
        within = [
            cone
            for cone in regions
            if cone.zero == zero
            and all(monomial_value(g, values) >= 1 for g in cone.at_least_one)
            and all(0.5 <= monomial_value(g, values) <= 2 for g in cone.order_one)
        ]
        assert within, values


def test_only_rounds_grow_in_the_other_reading():
    for cone in cones([rate(FEDAVG_P.rate)], VARIANCES, Sense.ROUNDS):
        assert cone.contains({"T": Fraction(3)})
        assert not any(cone.contains({x: Fraction(1)}) for x in cone.variables if x != "T")
        assert not cone.contains({"T": Fraction(-1)})


# ---- comparisons


def random_ray(draw: Random) -> dict[str, int]:
    ray = {x: draw.randint(0, 4) for x in ("m", "n - m", "K - 1", "T")}
    ray |= {x.name: draw.randint(-4, 4) for x in (b2, variance_u, variance_v)}
    return ray


def on_ray(ray: dict[str, int], s: int) -> dict[sp.Symbol, Fraction]:
    """Parameters on a ray, m < n and K >= 2."""
    power = {x: Fraction(s) ** a for x, a in ray.items()}
    values = {m: power["m"], n: power["m"] + power["n - m"], K: 1 + power["K - 1"], T: power["T"]}
    return values | {x: power[x.name] for x in (b2, variance_u, variance_v)}


@pytest.mark.parametrize("expression", ROWS.values(), ids=list(ROWS))
def test_degree_is_the_slope_on_random_rays(expression):
    found, draw = rate(expression), Random(3)
    for _ in range(5):
        ray = random_ray(draw)
        near, far = (number(expression, on_ray(ray, 10**k)) for k in (30, 60))
        slope = mpmath.log10(far / near) / 30
        full = ray | {"n": max(ray["m"], ray["n - m"]), "K": ray["K - 1"]}
        degree = max(p.degree(full) for p in found.monomials)
        assert float(slope) == pytest.approx(float(degree), abs=0.05)


@pytest.mark.parametrize(("claim", "pair", "sense"), EVERY_PAIR)
def test_evidence_holds_and_covers_the_regions(claim, pair, sense):
    found = claim.compared(pair, sense)
    rates = found.ours, found.theirs
    regions = cones(rates, [s.name for s in claim.vanishing], sense)
    assert found.holds(regions)
    assert not found.holds(regions[1:])
    assert found.words[0][0] == regions[0]


@pytest.mark.parametrize(("claim", "pair"), [(c, p) for c in CLAIMS for p in c.pairs])
def test_the_largest_ratio_of_many_points_is_small_exactly_where_a_bound_is_claimed(claim, pair):
    found, draw = claim.compared(pair, Sense.UNIFORM), np.random.default_rng(4)
    size = 200_000
    counts = {x: np.floor(10 ** draw.uniform(0, 9, size)) for x in (m, n, K)}
    counts[n] += counts[m] - draw.integers(0, 2, size)  # m = n occurs
    values = [
        *(counts[x] for x in (n, m, K)),
        np.floor(10 ** draw.uniform(0, 12, size)),
        *(10 ** draw.uniform(-8, 8, size) for _ in range(3)),
    ]
    symbols = (n, m, K, T, b2, variance_u, variance_v)
    ours, theirs = (sp.lambdify(symbols, e, "numpy")(*values) for e in (pair.ours, pair.theirs))
    assert (np.max(ours / theirs) > 30) == (found.worse is not None)
    assert (np.max(theirs / ours) > 30) == (found.better is not None)
    for above, below, worst in ((ours, theirs, found.worse), (theirs, ours, found.better)):
        assert worst is not None or np.max(above / below) < 6


GRID = [Fraction(k, 2) for k in range(-2, 3)]
POWERS = st.tuples(*(st.sampled_from(GRID) for _ in range(3)))
SIDES = st.lists(POWERS, min_size=1, max_size=3)


@settings(max_examples=60, deadline=None)
@given(SIDES, SIDES)
def test_a_ray_is_found_where_a_grid_has_one_and_a_found_ray_breaks_the_bound(left, right):
    """Three variables: K, T at least one, and a variance of any size."""
    symbols = (K, T, variance_u)
    sides = [
        sp.Add(
            *(sp.Mul(*(x ** sp.Rational(q) for x, q in zip(symbols, p, strict=True))) for p in s)
        )
        for s in (left, right)
    ]
    rates = rate(sides[0]), rate(sides[1])
    (evidence,) = compare(*rates, cones(rates, (), Sense.UNIFORM)).above
    steps = (range(7), range(7), range(-6, 7))
    broken = any(
        max(sum(q * a for q, a in zip(p, ray, strict=True)) for p in left)
        > max(sum(q * a for q, a in zip(p, ray, strict=True)) for p in right)
        for ray in product(*steps)
    )
    if broken:
        assert isinstance(evidence, Ray)
    if isinstance(evidence, Ray):  # checked without the package
        ray = [dict(evidence.exponents).get(x.name, 0) for x in symbols]
        assert ray[0] >= 0
        assert ray[1] >= 0
        degrees = [
            max(sum(q * a for q, a in zip(p, ray, strict=True)) for p in s) for s in (left, right)
        ]
        assert degrees[0] > degrees[1]


def test_the_four_words():
    noise = sp.sqrt(variance_u / (K * T))
    assert word(noise + 1 / T, noise + 2 / T + noise / T) is Word.SAME_ORDER
    assert word(1 / T, noise + 1 / T) is Word.DOMINATES
    assert word(noise + 1 / T, 1 / T) is Word.DOMINATED
    assert word(noise + 1 / T, b2 / T + noise) is Word.INCOMPARABLE
    # n - m is of order n or m is: neither alone
    assert word((n - m) / T + m / T, n / T) is Word.SAME_ORDER
    assert word((n - m) / T, n / T) is Word.DOMINATES
    assert word((K - 1) / T + 1 / T, K / T) is Word.SAME_ORDER


def test_zero_on_one_side_decides():
    assert word((n - m) * b2 / T, variance_u / T, Sense.ROUNDS) is Word.INCOMPARABLE
    found = compare(*(r := (rate(1 / T), rate((K - 1) / T))), cones(r, (), Sense.ROUNDS))
    assert found.worse is not None
    assert found.worse.gap is None
    assert found.worse.cone.name == "K = 1"


# ---- planted errors


def test_planted_errors_in_the_tables_change_the_word():
    fedalt = REMARK_310.pairs[1]
    assert word(fedalt.ours, fedalt.theirs - 1 / T) is not word(fedalt.ours, fedalt.theirs)
    ours, theirs = EQUATION_47.pairs[0].ours, EQUATION_47.pairs[0].theirs
    as_printed = word(ours, theirs)
    swapped = theirs.xreplace({m: n, n: m})
    third = sp.Rational(1, 3)
    halved = theirs.subs((n / m) ** (2 * third), (n / m) ** third)
    assert halved != theirs
    for planted in (swapped, halved):
        assert word(ours, planted) is not as_printed
    drift = (b2 / T**2) ** third
    twelfth = next(p for p in TABLE_3.pairs if drift in p.theirs.args)
    assert word(twelfth.ours, twelfth.theirs - drift) is Word.SAME_ORDER
    assert word(twelfth.ours, twelfth.theirs) is not Word.SAME_ORDER
    # (1/m - 1/n) b^2 in place of (1/m - 1/n) K b^2 is a smaller rate
    smaller = FEDAVG_P.rate.subs(K * b2 * (1 / m - 1 / n), b2 * (1 / m - 1 / n))
    assert word(smaller, FEDAVG_P.rate) is Word.DOMINATES


def slack_bound():
    """Evidence that rests on weights and slacks: the one for (4.6) against (4.7)."""
    found = EQUATION_47.compared(EQUATION_47.pairs[0], Sense.UNIFORM)
    (bound, *_) = found.above
    assert isinstance(bound, Bound)
    certificate = next(c for c in bound.certificates if c.slacks)
    return found, bound, certificate


def test_a_tampered_certificate_is_refused():
    found, bound, good = slack_bound()

    def check(certificate):
        return certificate.holds(found.theirs, bound.cone)

    assert check(good)
    (weight, *_), (slack, *_) = good.weights, good.slacks
    half = Fraction(1, 2)
    for bad in (
        replace(good, slacks=()),
        replace(good, slacks=((slack[0], slack[1] + 1),)),
        replace(good, weights=()),
        replace(good, weights=((weight[0], half),)),
        replace(good, weights=((weight[0], half), (weight[0], half + 1))),
        replace(good, monomial=good.monomial * variable("n", half)),
        # an identity of monomials, with one that is not of the right side
        replace(good, weights=((good.monomial, Fraction(1)),), slacks=()),
        # an identity, with a monomial that the cone does not bound
        replace(good, slacks=((slack[0] ** slack[1], Fraction(1)),)),
        # an identity, with a negative weight
        replace(good, weights=((weight[0], weight[1] + 1), (weight[0], Fraction(-1)))),
        # an identity, with a bound used the wrong way round
        replace(good, slacks=((slack[0], slack[1] + 1), (slack[0], Fraction(-1)))),
    ):
        assert not check(bad)
        assert not replace(bound, certificates=(bad,)).holds(found.ours, found.theirs)
    one_short = replace(bound, certificates=bound.certificates[1:])
    assert not one_short.holds(found.ours, found.theirs)


def test_a_tampered_ray_is_refused():
    found = EQUATION_47.compared(EQUATION_47.pairs[0], Sense.UNIFORM)
    good = found.better
    assert good is not None
    assert good.gap is not None

    def check(ray):
        return ray.holds(found.theirs, found.ours)

    assert check(good)
    for bad in (
        replace(good, gap=good.gap + 1),
        replace(good, gap=None),
        replace(good, exponents=()),
        replace(good, exponents=(("n", Fraction(-9)), ("m", Fraction(-6)))),
        replace(good, exponents=(("m", Fraction(9)), ("n", Fraction(6)))),
        replace(good, exponents=(*good.exponents, ("T", Fraction(-1)))),
        replace(good, exponents=(*good.exponents, ("x", Fraction(1)))),
    ):
        assert not check(bad)
    assert not good.holds(found.ours, found.theirs)


def test_what_the_solver_finds_is_not_trusted(monkeypatch):
    """A solver whose answers are a little off decides nothing."""
    from fedbounds.theory.language import orders

    exact = orders._solve

    def off(*args, **named):
        found = exact(*args, **named)
        return found and [x + Fraction(1, 7) for x in found]

    monkeypatch.setattr(orders, "_solve", off)
    pair = EQUATION_47.pairs[0]
    with pytest.raises(ArithmeticError):
        EQUATION_47.compared(Pair("", pair.ours, pair.theirs), Sense.UNIFORM)


def test_the_names_of_differences_are_their_formulas():
    for name, difference in DIFFERENCES.items():
        assert sp.sympify(name, locals={s.name: s for s in (n, m, K)}) == difference
