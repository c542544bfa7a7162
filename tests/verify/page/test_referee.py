"""The note for authors: it says what the record says, and of a reconstruction nothing about them."""

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pages import LEMMA, LIKE, PRINTED, THEOREM, proof, proved_document, small_document, step

from fedbounds.errors import FedboundsError
from fedbounds.verify.page.referee import referee_paragraph, words
from fedbounds.verify.page.referee.instance import evidence, written
from fedbounds.vocabulary import Severity, Source, Standing

_TOLD = [word for word in Standing if word is not Standing.TESTED]  # which counts records


@pytest.fixture
def results():
    return proved_document()


def changed(results, claim_id, **more):
    found = copy.deepcopy(results)
    found["claims"][claim_id] |= more
    return found


def test_it_is_one_paragraph_with_place_statement_and_command(results):
    text = referee_paragraph(results, THEOREM)
    assert "\n" not in text
    assert text.startswith(f"This note concerns {THEOREM} (place of {THEOREM}) of “Sharper")
    assert f"text of {THEOREM}. In formulas: " in text  # of the encoded claim
    assert f"`fedbounds verify {THEOREM} --quick --seed 3`" in text


@pytest.mark.parametrize("standing", _TOLD)
def test_every_standing_of_the_record_is_told_and_no_other(results, standing):
    told = {word: words.of_standing({"standing": word, "reason": ""}) for word in _TOLD}
    assert len(set(told.values())) == len(told)
    text = referee_paragraph(changed(results, LIKE, standing=standing.value), LIKE)
    assert [word for word, sentence in told.items() if sentence in text] == [standing]


def test_what_was_only_measured_is_no_proof(results):
    text = referee_paragraph(changed(results, LIKE, standing="tested"), LIKE)
    assert "found no violation in 1 record with a firm verdict, which is evidence and no proof" in (
        text
    )


@pytest.mark.parametrize("source", list(Source))
def test_a_reconstruction_says_nothing_about_the_authors(results, source):
    text = referee_paragraph(changed(results, LEMMA, source=source.value), LEMMA)
    assert ("says nothing about the authors or their text" in text) is (
        source is Source.RECONSTRUCTED
    )
    assert ("compare it with your own text" in text) is (source is Source.RESTORED)


def test_failing_steps_are_told_by_how_they_fail(results):
    results["proofs"][LEMMA]["status"] = "gap"
    text = referee_paragraph(changed(results, LEMMA, standing="gap"), LEMMA)
    assert "Step lem-A.2: line 3 (Section 9), 𝒢_u^t ≤ L/n, does not follow" in text.replace(
        "G_u^t", "𝒢_u^t"
    )
    assert "(left side 4, right side -3), at K = 2" in text
    assert "Step lem-A.2: line 4, " in text
    assert "is false: an exact instance within the assumptions breaks it" in text
    assert "For lem-A.2: line 2 we have neither a proof nor numbers" in text
    assert "We can prove in its place: " in text
    assert "(7 L)/n" in text


def test_a_step_of_another_reading_is_no_failure_of_the_printed_proof(results):
    row = proof("proved", step("claim-1", reading="as printed"), step("claim-1 [amb-9]", "false"))
    row["steps"][1]["reading"] = "another"
    row["failed"] = []
    results["proofs"][LIKE] = row
    text = referee_paragraph(changed(results, LIKE, standing="confirmed"), LIKE)
    assert "is false" not in text
    assert "We can prove" not in text


def test_the_proof_of_another_claim_that_fails_is_named(results):
    results["proofs"][THEOREM]["failed"] = ["lem-A.2: line 3"]
    assert "Its proof rests on lem-A.2: line 3, which fails." in referee_paragraph(results, THEOREM)


def test_the_witness_is_told_with_both_sides_and_its_script(results):
    text = referee_paragraph(results, THEOREM)
    assert (
        "In the alternative reading (“G_v summed over clients, amb-2”), it is violated in" in text
    )
    assert "the left side is 7/4 ≈ 1.75, larger than the right side 1 (exact rationals)" in text
    assert "its conditions hold: gamma <= 1/(32*K*L) (1/32 and 1/32)" in text
    assert "In the first reading (“as printed”), it held wherever a record is firm" in text
    reading = results["claims"][THEOREM]["readings"][1]
    assert "without fedbounds" not in text
    reading["witness"] = "witnesses/thm.py"
    assert "witnesses/thm.py shows the violation without fedbounds" in referee_paragraph(
        results, THEOREM
    )


def test_undecided_records_are_not_counted_as_held(results):
    (told,) = [
        sentence
        for sentence in referee_paragraph(results, THEOREM).split(". ")
        if "it held wherever" in sentence
    ]
    assert "(1 record)" in told  # of two, one is undecided


@pytest.mark.parametrize("severity", list(Severity))
def test_severity_is_the_records(results, severity):
    found = changed(results, LEMMA, severity=severity.value)
    assert words.of_severity(severity.value)[0] in referee_paragraph(found, LEMMA)
    assert words.of_severity(None) == []


def test_a_confirmed_claim_gets_a_neutral_sentence():
    found = small_document()
    del found["results"][:]
    found["claims"] = {LIKE: found["claims"][LIKE] | {"standing": "confirmed"}}
    text = referee_paragraph(found, LIKE)
    assert "has a certificate" in text
    assert not any(word in text for word in ("violated", "false", "fails", "correction"))


@pytest.mark.parametrize(
    ("claim_id", "said"),
    [
        ("personalization/thm-3.8", "unknown claim of these results .*thm-3.7"),
        ("toy/def-1", "is a definition: not judged"),
        ("toy/claim-2", "not judged in these results .*not encoded yet.*fedbounds verify toy"),
    ],
)
def test_a_claim_without_judgement_is_an_error(results, claim_id, said):
    with pytest.raises(FedboundsError, match=said):
        referee_paragraph(results, claim_id)


def test_an_identity_differs_and_a_bound_is_exceeded(results):
    row = next(r for r in results["results"] if r["verdict"] == "violated")
    assert "larger than" in evidence(row)
    row["parts"][0]["relation"] = "=="
    assert "different from" in evidence(row)


@given(
    st.integers(1, 3).flatmap(
        lambda n: st.lists(
            st.lists(st.fractions(max_denominator=9), min_size=n, max_size=n), min_size=1
        )
    )
)
def test_an_array_is_written_row_by_row(rows):
    flat = [{"rational": str(value)} for row in rows for value in row]
    nested = [[str(value) for value in row] for row in rows]
    data = {"array": flat, "dtype": "|O", "shape": [len(rows), len(rows[0])]}
    assert written(data) == str(nested).replace("'", "")


def test_a_run_of_the_suite_can_be_told(tmp_path):
    """A real document, and not only one made by hand."""
    from fedbounds.theory.language.catalogue import select
    from fedbounds.verify.decide.profile import Profile
    from fedbounds.verify.results.document import Timing, document
    from fedbounds.verify.results.run import Settings, run
    from fedbounds.verify.results.store import Store

    settings = Settings(Profile.QUICK, workers=1)
    found = document(run(select((LEMMA,)), settings, Store(tmp_path)), settings, Timing(0.0))
    text = referee_paragraph(found, LEMMA)
    assert "Step lem-A.2, " in text
    assert "is false" in text
    assert "The least correction that we can prove changes only the relation sign." in text
    (row,) = [r for r in found["results"] if r["witness"]]
    assert f"the left side is {row['left']}" in text
    assert f"{row['witness']} shows the violation without fedbounds" in text
    assert PRINTED.name in text
