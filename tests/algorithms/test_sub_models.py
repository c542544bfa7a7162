"""Random, static and rolling masks against a slow oracle in fractions; laws of draws; errors."""

from dataclasses import replace
from fractions import Fraction as F
from itertools import permutations, product

import bridge
import numpy as np
import pytest
import submodel_oracle as slow
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st
from traced_rounds import run

from fedbounds.algorithms import fedavg, fedplt, rolling_models, sub_models
from fedbounds.algorithms.masks import partition_masks, window_masks
from fedbounds.errors import FedboundsError
from fedbounds.problems import NoiseLaw
from fedbounds.verify.measure.clients import Clients
from fedbounds.verify.measure.same import Two, compare
from fedbounds.verify.measure.same_draws import Drawing
from fedbounds.verify.measure.subject import Subject
from fedbounds.vocabulary import Verdict

ETA, TIGHT = F(1, 7), (F(-1, 8), F(1, 8))
NESTED = ((1, 0, 0), (1, 1, 0), (1, 0, 0))
PARTS = (partition_masks(3, 3),) * 2
WINDOWS = (window_masks(3, 2), window_masks(3, 1))
SEED = st.integers(0, 999)


def case(algorithm, n, d, seed, rounds=2, box=None, **parameters):
    """A subject with Gaussian noise in rationals, and the oracle's objective."""
    rng = np.random.default_rng(seed)
    objective = slow.random_objective(rng, n, d)
    problem = bridge.exact_problem(objective, 1)
    problem = replace(problem, noise=replace(problem.noise, law=NoiseLaw.GAUSSIAN))
    start = bridge.exact(slow.quarters(rng, d))
    if box is not None:
        parameters["box"] = tuple(map(bridge.rational, box))
    values = {"eta": bridge.rational(ETA), **parameters}
    return objective, Subject(algorithm, Clients(problem), start, values, rounds)


def random_case(n, d, steps, seed, box=None, algorithm=sub_models.RANDOM):
    keep = tuple(fmpq(1, 2 + i % 2) for i in range(n))
    return case(algorithm, n, d, seed, box=box, keep=keep, K=steps)


def static_case(seed, masks=NESTED, box=None, over_holders=False, algorithm=None):
    own = sub_models.OVER_HOLDERS if over_holders else sub_models.STATIC
    n, d = np.shape(masks)
    return case(algorithm or own, n, d, seed, box=box, masks=masks, K=2)


def rolling_case(seed, masks=WINDOWS, box=None, orders=1, algorithm=rolling_models.EPOCHS):
    n, _, d = np.shape(masks)
    given_ = {"sub_models": masks, "orders": orders, "K": 2}
    return case(algorithm, n, d, seed, box=box, **given_)


def models(found):
    """Of every round: the state of each replica, in fractions."""
    return [bridge.fractions(state["x"]) for state in found.states]


def oracle_of_rounds(objective, found, masks_of, rule=slow.submodel_round, box=None):
    every = [models(found)[0]]
    for drawn in found.draws:
        noise = np.array(bridge.fractions(drawn["noise"]), dtype=object)
        every.append(
            [
                rule(objective, masks_of(drawn, r), ETA, w, noise[r].tolist(), box)
                for r, w in enumerate(every[-1])
            ]
        )
    return every


def random_agrees(*given_, box=None, **named):
    objective, subject = random_case(*given_, box=box, **named)
    found = run(subject, seed=given_[3])

    def masks_of(drawn, r):
        return (drawn["masks"][r] == 1).tolist()

    return models(found) == oracle_of_rounds(objective, found, masks_of, box=box)


def static_agrees(seed=4, masks=NESTED, box=None, over_holders=False, algorithm=None):
    objective, subject = static_case(seed, masks, box, over_holders, algorithm)
    rule = slow.holders_round if over_holders else slow.submodel_round
    found = run(subject, seed=seed)
    return models(found) == oracle_of_rounds(objective, found, lambda *_: masks, rule, box)


def rolling_agrees(seed=3, masks=WINDOWS, box=None, orders=1, each=False, **named):
    if each and box is None:
        return rolling_agrees(seed, masks, box, orders, **named)
    own = {"algorithm": rolling_models.EACH_PROJECTED, **named} if each else named
    objective, subject = rolling_case(seed, masks, box, orders, **own)
    found, tables = run(subject, seed=seed), np.array(masks)
    n, turns, _ = tables.shape
    states = models(found)[0]
    every = [states]
    for drawn in found.draws:
        noise = np.array(bridge.fractions(drawn["noise"]), dtype=object)
        for s in range(turns):
            ends = each or s == turns - 1
            states = [
                slow.submodel_round(
                    objective,
                    [tables[i, drawn["order"][r, i, s]].tolist() for i in range(n)],
                    ETA,
                    w,
                    [noise[r, i, drawn["order"][r, i, s]].tolist() for i in range(n)],
                    box if ends else None,
                )
                for r, w in enumerate(states)
            ]
        every.append(states)
    return models(found) == every


