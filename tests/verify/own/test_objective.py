"""Objectives of one's own: what a file states is believed only as far as it says why."""

import pytest
from own_files import judged, own_file

from fedbounds.errors import FedboundsError
from fedbounds.verify.own.load import load

# f_i(y) = softplus-like: (y - i)^2/2 + cos(y)/2, L = 3/2, mu = 1/2; f is at least 1/8 - 1/2
BEFORE = """
import numpy as np
SHIFT = np.array([0.0, 1.0])[None, :, None]
def slopes(y):
    return (y - SHIFT) - np.sin(y) / 2
def heights(y):
    return (((y - SHIFT) ** 2) / 2 + np.cos(y) / 2).sum(axis=2)
"""
STATED = '{"L": (1.5, "certified"), "mu": (0.5, "certified")}'


def pieces(
    constants=STATED,
    assumptions='["strongly convex clients"]',
    infimum='(-0.5, "certified")',
    more="",
):
    made = (
        "[(objective(clients=2, dimension=1, gradient=slopes, value=heights, "
        f"constants={constants}, assumptions={assumptions}, infimum={infimum}{more}), [2.0])]"
    )
    return {"before": BEFORE, "problems": made, "parameters": '{"m": ("n",), "eta": ("1/(4*L)",)}'}


def counts(row):
    return set(row["readings"][0]["counts"])


CLAIMS = """
me.claim("gap", "f(t+1) <= 2*f(t)", conditions=["eta <= 1/L"])
me.claim("curves", "G_u(t) <= 8*L*f(t)", assumptions=["strongly convex clients"])
me.claim("free", "f(t) <= 100")
me.claim("false", "f(t+1) >= 2*f(t)")
me.claim("far", "D_W(t) <= 100")
"""


AT_EDGES = {"parameters": '{"m": ("n",), "eta": "edges"}'}


def test_constants_that_the_file_vouches_for_give_verdicts(tmp_path):
    found = judged(tmp_path, body=CLAIMS, **pieces() | AT_EDGES)
    assert found["gap"]["standing"] == "tested"
    assert found["curves"]["standing"] == "tested"
    assert found["false"]["standing"] == "refuted"  # in balls
    assert counts(found["false"]) == {"violated"}
    assert counts(found["far"]) == {"not applicable"}  # without a minimiser there is no distance


def test_bare_constants_give_no_verdict_to_claims_that_use_them(tmp_path):
    found = judged(tmp_path, body=CLAIMS, **pieces(constants='{"L": 1.5, "mu": 0.5}'))
    assert counts(found["gap"]) == counts(found["curves"]) == {"undecided"}
    assert found["gap"]["standing"] == "open"
    assert found["free"]["standing"] == "tested"  # it uses none


def test_assumptions_that_are_not_stated_are_not_known(tmp_path):
    found = judged(tmp_path, body=CLAIMS, **pieces(assumptions="[]"))
    assert counts(found["curves"]) == {"not applicable"}


def test_quantities_and_noise_of_objectives(tmp_path):
    body = 'me.constant("cv", "noise", lambda p, s: 0.25)\nme.claim("v", "sigma2 == cv")'
    body += '\nme.claim("b", "B(t) <= 100")'
    found = judged(tmp_path, body=body, **pieces(more=", noise=0.5"))
    assert "not violated" in counts(found["b"])
    assert counts(found["v"]) == {"undecided"}  # a constant in floats is an estimate
    exact = body.replace("0.25", "p.noise_scale**2")
    found = judged(tmp_path, body=exact, **pieces(more=", noise=0.5"))
    assert counts(found["v"]) == {"not violated"}


REFUSED = {
    "L too small": (pieces('{"L": (1.2, "certified")}'), "L is 1.2; two points show at least 1.4"),
    "mu too large": (pieces('{"mu": (0.6, "certified")}'), "mu is 0.6; two points show at most 0.5"),
    "an infimum too high": (pieces(infimum="0.6"), "infimum is 0.6; expected at most"),
    "a gradient of something else": (
        {**pieces(), "before": BEFORE.replace("- np.sin(y) / 2", "+ np.sin(y) / 2")},
        "gradient and value of the objective disagree",
    ),
    "a gradient's shape": (
        {**pieces(), "before": BEFORE.replace("- np.sin(y) / 2", "- np.sin(y)[:1]/2").replace(
            "return (y - SHIFT)", "return (y - SHIFT)[:1]")},
        "shape of the gradients is (1, 2, 1)",
    ),
    "a value's shape": (
        {**pieces(), "before": BEFORE.replace(".sum(axis=2)", "")},
        "shape of the values is (64, 2, 1)",
    ),
    "an exception": (
        {**pieces(), "before": BEFORE.replace("np.sin(y) / 2", "y.nothing")},
        "AttributeError",
    ),
    "an unknown constant": (pieces('{"LL": 1}'), "unknown constant 'LL'"),
    "an unknown word": (pieces('{"L": (2, "sure")}'), "unknown provenance 'sure'"),
    "an unknown assumption": (pieces(assumptions='["convexity"]'), "unknown assumption"),
    "a minimiser that is none": (pieces(more=", minimiser=[3.0]"), "mean gradient vanishes"),
    "a minimiser's shape": (pieces(more=", minimiser=[3.0, 1.0]"), "shape of the minimiser"),
    "a start's shape": (
        {**pieces(), "problems": pieces()["problems"].replace("[2.0]", "[2.0, 1.0]")},
        "shape of a start is (2,)",
    ),
    "no start": ({**pieces(), "problems": "[" + pieces()["problems"][2:-9] + "]"}, "expected a list of pairs"),
}  # fmt: skip


