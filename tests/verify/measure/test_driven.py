"""Large moments by driving the step: against exact moments, the engine before, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest
from each import each
from flint import fmpq
from personal_runs import SHOWN, definitions, pairs, problem, subject

from fedbounds.algorithms import personal_averaging
from fedbounds.algorithms.traced import Algorithm
from fedbounds.problems import FederatedQuadratic, Noise, NoiseLaw, Start, federated_quadratic
from fedbounds.problems.spectrum import to_floats
from fedbounds.theory.proof.vectors import ip
from fedbounds.theory.symbols import VectorSymbol
from fedbounds.verify.measure.answers import Asked, by_moments
from fedbounds.verify.measure.clients import Clients
from fedbounds.verify.measure.driven import drive
from fedbounds.verify.measure.driven_vectors import driven_series
from fedbounds.verify.measure.subject import Subject
from fedbounds.verify.measure.twins import check_twin
from fedbounds.verify.measure.unknowns import Refused
from fedbounds.verify.moments import exact_moments

COHORTS = {"one": 1, "two": 2, "all": 3, "a list": ((1, 0, 0), (1, 1, 0), (0, 1, 2))}


def in_floats(exact):
    """The same subject in floats."""
    given = exact.problem.objective
    noise = Noise(given.noise.law, float(given.noise.scale_u), float(given.noise.scale_v))
    floats = FederatedQuadratic(
        to_floats(given.hessian), to_floats(given.linear), given.shared_dimension, noise
    )
    return replace(exact, problem=Clients(floats), start=to_floats(exact.start))


def exact_run(name, cohort, law=NoiseLaw.GAUSSIAN, rounds=3):
    pair = pairs(1, 2)[name]
    pair = replace(pair, values={**pair.values, "cohort": COHORTS[cohort]})
    return subject(pair, problem(3, 2, 1, law=law), rounds)


def _compared(exact, planted=0.0):
    """Largest relative difference of quantities by driving, and in rationals."""
    asked = definitions(3, 2, 2)
    wanted = by_moments(exact, Asked({}, asked, {"gamma": fmpq(1, 4)}))
    assert not wanted.missing
    one = drive(in_floats(exact), exact)
    found = driven_series(replace(one, noise=one.noise * (1 + planted)), asked, {"gamma": 0.25})
    assert found.series.keys() | found.missing.keys() == asked.keys()
    return found.missing, max(
        abs(value / (int(expected.p) / int(expected.q)) - 1) if expected else abs(value)
        for name in found.series
        for value, expected in zip(found.series[name], wanted.series[name], strict=False)
    )


@each("name, cohort", [(name, cohort) for name in ("FedAvg-P", "Scaffold-P") for cohort in COHORTS])
def test_driven_moments_are_the_exact_ones_but_for_rounding(name, cohort):
    missing, wrong = _compared(exact_run(name, cohort))
    assert not missing
    assert wrong < 1e-11


def test_the_comparison_sees_a_little_less_noise():
    _, wrong = _compared(exact_run("FedAvg-P", "two"), planted=-1e-6)
    assert wrong > 1e-8


@pytest.mark.parametrize("name", ["FedAvg-P", "Scaffold-P"])
def test_a_large_run_is_that_of_the_engine_it_replaces(name):
    n, d, m, steps, rounds = 6, 5, 2, 3, 4
    pair = pairs(m, steps)[name]
    gamma = {"gamma_u": 0.02, "gamma_v": 0.04, "eta_u": 2.0, "eta_v": 1.0}
    old = replace(
        pair.old, inner_step_u=0.02, inner_step_v=0.04, outer_step_u=2.0, outer_step_v=1.0
    )
    large = federated_quadratic(
        clients=n, shared_dimension=d, personal_dimension=d, dissimilarity=1.0,
        noise=Noise(NoiseLaw.GAUSSIAN, 0.1, 0.2),
    )  # fmt: skip
    start = Start(np.ones(d), np.ones((n, d)))
    point = np.concatenate([start.u, start.v.reshape(-1)])
    values = {**pair.values, **gamma}
    one = Subject(pair.traced, Clients(large), point, values, rounds, SHOWN)
    found = drive(one, subject(pairs(2, 2)[name], problem(3, 2, 2)))
    series = driven_series(found, definitions(n, m, steps), {"gamma": 0.04}).series
    before = exact_moments(large, old, start, rounds).series
    both = series.keys() & before.keys()
    assert len(both) == 12
    for key in both:
        wanted = before[key].reshape(-1)[:rounds]
        assert np.allclose(series[key][: len(wanted)], wanted, rtol=1e-8), key


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
    twin = replace(exact_run("FedAvg-P", "two"), algorithm=algorithm)
    pair = replace(pairs(2, 2)["FedAvg-P"], traced=algorithm)
    large = in_floats(subject(pair, problem(4, 2, 1)))
    with pytest.raises(Refused, match="is not the map that was read off"):
        drive(large, twin)


def test_a_twin_of_another_algorithm_is_refused():
    with pytest.raises(Refused, match="the twin runs Scaffold-P, not FedAvg-P"):
        drive(in_floats(exact_run("FedAvg-P", "one")), exact_run("Scaffold-P", "one"))


def test_a_quantity_that_is_not_driven_is_missing_with_its_reason():
    one = exact_run("FedAvg-P", "one")
    asked = {name: x for name, x in definitions(3, 1, 2).items() if name == "E"}
    found = drive(in_floats(one), one)
    hu, after = (VectorSymbol(name, name) for name in ("hu", "u_next"))
    told = driven_series(found, {**asked, "X": ip(hu, after)}, {})
    assert told.series.keys() == {"E"}
    assert "noise of the next state" in told.missing["X"]
