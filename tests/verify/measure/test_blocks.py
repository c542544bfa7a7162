"""Draws in groups that do not mix: equal to unknowns together, and large states block by block."""

from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from fedbounds.algorithms import sub_models
from fedbounds.algorithms.traced import Algorithm
from fedbounds.theory.language.setups import Objective, Run, Shown, View
from fedbounds.verify.measure import unrolled
from fedbounds.verify.measure.blocks import Blocks
from fedbounds.verify.measure.float_moments import in_floats
from fedbounds.verify.measure.interplay import Mixed, drawn_one, parts_of, state_entry
from fedbounds.verify.measure.many_rounds import in_rationals, rounds_of, traced
from fedbounds.verify.measure.moments import moments
from fedbounds.verify.measure.trace import subject_of
from fedbounds.verify.measure.unknowns import Refused

_VIEW = View("random masks", "sub_models.ENDS", Shown(vectors={"x": ()}))


def bare(problem, p, state, drawn, see):
    """A round of random masks that shows where it starts."""
    x = state["x"]
    see(x=x)
    noise = sub_models.noisy(problem, drawn["noise"])
    own = sub_models.local(noise, drawn["masks"], p["eta"], p["K"], problem.spread(x))
    return {"x": sub_models.server(problem, p, x, drawn["masks"], own[-1])}


RANDOM = Algorithm(sub_models.init, sub_models.draw, bare)


