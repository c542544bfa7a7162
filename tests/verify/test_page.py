"""The page of a run: valid, self-contained, findings first, no verdict but the document's."""

import copy
import random
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import pytest
import sympy as sp

from fedbounds.errors import FedboundsError
from fedbounds.theory.catalogue import select
from fedbounds.theory.claims import read
from fedbounds.theory.registry import encoded_claims
from fedbounds.theory.symbols import RunOperator
from fedbounds.verify.document import Timing, document
from fedbounds.verify.page import render, write_page
from fedbounds.verify.page.figures import SMALLEST, strips, waterfall
from fedbounds.verify.page.formulas import formulas, tidy
from fedbounds.verify.page.mathml import to_mathml
from fedbounds.verify.page.summary import command, sentences
from fedbounds.verify.plan import Profile
from fedbounds.verify.run import Settings, run
from fedbounds.verify.standing import status_of
from fedbounds.verify.store import Store

VOID = {"meta", "br", "hr", "img", "input", "link"}
LARGEST = 3_000_000
THEOREM, LEMMA, LIKE = "personalization/thm-3.7", "personalization/lem-A.2", "toy/claim-1"
SCRIPT = 'print("gap <negative>")\n'


# ---- a small results document


class Reading:
    """What `status_of` needs of a reading."""

    def __init__(self, name, ambiguity=""):
        self.name, self.ambiguity = name, ambiguity


PRINTED, SUMMED = Reading("as printed"), Reading("G_v summed over clients", "amb-2")


def record(claim, reading, verdict, tightness=0.5, instance="quadratic 1", **more):
    part = {
        "part": "",
        "verdict": verdict,
        "reason": "",
        "round": None,
        "rounds": 1,
        "relation": "<=",
        "beats_trivial": None,
        "candidate": False,
        "left": tightness,
        "right": 1.0,
        "gap": 1.0 - tightness,
        "relative_gap": (1.0 - tightness) / (1.0 + tightness),
        "tightness": tightness,
    }
    return {
        "key": f"key-{instance}-{verdict}",
        "claim": claim,
        "reading": reading.name,
        "ambiguity": reading.ambiguity,
        "problem": {"family": "FederatedQuadratic", "instance": instance, "clients": 2},
        "algorithm": "FedAvg-P",
        "parameters": {"n": 2, "m": 1, "K": 1, "T": 3, "gamma": "1/32"},
        "constants": {"L": {"value": 1, "provenance": "exact", "side": "both"}},
        "evidence": {
            "method": "exact rationals",
            "level": None,
            "replicas": 0,
            "premise": "exact rational arithmetic",
        },
        "at": {"part": "", "round": None},
        "parts": [part],
        "slack": [],
        "witness": None,
        **{key: part[key] for key in ("verdict", "reason", "left", "right", "gap")},
        **{key: part[key] for key in ("relative_gap", "tightness")},
        **more,
    }


def claim(claim_id, standing, records, readings=(PRINTED,), **more):
    found = [
        status_of(reading, [r for r in records if r["reading"] == reading.name]) | {"witness": None}
        for reading in readings
    ]
    return {
        "id": claim_id,
        "kind": "inequality",
        "source": "verbatim",
        "place": f"place of {claim_id}",
        "text": f"text of {claim_id}",
        "paper_proof": "open",
        "severity": None,
        "standing": standing,
        "statement": found[0]["statement"] if found else "untested",
        "uninformative": None,
        "readings": found,
        "readings_differ": len({row["statement"] for row in found}) > 1,
        "reason": "" if found else "not encoded yet",
        **more,
    }


def gather(*groups):
    """A results document of (claim, its records)."""
    return {
        "schema": 1,
        "run": {
            "fedbounds": "0.1.0",
            "source": "0" * 64,
            "numpy": "2.1.0",
            "profile": "quick",
            "seed": 3,
            "device": "cpu",
            "timing": {"seconds": 1.5, "python": "3.11", "system": "Linux", "machine": "x86_64"},
        },
        "claims": {one["id"]: one for one, _ in groups},
        "results": [row for _, rows in groups for row in rows],
        "proofs": {},
    }


