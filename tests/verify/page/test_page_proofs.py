"""Proofs on the page: failing steps first, what survives, no status but the document's."""

import copy
import re
import xml.etree.ElementTree as ET

import pytest
from pages import (
    LEMMA,
    LIKE,
    PRINTED,
    SCRIPT,
    THEOREM,
    Page,
    claim,
    gather,
    html_files,
    index,
    loads_something,
    name_of,
    page_of,
    proof,
    proved_document,
    record,
    small_document,
    step,
    table_of_claims,
    whole,
)

from fedbounds.theory.proof.library import book_of, names_of, papers
from fedbounds.theory.proof.replay import Local
from fedbounds.verify.page import steps
from fedbounds.verify.page.mathml import to_mathml
from fedbounds.verify.page.proof_findings import status_cell
from fedbounds.verify.page.sentences import sentences
from fedbounds.verify.page.written import site
from fedbounds.vocabulary import SIGNS, ProofStatus


@pytest.fixture
def results():
    return proved_document()


def fail(results, claim_id):
    """The first step of a claim's proof, of the headline reading, does not follow."""
    row = results["proofs"][claim_id]
    row["steps"][0] |= {"local": "does not follow", "inherited": False}
    row |= {"status": "gap", "failed": [row["steps"][0]["id"]]}


def in_order(text, *words):
    places = [text.index(word) for word in words]
    assert places == sorted(places), dict(zip(words, places, strict=True))


def test_words_are_those_of_the_prover():
    own = {steps.PROVED, steps.GIVEN, steps.OPEN, *steps.FAILS}
    assert own == {local.value for local in Local}
    assert set(steps.MEANING) == set(ProofStatus)


def test_formulas_of_proofs_are_well_formed(results):
    pieces = re.findall(r"<math.*?</math>", whole(site(results)))
    assert pieces
    for piece in pieces:
        assert not list(ET.fromstring(piece).iter("mtext")), piece


def test_a_document_without_proofs_says_so_and_shows_none():
    files = site(small_document())
    for html in html_files(files).values():
        page = Page(html)
        assert not [e for e in page.all("h2") if e["text"] == "Proof"]
        assert "Taken as given" not in page.text
        assert "Steps of proofs that fail" not in page.text
    html = files["index.html"]
    assert {cells[4] for cells in table_of_claims(html).values()} == {"–"}
    assert "No proof was replayed" in Page(html).text


def test_failing_steps_come_first_then_open_ones_then_all(results):
    text = page_of(results, LEMMA).text.split("Proof\n")[1]
    in_order(
        text, "false lem-A.2: line 4", "does not follow lem-A.2: line 3", "open lem-A.2: line 2"
    )
    in_order(text, "open lem-A.2: line 2", "Every step, in order (6)", "proved lem-A.2: line 1")
    assert "Section 9" in text
    chain = text[text.index("Every step") :]
    names = re.findall(r"(lem-A\.2[^\n,]*)(?:, our step[^\n]*|, Section 9)?\n", chain)
    ids = [s["id"] for s in results["proofs"][LEMMA]["steps"]]
    assert [name for name in names if name in ids] == ids


def test_what_survives_is_in_the_second_line_and_computed(results):
    text = page_of(results, LEMMA).text
    third = text[text.index("does not follow lem-A.2: line 3") :]
    second_line = [line for line in third.splitlines() if line.strip()][1]
    assert second_line.startswith(
        "What survives: proved with a correction (lem-A.2: line 3/corrected)"
    )
    assert "7" in second_line
    fourth = text[text.index("false lem-A.2: line 4") :].split("does not follow")[0]
    assert "What survives: the claim is proved otherwise." in fourth
    changed = copy.deepcopy(results)
    row = changed["proofs"][LEMMA]
    row["steps"][3] |= {"local": "open", "inherited": False}
    row["status"] = "gap"
    text = page_of(changed, LEMMA).text
    assert "proved with a correction" not in text
    assert text.count("What survives: nothing is proved in its place.") == 2


def test_a_second_proof_of_the_same_statement_is_what_survives(results):
    failed = results["proofs"][LEMMA]["steps"][2]
    ours = step(failed["id"], source="ours")
    (found, *_) = steps.survivors(LEMMA, failed, {LEMMA: proof("gap", failed, ours)})
    assert found.words == "its statement is proved otherwise"
    resting = ours | {"inherited": False, "missing": ["x"]}
    assert not steps.survivors(LEMMA, failed, {LEMMA: proof("gap", failed, resting)})


