"""The site of a run: valid, plain files, findings first, no verdict but the document's."""

import copy
import re

import pytest
from pages import (
    LEMMA,
    LIKE,
    SCRIPT,
    THEOREM,
    Page,
    broken_links,
    gather,
    html_files,
    index,
    loads_something,
    name_of,
    page_of,
    proved_document,
    small_document,
    table_of_claims,
    whole,
)

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.catalogue import select
from fedbounds.verify.decide.profile import Profile
from fedbounds.verify.judge.proofs import prove
from fedbounds.verify.page.sentences import sentences
from fedbounds.verify.page.summary import anchor, command
from fedbounds.verify.page.written import site, write_site
from fedbounds.verify.results.document import Timing, document
from fedbounds.verify.results.run import Settings, run
from fedbounds.verify.results.store import Store


@pytest.fixture
def results():
    return small_document()


def in_order(text, *words):
    places = [text.index(word) for word in words]
    assert places == sorted(places), dict(zip(words, places, strict=True))


@pytest.mark.parametrize("make", [small_document, proved_document, gather])
def test_every_page_is_well_formed_and_loads_nothing_but_its_style(make):
    files = site(make())
    for name, html in html_files(files).items():
        page = Page(html)
        assert not page.wrong, name
        assert not loads_something(page), name
        assert "http://" not in html
        assert "https://" not in html
        names = [e["attributes"]["id"] for e in page.elements if "id" in e["attributes"]]
        assert len(names) == len(set(names))
        assert "default-src 'none'" in html
    assert not any(word in files["page.css"] for word in ("@import", "url(", "http"))


@pytest.mark.parametrize("make", [small_document, proved_document, gather])
def test_every_link_leads_to_a_file_or_a_place_that_is_there(make, tmp_path):
    (tmp_path / "witnesses").mkdir()
    (tmp_path / "witnesses" / "thm.py").write_text(SCRIPT)
    (tmp_path / "results.json").write_text("{}")
    beside = {p.relative_to(tmp_path).as_posix() for p in tmp_path.rglob("*") if p.is_file()}
    assert broken_links(site(make(), tmp_path), beside) == []
    assert broken_links(site(make())) == []


def test_a_planted_link_that_leads_nowhere_is_found(results):
    files = site(results)
    assert broken_links(files | {"index.html": '<a href="claims/none.html">x</a>'})
    assert broken_links(files | {"index.html": '<a href="#none">x</a>'})


def test_papers_come_first_then_findings_then_the_table(results):
    page = Page(index(results))
    places = [page.one(name)["line"] for name in ("papers", "findings", "claims", "method")]
    assert places == sorted(places)
    told = [
        element["text"]
        for element in page.all("li")
        if "] says: " in element["text"] or "] is missing" in element["text"]
    ]
    assert LEMMA in told[0]
    (elsewhere,) = [text for text in told if THEOREM in text]
    assert "read “G_v summed over clients” (amb-2): 1.75 > 1 at n=2" in elsewhere
    assert "in the headline reading it is tested" in elsewhere


def test_a_tile_counts_the_standings_of_its_paper(results):
    tiles = [element["text"] for element in Page(index(results)).all("article")]
    found = {}
    for key, one in results["claims"].items():
        if one["readings"]:
            counted = found.setdefault(key.partition("/")[0], {})
            counted[one["standing"]] = counted.get(one["standing"], 0) + 1
    assert len(tiles) == len(found)
    for tile, counted in zip(tiles, found.values(), strict=True):
        told = re.search(r"(\d+) claims?: (.*)\.", tile)
        assert int(told[1]) == sum(counted.values())
        words = dict(reversed(word.split(" ", 1)) for word in told[2].split(", "))
        assert words == {word: str(amount) for word, amount in counted.items()}
    assert "place of personalization/lem-A.2" in tiles[0]


