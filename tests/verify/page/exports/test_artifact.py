"""The archive for authors and reviewers: complete, true to the results, the same bytes each time.

Each check is a predicate on an unpacked archive; the second half plants the error that it notices.
"""

import csv
import hashlib
import io
import json
import re
import shutil
import zipfile
import zlib
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from types import SimpleNamespace

import pytest
from checker_theory import THEORY, cite, claim
from each import each
from pages import LEMMA, LIKE, SCRIPT, THEOREM, name_of, proved_document, readable, write

from fedbounds.errors import FedboundsError
from fedbounds.theory.checker.__main__ import main as recheck
from fedbounds.theory.checker.data import Certificate, Step
from fedbounds.theory.checker.files import book_data, step_data
from fedbounds.theory.language.catalogue import PAPERS, entry, paper
from fedbounds.verify.commands.command_line import status
from fedbounds.verify.page.exports.artifact import artifact
from fedbounds.verify.page.exports.artifact.archive import FOLDER, SUMS, archive
from fedbounds.verify.page.exports.artifact.correspondence import file_of_claim
from fedbounds.verify.results.packs import Kept, blocks, packed
from fedbounds.verify.results.records import sealed
from fedbounds.verify.results.results_file import beside, read_document
from fedbounds.verify.results.store import paper_of, records_file

ROOT = Path(__file__).parents[4]
WITNESS, OF_STEP = "witnesses/thm.py", "witnesses/step 4.py"
STEPS = (
    Step("def A", claim("A(t) == x"), Certificate("given", origin="(1)")),
    Step("thm", claim("A(t) <= 2*x"), Certificate("combine", premises=(cite("def A"),))),
)


def call(*arguments):
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = status([str(argument) for argument in arguments])
    return SimpleNamespace(code=code, out=out.getvalue(), err=err.getvalue())


def judged(*, searched=True):
    """A theorem with a refuted reading and its script; a refuted lemma, perhaps with an instance."""
    document = readable(proved_document())
    document["claims"][THEOREM]["readings"][1]["witness"] = WITNESS
    (false,) = (x for x in document["proofs"][LEMMA]["steps"] if x["local"] == "false")
    false["witness"] = OF_STEP
    if searched:
        (lemma,) = (row for row in document["results"] if row["claim"] == LEMMA)
        lemma |= {"instance": {"vectors": [[1]]}, "no_script": "it is too long"}
        document["claims"][LEMMA]["readings"][0]["tightest"]["how"] = "small instances"
    return document


def result_folder(document, folder, *, apart=False):
    """A result folder; ``apart``: its records are in files beside the document, as a run has it."""
    write(beside(document) if apart else document, folder)
    (folder / "witnesses").mkdir()
    for name in (WITNESS, OF_STEP):
        (folder / name).write_text(SCRIPT)
    if apart:
        (folder / "records").mkdir()
        for key in {paper_of(row["claim"]) for row in document["results"]}:
            own = {r["key"]: r for r in document["results"] if paper_of(r["claim"]) == key}
            (folder / records_file(key)).write_bytes(packed(blocks(Kept(own))))
    return folder


def certified(folder):
    """The same folder with certificates."""
    rows = [step_data(step) | {"claim": "p/thm" if step.id == "thm" else ""} for step in STEPS]
    (folder / "proofs.json").write_text(json.dumps({"p": book_data(THEORY, rows)}))
    return folder


@pytest.fixture
def folder(tmp_path):
    return certified(result_folder(judged(), tmp_path / "results"))


def made(folder):
    return artifact(read_document(folder / "results.json"), folder)


def unpacked(raw):
    """Files of an archive by their names below its folder."""
    with zipfile.ZipFile(io.BytesIO(raw)) as found:
        return {i.filename.removeprefix(f"{FOLDER}/"): found.read(i) for i in found.infolist()}


def rows(files, name):
    return list(csv.DictReader(io.StringIO(files[name].decode(), newline="")))


def text(files, name="README.txt"):
    return files[name].decode()


# ---- checks of an archive


def missing_scripts(files):
    """Scripts that the results or their records name, and that are not there."""
    packs = (zlib.decompress(files[name], wbits=31) for name in files if name.endswith(".gz"))
    told = b"".join([files["results.json"], *packs]).decode()
    return sorted(set(re.findall(r'"(witnesses/[^"]+)"', told)) - set(files))


def wrong_standings(files):
    """Claims whose standing in the table is not that of the results."""
    told = {row["claim"]: row["standing"] for row in rows(files, "correspondence.csv")}
    claims = json.loads(files["results.json"])["claims"]
    standings = {key: one["standing"] or "not judged" for key, one in claims.items()}
    return sorted(key for key in told | standings if told.get(key) != standings.get(key))


