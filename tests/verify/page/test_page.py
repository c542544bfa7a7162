"""The page of a run: valid, self-contained, findings first, no verdict but the document's."""

import copy
import re

import pytest
from pages import (
    LEMMA,
    LIKE,
    SCRIPT,
    THEOREM,
    Page,
    gather,
    loads_something,
    small_document,
    table_of_claims,
)

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.catalogue import select
from fedbounds.verify.decide.profile import Profile
from fedbounds.verify.judge.proofs import prove
from fedbounds.verify.page.sentences import sentences
from fedbounds.verify.page.summary import command
from fedbounds.verify.page.written import render, write_page
from fedbounds.verify.results.document import Timing, document
from fedbounds.verify.results.run import Settings, run
from fedbounds.verify.results.store import Store

LARGEST = 3_000_000


@pytest.fixture
def results():
    return small_document()


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
    links = [a["attributes"]["href"] for a in page.all("a") if "download" not in a["attributes"]]
    targets = {link[1:] for link in links}
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
    header = [th["text"] for th in Page(html[html.index('<table class="sortable') :]).all("th")]
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
    assert "stands: it survived in 2 records" in render(results)
    assert "survived" in sentences(results)[1]
    headline = results["claims"][THEOREM]["readings"][0]
    headline["statement"] = "untested"
    html = render(results)
    assert "stands" not in Page(html).one("findings")["text"]
    assert "is untested" in Page(html).one("findings")["text"]
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
    assert first == (
        "3 claims were judged, with 6 records on 3 instances and 1 witness: 2 tested and 1 refuted."
    )
    assert second == (
        "Refuted in the headline reading is lem-A.2 (reconstructed); 1 more claim is refuted only "
        "in an alternative reading (amb-2 in 1), while its headline reading survived."
    )
    assert third.startswith("No proof was replayed; 1 record is undecided, 1 of them on thm-3.7")
    results["claims"][THEOREM]["paper_proof"] = "gap"  # in words alone: nothing was replayed
    assert "No proof was replayed" in sentences(results)[2]


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
    assert f"fedbounds search {THEOREM} --replay results" in text
    assert text.count("1/32") >= 2
    assert SCRIPT not in Page(render(results)).text


def test_a_script_outside_the_result_folder_is_not_read(results, tmp_path):
    (tmp_path / "secret.py").write_text(SCRIPT)
    folder = tmp_path / "results"
    folder.mkdir()
    results["results"][3]["witness"] = "../secret.py"
    assert SCRIPT not in Page(render(results, folder)).text


def test_a_witness_without_a_script_is_a_witness_with_its_exact_instance(results):
    row = results["results"][3]
    row |= {"witness": None, "instance": {"family": "quadratic", "participants": 1}}
    row["at"] |= {"round": 1, "client": 0, "step": 2}
    page = Page(render(results))
    text = page.one("findings")["text"]
    assert (
        "Smallest witness known, n = 2, m = 1, K = 1, T = 3; at round t = 1, client i = 0" in text
    )
    assert "step k = 2" in text
    assert '{"family": "quadratic", "participants": 1}' in text
    assert "Script that shows it" not in text
    assert "--replay results" in text
    assert "1 witness" in sentences(results)[0]
    row["instance"] = {"family": "x" * 10_000}
    assert "x" * 10_000 not in Page(render(results)).text


def test_a_finding_says_what_breaks_and_what_survives(results):
    rows = [row for row in results["results"] if row["claim"] == THEOREM]
    parts = [dict(rows[0]["parts"][0], part=name) for name in ("a", "b", "c")]
    verdicts = ("violated", "not violated", "undecided")
    for part, verdict in zip(parts, verdicts, strict=True):
        part["verdict"] = verdict
    rows[2]["parts"] = rows[3]["parts"] = parts
    text = next(e["text"] for e in Page(render(results)).all("article") if THEOREM in e["text"])
    broken, rest = text.split("What survives")
    assert "Violated in 2 of the 2 records" in broken
    assert "violated in 2" in broken
    held, unsure = rest.split("Neither refuted nor passed anywhere")
    assert "b (not violated in 2)" in held
    assert "c (" not in held
    assert "c (undecided in 2)" in unsure
    assert f"fedbounds verify {THEOREM} --quick --seed 3" in unsure


def test_a_long_list_of_claims_is_cut_in_the_sentences(results):
    lemma = results["claims"][LEMMA]
    more = {f"toy/lem-{at}": lemma | {"id": f"toy/lem-{at}"} for at in range(40)}
    results["claims"] |= more
    second = sentences(results)[1]
    assert "and 29 more; " in second
    assert len(second) < 700


def test_refused_records_are_counted_with_their_reasons(results):
    text = Page(render(results)).one("claim-personalization-thm-3.7")["text"]
    found = re.search(r"outside conditions: gamma <= 1/\(32\*K\*L\) fails\s*(\d)\s*(\d)", text)
    assert found is not None
    assert found.groups() == ("1", "0")


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


def test_coverage_is_that_of_the_headline_reading(results):
    own = results["claims"][THEOREM]["readings"][0]["coverage"]
    own |= {"instances": 17, "corners": ["m=1", "K=1"], "methods": {"enumeration": 17}}
    own["ranges"] = {"n": [2.0, 8.0], "gamma L K": [0.5, 0.5]}
    html = render(results)
    table = html[html.index('id="coverage"') :]
    head = [cell["text"] for cell in Page(table[: table.index("</thead>")]).all("th")]
    line = next(one for one in table.splitlines() if "thm-3.7" in one)
    cells = [cell["text"] for cell in Page(line).all("td")]
    told = dict(zip(head[1:], cells, strict=True))
    assert (told["instances"], told["n"], told["γLK"], told["m"]) == ("17", "2 to 8", "0.5", "–")
    assert told["corners not met"] == "m=n, n=2, T=1"
    assert told["instances by method"] == "enumeration 17"


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


def test_page_of_a_real_run(tmp_path, monkeypatch):
    monkeypatch.setattr("fedbounds.verify.results.run.prove", lambda *_: prove(()))  # takes long
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
    assert len(page.all("article")) == (1 if refuted else 0)
    for reading in refuted:
        script = (tmp_path / reading["witness"]).read_text(encoding="utf-8")
        assert script in page.text
