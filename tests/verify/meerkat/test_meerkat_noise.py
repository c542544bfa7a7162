"""Noise along the ridge: every sample has the share c, so that claims that need it apply."""

import numpy as np
import pytest
from flint import fmpq

from fedbounds.theory.language.registry import claim
from fedbounds.theory.meerkat.setups import PLANNED
from fedbounds.verify.decide.measurement import measure
from fedbounds.verify.judge.judge import judge_reading
from fedbounds.verify.measure.objectives import exact
from fedbounds.verify.search.witness import find_witness
from fedbounds.verify.setups.found import known_of, view_of
from fedbounds.verify.setups.plan import case_of
from fedbounds.vocabulary import Verdict

NOISY = [one for one in PLANNED if one.name.startswith("noise along the ridge")]
FEW = next(one for one in NOISY if "stopped, R=1 T=2" in one.name)


def verdicts(name, one):
    case = case_of(one, "")
    own, measured = claim(name), measure(case)
    return {
        outcome.part: outcome.verdict
        for reading in own.readings
        for outcome in judge_reading(own, reading, case, measured).outcomes
    }


def moments(one):
    """E of w, w w' per client's step, written anew: client 0 makes two steps, client 1 one.

    s = a'w moves by -eta c' (h s + x) z^2 along the kept coordinate, z Gaussian, x = +-20 a client.
    """
    given = dict(one.setup.run.parameters)
    eta, (a1, a2), x2 = exact(given["eta"]), (3, 4), fmpq(400)
    kept, start = fmpq(a2 * a2), fmpq(3 * 2 + 4 * 1)
    # each estimate moves w_2 by -eta (s + x) a2 z^2; E z^2 = 1, E z^4 = 3; z is shared by clients
    s2 = start * start
    first_cross = s2 * 3  # E of the product of two clients' first (s + x) z^2
    first = (s2 + x2) * 3
    # after the first step of client 0: s' = s - eta kept (s + x) z^2, with a new z and x
    later = (s2 - 2 * eta * kept * s2 + eta**2 * kept**2 * first) + x2
    own = later * 3
    # E of first_0 second_0 and of first_1 second_0: the second (s' + x') z'^2 has mean s'
    both = s2 - eta * kept * first
    other = s2 - eta * kept * first_cross
    square = first + first + own + 2 * first_cross + 2 * both + 2 * other
    moved = eta**2 * kept * square / 4
    gradients = fmpq(a1 * a1 + a2 * a2)
    of_kept = gradients * (s2 + later - x2) / 2  # the mean over two local steps
    return moved, of_kept / 2, gradients * s2 / 2


def test_the_second_moment_is_that_of_an_oracle():
    known = known_of(FEW.setup, view_of(FEW.setup))
    moved, kept, stopped = moments(FEW)
    assert known.series("Dw_2")[0] == moved
    assert np.asarray(known.series("g_g")).reshape(-1)[0] == kept
    assert np.asarray(known.series("g_b")).reshape(-1)[0] == stopped


def test_the_variance_is_missing_in_the_second_moment():
    assert verdicts("meerkat/vp-secmom", FEW) == {"": Verdict.VIOLATED}


def test_its_script_has_noise_along_the_ridge():
    own = claim("meerkat/vp-secmom")
    found = find_witness(own, own.readings[0], [case_of(FEW, "")])
    assert found is not None
    assert not found.no_script
    assert "problem.noise_scale * problem.a" in found.script


@pytest.mark.parametrize("name", ["meerkat/lemma-b7", "meerkat/eq-6", "meerkat/eq-7"])
def test_claims_with_variance_apply_and_hold(name):
    found = verdicts(name, next(one for one in NOISY if "6 local steps" in one.name))
    assert found["count"] == Verdict.NOT_VIOLATED


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("meerkat/thm-2.1-explicit/corrected", "R=6 T=1"),
        ("meerkat/thm-2.2-explicit/corrected", "(1-c_h)/(36LT(u+2))"),
    ],
)
def test_corrected_bounds_hold_with_noise_of_samples(name, told):
    found = verdicts(name, next(one for one in NOISY if told in one.name))
    assert Verdict.NOT_VIOLATED in found.values()
    assert Verdict.VIOLATED not in found.values()


def test_the_variance_of_an_estimate_is_what_its_two_moments_leave():
    """Of Theorem B.9: (2+u) c E||g + xi||^2 less c ||g||^2, the largest of all steps."""
    one = next(one for one in NOISY if "6 local steps" in one.name)
    known = known_of(one.setup, view_of(one.setup))
    c, x2, a2 = fmpq(16, 25), fmpq(400), 25
    first = np.asarray(known.series("est_2") - known.series("mg_k2")[..., :-1]).reshape(-1)
    g = np.asarray(known.series("g_k2"))[..., :-1].reshape(-1)
    assert (first == 3 * c * (g + x2 * a2) - c * g).all()
    case = case_of(one, "")
    own = claim("meerkat/thm-b9")
    judged = judge_reading(own, own.readings[2], case, measure(case)).outcomes[0]
    steps = len(g) // 2  # of two clients who are alike
    start = known.series("V_k").reshape(-1)[0]
    right = 2 * 25 * 3 / (c * steps) * start + max(first)
    assert judged.verdict == Verdict.NOT_VIOLATED
    assert exact(judged.gap) == right - g[:steps].sum() / steps
