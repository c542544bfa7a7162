"""Quantities by definition, random objects, and what else a file of one's own may say now."""

import json
import subprocess
import sys
from fractions import Fraction

import pytest
from flint import fmpq
from own_files import cases, judged, loaded, own_file, parameters_of

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.registry import encoded_claims
from fedbounds.verify.commands.command_line import status
from fedbounds.verify.decide.case import find, script_of
from fedbounds.verify.decide.profile import Profile
from fedbounds.verify.judge.judge import judge
from fedbounds.verify.own.load import load
from fedbounds.verify.setups.instance_file import from_data, to_data
from fedbounds.vocabulary import Verdict

# two clients in one dimension, two local steps, noise 1/2
TWO = "[quadratic([[[1]], [[3]]], [[1], [-2]], [4], 0.5{})]"
CURVES, SLOPES, START, NOISE = (1, 3), (1, -2), Fraction(4), Fraction(1, 4)
ETA = Fraction(1, 8)
PIECES = {
    "problems": TWO.format(""),
    "draw": 'return {"present": random.participants(problem.clients, p["m"]), '
    '"noise": random.noise(problem, 2)}',
    "parameters": '{"m": (1,), "eta": ("1/8",)}',
    "more": "rounds=(1, 2), horizon=4",
}
STEP = """
    xp, y, ys, gs = problem.xp, problem.spread(state["x"]), [], []
    for k in range(2):
        g = problem.gradient(y)
        ys, gs = [*ys, y], [*gs, g + drawn["noise"][:, :, k, :]]
        y = y - p["eta"] * gs[-1]
    see(y=xp.stack(ys, axis=2), g=xp.stack(gs, axis=2))
    return {"x": xp.sum(drawn["present"][:, :, None] * y, axis=1) / p["m"]}
"""
VECTORS = """
me.vector("y", "local models", over="ik")
me.vector("g", "slopes", over="ik")
me.source("S", "present")
me.source("xi", "noise")
"""


def seeing(folder, body, law="", **pieces):
    """A theory whose step shows local models."""
    given = {**PIECES, "problems": TWO.format(law), **pieces}
    load(own_file(folder, step=STEP, body=body, **given))
    from fedbounds.verify.own.known import theory_of

    return theory_of("me")


def shown(theory):
    """What every planned run shows, by its number of rounds."""
    return {case.setup.run.rounds: find(case.setup) for case in cases(theory, Profile.QUICK, 0)}


def drift(x):
    """By hand: the mean over clients and steps of E (y - x)^2 where x is known."""
    slopes = [c * x + h for c, h in zip(CURVES, SLOPES, strict=True)]
    return sum(ETA**2 * (g**2 + NOISE) for g in slopes) / 4


@pytest.mark.parametrize("law", ["", ', law="gaussian"'], ids=["signs", "gaussian"])
def test_a_definition_is_what_it_is_by_hand(tmp_path, law):
    body = (
        VECTORS
        + """
me.quantity("Dr", "drift", is_="n*2*sq(y - x)")
me.quantity("Var", "noise", is_="sq(g - given(g, past, i, k))")
me.quantity("First", "mean slope", is_="sq(given(g, past))")
me.claim("a", "Dr(t) >= 0")
"""
    )
    found = shown(seeing(tmp_path, body, law))
    assert found.keys() == {1, 2, 4}
    for rounds, one in found.items():
        assert not one.missing
        assert len(one.series["Dr"]) == rounds
        assert Fraction(str(one.series["Dr"][0])) == 4 * drift(START)
    # the slope of the second step has the noise of the first one, times 1 - eta c
    later = sum(NOISE + (ETA * c) ** 2 * NOISE for c in CURVES)
    assert Fraction(str(found[1].series["Var"][0])) == (2 * NOISE + later) / 4
    ways = {one.family.rpartition(", ")[2] for one in found.values()}
    assert ways == ({"enumerated", "exact moments"} if not law else {"exact moments"})


