"""What a user's theory may have: every limit of an earlier engine, by hand, is none."""

from fractions import Fraction

import pytest
from flint import fmpq
from own_files import cases, judged, loaded

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.registry import encoded_claims
from fedbounds.verify.decide.case import found
from fedbounds.verify.decide.profile import Profile
from fedbounds.verify.judge.judge import judge
from fedbounds.verify.results.records import record

LINE = "[quadratic([[[1]]], [[0]], [2])]"
TWO = "[quadratic([[[1]], [[3]]], [[0], [0]], [2])]"
ETA = '{"eta": ("1/8",)}'


def shown(folder, rounds, **pieces):
    """What the run of so many rounds on the first problem shows."""
    theory = loaded(folder, **pieces)
    every = [one for one in cases(theory, Profile.DEFAULT, 0) if one.setup.run.rounds == rounds]
    return found(every[0])


def test_gaussian_noise(tmp_path):
    """x+ = 7/8 x - Z/8, with Z of variance 4."""
    one = shown(
        tmp_path, 3,
        draw='return {"e": random.noise(problem, 1)}',
        step='return {"x": state["x"] - p["eta"] * (problem.full_gradient(state["x"]) '
        '+ drawn["e"][:, 0, 0])}',
        problems='[quadratic([[[1]]], [[0]], [2], noise=2, law="gaussian")]',
        parameters=ETA,
    )  # fmt: skip
    expected = [fmpq(4)]
    for _ in range(3):
        expected.append(fmpq(49, 64) * expected[-1] + fmpq(4, 64))
    assert list(one.series["D_W"]) == expected


def test_more_than_1024_outcomes_of_a_round(tmp_path):
    """Twelve signs: 4,096 outcomes; their sum has variance 12."""
    one = shown(
        tmp_path, 3,
        draw='return {"s": random.signs(12, 1)}',
        step='return {"x": state["x"] / 2 + drawn["s"].sum(axis=1)}',
        problems=LINE, parameters="{}",
    )  # fmt: skip
    assert list(one.series["D_W"])[:3] == [4, 13, fmpq(13, 4) + 12]
    assert "moments" in one.family


def test_steps_that_fall_with_the_round_have_moments(tmp_path):
    """x+ = (1 - 1/(t+2)) x + Z/(t+2)."""
    one = shown(
        tmp_path, 3,
        draw='return {"z": random.normal(1)}',
        step='eta = 1 / (p["t"] + 2)\n'
        'return {"x": state["x"] - eta * (problem.full_gradient(state["x"]) - drawn["z"])}',
        problems=LINE, parameters="{}",
    )  # fmt: skip
    expected = [Fraction(4)]
    for t in range(3):
        eta = Fraction(1, t + 2)
        expected.append((1 - eta) ** 2 * expected[-1] + eta**2)
    assert list(map(str, one.series["D_W"])) == list(map(str, expected))


KEPT = """
    w = state["w"] - p["eta"] * problem.gradient(state["w"])
    return {"x": problem.xp.sum(w, axis=1) / problem.clients, "w": w}
"""


def test_a_model_of_each_client_that_is_kept(tmp_path):
    """w_i+ = (1 - h_i/8) w_i, never averaged; x is their mean."""
    one = shown(
        tmp_path, 2,
        init='return {"x": start, "w": problem.spread(start)}',
        draw="return {}", step=KEPT, problems=TWO, parameters=ETA,
        body="""
            me.vector("w", "models that are kept", over="i")
            me.quantity("V", "spread", is_="sq(w - x)")
            me.claim("a", "V(t+1) <= 4*V(t) + 1")
        """,
    )  # fmt: skip
    models = [(Fraction(7, 8) ** t * 2, Fraction(5, 8) ** t * 2) for t in range(3)]
    spread = [((a - b) / 2) ** 2 for a, b in models]
    assert list(map(str, one.series["V"])) == list(map(str, spread))


PERSONAL = """
    gu, gv = problem.gradients(state["u"], state["v"])
    u = problem.spread(state["u"]) - p["eta"] * gu
    return {"u": problem.xp.sum(u, axis=1) / problem.clients, "v": state["v"] - p["eta"] * gv}
"""


