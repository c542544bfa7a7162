"""Claims of a file on the default problems are searched beyond the plan; others are not."""

from own_files import cases, loaded

from fedbounds.theory.language.contributed import contributed
from fedbounds.theory.language.registry import claim
from fedbounds.verify.decide.profile import Profile
from fedbounds.verify.search.tightest import tightest_parts
from fedbounds.verify.search.witness import find_witness
from fedbounds.vocabulary import Verdict

GD = {
    "draw": "return {}",
    "step": 'return {"x": state["x"] - p["eta"] * problem.full_gradient(state["x"])}',
    "parameters": '{"eta": "edges"}',
    "problems": "None",
}
INSIDE = 'conditions=["eta*L <= {}"], assumptions=["strongly convex clients"]'


def body(formula, edge):
    return f'me.claim("a", "{formula}", {INSIDE.format(edge)})'


def test_what_is_tightest_is_searched(tmp_path):
    loaded(tmp_path, body=body("D_W(t+1) <= (1 - eta*mu)**2*D_W(t)", 1), **GD)
    (found,) = tightest_parts(claim("me/a"), claim("me/a").readings[0], 0, 100)
    assert found.how.startswith("search, 100 evaluations")
    assert found.tightness > 0.999


def test_a_witness_is_made_smaller(tmp_path):
    loaded(tmp_path, body=body("f(t+1) <= f(t)", 3), **GD)
    own = claim("me/a")
    witness = find_witness(own, own.readings[0], (), examples=100)
    assert witness.judgement.verdict is Verdict.VIOLATED
    assert witness.script is not None
    assert witness.judgement.instance.setup.run.rounds == 1


def test_all_that_is_searched_is_inside_the_conditions(tmp_path):
    theory = loaded(tmp_path, body=body("f(t+1) <= f(t)", 2), **GD)
    own = claim("me/a")
    assert len({x.setup.run.problem for x in cases(theory, Profile.DEFAULT, 0)}) > 50
    (found,) = tightest_parts(own, own.readings[0], 0, 100)
    assert found.judgement.verdict is Verdict.NOT_VIOLATED
    assert find_witness(own, own.readings[0], (), examples=60, budget=60) is None


def test_where_a_file_gives_its_problems_none_is_made(tmp_path):
    loaded(tmp_path, body=body("f(t+1) <= f(t)", 3), **GD | {"problems": "quadratics()"})
    assert contributed("me").sought() == ()
    assert tightest_parts(claim("me/a"), claim("me/a").readings[0], 0, 20) == ()


def test_a_later_file_of_the_same_key_is_searched_by_itself(tmp_path):
    text = body("f(t+1) <= f(t)", 2)
    loaded(tmp_path, body=text, **GD)
    (first,) = tightest_parts(claim("me/a"), claim("me/a").readings[0], 0, 60)
    up = GD | {"step": GD["step"].replace("- p[", "+ p[")}
    loaded(tmp_path, body=text, **up)
    (second,) = tightest_parts(claim("me/a"), claim("me/a").readings[0], 0, 60)
    assert first.judgement.verdict is Verdict.NOT_VIOLATED
    assert second.judgement.verdict is Verdict.VIOLATED


def test_what_follows_from_a_parameter_follows_from_the_searched_one(tmp_path):
    text = 'me.parameter("w", "weight", ("eta*mu",))\n'
    text += body("D_W(t) <= (1 - w)**t*D_W(0) + eta*sigma2/(mu*n)", 1)
    step = """
        noise = problem.xp.sum(drawn["xi"][:, :, 0, :], axis=1) / problem.clients
        return {"x": state["x"] - p["eta"] * (problem.full_gradient(state["x"]) + noise)}
    """
    loaded(
        tmp_path,
        body=text,
        **GD | {"step": step, "draw": 'return {"xi": random.noise(problem, 1)}'},
    )
    own = claim("me/a")
    (found,) = tightest_parts(own, own.readings[0], 0, 200)
    assert found.judgement.verdict is Verdict.NOT_VIOLATED
