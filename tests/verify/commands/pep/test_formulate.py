"""The worst-case problem against real functions, real runs, and PEPit's own classes."""

import math
from dataclasses import replace

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st
from pep_unknowns import QUANTITIES, filled, setting
from personal_cases import case, quadratics, run

from fedbounds.algorithms import personal_averaging
from fedbounds.algorithms.traced import Algorithm
from fedbounds.errors import FedboundsError
from fedbounds.theory.language.setups import Shown, View
from fedbounds.theory.language.symbols import VectorSymbol
from fedbounds.theory.proof.vectors import sq
from fedbounds.verify.commands.pep.forms import Form
from fedbounds.verify.commands.pep.formulate import ORIGIN_INFIMUM, ORIGIN_SMOOTH, formulate
from fedbounds.verify.decide.measurement import measure
from fedbounds.verify.measure.objectives import objective

SHAPES = [(1, 1, 2), (2, 1, 1), (2, 2, 2), (3, 2, 1)]
REUSED = settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
)
numbers = st.floats(-3, 3, allow_nan=False, width=32)


def wave(slope, phase, shared, personal):
    """1 - cos(u + v + phase) + slope u: every block's curvature is at most 1; infimum 0 at slope 0."""

    def at(u, v):
        angle = (u[0] if shared else 0.0) + (v[0] if personal else 0.0) + phase
        linear = slope * u[0] if shared else 0.0
        rise = math.sin(angle)
        return 1 - math.cos(angle) + linear, [rise + slope], [rise]

    return at


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("blocks", [(True, False), (False, True), (True, True)])
@REUSED
@given(data=st.data())
def test_real_functions_obey_every_inequality(shape, blocks, data):
    n, shared = shape[0], blocks[0]
    slopes = [0.0] * n
    if shared and n > 1:
        slopes[0] = data.draw(numbers)
        slopes[1] = -slopes[0]
    phases = [data.draw(numbers) if blocks[1] else 0.0 for _ in range(n)]
    functions = [wave(s, p, *blocks) for s, p in zip(slopes, phases, strict=True)]
    start = [data.draw(numbers)], [[data.draw(numbers)] for _ in range(n)]
    steps = (fmpq(data.draw(st.integers(1, 400)), 100),) * 2
    # |slope| + 1 bounds every gradient, so that its square bounds their spread
    limit = fmpq(math.ceil((max(map(abs, slopes)) + 1) ** 2))
    chosen = setting(*shape, *blocks, inner=steps, F_0=fmpq(1000), b2=limit, B_0=n * limit)
    infima = [0.0] if shared else [0.0] * n
    problem, known = filled(chosen, 1, start, functions, infima)
    for inequality in problem.inequalities:
        assert known.form(inequality.form) <= 1e-9, inequality.name


def test_a_planted_infimum_that_is_too_strong_is_broken_by_a_real_function():
    chosen = setting(1, 1, 1)
    problem, known = filled(
        chosen, 1, ([0.1], [[]]), [lambda u, v: (u[0] ** 2 / 2, [u[0]], [])], [0.0]
    )
    infimum = next(i for i in problem.inequalities if i.name.startswith("infimum"))
    assert known.form(infimum.form) == pytest.approx(0, abs=1e-15)  # attained by a quadratic
    planted = infimum.form.products[0, 0] * 2  # ||grad||^2 / L
    assert float(planted) * known.vectors[0][0] ** 2 - known.values[1] > 1e-3


