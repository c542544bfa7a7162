"""Two runs are compared by what they say: every planted change is found, and nothing else."""

import copy
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pages import LEMMA, LIKE, PRINTED, SUMMED, THEOREM, proved_document, readable, write

from fedbounds.errors import FedboundsError
from fedbounds.verify.page.exports.difference import (
    ADDED,
    REMOVED,
    as_table,
    differences,
    read_results,
    shared_settings,
)
from fedbounds.verify.results.records import SCHEMA


@pytest.fixture
def old():
    return proved_document()


@pytest.fixture
def new():
    return proved_document()


def told(changes):
    return [(c.what, c.claim, c.reading, c.item, c.field) for c in changes]


def test_a_run_does_not_differ_from_itself_nor_from_its_timing(old, new):
    new["run"]["timing"]["seconds"] = 99.0
    for row in new["results"]:
        row["key"] += "-of other sources"
    assert differences(old, new) == []


def set_run(document):
    document["run"]["seed"] = 4
    return ("run", "", "", "", "seed")


def set_standing(document):
    document["claims"][THEOREM]["standing"] = "gap"
    return ("claim", THEOREM, "", "", "standing")


def set_severity(document):
    document["claims"][LEMMA]["severity"] = "typo"
    return ("claim", LEMMA, "", "", "severity")


def set_proof(document):
    document["claims"][LEMMA]["paper_proof"] = "proved"
    return ("claim", LEMMA, "", "", "paper_proof")


def set_witness(document):
    document["claims"][THEOREM]["readings"][1]["witness"] = "witnesses/other.py"
    return ("reading", THEOREM, SUMMED.name, "", "witness")


def set_statement(document):
    document["claims"][THEOREM]["readings"][0]["statement"] = "untested"
    return ("reading", THEOREM, PRINTED.name, "", "statement")


def set_tightness(document):
    document["claims"][LIKE]["readings"][0]["tightness"] *= 1 + 1e-8
    return ("reading", LIKE, PRINTED.name, "", "tightness")


def drop_claim(document):
    del document["claims"][LIKE]
    return ("claim", LIKE, "", "", REMOVED)


def drop_reading(document):
    del document["claims"][THEOREM]["readings"][1]
    return ("reading", THEOREM, SUMMED.name, "", REMOVED)


def drop_record(document):
    document["results"] = [r for r in document["results"] if r["claim"] != LEMMA]
    return ("record", LEMMA, PRINTED.name, "vectors 1, FedAvg-P", REMOVED)


def set_verdict(document):
    next(r for r in document["results"] if r["claim"] == LIKE)["verdict"] = "undecided"
    return ("record", LIKE, PRINTED.name, "quadratic 1, FedAvg-P", "verdict")


def set_step(document):
    document["proofs"][THEOREM]["steps"][0]["local"] = "open"
    return ("step", THEOREM, PRINTED.name, "thm-3.7", "local")


def add_step(document):
    extra = copy.deepcopy(document["proofs"][THEOREM]["steps"][0]) | {"id": "thm-3.7: more"}
    document["proofs"][THEOREM]["steps"].append(extra)
    return ("step", THEOREM, PRINTED.name, "thm-3.7: more", ADDED)


PLANTED = (
    set_run, set_standing, set_severity, set_proof, set_witness, set_statement, set_tightness,
    drop_claim, drop_reading, drop_record, set_verdict, set_step, add_step,
)  # fmt: skip


@pytest.mark.parametrize("plant", PLANTED)
def test_a_planted_change_is_the_only_one_found(plant, old, new):
    expected = plant(new)
    assert told(differences(old, new)) == [expected]


