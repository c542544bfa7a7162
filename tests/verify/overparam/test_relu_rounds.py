"""What rounds of ReLU networks show is what an oracle has, neuron by neuron; equal."""

from dataclasses import replace
from fractions import Fraction
from functools import cache
from math import isqrt, sqrt

import numpy as np
import pytest
import relu_rounds_oracle as oracle
from each import each
from overparam_cases import _exact, shown
from relu_rounds_oracle import Network

import fedbounds.algorithms.relu_averaging as algorithm
import fedbounds.algorithms.scheduled_averaging as averaging
from fedbounds.problems.relu_network import ReluNetwork, indicators
from fedbounds.theory.overparam.relu_measured import QUANTITIES
from fedbounds.theory.overparam.relu_setups import PLANNED
from fedbounds.verify.measure.balls import precise
from fedbounds.verify.setups.found import known_of, view_of

F = Fraction
LONG = "ReLU, long steps: "  # all neurons are in every complement: R is 4
OF_MODELS = {"R_2", "A_1", "A_4", "near_w2", "move_k2"}


def case(setup):
    """A network, its start, rounds that are equally likely, eta and K."""
    run = setup.run
    data = {name: _exact(given) for name, given in run.problem.data}
    signs, start = data["signs"], list(_exact(run.start))
    m, root = len(signs), isqrt(len(signs))
    width = len(start) // m
    clients = tuple(zip(data["features"], data["targets"], strict=True))
    net = Network(clients, signs, F(root) if root**2 == m else sqrt(m), F(run.parameter("radius")))
    W = [start[width * r : width * (r + 1)] for r in range(m)]
    if run.parameter("m"):
        every = oracle.drawn(net, run.parameter("m"), run.rounds)
    else:
        rows = [run.parameter("schedule")[t % len(run.parameter("schedule"))]
                for t in range(run.rounds)]  # fmt: skip
        every = [[tuple(c for c, one in enumerate(row) if one) for row in rows]]
    return net, W, every, F(run.parameter("eta")), run.parameter("K")


@cache
def wanted(setup):
    """Every quantity in each round, in the mean; of the residual also after the last."""
    net, W, every, eta, K = case(setup)
    runs = [oracle.rounds(net, W, sets, eta, K) for sets in every]
    found = {
        name: [mean([run[t][name] for run, _ in runs]) for t in range(setup.run.rounds)]
        for name in runs[0][0][0]
    }
    return found | {"R_2": [*found["R_2"], mean([last for _, last in runs])]}


def mean(values):
    if isinstance(values[0], list):
        return [mean(list(own)) for own in zip(*values, strict=True)]
    return sum(values) / len(values)


def known(setup, planted=None):
    view = view_of(setup)
    return known_of(setup, view if planted is None else replace(view, algorithm=planted))


def differing(setup, planted=None):
    """Names of quantities that are not the oracle's."""
    found = known(setup, planted)
    return {name for name, values in wanted(setup).items() if shown(found, name) != values}


def setup_of(told):
    (found,) = (one.setup for one in PLANNED if one.name == told)
    return found


def small():
    """Every run of few neurons with a rational root of m; of more a round, of one step."""
    found = [one for one in PLANNED if width(one.setup) <= 16 and one.setup.run.rounds <= 3]
    more = [one for one in PLANNED if width(one.setup) == 64 and "both, K=1" in one.name]
    return found + [replace(one, setup=shorter(one.setup, 1)) for one in more]


def shorter(setup, rounds):
    return replace(setup, run=replace(setup.run, rounds=rounds))


def within(setup, radius):
    """From four neurons of which w'x is -1, -1/2, 1/4 and 1; and -13/20, -1/5, 1/2 and 3/5."""
    given = {**dict(setup.run.parameters), "radius": radius}
    start = ("1", "0", "-1/2", "1", "1/4", "-1", "-1", "1/2")
    return replace(setup, run=replace(setup.run, parameters=tuple(given.items()), start=start))


def width(setup):
    return len(dict(setup.run.problem.data)["signs"])


@each("one", small)
def test_every_quantity_is_the_oracles(one):
    assert wanted(one.setup).keys() == QUANTITIES.keys()
    assert differing(one.setup) == set()


