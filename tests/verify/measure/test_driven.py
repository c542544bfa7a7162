"""Moments by driving the step: against exact moments, the engine before, and what is refused."""

import json
from dataclasses import replace
from pathlib import Path

import many_clients
import numpy as np
import pytest
import sympy as sp
from each import each
from flint import fmpq
from many_clients import VIEWS
from personal_runs import definitions, pairs, problem, subject

from fedbounds.algorithms import personal_averaging
from fedbounds.algorithms.traced import Algorithm
from fedbounds.problems import NoiseLaw
from fedbounds.theory.language.registry import setups
from fedbounds.theory.language.setups import Setup
from fedbounds.theory.language.symbols import VectorSymbol
from fedbounds.theory.proof.vectors import ip, sq
from fedbounds.verify.decide.case import find
from fedbounds.verify.measure.answers import Asked, by_moments
from fedbounds.verify.measure.driven import drive
from fedbounds.verify.measure.driven_run import DrivenKnown, DrivenRun, driven_run, in_floats
from fedbounds.verify.measure.known import MissingError
from fedbounds.verify.measure.twins import check_twin
from fedbounds.verify.measure.unknowns import Refused
from fedbounds.verify.setups.found import InFloats, driven_of, narrowed, view_of

COHORTS = {"one": 1, "two": 2, "all": 3, "a list": ((1, 0, 0), (1, 1, 0), (0, 1, 2))}
BEFORE = json.loads(
    (Path(__file__).parents[2] / "data" / "personalization_many_clients.json").read_text()
)


def exact_run(name, cohort, law=NoiseLaw.GAUSSIAN, rounds=3):
    pair = pairs(1, 2)[name]
    pair = replace(pair, values={**pair.values, "cohort": COHORTS[cohort]})
    return subject(pair, problem(3, 2, 1, law=law), rounds)


def known(run, asked):
    """Quantities of definitions alone."""
    return DrivenKnown(run, {"gamma": fmpq(1, 4)}, asked)


def _far(run, asked, wanted):
    """By how much a quantity is away from the exact one, over its bound; and that, relative."""
    found = known(run, asked)
    errors = {name: found.errors_of(name) for name in asked}
    ratios = []
    for name in asked:
        exact = np.array([int(x.p) / int(x.q) for x in wanted[name]])
        off = abs(found.series(name)[: len(exact)] - exact)
        bound = errors[name][: len(exact)]
        ratios.append(((off / bound).max(), (bound / max(abs(exact).max(), 1e-3)).max()))
    return max(x for x, _ in ratios), max(x for _, x in ratios)


@each("name, cohort", [(name, cohort) for name in ("FedAvg-P", "Scaffold-P") for cohort in COHORTS])
def test_driven_moments_are_the_exact_ones_within_their_bound(name, cohort):
    exact, asked = exact_run(name, cohort), definitions(3, 2, 2)
    wanted = by_moments(exact, Asked({}, asked, {"gamma": fmpq(1, 4)}))
    assert not wanted.missing
    off, bound = _far(driven_run(exact), asked, wanted.series)
    assert off < 1
    assert bound < 1e-8


PLANTED = {
    "a little less noise": lambda x: replace(
        x, pushed={at: own * (1 - 1e-9) for at, own in x.pushed.items()}
    ),
    "a part that is left out": lambda x: replace(x, parts=(*x.parts[:-1], replace(
        x.parts[-1], values=x.parts[-1].values * 0))),
    "a start a little off": lambda x: replace(x, start=x.start * (1 + 1e-10)),
    "a map a little off": lambda x: replace(x, absent=x.absent * (1 + 1e-10)),
}  # fmt: skip


@pytest.mark.parametrize("how", PLANTED)
def test_the_comparison_sees_an_error_beyond_rounding(how):
    exact, asked = exact_run("FedAvg-P", "two"), definitions(3, 2, 2)
    wanted = by_moments(exact, Asked({}, asked, {"gamma": fmpq(1, 4)}))
    run = driven_run(exact)
    off, _ = _far(DrivenRun(exact, PLANTED[how](run.driven)), asked, wanted.series)
    assert off > 1


# ---- every definition of a theory


def _small():
    """Of every view that judges or proves on quadratics, some set-ups."""
    seen: dict[str, int] = {}
    for one in setups("personalization"):
        view = view_of(one.setup)
        if view.moments and "participants" not in one.setup.view and not view.requires:
            seen[one.setup.view] = seen.get(one.setup.view, 0) + 1
            if seen[one.setup.view] in (1, 4):
                yield one.setup
    for view in VIEWS.values():
        yield many_clients.setup(view, n=3, m=2, K=2, d_u=2, d_v=1, rounds=2)
        yield many_clients.setup(view, n=3, m=3, K=1, d_u=1, d_v=1, rounds=2)
        yield many_clients.setup(view, n=2, m=1, K=2, d_u=1, d_v=0, rounds=3)


