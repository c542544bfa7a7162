"""A stranger's result folder: read in full or refused in a line that names the file and the field."""

import copy
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from pages import LEMMA, LIKE, THEOREM, proved_document, readable, write
from result_folders import files_of, lines, lose, stored, unsealed, write_lines

import fedbounds
from fedbounds.errors import FedboundsError
from fedbounds.verify.commands.command_line import status
from fedbounds.verify.results.records import sealed
from fedbounds.verify.results.results_file import beside, read_document
from fedbounds.verify.results.shapes import DOCUMENT
from fedbounds.verify.results.store import Store, paper_of, records_file

SOURCE = str(Path(fedbounds.__path__[0]).parent)
# JSON texts that fit nowhere; in the place of a word, of a number, of anything
NOWHERE = {
    "NaN": "NaN",
    "Infinity": "Infinity",
    "1e400": "inf",
    '"\\ud800"': r"'\ud800'",
    '"\\u0000"': r"'\x00'",
    '"\\u001b[31m"': r"'\x1b[31m'",
    "1" + "0" * 5000: "a number of 5001 digits",
}
SELDOM = ["-1", "true", "[]", "{}", "null", '""', '"nonsense"', "1.5", "[[[[[[]]]]]]", '{"a": 1}']


@pytest.fixture(scope="module")
def document():
    return readable(proved_document())


def places(data, path=()):
    """A path of each kind of value, leaves and branches; names of claims and steps are alike."""
    if path:
        yield path
    if isinstance(data, dict):
        for name, inner in data.items():
            yield from places(inner, (*path, name))
    elif isinstance(data, list):
        for inner in data[:1]:
            yield from places(inner, (*path, 0))


def kinds(document):
    found = {}
    for path in places(document):
        kind = tuple("*" if at and path[0] in ("claims", "proofs") and at == 1 else str(name)
                     for at, name in enumerate(path))  # fmt: skip
        found.setdefault(kind, path)
    return list(found.values())


def planted(document, path, text):
    """The file with a JSON text at a path, and a digest as a stranger would make it."""
    data = copy.deepcopy(document)
    inside = data
    for name in path[:-1]:
        inside = inside[name]
    inside[path[-1]] = "PLANTED"
    return sealed(data).replace('"PLANTED"', text)


def said(path, folder):
    """The line that a document is refused with; empty if it is read."""
    try:
        read_document(folder / "results.json")
    except FedboundsError as error:
        return str(error)
    return ""


def test_the_document_is_one_that_a_run_writes(document, tmp_path):
    DOCUMENT(document | {"digest": "0" * 64})
    assert read_document(write(document, tmp_path) / "results.json") == document
    assert len(kinds(document)) > 120


@pytest.mark.parametrize("text", NOWHERE, ids=NOWHERE.values())
def test_what_fits_nowhere_is_refused_by_file_and_field(text, document, tmp_path):
    for path in kinds(document):
        (tmp_path / "results.json").write_text(planted(document, path, text))
        line = said(path, tmp_path)
        assert len(line.splitlines()) == 1, path
        assert line.isprintable(), path
        assert str(tmp_path / "results.json") in line, path
        if path != ("schema",):
            name = path[-1]
            place = f"[{name}]" if isinstance(name, int) else str(name)
            assert place in line, (path, line)
            assert NOWHERE[text] in line, (path, line)


@pytest.mark.parametrize("text", SELDOM)
def test_another_type_is_a_line_or_fits(text, document, tmp_path):
    for path in kinds(document):
        (tmp_path / "results.json").write_text(planted(document, path, text))
        line = said(path, tmp_path)
        assert len(line.splitlines()) <= 1, path
        assert not line or str(tmp_path) in line


def test_a_missing_field_is_named(document, tmp_path):
    for path in kinds(document):
        data = copy.deepcopy(document)
        inside = data
        for name in path[:-1]:
            inside = inside[name]
        if isinstance(inside, list):
            continue
        del inside[path[-1]]
        write(data, tmp_path)
        line = said(path, tmp_path)
        assert len(line.splitlines()) <= 1
        assert not line or str(tmp_path / "results.json") in line


@pytest.mark.parametrize(
    ("path", "word"),
    [
        (("claims", LIKE, "kind"), "assertion"),
        (("claims", LIKE, "source"), "hearsay"),
        (("claims", LIKE, "standing"), "excellent"),
        (("claims", LIKE, "statement"), "fine"),
        (("claims", LIKE, "paper_proof"), "obvious"),
        (("claims", THEOREM, "severity"), "none at all"),
        (("results", 0, "verdict"), "not violatd"),
        (("results", 0, "parts", 0, "verdict"), "passed"),
        (("results", 0, "parts", 0, "relation"), "=<"),
        (("results", 0, "evidence", "method"), "intuition"),
        (("results", 0, "constants", "L", "provenance"), "certain"),
        (("results", 0, "witness"), "../../etc/passwd"),
        (("results", 0, "witness"), "witnesses/../../x.py"),
        (("results", 0, "key"), "../x"),
        (("proofs", LEMMA, "status"), "proven"),
        (("proofs", LEMMA, "steps", 0, "local"), "trivial"),
        (("proofs", LEMMA, "steps", 0, "relation"), "=<"),
        (("run", "profile"), "fast"),
        (("run", "device"), "tpu"),
    ],
)
def test_a_word_that_is_not_known_is_refused_by_its_field(path, word, document, tmp_path):
    (tmp_path / "results.json").write_text(planted(document, path, json.dumps(word)))
    line = said(path, tmp_path)
    assert f".{path[-1]} is {word!r}; expected" in line


