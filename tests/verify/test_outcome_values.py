"""Statements on enumerated outcomes agree with measured quantities and with algebra."""

from dataclasses import replace

import numpy as np
import pytest
import sympy as sp
from hypothesis import given as drawn_from
from hypothesis import settings
from hypothesis import strategies as st
from outcome_cases import (
    CASES,
    CLOSE,
    MINIBATCH,
    SCAFFOLD,
    VALUES,
    K,
    S,
    Wh,
    Yu,
    Yv,
    al,
    al1,
    assert_equal,
    assert_zero,
    au,
    av,
    be,
    be1,
    c,
    ci,
    di,
    du,
    dv,
    eu,
    gamma,
    gamma_u,
    gamma_v,
    gu,
    hu,
    hv,
    i,
    instance,
    k,
    m,
    n,
    name_of,
    nu,
    old,
    outcomes_of,
    past,
    t,
    u,
    uh,
    up,
    v,
    values_of,
    vh,
    vp,
    xi,
)

from fedbounds.algorithms.fedavg_p import FedAvgP
from fedbounds.algorithms.scaffold_p import ScaffoldP
from fedbounds.errors import FedboundsError
from fedbounds.theory.proof.vectors import given, ip, present, sq
from fedbounds.verify.enumeration import enumerate_run
from fedbounds.verify.outcome_values import Evaluated, evaluate
from fedbounds.verify.outcomes import step_outcomes

mean_h = given(hu, past, S, xi)

# quantity -> the same in the language, from its definition in the paper
QUANTITIES = {
    "G_u": sq(given(au, past)),
    "G_v": sq(av),
    "B": n * sq(au),
    "E": n * K * (sq(uh - u) + sq(vh - v)),
    "T_1u": -gamma * K * ip(given(au, past), hu),
    "T_1v": -gamma * m * K / n * ip(av, hv),
    "T_2u": gamma**2 * K**2 * sq(mean_h),
    "T_2v": gamma**2 * m * K**2 / n * sq(given(hv, past, i, xi)),
    "T_3u": n * K**2 * sq(given(hu, past, S, i, xi) - mean_h),
    "P_u": (gamma * n * K / m) ** 2 * sq(given(present(hu), past, S, xi)),
    "Y_sum": n**2 * K**2 * sq(given(present(Yu), past, S, xi)),
    "Y_2": n * K * sq(present(Yu)),
    "Du_2": sq(du),
    "Dv_2": sq(dv),
    "X_u": ip(given(au, past), du),
    "X_v": ip(av, dv),
    "M_u": sq(given(du, past)),
    "M_v": sq(given(dv, past, i)),
}
OF_CONTROLS = {
    "S_3u": n * K**2 * sq(given(hu, past, S, i, xi) - di + given(di, past) - mean_h),
    "C": n * K * (sq(al - u) + sq(be - v)),
    "cd_2": sq(c - given(di, past)),
    "W_own": n**2 * K**2 * sq(given(present(ci - di), past, S)),
    "W_mean": n**2 * K**2 * sq(given(present(given(ci - di, past)), past, S)),
    "W_2": n * K * sq(present(Wh)),
    "What_2": n * K * sq(Wh),
    "What_sum": n**2 * K**2 * sq(given(Wh, past)),
    "c_2": sq(c),
    "cbar_2": sq(given(ci, past)),
    "ccbar": ip(c, given(ci, past)),
}
OF_THE_NEXT_ROUND = {
    "B": n * sq(nu),
    "G_u": sq(given(nu, past, S, xi)),
    "C": n * K * (sq(al1 - u - du) + sq(be1 - v - dv)),
}


@pytest.fixture(params=CASES, ids=name_of)
def case(request):
    return request.param


# ---- agreement with measured quantities


def test_statements_equal_measured_quantities(case):
    found = outcomes_of(*case)
    expected = QUANTITIES | (OF_CONTROLS if case[1] is ScaffoldP else {})
    for name, expression in expected.items():
        assert_equal(sp.Function(name)(t), expression, found, values_of(case))
    of_lemma_3_1 = {"I_u", "I_v", "J_u", "J_v"}
    whole = {name for name, series in found.series.items() if series.ndim == 1}
    assert whole - of_lemma_3_1 - {"f"} == set(expected)


def test_what_is_after_the_round_is_what_the_next_round_starts_from(case):
    rounds = case[-1]
    longer = enumerate_run(*instance(*case[:-1]), rounds + 1)
    found = replace(outcomes_of(*case), series=longer)
    for name in OF_THE_NEXT_ROUND.keys() & longer.keys():
        assert_equal(sp.Function(name)(t + 1), OF_THE_NEXT_ROUND[name], found, values_of(case))


def test_increments_are_sums_of_participants_gradients(case):
    corrected = hu + Yu + (c - ci if case[1] is ScaffoldP else 0)
    found, values = outcomes_of(*case), values_of(case)
    assert_zero(du + gamma * n * K / m * given(present(corrected), past, S, xi), found, values)
    assert_zero(dv + gamma * K * given(present(hv + Yv), past, S, xi, i), found, values)
    assert_zero(up - uh + gamma_u * corrected, found, values)
    assert_zero(vp - vh + gamma_v * (hv + Yv), found, values)


@pytest.mark.parametrize("case", SCAFFOLD, ids=name_of)
def test_memory_is_that_of_the_last_participation(case):
    found, values = outcomes_of(*case), values_of(case)
    assert_zero(di - given(eu, past, i), found, values)
    assert_zero(ci - given(eu + Wh, past, i), found, values)
    assert_zero(c - given(ci, past), found, values)
    assert_zero(present(al1 - uh), found, values)
    assert_zero((be1 - be) - present(be1 - be), found, values)