@pytest.fixture
def results():
    """A theorem refuted in an alternative reading, a refuted lemma, a quiet and an open claim."""
    slack = [
        {"name": "lem-3.1", "amount": 0.3, "share": 0.6},
        {"name": "lem-3.2 (v)", "amount": 0.2, "share": 0.4},
    ]
    premise = {"condition": "gamma <= 1/(32*K*L)", "left": "1/32", "right": "1/32"}
    theorem = [
        record(THEOREM, PRINTED, "not violated", slack=slack),
        record(THEOREM, PRINTED, "undecided", instance="cosine 1", reason="every term is zero"),
        record(THEOREM, PRINTED, "outside conditions", 0.1, instance="cosine 2"),
        record(THEOREM, SUMMED, "violated", 1.5, instance="quadratic 1"),
        record(
            THEOREM,
            SUMMED,
            "violated",
            1.75,
            instance="witness",
            left="7/4",
            right="1",
            gap="-3/4",
            witness="witnesses/thm.py",
            premises=[premise],
        ),
    ]
    lemma = [record(LEMMA, PRINTED, "violated", 1.25, instance="vectors 1")]
    quiet = [record(LIKE, PRINTED, "not violated", 0.25)]
    return gather(
        (claim(THEOREM, "tested", theorem, (PRINTED, SUMMED)), theorem),
        (claim(LIKE, "tested", quiet), quiet),
        (claim(LEMMA, "refuted", lemma, kind="identity", source="reconstructed"), lemma),
        (claim("toy/claim-2", "open", [], (), kind="scaling"), []),
        (claim("toy/def-1", None, [], (), kind="definition"), []),
    )


# ---- reading a page


class Page(HTMLParser):
    """Elements in order, with their text; complains about tags that do not match."""

    def __init__(self, html):
        super().__init__()
        self.open, self.elements, self.wrong, self.places = [], [], [], {}
        self.feed(html)
        self.close()
        self.wrong += [f"<{element['tag']}> left open" for element in self.open]

    def handle_starttag(self, tag, attributes):
        element = {"tag": tag, "attributes": dict(attributes), "text": ""}
        element["line"] = self.getpos()
        self.elements.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open[-1]["tag"] != tag:
            self.wrong.append(f"</{tag}> at {self.getpos()}")
        else:
            self.open.pop()

    def handle_data(self, data):
        for element in self.open:
            element["text"] += data

    def all(self, tag):
        return [element for element in self.elements if element["tag"] == tag]

    def one(self, name):
        (found,) = [e for e in self.elements if e["attributes"].get("id") == name]
        return found

    @property
    def text(self):
        return self.all("body")[0]["text"]


def table_of_claims(html):
    """Cells of each row of the table of claims, by the row's heading."""
    table = html[html.index('<table class="sortable') :]
    body = table[table.index("<tbody>") : table.index("</tbody>") + len("</tbody>")]
    return {
        row.find("th").findtext("a"): ["".join(cell.itertext()) for cell in row.findall("td")]
        for row in ET.fromstring(body).findall("tr")
    }


def loads_something(page):
    """Attributes and styles that would fetch anything."""
    found = []
    for element in page.elements:
        for name, value in element["attributes"].items():
            link = name in ("href", "xlink:href") and not (value or "").startswith("#")
            if link or name in ("src", "srcset", "action", "data", "poster", "background"):
                found.append((element["tag"], name, value))
            if name == "style" or name.startswith("on"):
                found.append((element["tag"], name, value))
    style = "".join(element["text"] for element in page.all("style"))
    return found + [word for word in ("@import", "url(", "http") if word in style]


# ---- the page


def test_page_is_well_formed_and_self_contained(results):
    html = render(results)
    page = Page(html)
    assert not page.wrong
    assert not loads_something(page)
    assert "http://" not in html
    assert "https://" not in html
    assert len(html.encode()) < LARGEST
    names = [e["attributes"]["id"] for e in page.elements if "id" in e["attributes"]]
    assert len(names) == len(set(names))
    targets = {a["attributes"]["href"][1:] for a in page.all("a")}
    assert targets <= set(names)
    assert "default-src 'none'" in html


