"""Small runs of FedAvg-P: against values kept of another program, plain loops, planted errors."""

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import sympy as sp
from averaging_oracle import Oracle
from flint import fmpq

from fedbounds.algorithms import personal_averaging
from fedbounds.errors import ConflictError, FedboundsError
from fedbounds.problems.linear import rational
from fedbounds.theory.language.claims import Condition, read
from fedbounds.theory.language.registry import claim
from fedbounds.theory.language.setups import Largest, Run, Setup, dot
from fedbounds.theory.language.symbols import G_u, VectorSymbol, n, t
from fedbounds.theory.personalization.proofs.scopes import SCOPES
from fedbounds.theory.personalization.setups import PLANNED
from fedbounds.theory.personalization.views import VIEWS
from fedbounds.theory.proof.library import book_of
from fedbounds.verify.decide.case import find, script_of
from fedbounds.verify.decide.measurement import measure
from fedbounds.verify.judge.judge import judge_reading
from fedbounds.verify.measure.known import MissingError
from fedbounds.verify.measure.spaces import alone, depends_on
from fedbounds.verify.search.planned import planned_cases
from fedbounds.verify.search.witness import find_witness
from fedbounds.verify.setups import found as of_setups
from fedbounds.verify.setups import steps
from fedbounds.verify.setups.found import known_of, view_of
from fedbounds.verify.setups.instance_file import from_data, to_data
from fedbounds.verify.setups.plan import case_of
from fedbounds.vocabulary import Verdict

DATA = Path(__file__).parents[2] / "data" / "personalization_exact.json"
KEPT = json.loads(DATA.read_text())
NAMED = {one.name: one for one in PLANNED}
COUPLED = "own curvature, n=2 m=1 K=2 T=3 noise 1, long outer steps"


def texts(array):
    return np.frompyfunc(str, 1, 1)(array)


def differing(found, kept):
    """Names of quantities that are not, entry by entry, what was kept; round T of states alone."""
    wrong = set()
    for name, values in kept["series"].items():
        before, now = np.array(values, dtype=object), texts(found.series[name])
        rounds = now.shape[-1]
        if before.shape[-1] - rounds not in (0, 1) or (before[..., :rounds] != now).any():
            wrong.add(name)
    return wrong


@pytest.mark.parametrize("name", KEPT)
def test_every_quantity_and_constant_is_the_same_rational(name):
    found, kept = find(NAMED[name].setup), KEPT[name]
    assert found.series.keys() == kept["series"].keys()
    assert not found.undefined
    assert differing(found, kept) == set()
    own = {x.value: y.value for x, y in found.constants.items()} | dict(found.parameters)
    assert {x: str(rational(own[x])) for x in kept["constants"]} == kept["constants"]


def test_what_was_kept_has_both_blocks_noise_and_absent_clients():
    several = [x["constants"] for x in KEPT.values()]
    assert sum(x["m"] < x["n"] and x["sigma_u^2"] != "0" != x["sigma_v^2"] for x in several) >= 3
    assert any(x["eta_u"] != "1" != x["eta_v"] for x in several)


# ---- a slow oracle


@cache
def small(m=1, steps=2):
    """Two coupled clients, two rounds, unequal step sizes of the blocks."""
    run = NAMED[COUPLED].setup.run
    changed = {"cohort": m, "K": steps, "gamma_u": "1/16", "gamma_v": "1/8", "eta_u": 3}
    run = replace(run, parameters=tuple({**dict(run.parameters), **changed}.items()))
    return Run(run.problem, (1, "1/2", -2), run.parameters, 2)


@pytest.mark.parametrize(("m", "steps"), [(1, 2), (2, 1)])
def test_means_are_those_of_a_plain_loop_over_outcomes_clients_and_steps(m, steps):
    run = small(m, steps)
    series = find(Setup("personalization", "rounds", run)).series
    expected = Oracle(run).measured()
    assert len(expected) >= 40
    for (name, at, *place), value in expected.items():
        if name == "f step":
            own = series["f"][at + 1] - series["f"][at]
        else:
            index = (*place, *([0] if len(place) == 1 else []), at)
            own = series[name][index]
        assert own == fmpq(value.numerator, value.denominator), (name, at, place)


def test_of_unequal_effective_steps_gamma_is_that_of_the_shared_block():
    parameters = find(Setup("personalization", "rounds", small())).parameters
    assert parameters["gamma"] == fmpq(3, 16) != fmpq(1, 8) * parameters["eta_v"]


