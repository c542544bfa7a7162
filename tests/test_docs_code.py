"""What pages show was printed: their Python runs, their commands print what stands below them.

A block of Python, or one command, is followed by a line that begins with "prints" and by a block of
text. Lines may be broken there, blanks are counted once, and "..." stands for what is left out.
"""

import re
import runpy
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

import fedbounds as fb
from fedbounds.theory.language import contributed
from fedbounds.verify.commands.command_line import status
from fedbounds.verify.own import known
from fedbounds.verify.page.overview import print_overview

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
BLOCK = re.compile(
    r"^```(\w+)\n(.*?)^```\n(?:\nprints[^`]*?\n\n^```text\n(.*?)^```\n)?", re.S | re.M
)
FINDING = re.compile(r"^  (?:refuted|unsatisfiable|gap) (\S+) \(.*$", re.M)
SCREEN = "fedplt"  # the paper of which the pages show lines of the screen


def blocks(text: str) -> Iterator[tuple[str, str, str]]:
    """Language and text of each block, and what it is said to print, if anything."""
    for found in BLOCK.finditer(text):
        yield found[1], found[2], found[3] or ""


def differs(shown: str, printed: str) -> str:
    """The first piece of what is shown that is not printed, in its order; empty if all are."""
    rest = " ".join(printed.split())
    for piece in filter(str.strip, shown.split("...")):
        words = " ".join(piece.split())
        _, found, rest = rest.partition(words)
        if not found:
            return words
    return ""


def printed_by(python: str, names: dict[str, object]) -> str:
    """What a block prints; its names are kept for the next one."""
    out = StringIO()
    with redirect_stdout(out):
        exec(compile(python, "<page>", "exec"), names)
    return out.getvalue()


def test_what_is_not_printed_is_seen() -> None:
    assert differs("a ... c\nd", "a b c   d e") == ""
    assert differs("a ... d\nc", "a b c d") == "d c"
    page = "```python\nx\n```\n\nprints, among others,\n\n```text\n1\n```\n\n```text\n2\n```\n"
    assert list(blocks(page)) == [("python", "x\n", "1\n"), ("text", "2\n", "")]


@pytest.mark.slow  # the last block replays proofs of `submodel`
def test_the_notebook_page_prints_what_it_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, store in ((contributed, "_KNOWN"), (known, "_LOADED")):
        monkeypatch.setattr(module, store, {})  # what a fixture of other tests keeps is no paper
    names: dict[str, object] = {}
    found = [
        x for x in blocks((DOCS / "notebook.md").read_text(encoding="utf-8")) if x[0] == "python"
    ]
    assert len(found) == 8
    for _, python, shown in found:
        assert shown
        assert not differs(shown, printed_by(python, names))


def test_the_page_of_property_tests(tmp_path: Path) -> None:
    found = list(blocks((DOCS / "property_tests.md").read_text(encoding="utf-8")))
    law, file, mistake = [(x, shown) for kind, x, shown in found if kind == "python"]
    assert printed_by(law[0], {}) == ""
    assert not differs(mistake[1], printed_by(mistake[0], {}))
    assert mistake[1]
    (tmp_path / "test_fedavg.py").write_text(file[0], encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", str(tmp_path)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout
    assert file[0].count("def test_") == 4
    assert "9 passed" in done.stdout


@pytest.mark.slow
def test_findings_and_commands_print_what_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    pages = [ROOT / "README.md", DOCS / "first_steps.md", DOCS / "review_a_paper.md"]
    texts = [page.read_text(encoding="utf-8") for page in pages]
    lines = {line[1]: line[0] for text in texts for line in FINDING.finditer(text)}
    assert len(lines) >= 3
    ids = [entry.id for entry in fb.claims(SCREEN)]
    wanted = {f"{name}{more}" for name in lines for more in ("", "/corrected")}
    assert status(["verify", *(x for x in ids if x in wanted), "--quick", "--workers", "1"]) == 0
    screen = Console(file=StringIO(), width=200)
    print_overview(screen, fb.results().document, {})
    for line in lines.values():
        assert line in screen.file.getvalue().splitlines()

    commands = 0
    capsys.readouterr()
    for text in texts:
        for kind, typed, shown in blocks(text):
            if kind == "text" and shown:
                assert not differs(shown, what_is_typed(typed, capsys)), typed
                commands += 1
    assert commands == 4


def what_is_typed(typed: str, capsys: pytest.CaptureFixture[str]) -> str:
    """What the commands of a block print; a witness is kept in a file, and run."""
    for line in typed.splitlines():
        words, _, file = line.partition(" > ")
        if words.startswith("python3 "):
            runpy.run_path(words.split()[1], run_name="__main__")
        else:
            assert status(words.split()[1:]) == 0
        printed = capsys.readouterr().out
        if file:
            Path(file).write_text(printed, encoding="utf-8")
    return printed
