"""Moments against an enumeration in plain fractions, and steps that must never have moments."""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from flint import fmpq
from own_files import asked_and_traced, loaded, setup_on

from fedbounds.errors import ConflictError
from fedbounds.verify.measure import methods
from fedbounds.verify.measure.answers import by_enumeration, by_moments
from fedbounds.verify.measure.unknowns import Refused
from fedbounds.verify.own.families import quadratic

# two clients in one dimension: curvatures, slopes, start, noise; m = 1, eta = 1/8
CURVES, SLOPES, START, SCALE, ETA = (1, 3), (2, -1), Fraction(5), Fraction(1, 2), Fraction(1, 8)
BEST = -Fraction(sum(SLOPES), sum(CURVES))
PAIR = quadratic([[[c]] for c in CURVES], [[h] for h in SLOPES], [5], fmpq(1, 2))


def setup(theory, rounds, **values):
    given = {"m": 1, "eta": fmpq(1, 8), **values}
    pairs = tuple((name, fmpq(x)) for name, x in given.items())
    return setup_on(theory, PAIR, pairs, rounds)


def asked(theory, run, own=None):
    """A run as its subject, and what is measured of it."""
    subject, found = asked_and_traced(run, {})
    return subject, replace(found, functions={**found.functions, **(own or {})})


def moments(theory, rounds, own=None):
    return by_moments(*asked(theory, setup(theory, rounds), own)).series


def enumerated(theory, rounds, own=None):
    return by_enumeration(*asked(theory, setup(theory, rounds), own)).series


def slope(i, x):
    return CURVES[i] * x + SLOPES[i]


# every algorithm twice: for the suite, and by hand with the draws of one round as a list
SGD = {
    "draw": 'return {"s": random.participants(problem.clients, p["m"]), '
    '"e": random.noise(problem, 1)}',
    "step": """
        y = problem.spread(state["x"])
        y = y - p["eta"] * (problem.gradient(y) + drawn["e"][:, :, 0, :])
        return {"x": problem.xp.sum(drawn["s"][:, :, None] * y, axis=1) / p["m"]}
    """,
}


def sgd(state, drawn):
    (i,), noise = drawn
    return {"x": state["x"] - ETA * (slope(i, state["x"]) + noise[i])}


MOMENTUM = {
    "init": 'return {"x": start, "v": start * 0}',
    "draw": SGD["draw"],
    "step": """
        g = problem.gradient(state["x"]) + drawn["e"][:, :, 0, :]
        v = state["v"] / 2 + problem.xp.sum(drawn["s"][:, :, None] * g, axis=1) / p["m"]
        return {"x": state["x"] - p["eta"] * v, "v": v}
    """,
}


def momentum(state, drawn):
    (i,), noise = drawn
    v = state["v"] / 2 + slope(i, state["x"]) + noise[i]
    return {"x": state["x"] - ETA * v, "v": v}


CONTROLS = {
    "init": 'return {"x": start, "c": problem.spread(start) * 0}',
    "draw": SGD["draw"],
    "step": """
        xp, here = problem.xp, drawn["s"][:, :, None]
        mean = problem.spread(xp.sum(state["c"], axis=1) / problem.clients)
        g = problem.gradient(state["x"]) + drawn["e"][:, :, 0, :]
        y = problem.spread(state["x"]) - p["eta"] * (g - state["c"] + mean)
        return {"x": xp.sum(here * y, axis=1) / p["m"], "c": here * g + (1 - here) * state["c"]}
    """,
}


def controls(state, drawn):
    (i,), noise = drawn
    g = slope(i, state["x"]) + noise[i]
    mean = (state["c0"] + state["c1"]) / 2
    after = {"x": state["x"] - ETA * (g - state[f"c{i}"] + mean)}
    return after | {f"c{j}": g if j == i else state[f"c{j}"] for j in range(2)}


MASKS = {
    "draw": 'return {"mask": random.bernoulli(p["eta"] * 2, problem.clients)}',
    "step": """
        g = drawn["mask"][:, :, None] * problem.gradient(state["x"])
        return {"x": state["x"] - p["eta"] * problem.xp.sum(g, axis=1)}
    """,
}


def masks(state, drawn):
    return {"x": state["x"] - ETA * sum(b * slope(i, state["x"]) for i, b in enumerate(drawn))}


ORDERED = {
    "draw": 'return {"o": random.permutation(problem.clients)}',
    "step": """
        xp, x = problem.xp, state["x"]
        for k in range(problem.clients):
            g = problem.gradient(x)
            mine = drawn["o"][:, k][:, None] == xp.arange(problem.clients)[None, :]
            x = x - p["eta"] * xp.sum(xp.where(mine[:, :, None], g, g * 0), axis=1)
        return {"x": x}
    """,
}


