"""The terminal on proofs: failing steps first, open ones, complete proofs in a line, counts."""

import io
from contextlib import redirect_stdout

import pytest
from pages import LEMMA, LIKE, THEOREM, proof, proved_document, small_document, step, whole

from fedbounds.theory.language.registry import encoded_claims
from fedbounds.theory.language.symbols import G_u, t
from fedbounds.theory.personalization.proofs import definitions
from fedbounds.theory.personalization.proofs.book import book
from fedbounds.theory.personalization.proofs.scopes import FEDAVG, au, hu
from fedbounds.theory.proof.language import Book, fact, square
from fedbounds.theory.proof.replay import replay
from fedbounds.theory.proof.vectors import given, past
from fedbounds.verify.judge.proofs import Proofs, proof_rows
from fedbounds.verify.page.exports.claim_latex import steps_latex
from fedbounds.verify.page.proof_tables import print_chain, print_proofs
from fedbounds.verify.page.tables import print_results
from fedbounds.verify.page.written import site


def printed(show, *arguments):
    out = io.StringIO()
    with redirect_stdout(out):
        show(*arguments)
    return out.getvalue()


def summed_up(rows):
    return printed(print_proofs, rows, ["certificates: here"], 1.25)


@pytest.fixture
def rows():
    return proved_document()["proofs"]


@pytest.fixture(scope="module")
def real():
    """Rows of a proved step, one that does not follow, and one that rests on it."""
    found = Book("personalization", book().theory)
    definitions.write(found)
    defined = [f"def {name} ({FEDAVG})" for name in ("T_1u", "E", "G_u")]
    mean = square(given(au, past) + hu - au)
    found.prove("lem-3.2", "u", [*defined, fact("smooth", hu, au), mean], scope=FEDAVG)
    found.line(
        "lem-3.2: halved", G_u(t), "<=", G_u(t) / 2, [], vectors=False, claim="lem-3.2",
        place="Section 9",
    )  # fmt: skip
    found.prove("lem-3.2", "v", ["lem-3.2: halved"], scope=FEDAVG)
    steps = replay(found)
    paper = "personalization"
    proofs = Proofs({paper: steps}, {paper: {}}, {}, {paper: found.theory.always})
    claims = [c for c in encoded_claims(paper) if c.id == f"{paper}/lem-3.2"]
    return proof_rows(proofs, claims)


def test_rows_of_the_tests_are_rows_of_a_replay(real):
    for row in real.values():
        for each in row["steps"]:
            assert set(each) == set(step("x"))
    assert set(real["personalization/lem-3.2"]) == set(proof("gap"))


def test_a_real_replay_is_printed_and_has_a_page(real):
    text = summed_up(real)
    assert text.startswith("personalization/lem-3.2 - Lemma 3.2 [inequality, verbatim]: gap")
    assert "  lem-3.2: halved (Section 9): does not follow" in text
    assert "G_u^t ≤ (G_u^t)/2" in text
    assert "G_u(0) = " in text
    chain = printed(print_chain, "personalization", real["personalization/lem-3.2"])
    assert "T_{1,u}^t ≤ (L² γ E^t)/n − (K γ G_u^t)/2" in chain
    assert "by def T_1u (FedAvg-P); def E (FedAvg-P); def G_u (FedAvg-P); smooth(∇_u f_i" in chain
    assert "1 square" in chain
    assert "halved" in whole(site(small_document() | {"proofs": real}))


def test_findings_come_first_then_open_steps_then_complete_proofs(rows):
    text = summed_up(rows)
    words = (
        f"{LEMMA} - ",
        "lem-A.2: line 4: false",
        "script: witnesses/thm.py",
        "what survives: the claim is proved otherwise",
        "lem-A.2: line 3 (Section 9): does not follow",
        "numbers that satisfy all that it cites, and break it (left 4, right -3): K = 2, "
        "au = [i=1, k=0: 3 - 3 xi[1,1]], G_u(0) = -1/2",
        "why: why lem-A.2: line 3 is not proved",
        "what survives: proved with a correction: G_u^t ≤ (7 L)/n",
        "independent fair signs",
        "open: neither a proof nor numbers against it",
        "lem-A.2: line 2: why lem-A.2: line 2 is not proved",
        "own steps proved, but not what they rest on",
        "thm-3.7: gap; rests on lem-A.2: line 2",
        "1 claim proved: claim-1",
        "1 claim proved otherwise: lem-A.2",
        "3 proofs, 9 steps: 1 false, 1 does not follow, 1 open and 6 proved (2 of these from steps "
        "that are not); 6 certificates, 1 definition, 0 givens",
        "1 step evaluated on running algorithms, 12 times in all (1.2 s)",
        "certificates: here",
    )
    places = [text.find(word) for word in words]
    assert -1 not in places, words[places.index(-1)]
    assert places == sorted(places), dict(zip(words, places, strict=True))


