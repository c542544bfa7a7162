"""What can be met together, on exact instances: independent runs, planted errors, standings."""

from dataclasses import replace
from fractions import Fraction
from functools import cache

import pytest
import sympy as sp
from flint import fmpq
from partial_oracle import Oracle, fraction

from fedbounds.errors import FedboundsError
from fedbounds.facts import Fact
from fedbounds.problems import Evidence
from fedbounds.theory.fedplt import assumed, limits
from fedbounds.theory.fedplt.assumptions import A2, A5, A6
from fedbounds.theory.fedplt.assumptions import CLAIMS as ASSUMPTIONS
from fedbounds.theory.fedplt.feasibility import CLAIMS as FEASIBLE
from fedbounds.theory.fedplt.feasibility import CONDITIONS, JOINTLY, ON_ETA
from fedbounds.theory.fedplt.limits import (
    ANY_MASKS,
    CONSTANT_STEP_FLOOR,
    EXACT_CONVERGENCE,
    NONCONVEX,
)
from fedbounds.theory.language.claims import Condition
from fedbounds.theory.language.registry import examined
from fedbounds.theory.language.setting import Asked, Existence
from fedbounds.theory.language.setups import Run
from fedbounds.theory.language.symbols import L, eta, mu
from fedbounds.theory.proof.library import replayed
from fedbounds.verify.judge.proofs import NOTHING_PROVED, Proofs
from fedbounds.verify.judge.settings import judge, stated
from fedbounds.verify.judge.settings.premises import holds, met
from fedbounds.verify.judge.settings.stated import first_failing, is_proved, tell
from fedbounds.verify.judge.settings.subjects import Examined, subjects
from fedbounds.verify.judge.settled import as_record, settle
from fedbounds.verify.judge.summary import summarise
from fedbounds.verify.results.records import dumps
from fedbounds.vocabulary import Standing, StatementStatus, Verdict

CLAIMS = (*ASSUMPTIONS, *FEASIBLE, ANY_MASKS, CONSTANT_STEP_FLOOR, EXACT_CONVERGENCE)
RUNS = {name: one for name, one in subjects("fedplt") if isinstance(one, Examined)}
SEQUENCE = "the recursion of the decaying step, with equality"
OVERLAPPING, FULL = "overlapping masks, full gradients", "full masks, full gradients"
DECAYING = "overlapping masks, full gradients, decaying steps"


@cache
def proofs():
    return Proofs({"fedplt": replayed("fedplt")}, {}, {}, {})


