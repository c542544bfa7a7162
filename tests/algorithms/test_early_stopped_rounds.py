"""Meerkat-vp from its choice on: an oracle of clients and steps, exact means, planted errors."""

from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest
import zeroth_order_oracle as oracle
from early_stopping_oracle import stopped
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st
from meerkat_cases import CASES, F, cases, listed, setup_of
from traced_rounds import run
from zeroth_order_oracle import FIVE

from fedbounds.algorithms import early_stopped_rounds as own
from fedbounds.algorithms import sparse_zeroth_order
from fedbounds.algorithms.masks_by_score import largest
from fedbounds.errors import FedboundsError
from fedbounds.problems import pretraining, softmax_clients
from fedbounds.theory.language.setups import Shown
from fedbounds.verify.measure.clients import Clients
from fedbounds.verify.measure.enumerated import begun, enumerated, one_state, sources_of_init
from fedbounds.verify.measure.moments import moments
from fedbounds.verify.measure.random import answered
from fedbounds.verify.measure.sources import TooManyError
from fedbounds.verify.measure.subject import Subject
from fedbounds.verify.measure.trace import subject_of
from fedbounds.verify.measure.unknowns import Refused
from fedbounds.verify.measure.unrolled import unroll_from
from fedbounds.verify.setups.found import known_of, view_of

RULE = {"calibration": 4, "initial": 2, "later": 2, "quiet": F(1, 2), "ratio": F(2),
        "share": F(1, 2), "latest": 1, "absolute": 0}  # fmt: skip


def subject(case, algorithm, rounds=1, **more):
    """Rounds of one of the algorithms, with the rule's parameters."""
    setup = setup_of(case, "rounds", rounds)
    found = subject_of(setup.run, view_of(setup))
    given_ = {**RULE, "pretraining": tuple(range(1, case.d + 1)), **more}
    return replace(found, algorithm=algorithm, shown=Shown(), values={**found.values, **given_})


# ---- the choice by scores


def of_clients(case, array):
    return listed(array) if len(array) == case.n else listed(array) * case.n


def calibrated(case, z, noise, values):
    """Scores and flags: every client from w^0, step by step; what the server does with it."""
    scores = []
    for client, zs, noises in zip(case.clients, of_clients(case, z), listed(noise), strict=True):
        _, sent = oracle.local_steps(client, list(case.start), zs, noises, case.epsilon, case.eta)
        along = [oracle.dot(values["pretraining"], z) for z in zs]
        scores.append([g * x for g, x in zip(sent, along, strict=True)])
    by = own.rule_of(values)
    return scores, [stopped(row, by) for row in scores]


def drawn_for(found, answers):
    p = found.parameters()
    return answered(
        lambda random: own.draw_calibration(random, found.problem, p), sources_of_init(found),
        answers,
    )  # fmt: skip


def chosen_rightly(case, algorithm, seed, **more):
    """Whether two rounds of two replicas are the oracle's, from the choice on."""
    found = subject(case, algorithm, 2, **more)
    done = run(found, rows=2, seed=seed)
    drawn = drawn_for(found, done.initial)
    for row in range(2):
        _, flags = calibrated(case, drawn["z"][row], drawn["noise"][row], found.values)
        for t in range(3):
            if listed(done.states[t]["stopped"][row]) != list(map(int, flags)):
                return False
        w = list(case.start)
        for t in range(2):
            steps = [1 if flag else case.K for flag in flags]
            zs = of_clients(case, done.draws[t]["z"][row])
            noises = listed(done.draws[t]["noise"][row])
            zs, noises = ([x[:k] for x, k in zip(y, steps, strict=True)] for y in (zs, noises))
            w, _, _ = oracle.one_round(case.clients, w, zs, noises, case.epsilon, case.eta)
            if listed(done.states[t + 1]["x"][row]) != w:
                return False
    return True


@settings(deadline=None, max_examples=30)
@given(cases(), st.integers(0, 1000), st.integers(0, 1), st.integers(0, 1))
def test_the_choice_and_its_rounds_are_the_oracles(case, seed, latest, absolute):
    assert chosen_rightly(case, own.CHOSEN, seed, latest=latest, absolute=absolute)


