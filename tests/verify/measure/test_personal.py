"""Traced algorithms with personal blocks: method against method, and where they start."""

import numpy as np
import pytest
from flint import fmpq
from personal_runs import definitions, pairs, problem, subject

from fedbounds.facts import Constant
from fedbounds.problems import NoiseLaw, Start
from fedbounds.theory.language.setups import Objective
from fedbounds.theory.language.standard import INFIMUM, OF_BLOCKS
from fedbounds.verify.measure.answers import Asked, by_enumeration, by_moments
from fedbounds.verify.measure.beginnings import beginning
from fedbounds.verify.measure.enumerated import begun
from fedbounds.verify.measure.objectives import constants, objective, values


@pytest.mark.parametrize("name", ["FedAvg-P", "Scaffold-P"])
def test_moments_are_what_enumeration_gives(name):
    pair, given_ = pairs(1, 1)[name], problem(2, 1, 1, noise=(fmpq(1, 2), fmpq(0)))
    one = subject(pair, given_)
    asked = Asked(
        {}, {**OF_BLOCKS, **definitions(2, 1, 1)}, {"gamma": fmpq(1, 4), "n": 2, INFIMUM.name: 0}
    )
    listed, carried_ = by_enumeration(one, asked), by_moments(one, asked)
    assert not listed.missing
    assert not carried_.missing
    for key, own in listed.series.items():
        assert list(own) == list(carried_.series[key][: len(own)]), key


def test_a_start_with_gaussian_draws_has_moments():
    """Noise of variance s^2 and of K draws: Var c_i is s^2/K, per coordinate."""
    pair = pairs(1, 2)["Scaffold-P"]
    gaussian = subject(pair, problem(2, 1, 1, law=NoiseLaw.GAUSSIAN))
    signs = subject(pair, problem(2, 1, 1))
    listed = beginning(signs)
    assert listed.variables is None
    assert beginning(gaussian).moments() == listed.moments()
    state = begun(signs).state
    assert len(state["ci"]) == 16
    place = 1 + sum(state[name][0].size for name in ("u", "v"))
    own = listed.moments()
    assert own[place, place] - own[0, place] ** 2 == fmpq(1, 4) / 2


def test_starts_are_split_as_problems_split_them():
    objective, start = problem(3, 2, 1)
    one = subject(pairs(1, 1)["FedAvg-P"], (objective, start))
    state = begun(one).state
    wanted = objective.split(start)
    assert isinstance(wanted, Start)
    assert (state["u"][0] == wanted.u).all()
    assert (state["v"][0] == wanted.v).all()


def test_problems_of_plain_data_may_have_personal_blocks():
    given_, _ = problem(2, 1, 2)
    data = {
        "hessians": [[[str(x) for x in row] for row in own] for own in given_.hessian],
        "slopes": [[str(x) for x in row] for row in given_.linear],
        "noise": "1/2",
        "personal": 2,
        "personal_noise": "1/5",
    }
    found = objective(Objective("quadratics", tuple(data.items())))
    assert (found.hessian == given_.hessian).all()
    assert (found.shared_dimension, found.noise) == (1, given_.noise)
    known = constants(found)
    # L is of the blocks: smaller than the largest eigenvalue of a whole Hessian
    whole = max(float(np.linalg.eigvalsh(own.astype(float)).max()) for own in found.hessian)
    assert 3 <= float(known[Constant.SMOOTHNESS].value) < whole
    assert known[Constant.VARIANCE_V].value == 2 * fmpq(1, 25)
    assert Constant.INITIAL_GAP not in known
    assert values(found)["sigma^2"] == fmpq(1, 4) + 2 * fmpq(1, 25)
