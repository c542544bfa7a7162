"""Assumptions of a file's own: decided by functions, beside the facts that problems answer."""

import pytest
from own_files import judged

from fedbounds.errors import FedboundsError

EVERYONE = """
def everyone(problem, start, p):
    return p["m"] == problem.clients
"""
CLAIMS = """
me.assumption("full participation", everyone)
me.claim("any", "n <= m")
me.claim("full", "n <= m", assumptions=["full participation"])
me.claim("both", "n <= m", assumptions=["smooth", "full participation"])
"""


def test_a_claim_is_judged_where_its_own_assumption_holds(tmp_path):
    found = judged(tmp_path, before=EVERYONE, body=CLAIMS)
    assert found["any"]["standing"] == "refuted"
    for name in ("full", "both"):
        assert found[name]["standing"] == "tested", name
        counts = found[name]["readings"][0]["counts"]
        assert counts["not violated"]
        assert counts["not applicable"]
        assert "violated" not in counts


@pytest.mark.parametrize("holds", ["None", "False"])
def test_what_is_not_known_or_false_is_not_judged(tmp_path, holds):
    before = f"def everyone(problem, start):\n    return {holds}\n"
    found = judged(tmp_path, before=before, body=CLAIMS)
    assert found["full"]["standing"] == "open"
    assert found["any"]["standing"] == "refuted"


def test_a_given_holds_under_its_own_assumption_alone(tmp_path):
    """A claim that does not assume what its premise does is not proved by it."""
    under = 'assumptions=["full participation"]'
    body = f"""
    me.assumption("full participation", everyone)
    me.given("all", "n <= m", "as declared", {under})
    me.claim("inside", "n <= m", uses=["all"], {under})
    me.claim("outside", "n <= m", uses=["all"])
    """
    found = judged(tmp_path, before=EVERYONE, body=body)
    assert found["inside"]["standing"] == "proved from givens"
    assert found["outside"]["standing"] == "refuted"


MISTAKES = {
    "misspelt": (
        EVERYONE,
        CLAIMS + 'me.claim("bad", "n <= m", assumptions=["full partizipation"])',
        "unknown assumption 'full partizipation'",
    ),
    "a fact's name": (EVERYONE, 'me.assumption("smooth", everyone)', "has a meaning already"),
    "declared twice": (
        EVERYONE,
        'me.assumption("a", everyone)\nme.assumption("a", everyone)',
        "has a meaning already",
    ),
    "two lines": (EVERYONE, 'me.assumption("a\\nb", everyone)', "expected a line of text"),
    "no answer": (
        "def everyone(problem, start):\n    return 1.0\n",
        CLAIMS,
        "assumption 'full participation' is 1.0; expected True, False or None",
    ),
    "a round": (
        'def everyone(problem, start, p):\n    return p["t"] == 0\n',
        CLAIMS,
        "assumption 'full participation' asks for the round",
    ),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_mistakes_are_told(tmp_path, case):
    before, body, told = MISTAKES[case]
    with pytest.raises(FedboundsError, match=told) as error:
        judged(tmp_path, before=before, body=body)
    assert ".py:" in str(error.value)
    if case == "misspelt":
        assert "full participation" in str(error.value)
