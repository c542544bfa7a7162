"""The tightest of plan and search together, and readings whose sides nothing tells apart."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pages import (
    LIKE,
    PRINTED,
    claim,
    gather,
    index,
    page_of,
    readable,
    record,
    table_of_claims,
)
from rich.console import Console

from fedbounds.verify.judge.standing import evidence
from fedbounds.verify.page import tables
from fedbounds.verify.results.audit import audit
from fedbounds.vocabulary import Verdict

NOT_VIOLATED = Verdict.NOT_VIOLATED.value
FOUND = {"how": "search, 100 evaluations"}


def row(tightness, instance, equal=0, verdict=NOT_VIOLATED, relation="<=", **more):
    made = record(LIKE, PRINTED, verdict, tightness, instance, **more)
    gap = (1.0 - tightness) / (1.0 + tightness)
    made["parts"] = [made["parts"][0] | {"equal": equal, "relation": relation, "relative_gap": gap}]
    return made


ratios = st.floats(0.0625, 1.0, exclude_min=True)


@given(st.lists(ratios, min_size=1, max_size=5), st.lists(ratios, max_size=2))
def test_the_tightest_is_the_largest_of_plan_and_search(planned, searched):
    rows = [row(value, f"plan {at}") for at, value in enumerate(planned)]
    rows += [row(value, f"search {at}", best=FOUND) for at, value in enumerate(searched)]
    found = evidence(rows)
    best = found["tightest"]
    assert best["tightness"] == found["tightness"] == max(planned + searched)
    (own,) = [one for one in rows if one["key"] == best["key"]]
    assert own["parts"][0]["tightness"] == best["tightness"]
    assert best["instance"] == own["problem"]["instance"]
    assert best["how"] == (FOUND["how"] if "best" in own else "plan")


def test_without_ratios_the_smallest_relative_gap_is_the_tightest():
    rows = [row(value, f"plan {value}") for value in (0.25, 0.75, 0.5)]
    for one in rows:
        one["parts"][0]["tightness"] = None
    best = evidence(rows)["tightest"]
    assert (best["instance"], best["tightness"]) == ("plan 0.75", None)
    assert evidence([row(1.0, "an identity", relation="==")])["tightest"] is None


@pytest.mark.parametrize(
    ("rows", "flag"),
    [
        ([row(1.0, "a", 1), row(1.0, "b", 1)], True),
        ([row(1.0, "a", 1), row(1.0, "b", 1, verdict="undecided")], True),  # to rounding
        ([row(1.0, "a", 1, verdict="undecided")], False),  # to rounding alone
        ([row(1.0, "a", 1), row(0.5, "b")], False),
        ([row(1.0, "a", 1), row(0.5, "b", verdict="outside conditions")], True),
        ([row(1.0, "an identity", 1, relation="==")], False),
        ([], False),
    ],
)
def test_equality_on_everything_examined_is_told(rows, flag):
    found = evidence(rows)
    assert found["equal_everywhere"] is flag
    assert found["equal_parts"] == ([""] if flag else [])


def test_one_part_that_is_an_equality_is_named():
    one = row(1.0, "a", 1)
    one["parts"].append(one["parts"][0] | {"part": "b", "equal": 0})
    found = evidence([one])
    assert (found["equal_parts"], found["equal_everywhere"]) == ([""], False)


@pytest.fixture
def document():
    rows = [row(1.0, "a", 1), row(1.0, "b", 1)]
    return readable(gather((claim(LIKE, "tested", rows), rows)))


def test_table_page_and_show_say_that_both_sides_are_equal(document, monkeypatch):
    audit(document)
    said = "both sides are equal on all 2 instances examined: nothing tells them apart"
    assert said in page_of(document, LIKE).text.replace("Both sides", "both sides")
    assert "equal everywhere" in " ".join(table_of_claims(index(document))[LIKE.partition("/")[2]])
    out = Console(record=True, width=200)
    monkeypatch.setattr(tables, "console", lambda: out)
    tables.print_results(document, ())
    assert said in out.export_text()
    assert any(said in line for line in tables._sides(document["claims"][LIKE]["readings"][0]))


def test_what_is_left_out_of_tightness_is_counted_wherever_it_is_shown(document, monkeypatch):
    rows = document["results"]
    rows[0]["parts"][0] |= {"idle": 1, "tightness": None}
    reading = document["claims"][LIKE]["readings"][0]
    reading |= evidence(rows)
    assert reading["idle"] == 1
    assert reading["tightest"]["instance"] == "b"
    out = Console(record=True, width=200)
    monkeypatch.setattr(tables, "console", lambda: out)
    tables.print_results(document, ())
    said = "1 case in which both sides are the same initial value at t = 0"
    assert said in out.export_text()
    assert any(said in line for line in tables._sides(reading))
    assert "equal at t = 0 by the initial value" in page_of(document, LIKE).text