def test_a_correction_of_the_whole_claim_survives_for_its_steps_and_is_told_once(results):
    failed = results["proofs"][LEMMA]["steps"][2]
    whole, variant = step("lem-A.2/corrected", source="ours"), step("lem-A.2/corrected: one")
    rows = {LEMMA: proof("gap", failed, variant)}
    assert [one.step["id"] for one in steps.survivors(LEMMA, failed, rows)] == [variant["id"]]
    rows = {LEMMA: proof("gap", failed, variant, whole)}
    (found,) = steps.survivors(LEMMA, failed, rows)
    assert (found.words, found.step, found.claim) == ("the claim, corrected", whole, "")
    rows[LEMMA + "/corrected"] = proof("proved otherwise", whole)
    (found,) = steps.survivors(LEMMA, failed, rows)
    assert (found.step, found.claim) == (whole, LEMMA + "/corrected")
    own = step(failed["id"] + "/corrected", source="ours")
    rows[LEMMA] = proof("gap", failed, own, whole)
    first, second = steps.survivors(LEMMA, failed, rows)
    assert (first.step, second.claim) == (own, LEMMA + "/corrected")


def test_a_corrected_claim_is_what_survives_only_if_it_is_proved(results):
    failed = results["proofs"][LEMMA]["steps"][2]
    rows = {LEMMA: proof("gap", failed), LEMMA + "/corrected": proof("proved otherwise")}
    (found,) = steps.survivors(LEMMA, failed, rows)
    assert found.claim == LEMMA + "/corrected"
    rows[LEMMA + "/corrected"]["status"] = "open"
    assert not steps.survivors(LEMMA, failed, rows)


def test_numbers_against_a_step_are_shown_with_both_sides(results):
    text = page_of(results, LEMMA).text
    numbers = text[text.index("These numbers") :].split("Why it is not proved")[0]
    assert "left side 4 and right side −3" in numbers
    assert "[i=1, k=0: 3 − 3 xi[1,1]]" in numbers
    assert "= −1/2" in numbers
    assert "left =" not in numbers


def test_a_false_step_shows_its_script_of_the_result_folder(results, tmp_path):
    script = tmp_path / "witnesses" / "thm.py"
    script.parent.mkdir()
    script.write_text(SCRIPT)
    page = page_of(results, LEMMA, tmp_path)
    (link,) = [a["attributes"]["href"] for a in page.all("a") if "thm.py" in a["text"]]
    assert (tmp_path / "claims" / link).resolve() == script
    bare = page_of(results, LEMMA)
    assert not [a for a in bare.all("a") if "thm.py" in a["text"]]
    assert "it is not beside this page: witnesses/thm.py" in bare.text


def test_a_step_tells_what_it_uses_with_multipliers_and_what_it_rests_on(results):
    html = site(results)[name_of(THEOREM)]
    text = Page(html).text
    assert "proved, from steps that are not thm-3.7" in text
    assert "rests on lem-A.2: line 2, not proved" in text
    assert '<a href="claim-personalization-lem-A.2.html"><code>lem-A.2: line 2</code></a>' in html
    assert "By 1 step, 1 fact and 1 square" in text
    assert "lem-A.2: line 2 at t = t - 1, summed over i, times 1" in text
    assert '<a href="claim-personalization-lem-A.2.html">lem-A.2: line 2 at t = t - 1' in html
    assert re.search(r"square 𝔼‖−2 ∇.*‖², times 1; 3", text)  # one multiplier per branch
    assert "known sign: K = 2 + K′." in text
    assert "on 12 instances right − left is at least −0.25 of its terms' size" in text
    others = Page(html).one("other-readings")["text"]
    assert "Steps of a proof of this reading: 1 proved." in others
    assert "thm-3.7 [amb-2]" in others
    assert "thm-3.7 [amb-2]" not in Page(html).one("headline")["text"]


def test_a_step_that_was_proved_otherwise_is_told_apart_from_one_that_is_not_proved(results):
    own = results["proofs"][THEOREM]["steps"][0]
    own["failed"] = ["lem-A.2: line 2", "lem-A.2: line 3"]
    text = page_of(results, THEOREM).text
    assert "rests on lem-A.2: line 2, not proved" in text
    assert "rests on lem-A.2: line 3, which the paper does not prove and other steps do" in text