@each("setup", _small, told=lambda setup: f"{setup.view}, {setup.run.parameters}")
def test_every_quantity_of_a_theory_is_driven(setup: Setup):
    exact, floats = find(setup), find(InFloats(setup))
    assert exact.series.keys() <= floats.series.keys()
    assert exact.parameters.keys() == floats.parameters.keys()
    for name, wanted in exact.series.items():
        given = np.array(
            [float("nan") if x != x else int(x.p) / int(x.q) for x in wanted.reshape(-1)]
        )
        found, bound = (np.broadcast_to(x, wanted.shape).reshape(-1)
                        for x in (floats.series[name], floats.errors.get(name, 0.0)))  # fmt: skip
        assert (np.isnan(found) == np.isnan(given)).all(), name
        there = ~np.isnan(given)
        assert (abs(found - given)[there] <= bound[there] + 1e-16 * abs(given[there])).all(), name


@each("before", BEFORE, told=lambda x: f"{x['algorithm']}, {x['sizes']}")
def test_runs_of_many_clients_are_those_of_the_engine_before(before):
    setup = many_clients.setup(VIEWS[before["algorithm"]], **before["sizes"])
    found = driven_of(setup, view_of(setup))
    names = found.quantities.keys() & before["series"].keys()
    assert len(names) > 18
    for name in names:
        wanted, value = np.array(before["series"][name], dtype=float), found.series(name)
        assert value.ndim == wanted.ndim or wanted.ndim == 1, name
        value = value.reshape(*value.shape[: wanted.ndim - 1], -1)
        rounds = min(value.shape[-1], wanted.shape[-1])
        a, b = value[..., :rounds], wanted[..., :rounds]
        a, b = np.broadcast_arrays(a, b)
        known = ~(np.isnan(a) | np.isnan(b))
        assert np.allclose(a[known], b[known], rtol=1e-8, atol=1e-12), name


@each("sizes", [x["sizes"] for x in BEFORE if x["algorithm"] == "Scaffold-P"], told=repr)
def test_means_of_what_is_remembered_tell_the_same(sizes):
    """Of many clients: fewer numbers of state, the same quantities."""
    few = find(InFloats(many_clients.setup("Scaffold-P, rounds of many clients", **sizes)))
    setup = many_clients.setup("Scaffold-P, rounds", **sizes)
    found = driven_of(setup, narrowed(view_of(setup), frozenset(few.series)))
    assert {"C", "cd_2", "S_3u", "W_own"} <= few.series.keys()
    for name, value in few.series.items():
        other, bound = found.series(name), few.errors[name] + found.errors_of(name)
        assert (abs(value - other.reshape(-1)) <= bound.reshape(-1) + 1e-15).all(), name


def test_a_spread_that_is_forgotten_is_seen():
    setup = many_clients.setup("Scaffold-P, rounds of many clients", n=3, m=1, K=3, rounds=3)
    view = view_of(setup)
    lag = view.quantities["C"]
    (spread,) = (x for x in lag.args if x.func.__name__ == "Remembered")
    found = driven_of(setup, view)
    without = replace(found, quantities={"C": lag - spread}, _series={}, _wrong={})
    off = abs(found.series("C") - without.series("C"))
    assert (off[1:] > 100 * found.errors_of("C")[1:]).all()


def test_many_rounds_keep_a_useful_bound():
    """400 rounds, long outer steps and a memory: the bound stays far below the quantity."""
    for view, most in zip(VIEWS.values(), (1e-8, 1e-2), strict=True):
        setup = many_clients.setup(
            view, n=3, m=1, K=2, d_u=2, d_v=1, rounds=400, steps=("1/100", "1/100", 2, 2)
        )
        found = driven_of(setup, view_of(setup))
        for name in ("G_u", "G_v", "E"):
            value = found.series(name)
            assert (found.errors_of(name) < most * value).all(), (view, name)


# ---- what is refused


def _step(change):
    """Rounds of `personal_averaging`, changed afterwards."""

    def step(problem, p, state, drawn, see):
        return change(problem, state, drawn, personal_averaging.step(problem, p, state, drawn, see))

    return replace(personal_averaging.ROUNDS, step=step)


def _added(after, more):
    return {**after, "u": after["u"] + more}


WRONG = {
    "the state squared": (lambda q, z, w, x: _added(x, z["u"] * z["u"]), "not affine"),
    "noise that multiplies the state": (
        lambda q, z, w, x: _added(x, z["u"] * w["xi_u"][:, 0, 0, :]), "not affine",
    ),
    "two clients that must both take part": (
        lambda q, z, w, x: _added(x, (w["present"][:, 0] * w["present"][:, 1])[:, None]),
        "not affine",
    ),
    "presence that weighs another's block": (
        lambda q, z, w, x: _added(x, w["present"][:, :1] * z["v"][:, 1, :1]),
        "presence of a client weighs another's",
    ),
    "presence that weighs another's noise": (
        lambda q, z, w, x: _added(x, w["present"][:, :1] * w["xi_u"][:, 1, 0, :]),
        "noise of a client enters without its presence",
    ),
    "noise of those who are absent": (
        lambda q, z, w, x: _added(x, w["xi_u"][:, 1, 0, :]),
        "noise of a client enters without its presence",
    ),
    "a comparison": (
        lambda q, z, w, x: _added(x, q.xp.where(z["u"] > 0, z["u"], z["u"] * 2)), "compares",
    ),
}  # fmt: skip


