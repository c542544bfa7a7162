"""Every quantity of both algorithms against brute force: each client, step, outcome in fractions.

And against a closed form, in floats within their stated errors, under other laws and other names.
"""

from dataclasses import replace
from fractions import Fraction as F

import bridge
import numpy as np
import oracles
import pytest
import small_quadratics as small
from each import each
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st
from personal_cases import VIEWS, case, quadratics, run, sizes

from fedbounds.theory.language.setups import Setup
from fedbounds.verify.decide.case import find
from fedbounds.verify.decide.measurement import measure
from fedbounds.verify.setups.found import InFloats

SHARED = oracles.Quadratic(1, [[[F(2)]], [[F(1)]]], [[F(1)], [F(-3)]])
ALONE = oracles.Quadratic(1, small.TWO.hessian[:1], small.TWO.linear[:1])
# objective, step sizes, (scale_u, scale_v), the last round
AVERAGED = {
    "n=2 m=1 K=1": (small.TWO, small.steps(1, 1, F(1, 5), F(3, 2), F(5, 4)), (F(1), F(1, 2)), 2),
    "n=2 m=1 K=2": (small.TWO, small.steps(1, 2, F(1, 6), F(3), F(1, 2)), (F(1), F(0)), 2),
    "n=2 m=1 K=3": (small.TWO, small.steps(1, 3, F(1, 7), F(3, 2), F(2)), (F(1, 2), F(0)), 0),
    "n=2 m=2 K=2": (small.TWO, small.steps(2, 2), (F(0), F(1)), 1),
    "n=3 m=2 K=1": (small.OWN_CURVATURE, small.steps(2, 1, F(1, 4), F(2), F(3)), (F(1), F(0)), 2),
    "n=3 m=3 K=1": (small.OWN_CURVATURE, small.steps(3, 1), (F(1, 2), F(0)), 2),
    "n=3 m=1 K=2": (small.OWN_CURVATURE, small.steps(1, 2), (F(0), F(1)), 0),
    "no noise": (small.OWN_CURVATURE, small.steps(2, 3, F(1, 9), F(2), F(3)), (F(0), F(0)), 3),
    "no personal block": (SHARED, small.steps(1, 2, F(1, 5), F(2)), (F(1, 2), F(0)), 2),
    "no shared block": (small.PERSONAL_ONLY, small.steps(2, 1, F(1, 5), F(1), F(2)), (F(0), F(1)), 1),
    "wide personal block": (small.WIDE, small.steps(1, 1, F(1, 4), F(4, 3), F(2)), (F(1), F(0)), 2),
    "unbounded below": (small.UNBOUNDED, small.steps(1, 2), (F(1), F(0)), 1),
    "n=1": (ALONE, small.steps(1, 2, F(1, 3), F(1, 2), F(2)), (F(1), F(1)), 2),
}  # fmt: skip
CORRECTED = {
    "n=2 m=1 K=1": (small.TWO, small.steps(1, 1, F(1, 5), F(3, 2), F(5, 4)), (F(1), F(1, 2)), 1),
    "n=2 m=1 K=1 long": (small.TWO, small.steps(1, 1, F(1, 4), F(2), F(1)), (F(1, 2), F(0)), 3),
    "n=2 m=2 K=1": (small.TWO, small.steps(2, 1, F(1, 4), F(2), F(3)), (F(1), F(0)), 2),
    "n=2 m=1 K=2": (small.TWO, small.steps(1, 2, F(1, 6), F(3), F(1, 2)), (F(1), F(0)), 1),
    "n=2 m=1 K=2 noise in v": (small.TWO, small.steps(1, 2), (F(0), F(1)), 1),
    "n=2 m=2 K=2": (small.TWO, small.steps(2, 2), (F(1, 2), F(0)), 1),
    "n=3 m=1 K=1": (small.OWN_CURVATURE, small.steps(1, 1), (F(1), F(0)), 1),
    "n=3 m=2 K=1": (small.OWN_CURVATURE, small.steps(2, 1, F(1, 4), F(3, 2), F(2)), (F(1), F(0)), 1),
    "n=3 m=3 K=1": (small.OWN_CURVATURE, small.steps(3, 1, F(1, 4)), (F(1, 2), F(0)), 1),
    "no noise, K=3": (small.TWO, small.steps(1, 3, F(1, 9), F(2), F(3)), (F(0), F(0)), 4),
    "no noise, n=3 m=2": (small.OWN_CURVATURE, small.steps(2, 1), (F(0), F(0)), 3),
    "no personal block": (SHARED, small.steps(1, 2, F(1, 5), F(2)), (F(1, 2), F(0)), 1),
    "no shared block": (small.PERSONAL_ONLY, small.steps(1, 1, F(1, 5), F(1), F(2)), (F(0), F(1)), 1),
    "wide personal block": (small.WIDE, small.steps(1, 1, F(1, 4), F(4, 3), F(2)), (F(1), F(0)), 2),
    "n=1": (ALONE, small.steps(1, 2, F(1, 3), F(1, 2), F(2)), (F(1), F(0)), 2),
}  # fmt: skip
CASES = [(kind, name) for kind in VIEWS for name in (AVERAGED, CORRECTED)[kind == "Scaffold-P"]]
OF_A_MEMORY = {"C", "C_i", "A_ik", "Bt_ik", "A_old", "Bt_old", "U_ik", "V_ik"}  # FedAvg-P has none
NOT_CLAIMED = {"P_u", "T_3u"}  # of Scaffold-P


