"""The README's theorem is judged, and its table names the commands that exist.

The line of a run that it shows is looked at in `test_docs_code.py`.
"""

import re
from pathlib import Path

import pytest

from fedbounds.verify.commands import ELSEWHERE
from fedbounds.verify.commands.command_line import cli, status

README = Path(__file__).parents[1] / "README.md"


def test_the_theorem_of_25_lines_is_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (theorem,) = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.S)
    assert len(theorem.splitlines()) <= 26
    monkeypatch.chdir(tmp_path)
    Path("my_theorem.py").write_text(theorem, encoding="utf-8")
    assert status(["verify", "my_theorem.py", "--quick", "--laws", "--workers", "1"]) == 0
    told = capsys.readouterr().out
    assert told.count("kept: ") == 7
    assert re.search(r"me/rate .*proved from givens", told)
    assert re.search(r"me/round .*tested", told)


def test_every_command_is_in_the_table_and_no_other() -> None:
    named = set(re.findall(r"^\| `fedbounds (\w+)", README.read_text(encoding="utf-8"), re.M))
    assert named == {*cli.commands, *ELSEWHERE}
