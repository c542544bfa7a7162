"""The problems on which a file's claims are judged unless it brings its own."""

import numpy as np
import pytest
from own_files import cases, judged, loaded

from fedbounds.facts import Constant, Fact
from fedbounds.own import unlike
from fedbounds.verify.decide.profile import Profile
from fedbounds.verify.judge.judge import judge
from fedbounds.verify.measure.objectives import every_constant
from fedbounds.verify.own.bent import bent
from fedbounds.verify.own.curved import curved
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
PL = 'assumptions=["smooth", "Polyak-Lojasiewicz"]'
SMOOTH = 'conditions=["eta <= 1/L"], assumptions=["smooth"]'
CONVEX = 'conditions=["eta == 1/L"], assumptions=["smooth", "convex clients"]'


def test_the_quick_plan_sees_the_slowest_start(tmp_path):
    """Where the steep directions are at rest, three rounds halve nothing at L/mu = 100."""
    said = 'conditions=["eta <= 1/L", "T >= 3"], assumptions=["strongly convex clients"]'
    body = f'me.claim("a", "f(T) <= f(0)/2", {said})'
    rows = judged(tmp_path, body=body, **DESCENT_STEP, more="rounds=(1, 2, 3)")
    assert rows["a"]["standing"] == "refuted"


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
    smooth = f'me.claim("a", "f(t+1) <= f(t)", {SMOOTH})'
    step = DESCENT_STEP["step"].replace("return", "problem.objective.hessian\nreturn")
    quadratics = loaded(tmp_path, body=smooth, **DESCENT_STEP | {"step": step}).problems
    every = loaded(tmp_path, body=smooth, **DESCENT_STEP).problems
    assert len(every) == len(quadratics) + len(bent()) + len(curved())
    strongly = f'me.claim("a", "D_W(t+1) <= D_W(t)", {INSIDE})'
    assert len(loaded(tmp_path, body=strongly, **DESCENT_STEP).problems) == len(quadratics) + 1


def test_curved_functions_are_what_they_say():
    """In floats: slopes, L, mu, mu_PL and the infimum, at points that a run may visit."""
    points = np.linspace(-4, 4, 801)
    for problem, start in curved():
        assert problem.exact
        assert problem.irrational
        stated = {name: float(one.value) for name, one in problem.stated.items()}
        floats = problem.in_floats("")
        every = np.repeat(points[:, None, None], problem.clients, axis=1)
        slopes, values = floats.gradients(every)[:, :, 0], floats.values(every)
        middle = (values[2:] - values[:-2]) / (points[2:] - points[:-2])[:, None]
        np.testing.assert_allclose(middle, slopes[1:-1], atol=2e-3)
        steps = np.diff(slopes, axis=0) / np.diff(points)[:, None]
        L = stated[Constant.SMOOTHNESS]
        assert 0.99 * L <= np.abs(steps).max() <= 1.000001 * L
        assert (steps.min() >= 0) == (Fact.CONVEX in problem.assumed)
        if Constant.STRONG_CONVEXITY in stated:
            assert steps.min() >= stated[Constant.STRONG_CONVEXITY]
        mean, slope = values.mean(axis=1), slopes.mean(axis=1)
        assert abs(mean.min()) < 1e-12
        if Fact.PL in problem.assumed:
            assert (slope**2 >= 2 * stated[Constant.PL] * mean * (1 - 1e-9)).all()
        spread = ((slopes - slope[:, None]) ** 2).mean(axis=1).max()
        assert spread == pytest.approx(stated[Constant.DISSIMILARITY], rel=0.01)
        assert start.shape == (1,)


@pytest.mark.parametrize(
    ("formula", "standing"),
    [
        ("f(t) <= (1 - eta*mu_PL)**t*f(0)", "tested"),
        ("f(t) <= (1 - 3*eta*mu_PL)**t*f(0)", "refuted"),
        ("2*mu_PL*f(t) <= G_u(t)", "tested"),
        ("10*mu_PL*f(t) <= G_u(t)", "refuted"),
    ],
)
def test_claims_of_pl_functions_are_judged(tmp_path, formula, standing):
    body = f'me.claim("a", "{formula}", conditions=["eta <= 1/L"], {PL})'
    found = judged(tmp_path, body=body, **DESCENT_STEP)["a"]
    assert found["standing"] == standing
    assert "undecided" not in found["readings"][0]["counts"]


def test_a_claim_that_curvature_alone_breaks_is_refuted(tmp_path):
    """Planted: true where gradients are affine in pieces, at steps of 1/(4 L)."""
    pieces = DESCENT_STEP | {"problems": "list(curved())", "parameters": '{"eta": ("1/(4*L)",)}'}
    claim = 'me.claim("a", "G_u(t+1) >= (1 - eta*L)**2*G_u(t)", assumptions=["smooth"])'
    false = 'me.claim("b", "G_u(t+1) <= (1 - eta*L)**2*G_u(t)", assumptions=["smooth"])'
    before = "from fedbounds.own import curved"
    found = judged(tmp_path, before=before, body=f"{claim}\n{false}", **pieces)
    assert (found["a"]["standing"], found["b"]["standing"]) == ("tested", "refuted")