def test_quiet_proofs_are_one_line(rows):
    text = summed_up({LIKE: rows[LIKE]})
    assert text.splitlines()[0] == "1 claim proved: claim-1"
    assert "what survives" not in text
    assert "open" not in text
    assert "rest" not in text


def test_a_missing_part_is_open_and_a_step_elsewhere_is_not(rows):
    rows[THEOREM]["open"] = ["part v", "part w", "lem-A.2: line 2"]
    text = summed_up(rows)
    assert "thm-3.7: no step for part v, part w\n" in text
    assert "own steps proved" not in text


def test_alternative_readings_come_after_headline_ones_and_say_so(rows):
    other = {"local": "does not follow", "inherited": False, "reading": "client means"}
    rows = {LIKE: rows[LIKE], LEMMA: rows[LEMMA]}
    rows[LIKE]["steps"].append(step("claim-1:other", **other))
    text = summed_up(rows)
    later = f"{LIKE}: proved, but a step of an alternative reading fails"
    assert text.index(f"{LEMMA} - ") < text.index(later)
    assert "claim-1:other (in an alternative reading: client means): does not follow" in text
    assert "what survives: the headline reading is proved" in text
    assert "; in alternative readings 1 does not follow; " in text


def test_without_any_proof_counts_are_zero():
    assert "0 proofs, 0 steps: none; 0 certificates, 0 definitions, 0 givens" in summed_up({})


def test_a_chain_has_every_step_in_order_with_both_marks(rows):
    text = printed(print_chain, "personalization", rows[LEMMA])
    assert text.startswith("proof: proved otherwise (")
    heads = [line.strip() for line in text.splitlines() if line.startswith("  [")]
    assert heads == [
        "[proved] lem-A.2: line 1",
        "[open] lem-A.2: line 2",
        "[does not follow] lem-A.2: line 3 (Section 9)",
        "[proved] lem-A.2: line 3/corrected (ours)",
        "[false] lem-A.2: line 4",
        "[proved, from steps that are not] lem-A.2",
    ]
    assert "rests on lem-A.2: line 2, not proved" in text
    assert text.count("why not proved: ") == 3


def test_a_chain_says_by_what_and_from_what(rows):
    own = rows[THEOREM]["steps"][0]
    own["by"] += [
        {"kind": "condition", "name": "K >= 2, squared", "times": []},
        {"kind": "hypothesis", "name": "?", "times": []},
    ]
    text = printed(print_chain, "personalization", rows[THEOREM])
    used = "lem-A.2: line 2 at t = t - 1, summed over i; smooth("
    assert f"by {used}" in text
    assert "K >= 2, squared; the induction hypothesis; 1 square" in text
    own["local"] = "open"
    assert f"from {used}" in printed(print_chain, "personalization", rows[THEOREM])


def test_a_chain_is_plain_or_latex(rows):
    plain = printed(print_chain, "personalization", rows[LIKE])
    latex = steps_latex(rows[LIKE])
    assert "G_u^t ≥ L/n" in plain
    assert r"\mathcal G_u^{t} \ge \frac{L}{n}" in latex
    assert "\\" not in plain
    assert "≥" not in latex


def test_given_statements_are_a_chain_too(rows):
    text = printed(print_chain, "personalization", rows["personalization"])
    assert text.startswith("taken as given: 1 statement")
    assert "[given] def G_u (Table 1)" in text
    assert "G_u^t = L/n" in text


def test_results_tell_whether_proofs_were_replayed():
    assert "No proof was replayed" in printed(print_results, small_document(), [])
    text = printed(print_results, proved_document(), [])
    assert "No proof was replayed" not in text
    assert "proofs replayed: 1 proved, 1 proved otherwise, 1 gap; steps: 1 false, " in text


def test_what_a_proof_supposes_is_counted_and_named(rows):
    """A given without a run says so, in the summary, the chain and the footer."""
    rows = {LIKE: rows[LIKE], "toy": rows["personalization"]}
    rows["toy"]["steps"] += [
        step("asm one", "given", supposed=True, measured={"instances": 3, "least": 0.0}),
        step("asm two", "given", supposed=True),
    ]
    rows[LIKE] |= {"status": "proved from givens", "givens": ["asm one", "asm two"]}
    text = summed_up(rows)
    assert "1 claim proved from givens: claim-1 (2 givens, 1 of them measured nowhere)" in text
    assert "1 definition, 2 givens (1 measured nowhere)" in text
    chain = printed(print_chain, "personalization", rows[LIKE])
    assert "taken as given: asm one, asm two" in chain
