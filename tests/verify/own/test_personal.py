"""Theories of algorithms with personal blocks, against every outcome by hand."""

from fractions import Fraction
from itertools import product

import pytest
from own_files import asked_and_traced, cases, judged, loaded, own_file

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.registry import encoded_claims
from fedbounds.verify.decide.case import find, script_of
from fedbounds.verify.decide.measurement import numbers_of
from fedbounds.verify.decide.profile import Profile
from fedbounds.verify.judge.judge import judge
from fedbounds.verify.measure.answers import by_enumeration, by_moments
from fedbounds.verify.own.known import theory_of
from fedbounds.verify.own.load import load
from fedbounds.verify.results.summaries import summaries
from fedbounds.verify.setups.instance_file import from_data, to_data
from fedbounds.verify.setups.script_output import output_of

# two clients, a shared and a personal coordinate each, two local steps, one participant
HESSIANS = (((2, 1), (1, 3)), ((4, -1), (-1, 2)))
SLOPES = ((1, -1), (-2, 3))
U, V, NOISE, ETA = 2, (1, -1), Fraction(1, 2), Fraction(1, 8)
PROBLEMS = (
    "[quadratic([[[2, 1], [1, 3]], [[4, -1], [-1, 2]]], [[1, -1], [-2, 3]], [2], 0.5{}, "
    "personal=[[1], [-1]])]"
)
PIECES = {
    "problems": PROBLEMS.format(""),
    "init": """
        u, v = problem.blocks(start)
        return {"u": u, "v": v}
    """,
    "draw": """
        return {
            "present": random.participants(problem.clients, p["m"]),
            "noise": random.noise(problem, 1),
            "own": random.personal_noise(problem, 1),
        }
    """,
    "step": """
        u, v, xp = problem.spread(state["u"]), state["v"], problem.xp
        for k in range(2):
            gu, gv = problem.gradients(u, v)
            noise = 1 - k  # of the first step alone
            u = u - p["eta"] * (gu + drawn["noise"][:, :, 0, :] * noise)
            v = v - p["eta"] * (gv + drawn["own"][:, :, 0, :] * noise)
        present = drawn["present"][:, :, None]
        mean = xp.sum(present * u, axis=1) / p["m"]
        return {"u": mean, "v": state["v"] + present * (v - state["v"])}
    """,
    "parameters": '{"m": (1,), "eta": ("1/8",)}',
    "more": "rounds=(1, 2), horizon=4",
}
BODY = """
me.quantity("Z", "squares", lambda problem, state: (state["v"] ** 2).sum(axis=2).sum(axis=1))
me.quantity("W", "the same by definition", is_="n*sq(v)")
me.quantity("Var", "variance of a round", is_="sq(v_next - given(v_next, past, i))")
me.claim("same", "Z(t) == W(t)")
me.claim("true", "f(t+1) <= 2*f(t) + sigma2")
me.claim("false", "G_v(t+1) <= G_v(t)/1000", assumptions=["smooth"])
"""


def gradient(i, u, v):
    (a, b), (c, d) = HESSIANS[i]
    return a * u + b * v + SLOPES[i][0], c * u + d * v + SLOPES[i][1]


def value(i, u, v):
    one, two = gradient(i, u, v)
    return (u * (one + SLOPES[i][0]) + v * (two + SLOPES[i][1])) / 2


def after(state, chosen, noise, absent_move=False):
    """One round by hand; ``noise`` has a number for each client and block."""
    u, v = state
    reached = []
    for i in (0, 1):
        x, y = u, v[i]
        for k in (0, 1):
            gu, gv = gradient(i, x, y)
            x, y = (
                x - ETA * (gu + (noise[i][0] if k == 0 else 0)),
                y - ETA * (gv + (noise[i][1] if k == 0 else 0)),
            )
        reached.append((x, y))
    own = tuple(reached[i][1] if i == chosen or absent_move else v[i] for i in (0, 1))
    return reached[chosen][0], own


def rounds(count, **planted):
    """Every state of every round with its probability, and moves of every round."""
    states, every, moves = [((Fraction(U), V), Fraction(1))], [], []
    for _ in range(count):
        every.append(states)
        moves.append([])
        new = []
        signs = [tuple(NOISE * s for s in pair) for pair in product((-1, 1), repeat=2)]
        for state, chance in states:
            for chosen, one, two in product((0, 1), signs, signs):
                there = after(state, chosen, (one, two), **planted)
                moves[-1].append((state, there, chance / 32))
                new.append((there, chance / 32))
        states = new
    return [*every, states], moves


