"""Every law: kept by the template's algorithm, broken by a planted error of its own."""

import re

import pytest

from fedbounds.verify.own import laws
from fedbounds.verify.own.known import theory_of
from fedbounds.verify.own.laws import check_laws
from fedbounds.verify.own.load import load
from fedbounds.verify.setups.script_lines_of import TEMPLATES

EVERY = [law.name for law in laws._NEEDS]
MEAN = 'problem.xp.sum(drawn["present"][:, :, None] * y, axis=1) / p["m"]'
MOVE = 'p["eta"] * (problem.gradient(y) + control + drawn["noise"][:, :, k, :])'
DRAWN = '"noise": random.noise(problem, p["K"]),'
WEIGHED = 'drawn["present"][:, :, None] * y * weights / (problem.clients + 1)'
# law: what is changed in the template, and the other laws that fall with it
PLANTED = {
    laws.UNBIASED: ([(MEAN, MEAN.replace('p["m"]', "problem.clients"))], {laws.CONTROLS}),
    laws.RENAMING: (
        [
            (MEAN, MEAN.replace('drawn["present"][:, :, None] * y', WEIGHED)),
            ("    for k", "    weights = problem.xp.arange(2, 2 * problem.clients + 2, 2)[:, None]\n"
             "    for k"),
        ],
        {laws.REDUCTION, laws.CONTROLS, laws.LIBRARIES},
    ),
    laws.REDUCTION: ([('drawn["noise"]', '2 * drawn["noise"]')], set()),
    laws.STEPS: ([('range(p["K"])', 'range(max(1, p["K"] - 1))')], {laws.CONTROLS}),
    laws.REST: (
        [(DRAWN, DRAWN + ' "sign": random.signs(1),'), (MEAN, f'{MEAN} + drawn["sign"] / 64')],
        {laws.CONTROLS},  # with more draws than noise no step is that of SGD
    ),
    laws.CONTROLS: ([("+ control +", "- control +")], set()),
    laws.LIBRARIES: (
        [(MEAN, '(drawn["present"][:, :, None] * y).sum(axis=1) / p["m"]')],
        set(),
    ),
}  # fmt: skip


def found(folder, changes=()):
    text = TEMPLATES.get_template("my_theorem.py.txt").render(file="mine.py", key="me")
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    path = folder / "mine.py"
    path.write_text(text, encoding="utf-8")
    load(str(path))
    return {one.law: one for one in check_laws(theory_of("me"))}


def test_the_template_keeps_all_seven(tmp_path):
    checked = found(tmp_path)
    assert list(checked) == EVERY
    assert len(checked) == 7
    assert {one.verdict for one in checked.values()} == {"kept"}


@pytest.mark.parametrize("law", PLANTED, ids=lambda law: law.name)
def test_each_is_broken_by_an_error_of_its_own(tmp_path, law):
    changes, others = PLANTED[law]
    checked = found(tmp_path, changes)
    assert checked[law.name].verdict == "broken", checked[law.name]
    assert re.search(r"left.* = |on the second", checked[law.name].reason)
    broken = {name for name, one in checked.items() if one.verdict == "broken"}
    assert broken == {law.name, *(other.name for other in others)}


def test_every_law_has_its_planted_error():
    assert set(PLANTED) == set(laws._NEEDS)


def test_what_a_law_needs_and_is_not_there_is_said(tmp_path):
    text = TEMPLATES.get_template("my_theorem.py.txt").render(file="mine.py", key="me")
    text = text.replace('p["m"]', "problem.clients").replace('"m": "1:n", ', "")
    text = text.replace('p["K"]', "1").replace('"K": (1, 2), ', "")
    path = tmp_path / "mine.py"
    path.write_text(text.replace('laws=["control variates"],', ""), encoding="utf-8")
    load(str(path))
    checked = {one.law: one for one in check_laws(theory_of("me"))}
    assert laws.CONTROLS.name not in checked
    assert checked[laws.UNBIASED.name].verdict == "not checked"
    assert "no parameter m" in checked[laws.UNBIASED.name].reason
    assert "no parameter K" in checked[laws.STEPS.name].reason
    assert checked[laws.REDUCTION.name].verdict == "kept"


