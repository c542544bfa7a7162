"""Families attain the constants they are asked for, or say why these cannot hold together."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fedbounds.errors import FedboundsError
from fedbounds.facts import Constant, Fact
from fedbounds.problems import (
    Noise,
    NoiseLaw,
    Start,
    coupled_cosine,
    federated_quadratic,
)

NAMES = {
    "L": Constant.SMOOTHNESS,
    "mu": Constant.STRONG_CONVEXITY,
    "L_uv": Constant.SMOOTHNESS_UV,
    "b^2": Constant.DISSIMILARITY,
}


def constant(problem, name):
    start = Start(
        np.zeros(problem.shared_dimension), np.zeros((problem.clients, problem.personal_dimension))
    )
    return problem.constants(start)[NAMES[name]].value


def quadratic(**options):
    given_ = {"clients": 3, "shared_dimension": 2, "personal_dimension": 2} | options
    return federated_quadratic(**given_)


dimensions = st.tuples(st.integers(0, 3), st.integers(0, 3)).filter(lambda d: sum(d) >= 2)
requests = st.fixed_dictionaries(
    {
        "clients": st.integers(1, 5),
        "smoothness": st.floats(0.1, 10.0),
        "relative_mu": st.floats(-1.0, 0.9),
        "seed": st.integers(0, 10_000),
    }
)


# ---- quadratics


@given(dimensions, requests, st.floats(0.0, 1.0))
def test_smoothness_convexity_and_coupling_are_attained(d, request_, share):
    d_u, d_v = d
    L = request_["smoothness"]
    mu = request_["relative_mu"] * L
    coupling = share * min(L - mu, L) if d_u and d_v else 0.0
    problem = federated_quadratic(
        clients=request_["clients"],
        shared_dimension=d_u,
        personal_dimension=d_v,
        smoothness=L,
        strong_convexity=mu,
        coupling=coupling,
        seed=request_["seed"],
    )
    assert constant(problem, "L") == pytest.approx(L, rel=1e-12)
    assert constant(problem, "mu") == pytest.approx(mu, rel=1e-10, abs=1e-12 * L)
    assert constant(problem, "L_uv") == pytest.approx(coupling, rel=1e-12, abs=1e-12 * L)
    assert problem.satisfies(Fact.BOUNDED_BELOW).holds or mu <= 1e-12 * L


@given(dimensions, requests, st.floats(1e-3, 1e3))
def test_dissimilarity_is_attained_beside_smoothness_and_convexity(d, request_, b2):
    d_u, d_v = d
    n, L = request_["clients"], request_["smoothness"]
    mu = request_["relative_mu"] * L
    if n == 1 or d_u == 0:
        b2 = 0.0
    problem = federated_quadratic(
        clients=n,
        shared_dimension=d_u,
        personal_dimension=d_v,
        smoothness=L,
        strong_convexity=mu,
        dissimilarity=b2,
        seed=request_["seed"],
    )
    assert constant(problem, "b^2") == pytest.approx(b2, rel=1e-12, abs=1e-25)
    assert constant(problem, "L") == pytest.approx(L, rel=1e-12)
    assert constant(problem, "mu") == pytest.approx(mu, rel=1e-10, abs=1e-12 * L)
    assert problem.satisfies(Fact.DISSIMILARITY).holds


def test_dissimilarity_zero_makes_the_shared_slopes_equal():
    problem = quadratic(dissimilarity=0.0)
    assert constant(problem, "b^2") == pytest.approx(0.0, abs=1e-30)


@pytest.mark.parametrize("d_u", [1, 2])
@pytest.mark.parametrize("seed", range(5))
def test_without_a_request_every_client_has_its_own_curvature(d_u, seed):
    problem = quadratic(shared_dimension=d_u, seed=seed)
    assert problem.dissimilarity is None
    shared, _, personal = problem.blocks()
    for block in (shared, personal):
        assert (block[0] != block[1]).any()
        assert (block[1] != block[2]).any()


@pytest.mark.parametrize("coupling", [0.0, 0.3])
def test_the_same_seed_gives_the_same_instance(coupling):
    first, second = (quadratic(coupling=coupling, seed=5) for _ in range(2))
    np.testing.assert_array_equal(first.hessian, second.hessian)
    np.testing.assert_array_equal(first.linear, second.linear)
    other = quadratic(coupling=coupling, seed=6)
    assert (other.hessian != first.hessian).any()
    assert (other.linear != first.linear).any()


def test_slopes_scale_linear_terms():
    np.testing.assert_allclose(quadratic(slope=3.0).linear, 3.0 * quadratic().linear)


def test_noise_is_passed_on():
    noise = Noise(NoiseLaw.GAUSSIAN, 0.1, 0.2)
    assert quadratic(noise=noise).noise is noise
    options = {"clients": 3, "shared_dimension": 2, "personal_dimension": 1}
    assert coupled_cosine(**options, noise=noise).noise is noise


NAN = float("nan")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"clients": 0}, "number of clients n is 0; expected at least 1"),
        (
            {"shared_dimension": 0, "personal_dimension": 0},
            r"dimensions .* is \(0, 0\); expected non-negative, not both zero",
        ),
        ({"shared_dimension": -1}, r"dimensions .* is \(-1, 2\); expected non-negative"),
        ({"smoothness": 0.0}, "smoothness L is 0.0; expected a finite number > 0"),
        ({"smoothness": NAN}, "smoothness L is nan; expected a finite number > 0"),
        (
            {"strong_convexity": 1.5},
            "strong convexity mu is 1.5; expected between -L and L = 1.0",
        ),
        ({"strong_convexity": NAN}, "strong convexity mu is nan"),
        (
            {"coupling": 0.95},
            r"coupling L_uv is 0.95; expected between 0 and min\(L - mu, L\) = 0.9",
        ),
        ({"coupling": -0.1}, "coupling L_uv is -0.1; expected between 0"),
        ({"coupling": NAN}, "coupling L_uv is nan"),
        ({"coupling": 0.1, "personal_dimension": 0}, "coupling L_uv is 0.1; .* block is absent"),
        ({"coupling": 0.1, "shared_dimension": 0}, "coupling L_uv is 0.1; .* block is absent"),
        ({"dissimilarity": -1.0}, r"dissimilarity b\^2 is -1.0; expected a finite number >= 0"),
        ({"dissimilarity": NAN}, r"dissimilarity b\^2 is nan; expected a finite number >= 0"),
        ({"dissimilarity": 1.0, "clients": 1}, r"b\^2 = 1.0 cannot be .* n = 1, .* have b\^2 = 0"),
        ({"dissimilarity": 1.0, "shared_dimension": 0}, r"b\^2 = 1.0 cannot be .* d_u = 0"),
        (
            {"dissimilarity": 1.0, "coupling": 0.2},
            r"b\^2 = 1.0 and coupling L_uv = 0.2 cannot hold together on quadratics",
        ),
        (
            {"dissimilarity": 0.0, "coupling": 0.2},
            r"b\^2 = 0.0 and coupling L_uv = 0.2 cannot hold together",
        ),
    ],
)
def test_contradictory_requests_are_refused_with_their_reason(options, said):
    with pytest.raises(FedboundsError, match=said):
        quadratic(**options)


def test_one_client_may_be_coupled_and_have_no_dissimilarity():
    problem = quadratic(clients=1, coupling=0.5, dissimilarity=0.0)
    assert constant(problem, "b^2") == 0.0
    assert constant(problem, "L_uv") == pytest.approx(0.5)


@pytest.mark.parametrize("d", [(1, 0), (0, 1)])
def test_convexity_is_attained_or_refused_in_one_dimension(d):
    attained_or_refused("mu", 0.1, clients=1, shared_dimension=d[0], personal_dimension=d[1])


def test_smoothness_is_attained_or_refused_when_mu_is_below_minus_l():
    attained_or_refused("L", 1.0, strong_convexity=-3.0)


def test_smoothness_is_attained_or_refused_when_coupling_is_above_l():
    attained_or_refused("L", 1.0, strong_convexity=-1.0, coupling=1.9)


def test_dissimilarity_is_attained_or_refused_without_slopes():
    attained_or_refused("b^2", 1.0, dissimilarity=1.0, slope=0.0)


def attained_or_refused(name, value, **options):
    try:
        problem = quadratic(**options)
    except FedboundsError:
        return
    assert constant(problem, name) == pytest.approx(value, rel=1e-9)


# ---- coupled cosines


@given(
    st.integers(2, 6), st.integers(1, 3), st.integers(1, 3), st.floats(-1.0, 1.0),
    st.floats(0.0, 10.0), st.integers(0, 1000),
)  # fmt: skip
def test_coupled_cosines_attain_their_dissimilarity(n, d_u, d_v, amplitude, above, seed):
    options = {"clients": n, "shared_dimension": d_u, "personal_dimension": d_v,
               "amplitude": amplitude, "seed": seed}  # fmt: skip
    # what the coupling alone brings: floor(n/2) ceil(n/2) signs of each kind
    least = (2 * amplitude) ** 2 * (n // 2) * (n - n // 2) / n**2
    wanted = least * (1 + 1e-9) + 1e-12 + above
    problem = coupled_cosine(**options, dissimilarity=wanted)
    assert problem.dissimilarity == pytest.approx(wanted, rel=1e-9, abs=1e-14)
    assert problem.amplitude == amplitude


def test_less_dissimilarity_than_the_coupling_brings_is_refused_with_the_least():
    options = {"clients": 4, "shared_dimension": 2, "personal_dimension": 1, "amplitude": 1.0}
    with pytest.raises(
        FedboundsError,
        match=r"dissimilarity b\^2 is 0.5; expected at least 1, which the coupling alone brings",
    ):
        coupled_cosine(**options, dissimilarity=0.5)
    for wrong in (-1.0, NAN):
        with pytest.raises(FedboundsError, match=r"dissimilarity b\^2 is"):
            coupled_cosine(**options, dissimilarity=wrong)


def test_the_directions_have_length_one():
    problem = coupled_cosine(clients=3, shared_dimension=3, personal_dimension=2, seed=4)
    assert np.linalg.norm(problem.shared_direction) == pytest.approx(1.0)
    assert np.linalg.norm(problem.personal_direction) == pytest.approx(1.0)


def test_the_same_seed_gives_the_same_cosine():
    first, second = (
        coupled_cosine(clients=3, shared_dimension=2, personal_dimension=1, seed=4)
        for _ in range(2)
    )
    np.testing.assert_array_equal(first.shared_hessian, second.shared_hessian)
    np.testing.assert_array_equal(first.linear, second.linear)


def test_a_cosine_without_personal_variables_is_refused():
    with pytest.raises(FedboundsError, match="personal dimension is 0; expected at least 1"):
        coupled_cosine(clients=2, shared_dimension=2, personal_dimension=0)


def test_no_dissimilarity_at_all_is_attained_without_coupling():
    problem = coupled_cosine(
        clients=6,
        shared_dimension=3,
        personal_dimension=1,
        amplitude=0.0,
        dissimilarity=0.0,
        seed=6,
    )
    assert problem.dissimilarity == pytest.approx(0.0, abs=1e-30)


def test_a_cosine_without_shared_variables_is_refused():
    with pytest.raises(FedboundsError):
        coupled_cosine(clients=2, shared_dimension=0, personal_dimension=2)


def test_dissimilarity_of_one_cosine_is_refused():
    with pytest.raises(FedboundsError):
        coupled_cosine(clients=1, shared_dimension=2, personal_dimension=1, dissimilarity=1.0)


def test_infinite_dissimilarity_is_refused():
    with pytest.raises(FedboundsError):
        coupled_cosine(
            clients=2, shared_dimension=2, personal_dimension=1, dissimilarity=float("inf")
        )
