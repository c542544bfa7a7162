"""What runs of networks show is what an oracle has, client by client and step by step; equal."""

from dataclasses import replace

import bridge
import numpy as np
import pytest
from deep_linear_oracle import one_round, spectra
from each import each
from flint import arb
from overparam_cases import (
    CASES,
    IRRATIONAL,
    RANDOM,
    Case,
    F,
    Network,
    case_of,
    differing,
    known,
    shown,
)

import fedbounds.algorithms.scheduled_averaging as algorithm
from fedbounds.problems.deep_linear import DeepLinear
from fedbounds.problems.spectrum import squared_norm
from fedbounds.theory.overparam.measured import QUANTITIES
from fedbounds.theory.overparam.setups import PLANNED
from fedbounds.verify.measure.balls import Ball, precise
from fedbounds.verify.measure.clients import Clients
from fedbounds.verify.setups.found import known_of, view_of

EVERY = CASES | RANDOM
OF_ONE_LAYER = {"far_2", "near_k2"}
SPECTRAL = {
    "W_low", "W_high", "W_first", "W_last", "W_in", "W_in_moved", "grams_2", "own_min", "own_max",
    "D_first", "D_last", "D_inner", "D_length", "D_spread", "D_layer2",
    "miss_16", "miss_16t", "P_S_low", "P_S_high",
}  # fmt: skip
OF_TWO = {"D_first", "D_last", "D_length", "D_spread"}  # layers, or of three
OF_THREE = {"W_in", "W_in_moved", "D_inner"}
VANISHING = {"miss_8", "miss_10", "miss_11", "miss_17", "miss_18"}


@pytest.mark.parametrize("name", EVERY)
def test_every_quantity_is_the_oracles(name):
    case = EVERY[name]
    few = set() if case.network.depth == 1 else OF_ONE_LAYER
    assert case.wanted.keys() == QUANTITIES.keys() - few - SPECTRAL
    assert differing(case) == set()


@pytest.mark.parametrize("name", EVERY)
def test_what_the_paper_says_is_equal_is_so_for_the_oracle(name):
    case = EVERY[name]
    for missed in VANISHING:
        assert case.wanted[missed] == [0] * case.rounds
    for name in ("miss_7", "miss_7m"):
        assert case.wanted[name] == [[[0]] * len(case.network.clients)] * case.rounds
    assert case.wanted["miss_18a"] == case.wanted["term_2q"]
    one_layer = case.network.depth == 1
    for term in ("term_2q", "term_4q"):
        assert all((x == 0) is one_layer for x in case.wanted[term][1:])
    assert all((x == 0) is (case.K == 1) for x in case.wanted["term_3q"])
    assert all(steps[0] == 0 for own in case.wanted["move_k2"] for steps in own)


@pytest.mark.parametrize("name", CASES)
def test_eigenvalues_are_the_oracles_in_floats(name):
    case = CASES[name]
    told = SPECTRAL - (OF_TWO if case.network.depth == 1 else set())
    told -= OF_THREE if case.network.depth <= 2 else set()
    assert spectral(case).keys() == told
    assert not apart(case, told)


def spectral(case):
    """Of every name, the oracle's numbers in all rounds."""
    W0 = W = case.network.layers(case.start)
    every = []
    for present in case.sets:
        every.append(spectra(case.network, W0, W, present, case.eta, case.K))
        W, _ = one_round(case.network, W0, W, present, case.eta, case.K)
    return {name: [own[name] for own in every] for name in every[0]}


def apart(case, names, planted=None):
    """Names of those that are not the oracle's."""
    found, wanted, differ = known(case, planted), spectral(case), set()
    for name in names:
        series = found.series(name)
        for t, value in enumerate(wanted[name]):
            own = [float(arb(x.ball if isinstance(x, Ball) else x).mid())
                   for x in series.reshape(-1, series.shape[-1])[:, t]]  # fmt: skip
            value = np.ravel(value)
            if len(own) != len(value) or not np.allclose(own, value, rtol=1e-9, atol=1e-12):
                differ.add(name)
    return differ


def planned():
    """One round of every network, and every number of local steps and clients drawn."""
    found = {}
    for one in PLANNED:
        run = one.setup.run
        if run.problem.family != "deep linear" or "linearised" in one.setup.view:
            continue  # networks beside their linearisation have an oracle in test_linearised
        if dict(run.problem.data)["width"] in (16, 10**6) and run.parameter("K") <= 2:
            found.setdefault((run.problem, run.parameter("K"), run.parameter("m")), one)
    assert len(found) > 8
    return list(found.values())


