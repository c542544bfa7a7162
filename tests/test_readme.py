"""The README's Python runs, and its table names the commands that exist."""

import re
from pathlib import Path

import pytest

from fedbounds.verify.command_line import cli

README = Path(__file__).parents[1] / "README.md"


def printed(number: int, capsys: pytest.CaptureFixture[str]) -> str:
    """What an example of the README prints."""
    examples = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.S)
    exec(compile(examples[number], "README.md", "exec"), {})
    return capsys.readouterr().out


def test_the_first_example_prints_a_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    verdict, tightness = printed(0, capsys).rsplit(maxsplit=1)
    assert verdict == "not violated"
    assert 0 < float(tightness) < 1


def test_the_second_example_prints_standings(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [line.split() for line in printed(1, capsys).splitlines()]
    assert [row[0] for row in rows] == ["submodel/lem-4", "submodel/thm-1"]
    assert all(row[1] == "confirmed" and 0 < float(row[2]) <= 1 for row in rows)


def test_every_command_is_in_the_table_and_no_other() -> None:
    named = set(re.findall(r"^\| `fedbounds (\w+)", README.read_text(encoding="utf-8"), re.M))
    assert named == set(cli.commands)