@cache
def findings(claim_id):
    """Without the scripts: `test_settings_scripts` makes them and runs them all."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(judge, "script_in_words", lambda *_: "a script\n")
        return tuple(settle(next(c for c in CLAIMS if c.entry.id == claim_id)))


def summed(claim, rows, known=None):
    rows = [as_record(claim.entry.id, found, f"k-{i}") for i, found in enumerate(rows)]
    return summarise(claim.entry, rows, {}, proofs() if known is None else known)


def standings(claim):
    found = summed(claim, findings(claim.entry.id))
    return {row["name"]: row["standing"] for row in found["readings"]}


def changed(name, *, start=None, chosen=None, **parameters):
    """The same run from another start, with other parameters or constants."""
    setup = RUNS[name].setup
    run = setup.run
    given = {**dict(run.parameters), **parameters}
    own = Run(run.problem, start or run.start, tuple(given.items()), run.rounds)
    known = tuple({**dict(setup.chosen), **(chosen or {})}.items())
    return Examined(name, replace(setup, run=own, chosen=known))


def test_the_heterogeneity_is_that_of_the_minima():
    """49/10 and 11/4 are the depths of the two clients, computed by hand."""
    assert RUNS[OVERLAPPING].numbers["Lambda"] == (fmpq(49, 10) + fmpq(11, 4)) / 2


def test_a_theory_without_examined_runs_has_families_alone():
    assert examined("submodel") == ()
    assert not any(isinstance(one, Examined) for _, one in subjects("submodel"))


# ---- premises


def test_what_is_not_known_is_not_met():
    run = RUNS["equal masks, full gradients"]
    assert met(run, Asked("x", (assumed.ALIGNED,))).holds is None
    assert met(run, Asked("x", strict=ON_ETA)).holds is None  # no value of rho_min
    for name, subject in subjects("fedplt"):
        if "losses" in name or "recursion" in name:
            assert met(subject, Asked("x", strict=ON_ETA)).holds is None


def test_a_strict_condition_is_not_met_at_equality():
    same = changed(FULL, eta="1/7")
    condition = Condition(eta, "<=", 1 / L)
    assert met(same, Asked("x", conditions=(condition,))).holds
    assert met(same, Asked("x", strict=(condition,))).holds is False
    wrong = Condition(mu, "==", sp.Integer(1))
    assert met(RUNS[FULL], Asked("x", conditions=(wrong,))).holds is False


@pytest.mark.parametrize(
    ("assumption", "constant", "value"),
    [
        (Fact.SMOOTH, "L", 6),  # the largest eigenvalue is 4 + sqrt(8)
        (Fact.STRONGLY_CONVEX, "mu", "9/10"),  # the least is (7 - sqrt(29))/2
        (Fact.STRONGLY_CONVEX, "mu", 0),
        (assumed.GLOBAL_GRADIENT, "G^2", 1),
        (assumed.ALIGNED, "rho_min", "1/2"),
    ],
)
def test_a_wrong_constant_is_noticed(assumption, constant, value):
    name = "overlapping masks, noise"
    assert holds(RUNS[name], assumption).holds
    assert holds(changed(name, chosen={constant: value}), assumption).holds is False


def test_the_points_against_assumptions_on_all_of_space_are_points_against_them():
    run = RUNS["overlapping masks, noise"]
    found = holds(run, assumed.ALIGNED_EVERYWHERE)
    assert found.holds is False
    place = [Fraction(x) for x in found.reason.split("at (")[1].split(")")[0].split(", ")]
    assert min(Oracle(run.setup.run).rho(k, place, [0, 0]) for k in range(2)) < 0
    found = holds(run, Fact.GLOBAL_GRADIENT_EVERYWHERE)
    assert found.holds is False
    place = [Fraction(x) for x in found.reason.split("at (")[1].split(")")[0].split(", ")]
    assert sum(x * x for x in Oracle(run.setup.run).wide(place)) > 10**6


def test_masks_and_minimisers_are_what_they_are_said_to_be():
    said = {
        assumed.FULL_MASKS: lambda name: name.startswith("full masks"),
        assumed.LEAVES_OUT: lambda name: not name.startswith("full masks"),
        assumed.EQUAL_MASKS: lambda name: name.startswith(("full masks", "equal masks")),
        Fact.SHARED_MINIMISER: lambda name: "one minimiser" in name,
        assumed.OWN_MINIMISERS: lambda name: "one minimiser" not in name,
        Fact.NOISY: lambda name: name.endswith(", noise"),
        Fact.NOISELESS: lambda name: not name.endswith(", noise"),
        assumed.SINGLE_STEP: lambda name: "two local steps" not in name,
    }
    for name, run in RUNS.items():
        if "recursion" not in name:
            for assumption, tells in said.items():
                assert holds(run, assumption).holds is tells(name), (name, assumption)


def test_a_sequence_is_no_problem():
    """Of a problem that stands for none nothing is told, though it is a quadratic."""
    for assumption in (Fact.SMOOTH, Fact.UNBIASED, Fact.NOISELESS):
        assert holds(RUNS[SEQUENCE], assumption).holds is None
    assert RUNS[SEQUENCE].numbers == {"z": 1, "B_step": 1, "first": 1}


def test_a_sequence_with_other_steps_is_not_of_the_recursion():
    assert holds(RUNS[SEQUENCE], assumed.RECURSION_DECAYING).holds
    other = changed(SEQUENCE, first=2)
    assert holds(other, assumed.RECURSION_DECAYING).holds is False
    assert holds(changed(DECAYING, first="1/2"), assumed.DECAYING_STEPS).holds is False


# ---- standings


EXPECTED = {
    "fedplt/A1": Standing.SATISFIABLE,
    "fedplt/A2": Standing.SATISFIABLE,
    "fedplt/A3": Standing.SATISFIABLE,
    "fedplt/A4": Standing.SATISFIABLE,
    "fedplt/A5": Standing.UNSATISFIABLE,
    "fedplt/A6": Standing.UNSATISFIABLE,
    "fedplt/conditions": Standing.SATISFIABLE,
    "fedplt/assumptions-jointly": Standing.UNSATISFIABLE,
    "fedplt/any-static-masks": Standing.REFUTED,
    "fedplt/constant-step-floor": Standing.REFUTED,
    "fedplt/exact-convergence": Standing.REFUTED,
}


@pytest.mark.parametrize("claim", CLAIMS, ids=[c.entry.id for c in CLAIMS])
def test_standings_and_records(claim):
    rows = findings(claim.entry.id)
    found = summed(claim, rows)
    assert found["standing"] == EXPECTED[claim.entry.id]
    assert {row.reading for row in rows} == {reading.name for reading in claim.readings}
    names = [(row.reading, row.instance) for row in rows]
    assert len(set(names)) == len(names)
    for row in rows:
        assert dumps(as_record(claim.entry.id, row, "key"))
    word = Standing.OPEN
    assert {row["standing"] for row in summed(claim, [], NOTHING_PROVED)["readings"]} == {word}


def test_no_reading_is_both_met_and_contradictory():
    every = [word for claim in CLAIMS for word in standings(claim).values()]
    assert Standing.CONFLICT not in every
    assert every.count(Standing.UNSATISFIABLE) == 9


def test_without_its_proof_nothing_is_unsatisfiable():
    for claim in (A5, A6, JOINTLY):
        found = summed(claim, findings(claim.entry.id), NOTHING_PROVED)
        assert found["standing"] == Standing.OPEN


class Liar:
    """A problem that says it meets everything."""

    clients, personal_dimension = 1, 0

    def satisfies(self, assumption):
        return Evidence(True, "says so")


@pytest.mark.parametrize("claim", [A5, A6], ids=["A5", "A6"])
def test_an_instance_that_meets_contradictory_premises_is_a_conflict(monkeypatch, claim):
    monkeypatch.setattr(judge, "subjects", lambda theory: (("liar", Liar()),))
    assert summed(claim, settle(claim))["standing"] == Standing.CONFLICT


def test_a_satisfiable_set_is_not_called_contradictory(monkeypatch):
    monkeypatch.setattr(judge, "subjects", lambda theory: (("liar", Liar()),))
    assert summed(A2, settle(A2))["standing"] == Standing.SATISFIABLE
    empty = Existence(A2.entry, (Asked("as printed"),))
    (finding,) = settle(empty)
    assert finding.verdict is Verdict.NOT_VIOLATED


def test_what_is_met_together_is_met_by_partial_masks_with_noise_in_all_rounds():
    reading = "the same, clients with minimisers of their own and noise"
    held = [
        row.instance
        for row in findings(JOINTLY.entry.id)
        if row.reading == reading and row.verdict is Verdict.NOT_VIOLATED
    ]
    assert held == ["overlapping masks, noise"]


def test_conditions_on_a_step_size_alone_are_met_by_some_parameters():
    rows = [r for r in findings(CONDITIONS.entry.id) if r.verdict is Verdict.NOT_VIOLATED]
    assert {row.reading for row in rows} == {CONDITIONS.readings[0].name}
    assert any(row.family == "constants alone" for row in rows)


# ---- claims in words


def test_the_fixed_point_readings():
    found = standings(ANY_MASKS)
    refuted = {name for name, word in found.items() if word == Standing.REFUTED}
    assert {name.split(":")[0] for name in refuted} == {
        "any masks", "any masks, one local step", "full masks, any number of local steps",
        "masks that meet Assumptions 1-6 and the conditions",
    }  # fmt: skip
    assert set(found.values()) == {Standing.REFUTED, Standing.TESTED}


def test_leaving_the_minimiser_is_what_the_algorithm_does():
    """W* is 0 in all of them."""
    for name, run in RUNS.items():
        if "recursion" in name or name.endswith(", noise"):
            continue
        oracle = Oracle(run.setup.run)
        assert oracle.wide([0, 0]) == [0, 0]
        after, _ = oracle.round([Fraction(0)] * 2, oracle.step_size(0), lambda: 0)
        told = tell(run, limits.STAYS, "fedplt")
        assert told.sides["left"] == str(sum(x * x for x in after))
        assert (told.verdict is Verdict.NOT_VIOLATED) == (after == [0, 0])


def test_the_bound_that_is_broken_is_that_of_the_paper():
    """q D^0 + eta^2 B of the first round, against D^1 = D^0 = 1/8, by hand."""
    run = RUNS[OVERLAPPING]
    told = tell(run, limits.BOUND, "fedplt")
    assert told.verdict is Verdict.VIOLATED
    step, z, G2 = Fraction(1, 10**4), Fraction(3, 4), fraction(run.numbers["G^2"])
    nu = 2 * 4 * (1 - 7 * step) + 1
    added = 2 * G2 + 2 * 7 * nu * fraction(run.numbers["Lambda"])
    q, t = 1 - z * step, int(told.reason.split("t = ")[1].split(":")[0])
    right = q**t / 8 + step**2 * added * (1 - q**t) / (1 - q)
    assert Fraction(told.sides["right"]) == right < Fraction(1, 8) == Fraction(told.sides["left"])
    assert run.numbers["w_gap"] == 10**4 - fmpq(3, 4)


def test_a_longer_step_keeps_the_bound():
    assert tell(changed(OVERLAPPING, eta="1/200"), limits.BOUND, "fedplt").verdict is (
        Verdict.NOT_VIOLATED
    )


def test_the_run_that_does_not_converge_stays_where_it_is():
    told = tell(RUNS[DECAYING], limits.LIMIT, "fedplt")
    assert told.verdict is Verdict.VIOLATED
    assert "it stays at (1/4, 1/4)" in told.reason
    for _, w, _ in Oracle(RUNS[DECAYING].setup.run).run(40):
        assert w == [Fraction(1, 4), Fraction(1, 4)]


def test_a_run_at_the_minimiser_refutes_nothing():
    """W* = 0, to which every client that trains everything is led back on average."""
    whole = changed(DECAYING, start=(0, 0), masks=((1, 1), (1, 1)))
    assert tell(whole, limits.LIMIT, "fedplt").verdict is Verdict.NOT_VIOLATED


def test_two_local_steps_with_decaying_steps_are_not_decided():
    longer = changed(DECAYING, tau=2)
    assert tell(longer, limits.LIMIT, "fedplt").verdict is Verdict.UNDECIDED


def test_limits_are_those_of_a_long_run():
    for name in ("full masks, noise", "overlapping masks, two local steps"):
        run = changed(name, start=(1, 1), eta="1/64")
        oracle = Oracle(run.setup.run)
        oracle.scale = Fraction(0)  # the mean: noise adds less than 1e-7
        *_, (_, w, _) = ((t, [float(x) for x in w], None) for t, w, _ in _short(oracle, 900))
        settled = stated.limit_of(run, "D_W")
        assert abs(float(settled) - sum(x * x for x in w)) < 1e-6


def _short(oracle, rounds):
    """A run whose numbers are rounded to 60 bits, so that they stay short."""
    w = oracle.start
    for t in range(rounds):
        w, _ = oracle.round(w, oracle.step_size(t), lambda: 0)
        w = [Fraction(round(x * 2**60), 2**60) for x in w]
        yield t, w, None


def test_every_multiple_is_exceeded_when_it_is_said_to_be():
    run = RUNS[SEQUENCE]
    found = [first_failing(run.setup, part) for part in limits.RATE.parts]
    assert found == [1, 2, 8, 26, 78, 220]
    total = [Fraction(0)]
    for t in range(1, found[-1] + 1):
        total.append(total[-1] + Fraction(1, t))  # t D^t is the harmonic number
    for multiple, t in enumerate(found, 1):
        beyond = [s for s in range(1, t + 1) if total[s] / s > Fraction(multiple, s + 1)]
        assert beyond == [t]


def test_the_growth_is_proved_and_a_step_that_is_not_there_is_an_error():
    assert is_proved("fedplt", limits.RATE.step)
    with pytest.raises(FedboundsError, match="no step 'growth'"):
        is_proved("fedplt", "growth")


def test_without_the_proved_growth_the_rate_is_not_refuted(monkeypatch):
    monkeypatch.setattr(stated, "is_proved", lambda theory, step: False)
    rows = [r for r in settle(EXACT_CONVERGENCE) if r.reading == "the recursion taken as given"]
    assert {r.verdict for r in rows} == {Verdict.NOT_APPLICABLE, Verdict.UNDECIDED}


def test_a_start_that_no_step_shows_is_an_error():
    wrong = replace(limits.STAYS, start=sp.Symbol("nowhere"))
    assert "nowhere" in tell(RUNS[FULL], wrong, "fedplt").reason
    moving = replace(limits.STAYS, start=sp.Symbol("W"))
    assert "depends on the state" in tell(RUNS[FULL], moving, "fedplt").reason


def test_what_is_announced_is_open_and_says_what_is_missing():
    found = summed(NONCONVEX, settle(NONCONVEX))
    assert (found["standing"], found["statement"]) == (Standing.OPEN, StatementStatus.UNTESTED)
    assert found["reason"].startswith("announced; the text states no formula")
    assert all(what in found["reason"] for what in NONCONVEX.unstated)
