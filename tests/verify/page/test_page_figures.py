"""Figures of the page: what is drawn is the data, and a table beside each says the same."""

import math
import re
import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pages import (
    LIKE,
    PRINTED,
    SUMMED,
    THEOREM,
    Page,
    claim,
    gather,
    index,
    page_of,
    record,
    small_document,
)

from fedbounds.verify.page.comparisons import comparison_view
from fedbounds.verify.page.figures import SMALLEST, strips, waterfall, waterfalls
from fedbounds.verify.page.formulas import NO_FORMULAS
from fedbounds.verify.page.numbers import number
from fedbounds.verify.page.plots import SIZE, Curve, axis, panel
from fedbounds.verify.page.runs import curve_view, entitled, ladder_view
from fedbounds.verify.page.sections import section

ROUNDS = [0, 1, 2, 4, 8]
CURVE = {
    "rounds": ROUNDS,
    "left": [1.0, 0.5, 0.25, 0.125, 0.0],
    "mean": [1.0, 0.75, 0.6, 0.5, "2/5"],
    "right": [4.0, 3.0, 2.0, 1.0, 1.0],
    "low": [0.5, 0.25, 0.125, 0.0625, 0.0],
    "high": [2.0, 1.0, 0.5, 0.25, 0.1],
}
FIT = {"series": "P", "exponent": 1.02, "low": 0.9, "high": 1.1, "symbolic": "1"}
LADDER = {
    "parameter": "gamma",
    "values": ["1/8", "1/4", "1/2", 1],
    "series": {"P": [0.125, 0.25, 0.5, 1.0], "rho": [0.9, 0.8, 0.7, None]},
    "fit": FIT,
}


@pytest.fixture
def results():
    return small_document()


def test_strips_are_logarithmic_and_clip_what_is_too_small():
    found = strips({"a": [(0.01, False), (0.1, True), (1.0, False)], "b": [(-1.0, False)]})
    first, second = found.rows
    places = [int(tick.split()[0]) for tick in first.ticks.split("M")[1:]]
    (broken,) = (int(tick.split()[0]) for tick in first.violations.split("M")[1:])
    assert abs(broken - sum(places) / 2) <= 1
    assert (first.count, first.least, first.middle, first.largest) == (3, "0.01", "0.1", "1")
    assert second.least == "−1"
    assert found.clipped == 1
    assert 10 * found.one == pytest.approx(max(places), abs=1)
    assert len(found.labels) <= 7
    (left,) = (int(tick.split()[0]) for tick in second.ticks.split("M")[1:])
    assert left == min(places)  # the axis starts at the smallest value that is not clipped
    assert strips({"a": []}) is None
    assert strips({"a": [(SMALLEST / 10, False)]}).clipped == 1


def test_waterfall_goes_from_the_measured_side_to_the_bound(results):
    found = waterfall([r for r in results["results"] if r["reading"] == PRINTED.name])
    assert found.measured == 50.0
    assert [(step.start, step.length) for step in found.steps] == [(50.0, 30.0), (80.0, 20.0)]
    assert [step.share for step in found.steps] == ["60.0 %", "40.0 %"]
    assert waterfall([]) is None


def test_waterfalls_go_by_regime_when_records_name_one():
    def lossy(regime, tightness, **more):
        slack = [{"name": "lem", "amount": 1.0 - tightness, "share": 1.0}]
        return record(THEOREM, PRINTED, "not violated", tightness, slack=slack, regime=regime)

    rows = [lossy("noise", 0.5), lossy("transient", 0.25), lossy("transient", 0.75)]
    first, second = waterfalls(rows)
    assert (first.regime, first.measured, first.instances) == ("transient", 75.0, 2)
    assert (second.regime, second.measured, second.instances) == ("noise", 50.0, 1)
    for row in rows:
        del row["regime"]
    (only,) = waterfalls(rows)
    assert (only.regime, only.instances) == ("", 3)
    assert waterfalls([record(THEOREM, PRINTED, "not violated")]) == ()


# ---- panels


def points(path):
    return [tuple(map(float, pair)) for pair in re.findall(r"[ML](-?\d+) (-?\d+)", path)]


positive = st.floats(1e-9, 1e9)


