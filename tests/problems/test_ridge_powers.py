"""Fourth powers of a ridge: slopes, the share that a mask keeps, PL, and what two values miss."""

from dataclasses import replace

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from fedbounds.errors import ConflictError, FedboundsError
from fedbounds.facts import Constant, Fact
from fedbounds.problems import Noise, NoiseLaw, everyone
from fedbounds.problems.ridge_powers import RidgePowers
from fedbounds.theory.meerkat.proofs.scopes import SCOPES
from fedbounds.theory.meerkat.scope_names import LOCAL
from fedbounds.theory.meerkat.setups import PLANNED
from fedbounds.verify.measure.clients import Clients
from fedbounds.verify.measure.objectives import sizes, values
from fedbounds.verify.measure.random import answered, outcomes, sources_of
from fedbounds.verify.setups import steps
from fedbounds.verify.setups.found import known_of, view_of


def rationals(values):
    return np.vectorize(fmpq, otypes=[object])(np.array(values))


OWN = RidgePowers(rationals([1, 2, 2]), rationals([1, 2]), rationals([3, 0]))
POINTS = st.lists(st.integers(-5, 5), min_size=3, max_size=3)


@given(POINTS, POINTS)
def test_differences_are_those_of_the_slope_and_a_cube(w, z):
    """f(w+z) - f(w-z) = 2 <grad f(w), z> + 2 q s (a'z)^3 for every client."""
    both, w, z = everyone(2, 1), rationals([w, w]), rationals([z, z])
    apart = OWN.value(w + z, both) - OWN.value(w - z, both)
    along, s = (z * OWN.along).sum(axis=1), (w * OWN.along).sum(axis=1)
    slope = (OWN.gradient(w, both) * z).sum(axis=1)
    assert (apart == 2 * slope + 2 * OWN.quartics * s * along**3).all()


@given(POINTS)
def test_a_mask_keeps_one_share_and_f_is_pl(w):
    both, w = everyone(2, 1), rationals([w, w])
    g = OWN.gradient(w, both)
    assert (g[:, 1] ** 2 * 9 == 4 * (g * g).sum(axis=1)).all()
    mean, value = g.sum(axis=0) / 2, OWN.value(w, both).sum() / 2
    mu = OWN.constants(None)[Constant.PL].value
    assert (mean * mean).sum() >= 2 * mu * value


def test_what_it_says_of_itself():
    assert OWN.satisfies(Fact.PL).holds
    assert OWN.satisfies(Fact.SMOOTH).holds is False
    assert OWN.satisfies(Fact.QUADRATIC).holds is False
    assert OWN.satisfies(Fact.CONVEX).holds
    with pytest.raises(FedboundsError, match="least h_k is 0"):
        RidgePowers(rationals([1]), rationals([0]), rationals([1]))
    with pytest.raises(FedboundsError, match="numbers of h_k and q_k"):
        RidgePowers(rationals([1]), rationals([1, 1]), rationals([1]))


def planned():
    return next(one for one in PLANNED if one.name.startswith("fourth powers"))


def test_a_first_step_is_integrated_whatever_its_degree():
    """By hand: z ~ N(0, 1) on the coordinate with a_2 = 2; g z is (slope z + e^2 q s 8 z^3) z."""
    setup = planned().setup
    found = known_of(setup, view_of(setup))
    s, error = fmpq(6), fmpq(1, 100)
    slope, cube = [2 * (s + s**3), 4 * s], [8 * error * s, 0]  # of both clients
    bias = [(3 * x) ** 2 for x in cube]  # E z^4 = 3
    # E z^4 = 3, E z^6 = 15, E z^8 = 105
    square = [3 * x * x + 2 * 15 * x * y + 105 * y * y for x, y in zip(slope, cube, strict=True)]
    assert [x[0] for x in found.series("bias_2")] == bias
    assert [x[0] for x in found.series("est_2")] == square


def test_only_what_needs_a_failing_assumption_is_excused():
    steps.check_declared("meerkat", {LOCAL: SCOPES[LOCAL]})
    unneeded = replace(SCOPES[LOCAL], needs=())
    with pytest.raises(ConflictError, match="dev of .* does not vanish on average over z"):
        steps.check_declared("meerkat", {LOCAL: unneeded})


def test_noise_along_the_ridge_leaves_the_share_of_every_sample():
    """sigma^2 = x^2 ||a||^2, and each sample's gradient is a multiple of a."""
    ridge = replace(OWN, quartics=rationals([0, 0]), noise=Noise(NoiseLaw.RADEMACHER, fmpq(3), 0))
    problem = Clients(ridge)
    assert values(ridge)["sigma^2"] == sizes(ridge)["sigma^2"] == 81
    assert values(ridge)["L"] == 18
    assert "L" not in values(OWN)
    drawn = sources_of(lambda random: {"noise": random.noise(problem, 2)}, exact=True)
    assert [source.shape for source in drawn] == [(2, 2, 1)]
    every = outcomes(drawn, exact=True)
    found = answered(lambda random: {"noise": random.noise(problem, 2)}, drawn, every.answers)
    noise, chances = found["noise"], every.chances
    assert noise.shape == (16, 2, 2, 3)
    assert (noise[..., 1:] * rationals([1, 1]) == noise[..., :1] * 2).all()
    assert (abs(noise[..., 0]) == 3).all()
    assert (
        sum(chance * (row[0, 0] ** 2).sum() for chance, row in zip(chances, noise, strict=True))
        == 81
    )
    assert ridge.satisfies(Fact.NOISE).holds
    assert ridge.satisfies(Fact.NOISELESS).holds is False
    assert OWN.satisfies(Fact.NOISELESS).holds
    with pytest.raises(FedboundsError, match="personal noise is 1"):
        replace(OWN, noise=Noise(NoiseLaw.RADEMACHER, fmpq(3), 1))
