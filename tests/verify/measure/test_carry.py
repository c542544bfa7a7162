"""Local steps with draws of their own: moments that go on from what a step carries."""

from dataclasses import dataclass

import numpy as np
import pytest
from flint import fmpq

from fedbounds.algorithms.traced import Algorithm
from fedbounds.errors import FedboundsError
from fedbounds.own import quadratic
from fedbounds.verify.measure import step_maps
from fedbounds.verify.measure.answers import Asked, by_enumeration, by_moments
from fedbounds.verify.measure.clients import Clients
from fedbounds.verify.measure.limits import limit
from fedbounds.verify.measure.moments import moments
from fedbounds.verify.measure.sources import Entries
from fedbounds.verify.measure.subject import Shown, Subject
from fedbounds.verify.measure.unknowns import Refused
from fedbounds.verify.measure.unrolled import MOST_VARIABLES, unroll
from fedbounds.verify.own.definitions import read_definition

EPS = fmpq(1, 3)
# mean 0, variance 1, fourth moment 3, odd moments 0: a Gaussian's, up to the fifth
FIVE = tuple((x, p) for x, p in ((0, fmpq(1, 2)), *((s, fmpq(1, 6)) for s in (1, -1)),
             *((s, fmpq(1, 12)) for s in (2, -2))))  # fmt: skip


def five(random, *shape):
    return random._answer(Entries(f"five{shape}", shape, FIVE))


def gaussian(random, *shape):
    return random.normal(*shape)


@dataclass(frozen=True)
class Directions:
    """How the two-point step is written."""

    law: object = gaussian
    carries: bool = True
    shared: bool = False  # one direction for all clients
    again: bool = False  # the direction of the first step in the second too
    at_once: bool = True  # all directions in one call
    uncarried: bool = False  # a vector that was not carried is used later


def two_point(how, steps):
    """The zeroth-order step: (f(y + eps z) - f(y - eps z))/(2 eps) z in place of a gradient."""

    def draw(random, problem, p):
        shape = (1 if how.shared else int(problem.clients), int(problem.dimension))
        if how.at_once:
            z = how.law(random, *shape, steps)
            return {f"z{k}": z[..., k] for k in range(steps)} | {"e": random.noise(problem, 1)}
        each = {f"z{k}": how.law(random, *shape) for k in range(steps)}
        return each | {"e": random.noise(problem, 1)}

    def step(problem, p, state, drawn, see):
        y = problem.spread(state["x"])
        first = None
        for k in range(steps):
            z = drawn["z0" if how.again else f"z{k}"] + y * 0
            slope = (problem.value(y + p["eps"] * z) - problem.value(y - p["eps"] * z)) / 2
            y = y - p["eta"] * (slope / p["eps"])[:, :, None] * z
            if first is None:
                first = y
            if how.carries and k < steps - 1:
                y = see.carry(y)
        see(y=y)
        y = y + p["eta"] * drawn["e"][:, :, 0, :]
        more = first if how.uncarried else 0
        return {"x": (y + more).sum(axis=1) / problem.clients}

    return Algorithm(lambda problem, start: {"x": start}, draw, step, "two points")


VECTORS = {"x": (), "x_next": (), "y": ("i",)}
NAMES, SOURCES = set(VECTORS), {"past", "i"}
ASKED = Asked(
    {"Z": lambda problem, state: (state["x"] * state["x"]).sum(axis=1)},
    {
        text: read_definition(text, {}, NAMES, SOURCES)
        for text in ("sq(y - x)", "sq(x_next - y)", "ip(y, x)", "sq(x_next)", "sq(x)")
    },
)


DIRECTIONS = Directions()


def run(how=DIRECTIONS, steps=2, n=1, d=1, rounds=1, noise=0, more=()):
    curves = [[[1 + i + (a == b) for a in range(d)] for b in range(d)] for i in range(n)]
    slopes = [[(-1) ** i * (a + 1) for a in range(d)] for i in range(n)]
    problem, start = quadratic(curves, slopes, [2 - a for a in range(d)], noise)
    values = {"eta": fmpq(1, 8), "eps": EPS, **dict(more)}
    shown = Shown(indices={"i": ""}, vectors=VECTORS)
    return Subject(two_point(how, steps), Clients(problem), start, values, rounds, shown)


CASES = {
    "one client, two steps": dict(steps=2, rounds=2),
    "four steps": dict(steps=4),
    "clients apart": dict(n=2, steps=2),
    "a call for each step": dict(n=2, steps=2, how=Directions(at_once=False)),
    "two coordinates": dict(d=2, steps=2),
    "one direction for all": dict(n=2, d=1, steps=3, how=Directions(shared=True)),
    "with noise": dict(n=1, steps=2, noise=fmpq(1, 2)),
}