def test_a_planted_factor_in_a_definition_is_refuted_with_a_script(tmp_path):
    body = (
        VECTORS
        + """
me.quantity("Dr", "drift", is_="sq(y - x)")
me.claim("right", "Dr(t) <= Dr(t) + D_W(t)")
me.claim("wrong", "2*Dr(t) <= Dr(t)")
"""
    )
    theory = seeing(tmp_path, body)
    file, out = theory.line.rpartition(":")[0], tmp_path / "out"
    assert status(["verify", file, "--quick", "--workers", "1", "--out", str(out)]) == 0
    claims = json.loads((out / "results.json").read_text(encoding="utf-8"))["claims"]
    assert [claims[f"me/{name}"]["standing"] for name in ("right", "wrong")] == [
        "tested",
        "refuted",
    ]
    (script,) = (out / "witnesses").iterdir()
    text = script.read_text(encoding="utf-8")
    assert 'q["Dr"] = [sq(' in text
    done = subprocess.run([sys.executable, "-I", "-c", text], capture_output=True, text=True)
    assert done.stdout.endswith("broken: True\n"), done.stderr


def test_clients_may_be_weighted(tmp_path):
    body = """
me.vector("y", "local models", over="ik", weights="w")
me.quantity("Dr", "drift", is_="sq(y - x)")
me.claim("a", "Dr(t) >= 0")
"""
    weighted = '{"m": (1,), "eta": ("1/8",), "w": ((1, 3), ("1/2", "1/2"))}'
    theory = seeing(tmp_path, body, parameters=weighted)
    found = {}
    for case in cases(theory, Profile.QUICK, 0):
        if case.setup.run.rounds == 1:
            again = from_data(to_data(case))  # as `search --save` keeps it
            assert parameters_of(again) == parameters_of(case)
            found[parameters_of(case)["w"]] = find(again.setup).series["Dr"][0]
    slopes = [(c * START + h) ** 2 for c, h in zip(CURVES, SLOPES, strict=True)]
    for weights, value in found.items():
        total = sum(Fraction(str(w)) / sum(Fraction(str(x)) for x in weights) * (g + NOISE)
                    for w, g in zip(weights, slopes, strict=True))  # fmt: skip
        assert Fraction(str(value)) == total * ETA**2 / 2
    assert len(found) == 2


REFUSED = {
    "a misspelt vector": ('me.quantity("Dr", "d", is_="sq(yy - x)")', "unknown name 'yy'"),
    "a vector that is not shown": (
        'me.vector("hidden", "h")\nme.quantity("Dr", "d", is_="sq(hidden)")', "step shows no 'hidden'"),
    "a vector that is shown with other axes": ('me.vector("y", "y", over="i")', "'y' has shape"),
    "axes in another order": ('me.vector("y", "y", over="ki")', "over is 'ki'"),
    "weights that are no parameter": (
        'me.vector("y", "y", over="ik", weights="v")', "weights 'v'"),
    "weights without clients": ('me.vector("y", "y", over="k", weights="m")', "weights 'm'"),
    "a source that is no draw": (
        'me.source("S", "presence")', "draw returns no 'presence'"),
    "a source without draws": ('me.source("S")', "expected names of arrays"),
    "two sources of one draw": (
        'me.source("S", "present", "noise")\nme.source("xi", "noise")', "independent"),
    "a draw of no source": ('me.source("S", "present")', "no random object"),
    "a vector outside": (VECTORS + 'me.quantity("Dr", "d", is_="sq(y) + x")', "x stands outside"),
    "no vector": ('me.quantity("Dr", "d", is_="eta*2")', "is no quantity in vectors"),
    "a norm of a norm": ('me.quantity("Dr", "d", is_="sq(sq(x))")', "no quantity|stands in a vector"),
    "a product of vectors": ('me.quantity("Dr", "d", is_="sq(x*x)")', "not a linear combination"),
    "a mean given a vector": (
        VECTORS + 'me.quantity("Dr", "d", is_="sq(given(y, x))")', "is given x"),
    "a mean given nothing": (VECTORS + 'me.quantity("Dr", "d", is_="sq(given(y))")', "nothing"),
    "a source as a vector": (VECTORS + 'me.quantity("Dr", "d", is_="sq(y - S)")', "is no vector"),
    "both ways": (
        'me.quantity("Dr", "d", lambda p, s: s["x"][:, 0], is_="sq(x)")', "expected one"),
    "neither way": ('me.quantity("Dr", "d")', "expected one"),
    "a name that is taken": ('me.vector("eta", "e")', "has a meaning already"),
    "the model": ('me.vector("x", "e")', "has a meaning already"),
    "a sign that is not declared": (
        VECTORS + 'me.quantity("Dr", "d", is_="ip(x_next - x, x)")', "expected signed=True"),
    "a round too many": (
        VECTORS + 'me.quantity("Dr", "d", is_="sq(y - x)")\nme.claim("b", "Dr(t+1) <= 9")',
        "not measured in every run"),
}  # fmt: skip


