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
    problem = fb.problems.federated_quadratic(**sizes, dissimilarity=1.0, seed=0)
    noise = {"noise": 0.3, "personal_noise": 0.3, "law": "gaussian"}
    data = {"hessians": problem.hessian, "slopes": problem.linear, "personal": 3, **noise}
    steps = {"gamma_u": "1/320", "gamma_v": "1/320", "eta_u": 2, "eta_v": 2}
    run = {"start": [1] * 21, "rounds": 2, "cohort": 3, "K": 4, "algorithm": "FedAvg-P", **steps}
    claim, view = fb.claim("personalization/thm-3.7"), "rounds of many clients"
    ways = {"replicas": 128}, {"floats": True}
    cases = [fb.instance("personalization", view, data, **run, **way) for way in ways]
    sampled, exact = (fb.judge([claim], case).judgements[0].deciding for case in cases)
    assert float(sampled.right) == pytest.approx(float(exact.right))


def test_both_sides_round_by_round():
    data = {"hessians": [[[2, 1], [1, 2]]], "slopes": [[-1, 1]], "noise": 0}
    given = {"keep": ["1/2"], "K": 2, "eta": "1/64", "start": (1, 0), "rounds": 200}
    run = fb.instance("submodel", "many rounds", data, floats=True, **given)
    judged = fb.judge([fb.claim("submodel/thm-1")], run)
    curve = judged.curve
    assert curve.rounds[0] == 0
    left, right = (curve.sides[name] for name in ("measured, left side", "bound, right side"))
    assert len(left) == len(right) == len(curve.rounds)
    assert all(x <= y for x, y in zip(left, right, strict=True))
    assert left[0] == pytest.approx(float(judged.measurement.numbers.series["D_opt"][0]))
    assert fb.judge([], run).curve is None
    assert repr(fb.judge([], run)) == "<0 judgements: none>"


def test_what_a_theorem_leaves_open_is_chosen():
    data = {"features": [[[1, 0]], [[0, 1]]], "targets": [[[1]], [[1]]], "depth": 1}
    run = {"start": (0, 0), "rounds": 4, "K": 1, "eta": "1/50", "schedule": [[1, 0]]}
    given = {"family": "deep linear", **run}
    claim = fb.claim("overparam/thm-iv.2")
    data["width"] = 10**6  # of one layer any width will do
    with pytest.raises(FedboundsError, match="no value for C_B, C_w, chance"):
        fb.check(claim, fb.instance("overparam", "rounds", data, **given))
    chosen = {"C_w": 1000, "C_o": 1, "C_B": 2, "chance": "1/10"}
    mine = fb.instance("overparam", "rounds", data, chosen=chosen, **given)
    assert fb.check(claim, mine).verdict is Verdict.NOT_VIOLATED