def test_personal_blocks(tmp_path):
    """Uncoupled: f_i = u^2/2 + 3 v_i^2/2."""
    one = shown(
        tmp_path, 2,
        init='u, v = problem.blocks(start)\nreturn {"u": u, "v": v}',
        draw="return {}", step=PERSONAL, parameters=ETA,
        problems="[quadratic([[[1, 0], [0, 3]]] * 2, [[0, 0]] * 2, [2], personal=[[1], [-3]])]",
        body='me.claim("a", "f(t+1) <= f(t)")',
    )  # fmt: skip
    assert list(one.series["G_u"]) == [4 * fmpq(7, 8) ** (2 * t) for t in range(3)]
    assert list(one.series["G_v"]) == [45 * fmpq(5, 8) ** (2 * t) for t in range(3)]


CONSTANTS = """
me.parameter("K", "steps", (1, 2))
me.constant("seen", "what a constant sees", lambda q, s, p: p["K"] * 100 + p["T"] + p["eta"])
me.constant("plain", "of the start", lambda q, s: s[0] ** 2)
me.quantity("Q", "what a quantity sees",
            lambda q, s, p: p["K"] * p["eta"] * (s["x"] ** 2).sum(axis=1) + p["t"])
me.claim("of-constants", "seen == 100*K + T + eta")
me.claim("of-quantities", "Q(t) == K*eta*D_W(t) + t")
me.claim("of-both", "Q(0) == K*eta*plain")
"""


def test_constants_and_quantities_see_parameters(tmp_path):
    given = dict(
        draw="return {}", step='return {"x": state["x"] / 2}', problems=LINE, parameters=ETA,
        body=CONSTANTS.replace('me.parameter("K", "steps", (1, 2))\n', ""),
    )  # fmt: skip
    given["parameters"] = '{"K": (1, 2), "eta": ("1/8",)}'
    rows = judged(tmp_path, **given)
    for name, row in rows.items():
        assert set(row["readings"][0]["counts"]) == {"not violated"}, name
    one = shown(tmp_path, 3, **given)
    assert one.parameters["seen"] in (103 + fmpq(1, 8), 203 + fmpq(1, 8))


@pytest.mark.parametrize(
    "name", ["of-constants", "of-quantities", "of-both"]
)  # a claim that is a little off is refuted: the test above would pass on any numbers
def test_a_wrong_number_is_seen(tmp_path, name):
    body = CONSTANTS.replace('me.parameter("K", "steps", (1, 2))\n', "")
    body = body.replace(f'me.claim("{name}", "', f'me.claim("{name}", "1/10**9 + ')
    rows = judged(
        tmp_path, draw="return {}", step='return {"x": state["x"] / 2}', problems=LINE,
        parameters='{"K": (1, 2), "eta": ("1/8",)}', body=body,
    )  # fmt: skip
    assert {own: row["standing"] == "refuted" for own, row in rows.items()} == {
        own: own == name for own in rows
    }


# ---- roots, projections, integers in a state


NOTHING = "return {}"


@pytest.mark.parametrize("root", ["problem.xp.sqrt", "problem.sqrt"])
def test_a_step_that_takes_roots_is_in_balls_where_they_are_irrational(root, tmp_path):
    """x+ = x - x/sqrt(1 + x^2) from 2: 2 - 2/sqrt(5); from 0 it stays, in rationals."""
    pieces = {
        "draw": NOTHING,
        "step": f"""
            g = problem.full_gradient(state["x"])
            square = problem.xp.sum(g * g, axis=1)
            return {{"x": state["x"] - g / {root}(1 + square)[:, None]}}
        """,
        "parameters": "{}",
        "more": "rounds=(1,), horizon=1",
    }
    moved = shown(tmp_path, 1, problems=LINE, **pieces)
    last = moved.series["D_W"][-1]
    assert float(last.rad()) < 1e-30
    assert abs(float(last) - (2 - 2 / 5**0.5) ** 2) < 1e-12
    assert "in balls" in moved.family
    still = shown(tmp_path, 1, problems="[quadratic([[[1]]], [[0]], [0])]", **pieces)
    assert list(still.series["D_W"]) == [0, 0]
    assert "in balls" not in still.family