@pytest.mark.parametrize(
    ("radius", "sizes"), [("1/8", [0, 0]), ("1/2", [2, 1]), ("3/5", [2, 2]), ("2", [4, 4])]
)
def test_complements_of_some_neurons_are_the_oracles(radius, sizes):
    setup = within(setup_of(f"{LONG}in turns, K=3 T=3"), radius)
    net, W, *_ = case(setup)
    assert [len(net.outside(W, x)) for x, _ in net.samples] == sizes
    assert differing(setup) == set()


def test_neurons_flip_in_long_steps_and_do_not_in_short_ones():
    long = case(setup_of(f"{LONG}both, K=3 T=3"))
    short = case(setup_of("ReLU, samples with an angle: both, K=1 T=3"))
    for (net, W, (sets,), eta, K), flipping in ((long, True), (short, False)):
        assert (oracle.flips(net, W, sets, eta, K) > 0) is flipping
    found = wanted(setup_of(f"{LONG}both, K=3 T=3"))
    assert found["v_2"] != found["v_p2"]
    assert found["A_3"] != found["A_3p"]
    for name in ("A_2", "D_1", "D_2"):
        assert any(found[name])


def test_what_the_paper_says_is_equal_is_so_for_the_oracle():
    for told in (f"{LONG}both, K=3 T=3", "ReLU, two samples: one client, K=3 T=3"):
        found = wanted(setup_of(told))
        later = found["R_2"][1:]
        for t, after in enumerate(later):
            four = sum(found[name][t] for name in ("R_2", "A_1", "A_2", "A_3", "A_4"))
            assert after == four
            split = sum(found[name][t] for name in ("D_1", "D_2", "D_3"))
            assert found["A_1"][t] == -2 * split
        assert found["miss_49"] == [0] * len(later)


def test_neurons_of_the_complement_at_the_ends():
    """w'x is from 0 to 2 for w = 1, x = 1, R = 1: never below 0. From -2 to 0: at its end 1{0}."""
    for w, outside in ((1, set()), (-1, {0}), (F(-9, 8), set()), (F(7, 8), {0})):
        net = Network((((((F(1),),)), (F(0),)),), (1,), F(1), F(1))
        assert net.outside([[F(w)]], (F(1),)) == outside
        setup = replace_data(w)
        found = known(setup)
        assert shown(found, "A_2") == wanted(setup)["A_2"]
        assert (shown(found, "A_2") != [0]) is (outside == {0} and w > 0)
        assert shown(found, "v_2") == wanted(setup)["v_2"]


def replace_data(w):
    """One neuron w, one sample 1 with the target 3, one step of 2, and R = 1."""
    like = setup_of(f"{LONG}both, K=1 T=3")
    data = {"features": (((1,),),), "targets": ((3,),), "signs": (1,)}
    given = {"eta": 2, "K": 1, "radius": 1, "schedule": ((1,),)}
    run = replace(
        like.run,
        problem=replace(like.run.problem, data=tuple(data.items())),
        start=(str(w),), parameters=tuple(given.items()), rounds=1,
    )  # fmt: skip
    return replace(like, run=run)


def test_balls_are_near_the_oracle_in_floats():
    setup = shorter(setup_of("ReLU, twelve neurons: one client, K=1 T=40"), 2)
    with precise():
        found = known(setup)
        for name, values in wanted(setup).items():
            own = np.moveaxis(found.series(name), -1, 0)
            near = np.vectorize(middle, otypes=[float])(own)
            np.testing.assert_allclose(
                near, np.array(values, dtype=float), rtol=1e-9, atol=1e-14, err_msg=name
            )


def middle(x):
    ball = getattr(x, "ball", x)
    return float(ball.mid()) if hasattr(ball, "mid") else float(F(int(x.p), int(x.q)))


# ---- planted errors

RIGHT = {name: getattr(algorithm, name) for name in ("_apart", "step", "at_start", "_all")}
OF_PROBLEM = {
    name: getattr(ReluNetwork, name)
    for name in ("_shrunk", "near", "tangent_neurons", "_pulled", "neurons")
}


def over_everyone(problem, own, present):
    """Over N and not over |S|."""
    return problem.xp.sum(own * present[:, :, None], axis=1) / problem.clients


def of_everyone(problem, own, present):
    """Clients outside S_t too."""
    return problem.xp.sum(own, axis=1) / problem.clients


def of_another(problem, p, x0, res, present, missed):
    """Local residuals of the next client at H(0)."""
    rolled = [np.roll(own, 1, axis=1) for own in missed]
    return RIGHT["at_start"](problem, p, x0, res, present, rolled)