@pytest.mark.parametrize("case", CASES)
def test_moments_carried_on_are_those_of_every_outcome_under_the_five_point_law(case):
    given = CASES[case]
    how = given.get("how", Directions())
    listed = Directions(five, how.carries, how.shared, at_once=how.at_once)
    every = by_enumeration(run(**{**given, "how": listed}), ASKED)
    carried = by_moments(run(**{**given, "how": how}), ASKED)
    assert not every.missing
    assert not carried.missing
    for name, values in every.series.items():
        both = min(len(values), len(carried.series[name]))
        assert both >= given.get("rounds", 1)
        assert list(values[:both]) == list(carried.series[name][:both]), name


@pytest.mark.parametrize(("n", "shared"), [(1, False), (2, True), (2, False)])
def test_moments_are_the_same_with_and_without_carry_and_by_a_recursion(n, shared):
    one, other = (
        by_moments(run(Directions(carries=x, shared=shared), n=n, rounds=2), ASKED)
        for x in (True, False)
    )
    assert not one.missing
    assert {name: list(x) for name, x in one.series.items()} == {
        name: list(x) for name, x in other.series.items()
    }


def test_a_gaussian_step_on_a_parabola_is_the_recursion_by_hand():
    """f = x^2 + x on a line: z^2 (2y + 1) in place of the slope, E z^2 = 1 and E z^4 = 3."""
    steps, rounds, eta = 5, 3, fmpq(1, 8)
    found = by_moments(run(steps=steps, rounds=rounds), ASKED).series["Z"]
    mean, square, expected = fmpq(2), fmpq(4), [fmpq(4)]
    for _ in range(rounds):
        for _ in range(steps):
            slope, both = 2 * mean + 1, 2 * square + mean
            steep = 4 * square + 4 * mean + 1
            mean, square = mean - eta * slope, square - 2 * eta * both + 3 * eta**2 * steep
        expected.append(square)
    assert list(found) == expected


def test_the_round_stays_small_where_it_would_not_without_carry():
    def monomials(carries):
        trace = unroll(run(Directions(), steps=4, d=2), {"x": (1, 2)}, carries=carries)
        return sum(len(x.polynomial.to_dict()) for x in trace.after["x"].reshape(-1))

    assert monomials(True) < 20
    assert monomials(False) > 50 * monomials(True)


def test_a_limit_is_that_of_the_step_without_carry():
    found = [limit(run(Directions(carries=x))).values for x in (True, False)]
    assert found[0] == found[1]