@given(st.lists(positive, min_size=2, max_size=20))
def test_a_line_is_the_logarithm_of_its_values(values):
    x = [float(at) for at in range(len(values))]
    found = panel("", "t", x, [Curve("a", "left", values)])
    drawn = points(found.lines[0].path)
    up = axis(values, log=True)
    assert len(drawn) == len(values)
    assert [pair[0] for pair in drawn] == sorted(pair[0] for pair in drawn)
    for (_, height), value in zip(drawn, values, strict=True):
        share = math.log(value / up.low) / math.log(up.high / up.low)
        assert height == pytest.approx(SIZE * (1 - share), abs=0.51)
        assert 0 <= height <= SIZE
    assert 1 <= len(found.y_ticks) <= 8
    assert all(0 <= place <= 100 for place, _ in (*found.x_ticks, *found.y_ticks))


def test_what_is_not_positive_breaks_the_line_and_is_counted():
    x = [0.0, 1.0, 2.0, 3.0]
    found = panel("", "t", x, [Curve("a", "left", [1.0, 0.0, 2.0, None])])
    assert found.lines[0].path.count("M") == 2
    assert "L" not in found.lines[0].path
    assert found.left_out == 1
    assert panel("", "t", x, [Curve("a", "left", [0.0, -1.0, None, 0.0])]) is None
    assert panel("", "t", [0.0], [Curve("a", "left", [1.0])], log_x=True) is None
    assert panel("", "t", [5.0], [Curve("a", "left", [1.0])]).lines[0].path.startswith("M500 500")


# ---- measured against bound


def test_the_curve_is_that_of_the_tightest_record_and_its_table_is_what_is_drawn():
    rows = [
        record(THEOREM, PRINTED, "not violated", 0.9, instance="no curve"),
        record(THEOREM, PRINTED, "not violated", 0.6, instance="shown", curve=CURVE),
        record(THEOREM, PRINTED, "not violated", 0.2, instance="slack", curve=CURVE),
    ]
    found = curve_view(rows, 64)
    assert found.instance == "shown"
    upper, lower = found.panels
    assert [line.style for line in upper.lines] == ["left", "mean", "right"]
    assert [line.style for line in lower.lines] == ["mean"]
    assert found.of_mean
    assert upper.left_out == 2  # the last measured value and the last of the band
    table = {name: [row[at] for row in found.rows] for at, name in enumerate(found.names)}
    assert table["round t"] == ["0", "1", "2", "4", "8"]
    assert table["measured, left side"] == [number(v, 4) for v in CURVE["left"]]
    assert table["its running mean"][-1] == "0.4"
    assert "left / right" not in table  # no single round is held against a bound of the mean
    assert table["running mean / right"][1] == "0.25"
    drawn = points(upper.lines[0].path)
    assert len(drawn) == 4  # zero cannot be drawn
    steps = [b[1] - a[1] for a, b in pairwise(drawn)]
    assert steps == pytest.approx([steps[0]] * 3, abs=2)  # halved every time
    band = points(upper.band)
    assert len(band) == 10
    assert all(high[1] <= low[1] for high, low in zip(band[:5], band[:4:-1], strict=True))


def test_a_short_run_is_drawn_where_there_is_no_longer_one():
    short = {"rounds": [0, 1, 2], "left": [1, 1, 1], "right": [2, 2, 2]}
    rows = [record(THEOREM, PRINTED, "not violated", 0.9, instance="short", curve=short)]
    assert curve_view(rows, 64).instance == "short"
    rows += [record(THEOREM, PRINTED, "not violated", 0.2, instance="long", curve=CURVE)]
    assert curve_view(rows, 64).instance == "long"


def test_a_curve_without_band_or_mean_needs_neither():
    bare = {key: CURVE[key] for key in ("rounds", "left", "right")} | {"low": None, "high": None}
    found = curve_view([record(THEOREM, PRINTED, "not violated", curve=bare)], 64)
    assert found.panels[0].band == ""
    assert found.names == ("round t", "measured, left side", "bound, right side", "left / right")
    assert not found.of_mean
    by_round = {"left": [1, 1, 1, 1, 0], "right": [4, 6, 8, 8, 8]}
    other = curve_view([record(THEOREM, PRINTED, "not violated", curve=bare | by_round)], 64)
    ratios = [row[-1] for row in other.rows]
    assert ratios == [number(v, 4) for v in (1 / 4, 1 / 6, 1 / 8, 1 / 8, 0)]
    assert curve_view([record(THEOREM, PRINTED, "not violated")], 64) is None