# ---- the oracles


@given(
    n=st.integers(1, 4), d=st.integers(1, 3), steps=st.integers(1, 3), seed=SEED,
    box=st.sampled_from([None, TIGHT]),
)  # fmt: skip
def test_rounds_of_random_masks_are_the_oracles(n, d, steps, seed, box):
    assert random_agrees(n, d, steps, seed, box=box)


@given(
    seed=SEED,
    masks=st.sampled_from([NESTED, ((1, 1, 1),), ((0, 1), (1, 0), (1, 1), (1, 0))]),
    box=st.sampled_from([None, TIGHT]),
    over_holders=st.booleans(),
)
def test_rounds_of_static_masks_are_the_oracles(seed, masks, box, over_holders):
    assert static_agrees(seed, masks, box, over_holders)


@given(
    masks=st.sampled_from([PARTS, WINDOWS, (((1, 1, 1),),)]),
    box=st.sampled_from([None, TIGHT]),
    shared=st.booleans(),
    each=st.booleans(),
    seed=SEED,
)
@settings(max_examples=15)
def test_epochs_are_the_oracles(masks, box, shared, each, seed):
    assert rolling_agrees(seed, masks, box, 1 if shared else len(masks), each)


# ---- planted errors, each against the oracle


def not_projected(problem, p, w):
    return w


def test_a_skipped_projection_is_caught(monkeypatch):
    monkeypatch.setattr(sub_models, "projected", not_projected)
    monkeypatch.setattr(rolling_models, "projected", not_projected)
    assert random_agrees(3, 3, 2, 5)
    assert not random_agrees(3, 3, 2, 5, box=TIGHT)
    for over_holders in (False, True):
        assert static_agrees(over_holders=over_holders)
        assert not static_agrees(box=TIGHT, over_holders=over_holders)
    assert rolling_agrees()
    assert not rolling_agrees(box=TIGHT)


def test_a_mask_on_the_gradient_alone_is_caught(monkeypatch):
    def planted(noisy, masks, eta, steps, models):
        every = [models]
        for k in range(steps):
            every.append(every[-1] - masks * noisy(k, every[-1]) * eta)
        return every

    assert random_agrees(3, 3, 2, 5)
    monkeypatch.setattr(sub_models, "local", planted)
    assert not random_agrees(3, 3, 2, 5)


@pytest.mark.parametrize("kind", ["zeros", "more of the old", "holders"])
def test_old_coordinates_averaged_in_wrongly_are_caught(monkeypatch, kind):
    def planted(masks, own, models):
        if kind == "zeros":
            return masks * own
        if kind == "more of the old":
            return masks * own + (1 - masks) * models * 2
        held = np.broadcast_to(masks.sum(axis=1)[:, None], own.shape)
        total = np.broadcast_to((masks * own).sum(axis=1)[:, None], own.shape)
        return np.where(held > 0, total / np.where(held > 0, held, 1), models)

    assert random_agrees(3, 3, 2, 5)
    monkeypatch.setattr(sub_models, "filled", planted)
    assert not random_agrees(3, 3, 2, 5)


def test_masks_redrawn_in_a_local_step_are_caught(monkeypatch):
    original = sub_models.local

    def planted(noisy, masks, eta, steps, models):
        first = original(noisy, masks, eta, 1, models)
        moved = sub_models.filled(masks, first[-1], models)
        return [*first, original(lambda k, y: noisy(k + 1, y), 1 - masks, eta, 1, moved)[-1]]

    assert random_agrees(1, 3, 2, 5)
    monkeypatch.setattr(sub_models, "local", planted)
    assert not random_agrees(1, 3, 2, 5)


@pytest.mark.parametrize("over_holders", [False, True])
def test_the_wrong_kind_of_average_is_caught(over_holders):
    wrong = sub_models.STATIC if over_holders else sub_models.OVER_HOLDERS
    assert static_agrees(over_holders=over_holders)
    assert not static_agrees(over_holders=over_holders, algorithm=wrong)


def test_a_coordinate_of_nobody_is_not_divided(monkeypatch):
    def planted(w, masks, models, xp):
        return xp.sum(masks[None] * models, axis=1) / (masks.sum(axis=0) + fmpq(1, 10**9))

    step = sub_models.step_over_holders
    assert static_agrees(over_holders=True)
    monkeypatch.setattr(sub_models, "holders_mean", planted)
    assert not static_agrees(over_holders=True)
    assert step is sub_models.step_over_holders


def test_projecting_in_the_middle_of_an_epoch_is_caught():
    assert rolling_agrees(box=TIGHT, each=True)
    assert not rolling_agrees(box=TIGHT, algorithm=rolling_models.EACH_PROJECTED)