def by_hand(count, **planted):
    """Quantities that every theory has, and those of the file."""
    every, moves = rounds(count, **planted)

    def mean(function):
        return [sum(c * function(u, v) for (u, v), c in states) for states in every]

    def of(i, u, v):
        return gradient(i, u, v[i])

    best = min_value()
    return {
        "G_u": mean(lambda u, v: ((of(0, u, v)[0] + of(1, u, v)[0]) / 2) ** 2),
        "G_v": mean(lambda u, v: (of(0, u, v)[1] ** 2 + of(1, u, v)[1] ** 2) / 2),
        "B": mean(lambda u, v: of(0, u, v)[0] ** 2 + of(1, u, v)[0] ** 2),
        "f": mean(lambda u, v: (value(0, u, v[0]) + value(1, u, v[1])) / 2 - best),
        "Z": mean(lambda u, v: v[0] ** 2 + v[1] ** 2),
        "W": mean(lambda u, v: v[0] ** 2 + v[1] ** 2),
        "Du_2": [sum(c * (b[0] - a[0]) ** 2 for a, b, c in each) for each in moves],
        "Dv_2": [
            sum(c * sum((b[1][i] - a[1][i]) ** 2 for i in (0, 1)) / 2 for a, b, c in each)
            for each in moves
        ],
    }


def min_value():
    """inf f: v_i = -(C_i u + h_i)/D_i, and then u."""
    curve = slope = 0
    for ((a, b), (_, d)), (h, g) in zip(HESSIANS, SLOPES, strict=True):
        curve, slope = curve + a - Fraction(b * b, d), slope + h - Fraction(b * g, d)
    u = -slope / curve
    found = 0
    for i in (0, 1):
        v = -(HESSIANS[i][1][0] * u + SLOPES[i][1]) / HESSIANS[i][1][1]
        found += value(i, u, v) / 2
    return found


def measured(theory, count, method):
    run = next(
        case.setup for case in cases(theory, Profile.DEFAULT, 0) if case.setup.run.rounds == count
    )
    return method(*asked_and_traced(run, {"n": 2})).series


@pytest.mark.parametrize("method", [by_enumeration, by_moments])
def test_every_quantity_is_that_by_hand(tmp_path, method):
    found = measured(loaded(tmp_path, body=BODY, **PIECES), 2, method)
    for name, values in by_hand(2).items():
        assert [Fraction(str(x)) for x in found[name]][: len(values)] == values, name
    assert len(found["f"]) == 3


def test_the_comparison_sees_absent_clients_that_move(tmp_path):
    found = measured(loaded(tmp_path, body=BODY, **PIECES), 2, by_moments)
    planted = by_hand(2, absent_move=True)
    assert [Fraction(str(x)) for x in found["Z"]] != planted["Z"]


def test_claims_are_judged_on_blocks(tmp_path):
    found = judged(tmp_path, body=BODY, **PIECES)
    words = {name: row["standing"] for name, row in found.items()}
    assert words == {"same": "tested", "true": "tested", "false": "refuted"}


def test_gaussian_noise_of_both_blocks_has_moments(tmp_path):
    pieces = {**PIECES, "problems": PROBLEMS.format(', "gaussian"')}
    one = measured(loaded(tmp_path, body=BODY, **pieces), 2, by_moments)
    # signs and Gaussians of one variance have the same second moments after an affine step
    assert [Fraction(str(x)) for x in one["f"]] == by_hand(2)["f"]


def test_a_witness_with_blocks_has_a_script_of_its_own(tmp_path):
    """It asserts that L bounds the norms of the blocks, and the gap is the one by hand."""
    theory = loaded(tmp_path, body=BODY, **PIECES)
    case = next(iter(cases(theory, Profile.QUICK, 0)))
    (claim,) = (c for c in encoded_claims("me") if c.id == "me/false")
    judged_, numbers = (
        judge((claim,), case).judgements[0],
        numbers_of(case, dict(find(case.setup).series)),
    )
    text = script_of(case.setup, judged_, claim.parts[0], numbers)
    printed = output_of(text) or ""
    series = by_hand(1)["G_v"]
    assert f"left {series[1]} right {series[0] / 1000} " in printed
    wrong = output_of(text.replace("[[[2, 1], [1, 3]]", "[[[2, 4], [4, 30]]"))
    assert f"left {series[1]} " not in (wrong or "")