def ordered(state, drawn):
    x = state["x"]
    for i in drawn:
        x = x - ETA * slope(i, x)
    return {"x": x}


SAMPLED = [
    (chosen, noise) for chosen in combinations(range(2), 1)
    for noise in product((-SCALE, SCALE), repeat=2)
]  # fmt: skip
OF_SETS = [(one, Fraction(1, 8)) for one in SAMPLED]
OF_MASKS = [
    ((a, b), (Fraction(1, 4) if a else Fraction(3, 4)) * (Fraction(1, 4) if b else Fraction(3, 4)))
    for a, b in product((0, 1), repeat=2)
]
OF_ORDERS = [((0, 1), Fraction(1, 2)), ((1, 0), Fraction(1, 2))]
ALGORITHMS = {
    "sgd": (SGD, sgd, OF_SETS, {}),
    "momentum": (MOMENTUM, momentum, OF_SETS, {"v": 0}),
    "controls": (CONTROLS, controls, OF_SETS, {"c0": 0, "c1": 0}),
    "masks": (MASKS, masks, OF_MASKS, {}),
    "ordered": (ORDERED, ordered, OF_ORDERS, {}),
}


def by_hand(step, outcomes, more, rounds):
    """E (x - x*)^2, E f'(x)^2, the gap and E (x' - x)^2, by plain enumeration."""
    rows = [({"x": START, **more}, Fraction(1))]
    found = {"D_W": [], "G_u": [], "B": [], "f": [], "Du_2": []}
    for at in range(rounds + 1):
        for state, chance in rows:
            x = state["x"]
            own = {
                "D_W": (x - BEST) ** 2,
                "G_u": (sum(slope(i, x) for i in range(2)) / Fraction(2)) ** 2,
                "B": sum(slope(i, x) ** 2 for i in range(2)),
                "f": Fraction(sum(CURVES), 4) * (x - BEST) ** 2,
            }
            for name, value in own.items():
                found[name] += [Fraction(0)] * (at + 1 - len(found[name]))
                found[name][at] += chance * value
        if at == rounds:
            return found
        moves = [(s, step(s, drawn), c * q) for s, c in rows for drawn, q in outcomes]
        found["Du_2"].append(sum(c * (new["x"] - s["x"]) ** 2 for s, new, c in moves))
        rows = [(new, c) for _, new, c in moves]


def fractions(series):
    return [Fraction(str(x)) for x in series]


@pytest.mark.parametrize("name", ALGORITHMS)
def test_moments_and_enumeration_are_what_plain_fractions_give(tmp_path, name):
    pieces, step, outcomes, more = ALGORITHMS[name]
    theory = loaded(tmp_path, **pieces)
    expected = by_hand(step, outcomes, more, 3)
    long = moments(theory, 3)
    rows = enumerated(theory, 3)
    assert long.keys() == rows.keys() == expected.keys()
    for quantity, values in expected.items():
        assert fractions(long[quantity]) == values, quantity
        assert fractions(rows[quantity]) == values, quantity


def test_a_planted_error_in_a_weight_shows(tmp_path):
    """The oracle is not blind: other chances give other moments."""
    theory = loaded(tmp_path, **MASKS)
    long = moments(theory, 2)
    wrong = [(one, Fraction(1, 4)) for one, _ in OF_MASKS]
    assert fractions(long["D_W"]) != by_hand(masks, wrong, {}, 2)["D_W"]


BENT = {
    "a comparison": 'x = xp.where(x > 0, x, -x)',
    "clipping": 'x = xp.clip(x, -1, 1)',
    "an equality": 'x = xp.where(x == 0, x + 1, x)',
    "an inequality of equality": 'x = xp.where(x != 0, x, x + 1)',
    "a truth value": 'x = x if bool(xp.any(x)) else x + 1',
    "a truth value of astype": 'x = xp.where(x.astype(bool), x, x + 1)',
    "a square": 'x = x * x',
    "a power": 'x = x**2',
    "a magnitude": 'x = abs(x)',
    "a sign": 'x = x * xp.sign(x)',
    "a quotient": 'x = x + 1 / (1 + x * x)',
    "a quotient that cancels": 'x = (x * x) / x',
    "a whole division": 'x = x - x // 1',
    "an order": 'x = xp.sort(xp.concat([x, -x], axis=1), axis=1)[:, 1:]',
    "a membership": 'x = x if 0 not in x else x + 1',
    "a maximum": 'x = xp.maximum(x, 0)',
}  # fmt: skip