def test_a_corrected_claim_has_a_link_where_it_is_on_the_page(results):
    corrected, place = LIKE + "/corrected", '<a href="claim-toy-claim-1+corrected.html">'
    fail(results, LIKE)
    results["proofs"][corrected] = proof("proved", step("claim-1/corrected"))
    html = site(results)[name_of(LIKE)]
    assert "the corrected claim is proved (claim-1/corrected)" in Page(html).text
    assert place not in html
    results["claims"][corrected] = results["claims"][LIKE] | {"id": corrected}
    assert place in site(results)[name_of(LIKE)].split('id="proof"')[1]


def test_a_complete_proof_is_told_in_a_folded_list(results):
    text = page_of(results, LIKE).text
    assert "Proved: every step of the paper's proof is proved" in text
    assert "Steps: 1 proved." in text
    assert "What survives" not in text


def test_a_claim_with_a_failing_step_says_so_before_its_proof(results):
    assert "What fails" not in page_of(results, LIKE).text
    fail(results, LIKE)
    in_order(page_of(results, LIKE).text, "What fails", "claim-1 does not follow", "\nProof\n")


def test_a_failing_step_of_an_alternative_reading_is_told_apart(results):
    other = {"local": "does not follow", "inherited": False, "reading": "client means"}
    results["proofs"][LIKE]["steps"].append(step("claim-1:other", **other))
    page = page_of(results, LIKE)
    text = page.one("other-readings")["text"]
    assert "claim-1:other" not in page.one("headline")["text"]
    assert "claim-1:other, in an alternative reading: client means" in text
    assert "What survives: the headline reading is proved." in text
    findings = Page(index(results)).one("findings")["text"]
    in_order(findings, "lem-A.2: line 3", "claim-1:other", "alternative: client means")
    told = sentences(results)[2]
    assert "claim-1:other" not in told
    assert "; in alternative readings 1 does not follow." in told
    fail(results, LIKE)
    assert "the headline reading is" not in page_of(results, LIKE).text
    results["proofs"][LIKE]["steps"].reverse()
    text = page_of(results, LIKE).text
    in_order(text, "does not follow claim-1\n", "does not follow claim-1:other")


def test_terms_that_most_steps_share_are_told_once(results):
    shared = {"conditions": ["K >= 2"], "assumptions": ["smooth"]}
    rows = [step(f"line {at}", **shared) for at in range(3)]
    rows += [step("free"), step("other", conditions=["m <= n"])]
    results["proofs"][LIKE] = proof("proved", *rows)
    text = page_of(results, LIKE).text
    assert "Where a step does not say otherwise: if K ≥ 2; assuming: smooth." in text
    assert text.count("K ≥ 2") == 1
    assert text.count("without conditions or assumptions") == 1
    assert text[text.index("proved free") :].split("proved other")[0].count("without") == 1
    assert "if m ≤ n" in text
    different = [step("a", conditions=["K >= 2"]), step("b", conditions=["m <= n"])]
    results["proofs"][LIKE] = proof("proved", *different)
    text = page_of(results, LIKE).text
    assert "Where a step" not in text
    assert "if K ≥ 2" in text


def test_long_reasons_are_cut_and_do_not_repeat_the_name():
    told = steps.reason(step("x: line 1", "open", reason="x: line 1, branch 0: it fails"))
    assert told == "branch 0: it fails"
    told = steps.reason(step("x", "open", reason="word " * 100))
    assert told.endswith("word …")
    assert len(told) < 210


def test_cells_count_the_papers_own_steps_of_the_headline_reading(results):
    rows = table_of_claims(index(results))
    cells = {name.partition("/")[2]: row[4] for name, row in rows.items()}
    assert cells == {
        "thm-3.7": "gap, 0/1",
        "lem-A.2": "proved otherwise, 1/5",
        "claim-1": "proved, 1/1",
    }
    assert status_cell({LIKE: proof("open")}, LIKE, "as printed") == "open"


def test_failing_steps_are_findings(results):
    text = Page(index(results)).one("findings")["text"]
    assert "Steps of proofs that fail: 2" in text
    in_order(text, "Steps of proofs that fail", "lem-A.2: line 4", "lem-A.2: line 3", "Section 9")
    for row in results["proofs"].values():
        for each in row["steps"]:
            each |= {"local": "proved", "inherited": True}
    files = site(results)
    assert "Steps of proofs that fail" not in Page(files["index.html"]).text
    assert "What survives: " not in whole(files)


