"""Moments against enumeration on random algorithms, by hand, and what is refused."""

from fractions import Fraction

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from fedbounds.algorithms.traced import Algorithm
from fedbounds.errors import FedboundsError
from fedbounds.verify.measure.answers import Asked, by_enumeration, by_moments
from fedbounds.verify.measure.clients import Clients
from fedbounds.verify.measure.methods import answer
from fedbounds.verify.measure.sources import Participants, TooManyError
from fedbounds.verify.measure.subject import Shown, Subject
from fedbounds.verify.measure.unknowns import Refused
from fedbounds.verify.own.definitions import read_definition
from fedbounds.verify.own.families import quadratic

NAMES = ("y", "g", "c", "x", "x_next", "v")
SOURCES = ("past", "S", "xi", "i", "k")
SQUARE = {"Z": lambda problem, state: (state["x"] * state["x"]).sum(axis=1)}
HALF = fmpq(1, 2)


def defined(*texts):
    return {text: read_definition(text, {}, set(NAMES), set(SOURCES)) for text in texts}


def subject(init, draw, step, rounds=2, shown=None, noise=0, law="rademacher", d=1, n=2, **values):
    hessians = [
        [[(i + 2) * (a == b) + (a != b) for a in range(d)] for b in range(d)] for i in range(n)
    ]
    slopes = [[(-1) ** i * (a + 1 + i) for a in range(d)] for i in range(n)]
    problem, start = quadratic(hessians, slopes, [3 - a for a in range(d)], noise, law)
    algorithm = Algorithm(init, draw, step, "an algorithm")
    return Subject(algorithm, Clients(problem), start, values, rounds, shown or Shown())


def plain(problem, start):
    return {"x": start}


def equal(one, other):
    assert not one.missing, one.missing
    assert not other.missing, other.missing
    assert one.series.keys() == other.series.keys()
    for name in one.series:
        assert list(one.series[name]) == list(other.series[name]), name


# ---- random algorithms from the primitives

DEFINITIONS = defined(
    "sq(y - x)",
    "sq(x_next - x)",
    "sq(c) - ip(c, x)/3",
    "sq(given(x_next - x, past))",
    "ip(x_next - x, given(x_next, past, S))",
    "sq(given(x_next, past, xi) - given(x_next, past))",
    "sq(g - given(g, past, i, k))",
    "ip(given(g, past, xi), given(y, past, i))",
)


@st.composite
def subjects(draw):
    """Local steps under participation, masks and noise, with memory, a round's step size, a start."""
    n, d, steps = draw(st.sampled_from([(1, 1, 2), (2, 1, 1), (2, 1, 2), (1, 2, 1), (2, 2, 1)]))
    participation = draw(st.sampled_from(["all", "without", "with", "coins"]))
    masked, noisy, begins, anew, squared, indexed = (draw(st.booleans()) for _ in range(6))
    chance = draw(st.sampled_from([Fraction(1, 3), HALF, 1]))

    def init(problem, start, random):
        moved = random.signs(1) / 2 if begins else start * 0
        return {"x": start + moved, "c": problem.spread(start) * 0}

    def asked(random, problem, p):
        calls = {
            "all": lambda: random.bernoulli(1, n),
            "without": lambda: random.participants(n, 1),
            "with": lambda: random.participants_with_replacement(n, 2) / 2,
            "coins": lambda: random.bernoulli(chance, n),
        }
        found = {"present": calls[participation](), "noise": random.noise(problem, steps)}
        if masked:
            found["mask"] = random.bernoulli(chance, d)
        if indexed:
            found["which"] = random.index(2)
        return found

    def step(problem, p, state, drawn, see):
        xp, y = problem.xp, problem.spread(state["x"])
        eta = p["eta"] / (p["t"] + 1) if anew else p["eta"]
        ys, gs = [], []
        for k in range(steps):
            noise = drawn["noise"][:, :, k, :]
            g = problem.gradient(y) + noise * (noise + 1 if squared else 1)
            ys, gs = [*ys, y], [*gs, g]
            y = y - eta * g * (drawn["mask"][:, None, :] if masked else 1)
        see(y=xp.stack(ys, axis=2), g=xp.stack(gs, axis=2))
        x = state["x"] + (drawn["present"][:, :, None] * (y - problem.spread(state["x"]))).sum(
            axis=1
        )
        if indexed:
            x = x / xp.asarray([1, 2], dtype=object)[drawn["which"]][:, None]
        return {"x": x, "c": (state["c"] + y) / 2}

    objects = {"S": ("present",), "xi": ("noise", *(["mask"] if masked else ["noise"]))}
    objects["xi"] += ("which",) if indexed else ()
    shown = Shown(
        {name: tuple(dict.fromkeys(arrays)) for name, arrays in objects.items()},
        {"i": "w" if draw(st.booleans()) else "", "k": ""},
        {"x": (), "x_next": (), "y": ("i", "k"), "g": ("i", "k"), "c": ("i",)},
    )
    noise = HALF if noisy and n * d * steps <= 2 else 0
    return subject(
        init, asked, step, 2, shown, noise, d=d, n=n, eta=fmpq(1, 4), w=tuple(range(1, n + 1))
    )  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(subjects())
