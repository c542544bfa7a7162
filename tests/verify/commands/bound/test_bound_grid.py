"""Grids against the exact evaluation, row by row; what a grid refuses."""

import csv

import numpy as np
import pytest

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.registry import claim
from fedbounds.theory.language.values import number
from fedbounds.verify.commands.bound.answer import answers
from fedbounds.verify.commands.bound.grid import grid, write_grid

THM_37 = "personalization/thm-3.7"
GIVEN = {"n": 60, "m": 6, "L": "1/3", "F_0": 1, "sigma_u2": 1, "sigma_v2": 2, "b2": 1}
COUPLED = {"n": 10, "K": 2, "L": 1, "n_s": 5}
MASKS = {"n": 10, "K": 2, "L": 1, "mu": "1/10", "p_mean": "1/2", "D_opt(0)": 1} | {
    "zeta_star2": 1, "nu_star2": 1, "sigma2": 1
}  # fmt: skip
CASES = [
    (THM_37, "", {**GIVEN, "gamma": "1/1000"}, {"K": "1:7", "T": "10:1000:4:log"}),
    (THM_37, "", GIVEN, {"K": "1:9:3", "T": "10:100000:4:log"}),
    (THM_37, "", {**GIVEN, "T": 500, "K": 3}, {"b2": "0:10:5"}),
    ("personalization/cor-3.8", "", {**GIVEN, "T": 500}, {"K": "1:4", "sigma_u2": "1/8:3:3"}),
    ("personalization/thm-4.5", "", {k: v for k, v in GIVEN.items() if k not in ("m", "b2")},
     {"m": "1:60:5", "K": "2:20:2", "T": "50:5000:3"}),
    ("submodel/thm-1", "distance", {**MASKS, "eta": "1/100"}, {"t": "0:1000:6"}),
    ("submodel/thm-2", "mean",
     {"n": 10, "L": 1, "T": 100, "sigma2": 1, "B2": 1, "nu2": 1, "Phi": 1}, {"K": "1:9:3"}),
    ("submodel/thm-5", "b", {**COUPLED, "eta": "1/50", "sigma2": 1, "B2": 1, "nu2": 1, "Phi": 1},
     {"t": "1:9:3"}),
    ("fedplt/decaying-step", "C of the base case", {"z": "1/2", "B_step": 1, "D_0": 1},
     {"t": "0:5"}),
]  # fmt: skip


SPELT = {"sigma_u2": "sigma_u^2", "b2": "b^2"}


@pytest.mark.parametrize(("claim_id", "part", "given", "axes"), CASES)
def test_every_row_is_the_exact_bound(claim_id, part, given, axes):
    theorem = claim(claim_id)
    given = {name: value for name, value in given.items() if name not in axes}
    reading = next((r.name for r in theorem.readings if part in r.parts), "")
    found = grid(theorem, given, axes, reading=reading, part=part)
    assert not any(found.conditions)
    rows = list(zip(*found.columns, strict=True))
    assert len(rows) >= 2
    for row in rows:
        inputs = dict(zip(found.header, row, strict=True))
        here = {name: inputs[SPELT.get(name, name)] for name in axes}
        (answer,) = answers(theorem, {**given, **here}, reading=reading, part=part).parts
        exact = [*(term.value for term in answer.value.terms), answer.value.value]
        for value, expected in zip(row[-len(exact) :], exact, strict=True):
            # terms at a step within 1e-14 of the best one; the bound there is flat
            assert value == pytest.approx(float(expected), rel=1e-11, abs=1e-15)
        if answer.step is not None:
            at = number(answer.step.value, answer.value.inputs.values)
            assert row[found.header.index(answer.step.name)] == pytest.approx(float(at), rel=1e-12)


def test_rows_outside_the_conditions_are_empty_and_say_why():
    given = {**GIVEN, "L": 1, "T": 100, "gamma": "1/320"}
    found = grid(claim(THM_37), given, {"K": "8:12"})
    fails = ["gamma <= 1/(32*K*L)" if K > 10 else "" for K in range(8, 13)]
    assert found.conditions == fails  # K = 10 is at the edge, decided in rationals
    assert [bool(np.isnan(value)) for value in found.columns[-1]] == [bool(text) for text in fails]
    open_ = grid(claim(THM_37), given, {"K": "8:12"}, outside=True)
    assert np.isfinite(open_.columns[-1]).all()
    assert open_.conditions == fails


@pytest.mark.parametrize("third", ["1/96", "0.010416666666666666", "0.010416666666666668"])
def test_an_edge_that_no_float_holds_is_decided_in_rationals(third):
    given = {**GIVEN, "L": 1, "T": 100, "gamma": third}
    found = grid(claim(THM_37), given, {"K": "3:3"})
    assert bool(found.conditions[0]) == (third == "0.010416666666666668")


def test_more_sampled_than_clients_is_told_per_row():
    given = {k: v for k, v in GIVEN.items() if k != "m"}
    found = grid(claim(THM_37), {**given, "T": 100, "K": 2}, {"m": "59:61"})
    assert found.conditions == ["", "", "m <= n"]
    assert np.isnan(found.columns[-1][2])


def test_the_file_is_plain_csv(tmp_path):
    path = tmp_path / "grid.csv"
    given = {**GIVEN, "T": 100, "gamma": "1/1000"}
    write_grid(claim(THM_37), given, {"K": "1:3"}, path, reading="", part=None, outside=False)
    rows = list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
    assert [row["K"] for row in rows] == ["1", "2", "3"]
    assert rows[0]["L"] == repr(1 / 3)
    total = sum(float(rows[2][name]) for name in ("transient", "noise", "heterogeneity"))
    assert float(rows[2]["bound"]) == pytest.approx(total)
    assert rows[0]["fails"] == ""


@pytest.mark.parametrize(
    ("axes", "said"),
    [
        ({"K": "1"}, "expected LOW:HIGH"),
        ({"K": "1:2:3:4"}, "expected LOW:HIGH"),
        ({"K": "5:1"}, "expected LOW <= HIGH"),
        ({"K": "0:5"}, "K .* is 0; expected an integer > 0"),
        ({"K": "1:5:1"}, "COUNT is 1; expected an integer >= 2"),
        ({"K": "1:10000000"}, "expected at most 1000000"),
        ({"K": "1:2000", "T": "1:2000"}, "4000000 rows"),
        ({"K": "1:4", "gamma": "1/1000:1/500"}, "LOW:HIGH:COUNT"),
        ({"K": "1:4", "b2": "0:1:3:log"}, "LOW > 0 for a log scale"),
        ({"K": "1:4", "n": "1:4"}, "n is given by --set and by --grid"),
        ({"k": "1:4"}, "unknown symbol"),
        ({"gamma": "1/1000:1/500:2"}, "needs K"),
    ],
)  # fmt: skip
def test_bad_axes_are_told(axes, said):
    given = {**GIVEN, "T": 10} if "T" not in axes else GIVEN
    given = {k: v for k, v in given.items() if k != "b2" or "b2" not in axes}
    with pytest.raises(FedboundsError, match=said):
        grid(claim(THM_37), given, axes)


def test_several_parts_need_a_choice():
    given = {**COUPLED, "eta": "1/50", "G": 1, "G_m": 1}
    with pytest.raises(FedboundsError, match="needs one part of submodel/thm-5: --part .*'a'"):
        grid(claim("submodel/thm-5"), given, {"t": "1:5"})


def test_a_step_is_chosen_only_for_sums_of_powers():
    with pytest.raises(FedboundsError, match="--grid chooses no eta"):
        grid(claim("submodel/thm-1"), MASKS, {"t": "1:5"}, part="distance")
