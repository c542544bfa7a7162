"""FedPLT's vectors under every outcome, against nested loops in rationals."""

from functools import cache

import bridge
import numpy as np
import pytest
import sympy as sp
from fedplt_oracle import COUNTS, ETA, FREE, MASKS, SCALE, W_0, Slow, dot, minus, numbers_of, plain
from flint import fmpq as F

from fedbounds.algorithms import fedplt_rows
from fedbounds.algorithms.fedplt_rows import FedPLT
from fedbounds.errors import FedboundsError
from fedbounds.problems import (
    FederatedQuadratic,
    Noise,
    NoiseLaw,
    Start,
    federated_logistic,
    federated_quadratic,
)
from fedbounds.verify.fedplt import driving
from fedbounds.verify.fedplt import outcomes as module
from fedbounds.verify.fedplt.outcomes import free_outcomes, round_outcomes, virtual_outcomes
from fedbounds.verify.fedplt.values import alignment, evaluate
from fedbounds.verify.outcomes import MOST_ROWS, depends_on

CLOSE = 1e-13  # times the size of a statement

sq, ip, given, mask, comp, share, attenuate = sp.symbols(
    "sq ip given mask comp share attenuate", cls=sp.Function
)
past, xi, k, s, eta, tau = sp.symbols("past xi k s eta tau")
W, Wk, Wstar, Wn, Ws = sp.symbols("W Wk Wstar Wn Ws")
g, g0, gs, ns, U, Ub, delta, noise = sp.symbols("g g0 gs ns U Ub delta noise")
D, Db, Ek, E0, Es, gap, one = sp.symbols("D Db Ek E0 Es gap one")

# ---- instances: three clients or two, two coordinates, noise +-1/2 on each


def instance(n, steps, scale=SCALE):
    objective = plain(n)
    law = Noise(NoiseLaw.RADEMACHER, float(scale), 0.0)
    problem = FederatedQuadratic(
        np.array(objective.hessian, dtype=float), np.array(objective.linear, dtype=float), 2, law
    )
    start = Start(np.array(W_0, dtype=float), np.zeros((n, 0)))
    return problem, FedPLT(MASKS[n], COUNTS[:n], steps, float(ETA)), start


@cache
def found_by(view, n, steps, count):
    problem, algorithm, start = instance(n, steps)
    if view == "A":
        return free_outcomes(problem, algorithm, start.u, np.array(FREE[:n], dtype=float))
    return {"R": round_outcomes, "V": virtual_outcomes}[view](problem, algorithm, start, count)


def value(statement, found, **values):
    seen = evaluate(statement, found, {"eta": float(ETA), **values})
    assert seen.size >= abs(seen.value)
    return seen


def is_zero(statement, found, **values):
    seen = value(statement, found, **values)
    return abs(seen.value) <= CLOSE * seen.size


# ---- statements and what they mean

STATEMENTS = {
    "D^t": sq(W - Wstar),
    "D^t+1": sq(Wn - Wstar),
    "A_1": sq(D - Db),
    "A_2": sq(W - Wstar + Db),
    "A_3": 2 * ip(D - Db, W - Wstar + Db),
    "divergence": sq(Wk - W),
    "own distance": sq(Wk - Wstar),
    "squared shares": ip(share(mask(delta)), mask(delta)),
    "gradients": sq(attenuate(g)),
    "masked slope": ip(mask(g), Wk - Wstar),
    "compensated slope": ip(comp(mask(g)), Wk - Wstar),
    "average": sq(W - given(Wk, past, xi)),
    "gaps": ip(Ek, one),
    "gaps at W": ip(E0, one),
    "Lambda": ip(gap, one),
}
CASES = {
    "A, two clients": ("A", 2, 1, 1),
    "A, three clients": ("A", 3, 1, 1),
    "R, tau = 1": ("R", 2, 1, 3),
    "R, three clients": ("R", 3, 1, 2),
    "R, tau = 2": ("R", 2, 2, 1),
    "R, tau = 2, second round": ("R", 2, 2, 2),
    "V, tau = 2, t = 1": ("V", 2, 2, 2),
    "V, tau = 2, t = 2": ("V", 2, 2, 3),
    "V, three clients": ("V", 3, 2, 2),
}


@cache
def expected(view, n, steps, count):
    slow = Slow(n, steps)
    if view == "A":
        return numbers_of(slow, slow.one(tuple(W_0), FREE[:n]))
    return numbers_of(slow, slow.last_round(count) if view == "R" else slow.last_step(count))


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_statements_have_the_oracles_values(case):
    found, wanted = found_by(*case), expected(*case)
    for name, statement in STATEMENTS.items():
        seen = value(statement, found)
        assert abs(seen.value - float(wanted[name])) <= CLOSE * seen.size, name
    if case[0] == "R":
        seen = value(case[2] * sq(mask(gs + ns)), found)
        assert abs(seen.value - float(wanted["local squares"])) <= CLOSE * seen.size