@pytest.mark.parametrize("how", BENT)
def test_a_step_that_is_not_affine_has_no_moments(tmp_path, how):
    # in the first rounds it moves as plain SGD does, so that comparing rounds would not show it
    step = f'xp, x = problem.xp, state["x"]\n{BENT[how]}\nreturn {{"x": x}}'
    theory = loaded(tmp_path)
    algorithm = type(theory.algorithm)(
        theory.algorithm.init, theory.algorithm.draw, _compiled(step), "bent"
    )
    subject, known = asked(theory, setup(theory, 3))
    with pytest.raises(Refused, match=": it |not affine|TypeError"):
        by_moments(replace(subject, algorithm=algorithm), known)


def _compiled(inside):
    lines = "".join(f"    {line}\n" for line in inside.splitlines())
    space = {}
    exec(f"def step(problem, p, state, drawn):\n{lines}", space)
    return space["step"]


@pytest.mark.parametrize(
    "asking",
    ['p["t"]', 'p.get("t", 0)', 'dict(p)["t"]', 'dict(**p)["t"]', "sum(p.values())", "max(p.items())[1]"],
)  # fmt: skip
def test_a_step_that_asks_for_the_round_in_any_way_has_its_own_map_in_each(tmp_path, asking):
    step = f"""
        eta = p["eta"] / (1 + ({asking}))
        return {{"x": state["x"] - eta * problem.full_gradient(state["x"])}}
    """
    theory = loaded(tmp_path, step=step)
    x, expected = START, []
    for t in range(4):
        expected.append((x - BEST) ** 2)
        told = t if "sum" not in asking and "max" not in asking else of_values(asking, t)
        x -= ETA / (1 + told) * sum(slope(i, x) for i in range(2)) / 2
    assert fractions(moments(theory, 3)["D_W"]) == expected


def of_values(asking, t):
    """What is read off all parameters: m = 1, eta and the round."""
    return 1 + ETA + t if "sum" in asking else t


def test_a_draw_that_asks_for_the_round_has_other_moments_in_each(tmp_path):
    draw = 'return {"b": random.bernoulli(1 / (p["t"] + 1), 1)}'
    step = 'return {"x": state["x"] * drawn["b"]}'
    theory = loaded(tmp_path, draw=draw, step=step)
    square = {"Z": lambda problem, state: (state["x"] * state["x"]).sum(axis=1)}
    for find in (moments, enumerated):
        found = find(theory, 3, square)
        assert found["Z"].tolist() == [25, 25, fmpq(25, 2), fmpq(25, 6)]


def test_quantities_of_degree_three_are_left_out_of_moments_only(tmp_path):
    theory = loaded(tmp_path)
    own = {
        "Z3": lambda problem, state: (state["x"] ** 3).sum(axis=1),
        "Z2": lambda problem, state: (state["x"] ** 2).sum(axis=1),
        "Z0": lambda problem, state: problem.xp.where(state["x"][:, 0] == 0, 1, 0),
    }
    assert {"Z2"} == moments(theory, 2, own).keys() & own.keys()
    assert own.keys() <= enumerated(theory, 2, own).keys()


def test_a_state_with_counters_and_whole_numbers_is_affine(tmp_path):
    init = 'return {"x": start, "k": problem.xp.zeros((1, 1), dtype=int)}'
    step = 'return {"x": state["x"] / 2, "k": state["k"] + 1}'
    theory = loaded(tmp_path, init=init, step=step)
    own = {"Z": lambda problem, state: state["k"][:, 0] * state["k"][:, 0]}
    for found in (
        moments(theory, 4, own),
        enumerated(theory, 4, own),
    ):
        assert found["Z"].tolist() == [0, 1, 4, 9, 16]


def test_disagreement_of_moments_and_enumeration_is_a_conflict(tmp_path, monkeypatch):
    theory = loaded(tmp_path)
    run = asked(theory, setup(theory, 20))
    assert methods.answer(*run).how == "exact moments"

    def wrong(*arguments):
        found = by_moments(*arguments)
        return replace(found, series={**found.series, "D_W": found.series["D_W"] + 1})

    monkeypatch.setattr(methods, "by_moments", wrong)
    with pytest.raises(ConflictError, match="D_W .* disagree"):
        methods.answer(*run)


def test_noise_is_shared_within_a_round_and_fresh_in_the_next(tmp_path):
    """One sign used twice adds up; signs of different rounds do not."""
    draw = 'return {"e": random.signs(1)}'
    step = 'return {"x": state["x"] + drawn["e"] + drawn["e"]}'
    theory = loaded(tmp_path, draw=draw, step=step)
    own = {"Z": lambda problem, state: (state["x"] - 5)[:, 0] ** 2}
    expected = [4 * t for t in range(4)]
    for find in (moments, enumerated):
        assert np.array_equal(find(theory, 3, own)["Z"], expected)
