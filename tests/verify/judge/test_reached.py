"""A claim that no record met at its edges, with its noise or over its length is not tested."""

import pytest
import sympy as sp
from own_files import judged

from fedbounds.facts import Constant
from fedbounds.theory.language.claims import Condition, Part
from fedbounds.theory.language.symbols import Sum_t, T, sigma2, t, variance_u
from fedbounds.verify.judge.reached import unreached
from fedbounds.vocabulary import Verdict

L, eta, mu = sp.symbols("L eta mu", positive=True)
K = sp.Symbol("K", positive=True, integer=True)
f, D = sp.Function("f"), sp.Function("D")
ROUND = f(t + 1), f(t)
OWN = frozenset({"eta", "K", "T"})  # what a user's runs take
SIGMA = Constant.VARIANCE_U.value


def record(verdict=Verdict.NOT_VIOLATED, parameters=None, **constants):
    """Of one part."""
    return {
        "parts": [{"part": "", "verdict": verdict.value}],
        "parameters": {"n": "2", "T": "3"} | (parameters or {}),
        "constants": {name: {"value": value} for name, value in {"L": "2", **constants}.items()},
    }


def part(*conditions, sides=ROUND):
    return Part(*sides, conditions=conditions)


@pytest.mark.parametrize(
    ("condition", "inside", "edge"),
    [
        (Condition(eta * L, "<=", sp.Integer(3)), {"eta": "1/10"}, {"eta": "3/2"}),
        (Condition(1 / eta, ">=", L / 3), {"eta": "1/10"}, {"eta": "3/2"}),
        (Condition(eta, "<", 3 / L), {"eta": "1"}, {"eta": "1499999/1000000"}),
        (Condition(eta**2, "<=", 2 / L), {"eta": "1/10"}, {"eta": 0.9999999}),
        (Condition(K, ">=", sp.Integer(2)), {"K": "4"}, {"K": "2"}),
        (Condition(K**2, "<=", sp.Integer(10)), {"K": "2"}, {"K": "3"}),
        (
            Condition(K * eta, "<=", sp.Integer(1)),
            {"K": "2", "eta": "1/4"},
            {"K": "4", "eta": "1/4"},
        ),
    ],
)
def test_an_edge_is_reached_or_told(condition, inside, edge):
    own = part(condition)
    assert unreached([own], [record(parameters=inside)]) == [f"the edge of {condition}"]
    assert not unreached([own], [record(parameters=inside), record(parameters=edge)])
    undecided = record(Verdict.UNDECIDED, edge)
    assert unreached([own], [record(parameters=inside), undecided])


def test_what_another_condition_keeps_away_is_no_edge():
    """And neither is one of the problem alone, an equality, or a condition on what runs measure."""
    wide, narrow = Condition(eta, "<=", 3 / L), Condition(eta, "<=", 1 / L)
    assert not unreached([part(wide, narrow)], [record(parameters={"eta": "1/2"})])
    assert not unreached([part(Condition(mu, ">=", L / 100))], [record(mu="1")])
    assert not unreached([part(Condition(eta, "==", 1 / L))], [record(parameters={"eta": "1/2"})])
    assert not unreached([part(Condition(f(t), "<=", eta))], [record(parameters={"eta": "1/2"})])
    assert not unreached([part(Condition(eta, ">", sp.S.Zero))], [record(parameters={"eta": "1"})])


def test_a_whole_number_away_is_no_edge_where_another_parameter_could_come_closer():
    condition = Condition(eta, "<=", 2 / (L * K))
    inside = record(parameters={"K": "1", "eta": "2/3"})  # 2/3 of what is allowed, and K = 2 is not
    assert unreached([part(condition)], [inside], takes=OWN) == [f"the edge of {condition}"]
    at = record(parameters={"K": "2", "eta": "1/2"})
    assert not unreached([part(condition)], [at], takes=OWN)


def test_what_a_file_does_not_choose_has_no_edge():
    noise = Condition(sigma2, "<=", sp.Integer(1))
    row = record(parameters={"sigma^2": "1/4", "eta": "1"})
    assert not unreached([part(noise)], [row], takes=OWN)


def test_noise_of_which_a_side_speaks_is_met():
    noisy = part(sides=(f(t + 1), f(t) + variance_u))
    assert unreached([noisy], [record(**{SIGMA: "0"})]) == [f"{SIGMA} > 0"]
    assert not unreached([noisy], [record(**{SIGMA: "0"}), record(**{SIGMA: "1/4"})])
    whole = part(sides=(f(t + 1), f(t) + sigma2))
    assert unreached([whole], [record(parameters={"sigma^2": "0"})]) == ["sigma^2 > 0"]
    assert not unreached([whole], [record(parameters={"sigma^2": "1"})])


def test_noise_that_was_planned_is_met():
    quiet = record(**{SIGMA: "0"})
    assert not unreached([part()], [quiet])
    assert unreached([part()], [quiet, record(Verdict.UNDECIDED, **{SIGMA: "1"})])
    assert not unreached([part()], [quiet, record(Verdict.OUTSIDE, **{SIGMA: "1"})])


@pytest.mark.parametrize(
    "sides", [(f(t), D(0)), (f(T), f(t)), (f(t), 1 / (t + 1)), (Sum_t(f(t)), T), (f(t) * T, f(t))]
)
def test_the_longest_run_of_the_plan_is_met(sides):
    short, long = record(), record(Verdict.UNDECIDED, {"T": "20"})
    assert unreached([part(sides=sides)], [short, long]) == ["runs of 20 rounds"]
    assert not unreached([part(sides=sides)], [short, record(parameters={"T": "20"})])
    assert not unreached([part(sides=ROUND)], [short, long])  # from any round to the next
    assert unreached([part(sides=ROUND)], [short, long], takes=OWN)  # where a step may ask for t


def test_lengths_that_an_equality_of_a_step_forbids_are_missing():
    fixed = part(Condition(eta, "==", 1 / (L * sp.sqrt(T))), sides=(f(T), f(0)))
    rows = [record(parameters={"eta": "1/2", "T": "1"}), record(Verdict.OUTSIDE, {"eta": "1/3"})]
    assert unreached([fixed], rows, takes=OWN) == ["runs of 3 rounds"]


GD = {
    "draw": "return {}",
    "step": 'return {"x": state["x"] - p["eta"] * problem.full_gradient(state["x"])}',
    "body": """
        me.claim("a", "f(t+1) <= f(t)", conditions=["eta*L <= 3"],
                 assumptions=["strongly convex clients"])
        me.claim("b", "f(t+1) <= f(t)", conditions=["eta*L <= 1/100"],
                 assumptions=["strongly convex clients"])
    """,
}


def test_a_false_claim_looked_at_far_inside_is_open_and_its_edge_is_named(tmp_path):
    rows = judged(tmp_path, parameters='{"eta": ("1/(100*L)",)}', **GD)
    assert (rows["a"]["standing"], rows["b"]["standing"]) == ("open", "tested")
    assert rows["a"]["reason"] == "not reached: the edge of L*eta <= 3"
    assert judged(tmp_path, parameters='{"eta": "edges"}', **GD)["a"]["standing"] == "refuted"
