"""Long runs of FedPLT: moments against enumeration and simulation, constants, verdicts."""

from dataclasses import replace
from fractions import Fraction as F
from itertools import product

import bridge
import numpy as np
import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from fedbounds.algorithms import fedplt_rows
from fedbounds.algorithms.fedavg_p import Carry, Draw
from fedbounds.algorithms.fedplt_rows import FedPLT, shares
from fedbounds.errors import FedboundsError
from fedbounds.problems import Noise, NoiseLaw, everyone
from fedbounds.problems.linear import is_positive_definite
from fedbounds.theory.fedplt.results import CONSTANT_STEP
from fedbounds.theory.fedplt.rounds import RECURSION
from fedbounds.verify.case import Case, find, in_rationals
from fedbounds.verify.fedplt.long_runs import Gradients, LongRun, Steps, run
from fedbounds.verify.fedplt.long_runs_moments import centred
from fedbounds.verify.fedplt.long_runs_plan import (
    FULL,
    PARTIAL,
    diagonal,
    exact,
    long_cases,
    own_minimisers,
    partial_masks,
    quadratics,
    shared_minimiser,
    start_at,
)
from fedbounds.verify.fedplt.long_runs_premises import curvatures
from fedbounds.verify.instance_file import from_data, to_data
from fedbounds.verify.judge import judge
from fedbounds.verify.profile import Profile
from fedbounds.vocabulary import Assumption, Constant, Method, Provenance, Side, Verdict

HALF, EIGHTH = fmpq(1, 2), fmpq(1, 8)
COUPLED = [[[2, 1], [1, 2]], [[1, 0], [0, 3]]]


def coupled(masks=PARTIAL, noise=HALF, tau=2, eta=EIGHTH, **more):
    problem = quadratics(COUPLED, [[1, -1], [-1, 2]], noise)
    return LongRun(problem, FedPLT(masks, (1, 2), tau, eta), start_at((3, 2)), 2, **more)


# ---- an oracle that shares nothing with the code: plain lists, every sign enumerated


def oracle(setup, steps):
    """D^0, D^1, ... and sum_k c_k E ||W_k - W||^2 per round, in fractions."""
    problem, algorithm = setup.problem, setup.algorithm
    n, d = problem.linear.shape
    H, h = bridge.fractions(problem.hessian), bridge.fractions(problem.linear)
    weights = [F(w) for w in algorithm.weights]
    c = [w / sum(weights) for w in weights]
    psi = [1 / sum(c[k] for k in range(n) if algorithm.masks[k][i]) for i in range(d)]
    best = bridge.fractions(centred(problem, algorithm)[1])
    for i in range(d):  # the weighted mean of gradients vanishes at W*
        assert sum(
            c[k] * (sum(H[k][i][j] * best[j] for j in range(d)) + h[k][i]) for k in range(n)
        ) == 0  # fmt: skip
    size = F(int(problem.noise.scale_u.p), int(problem.noise.scale_u.q))
    tau = algorithm.local_steps
    signs = list(product((size, -size) if size else (F(0),), repeat=n * tau * d))
    states = {tuple(bridge.fractions(setup.start.u)): F(1)}
    distance, divergence = [], []

    def spread(states):
        return sum(p * sum((a - b) ** 2 for a, b in zip(W, best, strict=True))
                   for W, p in states.items())  # fmt: skip

    for eta in steps:
        distance.append(spread(states))
        after, moved = {}, F(0)
        for (W, p), e in product(states.items(), signs):
            new = list(W)
            for k in range(n):
                own = list(W)
                for s in range(tau):
                    g = [sum(H[k][i][j] * own[j] for j in range(d)) + h[k][i] for i in range(d)]
                    own = [
                        own[i] - eta * (g[i] + e[(k * tau + s) * d + i])
                        if algorithm.masks[k][i] else own[i]
                        for i in range(d)
                    ]  # fmt: skip
                U = [a - b for a, b in zip(own, W, strict=True)]
                moved += p / len(signs) * c[k] * sum(x * x for x in U)
                new = [new[i] + psi[i] * c[k] * U[i] for i in range(d)]
            after[tuple(new)] = after.get(tuple(new), F(0)) + p / len(signs)
        states = after
        divergence.append(moved)
    return [*distance, spread(states)], divergence


