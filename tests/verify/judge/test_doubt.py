"""What is not finite, not affine or diverged is never a firm verdict, and keeps a claim open."""

from dataclasses import replace

import numpy as np
from personal_cases import alike, case, run, sizes

from fedbounds.theory.language.claims import AS_PRINTED, Part
from fedbounds.theory.language.registry import claim, encoded_claims
from fedbounds.theory.language.symbols import G_u, G_v, t
from fedbounds.verify.decide.part import decide, is_affine
from fedbounds.verify.judge.judge import judge
from fedbounds.verify.judge.standing import status_of
from fedbounds.verify.measure.evaluate import Numbers
from fedbounds.verify.results.records import record
from fedbounds.vocabulary import Method, StatementStatus, Verdict


def test_a_side_that_overflows_is_undecided_and_open():
    """No round would be examined, and none must not mean passed."""
    part = Part(left=G_u(t), right=10 * G_v(t))
    series = {"G_u": np.array([1.0, 1e308]), "G_v": np.array([1.0, 1e308])}
    with np.errstate(over="ignore"):
        errors = {name: np.zeros(2) for name in series}
        found = decide(part, Numbers({"T": 2.0}, series, errors=errors), Method.MOMENTS)
    assert (found.verdict, found.candidate) == (Verdict.UNDECIDED, True)


def test_a_bound_on_a_diverging_run_does_not_survive_elsewhere():
    theorem = claim("personalization/thm-3.7")
    anywhere = replace(theorem, parts=(replace(theorem.parts[0], conditions=()),))
    fine = case(run(alike(2), sizes(2, 1, "1/32"), 4), name="fine")
    wild = case(run(alike(2), sizes(2, 1, 10**60), 4), name="wild")
    found = [judge([anywhere], instance).judgements[0] for instance in (fine, wild)]
    assert [judgement.verdict for judgement in found] == [Verdict.NOT_VIOLATED, Verdict.DIVERGED]
    rows = [record(judgement, "key") for judgement in found]
    assert status_of(AS_PRINTED, rows[:1])["statement"] == StatementStatus.SURVIVED
    assert status_of(AS_PRINTED, rows)["statement"] == StatementStatus.UNTESTED


def test_every_gap_of_the_papers_is_affine():
    assert all(is_affine(part) for c in encoded_claims("personalization") for part in c.parts)