def test_a_sub_model_visited_twice_is_caught(monkeypatch):
    original = rolling_models.taken

    def planted(table, turn, xp):
        return original(table, turn * 0, xp)

    assert rolling_agrees()
    monkeypatch.setattr(rolling_models, "taken", planted)
    assert not rolling_agrees()


# ---- virtual iterates (submodel/claim-virtual)


@given(n=st.integers(1, 3), d=st.integers(1, 3), steps=st.integers(1, 3), seed=SEED)
@settings(max_examples=15)
def test_virtual_iterates_are_the_clients_models_and_the_servers_values(n, d, steps, seed):
    objective, subject = random_case(n, d, steps, seed)
    found, problem = run(subject, seed=seed), subject.problem
    drawn, models_ = found.draws[0], problem.spread(found.states[0]["x"])
    asked = (drawn["masks"], drawn["noise"], subject.values["eta"], steps, models_)
    ys, exact, sent = sub_models.virtual_steps(problem, *asked)
    own = sub_models.local(
        sub_models.noisy(problem, drawn["noise"]), drawn["masks"], *asked[2:4], models_
    )
    w = bridge.fractions(found.states[0]["x"])
    for r, i in product(range(2), range(n)):
        mask, noise = (drawn["masks"][r, i] == 1).tolist(), bridge.fractions(drawn["noise"][r, i])
        of = (objective, i, mask, ETA, w[r], noise)
        assert bridge.fractions(ys[-1][r, i]) == slow.virtual_model(*of)
        assert bridge.fractions(own[-1][r, i]) == slow.local_model(*of)
        for k in range(steps):
            y = bridge.fractions(ys[k][r, i])
            slope, _ = objective.gradient(i, slow.masked(mask, y), [])
            assert bridge.fractions(exact[r, i, k]) == slow.masked(mask, slope)
    assert ((sent - exact) == drawn["masks"][:, :, None] * drawn["noise"]).all()


# ---- properties


@given(seed=SEED, over_holders=st.booleans())
def test_what_nobody_holds_never_moves(seed, over_holders):
    _, subject = static_case(seed, over_holders=over_holders)
    first, *later = models(run(subject, seed=seed))
    for states in later:
        assert [state[2] for state in states] == [state[2] for state in first]
        assert all(state[:2] != begun[:2] for state, begun in zip(states, first, strict=True))


def test_an_epoch_visits_every_sub_model_once():
    _, subject = rolling_case(1, (window_masks(3, 2),) * 2, orders=2)
    found = run(subject, rows=8)
    for drawn in found.draws:
        assert (np.sort(drawn["order"], axis=2) == np.arange(3)).all()
    assert (found.draws[0]["order"] != found.draws[1]["order"]).any()
    assert (found.draws[0]["order"][:, 0] != found.draws[0]["order"][:, 1]).any()


def test_noise_counts_where_a_client_trains():
    _, subject = rolling_case(1, PARTS)
    tables = np.array(PARTS)[None, :, :, None, :]
    for drawn in run(subject).draws:
        assert (drawn["noise"] * (1 - tables) == 0).all()
        assert (drawn["noise"] != 0).sum() > 10


# ---- special cases, on equal draws: equal polynomials


def of_full_masks(algorithm, problem, start, **values):
    given_ = {"eta": bridge.rational(ETA), "K": 2, **values}
    return Subject(algorithm, problem, start, given_, 3)


def test_with_every_coordinate_kept_all_are_fedavg():
    """And FedPLT with full masks and equal weights."""
    _, one = random_case(3, 2, 2, 5)
    problem, start = one.problem, one.start
    full = ((1, 1),) * 3
    average = Subject(
        fedavg.ROUNDS, problem, start,
        {"m": 3, "K": 2, "gamma": bridge.rational(ETA), "eta": 1}, 3,
    )  # fmt: skip
    every = (
        of_full_masks(sub_models.RANDOM, problem, start, keep=(1, 1, 1)),
        of_full_masks(sub_models.STATIC, problem, start, masks=full),
        of_full_masks(sub_models.OVER_HOLDERS, problem, start, masks=full),
        Subject(
            fedplt.ROUNDS, problem, start,
            {"eta": bridge.rational(ETA), "tau": 2, "masks": full, "weights": (2, 2, 2)}, 3,
        ),
    )  # fmt: skip
    for own in every:
        found = compare(Two(own, average, {"x": "x"}, {"noise": "xi"}))
        assert found.verdict is Verdict.NOT_VIOLATED, found
    thinned = of_full_masks(sub_models.STATIC, problem, start, masks=((1, 1), (1, 0), (1, 1)))
    assert compare(Two(thinned, average, {"x": "x"}, {"noise": "xi"})).verdict is Verdict.VIOLATED


