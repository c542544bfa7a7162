"""What becomes of planted mutants; tables are as old as the theory and can be made again."""

import random
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from fedbounds.errors import ConflictError
from fedbounds.theory.language.registry import claim
from fedbounds.verify.commands.command_line import status
from fedbounds.verify.commands.mutants import batch, command
from fedbounds.verify.commands.mutants import table as tables
from fedbounds.verify.commands.mutants.again import again
from fedbounds.verify.commands.mutants.command import counted, refuse_conflicts
from fedbounds.verify.commands.mutants.operators import Mutant, Operator
from fedbounds.verify.commands.mutants.rows import Outcome, rows, subjects
from fedbounds.verify.commands.mutants.table import Line, Table, from_text, to_text
from fedbounds.verify.judge.plan import quick_cases
from fedbounds.verify.results import processes

FOLDER = Path(__file__).parents[4] / "benchmarks" / "mutants"
WRITTEN = {path.stem: path for path in sorted(FOLDER.glob("*.tsv"))}
LARGEST = 300_000  # bytes of a table
SEED, DRAWN, OF_CLAIMS = 18, 10, 4  # a proof is replayed for each claim
ANY = "fedplt/alpha"  # proved, and small


@pytest.fixture(scope="module")
def subject():
    (found,) = subjects("fedplt", [claim(ANY)])
    assert found.proof is not None
    return found


def outcome(subject, **changed):
    planted = Mutant(
        Operator.CONSTANT, "right", "planted", subject.part, replace(subject.part, **changed)
    )
    cases = [case for case in quick_cases("fedplt") if "one step" in case.name][:12]
    (row,) = rows("fedplt", [replace(subject, mutants=(planted,))], cases)
    return row


def test_a_planted_false_statement_is_caught_by_proof_and_by_a_set_up(subject):
    row = outcome(subject, right=subject.part.right / 8)
    assert row.outcome is Outcome.BOTH
    assert row.seen
    assert not row.first


def test_a_planted_weaker_statement_follows_from_the_original(subject):
    assert outcome(subject, right=3 * subject.part.right).outcome is Outcome.WEAKER


def test_a_statement_in_other_words_is_equivalent(subject):
    changed = {"left": 2 * subject.part.left, "right": 2 * subject.part.right}
    assert outcome(subject, **changed).outcome is Outcome.EQUIVALENT


def test_what_its_own_conditions_give_is_not_called_equivalent(subject):
    row = outcome(subject, left=0 * subject.part.left, right=subject.part.right)
    assert (row.outcome, row.why) == (Outcome.PROVED, "its own conditions give it")


def test_without_set_ups_proof_alone_catches(subject):
    planted = Mutant(
        Operator.CONSTANT, "right", "planted", subject.part,
        replace(subject.part, right=subject.part.right / 8),
    )  # fmt: skip
    (row,) = rows("fedplt", [replace(subject, mutants=(planted,))], [])
    assert row.outcome is Outcome.PROOF
    (row,) = rows("fedplt", [replace(subject, mutants=(planted,), proof=None)], [])
    assert row.outcome is Outcome.MISSED
    assert "decided on none" in row.why


LINE = Line("a", "", "constant", "left", "missed", "open", "held on 2", "", "one: two", "1 -> 2")
TABLE = Table(
    "fedbounds mutants x --seed 0", "abc", "def", 3,
    (LINE, replace(LINE, change="1 -> 1/2"), replace(LINE, first="three", seen="", claim="b")),
)  # fmt: skip


def test_a_table_is_read_as_it_was_written():
    assert from_text(to_text(TABLE)) == TABLE
    assert to_text(TABLE).count("one: two") == 1
    assert "| constant | 3 | 3 |" in counted({"x": TABLE})


def test_counts_add_up_to_all_mutants():
    head, *body, total = tables.counts(TABLE.lines)
    assert head[-1] == "all"
    assert total[-1] == str(len(TABLE.lines)) == str(sum(int(row[-1]) for row in body))


def stale(paper, table):
    """Whether the statements, or what takes the place of names, are others by now."""
    return table.theory != tables.theory_digest(paper)


def test_tables_are_as_old_as_the_theory_and_small(monkeypatch):
    assert WRITTEN
    every = {paper: from_text(path.read_text("utf-8")) for paper, path in WRITTEN.items()}
    for paper, found in every.items():
        assert not stale(paper, found), f"run: {found.command} --out benchmarks/mutants"
        assert WRITTEN[paper].stat().st_size < LARGEST
    assert (FOLDER / "counts.md").read_text("utf-8") == counted(every)
    monkeypatch.setattr(tables, "neighbours", lambda paper: (("n", "K"),))
    assert stale("fedplt", every["fedplt"])


