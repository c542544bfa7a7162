"""Sets of turns in place of orders: the moments of listing every order, and refusals."""

from dataclasses import replace
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from flint import fmpq

from fedbounds.algorithms.rolling_models import ENDS, draw
from fedbounds.algorithms.traced import Stages, in_stages
from fedbounds.problems.linear import rational
from fedbounds.theory.language.setups import Objective, Run, Setup
from fedbounds.theory.submodel.point_setups import windows
from fedbounds.theory.submodel.views_run_ladders import EPOCHS_ALIKE
from fedbounds.verify.measure.enumerated import enumerated
from fedbounds.verify.measure.float_moments import in_floats
from fedbounds.verify.measure.many_rounds import in_rationals, rounds_of, traced
from fedbounds.verify.measure.moments import moments
from fedbounds.verify.measure.trace import subject_of
from fedbounds.verify.measure.unknowns import Refused
from fedbounds.verify.measure.visited import Visits

_VIEW = "ends of epochs, q alike"


def ring(d, turn):
    """A definite matrix whose neighbours are coupled."""
    rows = [[5 if i == j else int((i - j) % d in (1, d - 1)) for j in range(d)] for i in range(d)]
    return tuple(tuple(x * (1 + turn) for x in row) for row in rows)


def rolling(masks, orders=1, noise=0, K=1, rounds=2):
    """Epochs of clients that have these sub-models."""
    n, d = len(masks), len(masks[0][0])
    data = {
        "hessians": tuple(ring(d, i) for i in range(n)),
        "slopes": tuple(tuple((i + 2) * j - 1 for j in range(d)) for i in range(n)),
        "noise": noise,
    }
    own = {"sub_models": masks, "orders": orders, "K": K, "eta": "1/70"}
    start = (2, -1, 1, 0, 3, 1, 1, 1)[:d]
    run = Run(Objective("quadratics", tuple(data.items())), start, tuple(own.items()), rounds)
    return subject_of(Setup("submodel", _VIEW, run).run, EPOCHS_ALIKE)


def listing(subject):
    """The same, each order by itself."""
    return replace(subject, algorithm=replace(subject.algorithm, stages=None))


def assert_by_sets(subject):
    """Each round goes by sets of turns."""
    found = moments(subject)
    assert all(
        isinstance(trace.by, Visits) and not trace.listed.answers[1:] for trace in found.unrolled
    )
    return found


@pytest.mark.parametrize(
    "run",
    [
        rolling(windows(1, 2, 1), noise=1),
        rolling(windows(1, 3, 1), K=2),
        rolling(windows(2, 3, 2), orders=2, noise="1/2"),
        rolling(windows(2, 2, 1), orders=2, noise=1, K=2, rounds=3),
        rolling((windows(1, 3, 1)[0], windows(1, 3, 2)[0]), noise=1, K=2),
        rolling(windows(1, 4, 3), noise="1/3"),
        rolling((((1, 1), (1, 1), (0, 1), (1, 0)),), K=2),
    ],
)
def test_equal_to_listing_all_orders(run):
    """S <= 4: every moment of every epoch, as rationals."""
    found = assert_by_sets(run)
    every = moments(listing(run))
    assert every.unrolled[0].by is None
    assert found.values == every.values


def test_equal_to_every_outcome():
    """Noise among them."""
    run = rolling(windows(1, 2, 1), noise=1, K=2)
    found, every = assert_by_sets(run), enumerated(run)
    for at, rows in enumerate([*(one.start for one in every.rounds), every.last]):
        x = rows.state["x"]
        for (i, j), value in found.values[at].items():
            points = np.concatenate([x[:, :1] * 0 + 1, x], axis=1)
            assert value == (points[:, i] * points[:, j] * rows.chances).sum()


def matrix_of(mask, hessian, slope, eta, steps):
    """(1, x) after a round of one client without noise, by plain fractions."""
    d = len(mask)
    columns = []
    for unit in range(d + 1):
        x = [Fraction(int(unit == j + 1)) for j in range(d)]
        y = [m * v for m, v in zip(mask, x, strict=True)]
        for _ in range(steps):
            gradient = [
                sum(a * b for a, b in zip(row, y, strict=True)) + h * (unit == 0)
                for row, h in zip(hessian, slope, strict=True)
            ]
            y = [v - m * eta * g for v, m, g in zip(y, mask, gradient, strict=True)]
        kept = [m * v + (1 - m) * w for m, v, w in zip(mask, y, x, strict=True)]
        columns.append([Fraction(int(unit == 0)), *kept])
    return [list(row) for row in zip(*columns, strict=True)]


