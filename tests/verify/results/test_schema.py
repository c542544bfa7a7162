"""The published schema is the shapes that files are read by, and fits what a run writes."""

import copy
import json

import jsonschema
import pytest
from pages import THEOREM, proved_document, readable
from result_folders import document_of, files_of, lines, stored

from fedbounds.theory.language.catalogue import select
from fedbounds.verify.commands.command_line import status
from fedbounds.verify.results.engine import package
from fedbounds.verify.results.records import SCHEMA
from fedbounds.verify.results.results_file import beside
from fedbounds.verify.results.schema import published, schema

# of every kind: about runs, vectors and parameters; an assumption, an equivalence, a comparison
NAMES = ("lem-A.2", "lem-3.5-geo", "asm-2.1", "sc-psgd", "eq-4.7", "exp-setup", "prob-1.1")


def wrong(data, name=None):
    """What the schema says against a document, or against what it calls so."""
    ref = {} if name is None else {"$ref": f"#/$defs/{name}"}
    whole = schema() if name is None else {"$defs": schema()["$defs"]} | ref
    return [error.message for error in jsonschema.Draft202012Validator(whole).iter_errors(data)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A real quick run."""
    path = tmp_path_factory.mktemp("run")
    ids = [found.id for found in select(tuple(f"personalization/{name}" for name in NAMES))]
    arguments = ["verify", *ids, "--quick", "--workers", "1", "--out", str(path)]
    assert status([*arguments, "--json", str(path / "alone.json")]) == 0
    return path


@pytest.fixture
def document():
    return readable(proved_document()) | {"digest": "0" * 64}


def test_the_published_file_is_made_of_the_shapes():
    path = package() / "verify" / "results.schema.json"
    assert path.read_text(encoding="utf-8") == published(), (
        "write it again: python -m fedbounds.verify.results.schema > src/fedbounds/verify/results.schema.json"
    )
    jsonschema.Draft202012Validator.check_schema(json.loads(published()))


def test_a_real_run_fits(folder):
    data = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    assert data["schema"] == SCHEMA == 4
    assert wrong(data) == []
    assert wrong(json.loads((folder / "alone.json").read_text(encoding="utf-8"))) == []
    assert wrong(document_of(folder) | {"digest": data["digest"]}) == []
    rows = stored(folder)
    assert len(rows) > 50
    assert [key for key, row in rows.items() if wrong(row, "record")] == []
    blocks = [json.loads(line) for path in files_of(folder) for line in lines(path)]
    assert [block for block in blocks if wrong(block, "block")] == []


def test_a_document_of_every_kind_fits(document):
    assert wrong(document) == []
    assert wrong(beside(document) | {"digest": "0" * 64}) == []


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data.pop("run"),
        lambda data: data.pop("results"),
        lambda data: data.update(records=[]),
        lambda data: data.update(more=1),
        lambda data: data.update(schema="4"),
        lambda data: data["claims"][THEOREM].update(standing="excellent"),
        lambda data: data["claims"][THEOREM]["readings"][0].pop("counts"),
        lambda data: data["claims"][THEOREM]["readings"][0]["counts"].update(maybe=1),
        lambda data: data["results"][0].update(verdict="passed"),
        lambda data: data["results"][0].update(gap="one half"),
        lambda data: data["results"][0].update(witness="../x.py"),
        lambda data: data["results"][0]["evidence"].update(replicas=-1),
        lambda data: data["results"][0]["parts"][0].pop("part"),
        lambda data: data["results"][0]["parts"][0].update(candidate=1),
        lambda data: data["proofs"][next(iter(data["proofs"]))].update(steps=3),
    ],
)
def test_a_document_with_a_planted_error_does_not_fit(document, change):
    planted = copy.deepcopy(document)
    change(planted)
    assert planted != document
    assert wrong(planted)


def test_a_record_and_a_block_with_planted_errors_do_not_fit(document):
    row = document["results"][0]
    assert wrong(row, "record") == []
    assert wrong(row | {"claim": 3}, "record")
    assert wrong({name: row[name] for name in row if name != "at"}, "record")
    notes = {"digest": "0" * 64, "notes": {"k": None}}
    assert wrong(notes, "block") == []
    assert wrong(notes | {"digest": "short"}, "block")
    assert wrong(notes | {"records": []}, "block")
