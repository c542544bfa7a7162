"""The terminal: findings first, what passes in one line per standing."""

import io
from contextlib import redirect_stdout

from pages import LEMMA, PRINTED, SUMMED, THEOREM, claim, gather, record, small_document

from fedbounds.verify.page.tables import print_results


def printed(document):
    out = io.StringIO()
    with redirect_stdout(out):
        print_results(document, ["results: here"])
    return out.getvalue()


def passing(count, standing="tested", kind="inequality"):
    for at in range(count):
        name = f"toy/{standing}-{at}"
        rows = [record(name, PRINTED, "not violated", 0.1 * (at + 1))]
        yield claim(name, standing, rows, kind=kind), rows


def test_findings_come_first_and_refuted_headline_readings_first_among_them():
    text = printed(small_document())
    first, *_ = text.splitlines()
    assert first == f"{LEMMA}: refuted"
    second = f"{THEOREM}: refuted in an alternative reading"
    table = text.index("claim  ")
    assert text.index(first) < text.index(second) < table
    assert "violated in 2 of 2 records" in text[:table]
    assert "witness (n=2, m=1, K=1, T=3): left 7/4, right 1, right - left -3/4" in text[:table]
    assert "script: witnesses/thm.py" in text[:table]


def test_a_witness_without_a_script_is_printed():
    document = small_document()
    document["results"][3] |= {"witness": None, "instance": {"family": "quadratic"}}
    document["results"][3]["at"] |= {"part": "a"}
    text = printed(document)
    assert "witness (part a, n=2, m=1, K=1, T=3): left 7/4" in text
    assert "script" not in text


def test_where_balls_break_a_reading_is_printed():
    rows = [record(LEMMA, PRINTED, "violated", 1.25)]
    rows[0]["evidence"] |= {"method": "exact balls"}
    text = printed(gather((claim(LEMMA, "refuted", rows), rows)))
    assert f"no witness in a file: seen in exact balls on {rows[0]['problem']['instance']}" in text
    rows[0]["evidence"] |= {"method": "exact rationals"}
    assert "no witness" not in printed(gather((claim(LEMMA, "refuted", rows), rows)))


def test_many_passing_claims_are_one_line_per_standing_and_others_keep_their_row():
    vague = [record("toy/vague", PRINTED, "not violated")]
    broken = [record(LEMMA, PRINTED, "violated", 1.25)]
    document = gather(
        (claim(LEMMA, "refuted", broken), broken),
        *passing(9),
        *passing(3, "satisfiable", "assumption"),
        (claim("toy/vague", "tested", vague), vague),
    )
    document["claims"]["toy/vague"]["readings"][0]["uninformative"] = True
    text = printed(document)
    assert "9 tested: 9 inequality; tightness 0.1 to 0.9, median 0.5" in text
    assert "toy/tested-0" not in text
    assert "toy/satisfiable-2" in text
    assert "toy/vague" in text
    row = next(line for line in text.splitlines() if line.startswith(LEMMA) and "kind" not in line)
    assert LEMMA in row
    few = printed(gather(*passing(8)))
    assert all(f"toy/tested-{at}" in few for at in range(8))


def test_a_refuted_alternative_of_a_folded_claim_is_still_a_finding():
    rows = [record(THEOREM, PRINTED, "not violated"), record(THEOREM, SUMMED, "violated", 1.5)]
    document = gather((claim(THEOREM, "tested", rows, (PRINTED, SUMMED)), rows), *passing(9))
    text = printed(document)
    assert text.startswith(f"{THEOREM}: refuted in an alternative reading")
    assert "10 tested:" in text


def test_kinds_of_problems_are_counted_where_there_are_several():
    rows = []
    for at, kind in enumerate(("quadratics", "quadratics", "functions in pieces")):
        rows.append(record("toy/a", PRINTED, "not violated", instance=f"run {at}"))
        rows[-1]["problem"]["family"] = f"own on {kind}, enumerated"
    text = printed(gather((claim("toy/a", "tested", rows), rows)))
    assert "planned runs on: quadratics 2, functions in pieces 1\n" in text
    for row in rows:  # a paper's families have other words
        row["problem"]["family"] = row["problem"]["family"].replace("enumerated", "over p: n=2")
    assert "planned runs on" not in printed(gather((claim("toy/a", "tested", rows), rows)))
    two = rows[:2]
    assert "planned runs on" not in printed(gather((claim("toy/a", "tested", two), two)))