@pytest.mark.parametrize("name", ["mask", "comp", "share", "attenuate"])
def test_a_factor_that_is_forgotten_is_caught(name):
    found = found_by("A", 2, 1, 1)
    plain_one = {
        other: array if other != name else array * 0 + 1 for other, array in found.factors.items()
    }
    statements = {
        "mask": STATEMENTS["masked slope"],
        "comp": STATEMENTS["compensated slope"],
        "share": STATEMENTS["squared shares"],
        "attenuate": sq(attenuate(g)),
    }
    planted = module.Enumerated(found.space, plain_one)
    differs = abs(value(statements[name], planted).value - value(statements[name], found).value)
    # every client here trains something, so min(1, sqrt(||m||_0)) is 1
    assert (differs > 1e-3) == (name != "attenuate")


@pytest.mark.parametrize("name", ["compensation", "shares"])
def test_an_error_planted_in_the_server_is_caught(monkeypatch, name):
    problem, algorithm, start = instance(2, 2)
    size = 2 if name == "shares" else len(algorithm.masks[0])
    monkeypatch.setattr(fedplt_rows, name, lambda a: (bridge.rational(F(1, 2)),) * size)
    found = round_outcomes(problem, algorithm, start, 1)
    wanted = float(expected("R", 2, 2, 1)["D^t+1"])
    assert abs(value(sq(Wn - Wstar), found).value - wanted) > 1e-3


# ---- identities in every view, and how the views are related


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_what_is_so_by_definition(case):
    found, zero = found_by(*case), is_zero
    steps = case[2] if case[0] == "R" else 1
    assert zero(sq(Wn - W - D), found)
    assert zero(sq(D - comp(given(mask(U), past, xi))), found)
    assert zero(sq(Db - comp(given(mask(Ub), past, xi))), found)
    assert zero(sq(delta - U + Ub), found)
    assert zero(sq(delta + eta * noise), found)
    assert zero(sq(U + eta * tau * given(gs + ns, past, xi, k)), found, tau=steps)
    assert zero(sq(given(ns, past, k, s)), found)
    assert zero(sq(mask(mask(g)) - mask(g)), found)
    assert zero(ip(Es - gap, one), found)  # F* is the mean of F_k(W*)
    if case[0] == "R":
        assert zero(sq(Wk - W - mask(U)), found)
    else:
        assert zero(sq(Ws - Wk) + sq(gs - g) + sq(Ub + eta * g), found)
    assert not zero(sq(D - given(mask(U), past, xi)), found)


def test_with_one_local_step_the_virtual_view_is_the_algorithm():
    rounds, steps = found_by("R", 2, 1, 3).space, found_by("V", 2, 1, 3).space
    for name in ("W", "Wn", "D", "Db", "U", "g0", "E0"):
        np.testing.assert_allclose(rounds.vectors[name], steps.vectors[name], rtol=1e-13)


def test_where_tau_divides_t_the_virtual_model_is_the_algorithms():
    rounds, steps = found_by("R", 2, 2, 2), found_by("V", 2, 2, 3)
    for statement in (sq(W - Wstar), sq(W), ip(E0, one), sq(g0)):
        left, right = value(statement, rounds), value(statement, steps)
        assert abs(left.value - right.value) <= CLOSE * left.size


# ---- dependence is what the draws make it


FIXED = {
    name: frozenset(on) for name, on in {"Wstar": (), "one": (), "Es": "k", "gap": "k"}.items()
}


def sources(text):
    names = {"p": "past", "x": "xi", "k": "k", "s": "s"}
    return frozenset(names[letter] for letter in text)


@pytest.mark.parametrize(
    ("case", "on"),
    [
        (("A", 2, 1, 1), {"W": "", "Wk": "k", "g": "k", "noise": "xk", "U": "xk", "Ub": "k", "Db": "",
                          "D": "x", "Wn": "x", "Ek": "k", "E0": "k", "delta": "xk", "Ws": "k"}),
        (("R", 2, 1, 3), {"W": "p", "Wk": "pxk", "g": "pxk", "g0": "pk", "noise": "xk", "U": "pxk",
                          "Ub": "pk", "Db": "p", "D": "px", "Wn": "px", "Ek": "pxk", "ns": "xk"}),
        (("R", 2, 2, 2), {"W": "p", "Wk": "pxk", "Ws": "pxks", "gs": "pxks", "ns": "xks",
                          "noise": "xk", "Ub": "pxk", "Db": "px", "E0": "pk", "D": "px"}),
        (("V", 2, 2, 2), {"W": "p", "Wk": "pk", "g": "pk", "U": "pxk", "Ub": "pk", "Db": "p",
                          "ns": "xk", "Wn": "px", "delta": "xk"}),
        (("V", 2, 2, 3), {"W": "p", "Wk": "p", "g": "pk"}),
    ],
)  # fmt: skip
def test_dependence_is_computed_from_the_draws(case, on):
    space = found_by(*case).space
    assert {name: depends_on(space, name) for name in on} == {n: sources(x) for n, x in on.items()}
    assert {name: depends_on(space, name) for name in FIXED} == FIXED


