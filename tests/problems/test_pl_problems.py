"""Polyak-Lojasiewicz problems and the ridge logistic: derivatives, constants, certificates."""

from dataclasses import replace

import bridge
import numpy as np
import pytest
from flint import fmpq

from fedbounds.errors import FedboundsError
from fedbounds.facts import Constant, Fact
from fedbounds.problems import (
    FederatedQuadratic,
    Noise,
    NoiseLaw,
    Start,
    cohort_of,
    everyone,
    federated_logistic,
    federated_quadratic,
    to_rational,
)
from fedbounds.problems.least_squares import (
    pl_constant,
    pl_evidence,
    rank_deficient_least_squares,
)
from fedbounds.problems.linear import solve
from fedbounds.problems.masked import masked_gradient, masked_value
from fedbounds.problems.masked_laws import Bernoulli, Rolling, static
from fedbounds.problems.masked_quadratic import masked_quadratic
from fedbounds.problems.pl_certificate import certify
from fedbounds.problems.pl_composed import ComposedBowls
from fedbounds.problems.ridge_logistic import RidgeLogistic
from fedbounds.problems.sine import SineBowls, sine_bowls
from fedbounds.vocabulary import Provenance, Side

RADEMACHER = Noise(NoiseLaw.RADEMACHER, 0.5, 0)
LOGISTIC = RidgeLogistic(
    federated_logistic(
        clients=3, shared_dimension=3, personal_dimension=0, samples=6, heterogeneity=0.8,
        regularisation=0.0, batch=2,
    ),
    0.3,
)  # fmt: skip
COMPOSED = ComposedBowls(
    matrix=np.array([[1.0, 2.0, 0.0], [0.0, 1.0, -1.0]]),
    targets=np.array([[1.0, 0.5], [-1.0, 2.0], [0.3, 0.0]]),
    curvature=0.5, bend=1.5, noise=RADEMACHER,
)  # fmt: skip
CASES = {
    "sine": sine_bowls(clients=3, dimension=3, noise=RADEMACHER),
    "sine, spread": sine_bowls(clients=3, dimension=3, spread=0.4, seed=1),
    "sine, rotated": sine_bowls(clients=3, dimension=3, spread=0.2, rotated=True, seed=2),
    "composed": COMPOSED,
    "ridge logistic": LOGISTIC,
}
every_case = pytest.mark.parametrize("problem", CASES.values(), ids=list(CASES))
LAW = Bernoulli((0.5, fmpq(2, 3), 1))


def start(problem, value=0.8):
    return Start(np.full(problem.shared_dimension, value), np.zeros((problem.clients, 0)))


def random_points(count, scale=3.0, seed=0):
    return np.random.default_rng(seed).standard_normal((count, 3)) * scale


def objective(problem, w):
    """F and its gradient."""
    rows, cohort = np.tile(w, (problem.clients, 1)), everyone(problem.clients, 1)
    return problem.value(rows, cohort).mean(), problem.gradient(rows, cohort).mean(axis=0)


# ---- values, derivatives, noise


@every_case
def test_derivatives_are_finite_differences(problem):
    n, step = problem.clients, 1e-5
    cohort = everyone(n, 2)
    z = random_points(2 * n, scale=1.5)
    gradients, hessians = problem.gradient(z, cohort), problem.hessians(z, cohort)
    for j, e in enumerate(np.eye(3) * step):
        slope = (problem.value(z + e, cohort) - problem.value(z - e, cohort)) / (2 * step)
        np.testing.assert_allclose(slope, gradients[:, j], atol=1e-6)
        bend = (problem.gradient(z + e, cohort) - problem.gradient(z - e, cohort)) / (2 * step)
        np.testing.assert_allclose(bend, hessians[:, j], atol=1e-6)


@every_case
def test_a_part_of_the_clients_has_the_same_rows(problem):
    present = np.array([[1, 0], [0, 0], [1, 1]])
    whole, part = everyone(3, 2), cohort_of(present)
    z = random_points(6)
    kept = np.flatnonzero(present.reshape(-1))
    np.testing.assert_allclose(problem.gradient(z[kept], part), problem.gradient(z, whole)[kept])
    np.testing.assert_allclose(problem.value(z[kept], part), problem.value(z, whole)[kept])
    np.testing.assert_allclose(problem.hessians(z[kept], part), problem.hessians(z, whole)[kept])


def test_sine_bowls_are_their_formula():
    problem = CASES["sine, spread"]
    w = np.array([0.3, -1.0, 2.0])
    for i in range(3):
        moved = w - problem.centres[i]
        direct = (problem.weights[i] * (moved**2 + 3 * np.sin(moved) ** 2)).sum()
        rows = np.tile(w, (3, 1))
        assert problem.value(rows, everyone(3, 1))[i] == pytest.approx(direct, rel=1e-13)


