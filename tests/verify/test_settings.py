"""What can be met together, on exact instances: independent runs, planted errors, standings."""

import random
from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
import sympy as sp
from flint import fmpq

from fedbounds.problems import Evidence
from fedbounds.theory.claims import Condition
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
from fedbounds.theory.proof.library import replayed
from fedbounds.theory.setting import Asked, Existence, Says
from fedbounds.theory.symbols import L, eta, mu
from fedbounds.verify.proofs import NOTHING_PROVED, Proofs
from fedbounds.verify.records import dumps
from fedbounds.verify.settings import judge, says
from fedbounds.verify.settings.exhibits import Steps, exhibits, rationals
from fedbounds.verify.settings.facts import facts, first_step, heterogeneity, values
from fedbounds.verify.settings.growth import exceeds_every_multiple
from fedbounds.verify.settings.iterates import fixed_point, iterates, minimiser
from fedbounds.verify.settings.premises import holds, met
from fedbounds.verify.settings.says import tell
from fedbounds.verify.settled import as_record, settle
from fedbounds.verify.summary import summarise
from fedbounds.vocabulary import Assumption, Standing, StatementStatus, Verdict

CLAIMS = (*ASSUMPTIONS, *FEASIBLE, ANY_MASKS, CONSTANT_STEP_FLOOR, EXACT_CONVERGENCE)
RUNS = {exhibit.name: exhibit for exhibit in exhibits()}
KNOWN = {name: e for name, e in RUNS.items() if not isinstance(facts(e).found, str)}


@cache
def proofs():
    return Proofs({"fedplt": replayed("fedplt")}, {}, {}, {})


@cache
def findings(claim_id):
    return tuple(settle(next(c for c in CLAIMS if c.entry.id == claim_id)))


def summed(claim, rows, known=None):
    rows = [as_record(claim.entry.id, found, f"k-{i}") for i, found in enumerate(rows)]
    return summarise(claim.entry, rows, {}, proofs() if known is None else known)


def standings(claim):
    found = summed(claim, findings(claim.entry.id))
    return {row["name"]: row["standing"] for row in found["readings"]}


# ---- an oracle in fractions: one client, one coordinate after the other


def fractions(array):
    return [[Fraction(int(x.p), int(x.q)) for x in row] for row in np.atleast_2d(array)]


class Oracle:
    """FedPLT by its description."""

    def __init__(self, exhibit):
        problem, algorithm = exhibit.problem, exhibit.algorithm
        self.masks, self.steps = algorithm.masks, algorithm.local_steps
        self.H = [fractions(H) for H in problem.hessian]
        self.h = fractions(problem.linear)
        self.scale = Fraction(str(problem.noise.scale_u))
        self.c = [Fraction(int(x), sum(map(int, algorithm.weights))) for x in algorithm.weights]
        self.d = len(self.h[0])

    def gradient(self, k, w):
        return [
            sum(a * x for a, x in zip(row, w, strict=True)) + b
            for row, b in zip(self.H[k], self.h[k], strict=True)
        ]

    def round(self, w, step, signs):
        """W^{t+1} and the local models of every client."""
        paths = []
        for k, mask in enumerate(self.masks):
            own = [list(w)]
            for _ in range(self.steps):
                g = [x + self.scale * signs() for x in self.gradient(k, own[-1])]
                own.append([a - step * m * b for a, m, b in zip(own[-1], mask, g, strict=True)])
            paths.append(own)
        after = []
        for i in range(self.d):
            held = sum(c * mask[i] for c, mask in zip(self.c, self.masks, strict=True))
            moved = sum(
                c * mask[i] * (own[-1][i] - w[i])
                for c, mask, own in zip(self.c, self.masks, paths, strict=True)
            )
            after.append(w[i] + (moved / held if held else 0))
        return after, paths

    def rho(self, k, w, best):
        g = self.gradient(k, w)
        terms = [a * (x - y) for a, x, y in zip(g, w, best, strict=True)]
        kept = sum(x for x, m in zip(terms, self.masks[k], strict=True) if m)
        whole = sum(terms)
        return None if whole == 0 else Fraction(kept, 1) / whole


