"""FedPLT in exact rationals: values against nested loops, premises, and what is refused."""

from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
import sympy as sp
from fedplt_oracle import COUNTS, ETA, FREE, MASKS, SCALE, W_0, Slow, numbers_of, plain
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from fedbounds.algorithms.fedplt_rows import FedPLT
from fedbounds.errors import FedboundsError
from fedbounds.problems import FederatedQuadratic, Noise, NoiseLaw, Start
from fedbounds.theory.fedplt.vectors import W, Wk, Wstar, delta
from fedbounds.theory.proof.vectors import given as given_
from fedbounds.theory.proof.vectors import past, sq, xi
from fedbounds.verify.case import find
from fedbounds.verify.fedplt.findings import step_constants
from fedbounds.verify.fedplt.kinds import eigenvalues, exact, merged, root
from fedbounds.verify.fedplt.measured import a_round, one_step
from fedbounds.verify.fedplt.outcomes import free_outcomes, round_outcomes, virtual_outcomes
from fedbounds.verify.fedplt.setups import Analysed, Attenuated, Run, Shows, View
from fedbounds.verify.fedplt.small_runs import (
    COUPLED,
    ONE,
    UNIT,
    angles,
    ascent,
    run,
)
from fedbounds.verify.fedplt.values import evaluate
from fedbounds.verify.fedplt.visited import interval
from fedbounds.vocabulary import Assumption, Constant

MASK, COMP, SHARE = sp.symbols("mask comp share", cls=sp.Function)


# ---- every expectation against nested loops, equal and not close


@cache
def instance(n, steps):
    objective = plain(n)
    law = Noise(NoiseLaw.RADEMACHER, fmpq(SCALE), fmpq(0))
    problem = FederatedQuadratic(exact(objective.hessian), exact(objective.linear), 2, law)
    weights = tuple(fmpq(x) for x in COUNTS[:n])
    start = Start(exact(W_0), np.empty((n, 0), dtype=object))
    return problem, FedPLT(MASKS[n], weights, steps, fmpq(ETA)), start


@pytest.mark.parametrize(
    ("view", "n", "steps", "count"),
    [
        ("A", 2, 1, 1),
        ("A", 3, 1, 1),
        ("R", 2, 1, 2),
        ("R", 2, 2, 1),
        ("V", 2, 2, 2),
        ("V", 2, 1, 3),
    ],
)
def test_quantities_are_the_oracles(view, n, steps, count):
    slow, (problem, algorithm, start) = Slow(n, steps), instance(n, steps)
    if view == "A":
        found = free_outcomes(problem, algorithm, start.u, exact(FREE[:n]))
        wanted = numbers_of(slow, slow.one(tuple(W_0), FREE[:n]))
    else:
        of = {"R": round_outcomes, "V": virtual_outcomes}[view]
        found = of(problem, algorithm, start, count)
        wanted = numbers_of(slow, slow.last_round(count) if view == "R" else slow.last_step(count))
    measured = {"D_W": "D^t", "V_W": "divergence"}
    quantities = a_round(found)
    if view != "R":
        quantities = one_step(found, fmpq(1))
        measured |= {"D_1": "D^t+1", "A_1": "A_1", "A_2": "A_2", "A_3": "A_3", "F_loc": "gaps"}
    for name, other in measured.items():
        assert quantities[name] == wanted[other], name
    assert all(isinstance(value, fmpq) for value in quantities.values())
    statements = {
        "own distance": sq(Wk - Wstar),
        "average": sq(W - given_(Wk, past, xi)),
        "squared shares": sp.Function("ip")(SHARE(MASK(delta)), MASK(delta)),
        "compensated slope": sp.Function("ip")(COMP(MASK(sp.Symbol("g"))), Wk - Wstar),
    }
    for name, statement in statements.items():
        value = evaluate(statement, found, {}).value
        assert isinstance(value, fmpq)
        assert value == wanted[name], name


def test_equal_states_are_merged_exactly():
    rows = exact([[1, fmpq(1, 3)], [2, 0], [1, fmpq(1, 3)]])
    first, weight = merged(rows, exact([fmpq(1, 2), fmpq(1, 3), fmpq(1, 6)]))
    assert first.tolist() == [0, 1]
    assert weight.tolist() == [fmpq(2, 3), fmpq(1, 3)]


def test_infinitely_many_samples_are_refused_in_rationals_too():
    problem, algorithm, start = instance(2, 1)
    gaussian = replace(problem, noise=Noise(NoiseLaw.GAUSSIAN, fmpq(1), fmpq(0)))
    with pytest.raises(FedboundsError, match="gaussian"):
        round_outcomes(gaussian, algorithm, start, 1)


