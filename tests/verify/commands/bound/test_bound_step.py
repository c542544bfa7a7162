"""The best step size: against SciPy, at edges of conditions, and where there is none."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from own_files import own_file
from scipy.optimize import minimize_scalar

import fedbounds as fb
from fedbounds.errors import FedboundsError
from fedbounds.theory.language.claims import Condition
from fedbounds.theory.language.registry import claim
from fedbounds.theory.language.symbols import K, L, gamma
from fedbounds.theory.language.values import number
from fedbounds.verify.commands.bound.answer import answers
from fedbounds.verify.commands.bound.step import simplest
from fedbounds.verify.commands.bound.tables import print_answers

THM_37 = "personalization/thm-3.7"
GIVEN = {"n": 100, "m": 10, "K": 5, "T": 1000, "L": 1, "F_0": 1} | {
    "sigma_u2": 1, "sigma_v2": 1, "b2": 1
}  # fmt: skip


def best(claim_id, part=None, **given):
    (found,) = answers(claim(claim_id), given, part=part).parts
    assert found.step is not None
    at = number(found.step.value, found.value.inputs.values)
    return found.step, float(at), float(found.value.value)


def bound_37(g, n=100, m=10, K=5, T=1000, L=1, F_0=1, sigma_u2=1, sigma_v2=1, b2=1):
    level = 4 * (n - m) * K * b2 / (m * n) + sigma_u2 / m + m * sigma_v2 / n
    return 4 * F_0 / (T * K * g) + 12 * L * level * g + 128 * L**2 * K * (K - 1) * b2 / m * g**2


@settings(max_examples=20, deadline=None)
@given(
    st.integers(1, 10),
    st.integers(10, 200),
    st.integers(1, 20),
    st.integers(1, 10**6),
    *[st.floats(0.01, 10) for _ in range(4)],
)
def test_theorem_37_against_scipy(m, n, K, T, L, s_u, s_v, b2):
    given = {**GIVEN, "m": m, "n": n, "K": K, "T": T, "L": L}
    given |= {"sigma_u2": s_u, "sigma_v2": s_v, "b2": b2}
    step, at, value = best(THM_37, **given)
    edge = 1 / (32 * L * K)
    other = minimize_scalar(
        lambda log: bound_37(np.exp(log), **given),
        bounds=(np.log(edge) - 40, np.log(edge)),
        method="bounded",
        options={"xatol": 1e-10},
    )
    assert value <= min(other.fun, bound_37(edge, **given)) * (1 + 1e-12)
    assert value == pytest.approx(bound_37(at, **given), rel=1e-12)
    assert at <= edge * (1 + 1e-15)
    assert step.shown == "the bound is convex in log gamma"
    assert (str(step.edge) == "gamma <= 1/(32*K*L)") == (at == pytest.approx(edge, rel=1e-15))


def test_an_optimum_that_is_rational_is_found_exactly():
    step, _, _ = best("submodel/thm-4", "mean", n=1, K=1, S_sub=1, L=1, T=10000, Phi=1,
                      sigma2=0, B_M2="1/12")  # fmt: skip
    # 4/(10000 eta) + eta^2: at eta^3 = 2/10000; with sigma = 0 irrational, but with noise
    assert step.edge is None
    step, at, value = best(THM_37, **{**GIVEN, "K": 1, "m": 100, "sigma_u2": "25/3", "sigma_v2": 0})
    # 4/(1000 g) + g: 1/sqrt(250) is not admissible, so the edge 1/32 is
    assert (str(step.edge), at) == ("gamma <= 1/(32*K*L)", 1 / 32)
    step, at, value = best(
        THM_37, **{**GIVEN, "K": 1, "m": 100, "sigma_u2": "25/3", "sigma_v2": 0, "T": 40000}
    )
    assert step.value == Fraction(1, 100)  # 4/(40000 g) + g
    assert value == 0.02


def test_an_irrational_edge_is_kept_as_a_formula():
    step, at, value = best(
        "personalization/thm-4.5", **{k: v for k, v in GIVEN.items() if k != "b2"}
    )
    assert str(step.edge).startswith("gamma <= Min(1, m/n**(2/3))")
    assert at == pytest.approx(10 / 100 ** (2 / 3) / 360, rel=1e-15)
    assert value == pytest.approx(4 / (5000 * at) + 148 * 0.2 * at, rel=1e-14)


def test_a_bound_with_a_rate_is_convex_in_the_step_itself():
    given = {"n": 100, "K": 5, "L": 1, "mu": "1/10", "p_mean": "1/2", "t": 1000, "D_opt(0)": 1}
    given |= {"zeta_star2": 1, "nu_star2": 1, "sigma2": 1}
    step, at, value = best("submodel/thm-1", "distance", **given)

    def bound(e):
        steady = 8 * e / (0.05 * 100) * 6 + (12 * 25 * e**2 + 6 * 5 * e**2) / 0.05
        return (1 - 5 * e * 0.05 / 2) ** 1000 + steady

    assert step.shown == "the bound is convex in eta"
    other = minimize_scalar(
        bound, bounds=(1e-9, 1 / 50), method="bounded", options={"xatol": 1e-13}
    )
    assert value <= other.fun * (1 + 1e-12)
    assert value == pytest.approx(bound(at), rel=1e-12)


FEDPLT = {"t": 100, "L": 1, "mu": "1/2", "psi_min": 1, "psi_max": 1, "rho_min": 1} | {
    "alpha_k": "1/2", "Gamma": "1/4", "tau": 2, "G2": 1, "sigma2": 1, "Lambda": 1, "D_W(0)": 4
}  # fmt: skip


def test_where_the_shape_is_not_shown_it_says_so():
    step, _, value = best("fedplt/constant-step", "unrolled", **FEDPLT)
    assert step.shown == ""
    (near,) = answers(
        claim("fedplt/constant-step"), {**FEDPLT, "eta": "1/20"}, part="unrolled"
    ).parts
    assert value <= float(near.value.value)


def test_a_bound_that_falls_to_a_step_of_zero_has_no_best_one():
    with pytest.raises(
        FedboundsError, match="no best step size: the bound falls as eta falls to 0"
    ):
        best("submodel/thm-5", "a", n=10, K=5, L=1, t=10, n_s=10, G_m=1)


def test_conditions_that_exclude_each_other_are_told():
    theorem = claim(THM_37)
    (part,) = theorem.parts
    wrong = replace(part, conditions=(*part.conditions, Condition(gamma, ">=", 1 / (31 * L * K))))
    with pytest.raises(FedboundsError, match=r"no gamma meets both gamma >= .* and gamma <= "):
        answers(replace(theorem, parts=(wrong,)), GIVEN)


def test_a_condition_that_is_no_bound_on_the_step_is_told():
    theorem = claim(THM_37)
    (part,) = theorem.parts
    odd = replace(part, conditions=(*part.conditions, Condition(gamma**2 + gamma, "<=", 1 / L)))
    with pytest.raises(
        FedboundsError, match=r"cannot solve the condition .* for gamma; give gamma"
    ):
        answers(replace(theorem, parts=(odd,)), GIVEN)
    never = replace(part, conditions=(*part.conditions, Condition(gamma, "<=", L - K)))
    with pytest.raises(FedboundsError, match="no gamma meets gamma <= -K"):
        answers(replace(theorem, parts=(never,)), GIVEN)
    always = replace(part, conditions=(*part.conditions, Condition(-gamma, "<=", K * gamma**2)))
    assert answers(replace(theorem, parts=(always,)), GIVEN).parts[0].step.edge is None


def test_no_step_is_at_the_edge_of_a_strict_condition(capsys):
    theorem = claim(THM_37)
    (part,) = theorem.parts
    found = next(c for c in part.conditions if c.left == gamma)
    others = [c for c in part.conditions if c is not found]
    strict = Condition(found.left, "<", found.right)

    def answered(*conditions):
        return answers(
            replace(theorem, parts=(replace(part, conditions=(*others, *conditions)),)),
            GIVEN | {"T": 1},
        )

    for conditions in ((strict,), (found, strict), (strict, found)):
        answer = answered(*conditions)
        assert answer.parts[0].step.edge == strict
        print_answers(answer)
        assert "just inside of" in " ".join(capsys.readouterr().out.split())
    print_answers(answered(found))
    assert "just inside of" not in capsys.readouterr().out
    with pytest.raises(FedboundsError, match="no gamma meets both"):
        answered(strict, Condition(found.left, ">=", found.right))


def stepped(folder, right, *conditions):
    """The best step for a bound of a file, and the bound there; L = 1."""
    body = f'me.claim("a", "D_W(T) <= {right}", conditions={list(conditions)})'
    path = own_file(folder, body=body)
    (found,) = fb.bound(f"{path}::a", L=1).found.parts
    return found.step, float(found.value.value.number)


def test_a_pole_at_the_edge_of_a_strict_condition_is_no_step(tmp_path):
    step, value = stepped(tmp_path, "D_W(0)/(eta*(1 - eta*L))", "eta < 1/L")
    assert float(step.value) == pytest.approx(1 / 2, abs=1e-6)
    assert value == pytest.approx(4, rel=1e-9)


@pytest.mark.parametrize(
    ("right", "conditions"),
    [
        ("D_W(0)/eta", ["eta < 1/L", "eta*L >= 1 - 1/10**15"]),
        ("D_W(0)*eta", ["eta > 1/L", "eta*L <= 1 + 1/10**15"]),
    ],
)
def test_a_step_beside_a_strict_edge_meets_the_condition_at_the_other_end(
    tmp_path, right, conditions
):
    """Where they are closer to each other than it would be to its edge."""
    step, value = stepped(tmp_path, right, *conditions)
    way = 1 if "<" in conditions[0] else -1
    away = way * (1 - sp.sympify(str(step.value), rational=True).subs("L", 1))
    assert 0 < away <= sp.Rational(1, 10**15)
    assert value == pytest.approx(1)


def test_a_lower_edge_is_found():
    theorem = claim(THM_37)
    (part,) = theorem.parts
    raised = replace(part, conditions=(*part.conditions, Condition(gamma, ">=", 1 / (33 * L * K))))
    (found,) = answers(replace(theorem, parts=(raised,)), GIVEN).parts
    assert str(found.step.edge) == "gamma >= 1/(33*K*L)"
    assert found.value.value.number == pytest.approx(Fraction(bound_37(1 / 165)), rel=1e-12)


@given(st.fractions(Fraction(1, 99), 99, max_denominator=99), st.integers(10**5, 10**9))
def test_the_simplest_fraction_between_two(middle, precision):
    low, high = middle - Fraction(1, precision), middle + Fraction(1, precision)
    assume(low > 0)
    found = simplest(low, high)
    assert low <= found <= high
    assert found.denominator <= middle.denominator