@every_case
def test_noise_has_mean_zero_and_the_stated_variance(problem):
    outcomes = problem.noise_outcomes(1) if problem.sample_noise(
        np.random.default_rng(0), (1, 1)) is not None else None  # fmt: skip
    variance = problem.constants(start(problem))[Constant.VARIANCE_U]
    if outcomes is None:
        assert variance.value == 0
        return
    count = len(outcomes)
    cohort = everyone(3, count)
    z = np.tile(np.array([0.4, -1.0, 0.2]), (3 * count, 1))
    exact = problem.gradient(z, cohort)
    noisy = problem.disturbed(z, exact, cohort, np.tile(outcomes[:, 0], (3, 1)))
    away = (noisy - exact).reshape(3, count, 3)
    np.testing.assert_allclose(away.mean(axis=1), 0.0, atol=1e-13)
    assert (away**2).sum(axis=2).mean(axis=1).max() <= variance.value * (1 + 1e-12)


# ---- constants


@every_case
def test_no_point_exceeds_the_constants(problem):
    n, found = problem.clients, problem.constants(start(problem))
    z = random_points(300 * n, scale=4.0)
    cohort = everyone(n, 300)
    top = found[Constant.SMOOTHNESS].value
    spectra = np.linalg.eigvalsh(problem.hessians(z, cohort))
    assert np.abs(spectra).max() <= top * (1 + 1e-12)
    if Constant.STRONG_CONVEXITY in found:
        assert spectra.min() >= found[Constant.STRONG_CONVEXITY].value * (1 - 1e-12)
    same = np.tile(z[:300], (n, 1))
    slopes = problem.gradient(same, cohort).reshape(n, 300, 3)
    apart = ((slopes - slopes.mean(axis=0)) ** 2).sum(axis=2).mean(axis=0)
    assert apart.max() <= found[Constant.DISSIMILARITY].value * (1 + 1e-12) + 1e-20
    values = problem.value(same, cohort).reshape(n, 300).mean(axis=0)
    assert problem.infimum() <= values.min()
    gap = found[Constant.INITIAL_GAP]
    assert gap.side is Side.UPPER
    assert gap.value >= objective(problem, start(problem).u)[0] - values.min()
    # ||grad F||^2 >= 2 mu_PL (F - inf F), inf F from above by what is visited
    steep = (slopes.mean(axis=0) ** 2).sum(axis=1)
    assert (steep >= 2 * found[Constant.PL].value * (values - values.min()) * (1 - 1e-12)).all()


@every_case
def test_the_constant_holds_near_the_minimiser_too(problem):
    w, top = np.full(3, 0.5), problem.constants(start(problem))[Constant.SMOOTHNESS].value
    mu = problem.constants(start(problem))[Constant.PL].value
    path = []
    for _ in range(3000):
        value, slope = objective(problem, w)
        path.append((value, slope @ slope))
        w = w - slope / top
    lowest = objective(problem, w)[0]
    assert problem.infimum() <= lowest * (1 + 1e-12) + 1e-12
    for value, steep in path[::10]:
        if value - lowest > 1e-9:
            assert steep >= 2 * mu * (value - lowest) * (1 - 1e-6)


def test_the_smoothness_of_sine_bowls_is_attained():
    problem = CASES["sine"]
    at_centre = problem.hessians(problem.centres, everyone(3, 1))
    top = problem.constants(start(problem))[Constant.SMOOTHNESS]
    assert (top.value, top.provenance) == (8.0, Provenance.EXACT)
    assert np.linalg.eigvalsh(at_centre).max() == pytest.approx(8.0, rel=1e-12)


@every_case
def test_what_the_problems_satisfy(problem):
    for assumption in (
        Fact.SMOOTH,
        Fact.NOISE,
        Fact.BOUNDED_BELOW,
        Fact.PL,
    ):
        assert problem.satisfies(assumption).holds is True
    assert problem.satisfies(Fact.BOUNDED_GRADIENTS).holds is False
    assert problem.satisfies(Fact.STRONGLY_CONVEX).holds is (problem is LOGISTIC)
    assert problem.satisfies("positive masked alignment").holds is None


def test_own_weights_have_no_bounded_dissimilarity():
    problem = sine_bowls(clients=2, dimension=2)
    own = replace(problem, weights=problem.weights * np.array([[1.0], [2.0]]))
    assert own.satisfies(Fact.DISSIMILARITY).holds is False
    assert Constant.DISSIMILARITY not in own.constants(start(own))


# ---- certificates