@each("one", planned)
def test_planned_set_ups_are_the_oracles(one):
    rounds = 1 if dict(one.setup.run.problem.data)["depth"] > 1 else 3
    setup = replace(one.setup, run=replace(one.setup.run, rounds=rounds))
    found = known_of(setup, view_of(setup))
    for name, values in case_of(setup).wanted.items():
        assert shown(found, name) == values, name


def test_balls_are_near_the_oracle_in_floats():
    with precise():
        found = known(IRRATIONAL)
        every = {x: np.moveaxis(found.series(x), -1, 0) for x in IRRATIONAL.wanted}
    assert {x for x, y in every.items() if isinstance(y.flat[-1], Ball)} == every.keys() - {
        "S_size"
    }
    for name, values in IRRATIONAL.wanted.items():
        balls = balls_of(every[name])
        assert all(float(x.rad()) < 1e-20 for x in balls.flat)
        near = np.vectorize(lambda x: float(x.mid()), otypes=[float])(balls)
        np.testing.assert_allclose(near, np.array(values, dtype=float), rtol=1e-9, atol=1e-14)
        if name in VANISHING:
            assert all(x.contains(0) for x in balls.flat)


def balls_of(array):
    return np.vectorize(lambda x: x.ball if isinstance(x, Ball) else arb(x), otypes=[object])(array)


@pytest.mark.parametrize("name", CASES)
def test_the_sizes_of_the_sets_are_told(name):
    case, found = CASES[name], known(CASES[name])
    sizes = [len(own) for own in case.sets]
    assert (found.constant("S_least"), found.constant("S_most")) == (min(sizes), max(sizes))


@pytest.mark.parametrize("name", RANDOM)
def test_of_clients_at_random_all_sets_are_of_one_size(name):
    case, found = RANDOM[name], known(RANDOM[name])
    assert found.constant("S_least") == found.constant("S_most") == case.m
    assert shown(found, "S_size") == [case.m] * case.rounds


def test_a_schedule_starts_anew():
    case = CASES["in turns, again"]
    whole = replace(case, sets=((0,), (1,), (0,)), T=0)
    assert case.wanted == whole.wanted
    assert shown(known(case), "R_2") == shown(known(whole), "R_2")


def test_a_schedule_of_other_clients_is_refused():
    case = CASES["two outputs"]
    setup = case.setup
    given = {**dict(setup.run.parameters), "schedule": ((1, 0, 1),)}
    run = replace(setup.run, parameters=tuple(given.items()))
    with pytest.raises(ValueError, match="a 0 or 1 for each of n = 2 clients"):
        known_of(replace(setup, run=run), view_of(setup)).series("R_2")


# ---- planted errors


RIGHT = {name: getattr(algorithm, name) for name in ("_round", "_apart", "step")}
OF_PROBLEM = {
    name: getattr(DeepLinear, name)
    for name in ("cotangent", "expansion", "crossed_gram", "nearest_fit")
}


def over_everyone(problem, own, present):
    """Over N and not over |S|."""
    return problem.xp.sum(own * present[:, :, None], axis=1) / problem.clients


def of_everyone(problem, own, present):
    """Clients outside S_t too."""
    return problem.xp.sum(own, axis=1) / problem.clients


def of_another(problem, p, state, present, after, ys, missed, see):
    """Local residuals of the next client in the Gram matrix of one."""
    rolled = [np.roll(own, 1, axis=1) for own in missed]
    RIGHT["_apart"](problem, p, state, present, after, ys, rolled, see)


def of_the_first_step(problem, p, state, present, after, ys, missed, see):
    """xi of the global model in place of that of local ones."""
    RIGHT["_apart"](problem, p, state, present, after, ys, missed[:1] * len(missed), see)


def of_now(problem, p, state, present, after, ys, missed, see):
    """P(t) in place of P(0)."""
    RIGHT["_apart"](problem, p, {**state, "x0": state["x"]}, present, after, ys, missed, see)


def divided_by_steps(problem, p, state, present, see):
    """eta/K for eta."""
    given = {"eta": p["eta"] / p["K"], "K": p["K"]}
    return RIGHT["_round"](problem, given, state, present, see)


def moving_start(problem, p, state, drawn, see):
    """What is far from the start is far from the round before."""
    found = RIGHT["step"](problem, p, state, drawn, see)
    return {**found, "x0": state["x"] * 1}


