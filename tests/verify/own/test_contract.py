"""What an algorithm may not do: sample, mix outcomes, change its arguments, mix in floats."""

from dataclasses import replace

import numpy as np
import pytest
from flint import fmpq
from own_files import judged, loaded, own_file, setup_on, traced

from fedbounds.algorithms.traced import Algorithm
from fedbounds.errors import FedboundsError
from fedbounds.theory.language.standard import standard
from fedbounds.verify.measure.answers import Asked, by_enumeration
from fedbounds.verify.measure.clients import Clients
from fedbounds.verify.measure.contract import Parameters, stepped
from fedbounds.verify.measure.count import Count
from fedbounds.verify.measure.enumerated import enumerated as every_outcome
from fedbounds.verify.measure.subject import Subject
from fedbounds.verify.own.families import quadratic
from fedbounds.verify.own.load import load

RNG = "import numpy as np\nimport random as python\nrng = np.random.default_rng(0)"
STEP = 'g = {}\nreturn {{"x": state["x"] - p["eta"] * g * problem.full_gradient(state["x"])}}'
BROKEN = {
    "a generator of the module": (dict(step=STEP.format("rng.normal()")), ":10", "two results"),
    "a rare coin": (dict(step=STEP.format("int(rng.random() < 0.5)")), ":10", "step gives"),
    "NumPy in step": (dict(step=STEP.format("np.random.rand()")), ":11", "samples"),
    "Python in step": (dict(step=STEP.format("python.random()")), ":11", "samples"),
    "init samples": (dict(init='return {"x": start * rng.integers(10**9)}'), ":6", "init gives two"),
    "draw samples": (
        dict(draw='return {"present": random.participants(2, 1) * rng.integers(10**9)}'),
        ":8",
        "another value",
    ),
    "draw mixes rows": (
        dict(draw='a = random.participants(2, 1)\nreturn {"present": a / a.sum()}'),
        ":8",
        "keep rows apart",
    ),
    "step mixes rows": (
        dict(step='x = state["x"] - drawn["present"][:, :1]\nreturn {"x": x - x.mean(axis=0)}'),
        ":10",
        "mix rows",
    ),
    "step mixes rows of the state": (
        dict(
            step="x = state['x']\nm = x.mean()\n"
            "return {'x': x / 2 - drawn['present'][:, :1] + m}"
        ),
        ":10",
        "mix rows",
    ),
    "step changes the state": (
        dict(step='state["x"] -= 1\nreturn {"x": state["x"] / 2}'),
        ":11",
        "changes its argument",
    ),
    "step changes the draws": (
        dict(step='drawn["present"] += 1\nreturn {"x": state["x"] / 2}'),
        ":11",
        "changes its argument",
    ),
    "no dict": (dict(init="return start"), ":6", "expected a dict of arrays"),
    "no model": (dict(init='return {"y": start}'), ":6", "state['x']"),
    "init's shape": (dict(init='return {"x": start[0]}'), ":6", "(rows, d) = (1, 1)"),
    "draw's shape": (dict(draw='return {"z": 1}'), ":8", "one row for each"),
    "step's shape": (dict(step='return {"x": state["x"][:, 0]}'), ":10", "expected the shape"),
    "step's rows": (dict(step='return {"x": state["x"][:1]}'), ":10", "one row for each of 2"),
    "step forgets": (dict(step='return {"y": state["x"]}'), ":10", "missing"),
    "step returns nothing": (dict(step="pass"), ":10", "NoneType"),
    "a name that is not given": (
        dict(step='return {"x": state["x"] * p["gamma"]}'),
        ":11",
        "asks for p['gamma']",
    ),
    "a default for such a name": (
        dict(step='return {"x": state["x"] * p.get("gamma", 1)}'),
        ":11",
        "asks for p['gamma']",
    ),
    "an exception": (dict(step="return int('x')"), ":11", "ValueError"),
    "step sorts rows": (
        dict(step="x = state['x'] - drawn['present'][:, :1]\nreturn {'x': problem.xp.sort(x, axis=0)}"),
        ":10",
        "mix rows",
    ),
    "step mixes rows through the first": (
        dict(step="x = state['x'] - drawn['present'][:, :1]\nreturn {'x': x - x[:1]}"),
        ":10",
        "mix rows",
    ),
    "step mixes rows through the last": (
        dict(step="x = state['x'] - drawn['present'][:, :1]\nreturn {'x': x - x[-1:]}"),
        ":10",
        "mix rows",
    ),
}  # fmt: skip


