"""Bound against bound: synthetic bounds whose boundary is known, and theorems against `bound`."""

from dataclasses import replace

import numpy as np
import pytest
import sympy as sp

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.claims import Condition
from fedbounds.theory.language.registry import claim
from fedbounds.theory.language.symbols import SHARED, K, L, T, b2, gamma, m, n
from fedbounds.verify.commands.bound.answer import answers
from fedbounds.verify.commands.contest.axes import axis
from fedbounds.verify.commands.contest.regions import regions, sides

THEOREM = claim("personalization/thm-3.7")


def _claim(right, *conditions):
    part = replace(THEOREM.parts[0], right=right, conditions=conditions, trivial=None)
    return replace(THEOREM, parts=(part,), regimes=(), schedules=(), proof_weights=())


def _regions(first, second, given, over):
    pair = sides(("first", _claim(*first), None), ("second", _claim(*second), None))
    return regions(pair, given, over)


def test_whole_numbers_change_between_neighbours():
    found = _regions((K / T,), (sp.sqrt(90) / T,), {"T": "7"}, {"K": "1:20"})
    assert found.smaller.tolist() == [-1] * 9 + [1] * 11
    (change,) = found.boundaries
    assert (change.low, change.high, change.below, change.above) == (9, 10, "first", "second")


def test_sparse_whole_numbers_are_halved_to_neighbours():
    found = _regions((K / T,), (sp.Integer(1000) / T,), {"T": "7"}, {"K": "1:5000:4"})
    (change,) = found.boundaries
    assert (change.low, change.high) == (999, 1000)  # at 1000 they are equal


@pytest.mark.parametrize("kind", ["1e-3:1e3:11:log", "1e-3:1e3:11"])
def test_a_boundary_of_a_real_symbol_is_found_to_rounding(kind):
    found = _regions((L**2 / T,), (m * L / T,), {"T": "3"}, {"L": kind, "m": "2:4"})
    assert [dict(change.at)["m"] for change in found.boundaries] == [2.0, 3.0, 4.0]
    for change, expected in zip(found.boundaries, (2.0, 3.0, 4.0), strict=True):
        assert change.low == pytest.approx(expected, rel=1e-8)
        assert change.high == pytest.approx(expected, rel=1e-8)


def test_each_bound_has_its_own_best_step():
    """a / g + b g is 2 sqrt(a b) at g = sqrt(a / b), or at the edge of the conditions."""
    first = (1 / (T * gamma) + L * gamma, Condition(gamma, "<=", sp.Integer(1)))
    second = (K / T / gamma + gamma, Condition(gamma, "<=", sp.Rational(1, 100)))
    found = _regions(first, second, {"T": "100", "K": "1"}, {"L": "1:400:20:log"})
    smoothness = found.rows["L"]
    np.testing.assert_allclose(found.found[0].step, np.sqrt(0.01 / smoothness), rtol=1e-6)
    np.testing.assert_allclose(found.found[0].value, 2 * np.sqrt(0.01 * smoothness), rtol=1e-12)
    np.testing.assert_allclose(found.found[1].step, 0.01)
    np.testing.assert_allclose(found.found[1].value, 1.01)
    (change,) = found.boundaries
    assert change.low == pytest.approx(1.01**2 / 0.04, rel=1e-8)


def test_a_step_that_is_given_is_kept():
    first = (1 / (T * gamma) + L * gamma, Condition(gamma, "<=", sp.Integer(1)))
    found = _regions(first, (L / T,), {"T": "4", "gamma": "1/2"}, {"L": "1:3:3"})
    np.testing.assert_allclose(found.found[0].value, 0.5 + found.rows["L"] / 2)
    assert found.found[0].step is None


def test_where_conditions_fail_nothing_is_said():
    first = (K / T, Condition(K, ">=", sp.Integer(4)))
    found = _regions(first, (b2 / T,), {"T": "1", "b2": "100"}, {"K": "1:6"})
    assert found.smaller.tolist() == [2, 2, 2, -1, -1, -1]
    with pytest.raises(FedboundsError, match="no point of the grid is inside .*: K >= 4"):
        _regions(first, (b2 / T,), {"T": "1", "b2": "100"}, {"K": "1:3"})


