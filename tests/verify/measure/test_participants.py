"""Rounds that are computed for participants alone: the same as for all, or refused."""

from dataclasses import replace

import array_api_compat.numpy
import array_api_strict
import numpy as np
import pytest
from flint import fmpq
from personal_runs import STEPS, problem

from fedbounds.algorithms import (
    fedavg,
    fedsim,
    personal_averaging,
    personal_scaffold,
    scaffold,
    side_by_side,
)
from fedbounds.algorithms.traced import Algorithm
from fedbounds.errors import FedboundsError
from fedbounds.problems import (
    FederatedQuadratic,
    Noise,
    NoiseLaw,
    federated_logistic,
    to_float,
    to_namespace,
)
from fedbounds.problems.spectrum import to_floats
from fedbounds.theory.language.setups import Shown
from fedbounds.theory.language.symbols import VectorSymbol
from fedbounds.theory.proof.vectors import present, sq
from fedbounds.verify.measure.clients import Clients
from fedbounds.verify.measure.contract import drawn_by, one_step, started
from fedbounds.verify.measure.participants import slotted
from fedbounds.verify.measure.random import Random, answered
from fedbounds.verify.measure.replicas import Replicas
from fedbounds.verify.measure.samples import patterned, replicas, stream
from fedbounds.verify.measure.slots import Slots
from fedbounds.verify.measure.stacked import Stacked
from fedbounds.verify.measure.subject import Subject
from fedbounds.verify.measure.unknowns import Refused

N, M, K, T = 5, 2, 3, 3
VALUES = {"cohort": M, "m": M, "K": K, "gamma": fmpq(1, 8), "eta": fmpq(3, 2), **STEPS}
VALUES |= {"eta_l": fmpq(1, 16), "eta_g": fmpq(3, 4)}
SHOWN = Shown(
    draws={"S": ("present",)}, indices={"i": ""},
    vectors={"u": (), "v": ("i",), "u_next": (), "v_next": ("i",), "au": ("i",)},
    factors={"present": ("i",)},
)  # fmt: skip


def of(algorithm, exact=False, shared=2, personal=2, values=VALUES, shown=SHOWN, **changed):
    """A run on quadratics, K = n in some respect: no axis is known by its length."""
    own, start = problem(N, shared, personal, law=NoiseLaw.GAUSSIAN)
    own = replace(own, **changed)
    clients = Clients(own if exact else to_float(own))
    return Subject(algorithm, clients, start if exact else to_floats(start), values, T, shown)


def _masks(random, problem, p):
    """Besides who takes part: a mask of every client, and a coin of all."""
    return {
        "xi": random.noise(problem, p["K"]),
        "mask": random.bernoulli(fmpq(1, 2), problem.clients, problem.dimension),
        "coin": random.bernoulli(fmpq(1, 3), 1),
        "present": random.participants(problem.clients, p["m"]),
    }


def _masked(problem, p, state, drawn, see):
    x = problem.spread(state["x"])
    y = x
    for k in range(p["K"]):
        step = problem.gradient(y * drawn["mask"]) + drawn["xi"][:, :, k, :]
        y = y - step * drawn["mask"] * p["gamma"]
    moved = problem.xp.sum((y - x) * drawn["present"][:, :, None], axis=1) / p["m"]
    kept = state["last"] + (y - state["last"]) * drawn["present"][:, :, None]
    return {"x": state["x"] + moved * drawn["coin"], "last": kept}


MASKED = Algorithm(
    lambda problem, start: {"x": start, "last": problem.spread(start) * 2}, _masks, _masked, "masks"
)
BLOCKS = (
    personal_averaging.ROUNDS,
    personal_averaging.OBSERVED,
    personal_scaffold.ROUNDS,
    personal_scaffold.OBSERVED,
    personal_scaffold.AVERAGING,
)
SHARED = (fedavg.ROUNDS, scaffold.ROUNDS, MASKED)
EVERY = [(x, 2) for x in BLOCKS] + [(x, 0) for x in SHARED] + [(fedsim.ROUNDS, 1)]
NAMED = pytest.mark.parametrize(
    ("algorithm", "personal"), EVERY, ids=lambda x: getattr(x, "name", x)
)


