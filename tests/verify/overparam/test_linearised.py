"""Networks beside their linearisation: an oracle in fractions, and rounds under a fixed kernel."""

from dataclasses import replace
from fractions import Fraction as F
from itertools import pairwise
from math import isqrt

import pytest
from flint import fmpq

import fedbounds.algorithms.linearised_averaging as algorithm
from fedbounds.problems.kernel_rounds import (
    client_rounds,
    in_the_mean,
    on_schedule,
    round_of,
    worst_schedule,
)
from fedbounds.theory.language.registry import claim
from fedbounds.theory.overparam import linearised
from fedbounds.theory.overparam.setups import PLANNED, SCHEDULES
from fedbounds.verify.decide.measurement import measure
from fedbounds.verify.decide.part import decide
from fedbounds.verify.judge.judge import judge
from fedbounds.verify.measure.objectives import exact_array, objective
from fedbounds.verify.setups.found import known_of, view_of
from fedbounds.verify.setups.plan import case_of
from fedbounds.vocabulary import Verdict

NEAR, KERNEL = claim("overparam/linearised"), claim("overparam/kernel")
BESIDE = [one for one in PLANNED if "linearised" in one.setup.view]
ON_SCHEDULE = [one for one in BESIDE if one.setup.view == "rounds, linearised"]
LONG = [one for one in ON_SCHEDULE if "width" in one.name and "eta=1/8" in one.name]


def fraction(x):
    return F(int(fmpq(x).p), int(fmpq(x).q))


def known(setup):
    return known_of(setup, view_of(setup))


# ---- an oracle: two layers and one output, client by client and step by step


class Oracle:
    def __init__(self, run):
        own = dict(run.problem.data)
        self.X = [[[F(x) for x in row] for row in client] for client in own["features"]]
        self.Y = [[F(row[0]) for row in client] for client in own["targets"]]
        self.m, self.d = own["width"], len(self.X[0][0])
        assert isqrt(self.m) ** 2 == self.m
        self.C = F(1, isqrt(self.m))
        self.start = [F(x) for x in run.start]

    def layers(self, theta):
        m, d = self.m, self.d
        return [theta[r * d : (r + 1) * d] for r in range(m)], theta[m * d :]

    def output(self, theta, x):
        W, w = self.layers(theta)
        return self.C * sum(
            w[r] * sum(a * b for a, b in zip(W[r], x, strict=True)) for r in range(self.m)
        )

    def slope(self, theta, x):
        """The derivative of an output."""
        W, w = self.layers(theta)
        first = [self.C * w[r] * a for r in range(self.m) for a in x]
        return first + [
            self.C * sum(a * b for a, b in zip(W[r], x, strict=True)) for r in range(self.m)
        ]

    def still(self, z, x):
        """The output of the linearised model."""
        J = self.slope(self.start, x)
        moved = sum(a * (b - c) for a, b, c in zip(J, z, self.start, strict=True))
        return self.output(self.start, x) + moved

    def rounds(self, eta, K, rows, T):
        """What both miss of all samples, before every round and after the last."""
        theta, z, found, far, most = self.start, self.start, [], F(0), F(0)
        for t in range(T + 1):
            found.append([
                [f(v, x) - y for X, Y in zip(self.X, self.Y, strict=True) for x, y in zip(X, Y, strict=True)]
                for f, v in ((self.output, theta), (self.still, z))
            ])  # fmt: skip
            if t == T:
                break
            ends = []
            for X, Y in zip(self.X, self.Y, strict=True):
                own, flat = list(theta), list(z)
                for _ in range(K):
                    missed = [self.output(own, x) - y for x, y in zip(X, Y, strict=True)]
                    most = max(most, sum(a * a for a in missed))
                    slopes = [self.slope(own, x) for x in X]
                    left = [self.still(flat, x) - y for x, y in zip(X, Y, strict=True)]
                    own = [v - eta * sum(a * s[j] for a, s in zip(missed, slopes, strict=True))
                           for j, v in enumerate(own)]  # fmt: skip
                    first = [self.slope(self.start, x) for x in X]
                    flat = [v - eta * sum(a * s[j] for a, s in zip(left, first, strict=True))
                            for j, v in enumerate(flat)]  # fmt: skip
                    far = max(far, sum((a - b) ** 2 for a, b in zip(own, self.start, strict=True)))
                ends.append((own, flat))
            taken = [end for end, one in zip(ends, rows[t % len(rows)], strict=True) if one]
            theta, z = (
                [sum(col) / len(taken) for col in zip(*own, strict=True)]
                for own in zip(*taken, strict=True)
            )
        return found, far, most


