"""Verdicts on bound against bound: rows re-computed from a second typing of the tables."""

import json
from dataclasses import replace
from fractions import Fraction
from functools import cache
from math import isclose, sqrt

import numpy as np
import pytest
import sympy as sp
from each import each

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.orders import Pair, Ray, Word
from fedbounds.theory.language.regions import Sense
from fedbounds.theory.language.symbols import K, T, m, n, variance_u, variance_v
from fedbounds.theory.personalization.comparisons import CLAIMS, EQUATION_47, REMARK_310, TABLE_3
from fedbounds.verify.judge.compare_bounds import as_rows, judge_comparison, parameters, walk
from fedbounds.vocabulary import Kind, Verdict


@cache
def rows_of(claim):
    return as_rows(claim)


def third(x):
    return np.cbrt(x)


# typed from the sheet a second time: u, v, b for sigma_u^2, sigma_v^2, b^2
def fedavg_p(n, m, K, T, u, v, b):
    return np.sqrt(u / m + m * v / n + (n - m) / (m * n) * K * b) / np.sqrt(K * T) + 1 / T


def fedsim(n, m, K, T, u, v, b):
    drift = third((b + u + v) * (K - 1) / (K * T**2))
    return np.sqrt(u + m * v / n + (n - m) / n * b) / np.sqrt(T) + drift + 1 / T


def fedalt(n, m, K, T, u, v, b):
    drift = third((b + u + m * v / n) * (K - 1) / (K * T**2))
    return np.sqrt(u + m * v / n + (n - m) / n * b) / np.sqrt(T) + drift + 1 / T


# as the text prints them: a constant for the root of KT; FedSim's minus left out
def fedavg_p_printed(n, m, K, T, u, v, b):
    return np.sqrt(u / m + m * v / n + (n - m) / (m * n) * K * b + 1 / T)


def fedsim_printed(n, m, K, T, u, v, b):
    drift = third((b + u + v) * (K - 1) / (K * T**2))
    return np.sqrt(u + m * v / n) / np.sqrt(T) + (n - m) / n * b + drift + 1 / T


def sampled(n, m, K, T, u, v, b):
    return np.sqrt(u + K * (n - m) / n * b) / np.sqrt(m * K * T) + 1 / T


def sampled_12(n, m, K, T, u, v, b):
    return sampled(n, m, K, T, u, v, b) + third(b / T**2)


def sampled_24(n, m, K, T, u, v, b):
    return (u + K * (n - m) / n * b) / np.sqrt(m * K * T) + (K * b + u + 1) / T


def full(n, m, K, T, u, v, b):
    return np.sqrt(u / (n * K * T)) + 1 / T


def full_25(n, m, K, T, u, v, b):
    return np.sqrt(u / (n * K * T)) + b * n * K / T


def full_12(n, m, K, T, u, v, b):
    return np.sqrt(u / (n * K * T)) + third(b / T**2) + 1 / T


def full_24(n, m, K, T, u, v, b):
    return u / np.sqrt(n * K * T) + (K * b + u + 1) / T


def scaffold(n, m, K, T, u, v, b):
    return np.sqrt(u / (m * K * T)) + np.maximum(1.0, n ** (2 / 3) / m) / T


def scaffold_before(n, m, K, T, u, v, b):
    return np.sqrt(u / (m * K * T)) + (n / m) ** (2 / 3) / T


TYPED = {
    "personalization/rem-3.10": [(fedavg_p, fedsim), (fedavg_p, fedalt)],
    # each in a reading of its own, after the two senses
    "rows as printed": [
        (fedavg_p_printed, fedsim),
        (fedavg_p_printed, fedalt),
        (fedavg_p, fedsim_printed),
    ],
    "personalization/table-3-claim": [
        (sampled, sampled_12),
        (sampled, sampled_24),
        (full, full_25),
        (full, full_12),
        (full, full_24),
    ],
    "personalization/eq-4.7": [(scaffold, scaffold_before)],
}


