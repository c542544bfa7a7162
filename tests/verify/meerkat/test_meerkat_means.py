"""What runs of Meerkat show in the mean: two slow oracles agree, and are what moments give."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from each import each
from flint import arb
from hypothesis import given, settings
from meerkat_cases import (
    CASES,
    FEW,
    HALF,
    SMALL,
    THIRD,
    W_2,
    A,
    B,
    F,
    case_of,
    cases,
    closed,
    differing,
    known,
    listed,
    setup_of,
)
from zeroth_order_oracle import ROUND, START, STEP, Case, Listed

from fedbounds.theory.meerkat.setups import PLANNED
from fedbounds.verify.setups.found import known_of, view_of


@pytest.mark.parametrize("name", FEW)
def test_both_oracles_agree(name):
    case = CASES[name]
    one, other = Listed(case).numbers(), closed(case, "rounds", 1)
    assert {x: other[x] for x in ROUND} == {x: [one[x]] for x in ROUND}
    assert {x: other[x] for x in START} == {x: list(one[x]) for x in START}
    assert one["Dw_2"] != 0


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("name", FEW)
def test_both_oracles_agree_on_local_steps(name, count):
    case = CASES[name]
    one, other = Listed(case).of_steps(count), closed(case, "local steps", count)
    assert {(x, k): other[x][k][count - 1] for x, k in product(STEP, one)} == {
        (x, k): one[k][x] for x, k in product(STEP, one)
    }


@pytest.mark.parametrize("name", CASES)
def test_expectations_of_rounds_are_the_oracles(name):
    found = known(CASES[name], "rounds", 2)
    wanted = closed(CASES[name], "rounds", 2)
    assert {x: listed(found.series(x)) for x in wanted} == wanted
    assert set(wanted) | {"G_1"} == set(found.quantities)
    assert found.constant("u_m") == sum(CASES[name].mask)
    assert found.constant("u_ratio") == F(sum(CASES[name].mask), CASES[name].d)


@pytest.mark.parametrize("stopped", [(0, 1), (1, 0), (1, 1), (0, 0)])
@pytest.mark.parametrize("name", ["two clients, two steps", "two clients, own directions, noise"])
def test_expectations_with_stopped_clients_are_the_oracles(name, stopped):
    wanted = Listed(CASES[name]).stopped(stopped)
    for view in ("rounds, some clients stopped", "few local steps, some clients stopped"):
        setup = setup_of(CASES[name], view, 1, stopped=stopped)
        found = known_of(setup, view_of(setup))
        assert {x: found.series(x)[0] for x in wanted} == wanted
        assert found.constant("taken_share") == F(4 - sum(stopped), 4)
    alone = sum(wanted[x] for x in ("X_ge", "X_be"))
    assert all(stopped) or wanted["drift_g"] > 0
    assert alone != 0


@pytest.mark.parametrize("name", CASES)
def test_expectations_of_local_steps_are_the_oracles(name):
    found = known(CASES[name], "local steps", 3)
    wanted = closed(CASES[name], "local steps", 3)
    assert {x: listed(found.series(x)) for x in wanted} == wanted
    assert set(wanted) | {"s_k2"} == set(found.quantities)
    own, noise = found.series("g_k2")[:, :3], CASES[name].d * CASES[name].noise ** 2
    assert listed(found.series("s_k2")) == listed(own + noise)  # of a sample


@settings(deadline=None, max_examples=25)
@given(cases())
def test_expectations_of_random_rounds_are_the_oracles(case):
    assert differing(case, "rounds", 1) == set()
    assert differing(case, "local steps", 2) == set()


def planned():
    """Of up to three coordinates, one for each problem, view and number of local steps."""
    found = {}
    for one in PLANNED:
        run = one.setup.run
        if run.problem.family != "quadratics":
            continue
        few = one.setup.view in ("rounds", "local steps") and len(run.parameter("mask")) <= 3
        if few and (run.parameter("K") or 1) <= 5:
            found.setdefault((run.problem, one.setup.view, run.parameter("K")), one)
    assert len(found) > 20
    return list(found.values())


@each("one", planned)
def test_expectations_of_planned_set_ups_are_the_oracles(one):
    setup = replace(one.setup, run=replace(one.setup.run, rounds=min(3, one.setup.run.rounds)))
    case, found = case_of(setup), known_of(setup, view_of(setup))
    wanted = closed(case, setup.view, setup.run.rounds)
    assert {x: listed(found.series(x)) for x in wanted} == wanted


# ---- the norm, which is no polynomial


ONE_NUMBER = {
    "no noise": Case((A, B), W_2, (0, 1), SMALL, THIRD, 1),
    "noise": Case((A, B), W_2, (1, 0), SMALL, THIRD, 1, 0, HALF),
}


def hermite(count):
    """Points and chances of a Gaussian."""
    points, weights = np.polynomial.hermite_e.hermegauss(count)
    return points, weights / weights.sum()


def norms(case, rounds):
    """E ||grad f(w^r)|| in floats, where a round draws one number: Gauss and Hermite's rule."""
    u = case.mask.index(1)
    points, chances = hermite(60)
    clients = [(np.array(H).astype(float), np.array(h).astype(float)) for H, h in case.clients]
    H, h = (sum(own) / case.n for own in zip(*clients, strict=True))
    w, p, found = np.array([case.start]).astype(float), np.ones(1), []
    signs = [
        np.array(own) * float(case.noise) for own in product((1, -1) if case.noise else (0,), repeat=case.n)
    ]  # fmt: skip
    for _ in range(rounds):
        G = w @ H + h
        found.append((p @ np.linalg.norm(G, axis=1), p @ G, p @ (G * G).sum(axis=1)))
        slope = np.stack([(w @ Hk + hk)[:, u] for Hk, hk in clients], axis=1)
        every = []
        for noise in signs:
            moved = (slope + noise).mean(axis=1)[:, None] * points**2 * float(case.eta)
            after = np.repeat(w[:, None], len(points), axis=1)
            after[:, :, u] -= moved
            every.append(after.reshape(-1, case.d))
        w = np.concatenate(every)
        p = np.concatenate([np.outer(p, chances).reshape(-1) / len(signs)] * len(signs))
    return found


@pytest.mark.parametrize("name", ONE_NUMBER)
def test_the_mean_norm_is_within_its_ball(name):
    case = ONE_NUMBER[name]
    balls = known(case, "rounds", 3).series("G_1")
    assert len(balls) == 3
    for t, (ball, (norm, G, square)) in enumerate(zip(balls, norms(case, 3), strict=True)):
        if t == 0:
            assert float(ball.mid()) == pytest.approx(norm, rel=1e-12)
            continue
        assert isinstance(ball, arb)
        assert ball.contains(arb(norm))
        assert float(ball.lower()) == pytest.approx(np.linalg.norm(G), rel=1e-9)
        assert float(ball.upper()) == pytest.approx(np.sqrt(square), rel=1e-9)
        assert float(ball.lower()) < norm < float(ball.upper())


@pytest.mark.parametrize("name", ["one client, one step", "three clients, own directions"])
def test_the_norm_is_that_of_the_oracle_before_anything_is_drawn(name):
    case = CASES[name]
    first = known(case, "rounds", 1).series("G_1")[0]
    assert first * first == closed(case, "rounds", 1)["G_f"][0]
