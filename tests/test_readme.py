"""The README's Python runs, and its table names the commands that exist."""

import re
from pathlib import Path

import pytest

from fedbounds.verify.commands import ELSEWHERE
from fedbounds.verify.commands.command_line import cli, status

README = Path(__file__).parents[1] / "README.md"


def printed(number: int, capsys: pytest.CaptureFixture[str]) -> str:
    """What an example of the README prints."""
    examples = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.S)
    exec(compile(examples[number], "README.md", "exec"), {})
    return capsys.readouterr().out


def test_an_instance_of_ones_own_prints_a_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    verdict, tightness = printed(2, capsys).rsplit(maxsplit=1)
    assert verdict == "not violated"
    assert 0 < float(tightness) < 1


def test_a_masked_run_prints_standings(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [line.split() for line in printed(3, capsys).splitlines()]
    assert [row[0] for row in rows] == ["submodel/lem-4", "submodel/thm-1"]
    for _, *words, tightness in rows:
        assert " ".join(words) == "proved from givens"
        assert 0 < float(tightness) <= 1


def test_the_theorem_of_25_lines_is_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    theorem = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.S)[0]
    assert len(theorem.splitlines()) <= 26
    monkeypatch.chdir(tmp_path)
    Path("my_theorem.py").write_text(theorem, encoding="utf-8")
    assert status(["verify", "my_theorem.py", "--quick", "--laws", "--workers", "1"]) == 0
    told = capsys.readouterr().out
    assert told.count("kept: ") == 7
    assert re.search(r"me/rate .*proved from givens", told)
    assert re.search(r"me/round .*tested", told)


def test_the_law_of_somebody_elses_server_holds(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(1, capsys) == ""


def test_every_command_is_in_the_table_and_no_other() -> None:
    named = set(re.findall(r"^\| `fedbounds (\w+)", README.read_text(encoding="utf-8"), re.M))
    assert named == {*cli.commands, *ELSEWHERE}