def of_the_client_on_both_sides(problem, p, state, present, done, see):
    """H(t, k, c) with the indicators of client c's model for samples i too."""
    weights = (present / problem.xp.sum(present, axis=1)[:, None])[:, :, None] * p["eta"]
    every, res = [], problem.residual(state["x"])
    for c in range(problem.clients):
        for y, missed in zip(done[2][:-1], done[3], strict=True):
            own = problem.spread(y[:, c, :])
            back = problem.cotangent(y, missed * weights)[:, c, :]
            every.append(problem.tangent(own, problem.spread(back)))

    def other(**shown):
        if "by_gram" in shown:
            shown["by_gram"] = sum(every) + res * 0
        see(**shown)

    RIGHT["_apart"](problem, p, state, present, done, other)


def not_shrunk(self, x):
    """1 in place of 1/sqrt(m)."""
    return x


def once_shrunk(self, on, r, cohort):
    """Slopes without 1/sqrt(m)."""
    return OF_PROBLEM["_pulled"](self, on, r, cohort) * self.width


def exchanged(self, z, cohort, *, radius):
    """Q_i in place of its complement."""
    return 1 - OF_PROBLEM["near"](self, z, cohort, radius=radius)


def wider(self, z, cohort, *, radius):
    """R^2 in place of R."""
    return OF_PROBLEM["near"](self, z, cohort, radius=radius * radius)


def closed(self, z, cohort, *, radius):
    """w_r'x of R |x| too, where w'x is never below 0."""
    products = self._products(z, cohort)
    squares = (self.features**2).sum(axis=2)[cohort.pair // cohort.replicas] * radius**2
    return self._by_sample(indicators(squares[:, None, :] - products**2))


def without_signs(self, z, cohort):
    """Neurons without a_r."""
    return abs(OF_PROBLEM["neurons"](self, z, cohort))


def moving_start(problem, p, state, drawn, see):
    """H(0) is that of the round before."""
    found = RIGHT["step"](problem, p, state, drawn, see)
    return {**found, "x0": state["x"] * 1}


COMPLEMENT = {"A_2", "A_3", "A_3p", "v_2", "v_p2"}
PLANTED = {  # where, what, and which quantities it changes
    "over N": (averaging, "mean_of", over_everyone, OF_MODELS - {"near_w2", "move_k2"}),
    "not of S": (averaging, "mean_of", of_everyone, OF_MODELS - {"near_w2", "move_k2"}),
    "of another": (algorithm, "at_start", of_another, {"D_1", "D_2"}),
    "both sides": (algorithm, "_apart", of_the_client_on_both_sides, {"A_1", "D_1"}),
    "not shrunk": (ReluNetwork, "_shrunk", not_shrunk, OF_MODELS),
    "slopes not shrunk": (ReluNetwork, "_pulled", once_shrunk, OF_MODELS),
    "exchanged": (ReluNetwork, "near", exchanged, COMPLEMENT),
    "R^2": (ReluNetwork, "near", wider, COMPLEMENT),
    "closed": (ReluNetwork, "near", closed, COMPLEMENT - {"v_2", "A_3"}),
    "no signs": (ReluNetwork, "neurons", without_signs, {"A_3", "v_2"}),
    "moving start": (algorithm, "step", moving_start, {"D_1", "D_2", "D_3"}),
}


@pytest.mark.parametrize("name", PLANTED)
def test_an_error_planted_in_rounds_is_caught(name, monkeypatch):
    where, part, wrong, names = PLANTED[name]
    monkeypatch.setattr(where, part, wrong)
    planted = replace(algorithm.ROUNDS, name=name, step=algorithm.step)
    setup = setup_of(f"{LONG}in turns, K=3 T=3")
    found = differing(setup, planted) | differing(within(setup, "1/2"), planted)
    assert names <= found
    assert found < QUANTITIES.keys()


@pytest.mark.parametrize("name", ["over N", "not of S", "exchanged", "not shrunk"])
def test_an_error_planted_in_rounds_at_random_is_caught(name, monkeypatch):
    where, part, wrong, names = PLANTED[name]
    monkeypatch.setattr(where, part, wrong)
    planted = replace(algorithm.SAMPLED, name=name)
    setup = setup_of(f"{LONG}one of 2 at random, K=2 T=3")
    assert names & {"R_2", "A_2"} <= differing(setup, planted)
