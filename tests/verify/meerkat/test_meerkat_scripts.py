"""Witnesses of Gaussian directions as scripts: a listed law with their moments shows the same gap."""

import ast

import pytest

from fedbounds.theory.language.registry import claim
from fedbounds.verify.decide.measurement import measure
from fedbounds.verify.judge.judge import judge
from fedbounds.verify.judge.plan import quick_cases
from fedbounds.verify.search.witness import script
from fedbounds.verify.setups import script_parts, script_slice
from fedbounds.verify.setups.script_check import agrees
from fedbounds.vocabulary import Verdict

SHORT = "own curvatures: R=2 T=2, eta = 1/(L(u+2))"
AT_ONCE = "one coordinate counts: R=1 T=3, eta = 1/(L(u+2))"
STOPPED = "one coordinate counts: 1 of 2 stopped, R=1 T=3, eta = 1/L"
LOCAL = "4/9 kept, one of three: 4 local steps, eta = 1/(L(u/d+2))"


def broken(name, instance):
    """A judgement, and the part and outcome that are violated."""
    found = claim(f"meerkat/{name}")
    case = next(one for one in quick_cases("meerkat") if one.name == instance)
    for judgement in judge([found], case).judgements:
        for outcome in judgement.outcomes:
            if outcome.verdict is Verdict.VIOLATED:
                return judgement, found.part(outcome.part), outcome
    raise AssertionError(f"{instance} breaks no part of {name}")


@pytest.mark.parametrize(
    ("name", "instance"),
    [("lemma-b7", LOCAL), ("eq-9", SHORT), ("eq-11", SHORT), ("eq-12", AT_ONCE),
     ("eq-13", AT_ONCE), ("eq-23", STOPPED)],
)  # fmt: skip
def test_a_script_shows_the_gap(name, instance):
    judgement, part, outcome = broken(name, instance)
    text = script(judgement, part, measure(judgement.instance).numbers)
    assert agrees(text, outcome.gap)
    assert "import fedbounds" not in text
    assert "(0, 1, -1, 2, -2)" in text


def test_a_law_with_another_fourth_moment_makes_no_script(monkeypatch):
    """What is printed is held against the exact moments of Gaussian directions."""
    lines = [
        line.replace("(0, 1, -1, 2, -2)", "(1, -1)") for line in script_parts.SOURCES["normal"]
    ]
    lines = [line.replace("[Q(1, 2), Q(1, 6), Q(1, 12)]", "[0, Q(1, 2)]") for line in lines]
    monkeypatch.setitem(script_parts.SOURCES, "normal", tuple(lines))
    judgement, part, _ = broken("lemma-b7", LOCAL)
    with pytest.raises(Exception, match="gives another gap"):
        script(judgement, part, measure(judgement.instance).numbers)


def test_a_carried_model_is_itself_in_a_script():
    """Handed on as a function, and called: outcomes are rows, and nothing is followed anew."""
    plain = script_slice._Plain()
    for text in ("def step(p, see):\n    return go(p, see.carry)",
                 "def step(p, see):\n    y = see.carry(p)\n    return y"):  # fmt: skip
        found = ast.unparse(plain.visit(ast.parse(text)))
        assert "carry" not in found
        names = {"go": lambda p, carry: carry(p)}
        exec(found, names)
        assert names["step"](7, None) == 7
