"""Strict conclusions: equality breaks them, scripts agree, and proofs are of what they imply."""

import pytest
from own_files import cases, judged, loaded

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.registry import encoded_claims
from fedbounds.verify.decide.measurement import measure
from fedbounds.verify.decide.profile import Profile
from fedbounds.verify.judge.judge import judge
from fedbounds.verify.setups.script_check import agrees
from fedbounds.verify.setups.script_rendered import script
from fedbounds.vocabulary import Standing, Verdict

# x+ = x/2 with f = x^2, from 4: D falls to a quarter in every round
HALVED = {
    "problems": "[quadratic([[[2]]], [[0]], [4])]",
    "parameters": '{"m": (1,), "eta": ("1/4",)}',
}
AT_EQUALITY = 'me.claim("a", "D_W(t+1) < D_W(t)/4")'


@pytest.mark.parametrize(
    ("claim", "standing"),
    [
        ("D_W(t+1) < D_W(t)", Standing.TESTED),
        ("D_W(t) > D_W(t+1)", Standing.TESTED),
        ("D_W(t+1) <= D_W(t)/4", Standing.TESTED),
        ("D_W(t+1) < D_W(t)/4", Standing.REFUTED),
        ("D_W(t)/4 > D_W(t+1)", Standing.REFUTED),
        ("D_W(t) < D_W(t)", Standing.REFUTED),
        ("Du_2(t) - Du_2(t) < 0", Standing.REFUTED),
    ],
)
def test_equality_breaks_what_is_strict(claim, standing, tmp_path):
    row = judged(tmp_path, **HALVED, body=f'me.claim("a", "{claim}")')["a"]
    assert row["standing"] == standing


def test_a_script_shows_equality(tmp_path):
    theory = loaded(tmp_path, **HALVED, body=AT_EQUALITY)
    for case in cases(theory, Profile.QUICK, 0):
        (found,) = judge(encoded_claims("me"), case).judgements
        assert found.verdict is Verdict.VIOLATED
        text = script(found, found.claim.parts[0], measure(case).numbers)
        assert "left >= right" in text
        assert agrees(text, found.deciding.gap)


@pytest.mark.parametrize(
    "body",
    [
        'me.given("a", "D_W(t+1) < D_W(t)", "one round")',
        'me.claim("a", "D_W(t+1) < D_W(t) + 1", uses=["conditions"], conditions=["eta*L <= 1"])',
    ],
)
def test_a_proof_of_what_is_strict_is_refused_before_anything_runs(body, tmp_path):
    with pytest.raises(FedboundsError, match="'a' is strict, and proofs are of what it implies"):
        loaded(tmp_path, body=body)