@given(st.sets(st.sampled_from(PLANTED)))
def test_several_changes_are_all_found_and_the_other_way_round_too(plants):
    old, new = proved_document(), proved_document()
    expected = {plant(new) for plant in sorted(plants, key=PLANTED.index)}
    gone = {drop_claim: LIKE, drop_record: LEMMA}
    for plant, claim in gone.items():  # of what is gone, nothing else is told
        if plant in plants:
            expected = {e for e in expected if e[1] != claim or e[4] == REMOVED or e[0] != "record"}
    if drop_claim in plants:
        expected = {e for e in expected if e[1] != LIKE or e[4] == REMOVED}
    if drop_reading in plants:
        expected = {e for e in expected if e[2] != SUMMED.name or e[4] == REMOVED}
    found = told(differences(old, new))
    assert set(found) == expected
    assert len(found) == len(expected)
    turned = {ADDED: REMOVED, REMOVED: ADDED}
    back = [(*e[:4], turned.get(e[4], e[4])) for e in told(differences(new, old))]
    assert set(back) == expected


def test_settings_come_first_and_the_shared_ones_are_named(old, new):
    set_standing(new)
    set_run(new)
    assert [c.what for c in differences(old, new)] == ["run", "claim"]
    assert "profile quick" in shared_settings(old, new)
    assert not any(word.startswith(("seed", "timing")) for word in shared_settings(old, new))


def test_a_number_within_the_tolerance_is_no_change(old, new):
    new["claims"][LIKE]["readings"][0]["tightness"] *= 1 + 1e-8
    new["claims"][LIKE]["readings"][0]["least_relative_gap"] += 1e-8
    assert differences(old, new, 1e-7) == []
    first, second = differences(old, new, 1e-9)
    assert first.relative == pytest.approx(1e-8, rel=1e-6)
    assert second.relative == pytest.approx(1e-8, rel=1e-6)


def test_two_rounded_zeros_do_not_differ(old, new):
    old["claims"][LIKE]["readings"][0]["least_relative_gap"] = 0.0
    new["claims"][LIKE]["readings"][0]["least_relative_gap"] = -1e-17
    assert differences(old, new) == []


def test_a_number_that_is_there_on_one_side_alone_is_a_change(old, new):
    new["claims"][LIKE]["readings"][0]["tightness"] = None
    (change,) = differences(old, new, 1.0)
    assert (change.old, change.new, change.relative) == (0.25, None, None)


def test_equal_instances_are_told_apart_by_their_order(old, new):
    again = copy.deepcopy(next(r for r in old["results"] if r["claim"] == LIKE))
    for document in (old, new):
        document["results"].append(copy.deepcopy(again))
    new["results"][-1]["verdict"] = "undecided"
    (change,) = differences(old, new)
    assert change.item.endswith("number 2")


def test_a_table_has_a_row_per_change(old, new):
    set_verdict(new)
    new["claims"][LIKE]["readings"][0]["untested"] = ["u"]
    rows = as_table(differences(old, new)).rows
    assert [row[0] for row in rows] == ["reading", "record"]
    assert rows[0][6] == "['u']"
    json.dumps(rows)


# ---- files


def test_a_folder_and_its_file_are_the_same(old, tmp_path):
    old = readable(old)
    write(old, tmp_path)
    assert read_results(tmp_path) == read_results(tmp_path / "results.json") == old


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[]", "expected an object"),
        ("{", "is corrupt"),
        (f'{{"schema": {SCHEMA}}}', "is corrupt .digest is missing"),
        ('{"schema": 7, "run": {}, "claims": {}, "results": []}', "has schema 7; expected"),
        ('{"schema": 1, "run": {}, "claims": {}, "results": []}', "run `fedbounds verify` again"),
        ("[" * 100_000, "is corrupt"),
    ],
)
def test_a_file_that_is_no_document_is_named(text, says, tmp_path):
    path = tmp_path / "results.json"
    path.write_text(text)
    with pytest.raises(FedboundsError, match=says) as error:
        read_results(tmp_path)
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda d: d["claims"].update({THEOREM: 3}),
        lambda d: d["claims"][THEOREM].pop("readings"),
        lambda d: d["claims"][THEOREM]["readings"][0].pop("tightness"),
        lambda d: d["results"].append("x"),
        lambda d: d["results"][0].pop("problem"),
        lambda d: d["proofs"].update({THEOREM: []}),
    ],
)
def test_a_document_with_a_hole_is_one_line(spoil, old, new):
    spoil(new)
    with pytest.raises(FedboundsError, match="incomplete"):
        differences(old, new)