def ratio(weights, centres, reach=12.0):
    """The least phi'^2 / (2 (phi - min)) on a fine grid: an upper end of the constant."""
    t = np.linspace(-reach, reach, 400_001) + np.mean(centres)
    pairs = list(zip(weights, centres, strict=True))
    value = sum(a * ((t - c) ** 2 + 3 * np.sin(t - c) ** 2) for a, c in pairs)
    slope = sum(a * (2 * (t - c) + 3 * np.sin(2 * (t - c))) for a, c in pairs)
    gap = value - value.min()
    return float((slope**2 / (2 * gap + 1e-300))[gap > 1e-5].min()), float(value.min())


@pytest.mark.parametrize(
    ("weights", "centres"),
    [
        ([1.0], [0.0]),
        ([0.3], [100.0]),
        ([1.0, 1.0], [0.0, 0.3]),
        ([0.5, 0.5, 0.1], [0.0, 0.6, -0.5]),
    ],
)
def test_certified_constants_are_below_and_near_the_truth(weights, centres):
    found, (upper, lowest) = certify(weights, centres), ratio(weights, centres)
    assert 0.95 * upper <= float(found.constant) <= upper
    assert lowest - 1e-9 <= float(found.floor) <= lowest
    assert not found.stray


def test_the_quoted_constant_is_far_from_best():
    found = certify([1.0], [0.0])
    assert found.constant > fmpq(5, 32)
    assert ratio([1.0], [0.0])[0] < 0.1756


def test_opposite_waves_leave_another_stationary_point():
    """Centres half a period apart: sin^2 + cos^2 cancels; a full one apart: two bowls."""
    flat = certify([1.0, 1.0], [0.0, float(np.pi / 2)])
    assert 1.5 < float(flat.constant) <= 4.0
    double = certify([1.0, 1.0], [0.0, float(np.pi)])
    assert double.constant is None
    assert double.stray
    problem = SineBowls(np.eye(1), np.ones((2, 1)), np.array([[0.0], [np.pi]]))
    assert problem.satisfies(Fact.PL).holds is False
    assert Constant.PL not in problem.constants(start(problem))
    assert problem.pl_constant() is None


@pytest.mark.parametrize(
    "law", [LAW, Rolling([[[1, 0, 1], [0, 1, 1]]] * 3), static([[1, 0, 1]] * 3)]
)
@pytest.mark.parametrize("name", ["sine", "sine, spread", "composed"])
def test_the_masked_constant_holds(name, law):
    problem = CASES[name]
    mu = problem.pl_constant(law).value
    points = random_points(200, scale=2.5, seed=3)
    w = points[0]
    for _ in range(400):
        w = w - 0.1 * masked_gradient(problem, law, w)
    lowest = masked_value(problem, law, w)
    for point in [*points, *(w + 0.3 * (points - w) / 3)]:
        steep = (masked_gradient(problem, law, point) ** 2).sum()
        gap = masked_value(problem, law, point) - lowest
        assert steep >= 2 * mu * gap * (1 - 1e-9) - 1e-12


def test_masks_on_a_rotated_bowl_are_not_certified():
    problem = CASES["sine, rotated"]
    assert problem.pl_constant(LAW) is None
    assert problem.pl_constant(Bernoulli((1, 1, 1))).value == pytest.approx(
        problem.pl_constant().value
    )


# ---- quadratics