def by_both(subject, known, numbers, xp=array_api_compat.numpy, rows=6):
    """States of T rounds, of participants alone and of all, on equal draws."""
    random, absent = np.random.default_rng(1), np.random.default_rng(2)
    clients = subject.problem
    if xp is not array_api_compat.numpy:
        clients = Clients(to_namespace(clients.objective, xp), xp)
    start = xp.asarray(np.repeat(subject.start[None, :], rows, axis=0))

    def moved(array):
        return xp.asarray(numbers(array))

    def first(source):
        return moved(source.sample(random, rows).reshape(rows, *source.shape))

    state = started(subject.algorithm, clients, start, Random(first), subject.parameters())
    few = every = state
    states = []
    for at in range(subject.rounds):
        p = subject.parameters(at)
        taking, own = known.draw(random, rows)
        assert (taking.sum(axis=1) == M).all()
        whole = known.completed(taking, own, absent)
        slots = Slots(clients.objective, xp, present=taking)
        few = known.step(subject.algorithm, slots, p, few, list(map(moved, own)))
        drawn = answered(
            lambda given, p=p: drawn_by(subject.algorithm, given, clients, p),
            known.sources, list(map(moved, whole)),
        )  # fmt: skip
        every, _ = one_step(subject.algorithm, clients, p, every, drawn)
        states.append((few, every))
    return states


def exactly(array):
    """Floats as the rationals that they are, with few digits."""
    return np.frompyfunc(lambda x: fmpq(round(float(x) * 64), 64), 1, 1)(array)


# ---- the same


@NAMED
def test_participants_alone_give_the_same_rationals(algorithm, personal):
    known = slotted(of(algorithm, personal=personal))
    for few, every in by_both(of(algorithm, exact=True, personal=personal), known, exactly, rows=3):
        assert few.keys() == every.keys()
        for name, array in every.items():
            assert (few[name] == array).all(), name


@NAMED
@pytest.mark.parametrize("xp", [array_api_compat.numpy, array_api_strict], ids=lambda x: x.__name__)
def test_participants_alone_give_the_same_floats(algorithm, personal, xp):
    subject = of(algorithm, personal=personal)
    for few, every in by_both(subject, slotted(subject), lambda x: x, xp):
        for name, array in every.items():
            np.testing.assert_allclose(
                np.asarray(few[name]), np.asarray(array), rtol=1e-11, atol=1e-11, err_msg=name
            )


def test_the_absent_keep_what_they_have_and_the_divisor_is_the_number_of_all():
    subject = of(personal_scaffold.ROUNDS)
    known = slotted(subject)
    assert known.fields == {"v", "ci"}
    random = np.random.default_rng(0)
    state = {"u": random.normal(size=(4, 2)), "v": random.normal(size=(4, N, 2)),
             "ci": random.normal(size=(4, N, 2)), "c": random.normal(size=(4, 2))}  # fmt: skip
    taking, own = known.draw(random, 4)
    slots = Slots(subject.problem.objective, present=taking)
    assert (slots.places, slots.clients) == (M, N)
    after = known.step(subject.algorithm, slots, subject.parameters(), state, own)
    for name in known.fields:
        moved = (after[name] != state[name]).all(axis=2)
        assert (moved == taking).all()
    change = (after["ci"] - state["ci"]).sum(axis=1) / N
    np.testing.assert_allclose(after["c"] - state["c"], change, atol=1e-14)


# ---- refused


def _all_move(problem, p, state, drawn, see):
    """Control variates of all clients move."""
    after, shown = personal_scaffold.step(problem, p, state, drawn, see), state["ci"]
    return {**after, "ci": after["ci"] + shown * p["gamma_u"]}


def _reads_absent(problem, p, state, drawn, see):
    """u goes on from the mean of all v, whoever takes part."""
    after = personal_averaging.step(problem, p, state, drawn, see)
    return {**after, "u": after["u"] + problem.xp.sum(state["v"], axis=1) / problem.clients}


def _loops(problem, p, state, drawn, see):
    """Client by client."""
    after = personal_averaging.step(problem, p, state, drawn, see)
    for i in range(problem.clients):
        after["u"] = after["u"] + state["v"][:, i, :] * p["gamma_u"]
    return after


def _loops_over_some(problem, p, state, drawn, see):
    """The second and the first of all, which are places too."""
    after = personal_averaging.step(problem, p, state, drawn, see)
    return {**after, "u": after["u"] + (state["v"][:, 1, :] - state["v"][:, 0, :]) * p["gamma_u"]}


def _divides(problem, p, state, drawn, see):
    """By how many there are on the axis."""
    after = personal_averaging.step(problem, p, state, drawn, see)
    return {**after, "u": after["u"] / state["v"].shape[1]}


