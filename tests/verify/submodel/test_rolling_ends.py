"""Limits of rolling masks: exact values, by hand, plain loops, every outcome, planted errors."""

import json
from dataclasses import replace
from fractions import Fraction as F
from itertools import permutations, product
from pathlib import Path

import numpy as np
import pytest
from flint import fmpq
from kept_words import names

from fedbounds.algorithms import rolling_ends
from fedbounds.theory.language.registry import encoded_claims
from fedbounds.theory.language.setups import Objective, Planned, Run, Setup
from fedbounds.theory.submodel import assumed
from fedbounds.theory.submodel.rolling_end_setups import planned
from fedbounds.verify.judge.judge import judge
from fedbounds.verify.setups.found import find
from fedbounds.verify.setups.plan import case_of
from fedbounds.vocabulary import Verdict

DATA = Path(__file__).parents[2] / "data" / "submodel_rolling_ends.json"
CLAIMS = [one for one in encoded_claims("submodel") if one.id.endswith("claim-shuffle")]
HALVES, APART = ((1, 0), (0, 1)), ((0, 1), (1, 0))
WINDOWS = ((1, 1, 0), (0, 1, 1), (1, 0, 1))
EYE = ((1, 0), (0, 1))
PLANE = (((2, 1), (1, 2)), ((2, -1), (-1, 2))), ((1, -1), (2, F(1, 2)))
CHAIN = (
    (((2, -1, 0), (-1, 2, -1), (0, -1, 2)), ((2, 1, 0), (1, 2, 0), (0, 0, 1))),
    ((-3, 1, 1), (0, 2, -1)),
)
OPPOSED = (EYE, EYE), ((1, -1), (-1, 1))


def setup(cohort, masks, start, *, orders=1, steps=1, eta=F(1, 20), noise=0, box=None):
    hessians, slopes = cohort
    data = (("hessians", hessians), ("slopes", slopes), ("noise", noise))
    parameters = {"sub_models": masks, "orders": orders, "K": steps, "eta": eta}
    view = "as epochs go on"
    if box is not None:
        parameters["box"], view = box, "as epochs go on, in a box"
    run = Run(Objective("quadratics", data), start, tuple(parameters.items()), 1)
    return Setup("submodel", view, run)


def limits(*given, **more):
    return find(setup(*given, **more)).parameters


# ---- exact values


def test_numbers_are_those_of_the_earlier_engine():
    setups = {one.name: one.setup for one in planned()}
    kept = json.loads(DATA.read_text())
    assert setups.keys() == kept.keys()
    for name, own in kept.items():
        found = find(setups[name])
        numbers = {x.value: y.value for x, y in found.constants.items()} | dict(found.parameters)
        told = {key: str(numbers[key]) for key in own["numbers"]}
        assert told == own["numbers"], name
        holds = names(x for x, y in found.evidence.items() if y.holds)
        assert set(own["holds"]) <= holds, name
        modes = {"SHARED_PARTITION", "OWN_PERMUTATIONS", "OWN_PARTITIONS", "OVERLAPPING_WINDOWS"}
        assert holds & modes == modes & set(own["holds"]), name
        if "box" not in dict(setups[name].run.parameters):
            floor = numbers["shuffle_floor"]
            assert {numbers[x] for x in ("free_limit", "round_limit", "epoch_limit")} == {floor}


def test_drawing_with_replacement_by_hand():
    # one coordinate at a time: x <- (1 - a/2) x or the other client's, or both, or none
    quiet = (EYE, EYE), ((0, 0), (0, 0))
    found = limits(quiet, (HALVES,) * 2, (0, 0), orders=2, eta=F(1, 10), noise=1)
    a = fmpq(1, 20)
    kept = fmpq(1, 4) + (1 - a) ** 2 / 2 + (1 - 2 * a) ** 2 / 4
    assert found["drawn_floor"] == 2 * a * a / (1 - kept)
    same = (1 - 2 * a) ** 2, 2 * a * a
    apart = (1 - a) ** 4, a * a * (1 + (1 - a) ** 2)
    assert found["shuffle_floor"] == 2 * (same[1] + apart[1]) / (2 - same[0] - apart[0])


# ---- a slow oracle: one client, one step, one coordinate at a time, in floats