def other_seeds(scalars, z, gradient):
    """Planted: the server takes the direction of the step before."""
    return RIGHT["gradip"](scalars, np.roll(z, 1, axis=2), gradient)


def sizes(scalars, z, gradient):
    """Planted: |GradIP| where the rule has signed scores."""
    return abs(RIGHT["gradip"](scalars, z, gradient))


def calibration_of_one(problem, p, x, drawn):
    """Planted: the first client's scalars for everybody."""
    scalars, reached = RIGHT["sent"](problem, p, x, drawn)
    return scalars * 0 + scalars[:, :1, :], reached


def any_share(scores, by):
    """Planted: the ratio alone."""
    return RIGHT["flagged"](scores, replace(by, share=1))


RIGHT = {name: getattr(own, name) for name in ("gradip", "sent", "flagged")}


@pytest.mark.parametrize(
    ("part", "wrong"),
    [("gradip", other_seeds), ("gradip", sizes), ("sent", calibration_of_one),
     ("flagged", any_share)],
)  # fmt: skip
def test_planted_errors_of_the_choice_are_caught(part, wrong, monkeypatch):
    case = CASES["three clients, three steps, noise"]
    assert all(chosen_rightly(case, own.CHOSEN, seed) for seed in range(6))
    monkeypatch.setattr(own, part, wrong)
    assert not all(chosen_rightly(case, own.CHOSEN, seed) for seed in range(6))


def test_a_stopped_client_that_goes_on_is_caught():
    def step(problem, p, state, drawn, see):
        after = own.step_chosen(problem, p, {**state, "stopped": state["stopped"] * 0}, drawn, see)
        return {**after, "stopped": state["stopped"]}

    case = CASES["three clients, three steps, noise"]
    wrong = replace(own.CHOSEN, step=step)
    assert not all(chosen_rightly(case, wrong, seed) for seed in range(6))


# ---- methods


def test_polynomials_refuse_the_choice_and_gaussian_directions_are_not_listed():
    found = subject(CASES["two clients, two steps"], own.CHOSEN)
    with pytest.raises(TooManyError, match="infinitely many outcomes"):
        enumerated(found)
    with pytest.raises(Refused, match="compares an entry that is not known"):
        moments(found)


def test_chances_of_the_choice_are_exact_where_directions_are_few(monkeypatch):
    def signs(random, problem, p, steps):
        clients = problem.clients if p["own"] else 1
        return random.signs(clients, steps, problem.dimension)

    monkeypatch.setattr(own, "directions", signs)
    case = replace(CASES["two clients, two steps"], start=(F(3), F(1)))
    found = subject(case, own.CHOSEN, calibration=3, share=F(1), ratio=F(1, 4))
    rows = begun(found)
    chances = [fmpq(0)] * 2
    for flat in product((-1, 1), repeat=6):
        z = np.array([flat[i : i + 2] for i in (0, 2, 4)], dtype=object)[None]
        noise = np.array([[[fmpq(0)] * 2] * 3] * 2, dtype=object)
        _, flags = calibrated(case, z, noise, found.values)
        chances = [x + fmpq(int(flag), 64) for x, flag in zip(chances, flags, strict=True)]
    assert (rows.state["stopped"] * rows.chances[:, None]).sum(axis=0).tolist() == chances
    assert any(0 < x < 1 for x in chances)


@settings(deadline=None, max_examples=20)
@given(cases())
def test_mean_scores_of_a_calibration_are_exact(case):
    """E GradIP = <grad f_p, m o grad f_k(E w)> on quadratics, whose mean path is followed here."""
    found = subject(replace(case, noise=F(0)), own.CALIBRATION, calibration=2)
    one = unroll_from(found, one_state(found))
    every = range(len(one.variables.sources))
    for k, client in enumerate(case.clients):
        w = list(case.start)
        for t in range(2):
            g = oracle.masked(case.mask, oracle.gradient(client, w))
            mean = one.variables.mean(one.shown["scores"][0, k, t], every)
            (number,) = one.variables.terms(mean).values() or (fmpq(0),)
            assert number == oracle.dot(found.values["pretraining"], g)
            w = oracle.minus(w, oracle.times(case.eta, g))