@pytest.mark.parametrize("shape", [*SHAPES, (3, 1, 2)])
@pytest.mark.parametrize("blocks", [(1, 0), (0, 1), (1, 1)])
def test_series_are_those_of_the_algorithm_exactly(shape, blocks):
    n, m, steps = shape
    rng = np.random.default_rng(0)
    size = sum(blocks)
    half = rng.integers(-2, 3, (n, size, size))
    matrices = half + half.transpose(0, 2, 1) + 13 * np.eye(size, dtype=int)
    slopes = rng.integers(-3, 4, (n, size))
    data = quadratics(matrices.tolist(), slopes.tolist(), personal=blocks[1])
    u, v = [fmpq(2)] * blocks[0], [[fmpq(i)] * blocks[1] for i in range(n)]
    inner, outer = (fmpq(1, 9), fmpq(1, 7)), (fmpq(3, 2), fmpq(5, 4))
    parameters = {"cohort": m, "K": steps}
    parameters |= dict(zip(("gamma_u", "gamma_v", "eta_u", "eta_v"), (*inner, *outer), strict=True))
    begun = [*u, *(x for own in v for x in own)]
    instance = case(run(data, parameters, 3, begun), floats=False)
    expected = measure(instance).numbers.series
    problem = objective(data)
    hessian, linear = problem.hessian, problem.linear

    def client(i):
        def at(u, v):
            z = np.array([*u, *v], dtype=object)
            gradient = hessian[i] @ z + linear[i]
            value = (z * (hessian[i] @ z)).sum() / 2 + (linear[i] * z).sum()
            return value, list(gradient[: blocks[0]]), list(gradient[blocks[0] :])

        return at

    chosen = setting(n, m, steps, bool(blocks[0]), bool(blocks[1]), inner=inner, outer=outer)
    # for these two rounds only the mean of the infima counts
    infima = [problem.infimum()] * (1 if blocks[0] else n)
    formed, known = filled(
        chosen,
        2,
        (u, v),
        [client(i) for i in range(n)],
        infima,
    )
    names = ["f"] + ["G_u", "B"] * blocks[0] + ["G_v"] * blocks[1]
    for name in names:
        for t in range(3):
            assert known.form(formed.series[name][t]) == expected[name][t], (name, t)


def test_equal_states_are_one():
    # a personal block alone: who took part earlier matters, the order does not
    problem = formulate(setting(2, 1, 1, False, True), 2, QUANTITIES)
    assert len(problem.vectors) == 2 * 3  # each client at most twice


# clients, participants, local steps, blocks, last round: vectors, values, inequalities of a second
# implementation, which wrote FedAvg-P and its quantities by hand
SIZES = {
    (1, 1, 2, True, False, 2): (5, 6, 26),
    (2, 1, 1, True, False, 1): (6, 7, 19),
    (2, 2, 2, True, True, 1): (12, 7, 33),
    (3, 2, 1, False, True, 2): (9, 12, 28),
    (3, 2, 1, True, True, 0): (6, 4, 5),
}


@pytest.mark.parametrize("key", SIZES)
def test_what_nothing_depends_on_is_left_out(key):
    *shape, shared, personal, last = key
    problem = formulate(setting(*shape, shared, personal, b2=fmpq(1)), last, QUANTITIES)
    found = len(problem.vectors), len(problem.values), len(problem.inequalities)
    assert found == SIZES[key]


def observed(step):
    """A setting whose rounds end otherwise."""
    chosen = setting(1, 1, 1)
    other = replace(personal_averaging.OBSERVED, step=step)
    return replace(chosen, view=replace(chosen.view, algorithm=other))


def test_an_algorithm_whose_iterates_are_no_combinations_is_refused():
    def squared(problem, p, state, drawn, see):
        after = personal_averaging.OBSERVED.step(problem, p, state, drawn, see)
        return {**after, "u": after["u"] * after["u"]}

    with pytest.raises(FedboundsError, match="no combination of gradients"):
        formulate(observed(squared), 1, QUANTITIES)


def descent(factor=1):
    """Of any theory: gradient descent on a model that all share, and what it shows."""
    g, x = (VectorSymbol(name, name) for name in ("g", "x"))

    def step(problem, p, state, drawn, see):
        gradient = problem.full_gradient(state["x"])
        see(g=gradient)
        return {"x": state["x"] - gradient * p["eta"] * factor}

    own = Algorithm(lambda problem, start: {"x": start}, lambda random, problem, p: {}, step)
    view = View(
        told="descent",
        algorithm=own,
        shown=Shown(vectors={"g": (), "x": ()}),
        quantities={"G": sq(g), "D": sq(x)},
        states=("G", "D"),
    )
    chosen = setting(2, 2, 1)
    return replace(chosen, view=view, parameters={"eta": fmpq(1, 2)})