@pytest.mark.parametrize("how", BROKEN)
def test_what_breaks_the_contract_is_told_with_file_and_line(tmp_path, how):
    pieces, line, told = BROKEN[how]
    path = own_file(tmp_path, before=RNG, **pieces)
    with pytest.raises(FedboundsError) as caught:
        load(path)
    message = str(caught.value)
    assert message.startswith(path + line), message
    assert told in message
    assert "\n" not in message


MIXED = {
    "their mean": lambda x: x + x.mean(axis=0),
    "their sum": lambda x: x + x.sum(axis=0),
    "the first": lambda x: x + x[:1],
    "the last": lambda x: x + x[-1:],
    "the next": lambda x: x + np.roll(x, -1, axis=0),
    "the one before": lambda x: x + np.roll(x, 1, axis=0),
    "all before": lambda x: np.cumsum(x, axis=0),
    "the largest": lambda x: x + x.max(axis=0),
    "the least": lambda x: x + x.min(axis=0),
    "its place": lambda x: x + np.arange(len(x))[:, None],
    "order": lambda x: np.sort(x, axis=0),
}


@pytest.mark.parametrize("rows", range(2, 13))
@pytest.mark.parametrize("how", MIXED)
def test_rows_that_see_others_are_told_whatever_their_number(how, rows):
    """Of rows in no order: each has a number of its own."""
    x = np.array([[(5 * k) % 13 + 1] for k in range(rows)], dtype=float)
    problem, _ = quadratic([[[1]]], [[1]], [4])
    own = Algorithm(
        None, None, lambda problem, p, state, drawn: {"x": MIXED[how](state["x"])}, "own"
    )
    with pytest.raises(FedboundsError, match="mix rows"):
        stepped(own, Clients(problem), Parameters({}), {"x": x}, {})
    plain = Algorithm(None, None, lambda problem, p, state, drawn: {"x": 2 * state["x"]}, "own")
    after, _ = stepped(plain, Clients(problem), Parameters({}), {"x": x}, {})
    assert (after["x"] == 2 * x).all()


@pytest.mark.parametrize("how", ["their mean", "the last", "order"])
def test_a_step_that_steers_a_search_is_not_held_against_itself_and_what_is_judged_is(how):
    problem, start = quadratic([[[1]], [[3]]], [[1], [-2]], [4])
    own = Algorithm(
        lambda problem, start: {"x": start},
        lambda random, problem, p: {"present": random.participants(2, 1)},
        lambda problem, p, state, drawn: {"x": MIXED[how](state["x"] - drawn["present"][:, :1])},
        "own",
    )
    subject = Subject(own, Clients(problem), start, {}, 1)
    with pytest.raises(FedboundsError, match="mix rows"):
        every_outcome(subject)
    assert len(every_outcome(replace(subject, steers=True)).rounds) == 1


def run_of(theory, rounds=2):
    problem, start = quadratic([[[1]], [[3]]], [[1], [-2]], [4])
    values = (("m", fmpq(1)), ("eta", fmpq(1, 8)))
    return setup_on(theory, (problem, start), values, rounds)


def enumerated(run, own):
    """Series of the standard quantities and of more of them."""
    subject, view = traced(run)
    known = standard(view.shown, infimum=False, minimiser=True)
    return by_enumeration(subject, Asked(own, known, {"n": subject.problem.clients})).series


EXACT = {
    "a float factor": (
        dict(step='return {"x": 0.5 * state["x"]}'),
        "write x / 2, not 0.5 * x",
    ),
    "floats in the state": (
        dict(
            init='return {"x": start, "c": problem.xp.zeros((1, 1))}',
            step='return {"x": state["x"] / 2, "c": state["c"]}',
        ),
        "init returned 'c' in floats",
    ),
    "floats made by step": (
        dict(
            init='return {"x": start, "c": start * 0}',
            step='return {"x": state["x"] / 2, "c": problem.xp.zeros(state["x"].shape)}',
        ),
        "step returned 'c' in floats",
    ),
}