@pytest.mark.parametrize("interpolates", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_rank_deficient_least_squares(interpolates, seed):
    problem = rank_deficient_least_squares(
        clients=3, dimension=4, rank=2, samples=2, interpolates=interpolates, seed=seed
    )
    matrix = problem.hessian.sum(axis=0) / 3
    values = np.linalg.eigvalsh(matrix.astype(float))
    found = pl_constant(problem)
    assert (values > 1e-9).sum() == 2
    assert float(found.value) == pytest.approx(values[2], rel=1e-9)
    assert float(found.value) <= values[2] * (1 + 1e-12)
    assert pl_evidence(problem).holds
    own = [
        solve(a, -b[:, None])[:, 0] for a, b in zip(problem.hessian, problem.linear, strict=True)
    ]
    shared = problem.minimiser
    fits = all(
        (a @ shared + b == 0).all() for a, b in zip(problem.hessian, problem.linear, strict=True)
    )
    assert fits or not interpolates
    assert len(own) == 3
    # ||grad||^2 >= 2 mu (F - F*), exactly
    for w in bridge.exact(random_points(5, seed=seed)[:, [0, 1, 2, 0]]):
        slope = matrix @ w + problem.linear.sum(axis=0) / 3
        value = w @ (matrix @ w) / 2 + (problem.linear.sum(axis=0) / 3) @ w
        assert (slope * slope).sum() >= 2 * found.value * (value - problem.infimum())


def test_masks_make_rank_deficient_least_squares_strongly_convex():
    problem = rank_deficient_least_squares(clients=2, dimension=3, rank=1, samples=2, seed=1)
    law = Bernoulli((fmpq(1, 2), fmpq(1, 2)))
    values = np.linalg.eigvalsh(
        (masked_quadratic(problem, law).hessian.sum(axis=0) / 2).astype(float)
    )
    assert float(pl_constant(problem, law).value) == pytest.approx(
        min(v for v in values if v > 1e-9)
    )


def test_no_constant_without_a_minimiser():
    down = FederatedQuadratic(np.zeros((1, 2, 2)), np.ones((1, 2)), 2)
    assert pl_constant(down) is None
    assert pl_evidence(down).holds is False
    saddle = to_rational(federated_quadratic(
        clients=1, shared_dimension=2, personal_dimension=0, strong_convexity=-0.5
    ))  # fmt: skip
    assert pl_constant(saddle) is None


# ---- the ridge logistic on a ball


@pytest.mark.parametrize("radius", [0.1, 1.0, 5.0])
def test_slopes_on_a_ball_are_bounded(radius):
    points = random_points(2000, seed=5)
    points *= radius / np.linalg.norm(points, axis=1, keepdims=True)
    slopes = LOGISTIC.gradient(np.tile(points, (3, 1)), everyone(3, 2000))
    steepest = np.linalg.norm(slopes, axis=1).max()
    bound = LOGISTIC.gradient_bound(radius)
    assert steepest <= bound
    assert steepest >= 0.4 * bound
    assert LOGISTIC.sample_smoothness >= LOGISTIC.smoothness


def test_rounding_of_the_logistic_gradient():
    """Against the same sum in exact rationals and 60-digit exponentials."""
    from mpmath import mp, mpf

    w = np.array([0.7, -1.3, 0.2])
    slopes = LOGISTIC.gradient(np.tile(w, (3, 1)), everyone(3, 1))
    with mp.workdps(50):
        for i in range(3):
            total = [mpf(0)] * 3
            for x in LOGISTIC.loss.signed[i].tolist():
                score = sum(mpf(a) * mpf(b) for a, b in zip(x, w.tolist(), strict=True))
                total = [t - mpf(a) / (1 + mp.exp(score)) for t, a in zip(total, x, strict=True)]
            right = [t / 6 + mpf(0.3) * mpf(x) for t, x in zip(total, w.tolist(), strict=True)]
            away = max(
                abs(float(mpf(a) - b)) for a, b in zip(slopes[i].tolist(), right, strict=True)
            )
            assert away <= LOGISTIC.rounding(float(np.linalg.norm(w))) < 1e-11


# ---- bad input


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: replace(CASES["sine"], rotation=np.ones((3, 3))), "distance of Q Q' from I"),
        (lambda: replace(CASES["sine"], weights=-np.ones((3, 3))), "expected > 0"),
        (lambda: replace(CASES["sine"], centres=np.zeros((2, 3))), "shapes of Q and c"),
        (
            lambda: replace(CASES["sine"], centres=to_rational(CASES["sine"]).centres),
            "type of centres is object; expected float64",
        ),
        (
            lambda: to_rational(sine_bowls(clients=1, dimension=3, rotated=True)),
            "; expected at most 0",
        ),
        (
            lambda: replace(COMPOSED, targets=np.zeros((2, 3))),
            "shape of the targets is (2, 3); expected (n, 2)",
        ),
        (
            lambda: replace(COMPOSED, curvature=0.0),
            "curvature mu is 0.0; expected a finite number > 0",
        ),
        (lambda: replace(COMPOSED, matrix=np.zeros((2, 3))), "expected not zero"),
        (lambda: replace(LOGISTIC, ridge=-1.0), "ridge mu is -1.0"),
        (
            lambda: replace(LOGISTIC, loss=replace(LOGISTIC.loss, regularisation=0.1)),
            "regularisation of the loss is 0.1; expected 0",
        ),
        (
            lambda: rank_deficient_least_squares(clients=1, dimension=2, rank=2, samples=3),
            "rank is 2; expected 1 to 1",
        ),
        (
            lambda: rank_deficient_least_squares(clients=1, dimension=4, rank=3, samples=2),
            "samples of all clients is 2; expected >= 3",
        ),
        (lambda: sine_bowls(clients=1, dimension=1, spread=-1), "spread is -1; expected >= 0"),
    ],
)
def test_bad_input_is_named(wrong, message):
    with pytest.raises(FedboundsError) as error:
        wrong()
    assert message in str(error.value)


def test_a_minimiser_is_told_where_all_clients_have_it():
    one = CASES["sine, rotated"]
    same = SineBowls(one.rotation, one.weights, np.broadcast_to(one.centres[:1], one.centres.shape))
    points = np.ascontiguousarray(same.minimisers)
    assert np.abs(same.gradient(points, everyone(same.clients, 1))).max() < 1e-12
    with pytest.raises(FedboundsError, match="one minimiser of all clients"):
        _ = one.minimisers
