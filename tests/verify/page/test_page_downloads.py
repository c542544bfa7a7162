"""Files inside the page are the right bytes, the page stays small, and its script is sound."""

import csv
import gzip
import io
import json
import re
import shutil
import subprocess
from base64 import b64decode

import pytest
from pages import (
    LIKE,
    PRINTED,
    SCRIPT,
    SUMMED,
    THEOREM,
    Page,
    claim,
    gather,
    loads_something,
    record,
    small_document,
)

from fedbounds.theory.language.catalogue import paper
from fedbounds.verify.page.downloads import (
    Results,
    claims_csv,
    claims_file,
    downloads,
    results_file,
)
from fedbounds.verify.page.written import render
from fedbounds.verify.results.records import sealed
from fedbounds.vocabulary import Kind

LARGEST = 3_000_000
ROOM = 900_000


@pytest.fixture
def results():
    return small_document()


def content(link):
    kind, _, data = link.partition(";base64,")
    assert kind.startswith("data:")
    return b64decode(data, validate=True)


def without_seal(text):
    data = json.loads(text)
    assert data.pop("digest")
    return data


def links(html):
    """File names and contents of the download links of a page."""
    found = [a["attributes"] for a in Page(html).all("a") if "download" in a["attributes"]]
    return {link["download"]: content(link["href"]) for link in found}


def test_downloads_are_the_right_bytes(results, tmp_path):
    script = tmp_path / "witnesses" / "thm.py"
    script.parent.mkdir()
    script.write_text(SCRIPT)
    files = links(render(results, tmp_path))
    assert set(files) == {"results.json", "claims.csv", "thm.py"}
    assert files["results.json"] == sealed(results).encode()
    assert without_seal(files["results.json"]) == results
    assert files["thm.py"] == SCRIPT.encode()
    assert set(links(render(results))) == {"results.json", "claims.csv"}


def test_the_size_told_is_that_of_the_file(results):
    for file in downloads(Results(results), None, ROOM):
        assert file.size == len(content(file.link))


def test_claims_as_rows(results):
    rows = list(csv.DictReader(io.StringIO(links_csv(results).decode())))
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


def links_csv(results):
    return next(
        content(f.link) for f in downloads(Results(results), None, ROOM) if f.name == "claims.csv"
    )


def test_results_are_as_complete_as_there_is_room_for(results):
    whole, results = sealed(results).encode(), Results(results)
    plain = results_file(results, 8 * len(whole))
    assert (plain.name, content(plain.link)) == ("results.json", whole)
    tight = results_file(results, 2 * len(whole))
    assert tight.name == "results.json.gz"
    assert gzip.decompress(content(tight.link)) == whole
    assert "all 6 records" in tight.holds
    bare = results_file(results, 10)
    found = without_seal(gzip.decompress(content(bare.link)))
    assert found == results.document | {"results": [], "left_out": {"results": 6}}
    assert "without its 6 records" in bare.holds


def test_a_table_of_claims_without_room_is_compressed(results):
    plain = claims_csv(results)
    assert content(claims_file(results, 20 * len(plain)).link) == plain
    packed = claims_file(results, 2 * len(plain))
    assert packed.name == "claims.csv.gz"
    assert gzip.decompress(content(packed.link)) == plain


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


def test_a_large_run_makes_a_page_of_at_most_three_megabytes():
    document = large_document(20_000)
    assert len(document["results"]) >= 20_000
    assert len(document["claims"]) >= 100
    html = render(document)
    assert len(html.encode()) <= LARGEST
    page = Page(html)
    assert not page.wrong
    assert not loads_something(page)
    section = page.one("claim-personalization-thm-3.7")
    assert re.search("The (40|20|8) most exposed instances are listed", section["text"])
    assert html.count('<table class="plot-data">') >= len(document["claims"])


def test_a_page_that_would_be_too_large_shows_less_and_says_so(results, monkeypatch):
    curve = {"rounds": list(range(64)), "left": [1.0] * 64, "right": [2.0] * 64}
    results["results"][0]["curve"] = curve
    whole = render(results)
    assert "are left out" not in Page(whole).one("details")["text"]
    monkeypatch.setattr("fedbounds.verify.page.written.LARGEST", len(whole.encode()) - 1)
    html = render(results)
    assert len(html.encode()) < len(whole.encode())
    assert "40 rounds between those drawn are left out" in Page(html).one("details")["text"]


# ---- what is promised to readers, checked without a browser


def script_of(html):
    (script,) = re.findall(r"<script>(.*?)</script>", html, re.S)
    return script


def test_the_script_is_sound(results):
    script = script_of(render(results))
    bare = re.sub(r'//[^\n]*|"(?:[^"\\]|\\.)*"|`[^`]*`', "", script)
    for opening, closing in ("()", "[]", "{}"):
        assert bare.count(opening) == bare.count(closing)
    for word in ("fetch", "XMLHttpRequest", "eval(", "innerHTML", "localStorage", "import("):
        assert word not in script
    if node := shutil.which("node"):
        done = subprocess.run([node, "--check", "-"], input=script, text=True, capture_output=True)
        assert done.returncode == 0, done.stderr


def test_phone_dark_print_and_keyboard_are_provided_for(results):
    html = render(results)
    page = Page(html)
    assert 'name="viewport" content="width=device-width, initial-scale=1"' in html
    style = html[html.index("<style>") : html.index("</style>")]
    for rule in (
        "prefers-color-scheme: dark",
        "@media print",
        ":focus-visible",
        "max-width: 46rem",
    ):
        assert rule in style
    assert ".scroll { overflow-x: auto" in style
    for table in page.all("table"):
        line, column = table["line"]
        before = html.splitlines()[line - 2]
        assert 'class="scroll' in before, (line, column, before)
    boxes = [e["attributes"] for e in page.elements if e["attributes"].get("tabindex") == "0"]
    assert all(box.get("aria-label") for box in boxes)
