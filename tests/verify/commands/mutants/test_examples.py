"""Tables of mutants of the examples: as old as the files, and made again."""

import random
from pathlib import Path

import pytest

from fedbounds.verify.commands.mutants.algorithms import Slip
from fedbounds.verify.commands.mutants.command import counted
from fedbounds.verify.commands.mutants.of_file import of_algorithm
from fedbounds.verify.commands.mutants.table import from_text, theory_digest
from fedbounds.verify.own.examples import EXAMPLE
from fedbounds.verify.own.known import theory_of
from fedbounds.verify.own.load import load

FOLDER = Path(__file__).parents[4] / "benchmarks" / "examples"
WRITTEN = {path.stem: path for path in sorted(FOLDER.glob("*.tsv"))}
LEAST = 200  # mutants in all
SEED, DRAWN = 19, 4
CHEAP = ("decreasing_sgd", "l_svrg", "scaffnew")  # whose quick plan takes a second


@pytest.fixture(scope="module")
def tables():
    return {name: from_text(path.read_text("utf-8")) for name, path in WRITTEN.items()}


@pytest.mark.parametrize("name", WRITTEN)
def test_a_table_is_as_old_as_the_file(name, tables):
    load(EXAMPLE + name)
    found = tables[name]
    assert found.command == f"fedbounds mutants {EXAMPLE}{name} --seed 0"
    assert found.theory == theory_digest(name), f"run: {found.command} --out benchmarks/examples"


def test_there_are_many_and_none_is_proved_and_violated(tables):
    assert sum(len(table.lines) for table in tables.values()) >= LEAST
    assert (FOLDER / "counts.md").read_text("utf-8") == counted(tables)
    outcomes = {line.outcome for table in tables.values() for line in table.lines}
    assert "proved and violated" not in outcomes
    assert "caught by measurement" in outcomes


def test_some_changes_of_an_algorithm_are_made_again(tables):
    chance = random.Random(SEED)
    name = chance.choice([one for one in CHEAP if one in tables])
    load(EXAMPLE + name)
    slips = {one.value for one in Slip}
    own = [line for line in tables[name].lines if line.operator in slips]
    drawn = chance.sample(own, DRAWN)
    again = {
        (line.claim, line.operator, line.change): line.outcome
        for line in of_algorithm(theory_of(name), {line.change for line in drawn})
    }
    for line in drawn:
        assert again[line.claim, line.operator, line.change] == line.outcome