def case_of(kind, name):
    return (AVERAGED, CORRECTED)[kind == "Scaffold-P"][name]


def differing(found, expected, objective):
    """Names of quantities that are, at some place and round, another number than by brute force."""
    lowest = F(0)
    if "f" in found:
        lowest = oracles.least_value(objective)
    wrong = set()
    for name, series in found.items():
        wanted = expected[name]
        if name == "f":
            wanted = {(): [x - lowest for x in wanted[()]]}
        own = small.by_place(name, series)
        if own.keys() != wanted.keys():
            wrong.add(name)
        for place, values in own.items():
            pairs = zip(
                values, wanted[place], strict=False
            )  # states are known after the last round
            if any(a is not None and a != b for a, b in pairs):
                wrong.add(name)
    return wrong


@each("kind, name", CASES)
def test_every_quantity_equals_brute_force_exactly(kind, name):
    objective, steps, scales, last = case_of(kind, name)
    corrected = kind == "Scaffold-P"
    expected = small.history(objective, steps, scales, last, corrected=corrected)
    found = find(small.setup(objective, steps, scales, last + 1, corrected=corrected))
    assert not found.missing
    absent = NOT_CLAIMED if corrected else OF_A_MEMORY
    if objective is small.UNBOUNDED:
        absent = absent | {"f"}
        assert "f_inf" in found.undefined["f"]
    assert set(found.series) == expected.keys() - absent
    assert differing(found.series, expected, objective) == set()


def test_a_wrong_history_would_be_seen():
    """The oracle is not blind: each thing that a memory could get wrong changes some number."""
    objective, steps, scales, _ = CORRECTED["n=2 m=1 K=1 long"]
    louder = small.history(objective, steps, (F(2), F(0)), 1, corrected=True)
    found = find(small.setup(objective, steps, scales, 2, corrected=True)).series
    wrong = differing(found, louder, objective)
    assert {"C", "cd_2", "cd_i", "W_own", "W_mean", "W_2", "What_2", "What_sum"} <= wrong
    assert {"A_ik", "A_old", "U_ik", "c_i2", "h_i2", "ch_i", "S_3u", "Eu_ik"} <= wrong