def _by_presence(problem, p, state, drawn, see):
    """It moves if few take part: a number that participants alone do not have."""
    after = personal_averaging.step(problem, p, state, drawn, see)
    share = problem.xp.sum(1 - drawn["present"], axis=1) / problem.clients
    return {**after, "u": after["u"] + share[:, None]}


PLANTED = {
    "all move": (_all_move, personal_scaffold.init),
    "reads absent": (_reads_absent, personal_averaging.init),
    "loops": (_loops, personal_averaging.init),
    "loops over some": (_loops_over_some, personal_averaging.init),
    "divides": (_divides, personal_averaging.init),
    "by presence": (_by_presence, personal_averaging.init),
}


@pytest.mark.parametrize("name", PLANTED)
def test_what_is_not_of_participants_alone_is_refused_and_would_be_wrong(name):
    step, init = PLANTED[name]
    subject = of(Algorithm(init, personal_averaging.draw, step, name))
    with pytest.raises(Refused, match="another one if participants alone|out of bounds"):
        slotted(subject)
    honest = personal_scaffold if name == "all move" else personal_averaging
    forced = slotted(of(honest.ROUNDS))  # of the step without what is planted
    if name == "loops":
        with pytest.raises(FedboundsError, match="out of bounds"):
            by_both(subject, forced, lambda x: x)
        return
    states = by_both(subject, forced, lambda x: x)
    off = [abs(few[x] - every[x]).max() for few, every in states for x in every]
    assert max(off) > 1e-3


def test_what_is_changed_after_it_was_stacked_is_refused():
    """Stacks of a step that nobody looks at are made when they are used."""

    def step(problem, p, state, drawn, see):
        own = state["v"] * 1
        both = problem.xp.stack([own, own], axis=0)
        own *= 2
        after = personal_averaging.step(problem, p, state, drawn, see)
        return {**after, "v": after["v"] + (both[0] - state["v"])}

    subject = of(Algorithm(personal_averaging.init, personal_averaging.draw, step, "changes"))
    with pytest.raises(Refused, match="another one if participants alone"):
        slotted(subject)


def _asks(problem, p, state, drawn, see):
    after = personal_averaging.step(problem, p, state, drawn, see)
    return {**after, "u": after["u"] * (1 if p["t"] == 0 else 2)}


def _coins(random, problem, p):
    found = personal_averaging.draw(random, problem, p)
    return {**found, "present": random.bernoulli(fmpq(1, 2), problem.clients)}


def _turned(random, problem, p):
    """An axis of clients, and not the first."""
    found = personal_averaging.draw(random, problem, p)
    turned = random.normal(problem.dimension, problem.clients)
    return {**found, "xi_u": found["xi_u"] + problem.xp.permute_dims(turned, (0, 2, 1))[:, :, None]}


def _depends(random, problem, p):
    """Who is drawn twice is not independent of who else is."""
    found = personal_averaging.draw(random, problem, p)
    return {**found, "other": random.participants_with_replacement(problem.clients, 2)}


def _mean_of_all(random, problem, p):
    """The noise of everybody is in everybody's."""
    found = personal_averaging.draw(random, problem, p)
    total = problem.xp.sum(found["xi_u"], axis=1)
    return {**found, "xi_u": found["xi_u"] + total[:, None, ...]}


AVERAGING = personal_averaging.ROUNDS
CLOSED = {
    "asks for the round": of(replace(AVERAGING, step=_asks)),
    "no call tells who": of(AVERAGING, values={**VALUES, "cohort": ((1, 1, 0, 0, 0), (0, 1, 1, 1, 0))}),
    "all clients take part": of(AVERAGING, values={**VALUES, "cohort": N}),
    "no axis of clients": of(replace(AVERAGING, draw=_turned)),
    "not independent from client to client": of(replace(AVERAGING, draw=_depends)),
    "if participants alone compute": of(replace(AVERAGING, draw=_mean_of_all)),
    r"state\['u'\] is another one": of(personal_scaffold.SETTLING),
    r"state\['v'\] is another one": of(replace(AVERAGING, draw=_coins)),
}  # fmt: skip


@pytest.mark.parametrize("reason", CLOSED)
def test_what_is_not_known_is_refused_with_a_reason(reason):
    with pytest.raises(Refused, match=reason):
        slotted(CLOSED[reason])


