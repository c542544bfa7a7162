"""A claim that holds as long as the file looks and fails afterwards is tried where it fails."""

import json

import pytest
from flint import fmpq
from own_files import loaded, own_file

from fedbounds.errors import FedboundsError
from fedbounds.own import Algorithm, contribution, quadratic, theory
from fedbounds.theory.language.contributed import contribute
from fedbounds.verify.commands.command_line import status
from fedbounds.verify.decide.case import found
from fedbounds.verify.decide.profile import Profile
from fedbounds.verify.judge.judge import judge
from fedbounds.verify.own import longer
from fedbounds.vocabulary import Verdict


def _step(problem, p, state, drawn):
    noisy = problem.gradient(state["x"]) + drawn["noise"][:, :, 0]
    return {"x": state["x"] - noisy.sum(axis=1) / (8 * problem.clients)}


SGD = Algorithm(
    lambda problem, start: {"x": start},
    lambda random, problem, p: {"noise": random.noise(problem, 1)},
    _step,
    "SGD",
)


def _judged(claims, step=SGD):
    """Verdicts of each claim by length of run."""
    problem = quadratic([[[1]]], [[0]], [8], fmpq(1, 4))
    mine = theory("mine", step, parameters={}, problems=[problem], rounds=(1, 2), horizon=20)
    for name, formula in claims.items():
        mine.claim(name, formula)
    every = contribution(mine)
    contribute(every)
    told = {name: {} for name in claims}
    for case in every.cases(Profile.DEFAULT, 0):
        for one in judge(tuple(every.claims.values()), case).judgements:
            name = one.claim.id.partition("/")[2]
            told[name][found(case).parameters["T"]] = one.verdict
    return told


def test_a_bound_with_too_low_a_noise_floor_is_broken_where_it_first_fails():
    # the floor is sigma^2/15, which x^2 comes to as (49/64)^T
    bound = "D_W(T) <= (7/8)**(2*T)*D_W(0) + sigma2*(1/15 - 1/20000)"
    told = _judged({"floor": bound})["floor"]
    assert told == {
        1: Verdict.NOT_VIOLATED,
        2: Verdict.NOT_VIOLATED,
        20: Verdict.NOT_VIOLATED,
        27: Verdict.VIOLATED,
    }


@pytest.mark.parametrize(
    "formula",
    ["D_W(T) <= (7/8)**(2*T)*D_W(0) + sigma2/15", "D_W(t + 1) <= D_W(t) + sigma2/64"],
)
def test_what_holds_for_ever_needs_no_longer_run(formula):
    told = _judged({"holds": formula})["holds"]
    assert max(told) == 20
    assert set(told.values()) == {Verdict.NOT_VIOLATED}


def test_the_shortest_run_that_breaks_a_claim_is_tried_once_for_all_that_fail_there():
    claims = {"low": "D_W(t) <= 64 - t*sigma2/1000", "same": "D_W(t) + t*sigma2/1000 <= 64"}
    told = _judged(claims)
    assert told["low"] == told["same"]


def test_rounds_that_differ_are_not_continued():
    step = Algorithm(
        SGD.init, SGD.draw, lambda problem, p, state, drawn: {"x": state["x"] / (p["t"] + 2)}
    )
    told = _judged({"falls": "D_W(T) <= 64/4**T + sigma2/10**9"}, step)
    assert max(told["falls"]) == 20


def test_what_holds_for_ever_is_told_of_the_runs_on_which_it_does(tmp_path, capsys):
    file = own_file(
        tmp_path,
        draw="return {}",
        step='return {"x": state["x"] - p["eta"] * problem.full_gradient(state["x"])}',
        parameters='{"eta": ("1/(2*L)", "1/L")}',
        problems="[quadratic([[[2]]], [[0]], [1])]",
        body="""
            me.claim("a", "D_W(t) <= (1 - eta*mu)**t*D_W(0)")
            me.claim("b", "D_W(t) <= D_W(0)/(t + 1)")
        """,
    )
    assert status(["verify", file, "--quick", "--out", str(tmp_path / "out")]) == 0
    out = capsys.readouterr().out
    assert "closed form: me/a holds for all T on 2 planned runs" in out
    assert "me/b holds for all T" not in out  # 1/(t + 1) is no recurrence
    readings = json.loads((tmp_path / "out" / "results.json").read_text())["claims"]["me/a"]
    assert readings["readings"][0]["forever"] == 2


