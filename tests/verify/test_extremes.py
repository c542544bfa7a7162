"""The tightest instance: known suprema, planted false bounds, exactness, determinism, coverage."""

import pickle
from dataclasses import fields, replace

import numpy as np
import pytest
import sympy as sp
from flint import fmpq

from fedbounds.theory.claims import AS_PRINTED, read
from fedbounds.theory.registry import claim
from fedbounds.theory.symbols import K, L, gamma, m, n
from fedbounds.verify import work as process
from fedbounds.verify.conditions import refusal
from fedbounds.verify.extremes import (
    as_summary,
    tightest,
    tightest_parts,
)
from fedbounds.verify.extremes_space import Form, corners_first, shapes, work
from fedbounds.verify.extremes_steps import rounded, step_sizes
from fedbounds.verify.instance_file import from_data
from fedbounds.verify.judge import judge_reading
from fedbounds.verify.measurement import measure
from fedbounds.verify.planned_search import tightest_cases
from fedbounds.vocabulary import Method, Verdict


def planted(name, change, part=""):
    """A claim with one part kept and changed, in its printed reading."""
    original = claim(f"personalization/{name}")
    parts = tuple(change(p) for p in original.parts if p.name == part)
    return replace(original, parts=parts, readings=(AS_PRINTED,), proof_weights=())


def searched(found, budget=40):
    return tightest(found, found.readings[0], 0, budget)


def times(factor):
    return lambda part: replace(part, right=part.left * factor)


@pytest.mark.parametrize(("factor", "supremum"), [(2, 0.5), (sp.Rational(5, 4), 0.8)])
def test_a_known_supremum_is_found_exactly(factor, supremum):
    best = searched(planted("lem-3.4", times(factor)), budget=10)
    assert best.tightness == pytest.approx(supremum, abs=1e-15)
    assert best.outcome.verdict is Verdict.NOT_VIOLATED


def test_a_bound_that_is_attained_at_one_corner_only_is_seen_to_be_attained():
    # left x (1 + K - 1) <= left x K^2 : equality if and only if K = 1
    best = searched(planted("lem-3.3", lambda p: replace(p, right=p.left * K**2), "u"))
    assert best.tightness == 1.0
    assert best.instance.algorithm.local_steps == 1


CORNERS = {
    "m = 1": (m * sp.Rational(2, 3), lambda i: i.algorithm.participants == 1),
    "K = 1": (K * sp.Rational(2, 3), lambda i: i.algorithm.local_steps == 1),
    "m = n": (
        (1 + 4 * (n - m)) * sp.Rational(1, 2),
        lambda i: i.algorithm.participants == i.problem.clients,
    ),
    "largest gamma": (
        3 / (128 * K * L * gamma),  # below one only above 3/4 of the largest gamma
        lambda i: True,
    ),
}


@pytest.mark.parametrize("corner", CORNERS)
def test_a_bound_that_fails_at_one_corner_only_is_broken_there(corner):
    factor, inside = CORNERS[corner]
    name, part = ("eq-3.4", "drift factor") if corner == "largest gamma" else ("lem-3.3", "u")
    original = claim(f"personalization/{name}").part(part)
    left = original.left if part == "u" else sp.Integer(1)
    false = planted(name, lambda p: replace(p, left=left, right=left * factor), part)
    best = searched(false)
    assert best.outcome.verdict is Verdict.VIOLATED
    assert best.judgement.verdict is Verdict.VIOLATED
    assert best.instance.method is Method.RATIONAL
    assert inside(best.instance)


@pytest.mark.parametrize("name", ["thm-3.7", "cor-3.8", "thm-4.5", "lem-3.5-ik"])
def test_what_is_reported_is_exact_and_inside_the_conditions(name):
    found = claim(f"personalization/{name}")
    best = searched(found, budget=25)
    part = next(p for p in read(found, found.readings[0]) if p.name == best.part)
    replayed = from_data(as_summary(best)["data"])
    measured = measure(replayed)
    assert refusal(part, replayed, measured.numbers) is None
    again = judge_reading(found, found.readings[0], replayed, measured)
    outcome = next(o for o in again.outcomes if o.part == best.part)
    assert (outcome.left, outcome.right) == (best.outcome.left, best.outcome.right)
    assert outcome.tightness == best.tightness
    # an independent ratio, from the sides at the reported place
    assert best.left / best.right == pytest.approx(best.tightness, rel=1e-12)


