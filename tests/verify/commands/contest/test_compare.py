"""The command `compare`: tables, files and one-line errors."""

import csv
import json
from io import StringIO

import pytest

from fedbounds.verify.commands.command_line import status

SMALL = (
    "compare", "FedAvg-P", "Scaffold-P", "--n", "3", "--b2", "0,4", "--K", "2", "--m", "1,3",
    "--eps", "0.1",
)  # fmt: skip
BOUNDS = (
    "compare", "personalization/thm-3.7", "personalization/thm-4.5", "--over", "K=1:6", "--over",
    "m=1:4", "--set", "n=4", "--set", "L=1", "--set", "F_0=1", "--set", "sigma_u2=1", "--set",
    "sigma_v2=1", "--set", "b2=100", "--set", "T=1000",
)  # fmt: skip


def test_algorithms_as_a_table(capsys):
    assert status(list(SMALL)) == 0
    out = capsys.readouterr().out
    assert "predicted FedAvg-P" in out
    assert "measured: exact expectation (float64)" in out
    assert "personalization/thm-3.7" in out


def test_every_number_is_in_the_data(capsys):
    assert status([*SMALL, "--format", "csv"]) == 0
    rows = list(csv.DictReader(StringIO(capsys.readouterr().out)))
    assert len(rows) == 2 * 2 * 2
    assert {row["provenance"] for row in rows} == {"exact expectation (float64)"}
    for row in rows:
        assert int(row["rounds"]) <= int(row["claim_says"])
        # what is run has few digits, and is no longer than what the theorem admits
        assert 0 <= float(row["claim_step"]) - float(row["step"]) < 2e-6 * float(row["step"])


def test_never_is_counted_and_shown(capsys):
    assert status([*SMALL, "--limit", "5"]) == 0
    out = capsys.readouterr().out
    assert "> 5" in out
    assert "not within 5 rounds, 8 runs" in out


def test_sampled_rounds_are_estimates(capsys):
    arguments = [*SMALL[:3], "--problem", "cosine", "--n", "3", "--b2", "4", "--K", "1", "--m", "1"]
    assert status([*arguments, "--replicas", "16", "--limit", "40"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "measured: estimate (sampled), 16 replicas on common random numbers" in out


@pytest.mark.parametrize("arguments", [SMALL, BOUNDS])
@pytest.mark.parametrize("suffix", ["svg", "pdf", "png"])
def test_figures_are_the_same_bytes_each_time(tmp_path, capsys, arguments, suffix):
    names = [tmp_path / f"{i}.{suffix}" for i in range(2)]
    for name in names:
        assert status([*arguments, "--figure", str(name), "--csv", str(tmp_path / "d.csv")]) == 0
    assert names[0].read_bytes() == names[1].read_bytes()
    assert len(names[0].read_bytes()) > 1000
    assert (tmp_path / "d.csv").read_text().count("\n") > 8
    assert f"figure: {names[1]}" in capsys.readouterr().out


def test_bounds_as_a_table_and_as_data(capsys):
    assert status(list(BOUNDS)) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "smaller bound points share" in out
    assert "the best admissible step size at every point" in out
    assert status([*BOUNDS, "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert len(rows) == 24
    for row in rows:
        first, second = row["personalization/thm-3.7"], row["personalization/thm-4.5"]
        assert row["smaller"] == f"personalization/thm-{'3.7' if first < second else '4.5'}"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["FedAvg-P"],
            "number of names is 1; expected two algorithms (FedAvg-P, Scaffold-P), or two claims",
        ),
        (["FedAvg-P", "Scafold-P"], "unknown algorithm 'Scafold-P'; the nearest are Scaffold-P"),
        (["FedAvg-P", "FedAvg-P"], "expected each named once"),
        (["FedAvg-P", "personalization/thm-3.7"], "expected algorithms or claims alone"),
        (["FedAvg-P", "Scaffold-P", "--b2", "-1"], "is -1.0; expected a finite number >= 0"),
        (["FedAvg-P", "Scaffold-P", "--b2", "nan"], "is nan; expected a finite number >= 0"),
        (["FedAvg-P", "Scaffold-P", "--m", "11"], "participants m is 11; expected between 1 and"),
        (["FedAvg-P", "Scaffold-P", "--K", "0"], "local steps K is 0; expected at least 1"),
        (["FedAvg-P", "Scaffold-P", "--K", "1.5"], "--K is '1.5'; expected whole numbers"),
        (["FedAvg-P", "Scaffold-P", "--eps", "0"], "eps is 0.0; expected a finite number > 0"),
        (["FedAvg-P", "Scaffold-P", "--step", "1"], "expected --steps equal"),
        (["FedAvg-P", "Scaffold-P", "--set", "n=1"], "--set is for comparing claims"),
        (["FedAvg-P", "Scaffold-P", "--figure", "a.gif"], "is .gif; expected .pdf, .svg, .png"),
        (["FedAvg-P", "Scaffold-P", "--figure", "no/a.pdf"], "no folder 'no'"),
        (
            ["FedAvg-P", "Scaffold-P", "--csv", "no/a.csv"],
            "no folder 'no'; expected one that exists",
        ),
        (["FedAvg-P", "Scaffold-P", "--heterogeneity", "1"], "is for logistic data"),
        (["FedAvg-P", "Scaffold-P", "--problem", "logistic", "--b2", "1"], "--heterogeneity"),
        (["FedAvg-P", "Scaffold-P", "--problem", "cosine", "--b2", "0"], "at least 0.25"),
        (["personalization/thm-3.7", "personalization/thm-4.6"], "unknown claim"),
        (["personalization/thm-3.7", "personalization/thm-4.5", "--b2", "1"], "for comparing algo"),
        (["personalization/thm-3.7", "personalization/table-2"], "it has no bound to compare"),
        (["personalization/thm-3.7"] * 2, "expected two different ones"),
        ([*BOUNDS[1:], "--over", "m=1:2"], "--over m is given twice; expected one value"),
    ],
)
def test_bad_input_is_one_line(capsys, arguments, said):
    assert status(["compare", *arguments]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.startswith("fedbounds: ")
    assert error.count("\n") == 1