def test_noise_has_mean_zero_given_everything_but_the_samples(case):
    found, values = outcomes_of(*case), values_of(case)
    assert_zero(given(Yu, past, S, i), found, values)
    first = step_outcomes(found, 1, 1)
    for vector in (Yu, Yv):
        assert_zero(given(vector, past, S, old), first, values)


# ---- the scope of a step


def test_a_round_is_the_mean_of_its_steps(case):
    found = outcomes_of(*case)
    steps = [step_outcomes(found, client, step) for client in (0, 1) for step in (0, 1)]
    for statement in (sq(up - u), ip(Yv, hv), sq(present(hu + Yu)) + ip(gu, hu)):
        whole = evaluate(statement, found, values_of(case))
        parts = [evaluate(statement, each, values_of(case)).value for each in steps]
        assert np.mean(parts) == pytest.approx(whole.value, abs=CLOSE * whole.size)


# ---- the evaluator

SOURCES = st.sets(st.sampled_from((past, S, xi, i, k)))
VECTORS = st.sampled_from((u, v, uh, hu, au, Yu, du, nu, present(hu), hu - 2 * present(du)))
SHARED = VECTORS.filter(lambda x: not x.has(v))


@settings(deadline=None, max_examples=40)
@drawn_from(x=SHARED, y=SHARED, kept=SOURCES, more=SOURCES)
def test_tower_rule(x, y, kept, more):
    found = outcomes_of(*MINIBATCH[FedAvgP])
    inner = given(given(x, *kept, *more), *kept)
    assert_equal(ip(given(x, *kept), y), ip(given(x, *kept), given(y, *kept)), found, VALUES)
    assert_equal(ip(inner, y), ip(given(x, *kept), y), found, VALUES)


@settings(deadline=None, max_examples=40)
@drawn_from(x=SHARED, y=SHARED, p=st.integers(-3, 3), q=st.integers(1, 3))
def test_products_are_bilinear(x, y, p, q):
    found = outcomes_of(*MINIBATCH[FedAvgP])
    expanded = p**2 * sq(x) + 2 * p * ip(x, y) / q + sq(y) / q**2
    assert_equal(sq(p * x + y / q), expanded, found, VALUES)


def test_absent_clients_are_left_out():
    found, values = outcomes_of(*MINIBATCH[FedAvgP]), VALUES | {"n": 2, "m": 1}
    assert_equal(sq(present(au)), m / n * sq(au), found, values)
    assert_equal(sq(given(present(au), past, i)), m**2 / n**2 * sq(au), found, values)


def test_pasts_count_by_their_probabilities():
    found = outcomes_of(*MINIBATCH[FedAvgP])
    pasts = len(found.weights[0])
    first = replace(found, weights=(np.eye(pasts)[0], *found.weights[1:]))
    expected = (found.vectors["u"][0] ** 2).mean()
    assert evaluate(sq(u), first, {}).value == pytest.approx(expected, rel=1e-12)
    assert evaluate(sq(u), found, {}).value != pytest.approx(expected, rel=1e-3)


def test_scalars_around_products():
    found = outcomes_of(*MINIBATCH[FedAvgP])
    a, b = (evaluate(sq(x), found, {}).value for x in (u, hu))
    L = sp.Symbol("L")
    cases = {
        sp.Max(sq(u), L * sq(hu)): max(a, 3 * b),
        (sq(u) - sq(hu)) ** 2 / sp.sqrt(L): (a - b) ** 2 / 3**0.5,
        sq(u) * sp.Sum(L**k, (k, 0, 2)): 13 * a,
        t * L**-2 + sp.Rational(1, 3): 1 / 9 + 1 / 3,
    }
    for expression, value in cases.items():
        assert evaluate(expression, found, {"L": 3}).value == pytest.approx(value, rel=1e-12)
    assert evaluate(sq(u - u), found, {}) == Evaluated(0.0, 0.0)


def test_the_size_keeps_what_cancels():
    found = outcomes_of(*MINIBATCH[FedAvgP])
    square = found.scale**2
    assert evaluate(sq(uh - 3 * u), found, {}).size == pytest.approx(16 * square)
    assert evaluate(sq(u) - sq(u + hu), found, {}).size == pytest.approx(5 * square)
    assert evaluate((sq(u) - sq(hu)) * m, found, {"m": 3}).size == pytest.approx(6 * square)
    gap = evaluate(sp.Function("f")(t + 1) - sp.Function("f")(t), found, {})
    assert gap.size >= np.abs(found.series["f"][1:]).sum()


# ---- refusals


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        (sq(sp.Symbol("huh")), "unknown vector 'huh'.*nearest"),
        (sq(given(u, sp.Symbol("pst"))), "unknown source 'pst'"),
        (sq(u * uh), "not a linear combination"),
        (sq(u + 1), "not a linear combination"),
        (given(u, past) + sq(u), "is a vector"),
        (sq(u + v), "mixes"),
        (ip(au, av), "mixes"),
        (sp.Symbol("L") * sq(u), "no value for the symbol 'L'"),
        (sp.Function("G_u")(t + 2), "not measured"),
        (sp.Function("G_u")(t - 2), "not measured"),
        (sp.Function("E")(t + 1), "not measured in round 2"),
        (sp.Function("H")(t), "quantity 'H' was not measured"),
        (sp.Function("E_ik")(t, k), "not measured"),
        (sp.exp(sq(u)), "cannot evaluate exp"),
        (1 / sq(u), "cannot evaluate Pow"),
    ],
)
def test_misused_words_are_refused(expression, message):
    with pytest.raises(FedboundsError, match=message):
        evaluate(expression, outcomes_of(*MINIBATCH[FedAvgP]), {"k": 0})
