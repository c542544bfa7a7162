"""What a results file says follows from its records and steps, or the file is refused."""

import copy
import json

import pytest
from each import each
from pages import LEMMA, LIKE, PRINTED, SUMMED, THEOREM, proved_document, readable, write

from fedbounds.errors import FedboundsError
from fedbounds.theory.proof.replay import Local
from fedbounds.verify.commands.command_line import status
from fedbounds.verify.judge.standing import standing, words_of
from fedbounds.verify.results.audit import audit
from fedbounds.verify.results.records import SCHEMA, sealed
from fedbounds.verify.results.results_file import read_document
from fedbounds.vocabulary import Kind, ProofStatus, Standing, StatementStatus, Verdict


@pytest.fixture
def document():
    return readable(proved_document())


def places(data, path=()):
    """Paths of all values that are no list and no object."""
    if isinstance(data, dict):
        for name, inner in data.items():
            yield from places(inner, (*path, name))
    elif isinstance(data, list):
        for at, inner in enumerate(data):
            yield from places(inner, (*path, at))
    else:
        yield path


def set_at(data, path, value):
    for name in path[:-1]:
        data = data[name]
    data[path[-1]] = value


def at(data, path):
    for name in path:
        data = data[name]
    return data


# every word that a field may hold besides its own
WORDS = {
    "standing": [*Standing],
    "statement": [*StatementStatus],
    "paper_proof": [*ProofStatus],
    "status": [*ProofStatus],
    "verdict": [*Verdict],
    "local": [*Local],
}
NUMBERS = ("tightness", "power", "least_relative_gap", "relative_gap", "open_candidates", "left",
           "right", "gap")  # fmt: skip


def others(path, value):
    """Other values of a guarded field; none for a field that rests on the digest."""
    name, inside = path[-1], path[0]
    if name in WORDS and value is not None:
        fails = ("false", "does not follow")  # which of them, the witness or the numbers say
        return [str(w) for w in WORDS[name] if w != value and not {w, value} <= {*fails}]
    if len(path) > 1 and path[-2] == "counts":
        return [value + 1, 0]
    if name in NUMBERS and isinstance(value, int | float) and "slack" not in path:
        return [value + 1]
    if name in ("inherited", "readings_differ", "uninformative") and inside != "results":
        return [not value]
    return []


def test_what_follows_is_read(document, tmp_path):
    assert read_document(write(document, tmp_path) / "results.json") == document


def test_no_edit_of_a_guarded_field_is_believed(document, tmp_path):
    """Also where the digest is made again: every other word, every other number."""
    tried = set()
    for path in list(places(document)):
        for other in others(path, at(document, path)):
            edited = copy.deepcopy(document)
            set_at(edited, path, other)
            with pytest.raises(FedboundsError) as refused:
                audit(edited)
            assert len(str(refused.value).splitlines()) == 1
            tried.add(path[-1])
    assert tried >= WORDS.keys() | {"tightness", "power", "inherited", "violated", "left"}


def test_the_line_names_the_claim_what_is_said_and_what_follows(document, tmp_path):
    document["claims"][LIKE]["standing"] = "refuted"
    write(document, tmp_path)
    with pytest.raises(FedboundsError) as refused:
        read_document(tmp_path / "results.json")
    for word in ("results.json", LIKE, "'refuted'", "'confirmed'", "run `fedbounds verify` again"):
        assert word in str(refused.value)


def drop_record(document):
    document["results"] = [row for row in document["results"] if row["claim"] != LEMMA]


def drop_claim(document):
    del document["claims"][LEMMA]


def drop_reading(document):
    document["claims"][THEOREM]["readings"].pop()


def rename_claim(document):
    document["claims"]["toy/other"] = document["claims"].pop(LEMMA)


def move_record(document):
    document["results"][0]["reading"] = SUMMED.name


def passed_elsewhere(document):
    document["claims"][LEMMA]["readings"][0]["untested"] = []
    document["results"] = []


def proved_by_hand(document):
    for step in document["proofs"][LIKE]["steps"]:
        step |= {"local": "proved", "certificate": None, "inherited": True}


def proof_of_nothing(document):
    document["proofs"]["toy/other"] = copy.deepcopy(document["proofs"][LIKE])


def without_its_failing_step(document):
    row = document["proofs"][LEMMA]
    row["steps"] = [step for step in row["steps"] if step["local"] == "proved"]


def from_givens(document):
    document["proofs"][LIKE]["status"] = "proved from givens"
    document["claims"][LIKE] |= {"paper_proof": "proved from givens",
                                 "standing": "proved from givens"}  # fmt: skip


@pytest.mark.parametrize(
    "edit",
    [drop_record, drop_claim, drop_reading, rename_claim, move_record, passed_elsewhere,
     proved_by_hand, proof_of_nothing, without_its_failing_step, from_givens],
    ids=lambda edit: edit.__name__,
)  # fmt: skip
def test_no_larger_edit_is_believed(edit, document):
    edit(document)
    with pytest.raises(FedboundsError):
        audit(document)


