"""Runs on coupled cosines: what balls contain, what was found by another program, what is seen."""

import json
from dataclasses import replace
from fractions import Fraction
from math import cos, isfinite, sin
from pathlib import Path

import numpy as np
import pytest
from flint import arb, fmpq

from fedbounds.errors import ConflictError
from fedbounds.facts import Constant
from fedbounds.problems import Noise, NoiseLaw, Start
from fedbounds.theory.checker.data import Scope
from fedbounds.theory.language.registry import encoded_claims, setups
from fedbounds.theory.personalization import small_cosines as cosines
from fedbounds.theory.proof.library import book_of
from fedbounds.verify.decide.case import find
from fedbounds.verify.decide.profile import Profile
from fedbounds.verify.judge.judge import judge
from fedbounds.verify.measure import enumerated
from fedbounds.verify.measure.balls import Ball
from fedbounds.verify.measure.enumerated import Rows
from fedbounds.verify.measure.trace import subject_of
from fedbounds.verify.setups import steps
from fedbounds.verify.setups.found import view_of
from fedbounds.verify.setups.plan import planned
from fedbounds.verify.setups.steps import Judged
from fedbounds.vocabulary import Method, Verdict

STORED = Path(__file__).parents[2] / "data" / "personalization_cosines.json"
PLANNED = {one.name: one.setup for one in setups("personalization")}
CLOSE = 1e-10  # relative: what floats of that program lose


def stored():
    return json.loads(STORED.read_text())


@pytest.mark.parametrize("name", stored())
def test_balls_contain_what_another_program_found_in_floats(name):
    found, compared = find(PLANNED[name]), 0
    for quantity, rows in stored()[name].items():
        series = found.series[quantity]
        size = max(abs(x) for x in rows if x is not None) + 1e-3
        for ball, number in zip(series, rows, strict=False):
            if number is not None:
                assert isinstance(ball, fmpq) or float(ball.rad()) < 1e-30
                assert abs(float(arb(ball).mid()) - number) <= CLOSE * size, quantity
                compared += 1
    assert compared > 20


@pytest.mark.parametrize(("radius", "rows"), [(0, 1), (1, 2)])
def test_states_in_one_ball_are_merged_into_no_constant(radius, rows):
    """Of one row the mean is that row, and a difference from it would vanish."""
    state = np.array([[Ball(arb(1, radius))], [Ball(arb(1, radius))]], dtype=object)
    chances = np.array([fmpq(1, 2), fmpq(1, 2)], dtype=object)
    assert len(enumerated._merged(Rows({"x": state}, chances))) == rows


# ---- one run in floats, client by client and step by step, from the formula


def _by_hand(of, noisy, gamma, outer, lowest):
    """f, B and E of every round of a run that draws nothing."""
    size, s, q = noisy.size, float(Fraction(of.amplitude)), of.direction
    slopes, A = [float(Fraction(a)) for a in of.slopes], float(Fraction(of.shared))
    start = [float(Fraction(x)) for x in of.start]
    u, v = start[0], start[1 : 1 + size.n]
    eta_u, eta_v = map(float, outer)
    found = {"f": [], "B": [], "E": []}
    for _ in range(size.T):
        au = [A * u + a - s * sin(u + q * w) for a, w in zip(slopes, v, strict=False)]
        value = [
            A * u * u / 2 + a * u + w * w / 4 + s * cos(u + q * w)
            for a, w in zip(slopes, v, strict=False)
        ]
        found["f"].append(sum(value) / size.n - lowest)
        found["B"].append(sum(g * g for g in au))
        reached, apart = [], 0.0
        for a, w in zip(slopes, v, strict=False):
            x, y = u, w
            for _ in range(size.K):
                apart += (x - u) ** 2 + (y - w) ** 2
                slope = s * sin(x + q * y)
                x, y = (
                    x - float(gamma) / eta_u * (A * x + a - slope),
                    y - float(gamma) / eta_v * (y / 2 - q * slope),
                )
            reached.append((x, y))
        found["E"].append(apart)
        u = (1 - eta_u) * u + eta_u * sum(x for x, _ in reached) / size.n
        v = [w + eta_v * (y - w) for w, (_, y) in zip(v, reached, strict=True)]
    return found