FAILS_LATE = """
    me.quantity("P", "a probability", is_="given(positive(dot(x, x) - 1/4))")
    me.quantity("Q", "excess", lambda problem, state: abs(2 * state["x"][:, 0] - 1) + 2 * state["x"][:, 0] - 1)
    me.quantity("S", "square of a square", is_="sq(x)*sq(x)")
    me.claim("p", "P(t) <= 1/2")
    me.claim("q", "Q(t) <= 1/2")
    me.claim("s", "S(t) <= 1/4")
    me.claim("low", "D_W(T) >= 0")
"""


def test_what_is_no_sum_of_moments_is_not_said_to_hold_for_ever(tmp_path, capsys):
    """They hold for twenty rounds, and fail from the sixty-ninth on."""
    file = own_file(
        tmp_path,
        draw="return {}",
        step='return {"x": state["x"] - p["eta"] * problem.full_gradient(state["x"])}',
        parameters='{"eta": ("1/100",)}',
        problems="[quadratic([[[1]]], [[-1]], [0])]",
        more="rounds=(1, 2), horizon=20",
        body=FAILS_LATE,
    )
    assert status(["verify", file, "--quick", "--out", str(tmp_path / "out")]) == 0
    out = capsys.readouterr().out
    assert "closed form: me/low holds for all T on 1 planned run" in out
    for name in "pqs":
        assert f"me/{name} holds for all T" not in out


# ---- kept with the records

LATER = {
    "draw": "return {}",
    "step": 'return {"x": state["x"] - p["eta"] * problem.full_gradient(state["x"])}',
    "parameters": '{"eta": ("1/100",)}',
    "problems": "[quadratic([[[1]]], [[0]], [1])]",
    "more": "rounds=(1, 2), horizon=20",
    "body": """
        me.claim("a", "D_W(t) <= (1 - eta*mu)**t*D_W(0)")
        me.claim("b", "D_W(t) >= D_W(0)/4")
    """,
}


def test_what_holds_for_ever_is_found_once_for_runs_that_reuse_all(tmp_path, monkeypatch, capsys):
    """Two thirds of a second run of the template had been this."""
    file, out = own_file(tmp_path, **LATER), tmp_path / "out"
    assert status(["verify", file, "--quick", "--out", str(out)]) == 0
    first = (out / "results.json").read_bytes()
    assert "T=70" in first.decode()  # where b fails, long after the file looks
    monkeypatch.setattr(longer, "later", None)  # were it asked for, it would fail
    assert status(["verify", file, "--quick", "--out", str(out)]) == 0
    assert (out / "results.json").read_bytes() == first
    assert "me/a holds for all T on 1 planned run" in capsys.readouterr().out
    own_file(tmp_path, **LATER | {"parameters": '{"eta": ("1/50",)}'})
    monkeypatch.undo()
    assert status(["verify", file, "--quick", "--out", str(out)]) == 0
    changed = (out / "results.json").read_text()
    assert "T=70" not in changed
    assert "T=36" in changed


def test_what_is_kept_of_other_runs_is_refused(tmp_path):
    runs = longer.Runs(loaded(tmp_path, **LATER))
    known = runs.later(Profile.QUICK)
    assert [one["rounds"] for one in known["broken"]] == [70]
    for wrong in (
        known | {"broken": [{"case": "problem 9: T=1", "rounds": 3}]},
        known | {"forever": [["problem 9: T=1"], []]},
        known | {"forever": [*known["forever"], []]},
    ):
        with pytest.raises(FedboundsError, match="of other runs"):
            longer.Runs(runs.theory).later(Profile.QUICK, wrong)
    assert longer.Runs(runs.theory).later(Profile.QUICK, known) == known
