"""Vectors of a round under every outcome: what they depend on, in the draws, is what is said."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from outcome_cases import (
    CASES,
    MINIBATCH,
    VALUES,
    i,
    instance,
    k,
    name_of,
    outcomes_of,
    past,
    uh,
    xi,
)

from fedbounds.algorithms import fedavg_p
from fedbounds.algorithms.fedavg_p import FedAvgP
from fedbounds.algorithms.fedsim import FedSim
from fedbounds.algorithms.scaffold_p import ScaffoldP
from fedbounds.errors import FedboundsError
from fedbounds.problems import SILENT, FederatedQuadratic, Noise, NoiseLaw, Start
from fedbounds.theory.proof.vectors import given, sq
from fedbounds.verify import outcomes as module
from fedbounds.verify.outcome_values import evaluate
from fedbounds.verify.outcomes import MOST_ROWS, depends_on, round_outcomes, step_outcomes


@pytest.fixture(params=CASES, ids=name_of)
def case(request):
    return request.param


# ---- what a vector depends on: the sets of the language

ROUND = {
    "u": "past", "v": "past i", "uh": "past i k xi", "vh": "past i k xi",
    "up": "past i k xi", "vp": "past i k xi", "hu": "past i k xi", "hv": "past i k xi",
    "au": "past i", "av": "past i", "gu": "past", "Yu": "past i k xi", "Yv": "past i k xi",
    "du": "past S xi", "dv": "past S xi i", "nu": "past S xi i", "wu": "past S xi i",
}  # fmt: skip
MEMORY = {
    "ci": "past i", "di": "past i", "c": "past", "d": "past", "al": "past i k", "be": "past i k",
    "eu": "past i k", "Wh": "past i k", "al1": "past S i k xi", "be1": "past S i k xi",
}  # fmt: skip
STEP = {
    **dict.fromkeys(("u", "v", "au", "av", "gu"), "past"),
    **dict.fromkeys(("uh", "vh", "hu", "hv"), "past old"),
    **dict.fromkeys(("Yu", "Yv", "up", "vp"), "past old new"),
}
STEP_MEMORY = dict.fromkeys(("ci", "di", "c", "d"), "past")


def sets(*tables):
    return {name: frozenset(text.split()) for table in tables for name, text in table.items()}


def dependence(found):
    return {name: depends_on(found, name) for name in found.vectors}


@pytest.mark.parametrize("rule", MINIBATCH)
def test_dependence_is_that_of_the_language(rule):
    found = outcomes_of(*MINIBATCH[rule])
    scaffold = rule is ScaffoldP
    assert dependence(found) == sets(ROUND, MEMORY if scaffold else {})
    expected = sets(STEP, STEP_MEMORY if scaffold else {})
    assert dependence(step_outcomes(found, 1, 1)) == expected
    first = {name: found - {"old"} for name, found in expected.items()}
    assert dependence(step_outcomes(found, 0, 0)) == first


def test_no_instance_depends_on_more(case):
    found = outcomes_of(*case)
    for name, seen in dependence(found).items():
        assert seen <= sets(ROUND, MEMORY)[name], name
    for client, step in ((0, 0), (1, 0), (0, 1), (1, 1)):
        for name, seen in dependence(step_outcomes(found, client, step)).items():
            assert seen <= sets(STEP, STEP_MEMORY)[name], name


@pytest.mark.parametrize("client", [0, 1])
def test_a_step_knows_when_its_own_client_takes_part(client):
    """m = 1: the sets of participants are the clients, in order."""
    found = step_outcomes(outcomes_of(*MINIBATCH[FedAvgP]), client, 0)
    np.testing.assert_array_equal(found.present.ravel(), np.eye(2)[client])


def planted(monkeypatch, change):
    """FedAvg-P whose local steps use another draw than the one they are given."""

    def local(problem, algorithm, carry, drawn, *visit):
        return fedavg_p.local(problem, algorithm, carry, change(drawn), *visit)

    rules = SimpleNamespace(**{**vars(fedavg_p), "local": local})
    monkeypatch.setattr(module, "rules_with_memory", lambda *_: rules)
    return round_outcomes(*instance("quadratic", FedAvgP, 1, "both"), 1)


def test_planted_samples_of_participants_only_make_iterates_depend_on_the_participants(monkeypatch):
    def participants_only(drawn):
        rows = drawn.present.reshape(1, -1, 1)
        return replace(drawn, noise=drawn.noise * rows)

    found = planted(monkeypatch, participants_only)
    assert depends_on(found, "uh") == {"S", "xi", "i", "k"}
    assert depends_on(found, "u") == set()
    values = VALUES | {"n": 2, "m": 1}
    assert evaluate(sq(uh - given(uh, past, xi, i, k)), found, values).value > 1e-4


@pytest.mark.parametrize("axis", [0, 1])
def test_planted_samples_of_another_step_or_client_are_seen(monkeypatch, axis):
    def shuffled(drawn):
        steps, rows, width = drawn.noise.shape
        noise = drawn.noise.reshape(steps, 2, -1, width)
        return replace(drawn, noise=np.flip(noise, axis).reshape(steps, rows, width))

    found = step_outcomes(planted(monkeypatch, shuffled), 0, 1)
    assert depends_on(found, "uh") == ({"new"} if axis == 0 else {"old"})
    assert depends_on(found, "Yu") == ({"old"} if axis == 0 else {"rest"})


def test_gradients_after_the_round_move_with_each_block_alone():
    """One client with curvatures 3 and 5, coupling 2 and slope (1, -2): all by hand."""
    problem = FederatedQuadratic(
        np.array([[[3.0, 2.0], [2.0, 5.0]]]), np.array([[1.0, -2.0]]), 1,
        Noise(NoiseLaw.RADEMACHER, 0.5, 0.4),
    )  # fmt: skip
    start = Start(np.array([1.0]), np.array([[2.0]]))
    x = round_outcomes(problem, FedAvgP(1, 2, 0.1, 0.1, 1.0, 1.0), start, 1).vectors
    np.testing.assert_allclose(x["au"], 3 * x["u"] + 2 * x["v"] + 1, rtol=1e-13)
    np.testing.assert_allclose(x["wu"] - x["au"], 2 * x["dv"], rtol=1e-12)
    np.testing.assert_allclose(x["nu"] - x["wu"], 3 * x["du"], rtol=1e-12)
    np.testing.assert_allclose(x["hu"], 3 * x["uh"] + 2 * x["vh"] + 1, rtol=1e-13)
    np.testing.assert_allclose(x["hv"], 2 * x["uh"] + 5 * x["vh"] - 2, rtol=1e-13)
    assert np.ptp(x["du"]) > 0.1
    assert np.ptp(x["dv"]) > 0.1


# ---- refusals


def test_too_many_outcomes_are_refused_before_any_work(monkeypatch):
    monkeypatch.setattr(module, "started", None)
    case = instance("quadratic", ScaffoldP, 1, "both")
    count = 256 * 2 * 256  # initial samples, sets of participants, samples
    assert count > MOST_ROWS
    with pytest.raises(FedboundsError, match=f"{count}.*at most {MOST_ROWS}"):
        round_outcomes(*case, 1)
    with pytest.raises(FedboundsError, match=str(count * 2 * 16)):
        round_outcomes(*case, 2)


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_the_count_is_that_of_the_outcomes(case):
    count = module._rows(*instance(*case[:-1])[:2], case[-1])
    assert count == np.prod([len(w) for w in outcomes_of(*case).weights[:3]]) <= MOST_ROWS


def test_what_is_no_round_of_these_algorithms_is_refused():
    problem, algorithm, start = instance("quadratic", FedAvgP, 1, "u")
    with pytest.raises(FedboundsError, match="rounds is 0"):
        round_outcomes(problem, algorithm, start, 0)
    with pytest.raises(FedboundsError, match="FedSim; expected FedAvgP or ScaffoldP"):
        round_outcomes(problem, FedSim(1, 2, 0.1, 0.1), start, 1)
    gaussian = replace(problem, noise=Noise(NoiseLaw.GAUSSIAN, 1.0, 1.0))
    with pytest.raises(FedboundsError, match="gaussian.*rademacher"):
        round_outcomes(gaussian, algorithm, start, 1)
    far = Start(start.u * 1e160, start.v)
    with pytest.raises(FedboundsError, match="vector is nan; expected a finite number"):
        round_outcomes(problem, replace(algorithm, inner_step_u=1e160), far, 1)
    found = round_outcomes(replace(problem, noise=SILENT), algorithm, start, 1)
    for client, step in ((2, 0), (-1, 0), (0, 2)):
        with pytest.raises(FedboundsError, match="expected between"):
            step_outcomes(found, client, step)
    with pytest.raises(FedboundsError, match="that of a round"):
        step_outcomes(step_outcomes(found, 0, 0), 0, 0)