@pytest.mark.parametrize("how", REFUSED)
def test_what_the_round_does_not_bear_out_is_told_with_its_line(tmp_path, how):
    body, told = REFUSED[how]
    lines = body.count("\n")
    with pytest.raises(FedboundsError, match=told) as caught:
        shown(seeing(tmp_path, body + '\nme.claim("a", "D_W(t) >= 0")'))
    first = int(str(caught.value).partition("mine.py:")[2].partition(":")[0])
    text = (tmp_path / "mine.py").read_text(encoding="utf-8").splitlines()
    declared = text[first - 1]
    assert "me." in declared or "theory(" in declared, declared
    assert lines < len(text)


def test_the_state_has_its_rounds_end_and_a_round_has_not(tmp_path):
    body = """
me.quantity("Z", "size", is_="sq(x)")
me.claim("ends", "Z(t+1) <= 1000 + Z(T)")
"""
    assert judged(tmp_path, body=body)["ends"]["standing"] == "tested"


# ---- constants and quantities that see parameters, fractions, draws at the start

SEEING = """
me.constant("c0", "of parameters", lambda problem, start, p: p["eta"] * p["m"] * p["T"])
me.constant("c1", "of the problem", lambda problem, start: 2)
me.quantity("Z", "of parameters", lambda problem, state, p: (p["eta"] * state["x"][:, 0]) ** 2)
me.quantity("Y", "without", lambda problem, state: state["x"][:, 0] ** 2)
me.claim("constant", "c0 == eta*m*T")
me.claim("other", "c0 == eta*m*T + c1 - 2")
me.claim("quantity", "Z(t) == eta**2*Y(t)")
me.claim("wrong", "Z(t) == eta*Y(t)")
"""


def test_constants_and_quantities_see_parameters(tmp_path):
    found = judged(tmp_path, body=SEEING)
    words = {name: row["standing"] for name, row in found.items()}
    assert words == {
        "constant": "tested", "other": "tested", "quantity": "tested", "wrong": "refuted"
    }  # fmt: skip


def test_a_constant_has_no_round_and_bounds_no_parameter_that_it_sees(tmp_path):
    round_ = 'me.constant("c0", "c", lambda problem, start, p: p["t"])\nme.claim("a", "c0 >= 0")'
    with pytest.raises(FedboundsError, match=r"mine.py:.* asks for the round"):
        judged(tmp_path, body=round_)
    edge = 'me.constant("c0", "c", lambda problem, start, p: p["eta"])\n'
    edge += 'me.claim("a", "D_W(t) >= 0", conditions=["eta <= 1/c0"])'
    with pytest.raises(FedboundsError, match=r"mine.py:.* sees the parameters"):
        judged(tmp_path, body=edge, parameters='{"m": (1,), "eta": "edges"}')


FRACTIONS = {
    "before": "from fractions import Fraction\nimport fractions as f\nHALF = Fraction(1, 2)",
    "step": """
        y = problem.spread(state["x"])
        y = y - Fraction(1, 3) * p["eta"] * problem.gradient(y) * 3
        y = (HALF + HALF) * y - 0 * f.Fraction(p["m"]) + y * HALF - HALF * y
        return {"x": problem.xp.sum(drawn["present"][:, :, None] * y, axis=1) / p["m"]}
    """,
}


