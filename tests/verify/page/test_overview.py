"""A run of many claims is one screen: counts, what is refuted or in doubt, what has changed."""

import io
from contextlib import redirect_stdout

import pytest
from pages import LEMMA, PRINTED, SUMMED, THEOREM, claim, gather, record

from fedbounds.verify.page.tables import print_results

SCREEN = 40  # lines
PASSING = [f"toy/quiet-{at}" for at in range(9)]


def passing():
    for name in PASSING:
        rows = [record(name, PRINTED, "not violated")]
        yield claim(name, "tested", rows), rows


def refuted(name, place, left="7/4", **more):
    rows = [
        record(name, PRINTED, "violated", 1.75, left=left, right="1", gap="-3/4"),
        record(name, SUMMED, "not violated"),
    ]
    own = claim(name, "refuted", rows, (PRINTED, SUMMED), **more)
    return own | {"place": place}, rows


def told(*groups, before=None, verbose=False):
    out = io.StringIO()
    with redirect_stdout(out):
        print_results(gather(*passing(), *groups), ["page: here"], before, verbose=verbose)
    return out.getvalue().splitlines()


def test_a_finding_is_a_line_with_what_fails_and_what_holds_instead():
    lines = told(refuted(THEOREM, "Theorem 3.7"))
    assert lines[0] == "toy: 9 claims: 9 tested"
    assert lines[1] == "personalization: 1 claim: 1 refuted"
    assert lines[2] == (
        "  refuted personalization/thm-3.7 (Theorem 3.7): 7/4 > 1 at n=2, m=1, K=1, T=3; "
        "not violated if read “G_v summed over clients”"
    )
    assert lines[-1] == "page: here"


def test_what_is_true_instead_is_a_claim_with_its_standing():
    name = f"{LEMMA}/corrected"
    rows = [record(name, PRINTED, "not violated")]
    mended = claim(name, "proved otherwise", rows), rows
    text = "\n".join(told(refuted(LEMMA, "Lemma A.2"), mended))
    assert "T=3; lem-A.2/corrected is proved otherwise" in text
    broken = [record(name, PRINTED, "violated", 2.0)]
    planted = claim(name, "refuted", broken), broken
    assert "is refuted" not in "\n".join(told(refuted(LEMMA, "Lemma A.2"), planted))


def test_a_wrong_theorem_comes_before_a_display_and_a_misprint():
    found = told(
        refuted("toy/display", "after (3)", severity="typo"),
        refuted("toy/line", "after (3)", severity="rate"),
        refuted("toy/restored", "Lemma 1", severity="rate", source="restored"),
        refuted("toy/main", "Theorem 1", severity="typo"),
    )
    order = [line.split()[1] for line in found if line.startswith("  refuted")]
    assert order == ["toy/main", "toy/line", "toy/display", "toy/restored"]


def test_many_findings_are_cut_to_a_screen_and_counted():
    """Planted: none may be left out in silence."""
    every = [refuted(f"{key}/c{at}", "after (3)") for key in "abcde" for at in range(9)]
    lines = told(*every)
    assert len(lines) <= SCREEN
    assert max(map(len, lines)) <= 160
    shown = sum(line.startswith("  refuted") for line in lines)
    left = sum(int(line.split()[2]) for line in lines if line.startswith("  ... and"))
    assert shown + left == len(every)


def test_what_changed_since_the_run_before_is_told():
    before = dict.fromkeys((*PASSING, THEOREM), "tested")
    lines = told(refuted(THEOREM, "Theorem 3.7"), before=before)
    assert f"changed: {THEOREM}: tested -> refuted" in lines
    del before[PASSING[0]], before[PASSING[1]]
    lines = told(refuted(THEOREM, "Theorem 3.7"), before=before)
    assert f"new: {PASSING[0]} and 1 more" in lines
    assert not [x for x in told(refuted(THEOREM, "x")) if x.startswith(("new", "changed"))]


@pytest.mark.parametrize(("kind", "sign"), [("<=", ">"), ("==", "is not")])
def test_sides_that_look_equal_are_told_by_how_much_they_differ(kind, sign):
    own, rows = refuted("toy/near", "x", left="10000001/10000000")
    rows[0]["parts"][0]["relation"] = kind
    (line,) = (x for x in told((own, rows)) if x.startswith("  refuted"))
    assert f"1 {sign} 1, by 3/4 at n=2" in line


def test_all_is_there_for_the_asking_and_where_claims_are_few():
    text = "\n".join(told(refuted(THEOREM, "Theorem 3.7"), verbose=True))
    assert f"{THEOREM}: refuted\n" in text
    assert "tightness is the largest left/right seen" in text


def test_what_is_open_is_told_with_its_reason():
    """Planted: a count alone, behind which stands what was not reached."""
    rows = [record("toy/open", PRINTED, "not violated")]
    why = "not reached: runs of 20 rounds"
    lines = told((claim("toy/open", "open", rows, reason=why), rows))
    assert f"open: toy/open: {why}" in lines
    waiting = claim("toy/later", "open", [], ())
    assert "open: 1 claim without a judgement, such as toy/later" in told((waiting, []))