class _OfEverybody(FederatedQuadratic):
    """Takes rows for those of all clients in turn, whoever's they are."""

    def gradient(self, z, cohort):
        rows = np.arange(len(z)) * self.clients // len(z)
        return np.einsum("ra,rab->rb", z, self.hessian[rows]) + self.linear[rows]


def test_a_problem_that_does_not_heed_who_takes_part_is_refused():
    """On the small twins it is another one: a round in floats is compared."""
    given = of(AVERAGING)
    own = given.problem.objective
    wrong = _OfEverybody(own.hessian, own.linear, own.shared_dimension, own.noise)
    with pytest.raises(Refused, match="another one if participants alone"):
        slotted(replace(given, problem=Clients(wrong)))
    assert slotted(given).fields == {"v"}


def test_parameters_that_change_are_refused():
    given = replace(of(AVERAGING), changing={"gamma_u": lambda at: 1 / (at + 8)})
    with pytest.raises(Refused, match="asks for the round"):
        slotted(given)


def test_masks_without_participants_and_minibatches_are_refused():
    logistic = federated_logistic(
        clients=N,
        samples=4,
        batch=2,
        seed=0,
        shared_dimension=2,
        personal_dimension=2,
        heterogeneity=1.0,
        regularisation=0.1,
    )
    own = replace(of(personal_averaging.BATCHES), problem=Clients(logistic))
    with pytest.raises(Refused, match="samples"):
        slotted(own)
    given = {**VALUES, "eta": fmpq(1, 8), "p": fmpq(1, 2)}
    rounds = [x for x in vars(side_by_side).values() if isinstance(x, Algorithm)]
    for algorithm in rounds:
        with pytest.raises(Refused):
            slotted(of(algorithm, personal=0, values=given))


# ---- replicas


def test_nothing_is_computed_that_nobody_asks_for(monkeypatch):
    subject = of(personal_averaging.ROUNDS)
    known, pattern = slotted(subject), patterned(subject)
    asked = []
    whole = Clients._of_clients
    monkeypatch.setattr(Clients, "_of_clients", lambda *given: asked.append(1) or whole(*given))
    rows = replicas(subject, pattern, stream(0, 0, 0), np, 16, known)
    u = VectorSymbol("u", "u")
    found = Replicas(rows, {}, {"D": sq(u)}, ("D",)).series("D")
    assert found.shape == (16, T + 1)
    assert not asked
    later = Replicas(rows, {}, {"D": sq(VectorSymbol("u_next", "u_next"))}).series("D")
    assert asked
    np.testing.assert_array_equal(later, found[:, 1:])


@pytest.mark.parametrize("xp", [np, array_api_strict], ids=lambda x: x.__name__)
@pytest.mark.parametrize("algorithm", BLOCKS, ids=lambda x: x.name)
def test_every_number_of_a_round_is_of_the_same_replica(algorithm, xp):
    """What all clients show is of the states, and the draws, of those who take part."""
    subject = of(algorithm)
    known, pattern = slotted(subject), patterned(subject)
    rows = replicas(subject, pattern, stream(0, 0, 0), xp, 16, known)
    for at in range(T):
        start, whole, after = rows.starts[at], rows.spaces[at], rows.starts[at + 1]
        for name in ("u", "v", "au"):
            np.testing.assert_array_equal(start.vectors[name], whole.vectors[name])
        for name in ("u", "v"):
            np.testing.assert_array_equal(whole.vectors[f"{name}_next"], after.vectors[name])
        stayed = (whole.vectors["v_next"] == whole.vectors["v"]).all(axis=-1)
        taking = whole.factors["present"][..., 0] != 0
        assert (stayed == ~taking).all()


def test_a_replica_does_not_depend_on_what_is_asked_nor_on_when():
    subject = of(personal_scaffold.OBSERVED)
    known, pattern = slotted(subject), patterned(subject)
    quantities = {"D": sq(VectorSymbol("u", "u")), "G": sq(VectorSymbol("au", "au")),
                  "N": sq(VectorSymbol("v_next", "v_next"))}  # fmt: skip
    series = []
    for order in ("DGN", "NGD", "G"):
        rows = replicas(subject, pattern, stream(1, 2, 3), np, 32, known)
        own = Replicas(rows, {}, quantities, ("D", "G"))
        series.append({name: own.series(name) for name in order})
    for name in "DGN":
        for other in series[1:]:
            if name in other:
                np.testing.assert_array_equal(series[0][name], other[name])
    other = replicas(subject, pattern, stream(1, 2, 4), np, 32, known)
    assert (Replicas(other, {}, quantities, ()).series("D") != series[0]["D"][:, :-1]).any()


