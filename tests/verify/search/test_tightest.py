"""The tightest instance: known suprema, planted false bounds, exactness, determinism, coverage."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
import sympy as sp
from flint import arb, fmpq

from fedbounds.facts import Fact
from fedbounds.theory.language.claims import AS_PRINTED, Condition, read
from fedbounds.theory.language.registry import claim
from fedbounds.theory.language.symbols import K, L, T, gamma, m, n
from fedbounds.verify.decide.case import parameters_of
from fedbounds.verify.decide.conditions import refusal
from fedbounds.verify.decide.measurement import measure
from fedbounds.verify.judge.judge import judge_reading
from fedbounds.verify.judge.summary import summarise
from fedbounds.verify.measure.evaluate import Numbers
from fedbounds.verify.results import work as process
from fedbounds.verify.results.store import Store
from fedbounds.verify.search import explore
from fedbounds.verify.search import tightest as search
from fedbounds.verify.search.closest import as_floats, closest
from fedbounds.verify.search.planned import judged, planned_cases, tightest_cases
from fedbounds.verify.search.seeking import spaces
from fedbounds.verify.search.tape import Tape, corners_first, moved
from fedbounds.verify.search.tightest import BUDGET, as_summary, tightest, tightest_parts
from fedbounds.verify.setups import found as setups
from fedbounds.verify.setups.inside import NoStepsError, rounded, steps_inside
from fedbounds.verify.setups.instance_file import from_data, is_kept
from fedbounds.vocabulary import Method, Verdict


def planted(name, change, part=""):
    """A claim with one part kept and changed, in its printed reading."""
    original = claim(f"personalization/{name}")
    parts = tuple(change(p) for p in original.parts if p.name == part)
    return replace(original, parts=parts, readings=(AS_PRINTED,), proof_weights=())


def searched(found, budget=40):
    return tightest([(found, {found.readings[0]: budget})], 0)[0].get(found.readings[0])


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
    assert chosen(best)["K"] == 1


CORNERS = {
    "m = 1": (m * sp.Rational(2, 3), lambda values: values["m"] == 1),
    "K = 1": (K * sp.Rational(2, 3), lambda values: values["K"] == 1),
    "m = n": ((1 + 4 * (n - m)) * sp.Rational(1, 2), lambda values: values["m"] == values["n"]),
    # below one only above 3/4 of the largest gamma
    "largest gamma": (3 / (128 * K * L * gamma), lambda values: True),
}


def chosen(best):
    """Its parameters."""
    return parameters_of(best.judgement.instance)


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
    assert inside(chosen(best))


@pytest.mark.parametrize("name", ["thm-3.7", "cor-3.8", "thm-4.5", "lem-3.5-ik"])
def test_what_is_reported_is_exact_and_inside_the_conditions(name):
    found = claim(f"personalization/{name}")
    best = searched(found, budget=10)
    part = next(p for p in read(found, found.readings[0]) if p.name == best.part)
    # a file holds no run that takes long
    kept = is_kept(best.instance)
    replayed = from_data(as_summary(best)["data"]) if kept else best.instance
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
    short, long = (searched(found, budget) for budget in (5, BUDGET))
    assert long.tightness >= 0.95 * short.tightness


def space_of(name):
    found = claim(f"personalization/{name}")
    return spaces(found, found.parts[0])[0]


def test_every_single_count_is_visited_early():
    space = space_of("lem-3.3")
    early = [space.counts[at] for at in corners_first(space)[:40]]
    for name in space.counts[0]:
        assert {own[name] for own in early} == {own[name] for own in space.counts}
    assert any(own["n"] == own["m"] > 1 for own in early)


def test_counts_obey_conditions_on_counts():
    space = space_of("spec-3.2.3-personal")  # d_u = 0, K = 1, m = n
    assert space.counts
    for own in space.counts:
        assert (own["d_u"], own["K"], own["m"]) == (0, 1, own["n"])


def test_what_a_condition_fixes_at_a_root_of_counts_is_not_searched():
    """Of n^(2/3), at a number of clients of which it is rational alone."""
    space = space_of("spec-4.3.1-psgd")
    assert {own["n"] for own in space.counts} == {1, 8}


def some(space, seed):
    """A set-up of random answers; None where there are no step sizes."""
    tape = Tape(space, {}, np.random.default_rng(seed), corner=seed)
    case = explore.case_of([space.part], tape)
    return tape, None if case is None else dict(case.setup.setup.run.problem.data)


def test_assumptions_are_met_by_what_is_drawn():
    """One curvature by u, no coupling; where nothing is assumed there are both, and concave."""
    strict, loose = space_of("thm-3.7"), space_of("lem-3.3")
    assert Fact.DISSIMILARITY in strict.part.assumptions
    assert not {Fact.DISSIMILARITY, Fact.BOUNDED_BELOW} & set(loose.part.assumptions)
    seen = set()
    for seed in range(60):
        tape, data = some(strict, seed)
        if data is not None and tape.counts()["d_u"] and tape.counts()["n"] > 1:
            assert len({str(row[0][0]) for row in data["hessians"]}) == 1
            assert not any(row[0][1:] != (0,) and row[0][1:] for row in data["hessians"])
        tape, data = some(loose, seed)
        first = [row[0] for row in data["hessians"]]
        seen |= {"own"} if tape.counts()["d_u"] and len({row[0] for row in first}) > 1 else set()
        seen |= {"coupled"} if any(row[1:] not in ((), (0,)) for row in first) else set()
        seen |= {"concave"} if str(first[0][0]).startswith("-") else set()
    assert seen == {"own", "coupled", "concave"}


def test_one_client_is_coupled_where_dissimilarity_is_bounded():
    """There b = 0, whatever the Hessian."""
    space = space_of("thm-3.7")
    found = [some(space, seed) for seed in range(400)]
    assert any(
        data is not None
        and tape.counts()["n"] == 1
        and data["hessians"][0][0][1:] not in ((), (0,))
        for tape, data in found
    )


def test_the_same_answers_make_the_same_set_up_and_others_another():
    space, random = space_of("lem-3.4"), np.random.default_rng(3)
    tape = Tape(space, {}, random)
    first = explore.case_of([space.part], tape)
    again = Tape(space, tape.made, np.random.default_rng(99))
    second = explore.case_of([space.part], again)
    assert again.made == tape.made
    runs = [case.setup.setup.run for case in (first, second)]
    assert runs[0].problem == runs[1].problem
    assert (runs[0].start, runs[0].parameters) == (runs[1].start, runs[1].parameters)
    other = moved(space, tape.made, tape.widths, random, 0.5)
    assert other.keys() == tape.made.keys()
    assert 1 <= sum(other[key] != tape.made[key] for key in other) <= 2


def explored(spaces, budgets):
    one = explore.Exploration(spaces, budgets, 0)
    explore.explore([one])
    return one.seen


def test_equal_set_ups_are_measured_once_and_claims_find_what_they_find_alone(monkeypatch):
    """Lemmas on local steps have other sides; their first set-ups are often the same."""
    claims = [claim(f"meerkat/{name}") for name in ("thm-b9", "eq-6", "eq-7")]
    asked = [(own, {own.readings[0]: 15}) for own in claims]
    measured, listed = [], setups._listed
    monkeypatch.setattr(
        setups, "_listed", lambda *own, **more: measured.append(own) or listed(*own, **more)
    )

    def found(asked):
        setups._listed_again.cache_clear()
        measured.clear()
        rows = [as_summary(best) for own in tightest(asked, 0) for best in own.values()]
        return rows, len(measured)

    together, few = found(asked)
    alone, many = zip(*(found([one]) for one in asked), strict=True)
    assert together == [row for rows in alone for row in rows]
    assert few < sum(many)


def test_answers_that_make_a_known_set_up_measure_nothing_again(monkeypatch):
    seen, plain = [], explore.gaps
    monkeypatch.setattr(
        explore, "gaps", lambda parts, case: seen.append(case) or plain(parts, case)
    )
    space = space_of("lem-3.4")
    one = explore.Exploration([space], {(space.part,): 10}, 0)
    case = one.first[0]
    assert one.gaps(case) is one.gaps(replace(case, name="other"))
    assert len(seen) == 1
    fewer = replace(case, setup=replace(case.setup, most=1))
    assert one.gaps(fewer) is not one.gaps(case)
    assert len(seen) == 2


def test_the_budget_is_counted(monkeypatch):
    """Whatever an evaluation says, and however long it takes."""
    counted = []
    monkeypatch.setattr(explore, "gaps", lambda parts, case: counted.append(case) or {})
    space = space_of("lem-3.4")
    for budget in (5, 17):
        assert len(explored([space], {(space.part,): budget})) == budget
    monkeypatch.setattr(explore, "gaps", lambda parts, case: {space.part: 0.5})
    seen = explored([space], {(space.part,): 23})
    assert 20 <= len(seen) <= 23


@pytest.mark.parametrize("far", [0.5, 1e-6, 1 - 1e-6])
def test_a_climb_ends_where_sixty_in_a_row_were_no_closer(monkeypatch, far):
    """Planted: a step closer now and then keeps it going, wherever the gap is."""
    space, told = space_of("lem-3.4"), [0]
    near = min(far, 1 - far)

    def seen(closer):
        told[0] = 0

        def gaps(parts, case):
            told[0] += 1
            return {space.part: far - near * closer(told[0])}

        monkeypatch.setattr(explore, "gaps", gaps)
        return len(explored([space], {(space.part,): 500}))

    assert seen(lambda at: 0) == 200 + 60  # shapes, and one climb
    assert seen(lambda at: at / 1e7) == 200 + 60
    assert seen(lambda at: at // 5 / 200) == 500


def test_readings_look_at_each_others_set_ups(monkeypatch):
    """Shapes are looked at once for all; a reading by itself, of other conditions, is alone."""
    found = claim("personalization/eq-4.5")
    first, second = found.readings[:2]
    seen, plain = [], explore.gaps
    monkeypatch.setattr(
        explore, "gaps", lambda parts, case: seen.append(parts) or plain(parts, case)
    )
    together = tightest([(found, {first: 20, second: 20})], 0)[0]
    assert together.keys() == {first, second}
    assert len(seen) <= 8 + 12 + 12
    assert all(len(parts) == 2 for parts in seen)  # both readings
    alone = tightest([(found, {first: 20})], 0)[0][first]
    assert together[first].relative_gap <= alone.relative_gap


def test_what_rounding_leaves_of_equality_steers_nothing():
    """An equality in balls that have grown wide is no violation, and hides none that is clear."""
    found = claim("personalization/lem-4.3-c")
    part = found.part("mean")
    constants = {"sigma_u^2": 1.0, "K": 1.0, "n": 1.0, "T": 3.0}
    for off, wide, gap in ((1e-4, 1e-3, None), (1e-4, 1e-9, -1e-4 / 2.0001), (0.5, 1e-15, -0.2)):
        values = np.array([arb(1 + off, wide)] * 4, dtype=object)
        nearest = closest(part, as_floats(Numbers(constants, {"cd_2": values})))
        assert (nearest and nearest.gap) == (gap and pytest.approx(gap))


def test_what_floats_alone_break_is_looked_at_in_balls(monkeypatch):
    """Large numbers that cancel leave roundings that look like violations, and were climbed."""
    space = space_of("lem-3.4")
    case = explore.case_of([space.part], Tape(space, {}, np.random.default_rng(0)))
    seen = {Method.MOMENTS: -0.99, Method.BALLS: 0.7}
    monkeypatch.setattr(explore, "_gaps", lambda parts, at: {space.part: seen[at.method]})
    found = explore.gaps([space.part], replace(case, method=Method.MOMENTS))
    assert found == {space.part: 0.7}


def test_what_takes_too_long_in_rationals_is_judged_in_balls(monkeypatch):
    found = claim("personalization/thm-3.7")
    (reading, *_) = found.readings
    alone = tightest([(found, {reading: 8})], 0)[0][reading]
    monkeypatch.setattr(search, "MOST_EXACT_WORK", 1)
    best = tightest([(found, {reading: 8})], 0)[0][reading]
    assert best.judgement.instance.method is Method.BALLS
    assert best.relative_gap == pytest.approx(alone.relative_gap, rel=0.01)
    assert from_data(as_summary(best)["data"]).method is Method.RATIONAL


def test_what_is_judged_has_premises_that_hold_surely():
    """While one searches they may hold up to rounding; in no way in which it is judged then."""
    space = space_of("lem-3.4")
    case = explore.case_of([space.part], Tape(space, {}, np.random.default_rng(0)))
    judged = list(search._exact(case))
    assert case.setup.steers
    assert {one.method for one in judged} == {Method.RATIONAL, Method.BALLS}
    assert not any(one.setup.steers for one in judged)


def test_a_search_that_forgets_a_condition_is_seen(monkeypatch):
    """Were step sizes taken outside, the refusal would leave nothing to report."""
    whole = claim("personalization/thm-3.7")
    plain = steps_inside

    def outside(part, *arguments):
        found = plain(part, *arguments)
        return found | {name: 3 * found[name] for name in ("gamma", "gamma_u", "gamma_v")}

    monkeypatch.setattr("fedbounds.verify.search.seeking.steps_inside", outside)
    found = tightest([(whole, {whole.readings[0]: 12})], 0)[0].get(whole.readings[0])
    assert (
        found is None
        or refusal(
            whole.parts[0], found.judgement.instance, measure(found.judgement.instance).numbers
        )
        is None
    )


def test_a_search_that_finds_nothing_to_which_a_claim_applies_is_counted(monkeypatch, tmp_path):
    huge = Condition(L, ">=", sp.Integer(10**9))
    never = planted("lem-3.4", lambda part: replace(part, conditions=(*part.conditions, huge)))
    monkeypatch.setattr(process, "claim_of", lambda claim_id: never)
    assert tightest([(never, {AS_PRINTED: 3})], 0)[0] == {AS_PRINTED: None}
    ((row,),) = process.searched([(never.id, ((AS_PRINTED.name, "key", 3),))], 0, {})
    found = summarise(never.entry, [row], {})["readings"][0]
    (reason,) = found["refused"]
    assert (found["counts"], "3 evaluations" in reason) == ({"not applicable": 1}, True)
    store = Store(tmp_path)
    with store.writing():
        store.save_found(never.id, "key", row)
        store.pack()
    assert Store(tmp_path).found(never.id, "key") == row


# ---- step sizes


def inside(part, known, bits=8, **factors):
    steps = space_of("thm-3.7").sought.steps
    return steps_inside(part, steps, known, {x: fmpq(y) for x, y in factors.items()}, bits)


def test_step_sizes_at_the_edge_are_the_largest_admissible():
    part = claim("personalization/thm-3.7").part("")
    known = {"n": 4, "m": 1, "K": 3, "T": 2, "L": 2, "F_0": 1, "b^2": 0}
    known = {k: fmpq(v) for k, v in known.items()}
    known |= {name: fmpq(0) for name in part.constants - known.keys()}
    found = inside(part, known)
    assert (found["gamma"], found["eta_u"], found["eta_v"]) == (fmpq(1, 32 * 3 * 2), 1, 2)
    assert found["gamma_v"] == found["gamma"] / 2
    irrational = inside(part, known | {"m": fmpq(2)})
    assert 2 <= irrational["eta_u"] ** 2 <= fmpq(203, 100)


def test_a_quadratic_condition_on_gamma_is_met_and_nearly_attained():
    part = claim("personalization/lem-3.5").part("")
    known = {k: fmpq(v) for k, v in {"n": 3, "m": 2, "K": 4, "T": 2, "L": 3}.items()}
    found = inside(part, known, 20, eta_v=2)
    used = 4 * 4 * 9 * 3 * (found["gamma_u"] ** 2 + found["gamma_v"] ** 2)
    assert 1 - fmpq(1, 10**4) <= used <= 1


def test_what_cannot_be_met_in_rationals_is_told():
    part = claim("personalization/thm-3.7").part("")
    known = {k: fmpq(v) for k, v in {"n": 4, "m": 1, "K": 3, "T": 2, "L": 2}.items()}
    fixed = replace(part, conditions=(Condition(gamma, "==", sp.sqrt(L)),))
    with pytest.raises(NoStepsError, match="not rational"):
        inside(fixed, known)
    with pytest.raises(NoStepsError, match="no value for F_0"):
        inside(replace(part, conditions=(Condition(gamma, "<=", sp.Symbol("F_0")),)), known)
    assert inside(replace(part, conditions=(Condition(gamma, "==", 1 / T),)), known)["gamma"] == (
        fmpq(1, 2)
    )


@pytest.mark.parametrize("number", [0.0, 1.0, -3.3, 1e-9, 12345.678])
def test_rounding_keeps_the_side_and_so_many_digits(number):
    for bits in (1, 3, 10):
        low, near, high = (rounded(number, bits, towards) for towards in (-1, 0, 1))
        assert low <= number <= high
        assert abs(near - number) <= abs(number) * 2.0**-bits


def test_the_tightest_choice_of_parameters_is_planned_and_plain_in_the_summary():
    found = claim("personalization/lem-3.5-geo")
    best = tightest_cases(judged(found, planned_cases(found))[found.readings[0].name])[0]
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
    alone = tightest([(found, {found.readings[0]: 10})], 0)[0].get(found.readings[0])
    ((row,),) = process.searched([(found.id, ((found.readings[0].name, "key", 10),))], 0, {})
    assert pickle.loads(pickle.dumps(row))["best"] == as_summary(alone)
    assert row["verdict"] == alone.judgement.verdict