@each("kind, name", CASES)
def test_floats_are_off_by_no_more_than_their_stated_errors(kind, name):
    """The rounding allowance that decisions use bounds the distance from exact rationals."""
    objective, steps, scales, _ = case_of(kind, name)
    own = small.setup(objective, steps, scales, 4, corrected=kind == "Scaffold-P", law="gaussian")
    exact, floats = find(own), find(InFloats(own))
    assert exact.errors == {}
    assert floats.errors.keys() == floats.series.keys() == exact.series.keys()
    for quantity, values in floats.series.items():
        wanted = np.array([_float(x) for x in exact.series[quantity].reshape(-1)])
        off = abs(values.reshape(-1) - wanted)
        bound = np.broadcast_to(floats.errors[quantity], values.shape).reshape(-1)
        assert (np.isnan(off) == np.isnan(wanted)).all(), quantity
        there = ~np.isnan(wanted)
        assert (off[there] <= bound[there] + 1e-300).all(), quantity
        # and it is no blank cheque
        assert (bound[there] <= 1e-6 * (1 + abs(wanted[there]).max(initial=0))).all(), quantity


def _float(number):
    return float("nan") if number != number else float(bridge.fraction(number))


# ---- the same by other means


@pytest.mark.parametrize("name", ["n=2 m=2 K=2", "n=3 m=3 K=1", "wide personal block"])
def test_the_oracle_may_use_that_clients_noise_is_independent(name):
    objective, parameters, scales, _ = AVERAGED[name]
    quick, brute = (enumerated(objective, parameters, scales, 0, jointly=x) for x in (False, True))
    assert quick == brute


def test_the_oracles_agree_jointly_after_a_round():
    objective, parameters, scales, _ = AVERAGED["n=2 m=1 K=2"]
    quick, brute = (enumerated(objective, parameters, scales, 2, jointly=x) for x in (False, True))
    assert quick == brute


def enumerated(objective, parameters, scales, rounds, *, jointly=False):
    """Table 1 by another oracle."""
    given_ = (objective, parameters, *small.start_of(objective), small.spread(objective, scales))
    found = oracles.enumerate_expectations(*map(small.quick, given_), rounds, jointly=jointly)
    return {x: [bridge.fraction(seen[x]) for seen in found] for x in small.TABLE_ONE}


def table_one(objective, parameters, scales, rounds, **named):
    """As the engine measures it; f less its infimum."""
    own = small.setup(objective, parameters, scales, rounds + 1, corrected=False, **named)
    series = find(own).series
    return {x: [bridge.fraction(y) for y in series[x][: rounds + 1]] for x in small.TABLE_ONE}


fraction = st.fractions(min_value=-2, max_value=2, max_denominator=4)
positive = st.sampled_from([F(1, 4), F(1, 2), F(1), F(3, 2), F(2)])


@st.composite
def instances(draw):
    """Small strictly convex quadratics with any blocks, and any step sizes with one product."""
    d_u, d_v = draw(st.sampled_from([(1, 0), (0, 1), (1, 1), (2, 0), (1, 1), (1, 2)]))
    n = draw(st.integers(1, 3))
    m = draw(st.integers(1, n))
    K = draw(st.integers(1, 2 if n < 3 else 1))
    hessian = []
    for _ in range(n):
        root = [[draw(fraction) for _ in range(d_u + d_v)] for _ in range(d_u + d_v)]
        # R R' + 1/4 is positive definite
        hessian.append([[oracles.dot(x, y) + (x is y) * F(1, 4) for y in root] for x in root])
    linear = [[draw(fraction) for _ in range(d_u + d_v)] for _ in range(n)]
    noisy = draw(st.sampled_from("uv")) if d_u and d_v else "u" if d_u else "v"
    scale = draw(st.sampled_from([F(0), F(1, 2), F(1)]))
    scales = (scale, F(0)) if noisy == "u" else (F(0), scale)
    parameters = small.steps(m, K, draw(positive) / 8, draw(positive), draw(positive))
    return oracles.Quadratic(d_u, hessian, linear), parameters, scales


@settings(max_examples=12)
@given(instances())
def test_table_one_is_that_of_another_oracle_on_any_small_instance(instance):
    objective, parameters, scales = instance
    expected = enumerated(objective, parameters, scales, 1)
    expected["f"] = [x - oracles.least_value(objective) for x in expected["f"]]
    assert table_one(objective, parameters, scales, 1) == expected


