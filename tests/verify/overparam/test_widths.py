"""Widths against numbers: what displays ask for, from R and B as printed, over that of theorems."""

from dataclasses import replace
from math import exp, log, sqrt
from random import Random

import pytest
from each import each

from fedbounds.theory.language.orders import Word
from fedbounds.theory.language.regions import Sense
from fedbounds.theory.overparam.widths import LINEAR, RELU
from fedbounds.verify.judge.compare_bounds import judge_comparison
from fedbounds.vocabulary import Verdict

# ---- Theorem IV.2, number by number; constants that O and Omega hide are 1


def data(random):
    """Squared singular values of X, and the other numbers that the widths name."""
    r = random.randint(1, 6)
    values = [exp(random.uniform(-6, 6)) for _ in range(r)]
    return {
        "values": values, "r": r, "N": random.choice((1, 2, 20)), "d": random.choice((1, 3, 10)),
        "L": random.choice((1, 2, 5, 30)), "delta": exp(-random.uniform(0.1, 40)),
        "W2": random.choice((0.0, exp(random.uniform(-6, 6)))),
    }  # fmt: skip


def asked_for(a):
    """The width that each display asks for."""
    most, least, every = max(a["values"]), min(a["values"]), sum(a["values"])
    kappa, L, N, d = most / least, a["L"], a["N"], a["d"]
    B = max(1, log(a["r"] / a["delta"]) / d, a["W2"]) * every
    R = 25 * sqrt(B * d) * N**2 * sqrt(most) / (L * least)
    own = 24 * sqrt(d) * sqrt(most) / (L * least) * sqrt(2 * B)
    others = max(
        a["r"] * kappa**3 * d * (1 + a["W2"]), a["r"] * kappa**3 * log(a["r"] / a["delta"])
    )
    return {
        "(22)": (L**1.5 * R * kappa * sqrt(N)) ** 2,
        "(23)": L**3 * R**2 * kappa**3 * N,
        "(24)": L**3 * R**2 * kappa**2 * N,
        "Lemma A.5": L**3 * R**2 * kappa**3 * N,
        "(41) and (42), R of hypothesis C": L**3 * R**2 * kappa**2 * N,
        "(41) and (42), R of (39)": L**3 * own**2 * kappa**2 * N,
        "fourth term, (b)": L * d / (kappa**2 * most) * 2 * B,
        "fourth term, (c)": L * d / most * 2 * B,
        "Lemma A.1, first": L * most**2 * d * B / least**3,
        "Lemma A.1, second": L * kappa**2 * d * B / least,
        "Lemma A.6": L * max(others, log(L)),
        "Lemma A.1, with its own B": L * kappa**2 * d / least * sqrt(B / every) * sqrt(every),
    }  # fmt: skip


def theorem(a):
    kappa = max(a["values"]) / min(a["values"])
    many = a["r"] * kappa**5 * a["N"] ** 5
    widths = (many * a["d"] * (1 + a["W2"]), many * log(a["r"] / a["delta"]), log(a["L"]))
    return a["L"] * max(widths)


def symbols(a):
    """The same numbers by the names of the claim."""
    return {
        "s_max2": max(a["values"]), "s_min2": min(a["values"]), "all_X2": sum(a["values"]),
        "rank": a["r"], "n": a["N"], "d_out": a["d"], "depth": a["L"], "w_star2": a["W2"],
        "log_rank": log(a["r"] / a["delta"]), "log_depth": log(a["L"]),
    }  # fmt: skip


def number(expression, a):
    known = symbols(a)
    return float(expression.subs({s: known[s.name] for s in expression.free_symbols}))


def test_what_is_compared_is_what_is_printed():
    random = Random(1)
    assert {pair.name for pair in LINEAR.pairs} == asked_for(data(random)).keys()
    for _ in range(20):
        a = data(random)
        for pair in LINEAR.pairs:
            assert number(pair.ours, a) == pytest.approx(asked_for(a)[pair.name])
            assert number(pair.theirs, a) == pytest.approx(theorem(a))


def test_the_width_of_the_theorem_is_enough_by_one_constant():
    """625 times 2, of which one is of 1 + ||W*||^2 and of three terms of a maximum."""
    random = Random(2)
    for _ in range(3000):
        a = data(random)
        for name, width in asked_for(a).items():
            if name != "Lemma A.1, with its own B":
                assert width <= 1250 * theorem(a), name