def test_fractions_work_in_a_step(tmp_path):
    body = 'me.claim("a", "D_W(t+1) <= D_W(t)")\nme.claim("b", "D_W(t+1) <= D_W(t)/9")'
    plain = judged(tmp_path, body=body)
    found = judged(tmp_path, body=body, **FRACTIONS)
    assert {"a": plain["a"]["standing"], "b": plain["b"]["standing"]} == {
        name: row["standing"] for name, row in found.items()
    }
    assert (
        plain["b"]["readings"][0]["least_relative_gap"]
        == (found["b"]["readings"][0]["least_relative_gap"])
    )


DRAWN = {
    "init": 'return {"x": start + random.signs(1)}',
    "step": 'return {"x": state["x"] / 2}',
    "draw": "return {}",
}


def begun(folder, **pieces):
    """A theory whose ``init`` draws."""
    text = own_file(folder, **{**DRAWN, **pieces})
    with open(text, encoding="utf-8") as file:
        source = file.read().replace("def init(problem, start)", "def init(problem, start, random)")
    with open(text, "w", encoding="utf-8") as file:
        file.write(source)
    load(text)
    from fedbounds.verify.own.known import theory_of

    return theory_of("me")


def test_a_start_that_draws_is_averaged_and_written_into_scripts(tmp_path):
    theory = begun(
        tmp_path,
        before="def size(problem, state, p):\n    return (p['eta'] * state['x'][:, 0]) ** 2",
        problems="[quadratic([[[1]]], [[0]], [4])]",
        parameters='{"m": (1,), "eta": ("1/8",)}',
        body='me.quantity("Z", "size", size)\nme.claim("a", "Z(t+1) <= Z(t)/5")',
    )
    case = next(iter(cases(theory, Profile.QUICK, 0)))
    found = judge(encoded_claims("me"), case)
    (judgement,) = found.judgements
    assert judgement.verdict is Verdict.VIOLATED
    numbers = found.measurement.numbers
    assert numbers.series["Z"][0] == fmpq(17, 64)  # (9 + 25)/2 times eta^2
    text = script_of(case.setup, judgement, judgement.claim.parts[0], numbers)
    done = subprocess.run([sys.executable, "-I", "-c", text], capture_output=True, text=True)
    assert done.stdout.splitlines()[0].split()[-1] == str(judgement.deciding.gap), done.stderr


def test_a_script_runs_a_step_that_shows_vectors(tmp_path):
    theory = seeing(tmp_path, 'me.claim("a", "D_W(t+1) <= D_W(t)/100")')
    case = next(iter(cases(theory, Profile.QUICK, 0)))
    found = judge(encoded_claims("me"), case)
    (judgement,) = found.judgements
    text = script_of(case.setup, judgement, judgement.claim.parts[0], found.measurement.numbers)
    done = subprocess.run([sys.executable, "-I", "-c", text], capture_output=True, text=True)
    assert done.stdout.splitlines()[0].split()[-1] == str(judgement.deciding.gap), done.stderr


def test_parameters_of_numbers_for_each_client_are_as_many(tmp_path):
    theory = loaded(tmp_path, parameters='{"m": (1,), "eta": ("1/8",), "w": ((1, 2),)}',
                    problems=TWO.format(""))  # fmt: skip
    assert next(iter(cases(theory, Profile.QUICK, 0))).name.endswith("w=(1, 2), T=1")
    with pytest.raises(FedboundsError, match=r"'w' is \(1, 2, 3\); expected .* n = 2"):
        loaded(tmp_path, parameters='{"m": (1,), "eta": ("1/8",), "w": ((1, 2, 3),)}',
               problems=TWO.format(""))  # fmt: skip


def test_an_unknown_law_of_the_noise_is_told(tmp_path):
    with pytest.raises(FedboundsError, match="unknown law of the noise 'normal'"):
        loaded(tmp_path, problems=TWO.format(', law="normal"'))