def test_any_edit_of_the_file_is_refused(document, tmp_path):
    """What follows from nothing rests on the digest."""
    for name, path in {
        "severity": ("claims", THEOREM, "severity"),
        "text": ("claims", THEOREM, "text"),
        "seed": ("run", "seed"),
        "constant": ("results", 0, "constants", "L", "value"),
        "reason": ("results", 0, "reason"),
    }.items():
        edited = copy.deepcopy(document)
        set_at(edited, path, {"severity": "typo", "seed": 9, "constant": 2}.get(name, "other"))
        data = json.loads(sealed(document)) | edited
        (tmp_path / "results.json").write_text(json.dumps(data, sort_keys=True))
        with pytest.raises(FedboundsError, match="edited after it was written"):
            read_document(tmp_path / "results.json")


def test_spaces_are_an_edit_too(document, tmp_path):
    (tmp_path / "results.json").write_text(sealed(document) + " ")
    with pytest.raises(FedboundsError, match="edited after it was written"):
        read_document(tmp_path / "results.json")


@pytest.mark.parametrize("schema", [SCHEMA - 1, SCHEMA + 1])
def test_another_schema_is_said_plainly(document, schema, tmp_path):
    write(document | {"schema": schema}, tmp_path)
    with pytest.raises(FedboundsError, match=f"has schema {schema}; expected {SCHEMA}") as refused:
        read_document(tmp_path / "results.json")
    assert "run `fedbounds verify` again" in str(refused.value)


@pytest.mark.parametrize(
    "command",
    [("report", "{}"), ("report", "{}", "--referee", LIKE), ("diff", "{}", "{}"),
     ("show", THEOREM, "--out", "{}"), ("show", THEOREM, "--format", "json", "--out", "{}"),
     ("show", THEOREM, "--latex", "--out", "{}"), ("show", THEOREM, "--witness", "--out", "{}")],
    ids=" ".join,
)  # fmt: skip
def test_every_command_that_reads_results_refuses_edited_ones(command, document, tmp_path, capsys):
    document["claims"][LIKE]["standing"] = "refuted"
    write(document, tmp_path)
    assert status([word.format(tmp_path) for word in command]) == 2
    shown = capsys.readouterr()
    assert len(shown.err.splitlines()) == 1
    assert LIKE in shown.err
    assert "page:" not in shown.out
    assert not (tmp_path / "index.html").exists()


# ---- the words that are left to a kind


@each("kind", Kind)
@each("proof", ProofStatus)
@each("statement", StatementStatus)
def test_only_these_words_are_left_to_a_kind(kind, statement, proof):
    words = words_of(kind, statement, proof)
    assert len(words) <= 2
    if kind in (Kind.IDENTITY, Kind.INEQUALITY, Kind.SCALING, Kind.ORDERING, Kind.EQUIVALENCE):
        assert words == (standing(statement, proof),)
    if Standing.SATISFIABLE in words:
        assert statement is StatementStatus.SURVIVED
        assert kind in (Kind.ASSUMPTION, Kind.FEASIBLE)
    if kind is not Kind.DEFINITION:
        assert None not in words


def test_a_comparison_is_proved_by_pairs_of_bounds_and_not_by_its_kind(document):
    """One that is a formula of runs survives without a proof."""
    rows = {row["claim"] for row in document["results"]}
    claim = next(
        claim
        for claim in document["claims"].values()
        if claim["id"] in rows
        and claim["statement"] == "survived"
        and claim["standing"] == "tested"
    )
    claim["kind"] = "comparison"
    audit(document)
    own = next(row for row in document["results"] if row["claim"] == claim["id"])
    own["comparison"] = {"pair": "a", "word": "b"}
    with pytest.raises(FedboundsError, match="'proved otherwise' follows from the rest"):
        audit(document)


def test_a_reading_that_is_unsatisfiable_names_the_contradiction(document):
    claim = document["claims"]["toy/claim-2"]
    absurd = {"proof": "contradictory premises", "standing": "unsatisfiable"}
    reading = copy.deepcopy(document["claims"][LIKE]["readings"][0])
    reading |= {"name": PRINTED.name, "statement": "untested", "counts": {}, "tightness": None,
                "power": None, "least_relative_gap": None, "tightest": None, **absurd}  # fmt: skip
    claim |= {"kind": "feasible", "paper_proof": absurd["proof"], "uninformative": None}
    claim |= {"standing": "unsatisfiable", "readings": [reading | {"contradictions": ["A5"]}]}
    audit(document)
    claim["readings"][0]["contradictions"] = []
    with pytest.raises(FedboundsError, match="'contradictory premises', and 'open' follows"):
        audit(document)