class Loops:
    """Full gradients; an epoch is a list of which sub-model each client trains, by round."""

    def __init__(self, cohort, masks, steps=1, eta=F(1, 20)):
        self.cohort, self.masks, self.steps, self.eta = cohort, masks, steps, float(eta)

    def gradient(self, i, w):
        matrix, slope = self.cohort[0][i], self.cohort[1][i]
        return [sum(float(a) * x for a, x in zip(row, w, strict=True)) + float(b)
                for row, b in zip(matrix, slope, strict=True)]  # fmt: skip

    def round(self, w, turns):
        ends = []
        for i, turn in enumerate(turns):
            mask, own = self.masks[i][turn], list(w)
            for _ in range(self.steps):
                slope = self.gradient(i, [x * m for x, m in zip(own, mask, strict=True)])
                own = [x - self.eta * m * g for x, m, g in zip(own, mask, slope, strict=True)]
            ends.append(own)
        return [sum(column) / len(ends) for column in zip(*ends, strict=True)]

    def epoch(self, w, turns, clip=lambda w: w):
        for each in turns:
            w = clip(self.round(w, each))
        return w

    def affine(self, turns):
        d = len(self.masks[0][0])
        shift = np.array(self.epoch([0.0] * d, turns))
        columns = [np.array(self.epoch(row, turns)) - shift for row in np.eye(d).tolist()]
        return np.stack(columns, axis=1), shift

    def far_away(self, epochs, best, times=600):
        """E ||x - best||^2 after so many epochs, each equally likely, from the origin."""
        maps = [self.affine(turns) for turns in epochs]
        mean, second = np.zeros(len(best)), np.zeros((len(best),) * 2)
        for _ in range(times):
            crossed = [np.outer(a @ mean, b) for a, b in maps]
            every = [a @ second @ a.T + x + x.T + np.outer(b, b)
                     for (a, b), x in zip(maps, crossed, strict=True)]  # fmt: skip
            mean, second = sum(a @ mean + b for a, b in maps) / len(maps), sum(every) / len(maps)
        return np.trace(second) - 2 * mean @ best + best @ best

    def best(self):
        """Where the mean masked gradient vanishes."""
        d = len(self.masks[0][0])
        matrix, slope = np.zeros((d, d)), np.zeros(d)
        for i, own in enumerate(self.masks):
            for mask in np.array(own, dtype=float):
                matrix += np.outer(mask, mask) * np.array(self.cohort[0][i], dtype=float)
                slope += mask * np.array(self.cohort[1][i], dtype=float)
        return np.linalg.solve(matrix, -slope)


def orders_of(count, clients, *, shared):
    single = list(permutations(range(count)))
    every = ([one] * clients for one in single) if shared else product(single, repeat=clients)
    return [list(zip(*own, strict=True)) for own in every]


@pytest.mark.parametrize(
    ("cohort", "masks", "orders", "steps"),
    [(PLANE, (HALVES, APART), 1, 2), (PLANE, (HALVES,) * 2, 2, 1), (CHAIN, (WINDOWS,) * 2, 1, 2)],
)
def test_limits_are_where_plain_loops_end(cohort, masks, orders, steps):
    start = (1, -1, 0)[: len(masks[0][0])]
    found = limits(cohort, masks, start, orders=orders, steps=steps, eta=F(1, 10))
    loops, n, count = Loops(cohort, masks, steps, F(1, 10)), len(masks), len(masks[0])
    every = orders_of(count, n, shared=orders == 1)
    anew = [[turns] for turns in (product(range(count), repeat=n) if orders > 1
                                  else ((s,) * n for s in range(count)))]  # fmt: skip
    wanted = {
        "shuffle_floor": every,
        "fixed_floor": [[(s,) * n for s in range(count)]],
        "drawn_floor": anew,
    }
    for name, epochs in wanted.items():
        assert float(found[name]) == pytest.approx(loops.far_away(epochs, loops.best()), rel=1e-9)
    ends = np.array([loops.epoch(list(map(float, start)), turns) for turns in every])
    spread = ((ends - ends.mean(axis=0)) ** 2).sum(axis=1).mean()
    assert float(found["order_spread"]) == pytest.approx(spread, rel=1e-9)


# ---- in a box


@pytest.mark.parametrize("each_round", [True, False])
def test_a_projected_limit_is_reached_by_enumeration(each_round):
    # one client pushes out, the other in: few states, and one order that leads all to one
    cohort, masks = ((((1,),), ((1,),)), ((-6,), (2,))), (((1,), (0,)), ((0,), (1,)))
    one = setup(cohort, masks, (1,), box=(-1, 1))
    found = find(one).parameters
    view = "epochs in a box, every round projected" if each_round else "epochs in a box"
    three = replace(one, view=view, run=replace(one.run, rounds=3))
    reached = find(three).series["D_opt"]
    assert reached[-1] == found["round_limit" if each_round else "epoch_limit"]
    # 12 leads to 37/40 from everywhere, 21 from there to y, and to the bound from elsewhere
    step, low = fmpq(1, 40), fmpq(37, 40)
    x = low - step * (low + 2)
    y = x - step * (x - 6)
    assert found["round_limit"] == (1 - low) ** 2 / 2 + (1 - y) ** 2 / 4


