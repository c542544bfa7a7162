"""`fedbounds certificates` writes what the checker of the package accepts, and another could."""

import json

import pytest

from fedbounds.theory.checker.__main__ import main
from fedbounds.theory.checker.recheck import multiplied_out
from fedbounds.verify.commands.command_line import status


@pytest.fixture(params=["a claim", "a file"])
def name(request, tmp_path):
    """A claim of a paper, and a file of one's own."""
    if request.param == "a claim":
        return "fedplt/gamma-relax"
    assert status(["new", str(tmp_path / "own.py")]) == 0
    return str(tmp_path / "own.py")


def test_what_is_written_is_accepted(name, tmp_path, capsys):
    path = tmp_path / "c.json"
    assert status(["certificates", name, "--out", str(path)]) == 0
    assert f"certificates: {path}" in capsys.readouterr().out
    (book,) = json.loads(path.read_text(encoding="utf-8")).values()
    assert multiplied_out(book) == book
    rules = {row["certificate"]["rule"] for row in book["steps"] if row["certificate"]}
    assert rules & {"combine", "induction"}
    assert main([str(path)]) == 0


def test_a_claim_without_a_proof_is_refused_by_name(tmp_path, capsys):
    path = tmp_path / "c.json"
    assert status(["certificates", "personalization/exp-setup", "--out", str(path)]) == 2
    assert "personalization/exp-setup has no proof" in capsys.readouterr().err
    assert not path.exists()