# ---- planted errors

AVERAGE = personal_averaging.average


def without_outer_step(problem, p, state, drawn, u, v):
    return AVERAGE(problem, {**p, "eta_v": 1}, state, drawn, u, v)


def absent_move_too(problem, p, state, drawn, u, v):
    return AVERAGE(problem, p, state, {**drawn, "present": drawn["present"] * 0 + 1}, u, v)


@pytest.fixture
def afresh():
    """No run that was analysed before, nor one of a planted error after."""
    of_setups.analysed.cache_clear()
    yield
    of_setups.analysed.cache_clear()


@pytest.mark.usefixtures("afresh")
@pytest.mark.parametrize("planted", [without_outer_step, absent_move_too])
def test_another_average_is_seen(monkeypatch, planted):
    name = next(x for x, kept in KEPT.items() if kept["constants"]["m"] < kept["constants"]["n"])
    assert KEPT[name]["constants"]["eta_v"] != "1"
    monkeypatch.setattr(personal_averaging, "average", planted)
    assert {"Dv_2", "Dv_i", "X_v"} <= differing(find(NAMED[name].setup), KEPT[name])


# ---- what is looked at one by one


@cache
def known(view, k=None):
    run = small() if k is None else replace(small(), parameters=(*small().parameters, ("k", k)))
    setup = Setup("personalization", view, run)
    return known_of(setup, view_of(setup))


def test_a_quantity_of_all_is_the_sum_of_those_of_clients_and_steps():
    series = known("rounds").series
    drift = series("E_ik")
    assert drift.shape == (2, 3, 2)  # of n clients, at steps 0, ..., K
    assert (drift[:, :2].sum(axis=(0, 1)) == series("E")).all()
    assert (series("Y_ik").sum(axis=(0, 1)) == series("Y_2")).all()
    assert (series("Dv_i").sum(axis=(0, 1)) / 2 == series("Dv_2")).all()
    assert (series("g_ui").sum(axis=(0, 1)) == series("B")).all()


def test_views_of_one_client_and_of_one_step_agree_with_that_of_rounds():
    """A quantity is the same in all; a product is that of the client and step looked at."""
    whole = known("rounds").series
    client, drift = known("one client"), VIEWS["rounds"].quantities["Eu_ik"]
    assert (client.series("G_v") == whole("G_v")).all()
    assert (client.products(VIEWS["rounds"].quantities["g_vi"]) == whole("g_vi")[..., :2]).all()
    for k in (0, 1):
        step = known("one local step", k)
        assert (step.series("E_ik") == whole("E_ik")).all()
        uh, u = VectorSymbol("uh", ""), VectorSymbol("u", "")
        node = drift.func(uh - u)
        assert (step.products(node) == whole("Eu_ik")[:, k : k + 1]).all()
    assert (whole("Eu_ik")[:, 1] != 0).all()


def test_moments_say_nothing_of_single_outcomes():
    u = VectorSymbol("u", "")
    with pytest.raises(MissingError, match="single outcomes"):
        known("rounds").number(Largest(dot(u, u)))


@pytest.mark.usefixtures("afresh")
def test_moments_of_what_is_not_affine_are_refused_with_the_reason(monkeypatch):
    def bent(problem, p, state, drawn, u, v):
        return {"u": state["u"] * state["u"], "v": state["v"]}

    monkeypatch.setattr(personal_averaging, "average", bent)
    run = replace(small(), rounds=2)
    shown = find(Setup("personalization", "rounds", run))
    assert not shown.series
    assert "not affine" in shown.missing["G_u"]


def test_constants_of_the_start_follow_it():
    one, other = (find(Setup("personalization", "rounds", replace(small(), start=x))).constants
                  for x in ((1, 1, 1), (2, 1, 1)))  # fmt: skip
    values = [{name.value: y.value for name, y in x.items()} for x in (one, other)]
    for name in ("F_0", "B_0", "G_0"):
        assert values[0][name] != values[1][name]
    assert values[0]["L"] == values[1]["L"]


# ---- steps of proofs


@cache
def declared():
    return book_of("personalization").theory.scopes