@settings(max_examples=6)
@given(instances(), st.randoms(use_true_random=False))
def test_renaming_clients_changes_nothing(instance, random):
    objective, parameters, scales = instance
    order = list(range(objective.clients))
    random.shuffle(order)
    u, v = small.start_of(objective)
    renamed = replace(
        objective,
        hessian=[objective.hessian[i] for i in order],
        linear=[objective.linear[i] for i in order],
    )
    here = table_one(objective, parameters, scales, 1)
    assert table_one(renamed, parameters, scales, 1, start=(u, [v[i] for i in order])) == here


def test_the_law_of_the_noise_does_not_matter():
    objective, parameters, scales, _ = AVERAGED["n=3 m=2 K=1"]
    signs, gaussian = (
        find(small.setup(objective, parameters, scales, 2, corrected=False, law=law)).series
        for law in ("rademacher", "gaussian")
    )
    for name in small.TABLE_ONE:
        assert (signs[name] == gaussian[name]).all()


def test_moving_the_origin_changes_nothing():
    """f(z + c) started at x - c is the same run."""
    objective, parameters, scales, _ = AVERAGED["n=3 m=2 K=1"]
    u, v = small.start_of(objective)
    shift = F(7, 2)
    linear = [
        [x + sum(row) * shift for x, row in zip(own, rows, strict=True)]
        for own, rows in zip(objective.linear, objective.hessian, strict=True)
    ]
    moved = replace(objective, linear=linear)
    elsewhere = [x - shift for x in u], [[x - shift for x in own] for own in v]
    here = table_one(objective, parameters, scales, 2)
    assert table_one(moved, parameters, scales, 2, start=elsewhere) == here


# ---- a closed form, and by hand


@pytest.mark.parametrize(
    ("n", "m", "K", "eta_u", "eta_v"),
    [(10, 5, 10, 3, "3/2"), (10, 5, 10, 1, 1), (10, 1, 10, 2, "1/2"), (10, 10, 10, 4, 1),
     (7, 3, 1, 1, 2), (2, 1, 6, 2, 2)],
)  # fmt: skip
def test_equals_the_closed_form(n, m, K, eta_u, eta_v):
    """Of scalar blocks that are not coupled."""
    a, D, d = ([F((k * i + 5) % 11 - 5, 4) for i in range(n)] for k in (3, 0, 7))
    D = [F(1 + (3 * i) % 5, 6) for i in range(n)]
    v = [F((2 * i) % 5 - 2, 3) for i in range(n)]
    gamma = F(3, 10 * K)
    outer = F(eta_u), F(eta_v)
    plain = oracles.Decoupled(9 / 10, *([float(x) for x in own] for own in (a, D, d)), 0.75, 1.125)
    steps = oracles.Steps(m, K, *map(float, (gamma / outer[0], gamma / outer[1], *outer)))
    expected = oracles.closed_form(plain, steps, 1.5, [float(x) for x in v], 30)
    hessians = [((F(9, 10), 0), (0, own)) for own in D]
    problem = quadratics(hessians, list(zip(a, d, strict=True)), noise="3/4",
                         personal_noise="9/8", law="gaussian")  # fmt: skip
    own = run(problem, sizes(m, K, gamma, *outer), 30, (F(3, 2), *v))
    found = measure(case(own, many=True)).numbers.series
    for name in small.TABLE_ONE:
        values = found[name].reshape(-1)
        np.testing.assert_allclose(values, expected[name][: len(values)], rtol=1e-9, err_msg=name)


