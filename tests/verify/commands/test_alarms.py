"""`fedbounds alarms`: rows are re-made, tables are as new as the theory, a false claim is seen."""

import random
from dataclasses import replace
from pathlib import Path

import sympy as sp
from each import each

from fedbounds.theory.language.catalogue import PAPERS, paper
from fedbounds.theory.language.claims import AS_PRINTED, Condition, read
from fedbounds.theory.language.registry import claim
from fedbounds.theory.language.symbols import tau
from fedbounds.verify.commands.alarms import counted as counting
from fedbounds.verify.commands.alarms import rows as proved
from fedbounds.verify.commands.alarms.counted import counted
from fedbounds.verify.commands.alarms.drawn import methods_of, sources
from fedbounds.verify.commands.alarms.rows import Row, digest, every_row
from fedbounds.verify.commands.alarms.table import COLUMNS, cells, read_head, read_rows, text
from fedbounds.verify.commands.command_line import status
from fedbounds.verify.decide.measurement import measure

TABLES = Path(__file__).parents[3] / "benchmarks" / "alarms"
REMADE = 2  # rows, of all papers together


def table(theory):
    return (TABLES / f"{theory}.md").read_text(encoding="utf-8")


@each("theory", PAPERS)
def test_tables_are_no_older_than_the_statements(theory):
    head = read_head(table(theory))
    assert head["statements"] == digest(paper(theory).entries), (
        f"run `fedbounds alarms {theory} --out benchmarks/alarms`"
    )


@each("theory", PAPERS)
def test_nothing_that_is_proved_is_violated(theory):
    assert read_head(table(theory))["violated"] == "0"
    assert all(row["violated"] == "0" for row in read_rows(table(theory)).values())


def recorded():
    """Rows of all tables that needed few draws, each with its theory and its head."""
    for theory in PAPERS:
        head = read_head(table(theory))
        for key, row in sorted(read_rows(table(theory)).items()):
            drawn, applies = int(row["drawn"]), int(row["applies"])
            if applies == int(head["wanted"]) and 5 * drawn <= 6 * applies:
                yield theory, int(head["seed"]), key, row


def row_of(theory, key):
    return next(row for row in every_row(paper(theory).entries) if row.key == key)


@each("theory seed key row", lambda: random.Random(18).sample(list(recorded()), REMADE))
def test_rows_drawn_by_a_seed_are_made_again(theory, seed, key, row):
    again = row_of(theory, key)
    wanted = int(read_head(table(theory))["wanted"])
    found = cells(again, counted(again.claim, again.part, key, seed, wanted))
    assert dict(zip(COLUMNS, found, strict=True)) == row


def test_sums_are_those_of_the_rows():
    every = [row for theory in PAPERS for row in read_rows(table(theory)).values()]
    applies = total(every, "applies")
    assert applies >= 10_000
    methods = COLUMNS[COLUMNS.index("at an edge") + 1 : COLUMNS.index("violated")]
    others = ("not measured", "not applicable")
    for row in every:
        assert int(row["applies"]) == sum(int(row[name]) for name in methods)
        assert int(row["drawn"]) == sum(int(row[name]) for name in ("applies", *others))
    assert 100 * total(every, "undecided") <= applies
    edged = [row for row in every if row["at an edge"] != "-"]
    assert 2 * total(edged, "at an edge") >= total(edged, "applies")


def total(rows, column):
    return sum(int(row[column]) for row in rows)


# ---- planted


def wrong_row():
    """A bound that is proved, a hundred times as sharp."""
    found = claim("fedplt/A2-bound/corrected")
    part = read(found, found.readings[0])[0]
    return Row(found, AS_PRINTED, replace(part, right=part.right - part.left - 1))


def test_a_false_claim_is_seen_to_be_violated_and_is_a_conflict(monkeypatch, tmp_path, capsys):
    wrong = wrong_row()
    monkeypatch.setattr(proved, "proved_rows", lambda theory, entries: (wrong,))
    arguments = ["--wanted", "5", "--out", str(tmp_path)]
    assert status(["alarms", wrong.claim.id, *arguments]) == 3
    (row,) = read_rows((tmp_path / "fedplt.md").read_text(encoding="utf-8")).values()
    assert row["applies"] == "5"
    assert int(row["violated"]) > 0
    assert '"instance": {' in capsys.readouterr().err


def test_an_older_table_is_told_from_a_new_one(monkeypatch):
    own = claim("fedplt/recursion")
    entries = (own.entry,)
    before = digest(entries)
    more = replace(own.parts[0], conditions=(Condition(tau, ">=", 2),))
    changed = replace(own, parts=(more, *own.parts[1:]))
    monkeypatch.setattr(proved, "encoded", lambda entry: changed)
    assert digest(entries) != before


# ---- how instances are had


def some(claim_id, wanted=20):
    found = claim(claim_id)
    part = read(found, found.readings[0])[0]
    return found, part, counted(found, part, (claim_id, "", ""), 1, wanted)


def test_the_same_seed_finds_the_same_and_another_seed_others():
    found, part, first = some("fedplt/alignment-interpretation", 4)
    key = (found.id, "", "")
    assert counted(found, part, key, 1, 4) == first
    assert any(counted(found, part, key, seed, 4) != first for seed in (2, 3))


def test_about_half_of_the_instances_are_at_an_edge():
    *_, found = some("fedplt/A2.4-substituted", 40)
    assert 15 <= found.at_edge <= 25


def test_what_is_called_a_ball_is_one_and_what_is_called_rational_too(monkeypatch):
    found = claim("meerkat/eq-12/corrected")
    named = found.parts[0].named
    kinds = set()

    def watched(case):
        measured = measure(case)
        kinds.update((case.method.name, type(x).__name__)
                     for name in named for x in measured.numbers.series[name][:1])  # fmt: skip
        return measured

    monkeypatch.setattr(counting, "measure", watched)
    some(found.id, 12)
    assert kinds == {("RATIONAL", "fmpq"), ("BALLS", "arb"), ("MOMENTS", "float64")}


def test_what_does_not_apply_is_counted_with_its_reason():
    found = claim("fedplt/A2.4-substituted")
    never = replace(found.parts[0], conditions=(Condition(tau, "<=", sp.S.Zero),))
    counts = counted(found, never, (found.id, "", ""), 1, 2)
    assert not counts.applicable
    assert counts.drawn == counts.outside.total() > 0
    assert any(why.startswith("tau <= # fails") for why in counts.outside)
    row = Row(found, AS_PRINTED, never)
    table = text("fedplt", 1, 2, "", [(row, counts)], [])
    assert f"- {found.id}, 0: " in table
    assert "tau <= # fails" in table


def test_a_part_about_vectors_is_looked_at_where_its_vectors_are():
    found = claim("fedplt/alpha")
    part = found.parts[0]
    every = sources(found, part)
    assert every
    assert all(part.scopes[0] in one.view.scopes for one in every)
    assert all(methods_of(part, one.view) == methods_of(part, one.view)[:1] for one in every)


def test_a_claim_without_a_proof_has_no_alarms(capsys):
    assert status(["alarms", "fedplt/A1"]) == 2
    assert "none of these claims of fedplt is proved" in capsys.readouterr().err
