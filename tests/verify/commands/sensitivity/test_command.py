"""``fedbounds sensitivity``: what it writes, and one line for bad input."""

import json

import pytest

from fedbounds.verify.commands.command_line import status
from fedbounds.verify.commands.sensitivity import rows
from fedbounds.verify.commands.sensitivity.row import Row

ROW = Row("fedplt/A2.1", "c", "constant", "2", "right side", "L", "best possible", "2", "exact",
          "below 2", "exact rationals: one")  # fmt: skip


@pytest.fixture
def quick(monkeypatch):
    """The table itself is tested elsewhere."""
    monkeypatch.setattr(rows, "sensitivity", lambda claim, seed: (ROW,))


def test_files_and_forms(quick, tmp_path, capsys):
    out, file = tmp_path / "new" / "folder", tmp_path / "rows.csv"
    assert status(["sensitivity", "fedplt/A2.1", "--out", str(out), "--csv", str(file)]) == 0
    assert {path.name for path in out.iterdir()} == {
        f"sensitivity.{x}" for x in ("csv", "tex", "json")
    }
    assert file.read_text() == (out / "sensitivity.csv").read_text()
    assert "below 2" in capsys.readouterr().out
    assert status(["sensitivity", "fedplt/A2.1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["proved"] == "2"
    assert status(["sensitivity", "fedplt/A2.1", "--latex"]) == 0
    assert capsys.readouterr().out.startswith(r"\begin{tabular}")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["fedplt/A2.2"], "unknown claim 'fedplt/A2.2'; the nearest are"),
        (["fedplt/psi"], "fedplt/psi is a definition"),
        (["fedplt/A1"], "fedplt/A1 is of kind assumption, without a formula"),
        (["fedplt/A2.1", "--json", "--latex"], "--latex and --json exclude each other"),
        (["fedplt/A2.1", "--out", "FILE/x"], "is no folder"),
    ],
)
def test_bad_input_is_one_line(arguments, said, tmp_path, capsys):
    (tmp_path / "FILE").write_text("")
    given = [text.replace("FILE", str(tmp_path / "FILE")) for text in arguments]
    assert status(["sensitivity", *given]) == 2
    err = capsys.readouterr().err
    assert said in err
    assert err.count("\n") == 1
