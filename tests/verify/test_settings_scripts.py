"""Scripts for what breaks a claim in words: they run alone, and show the record's numbers."""

import subprocess
import sys
from functools import cache

from each import each

from fedbounds.theory.catalogue import entry
from fedbounds.theory.registry import encoded
from fedbounds.verify.script import MOST_LINES
from fedbounds.verify.script_code import WIDTH
from fedbounds.verify.settled import settle
from fedbounds.vocabulary import Verdict


@cache
def findings():
    names = ("any-static-masks", "constant-step-floor", "exact-convergence")
    return [found for name in names for found in settle(encoded(entry(f"fedplt/{name}")))]


def broken():
    return [finding for finding in findings() if finding.verdict is Verdict.VIOLATED]


def test_only_violations_have_scripts():
    assert broken()
    assert all(bool(f.script) == (f.verdict is Verdict.VIOLATED) for f in findings())


@each("finding", broken, lambda f: f"{f.reading}, {f.instance}")
def test_a_script_shows_the_violation_alone(finding, tmp_path):
    lines = finding.script.splitlines()
    assert len(lines) <= MOST_LINES
    assert max(map(len, lines)) <= WIDTH
    path = tmp_path / "witness.py"
    path.write_text(finding.script)
    run = subprocess.run(
        [sys.executable, "-I", str(path)], capture_output=True, text=True, check=True
    )
    assert run.stdout.strip().endswith("broken: True")
    if "left" in finding.extra and "fixed point" in finding.reading:
        assert finding.extra["left"] in run.stdout


def test_a_script_of_an_instance_that_keeps_the_claim_says_so(tmp_path):
    script = broken()[0].script.replace("D[1] > 0", "D[1] > 1000")
    path = tmp_path / "witness.py"
    path.write_text(script)
    run = subprocess.run(
        [sys.executable, "-I", str(path)], capture_output=True, text=True, check=True
    )
    assert run.stdout.strip().endswith("broken: False")