def test_a_finding_is_one_sentence(results):
    one = results["claims"][LEMMA]
    one |= {"severity": "rate", "source": "verbatim", "place": "Lemma A.2"}
    mended = one | {"id": f"{LEMMA}/corrected", "standing": "confirmed", "severity": None}
    results["claims"][mended["id"]] = mended
    (told,) = [e["text"] for e in Page(index(results)).all("li") if f"[{LEMMA}]" in e["text"]]
    assert told == (
        f"Lemma A.2 [{LEMMA}] says: text of {LEMMA}; refuted: 1.25 > 1 at n=2, m=1, K=1, "
        "T=3; instead: lem-A.2/corrected is confirmed; the proved correction changes the rate."
    )


def test_a_wrong_theorem_comes_before_a_display_and_a_misprint(results):
    lemma = results["claims"].pop(LEMMA)
    for name, place, grave in (
        ("toy/misprint", "after (3)", "typo"),
        ("toy/line", "after (4)", "rate"),
        ("toy/main", "Theorem 1", "typo"),
    ):
        results["claims"][name] = lemma | {"id": name, "place": place, "severity": grave,
                                           "source": "verbatim"}  # fmt: skip
    text = Page(index(results)).one("findings")["text"]
    in_order(text, "[toy/main]", "[toy/line]", "[toy/misprint]")


def test_every_judged_claim_has_a_row_and_a_page_with_its_standing(results):
    files = site(results)
    rows = table_of_claims(files["index.html"])
    judged = {key: c for key, c in results["claims"].items() if c["readings"]}
    assert set(rows) == set(judged)
    assert {name for name in files if "/" in name} == {name_of(key) for key in judged}
    for key, one in judged.items():
        standing, place, kind, source, *_ = rows[key]
        assert (kind, source, place) == (one["kind"], one["source"], one["place"])
        assert standing.split(",")[0] == one["standing"]
        text = Page(files[name_of(key)]).text
        assert key in text
        assert one["text"] in text
        assert one["source"] in text
        assert f"Standing: {one['standing']}" in text
    assert "toy/claim-2" in Page(files["index.html"]).text
    assert "toy/def-1" in Page(files["index.html"]).text


def test_no_two_claims_have_the_same_page():
    names = ["a/b-c", "a-b/c", "a/b_c", "a/b c", "a/b/c", "a/b+c", "a/b~c", "a/B", "a", "a/", "ä/b"]
    assert len({anchor(name) for name in names}) == len(names)
    for name in (*names, "../../x", "a/..", "\x00/<b>", "a/" + "b" * 99):
        assert re.fullmatch(r"claim-[A-Za-z0-9._~+-]*", anchor(name))


def test_a_page_leads_to_the_claims_beside_it(results):
    results["claims"][THEOREM]["uses"] = [LEMMA]
    files = site(results)
    judged = [key for key, one in results["claims"].items() if one["readings"]]
    links = {}
    for key in judged:
        for a in Page(files[name_of(key)]).all("a"):
            if "rel" in a["attributes"]:
                links[key, a["attributes"]["rel"]] = "claims/" + a["attributes"]["href"]
    after = {key: to for (key, rel), to in links.items() if rel == "next"}
    before = {key: to for (key, rel), to in links.items() if rel == "prev"}
    assert len(after) == len(before) == len(judged) - 1
    assert {(name_of(key), to) for key, to in after.items()} == {
        (to, name_of(key)) for key, to in before.items()
    }
    assert "Rests directly on: lem-A.2 (refuted)" in Page(files[name_of(THEOREM)]).text
    assert "Rest on it: thm-3.7 (tested)" in Page(files[name_of(LEMMA)]).text


def test_nothing_of_another_reading_stands_under_the_headline(results):
    """Planted: an instance of the other reading alone, and a loss of its records."""
    for row in results["results"]:
        if row["claim"] == THEOREM and row["ambiguity"]:
            row["problem"]["instance"] = "elsewhere"
            row["slack"] = [{"name": "loss elsewhere", "amount": 0.5, "share": 1.0}]
    page = page_of(results, THEOREM)
    headline, others = page.one("headline")["text"], page.one("other-readings")["text"]
    assert page.one("headline")["line"] < page.one("other-readings")["line"]
    assert "elsewhere" not in headline
    assert "elsewhere" in others
    assert "violated" not in headline.replace("not violated", "").split("All numbers")[0]
    in_order(page.text, "Standing: tested", "G_v summed over clients”", "refuted")
    assert "Standing: tested" in headline
    assert "it stands: it survived in 2 records" in others


