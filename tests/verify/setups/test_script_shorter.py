"""Scripts as short as they show the same numbers: what is left out, what is not, and planted errors."""

import ast
from fractions import Fraction as Plain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fedbounds.verify.setups import script_rationals, script_shorter
from fedbounds.verify.setups.script_counts import Counts
from fedbounds.verify.setups.script_inline import put_together, without_names
from fedbounds.verify.setups.script_output import run_here
from fedbounds.verify.setups.script_rationals import Fraction, as_plain
from fedbounds.verify.setups.script_shorter import _without_unread, kept

_BEGIN = '''"""A script."""
from fractions import Fraction as Q
from math import isqrt, prod
# ---- quoted: the algorithm
'''
_FRAME = """
# ---- how every outcome is listed: the same in all scripts
class Count(int):
    __truediv__ = lambda a, b: Q(int(a)) / b
counted = lambda x: Count(x)
def root(x):
    found = Q(isqrt(Q(x).numerator), isqrt(Q(x).denominator))
    return found if found**2 == x else float(x) ** 0.5
def unused(x):
    return isqrt(x)
axes = {"y": []}
seen = {}
"""
_END = """
assert p["n"] > 0  # a premise
left, right = seen["y"], root(Q(49))
print("left", left, "right", right, "right - left", right - left)
"""


def script(algorithm, numbers='p = {"n": Count(4), "box": None, "idle": 1}'):
    """One whose algorithm shows y."""
    return f"{_BEGIN}{algorithm}\n{_FRAME}\n{numbers}\nstep(p, seen.update)\n{_END}"


def short(algorithm, gap, **more):
    """As it is kept; it has its premise, and is no longer than it was."""
    text = script(algorithm, **more)
    found = kept(text, gap)
    assert found is not None
    assert 'assert p["n"] > 0  # a premise' in found
    assert len(found.splitlines()) <= len(text.splitlines())
    ast.parse(found)
    return found


def test_a_branch_that_is_not_taken_and_what_serves_it():
    """With its functions, imports, parameters, and counts where nothing divides two of them."""
    found = short(
        "def far(x):\n    return x + 1\n"
        "def ninth(x):\n    return Q(3, 2) * x\n"
        "def step(p, see):\n"
        "    if p['box'] is not None:\n        see(y=far(p['n']), z=1)\n"
        "    else:\n        see(y=ninth(p['n']), z=2)\n",
        "1",
    )
    for gone in ('box"', "far", "ninth", "unused", "Count", "idle", "prod", "z=", "if p["):
        assert gone not in found
    assert 'see(y=Q(3, 2) * p["n"])' in found
    assert "if found**2 == x else" in found  # what a helping function checks stays


def test_a_branch_that_goes_both_ways_stays():
    """Each of them is asked."""
    found = short(
        "def step(p, see):\n    total = Q(0)\n    for k in range(p['n']):\n"
        "        if k % 2:\n            total += 3\n        else:\n            total += 0\n"
        "    see(y=total)\n",
        "1",
    )
    assert "if k % 2" in found


def test_counts_that_are_divided_stay():
    """2 / 4 is a float without them: sides of another kind are no sides."""
    found = short("def step(p, see):\n    see(y=6 * (p['n'] / p['n']) * Q(1))\n", "1")
    assert "class Count" in found


@pytest.mark.parametrize(
    "algorithm",
    [
        # the called function stores a name that the caller uses afterwards
        "def other(x):\n    y = x * Q(3, 2)\n    return y\n"
        "def step(p, see):\n    y = Q(0)\n    z = other(p['n'])\n    see(y=z + y)\n",
        # its argument is changed inside
        "def other(x):\n    x = x + 2\n    return x * Q(1)\n"
        "def step(p, see):\n    x = p['n']\n    z = other(x)\n    see(y=z + x - 4)\n",
        # a name gets a value twice
        "def step(p, see):\n    a = p['n']\n    b = a + 1\n    a = b + Q(1)\n    see(y=a + 0 * b)\n",
        # a list is added to after it has its name
        "def step(p, see):\n    a = []\n    b = a\n    a.append(Q(6))\n    see(y=b[0])\n",
        # a value is not used, and what makes it adds to a list
        "def other(f, times):\n    x = Q(0)\n    for k in range(times):\n        x = f(k)\n"
        "    return x\n"
        "def step(p, see):\n    every = []\n    def more(k):\n        every.append(Q(k))\n"
        "        return every[-1]\n    last = other(more, p['n'])\n    see(y=sum(every))\n",
        # a comprehension has a variable of the argument's name
        "def other(x, y):\n    return sum(x * y for x in range(y))\n"
        "def step(p, see):\n    x = p['n']\n    see(y=other(x, x) / Q(4))\n",
    ],
)
def test_names_mean_what_they_meant(algorithm):
    """Whatever stands in whose place."""
    short(algorithm, "1")


