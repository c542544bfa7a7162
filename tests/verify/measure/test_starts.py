"""Standard quantities of a model, by definition: against loops over states, clients, coordinates."""

from dataclasses import replace

import numpy as np
import pytest
from flint import fmpq
from personal_runs import SHOWN, pairs, problem, subject

from fedbounds.algorithms.traced import Algorithm
from fedbounds.errors import FedboundsError
from fedbounds.theory.language.setups import Shown
from fedbounds.theory.language.standard import INFIMUM, standard
from fedbounds.verify.measure.answers import Asked, by_enumeration, by_moments
from fedbounds.verify.measure.clients import Clients
from fedbounds.verify.measure.enumerated import enumerated
from fedbounds.verify.measure.subject import Subject

LEAST = fmpq(-7, 3)
SEEN = {"x": (), "x_next": ()}


def whole():
    """Gradient descent of whoever takes part, with noise."""

    def draw(random, problem, p):
        return {"i": random.participants(problem.clients, 1), "xi": random.noise(problem, 1)}

    def step(problem, p, state, drawn):
        noisy = problem.gradient(state["x"]) + drawn["xi"][:, :, 0, :]
        taken = (noisy * drawn["i"][:, :, None]).sum(axis=1)
        return {"x": state["x"] - taken * p["eta"]}

    own = Algorithm(lambda problem, start: {"x": start}, draw, step, "descent")
    given, start = problem(2, 2, 0)
    return Subject(own, Clients(given), start, {"eta": fmpq(1, 8)}, 2, Shown(vectors=SEEN))


SUBJECTS = {
    "whole": whole,
    "blocks": lambda: subject(pairs(1, 1)["FedAvg-P"], problem(2, 1, 1)),
}


def of_point(given, i, point):
    """f_i and its gradient, entry by entry."""
    d = len(point)
    h, g = given.hessian[i], given.linear[i]
    value = sum((point[a] * h[a][b] * point[b] for a in range(d) for b in range(d)), fmpq(0)) / 2
    value += sum((g[a] * point[a] for a in range(d)), fmpq(0))
    return value, [g[a] + sum((h[a][b] * point[b] for b in range(d)), fmpq(0)) for a in range(d)]


def expected(one):
    """Every quantity, round by round."""
    run, given, n = enumerated(one), one.problem.objective, 2
    shared, found = given.shared_dimension, []
    for rows in (*(each.start for each in run.rounds), run.last):
        total = dict.fromkeys(("f", "G_u", "G_v", "B", "D_W"), fmpq(0))
        for at, chance in enumerate(rows.chances):
            state = {name: own[at] for name, own in rows.state.items()}
            u = list(state.get("x", state.get("u")))
            points = [[*u, *(state["v"][i] if "v" in state else ())] for i in range(n)]
            every = [of_point(given, i, points[i]) for i in range(n)]
            mean = [sum((g[a] for _, g in every), fmpq(0)) / n for a in range(shared)]
            total["f"] += chance * (sum((v for v, _ in every), fmpq(0)) / n - LEAST)
            total["G_u"] += chance * sum((x * x for x in mean), fmpq(0))
            for _, g in every:
                total["B"] += chance * sum((x * x for x in g[:shared]), fmpq(0))
                total["G_v"] += chance * sum((x * x for x in g[shared:]), fmpq(0)) / n
            if "x" in state:
                away = [x - y for x, y in zip(u, given.minimiser, strict=True)]
                total["D_W"] += chance * sum((x * x for x in away), fmpq(0))
        found.append(total)
    return found


def asked(one):
    known = standard(one.shown, infimum=True, minimiser=True)
    return Asked({}, known, {"n": one.problem.clients, INFIMUM.name: LEAST})


@pytest.mark.parametrize("method", [by_enumeration, by_moments])
@pytest.mark.parametrize("name", SUBJECTS)
def test_every_standard_quantity_is_what_loops_give(name, method):
    one = SUBJECTS[name]()
    found, wanted = method(one, asked(one)), expected(one)
    names = {"f", "G_u", "B", *(("D_W",) if name == "whole" else ("G_v",))}
    assert names <= found.series.keys()
    assert not found.missing
    for quantity in names:
        assert list(found.series[quantity]) == [own[quantity] for own in wanted], quantity


def test_a_planted_definition_gives_another_number():
    one = whole()
    known = asked(one)
    doubled = {**known.definitions, "B": 2 * known.definitions["B"]}
    right, wrong = (
        by_enumeration(one, replace(known, definitions=own)).series["B"]
        for own in (known.definitions, doubled)
    )
    assert list(wrong) == [2 * x for x in right] != list(right)


def test_without_a_minimiser_nothing_is_measured_from_it():
    assert "D_W" not in standard(Shown(vectors={"x": ()}), infimum=True, minimiser=False)
    assert "f" not in standard(SHOWN, infimum=False, minimiser=True)


def mixed(rows):
    return rows - rows[-1:]


@pytest.mark.parametrize(
    ("planted", "told"),
    [(mixed, "must not mix rows"), (lambda rows: rows.astype(float), "exact runs have rationals")],
)
def test_objectives_that_break_the_contract_are_refused(monkeypatch, planted, told):
    one = whole()
    of_class = Clients.gradient
    monkeypatch.setattr(Clients, "gradient", lambda self, y: planted(of_class(self, y)))
    trace = replace(one, algorithm=replace(one.algorithm, step=lambda problem, p, state, drawn: {
        "x": state["x"] - drawn["xi"][:, 0, 0, :]}))  # fmt: skip
    with pytest.raises(FedboundsError, match=told):
        by_enumeration(trace, asked(trace))


def test_rounds_are_counted_to_the_end():
    found = by_enumeration(whole(), asked(whole())).series
    assert {len(own) for name, own in found.items() if name != "Du_2"} == {3}
    assert np.shape(found["Du_2"]) == (2,)