def test_a_refuted_headline_names_a_reading_that_survived_and_tells_nothing_of_it(results):
    """Planted: numbers that the surviving reading alone has."""
    one = results["claims"][THEOREM]
    one["readings"].reverse()
    one |= {"standing": "refuted"}
    survived = one["readings"][1]
    survived |= {"tightness": 0.123456, "coverage": survived["coverage"] | {"instances": 77}}
    page = page_of(results, THEOREM)
    headline, others = page.one("headline")["text"], page.one("other-readings")["text"]
    in_order(headline, "Standing: refuted", "What is true instead", "What fails", "7/4 ≈ 1.75")
    assert "Not refuted in another reading, “as printed”." in headline
    for number in ("0.123", "77"):
        assert number not in headline
        assert number in others
    assert "7/4" not in others


def test_the_search_is_hidden_without_a_script_and_the_table_complete(results):
    html = index(results)
    start, end = html.index("<script>"), html.index("</script>")
    plain = html[:start] + html[end:].replace("</script>", "", 1)
    assert table_of_claims(plain) == table_of_claims(html)
    page = Page(plain)
    assert not page.wrong
    hidden = [e for e in page.elements if "hidden" in e["attributes"]]
    assert [e["attributes"]["class"] for e in hidden] == ["search"]
    box = page.one("search")["attributes"]
    (label,) = page.all("label")
    assert (box["type"], label["attributes"]["for"]) == ("search", "search")
    assert page.one(box["aria-controls"])["tag"] == "table"
    (output,) = page.all("output")
    assert output["attributes"]["aria-live"] == "polite"
    rows = [e["attributes"]["data-text"] for e in page.all("tr") if "data-text" in e["attributes"]]
    assert sorted(rows) == sorted(
        one["text"] for one in results["claims"].values() if one["readings"]
    )


def test_counts_in_the_table_are_those_of_the_headline_reading(results):
    html = index(results)
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
    assert table_of_claims(index(changed))[LIKE][0] == standing
    assert table_of_claims(index(results))[LIKE][0] == "tested"
    assert f"Standing: {standing}" in page_of(changed, LIKE).text
    assert f"1 {standing}" in sentences(changed)[0]
    assert standing not in Page(index(results)).one("claims")["text"]


def test_what_stands_beside_an_alternative_reading_is_computed(results):
    assert "it stands: it survived in 2 records" in page_of(results, THEOREM).text
    assert "survived" in sentences(results)[1]
    headline = results["claims"][THEOREM]["readings"][0]
    headline["statement"] = "untested"
    text = page_of(results, THEOREM).text
    assert "stands" not in text
    assert "is untested" in text
    assert "did not survive" in sentences(results)[1]


def test_without_refuted_readings_there_is_no_finding(results):
    for one in results["claims"].values():
        one["standing"] = one["standing"] and "tested"
        for reading in one["readings"]:
            reading["statement"] = "survived"
    files = site(results)
    text = Page(files["index.html"]).one("findings")["text"]
    assert "No claim is refuted or in doubt" in text
    assert "another reading" not in text
    assert "What fails" not in whole(files)
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
    results["claims"][THEOREM]["readings"][1]["name"] = evil
    for row in results["results"]:
        if row["ambiguity"]:
            row["reading"] = evil
    files = site(results)
    assert len(html_files(files)) == 4
    for html in html_files(files).values():
        page = Page(html)
        assert not page.wrong
        assert not loads_something(page)
        assert len(page.all("script")) == 1
        assert not page.all("img")
        assert evil in page.text


def test_witness_shows_both_sides_premises_and_script(results, tmp_path):
    script = tmp_path / "witnesses" / "thm.py"
    script.parent.mkdir()
    script.write_text(SCRIPT)
    page = page_of(results, THEOREM, tmp_path)
    text = page.one("other-readings")["text"]
    assert "7/4 ≈ 1.75" in text
    assert "−3/4 ≈ −0.75" in text
    assert "n = 2, m = 1, K = 1, T = 3" in text
    (link,) = [a for a in page.all("a") if a["text"] == "witnesses/thm.py"]
    assert (tmp_path / "claims" / link["attributes"]["href"]).resolve() == script
    assert f"fedbounds search {THEOREM} --replay results" in page.text
    assert text.count("1/32") >= 2
    bare = page_of(results, THEOREM)
    assert "it is not beside this page: witnesses/thm.py" in bare.text
    assert "witnesses/thm.py" not in [a["text"] for a in bare.all("a")]


