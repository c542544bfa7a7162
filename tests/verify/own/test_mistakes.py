"""Four deliberate mistakes in the template: what is refuted, with which witness, and which law."""

import subprocess
import sys
from fractions import Fraction

import pytest

from fedbounds.verify.commands.command_line import status
from fedbounds.verify.results.results_file import read_document
from fedbounds.verify.setups.script_lines_of import TEMPLATES

SMALL = "    problems=quadratics(clients=(1, 2), dimensions=(1,)),\n"
# what is changed; the standings of lemma and theorem; the laws that break
MISTAKES = {
    "none": (("", ""), {"round": "tested", "rate": "proved from givens"}, []),
    "the sign of the control variate": (
        ("+ control +", "- control +"),
        {"round": "refuted", "rate": "refuted"},
        ["control variates"],
    ),
    "participants with replacement": (
        ("random.participants(", "random.participants_with_replacement("),
        {"round": "refuted", "rate": "gap"},
        ["reduction to SGD at K = 1 and full participation"],
    ),
    "one local step too few": (
        ('range(p["K"])', 'range(p["K"] - 1)'),
        {"round": "refuted", "rate": "refuted"},
        [
            "reduction to SGD at K = 1 and full participation",
            "K local steps",
            "control variates",
        ],
    ),
    "a halved constant": (
        ("**t*D_W(0) +", "**t*D_W(0)/2 +"),
        {"round": "tested", "rate": "refuted"},
        [],
    ),
    "a halved constant of the lemma": (
        ("eta**2*K*sigma2/m", "eta**2*K*sigma2/(2*m)"),
        {"round": "refuted", "rate": "gap"},
        [],
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_each_is_told_as_what_it_is(tmp_path, capsys, mistake):
    (old, new), standings, broken = MISTAKES[mistake]
    text = TEMPLATES.get_template("my_theorem.py.txt").render(file="mine.py", key="me")
    assert old in text
    text = text.replace(old, new) if old else text
    text = text.replace("import Algorithm", "import quadratics, Algorithm")
    text = text.replace('    laws=["control', SMALL + '    laws=["control')
    path, out = tmp_path / "mine.py", tmp_path / "out"
    path.write_text(text, encoding="utf-8")
    code = status(["verify", str(path), "--laws", "--quick", "--workers", "1", "--out", str(out)])
    shown = capsys.readouterr()
    assert code == 0, shown.err
    laws = [line.strip() for line in shown.out.splitlines()]
    assert [x for x in laws if x.startswith("broken: ")] == [f"broken: {law}" for law in broken]
    assert sum(x.startswith("kept: ") for x in laws) == 7 - len(broken)
    claims = read_document(out / "results.json")["claims"]  # what it says follows from the rest
    assert {name[3:]: row["standing"] for name, row in claims.items()} == standings
    for name, standing in standings.items():
        (reading,) = claims[f"me/{name}"]["readings"]
        assert (reading["witness"] is not None) is (standing == "refuted")
        if standing == "refuted":
            done = subprocess.run(
                [sys.executable, "-I", str(out / reading["witness"])],
                capture_output=True,
                text=True,
            )
            assert done.returncode == 0, done.stderr
            assert Fraction(done.stdout.splitlines()[0].split()[-1]) < 0
