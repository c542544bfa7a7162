"""Runs that are tried, of a theory that no file declares: a view and plain data are enough."""

import pytest
from flint import fmpq

from fedbounds.algorithms.traced import Algorithm
from fedbounds.errors import FedboundsError
from fedbounds.own import quadratic
from fedbounds.theory.language import contributed
from fedbounds.theory.language.catalogue import Paper
from fedbounds.theory.language.setups import GIVEN, Objective, Run, Setup, Shown, View
from fedbounds.theory.language.symbols import SHARED, VectorSymbol
from fedbounds.theory.proof.vectors import sq
from fedbounds.verify.decide.case import find
from fedbounds.verify.setups.found import view_of

X, Y = VectorSymbol("x", "x"), VectorSymbol("y", "y")


def _step(problem, p, state, drawn, see):
    y = problem.spread(state["x"]) - p["eta"] * (
        problem.gradient(state["x"]) + drawn["e"][:, :, 0, :]
    )
    see(y=y)
    return {"x": problem.xp.sum(y, axis=1) / problem.clients}


DESCENT = Algorithm(
    lambda problem, start: {"x": start},
    lambda random, problem, p: {"e": random.noise(problem, 1)},
    _step,
    "descent",
)


def _square(problem, state, p):
    return p["eta"] * (state["x"] ** 2).sum(axis=1)


def view(**more):
    shown = Shown(indices={"i": ""}, vectors={"x": (), "x_next": (), "y": ("i",)})
    given = {
        "quantities": {"Apart": sq(Y - X)},
        "functions": {"Z": _square},
        "constants": {"c0": lambda problem, start, p: start[0] * p["T"]},
        "takes": ("eta",),
        "problems": (quadratic([[[5]]], [[0]], [1])[0],),
    }
    return View("descent", DESCENT, shown, "descent", tried=True, **{**given, **more})


@pytest.fixture
def theory():
    """Makes a view that of a theory, for one test."""

    def made(own):
        paper = Paper("tries", "A theory", ("A. Nobody",), ())
        found = contributed.Contribution(
            paper, {}, None, lambda *_: (), SHARED, views={"runs": own}
        )
        contributed.contribute(found)
        return lambda problem, rounds=3, start=(2,), eta="1/4": Setup(
            "tries", "runs", Run(problem, start, (("eta", eta),), rounds)
        )

    yield made
    contributed._KNOWN.pop("tries", None)


def on(noise=0, law="rademacher"):
    data = {"hessians": [[[1]], [[3]]], "slopes": [[0], [0]], "noise": noise, "law": law}
    return Objective("quadratics", tuple(data.items()))


@pytest.mark.parametrize("law", ["rademacher", "gaussian"])
def test_outcomes_are_listed_where_they_are_few_else_moments_are_followed(theory, law):
    """x+ = x/2 + (e + e')/8 with E e^2 = 1/4; y_i - x = -(h_i x + e_i)/4."""
    shown = find(theory(view())(on("1/2", law)))
    assert (
        shown.family
        == f"descent on quadratics, {'enumerated' if law[0] == 'r' else 'exact moments'}"
    )
    squares = [fmpq(4)]
    for _ in range(3):
        squares.append(squares[-1] / 4 + fmpq(1, 128))
    assert list(shown.series["Z"]) == [x / 4 for x in squares]
    assert list(shown.series["D_W"]) == squares
    assert list(shown.series["Apart"]) == [(5 * x + fmpq(1, 4)) / 16 for x in squares[:3]]
    assert shown.parameters["c0"] == 6
    assert not shown.missing


def test_a_problem_may_be_given_by_its_number(theory):
    setups = theory(view())
    shown = find(setups(Objective(GIVEN, (("number", 0),)), eta="1/10"))
    assert list(shown.series["D_W"]) == [4 / fmpq(4) ** t for t in range(4)]
    with pytest.raises(FedboundsError, match="problem is 1; expected below 1"):
        find(setups(Objective(GIVEN, (("number", 1),))))


def test_what_no_method_measures_has_the_reasons_of_both(theory):
    def cubed(problem, p, state, drawn, see):
        see(y=problem.spread(state["x"]))
        return {"x": state["x"] ** 3 / 64 + drawn["e"].sum(axis=(1, 2)) / 8}

    own = Algorithm(DESCENT.init, DESCENT.draw, cubed, "cubes")
    shown = find(theory(View(**{**vars(view()), "algorithm": own}))(on("1/2", "gaussian")))
    for name in ("Z", "Apart", "D_W"):
        assert "infinitely many outcomes" in shown.missing[name]
        assert "not affine in the state" in shown.missing[name]


def test_other_parameters_and_theories_that_are_not_loaded_are_refused(theory):
    setups = theory(view(takes=("eta", "K")))
    with pytest.raises(FedboundsError, match="parameters"):
        view_of(setups(on()))
    contributed._KNOWN.pop("tries")
    with pytest.raises(FedboundsError, match="'tries' is not loaded; name its file"):
        view_of(setups(on()))


def test_a_wrong_sign_is_told(theory):
    with pytest.raises(FedboundsError, match="the quantity 'Z' is -1 on a run"):
        find(theory(view(functions={"Z": lambda q, s: -(s["x"] ** 2).sum(axis=1) / 4}))(on()))
