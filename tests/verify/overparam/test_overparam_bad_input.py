"""Schedules, sizes and data that a claim or a formula cannot have: a line, or not applicable."""

import json
from dataclasses import replace

import pytest
from own_files import own_file
from own_folders import paper_as_folder

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.catalogue import paper
from fedbounds.theory.language.claims import Claim
from fedbounds.theory.language.registry import encoded
from fedbounds.theory.language.setups import Objective, Run
from fedbounds.theory.overparam import assumed
from fedbounds.theory.overparam.setups import PLANNED
from fedbounds.theory.overparam.views import VIEWS
from fedbounds.verify.commands.command_line import status
from fedbounds.verify.decide.case import Case
from fedbounds.verify.decide.measurement import measure
from fedbounds.verify.judge.judge import judge
from fedbounds.verify.setups.instance_file import from_data, to_data
from fedbounds.verify.setups.plan import case_of
from fedbounds.vocabulary import Method, Verdict

LINE, DRAWN = "one layer: one client, K=1 T=4", "one layer: 1 of 2 at random, K=1 T=4"
NARROW, RELU = "two layers, width 16: one client, K=2 T=3", "ReLU, two samples: both, K=1 T=3"
SCHEDULE = "a 0 or 1 for each of n = 2 clients, and a 1 at least once"


def planned(name, parameters=None, **data):
    """A planned set-up with other parameters or data of its problem."""
    one = next(own for own in PLANNED if own.name == name)
    run = one.setup.run
    given = {**dict(run.parameters), **(parameters or {})}
    problem = Objective(run.problem.family, tuple({**dict(run.problem.data), **data}.items()))
    changed = Run(problem, run.start, tuple(given.items()), run.rounds)
    return replace(one, setup=replace(one.setup, run=changed))


def case(one):
    return case_of(one, VIEWS[one.setup.view].runs)


IMPOSSIBLE = {
    "a third client": (planned(LINE, {"schedule": ((1, 0, 1),)}), SCHEDULE, "expected n = 2"),
    "a client twice": (planned(LINE, {"schedule": ((2, 0),)}), SCHEDULE, "at most 1"),
    "nobody": (planned(LINE, {"schedule": ((1, 0), (0, 0))}),
               r"row 1 of the schedule is \['0', '0'\]", "expected a 1 at least once"),
    "no round": (planned(LINE, {"schedule": ()}), "expected 2: rounds, clients", "at least 1"),
    "rows of other lengths": (planned(LINE, {"schedule": ((1, 0), (1,))}),
                              "rows of a parameter is not equally long", "expected n = 2"),
    "of neurons": (planned(RELU, {"schedule": ((1, 0, 1),)}), SCHEDULE, "expected n = 2"),
    "three of two": (planned(DRAWN, {"m": 3}), "m is 3; expected between 1 and n = 2", "at most n"),
    "none of two": (planned(DRAWN, {"m": 0}), "m is 0; expected between 1 and n = 2", "at least 1"),
    "no local step": (planned(LINE, {"K": 0}), "local steps K is 0; expected at least 1",
                      "at least 1"),
    "no width": (planned(NARROW, width=0), "width m is 0; expected at least 1", "at least 1"),
    "no depth": (planned(NARROW, depth=0), "depth L is 0; expected at least 1", "at least 1"),
}  # fmt: skip


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_what_cannot_be_is_told_in_a_line(name):
    one, told, _ = IMPOSSIBLE[name]
    with pytest.raises(FedboundsError, match=told) as error:
        measure(case(one))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_so_it_is_where_it_was_stored(name):
    one, _, told = IMPOSSIBLE[name]
    runs = VIEWS[one.setup.view].runs
    data = json.loads(json.dumps(to_data(Case("stored", runs, one.setup, Method.RATIONAL))))
    with pytest.raises(FedboundsError, match=told) as error:
        from_data(data)
    assert "\n" not in str(error.value)


def error_line(capsys, *arguments):
    """What a command ends with, whose exit status is 2."""
    code, found = status(list(arguments)), capsys.readouterr()
    assert code == 2
    (line,) = found.err.strip().splitlines()
    return line


OWN_STEP = """
    present = problem.scheduled(SCHEDULE, p["t"])
    y = problem.spread(state["x"])
    y = y - p["eta"] * problem.gradient(y)
    mean = problem.xp.sum(present[None, :, None] * y, axis=1) / problem.xp.sum(present)
    return {"x": mean}
"""


@pytest.mark.parametrize(
    ("rows", "said"),
    [("[[1, 0, 1]]", SCHEDULE), ("[[1, 0], [0, 0]]", "row 1 of the schedule is ['0', '0']")],
)
def test_a_file_of_ones_own_is_told_where_its_schedule_is_asked_for(tmp_path, capsys, rows, said):
    path = own_file(
        tmp_path, before=f"import numpy as np\nSCHEDULE = np.array({rows}, dtype=object)",
        draw="return {}", step=OWN_STEP, parameters='{"eta": ("1/(8*L)",)}',
        problems="quadratics(clients=(2,), dimensions=(1,))",
    )  # fmt: skip
    out = str(tmp_path / "out")
    line = error_line(capsys, "verify", path, "--quick", "--workers", "1", "--out", out)
    assert "mine.py:" in line
    assert said in line


NETWORK = """
from fedbounds.problems import to_rational
from fedbounds.problems.deep_linear import DeepLinear
import numpy as np
X = np.array([[[1.0, 0.0]], [[0.0, 1.0]]])
NETWORK = to_rational(DeepLinear(X, np.array([[[1.0]], [[2.0]]]), 2, WIDTH))
START = [1] * NETWORK.shared_dimension
"""
NETWORK_STEP = """
    after, _ = problem.averaged(state["x"], drawn["present"], p["eta"], p["K"])
    return {"x": after}
"""