def test_a_claim_shows_no_violation_of_another_one(results):
    """Planted: a row that is violated is told on the page of its claim alone."""
    files = site(results)
    told = [name for name in files if "/" in name and "−3/4" in Page(files[name]).text]
    assert told == [name_of(THEOREM)]


def test_a_script_outside_the_result_folder_is_not_linked(results, tmp_path):
    (tmp_path / "secret.py").write_text(SCRIPT)
    folder = tmp_path / "results"
    folder.mkdir()
    results["results"][3]["witness"] = "../secret.py"
    page = page_of(results, THEOREM, folder)
    assert not [a for a in page.all("a") if "secret" in a["attributes"]["href"]]
    assert "../secret.py" in page.text


def test_a_witness_without_a_script_is_a_witness_with_its_exact_instance(results):
    row = results["results"][3]
    row |= {"witness": None, "instance": {"family": "quadratic", "participants": 1}}
    row["at"] |= {"round": 1, "client": 0, "step": 2}
    page = page_of(results, THEOREM)
    text = page.one("other-readings")["text"]
    assert (
        "Smallest witness known, n = 2, m = 1, K = 1, T = 3; at round t = 1, client i = 0" in text
    )
    assert "step k = 2" in text
    assert '{"family": "quadratic", "participants": 1}' in text
    assert "Script that shows it" not in text
    assert "--replay results" in page.text
    assert "1 witness" in sentences(results)[0]
    row["instance"] = {"family": "x" * 10_000}
    assert "x" * 10_000 not in page_of(results, THEOREM).text


def test_a_finding_says_what_breaks_and_what_survives(results):
    rows = [row for row in results["results"] if row["claim"] == THEOREM]
    parts = [dict(rows[0]["parts"][0], part=name) for name in ("a", "b", "c")]
    verdicts = ("violated", "not violated", "undecided")
    for part, verdict in zip(parts, verdicts, strict=True):
        part["verdict"] = verdict
    rows[2]["parts"] = rows[3]["parts"] = parts
    page = page_of(results, THEOREM)
    text = page.one("other-readings")["text"]
    broken, rest = text.split("The parts that no record violates")
    assert "Violated in 2 of the 2 records" in broken
    assert "violated in 2" in broken
    held, unsure = rest.split("Neither refuted nor passed anywhere")
    assert "b (not violated in 2)" in held
    assert "c (" not in held
    assert "c (undecided in 2)" in unsure
    assert f"fedbounds verify {THEOREM} --quick --seed 3" in page.text


def test_a_long_list_of_claims_is_cut_in_the_sentences(results):
    lemma = results["claims"][LEMMA]
    more = {f"toy/lem-{at}": lemma | {"id": f"toy/lem-{at}"} for at in range(40)}
    results["claims"] |= more
    second = sentences(results)[1]
    assert "and 29 more; " in second
    assert len(second) < 700


def test_what_is_true_instead_is_said_to_be_unknown_where_it_is(results):
    """Planted: a lemma with one reading, which is refuted, and then with a corrected claim."""
    said = "Nothing is known: no other reading survived, and no other part."
    assert said in page_of(results, LEMMA).text
    mended = results["claims"][LIKE] | {"id": f"{LEMMA}/corrected", "text": "the right bound"}
    results["claims"][mended["id"]] = mended
    text = page_of(results, LEMMA).text
    assert said not in text
    assert "Corrected, lem-A.2/corrected is tested: the right bound" in text


def test_refused_records_are_counted_with_their_reasons(results):
    page = page_of(results, THEOREM)
    said = r"outside conditions: gamma <= 1/\(32\*K\*L\) fails\s*(\d)"
    assert re.search(said, page.one("headline")["text"])[1] == "1"
    assert not re.search(said, page.one("other-readings")["text"])


