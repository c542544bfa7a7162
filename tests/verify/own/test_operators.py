"""What papers say of runs, said in a file: every outcome, extremes, limits, statements."""

from fractions import Fraction
from itertools import product

import pytest
from flint import fmpq
from own_files import cases, judged, loaded

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.registry import encoded_claims
from fedbounds.theory.language.setups import GIVEN
from fedbounds.verify.decide.case import find
from fedbounds.verify.decide.measurement import measure
from fedbounds.verify.decide.profile import Profile
from fedbounds.verify.judge.judge import judge
from fedbounds.verify.setups.script_check import agrees
from fedbounds.verify.setups.script_rendered import script
from fedbounds.vocabulary import Verdict

# one round: x+ = x - eta (mean of h_i x + s_i + e), one client of two; e = +-1/2
CURVES, SLOPES, START, ETA, NOISE = (1, 3), (1, -2), Fraction(4), Fraction(1, 8), Fraction(1, 2)
PIECES = {
    "problems": "[quadratic([[[1]], [[3]]], [[1], [-2]], [4], 0.5)]",
    "draw": 'return {"present": random.participants(problem.clients, p["m"]), '
    '"noise": random.noise(problem, 1)}',
    "step": """
        g = problem.gradient(problem.spread(state["x"]))
        y = problem.spread(state["x"]) - p["eta"] * (g + drawn["noise"][:, :, 0, :])
        see(y=y, g=g)
        return {"x": problem.xp.sum(drawn["present"][:, :, None] * y, axis=1) / p["m"]}
    """,
    "parameters": '{"m": (1,), "eta": ("1/8",)}',
    "more": "rounds=(1, 2), horizon=2",
}
VECTORS = """
me.vector("y", "local models", over="i")
me.vector("g", "slopes", over="i")
me.source("S", "present")
me.source("xi", "noise")
"""


def visited(rounds):
    """Every state of every round by hand, with probabilities; and the models of both clients."""
    found, states = [], [(START, Fraction(1))]
    for _ in range(rounds):
        after = []
        for x, chance in states:
            for who, one, other in product((0, 1), (-NOISE, NOISE), (-NOISE, NOISE)):
                ys = [
                    x - ETA * (c * x + s + e)
                    for c, s, e in zip(CURVES, SLOPES, (one, other), strict=True)
                ]
                found.append((_, x, ys, chance / 8))
                after.append((ys[who], chance / 8))
        states = after
    return found


def case_of(folder, body, rounds=2, **pieces):
    theory = loaded(folder, body=VECTORS + body, **{**PIECES, **pieces})
    return next(case for case in cases(theory, Profile.QUICK, 0) if case.setup.run.rounds == rounds)


def test_numbers_of_every_outcome_are_what_they_are_by_hand(tmp_path):
    body = """
me.quantity("Far", "mean distance to the server", is_="given(sqrt(dot(y - x, y - x)))")
me.quantity("Up", "how often a local model is above 3", is_="given(positive(dot(y, y) - 9))")
me.quantity("Worst", "the client with the largest model", is_="most(dot(y, y), i)")
me.claim("a", "Far(t) >= 0")
"""
    shown = find(case_of(tmp_path, body).setup).series
    for t in range(2):
        rows = [row for row in visited(2) if row[0] == t]
        far = sum(p * sum(abs(y - x) for y in ys) / 2 for _, x, ys, p in rows)
        up = sum(p * sum(y**2 > 9 for y in ys) / 2 for _, x, ys, p in rows)
        worst = max(sum(p * ys[i] ** 2 for _, x, ys, p in rows) for i in (0, 1))
        told = [shown[name][t] for name in ("Far", "Up", "Worst")]
        assert told == [fmpq(*x.as_integer_ratio()) for x in (far, up, worst)]


def test_extremes_are_constants_of_what_a_run_visits(tmp_path):
    body = """
me.constant("Gmax", "largest squared slope", is_="Largest(dot(g, g))")
me.constant("gmin", "least squared slope of a round", is_="Least(given(dot(g, g), past))")
me.constant("first", "at the start", is_="sq(y - x)")
me.claim("a", "D_W(t) <= Gmax + first + gmin + 100")
"""
    shown = find(case_of(tmp_path, body).setup)
    every = visited(2)
    slopes = {x: [c * x + s for c, s in zip(CURVES, SLOPES, strict=True)] for _, x, _, _ in every}
    largest = max(g**2 for own in slopes.values() for g in own)
    least = min(sum(g**2 for g in own) / 2 for own in slopes.values())
    first = sum(p * sum((y - x) ** 2 for y in ys) / 2 for t, x, ys, p in every if t == 0)
    told = [shown.parameters[name] for name in ("Gmax", "gmin", "first")]
    assert told == [fmpq(*x.as_integer_ratio()) for x in (largest, least, first)]