@cache
def judged(claim_id):
    (found,) = (claim for claim in CLAIMS if claim.entry.id == claim_id)
    return judge_comparison(found)


def typed_of(claim):
    """Both sides of everything that a claim compares, in the order in which it is judged."""
    plain = TYPED[claim.entry.id] * len(claim.senses)
    return plain + (TYPED["rows as printed"] if any(p.reading for p in claim.pairs) else [])


@cache
def compared():
    """Every comparison that is judged, with its two bounds as they are typed here."""
    return [
        row for claim in CLAIMS for row in zip(judged(claim.entry.id), typed_of(claim), strict=True)
    ]


every_row = each("found, typed", compared, lambda row: f"{row[0].pair}, {row[0].reading}")
every_claim = pytest.mark.parametrize("claim", CLAIMS, ids=lambda c: c.entry.id)


def values(found) -> dict[str, float]:
    given = {"n": 1, "m": 1, "K": 1, "T": 1, "sigma_u^2": 1, "sigma_v^2": 1, "b^2": 1}
    given |= {x: float(v) for x, v in found.parameters}
    return dict(zip(("n", "m", "K", "T", "u", "v", "b"), given.values(), strict=True))


def points(rng, size=200_000):
    """Admissible parameters of many magnitudes, m = n and K = 1 among them."""
    m, K = (np.floor(10 ** rng.uniform(0, 9, size)) for _ in range(2))
    n = m + np.floor(10 ** rng.uniform(0, 9, size)) - rng.integers(0, 2, size)
    T = np.floor(10 ** rng.uniform(0, 12, size))
    u, v, b = (10 ** rng.uniform(-8, 8, size) for _ in range(3))
    return n, m, K, T, u, v, b


def test_every_comparison_claimed_is_here():
    assert {claim.entry.id for claim in CLAIMS} == set(TYPED) - {"rows as printed"}
    assert all(claim.entry.kind is Kind.COMPARISON for claim in CLAIMS)
    assert all(len(claim.senses) == 2 for claim in CLAIMS)


@every_row
def test_verdict_and_word_are_those_of_the_largest_ratios(found, typed):
    ours, theirs = typed
    given = points(np.random.default_rng(5))
    if found.reading != Sense.ROUNDS:
        ratio = ours(*given) / theirs(*given)
        larger, smaller = np.max(ratio) > 30, np.max(1 / ratio) > 30
    else:  # T grows, beside every way in which variances, n - m and K - 1 vanish
        n, m, K, _, u, v, b = (x[:4000] for x in points(np.random.default_rng(6)))
        # of moderate size, so that T = 1e40 is far beyond all of them
        n, m, K, u, v, b = (
            n % 7 + 4,
            m % 4 + 1,
            K % 3 + 1,
            *(np.minimum(x, 2) + 1 for x in (u, v, b)),
        )
        index = np.arange(len(n))
        u, v, n = u * (index & 1), v * (index >> 1 & 1), np.where(index & 4, m, n)
        ratios = [ours(n, m, K, T, u, v, b) / theirs(n, m, K, T, u, v, b) for T in (1e40, 1e80)]
        change = ratios[1] / ratios[0]
        larger, smaller = np.max(change) > 30, np.max(1 / change) > 30
    assert (found.verdict is Verdict.VIOLATED) == larger
    assert (
        found.word
        is {
            (False, False): Word.SAME_ORDER,
            (False, True): Word.DOMINATES,
            (True, False): Word.DOMINATED,
            (True, True): Word.INCOMPARABLE,
        }[bool(larger), bool(smaller)]
    )