def test_step_sizes_may_fall_like_a_root_of_the_round(tmp_path):
    """x+ = x (1 - 1/(4 sqrt(t + 1))): a bound on either side of 0.3812."""
    found = judged(
        tmp_path,
        draw=NOTHING,
        step='return {"x": state["x"] - p["eta"] / problem.sqrt(p["t"] + 1) * '
        'problem.full_gradient(state["x"])}',
        parameters='{"eta": ("1/4",)}', problems=LINE, more="rounds=(2,), horizon=8",
        body='me.claim("true", "D_W(2) <= D_W(0)*382/1000")\n'
        'me.claim("false", "D_W(2) <= D_W(0)*381/1000")',
    )  # fmt: skip
    # at T = 2: (3/4)^2 (1 - 1/(4 sqrt(2)))^2 = 0.3812
    assert {name: row["standing"] for name, row in found.items()} == {
        "true": "tested", "false": "refuted",
    }  # fmt: skip


def test_the_root_of_a_negative_number_is_a_record_with_its_line(tmp_path):
    one = shown(
        tmp_path, 1, draw=NOTHING, step='return {"x": problem.sqrt(-1 - state["x"] ** 2)}',
        problems=LINE, parameters="{}",
    )  # fmt: skip
    (why,) = set(one.missing.values())
    assert "mine.py" in why
    assert "root" in why


def test_projections_are_exact(tmp_path):
    """On a ball of radius 1 and on a box, from (3, 4): 4/5 of the way along one axis."""
    for box, expected in (("1", fmpq(1)), ("(-1, 1)", fmpq(2))):
        one = shown(
            tmp_path, 1, draw=NOTHING, step=f'return {{"x": problem.project(state["x"], {box})}}',
            problems="[quadratic([[[1, 0], [0, 1]]], [[0, 0]], [3, 4])]", parameters="{}",
        )  # fmt: skip
        assert list(one.series["D_W"]) == [25, expected]


def test_integers_in_a_state_are_rationals(tmp_path):
    """NumPy's clip leaves Python's integers behind, half of which is a float."""
    one = shown(
        tmp_path, 3, draw=NOTHING,
        step='return {"x": problem.xp.clip(state["x"] / 2 - 3, -1, 1)}',
        problems=LINE, parameters="{}",
    )  # fmt: skip
    assert list(one.series["D_W"]) == [4, 1, 1, 1]
    assert list(one.series["f"]) == [2, fmpq(1, 2), fmpq(1, 2), fmpq(1, 2)]


def test_the_least_of_all_rounds(tmp_path):
    """G falls from 4 by 49/64 a round."""
    found = judged(
        tmp_path, draw=NOTHING,
        step='return {"x": state["x"] - p["eta"] * problem.full_gradient(state["x"])}',
        parameters=ETA, problems=LINE, more="rounds=(3,), horizon=3",
        body='me.claim("true", "Min_t(G_u(t)) <= 4*(49/64)**2")\n'
        'me.claim("false", "Min_t(G_u(t)) <= 4*(49/64)**3")',
    )  # fmt: skip
    assert {name: row["standing"] for name, row in found.items()} == {
        "true": "tested", "false": "refuted",
    }  # fmt: skip


def test_a_record_of_a_run_in_balls_says_so(tmp_path):
    """Planned in rationals: that steps take roots shows when they are taken."""
    theory = loaded(
        tmp_path, draw=NOTHING, step='return {"x": state["x"] / problem.sqrt(p["t"] + 1)}',
        parameters="{}", problems=LINE, more="rounds=(1, 2), horizon=2",
        body='me.claim("a", "D_W(T) <= D_W(0)")',
    )  # fmt: skip
    how = {}
    for case in cases(theory, Profile.QUICK, 0):
        (one,) = judge(encoded_claims(theory.key), case).judgements
        how[case.setup.run.rounds] = record(one, "")["evidence"]["method"]
    assert how == {1: "exact rationals", 2: "exact balls"}


def test_a_constant_may_be_a_root(tmp_path):
    """sqrt(2) in a ball, and sqrt(4); of a number that NumPy is asked for it is told what to write."""
    root = 'me.constant("r", "a root", lambda problem, start: problem.sqrt({}))\n'
    pieces = {
        "draw": NOTHING, "parameters": ETA, "problems": LINE, "more": "rounds=(1,), horizon=1",
        "step": 'return {"x": state["x"] / 2}',
    }  # fmt: skip
    claims = 'me.claim("true", "D_W(0) <= 3*r")\nme.claim("false", "D_W(0) <= 28*r/10")'
    found = judged(tmp_path, body=root.format(2) + claims, **pieces)
    assert {name: row["standing"] for name, row in found.items()} == {
        "true": "tested", "false": "refuted",
    }  # fmt: skip
    one = shown(tmp_path, 1, body=root.format(4) + 'me.claim("a", "D_W(0) <= 2*r")', **pieces)
    assert one.parameters["r"] == 2
    plain = root.format(2).replace("problem.sqrt(2)", "problem.xp.sqrt(start)[0]")
    with pytest.raises(FedboundsError, match=r"not rational; write problem.sqrt\(x\)"):
        judged(tmp_path, body=plain + claims, **pieces)


