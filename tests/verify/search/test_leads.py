"""What breaks a step of a proof leads the search: there it finds what it misses by itself."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

from fedbounds.theory.language.claims import AS_PRINTED, read
from fedbounds.theory.language.registry import claim
from fedbounds.theory.language.symbols import K, m, n
from fedbounds.theory.proof.replay import Local
from fedbounds.verify.decide.measurement import measure
from fedbounds.verify.judge.proofs import asked
from fedbounds.verify.measure.evaluate import Numbers
from fedbounds.verify.search.closest import as_floats
from fedbounds.verify.search.explore import Exploration, case_of
from fedbounds.verify.search.leads import Lead, distance, leads_of, nearest
from fedbounds.verify.search.seeking import spaces
from fedbounds.verify.search.tape import COUNTS, Tape
from fedbounds.verify.search.tightest import tightest
from fedbounds.vocabulary import Verdict


def lead(sizes, **numbers):
    given = tuple((name, Fraction(value)) for name, value in numbers.items())
    return Lead("step", given, tuple((x, after, Fraction(y)) for x, after, y in sizes))


def numbers(**series):
    return Numbers({}, {name: np.array(values) for name, values in series.items()})


# ---- what a proof leaves


def steps_of(name):
    paper, _, _ = name.partition("/")
    return asked(paper, [name])


def test_the_numbers_of_failed_steps_are_leads_and_those_of_proved_ones_are_not():
    found = claim("personalization/lem-4.4-young")
    steps = steps_of(found.id)
    every = leads_of(steps, found, found.readings[0])
    failed = {x.written.id for x in steps if x.local is Local.DOES_NOT_FOLLOW}
    assert every
    assert {one.step for one in every} <= failed
    product = next(one for one in every if one.step == "lem-4.4-young: u product")
    assert dict(product.numbers).items() >= {"n": 2, "m": 1, "K": 1}.items()
    assert product.sizes == (
        ("A_old", 1, Fraction(5, 2)),
        ("A_ik", 0, 1),
        ("Du_2", 0, Fraction(1, 2)),
    )


def test_a_proof_without_failed_steps_leads_nowhere():
    found = claim("personalization/lem-3.3")
    assert leads_of(steps_of(found.id), found, found.readings[0]) == ()


# ---- how near a run is


def test_a_run_with_the_same_shares_is_at_no_distance_whatever_its_scale():
    wanted = lead([("a", 0, 1), ("b", 1, 3)])
    assert distance(wanted, numbers(a=[9.0, 2e-9, 5.0], b=[0.0, 7.0, 6e-9])) == pytest.approx(0)


def test_the_distance_is_the_part_of_the_whole_that_lies_elsewhere():
    wanted = lead([("a", 0, 1), ("b", 0, 0)])
    assert distance(wanted, numbers(a=[0.0, 3.0], b=[1.0, 1.0])) == pytest.approx(1 / 4)


def test_clients_and_steps_are_looked_at_one_by_one():
    """The mean over clients has other shares than any of them."""
    wanted = lead([("a", 0, 1), ("b", 0, 1)])
    own = numbers(a=[[[2.0]], [[4.0]]], b=[[[2.0]], [[0.0]]])
    assert distance(wanted, own) == 0


def test_what_is_not_measured_or_is_nowhere_is_as_far_as_can_be():
    wanted = lead([("a", 0, 1), ("b", 0, 1)])
    assert distance(wanted, numbers(a=[1.0])) == 1
    assert distance(wanted, numbers(a=[0.0, np.nan], b=[0.0, 1.0])) == 1
    assert distance(wanted, numbers(a=[1.0], b=[np.inf])) == 1


def test_counts_are_those_with_most_in_common():
    every = [{"n": 2, "m": 1, "T": 9}, {"n": 4, "m": 1, "T": 1}, {"n": 4, "m": 2, "T": 1}]
    assert nearest(lead([], n=4, m=2), every) == 2
    assert nearest(lead([], n=9, m=9, x=1), every) == 0


# ---- what it is good for

_BUDGET = 10  # of which four are for shapes: n, m and K are others there


def cornered():
    """Theorem 3.7, a hundred times too small where n = 3, m = 2 and K = 1."""
    found = claim("personalization/thm-3.7")
    (own,) = found.parts
    away = (n - 3) ** 2 + (m - 2) ** 2 + (K - 1) ** 2
    part = replace(own, right=own.right * (1 - sp.Rational(99, 100) / (1 + 100 * away)))
    return replace(found, parts=(part,), readings=(AS_PRINTED,), proof_weights=())


@pytest.mark.parametrize(("leads", "verdict"), [
    ((), Verdict.NOT_VIOLATED),
    ((lead([("D_u", 0, 1)], n=3, m=2, K=1),), Verdict.VIOLATED),
])  # fmt: skip
def test_a_claim_that_fails_in_one_corner_is_found_false_where_a_lead_points_there(leads, verdict):
    found = cornered()
    best = tightest([(found, {AS_PRINTED: _BUDGET})], 0, {found.id: leads})[0][AS_PRINTED]
    assert best.outcome.verdict is verdict
    assert ("with the counts of what breaks step step" in best.how) is bool(leads)


def test_the_search_goes_towards_the_sizes_of_a_lead():
    """Not only its counts: the first set-up with them has other shares than the nearest."""
    found = claim("personalization/eq-A.10")
    reading = found.readings[0]
    every = leads_of(steps_of(found.id), found, reading)
    (part,) = read(found, reading)
    one = Exploration(spaces(found, part), {(part,): 5}, 0, every)
    one.go()
    assert one.led.keys() == {*every}
    for own in every:
        away, seen = one.led[own]
        assert seen.made[COUNTS] == nearest(own, seen.space.counts)
        first = case_of(
            [part], Tape(seen.space, seen.made, np.random.default_rng(1)), own.quantities
        )
        assert away == distance(own, as_floats(measure(first).numbers)) < 0.2