REFUSED = {
    "a direction on both sides": (Directions(again=True), r"normal\(1, 1, 2\) before see.carry"),
    "in calls of their own": (
        Directions(again=True, at_once=False),
        r"normal\(1, 1\) before see.carry and after it",
    ),
    "a vector that was not carried": (Directions(uncarried=True), "before see.carry and after it"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_used_on_both_sides_is_refused(what):
    how, told = REFUSED[what]
    with pytest.raises(Refused, match=told):
        moments(run(how))
    # every outcome answers whatever the step does: here carry gives back what it is given
    listed = Directions(five, again=how.again, at_once=how.at_once, uncarried=how.uncarried)
    plain = Directions(five, False, again=how.again, at_once=how.at_once, uncarried=how.uncarried)
    one, other = (by_enumeration(run(x), ASKED).series["Z"] for x in (listed, plain))
    assert list(one) == list(other)


def stepped_by(step, draw=lambda random, problem, p: {"z": random.normal(1, 1, 3)}):
    problem, start = quadratic([[[1]]], [[0]], [3])
    algorithm = Algorithm(lambda problem, start: {"x": start}, draw, step, "own")
    shown = Shown(vectors={"x": (), "x_next": (), "a": (), "b": ()})
    return Subject(algorithm, Clients(problem), start, {}, 1, shown)


def test_what_an_earlier_carry_gave_is_refused_unless_both_are_carried_at_once():
    def apart(problem, p, state, drawn, see):
        z = drawn["z"]
        a = see.carry(state["x"] + z[:, 0, :, 0])
        b = see.carry(state["x"] * z[:, 0, :, 1])
        see(a=a, b=b)
        return {"x": a + b}

    def at_once(problem, p, state, drawn, see):
        z = drawn["z"]
        a, b = see.carry(state["x"] + z[:, 0, :, 0], state["x"] * z[:, 0, :, 1])
        see(a=a, b=b)
        return {"x": a + b * z[:, 0, :, 2]}

    with pytest.raises(Refused, match="carry both at once"):
        moments(stepped_by(apart))
    # E (3 + z)^2 + E (3 z z')^2 = 10 + 9
    assert moments(stepped_by(at_once)).values[1][1, 1] == 19


def test_products_of_what_was_carried_at_two_places_and_conditional_means_are_refused():
    def step(problem, p, state, drawn, see):
        z = drawn["z"]
        a = see.carry(state["x"] + z[:, 0, :, 0])
        b = see.carry(a / 2 + z[:, 0, :, 1])
        see(a=a, b=b)
        return {"x": b}

    texts = ("sq(a)", "sq(b)", "ip(a, b)", "sq(given(b, past))", "ip(a - x, x)", "sq(x_next)")
    names, sources = {"x", "x_next", "a", "b"}, {"past"}
    asked = Asked({}, {text: read_definition(text, {}, names, sources) for text in texts})
    found = by_moments(stepped_by(step), asked)
    assert {name: list(x) for name, x in found.series.items()} == {
        "sq(a)": [10], "sq(b)": [fmpq(10, 4) + 1], "ip(a - x, x)": [0],
        "sq(x_next)": [fmpq(10, 4) + 1],
    }  # fmt: skip
    assert "two places" in found.missing["ip(a, b)"]
    assert "conditional mean" in found.missing["sq(given(b, past))"]


def test_participants_are_one_random_object_and_entries_of_signs_are_not():
    def step(problem, p, state, drawn, see):
        y = problem.spread(state["x"]) * drawn["s"][:, :, None]
        y = see.carry(y * drawn["e"][:, :1, None])
        return {"x": (y * drawn["e"][:, 1:, None]).sum(axis=1)}

    def both(problem, p, state, drawn, see):
        y = see.carry(problem.spread(state["x"]) * drawn["s"][:, :1, None])
        return {"x": (y * drawn["s"][:, 1:, None]).sum(axis=1)}

    def draw(random, problem, p):
        return {"s": random.participants(2, 1), "e": random.normal(2)}

    problem, start = quadratic([[[1]]] * 2, [[0]] * 2, [3])

    def of(own):
        algorithm = Algorithm(lambda problem, start: {"x": start}, draw, own, "own")
        return Subject(algorithm, Clients(problem), start, {}, 1)

    assert moments(of(step)).values[1][1, 1] == 9
    with pytest.raises(Refused, match=r"participants\(2, 1\) before see.carry"):
        unroll(of(both), {"x": (1, 1)}, carries=True)


def test_too_much_is_refused_and_listed_draws_carry_what_they_are_given(monkeypatch):
    monkeypatch.setattr(step_maps, "MOST_WIDE", 65)
    with pytest.raises(Refused, match="66 numbers; at most 65"):
        moments(run(n=5, d=11, steps=2))

    with pytest.raises(Refused, match=f"603 unknowns; at most {MOST_VARIABLES}"):  # nor tried whole
        moments(run(Directions(shared=True), n=10, d=3, steps=20))

    def step(problem, p, state, drawn, see):
        x = see.carry(state["x"] + drawn["i"][:, None] * drawn["z"])
        return {"x": x * (drawn["i"][:, None] + 1)}

    def draw(random, problem, p):
        return {"i": random.index(2), "z": random.normal(1)}

    # i = 0 gives 3, and i = 1 gives 2 (3 + z)
    assert moments(stepped_by(step, draw)).values[1][1, 1] == fmpq(9 + 4 * 10, 2)


BROKEN = {
    "changed afterwards": (
        lambda x, see: (y := see.carry(x), x.__iadd__(1), y)[2],
        "must not change an array that it carries",
    ),
    "no row for each outcome": (lambda x, see: see.carry(x[0]) + x, "expected one row for each"),
    "nothing": (lambda x, see: see.carry(), "given nothing"),
}


@pytest.mark.parametrize("how", BROKEN)
@pytest.mark.parametrize("exact", [True, False])
def test_a_step_that_carries_wrongly_is_told(how, exact):
    own, told = BROKEN[how]

    def step(problem, p, state, drawn, see):
        return {"x": own(state["x"] + drawn["s"], see)}

    def draw(random, problem, p):
        return {"s": random.signs(1)}

    one = stepped_by(step, draw)
    if not exact:
        problem = one.problem.objective
        floats = type(problem)(problem.hessian.astype(float), problem.linear.astype(float), 1)
        one = Subject(one.algorithm, Clients(floats), np.array([3.0]), {}, 1)
    with pytest.raises(FedboundsError, match=told):
        by_enumeration(one, Asked())


def test_without_randomness_there_is_nothing_to_refuse():
    def step(problem, p, state, drawn, see):
        return {"x": see.carry(state["x"] / 2) + state["x"]}

    found = moments(stepped_by(step, lambda random, problem, p: {}))
    assert found.values[1][1, 1] == fmpq(81, 4)
