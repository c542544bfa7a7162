"""Theories in one process stay apart: algorithms of the same name, names of their own, signs."""

import pytest
from own_files import SMALL, loaded, own_file, own_text

from fedbounds.errors import FedboundsError
from fedbounds.theory.registry import encoded_claims
from fedbounds.verify.judge import concerned
from fedbounds.verify.own.load import load
from fedbounds.verify.own.plan import cases
from fedbounds.verify.plan import instances
from fedbounds.verify.profile import Profile
from fedbounds.verify.summaries import summaries


def plan(theory):
    return list(cases(theory, "s", Profile.QUICK, 0))


def test_claims_are_judged_on_runs_of_their_own_theory_only(tmp_path):
    """Both files have an algorithm of the same name; one halves the model, the other doubles it."""
    half = loaded(tmp_path, name="a.py", key="one", step='return {"x": state["x"] / 2}',
                  body='one.claim("a", "D_W(t) >= 0")')  # fmt: skip
    twice = loaded(tmp_path, name="b.py", key="two", step='return {"x": state["x"] * 2}',
                   body='two.claim("b", "D_W(t) >= 0")')  # fmt: skip
    claims = (*encoded_claims("one"), *encoded_claims("two"))
    for theory in (half, twice):
        for case in plan(theory):
            assert {claim.entry.paper for claim, _ in concerned(claims, case)} == {theory.key}


@pytest.mark.parametrize("name", ["FedAvg-P", "Scaffold-P", "bound", "participant mean"])
def test_an_algorithm_called_like_a_papers_is_not_taken_for_it(tmp_path, name):
    path = tmp_path / "named.py"
    path.write_text(own_text().replace("'own')", f"'{name}')"), encoding="utf-8")
    load(str(path))
    papers = encoded_claims("personalization")
    own = encoded_claims("me")
    wanted = frozenset(own[0].algorithms)
    planned = instances(own, Profile.QUICK, 0, wanted)
    assert planned
    for instance in planned:
        assert [claim.id for claim, _ in concerned((*papers, *own), instance)] == ["me/a"]


def test_two_theories_give_the_same_verdicts_together_as_alone(tmp_path):
    bodies = {
        "one": 'one.claim("a", "D_W(t+1) <= D_W(t)")',
        "two": 'two.claim("a", "D_W(t+1) <= D_W(t)")',
    }
    step = {"one": 'return {"x": problem.spread(state["x"])[:, 0] * 0 + problem.minimiser}',
            "two": 'return {"x": state["x"] * 9}'}  # fmt: skip
    found = {}
    for key, body in bodies.items():
        theory = loaded(tmp_path, name=f"{key}.py", key=key, step=step[key], body=body)
        (row,) = summaries(encoded_claims(key), plan(theory))
        found[key] = row["standing"]
    assert found == {"one": "tested", "two": "refuted"}


DECLARED = {
    "positive": 'cc = me.constant("cc", "c", lambda p, s: 1, positive=True)',
    "nonnegative": 'cc = me.constant("cc", "c", lambda p, s: 0)',
    "signed": 'cc = me.quantity("cc", "c", lambda p, s: s["x"][:, 0], signed=True)',
    "square": 'cc = me.quantity("cc", "c", lambda p, s: s["x"][:, 0] ** 2)',
    "parameter": 'cc = me.parameter("cc", "c", (1,))',
}


@pytest.mark.parametrize("first", DECLARED)
@pytest.mark.parametrize("second", DECLARED)
def test_one_name_has_one_sign_in_all_theories(tmp_path, first, second):
    body = DECLARED[first] + '\nme.claim("a", "D_W(t) >= 0")'
    other = (DECLARED[second] + '\nme.claim("a", "D_W(t) >= 0")').replace("me.", "you.")
    load(own_file(tmp_path, name="a.py", body=body))
    path = own_file(tmp_path, name="b.py", key="you", body=other)
    same = first == second or {first, second} == {"positive", "parameter"}
    if same:
        load(path)
    else:
        with pytest.raises(FedboundsError, match="'cc' has another sign elsewhere") as caught:
            load(path)
        assert str(caught.value).startswith(f"{path}:")


def test_a_changed_file_may_change_its_signs(tmp_path):
    for declared in DECLARED.values():
        load(own_file(tmp_path, body=declared + '\nme.claim("a", "D_W(t) >= 0")'))


@pytest.mark.parametrize(
    ("declared", "told"),
    [
        ('me.constant("q", "c", lambda p, s: 1)', "'q' has another sign elsewhere"),
        ('me.constant("eta", "c", lambda p, s: 1)', "'eta' is a shared name"),
        ('me.constant("sigma2", "c", lambda p, s: 1)', "'sigma2' is a shared name"),
        ('me.quantity("D_W", "c", lambda p, s: 1)', "'D_W' is a shared name"),
        ('me.quantity("sqrt", "c", lambda p, s: 1)', "declared twice, or a function"),
        ('me.parameter("T", "c", (1,))', "'T' is a shared name"),
        ('me.parameter("a b", "c", (1,))', "expected a Python identifier"),
        (
            'me.parameter("cc", "c", (1,))\nme.constant("cc", "c", lambda p, s: 1)',
            "'cc' is declared twice",
        ),
    ],
)
def test_names_that_are_taken_are_refused_with_their_line(tmp_path, declared, told):
    path = own_file(tmp_path, problems=SMALL, body=declared + '\nme.claim("a", "D_W(t) >= 0")')
    with pytest.raises(FedboundsError) as caught:
        load(path)
    assert str(caught.value).startswith(f"{path}:")
    assert told in str(caught.value)
