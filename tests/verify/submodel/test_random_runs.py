"""Random masks in full: quantities against plain loops, planned runs, and planted errors."""

import json
from dataclasses import replace
from fractions import Fraction as F
from functools import cache
from itertools import product
from pathlib import Path

import pytest
from flint import arb
from quick_plans import verdicts
from submodel_mutations import (
    mask_on_the_gradient_only,
    old_coordinates_as_zeros,
    projection_skipped,
)

from fedbounds.algorithms import sub_models
from fedbounds.errors import FedboundsError
from fedbounds.theory.language.registry import claim
from fedbounds.theory.language.setups import Objective, Planned, Run, Setup
from fedbounds.theory.submodel import assumed, measured
from fedbounds.theory.submodel.names import RANDOM
from fedbounds.theory.submodel.setups import PLANNED, masked_round
from fedbounds.theory.submodel.views import VIEWS
from fedbounds.verify.decide.case import find, without_floats
from fedbounds.verify.judge.judge import judge
from fedbounds.verify.judge.plan import quick_cases
from fedbounds.verify.measure.objectives import exact
from fedbounds.verify.setups.found import InFloats
from fedbounds.verify.setups.plan import case_of
from fedbounds.vocabulary import Method, Verdict

DATA = Path(__file__).parents[2] / "data" / "submodel_exact.json"
HESSIAN = [[[2, 1], [1, 2]], [[2, -1], [-1, 3]]]
SLOPE = [[1, -1], [2, F(1, 2)]]
KEEP = (F(1, 2), F(4, 5))
ETA, START = F(1, 20), (F(1), F(-1))


def setup(keep=KEEP, rounds=1):
    data = (("hessians", HESSIAN), ("slopes", SLOPE), ("noise", 0))
    parameters = (("keep", keep), ("K", 2), ("eta", ETA))
    return Setup(
        "submodel", "rounds", Run(Objective("quadratics", data), START, parameters, rounds)
    )


# ---- a slow oracle: one client, one step, one coordinate at a time


def masked(mask, w):
    return [x * kept for x, kept in zip(w, mask, strict=True)]


def slope(i, mask, w):
    """m o grad f_i(m o w)."""
    own = masked(mask, w)
    full = [sum(F(a) * x for a, x in zip(row, own, strict=True)) + F(b)
            for row, b in zip(HESSIAN[i], SLOPE[i], strict=True)]  # fmt: skip
    return masked(mask, full)


def laws():
    """Every pair of masks with its probability."""
    for both in product(product((0, 1), repeat=2), repeat=2):
        chance = F(1)
        for p, mask in zip(KEEP, both, strict=True):
            for kept in mask:
                chance *= p if kept else 1 - p
        yield both, chance


def expected(value):
    return sum(chance * value(both) for both, chance in laws())


def square(x):
    return sum(a * a for a in x)


def mean_slope(w):
    return [
        expected(lambda both, j=j: sum(slope(i, both[i], w)[j] for i in range(2))) / 2
        for j in range(2)
    ]


@cache
def oracle():
    """H, V_bar and E w^1 after one round of K = 2 steps without noise."""

    def drift(both):
        found = F(0)
        for i, mask in enumerate(both):
            moved = [-ETA * g for g in slope(i, mask, START)]
            found += square(moved)
        return found / 2

    def squares_of(both):
        return sum(square(slope(i, mask, START)) for i, mask in enumerate(both)) / F(2)

    def after(both):
        total = [F(0), F(0)]
        for i, mask in enumerate(both):
            y = list(START)
            for _ in range(2):
                y = [a - ETA * g for a, g in zip(y, slope(i, mask, y), strict=True)]
            total = [a + b / 2 for a, b in zip(total, y, strict=True)]
        return total

    return expected(drift), expected(squares_of), after


def fraction(x):
    return F(int(x.p), int(x.q))