def untold_refutations(files):
    """Refuted readings without a row, or with one that does not say how to see it."""
    claims = json.loads(files["results.json"])["claims"].values()
    refuted = {(c["id"], r["name"]) for c in claims for r in c["readings"]
               if r["statement"] == "refuted"}  # fmt: skip
    told = {(r["claim"], r["reading"]) for r in rows(files, "witnesses.csv") if r["to_see_it"]}
    return sorted(refuted ^ told)


def wrong_sums(files):
    """Names whose hash is not theirs, or that only one side has."""
    lines = text(files, SUMS).splitlines()
    told = {name: digest for digest, name in (line.split("  ", 1) for line in lines)}
    found = {n: hashlib.sha256(data).hexdigest() for n, data in files.items() if n != SUMS}
    return sorted(name for name in told | found if told.get(name) != found.get(name))


def places_of_a_machine(files, *places):
    """Names that are not relative, and files that tell one of these places."""
    bad = [name for name in files if not re.fullmatch(r"[\w.+ ~-]+(/[\w.+ ~-]+)*", name)]
    bad += [name for name in files if ".." in name.split("/")]
    return bad + [n for n, data in files.items() if any(str(p).encode() in data for p in places)]


def faults(files, *places):
    return [*missing_scripts(files), *wrong_standings(files), *untold_refutations(files),
            *wrong_sums(files), *places_of_a_machine(files, *places)]  # fmt: skip


@pytest.mark.parametrize("apart", [False, True])
def test_an_archive_is_complete_and_says_what_the_results_say(apart, tmp_path):
    own = certified(result_folder(judged(), tmp_path / "results", apart=apart))
    files = unpacked(archive(made(own)))
    assert faults(files, tmp_path, Path.home(), ROOT) == []
    assert ("records/personalization.jsonl.gz" in files) is apart
    assert ("records" in json.loads(files["results.json"])) is apart
    for name in ("results.json", "proofs.json", WITNESS, OF_STEP):
        assert files[name] == (own / name).read_bytes()


def test_an_unpacked_archive_is_a_result_folder_that_makes_the_same_archive(folder, tmp_path):
    raw = archive(made(folder))
    (tmp_path / "there").mkdir()
    with zipfile.ZipFile(io.BytesIO(raw)) as found:
        found.extractall(tmp_path / "there")
    assert archive(made(tmp_path / "there" / FOLDER)) == raw