def test_curvatures_are_eigenvalues_or_refused():
    assert sorted(eigenvalues(exact(COUPLED))) == [1, 3]
    assert eigenvalues(exact(UNIT)) == [1]
    with pytest.raises(FedboundsError, match="linear"):
        eigenvalues(exact(((2, 1), (1, 1))))
    assert root(fmpq(9, 4)) == fmpq(3, 2)
    assert root(fmpq(2)) is None


# ---- premises, by their definitions


def brute(setup_run, rounds):
    """Least rho_k, largest squared gradients of F_k and of F: noise-free rounds in fractions."""
    problem, algorithm = setup_run.problem, setup_run.algorithm
    fractions = np.vectorize(lambda x: Fraction(int(x.p), int(x.q)), otypes=[object])
    H, h, x = (fractions(a) for a in (problem.hessian, problem.linear, setup_run.start.u))
    total = sum(algorithm.weights)
    c = [Fraction(int((w / total).p), int((w / total).q)) for w in algorithm.weights]
    eta = fractions(exact([algorithm.inner_step_u]))[0]
    masks, n, d = np.array(algorithm.masks), len(c), len(x)
    whole = sum(c[k] * H[k] for k in range(n)), sum(c[k] * h[k] for k in range(n))
    assert not whole[1].any()  # W* = 0
    ratios, own, both = [], [], []
    for _ in range(rounds):
        ends = []
        for k in range(n):
            z = x
            for s in range(algorithm.local_steps + 1):
                g = H[k] @ z + h[k]
                ratios.append(((masks[k] * g) @ z) / (g @ z))
                own.append(g @ g)
                both.append((whole[0] @ z) @ (whole[0] @ z))
                z = z - eta * masks[k] * g if s < algorithm.local_steps else z
            ends.append(z)
        for i in range(d):
            held = sum(c[k] * masks[k][i] for k in range(n))
            moved = sum(c[k] * masks[k][i] * (ends[k][i] - x[i]) for k in range(n))
            x = np.array([*x[:i], x[i] + moved / held, *x[i + 1 :]]) if held else x
    return min(ratios), max(own), max(both)


@pytest.mark.parametrize(("tau", "count"), [(1, 1), (2, 3), (3, 2)])
def test_rho_min_and_G_are_those_of_all_models_visited(tau, count):
    found_run = ascent(tau=tau, count=count)
    ratio, own, both = brute(found_run, count)
    for gradients, square in (
        (Assumption.GLOBAL_GRADIENT, both),
        (Assumption.LOCAL_GRADIENTS, own),
    ):
        setup = Analysed(found_run, View.ROUNDS, Shows.DISTANCES, gradients=gradients)
        found = find(setup)
        assert str(found.parameters["G^2"]) == str(square)
        assert str(found.parameters["rho_min"]) == str(ratio)
        assert found.evidence[Assumption.ALIGNED].holds
        assert found.evidence[gradients].holds
        other = {Assumption.GLOBAL_GRADIENT, Assumption.LOCAL_GRADIENTS} - {gradients}
        assert found.evidence[other.pop()].holds is (square == max(own, both))


def test_where_an_alignment_fails_is_said():
    # client 1 trains coordinate 1 only, along which its gradient points away from W*
    wrong = run(
        (UNIT, UNIT), ((-2, 1), (2, -1)), ((1, 0), (1, 1)), fmpq(1, 8), (1, 1),
        own=((1, 1), (1, 1)),
    )  # fmt: skip
    found = find(Analysed(wrong, View.FREE, Shows.STEP))
    evidence = found.evidence[Assumption.ALIGNED]
    assert evidence.holds is False
    assert "rho_k <= 0 at a model of client 0" in evidence.reason
    assert "rho_min" not in found.parameters
    still = run((ONE, ONE), ((1,), (-1,)), ((1,), (1,)), fmpq(1, 8), (0,), own=((1,), (-1,)))
    evidence = find(Analysed(still, View.FREE, Shows.STEP)).evidence[Assumption.ALIGNED]
    assert evidence.holds is False
    assert "not defined" in evidence.reason  # W = W*


def test_a_rho_min_that_is_not_the_least_ratio_is_no_evidence():
    own = ((4, 2), (3, 3))
    found_run = run(
        (COUPLED, UNIT), ((1, -1), (-1, 2)), ((1, 0), (1, 1)), fmpq(1, 64), (3, 3), own=own
    )
    setup = Analysed(found_run, View.FREE, Shows.STEP)
    least = find(setup).parameters["rho_min"]
    for rho_min in (least / 2, least * 2):
        chosen = find(replace(setup, rho_min=rho_min))
        assert chosen.parameters["rho_min"] == rho_min
        assert chosen.evidence[Assumption.ALIGNED].holds is False
    for sharp, holds in ((fmpq(1), True), (fmpq(1025, 1024), False)):
        ours = find(replace(setup, rho_min=Assumption.ALIGNED_COMPENSATED))
        moved = find(replace(setup, rho_min=ours.parameters["rho_min"] * sharp))
        assert moved.evidence[Assumption.ALIGNED_COMPENSATED].holds is holds


