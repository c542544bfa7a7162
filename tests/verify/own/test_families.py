"""The problems on which a file's claims are judged unless it brings its own."""

import numpy as np
import pytest
from own_files import judged, loaded

from fedbounds.facts import Constant, Fact
from fedbounds.own import unlike
from fedbounds.verify.decide.profile import Profile
from fedbounds.verify.judge.judge import judge
from fedbounds.verify.measure.objectives import every_constant
from fedbounds.verify.own.bent import bent
from fedbounds.verify.own.plan import cases
from fedbounds.vocabulary import Verdict

LOCAL = """
    x = problem.spread(state["x"])
    for k in range(p["K"]):
        x = x - p["eta"] * (problem.gradient(x) + drawn["noise"][:, :, k, :])
    return {"x": problem.xp.sum(x, axis=1) / problem.clients}
"""
PIECES = {
    "draw": 'return {"noise": random.noise(problem, p["K"])}',
    "step": LOCAL,
    "parameters": '{"K": (1, 2), "eta": "edges"}',
    "problems": "None",
}
INSIDE = 'conditions=["eta <= 1/(8*L)"], assumptions=["strongly convex clients"]'


def numbers(pair):
    return {name.value: one.value for name, one in every_constant(*pair).items()}


def test_they_differ_where_theorems_do():
    pairs = unlike()
    known = [numbers(pair) for pair in pairs]
    ratio = [float(one[Constant.SMOOTHNESS] / one[Constant.STRONG_CONVEXITY]) for one in known]
    assert max(ratio) == 100
    assert {float(one[Constant.SMOOTHNESS]) for one in known} >= {0.01, 1, 100}
    assert {problem.clients for problem, _ in pairs} == {1, 2, 3, 5}
    still = [np.all(start == problem.minimiser) for problem, start in pairs]
    assert True in still
    assert False in still
    uneven = [problem for problem, start in pairs if np.all(start == problem.minimiser)]
    assert any(len({tuple(h.reshape(-1).tolist()) for h in one.hessian}) > 1 for one in uneven)
    assert len({float(problem.noise.scale_u) for problem, _ in pairs}) > 4


FALSE = (
    "D_W(t+1) <= (1 - eta*mu/2)*D_W(t) + eta**2*K*sigma2",  # no drift of unlike clients
    "D_W(t+1) <= (1 - eta*L/4)*D_W(t) + 9*eta*b2/mu + 9*eta*sigma2/mu",  # L for mu
    "f(t) <= (1 - eta*mu)**t*f(0) + eta*L*sigma2/1000 + 99*b2/mu",  # a floor too low
    "D_W(t) <= (1 - eta*mu)**t*D_W(0) + eta*sigma2 + 99*b2/mu**2",  # a floor without 1/mu
    "D_W(t+1) <= (1 - eta*mu)*D_W(t) + eta**2*K*sqrt(sigma2) + 99*b2/mu**2",  # no square
)


def test_false_claims_of_the_usual_kinds_are_refuted(tmp_path):
    body = "\n".join(f'me.claim("c{at}", "{own}", {INSIDE})' for at, own in enumerate(FALSE))
    theory = loaded(tmp_path, body=body, **PIECES)
    left = {statement.claim for statement in theory.statements}
    assert len(left) == len(FALSE)
    for case in cases(theory, Profile.DEFAULT, 0):
        found = judge(tuple(left), case).judgements if left else ()
        left -= {one.claim for one in found if one.verdict is Verdict.VIOLATED}
    assert not [claim.id for claim in left]


def test_a_true_claim_of_that_kind_is_not(tmp_path):
    true = "D_W(t+1) <= (1 - eta*mu)*D_W(t) + eta**2*K**2*sigma2"
    pieces = PIECES | {"problems": "[*quadratics((1,)), *(x for x in unlike() if x[0].clients == 1)]",
                       "before": "from fedbounds.own import unlike"}  # fmt: skip
    rows = judged(tmp_path, body=f'me.claim("a", "{true}", {INSIDE})', **pieces)
    assert rows["a"]["standing"] == "tested"


DESCENT_STEP = {
    "draw": "return {}",
    "step": 'return {"x": state["x"] - p["eta"] * problem.full_gradient(state["x"])}',
    "parameters": '{"eta": "edges"}',
    "problems": "None",
}
SMOOTH = 'conditions=["eta <= 1/L"], assumptions=["smooth"]'
CONVEX = 'conditions=["eta == 1/L"], assumptions=["smooth", "convex clients"]'


def test_functions_in_pieces_are_what_they_say():
    """Slopes are those of the values, L is the largest curvature, the infimum is at the minimiser."""
    points = np.linspace(-3, 3, 241)
    for problem, start in bent():
        assert problem.exact
        assert not problem.irrational
        floats = problem.in_floats("")
        d = problem.shared_dimension
        every = np.zeros((len(points), problem.clients, d))
        every[:, :, 0] = points[:, None]
        slopes = floats.gradients(every)[:, :, 0]
        values = floats.values(every)
        middle = (values[2:] - values[:-2]) / (points[2:] - points[:-2])[:, None]
        L = float(problem.stated[Constant.SMOOTHNESS].value)
        assert np.abs(middle - slopes[1:-1]).max() <= L * (points[1] - points[0])
        steps = np.abs(np.diff(slopes, axis=0)) / np.diff(points)[:, None]
        assert 0.99 * L <= steps.max() <= 1.000001 * L
        mean = values.mean(axis=1)
        assert np.argmin(mean) == len(points) // 2
        assert mean.min() == pytest.approx(float(problem.infimum()))
        spread = ((slopes - slopes.mean(axis=1, keepdims=True)) ** 2).mean(axis=1).max()
        assert spread == pytest.approx(float(problem.stated[Constant.DISSIMILARITY].value))
        rising = bool(np.diff(slopes, axis=0).min() >= -1e-12)
        assert rising == (Fact.CONVEX in problem.assumed)
        assert start.shape == (d,)


@pytest.mark.parametrize(
    ("formula", "premises", "standing"),
    [
        ("f(T) <= L/(4*T + 2)*D_W(0)", CONVEX, "tested"),
        ("f(T) <= 99*L/(100*(4*T + 2))*D_W(0)", CONVEX, "refuted"),  # no quadratic breaks it
        ("f(t+1) <= f(t) - eta/2*G_u(t)", SMOOTH, "tested"),
        ("G_u(t+1) <= G_u(t)", SMOOTH, "refuted"),  # true of convex functions
        ("G_u(t+1) <= G_u(t)", CONVEX, "tested"),
    ],
)
def test_claims_of_smooth_functions_are_looked_at_beyond_quadratics(
    tmp_path, formula, premises, standing
):
    body = f'me.claim("a", "{formula}", {premises})'
    assert judged(tmp_path, body=body, **DESCENT_STEP)["a"]["standing"] == standing


def test_what_no_claim_speaks_of_and_what_the_algorithm_cannot_run_on_is_left_out(tmp_path):
    strongly = f'me.claim("a", "D_W(t+1) <= D_W(t)", {INSIDE})'
    quadratics = loaded(tmp_path, body=strongly, **DESCENT_STEP).problems
    smooth = f'me.claim("a", "f(t+1) <= f(t)", {SMOOTH})'
    every = loaded(tmp_path, body=smooth, **DESCENT_STEP).problems
    assert len(every) == len(quadratics) + len(bent())
    step = DESCENT_STEP["step"].replace("return", "problem.objective.hessian\nreturn")
    assert len(loaded(tmp_path, body=smooth, **DESCENT_STEP | {"step": step}).problems) == len(
        quadratics
    )
