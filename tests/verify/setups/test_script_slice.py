"""What nobody looks at is left out of quoted functions, and nothing else."""

import ast

import pytest

from fedbounds.verify.setups.script_slice import sliced, standing

TEXT = '''
def step(problem, p, state, drawn, see):
    """A step."""
    shown = _at(problem, p, state["x"])
    more = {"a": 1, **{"b": drawn["b"] * 2}, **shown}
    see(c=costly(p), d=shown["d"], **more)
    return {"x": state["x"] + more["a"]}


def _at(problem: Problem, p: Mapping, x: Array) -> Shown:
    kept = []
    seen, other = [], costly(p)
    for one in x:
        kept.append(one)
        seen.append(one)
    both = costly(p), 2
    return {"d": seen, "e": both, "f": other}


def costly(p):
    return p["cost"]
'''


def left(unseen, roots=("step",)):
    functions = ast.parse(TEXT).body
    return "\n".join(ast.unparse(one) for one in sliced(functions, roots, unseen))


def test_nothing_is_left_out_but_annotations_where_all_is_seen():
    text = left(())
    for word in ("costly(p)", "'e': both", "'f': other", "'b'", "seen.append"):
        assert word in text
    assert "Problem" not in text
    assert "kept" not in text  # which nothing reads


def test_what_serves_the_unseen_alone_goes_with_it():
    text = left(("c", "e", "f"))
    assert "costly" not in text
    assert "both" not in text
    assert "seen = []" in text
    assert "def _at(problem, p, x)" in text


@pytest.mark.parametrize("name", ["a", "b", "d"])
def test_what_is_read_elsewhere_stays(name):
    """more["a"] and shown["d"] are read, drawn["b"] has that name."""
    assert f"'{name}'" in left((name,))


def test_dicts_put_together_are_one():
    assert "more = {'a': 1, 'b': drawn['b'] * 2, **shown}" in left(())


def test_a_function_that_nothing_calls_goes():
    assert "def costly" in left(())
    assert "def step" not in left((), roots=("_at",))


def test_a_name_that_is_looked_up_by_its_text_stays():
    text = """
def step(problem, p, state, drawn, see):
    sums = {"a": [0], "b": [1]}
    for name in ("a", p["b"]):
        sums[name].append(2)
    see(**sums)
    return {}
"""
    (function,) = ast.parse(text).body
    (found,) = sliced([function], ("step",), ("a", "b"))
    assert "'a': [0], 'b': [1]" in ast.unparse(found)


CASES = """
def step(problem, p, state, drawn, see):
    see(x=state["x"], **of(p))
    return {"x": state["x"], **of(p)}


def of(p):
    if p["flag"]:
        return {"low": costly(p), **further(p)}
    return {"low": 2 * costly(p)}


def further(p):
    return {"high": costly(p)}


def costly(p):
    return p["cost"]
"""


def left_of_cases(unseen):
    functions = ast.parse(CASES).body
    return "\n".join(ast.unparse(one) for one in sliced(functions, ("step",), unseen))


def test_functions_of_which_no_entry_is_left_are_not_called():
    assert left_of_cases(()).count("**of(p)") == 2
    text = left_of_cases(("low", "high"))
    assert "of(" not in text
    assert "costly" not in text
    assert "see(x=state['x'])" in text


@pytest.mark.parametrize(("unseen", "stays"), [("low", "further"), ("high", "2 * costly")])
def test_functions_that_still_give_something_stay(unseen, stays):
    text = left_of_cases((unseen,))
    assert text.count("**of(p)") == 2
    assert stays in text
    assert f"'{unseen}'" not in text


SHOWS = """
def step(problem, p, state, drawn, see):
    return rest(p, state, drawn, see)


def rest(p, before, drawn, look):
    after = average(p, before)
    look(y=drawn)
    return after


def average(p, state):
    return state
"""


def test_a_state_that_is_not_looked_at_is_not_made():
    functions = ast.parse(SHOWS.replace("rest(p, state, drawn, see)", "average(p, state)")).body
    standing(functions, "step")
    assert "average" not in ast.unparse(sliced(functions, ("step",), ())[0])


def test_what_shows_vectors_and_makes_the_state_shows_them_still():
    functions = ast.parse(SHOWS).body
    standing(functions, "step")
    text = "\n".join(map(ast.unparse, sliced(functions, ("step",), ())))
    assert "look(y=drawn)" in text
    assert "average" not in text


@pytest.mark.parametrize(
    "more", ["def other(p, x):\n    return rest(p, x, x, x)", "def rest(p, *more):\n    return p"]
)
def test_where_it_is_called_elsewhere_or_otherwise_it_is_left(more):
    text = SHOWS + more if "other" in more else SHOWS.split("def rest")[0] + more
    functions = ast.parse(text).body
    standing(functions, "step")
    assert "return rest(p, state, drawn, see)" in ast.unparse(functions[0])