def test_ten_rows_drawn_by_a_seed_are_made_again():
    every = [(paper, line) for paper, path in WRITTEN.items()
             for line in from_text(path.read_text("utf-8")).lines]  # fmt: skip
    chance = random.Random(SEED)
    claims = chance.sample(sorted({(paper, line.claim) for paper, line in every}), OF_CLAIMS)
    drawn = chance.sample([x for x in every if (x[0], x[1].claim) in claims], DRAWN)
    for paper, name in dict.fromkeys((paper, line.claim) for paper, line in drawn):
        some = [line for own, line in drawn if (own, line.claim) == (paper, name)]
        assert not [x for x in again(paper, some, quick_cases(paper)) if x[1]]


def test_a_line_that_says_otherwise_is_told():
    lines = [line for line in from_text(WRITTEN["fedplt"].read_text("utf-8")).lines
             if f"fedplt/{line.claim}" == ANY][:2]  # fmt: skip
    wrong = [replace(lines[0], outcome="missed"), replace(lines[1], change="1 -> 7")]
    assert all(told for _, told in again("fedplt", wrong, quick_cases("fedplt")))


def test_the_command_writes_table_and_counts(monkeypatch, tmp_path, capsys):
    few = quick_cases("fedplt")[:4]
    monkeypatch.setattr("fedbounds.verify.judge.plan.own_cases", lambda *_: few)
    assert status(["mutants", ANY, "--out", str(tmp_path)]) == 0
    found = from_text((tmp_path / "fedplt.tsv").read_text("utf-8"))
    assert found.command == f"fedbounds mutants {ANY} --seed 0"
    assert {line.claim for line in found.lines} == {"alpha"}
    assert "caught by" in (tmp_path / "counts.md").read_text("utf-8")
    assert "mutants" in capsys.readouterr().out


TWO = ("fedplt/alpha", "fedplt/nu")


def made(paper, ids, seed):
    """A line of each claim."""
    return [replace(LINE, claim=name.partition("/")[2]) for name in ids]


def begin(folder, monkeypatch):
    """A table of two claims that is interrupted when the first is finished; what is asked then."""
    asked = []

    def one_alone(paper, ids, seed):
        if ids == [TWO[1]]:
            raise KeyboardInterrupt
        return made(paper, ids, seed)

    monkeypatch.setattr(command, "_TOGETHER", 1)
    monkeypatch.setattr(batch, "lines_of", one_alone)
    assert status(["mutants", *TWO, "--workers", "1", "--out", str(folder)]) == 130
    monkeypatch.setattr(batch, "lines_of", lambda *given: asked.append(given[1]) or made(*given))
    return asked


def test_an_interrupted_table_goes_on_where_it_was(monkeypatch, tmp_path):
    asked = begin(tmp_path / "one", monkeypatch)
    assert not (tmp_path / "one" / "fedplt.tsv").exists()
    for folder in ("one", "whole"):
        told = ["mutants", *TWO, "--workers", "1", "--out", str(tmp_path / folder)]
        assert status(told) == 0
    assert asked == [["fedplt/nu"], ["fedplt/alpha"], ["fedplt/nu"]]
    one, whole = ((tmp_path / x / "fedplt.tsv").read_bytes() for x in ("one", "whole"))
    assert one == whole
    assert {path.name for path in (tmp_path / "one").iterdir()} == {"fedplt.tsv", "counts.md"}


@pytest.mark.parametrize("edit", [
    lambda text: text.replace("# theory ", "# theory 9"),
    lambda text: text.replace("--seed 0", "--seed 1"),
    lambda text: "no table",
    lambda text: text.replace("\t", " "),
])  # fmt: skip
def test_what_was_begun_of_another_table_is_made_again(monkeypatch, tmp_path, edit):
    asked = begin(tmp_path, monkeypatch)
    (path,) = tmp_path.glob("*.begun")
    path.write_text(edit(path.read_text("utf-8")), "utf-8")
    assert status(["mutants", *TWO, "--workers", "1", "--out", str(tmp_path)]) == 0
    assert asked == [["fedplt/alpha"], ["fedplt/nu"]]


def test_several_workers_never_change_a_table(monkeypatch, tmp_path):
    monkeypatch.setattr(batch, "lines_of", made)
    monkeypatch.setattr(command, "_TOGETHER", 1)
    monkeypatch.setattr(processes, "worker_pool", lambda workers, _: ThreadPoolExecutor(workers))
    for workers in ("1", "2"):
        told = ["mutants", *TWO, "--workers", workers, "--out", str(tmp_path / workers)]
        assert status(told) == 0
    one, two = ((tmp_path / x / "fedplt.tsv").read_bytes() for x in ("1", "2"))
    assert one == two


def test_what_is_proved_and_violated_stops_the_command():
    wrong = replace(TABLE, lines=(replace(LINE, outcome=Outcome.CONFLICT.value),))
    with pytest.raises(ConflictError, match="x/a  left: 1 -> 2"):
        refuse_conflicts({"x": wrong})