@pytest.mark.parametrize("masks", [FULL, PARTIAL, ((1, 0), (0, 1))])
@pytest.mark.parametrize("noise", [0, HALF])
@pytest.mark.parametrize("tau", [1, 2])
def test_moments_are_those_of_every_outcome(masks, noise, tau):
    horizon = 1 if noise and tau > 1 else 2
    setup = replace(coupled(masks, noise, tau), rounds=horizon, exact=True)
    found = run(setup).moments
    assert oracle(setup, [F(1, 8)] * horizon) == (
        bridge.fractions(found.distance), bridge.fractions(found.divergence)
    )  # fmt: skip


@pytest.mark.parametrize(
    ("steps", "each"),
    [(Steps.DECAYING, [F(1, 3), F(1, 6)]), (Steps.LONGER, [F(1, 3), F(2, 9)])],
)
def test_changing_steps_are_those_of_every_outcome(steps, each):
    setup = coupled(tau=1, steps=steps, z=fmpq(3), exact=True)
    assert oracle(setup, each)[0] == bridge.fractions(run(setup).moments.distance)


def test_one_step_size_per_round_is_the_algorithm_with_that_step_size():
    """Pacing gradients, with unit steps, is what `replace` between rounds is."""
    setup = coupled(noise=0, tau=3, steps=Steps.DECAYING, z=fmpq(2), exact=True)
    setup = replace(setup, rounds=6)
    W = setup.start.u[None]
    for t in range(6):
        algorithm = replace(setup.algorithm, inner_step_u=1 / (fmpq(2) * (t + 1)))
        carry = Carry(u=W, v=W[None, :, :0].repeat(2, axis=0))
        drawn = Draw(np.ones((2, 1)), None, everyone(2, 1))
        W = fedplt_rows.step(setup.problem, algorithm, carry, drawn).u
    _, best = centred(setup.problem, setup.algorithm)
    assert (run(setup).moments.mean[-1] == W[0] - best).all()


# ---- floats, and their bound


@given(
    tau=st.integers(1, 4),
    power=st.integers(2, 8),
    steps=st.sampled_from(list(Steps)),
    noise=st.sampled_from([0, HALF]),
    masks=st.sampled_from([FULL, PARTIAL]),
)
@settings(max_examples=20, deadline=None)
def test_floats_are_within_their_bound(tau, power, steps, noise, masks):
    z = 0 if steps is Steps.CONSTANT else fmpq(2)
    setup = coupled(masks, noise, tau, fmpq(1, 2**power), steps=steps, z=z)
    setup = replace(setup, rounds=25)
    floats, exact = run(setup).moments, run(replace(setup, exact=True)).moments
    for name, size in (("distance", None), ("divergence", None)):
        own, bound = getattr(floats, name), getattr(floats, f"{name}_error")
        off = np.array([abs(fmpq(*x.as_integer_ratio()) - y) for x, y in
                        zip(own.tolist(), getattr(exact, name), strict=True)], float)  # fmt: skip
        assert (off <= bound).all(), (name, size)
        assert (bound <= 1e-7 * own.max()).all()
    models = floats.mean - exact.mean.astype(float)
    assert (np.linalg.norm(models, axis=1) <= floats.mean_error + 1e-15 * abs(models).max()).all()


def test_ten_thousand_rounds_end_at_the_exact_limit():
    setup = replace(own_minimisers(HALF, 5, fmpq(1, 64)), rounds=10_000)
    found = run(setup).moments
    from fedbounds.verify.fedplt.ladders import floor

    assert abs(found.distance[-1] - float(floor(setup))) <= found.distance_error[-1]


# ---- constants