@pytest.mark.parametrize(
    ("width", "m", "said"),
    [(0, 1, "width m is 0; expected at least 1"), (1, 3, "parameter 'm' is 3 where n = 2")],
)
def test_a_file_with_a_network_is_told_its_sizes(tmp_path, capsys, width, m, said):
    path = network_file(tmp_path, width, m)
    out = str(tmp_path / "out")
    line = error_line(capsys, "verify", path, "--quick", "--workers", "1", "--out", out)
    assert said in line


def network_file(folder, width, m):
    return own_file(
        folder, before=NETWORK.replace("WIDTH", str(width)), step=NETWORK_STEP,
        parameters=f'{{"m": ({m},), "K": (1,), "eta": ("1/10",)}}', problems="[(NETWORK, START)]",
        body='me.claim("a", "f(t+1) <= f(t)")',
    )  # fmt: skip


def test_a_file_with_a_network_is_judged(tmp_path, capsys):
    out = tmp_path / "out"
    path = network_file(tmp_path, 1, 2)
    assert status(["verify", path, "--quick", "--workers", "1", "--out", str(out)]) == 0
    told = capsys.readouterr().out
    assert "tested" in told
    assert "not violated" in told


def test_a_folder_of_ones_own_is_told_too(tmp_path, capsys):
    folder = paper_as_folder("overparam", tmp_path)
    file = tmp_path / "own_overparam" / "setups.py"
    text = file.read_text("utf-8")
    file.write_text(
        text.replace("_ONE, _BOTH, _TURNS = ((1, 0),)", "_ONE, _BOTH, _TURNS = ((0, 0),)")
    )
    out = str(tmp_path / "out")
    line = error_line(
        capsys, "verify", f"{folder}::eq-17", "--quick", "--workers", "1", "--out", out
    )
    assert SCHEDULE in line


# ---- what a claim does not speak of


def outcomes(one):
    """Of every claim about the set-up's algorithm, by claim and part."""
    every = (encoded(found) for found in paper("overparam").entries if found.module)
    claims = [own for own in every if isinstance(own, Claim)]
    judged = judge(claims, case(one)).judgements
    return {
        (own.claim.id.partition("/")[2], found.part): found
        for own in judged
        for found in own.outcomes
    }


DEPENDENT = {
    "one twice the other": ((((1, 0),), ((2, 0),)), (((1,),), ((2,),))),
    "and without a fit": ((((1, 0),), ((2, 0),)), (((1,),), ((1,),))),
    "nothing": ((((0, 0),), ((0, 0),)), (((1,),), ((1,),))),
}


@pytest.mark.parametrize("name", DEPENDENT)
def test_of_dependent_samples_bounds_do_not_speak_and_identities_hold(name):
    features, targets = DEPENDENT[name]
    found = outcomes(planned(LINE, features=features, targets=targets))
    for key in (("thm-iv.2", "any sequence"), ("term-1", ""), ("hyp-A", "everyone")):
        assert found[key].verdict is Verdict.NOT_APPLICABLE
        assert assumed.INDEPENDENT in found[key].reason
    assert found["eq-17", ""].verdict is Verdict.NOT_VIOLATED
    assert Verdict.VIOLATED not in {own.verdict for own in found.values()}


PARALLEL = {
    "one twice the other": (((1, 0),), ((2, 0),)),
    "a sample that is 0": (((1, 0),), ((0, 0),)),
}


@pytest.mark.parametrize("name", PARALLEL)
def test_of_parallel_samples_what_divides_by_lambda_does_not_speak(name):
    found = outcomes(planned(RELU, features=PARALLEL[name]))
    for key in (("eq-70", "first"), ("thm-iv.3", "everyone"), ("lemma-a8", "(71)")):
        assert found[key].verdict is Verdict.NOT_APPLICABLE
        assert found[key].reason.startswith("no samples are parallel, lambda > 0")
    assert found["eq-49", ""].verdict is Verdict.NOT_VIOLATED
    assert Verdict.VIOLATED not in {own.verdict for own in found.values()}


def test_samples_that_point_away_from_each_other_are_not_parallel():
    found = outcomes(planned(RELU, features=(((1, 0),), ((-1, 0),))))
    assert not [own for own in found.values() if own.reason and "parallel" in own.reason]


def test_a_width_below_the_conditions_is_told_with_both_sides():
    found = outcomes(planned(NARROW))
    told = found["thm-iv.2", "any sequence"]
    assert told.verdict is Verdict.OUTSIDE
    assert told.reason.startswith("width >= ")
    assert told.reason.endswith("fails: 16 against 384")


def test_a_bound_is_refused_where_the_width_is_too_small(capsys):
    values = {"n": 2, "depth": 2, "width": 10, "d_out": 1, "s_min2": 1, "s_max2": 1, "rank": 2,
              "w_star2": 2, "P_min": 1, "R_0": 1, "C_B": 2, "X_F2": 2, "K": 1, "S_least": 2, "C_w": 1, "chance": "1/10",
              "eta": "1/1000", "R_2(0)": 1, "t": 3}  # fmt: skip
    given = [word for name, value in values.items() for word in ("--set", f"{name}={value}")]
    line = error_line(
        capsys, "bound", "overparam/thm-iv.2", "--reading", "every client in every round", *given
    )
    assert "width >= " in line
    assert "fails: 10 against" in line