def test_a_field_given_twice_is_named(document, tmp_path):
    text = sealed(document).replace('"schema": ', '"schema": 2, "schema": ')
    (tmp_path / "results.json").write_text(text)
    assert "schema is given twice" in said((), tmp_path)


@pytest.mark.parametrize("text", NOWHERE, ids=NOWHERE.values())
def test_a_record_is_read_as_strictly(text, document, tmp_path):
    row = document["results"][0]
    path = keep(tmp_path, [row])
    assert stored(tmp_path) == {row["key"]: row}
    block = unsealed(lines(path)[0])
    for place in kinds(block):
        write_lines(path, [planted(block, place, text).strip()])
        with pytest.raises(FedboundsError) as error:
            Store(tmp_path).load(row["claim"], row["key"])
        assert str(path) in str(error.value)
        assert NOWHERE[text] in str(error.value)
        assert "delete it to compute its records again" in str(error.value)


# ---- a document whose records lie beside it


def keep(folder, rows):
    """Records as a run packs them; returns the file of the first one's paper."""
    store = Store(folder)
    with store.writing():
        store.keep(rows)
        store.pack()
    return folder / records_file(paper_of(rows[0]["claim"]))


@pytest.fixture
def kept(document, tmp_path):
    """A file of records beside their document."""
    write(beside(document), tmp_path)
    return keep(tmp_path, document["results"])


def test_a_document_is_read_with_the_records_beside_it(kept, document, tmp_path):
    assert read_document(tmp_path / "results.json") == document
    assert '"results"' not in (tmp_path / "results.json").read_text()


def test_a_document_without_its_records_is_refused(kept, document, tmp_path):
    lose(tmp_path, document["results"][0]["key"])
    line = said((), tmp_path)
    assert "1 records that are not beside it (expected in records/" in line
    assert kept.name in line
    assert document["results"][0]["key"] in line
    for path in files_of(tmp_path):
        path.unlink()
    line = said((), tmp_path)
    assert f"{len(document['results'])} records that are not beside it" in line
    assert len(line.splitlines()) == 1


def test_a_record_edited_with_a_digest_that_fits_shows_in_what_follows_from_it(kept, tmp_path):
    blocks = [unsealed(line) for line in lines(kept)]
    row = next(r for b in blocks for r in b["records"] if r["verdict"] == "not violated")
    row["verdict"] = "violated"
    write_lines(kept, [sealed(block).strip() for block in blocks])
    assert "was edited" in said((), tmp_path)


def test_a_document_with_records_of_its_own_and_beside_it_is_refused(document, tmp_path):
    write(document | {"records": []}, tmp_path)
    assert "results is no known field" in said((), tmp_path)


def test_a_file_of_records_that_leads_out_is_not_read(kept, tmp_path):
    elsewhere = tmp_path.parent / f"{tmp_path.name}-elsewhere.gz"
    kept.rename(elsewhere)
    kept.symlink_to(elsewhere)
    assert "leads out of" in said((), tmp_path)


@pytest.mark.parametrize(
    "command",
    [("report", "{}"), ("report", "{}", "--referee", LIKE), ("report", "{}", "--figures", "{}/f"),
     ("diff", "{}", "{}"), ("show", THEOREM, "--out", "{}"), ("show", THEOREM, "--witness", "--out",
     "{}")],
    ids=" ".join,
)  # fmt: skip
def test_no_command_ends_in_a_traceback(command, document, tmp_path, capsys):
    for number, path in enumerate(kinds(document)[::5]):
        text = [*NOWHERE, *SELDOM][number % (len(NOWHERE) + len(SELDOM))]
        (tmp_path / "results.json").write_text(planted(document, path, text))
        code = status([word.format(tmp_path) for word in command])
        shown = capsys.readouterr()
        assert code in (0, 2), (path, text)
        assert code == 0 or len(shown.err.splitlines()) == 1, (path, text)


def test_a_real_process_runs_nothing_of_a_folder(document, tmp_path):
    marker = tmp_path / "ran"
    code = f"D_W(__import__('os').system('touch {marker}'))"
    data = copy.deepcopy(document)
    for row in data["proofs"].values():
        for step in row["steps"]:
            step |= {"conditions": [code], "chart": [code], "assumptions": [code], "place": code,
                     "numbers": {code: code}, "reason": code, "left": code}  # fmt: skip
            step["by"] = [{"kind": kind, "name": code, "times": [code]}
                          for kind in ("step", "fact", "condition", "square")]  # fmt: skip
    folder = write(data, tmp_path / "results")
    done = subprocess.run(
        [sys.executable, "-c", "from fedbounds.verify.commands.command_line import main; main()",
         "report", str(folder)],
        capture_output=True, text=True, env=os.environ | {"PYTHONPATH": SOURCE}, cwd=tmp_path,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert not marker.exists()
    assert "touch" in (folder / "index.html").read_text()
