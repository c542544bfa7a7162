"""Theories in one process stay apart: algorithms of the same name, names of their own, signs."""

import pytest
from own_files import SMALL, cases, loaded, own_file, own_text

from fedbounds.errors import FedboundsError
from fedbounds.theory.checker.check import check
from fedbounds.theory.checker.data import Certificate, Statement, Step
from fedbounds.theory.checker.errors import Refused
from fedbounds.theory.language.registry import claim as claim_of
from fedbounds.theory.language.registry import encoded_claims
from fedbounds.theory.proof.library import book_of, names_of, replayed
from fedbounds.theory.proof.replay import Local
from fedbounds.verify.decide.profile import Profile
from fedbounds.verify.judge.judge import concerned
from fedbounds.verify.judge.plan import instances
from fedbounds.verify.own.load import load
from fedbounds.verify.results.summaries import summaries


def plan(theory):
    return list(cases(theory, Profile.QUICK, 0))


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
def test_one_name_may_be_two_things_in_two_theories(tmp_path, first, second):
    """What one theory declares is not what another has, nor any paper."""
    body = DECLARED[first] + '\nme.claim("a", "D_W(t) >= 0")'
    other = (DECLARED[second] + '\nme.claim("a", "D_W(t) >= 0")').replace("me.", "you.")
    load(own_file(tmp_path, name="a.py", body=body))
    load(own_file(tmp_path, name="b.py", key="you", body=other))
    for key, kind in (("me", first), ("you", second)):
        symbols, quantities = (getattr(book_of(key).theory, x) for x in ("symbols", "quantities"))
        sign = {"positive": "positive", "parameter": "positive", "nonnegative": "nonnegative"}
        assert symbols.get("cc") == sign.get(kind)
        assert quantities.get("cc") == {"signed": False, "square": True}.get(kind)


def test_a_papers_sign_survives_a_users_quantity_of_the_same_name(tmp_path):
    """X_U of the sub-model paper may be negative; an own X_U that may not changes nothing there."""
    assert claim_of("submodel/lem-4").id == "submodel/lem-4"
    load(
        own_file(
            tmp_path,
            body='me.quantity("X_U", "c", lambda p, s: s["x"][:, 0] ** 2)\n'
            'me.claim("a", "D_W(t) >= 0")',
        )
    )
    assert book_of("me").theory.quantities["X_U"] is True
    theory = book_of("submodel").theory
    assert theory.quantities["X_U"] is False
    false = Statement("0", "<=", "X_U(t)")
    with pytest.raises(Refused):
        check(theory, Step("false", false, Certificate("combine")), {})
    assert names_of("me").meanings["X_U"] != names_of("submodel").meanings["X_U"]


FALSE = {  # names that the checker once read as another: what would be proved of them
    "Sum_i": 'me.quantity("Sum_i", "c", lambda p, s: s["x"][:, 0] ** 2)\n'
    'me.claim("a", "Sum_i(t) <= n*t", uses=["conditions"])',
    "Sum_ik": 'me.quantity("Sum_ik", "c", lambda p, s: s["x"][:, 0] ** 2)\n'
    'me.claim("a", "Sum_ik(t) <= n*K*t", uses=["conditions"])',
    "max": 'me.constant("max", "c", lambda p, s: 12)\nme.claim("a", "b2 <= max")',
}


@pytest.mark.parametrize("name", FALSE)
def test_a_name_that_the_checker_reads_as_another_is_refused_where_it_is_declared(tmp_path, name):
    path = own_file(tmp_path, body=FALSE[name])
    with pytest.raises(FedboundsError, match=f"{name!r}: it is a function or an index") as caught:
        load(path)
    assert str(caught.value).startswith(f"{path}:")


@pytest.mark.parametrize(("name", "shared"), [("b_sq", "b2"), ("sigma_sq", "sigma2")])
def test_a_constant_is_not_taken_for_a_shared_one(tmp_path, name, shared):
    """b2 <= b_sq, with b_sq = 12, once read as b2 <= b2."""
    body = (
        f'me.constant("{name}", "c", lambda p, s: 12)\n'
        f'me.claim("a", "{shared} <= {name}", uses=["conditions"])'
    )
    load(own_file(tmp_path, body=body))
    (step,) = replayed("me")
    assert step.local is not Local.PROVED


@pytest.mark.parametrize("name", ["x_", "_x", "lambda", "ﬁ", "µ", "t", "k", "Sum", "ip", "given"])
def test_names_that_formulas_or_proofs_cannot_tell_apart_are_refused(tmp_path, name):
    path = own_file(tmp_path, body=f'me.constant("{name}", "c", lambda p, s: 1)')
    with pytest.raises(FedboundsError, match="name ") as caught:
        load(path)
    assert str(caught.value).startswith(f"{path}:")


def test_what_is_proved_is_what_was_typed(tmp_path):
    """b2/b2 <= 1 says nothing where b2 = 0; SymPy makes it 1 <= 1 before anybody looks."""
    body = (
        'me.claim("a", "b2/b2 <= 1", uses=["conditions"])\n'
        'me.claim("b", "(m - 1)/(m - 1) <= 1", uses=["conditions"])\n'
        'me.claim("c", "L/L <= 1", uses=["conditions"])'
    )
    theory = loaded(tmp_path, body=body)
    assert [s.local is Local.PROVED for s in replayed("me")] == [False, False, True]
    rows = {row["id"]: row for row in summaries(encoded_claims("me"), plan(theory))}
    assert "divides by" in str(rows["me/b"]["readings"][0]["refused"])
    assert not rows["me/c"]["readings"][0]["refused"]


def test_a_changed_file_may_change_its_signs(tmp_path):
    for declared in DECLARED.values():
        load(own_file(tmp_path, body=declared + '\nme.claim("a", "D_W(t) >= 0")'))


@pytest.mark.parametrize(
    ("declared", "told"),
    [
        ('me.constant("eta", "c", lambda p, s: 1)', "'eta' is a shared name"),
        ('me.constant("sigma2", "c", lambda p, s: 1)', "'sigma2' is a shared name"),
        ('me.quantity("D_W", "c", lambda p, s: 1)', "'D_W' is a shared name"),
        ('me.quantity("sqrt", "c", lambda p, s: 1)', "it is a function or an index"),
        ('me.parameter("T", "c", (1,))', "'T' is a shared name"),
        ('me.parameter("a b", "c", (1,))', "expected ASCII letters"),
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