def test_scopes_are_held_against_runs_and_a_wrong_one_is_seen():
    steps.check_declared("personalization", declared())
    scope = SCOPES["FedAvg-P"]
    atoms = tuple((x, ("past",) if x == "uh" else on) for x, on in scope.atoms)
    with pytest.raises(ConflictError, match="uh of 'FedAvg-P' depends on .*xi"):
        steps.check_declared("personalization", {"FedAvg-P": replace(scope, atoms=atoms)})
    derived = (("du", "-gamma*K*given(present(hu + Yu), past, S, xi)"),)
    with pytest.raises(ConflictError, match="du of 'FedAvg-P' is another"):
        steps.check_declared("personalization", {"FedAvg-P": replace(scope, derived=derived)})


@pytest.mark.parametrize("k", [0, 1])
def test_a_sample_belongs_to_its_step_alone(k):
    """In the view of a step, its noise depends on that step's samples, its iterate on older ones."""
    space = known("one local step", k).trace.spaces[0]
    for index, at in (("i", 0), ("k", k)):
        space = alone(space, index, at)
    shown = {name: depends_on(space, space.vectors[name]) for name in ("uh", "Yu", "up")}
    assert shown["Yu"] & {"old", "new", "rest"} == {"new"}
    assert shown["uh"] & {"old", "new", "rest"} == ({"old"} if k else set())
    assert shown["up"] & {"old", "new", "rest"} == shown["uh"] & {"old"} | {"new"}
    assert "rest" in space.sources


_HERE = ("FedAvg-P", "step of FedAvg-P", "client of FedAvg-P", "client's step of FedAvg-P",
         "iterates of FedAvg-P", "any increments", "client of any increments",
         "first local step")  # fmt: skip


def test_steps_in_every_scope_of_fedavg_p_are_evaluated_and_hold():
    book = book_of("personalization")
    seen = {}
    for written in book.steps:
        if written.scope in _HERE and written.source == "paper":
            seen.setdefault(written.scope, []).append(steps.gaps("personalization", written))
    assert seen.keys() == set(_HERE)
    for scope, every in seen.items():
        assert any(every), scope
    gaps = [gap for every in seen.values() for own in every for gap in own]
    assert len(gaps) > 500
    assert min(gaps) >= -1e-13


# ---- scripts and files


def judged(name, part=0):
    """A claim on a run whose outcomes a script lists."""
    case = case_of(NAMED["own curvature, n=3 m=2 K=2 T=3 noise 0, short steps"], "")
    own = claim(f"personalization/{name}")
    judgement = judge_reading(own, own.readings[0], case, measure(case))
    return case, judgement, read(own, own.readings[0])[part]


@pytest.mark.parametrize("name", ["lem-3.1", "lem-3.3", "lem-3.5-ik", "eq-A.4", "alg-inc"])
def test_a_script_shows_the_gap_by_itself(name):
    """Also of quantities of one client, and of one of its local steps."""
    case, judgement, part = judged(name)
    assert judgement.verdict is Verdict.NOT_VIOLATED
    text = script_of(case.setup, judgement, part, measure(case).numbers)
    assert "fedbounds" not in text
    assert ("alone(lambda" in text) == (name in ("lem-3.5-ik", "eq-A.4"))


def test_a_script_asserts_what_is_assumed_of_blocks():
    case, judgement, part = judged("lem-3.1")
    text = script_of(case.setup, judgement, part, measure(case).numbers)
    assert "own_noises" in text
    assert "assert not sum(own_noises).any()" in text


def test_a_set_up_with_personal_blocks_is_read_from_a_file():
    case = case_of(NAMED[COUPLED], "")
    data = to_data(case)
    again = from_data(data)
    assert find(again.setup).series["G_u"].tolist() == find(case.setup).series["G_u"].tolist()
    text = json.dumps(data)
    longer = text.replace('"tuple": [1, 1, 1]', '"tuple": [1, 1, 1, 1]')
    assert longer != text
    with pytest.raises(FedboundsError, match="start has 4 entries; expected d = 2"):
        from_data(json.loads(longer))


def test_a_search_goes_on_to_small_instances_where_no_planned_case_is_broken():
    """A false claim about four clients: no planned case has so many."""
    own = claim("personalization/lem-3.2")
    several = Condition(n, ">=", sp.Integer(4))
    part = replace(own.parts[0], left=G_u(t), right=sp.Integer(0), assumptions=())
    part = replace(part, conditions=(*part.conditions, several))
    false = replace(own, parts=(part,), readings=own.readings[:1], algorithms=("FedAvg-P",))
    cases = planned_cases(false)
    assert len(cases) == 60
    assert find_witness(false, false.readings[0], cases, examples=5) is not None