def curvature(client, d, block):
    """Coordinates of a block are coupled."""
    near = [[i // block == j // block for j in range(d)] for i in range(d)]
    return tuple(
        tuple((8 if i == j else (i % block * (j % block) + client) % 3 - 1) * near[i][j]
              for j in range(d)) for i in range(d)
    )  # fmt: skip


def masked(n, d, block, K, noise=0, keep="1/2", rounds=1, algorithm=RANDOM):
    """Random masks on quadratics."""
    data = {
        "hessians": tuple(curvature(i, d, block) for i in range(n)),
        "slopes": tuple(tuple((i + j) % 5 - 2 for j in range(d)) for i in range(n)),
        "noise": noise,
    }
    own = {"keep": (keep,) * n, "K": K, "eta": "1/40"}
    start = tuple(j % 3 - 1 for j in range(d))
    run = Run(Objective("quadratics", tuple(data.items())), start, tuple(own.items()), rounds)
    return replace(subject_of(run, _VIEW), algorithm=algorithm)


def both_ways(monkeypatch, run):
    """In groups, and together."""
    monkeypatch.setattr(unrolled, "MOST_TOGETHER", 0)
    apart = moments(run)
    monkeypatch.setattr(unrolled, "MOST_TOGETHER", 10_000)
    together = moments(run)
    assert together.unrolled[0].by is None
    return apart, together


@pytest.mark.parametrize(
    "run",
    [
        masked(2, 4, 2, 1),
        masked(2, 4, 2, 2, noise=1, rounds=2),
        masked(1, 6, 3, 2, noise="1/2", keep="2/3"),
        masked(3, 4, 2, 3, noise="1/2"),
        masked(2, 3, 3, 2, noise=1),
        masked(2, 4, 2, 2, keep=1, noise=1),
    ],
)
def test_equal_to_all_unknowns_together(monkeypatch, run):
    """Every moment, as rationals."""
    apart, together = both_ways(monkeypatch, run)
    assert isinstance(apart.unrolled[0].by, Blocks)
    assert apart.values == together.values


def test_by_plain_loops_over_masks(monkeypatch):
    """One client, one local step, two blocks of two: a sum over its 16 masks."""
    monkeypatch.setattr(unrolled, "MOST_TOGETHER", 0)
    run = masked(1, 4, 2, 1, keep="1/3")
    found = moments(run)
    assert isinstance(found.unrolled[0].by, Blocks)
    hessian, slope, start = curvature(0, 4, 2), (-2, -1, 0, 1), (-1, 0, 1, -1)
    total = {}
    for mask in product((0, 1), repeat=4):
        chance = fmpq(1)
        for kept in mask:
            chance *= fmpq(1, 3) if kept else fmpq(2, 3)
        y = [m * x for m, x in zip(mask, start, strict=True)]
        z = [fmpq(1)]
        for i in range(4):
            g = sum(hessian[i][j] * y[j] for j in range(4)) + slope[i]
            z.append(start[i] - mask[i] * g * fmpq(1, 40))
        for i, j in product(range(5), repeat=2):
            if i <= j:
                total[i, j] = total.get((i, j), fmpq(0)) + chance * z[i] * z[j]
    assert found.values[1] == total


def test_thirty_coordinates_are_blocks_by_themselves():
    """Blocks that are not coupled are independent: each by itself, means multiplied."""
    d, block = 30, 5
    run = masked(2, d, block, 2, noise="1/2", rounds=2)
    trace = traced(run)
    assert isinstance(trace.by, Blocks)
    assert len(trace.by.groups) >= 2 * d // block
    found = in_rationals(rounds_of(run, trace)).values[2]
    for first in (0, 10):
        small = alone(run, first, block)
        own = moments(small).values[2]
        for i, j in product(range(block), repeat=2):
            if i <= j:
                assert found[1 + first + i, 1 + first + j] == own[1 + i, 1 + j]
    assert found[1, 30] == found[0, 1] * found[0, 30]


def alone(run, first, block):
    """The coordinates of one block."""
    own = slice(first, first + block)
    objective = run.problem.objective
    data = {
        "hessians": nested(objective.hessian[:, own, own]),
        "slopes": nested(objective.linear[:, own]),
        "noise": "1/2",
    }
    parameters = {"keep": ("1/2",) * 2, "K": 2, "eta": "1/40"}
    start = nested(run.start[own])
    own_run = Run(Objective("quadratics", tuple(data.items())), start, tuple(parameters.items()), 2)
    return replace(subject_of(own_run, _VIEW), algorithm=RANDOM)


def nested(array):
    """As data."""
    return tuple(map(nested, array)) if isinstance(array, np.ndarray) else str(array)


def test_floats_within_their_proved_bound():
    """Twelve rounds of twenty coordinates, one of a hundred in blocks of five."""
    for run in (masked(3, 20, 4, 2, "1/2", rounds=12), masked(2, 100, 5, 1, rounds=1)):
        trace = traced(run)
        assert isinstance(trace.by, Blocks)
        rounds = rounds_of(run, trace)
        found, exact = in_floats(rounds), in_rationals(rounds)
        for pair in ((1, 1), (2, 9), (0, 3)):
            values, errors = found.told({(): {pair: fmpq(1)}})
            wrong = [abs(a - float(b)) for a, b in
                     zip(values, exact.told({(): {pair: fmpq(1)}}), strict=True)]  # fmt: skip
            assert all(wrong <= errors * 1.01)
            assert max(errors) < 1e-9


# ---- planted: what is not independent, or not said right


def shared_masks(random, problem, p):
    """One mask for all clients."""
    masks = random.bernoulli(p["keep"][0], problem.dimension)
    return {"masks": problem.spread(masks), **sub_models.draw_noise(random, problem, p)}


def one_noise(random, problem, p):
    """The noise of the first step in every step."""
    found = sub_models.draw(random, problem, p)
    return {**found, "noise": found["noise"] * 0 + found["noise"][:, :, :1]}


def squared_noise(random, problem, p):
    """Noise times itself: its mean is not 0."""
    found = sub_models.draw(random, problem, p)
    return {**found, "noise": found["noise"] * found["noise"]}


@pytest.mark.parametrize("draw", [shared_masks, one_noise, squared_noise])
def test_draws_that_depend_on_each_other_are_one_group(monkeypatch, draw):
    """And give what all unknowns together give; that differs from independent ones."""
    run = masked(2, 4, 2, 2, noise=1)
    other = replace(run, algorithm=replace(RANDOM, draw=draw))
    apart, together = both_ways(monkeypatch, other)
    assert isinstance(apart.unrolled[0].by, Blocks)
    assert apart.values == together.values
    assert apart.values != moments(run).values


def test_what_depends_on_draws_is_not_looked_at(monkeypatch):
    """Where it is asked for, all draws are taken together."""

    def telling(problem, p, state, drawn, see):
        see(masks=drawn["masks"])
        return bare(problem, p, state, drawn, see)

    run = replace(masked(2, 4, 2, 1), algorithm=replace(RANDOM, step=telling))
    apart, _ = both_ways(monkeypatch, run)
    assert isinstance(apart.unrolled[0].by, Blocks)
    shown = Shown(draws={"m": ("masks",)}, vectors={"x": (), "masks": ("i",)}, indices={"i": ""})
    apart, _ = both_ways(monkeypatch, replace(run, shown=shown))
    assert apart.unrolled[0].by is None


def test_reasons():
    """Of too many outcomes of one group, and of a step that is not affine."""
    coupled = masked(12, 60, 15, 2, noise=1)
    with pytest.raises(Refused, match="more than 1024 outcomes of draws that mix"):
        traced(coupled)

    def squares(problem, p, state, drawn, see):
        return {"x": state["x"] ** 2}

    run = replace(coupled, algorithm=Algorithm(sub_models.init, sub_models.draw, squares),
                  shown=Shown())  # fmt: skip
    with pytest.raises(Refused, match="by groups of draws: .*not affine in the state"):
        traced(run)


def test_parts_that_share_a_draw_are_one():
    """Sums keep draws apart, products do not; zeros are numbers."""
    a, b, c, x = drawn_one(0), drawn_one(1), drawn_one(2), state_entry()
    assert len(parts_of(a * x + b + x)) == 3
    assert parts_of((a + b) * x) == parts_of(a * x + b * x) != parts_of(a * b * x)
    assert parts_of((a + b) * (a + c)) == (({0, 1, 2}, 0),)
    assert parts_of(x * x) == ((frozenset(), 2),)
    assert a * fmpq(0) == 0
    assert parts_of(x + x * x) == ((frozenset(), 2),)
    for asked in (bool, float, abs, lambda y: 1 / y, lambda y: y == a, lambda y: y > 0):
        with pytest.raises(Refused):
            asked(Mixed(((frozenset({0}), 0),)))


def joined(parts):
    """Two by two, until none share a draw; those without draws are one."""
    found = [(set(draws), degree) for draws, degree in parts]
    for one, two in combinations(found, 2):
        if one[0] & two[0] or not (one[0] or two[0]):
            rest = [own for own in found if own is not one and own is not two]
            return joined([*rest, (one[0] | two[0], max(one[1], two[1]))])
    return {(frozenset(draws), degree) for draws, degree in found}


@given(*[st.lists(st.tuples(st.frozensets(st.integers(0, 5), max_size=3), st.integers(0, 2)))] * 2)
def test_sums_and_products_are_those_of_all_pairs(one, two):
    """Of parts that are joined already, as all that is made of a draw and of the state is."""
    first, second = (tuple(joined(own)) for own in (one, two))
    if first and second:
        added, multiplied = Mixed(first) + Mixed(second), Mixed(first) * Mixed(second)
        every = [(a | b, i + j) for (a, i), (b, j) in product(first, second)]
        assert set(parts_of(added)) == joined([*first, *second])
        assert set(parts_of(multiplied)) == joined(every)


def test_a_step_that_carries_goes_on_from_there(monkeypatch):
    """Its draws are few at a time; groups are for those that do not."""

    def carrying(problem, p, state, drawn, see):
        after = bare(problem, p, state, drawn, see)
        return {"x": see.carry(after["x"])}

    run = replace(masked(2, 4, 2, 1, noise=1), algorithm=replace(RANDOM, step=carrying))
    apart, together = both_ways(monkeypatch, run)
    assert apart.unrolled[0].by is None
    assert dict(apart.values[1]) == dict(together.values[1])
