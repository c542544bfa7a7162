"""Where the set-ups of a theory are looked at: views that show a part, and what runs alone tell."""

from dataclasses import replace

import numpy as np
import pytest
import sympy as sp
from flint import arb, fmpq

from fedbounds.theory.language.claims import Condition, read
from fedbounds.theory.language.registry import claim, sought, views
from fedbounds.theory.language.setups import Setup
from fedbounds.theory.language.sought import Steps
from fedbounds.theory.language.symbols import D_W, L, Mean_t, T, eta, f, t
from fedbounds.verify.decide.conditions import refusal
from fedbounds.verify.decide.measurement import measure
from fedbounds.verify.measure.balls import Ball
from fedbounds.verify.measure.norms import mean_norm
from fedbounds.verify.measure.surely import nearly
from fedbounds.verify.search import explore
from fedbounds.verify.search.closest import _terms
from fedbounds.verify.search.seeking import spaces
from fedbounds.verify.search.tape import Tape
from fedbounds.verify.setups.inside import NoStepsError, steps_inside

SEARCHED = ("fedplt", "submodel", "meerkat")


def seen_in(claim_id, part):
    """The views in which a part is searched."""
    found = claim(claim_id)
    return {space.sought.view for space in spaces(found, found.part(part))}


def test_a_part_is_searched_where_it_is_shown_alone():
    assert seen_in("fedplt/A2.4", "equal") == {"one step", "local steps"}
    assert seen_in("fedplt/constant-step", "unrolled, given") == {"many rounds", "recursion"}
    assert seen_in("fedplt/recursion", "round, free psi") == {"rounds, free psi"}
    # a box is no domain without constraint, and coverage is said of masks that roll
    assert seen_in("submodel/lem-2-quad", "monotone") == {"random masks at points"}
    rolling = {"rolling masks at points", "rolling masks at points in a box"}
    assert seen_in("submodel/lem-8", "convex") == rolling


def test_what_is_said_to_be_the_view_is_one_of_what_is_searched():
    for paper in SEARCHED:
        every = views(paper)
        named = [one for one in sought(paper) if one.view]
        assert named
        assert all(every[one.view].runs == one.runs for one in named)


def some(space, count):
    """Set-ups of random answers."""
    for seed in range(count):
        tape = Tape(space, {}, np.random.default_rng(seed), corner=seed)
        case = explore.case_of([space.part], tape)
        if case is not None:
            yield case


APPLIES = (
    ("fedplt/recursion", "round"),
    ("fedplt/decaying-step", "of the algorithm"),
    ("fedplt/alignment-interpretation", "worse, both negative"),
    ("submodel/lem-7", "Lipschitz"),
    ("submodel/thm-1", "distance"),
    ("submodel/thm-5", "c"),
    ("submodel/claim-roll-vs-random", "distance"),
    ("meerkat/thm-2.1-explicit", ""),
    ("meerkat/thm-2.2-explicit", "D_delta positive"),
)


@pytest.mark.parametrize(("claim_id", "part"), APPLIES)
def test_some_random_set_up_meets_all_premises(claim_id, part):
    found = claim(claim_id)
    own = found.part(part)
    cases = (case for space in spaces(found, own) for case in some(space, 30))
    assert any(
        refusal(own, case, explore.as_floats(measure(case).numbers)) is None for case in cases
    )


def test_conditions_on_what_a_run_tells_do_not_choose_steps():
    part = replace(
        claim("fedplt/recursion").part("round"),
        conditions=(Condition(eta, "<=", 1 / L), Condition(eta, "<=", 1 / sp.Symbol("told"))),
    )
    known = {"L": fmpq(4)}
    steps = Steps(largest={"eta": sp.Integer(1)}, told=frozenset({"told"}))
    assert steps_inside(part, steps, known, {}, 8) == {"eta": fmpq(1, 4)}
    with pytest.raises(NoStepsError, match="no value for told"):
        steps_inside(part, replace(steps, told=frozenset()), known, {}, 8)


# ---- what steers


def test_a_change_from_round_to_round_is_one_term():
    """Or short steps alone would bring both sides of a recursion together."""
    part = claim("fedplt/recursion").part("round")
    change = D_W(t) - D_W(t + 1)
    assert change in _terms(part)
    assert sp.expand(sp.Add(*_terms(part)) - part.right + part.left) == 0
    alone = replace(part, left=D_W(t + 1), right=D_W(t))  # no sign, but a size is looked for
    assert set(_terms(alone)) == {D_W(t), -D_W(t + 1)}


def test_the_objective_is_one_term_where_its_zero_is_of_no_account():
    """Else a bound on its mean by its first value would be that alone, whatever they are."""
    descent = claim("meerkat/eq-13").part("any step")
    assert f(0) - f(T) in _terms(descent)
    mean = claim("meerkat/thm-2.1-explicit").part("")
    assert -Mean_t(f(t)) in _terms(mean)
    assert len(_terms(mean)) == 5


def test_the_mean_of_a_norm_within_balls_is_one():
    low, high = Ball(arb(4, 1e-20)), Ball(arb(9, 1e-20))
    found = mean_norm(low, high, signed=False)
    assert [found.contains(x) for x in (2, 3, 4)] == [True, True, False]
    assert abs(float(mean_norm(low, high, signed=True)) - 2) < 1e-9


@pytest.mark.parametrize(("relation", "near"), [("==", True), ("<=", True), ("<", False)])
def test_numbers_as_good_as_equal_count_as_such_where_equality_holds(relation, near):
    assert nearly(relation, fmpq(1, 3), arb(1) / 3) is near
    assert not nearly(relation, fmpq(1, 3), fmpq(1, 2))


def test_equalities_of_balls_are_premises_of_a_search_and_of_no_judgement():
    """Delta of Assumption B.5 is a rational; the distance that it is, within a ball."""
    found = claim("meerkat/eq-15")
    part = read(found, found.readings[0])[0]
    (space,) = (one for one in spaces(found, part) if one.sought.view == "rounds")
    case = next(one for one in some(space, 60) if dict(one.setup.setup.chosen)["Delta"] != 0)
    assert isinstance(case.setup.setup, Setup)
    told = [
        refusal(part, one, explore.as_floats(measure(one).numbers))
        for one in (replace(case, setup=replace(case.setup, bits=128)),)
    ]
    assert all(one is None or "Delta" not in one.reason for one in told)