def test_init_may_take_roots(tmp_path):
    """Planted before: the whole file was refused, and told to write what it had written."""
    one = shown(
        tmp_path, 1, draw=NOTHING, parameters="{}", problems=LINE, more="rounds=(1,), horizon=1",
        init='return {"x": start / problem.sqrt(1 + problem.xp.sum(start**2, axis=1))[:, None]}',
        step='return {"x": state["x"] / 2}',
    )  # fmt: skip
    assert [float(x) for x in one.series["D_W"]] == pytest.approx([4 / 5, 1 / 5])
    assert "in balls" in one.family


def test_sums_of_roots_meet_balls(tmp_path):
    """|x+| <= |x| + |x+ - x|, of which some means are roots of rationals and some are balls."""
    norms = """
        me.quantity("N", "norm", is_="given(sqrt(dot(x, x)))")
        me.quantity("M", "moved", is_="given(sqrt(dot(x_next - x, x_next - x)))")
        me.claim("a", "N(t+1) <= N(t) + M(t)")
        me.claim("b", "N(t+1) + M(t) <= N(t)*9/10")
    """
    found = judged(
        tmp_path, draw=NOTHING, body=norms, parameters=ETA, more="rounds=(1, 2), horizon=2",
        problems="[quadratic([[[1, 0], [0, 2]]], [[0, 0]], [1, 1])]",
        step='return {"x": state["x"] - p["eta"] / problem.sqrt(p["t"] + 2) * '
        'problem.full_gradient(state["x"])}',
    )  # fmt: skip
    assert (found["a"]["standing"], found["b"]["standing"]) == ("tested", "refuted")


def test_a_root_as_a_constant_is_no_estimate_on_functions_whose_minimiser_is_known(tmp_path):
    body = 'me.constant("r", "a root", lambda problem, start: problem.sqrt(2))\n'
    body += 'me.assumption("a", lambda problem, start, p: problem.sqrt(2)**2 == 2)\n'
    body += 'me.claim("b", "f(t) <= r*f(0)", conditions=["eta <= 1/L"])\n'
    body += 'me.claim("c", "f(t) <= f(0)", assumptions=["a"], conditions=["eta <= 1/L"])'
    found = judged(
        tmp_path, draw=NOTHING, problems="None", parameters='{"eta": "edges"}', body=body,
        step='return {"x": state["x"] - p["eta"] * problem.full_gradient(state["x"])}',
    )  # fmt: skip
    assert found["b"]["standing"] == "tested"
    assert found["c"]["standing"] == "open"
    counts = found["c"]["readings"][0]["counts"]
    assert counts.keys() == {"undecided"}  # and counted: balls do not decide what is assumed


@pytest.mark.parametrize("box", ["(1, -1)", "-1"])
def test_a_box_or_a_ball_that_is_none_is_an_error(box, tmp_path):
    with pytest.raises(FedboundsError, match="box|radius"):
        shown(
            tmp_path, 1, draw=NOTHING, step=f'return {{"x": problem.project(state["x"], {box})}}',
            problems=LINE, parameters="{}",
        )  # fmt: skip


@pytest.mark.parametrize("over", ["Sum_t", "Mean_t", "Max_t"])
def test_the_round_in_a_sum_is_not_the_round_of_a_claim(over, tmp_path):
    """Planted: at t = 0 both sides look alike if the t in the sum is taken for the claim's own."""
    text = f"{over}(G_u(t)) <= {over}(G_u(0)) + t*10**30*G_u(t)"
    found = judged(
        tmp_path, draw=NOTHING, parameters='{"eta": ("4/L",)}', problems=LINE,
        step='return {"x": state["x"] - p["eta"] * problem.full_gradient(state["x"])}',
        body=f'me.claim("a", "{text}")', more="rounds=(2,), horizon=3",
    )  # fmt: skip
    assert found["a"]["standing"] == "refuted"