def test_a_run_by_hand():
    noisy = next(one for one in cosines.SIZES if one.size.m == one.size.n == 3)
    gamma, outer = Fraction(1, 9), (2, 3)
    view = PLANNED[next(iter(stored()))].view
    run = cosines.run_of(cosines.STEEP, noisy, gamma, outer)
    setup = replace(PLANNED[next(iter(stored()))], run=run, view=view)
    objective = subject_of(run, view_of(setup)).problem.objective
    lowest = float(objective.infimum())
    found = find(setup).series
    for name, rows in _by_hand(cosines.STEEP, noisy, gamma, outer, lowest).items():
        for ball, number in zip(found[name], rows, strict=False):
            assert abs(float(arb(ball).mid()) - number) < 1e-12, name


# ---- what is known of them


def test_constants_in_rationals_are_those_of_floats():
    run = cosines.run_of(cosines.STEEP, cosines.SIZES[0], Fraction(1, 9), (1, 1))
    setup = replace(PLANNED[next(iter(stored()))], run=run)
    subject = subject_of(run, view_of(setup))
    exact = subject.problem.objective
    known = find(setup).constants
    floats = {
        name: np.vectorize(float, otypes=[float])(getattr(exact, name))
        for name in ("shared_hessian", "linear", "shared_direction", "personal_direction")
    }
    plain = replace(
        exact,
        personal_curvature=float(exact.personal_curvature),
        amplitude=float(exact.amplitude),
        noise=Noise(NoiseLaw.RADEMACHER, *map(float, exact.noise.scales(1, 1))),
        **floats,
    )
    start = np.vectorize(float, otypes=[float])(subject.start)
    wanted = plain.constants(Start(start[:1], start[1:].reshape(-1, 1)))
    assert {Constant.SMOOTHNESS, Constant.DISSIMILARITY, Constant.INITIAL_GAP} <= known.keys()
    for name, constant in known.items():
        assert isinstance(constant.value, fmpq)
        assert isfinite(wanted[name].value)
        assert abs(float(constant.value) - wanted[name].value) < 1e-12, name


def test_what_is_violated_is_certain():
    claims = [
        one for one in encoded_claims("personalization") if one.id == "personalization/eq-A.7"
    ]
    name = "Scaffold-P, cosines, n=2 m=1 K=1 T=2 noise 1/2 and 0, long steps"
    case = next(c for c in planned("personalization", "", Profile.QUICK) if c.name == name)
    assert case.method is Method.BALLS
    (judgement,) = judge(claims, case).judgements
    broken = [one for one in judgement.outcomes if one.verdict is Verdict.VIOLATED]
    assert [one.part for one in broken] == [judgement.deciding.part]
    assert abs(broken[0].relative_gap) > 1e-3


# ---- proofs: what a vector is said to depend on


@pytest.fixture
def one_run(monkeypatch):
    """A step of a client, in a noisy run."""
    ending = "k = 1, one local step"
    name = next(x for x in PLANNED if x.startswith("cosines") and x.endswith(ending))
    setup = PLANNED[name]
    view = view_of(setup)
    on = Judged(setup, view)
    monkeypatch.setattr(steps, "judged_on", lambda theory: (on,))
    return on


def test_what_is_declared_holds(one_run):
    steps.check_declared("personalization", book_of("personalization").theory.scopes)


@pytest.mark.parametrize(("atom", "missing"), [("uh", "old"), ("hu", "old")])
def test_a_planted_independence_is_a_conflict(one_run, atom, missing):
    name = next(iter(one_run.view.scopes))
    scope = book_of("personalization").theory.scopes[name]
    atoms = tuple((a, tuple(s for s in own if a != atom or s != missing)) for a, own in scope.atoms)
    with pytest.raises(ConflictError, match=f"{atom} of .* depends on {missing}"):
        steps.check_declared("personalization", {name: replace(scope, atoms=atoms)})


def test_a_vector_that_does_not_average_out_is_a_conflict(one_run):
    name = next(iter(one_run.view.scopes))
    scope = Scope(sources=("past", "S", "old", "new", "rest"), atoms=(), centred=(("hu", "old"),))
    with pytest.raises(ConflictError, match="does not vanish on average over old"):
        steps.check_declared("personalization", {name: scope})