@pytest.mark.parametrize("how", EXACT)
def test_exact_runs_do_not_meet_floats(tmp_path, how):
    pieces, told = EXACT[how]
    theory = loaded(tmp_path, **pieces)
    with pytest.raises(FedboundsError, match="mine.py:.*") as caught:
        enumerated(run_of(theory), {})
    assert told in str(caught.value)


QUANTITIES = {
    "its shape": (lambda p, s: s["x"], "expected one number per row"),
    "floats": (lambda p, s: s["x"][:, 0].astype(float), "in floats"),
    "floats as objects": (lambda p, s: s["x"][:, 0].astype(float).astype(object), "in floats"),
    "rows that are mixed": (lambda p, s: (s["x"] - s["x"].mean())[:, 0], "mix rows"),
    "rows and the first": (lambda p, s: (s["x"] - s["x"][:1])[:, 0], "mix rows"),
    "rows and the last": (lambda p, s: (s["x"] - s["x"][-1:])[:, 0], "mix rows"),
    "an exception": (lambda p, s: s["y"], "KeyError"),
}


@pytest.mark.parametrize("how", QUANTITIES)
def test_quantities_that_are_no_number_of_a_row_are_refused(tmp_path, how):
    function, told = QUANTITIES[how]
    theory = loaded(tmp_path)
    with pytest.raises(FedboundsError, match="test_contract.py:") as caught:
        enumerated(run_of(theory), {"Z": function})
    assert told in str(caught.value)


def test_what_the_contract_allows_is_not_refused(tmp_path):
    """State beside the model, selection by draws, helpers, whole numbers, in-place on own arrays."""
    theory = loaded(
        tmp_path,
        before="HALF = 2\ndef helper(x):\n    return x / HALF",
        init='return {"x": start, "k": problem.xp.zeros((1, 1), dtype=int)}',
        draw='return {"i": random.index(problem.clients)}',
        step="""
            rows = problem.xp.arange(len(drawn["i"]))
            y = problem.gradient(state["x"])[rows, drawn["i"], :]
            y *= 1 / p["m"]
            return {"x": helper(state["x"] - p["eta"] * y), "k": state["k"] + 1}
        """,
    )
    found = enumerated(run_of(theory), {})
    assert len(found["D_W"]) == 3


@pytest.mark.parametrize(
    "of", [lambda m: 1 / m, lambda m: 1 / (m + 1), lambda m: 1 / (2 * m), lambda m: (m - 1) / 3,
           lambda m: 1 / (1 - m * m), lambda m: (1 + m) / (m * 2)],
)  # fmt: skip
def test_counts_divide_exactly(of):
    from fractions import Fraction

    found = of(Count(3))
    assert isinstance(found, fmpq)
    assert Fraction(str(found)) == of(Fraction(3))


def test_counts_are_whole_numbers_for_everything_else():
    m = Count(3)
    assert list(range(m)) == [0, 1, 2]
    assert [7, 8, 9, 10][m] == 10
    assert m // 2 == 1
    assert np.zeros((m, 2)).shape == (3, 2)
    assert (m * np.arange(2)).tolist() == [0, 3]


def test_the_round_divides_exactly(tmp_path):
    step = 'return {"x": state["x"] * (1 / (p["t"] + 2))}'
    theory = loaded(tmp_path, step=step)
    square = {"Z": lambda problem, state: state["x"][:, 0]}
    found = enumerated(run_of(theory, 3), square)
    assert found["Z"].tolist() == [4, 2, fmpq(2, 3), fmpq(1, 6)]


def test_a_run_that_divides_by_0_is_counted_and_the_others_are_judged(tmp_path):
    """At rest the gradient is 0, and a step divides by its norm."""
    step = """
        g = problem.full_gradient(state["x"])
        size = problem.xp.sum(g * g, axis=1)[:, None]
        return {"x": state["x"] - p["eta"] * g * (size / size)}
    """
    body = 'me.claim("a", "f(t+1) <= f(t)", conditions=["eta <= 1/L"])'
    problems = "[quadratic([[[2]]], [[0]], [0]), quadratic([[[2]]], [[0]], [1])]"
    rows = judged(
        tmp_path, body=body, draw="return {}", step=step, parameters='{"eta": "edges"}',
        problems=problems,
    )  # fmt: skip
    assert rows["a"]["standing"] == "tested"
    assert set(rows["a"]["readings"][0]["counts"]) == {"not violated", "undecided"}