def next_round(problem, p, state, drawn, see):
    """The clients of the round that comes."""
    given = {**{x: p[x] for x in ("eta", "K", "schedule")}, "t": p["t"] + 1}
    return RIGHT["step"](problem, given, state, drawn, see)


def untrained(self, z, r, cohort):
    """The last layer does not move."""
    found = OF_PROBLEM["cotangent"](self, z, r, cohort)
    found[:, -self.layer_sizes[-1] :] *= 0
    return found


def less_of_it(self, z, v, cohort):
    """E(t) without its last products."""
    found = OF_PROBLEM["expansion"](self, z, v, cohort)
    found[:, -1] *= 0
    return found


def turned(self, x, ys):
    """The transpose of the Gram matrix."""
    found = OF_PROBLEM["crossed_gram"](self, x, ys)
    size = self.clients * self.samples * self.outputs
    return found.reshape(-1, size, size).swapaxes(1, 2).reshape(found.shape)


def outputs_turned(self, x, ys):
    """W_kc^{L:i+1} W^{L:i+1}' in place of W^{L:i+1} W_kc^{L:i+1}'."""
    return OF_PROBLEM["crossed_gram"](self, x, ys).swapaxes(2, 5)


def nearest_to_nothing(self, z):
    """The least fit in place of that nearest to the start."""
    return OF_PROBLEM["nearest_fit"](self, z * 0)


MODEL = {"R_2", "G_l2", "far_l2"}  # of the models after a round
TERMS = {f"term_{i}q" for i in (1, 2, 3, 4)}
LOCAL, GRAM = {"term_2q", "term_3q", "miss_18a"}, {"miss_11", "miss_17", "miss_18"}
PLANTED = {  # where, what, in which case, and which quantities it changes
    "over N": (algorithm, "mean_of", over_everyone, "all, then some",
               MODEL | {"miss_8", "term_1q", "term_2q", "term_4q"}),
    "not of S": (algorithm, "mean_of", of_everyone, "all, then some", MODEL),
    "of another": (algorithm, "_apart", of_another, "three steps", LOCAL | GRAM),
    "of the first step": (algorithm, "_apart", of_the_first_step, "three steps", LOCAL | GRAM),
    "P(t)": (algorithm, "_apart", of_now, "three steps", {"term_1q", "term_2q", "term_3q"}),
    "turned": (DeepLinear, "crossed_gram", turned, "three steps", GRAM | {"term_2q"}),
    "outputs turned": (DeepLinear, "crossed_gram", outputs_turned, "two outputs",
                       GRAM | {"term_2q"}),
    "eta/K": (algorithm, "_round", divided_by_steps, "three steps", MODEL | TERMS),
    "moving start": (algorithm, "step", moving_start, "all, then some", {"far_l2", "term_1q"}),
    "next round": (algorithm, "step", next_round, "all, then some", {"S_size", "R_2"}),
    "untrained": (DeepLinear, "cotangent", untrained, "three steps", MODEL | TERMS),
    "less of E": (DeepLinear, "expansion", less_of_it, "three layers",
                  {"miss_10", "miss_17", "miss_18", "term_4q"}),
    "least fit": (DeepLinear, "nearest_fit", nearest_to_nothing, "one layer, free entries",
                  OF_ONE_LAYER),
}  # fmt: skip


@pytest.mark.parametrize("name", PLANTED)
def test_an_error_planted_in_rounds_is_caught(name, monkeypatch):
    where, part, wrong, case, names = PLANTED[name]
    monkeypatch.setattr(where, part, wrong)
    planted = replace(algorithm.ROUNDS, name=name, step=algorithm.step)
    found = differing(CASES[case], planted)
    assert names <= found
    assert found < QUANTITIES.keys()


@pytest.mark.parametrize("name", ["over N", "not of S", "eta/K", "untrained"])
def test_an_error_planted_in_rounds_at_random_is_caught(name, monkeypatch):
    where, part, wrong, _, names = PLANTED[name]
    monkeypatch.setattr(where, part, wrong)
    planted = replace(algorithm.SAMPLED, name=name)
    assert names <= differing(RANDOM["two of three"], planted)