def test_quantities_of_a_round_are_those_of_plain_loops():
    drift, squares_of, after = oracle()
    found = find(setup())
    assert fraction(found.series["V_bar"][0]) == drift
    assert fraction(found.series["H_x"][0]) == squares_of
    assert fraction(found.series["g_Fp"][0]) == square(mean_slope(START))
    best = [F(0), F(0)]
    # the minimiser, from the closed form's stationarity: grad F_p(w*) = 0 in plain arithmetic
    best = solve([mean_slope([F(0), F(0)]), mean_slope([F(1), F(0)]), mean_slope([F(0), F(1)])])
    assert fraction(found.series["D_opt"][1]) == expected(
        lambda both: square([a - b for a, b in zip(after(both), best, strict=True)])
    )


def solve(values):
    """The root of an affine map of the plane, from its values at 0, e_1 and e_2."""
    b, first, second = values
    a, c = first[0] - b[0], second[0] - b[0]
    e, d = first[1] - b[1], second[1] - b[1]
    det = a * d - c * e
    return [(-b[0] * d + c * b[1]) / det, (e * b[0] - a * b[1]) / det]


def test_the_series_of_a_long_run_are_those_of_the_enumerated_one():
    short = setup(rounds=2)
    long = replace(short, view="many rounds")
    every, followed, floats = find(short), find(long), find(InFloats(long))
    assert followed.series.keys() == VIEWS["many rounds"].quantities.keys()
    for name, values in followed.series.items():
        own = every.series[name]
        assert (values[: len(own)] == own).all(), name
        assert len(values) == 3
        assert all(abs(float(a) - b) <= e + 1e-15 for a, b, e in zip(
            values, floats.series[name], floats.errors[name], strict=True)), name  # fmt: skip
    constants = followed.parameters.keys() & every.parameters.keys()
    assert constants >= {"zeta_star2", "nu_star2", "p_mean", "Phi", "D_opt_0", "T"}
    assert all(followed.parameters[name] == every.parameters[name] for name in constants)
    assert without_floats(InFloats(long)) == (long, Method.RATIONAL)


# ---- an earlier engine, whose numbers are kept


@cache
def stored():
    return json.loads(DATA.read_text("utf-8"))


def not_equal(name, kept):
    found = find(next(p.setup for p in PLANNED if p.name == name))
    numbers = {x.value: y.value for x, y in found.constants.items()} | dict(found.parameters)
    for key, value in kept["constants"].items():
        # without a box nothing speaks of the spread
        if str(numbers.get(key)) != value and (key in numbers or key != "p_spread"):
            yield key
    for key, values in kept["series"].items():
        if [str(x) for x in found.series[key]][: len(values)] != values[: len(found.series[key])]:
            yield key


def test_exact_values_are_those_of_the_earlier_engine():
    for name, kept in stored().items():
        assert list(not_equal(name, kept)) == [], name


def test_what_is_kept_has_masks_noise_a_box_and_enough_numbers():
    lists = [x for kept in stored().values() for x in kept["series"].values()]
    assert sum(map(len, lists)) + sum(len(kept["constants"]) for kept in stored().values()) >= 1500
    told = " ".join(stored())
    assert all(word in told for word in ("noise", "rare masks", "full masks", "in a box", "saddle"))
    every = {name for kept in stored().values() for name in kept["series"]}
    assert every == (measured.QUANTITIES | measured.BESIDE_FULL).keys() - measured.EXCESS.keys()


def test_a_number_that_is_another_is_seen():
    name, kept = next(iter(stored().items()))
    wrong = {"constants": {"nu2": "1"}, "series": {"U_2": ["0", *kept["series"]["U_2"][1:]]}}
    assert list(not_equal(name, wrong)) == ["nu2", "U_2"]


# ---- what the plan decides


def test_the_quick_plan_decides_every_part(quick_plan):
    """Of its runs, and of what stands side by side or in ladders."""
    ours = {
        case.name
        for case in quick_cases("submodel")
        if case.algorithm_name == RANDOM or not isinstance(case.setup, Setup | InFloats)
    }
    found = verdicts(x for x in quick_plan("submodel") if x["problem"]["instance"] in ours)
    about = {key: claim(key[0]).part(key[2]).algorithm for key in found}
    firm = {Verdict.NOT_VIOLATED, Verdict.VIOLATED}
    own = [key for key in found if about[key] in ("", "random masks")]  # others are about ladders
    assert len(own) > 50
    assert [key for key in own if not firm & found[key]] == []


