"""Appendix A and section 3.2.1: which steps are proved, and oracles for what is not the paper's."""

from fractions import Fraction
from itertools import combinations

import pytest
import sympy as sp
from fedavg_book import expression, steps
from hypothesis import given, settings
from hypothesis import strategies as st

from fedbounds.theory.language.symbols import B, G_u, G_v, K, T, b2, m, n, t, variance_v
from fedbounds.theory.personalization import displays_descent, displays_drift, lemmas, technical
from fedbounds.theory.personalization.symbols import D_2, S_2, X_2, E
from fedbounds.theory.proof.replay import Local

CLAIMS = (
    *technical.CLAIMS,
    *displays_descent.CLAIMS,
    *displays_drift.CLAIMS,
    *lemmas.CLAIMS,
)
# the printed "=" of Lemma A.2, and a sum of K powers below its last: see the oracles below
REFUSED = {"lem-A.2", "lem-4.3-geo:last power"}


# ---- what is proved


def test_every_step_but_the_two_that_are_false_is_proved():
    unproved = {name for name, s in steps().items() if s.local not in (Local.PROVED, Local.GIVEN)}
    assert unproved == REFUSED
    assert {name for name, s in steps().items() if not s.inherited} == REFUSED


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.entry.id)
def test_every_part_of_every_claim_has_a_step_per_algorithm(claim):
    own = [s.written for s in steps().values() if s.written.claim == claim.id]
    for part in claim.parts:
        found = {s.scope for s in own if s.reading and s.part == part.name}
        assert found
        if found & {"FedAvg-P", "Scaffold-P"}:
            assert {a for a in claim.algorithms if any(a in s for s in found)} == set(
                claim.algorithms
            )


def test_both_readings_of_the_participants_mean_have_a_step():
    names = {reading.ambiguity for reading in lemmas.LEMMA_A2.readings}
    assert names == {"", "amb-4"}
    assert steps()["lem-A.2 [amb-4]"].inherited


# ---- what is false, and what is true instead


def participants_mean(vectors, sampled):
    """E ||mean of the participants||^2, ||mean||^2 and the spread, by enumeration."""
    clients = len(vectors)
    mean = Fraction(sum(vectors), clients)
    squares = [Fraction(sum(chosen), sampled) ** 2 for chosen in combinations(vectors, sampled)]
    return sum(squares) / len(squares), mean**2, sum((x - mean) ** 2 for x in vectors)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(-5, 5), min_size=1, max_size=5), st.data())
def test_the_corrected_identity_is_exact_and_the_printed_bound_holds(vectors, data):
    sampled = data.draw(st.integers(1, len(vectors)))
    found, mean, spread = participants_mean(vectors, sampled)
    numbers = {S_2(t): found, X_2(t): mean, D_2(t): spread, n: len(vectors), m: sampled}
    numbers = {symbol: sp.Rational(x) for symbol, x in numbers.items()}
    assert expression("lem-A.2/corrected").subs(numbers) == numbers[S_2(t)]
    assert expression("lem-A.2 [amb-4]").subs(numbers) >= numbers[S_2(t)]


def test_the_printed_identity_fails_from_three_clients_on():
    printed = expression("lem-A.2")
    for vectors, equal in (([1, 4], True), ([1, 4, 6], False), ([0, 0, 1, 5], False)):
        found, mean, spread = participants_mean(vectors, 1)
        numbers = {X_2(t): mean, D_2(t): spread, n: len(vectors), m: 1}
        right = printed.subs({symbol: sp.Rational(x) for symbol, x in numbers.items()})
        assert (right == sp.Rational(found)) is equal


def test_the_sum_of_all_powers_exceeds_its_bound_up_to_thirteen_steps():
    part = technical.LEMMA_43_GEO.part("last power")
    holds = {steps: bool((part.right - part.left).subs(K, steps).doit() >= 0)
             for steps in range(2, 20)}  # fmt: skip
    assert holds == {steps: steps > 13 for steps in range(2, 20)}


@pytest.mark.parametrize("local_steps", range(2, 12))
def test_the_unrolled_drift_is_below_both_bounds_and_not_far_below(local_steps):
    """The recursion (3.3) with its factor at the edge, every client's additions equal to 1."""
    growth, drift, total = 1 + Fraction(2, local_steps - 1), Fraction(0), Fraction(0)
    for _ in range(local_steps):
        total += drift
        drift = growth * drift + 1
    paper = 4 * local_steps * (local_steps - 1)
    ours = Fraction(16, 5) * local_steps * (local_steps - 1)
    assert total <= ours <= paper
    assert total >= ours / 8


@pytest.mark.parametrize(
    ("paper", "ours", "symbols"),
    [
        ("lem-3.4", "lem-3.4/sharper", (E(t), b2)),
        ("lem-3.5", "lem-3.5/sharper", (B(t), G_v(t), variance_v)),
        ("eq-A.5:bound", "eq-A.5/sharper", (G_u(t - 1), E(t - 1), variance_v)),
        ("lem-3.6:b", "lem-3.6/sharper", (B(t - 1), G_v(t - 1), variance_v)),
    ],
)
def test_our_bounds_are_below_the_papers(paper, ours, symbols):
    own = {steps()[name].written.left for name in (paper, ours)}
    assert len(own) == 1
    better = sp.expand(expression(paper) - expression(ours))
    for symbol in symbols:
        factor = better.coeff(symbol).subs({K: 3, T: 5})
        assert factor.is_positive