def test_two_archives_are_equal_byte_by_byte(folder, tmp_path):
    copy = tmp_path / "elsewhere"
    shutil.copytree(folder, copy, copy_function=shutil.copyfile)  # with other times
    (copy / "notes.txt").write_text("of mine")
    for own, name in ((folder, "one.zip"), (copy, "two.zip")):
        found = call("report", own, "--artifact", tmp_path / name)
        assert (found.code, found.err) == (0, "")
        assert f"artifact: {tmp_path / name}\n" in found.out
    one = (tmp_path / "one.zip").read_bytes()
    assert one == (tmp_path / "two.zip").read_bytes()
    assert one == archive(dict(reversed(made(folder).items())))
    with zipfile.ZipFile(io.BytesIO(one)) as found:
        names = [info.filename for info in found.infolist()]
        assert names == sorted(names)
        assert {info.date_time for info in found.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert {info.compress_type for info in found.infolist()} == {zipfile.ZIP_STORED}


# ---- what it tells


def test_the_table_tells_readings_notes_files_and_pages(folder):
    told = {row["claim"]: row for row in rows(made(folder), "correspondence.csv")}
    theorem = told[THEOREM]
    assert theorem["place"] == f"place of {THEOREM}"
    assert theorem["readings"] == "as printed: survived; G_v summed over clients (amb-2): refuted"
    assert theorem["file"] == "src/fedbounds/theory/personalization/theorems.py"
    assert theorem["witnesses"] == WITNESS
    assert theorem["site"] == name_of(THEOREM)
    assert told["toy/claim-2"]["site"] == "index.html#claim-toy-claim-2"
    assert told[LEMMA]["source"] == "reconstructed"
    assert told[LIKE]["file"] == ""  # of a paper that nobody knows


def test_what_is_read_otherwise_is_the_note_of_the_catalogue(tmp_path):
    noted = next(e for key in PAPERS for e in paper(key).entries if e.note)
    document = judged()
    row = document["claims"].pop("toy/def-1") | {"id": noted.id, "place": "Theorem 2, pp. 7-8"}
    document["claims"][noted.id] = row
    files = made(result_folder(document, tmp_path / "results"))
    (told,) = (r for r in rows(files, "correspondence.csv") if r["claim"] == noted.id)
    assert told["read_otherwise_than_printed"] == noted.note
    assert told["page"] == "7-8"


def test_markdown_has_a_table_for_each_paper(folder):
    told = text(made(folder), "correspondence.md")
    assert re.findall("^# ([a-z]+): ", told, re.M) == ["personalization", "toy"]
    assert len(re.findall(r"^\| place \|", told, re.M)) == 2
    assert all(f"| {key} |" in told for key in (THEOREM, LEMMA, LIKE))


@each("name", lambda: [e.id for key in PAPERS for e in paper(key).entries])
def test_the_file_of_every_claim_is_there(name):
    found = entry(name)
    file = file_of_claim({"id": name, "place": found.place}, found)
    assert (ROOT / file).is_file()
    if not found.module:
        assert f'id = "{name}"' in (ROOT / file).read_text(encoding="utf-8")


def test_the_file_of_a_users_claim_is_his():
    assert file_of_claim({"id": "me/rate", "place": "my_theorem.py:12"}, None) == "my_theorem.py"


def test_how_to_see_a_refutation_depends_on_what_is_kept(folder):
    told = {row["claim"]: row for row in rows(made(folder), "witnesses.csv")}
    assert told[THEOREM]["to_see_it"] == f"python {WITNESS}"
    assert told[THEOREM]["what_breaks_it"].startswith("7/4 > 1")
    assert told[LEMMA]["to_see_it"] == f"fedbounds search {LEMMA} --replay ."
    assert told[LEMMA]["no_script"] == "it is too long"


def test_what_has_no_instance_is_judged_again(tmp_path):
    files = made(result_folder(judged(searched=False), tmp_path / "results"))
    (told,) = (r for r in rows(files, "witnesses.csv") if r["claim"] == LEMMA)
    assert told["to_see_it"] == f"fedbounds verify {LEMMA} --quick --seed 3 --out again"


def test_the_readme_tells_how_to_do_it_again(folder, tmp_path, capsys):
    files = made(folder)
    told = text(files)
    for said in ("fedbounds 0.1.0, source 000", "profile quick, seed 3, device cpu", "NumPy 2.1.0"):
        assert said in told
    assert re.search(r"^  fedbounds verify .* --quick --seed 3 --out again$", told, re.M)
    assert "fedbounds diff . again" in told
    assert "no result differs" in told
    assert "BSD-3-Clause" in told
    assert "@misc{personalization,\n" in told
    assert "@misc{fedbounds,\n" in told
    assert "2 readings refuted, 1 with a script" in told
    assert recheck([str(folder / "proofs.json")]) == 0
    assert f"\n  {capsys.readouterr().out.splitlines()[-1]}\n" in told
    assert not re.search(r"\{\w*\}", told.partition("@misc")[0])  # nothing is left to fill in


def test_a_run_on_another_device_is_repeated_there(folder):
    document = read_document(folder / "results.json")
    document["run"]["device"] = "cuda"
    assert "--seed 3 --device cuda --out again\n" in text(artifact(document, folder))


def test_who_made_the_archive_is_told_where_it_is_another_version(folder, monkeypatch):
    assert "another state of fedbounds" in text(made(folder))
    module = "fedbounds.verify.page.exports.artifact.instructions.source_hash"
    monkeypatch.setattr(module, lambda: "0" * 64)
    assert "another state of fedbounds" not in text(made(folder))


def test_a_users_file_is_asked_for_and_no_paper_cited(tmp_path):
    document = judged()
    kept = {"toy/claim-1", "toy/claim-2"}
    document["claims"] = {key: one for key, one in document["claims"].items() if key in kept}
    for one in document["claims"].values():
        one["place"] = "my_theorem.py:12"
    document["results"] = [row for row in document["results"] if row["claim"] in kept]
    document["proofs"] = {key: one for key, one in document["proofs"].items() if key in kept}
    told = text(made(result_folder(document, tmp_path / "results")))
    assert "This needs my_theorem.py, which results do not hold" in told
    assert "fedbounds verify my_theorem.py " in told
    assert "No reading is refuted" in told
    assert "There is no proofs.json here" in told
    assert re.findall(r"@misc\{(\w+)", told) == ["fedbounds"]


def test_without_the_text_of_a_licence_its_name_is_told(folder, monkeypatch):
    assert "BSD 3-Clause" in text(made(folder), "LICENSE")
    module = "fedbounds.verify.page.exports.artifact"
    monkeypatch.setattr(f"{module}.licence_text", lambda: None)
    monkeypatch.setattr(f"{module}.instructions.licence_text", lambda: None)
    files = made(folder)
    assert "LICENSE" not in files
    assert "BSD-3-Clause" in text(files)
    assert "see LICENSE" not in text(files)


# ---- planted errors


@pytest.fixture
def files(folder):
    return unpacked(archive(made(folder)))


def test_a_script_that_is_missing_is_noticed(files):
    del files[WITNESS]
    assert missing_scripts(files) == [WITNESS]
    assert wrong_sums(files) == [WITNESS]


def test_a_standing_that_is_not_that_of_the_results_is_noticed(files):
    name = "correspondence.csv"
    changed = text(files, name).replace("inequality,tested", "inequality,confirmed", 1)
    assert changed != text(files, name)
    files[name] = changed.encode()
    assert len(wrong_standings(files)) == 1
    assert wrong_sums(files) == [name]


def test_a_claim_without_a_row_is_noticed(files):
    name = "correspondence.csv"
    lines = text(files, name).splitlines(keepends=True)
    files[name] = "".join(line for line in lines if f",{LIKE}," not in line).encode()
    assert wrong_standings(files) == [LIKE]


def test_a_refutation_that_is_not_told_is_noticed(files):
    name = "witnesses.csv"
    files[name] = "".join(text(files, name).splitlines(keepends=True)[:2]).encode()
    assert len(untold_refutations(files)) == 1


def test_a_place_of_a_machine_is_noticed(files, folder):
    assert places_of_a_machine(files | {"/etc/x": b""}) == ["/etc/x"]
    assert places_of_a_machine(files | {"a/../../x": b""}) == ["a/../../x"]
    told = {"README.txt": f"made in {folder}".encode()}
    assert places_of_a_machine(files | told, folder) == ["README.txt"]


# ---- what is refused, before anything is written


def refused(folder, target, *more):
    """The message of a report that writes nothing."""
    before = sorted(path.name for path in folder.iterdir())
    found = call("report", folder, "--artifact", target, *more)
    assert (found.code, found.out) == (2, "")
    assert len(found.err.strip().splitlines()) == 1
    assert not target.exists()
    assert sorted(path.name for path in folder.iterdir()) == before
    return found.err


@pytest.mark.parametrize("seals", [False, True])
def test_edited_results_are_refused(seals, folder, tmp_path):
    path = folder / "results.json"
    raw = path.read_text()
    if seals:
        document = judged()
        document["claims"][LEMMA]["standing"] = "confirmed"
        path.write_text(sealed(document))
    else:
        path.write_text(raw.replace("text of toy/claim-1", "text of toy/claim-9"))
    assert path.read_text() != raw
    assert "was edited" in refused(folder, tmp_path / "a.zip")


def test_records_that_were_edited_or_lost_are_refused(tmp_path):
    own = result_folder(judged(), tmp_path / "results", apart=True)
    (own / records_file("toy")).unlink()
    assert "records that are not beside it" in refused(own, tmp_path / "a.zip")


def test_a_script_that_is_not_in_the_folder_is_refused(folder, tmp_path):
    (folder / WITNESS).unlink()
    assert "thm.py" in refused(folder, tmp_path / "a.zip")
    (tmp_path / "secret.py").write_text("mine")
    (folder / WITNESS).symlink_to(tmp_path / "secret.py")
    assert "leads out of" in refused(folder, tmp_path / "a.zip")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('"A(t)"', '"B(t)"', "is refused"),
        ('"hash": "', '"hash": "0', "its theory was edited"),
        ("{", "[", "corrupt"),
        ('{"p": {', '{"q": 1, "p": {', "expected a book of proofs"),
        ('"steps": [', '"steps": [NaN, ', "corrupt"),
        ('"steps": [', '"steps": [1, ', "no step of a proof"),
    ],
)
def test_certificates_that_were_edited_are_refused(old, new, says, folder, tmp_path):
    path = folder / "proofs.json"
    raw = path.read_text()
    at = raw.rindex(old) if new == '"B(t)"' else raw.index(old)
    path.write_text(raw[:at] + new + raw[at + len(old) :])
    assert says in refused(folder, tmp_path / "a.zip")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--artifact", "a.tar"), "'a.tar'"),
        (("--artifact", "a.zip", "--referee", THEOREM), "excludes --artifact"),
        (("--artifact", "missing/a.zip"), "missing"),
    ],
)
def test_bad_input_is_a_line(arguments, says, folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = call("report", folder, *arguments)
    assert (found.code, found.out) == (2, "")
    assert says in found.err
    assert len(found.err.strip().splitlines()) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["results"]


def test_a_folder_without_results_is_refused(tmp_path):
    (tmp_path / "empty").mkdir()
    assert "no results file" in refused(tmp_path / "empty", tmp_path / "a.zip")


def test_a_document_that_lacks_something_is_one_line(folder):
    document = read_document(folder / "results.json")
    del document["run"]["timing"]
    with pytest.raises(FedboundsError, match="is incomplete"):
        artifact(document, folder)