SCAFFOLD = """
from fedbounds.own import Algorithm, theory

def init(problem, start):
    return {"x": start, "c": problem.spread(start) * 0, "mean": start * 0}

def draw(random, problem, p):
    return {"present": random.participants(problem.clients, p["m"])}

def step(problem, p, state, drawn):
    present = drawn["present"][:, :, None]
    x = y = problem.spread(state["x"])
    control = problem.spread(state["mean"]) - state["c"]
    for k in range(p["K"]):
        y = y - p["eta"] * (problem.gradient(y) + control)
    new = (x - y) / (p["K"] * p["eta"]) - control
    c = state["c"] + present * (new - state["c"])
    sum_ = problem.xp.sum
    return {"x": sum_(present * y, axis=1) / p["m"], "c": c, "mean": sum_(c, axis=1) / problem.clients}

sc = theory("sc", Algorithm(init, draw, step), laws=["control variates"],
            parameters={"m": "1:n", "K": (1, 2), "eta": "edges"})
sc.claim("start", "D_W(0) <= 2*D_W(0)", conditions=["eta <= 1/(4*L*K)"])
"""


def verdicts(folder, text):
    path = folder / "mine.py"
    path.write_text(text, encoding="utf-8")
    (key,) = load(str(path))
    return {one.law: one.verdict for one in check_laws(theory_of(key))}


def test_controls_that_start_at_zero_and_no_noise_keep_every_law(tmp_path):
    assert set(verdicts(tmp_path, SCAFFOLD).values()) == {"kept"}


@pytest.mark.parametrize(
    ("old", "new"), [("+ control)", "- control)"), (") - control", ") + control")]
)
def test_a_wrong_sign_of_kept_controls_breaks_their_law(tmp_path, old, new):
    assert SCAFFOLD.count(old) == 1
    assert verdicts(tmp_path, SCAFFOLD.replace(old, new))[laws.CONTROLS.name] == "broken"


COIN = """
from fedbounds.own import Algorithm, theory

def init(problem, start):
    return {"x": start}

def draw(random, problem, p):
    return {"on": random.bernoulli(p["beta"], problem.clients)}

def step(problem, p, state, drawn):
    slope = problem.gradient(state["x"]) * drawn["on"][:, :, None]
    return {"x": state["x"] - p["eta"] * problem.xp.sum(slope, axis=1) / problem.clients}

coin = theory("coin", Algorithm(init, draw, step), parameters={"eta": "edges"})
coin.parameter("beta", "chance", (0, "1/2", 1), positive=False)
coin.claim("start", "D_W(0) <= 2*D_W(0)", conditions=["eta <= 1/L"])
"""


def test_full_participation_is_asked_for_only_where_it_can_be(tmp_path):
    assert verdicts(tmp_path, COIN)[laws.REDUCTION.name] == "not checked"


def test_a_deterministic_algorithm_draws_nothing(tmp_path):
    silent = COIN.replace('{"on": random.bernoulli(p["beta"], problem.clients)}', "{}")
    silent = silent.replace(' * drawn["on"][:, :, None]', "")
    assert set(verdicts(tmp_path, silent).values()) <= {"kept", "not checked"}
    assert verdicts(tmp_path, silent)[laws.REDUCTION.name] == "kept"


def test_a_compressor_among_participants_is_not_held_against_sgd(tmp_path):
    """It was called broken, for it has a parameter m."""
    text = COIN.replace('parameters={"eta"', 'parameters={"m": "1:n", "eta"')
    assert verdicts(tmp_path, text)[laws.REDUCTION.name] == "not checked"
