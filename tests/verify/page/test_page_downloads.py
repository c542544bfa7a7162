"""Files beside the index are told with their sizes, pages stay small, and scripts are sound."""

import csv
import io
import re
import shutil
import subprocess

import pytest
from pages import (
    LIKE,
    PRINTED,
    SUMMED,
    THEOREM,
    Page,
    claim,
    gather,
    html_files,
    index,
    loads_something,
    name_of,
    page_of,
    record,
    small_document,
)

from fedbounds.theory.language.catalogue import paper
from fedbounds.verify.page.downloads import claims_csv
from fedbounds.verify.page.written import site, write_site
from fedbounds.vocabulary import Kind

LARGEST = 1_000_000


@pytest.fixture
def results():
    return small_document()


def rows_of(html):
    """File names and sizes of the table of downloads."""
    text = html[html.index('<table class="downloads">') :]
    return dict(re.findall(r'<a href="([^"]+)">.*<td class="n">(\d+)</td>', text))


def test_the_files_of_the_folder_are_told_with_their_sizes(results, tmp_path):
    (tmp_path / "records").mkdir()
    for name in ("results.json", "proofs.json", "records/toy.jsonl.gz", "mine.txt"):
        (tmp_path / name).write_text(name)
    write_site(results, tmp_path)
    told = rows_of((tmp_path / "index.html").read_text("utf-8"))
    assert {"claims.csv", "results.json", "proofs.json"} <= set(told)
    assert "mine.txt" not in told
    for name, size in told.items():
        assert (tmp_path / name).stat().st_size == int(size)
    assert set(rows_of(index(results))) == {"claims.csv"}


def test_the_table_of_claims_is_written_beside_the_index(results):
    assert site(results)["claims.csv"] == claims_csv(results)


def test_claims_as_rows(results):
    rows = list(csv.DictReader(io.StringIO(claims_csv(results))))
    assert len({len(row) for row in rows}) == 1
    assert not any(None in row for row in rows)
    by_claim = {}
    for row in rows:
        by_claim.setdefault(row["claim"], []).append(row)
    assert set(by_claim) == set(results["claims"])
    printed, summed = by_claim[THEOREM]
    assert (printed["headline"], summed["headline"]) == ("yes", "no")
    assert (printed["tightness"], printed["power"]) == ("0.5", "2.0")
    assert (printed["not violated"], printed["undecided"], summed["violated"]) == ("1", "1", "2")
    assert (printed["tightest_by"], printed["tightest_instance"]) == ("plan", "cosine 1")
    assert (summed["tightest_by"], summed["tightest_instance"]) == ("plan", "witness")
    assert (printed["equal_everywhere"], summed["equal_everywhere"]) == ("no", "no")
    (quiet,) = by_claim[LIKE]
    assert quiet["standing"] == "tested"
    (definition,) = by_claim["toy/def-1"]
    assert (definition["standing"], definition["reading"]) == ("", "")
    assert definition["text"] == "text of toy/def-1"


# ---- the size of a large run


def large_document(records):
    """As many claims as the paper has, each with a run per round, and that many records."""
    kind_of = {entry.id: entry.kind for entry in paper("personalization").entries}
    ids = list(kind_of)
    each = records // len(ids) + 1
    curve = {"rounds": list(range(64)), "left": [1.0 / (3 + at) for at in range(64)]}
    curve["right"] = [2.0 / (3 + at) for at in range(64)]
    more = {"mean": curve["left"], "low": curve["left"], "high": curve["right"]}
    ladder = {"parameter": "gamma", "values": [2.0**-at for at in range(12)]}
    ladder["series"] = {name: [3.0**-at for at in range(12)] for name in ("P", "rho")}
    ladder["fit"] = {"series": "P", "exponent": 1.58, "low": 1.5, "high": 1.6, "symbolic": "3/2"}
    slack = [{"name": f"lem-{at}", "amount": 0.03125, "share": 0.0625} for at in range(16)]
    groups = []
    for claim_id in ids:
        rows = [
            record(
                claim_id,
                (PRINTED, SUMMED)[at % 2],
                "not violated",
                10.0 ** -(at / 40),
                instance=f"quadratic n=12 m=4 K=20 T=400, edge of the conditions, number {at}",
            )
            for at in range(each)
        ]
        main = "/thm-" in claim_id or "/cor-" in claim_id
        rows[0]["curve"] = curve | more if main else curve
        if kind_of[claim_id] is Kind.SCALING:
            rows[0]["ladder"] = ladder
        if main:
            for at, regime in enumerate(("transient", "noise", "heterogeneity")):
                rows[2 * at] |= {"slack": slack, "regime": regime}
        groups.append((claim(claim_id, "tested", rows, (PRINTED, SUMMED)), rows))
    return gather(*groups)


