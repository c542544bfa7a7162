"""What is judged from Python is shown as a table: all parts, what is broken first."""

import numpy as np
import pytest

import fedbounds as fb
from fedbounds.errors import FedboundsError
from fedbounds.theory.language.setups import Objective, Planned, Run, Setup
from fedbounds.verify.setups.plan import case_of
from fedbounds.vocabulary import Verdict


def test_a_notebook_shows_what_is_broken_first(tmp_path):
    from own_files import cases, loaded

    from fedbounds.verify.decide.profile import Profile

    body = 'me.claim("holds", "D_W(t) >= 0 - 1")\nme.claim("fails", "D_W(0) <= D_W(0)/2 - 1")'
    theory = loaded(tmp_path, body=body)
    case = next(cases(theory, Profile.QUICK, 0))
    claims = [one.claim for one in theory.statements]
    every = fb.judge(claims, case)._repr_html_()
    assert every.startswith("<table>")
    assert 0 < every.index("me/fails") < every.index("me/holds")
    assert every.count("<tr>") == 3
    alone = fb.check(claims[1], case)
    assert alone.verdict.value == "violated"
    shown = alone._repr_html_()
    assert "<td>violated</td>" in shown
    assert repr(alone) == f"<me/fails on {case.name!r}: violated>"
    assert repr(fb.judge(claims, case)) == "<2 judgements: 1 violated, 1 not violated>"
    assert f"<td>{alone.deciding.gap}</td>" in shown


def test_an_instance_is_the_planned_set_up():
    data = {"hessians": [[[2, 1], [1, 2]]], "slopes": [[-1, 1]], "noise": 0}
    given = {"keep": ["1/2"], "K": 2, "eta": "1/64"}
    mine = fb.instance("submodel", "rounds", data, start=(1, 0), rounds=3, **given)
    run = Run(Objective("quadratics", data), start=(1, 0), parameters=given, rounds=3)
    assert repr(mine) == repr(case_of(Planned("mine", Setup("submodel", "rounds", run)), ""))
    judged = fb.judge([fb.claim("submodel/lem-4")], mine).judgements
    assert {one.verdict for one in judged} == {Verdict.NOT_VIOLATED}
    with pytest.raises(FedboundsError, match="rounds"):
        fb.instance("submodel", "round", data, start=(1, 0), rounds=3, **given)


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"rounds": 1.5}, "rounds is 1.5"),
        ({"rounds": "2"}, "rounds is '2'"),
        ({"start": "10"}, "start is '10'"),
        ({"start": {1, 2}}, "start is {1, 2}"),
        ({"data": {"hessians": [[[2, 1], [1, 2]]]}}, "lack 'slopes'"),
    ],
)
def test_an_instance_of_other_numbers_is_refused(changed, told):
    data = {"hessians": [[[2, 1], [1, 2]]], "slopes": [[-1, 1]], "noise": 0}
    given = {"data": data, "start": (1, 0), "rounds": 3, "keep": ["1/2"], "K": 2, "eta": "1/64"}
    with pytest.raises(FedboundsError, match=told):
        fb.instance("submodel", "rounds", **given | changed)


def test_an_instance_takes_arrays():
    data = {"hessians": [[[2, 1], [1, 2]]], "slopes": [[-1, 1]], "noise": 0}
    given = {"rounds": 3, "keep": ["1/2"], "K": 2, "eta": "1/64"}
    arrays = {name: np.array(value) if name != "noise" else 0 for name, value in data.items()}
    mine = fb.instance("submodel", "rounds", arrays, start=np.array([1, 0]), **given)
    assert repr(mine) == repr(fb.instance("submodel", "rounds", data, start=(1, 0), **given))


def test_replicas_of_a_problem_whose_constants_have_many_digits():
    sizes = {"clients": 6, "shared_dimension": 3, "personal_dimension": 3}
    problem = fb.problems.federated_quadratic(**sizes, seed=0)
    noise = {"noise": 0.3, "personal_noise": 0.3, "law": "gaussian"}
    data = {"hessians": problem.hessian, "slopes": problem.linear, "personal": 3, **noise}
    steps = {"gamma_u": "1/320", "gamma_v": "1/320", "eta_u": 2, "eta_v": 2}
    run = {"start": [1] * 21, "rounds": 2, "cohort": 3, "K": 4, "algorithm": "FedAvg-P", **steps}
    claim, view = fb.claim("personalization/thm-3.7"), "rounds of many clients"
    sampled = fb.check(claim, fb.instance("personalization", view, data, replicas=128, **run))
    exact = fb.check(claim, fb.instance("personalization", view, data, floats=True, **run))
    sides = (float(one.deciding.right) for one in (sampled, exact))
    assert next(sides) == pytest.approx(next(sides))