def test_findings_come_first_and_headline_readings_first_among_them(results):
    html = render(results)
    page = Page(html)
    places = [page.one(name)["line"] for name in ("findings", "claims", "details", "method")]
    assert places == sorted(places)
    first, second = (element["text"] for element in page.all("article"))
    assert LEMMA in first
    assert THEOREM in second
    assert "alternative" in second
    assert "amb-2" in second
    assert "alternative" not in first


def test_every_judged_claim_has_a_row_and_a_section_with_its_standing(results):
    html = render(results)
    rows = table_of_claims(html)
    judged = {key: c for key, c in results["claims"].items() if c["readings"]}
    assert set(rows) == set(judged)
    page = Page(html)
    for key, one in judged.items():
        kind, source, place, standing, *_ = rows[key]
        assert (kind, source, place) == (one["kind"], one["source"], one["place"])
        assert standing.split(",")[0] == one["standing"]
        section = page.one("claim-" + key.replace("/", "-"))["text"]
        assert key in section
        assert one["text"] in section
        assert one["source"] in section
    assert "toy/claim-2" in page.text
    assert "toy/def-1" in page.text


def test_counts_in_the_table_are_those_of_the_headline_reading(results):
    html = render(results)
    header = [th["text"] for th in Page(html).all("th")]
    columns = header[header.index("claim") :][: len(table_of_claims(html)[THEOREM]) + 1]
    cells = dict(zip(columns[1:], table_of_claims(html)[THEOREM], strict=True))
    assert cells["instances"] == "2"
    assert cells["tightness"] == "0.5"
    assert cells["power"] == "2"
    assert (cells["violated"], cells["not violated"], cells["undecided"]) == ("0", "1", "1")
    assert cells["outside conditions"] == "1"


@pytest.mark.parametrize("standing", ["gap", "confirmed", "proved otherwise", "unsatisfiable"])
def test_standing_is_the_documents_and_no_one_elses(results, standing):
    changed = copy.deepcopy(results)
    changed["claims"][LIKE]["standing"] = standing
    html = render(changed)
    assert table_of_claims(html)[LIKE][3] == standing
    assert table_of_claims(render(results))[LIKE][3] == "tested"
    assert f"1 {standing}" in sentences(changed)[0]
    assert standing not in Page(render(results)).one("claims")["text"]


def test_what_stands_beside_an_alternative_reading_is_computed(results):
    assert "stands: it survived on 2 instances" in render(results)
    assert "survived" in sentences(results)[1]
    headline = results["claims"][THEOREM]["readings"][0]
    headline["statement"] = "untested"
    html = render(results)
    assert "stands" not in Page(html).one("findings")["text"]
    assert "did not survive" in sentences(results)[1]


def test_without_refuted_readings_there_is_no_finding(results):
    for one in results["claims"].values():
        for reading in one["readings"]:
            reading["statement"] = "survived"
    page = Page(render(results))
    assert not page.all("article")
    assert "No reading of any claim is refuted" in page.one("findings")["text"]
    assert sentences(results)[1] == "No reading is refuted."


def test_three_sentences_are_counted_in_the_document(results):
    first, second, third = sentences(results)
    assert first.startswith("3 claims were judged on 4 instances and 1 witness, ")
    assert "7 records" in first
    assert "2 tested and 1 refuted" in first
    assert "lem-A.2 (reconstructed)" in second
    assert "thm-3.7 (amb-2)" in second
    assert third.startswith("No proof was replayed; 1 record is undecided, 1 of them on thm-3.7")
    results["claims"][THEOREM]["paper_proof"] = "gap"
    assert "proof was replayed" not in sentences(results)[2]


def test_hostile_text_stays_text(results):
    evil = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'&{{ 7*7 }}"
    one = results["claims"][THEOREM]
    one |= {"text": evil, "place": evil, "reason": evil, "source": evil}
    one["readings"][1]["ambiguity"] = evil
    for row in results["results"]:
        row["problem"]["instance"] += evil
        row["evidence"]["premise"] += evil
        row["reason"] = evil
        row["left"] = evil
        row["at"]["part"] = evil
    results["run"] |= {"profile": evil, "numpy": evil}
    page = Page(render(results))
    assert not page.wrong
    assert not loads_something(page)
    assert len(page.all("script")) == 1
    assert not page.all("img")
    assert evil in page.text


