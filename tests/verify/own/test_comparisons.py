"""`==` in a user's file, between rationals of runs and floats; else it is Python's."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st
from own_files import judged, loaded

from fedbounds.errors import FedboundsError
from fedbounds.verify.own.entries import Entry
from fedbounds.verify.own.run_comparisons import comparing, watched
from fedbounds.verify.own.run_fractions import RunFraction
from fedbounds.vocabulary import Standing

# x+ = x/2 from 4, or x+ = x where the test says no
HALVED = {
    "problems": "[quadratic([[[2]]], [[0]], [4])]",
    "parameters": '{"m": (1,), "eta": (0.25,)}',
    "body": 'me.claim("a", "D_W(t+1) <= D_W(t)/4")',
    "before": "from fractions import Fraction\ndef near(x): return x == 0.25\n",
}
STEP = """
    if {test}:
        return {{"x": state["x"] - p["eta"] * problem.full_gradient(state["x"])}}
    return {{"x": state["x"]}}
"""


@pytest.mark.parametrize(
    "test",
    [
        "p['eta'] == 0.25",
        "not 0.25 != p['eta']",
        "p['eta'] in (0.5, 0.25)",
        "not p['eta'] not in {0.25: 1}",
        "0 < p['eta'] == 0.25 < 1",
        "near(p['eta'])",
        "[x for x in (1,) if p['eta'] == 0.25 * x]",
        "not (state['x'] == 0.0).any()",
        "not (np.zeros(1) == state['x']).any()",
    ],
)
def test_a_rational_and_a_float_are_not_asked_whether_they_are_equal(test, tmp_path):
    """Planted: each is no, in silence, where a run in floats says yes."""
    pieces = HALVED | {"before": HALVED["before"] + "import numpy as np\n"}
    said = r"mine\.py:\d+: .*it asks whether .* is equal to the float .*write 2 \* x == 1"
    with pytest.raises(FedboundsError, match=said):
        judged(tmp_path, **pieces, step=STEP.format(test=test))


@pytest.mark.parametrize(
    "test",
    [
        "4 * p['eta'] == 1",
        "p['eta'] == Fraction(1, 4)",
        "p['eta'] in (Fraction(1, 2), Fraction(1, 4))",
        "problem.clients == 1.0",
        "not (state['x'] == 0).all()",
        "1 < 2 == 2 != 3 is not None",
        "'a' in 'abc' and 5 not in range(3)",
    ],
)
def test_what_may_be_asked_is_what_it_was(test, tmp_path):
    row = judged(tmp_path, **HALVED, step=STEP.format(test=test))["a"]
    assert row["standing"] == Standing.TESTED


VALUES = st.sampled_from(["0", "1", "0.5", "'a'", "(1, 2)", "[0.5, 1]", "{1: 2}", "None"])
OPERATORS = st.sampled_from(["==", "!=", "in", "not in", "is", "is not", "<", "<=", ">", ">="])


@given(VALUES, st.lists(st.tuples(OPERATORS, VALUES), min_size=1, max_size=4))
def test_programs_say_what_they_say_in_python(first, later):
    """With what is asked for on the way, in its order; chains stop where Python does."""
    every = [first, *(value for _, value in later)]
    text = f"told(0, {first})" + "".join(
        f" {own} told({at}, {value})" for at, (own, value) in enumerate(later, 1)
    )
    assert len(every) == len(later) + 1

    def run(program, names):
        seen = []

        def told(at, value):
            seen.append(at)
            return value

        try:
            exec(program, names | {"told": told, "found": seen})
        except TypeError:
            return seen, TypeError
        return seen, names

    def outcome(program, names):
        kept = {}
        seen, error = run(program, names | {"kept": kept})
        return seen, kept.get("it"), error is TypeError

    source = f"kept['it'] = {text}"
    plain = compile(source, "mine.py", "exec")
    own = compile(watched(source, "mine.py"), "mine.py", "exec")
    assert outcome(own, comparing()) == outcome(plain, {})


@pytest.mark.parametrize("number", [fmpq(1, 2), Entry(fmpq(1, 2)), np.array([fmpq(1, 2)])])
@pytest.mark.parametrize(
    "other",
    [0.5, np.float64(0.5), np.float32(0.5), np.array([0.5]), np.array([1, 0.5], dtype=object),
     Fraction(1, 2), Decimal("0.5"), 0.5 + 0j],
)  # fmt: skip
def test_every_kind_of_either_is_seen(number, other):
    names = comparing() | {"a": number, "b": other}
    for text in ("a == b", "b != a"):
        with pytest.raises(FedboundsError, match="is equal to the "):
            exec(compile(watched(text, "mine.py"), "mine.py", "exec"), names)


@pytest.mark.parametrize("other", [1, np.int64(1), True, fmpq(1), RunFraction(1), "a", None])
def test_whole_numbers_and_fractions_of_a_file_are_asked(other):
    names = comparing() | {"a": fmpq(1), "b": other}
    exec(compile(watched("c = a == b", "mine.py"), "mine.py", "exec"), names)
    assert names["c"] is (other not in ("a", None))


def test_names_that_are_set_on_the_way_are_those_of_the_file():
    """In chains too, and in functions, classes and comprehensions."""
    text = """
def seen(x):
    if 0 < x == (n := 5) != 6:
        return n
    return [y for y in range(9) if 1 < y == x]
class A:
    high = 2
    same = 1 < high == 2
two = 2
class B:
    low = [y for y in range(3) if 0 < y == 1]
found = seen(5), seen(3), A.same, [z for z in (range(3) if 0 < two == 2 else ()) if 0 < z == 2]
"""
    plain, own = {}, comparing()
    exec(text, plain)
    exec(compile(watched(text, "mine.py"), "mine.py", "exec"), own)
    assert own["found"] == plain["found"] == (5, [3], True, [2])
    assert own["B"].low == plain["B"].low == [1]


def test_a_file_that_is_no_program_is_told_with_its_line(tmp_path):
    with pytest.raises(FedboundsError, match=r"mine\.py:\d+: invalid syntax"):
        loaded(tmp_path, before="x ==")
