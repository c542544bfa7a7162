"""Scripts of violated parts run without this package and print the gap that was recorded."""

import subprocess
import sys
from dataclasses import replace

import pytest
from flint import fmpq

from fedbounds.errors import FedboundsError
from fedbounds.theory.claims import read
from fedbounds.theory.fedplt.setups import run_of
from fedbounds.theory.fedplt.vectors import Gs
from fedbounds.theory.proof.vectors import sq
from fedbounds.theory.registry import encoded_claims
from fedbounds.theory.setups import Setup
from fedbounds.theory.symbols import D_W, F_own, cos_g, t
from fedbounds.verify.case import Case
from fedbounds.verify.fedplt.long_runs import LongRun
from fedbounds.verify.fedplt.long_runs_plan import (
    FULL,
    PARTIAL,
    own_minimisers,
    partial_masks,
)
from fedbounds.verify.fedplt.plan import cases
from fedbounds.verify.fedplt.script_rows import ATTRIBUTES, Printed
from fedbounds.verify.judge import judge
from fedbounds.verify.measurement import measure
from fedbounds.verify.profile import Profile
from fedbounds.verify.script import MOST_LINES, script
from fedbounds.verify.script_code import WIDTH
from fedbounds.vocabulary import Method, Verdict

HALF = fmpq(1, 2)
SLOPES = ((-1, 1), (1, -6))
OWN = ((3, 1), ("1/2", 2))
CHOSEN = (("rho_min", "aligned"), ("G^2", "global"))


def looked_at(view, masks, noise, tau, rounds=1, **more):
    run = run_of((((2, 1), (1, 2)), ((1, 0), (0, 3))), SLOPES, masks, (3, 2), rounds,
                 weights=(1, 2), tau=tau, eta="1/8", noise=noise, **more)  # fmt: skip
    return Setup("fedplt", view, run, CHOSEN)


def free(masks, noise, common=0):
    return looked_at("one step", masks, noise, 1, models=OWN, common=common)


SETUPS = {
    "free": free(PARTIAL, "1/2"),
    "free, aligned": free(((1, 0), (0, 1)), 0),
    "free, one noise": free(FULL, "1/2", common=1),
    "steps": looked_at("local steps", PARTIAL, 0, 2, 3),
    "steps, clients": looked_at("local steps of each client", PARTIAL, 0, 2, 3),
    "steps, noise": looked_at("local steps", PARTIAL, "1/2", 2, 2),
    "rounds": looked_at("rounds", PARTIAL, "1/2", 2),
    "rounds, clients": looked_at("rounds of each client", PARTIAL, "1/2", 1, 2),
    "rounds, full gradients": looked_at("rounds", PARTIAL, 0, 2, 2),
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


def test_the_scripts_of_these_set_ups_cover_the_broken_claims():
    broken = {judged.claim.id.partition("/")[2] for name in SETUPS for judged, *_ in of(name)}
    assert broken >= {
        "A1-term", "A2.2-part2", "A3-zero", "constant-step", "decaying-step-induction",
        "global-is-average", "jensen-distance", "local-divergence", "recursion", "update-identity",
    }  # fmt: skip


def test_every_violation_of_the_plan_has_a_script_on_some_case():
    """The smallest case that can be scripted, for each part of each reading."""
    without, shown = {}, set()
    for case in cases(Profile.QUICK, 0):
        if case.method is not Method.RATIONAL:
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
    assert len(shown) > 10
    assert not without.keys() - shown, without


def test_a_planted_error_shows(monkeypatch):
    judged, part, outcome, numbers = next(
        found for found in of("rounds, clients") if found[1].name == "d"
    )
    monkeypatch.setitem(ATTRIBUTES, "Wk", "{own}[i] + 1")
    gap, _ = printed_gap(script(judged, part, numbers))
    assert gap != pytest.approx(float(fraction(outcome.gap)), rel=1e-6)


def test_what_has_no_line_is_refused():
    printed = Printed(rounds=True)
    for side in (cos_g(t), D_W(t + 2), sq(Gs)):
        with pytest.raises(FedboundsError, match="no script for"):
            printed.side(side)
    assert "r.g" in printed.side(F_own(t))


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