def test_one_round_by_hand():
    """f = W x with x = 1 and 2, y = 1 and 0, from W = 0: two steps of 1/4 of the first client."""
    clients = ((((F(1),), (F(1),)),), (((F(2),), (F(0),)),))
    case = Case(Network(clients, 1, 5, F(1)), (F(0),), F(1, 4), 2, ((0,),))
    found = known(case)
    # residuals -1, -3/4: W = 7/16; then -9/16 and 7/8
    assert shown(found, "R_2") == [1, F(81 + 196, 256)]
    assert shown(found, "xi_k2") == [[[1, F(9, 16), F(81, 256)], [0, 0, 0]]]
    assert shown(found, "move_k2") == [[[0, F(1, 16), F(49, 256)], [0, 0, 0]]]
    assert shown(found, "G_l2") == [[[F(49, 16)]]]
    # P(0) is [[1, 2], [2, 4]], of which S has the first column: -1 + 2/4 and 2/4 of it
    assert shown(found, "term_1q") == [F(1, 4) + 1]
    # 1/4 of what the second residual differs, twice over for the second sample
    assert shown(found, "term_3q") == [F(1, 256) + F(1, 64)]
    assert found.constant("S_least") == 1


# ---- planted errors in what is told of eigenvalues


def of_the_start(self, x, other):
    """Products against those of nothing."""
    return AWAY(self, x, other * 0)


def over_one_power(self, every, p):
    """Over m, whatever the number of layers is."""
    return NORMS(self, every, 1)


def of_the_last_layer(self, x, other):
    """One layer in place of the largest."""
    return NORMS(self, [self.layers((x - other)[None, :])[-1][0]], 0)[0]


def by_last_step(self, x, ys, missed):
    """After one step in place of the largest of all."""
    return CHANGES(self, x, [ys[0], *[ys[1]] * (len(ys) - 1)], missed)


def by_largest_only(self, x, ys, missed):
    """sigma_max in place of sigma_min in (39)."""
    found = CHANGES(self, x, ys, missed)
    least, largest = self.own_extremes
    found["own_spread"] = found["own_spread"] * np.repeat(
        (least / largest) ** 2, len(found["own_spread"][0]) // self.clients
    )
    return found


def of_all_clients(self, x, start, present):
    """P(0) in place of P^S(0)."""
    return BLOCKS(self, x, start, present * 0 + 1)


def now_in_place_of_start(self, x, start, present):
    """P^S(t) in place of P^S(0)."""
    return BLOCKS(self, x, x, present)


def twice(self, start):
    """1/m in place of C^2 = 1/(m d_out), of two outputs."""
    return GRAM(self, start) * 2


AWAY, NORMS, GRAM = DeepLinear.away, DeepLinear._norms, DeepLinear.gram
CHANGES, BLOCKS = Clients.local_changes, Clients.gram_blocks
TOLD_WRONGLY = {
    "of nothing": (DeepLinear, "away", of_the_start, "three layers",
                   {"W_first", "W_last", "W_in_moved", "D_first", "D_last", "D_inner"}),
    "over m": (DeepLinear, "_norms", over_one_power, "three layers",
               {"W_first", "W_last", "D_first", "D_last"}),
    "one layer": (DeepLinear, "layers_away", of_the_last_layer, "three layers", {"D_layer2"}),
    "one step": (Clients, "local_changes", by_last_step, "three layers, three steps",
                 {"D_first", "D_last", "D_inner", "D_layer2"}),
    "largest only": (Clients, "local_changes", by_largest_only, "two samples", {"D_spread"}),
    "all clients": (Clients, "gram_blocks", of_all_clients, "all, then some",
                    {"P_S_low", "P_S_high"}),
    "P^S(t)": (Clients, "gram_blocks", now_in_place_of_start, "all, then some",
               {"P_S_high"}),
    "no outputs": (DeepLinear, "gram", twice, "two outputs",
                     {"miss_16", "miss_16t", "P_S_high"}),
}  # fmt: skip


@pytest.mark.parametrize("name", TOLD_WRONGLY)
def test_an_error_planted_in_eigenvalues_is_caught(name, monkeypatch):
    where, part, wrong, case, names = TOLD_WRONGLY[name]
    monkeypatch.setattr(where, part, wrong)
    planted = replace(algorithm.ROUNDS, name=name)
    assert apart(CASES[case], names, planted) == names


def test_norms_of_large_matrices_are_enclosed():
    """Of 21 rows and more two bounds are told; of fewer the norm."""
    rng = np.random.default_rng(0)
    for shape in ((20, 30), (21, 30), (40, 25), (3, 2)):
        matrix = rng.integers(-5, 6, size=shape)
        found = squared_norm(bridge.exact(matrix))
        true = np.linalg.norm(matrix, 2) ** 2
        low, high = float(arb(found.lower)), float(arb(found.upper))
        assert low <= true * (1 + 1e-12)
        assert high >= true * (1 - 1e-12)
        assert bool(high - low < 1e-6 * true) is (min(shape) <= 20)