def test_a_large_run_makes_pages_of_less_than_a_megabyte():
    document = large_document(20_000)
    assert len(document["results"]) >= 20_000
    files = html_files(site(document))
    assert len(files) == len(document["claims"]) + 1 > 100
    for name, html in files.items():
        assert len(html.encode()) <= LARGEST, name
        page = Page(html)
        assert not page.wrong
        assert not loads_something(page)
        assert name == "index.html" or '<table class="plot-data">' in html
    headline = Page(files[name_of("personalization/thm-3.7")]).one("headline")["text"]
    listed, left = re.search(
        r"The (\d+) most exposed instances are listed; (\d+) more", headline
    ).groups()
    own = [r for r in document["results"] if r["claim"] == "personalization/thm-3.7"]
    assert int(listed) + int(left) == sum(r["reading"] == PRINTED.name for r in own)


def test_a_page_that_would_be_too_large_lists_less_and_counts_what_is_left_out(monkeypatch):
    rows = [record(LIKE, PRINTED, "not violated", instance=f"number {at}") for at in range(50)]
    document = gather((claim(LIKE, "tested", rows), rows))
    listed = {}
    for largest in (LARGEST, 10):
        monkeypatch.setattr("fedbounds.verify.page.written._LARGEST", largest)
        text = page_of(document, LIKE).text
        found = re.search(r"The (\d+) most exposed instances are listed; (\d+) more", text)
        assert sum(map(int, found.groups())) == 50
        assert text.count("number ") - 1 == int(found[1])  # the tightest is told above
        listed[largest] = int(found[1])
    assert listed[10] < listed[LARGEST]


# ---- what is promised to readers, checked without a browser


def script_of(html):
    (script,) = re.findall(r"<script>(.*?)</script>", html, re.S)
    return script


def test_the_scripts_are_sound(results):
    files = site(results)
    for name in ("index.html", name_of(THEOREM)):
        script = script_of(files[name])
        bare = re.sub(r'//[^\n]*|"(?:[^"\\]|\\.)*"|`[^`]*`', "", script)
        for opening, closing in ("()", "[]", "{}"):
            assert bare.count(opening) == bare.count(closing)
        for word in ("fetch", "XMLHttpRequest", "eval(", "innerHTML", "localStorage", "import("):
            assert word not in script
        if node := shutil.which("node"):
            command = [node, "--check", "-"]
            done = subprocess.run(command, input=script, text=True, capture_output=True)
            assert done.returncode == 0, done.stderr


SEARCH = """
const row = (textContent, text) => ({textContent, dataset: {text}, hidden: false});
const rows = [row("thm-1 refuted Theorem 1", "f(w) <= 2"), row("thm-2 tested Lemma 2", "G <= 1")];
const said = {};
const box = {value: "", listeners: {}, closest: () => said,
             addEventListener: (name, what) => { box.listeners[name] = what; }};
const document = {
  getElementById: (name) => name === "search" ? box : null,
  querySelector: () => said,
  querySelectorAll: (what) => what.includes("table-of-claims tbody") ? rows : [],
  addEventListener: () => {},
};
const location = {hash: ""}, addEventListener = () => {};
"""


@pytest.mark.parametrize(
    ("typed", "shown"),
    [("", 2), ("THM-1", 1), ("refuted", 1), ("lemma 2", 1), ("f(w)", 1), ("thm", 2), ("none", 0),
     ("refuted lemma", 0)],
)  # fmt: skip
def test_the_search_shows_rows_that_hold_every_word(results, typed, shown):
    node = shutil.which("node")
    if node is None:
        pytest.skip("needs a program that runs scripts")
    script = script_of(index(results)).replace('"use strict";', "")
    ask = f"box.value = {typed!r}; box.listeners.input();"
    tell = "console.log(rows.filter((r) => !r.hidden).length, said.hidden, said.textContent);"
    done = subprocess.run(
        [node, "-"], input=SEARCH + script + ask + tell, text=True, capture_output=True
    )
    assert done.returncode == 0, done.stderr
    told = f"{shown} of 2 claims" if typed else ""
    assert done.stdout.strip() == f"{shown} false {told}".strip()


def test_phone_dark_print_and_keyboard_are_provided_for(results):
    files = site(results)
    style = files["page.css"]
    for rule in (
        "prefers-color-scheme: dark",
        "@media print",
        ":focus-visible",
        "max-width: 46rem",
        ".scroll { overflow-x: auto",
    ):
        assert rule in style
    for html in html_files(files).values():
        page = Page(html)
        assert 'name="viewport" content="width=device-width, initial-scale=1"' in html
        for table in page.all("table"):
            line, column = table["line"]
            before = html.splitlines()[line - 2]
            assert 'class="scroll' in before, (line, column, before)
        boxes = [e["attributes"] for e in page.elements if e["attributes"].get("tabindex") == "0"]
        assert all(box.get("aria-label") for box in boxes)


def test_the_standing_stands_beside_the_claim(results):
    """On a narrow screen the first two columns are all that is seen."""
    html = index(results)
    table = html[html.index('<table class="sortable') :]
    head = [cell["text"] for cell in Page(table[: table.index("</thead>")]).all("th")]
    assert head[:2] == ["claim", "standing"]
