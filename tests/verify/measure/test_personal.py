"""Traced algorithms with personal blocks: against the engine they replace, method against method."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from each import each
from flint import fmpq
from personal_runs import STEPS, carried, definitions, fields, pairs, problem, stepped, subject

from fedbounds.facts import Constant
from fedbounds.problems import NoiseLaw, Start
from fedbounds.theory.setups import Objective
from fedbounds.verify.measure.answers import Asked, by_enumeration, by_moments
from fedbounds.verify.measure.beginnings import beginning
from fedbounds.verify.measure.contract import drawn_by
from fedbounds.verify.measure.contract import stepped as traced_step
from fedbounds.verify.measure.enumerated import begun, started_from
from fedbounds.verify.measure.objectives import constants, objective, values
from fedbounds.verify.measure.random import answered, sampled, sources_of
from fedbounds.verify.moments import exact_moments
from fedbounds.verify.setups.standard import of_blocks

ROWS = 7
SHAPES = ((2, 1, 1), (3, 2, 1), (2, 0, 2), (1, 2, 1))  # n, d_u, d_v
ALONE = ((2, 2, 0), (3, 1, 0))
PERSONAL = ("FedAvg-P", "Scaffold-P")


def _rows(sources):
    return sampled(sources, True, ROWS)


def _agrees(name, n, d_u, d_v, m, steps, planted=0):
    """The traced state after two rounds, and that of the other engine on the same draws."""
    pair, (objective, start) = pairs(m, steps)[name], problem(n, d_u, d_v)
    one = subject(pair, (objective, start))
    asked = sources_of(lambda random: started_from(one, random, ROWS), exact=True)
    state = answered(lambda random: started_from(one, random, ROWS), asked, _rows(asked))
    initial = np.zeros((ROWS, n, steps, d_u + d_v), dtype=int).astype(object) + fmpq(0)
    for rows in _rows(asked):  # Scaffold-P draws noise of the shared block
        initial[..., :d_u] = initial[..., :d_u] + rows * objective.noise.scale_u
    carry = carried(pair, objective, start, initial)
    for t in range(2):
        p = one.parameters(t)

        def draw(random, p=p):
            return drawn_by(one.algorithm, random, one.problem, p)

        sources = sources_of(draw, exact=True)
        drawn = answered(draw, sources, _rows(sources))
        noise = np.concatenate([drawn["xi_u"], drawn["xi_v"]], axis=3)
        state, _ = traced_step(one.algorithm, one.problem, p, state, drawn)
        carry = stepped(pair, objective, carry, drawn["present"], noise + planted)
    other = fields(carry)
    assert state.keys() == other.keys()
    return all((state[name] == other[name]).all() for name in state)


def _cases():
    shapes = [(name, *shape) for name in PERSONAL for shape in SHAPES]
    shapes += [(name, *shape) for name in PERSONAL for shape in ALONE]
    return [(*one, m, steps) for one in shapes for m, steps in ((1, 2), (one[1], 1))]


@each("name, n, d_u, d_v, m, steps", _cases)
def test_every_algorithm_is_the_one_it_replaces_on_equal_draws(name, n, d_u, d_v, m, steps):
    assert _agrees(name, n, d_u, d_v, m, steps)


def test_the_comparison_sees_other_noise():
    assert not _agrees("FedAvg-P", 2, 1, 1, 1, 2, planted=fmpq(1, 7))


# ---- method against method


@pytest.mark.parametrize("name", ["FedAvg-P", "Scaffold-P"])
def test_moments_are_what_enumeration_gives(name):
    pair, given_ = pairs(1, 1)[name], problem(2, 1, 1, noise=(fmpq(1, 2), fmpq(0)))
    one = subject(pair, given_)
    asked = Asked(of_blocks(0), definitions(2, 1, 1), {"gamma": fmpq(1, 4)})
    listed, carried_ = by_enumeration(one, asked), by_moments(one, asked)
    assert not listed.missing
    assert not carried_.missing
    for key, own in listed.series.items():
        assert list(own) == list(carried_.series[key][: len(own)]), key


def _against(name, n, d_u, d_v, m, steps, law=NoiseLaw.RADEMACHER):
    """Names of the quantities that both engines give, and of those that differ."""
    pair, (objective, start) = pairs(m, steps)[name], problem(n, d_u, d_v, law=law)
    gamma = STEPS["gamma_u"] * STEPS["eta_u"]
    pair = replace(
        pair,
        values={**pair.values, "gamma_v": gamma, "eta_v": 1},
        old=replace(pair.old, inner_step_v=gamma, outer_step_v=fmpq(1)),
    )
    one = subject(pair, (objective, start), rounds=3)
    infimum = objective.infimum() or 0
    asked = Asked(of_blocks(infimum), definitions(n, m, steps), {"gamma": gamma})
    found = by_moments(one, asked)
    assert not found.missing
    old = exact_moments(objective, pair.old, objective.split(start), 3).series
    both = found.series.keys() & old.keys()
    wrong = {
        key
        for key in both
        if any(a != b for a, b in zip(found.series[key], old[key], strict=False))
    }
    return both, wrong


def _compared():
    return [
        (name, *shape, m, steps, law)
        for name, shape, steps, law in product(
            ("FedAvg-P", "Scaffold-P"), ((2, 1, 1), (3, 1, 1), (2, 2, 1)), (1, 2), NoiseLaw
        )
        for m in range(1, shape[0] + 1)
    ]


@each("name, n, d_u, d_v, m, steps, law", _compared)
def test_moments_are_those_of_the_engine_they_replace(name, n, d_u, d_v, m, steps, law):
    both, wrong = _against(name, n, d_u, d_v, m, steps, law)
    assert len(both) == len(definitions(1, 1, 1)) + 4, sorted(both)
    assert not wrong


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