@pytest.mark.parametrize("one", LONG[:8], ids=lambda one: one.name)
def test_both_are_what_the_oracle_has(one):
    run = one.setup.run
    eta, K, rows = (run.parameter(x) for x in ("eta", "K", "schedule"))
    found, far, most = Oracle(run).rounds(F(eta), K, rows, run.rounds)
    shown = known(one.setup)
    for at, (res, still) in enumerate(found):
        apart = sum((a - b) ** 2 for a, b in zip(res, still, strict=True))
        wanted = {"R_2": sum(a * a for a in res), "R_lin": sum(b * b for b in still),
                  "apart_2": apart}  # fmt: skip
        for name, value in wanted.items():
            assert fraction(shown.series(name)[at]) == value, (name, at)
    assert fraction(shown.constant("most_moved2")) == far
    assert fraction(shown.constant("most_xi2")) == most


# ---- the linearised model is rounds under the kernel of the start


def kernel(setup):
    problem, start = objective(setup.run.problem), exact_array(setup.run.start)
    eta = exact_array((setup.run.parameter("eta"),))[0]
    sizes = [problem.samples] * problem.clients
    every = problem.features.reshape(-1, problem.features.shape[2])
    outputs = every
    for weight in problem.layers(start[None, :]):
        outputs = outputs @ weight[0].T
    missed = outputs.reshape(-1) * problem.scale - problem.targets.reshape(-1)
    return client_rounds(problem.gram(start), sizes, eta, setup.run.parameter("K")), missed


@pytest.mark.parametrize("one", LONG[::3], ids=lambda one: one.name)
def test_the_linearised_model_is_its_kernel(one):
    moves, missed = kernel(one.setup)
    rows = one.setup.run.parameter("schedule")
    taken = [rows[t % len(rows)] for t in range(one.setup.run.rounds)]
    assert on_schedule(moves, missed, taken) == list(known(one.setup).series("R_lin"))


def test_so_it_is_in_the_mean_over_clients_at_random():
    one = next(one for one in BESIDE if "1 of 2 at random" in one.name and "width 16" in one.name)
    moves, missed = kernel(one.setup)
    wanted = in_the_mean(moves, missed, 1, one.setup.run.rounds)
    assert wanted == list(known(one.setup).series("R_lin"))


def test_the_worst_schedule_of_the_kernel_is_near_the_network_s_own():
    """Of all schedules of three rounds: both residuals of the network after the kernel's worst."""
    setup = LONG[-1].setup
    moves, missed = kernel(setup)
    worst = worst_schedule(moves, missed, 2, (1, 2))
    run = replace(setup.run, parameters=(*setup.run.parameters[:2], ("schedule", worst.rows)))
    shown = known(replace(setup, run=run))
    assert shown.series("R_lin")[2] == worst.value
    assert shown.series("apart_2")[2] < worst.value / 1000


# ---- the claim


def test_it_holds_on_every_plan_and_says_less_of_wider_networks():
    least = {}
    for one in BESIDE:
        case = case_of(one, "")
        found = judge((NEAR, KERNEL), case, seed=0, workers=1)
        verdicts = {o.verdict for own in found.judgements for o in own.outcomes}
        assert Verdict.VIOLATED not in verdicts, one.name
        assert Verdict.NOT_VIOLATED in verdicts, one.name
        if "width" in one.name and "both" in one.name and "then" not in one.name:
            numbers = measure(case).numbers
            width = int(numbers.constants["width"])
            if "eta=1/8" in one.name:
                least[width] = fraction(numbers.series["apart_2"][-1])
    widths = sorted(least)
    assert widths == [4, 16, 64, 256]
    assert all(4 * least[b] < least[a] for a, b in pairwise(widths))


def outcome(part, one):
    case = case_of(one, "")
    return decide(part, measure(case).numbers, case.method).verdict


def test_a_bound_that_falls_too_fast_is_broken():
    """Planted: another power of the width, of networks that are wide."""
    part = NEAR.parts[0]
    wrong = replace(part, right=part.right / linearised.width**3)
    assert outcome(part, LONG[-1]) is Verdict.NOT_VIOLATED
    assert outcome(wrong, LONG[-1]) is Verdict.VIOLATED


def test_a_mean_over_all_clients_is_noticed(monkeypatch):
    """Planted: the mean over all clients in place of those of S_t, in the linearised model alone."""
    one = LONG[0]
    right = list(known(one.setup).series("R_lin"))

    def of_all(problem, own, present):
        return problem.xp.sum(own, axis=1) / own.shape[1]

    moves, missed = kernel(one.setup)
    rows = one.setup.run.parameter("schedule")
    taken = [rows[t % len(rows)] for t in range(one.setup.run.rounds)]
    assert on_schedule(moves, missed, taken) == right
    monkeypatch.setattr(algorithm, "mean_of", of_all)
    other = replace(one.setup, run=replace(one.setup.run, rounds=one.setup.run.rounds + 1))
    shown = list(known(other).series("R_lin"))[: len(right)]
    assert shown[0] == right[0]
    assert shown[1] != right[1]
    after = round_of(moves, (1, 1)) @ missed
    assert shown[1] == after @ after


def test_schedules_are_those_of_the_paper_s_plans():
    told = {one.setup.run.parameter("schedule") for one in LONG}
    assert told == {rows for _, rows in SCHEDULES}