@pytest.mark.parametrize("how", REFUSED)
def test_what_points_refute_is_refused_with_file_and_line(tmp_path, how):
    given, told = REFUSED[how]
    path = own_file(tmp_path, **given)
    with pytest.raises(FedboundsError) as caught:
        load(path)
    assert str(caught.value).startswith(f"{path}:"), str(caught.value)
    assert told in str(caught.value)


def test_an_infimum_that_a_run_goes_below_is_an_error(tmp_path):
    """Random points do not see it: it is only a little too high, and the run reaches it."""
    # the least mean value is 0.51575, at y = 0.888
    low = judged(tmp_path, body=CLAIMS, **pieces(infimum='(0.5157, "certified")'))
    assert low["free"]["standing"] == "tested"
    deep = pieces(infimum='(0.5158, "certified")')
    deep["parameters"] = '{"m": ("n",), "eta": ("1/L",)}'
    with pytest.raises(FedboundsError, match="the gap f is -.* expected an infimum"):
        judged(tmp_path, body=CLAIMS, more="rounds=(12,)", **deep)


def test_a_stated_minimiser_measures_the_distance(tmp_path):
    more = ', minimiser=([float(BEST)], "certified")'
    solve = (
        BEFORE
        + """
from scipy.optimize import brentq
BEST = brentq(lambda y: slopes(np.full((1, 2, 1), y)).mean(), -5, 5, xtol=1e-14)
"""
    )
    given = {**pieces(more=more), **AT_EDGES, "before": solve}
    body = """me.claim("in", "D_W(t+1) <= D_W(t)", conditions=["eta <= 1/L"])"""
    assert judged(tmp_path, body=body, **given)["in"]["standing"] == "tested"


def test_a_bare_infimum_gives_no_verdict_to_what_is_measured_from_it(tmp_path):
    found = judged(tmp_path, body=CLAIMS, **pieces(infimum="-0.5"))
    for name in ("gap", "curves", "free", "false"):
        assert counts(found[name]) == {"undecided"}, name
        assert found[name]["standing"] == "open"
    assert "an infimum that is stated" in found["free"]["reason"]


OWN = """
me.quantity("Z", "distance of one's own", lambda p, s: ((s["x"] - p.minimiser) ** 2).sum(axis=1))
me.claim("far", "D_W(t) <= 100")
me.claim("own", "Z(t) <= 100")
me.claim("slope", "G_u(t) <= 1000")
"""


@pytest.mark.parametrize(
    ("stated", "expected"), [("BEST", "open"), ('(BEST, "certified")', "tested")]
)
def test_a_bare_minimiser_gives_no_verdict_to_distances(tmp_path, stated, expected):
    more = f", minimiser={stated}"
    solve = (
        BEFORE
        + """
from scipy.optimize import brentq
BEST = [brentq(lambda y: slopes(np.full((1, 2, 1), y)).mean(), -5, 5, xtol=1e-14)]
"""
    )
    found = judged(tmp_path, body=OWN, **{**pieces(more=more), "before": solve})
    assert {name: found[name]["standing"] for name in ("far", "own", "slope")} == {
        "far": expected,
        "own": expected,
        "slope": "tested",
    }


WRAPPED = """
from functools import lru_cache, partial
@lru_cache(maxsize=None)
def best(problem):
    return problem.minimiser
"""
RESTS = """
me.constant("R", "distance", lambda problem, start: ((start - problem.minimiser) ** 2).sum())
me.assumption("rests", lambda problem, start, p: bool((start == problem.minimiser).all()))
me.claim("gap", "f(T) <= 99*R", assumptions=["smooth"])
me.claim("rest", "G_u(t) <= 0", assumptions=["rests"])
me.claim("free", "G_u(t + 1) <= 9*G_u(t)")
"""


@pytest.mark.parametrize(
    ("init", "free"),
    [
        ('return {"x": start}', "tested"),
        ('return {"x": best(problem)[None, :]}', "open"),
        ('return {"x": partial(best, problem)()[None, :]}', "open"),
    ],
)
def test_nothing_firm_rests_on_a_minimiser_that_is_an_estimate(tmp_path, init, free):
    given = pieces(more=", minimiser=[0.3]".replace("0.3", "float(SOLVED)"))
    solve = "\nfrom scipy.optimize import brentq\n"
    solve += "SOLVED = brentq(lambda y: slopes(np.full((1, 2, 1), y)).mean(), -5, 5, xtol=1e-14)\n"
    given["problems"] = given["problems"].replace('"strongly convex clients"', '"smooth"')
    rows = judged(
        tmp_path, body=RESTS, **given | {"before": given["before"] + solve + WRAPPED, "init": init}
    )
    assert rows["gap"]["standing"] == "open"
    assert rows["rest"]["standing"] == "open"
    assert rows["free"]["standing"] == free