def test_gradients_and_alignments_are_the_extremes_of_the_enumerated_models():
    """Without noise, G^2 and rho_min are those of the models themselves."""
    setup = replace(partial_masks(fmpq(1, 64), 6, 2), exact=True)
    c, problem = shares(setup.algorithm), setup.problem
    W, squares, ratios = setup.start.u, [], []
    for _ in range(6):
        new = W * fmpq(1)
        for k, mask in enumerate(PARTIAL):
            own = W
            for s in range(2):  # at W^t, and after the local step
                g = problem.hessian[k] @ own + problem.linear[k]
                whole = sum(
                    x * (problem.hessian[j] @ own + problem.linear[j]) for j, x in enumerate(c)
                )
                squares.append(whole @ whole)
                ratios.append(((mask * g) @ own) / (g @ own))  # W* = 0
                if s == 0:
                    own = own - mask * g * fmpq(1, 64)
            new = new + (own - W) * c[k] * np.array([1, 2], dtype=object)
        W = new
    parameters = find(setup).parameters
    assert max(squares) <= parameters["G^2"] <= max(squares) * (1 + fmpq(1, 2**18))
    assert min(ratios) * (1 - fmpq(1, 2**18)) <= parameters["rho_min"] <= min(ratios)
    floats = find(replace(setup, exact=False)).parameters
    assert float(max(squares)) <= float(floats["G^2"]) <= float(max(squares)) * (1 + 1e-9)
    assert float(floats["rho_min"]) == pytest.approx(float(min(ratios)), rel=1e-5)
    assert floats["rho_min"] <= min(ratios)


@pytest.mark.parametrize(
    ("start", "rounds", "tau"),
    [((3, 1), 40, 2), ((0, 0), 40, 2), ((0, 0), 1, 4)],  # from W*, only noise moves a model
)
def test_no_sampled_model_has_a_larger_gradient_than_the_bound(start, rounds, tau):
    setup = replace(shared_minimiser(HALF, tau, EIGHTH), rounds=rounds, start=start_at(start))
    bounds = [float(find(replace(setup, gradients=x)).parameters["G^2"]) for x in Gradients]
    rng, largest = np.random.default_rng(0), [0.0, 0.0]
    H = setup.problem.hessian.astype(float)
    W = np.tile(setup.start.u.astype(float), (2_000, 1))
    for _ in range(rounds):
        after = np.zeros_like(W)
        for k, share in enumerate((1 / 3, 2 / 3)):
            own = W
            for step in range(tau + 1):  # the last is at W_k^{t,tau}
                seen = (own @ (H[0] + 2 * H[1]) / 3, own @ H[k])
                largest = [
                    max(x, float((g**2).sum(axis=1).max()))
                    for x, g in zip(largest, seen, strict=True)
                ]
                if step < tau:
                    own = own - 0.125 * (own @ H[k] + rng.choice([-0.5, 0.5], W.shape))
            after += share * own
        W = after
    assert all(x <= bound <= 8 * x for x, bound in zip(largest, bounds, strict=True))


def test_curvatures_are_exact_or_on_the_safe_side():
    low, high = curvatures(quadratics(COUPLED, [[0, 0], [0, 0]]).hessian)
    assert (low.value, high.value) == (1, 3)
    assert low.provenance is high.provenance is Provenance.EXACT
    hessian = quadratics([[[2, 1], [1, 3]]], [[0, 0]]).hessian  # (5 -+ sqrt 5) / 2
    low, high = curvatures(hessian)
    assert (low.side, high.side) == (Side.LOWER, Side.UPPER)
    assert is_positive_definite(hessian[0] - np.eye(2, dtype=int).astype(object) * low.value)
    assert float(low.value) == pytest.approx((5 - 5**0.5) / 2, rel=1e-5)


@pytest.mark.parametrize(
    ("setup", "assumption", "holds"),
    [
        (coupled(FULL), Assumption.ALIGNED, True),
        (coupled(PARTIAL), Assumption.ALIGNED, None),  # with noise, no model is known
        (coupled(FULL), Assumption.GLOBAL_GRADIENT, True),
        (coupled(FULL), Assumption.LOCAL_GRADIENTS, False),
        (coupled(FULL, gradients=Gradients.LOCAL), Assumption.LOCAL_GRADIENTS, True),
        (coupled(FULL), Assumption.ALIGNED_COMPENSATED, True),
        (partial_masks(fmpq(1, 64), 5), Assumption.ALIGNED, True),
        (partial_masks(fmpq(1, 64), 5, -1, fmpq(1, 2)), Assumption.ALIGNED, False),
        (coupled(FULL), Assumption.SINGLE_STEP, False),
    ],
)
def test_an_assumption_is_said_to_hold_where_it_does(setup, assumption, holds):
    assert find(setup).evidence[assumption].holds is holds