def test_witness_shows_both_sides_premises_and_script(results, tmp_path):
    script = tmp_path / "witnesses" / "thm.py"
    script.parent.mkdir()
    script.write_text(SCRIPT)
    page = Page(render(results, tmp_path))
    text = page.one("findings")["text"]
    assert "7/4 ≈ 1.75" in text
    assert "−3/4 ≈ −0.75" in text
    assert "n = 2, m = 1, K = 1, T = 3" in text
    assert SCRIPT in text
    assert "python witnesses/thm.py" in text
    assert f"fedbounds search {THEOREM} --replay records/key-witness-violated.json" in text
    assert text.count("1/32") >= 2
    assert SCRIPT not in Page(render(results)).text


def test_a_script_outside_the_result_folder_is_not_read(results, tmp_path):
    (tmp_path / "secret.py").write_text(SCRIPT)
    folder = tmp_path / "results"
    folder.mkdir()
    results["results"][4]["witness"] = "../secret.py"
    assert SCRIPT not in Page(render(results, folder)).text


def test_a_refuted_reading_without_witness_shows_its_largest_violation(results):
    text = next(e["text"] for e in Page(render(results)).all("article") if LEMMA in e["text"])
    assert "vectors 1" in text
    assert "1.25" in text


def test_a_reconstructed_source_is_said_to_say_nothing_about_its_authors(results):
    page = Page(render(results))
    said = "says nothing about its authors"
    assert said in page.one("claim-personalization-lem-A.2")["text"]
    assert said not in page.one("claim-toy-claim-1")["text"]


def test_undecided_records_are_grouped_by_reason(results):
    text = Page(render(results)).one("claim-personalization-thm-3.7")["text"]
    assert "undecided: every term is zero" in text


def test_quiet_claims_are_folded_and_others_open(results):
    page = Page(render(results))
    assert "open" not in page.one("claim-toy-claim-1")["attributes"]
    assert "open" in page.one("claim-personalization-thm-3.7")["attributes"]


def test_an_empty_run_has_a_page():
    page = Page(render(gather()))
    assert not page.wrong
    assert "No claim was judged" in page.text


def test_the_table_needs_no_script(results):
    html = render(results)
    start, end = html.index("<script>"), html.index("</script>")
    plain = html[:start] + html[end:].replace("</script>", "", 1)
    assert table_of_claims(plain) == table_of_claims(html)
    page = Page(plain)
    assert not page.wrong
    assert all("hidden" not in element["attributes"] for element in page.elements)


def test_a_document_of_another_schema_or_with_holes_is_refused(results):
    with pytest.raises(FedboundsError, match="schema 7"):
        render(results | {"schema": 7})
    del results["run"]["numpy"]
    with pytest.raises(FedboundsError, match="incomplete"):
        render(results)
    del results["results"]
    with pytest.raises(FedboundsError, match="incomplete"):
        render(results)


def test_write_page(results, tmp_path):
    write_page(results, tmp_path / "index.html")
    assert (tmp_path / "index.html").read_text(encoding="utf-8") == render(results, tmp_path)
    with pytest.raises(FedboundsError, match="cannot write"):
        write_page(results, tmp_path / "missing" / "index.html")


def test_the_command_repeats_the_run(results):
    assert command(results) == "fedbounds verify " + " ".join(
        [THEOREM, LEMMA, "toy", "--quick", "--seed 3"]
    )
    results["run"] |= {"profile": "default", "seed": 0}
    del results["claims"][LEMMA]
    assert command(results) == f"fedbounds verify {THEOREM} toy"


