"""Rational certificates: what they prove, and that wrong ones prove nothing."""

from dataclasses import replace

import pytest
from flint import fmpq
from pep_unknowns import QUANTITIES, setting

from fedbounds.theory.checker.recheck import refusals
from fedbounds.verify.commands.pep.certificate import certify, checked, repaired
from fedbounds.verify.commands.pep.checker_step import as_data, refusal_of, steps_of
from fedbounds.verify.commands.pep.forms import Form, square
from fedbounds.verify.commands.pep.formulate import formulate
from fedbounds.verify.commands.pep.solve import solve

pytest.importorskip("PEPit", reason="needs the extra pep")

HALF = (fmpq(1, 2),) * 2
SETTINGS = {
    "one client": (setting(1, 1, 1, inner=HALF), 1),
    "sampled": (setting(2, 1, 2, inner=HALF, b2=fmpq(1)), 1),
    "three rounds": (setting(2, 2, 1, b2=fmpq(2)), 2),
    "both blocks": (setting(2, 1, 1, True, True, b2=fmpq(1)), 1),
    "personal": (setting(3, 1, 2, False, True), 2),
}


def asked(name):
    chosen, last = SETTINGS[name]
    problem = formulate(chosen, last, QUANTITIES)
    names = ["G_u"] * chosen.shared + ["G_v"] * chosen.personal
    total = sum((problem.series[name][t] for name in names for t in range(last + 1)), start=Form())
    return problem, total / (last + 1)


@pytest.fixture(scope="module", params=SETTINGS)
def certified(request):
    problem, objective = asked(request.param)
    solved = solve(problem, objective)
    return problem, objective, solved, certify(problem, objective, solved)


def test_the_certified_bound_is_close_above_the_solver(certified):
    _, _, solved, found = certified
    assert found is not None
    assert solved.primal - 1e-6 <= float(found.bound) <= solved.dual * (1 + 2e-4)


def test_the_identity_holds_exactly(certified):
    problem, objective, _, found = certified
    total = Form(constant=found.bound) - objective
    for at, times in found.multipliers:
        assert times > 0
        total = total + times * problem.inequalities[at].form
    for weight, vector in found.squares:
        assert weight > 0
        total = total - weight * square(vector)
    assert (total.products, total.values, total.constant) == ({}, {}, 0)


def test_the_proof_checker_accepts_it_and_its_file(certified):
    problem, objective, _, found = certified
    theory, steps = steps_of(problem, objective, found, "worst")
    assert refusal_of(theory, steps) is None
    data = as_data(theory, steps)
    assert refusals(data) == {}
    assert all(s["certificate"]["origin"] for s in data["steps"][:-1])


def test_a_smaller_bound_or_another_multiplier_is_refused(certified):
    problem, objective, _, found = certified
    at, times = found.multipliers[0]
    for wrong in (
        replace(found, bound=found.bound - fmpq(1, 10**9)),
        replace(found, multipliers=((at, times * 2), *found.multipliers[1:])),
        replace(found, multipliers=((at, -times), *found.multipliers[1:])),
        replace(found, squares=found.squares[1:], bound=found.bound / 2),
    ):
        assert refusal_of(*steps_of(problem, objective, wrong, "worst")) is not None


def test_a_known_certificate_is_found_with_small_denominators():
    problem, objective = asked("one client")
    found = certify(problem, objective, solve(problem, objective))
    assert found.bound == fmpq(5, 4)  # 1 + (1 - 1/2)^2, attained by u^2/2


def test_multipliers_that_prove_nothing_are_none():
    problem, objective = asked("one client")
    assert checked(problem, objective, {0: fmpq(1)}) is None  # function values remain
    assert checked(problem, objective, {}) is None  # -||g||^2 is no sum of squares
    assert repaired(problem, objective, {0: fmpq(1)}) is None


def test_negative_multipliers_prove_nothing():
    problem, objective = asked("one client")
    found = certify(problem, objective, solve(problem, objective))
    flipped = [
        replace(i, form=i.form * fmpq(-1)) if at == 0 else i
        for at, i in enumerate(problem.inequalities)
    ]
    multipliers = dict(found.multipliers) | {0: -dict(found.multipliers)[0]}
    assert checked(replace(problem, inequalities=tuple(flipped)), objective, multipliers) is None