def test_a_planted_error_in_the_gradient_shows_in_the_dependence(monkeypatch):
    problem, algorithm, start = instance(2, 1)
    original = driving.disturbed

    def planted(problem, z, gradient, drawn, step):
        gradient += drawn.noise[step]  # in place: the exact gradient is disturbed too
        return original(problem, z, gradient, drawn, step)

    monkeypatch.setattr(driving, "disturbed", planted)
    found = virtual_outcomes(problem, algorithm, start, 1)
    assert depends_on(found.space, "g") == {"k"}
    assert depends_on(found.space, "gs") == {"xi", "k"}


def test_clients_weigh_what_their_data_do():
    space = found_by("R", 3, 1, 2).space
    np.testing.assert_allclose(space.weights[2], [1 / 6, 1 / 2, 1 / 3])
    assert [weights.sum() for weights in space.weights] == pytest.approx([1.0] * 4)
    assert len(space.weights[0]) == 2**4  # noise off the masks leads to equal states: merged


# ---- alignment, noiseless runs, refusals


def test_alignment_is_assumption_six_at_the_iterates():
    found, slow = found_by("A", 2, 1, 1), Slow(2, 1)
    star = slow.best(slow.c)
    for j in range(2):
        gradient, x = slow.gradient(j, FREE[j]), minus(FREE[j], star)
        wanted = sum(m * a * b for m, a, b in zip(MASKS[2][j], gradient, x, strict=True)) / dot(
            gradient, x
        )
        np.testing.assert_allclose(alignment(found)[0, :, j], float(wanted), rtol=1e-12)
    problem, algorithm, start = instance(2, 1)
    at_best = found.space.vectors["Wstar"][0, 0, :, 0]
    assert np.isnan(alignment(free_outcomes(problem, algorithm, start.u, at_best))).all()


def test_full_gradients_have_one_outcome():
    problem, algorithm, start = instance(2, 2, scale=0)
    found = round_outcomes(problem, algorithm, start, 3)
    assert [len(w) for w in found.space.weights] == [1, 1, 2, 2]
    assert is_zero(sq(delta) + sq(D - Db), found)


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        (sq(mask(one)), "has one coordinate, not d"),
        (sq(comp(Ek - E0)), "has one coordinate, not d"),
        (ip(Ek, g), "mixes vectors"),
        (sq(share(Ek) + g), "mixes vectors"),
        (sq(sp.Symbol("Wq")), "unknown vector 'Wq'"),
        (mask(g) + 1, r"no value for the symbol 'mask\(g\)'"),
        (sq(given(g, sp.Symbol("S"))), "unknown source 'S'"),
    ],
)
def test_misuse_is_refused(statement, said):
    with pytest.raises(FedboundsError, match=said):
        evaluate(statement, found_by("A", 2, 1, 1), {})


def test_nothing_that_cancels_inside_a_factor_is_lost_from_the_size():
    found = found_by("A", 2, 1, 1)
    seen = value(10**18 * sq(mask(W + D - Wn)) + sq(mask(10**9 * (W + D - Wn))), found)
    assert seen.size > 1e18
    assert abs(seen.value) <= CLOSE * seen.size


def test_what_cannot_be_enumerated_is_refused():
    problem, algorithm, start = instance(2, 2)
    gaussian = FederatedQuadratic(
        problem.hessian, problem.linear, 2, Noise(NoiseLaw.GAUSSIAN, 1.0, 0.0)
    )
    with pytest.raises(FedboundsError, match="enumeration needs rademacher"):
        round_outcomes(gaussian, algorithm, start, 1)
    with pytest.raises(FedboundsError, match=f"at most {MOST_ROWS}"):
        round_outcomes(problem, algorithm, start, 4)
    with pytest.raises(FedboundsError, match="rounds is 0"):
        round_outcomes(problem, algorithm, start, 0)
    with pytest.raises(FedboundsError, match="local steps is 0"):
        virtual_outcomes(problem, algorithm, start, 0)
    flat = FederatedQuadratic(problem.hessian * 0, problem.linear, 2)
    with pytest.raises(FedboundsError, match="Hessian of client 0"):
        round_outcomes(flat, algorithm, start, 1)
    logistic = federated_logistic(
        clients=2, shared_dimension=2, personal_dimension=0, samples=2, heterogeneity=1.0
    )
    with pytest.raises(FedboundsError, match="expected FederatedQuadratic"):
        round_outcomes(logistic, algorithm, start, 1)
    with pytest.raises(FedboundsError, match="shape of W_k"):
        free_outcomes(problem, algorithm, start.u, np.zeros((3, 2)))
    personal = federated_quadratic(clients=2, shared_dimension=2, personal_dimension=1)
    with pytest.raises(FedboundsError, match="personal dimension d_v is 1"):
        round_outcomes(personal, algorithm, Start(start.u, np.zeros((2, 1))), 1)