def run_of(exhibit, rounds, seed=0):
    """(t, W^t, local models) of a run by the oracle."""
    random_ = random.Random(seed)
    oracle = Oracle(exhibit)
    start = exhibit.start if exhibit.start is not None else fixed_point(exhibit)
    (w,) = fractions(start)
    first = None if exhibit.steps is Steps.CONSTANT else first_step(exhibit)
    for t in range(rounds):
        size = exhibit.algorithm.inner_step_u if first is None else first / (t + 1)
        step = Fraction(int(size.p), int(size.q))
        after, paths = oracle.round(w, step, lambda: random_.choice((-1, 1)))
        yield t, w, paths
        w = after


def inside(box, w, *, strictly):
    for x, centre, radius in zip(w, *fractions([box.centre, box.radius]), strict=True):
        away = abs(x - centre)
        if not (away < radius if strictly else away <= radius):
            return False
    return True


@pytest.mark.parametrize("name", KNOWN)
@pytest.mark.parametrize("seed", range(2))
def test_every_iterate_lies_in_a_box(name, seed):
    exhibit, found = KNOWN[name], facts(KNOWN[name]).found
    (best,) = fractions(minimiser(exhibit.problem, exhibit.algorithm))
    size = fractions([found.boxes[0].centre])[0]
    for _, w, paths in run_of(exhibit, 12, seed):
        # where the run shrinks, later models are those of the first round, scaled about W*
        factor = Fraction(1)
        if found.shrinking:
            at = next(i for i, x in enumerate(size) if x != best[i])
            factor = (size[at] - best[at]) / (w[at] - best[at])
        for k, own in enumerate(paths):
            for number, model in enumerate(own):
                there = [b + factor * (x - b) for x, b in zip(model, best, strict=True)]
                boxes = [b for b in found.boxes if b.client == (k if number else None)]
                assert any(inside(b, there, strictly=found.open) for b in boxes)


@pytest.mark.parametrize("name", KNOWN)
def test_the_alignment_is_that_of_the_iterates(name):
    exhibit, over = KNOWN[name], facts(KNOWN[name]).aligned.over
    oracle, seen = Oracle(exhibit), []
    (best,) = fractions(minimiser(exhibit.problem, exhibit.algorithm))
    for _, w, paths in run_of(exhibit, 25):
        for k, own in enumerate(paths):
            seen += [oracle.rho(k, model, best) for model in (w, *own)]
    low, high = (Fraction(int(x.p), int(x.q)) for x in (over.low, over.high))
    assert all(x is None or x >= low for x in seen)
    assert 0 < low <= high
    if low == high and any(x is not None for x in seen):
        assert min(x for x in seen if x is not None) == low


def test_the_gradients_stay_below_their_bounds():
    for exhibit in KNOWN.values():
        oracle, known = Oracle(exhibit), facts(exhibit)
        for _, w, paths in run_of(exhibit, 10):
            for own in paths:
                for model in (w, *own):
                    every = [oracle.gradient(k, model) for k in range(2)]
                    mean = [sum(c * x for c, x in zip(oracle.c, column, strict=True))
                            for column in zip(*every, strict=True)]  # fmt: skip
                    local = max(sum(x * x for x in g) for g in every)
                    assert local < Fraction(str(known.G2_local))
                    assert sum(x * x for x in mean) < Fraction(str(known.G2_wide))


def test_the_heterogeneity_is_that_of_the_minima():
    """49/10 and 11/4 are the depths of the two clients, computed by hand."""
    exhibit = RUNS["overlapping masks, full gradients"]
    assert heterogeneity(exhibit) == (fmpq(49, 10) + fmpq(11, 4)) / 2


def test_a_box_that_is_not_mapped_into_itself_is_refused():
    exhibit = RUNS["overlapping masks, noise"]
    wild = replace(exhibit, algorithm=replace(exhibit.algorithm, inner_step_u=fmpq(3)))
    assert "mapped into itself" in iterates(wild)


