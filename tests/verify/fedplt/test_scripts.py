"""Scripts of violated parts run without this package and print the gap that was recorded."""

import subprocess
import sys
from dataclasses import replace

import pytest
from flint import fmpq

from fedbounds.errors import FedboundsError
from fedbounds.theory.claims import read
from fedbounds.theory.registry import encoded_claims
from fedbounds.theory.symbols import D_W, cos_g, t
from fedbounds.verify.case import Case
from fedbounds.verify.fedplt.long_runs import LongRun
from fedbounds.verify.fedplt.long_runs_plan import (
    own_minimisers,
    partial_masks,
)
from fedbounds.verify.fedplt.plan import cases
from fedbounds.verify.fedplt.script import _AFTER, _NOW, _printed
from fedbounds.verify.judge import judge
from fedbounds.verify.measurement import measure
from fedbounds.verify.profile import Profile
from fedbounds.verify.script import MOST_LINES, script
from fedbounds.verify.script_code import WIDTH
from fedbounds.vocabulary import Method, Verdict

HALF = fmpq(1, 2)
SETUPS = {
    "long": replace(partial_masks(fmpq(1, 256), 4, 1, HALF), exact=True),
    "long, noise": replace(own_minimisers(HALF, 1, fmpq(1, 16)), rounds=2, exact=True),
}


def violations(case):
    """Every violated part on a case, with its judgement and numbers."""
    numbers = measure(case).numbers
    for judged in judge(encoded_claims("fedplt"), case).judgements:
        parts = {part.name: part for part in read(judged.claim, judged.reading)}
        for outcome in judged.outcomes:
            if outcome.verdict is Verdict.VIOLATED:
                yield judged, parts[outcome.part], outcome, numbers


def of(name):
    return violations(Case(name, "FedPLT", SETUPS[name], Method.RATIONAL))


def printed_gap(text):
    done = subprocess.run(
        [sys.executable, "-I", "-c", text], capture_output=True, text=True, check=True
    )
    first, second = done.stdout.splitlines()
    return float(first.rpartition(" ")[2]), second


@pytest.mark.parametrize("name", SETUPS)
def test_every_violation_has_a_script_that_shows_its_gap(name):
    found = list(of(name))
    assert found
    for judged, part, outcome, numbers in found:
        text = script(judged, part, numbers)
        lines = text.splitlines()
        assert len(lines) <= MOST_LINES
        assert max(map(len, lines)) <= WIDTH
        assert "fedbounds" not in text
        gap, verdict = printed_gap(text)
        assert gap == pytest.approx(float(fraction(outcome.gap)), rel=1e-12)
        assert verdict.endswith("True")


def fraction(text):
    p, _, q = str(text).partition("/")
    return fmpq(int(p), int(q or 1)) if "." not in p and "e" not in p else float(text)


def test_every_violation_of_long_runs_has_a_script_on_some_case():
    """The smallest case that can be scripted, for each part of each reading."""
    without, shown = {}, set()
    for case in cases(Profile.QUICK, 0):
        if case.method is not Method.RATIONAL or not isinstance(case.setup, LongRun):
            continue
        for judged, part, outcome, numbers in violations(case):
            key = (judged.claim.id, judged.reading.name, part.name)
            if key in shown:
                continue
            try:
                text = script(judged, part, numbers)
            except FedboundsError as error:
                without[key] = str(error)
                continue
            gap, verdict = printed_gap(text)
            assert gap == pytest.approx(float(fraction(outcome.gap)), rel=1e-12), key
            assert verdict.endswith("True")
            shown.add(key)
    assert len(shown) > 3
    assert not without.keys() - shown, without


def test_a_planted_error_shows(monkeypatch):
    judged, part, outcome, numbers = next(x for x in of("long") if "D_W" in str(x[1].left))
    monkeypatch.setitem(_NOW, "D_W", "(r.W + r.Wstar)**2")
    monkeypatch.setitem(_AFTER, "D_W", "(r.Wn + 1 - r.Wstar)**2")
    gap, _ = printed_gap(script(judged, part, numbers))
    assert gap != pytest.approx(float(fraction(outcome.gap)), rel=1e-6)


def test_what_has_no_line_is_refused():
    for side in (cos_g(t), D_W(t + 2)):
        with pytest.raises(FedboundsError, match="no script for"):
            _printed(side)


def test_too_many_outcomes_are_refused():
    setup = replace(SETUPS["long, noise"], rounds=8)
    assert isinstance(setup, LongRun)
    case = Case("long", "FedPLT", setup, Method.RATIONAL)
    judged = next(j for j in judge(encoded_claims("fedplt"), case).judgements
                  if j.claim.id == "fedplt/recursion")  # fmt: skip
    last = replace(judged.outcomes[0], at=7)
    with pytest.raises(FedboundsError, match="would enumerate"):
        script(
            replace(judged, outcomes=(last,)),
            read(judged.claim, judged.reading)[0],
            measure(case).numbers,
        )