def test_more_participants_than_clients_are_outside():
    found = _regions((m / T,), (n / T,), {"T": "1", "n": "3"}, {"m": "1:5"})
    assert found.smaller.tolist() == [-1, -1, 0, 2, 2]


def test_two_theorems_agree_with_exact_bounds():
    names = ("personalization/thm-3.7", "personalization/thm-4.5")
    pair = sides(*((name, claim(name), None) for name in names))
    given = {"n": "20", "L": "1", "F_0": "2", "sigma_u^2": "1/100", "sigma_v2": "0.01", "T": "1e5"}
    found = regions(pair, {**given, "K": "8"}, {"b2": "1e-3:10:25:log", "m": "1:20:4"})
    assert set(found.smaller) == {-1, 1}
    assert found.boundaries
    for at in (0, 37, len(found.smaller) - 1):
        for name, one in zip(names, found.found, strict=True):
            point = {**given, "K": "8", "m": int(found.rows["m"][at])}
            if name.endswith("3.7"):
                point["b2"] = float(found.rows["b^2"][at])
            (part,) = answers(claim(name), point).parts
            assert float(part.value.value) == pytest.approx(one.value[at], rel=1e-10)
    # exact bounds on both sides of a boundary are in the order that is said
    change = found.boundaries[0]
    for b, smaller in ((change.low * 0.999, change.below), (change.high * 1.001, change.above)):
        point = {**given, "K": "8", "m": int(dict(change.at)["m"])}
        values = {
            name: float(
                answers(claim(name), point | ({"b2": b} if name.endswith("3.7") else {}))
                .parts[0]
                .value.value
            )
            for name in names
        }
        assert min(values, key=values.__getitem__) == smaller


def test_left_sides_must_agree():
    with pytest.raises(
        FedboundsError, match=r"left sides differ: a bounds .*, b bounds Mean_t\(G_"
    ):
        sides(("a", THEOREM, None), ("b", claim("personalization/thm-3.11"), None))


def test_a_part_is_named_where_several_could_be_meant():
    both = claim("personalization/thm-3.11")
    with pytest.raises(FedboundsError, match=r"several parts .*\(a and a, a and b, .*CLAIM:PART"):
        sides(("a", both, None), ("b", both, None))
    first, second = sides(("a", both, "a"), ("b", both, "b"))
    assert (first.part.name, second.part.name) == ("a", "b")


@pytest.mark.parametrize(
    ("given", "over", "said"),
    [
        ({}, {"K": "1:3"}, "the comparison needs T \\(rounds\\)"),
        ({"T": "1", "K": "2"}, {"K": "1:3"}, "K is given by --set and by --over"),
        ({"T": "1", "q": "2"}, {"K": "1:3"}, "unknown symbol of first and second 'q'"),
        ({"T": "1"}, {"K": "3:1"}, "--over K is 3:1; expected LOW < HIGH"),
        ({"T": "1"}, {"K": "1"}, "expected LOW:HIGH"),
        ({"T": "1"}, {"K": "1:4:1"}, "COUNT of --over K is 1; expected an integer, 2 to 2000"),
        ({"T": "1"}, {"K": "0:4"}, "K .* is 0; expected an integer > 0"),
        ({"T": "x"}, {"K": "1:4"}, "T is 'x'"),
        ({"T": "1"}, {}, "at least one --over"),
    ],
)
def test_bad_input(given, over, said):
    with pytest.raises(FedboundsError, match=said):
        _regions((K / T,), (1 / T,), given, over)


def test_axes_take_all_whole_numbers_or_a_spread():
    assert axis(SHARED, K, "1:100").values.tolist() == list(range(1, 101))
    assert len(axis(SHARED, K, "1:100000").values) <= 60
    assert axis(SHARED, K, "1:1000:4:log").values.tolist() == [1, 10, 100, 1000]
    np.testing.assert_allclose(axis(SHARED, L, "1/2:2:3:log").values, [0.5, 1, 2])
