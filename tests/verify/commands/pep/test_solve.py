"""The solver's value against PEPit's own smooth functions, and against known rates."""

from dataclasses import replace
from itertools import combinations

import pytest
from flint import fmpq
from pep_unknowns import QUANTITIES, setting

from fedbounds.errors import FedboundsError
from fedbounds.verify.commands.pep import solve as module
from fedbounds.verify.commands.pep.forms import Form, number
from fedbounds.verify.commands.pep.formulate import Inequality, formulate
from fedbounds.verify.commands.pep.solve import solve

pytest.importorskip("PEPit", reason="needs the extra pep")


def native(n, m, steps, gamma, outer, b2, L=1.0):
    """Two rounds of FedAvg with PEPit's own class of smooth functions."""
    from PEPit import PEP, Expression
    from PEPit.functions import SmoothFunction

    pep = PEP()
    clients = [pep.declare_function(SmoothFunction, L=L) for _ in range(n)]
    lowest = Expression()
    start = pep.set_initial_point()

    def norm(point):
        gradients = [f.gradient(point) for f in clients]
        mean = sum(gradients[1:], start=gradients[0]) / n
        values = [f.value(point) for f in clients]
        pep.add_constraint(lowest <= sum(values[1:], start=values[0]) / n - mean**2 / (2 * L))
        spread = [(g - mean) ** 2 for g in gradients]
        pep.add_constraint(sum(spread[1:], start=spread[0]) / n <= b2)
        return mean**2

    first = norm(start)
    values = [f.value(start) for f in clients]
    pep.set_initial_condition(sum(values[1:], start=values[0]) / n - lowest <= 1)
    reached = []
    for f in clients:
        x = start
        for _ in range(steps):
            x = x - gamma / outer * f.gradient(x)
        reached.append(x)
    if n == 1 and steps > 1:
        pep.add_constraint(
            lowest <= clients[0].value(start) - clients[0].gradient(start) ** 2 / (2 * L)
        )
    sets = list(combinations(range(n), m))
    after = []
    for present in sets:
        mean = sum((reached[i] for i in present[1:]), start=reached[present[0]]) / m
        after.append(norm(start + outer * (mean - start)))
    second = sum(after[1:], start=after[0]) / len(sets)
    pep.set_performance_metric((first + second) / 2)
    return pep.solve(verbose=0, solver="CLARABEL")


@pytest.mark.parametrize(
    ("n", "m", "steps", "gamma", "outer", "b2"),
    [
        (1, 1, 1, fmpq(1, 4), fmpq(1), fmpq(1)),
        (2, 1, 1, fmpq(1, 2), fmpq(2), fmpq(3)),
        (3, 2, 2, fmpq(1, 4), fmpq(3, 2), fmpq(1, 2)),
    ],
)
def test_pepits_own_smooth_functions_give_the_same_value(n, m, steps, gamma, outer, b2):
    chosen = setting(n, m, steps, inner=(gamma / outer,) * 2, outer=(outer,) * 2, b2=b2)
    problem = formulate(chosen, 1, QUANTITIES)
    found = solve(problem, sum(problem.series["G_u"], start=Form()) / 2)
    expected = native(n, m, steps, float(gamma), float(outer), float(b2))
    assert found.dual == pytest.approx(expected, rel=1e-5)
    assert found.accurate
    assert found.primal == pytest.approx(found.dual, rel=1e-5)


def test_the_first_gradient_is_at_most_two_l_f():
    problem = formulate(setting(1, 1, 1, L=fmpq(3), F_0=fmpq(5)), 0, QUANTITIES)
    assert solve(problem, problem.series["G_u"][0]).dual == pytest.approx(30, rel=1e-6)


@pytest.mark.parametrize("rounds", [1, 2, 4])
@pytest.mark.parametrize("gamma", [fmpq(1, 2), fmpq(1), fmpq(5, 4)])
def test_gradient_descent_has_its_known_tight_rate(gamma, rounds):
    """min over N + 1 points: Abbaszadehpeivasti, de Klerk and Zamani (2022), Theorem 2."""
    problem = formulate(setting(1, 1, 1, inner=(gamma, gamma)), rounds, QUANTITIES)
    smallest = Form(values={len(problem.values): fmpq(1)})
    below = tuple(
        Inequality(f"min {t}", "", smallest - form) for t, form in enumerate(problem.series["G_u"])
    )
    extended = replace(
        problem, values=(*problem.values, "min"), inequalities=(*problem.inequalities, *below)
    )
    g = float(gamma)
    rate = 4 / (rounds * min(4 * g - g**3, 4 * g - g**2) + 2)
    assert solve(extended, smallest).dual == pytest.approx(rate, rel=1e-6)


def test_without_an_infimum_the_worst_case_is_unbounded():
    problem = formulate(setting(1, 1, 1), 1, QUANTITIES)
    kept = tuple(i for i in problem.inequalities if not i.name.startswith("infimum"))
    free = replace(problem, inequalities=kept)
    assert solve(free, problem.series["G_u"][1]) is None


def test_the_same_problem_twice_gives_the_same_numbers():
    problem = formulate(setting(2, 1, 1, b2=fmpq(1)), 1, QUANTITIES)
    objective = problem.series["G_u"][1]
    assert solve(problem, objective) == solve(problem, objective)


def test_without_pepit_the_error_names_the_extra(monkeypatch):
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    problem = formulate(setting(1, 1, 1), 0, QUANTITIES)
    with pytest.raises(FedboundsError, match=r"PEPit is not installed; .* extra 'pep'"):
        solve(problem, number(fmpq(1)))