def test_any_algorithm_and_any_quantity_will_do():
    problem = formulate(descent(), 2, ["G", "D"])
    assert len(problem.vectors) == 3 * 2  # both clients at three points
    moved = problem.series["D"][1]
    assert moved == Form({(0, 0): fmpq(1, 16), (0, 1): fmpq(1, 8), (1, 1): fmpq(1, 16)})
    assert moved * 4 == formulate(descent(2), 2, ["D"]).series["D"][1]


def test_a_gradient_that_leads_to_a_point_and_cancels_is_kept():
    """It is in no state of a round's start, and in a point whose gradient is."""
    chosen = descent()

    def step(problem, p, state, drawn, see):
        x = state["x"]
        see(g=problem.full_gradient(x))
        first = x - problem.full_gradient(x) * p["eta"]
        second = first - problem.full_gradient(first) * p["eta"]
        return {"x": x - problem.full_gradient(second) * p["eta"]}

    own = replace(chosen.view, algorithm=replace(chosen.view.algorithm, step=step))
    problem = formulate(replace(chosen, view=own), 1, ["D"])
    assert len(problem.vectors) == 4 * 2  # at x, at both points of the step, and at the next x
    moved = problem.series["D"][1]
    assert len(moved.products) == 3  # by the gradients at the second point alone


@pytest.mark.parametrize("scaled", [lambda g, s: g * s, lambda g, s: s * g, lambda g, s: g / s])
def test_a_step_that_its_gradient_scales_is_refused(scaled):
    def step(problem, p, state, drawn, see):
        g = problem.full_gradient(state["x"])
        see(g=g)
        return {"x": state["x"] - scaled(g, (g * g).sum(axis=1)[:, None])}

    chosen = descent()
    view = replace(chosen.view, algorithm=replace(chosen.view.algorithm, step=step))
    with pytest.raises(FedboundsError, match="an unknown number multiplies or divides"):
        formulate(replace(chosen, view=view), 1, ["G"])


def test_a_state_may_have_numbers_beside_its_model():
    chosen = descent()
    plain = chosen.view.algorithm

    def step(problem, p, state, drawn, see):
        after = plain.step(problem, p, {"x": state["x"]}, drawn, see)
        return {**after, "count": state["count"] + 1}

    counted = Algorithm(
        lambda problem, start: {"x": start, "count": np.zeros((1, 1), dtype=int)}, plain.draw, step
    )
    view = replace(chosen.view, algorithm=counted)
    found = formulate(replace(chosen, view=view), 1, ["G", "D"])
    assert found.series["D"][1] == formulate(chosen, 1, ["D"]).series["D"][1]


def test_a_planted_step_gives_other_numbers():
    def longer(problem, p, state, drawn, see):
        after = personal_averaging.OBSERVED.step(problem, p, state, drawn, see)
        return {**after, "u": after["u"] * 2}

    right, wrong = (formulate(x, 1, ["f"]) for x in (setting(1, 1, 1), observed(longer)))
    second = [x.evaluations[0][1].u for x in (right, wrong)]
    assert second[1] == 2 * second[0] != second[0]


def test_functions_less_smooth_than_said_break_an_inequality():
    chosen = setting(1, 1, 2, L=fmpq(1, 2))
    problem, known = filled(chosen, 1, ([0.3], [[]]), [wave(0.0, 0.0, True, False)], [0.0])
    broken = {i.origin for i in problem.inequalities if known.form(i.form) > 1e-6}
    assert broken == {ORIGIN_SMOOTH, ORIGIN_INFIMUM}