# ---- a linear layer: sampled, no minimiser is known


def stopped_shares(split, algorithm, **more):
    """Over 20 replicas the share of clients that are stopped, and how the loss changed."""
    problem = softmax_clients(split, clients=4, classes=4, dimension=16, samples=60)
    pretrained = Clients(pretraining(problem, dial=0.0)).gradient(np.zeros((1, 64)))[0, 0]
    values = {"mask": largest(pretrained**2, 8), "pretraining": tuple(pretrained.tolist()),
              "eta": 0.3, "epsilon": 1e-3, "own": 0, "K": 3, "calibration": 30, "initial": 10,
              "later": 10, "quiet": 0.05, "ratio": 4, "share": 0.6, "latest": 1, "absolute": 1,
              **more}  # fmt: skip
    done = run(Subject(algorithm, Clients(problem), np.zeros(64), values, 3), rows=20)
    first, last = (Clients(problem).value(done.states[t]["x"]).mean() for t in (0, 3))
    return done.states[0]["stopped"].mean(), last - first


def test_the_choice_runs_on_a_linear_layer_and_depends_on_the_labels():
    """One data set and one set of thresholds, so that nothing is said of which clients are found."""
    single, change = stopped_shares("single label", own.CHOSEN)
    every, other = stopped_shares("IID", own.CHOSEN)
    assert 0 < every != single < 1
    assert max(change, other) < 0
    share, change = stopped_shares("IID", own.AT_RANDOM, m=1)
    assert share == 1 / 4
    assert change < 0


# ---- the choice at random


def series(case, algorithm, rounds, quantity, **more):
    """Exact means of a quantity of rounds."""
    setup = setup_of(case, "rounds", rounds)
    given_ = replace(setup.run, parameters=(*setup.run.parameters, *more.items()))
    view = view_of(setup)
    draws = {**view.shown.draws, "S": ("stopped",)} if "m" in more else view.shown.draws
    view = replace(view, algorithm=algorithm, shown=replace(view.shown, draws=draws))
    return known_of(replace(setup, run=given_), view).series(quantity)


THREE = CASES["three clients, three steps, noise"]


@pytest.mark.parametrize("m", [1, 2])
@pytest.mark.parametrize("quantity", ["Dw_2", "f"])
def test_a_mean_over_random_selection_is_that_over_all_sets(m, quantity):
    sets = [tuple(int(k in s) for k in range(3)) for s in combinations(range(3), m)]
    case = replace(THREE, K=2)
    every = [series(case, "sparse_zeroth_order.STOPPED", 1, quantity, stopped=s) for s in sets]
    found = series(case, own.ANEW, 1, quantity, m=m)
    assert listed(found) == listed(sum(every) / len(sets))
    assert len({tuple(x) for x in every}) > 1


def test_several_rounds_of_others_are_those_of_listed_outcomes():
    """Two clients on a line: every direction of five points, every set, round after round."""
    clients = tuple((((F(h),),), (F(b),)) for h, b in ((2, 1), (1, -3)))
    case = CASES["two clients, two steps"]
    case = replace(case, clients=clients, start=(F(2),), mask=(1,), eta=F(1, 5), epsilon=F(1, 3))
    f, states, wanted = oracle.averaged(clients), {(F(2),): F(1)}, []
    for _ in range(3):
        wanted.append(sum(c * oracle.value(f, list(w)) for w, c in states.items()))
        after = {}
        for (w, c), pair, who in product(states.items(), product(FIVE, repeat=2), range(2)):
            z = [[F(x)] for x, _ in pair]
            zs = [z[:1] if k == who else z for k in range(2)]
            noises = [[[F(0)]] * len(x) for x in zs]
            w, *_ = oracle.one_round(clients, list(w), zs, noises, case.epsilon, case.eta)
            chance = c * pair[0][1] * pair[1][1] / 2
            after[tuple(w)] = after.get(tuple(w), F(0)) + chance
        states = after
    found = listed(series(case, own.ANEW, 2, "f", m=1))
    assert found == [x - oracle.lowest(f) for x in wanted]