def test_a_refuted_reading_without_witness_shows_its_largest_violation(results):
    text = page_of(results, LEMMA).text
    assert "What fails" in text
    assert "vectors 1" in text
    assert "1.25" in text


def test_a_reconstructed_source_is_said_to_say_nothing_about_its_authors(results):
    said = "says nothing about its authors"
    assert said in page_of(results, LEMMA).text
    assert said not in page_of(results, LIKE).text


def test_undecided_records_are_grouped_by_reason(results):
    text = page_of(results, THEOREM).one("headline")["text"]
    assert "undecided: every term is zero" in text


def test_coverage_is_that_of_the_headline_reading(results):
    own = results["claims"][THEOREM]["readings"][0]["coverage"]
    own |= {"instances": 17, "corners": ["m=1", "K=1"], "methods": {"enumeration": 17}}
    own["ranges"] = {"n": [2.0, 8.0], "gamma L K": [0.5, 0.5]}
    html = index(results)
    table = html[html.index('id="coverage"') :]
    head = [cell["text"] for cell in Page(table[: table.index("</thead>")]).all("th")]
    line = next(one for one in table.splitlines() if "thm-3.7" in one)
    cells = [cell["text"] for cell in Page(line).all("td")]
    told = dict(zip(head[1:], cells, strict=True))
    assert (told["instances"], told["n"], told["γLK"], told["m"]) == ("17", "2 to 8", "0.5", "–")
    assert told["corners not met"] == "m=n, n=2, T=1"
    assert told["instances by method"] == "enumeration 17"


def test_an_empty_run_has_a_page():
    page = Page(index(gather()))
    assert not page.wrong
    assert "No claim was judged" in page.text


def test_a_document_of_another_schema_or_with_holes_is_refused(results):
    with pytest.raises(FedboundsError, match="schema 7"):
        site(results | {"schema": 7})
    del results["run"]["numpy"]
    with pytest.raises(FedboundsError, match="incomplete"):
        site(results)
    del results["results"]
    with pytest.raises(FedboundsError, match="incomplete"):
        site(results)


def files_of(folder):
    found = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in found}


def test_the_site_is_written_and_again_the_same(results, tmp_path):
    assert write_site(results, tmp_path) == tmp_path / "index.html"
    first = files_of(tmp_path)
    assert first == site(results, tmp_path)
    write_site(results, tmp_path)
    assert files_of(tmp_path) == first
    with pytest.raises(FedboundsError, match="cannot write"):
        write_site(results, tmp_path / "missing")


def test_pages_of_claims_that_are_gone_are_removed_and_other_files_stay(results, tmp_path):
    write_site(results, tmp_path)
    (tmp_path / "claims" / "notes.html").write_text("mine")
    del results["claims"][LIKE]
    results["results"] = [row for row in results["results"] if row["claim"] != LIKE]
    write_site(results, tmp_path)
    assert not (tmp_path / name_of(LIKE)).exists()
    assert (tmp_path / name_of(LEMMA)).exists()
    assert (tmp_path / "claims" / "notes.html").read_text() == "mine"


def test_a_folder_of_pages_that_leads_out_is_refused(results, tmp_path):
    outside, folder = tmp_path / "outside", tmp_path / "results"
    outside.mkdir()
    folder.mkdir()
    (outside / "claim-mine.html").write_text("mine")
    (folder / "claims").symlink_to(outside)
    with pytest.raises(FedboundsError, match="leads out of"):
        write_site(results, folder)
    assert files_of(outside) == {"claim-mine.html": "mine"}


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
    told = document(found, settings, Timing(1.0))
    files = site(told, tmp_path)
    for html in html_files(files).values():
        page = Page(html)
        assert not page.wrong
        assert not loads_something(page)
        assert "http:" not in html
        assert "https:" not in html
    (one,) = found.claims
    assert table_of_claims(files["index.html"])["lem-A.2"][0].split(",")[0] == one["standing"]
    page = Page(files[name_of(LEMMA)])
    links = {a["attributes"]["href"] for a in page.all("a")}
    for reading in one["readings"]:
        if reading["statement"] == "refuted":
            assert f"../{reading['witness']}" in links
