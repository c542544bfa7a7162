"""`selftest`: the table, the exit status, and that a check broken on purpose is reported."""

from dataclasses import replace

import pytest

from fedbounds.theory.checker import check as checker
from fedbounds.theory.proof import replay
from fedbounds.verify.commands.command_line import status
from fedbounds.verify.commands.selftest import (
    algorithm_checks,
    decision_errors,
    enumerated,
    planted,
    proof_errors,
    storage_errors,
)
from fedbounds.verify.commands.selftest.catalogue import CATALOGUE
from fedbounds.verify.judge import judge
from fedbounds.verify.measure.same import Comparison
from fedbounds.verify.results import packs, results_file
from fedbounds.vocabulary import Standing, Verdict


def call(capsys, *arguments):
    code = status(["selftest", *arguments])
    return code, *capsys.readouterr()


def only(*names):
    return [word for name in names for word in ("--only", name)]


def test_everything_is_caught(capsys):
    code, out, err = call(capsys)
    assert (code, err) == (0, "")
    count = len(CATALOGUE)
    last = out.strip().splitlines()[-1]
    assert last == f"{count} errors planted, {count} caught, 0 missed; 0 originals flagged"
    assert out.count("yes: ") == count
    for error in CATALOGUE:
        assert error.name in out


def test_one_error_and_one_kind_are_chosen_by_name(capsys):
    code, out, _ = call(capsys, *only("halved-constant", "storage"))
    count = 1 + sum(error.kind == "storage" for error in CATALOGUE)
    assert code == 0
    assert f"{count} errors planted, {count} caught" in out


def test_the_list_runs_nothing(capsys, monkeypatch):
    def refuse(_):
        raise AssertionError("run")

    monkeypatch.setattr(planted, "attempt", refuse)
    code, out, _ = call(capsys, "--list")
    assert code == 0
    assert f"{len(CATALOGUE)} planted errors" in out
    for error in CATALOGUE:
        assert error.name in out


def test_an_unknown_name_is_an_error_that_names_the_nearest(capsys, monkeypatch):
    code, out, err = call(capsys, *only("halved-constnt"))
    assert (code, out) == (2, "")
    assert "unknown planted error 'halved-constnt'" in err
    assert "halved-constant" in err


# ---- checks broken on purpose


def deaf(verdict):
    """A rule that finds the same in everything."""
    original = judge.decide

    def decide(*arguments):
        return replace(original(*arguments), verdict=verdict, candidate=False)

    return decide


def accepts(*_, **__):
    return None


def never_differ(*_, **__):
    return Comparison(Verdict.NOT_VIOLATED, "not looked at", "0")


def alike(*_, **__):
    return []


# where, name, what takes its place, the errors that are then missed
BROKEN = {
    "the checker accepts every certificate": (
        checker, "check", accepts, {"negative-multiplier", "altered-certificate"},
    ),
    "the prover asks no checker": (
        replay, "complete", lambda theory, statement, first, *rest: first, {"assumes-the-claim"},
    ),
    "citations are not looked at": (
        proof_errors, "check_citations", accepts, {"circular-citation"},
    ),
    "dependences are believed": (
        proof_errors, "check_declared", accepts,
        {"dependence-declared-away", "noise-declared-away"},
    ),
    "nothing is ever violated": (
        judge, "decide", deaf(Verdict.NOT_VIOLATED),
        {"halved-constant", "index-shift", "stale-mask", "variance-halved", "edited-witness"},
    ),
    "everything is violated": (
        judge, "decide", deaf(Verdict.VIOLATED),
        {"halved-constant", "smoothness-halved", "no-projection"},
    ),
    "algorithms never differ": (
        algorithm_checks, "compare", never_differ,
        {"K-1-local-steps", "average-over-n", "control-variate-sign", "absent-clients-move"},
    ),
    "any two expectations agree": (
        enumerated, "_apart", alike, {"biased-noise", "louder-noise", "independent-participants"},
    ),
    "any law is the right one": (
        algorithm_checks, "_is_law", lambda *_: True,
        {"rare-masks", "fixed-order", "sampling-with-replacement"},
    ),
    "constants are not looked at": (
        judge, "refusal", accepts,
        {"estimated-constant", "constant-from-below", "outside-counted", "dropped-condition"},
    ),
    "floats decide by sign": (
        decision_errors, "decide",
        lambda part, numbers, method: judge.decide(part, numbers, judge.Method.RATIONAL),
        {"rounding", "float-candidate"},
    ),
    "conflicts are confirmed": (
        decision_errors, "standing", lambda *axes: Standing.CONFIRMED, {"proved-and-violated"},
    ),
    "digests are all alike": (packs, "is_sealed", lambda *_: True, {"edited-verdict"}),
    "shapes are not looked at": (
        packs, "fit", lambda *_: None, {"lost-field"},
    ),
    "nothing is computed again": (results_file, "audit", lambda data: None, {"edited-standing"}),
    "half a record is taken for one": (
        storage_errors, "read", lambda path, whole: [{"records": ["half"]}], {"half-a-record"},
    ),
    "any text is written": (
        storage_errors, "dumps", lambda data: str(data), {"not-a-number"},
    ),
    "records have one name": (
        storage_errors, "record_key", lambda *_: "same", {"changed-claim", "changed-source"},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("where", "name", "what", "names"), BROKEN.values(), ids=BROKEN)
def test_a_broken_check_is_reported_with_the_status_of_a_bug(
    capsys, monkeypatch, where, name, what, names
):
    monkeypatch.setattr(where, name, what)
    code, out, err = call(capsys, *only(*sorted(names)))
    assert code == 3
    assert err.startswith("fedbounds: a bug of fedbounds, please report it: ")
    assert set(err.strip().partition("report it: ")[2].split(", ")) == names
    assert "yes: " not in out


def test_a_false_alarm_says_what_is_expected(capsys, monkeypatch):
    monkeypatch.setattr(judge, "decide", deaf(Verdict.VIOLATED))
    code, out, _ = call(capsys, *only("halved-constant"))
    assert code == 3
    words = " ".join(out.split())
    assert "FALSE ALARM" in words
    assert "0 caught, 0 missed; 1 originals flagged" in words