def with_replacement(random, problem, p):
    """Planted: a client may be stopped twice."""
    drawn = sparse_zeroth_order.draw(random, problem, p)
    return {**drawn, "stopped": random.participants_with_replacement(problem.clients, p["m"])}


def by_itself(random, problem, p):
    """Planted: every client is stopped by itself, so that their number is another."""
    drawn = sparse_zeroth_order.draw(random, problem, p)
    chance = fmpq(p["m"]) / problem.clients
    return {**drawn, "stopped": random.bernoulli(chance, problem.clients)}


@pytest.mark.parametrize("draw", [with_replacement, by_itself])
def test_planted_laws_of_a_random_choice_are_caught(draw):
    case = replace(THREE, K=2)
    right, wrong = (
        listed(series(case, algorithm, 1, "Dw_2", m=2))
        for algorithm in (own.ANEW, replace(own.ANEW, draw=draw, name="planted"))
    )
    assert right != wrong


def test_a_choice_before_round_0_is_one_of_all_sets_and_stays():
    found = subject(THREE, own.AT_RANDOM, 2, m=2)
    rows = begun(found)
    assert sorted(map(tuple, listed(rows.state["stopped"]))) == [(0, 1, 1), (1, 0, 1), (1, 1, 0)]
    assert listed(rows.chances) == [fmpq(1, 3)] * 3
    done = run(found, rows=3)
    assert all((x["stopped"] == done.states[0]["stopped"]).all() for x in done.states)
    with pytest.raises(Refused):
        moments(found)


def test_outcomes_of_a_choice_before_round_0_are_those_of_all_sets(monkeypatch):
    """With directions that are signs, so that all outcomes are listed; ANEW is another law."""

    def signs(random, problem, p, steps):
        return random.signs(1, steps, problem.dimension)

    def mean_square(algorithm, **more):
        last = enumerated(subject(case, algorithm, 2, **more)).last
        return (last.state["x"][:, 0] ** 2 * last.chances).sum()

    monkeypatch.setattr(sparse_zeroth_order, "directions", signs)
    clients = tuple((((F(h),),), (F(b),)) for h, b in ((2, 1), (1, -3), (5, 0)))
    case = replace(THREE, clients=clients, start=(F(2),), mask=(1,), K=2, noise=F(0), eta=F(1, 7))
    sets = [tuple(int(k == i) for k in range(3)) for i in range(3)]
    every = [mean_square(sparse_zeroth_order.STOPPED, stopped=s) for s in sets]
    assert mean_square(own.AT_RANDOM, m=1) == sum(every) / 3
    assert mean_square(own.ANEW, m=1) != sum(every) / 3


@settings(deadline=None, max_examples=10)
@given(cases(), st.integers(0, 1000))
def test_a_round_of_all_clients_stopped_has_one_step(case, seed):
    found = subject(case, own.ANEW, 1, m=case.n)
    done = run(found, rows=1, seed=seed)
    zs = [x[:1] for x in of_clients(case, done.draws[0]["z"][0])]
    noises = [x[:1] for x in listed(done.draws[0]["noise"][0])]
    after, _, _ = oracle.one_round(
        case.clients, list(case.start), zs, noises, case.epsilon, case.eta
    )
    assert listed(done.states[1]["x"][0]) == after


# ---- bad input


@pytest.mark.parametrize(
    ("algorithm", "more", "told"),
    [
        (own.CHOSEN, {"initial": 0}, "window initial is 0; expected at least 1"),
        (own.CHOSEN, {"later": 9}, "window later is 9; expected at most the 4 steps"),
        (own.CHOSEN, {"share": 2}, "threshold share is 2"),
        (own.CHOSEN, {"pretraining": (1,)}, "steps and length of the directions"),
        (own.AT_RANDOM, {"m": 4}, "participants m is 4; expected between 1 and n = 3"),
        (own.ANEW, {"m": 0}, "participants m is 0"),
    ],
)
def test_bad_input_is_refused_in_a_line(algorithm, more, told):
    with pytest.raises(FedboundsError, match=told) as error:
        run(subject(THREE, algorithm, **more))
    assert "\n" not in str(error.value)