def logarithms():
    every = [one.setup for one in PLANNED if "log_T" in dict(one.setup.chosen)]
    return [(one, arb(exact(dict(one.chosen)["log_T"]))) for one in every]


def test_what_stands_for_a_logarithm_is_hardly_larger():
    assert len(logarithms()) == 6
    for one, log in logarithms():
        least = arb(one.run.rounds).log()
        assert log >= least
        assert dict(one.chosen)["log_T"] == 5 or log - least < arb(2) ** -16


def test_a_logarithm_that_is_too_small_is_an_error():
    one = logarithms()[0][0]
    find(one)
    with pytest.raises(FedboundsError, match="set-up is T <= "):
        find(replace(one, chosen={"log_T": "4.605"}))


def boxed(**changed):
    one = masked_round(boxed=True)
    chosen = dict(one.chosen) | {x: y for x, y in changed.items() if x in dict(one.chosen)}
    parameters = dict(one.run.parameters)
    parameters |= {x: y for x, y in changed.items() if x in parameters}
    run = replace(one.run, parameters=parameters, start=changed.get("start", one.run.start))
    return replace(one, run=run, chosen=chosen)


@pytest.mark.parametrize(
    ("changed", "broken"),
    [
        ({"start": (1, -2)}, "-low"),
        ({"start": (2, 0)}, "high"),
        ({"D_dom": "2.8"}, "D_dom"),
        ({"W_sup": "1.4"}, "W_sup"),
        ({"spread": ("1/2", "1/3")}, "spread"),
        ({"spread": ("1/2", "-2/5")}, "spread"),
    ],
)
def test_a_box_whose_numbers_are_wrong_is_an_error(changed, broken):
    find(boxed())
    with pytest.raises(FedboundsError, match=f"set-up is .*{broken}"):
        find(boxed(**changed))


def test_gradients_are_bounded_where_G_is_large_enough():
    bounded = assumed.BOUNDED_MASKED_GRADIENTS
    assert find(boxed()).evidence[bounded].holds
    assert not find(boxed(G="5.5")).evidence[bounded].holds


# ---- planted errors: each breaks an identity or a proved bound


def broken(looked_at, claim_id):
    found = judge((claim(claim_id),), case_of(Planned("planted", looked_at), RANDOM))
    return {
        outcome.part
        for judgement in found.judgements
        for outcome in judgement.outcomes
        if outcome.verdict is Verdict.VIOLATED
    }


def test_nothing_is_broken_without_an_error():
    for name in ("claim-virtual", "claim-recover", "lem-6", "lem-4", "thm-1"):
        assert broken(setup(rounds=2), f"submodel/{name}") == set()
        assert broken(setup((1, 1), 2), f"submodel/{name}") == set()


def test_a_mask_on_the_gradient_only_is_caught(monkeypatch):
    mask_on_the_gradient_only(monkeypatch)
    assert broken(setup(), "submodel/claim-virtual") == {"local iterates", "average"}


def test_a_projection_that_is_skipped_is_caught(monkeypatch):
    assert broken(boxed(), "submodel/claim-virtual") == set()
    projection_skipped(monkeypatch)
    assert broken(boxed(), "submodel/claim-virtual") == {"average"}


def test_old_coordinates_averaged_in_as_zeros_are_caught(monkeypatch):
    old_coordinates_as_zeros(monkeypatch)
    assert "average" in broken(setup(), "submodel/claim-virtual")


def test_a_step_that_is_too_short_is_caught_at_full_masks(monkeypatch):
    original = sub_models.local

    def local(noisy, masks, eta, *rest):
        return original(noisy, masks, eta / 2, *rest)

    monkeypatch.setattr(sub_models, "local", local)
    assert broken(setup((1, 1)), "submodel/claim-recover") == {"algorithm"}