def test_a_claim_may_speak_of_a_limit(tmp_path):
    """x+ = (1 - eta h) x + eta e in one client: E x^2 tends to eta^2 s^2 / (1 - (1 - eta h)^2)."""
    body = """
me.constant("floor", "where the distance tends", is_="Settled(sq(x))")
me.claim("a", "D_W(t) <= D_W(0) + floor")
me.claim("below", "D_W(T) <= floor")
"""
    one = {"problems": "[quadratic([[[1]]], [[0]], [4], 0.5)]"}
    case = case_of(tmp_path, body, **one)
    q = (1 - ETA) ** 2
    floor = ETA**2 * NOISE**2 / (1 - q)
    assert find(case.setup).parameters["floor"] == fmpq(*floor.as_integer_ratio())
    found = judged(tmp_path, body=VECTORS + body, **{**PIECES, **one})
    assert found["a"]["statement"] == "survived"
    assert found["below"]["statement"] == "refuted"


def test_an_assumption_says_what_a_run_must_do(tmp_path):
    """The largest squared slope of two rounds is 100; of every outcome it is looked at too."""
    largest = max(
        (c * x + s) ** 2 for t, x, _, _ in visited(1) for c, s in zip(CURVES, SLOPES, strict=True)
    )
    assert largest == 100
    body = """
me.assumption("flat", says="Largest(dot(g, g)) <= 99")
me.assumption("steep", says="Largest(dot(g, g)) <= 100")
me.assumption("flat each", says="dot(g, g) <= 99")
me.assumption("steep each", says="dot(g, g) <= 100")
me.claim("flat", "D_W(T) <= 1000", assumptions=["flat"])
me.claim("steep", "D_W(T) <= 1000", assumptions=["steep"])
me.claim("flat-each", "D_W(T) <= 1000", assumptions=["flat each"])
me.claim("steep-each", "D_W(T) <= 1000", assumptions=["steep each"])
"""
    found = judged(tmp_path, body=VECTORS + body, **{**PIECES, "more": "rounds=(1,), horizon=1"})
    told = {name: set(row["readings"][0]["counts"]) for name, row in found.items()}
    assert told["flat"] == told["flat-each"] == {Verdict.NOT_APPLICABLE.value}
    assert told["steep"] == told["steep-each"] == {Verdict.NOT_VIOLATED.value}


def test_what_moments_do_not_show_has_its_reason(tmp_path):
    body = """
me.constant("Gmax", "largest squared slope", is_="Largest(dot(g, g))")
me.assumption("flat", says="dot(g, g) <= 1")
me.claim("a", "D_W(t) <= Gmax")
me.claim("b", "D_W(t) <= 9", assumptions=["flat"])
"""
    normal = 'quadratic([[[1]], [[3]]], [[1], [-2]], [4], 0.5, law="gaussian")'
    case = case_of(tmp_path, body, problems=f"[{normal}]")
    assert case.setup.run.problem.family != GIVEN
    shown = find(case.setup)
    assert "single outcomes" in shown.undefined["Gmax"]
    assert shown.evidence["flat"].holds is False
    found = judged(tmp_path, body=VECTORS + body, **{**PIECES, "problems": f"[{normal}]"})
    for name in "ab":
        assert set(found[name]["readings"][0]["counts"]) == {Verdict.NOT_APPLICABLE.value}
        assert any("single outcomes" in why for why in found[name]["readings"][0]["refused"])


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('me.quantity("Q", "q", is_="dot(y, y)")', "no quantity in vectors"),
        ('me.quantity("Q", "q", is_="Largest(dot(y, y))")', "Largest"),
        ('me.quantity("Q", "q", is_="given(sq(y))")', "is no quantity"),
        ('me.quantity("Q", "q", is_="given(y)")', "is no quantity"),
        ('me.quantity("Q", "q", is_="most(dot(y, y), j)")', "is given j"),
        ('me.constant("c0", "c", is_="Largest(y)*nothing")', "nothing"),
        ('me.constant("c0", "c")', "a function or by is_"),
        ('me.constant("c0", "c", lambda q, s: 1, is_="sq(y)")', "a function or by is_"),
        ('me.assumption("small")', "expected one"),
        ('me.assumption("small", says="dot(y, y)")', "no single relation"),
        ('me.assumption("small", says="1 <= sq(y) <= 2")', "no single relation"),
        ('me.assumption("small", says="dot(y, z) <= 2")', "'z'"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_line(tmp_path, line, said):
    with pytest.raises(FedboundsError, match=r"mine.py:\d+") as error:
        loaded(tmp_path, body=f'{VECTORS}{line}\nme.claim("a", "D_W(t) >= 0")', **PIECES)
    assert said in str(error.value)


def test_scripts_compute_constants_and_state_what_is_assumed(tmp_path):
    body = """
me.constant("Gmax", "largest squared slope", is_="Largest(dot(g, g))")
me.assumption("steep", says="dot(g, g) <= 100")
me.quantity("Far", "mean distance to the server", is_="given(dot(y - x, y - x)**2)")
me.claim("a", "Far(t) <= Gmax/10**6", assumptions=["steep"])
"""
    case = case_of(tmp_path, body, rounds=1)
    (judged_one,) = judge(encoded_claims("me"), case).judgements
    assert judged_one.verdict is Verdict.VIOLATED
    part = judged_one.claim.parts[0]
    text = script(judged_one, part, measure(case).numbers)
    assert agrees(text, judged_one.deciding.gap)
    assert "Gmax = largest(" in text
    assert "assert all(np.all(dot(g, g) <= " in text
    assert len(text.splitlines()) < 120