def test_six_sub_models_against_all_720_orders():
    """An epoch of two local steps: second moments of its end, order by order."""
    masks = ((1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (0, 1, 1), (1, 0, 1))
    run = rolling((masks,), K=2, rounds=1)
    found = assert_by_sets(run)
    maps = [matrix_of(m, ring(3, 0), (-1, 1, 3), Fraction(1, 70), 2) for m in masks]
    total, count = [[Fraction(0)] * 4 for _ in range(4)], 0
    for order in permutations(range(6)):
        z = [Fraction(1), Fraction(2), Fraction(-1), Fraction(1)]
        for turn in order:
            z = [sum(a * b for a, b in zip(row, z, strict=True)) for row in maps[turn]]
        total = [
            [t + a * b for t, b in zip(row, z, strict=True)]
            for row, a in zip(total, z, strict=True)
        ]
        count += 1
    assert count == 720
    for (i, j), value in found.values[1].items():
        assert value == rational(total[i][j] / count)


def test_ten_sub_models_of_one_coordinate_each_by_hand():
    """Without coupling the order does not matter: each coordinate shrinks by 1 - eta h."""
    d, eta = 10, fmpq(1, 70)
    eye = tuple(tuple(int(i == j) for j in range(d)) for i in range(d))
    data = {"hessians": (eye,), "slopes": ((0,) * d,), "noise": 1}
    own = {"sub_models": windows(1, d, 1), "orders": 1, "K": 1, "eta": "1/70"}
    run = Run(Objective("quadratics", tuple(data.items())), (1,) * d, tuple(own.items()), 1)
    found = assert_by_sets(subject_of(run, EPOCHS_ALIKE)).values[1]
    assert found[1, 2] == (1 - eta) ** 2
    assert found[3, 3] == (1 - eta) ** 2 + eta**2


def test_in_floats_within_the_proved_bound():
    """Twelve epochs of six sub-models, against rationals."""
    run = rolling(windows(1, 6, 2), noise="1/2", rounds=12)
    trace = traced(run)
    assert isinstance(trace.by, Visits)
    found, exact = in_floats(rounds_of(run, trace)), in_rationals(rounds_of(run, trace))
    for pair in ((1, 1), (2, 5), (0, 3)):
        form = {(): {pair: fmpq(1)}}
        values, errors = found.told(form)
        wrong = [abs(a - float(b)) for a, b in zip(values, exact.told(form), strict=True)]
        assert all(wrong <= errors * 1.01)
        assert all(errors < 1e-10)


# ---- what is not allowed


def staged(of_draw=None, stage=None, begin=None):
    """Rolling masks with another draw or stage."""
    stages = ENDS.stages
    own = Stages("order", begin or stages.begin, stage or stages.stage)
    return in_stages(ENDS.init, of_draw or draw, own)


def reversed_order(random, problem, p):
    """The last index first."""
    found = draw(random, problem, p)
    return {**found, "order": found["order"][:, :, ::-1]}


def sorted_by_the_order(random, problem, p):
    """Noise that depends on who comes first."""
    found = draw(random, problem, p)
    return {**found, "first": found["order"][:, 0, :1]}


def shifted(random, problem, p):
    """Indices are computed with."""
    found = draw(random, problem, p)
    return {**found, "order": (found["order"] + 1) % found["order"].shape[2]}


def one_noise(problem, p, state, drawn):
    """Every stage has the noise of the first sub-model."""
    noise = drawn["noise"][:, :, :1] + drawn["noise"] * 0
    return ENDS.stages.stage(problem, p, state, {**drawn, "noise": noise})


@pytest.mark.parametrize(
    ("algorithm", "why"),
    [
        (staged(reversed_order), "something else than an order's indices"),
        (staged(sorted_by_the_order), "'first' depends on the order too"),
        (staged(shifted), "it looks at an order before the turns are taken"),
        (staged(stage=one_noise), "stages of different turns share draws"),
    ],
)
def test_what_is_not_shown_is_listed(algorithm, why):
    """Few orders are listed then, and give what they gave; of many the reason is told."""
    run = replace(rolling(((((1, 0), (0, 1), (1, 1))),), noise=1), algorithm=algorithm)
    found = moments(run)
    assert found.unrolled[0].by is None
    assert found.values == moments(listing(run)).values
    many = replace(rolling(windows(1, 7, 2), noise=1), algorithm=algorithm)
    with pytest.raises(Refused, match=why) as error:
        moments(many)
    assert "5040 outcomes" in str(error.value)


def test_noise_of_a_stage_is_not_that_of_another():
    """One noise in all stages of a coordinate adds up: sets, which would forget it, refuse."""
    masks = (((1,), (1,)),)
    run = replace(rolling(masks, noise=1, rounds=1), algorithm=staged(stage=one_noise))
    plain = rolling(masks, noise=1, rounds=1)
    assert moments(run).values[1][1, 1] > moments(plain).values[1][1, 1]


def test_what_a_run_visits_is_not_that_of_a_silent_one():
    """Without noise the order is random all the same."""
    run = rolling(windows(1, 3, 1))
    found = moments(run).unrolled[0]
    with pytest.raises(Refused, match="outcomes are not listed"):
        _ = found.after