def test_with_the_root_of_b_no_constant_is_enough():
    a = data(Random(3))
    ratios = []
    for scale in (1, 1e-4, 1e-8, 1e-12):
        small = a | {"values": [scale * x for x in a["values"]]}
        ratios.append(asked_for(small)["Lemma A.1, with its own B"] / theorem(small))
    assert ratios == pytest.approx([ratios[0] * 10**i for i in (0, 2, 4, 6)])


def words(claim):
    return {row.pair: (row.verdict, row.word) for row in judge_comparison(claim)}


def test_verdicts_are_those_of_the_numbers():
    found = words(LINEAR)
    harsh = found.pop("Lemma A.1, with its own B")
    assert harsh == (Verdict.VIOLATED, Word.INCOMPARABLE)
    assert set(found.values()) == {(Verdict.NOT_VIOLATED, Word.DOMINATES)}


@each("power", lambda: ("s_max2 s_min2^(-1)", "n"), str)
def test_a_smaller_power_in_the_theorem_is_caught(power):
    """kappa^4, or N^4, in place of the fifth powers that the theorem has."""
    names = {s.name: s for s in LINEAR.pairs[0].theirs.free_symbols}
    less = {"n": 1 / names["n"]}.get(power, names["s_min2"] / names["s_max2"])
    for pair in LINEAR.pairs:
        if pair.name in ("(23)", "Lemma A.5"):  # which ask for just as much
            small = replace(pair, theirs=pair.theirs * less)
            assert LINEAR.compared(small, Sense.UNIFORM).worse is not None


def test_what_is_at_least_one_is_needed():
    """Of data with ||X||_F^2 of any size beside ||X||^2 nothing is said."""
    pair = next(p for p in LINEAR.pairs if p.name == "(23)")
    free = replace(LINEAR, at_least_one=LINEAR.at_least_one[:-2])
    assert free.compared(pair, Sense.UNIFORM).worse is not None


# ---- Theorem IV.3


def least_width(N, n, lam, delta, power=1.0):
    """The least m with R <= lambda/(1000 n), by going on until m stays."""
    m = 2.0
    for _ in range(200):
        missed = n * log(m / delta) * log(n / delta) ** 2  # (76)
        # 9 N^2 sqrt(n missed) / (sqrt(m) lambda^power) = lambda / (1000 n)
        m = max(2.0, (9 * N**2 * sqrt(n * missed) * 1000 * n / lam ** (1 + power)) ** 2)
    return m


def printed_width(N, n, lam, delta):
    return lam**-4 * N**4 * n**4 * log(n / delta) ** 2


@pytest.mark.parametrize("power", [1.0, 0.5])
def test_the_width_of_theorem_iv_3_lacks_a_logarithm(power):
    given = [(2, 3, 0.4, exp(-at)) for at in (10, 100, 600)]
    ratios = [least_width(*own, power) / printed_width(*own) for own in given]
    assert ratios[0] * 2 < ratios[1]
    assert ratios[1] * 2 < ratios[2]


def test_but_is_no_more_than_what_is_needed():
    random = Random(4)
    for _ in range(200):
        given = random.randint(1, 40), random.randint(2, 100), random.uniform(0.01, 0.5)
        delta = exp(-random.uniform(0.01, 50))
        assert printed_width(*given, delta) <= least_width(*given, delta)


def test_the_words_are_those_of_the_numbers():
    found = [(row.verdict, row.reading) for row in judge_comparison(RELU)]
    assert [verdict for verdict, _ in found] == [
        Verdict.VIOLATED, Verdict.NOT_VIOLATED, Verdict.VIOLATED,
    ]  # fmt: skip


def test_with_the_logarithm_the_width_is_enough():
    """And without that of m in (76), which shows that nothing else is lost."""
    asked, *_ = RELU.pairs
    log_n = next(s for s in asked.ours.free_symbols if s.name == "log_samples")
    for repaired in (
        replace(asked, theirs=asked.theirs * log_n), replace(asked, ours=asked.ours / log_n),
    ):  # fmt: skip
        assert RELU.compared(repaired, Sense.UNIFORM).worse is None