def test_a_run_with_blocks_is_stored_and_judged_again(tmp_path):
    theory = loaded(tmp_path, body=BODY, **PIECES)
    case = next(iter(cases(theory, Profile.QUICK, 0)))
    (claim,) = (c for c in encoded_claims("me") if c.id == "me/false")
    again = from_data(to_data(case))
    first, second = (judge((claim,), x).judgements[0].outcomes for x in (case, again))
    assert [x.gap for x in first] == [x.gap for x in second]


STATES = {
    "the model of no blocks": ({"init": 'return {"x": start}'}, "expected state['u']"),
    "personal blocks of one client": (
        {"init": 'u, v = problem.blocks(start)\nreturn {"u": u, "v": v[:, :1]}'},
        "state['v'] of (rows, n, d_v) = (1, 2, 1)",
    ),
    "no personal blocks": (
        {"init": 'u, v = problem.blocks(start)\nreturn {"u": u}'}, "state['v'] none"
    ),
    "gradients of a model alone": (
        {"step": 'problem.gradient(state["u"])\nreturn dict(state)'}, "ask for gradients(u, v)"
    ),
    "values of a model alone": (
        {"step": 'problem.value(state["u"])\nreturn dict(state)'}, "ask for value(u, v)"
    ),
    "models of another shape": (
        {"step": 'problem.gradients(state["u"], state["v"][:, :1])\nreturn dict(state)'},
        "shapes of the models (u, v)",
    ),
    "rows that mix in a personal block": (
        {"step": 'return {"u": state["u"], "v": state["v"] * 0 + state["v"].sum(axis=0)}'},
        "mix rows",
    ),
    "a start of another length": (
        {"problems": "[(quadratic([[[2, 1], [1, 3]]], [[1, -1]], [2], personal=[[1]])[0], [2])]"},
        "shape of a start is (1,); expected (2,)",
    ),
    "personal starts of too few clients": (
        {"problems": PROBLEMS.format("").replace("personal=[[1], [-1]]", "personal=[[1]]")},
        "shape of the personal starts is (1, 1); expected one for each of 2 clients",
    ),
    "a vector of a block's name": (
        {"body": 'me.vector("v", "velocity")\n' + 'me.claim("a", "f(t) >= 0")'},
        "'v' has a meaning already",
    ),
}  # fmt: skip


@pytest.mark.parametrize("how", STATES)
def test_what_breaks_the_contract_of_blocks_is_told(tmp_path, how):
    pieces, told = STATES[how]
    path = own_file(tmp_path, **{**PIECES, "body": BODY, **pieces})
    with pytest.raises(FedboundsError) as caught:
        load(path)
    assert told in str(caught.value)


def test_a_start_that_draws_may_ask_for_parameters(tmp_path):
    """Gaussian draws of the start have moments: E z^2 = u^2 + (m s)^2."""
    pieces = {
        "problems": '[quadratic([[[1]]], [[0]], [2], 0.5, "gaussian")]',
        "draw": "return {}",
        "step": 'return {"x": state["x"] / 2}',
        "parameters": '{"m": (1,), "w": (("1/2",),), "eta": ("1/8",)}',
        "more": "rounds=(1, 2), horizon=4",
        "body": """
            me.quantity("Z", "by definition", is_="sq(x)")
            me.claim("same", "Z(0) == 4 + m**2/4")
            me.claim("wrong", "Z(0) == 4")
        """,
    }
    text = own_file(tmp_path, **pieces).replace("mine.py", "drawn.py")
    source = (tmp_path / "mine.py").read_text(encoding="utf-8")
    source = source.replace('def init(problem, start):\n    return {"x": start}', INIT)
    assert INIT in source
    (tmp_path / "drawn.py").write_text(source, encoding="utf-8")
    (key,) = load(text)
    found = summaries(encoded_claims(key), list(cases(theory_of(key), Profile.QUICK, 0)))
    assert [row["standing"] for row in found] == ["tested", "refuted"]


INIT = """def init(problem, start, random, p):
    return {"x": start + random.normal(1) * problem.noise_scale * p["m"]}"""