def test_a_script_that_does_not_run_or_shows_another_gap_is_none():
    """Its text is no witness."""
    algorithm = "def step(p, see):\n    see(y=Q(6))\n"
    assert kept(script(algorithm), "1") is not None
    assert kept(script(algorithm), "2") is None
    assert kept(script(algorithm).replace("isqrt, prod", "isqrt_"), "1") is None
    assert kept(script(algorithm, 'p = {"n": -1}'), "1") is None  # a premise fails
    here = "import sys\np = {'n': 4}\nassert not sys.flags.isolated"
    assert kept(script(algorithm, here), "1") is None  # it runs where it is shortened, not alone


def quoted(text):
    """A module of functions of an algorithm."""
    tree = ast.parse(text)
    for node in tree.body:
        node.quoted = True
    return tree


def test_draws_that_a_step_does_not_look_at_are_not_made():
    for body, left in (
        ("see(y=1)", "step(p, {}, see)"),
        ("see(y=drawn)", "step(p, Random(), see)"),
    ):
        tree = quoted(
            f"def step(p, drawn, see):\n    {body}\ndef run():\n    step(p, Random(), see)"
        )
        _without_unread(tree, Counts())
        assert ast.unparse(tree).endswith(left)


def test_what_is_shown_in_whole_dicts_and_not_looked_at():
    """With the functions that return nothing else, and what their arguments call."""
    found = short(
        "def far(x):\n    return x + 1\n"
        "def away(x, y):\n    return {'w': x}\n"
        "def ends(x):\n    return {'y': x, 'z': x * 2}\n"
        "def step(p, see):\n    see(**ends(Q(6)), **away(p['n'], far(p['n'])))\n",
        "1",
    )
    for gone in ("far", "away", "* 2"):
        assert gone not in found
    kept_ = short(  # a dict that is read otherwise stays whole
        "def ends(x):\n    return {'y': x, 'z': x * 2}\n"
        "def step(p, see):\n    x = Q(3)\n    see(**ends(ends(x)['z']))\n",
        "1",
    )
    assert "* 2" in kept_


def test_one_call_is_put_in_place():
    """Of a function that is called in one place, and not in a loop."""
    tree = quoted("def f(a):\n    b = a + 1\n    return b\ndef g(a):\n    c = f(a)\n    return c\n")
    put_together(tree, Counts())
    without_names(tree.body[0])
    assert ast.unparse(tree) == "def g(a):\n    return a + 1"
    for text in (
        "def f(a):\n    b = a\n    return b\ndef g(a):\n    return [f(x) for x in a]\n",
        "def f(a):\n    b = a\n    return b\ndef g(a):\n    return f(a) + f(1)\n",
        "def f(a):\n    if a:\n        return 1\n    return 2\ndef g(a):\n    return f(a)\n",
    ):
        tree = quoted(text)
        put_together(tree, Counts())
        assert len(tree.body) == 2


def test_a_script_that_ends_early_or_prints_in_its_way_is_no_end_of_ours():
    assert run_here(compile("raise SystemExit(0)", "script", "exec")) is None
    names, printed = run_here(compile('print("a", 1, sep="=", end=";")', "script", "exec"))
    assert (printed, "print" in names) == ("a=1;", True)


# ---- numbers of the run that watches


WHOLE = st.integers(-(10**6), 10**6)
GIVEN = st.one_of(WHOLE, st.fractions(), st.sampled_from(["1/3", "-2.5", 0.75, True, np.int64(3)]))
BRANCHES = (
    "def step(p, see):\n"
    "    if p['box'] is not None:\n        see(y=1)\n"
    "    else:\n        see(y={right})\n"
)