@every_row
def test_points_are_admissible_and_show_what_they_should(found, typed):
    ours, theirs = typed
    assert (found.worse is not None) == (found.verdict is Verdict.VIOLATED)
    for side, sign in ((found.worse, 1), (found.better, -1)):
        if side is None:
            continue
        assert side.grows
        assert len(side.points) == 3
        for point in side.points:
            exact = dict(point.parameters)
            counts = [exact[x] for x in ("n", "m", "K", "T") if x in exact]
            assert all(x.denominator == 1 and x >= 1 for x in counts)
            assert exact.get("m", 1) <= exact["n"]
            assert exact.get("b^2", 1) > 0
            assert all(x >= 0 for x in exact.values())
            given = values(point)
            assert isclose(point.ours, ours(**given), rel_tol=1e-9)
            assert isclose(point.theirs, theirs(**given), rel_tol=1e-9)
            assert point.ratio == pytest.approx((point.ours / point.theirs) ** sign)
        first, *_, last = (p.ratio for p in side.points)
        assert last > 30 * first


@every_row
def test_only_T_moves_in_the_second_reading(found, typed):
    for side in (found.worse, found.better):
        if side is not None and found.reading == Sense.ROUNDS:
            assert [x for x, _ in side.ray.exponents] == ["T"]


# ---- planted errors


def verdict(claim, at: int, **change):
    """Of one pair, in both readings, after a change."""
    planted = replace(claim, pairs=(replace(claim.pairs[at], **change),))
    return {found.reading: (found.verdict, found.word) for found in judge_comparison(planted)}


def test_a_lost_last_term_changes_the_verdict():
    fedalt = REMARK_310.pairs[1]
    lost = verdict(REMARK_310, 1, theirs=fedalt.theirs - 1 / T)
    whole = verdict(REMARK_310, 1)
    assert all(lost[sense][0] is Verdict.VIOLATED for sense in Sense)
    assert all(whole[sense][0] is not lost[sense][0] for sense in Sense)


def test_clients_and_participants_exchanged_changes_the_verdict():
    (pair,) = EQUATION_47.pairs
    swapped = verdict(EQUATION_47, 0, theirs=pair.theirs.xreplace({m: n, n: m}))
    assert swapped[Sense.UNIFORM][0] is Verdict.VIOLATED
    assert verdict(EQUATION_47, 0)[Sense.UNIFORM][0] is not Verdict.VIOLATED


def test_an_exponent_halved_changes_the_verdict():
    (pair,) = EQUATION_47.pairs
    by_exponent = {
        q: verdict(EQUATION_47, 0, theirs=sp.sqrt(variance_u / (m * K * T)) + (n / m) ** q / T)
        for q in (sp.Rational(1, 3), sp.Rational(2, 3))
    }
    assert pair.theirs == sp.sqrt(variance_u / (m * K * T)) + (n / m) ** sp.Rational(2, 3) / T
    halved, whole = by_exponent.values()
    assert halved[Sense.UNIFORM] == (Verdict.VIOLATED, Word.INCOMPARABLE)
    assert halved[Sense.UNIFORM][0] is not whole[Sense.UNIFORM][0]
    root = TABLE_3.pairs[3].ours  # 1/sqrt(T) in place of 1/T
    slower = verdict(TABLE_3, 3, ours=root + sp.sqrt(1 / T))
    assert all(slower[sense][0] is Verdict.VIOLATED for sense in Sense)
    assert not any(verdict(TABLE_3, 3)[sense][0] is Verdict.VIOLATED for sense in Sense)


def test_the_two_sides_exchanged_exchanges_the_words():
    opposite = {Word.DOMINATES: Word.DOMINATED, Word.DOMINATED: Word.DOMINATES}
    for claim in CLAIMS:
        turned = replace(
            claim, pairs=tuple(Pair(p.name, p.theirs, p.ours, p.reading) for p in claim.pairs)
        )  # fmt: skip
        for found, back in zip(judged(claim.entry.id), judge_comparison(turned), strict=True):
            assert back.word is opposite.get(found.word, found.word)


# ---- plain rows