def _changed(how):
    algorithm = _step(WRONG[how][0])
    assert isinstance(algorithm, Algorithm)
    return replace(exact_run("FedAvg-P", "two"), algorithm=algorithm)


@pytest.mark.parametrize("how", WRONG)
def test_a_twin_without_the_form_is_refused(how):
    with pytest.raises(Refused, match=WRONG[how][1]):
        check_twin(_changed(how))
    with pytest.raises(Refused, match=WRONG[how][1]):
        drive(in_floats(_changed(how)))


@pytest.mark.parametrize(
    "how",
    ["the state squared", "presence that weighs another's block", "noise of those who are absent"],
)
def test_a_large_run_unlike_its_twin_is_refused(how):
    """A step that is affine for a few clients only."""
    change = WRONG[how][0]

    def later(q, z, w, x):
        return change(q, z, w, x) if int(q.clients) > 3 else x

    algorithm = _step(later)
    pair = replace(pairs(2, 2)["FedAvg-P"], traced=algorithm)
    large = in_floats(subject(pair, problem(4, 2, 1)))
    with pytest.raises(Refused, match="is not the map that was read off"):
        drive(large)


def test_a_vector_that_is_not_of_the_form_is_missing_with_its_reason():
    def step(problem, p, state, drawn, see):
        after = personal_averaging.step(problem, p, state, drawn, see)
        see(xx=state["u"] * state["u"])
        return after

    exact = exact_run("FedAvg-P", "one")
    algorithm = replace(personal_averaging.ROUNDS, step=step)
    shown = replace(exact.shown, vectors={**exact.shown.vectors, "xx": ()})
    run = driven_run(replace(exact, algorithm=algorithm, shown=shown))
    xx, u, hu = (VectorSymbol(name, name) for name in ("xx", "u", "hu"))
    found = known(run, {"X": ip(xx, u), "H": sq(hu)})
    assert found.series("H").all()
    with pytest.raises(MissingError, match="not affine"):
        found.series("X")


# ---- what is 0 for certain

ALMOST = {
    "moved": (lambda u: u, True),
    "a little more": (lambda u: u + u / 10**17, False),
    "what floats give back": (lambda u: u * 3 / 3, False),
}


def _beside(shown_as):
    """A run that shows xx, made of u."""

    def step(problem, p, state, drawn, see):
        see(xx=shown_as(state["u"]))
        return personal_averaging.step(problem, p, state, drawn, see)

    exact = exact_run("FedAvg-P", "two")
    shown = replace(exact.shown, vectors={**exact.shown.vectors, "xx": ()})
    algorithm = replace(personal_averaging.ROUNDS, step=step)
    return driven_run(replace(exact, algorithm=algorithm, shown=shown))


@each("how", ALMOST)
def test_a_zero_is_shown_where_nothing_was_rounded(how):
    """Planted: vectors that are u in floats, and by rounding or not at all in exact numbers."""
    run = _beside(ALMOST[how][0])
    xx, u = (VectorSymbol(name, name) for name in ("xx", "u"))
    found = run.space.product(sq(xx - u), {})
    assert not run.series([found]).any()
    assert bool((run.errors.of_product(found) == 0).all()) is ALMOST[how][1]


def test_a_factor_that_floats_round_to_one_is_none():
    run = _beside(lambda u: u)
    xx, u = (VectorSymbol(name, name) for name in ("xx", "u"))
    for factor, shown in ((1, True), (1 + sp.Rational(1, 10**20), False), (sp.Symbol("a"), False)):
        found = run.space.product(sq(u - factor * xx), {"a": 1.0})
        assert not run.series([found]).any()
        assert bool((run.errors.of_product(found) == 0).all()) is shown, factor


@each("name", ("FedAvg-P", "Scaffold-P"))
def test_no_local_step_has_been_made_before_the_first(name):
    run = driven_run(exact_run(name, "two"))
    u, v, uh, vh, hu = (VectorSymbol(x, x) for x in ("u", "v", "uh", "vh", "hu"))
    for node, last in ((sq(uh - u), 1), (sq(vh - v), 1), (ip(uh - u, hu), 1), (sq(hu), 0)):
        errors = [
            run.errors.of_product(run.space.alone("i", 1).alone("k", k).product(node, {}))
            for k in range(2)
        ]
        assert [bool(x.any()) for x in errors] == [last == 0, True], node