@given(seed=SEED, p=st.fractions(F(1, 5), 1), q=st.fractions(F(1, 5), 1))
@settings(max_examples=8)
def test_the_first_local_step_is_unbiased_for_the_masked_objective(seed, p, q):
    """All pairs of masks; grad F_i(q, w) of a quadratic by its closed form."""
    objective, subject = random_case(2, 2, 1, seed)
    w = bridge.fractions(subject.start)
    chances, mean = [], [F(0), F(0)]
    for masks in product(product((0, 1), repeat=2), repeat=2):
        chance = F(1)
        for keep, mask in zip((p, q), masks, strict=True):
            for bit in mask:
                chance *= keep if bit else 1 - keep
        chances.append(chance)
        noise = bridge.exact(np.zeros((1, 2, 1, 2), dtype=int))
        drawn = {"masks": bridge.exact(masks)[None], "noise": noise}
        p_ = subject.parameters()
        after = sub_models.step(
            subject.problem, p_, {"x": subject.start[None]}, drawn, lambda **_: None
        )["x"][0]
        mean = [a + chance * b for a, b in zip(mean, bridge.fractions(after), strict=True)]
    assert sum(chances) == 1
    slope = 0
    for keep, hessian, linear in zip((p, q), objective.hessian, objective.linear, strict=True):
        A = np.array(hessian, dtype=object)
        shrunk = keep**2 * A + keep * (1 - keep) * np.diag(np.diag(A))
        slope = slope + (shrunk @ w + keep * np.array(linear, dtype=object)) / 2
    assert mean == (np.array(w, dtype=object) - ETA * slope).tolist()


# ---- laws of draws


def wrong_draw(algorithm, change):
    def draw(random, problem, p):
        found = algorithm.draw(random, problem, p)
        return {**found, **change(random, problem, p, found)}

    return replace(algorithm, draw=draw)


def law_of_masks(algorithm=sub_models.RANDOM):
    values = {"keep": (fmpq(1, 5), fmpq(9, 10)), "K": 1}
    _, subject = case(algorithm, 2, 2, 0, **values)
    return Drawing(subject).law("masks")


def product_law():
    found = {}
    for bits in product((0, 1), repeat=4):
        chance = fmpq(1)
        for at, bit in enumerate(bits):
            keep = (fmpq(1, 5), fmpq(9, 10))[at // 2]
            chance *= keep if bit else 1 - keep
        found[bits] = chance
    return found


def test_masks_are_independent_with_the_clients_probabilities():
    assert law_of_masks() == product_law()


@pytest.mark.parametrize(
    "change",
    [
        lambda random, problem, p, found: {"masks": 1 - found["masks"]},
        lambda random, problem, p, found: {"masks": found["masks"][:, ::-1]},
        lambda random, problem, p, found: {"masks": found["masks"][:, :, [0, 0]]},
        lambda random, problem, p, found: {"masks": found["masks"][:, [0, 0]]},
    ],
    ids=["dropped", "clients swapped", "one for all coordinates", "one for all clients"],
)
def test_other_laws_of_the_masks_are_caught(change):
    assert law_of_masks(wrong_draw(sub_models.RANDOM, change)) != product_law()


def law_of_orders(orders, algorithm=rolling_models.EPOCHS):
    _, subject = rolling_case(0, (window_masks(3, 2),) * 2, orders=orders, algorithm=algorithm)
    return Drawing(subject).law("order")


def shuffles(shared):
    every = list(permutations(range(3)))
    pairs = [(a, a) for a in every] if shared else list(product(every, repeat=2))
    return {(*a, *b): fmpq(1, len(pairs)) for a, b in pairs}


def test_orders_are_uniform_and_shared_or_not():
    assert law_of_orders(1) == shuffles(shared=True)
    assert law_of_orders(2) == shuffles(shared=False)


@pytest.mark.parametrize(
    "change",
    [
        lambda random, problem, p, found: {"order": found["order"] * 0 + np.arange(3)},
        lambda random, problem, p, found: {
            "order": (found["order"] * 0 + random.index(3)[:, None, None] + np.arange(3)) % 3
        },
        lambda random, problem, p, found: {"order": found["order"][:, [0, 0]]},
        lambda random, problem, p, found: {"order": found["order"][:, :, [0, 0, 1]]},
    ],
    ids=["fixed", "rotations", "always shared", "with repeats"],
)
def test_a_shuffle_replaced_by_something_else_is_caught(change):
    wrong = wrong_draw(rolling_models.EPOCHS, change)
    assert law_of_orders(2, wrong) != shuffles(shared=False)


def test_a_box_that_leaves_nothing_is_refused():
    with pytest.raises(FedboundsError, match=r"box is \(1, 0\); expected its least entry"):
        run(random_case(2, 2, 1, 0, box=(1, 0))[1])
