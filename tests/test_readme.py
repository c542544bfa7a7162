"""The README's Python runs, and its table names the commands that exist."""

import re
from pathlib import Path

import pytest

from fedbounds.verify.command_line import cli

README = Path(__file__).parents[1] / "README.md"


def test_the_example_runs_and_prints_a_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.S)
    exec(compile(example, "README.md", "exec"), {})
    verdict, tightness = capsys.readouterr().out.rsplit(maxsplit=1)
    assert verdict == "not violated"
    assert 0 < float(tightness) < 1


def test_every_command_is_in_the_table_and_no_other() -> None:
    named = set(re.findall(r"^\| `fedbounds (\w+)", README.read_text(encoding="utf-8"), re.M))
    assert named == set(cli.commands)