@given(GIVEN, GIVEN.filter(lambda x: Plain(x) != 0), WHOLE)
def test_they_are_the_same_numbers(number, other, whole):
    one, two = Fraction(number), Fraction(other)
    plain, own = Plain(number), Plain(other)
    for found, told in (
        (one + two * whole, plain + own * whole),
        ((whole - one) / two, (whole - plain) / own),
        (-one * two**3, -plain * own**3),
    ):
        assert as_plain(found) == told
        assert str(found) == str(told)
    assert (one < two, one == two) == (plain < own, plain == own)
    if isinstance(number, int) and isinstance(other, int):
        assert as_plain(Fraction(int(number), int(other))) == Plain(number, other)


@pytest.mark.parametrize("number", [None, "a", float("nan"), [1]])
def test_what_is_no_number_is_none(number):
    with pytest.raises((TypeError, ValueError)):
        Fraction(number)


def runs(monkeypatch):
    """Counts how scripts are watched."""
    every, watched = [], script_shorter.watched

    def counted(tree, *, quick):
        every.append(quick)
        return watched(tree, quick=quick)

    monkeypatch.setattr(script_shorter, "watched", counted)
    return every


def test_one_run_is_enough(monkeypatch):
    every = runs(monkeypatch)
    found = kept(script(BRANCHES.format(right="Q(3, 2) * p['n']")), "1")
    assert "box" not in found
    assert "from fractions import Fraction" in found
    assert every == [True]


def test_a_script_with_floats_beside_them_is_watched_as_it_is(monkeypatch):
    every = runs(monkeypatch)
    found = kept(script(BRANCHES.format(right="Q(3, 2) * p['n'] + root(Q(2))")), 1 - 2**0.5)
    assert "box" not in found
    assert every == [True, False]


@pytest.mark.parametrize(
    "test",
    ["p['n'] / 8 == 0.5", "p['n'] / 8 in (0.25, 0.5)", "hasattr(p['n'] / 2, 'limit_denominator')",
     "isinstance(p['n'] / 2, Q)", "type(p['n'] / 2) is Q"],
)  # fmt: skip
def test_what_tells_numbers_apart_is_watched_as_it_is(monkeypatch, test):
    """Planted: with others the other branch is taken, and what is in it is lost."""
    text = script(
        f"def step(p, see):\n    if {test}:\n        see(y=6)\n    else:\n        see(y=5)\n"
    )
    every = runs(monkeypatch)
    right = kept(text, "1")
    assert "see(y=6)" in right
    assert "see(y=5)" not in right
    assert every == [False]
    assert kept(text, "2") is None
    monkeypatch.setattr(script_shorter, "may_be_quick", lambda *_: True)
    assert (kept(text, "2") is None) == test.startswith("isinstance")


def test_what_fails_with_others_alone_is_not_caught(monkeypatch):
    """Planted: compiled rationals have no remainder, and the other branch is taken."""
    text = script(
        "def step(p, see):\n"
        "    try:\n        left = p['n'] / 2 % 3\n"
        "    except TypeError:\n        left = 0\n"
        "    if left:\n        see(y=6)\n    else:\n        see(y=5)\n"
    )
    assert kept(text, "2") is None
    assert "see(y=5)" not in kept(text, "1")
    monkeypatch.setattr(script_shorter, "may_be_quick", lambda *_: True)
    assert kept(text, "2") is not None


def test_a_block_of_which_nothing_is_read_is_still_one():
    found = kept(
        script(
            "def step(p, see):\n"
            "    try:\n        small = p['n'] < 9\n"
            "    except TypeError:\n        small = False\n"
            "    if small:\n        see(y=6)\n    else:\n        see(y=5)\n"
        ),
        "1",
    )
    assert "see(y=5)" not in found
    assert "small" not in found


def test_other_numbers_are_not_kept(monkeypatch):
    """Planted: a number that is off shows in the sides, or in which branch is taken."""
    every = runs(monkeypatch)
    text = script(BRANCHES.format(right="Q(1, 2) if Q(1, 2) < Q(2, 3) else Q(5, 2)"))
    right = kept(text, "13/2")
    assert "Q(5, 2)" not in right
    exact = script_rationals.Fraction
    monkeypatch.setattr(script_rationals, "Fraction", lambda *x: exact(*x) + (x == (1, 2)))
    assert kept(text, "13/2") == right
    assert every == [True, True, False]