def test_page_of_a_real_run(tmp_path):
    settings, store = Settings(Profile.QUICK), Store(tmp_path)
    found = run(select((LEMMA,)), settings, store)
    html = render(document(found, settings, Timing(1.0)), tmp_path)
    page = Page(html)
    assert not page.wrong
    assert not loads_something(page)
    assert "http:" not in html
    assert "https:" not in html
    (one,) = found.claims
    assert table_of_claims(html)["lem-A.2"][3].split(",")[0] == one["standing"]
    refuted = [r for r in one["readings"] if r["statement"] == "refuted"]
    assert len(page.all("article")) == len(refuted)
    for reading in refuted:
        script = (tmp_path / reading["witness"]).read_text(encoding="utf-8")
        assert script in page.text


# ---- formulas


def every_part():
    for one in encoded_claims("personalization"):
        for reading in one.readings:
            for part in read(one, reading):
                yield one.id, part


def number_at(expression):
    """Value with a number for every symbol and quantity, chosen by name; run operators dropped."""

    def value(name):
        return sp.Rational(random.Random(name).randint(2, 9))

    flat = expression.replace(lambda e: isinstance(e, RunOperator), lambda e: e.args[0])
    flat = flat.replace(
        lambda e: isinstance(e, sp.core.function.AppliedUndef), lambda e: value(str(e))
    )
    return flat.xreplace({symbol: value(symbol.name) for symbol in flat.free_symbols})


def test_what_is_shown_equals_what_is_judged():
    for claim_id, part in every_part():
        sides = [part.left, part.right, *(s for c in part.conditions for s in (c.left, c.right))]
        for side in sides if part.trivial is None else [*sides, part.trivial]:
            before, after = number_at(sp.sympify(side)), number_at(tidy(sp.sympify(side)))
            assert abs(sp.N(before - after, 40)) < 1e-30, (claim_id, side)


def test_every_formula_is_well_formed_and_whole():
    ids = {claim_id for claim_id, _ in every_part()}
    for claim_id in sorted(ids):
        view = formulas(claim_id)
        pieces = [p.formula for parts in view.readings.values() for p in parts]
        pieces += [f for parts in view.readings.values() for p in parts for _, f in p.conditions]
        pieces += [symbol for symbol, _ in view.notation]
        for piece in pieces:
            tree = ET.fromstring(f"<p>{piece}</p>")
            assert not list(tree.iter("mtext")), (claim_id, piece)
            texts = [node.text or "" for node in tree.iter()]
            assert not any(mark in text for text in texts for mark in "\\{}_^"), (claim_id, piece)


@pytest.mark.parametrize(
    ("latex", "mathml"),
    [
        ("x", "<mi>x</mi>"),
        (r"\gamma_u", "<msub><mi>γ</mi><mi>u</mi></msub>"),
        (r"\sigma_u^2", "<msubsup><mi>σ</mi><mi>u</mi><mn>2</mn></msubsup>"),
        (r"\tfrac1m", "<mfrac><mn>1</mn><mi>m</mi></mfrac>"),
        (r"\frac12", "<mfrac><mn>1</mn><mn>2</mn></mfrac>"),
        (r"\sqrt{32}", "<msqrt><mn>32</mn></msqrt>"),
        (r"\sqrt[3]{n}", "<mroot><mi>n</mi><mn>3</mn></mroot>"),
        (r"\mathcal B", "<mi>ℬ</mi>"),
        (r"\mathbb E", "<mi>𝔼</mi>"),
        (r"\unknown", r"<mtext>\unknown</mtext>"),
        ("<", "<mo>&lt;</mo>"),
        ("x^2^t", "<msup><mrow><msup><mi>x</mi><mn>2</mn></msup></mrow><mi>t</mi></msup>"),
        (r"\sum_i", "<munder><mo>∑</mo><mi>i</mi></munder>"),
    ],
)
def test_latex_becomes_mathml(latex, mathml):
    assert to_mathml(latex) == mathml


@pytest.mark.parametrize("latex", ["", "{", r"\frac", r"\left(", "x^", r"\mathcal", r"\sqrt["])
def test_broken_latex_does_not_break_the_page(latex):
    ET.fromstring(f"<math>{to_mathml(latex)}</math>")


def test_an_unknown_claim_has_no_formulas():
    assert not formulas("toy/claim-1").readings


# ---- figures


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