def test_the_same_search_finds_the_same_instance():
    found = claim("personalization/lem-3.4")
    assert as_summary(searched(found, 15)) == as_summary(searched(found, 15))


def test_more_evaluations_do_not_loosen_what_is_found():
    found = claim("personalization/thm-4.5")
    short, long = (searched(found, budget) for budget in (5, 50))
    assert long.tightness >= 0.95 * short.tightness


def test_every_value_of_every_field_is_visited_early():
    found = claim("personalization/lem-3.3")
    part = found.parts[0]
    every = shapes(found, part, part.named)
    early = list(corners_first(every, np.random.default_rng(0)))[:40]
    for field in fields(every[0]):
        values = {getattr(s, field.name) for s in every}
        assert {getattr(s, field.name) for s in early} == values
    assert any(s.clients == s.participants > 1 for s in early)
    assert {1, 2} <= {s.clients for s in early}


def test_shapes_obey_conditions_on_counts_and_the_assumptions():
    found = claim("personalization/spec-3.2.3-personal")  # d_u = 0, K = 1, m = n, bounded below
    part = found.parts[0]
    for shape in shapes(found, part, part.named):
        assert (shape.shared, shape.local_steps) == (False, 1)
        assert shape.participants == shape.clients
        assert shape.form is not Form.CONCAVE
        assert work(shape, part.named) > 0


def test_step_sizes_at_the_edge_are_the_largest_admissible():
    part = claim("personalization/thm-3.7").part("")
    known = {"n": 4, "m": 1, "K": 3, "T": 2, "L": 2, "F_0": 1, "b^2": 0}
    known = {k: fmpq(v) for k, v in known.items()}
    known |= {name: fmpq(0) for name in part.constants - known.keys()}
    step, outer_u, outer_v = step_sizes(part, known, (1.0, 1.0, 1.0), 8)
    assert (step, outer_u, outer_v) == (fmpq(1, 32 * 3 * 2), 1, 2)
    irrational = known | {"m": fmpq(2)}
    _, outer_u, _ = step_sizes(part, irrational, (1.0, 1.0, 1.0), 8)
    assert 2 <= outer_u**2 <= fmpq(203, 100)


def test_a_quadratic_condition_on_gamma_is_met_and_nearly_attained():
    part = claim("personalization/lem-3.5").part("")
    known = {k: fmpq(v) for k, v in {"n": 3, "m": 2, "K": 4, "T": 2, "L": 3}.items()}
    step, outer_u, outer_v = step_sizes(part, known, (1.0, 1.0, 2.0), 20)
    used = 4 * 4 * 9 * 3 * ((step / outer_u) ** 2 + (step / outer_v) ** 2)
    assert 1 - fmpq(1, 10**4) <= used <= 1


@pytest.mark.parametrize("number", [0.0, 1.0, -3.3, 1e-9, 12345.678])
def test_rounding_keeps_the_side_and_so_many_digits(number):
    for bits in (1, 3, 10):
        low, near, high = (rounded(number, bits, towards) for towards in (-1, 0, 1))
        assert low <= number <= high
        assert abs(near - number) <= abs(number) * 2.0**-bits


def test_the_tightest_choice_of_parameters_is_planned_and_plain_in_the_summary():
    found = claim("personalization/lem-3.5-geo")
    best = tightest_cases(found, found.readings[0])[0]
    summary = as_summary(best)
    assert best.how.startswith("plan, ")
    assert set(summary["parameters"]) <= {"K", "j"}
    assert all(isinstance(value, str) for value in summary["parameters"].values())


def test_claims_without_a_searchable_inequality_have_no_tightest_instance():
    for name in ("alg-inc", "lem-A.2", "fig-1a"):
        assert searched(claim(f"personalization/{name}")) is None


def test_every_part_is_reported_and_the_closest_comes_first():
    found = claim("personalization/lem-3.3")
    parts = tightest_parts(found, found.readings[0], 0, 20)
    assert {best.part for best in parts} == {"u", "v"}
    assert [b.relative_gap for b in parts] == sorted(b.relative_gap for b in parts)


def test_a_process_finds_the_same_and_its_record_is_plain():
    found = claim("personalization/lem-3.4")
    alone = tightest(found, found.readings[0], 0, 10)
    row = process.searched(found.id, "key", 0, 10)
    assert pickle.loads(pickle.dumps(row))["best"] == as_summary(alone)
    assert row["verdict"] == alone.judgement.verdict