@pytest.mark.parametrize(("m", "K", "rounds"), [(1, 2, 1), (2, 1, 2), (3, 2, 1)])
def test_the_closed_form_equals_enumeration(m, K, rounds):
    objective = small.scalar_blocks(
        A=[F(1)] * 3, C=[F(0)] * 3, D=[F(1, 2), F(1), F(2)],
        a=[F(1), F(-2), F(1, 2)], d=[F(1), F(0), F(-1)],
    )  # fmt: skip
    parameters = small.steps(m, K, F(1, 4), F(2), F(1, 2))
    scales = (F(1, 2), F(0)) if rounds > 1 or m == 3 else (F(1, 2), F(1))
    expected = enumerated(objective, parameters, scales, rounds)
    expected["f"] = [x - oracles.least_value(objective) for x in expected["f"]]
    plain = oracles.Decoupled(
        1.0, [1.0, -2.0, 0.5], [0.5, 1.0, 2.0], [1.0, 0.0, -1.0], *map(float, scales)
    )
    u, v = small.start_of(objective)
    floats = oracles.Steps(m, K, 0.125, 0.5, 2.0, 0.5)
    found = oracles.closed_form(plain, floats, float(u[0]), [float(v_i[0]) for v_i in v], rounds)
    for name in small.TABLE_ONE:
        np.testing.assert_allclose(found[name], [float(x) for x in expected[name]], rtol=1e-13)


def test_the_first_round_is_the_recursion_of_mean_and_variance():
    """u_{k+1} = u_k - g (A_i u_k + a_i + noise): mean and variance by hand, client by client."""
    curvature, slope, inner, scale = (F(2), F(1, 2)), (F(1), F(-3)), F(1, 10), F(2, 5)
    problem = quadratics([((x,),) for x in curvature], [(x,) for x in slope], noise=scale,
                         personal=0, personal_noise=0)  # fmt: skip
    drift = measure(case(run(problem, sizes(1, 4, inner), 1, (1,)), floats=False))
    for i in range(2):
        mean, variance = F(1), F(0)
        for k in range(5):
            found = bridge.fraction(drift.numbers.series["E_ik"][i, k, 0])
            assert found == (mean - 1) ** 2 + variance
            mean -= inner * (curvature[i] * mean + slope[i])
            variance = (1 - inner * curvature[i]) ** 2 * variance + (inner * scale) ** 2


@pytest.mark.parametrize("kind", VIEWS)
@pytest.mark.parametrize("steps", [1, 2, 3])
def test_indexed_quantities_add_up_to_the_whole(kind, steps):
    objective, corrected = small.OWN_CURVATURE, kind == "Scaffold-P"
    sizes_ = small.steps(2, steps, F(3, 20), F(3, 2), F(2))
    own = small.setup(objective, sizes_, (F(2, 5), F(1, 5)), 3, corrected=corrected)
    found = find(own).series
    assert found["E_ik"].shape == (3, steps + 1, 3)
    assert not found["E_ik"][:, 0].any()
    sums = {
        "E": found["E_ik"][:, :steps].sum(axis=(0, 1)),
        "G_v": found["g_vi"].sum(axis=(0, 1)) / 3,
        "B": found["g_ui"].sum(axis=(0, 1)),
        "Dv_2": found["Dv_i"].sum(axis=(0, 1)) / 3,
        "M_v": found["M_vi"].sum(axis=(0, 1)) / 3,
        "Y_2": found["Y_ik"].sum(axis=(0, 1)),
        "T_2v": fmpq(3, 20) ** 2 * 2 / 9 * found["s_vi"].sum(axis=(0, 1)),
    }
    if corrected:
        sums["C"] = found["C_i"].sum(axis=(0, 1))
        for name in ("A_ik", "Bt_ik", "C_i"):  # before round 0 there is no lag
            assert not found[name][..., 0].any()
    for name, whole in sums.items():
        count = min(len(whole), len(found[name]))
        assert (whole[:count] == found[name][:count]).all(), name


def test_results_of_rationals_are_rationals():
    for kind, view in VIEWS.items():
        objective, steps, scales, _ = case_of(kind, "n=2 m=2 K=2")
        own = small.setup(objective, steps, scales, 1, corrected=kind == "Scaffold-P")
        assert isinstance(own, Setup)
        assert own.view == view
        found = find(own).series
        assert all(isinstance(x, fmpq) or x != x for y in found.values() for x in y.reshape(-1))