def test_what_a_draw_multiplies_is_not_of_the_past():
    """present(u) has no vector but u; who is present is drawn."""
    pattern = patterned(of(personal_averaging.ROUNDS))
    u, au = VectorSymbol("u", "u"), VectorSymbol("au", "au")
    assert pattern.is_of_the_past(sq(u - au))
    assert not pattern.is_of_the_past(sq(present(au)))
    assert not pattern.is_of_the_past(sq(VectorSymbol("v_next", "v_next")))


def test_the_law_is_that_of_all_clients():
    """Means of squares over 4096 replicas, against as many that all clients compute."""
    subject = of(personal_averaging.ROUNDS)
    known, pattern = slotted(subject), patterned(subject)
    quantity = {"D": sq(VectorSymbol("v", "v")) + sq(VectorSymbol("u", "u"))}
    series = []
    for own in (known, None):
        rows = replicas(subject, pattern, stream(5, 0, own is None), np, 4096, own)
        series.append(Replicas(rows, {}, quantity, ("D",)).series("D"))
    one, other = (x.mean(axis=0) for x in series)
    errors = np.hypot(*(x.std(axis=0) / 64 for x in series))
    assert (abs(one - other) <= 5 * errors + 1e-12).all()
    assert errors[-1] < 0.05 * one[-1]


def test_draws_of_the_absent_are_others_than_those_of_participants():
    known = slotted(of(personal_averaging.ROUNDS))
    taking, own = known.draw(stream(0, 0, 0), 64)
    whole = known.completed(taking, own, stream(0, 0, 1))
    noise, few = whole[1], own[1]
    assert few.shape == (64, M, K, 2)
    assert noise.shape == (64, N, K, 2)
    assert (noise[taking].reshape(few.shape) == few).all()
    assert len(np.unique(noise)) == noise.size
    assert (whole[0] == taking).all()


def test_a_step_is_run_no_further_than_what_is_asked_for_is_shown():
    """A start's vectors are shown first here; what comes after would fail."""

    def step(problem, p, state, drawn, see):
        see(au=problem.gradients(state["u"], state["v"])[0])
        see(present=drawn["present"])
        if drawn["xi_u"].dtype == float and not drawn["xi_u"].any():
            raise AssertionError("it went on")
        return personal_averaging.average(
            problem, p, state, drawn, *problem.gradients(problem.spread(state["u"]), state["v"])
        )

    subject = of(replace(AVERAGING, step=step))
    rows = replicas(subject, patterned(subject), stream(0, 0, 0), np, 16, slotted(subject))
    found = rows.starts[T].vectors["au"]
    state = (rows.starts[T].vectors[x] for x in ("u", "v"))
    u, v = (x.reshape(16, -1, 2) for x in state)
    wanted = subject.problem.gradients(u[:, 0], v)[0]
    np.testing.assert_array_equal(found.reshape(wanted.shape), wanted)


# ---- stacks that wait


def test_what_is_stacked_later_is_an_array():
    one, other = np.arange(6.0).reshape(2, 3), np.ones((2, 3))
    plain, later = np.stack([one, other], axis=-1), Stacked([one, other], -1)
    assert later.shape == plain.shape
    assert later.ndim == 3
    xp = array_api_compat.numpy
    for made in (
        lambda x: x + 1, lambda x: 1 - x, lambda x: x[:, 0], lambda x: xp.sum(x, axis=1), np.asarray,
        lambda x: xp.concat([x, x], axis=1), lambda x: xp.reshape(x, (-1,)), lambda x: x.sum(),
        lambda x: xp.stack([x, x], axis=0), lambda x: xp.where(x > 1, x, -x), lambda x: x @ x[0].T,
    ):  # fmt: skip
        found = made(later)
        assert not isinstance(found, Stacked)
        np.testing.assert_array_equal(found, made(plain))


def test_noise_that_is_silent_stays_so():
    silent = of(AVERAGING, noise=Noise(NoiseLaw.GAUSSIAN, fmpq(0), fmpq(0)))
    known = slotted(silent)
    _, own = known.draw(stream(0, 0, 0), 8)
    assert not own[1].any()
    assert not own[2].any()