pairs = st.lists(st.tuples(st.integers(-4, 4), st.integers(-4, 4)), min_size=1, max_size=5)


@given(pairs, st.integers(1, 40))
def test_the_interval_of_rho_min_is_what_the_alignment_allows(rows, numerator):
    whole, part = (exact(side) for side in zip(*rows, strict=True))
    found, ratio = interval(whole, part), fmpq(numerator, 8)
    if not (whole > 0).any():
        assert found is None
        return
    assert bool((part >= ratio * whole).all()) == (
        found is not None and found[0] <= ratio <= found[1]
    )


# ---- constants, and what a setup does not show


def test_numbers_have_the_sign_that_their_symbols_have():
    values = {
        "eta": fmpq(4), "L": fmpq(1), "mu": fmpq(1), "psi_max": fmpq(1), "psi_min": fmpq(1),
        "alpha_k": fmpq(1), "tau": fmpq(1), "G^2": fmpq(1), "sigma^2": fmpq(0),
        "Gamma": fmpq(1), "Lambda": fmpq(0),
    }  # fmt: skip
    beyond = step_constants(values, fmpq(1))
    assert beyond.keys() == {"rho_min", "z"}  # eta z > 1, and the bracket of nu is negative
    within = step_constants({**values, "eta": fmpq(1, 2)}, fmpq(1))
    assert within["w_gap"] == 1
    assert within["nu_max"] == 2
    assert within["B_step"] == 2


def test_lengths_that_are_not_rational_are_not_shown():
    shown = find(Analysed(angles((3, 4), (5, 12)), View.FREE, Shows.CLIENT))
    assert shown.parameters["norm_g"] == 13
    assert shown.parameters["cos_1"] == fmpq(63, 65)
    assert shown.parameters["rho_k"] == fmpq(5, 21)
    hidden = find(Analysed(angles((3, 4), (1, 1)), View.FREE, Shows.CLIENT))
    assert "norm_g" not in hidden.parameters
    assert "cos_1" not in hidden.parameters
    assert hidden.parameters["rho_k"] == fmpq(3, 7)


def test_formulas_that_mean_something_else_are_refused():
    noisy = ascent(count=1, noise=fmpq(1, 4))
    clients = find(Analysed(noisy, View.ROUNDS, Shows.CLIENTS))
    gs = sp.Symbol("gs")
    with pytest.raises(FedboundsError, match="full gradients"):
        clients.products(sq(Wk - W - given_(gs, past)))
    with pytest.raises(FedboundsError, match="mean of all W_k"):
        clients.products(sq(W - given_(Wk, past, xi)))
    with pytest.raises(FedboundsError, match="delta: not shown"):
        clients.products(sq(delta))
    assert clients.products(sq(Wk - W)).shape == (2, 1)
    with pytest.raises(FedboundsError, match="not shown"):
        find(Analysed(noisy, View.ROUNDS, Shows.STEP))


def test_attenuations_must_shorten_as_said():
    uneven = run(
        (UNIT, UNIT), ((0, -4), (0, 4)), ((1, 0), (1, 1)), fmpq(1, 64), (1, 0),
        own=((1, 0), (1, 0)),
    )  # fmt: skip
    least = fmpq(1, 4)  # g_1 = (1, -4), of which client 1 trains the first
    found = find(Attenuated(uneven, (least, fmpq(1)), fmpq(1)))
    assert found.parameters["alpha_k"] == 1
    assert found.evidence[Assumption.EQUAL_ATTENUATION].holds is False
    assert found.constants[Constant.SMOOTHNESS].value == 1
    assert "A_22" not in found.series
    # condition (iii), psi_min rho_min <= 1 + 2 eta psi_max^2 alpha^2 L, is one of every client
    edge = 1 + fmpq(8, 64) * least**2
    assert "alpha_k" in find(Attenuated(uneven, (least, fmpq(1)), edge)).parameters
    above = find(Attenuated(uneven, (least, fmpq(1)), edge + fmpq(1, 1000)))
    assert "alpha_k" not in above.parameters
    for wrong in ((fmpq(1, 5), fmpq(1)), (fmpq(1), fmpq(2))):
        with pytest.raises(FedboundsError, match="attenuations"):
            find(Attenuated(uneven, wrong, fmpq(1)))


def test_floats_are_refused():
    float_run = Run(
        FederatedQuadratic(np.ones((1, 1, 1)), np.ones((1, 1)), 1),
        FedPLT(((1,),), (1,), 1, 0.5),
        Start(np.ones(1), np.zeros((1, 0))),
        1,
    )
    with pytest.raises(FedboundsError, match="in floats"):
        find(Analysed(float_run, View.ROUNDS, Shows.DISTANCES))