def test_gaussian_noise_leaves_gradients_unbounded():
    setup = coupled(FULL)
    noisy = replace(setup.problem, noise=Noise(NoiseLaw.GAUSSIAN, HALF, fmpq(0)))
    found = find(replace(setup, problem=noisy))
    assert found.evidence[Assumption.GLOBAL_GRADIENT].holds is False
    assert not {"G^2", "B_step"} & found.parameters.keys()


def test_steps_of_a_z_larger_than_the_alignment_allows_are_refused():
    """With full masks the least rho_k is 1, and mu is 1."""
    setup = replace(own_minimisers(HALF, 1, HALF), rounds=5, steps=Steps.DECAYING, z=HALF)
    for z, holds in ((HALF, True), (fmpq(1), True), (fmpq(2), False)):
        assert find(replace(setup, z=z)).evidence[Assumption.ALIGNED].holds is holds
    with pytest.raises(FedboundsError, match="z"):
        replace(setup, z=fmpq(0))


# ---- verdicts


def outcome(setup, claim, reading, part):
    method = Method.RATIONAL if setup.exact else Method.MOMENTS
    judged = judge((claim,), Case("run", "FedPLT", setup, method)).judgements[reading]
    return next(o for o in judged.outcomes if o.part == part)


def test_the_recursion_fails_where_the_limit_is_not_the_minimiser():
    setup = replace(partial_masks(fmpq(1, 256), 4, 1, HALF), exact=True)
    found = outcome(setup, RECURSION, 0, "round")
    assert found.verdict is Verdict.VIOLATED
    found = outcome(setup, CONSTANT_STEP, 0, "unrolled")
    assert found.verdict is Verdict.VIOLATED


def test_a_float_violation_is_repeated_in_rationals():
    found = outcome(partial_masks(fmpq(1, 256), 300), CONSTANT_STEP, 0, "unrolled")
    assert (found.verdict, found.replayed) == (Verdict.VIOLATED, "exact rationals")
    assert in_rationals(partial_masks(fmpq(1, 256), 1_000)) is None


def test_the_theorem_holds_with_full_masks_and_shared_minimiser():
    setup = replace(shared_minimiser(HALF, 2, fmpq(1, 64)), exact=True, rounds=30)
    for claim, part in ((RECURSION, "round"), (CONSTANT_STEP, "unrolled")):
        assert outcome(setup, claim, 0, part).verdict is Verdict.NOT_VIOLATED


def test_a_long_step_is_outside_the_conditions():
    setup = replace(shared_minimiser(HALF, 1, fmpq(1, 2)), exact=True, rounds=5)
    assert outcome(setup, RECURSION, 0, "round").verdict is Verdict.OUTSIDE
    noisy = coupled(PARTIAL, exact=True)
    assert outcome(noisy, RECURSION, 0, "round").verdict is Verdict.NOT_APPLICABLE


def test_planned_cases_are_named_once_and_can_be_stored():
    planned = list(long_cases(Profile.DEFAULT, 0))
    assert len({case.name for case in planned}) == len(planned)
    exact = [case for case in planned if case.method is Method.RATIONAL]
    assert exact
    again = from_data(to_data(exact[0]))
    assert (run(again.setup).moments.distance == run(exact[0].setup).moments.distance).all()


def test_heterogeneity_is_what_the_least_values_say():
    setup = coupled()
    _, best = centred(setup.problem, setup.algorithm)
    total = fmpq(0)
    for c, H, a, h in zip(
        shares(setup.algorithm), setup.problem.hessian, ((1, -1), (-1, 2)), setup.problem.linear,
        strict=True,
    ):  # fmt: skip
        least, at_best = (w @ H @ w / 2 + h @ w for w in (exact(a), best))
        total += c * (at_best - least)
    found = find(setup)
    assert found.parameters["Lambda"] == total
    assert found.constants[Constant.STRONG_CONVEXITY].value == 1


def test_diagonal_hessians_are_those_given():
    assert quadratics(diagonal((1, 2)), [[3, 4]]).linear.tolist() == [[-3, -8]]