def test_a_run_from_elsewhere_has_no_known_iterates():
    exhibit = replace(RUNS["overlapping masks, full gradients"], start=rationals([2, 3]))
    assert isinstance(iterates(exhibit), str)
    assert holds(exhibit, Assumption.ALIGNED).holds is None


# ---- premises


def test_what_is_not_known_is_not_met():
    exhibit = RUNS["equal masks, full gradients"]
    assert met(exhibit, Asked("x", (Assumption.ALIGNED,))).holds is None
    assert met(exhibit, Asked("x", strict=ON_ETA)).holds is False  # no value of rho_min
    for name, subject in judge.subjects():
        if "losses" in name or "recursion" in name:
            assert met(subject, Asked("x", strict=ON_ETA)).holds is None


def test_a_strict_condition_is_not_met_at_equality():
    exhibit = RUNS["full masks, full gradients"]
    same = replace(exhibit, algorithm=replace(exhibit.algorithm, inner_step_u=1 / exhibit.L))
    condition = Condition(eta, "<=", 1 / L)
    assert met(same, Asked("x", conditions=(condition,))).holds
    assert not met(same, Asked("x", strict=(condition,))).holds
    wrong = Condition(mu, "==", sp.Integer(1))
    assert not met(exhibit, Asked("x", conditions=(wrong,))).holds


@pytest.mark.parametrize(
    ("assumption", "constant", "value"),
    [
        (Assumption.SMOOTH, "L", fmpq(6)),  # the largest eigenvalue is 4 + sqrt(8)
        (Assumption.STRONGLY_CONVEX, "mu", fmpq(9, 10)),  # the least is (7 - sqrt(29))/2
    ],
)
def test_a_wrong_constant_is_noticed(assumption, constant, value):
    exhibit = RUNS["full masks, noise"]
    assert holds(exhibit, assumption).holds
    assert not holds(replace(exhibit, **{constant: value}), assumption).holds


def test_the_points_against_assumptions_on_all_of_space_are_points_against_them():
    exhibit = RUNS["overlapping masks, noise"]
    assert holds(exhibit, Assumption.ALIGNED_EVERYWHERE) == Evidence(
        False,
        "at W = (0, 1) client 0 has <m_k o grad F_k, W - W*> = 0 and <grad F_k, W - W*> = 7, so "
        "rho_k = 0",
    )
    assert Oracle(exhibit).rho(0, [0, 1], [0, 0]) == 0
    found = holds(exhibit, Assumption.GLOBAL_GRADIENT_EVERYWHERE)
    assert found.holds is False
    assert "> 1000000 at W = (512, 0)" in found.reason


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
    monkeypatch.setattr(judge, "subjects", lambda: (("liar", Liar()),))
    assert summed(claim, settle(claim))["standing"] == Standing.CONFLICT


def test_a_satisfiable_set_is_not_called_contradictory(monkeypatch):
    monkeypatch.setattr(judge, "subjects", lambda: (("liar", Liar()),))
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
    assert any(row.family == "Parameters" for row in rows)


# ---- claims in words


def test_the_fixed_point_readings():
    found = standings(ANY_MASKS)
    refuted = {name for name, word in found.items() if word == Standing.REFUTED}
    assert {name.split(":")[0] for name in refuted} == {
        "any masks", "any masks, one local step", "full masks, any number of local steps",
        "masks that meet Assumptions 1-6 and the conditions",
    }  # fmt: skip
    assert set(found.values()) == {Standing.REFUTED, Standing.TESTED}


@pytest.mark.parametrize("name", [n for n, e in RUNS.items() if not e.problem.noise.scale_u])
def test_leaving_the_minimiser_is_what_the_algorithm_does(name):
    exhibit = RUNS[name]
    oracle = Oracle(exhibit)
    (best,) = fractions(minimiser(exhibit.problem, exhibit.algorithm))
    size = exhibit.algorithm.inner_step_u
    after, _ = oracle.round(best, Fraction(int(size.p), int(size.q)), lambda: 0)
    stays = tell(exhibit, Says.STAYS).verdict is Verdict.NOT_VIOLATED
    assert stays == (after == best)


