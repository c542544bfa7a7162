"""Scripts for what breaks a claim in words: they run alone, and show the record's numbers."""

import re
import subprocess
import sys
from fractions import Fraction

import pytest

from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.registry import encoded
from fedbounds.verify.judge.settings.judge import universal
from fedbounds.verify.setups.script_lines_of import WIDTH
from fedbounds.verify.setups.script_output import output_of
from fedbounds.vocabulary import Verdict


@pytest.fixture(scope="module")
def findings(findings_in_words):
    return [found for own in findings_in_words.values() for found in own]


@pytest.fixture(scope="module")
def broken(findings):
    return [finding for finding in findings if finding.verdict is Verdict.VIOLATED]


@pytest.fixture(scope="module")
def shown(broken):
    return [finding for finding in broken if finding.script]


def run_of(text, tmp_path):
    path = tmp_path / "witness.py"
    path.write_text(text)
    done = subprocess.run(
        [sys.executable, "-I", str(path)], capture_output=True, text=True, check=True
    )
    return done.stdout


def test_only_violations_have_scripts_and_what_has_none_says_why(findings, broken, shown):
    assert len(shown) > 20
    assert all(f.verdict is Verdict.VIOLATED for f in findings if f.script)
    without = [f for f in broken if not f.script]
    assert all("; no script: " in f.reason for f in without)
    # what noise adds to a limit that lies below the bound, no finite run shows
    assert {(f.reading, f.instance) for f in without} == {
        ("of the algorithm: the error settles at eta B/z itself, harsh", "full masks, noise")
    }


def test_one_script_of_each_reading_is_written_unless_all_are_asked_for(broken):
    """Those of its other instances show the same; what can have none says why all the same."""
    name = "constant-step-floor"
    plain = [
        f for f in universal(encoded(entry(f"fedplt/{name}"))) if f.verdict is Verdict.VIOLATED
    ]
    every = {(f.reading, f.instance): f for f in broken}
    assert all(f.reason == every[f.reading, f.instance].reason for f in plain)
    first = {f.reading: f for f in reversed(plain) if every[f.reading, f.instance].script}
    assert [f for f in plain if f.script] == [
        first[x] for x in dict.fromkeys(f.reading for f in plain)
    ]
    assert len(plain) > len(first) + 1


def test_a_script_shows_the_violation_alone(shown, tmp_path):
    for finding in shown:
        where = finding.reading, finding.instance
        # a long number is not broken
        longest = max(len(re.sub('"[^"]*"', "", x)) for x in finding.script.splitlines())
        assert longest <= WIDTH, where
        printed = run_of(finding.script, tmp_path)
        assert printed.strip().endswith("broken: True"), where
        if "fixed point" in finding.reading:
            left = Fraction(printed.split("left ")[1].split()[0])
            assert left == Fraction(finding.extra["left"]), where


def test_what_a_limit_rests_on_is_asserted(shown):
    """That the run stays where it starts: planted, it starts elsewhere."""
    name = "of the algorithm: the error settles within eta B/z"
    script = next(f.script for f in shown if f.reading == name and "noise" not in f.instance)
    assert "assert sq(given(-x + x_next)) == 0" in script
    assert output_of(script)
    assert output_of(script.replace('start = exact(["1/4"', 'start = exact(["1/3"')) is None


def test_a_step_size_that_changes_is_one_in_a_script(shown):
    script = next(f.script for f in shown if f.instance.endswith("decaying steps"))
    (line,) = (line for line in script.splitlines() if '"eta"]' in line and "lambda" in line)
    assert line.strip() == 'p["eta"] = (lambda t: Q(4, 3) / (t + 1))(Q(t))'


def test_a_strict_statement_is_broken_at_equality(shown):
    name = "of the algorithm: a smaller eta leaves a smaller error"
    same = next(f for f in shown if f.reading == name and f.extra["gap"] == "0")
    assert "right = sign(" in same.script


def test_a_script_of_an_instance_that_keeps_the_claim_says_so(shown, tmp_path):
    name = "any masks: W* is a fixed point"
    script = next(f.script for f in shown if f.reading == name)
    assert (
        run_of(script.replace("left != right)", "left > 1000)"), tmp_path).strip().endswith("False")
    )