def test_a_face_holds_what_is_pushed_against_it():
    ends = ((-4, -4, -4), (F(3, 8), 4, 4))
    found = limits(CHAIN, (WINDOWS,) * 2, (F(3, 8), 0, 0), box=ends)
    loops, rng = Loops(CHAIN, (WINDOWS,) * 2), np.random.default_rng(1)
    every, x, total = orders_of(3, 2, shared=True), [0.375, 0.0, 0.0], []
    best = np.array([0.375, *_free(loops)])
    for epoch in range(6000):
        turns = every[rng.integers(len(every))]
        x = loops.epoch(x, turns, lambda w: [min(w[0], 0.375), *w[1:]])
        total += [((np.array(x) - best) ** 2).sum()] if epoch >= 300 else []
    assert np.mean(total) == pytest.approx(float(found["round_limit"]), rel=0.15)


def _free(loops):
    """The other coordinates of w*(M), where the first is held at 3/8."""
    d, matrix, slope = 3, np.zeros((3, 3)), np.zeros(3)
    for i, own in enumerate(loops.masks):
        for mask in np.array(own, dtype=float):
            matrix += np.outer(mask, mask) * np.array(loops.cohort[0][i], dtype=float)
            slope += mask * np.array(loops.cohort[1][i], dtype=float)
    return np.linalg.solve(matrix[1:d, 1:d], -slope[1:] - matrix[1:, 0] * 0.375)


def test_a_limit_without_certificate_is_not_given():
    bent = ((((F(3, 2), F(1, 2), F(1, 2)), (F(1, 2), F(3, 2), F(1, 2)),
              (F(1, 2), F(1, 2), F(3, 2))),), ((-3, 1, 2),))  # fmt: skip
    found = find(setup(bent, (WINDOWS,), (0, 0, 0), box=(-1, F(1, 2))))
    assert "free_limit" in found.parameters
    assert not {"epoch_limit", "round_limit"} & found.parameters.keys()
    assert "no face" in found.undefined["epoch_limit"]
    assert "states are visited" in found.undefined["round_limit"]


# ---- modes


def test_modes_are_read_off_the_masks():
    def modes(*masks, orders=1):
        d, n = len(masks[0][0]), len(masks)
        identity = tuple(tuple(int(a == b) for a in range(d)) for b in range(d))
        cohort = (identity,) * n, ((1,) * d,) * n
        found = find(setup(cohort, masks, (0,) * d, orders=orders)).evidence
        return {name for name, evidence in found.items() if evidence.holds}

    crossed, blocks = ((1, 0, 1, 0), (0, 1, 0, 1)), ((1, 1, 0, 0), (0, 0, 1, 1))
    assert assumed.SHARED_PARTITION in modes(HALVES, HALVES)
    assert assumed.OWN_PERMUTATIONS not in modes(HALVES, HALVES)
    assert assumed.OWN_PERMUTATIONS in modes(HALVES, HALVES, orders=2)
    assert assumed.OWN_PARTITIONS in modes(blocks, crossed)
    assert not {assumed.OWN_PARTITIONS, assumed.SHARED_PARTITION} & modes(HALVES, APART)
    two = ((1, 1, 0, 0), (0, 1, 1, 0), (0, 0, 1, 1), (1, 0, 0, 1))
    three = tuple(tuple(1 - x for x in row) for row in np.eye(4, dtype=int).tolist())
    assert assumed.OVERLAPPING_WINDOWS in modes(two, three)
    assert assumed.OVERLAPPING_WINDOWS in modes(two[::-1])
    assert assumed.OVERLAPPING_WINDOWS not in modes((*two[:3], two[0]))  # one is there twice
    assert assumed.OVERLAPPING_WINDOWS not in modes(((1, 0, 0), (0, 1, 0), (0, 0, 1)))
    assert assumed.OVERLAPPING_WINDOWS not in modes(((1, 1), (1, 1)))
    assert assumed.SHARED_PARTITION not in modes(((1, 0), (0, 1), (0, 0)))  # an empty block


# ---- planted errors


def test_a_fixed_order_in_place_of_shuffling_hides_what_shuffling_costs(monkeypatch):
    def verdict(name):
        case = case_of(Planned(name, setup(OPPOSED, (HALVES,) * 2, (0, 0), orders=2)), "")
        every = (x for j in judge(CLAIMS, case).judgements for x in j.outcomes)
        return next(x.verdict for x in every if x.part == "own permutations, a fixed order")

    assert verdict("shuffled") is Verdict.VIOLATED
    fixed = replace(rolling_ends.SHUFFLED, draw=rolling_ends.draw_in_turn)
    monkeypatch.setattr(rolling_ends, "SHUFFLED", fixed)
    assert verdict("in order") is not Verdict.VIOLATED