def test_the_bound_that_is_broken_is_that_of_the_paper():
    """q D^0 + eta^2 B of the first round, against D^1 = D^0 = 1/8, by hand."""
    exhibit = RUNS["overlapping masks, full gradients"]
    told = tell(exhibit, Says.BOUND)
    assert told.verdict is Verdict.VIOLATED
    step, z, G2 = Fraction(1, 10**4), Fraction(3, 4), Fraction(str(facts(exhibit).G2_wide))
    nu = 2 * 4 * (1 - 7 * step) + 1
    added = 2 * G2 + 2 * 7 * nu * Fraction(str(heterogeneity(exhibit)))
    q, t = 1 - z * step, int(told.reason.split("t = ")[1].split(":")[0])
    right = q**t / 8 + step**2 * added * (1 - q**t) / (1 - q)
    assert (
        Fraction(told.numbers["right"]) == right < Fraction(1, 8) == Fraction(told.numbers["left"])
    )
    assert values(exhibit, fmpq(1))["w_gap"] == 10**4 - fmpq(3, 4)


def test_a_longer_step_keeps_the_bound():
    exhibit = RUNS["overlapping masks, full gradients"]
    longer = replace(exhibit, algorithm=replace(exhibit.algorithm, inner_step_u=fmpq(1, 200)))
    assert tell(longer, Says.BOUND).verdict is Verdict.NOT_VIOLATED


def test_the_run_that_does_not_converge_stays_where_it_is():
    exhibit = RUNS["overlapping masks, full gradients, decaying steps"]
    assert tell(exhibit, Says.LIMIT).verdict is Verdict.VIOLATED
    assert first_step(exhibit) == fmpq(4, 3)
    for _, w, _ in run_of(exhibit, 40):
        assert w == [Fraction(1, 4), Fraction(1, 4)]


def test_a_run_at_the_minimiser_refutes_nothing():
    exhibit = RUNS["overlapping masks, full gradients, decaying steps"]
    masks = ((1, 1), (1, 1))
    whole = replace(exhibit, algorithm=replace(exhibit.algorithm, masks=masks))
    assert tell(whole, Says.LIMIT).verdict is Verdict.UNDECIDED


def test_two_local_steps_with_decaying_steps_are_not_decided():
    exhibit = RUNS["overlapping masks, full gradients, decaying steps"]
    longer = replace(exhibit, algorithm=replace(exhibit.algorithm, local_steps=2))
    assert tell(longer, Says.LIMIT).verdict is Verdict.UNDECIDED


def test_every_multiple_is_exceeded_when_it_is_said_to_be():
    proved, found = exceeds_every_multiple()
    assert proved
    total = [Fraction(0)]
    for t in range(1, found[-1][1] + 1):
        total.append(total[-1] + Fraction(1, t))  # t D^t is the harmonic number
    for multiple, t in found:
        beyond = [s for s in range(1, t + 1) if total[s] / s > Fraction(multiple, s + 1)]
        assert beyond == [t]


def test_without_the_proved_growth_the_rate_is_not_refuted(monkeypatch):
    monkeypatch.setattr(says, "exceeds_every_multiple", lambda: (False, ((1, 1),)))
    rows = [r for r in settle(EXACT_CONVERGENCE) if r.reading == "the recursion taken as given"]
    assert {r.verdict for r in rows} == {Verdict.NOT_APPLICABLE, Verdict.UNDECIDED}


def test_what_is_announced_is_open_and_says_what_is_missing():
    found = summed(NONCONVEX, settle(NONCONVEX))
    assert (found["standing"], found["statement"]) == (Standing.OPEN, StatementStatus.UNTESTED)
    assert found["reason"].startswith("announced; the text states no formula")
    assert all(what in found["reason"] for what in NONCONVEX.unstated)