def test_sentences_count_proofs_and_name_the_steps_that_fail(results):
    _, _, told, last = sentences(results)
    assert told == (
        "3 proofs were replayed: 1 proved, 1 proved otherwise and 1 gap; of 9 steps 1 is false "
        "(lem-A.2: line 4), 1 does not follow (lem-A.2: line 3), 1 is open and 6 are proved."
    )
    assert "replayed" not in last
    many = [step(f"line {at}", "does not follow") for at in range(40)]
    results["proofs"] = {LIKE: proof("gap", *many)}
    told = sentences(results)[2]
    assert "of 40 steps 40 do not follow (line 0," in told
    assert "and 28 more)" in told
    results["proofs"] = {"personalization": proof(None, step("def B", "given"))}
    assert sentences(results)[2] == "No proof of these claims is written."


def test_given_statements_are_listed_once(results):
    text = Page(index(results)).one("method")["text"]
    assert "Taken as given in the proofs of personalization: 0 givens and 1 definitions" in text
    assert "def G_u, Table 1" in text


def test_missing_parts_are_named_and_steps_of_other_claims_are_not(results):
    results["proofs"][THEOREM]["open"] = ["part v", "lem-A.2: line 2"]
    text = page_of(results, THEOREM).text
    assert "Without a step: part v." in text


def test_hostile_text_in_a_proof_stays_text(results):
    evil = "<script>alert(1)</script>\"'&{{ 7*7 }}"
    rows = results["proofs"][LEMMA]["steps"]
    for each in rows:
        each |= {"reason": evil, "place": evil, "id": each["id"] + evil, "conditions": [evil]}
        each |= {"assumptions": [evil], "missing": [evil], "left": evil, "chart": [evil]}
        each["by"] = [
            {"kind": kind, "name": evil, "times": [evil]}
            for kind in ("step", "fact", "square", "condition", "hypothesis")
        ]
    rows[2]["numbers"] = {evil: evil, "left": evil}
    rows[4]["witness"] = evil
    files = html_files(site(results))
    assert len(files) == 4
    for html in files.values():
        page = Page(html)
        assert not page.wrong
        assert not loads_something(page)
        assert len(page.all("script")) == 1
    assert evil in Page(files[name_of(LEMMA)]).text
    assert evil in Page(files["index.html"]).text


# ---- the size of a page


def many_proofs(count):
    """As large as the proofs of a long paper: claims with nine long steps each."""
    side = (
        r"\frac{4 K L^{2} \gamma^{2} \mathbb E\|\nabla_uf_i(\hat u_{i,k}^t,\hat v_{i,k}^t)\|^2}{n}"
    )
    polynomial = " + ".join(f"{at}*K_**{at}*gamma_u**2*L**2" for at in range(2, 8))
    uses = [
        {"kind": "square", "name": "given(-2*au + hu, past, S, xi)", "times": [f"(({polynomial}) / (1*K_ + {at}))"]}
        for at in range(1, 9)
    ]  # fmt: skip
    groups, rows = [], {}
    for at in range(count):
        name = f"toy/claim-{at}"
        records = [record(name, PRINTED, "not violated", instance=f"{k}") for k in range(30)]
        groups.append((claim(name, "tested", records), records))
        own = [
            step(f"claim-{at}: line {k}", right=f"{side} + {side}", by=uses, reading="as printed")
            for k in range(9)
        ]
        own[4] |= {"local": "does not follow", "inherited": False}
        rows[name] = proof("gap", *own)
    return gather(*groups) | {"proofs": rows}


def test_long_proofs_are_told_whole_each_on_its_page():
    document = many_proofs(12)
    files = site(document)
    for name in document["claims"]:
        html = files[name_of(name)]
        page = Page(html)
        assert not page.wrong
        assert len(html.encode()) < 1_000_000
        assert page.text.count("does not follow claim-") == 2  # above, and in the list of all
        told = sum(len(one["by"]) for one in document["proofs"][name]["steps"])
        assert page.text.count(", times ") == told


# ---- the books of this version


def test_every_statement_of_every_book_is_well_formed_mathml():
    from fedbounds.theory.language.formula import to_latex

    seen = 0
    for paper in papers():
        for written in book_of(paper).steps:
            left, right = (to_latex(x, names_of(paper)) for x in (written.left, written.right))
            text = to_mathml(f"{left} {SIGNS[written.relation]} {right}")
            tree = ET.fromstring(f"<math>{text}</math>")
            assert not list(tree.iter("mtext")), (written.id, left, right)
            texts = [node.text or "" for node in tree.iter()]
            assert not any(mark in text for text in texts for mark in "\\{}_^"), written.id
            seen += 1
    assert seen >= 50
