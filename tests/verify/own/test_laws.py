"""Every law: kept by the template's algorithm, broken by a planted error of its own."""

import re

import pytest

from fedbounds.verify.own import laws
from fedbounds.verify.own.known import theory_of
from fedbounds.verify.own.laws import check_laws
from fedbounds.verify.own.load import load
from fedbounds.verify.script_code import TEMPLATES

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
    laws.STEPS: ([('range(p["K"])', 'range(max(1, p["K"] - 1))')], set()),
    laws.REST: (
        [(DRAWN, DRAWN + ' "sign": random.signs(1),'), (MEAN, f'{MEAN} + drawn["sign"] / 64')],
        {laws.REDUCTION, laws.CONTROLS},
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