@every_claim
def test_rows_are_plain_json(claim):
    rows = rows_of(claim)
    assert json.loads(json.dumps(rows, allow_nan=False)) == rows
    assert len(rows) == len(claim.asked)
    for row, found in zip(rows, judged(claim.entry.id), strict=True):
        assert row["verdict"] == found.verdict.value
        assert (row["certificate"] is None) == (row["worse"] is not None)
        assert (row["reverse_certificate"] is None) == (row["better"] is not None)
        assert set(row["regions"].values()) <= {word.value for word in Word}


@every_claim
def test_a_certificate_as_written_is_an_identity_of_monomials(claim):
    """Parsed back without the package: monomial = product of weights / product of slacks."""

    def powers(text):
        found = {}
        for part in text.split(" ") if text != "1" else []:
            name, _, power = part.partition("^(") if not part.startswith("(") else (
                *part[1:].partition(")")[:1], "", part.partition(")^(")[2])  # fmt: skip
            found[name] = Fraction(power.rstrip(")") or 1)
        return found

    def text_of(text):
        return powers(text.replace("n - m", "r").replace("K - 1", "k"))

    for row in rows_of(claim):
        for cone in row["certificate"] or []:
            for c in cone["monomials"]:
                left, right = text_of(c["monomial"]), {}
                signed = [(c["weights"], 1), (c["slacks"], -1)]
                for terms, sign in signed:
                    for text, weight in terms.items():
                        for x, q in text_of(text).items():
                            right[x] = right.get(x, 0) + sign * q * Fraction(weight)
                assert {x: q for x, q in right.items() if q} == left
                assert sum(map(Fraction, c["weights"].values())) == 1


def test_regions_are_told_in_words():
    found = next(f for f in judged("personalization/eq-4.7") if f.reading == Sense.UNIFORM)
    assert found.better is not None
    exponents = dict(found.better.ray.exponents)
    for x, a in exponents.items():
        assert f"{x} grows like s^{a}" in found.better.region
    steps = verdict_of(1 / T, (K - 1) / T)
    assert steps.worse is not None
    assert steps.worse.region == "K = 1: the smaller bound is zero"
    assert [p.ratio for p in steps.worse.points] == [None, None, None]
    assert steps.worse.grows
    few_left_out = verdict_of((n - m) / T, sp.sqrt(n) / T)
    assert few_left_out.better is not None
    assert few_left_out.better.region.endswith("n - m stays bounded")
    # theirs/ours is large only where sqrt(m) is of order n - m
    some_left_out = verdict_of((n - m) / T + sp.sqrt(m) / T, sp.sqrt(m * (n - m)) / T)
    assert some_left_out.better is not None
    assert some_left_out.better.region == (
        "m < n, m of order n: m grows like s^4, n grows like s^4, n - m grows like s^2"
    )


def verdict_of(ours, theirs):
    return judge_comparison(replace(EQUATION_47, pairs=(Pair("planted", ours, theirs),)))[0]


def test_a_ray_with_broken_powers_has_no_rational_points():
    found = EQUATION_47.compared(EQUATION_47.pairs[0], Sense.UNIFORM).better
    assert found is not None
    broken = Ray(found.cone, tuple((x, a / 4) for x, a in found.exponents), found.gap)
    with pytest.raises(FedboundsError, match="not rational"):
        parameters(broken, 10)


def test_walk_says_when_a_ratio_does_not_grow():
    ray = EQUATION_47.compared(EQUATION_47.pairs[0], Sense.UNIFORM).better
    assert ray is not None
    (pair,) = EQUATION_47.pairs
    assert walk(ray, pair.theirs, pair.ours).grows
    assert not walk(ray, pair.ours, pair.theirs).grows
    assert not walk(ray, pair.ours, pair.ours).grows
    point = walk(ray, sp.sqrt(n), m).points[0]
    assert point.ours == pytest.approx(sqrt(dict(point.parameters)["n"]))
    with pytest.raises(FedboundsError, match="cannot evaluate"):
        walk(ray, sp.log(n), m)
    with pytest.raises(KeyError):
        walk(ray, variance_v, m)
