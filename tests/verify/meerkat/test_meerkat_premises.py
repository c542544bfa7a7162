"""What is shown of Meerkat's assumptions on ridges, for every state and draw: thresholds by hand.

f_k = h_k s^2/2 + b_k s, s = a'w: gradients are (h_k s + b_k) a. With H and b the means over
clients, sum b_k = 0, D_k = h_k - H, A = |a|^2 and kappa = c_h H^2 > D_k^2, B.3 is
(D_k s + b_k)^2 A <= kappa s^2 A + sigma_h^2 for all s: sigma_h^2 is at least
A b_k^2 kappa/(kappa - D_k^2).
"""

from dataclasses import replace
from fractions import Fraction

import pytest
from meerkat_cases import CASES, F, closed, known, listed, setup_of

from fedbounds.facts import Fact
from fedbounds.theory.meerkat import assumed
from fedbounds.theory.meerkat.ridges import Ridge
from fedbounds.theory.meerkat.setups import local_steps, rounds
from fedbounds.verify.decide.case import find

A, CURVES = (1, 2), (1, 2)  # H = 3/2, D_k = -+1/2
CHOSEN = {"c_m": "4/5", "c_h": "1/4", "sigma_h": 0, "Delta": 0, "mu_PL": "15/2", "young": 10}


def root(x):
    """Of a number, to nine digits."""
    return Fraction(float(x) ** 0.5).limit_denominator(10**9)


LESS, MORE = Fraction(999, 1000), Fraction(1001, 1000)


def evidence(chosen, slopes=(0, 0), noise=0):
    problem = Ridge("r", A, (0, 1), CURVES, slopes, noise=noise)
    own = {x: str(y) for x, y in {**CHOSEN, **chosen}.items()}
    planned = rounds(problem, Fraction(1, 50), (2, 2), "", quick=True)
    return find(replace(planned.setup, chosen=tuple(own.items()))).evidence


def test_what_holds_of_a_ridge():
    found = evidence({})
    for name in (Fact.PL, assumed.HETEROGENEITY, assumed.OPTIMA, assumed.SPARSE):
        assert found[name].holds is True, name


@pytest.mark.parametrize(
    ("name", "constant", "edge", "holds_above"),
    [
        (Fact.PL, "mu_PL", Fraction(15, 2), False),
        (assumed.HETEROGENEITY, "c_h", Fraction(1, 9), True),
    ],
)
def test_the_edge_of_an_inequality(name, constant, edge, holds_above):
    assert evidence({constant: edge})[name].holds is True
    for factor, holds in ((MORE, holds_above), (LESS, not holds_above)):
        found = evidence({constant: edge * factor})[name]
        # a run need not go where a statement about all states fails
        assert found.holds is (True if holds else None)


@pytest.mark.parametrize("c_h", [Fraction(1, 4), Fraction(1, 3)])
def test_heterogeneity_that_stays(c_h):
    slopes, kappa = (3, -3), c_h * Fraction(9, 4)
    edge = 5 * 9 * kappa / (kappa - Fraction(1, 4))
    for factor, holds in ((MORE, True), (LESS, None)):
        found = evidence({"c_h": c_h, "sigma_h": root(edge * factor)}, slopes)
        assert found[assumed.HETEROGENEITY].holds is holds


def test_heterogeneity_is_below_one():
    assert evidence({"c_h": 1})[assumed.HETEROGENEITY].holds is False


@pytest.mark.parametrize("c", [Fraction(4, 5) * LESS, Fraction(4, 5) * MORE, Fraction(1, 5)])
def test_any_other_share_is_no_share(c):
    assert evidence({"c_m": c})[assumed.SPARSE].holds is not True
    assert "c_m*dot" in evidence({"c_m": c})[assumed.SPARSE].reason


def test_a_mask_that_keeps_no_more_than_its_share_is_none():
    """Assumption B.6 asks for c >> u/d: the first of (1, 2) has 1/5, less than half."""
    planned = rounds(Ridge("r", A, (1, 0), CURVES), Fraction(1, 50), (2, 2), "", quick=True)
    found = find(planned.setup).evidence[assumed.SPARSE]
    assert found.holds is False
    assert "c_m > u_ratio" in found.reason


def test_minimisers_apart():
    """w_k* = -(b_k/h_k) a/A, and w* = 0."""
    slopes = (3, -3)
    apart = (Fraction(9) + Fraction(9, 4)) / 2 / 5
    for factor, holds in ((1, True), (MORE, False)):
        found = evidence({"Delta": apart * factor}, slopes)
        assert found[assumed.OPTIMA].holds is holds


def test_no_share_is_shown_where_gradients_are_on_no_line():
    case = CASES["one client, one step"]
    for c in ("1/4", "1/2", "3/4"):
        setup = replace(setup_of(case, "local steps", 2), chosen=(("c_m", c),))
        assert find(setup).evidence[assumed.SPARSE].holds is not True
    of = Ridge("r", A, (0, 1), CURVES, (1, 2))
    found = find(local_steps(of, Fraction(1, 50), 2, "", quick=True).setup)
    assert found.evidence[assumed.SPARSE].holds is True


# ---- Lemma B.7 speaks of the gradient that is estimated: with noise, it is of the minibatch


@pytest.mark.parametrize("name", CASES)
def test_noise_is_a_part_of_the_gradient_whose_norm_counts(name):
    case = CASES[name]
    found, u = known(case, "local steps", 3), sum(case.mask)
    kept = found.series("mg_k2")[:, :3]
    wanted = (2 + u) * (kept + F(u) * case.noise**2)
    assert listed(found.series("est_2")) == listed(wanted)
    assert listed(kept) == [own[:3] for own in closed(case, "local steps", 3)["mg_k2"]]
    if case.noise:
        assert all(
            x != y for x, y in zip(found.series("est_2").flat, ((2 + u) * kept).flat, strict=True)
        )


def shares_of(problem, stopped):
    """Kept clients' share of all gaps, at many states: what gamma is at least."""
    h, b = ([Fraction(x) for x in own] for own in (problem.curvatures, problem.slopes))
    mean = -sum(b) / sum(h)
    for s in (mean + Fraction(j, 16) for j in range(-160, 161)):
        gaps = [x * (s + y / x) ** 2 / 2 for x, y in zip(h, b, strict=True)]
        lows = [x * (mean + y / x) ** 2 / 2 for x, y in zip(h, b, strict=True)]
        apart = sum((y / x + mean) ** 2 for x, y in zip(h, b, strict=True))  # times ||a||^2
        whole = sum(gaps) - sum(lows) + max(h) * apart / 2
        if whole:
            yield sum(own for own, one in zip(gaps, stopped, strict=True) if not one) / whole


@pytest.mark.parametrize("slopes", [(0, 0, 0), (1, 1, -2), (0, 3, -1)])
@pytest.mark.parametrize("stopped", [(0, 0, 1), (1, 0, 0), (0, 1, 1), (0, 0, 0)])
def test_gamma_is_the_least_that_holds_in_every_state(slopes, stopped):
    problem = Ridge("r", A, (0, 1), ("1/2", 1, "3/2"), slopes)
    gamma, most = problem.share(stopped), max(shares_of(problem, stopped))
    assert most <= gamma <= 1
    # a 64th less is broken somewhere, up to the distance of the states that are tried
    assert gamma == most or most > gamma - Fraction(1, 64) - Fraction(1, 500)
