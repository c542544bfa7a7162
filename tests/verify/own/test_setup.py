"""Constants and evidence of quadratics against NumPy, and what has no minimiser."""

from fractions import Fraction

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st
from own_files import judged

from fedbounds.facts import Constant, Fact
from fedbounds.verify.measure.objectives import every_constant, evidence
from fedbounds.verify.own.families import quadratic, quadratics
from fedbounds.vocabulary import Side


@st.composite
def hessians(draw):
    n, d = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    entry = st.integers(-3, 3)
    found = np.array([[[draw(entry) for _ in range(d)] for _ in range(d)] for _ in range(n)])
    return found + found.transpose(0, 2, 1)


def about(found):
    problem, start = quadratic(
        found.tolist(), [[1] * found.shape[1]] * len(found), [1] * found.shape[1]
    )
    known = every_constant(problem, start)
    return problem, known, evidence(problem)


@given(hessians())
def test_smoothness_and_strong_convexity_are_admissible_and_close(found):
    _, known, _ = about(found)
    values = np.linalg.eigvalsh(found.astype(float))
    norm, least = abs(values).max(), values.min()
    smooth, convex = known[Constant.SMOOTHNESS], known[Constant.STRONG_CONVEXITY]
    assert smooth.side in (Side.BOTH, Side.UPPER)
    assert convex.side in (Side.BOTH, Side.LOWER)
    assert norm - 1e-9 <= float(smooth.value) <= norm * (1 + 1e-5) + 1e-9
    assert least - 1e-5 * norm - 1e-9 <= float(convex.value) <= least + 1e-9
    assert convex.value <= smooth.value  # which proofs take for granted


@given(hessians())
def test_convexity_is_decided_as_minors_do(found):
    _, _, said = about(found)
    values = np.linalg.eigvalsh(found.astype(float)).min()
    if abs(values) > 1e-6:
        assert said[Fact.STRONGLY_CONVEX].holds is bool(values > 0)
        assert said[Fact.CONVEX].holds is bool(values > 0)
    else:  # never said of what is singular
        assert said[Fact.STRONGLY_CONVEX].holds is False


@given(hessians())
def test_a_minimiser_is_where_the_mean_gradient_vanishes_and_nothing_is_lower(found):
    problem, known, _ = about(found)
    mean = found.mean(axis=0)
    if np.linalg.eigvalsh(mean).min() < -1e-9:
        assert problem.minimiser is None
        assert problem.infimum() is None
        assert Constant.INITIAL_GAP not in known
    elif problem.minimiser is not None:
        x = problem.minimiser
        total = sum(h.astype(object) @ x for h in found.astype(object))
        assert all(total + len(found) == 0)


def test_irrational_eigenvalues_are_certified_from_the_side_that_is_admissible():
    problem, start = quadratic([[[2, 1], [1, 1]]], [[1, 0]], [1, 1])
    known = every_constant(problem, start)
    for name, root, above in (
        (Constant.SMOOTHNESS, 1, True),
        (Constant.STRONG_CONVEXITY, -1, False),
    ):
        # (3 + root sqrt 5)/2 against p: 2 p - 3 against root sqrt 5, squared in fractions
        twice = 2 * Fraction(str(known[name].value)) - 3
        assert twice * root > 0
        assert (twice**2 > 5) is (above == (root > 0)) is True


def test_noise_has_the_variance_that_it_is_said_to_have():
    from itertools import product

    problem, _ = quadratic([[[1, 0], [0, 1]]], [[0, 0]], [0, 0], fmpq(3, 4))
    outcomes = [sum((s * fmpq(3, 4)) ** 2 for s in e) for e in product((-1, 1), repeat=2)]
    known = every_constant(problem, np.zeros(2, dtype=object))
    assert known[Constant.VARIANCE_U].value == outcomes[0]


def test_assumptions_that_fail_keep_claims_from_being_judged(tmp_path):
    claims = """
        me.claim("strong", "D_W(t) >= 0", assumptions=["strongly convex clients"])
        me.claim("convex", "D_W(t) >= 0", assumptions=["convex clients"])
        me.claim("plain", "G_u(t) >= 0")
        me.claim("gap", "f(t) >= 0")
        me.claim("mu", "mu <= L")
    """
    saddle = "[quadratic([[[1]], [[-2]]], [[1], [2]], [1])]"
    found = judged(tmp_path, problems=saddle, body=claims)
    for name in ("strong", "convex", "gap", "mu"):
        assert found[name]["standing"] == "open", name
        assert "not violated" not in found[name]["readings"][0]["counts"]
    assert found["plain"]["standing"] == "tested"


def test_a_singular_problem_has_a_gap_but_is_not_strongly_convex(tmp_path):
    claims = """
        me.claim("strong", "f(t) >= 0", assumptions=["strongly convex clients"])
        me.claim("convex", "f(t) >= 0", assumptions=["convex clients"])
        me.claim("unbounded", "f(t) >= 0")
    """
    flat = "[quadratic([[[1, 0], [0, 0]]], [[1, {}]], [1, 1])]"
    bounded = judged(tmp_path, problems=flat.format(0), body=claims)
    assert bounded["strong"]["standing"] == "open"
    assert bounded["convex"]["standing"] == "tested"
    falling = judged(tmp_path, name="falling.py", problems=flat.format(1), body=claims)
    assert falling["unbounded"]["standing"] == "open"


@pytest.mark.parametrize("noise", [True, False])
def test_the_families_are_what_they_say(noise):
    for problem, start in quadratics(noise=noise):
        known = every_constant(problem, start)
        said = evidence(problem)
        assert known[Constant.SMOOTHNESS].side is Side.BOTH
        assert said[Fact.STRONGLY_CONVEX].holds
        assert noise or said[Fact.NOISELESS].holds
        assert said[Fact.NOISY].holds is not said[Fact.NOISELESS].holds