def test_a_curve_is_thinned_where_there_is_no_room_and_says_so():
    found = curve_view([record(THEOREM, PRINTED, "not violated", curve=CURVE)], 3)
    assert [row[0] for row in found.rows] == ["0", "2", "8"]
    assert [row[1] for row in found.rows] == ["1", "0.25", "0"]
    assert found.left_out == 2


def test_a_curve_of_another_reading_is_not_shown_for_the_headline(results):
    results["results"][3]["curve"] = CURVE
    assert "round by round" not in page_of(results, THEOREM).text
    results["results"][0]["curve"] = CURVE
    section = page_of(results, THEOREM).text
    assert "Measured against bound, round by round" in section
    assert "quadratic 1 (tightness 0.5)" in section


# ---- scaling


def dots(line):
    return [tuple(map(float, d.split())) for d in re.findall(r"M(\S+ \S+)h0", line.dots)]


def test_the_ladder_is_drawn_with_both_slopes_and_told_in_text(results):
    found = ladder_view(THEOREM, record(THEOREM, PRINTED, "not violated", ladder=LADDER))
    steady, rate = found.panels
    styles = {line.style: line for line in steady.lines}
    assert set(styles) == {"left", "fit", "symbolic"}
    symbolic = points(styles["symbolic"].path)
    at = dots(styles["left"])
    assert len(at) == 4
    assert all(a == pytest.approx(b, abs=1) for a, b in zip(at, symbolic, strict=True))
    (only,) = rate.lines
    heights = [height for _, height in dots(only)]
    assert heights == sorted(heights, reverse=True)  # 1 - rho grows: 0.1, 0.2, 0.3
    assert len(heights) == 3
    assert found.names == ("gamma", "P", "rho", "1 − rho")
    assert found.rows[0] == ("0.125", "0.125", "0.9", "0.1")
    assert found.rows[3] == ("1", "1", "–", "–")
    results["results"][0]["ladder"] = LADDER
    text = page_of(results, THEOREM).text
    assert "fitted to the points: 1.02 (0.9 to 1.1); symbolic exponent of the theorem" in text
    assert "term: 1." in text


def test_what_a_paper_displays_is_drawn_beside_its_claim(results, quick_displays):
    """As a run leaves them: they are no records of a claim."""
    every = quick_displays("fedplt")
    assert every
    row, *_ = next(iter(every.values()))
    assert "claim" not in row
    results["claims"][THEOREM]["displays"] = [row]
    text = page_of(results, THEOREM).text
    assert row["problem"]["instance"] in text
    assert next(iter(row["ladder"]["series"])) in text


def test_series_are_called_what_their_theory_says():
    title = "1 − rho, rho: factor per round at which second moments converge"
    assert entitled(THEOREM, "rho") == (title, True)
    assert entitled(THEOREM, "P") == ("P, limit of G_u + (m/n) G_v", False)
    assert entitled("fedplt/recursion", "rho") == ("rho", False)  # no quantity of that theory
    assert entitled("nobody/thm-1", "P") == ("P", False)


def test_a_ladder_without_a_fit_or_a_term_to_compare_says_so(results):
    found = ladder_view(
        THEOREM, record(THEOREM, PRINTED, "not violated", ladder=LADDER | {"fit": None})
    )
    assert {line.style for one in found.panels for line in one.lines} == {"left"}
    assert found.fitted == found.symbolic == ""
    for said, shown in (("1 + log T", "1 + log T"), (None, "")):
        ladder = LADDER | {"fit": FIT | {"symbolic": said}}
        found = ladder_view(THEOREM, record(THEOREM, PRINTED, "not violated", ladder=ladder))
        assert {line.style for line in found.panels[0].lines} == {"left", "fit"}
        assert found.symbolic == shown
    results["results"][0]["ladder"] = ladder
    text = page_of(results, THEOREM).text
    assert "the claim names no term to compare it with" in text