def test_moments_are_what_enumeration_gives(one):
    functions = {**SQUARE, "M": lambda problem, state, p: state["x"][:, 0] * p["eta"] + p["t"]}
    asked = Asked(functions, DEFINITIONS, {})
    listed, carried = by_enumeration(one, asked), by_moments(one, asked)
    assert not listed.missing
    assert not carried.missing
    assert listed.series.keys() == carried.series.keys()
    for name, values in carried.series.items():
        # one of them may see that a round of no outcomes is that of its start, and go on to the end
        both = min(len(values), len(listed.series[name]))
        assert both >= one.rounds
        assert list(listed.series[name][:both]) == list(values[:both]), name


# ---- by hand


def test_gaussian_noise_against_a_recursion_by_hand():
    """One client in one dimension: E (x+ - x*)^2 = (1 - eta h)^2 E (x - x*)^2 + eta^2 s^2."""

    def draw(random, problem, p):
        return {"e": random.noise(problem, 1)}

    def step(problem, p, state, drawn):
        return {
            "x": state["x"] - p["eta"] * (problem.full_gradient(state["x"]) + drawn["e"][:, 0, 0])
        }

    one = subject(plain, draw, step, 5, noise=3, law="gaussian", n=1, eta=fmpq(1, 8))
    best = one.problem.minimiser
    away = {"D": lambda problem, state: ((state["x"] - best) ** 2).sum(axis=1)}
    expected = [Fraction(7, 2) ** 2]
    for _ in range(5):
        expected.append((1 - Fraction(2, 8)) ** 2 * expected[-1] + Fraction(9, 64))
    found = answer(one, Asked(away))
    assert found.how == "exact moments"
    assert [Fraction(str(x)) for x in found.series["D"]] == expected
    with pytest.raises(TooManyError, match="infinitely many"):
        by_enumeration(one, Asked(away))


def test_a_squared_source_has_its_fourth_moment():
    def draw(random, problem, p):
        return {"e": random.normal(1)}

    def step(problem, p, state, drawn):
        return {"x": state["x"] + drawn["e"] * drawn["e"]}

    first = {"M": lambda problem, state: state["x"][:, 0]}
    found = by_moments(subject(plain, draw, step, 1), Asked({**SQUARE, **first}))
    assert found.series["M"].tolist() == [3, 4]
    assert found.series["Z"].tolist() == [9, 9 + 2 * 3 + 3]  # E e^2 = 1, E e^4 = 3


@pytest.mark.parametrize("shared", [True, False])
def test_a_mask_that_clients_share_is_no_mask_of_each(shared):
    def draw(random, problem, p):
        mask = random.bernoulli(HALF, 1) if shared else random.bernoulli(HALF, 2)
        return {"mask": mask + mask * 0}

    def step(problem, p, state, drawn):
        moved = problem.spread(state["x"]) * drawn["mask"].reshape(-1, 1 if shared else 2, 1)
        return {"x": moved.sum(axis=1) / 2}

    one = subject(plain, draw, step, 2)
    # both or none: 1/2 of x^2; each on its own: (1/2 + 1/4)/2
    factor = HALF if shared else fmpq(3, 8)
    expected = [fmpq(9) * factor**t for t in range(3)]
    for method in (by_moments, by_enumeration):
        assert list(method(one, Asked(SQUARE)).series["Z"]) == expected


def test_what_is_random_in_the_last_round_only_is_averaged_there():
    """Until then it varies with no draw, so that one outcome seems enough."""

    def draw(random, problem, p):
        return {"e": random.signs(1) + 1}

    def step(problem, p, state, drawn, see):
        see(v=state["x"] + (drawn["e"] if p["t"] == 2 else drawn["e"] * 0))
        return {"x": state["x"] / 2}

    one = subject(plain, draw, step, 2, Shown({}, {}, {"v": ()}))
    for method in (by_moments, by_enumeration):
        found = method(one, Asked({}, defined("sq(v)")))
        # x = 3/4 at the end: the mean of (3/4)^2 and (11/4)^2
        assert list(found.series["sq(v)"]) == [9, fmpq(9, 4), fmpq(9 + 121, 32)]


# ---- what is refused


def two(random, problem, p):
    coin = random.signs(1)
    return {"a": coin, "b": coin * 2, "e": random.signs(1)}


def added(problem, p, state, drawn, see):
    see(v=drawn["a"] + drawn["b"])
    return {"x": state["x"] + drawn["a"] + drawn["e"]}


WRONG = {
    "two random objects that share a call": {"S": ("a", "e"), "xi": ("b",)},
    "a draw of two random objects": {"S": ("a", "e"), "xi": ("a",)},
    "a draw of none": {"S": ("a",), "xi": ("b",)},
    "a draw that is not there": {"S": ("a",), "xi": ("f",)},
}


@pytest.mark.parametrize("how", WRONG)
@pytest.mark.parametrize("method", [by_enumeration, by_moments])
def test_random_objects_that_are_not_independent_are_refused(how, method):
    one = subject(plain, two, added, 1, Shown(WRONG[how], {}, {"v": (), "x": ()}))
    with pytest.raises(FedboundsError):
        method(one, Asked({}, defined("sq(given(v, past, S))")))


def test_a_draw_that_touches_nothing_needs_no_random_object():
    def draw(random, problem, p):
        return {"a": random.signs(1), "e": random.signs(1) * 0}

    shown = Shown({}, {}, {"x": (), "x_next": ()})
    one = subject(plain, draw, lambda q, p, s, z: {"x": s["x"] + z["a"] + z["e"]}, 2, shown)
    asked = Asked(SQUARE, defined("sq(x_next - x)"))
    equal(by_enumeration(one, asked), by_moments(one, asked))


def compared(of):
    def step(problem, p, state, drawn):
        number = drawn["e"] if of == "draw" else state["x"]
        return {"x": state["x"] + np.where(number > 0, 1, 2)}

    return step


def test_a_comparison_of_a_draw_is_listed_and_one_of_the_state_is_refused():
    one = subject(plain, lambda random, q, p: {"e": random.signs(1)}, compared("draw"))
    equal(by_enumeration(one, Asked(SQUARE)), by_moments(one, Asked(SQUARE)))
    bent = subject(plain, lambda random, q, p: {"e": random.signs(1)}, compared("state"))
    with pytest.raises(Refused, match="test_methods.py:.* it compares an entry that is not known"):
        by_moments(bent, Asked(SQUARE))


def test_reasons_of_every_method_are_told_where_none_answers():
    bent = subject(plain, lambda random, q, p: {"e": random.normal(1)}, compared("state"))
    found = answer(bent, Asked(SQUARE, {}))
    assert found.how == "not measured"
    assert not found.series
    assert "infinitely many outcomes" in found.missing["Z"]
    assert "it compares an entry that is not known" in found.missing["Z"]
    assert "/" not in found.missing["Z"]  # no folder of any machine


def test_a_quantity_of_degree_three_is_missing_under_moments_only():
    cube = {"C": lambda problem, state: (state["x"] ** 3).sum(axis=1)}
    one = subject(
        plain, lambda random, q, p: {"e": random.signs(1)}, lambda q, p, s, z: {"x": s["x"] / 2}
    )
    assert by_moments(one, Asked({**SQUARE, **cube})).missing == {
        "C": "it is not quadratic in the state"
    }
    assert not by_enumeration(one, Asked({**SQUARE, **cube})).missing


def test_a_wrong_law_of_a_source_shows(monkeypatch):
    """The comparison is not blind: sets of two of three clients are no independent coins."""

    def draw(random, problem, p):
        return {"s": random.participants(3, 2)}

    def step(problem, p, state, drawn):
        y = problem.spread(state["x"]) - problem.gradient(state["x"]) / 8
        return {"x": (drawn["s"][:, :, None] * y).sum(axis=1) / 2}

    one = subject(plain, draw, step, 1, n=3)
    equal(by_enumeration(one, Asked(SQUARE)), by_moments(one, Asked(SQUARE)))

    def coins(self, powers):
        return fmpq(2, 3) ** sum(1 for power in powers.values() if power)

    monkeypatch.setattr(Participants, "moment", coins)
    with pytest.raises(AssertionError):
        equal(by_enumeration(one, Asked(SQUARE)), by_moments(one, Asked(SQUARE)))


def test_without_rounds_there_is_a_start_and_no_step_for_moments():
    def step(problem, p, state, drawn):
        return {"x": state["x"] - problem.full_gradient(state["x"])}

    still = subject(plain, lambda random, problem, p: {}, step, rounds=0)
    assert list(answer(still, Asked(SQUARE)).series["Z"]) == [fmpq(9)]
    with pytest.raises(Refused, match="no round is run"):
        by_moments(still, Asked(SQUARE))