def test_a_ladder_of_algorithms_is_a_table(results):
    ladder = {
        "parameter": "algorithm",
        "values": ["FedAvg-P", "Scaffold-P"],
        "series": {"P": [0.5, 0.25]},
        "fit": None,
    }
    found = ladder_view(THEOREM, record(THEOREM, PRINTED, "not violated", ladder=ladder))
    assert found.panels == ()
    assert found.rows == (("FedAvg-P", "0.5"), ("Scaffold-P", "0.25"))
    results["results"][0]["ladder"] = ladder
    page = page_of(results, THEOREM)
    assert not page.wrong
    assert "Scaffold-P" in page.text


def test_every_kind_of_ladder_is_shown_before_a_second_one_of_any():
    rows = [
        record(THEOREM, PRINTED, "not violated", instance=f"{name} {at}", algorithm=name,
               ladder=LADDER)
        for name in ("a", "b", "c") for at in range(4)
    ]  # fmt: skip
    rows[5]["verdict"] = "violated"
    found = section(claim(THEOREM, "tested", rows), rows, NO_FORMULAS, None, None, 8)
    names = [one.instance for one in found.ladders]
    assert names[0] == "b 1"
    assert sorted(name[0] for name in names[:3]) == ["a", "b", "c"]
    assert found.ladders_left_out == 12 - len(names)


# ---- comparisons


def compared(pair, reading, word, **more):
    told = {"pair": pair, "word": word, "region": "K >= 2", "ray": {"T": "oo", "b^2": "1/2"}}
    told |= {"points": [{"n": 3}] * 10, "certificate": None} | more
    return record(THEOREM, reading, "not violated", comparison=told)


def test_comparisons_are_a_table_of_pairs_by_reading():
    rows = [
        compared("A against B", PRINTED, "dominates"),
        compared("A against B", SUMMED, "incomparable"),
        compared(["A", "C"], PRINTED, "dominated", certificate="squares"),
    ]
    readings = [{"name": PRINTED.name}, {"name": SUMMED.name}, {"name": "never compared"}]
    found = comparison_view(readings, rows)
    assert found.readings == (PRINTED.name, SUMMED.name)
    assert found.rows == (
        ("A against B", ("dominates", "incomparable")),
        ("A against C", ("dominated", "–")),
    )
    first, *_, last = found.grounds
    assert first.ray == "T = oo, b^2 = 1/2 ≈ 0.5"
    shuffled = dict(reversed(rows[0]["comparison"]["ray"].items()))
    other = compared("A against B", PRINTED, "dominates", ray=shuffled)
    assert comparison_view(readings, [other]).grounds[0].ray == first.ray
    assert (len(first.points), first.left_out, first.certificate) == (8, 2, "")
    assert last.certificate == "squares"
    assert comparison_view(readings, [record(THEOREM, PRINTED, "not violated")]) is None


# ---- the page with all of it


def test_every_figure_has_a_table_and_every_drawing_a_name(results):
    rows = [
        record(THEOREM, PRINTED, "not violated", 0.5, curve=CURVE, ladder=LADDER),
        compared("A against B", PRINTED, "dominates"),
    ]
    best = {"how": "search, 9 evaluations"}
    rows.append(record(THEOREM, PRINTED, "not violated", 0.75, instance="found", best=best))
    page = page_of(gather((claim(THEOREM, "tested", rows), rows)), THEOREM)
    assert not page.wrong
    told = page.text
    assert "Tightest, by search, 9 evaluations: tightness 0.75 on found; K = 1, T = 3" in told
    assert told.count("Data of the figure") == len(page.all("figure")) == 3
    for drawing in page.all("svg"):
        named = drawing["attributes"]
        assert named.get("aria-hidden") == "true" or named.get("aria-label"), named


def test_how_the_tightest_instance_was_found_is_a_column(results):
    html = index(results)
    table = html[html.index('<table class="sortable') :]
    head = [cell["text"] for cell in Page(table[: table.index("</thead>")]).all("th")]
    body = ET.fromstring(table[table.index("<tbody>") : table.index("</tbody>") + 8])
    cells = {
        row.find("th").findtext("a"): ["".join(c.itertext()) for c in row.findall("td")]
        for row in body.findall("tr")
    }
    at = head.index("tightest by") - 1
    assert cells[LIKE][at] == cells[THEOREM][at] == "plan"
