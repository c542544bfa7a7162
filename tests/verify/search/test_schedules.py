"""Schedules are searched: who takes part in which round is an answer like any other."""

import json
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from flint import arb, fmpq
from hypothesis import given
from hypothesis import strategies as st

from fedbounds.theory.language.claims import AS_PRINTED, Condition
from fedbounds.theory.language.registry import claim
from fedbounds.theory.language.symbols import eta, t
from fedbounds.theory.overparam.symbols import R_2, S_size, s_max2
from fedbounds.verify.commands.hunt import replay
from fedbounds.verify.decide.measurement import measure
from fedbounds.verify.judge.judge import judge_reading
from fedbounds.verify.search.explore import case_of
from fedbounds.verify.search.seeking import Asking, spaces
from fedbounds.verify.search.tape import Tape, moved
from fedbounds.verify.search.tightest import as_summary, tightest
from fedbounds.verify.search.witness import find_witness
from fedbounds.verify.setups.inside import steps_inside
from fedbounds.verify.setups.instance_file import from_data, to_data
from fedbounds.vocabulary import Verdict

THEOREM = claim("overparam/thm-iv.2")
ONE = THEOREM.part("any sequence")


def said(left, right, first):
    """A claim of all schedules."""
    part = replace(ONE, name="", left=left, right=right, first_round=first)
    return replace(THEOREM, parts=(part,), readings=(AS_PRINTED,))


NEVER_MORE = said(S_size(t), S_size(t - 1), 1)
NO_VALLEY = said(S_size(t - 2) + S_size(t), 3 * S_size(t - 1), 2)
FALLS = said(R_2(t + 1), R_2(t), 0)


def schedule_of(case):
    setup = getattr(case.setup, "setup", case.setup)
    return setup.run.parameter("schedule")


@pytest.mark.parametrize(
    ("wrong", "rows", "rounds"),
    [(NEVER_MORE, ((1, 0), (1, 1)), 2), (NO_VALLEY, ((1, 1), (1, 0)), 3)],
)
def test_a_claim_that_one_kind_of_schedule_breaks_is_broken_by_the_least_of_these(
    wrong, rows, rounds
):
    """Who grows from 1 to 2 at last; who is 2, then 1, then 2: of two clients, in few rounds."""
    witness = find_witness(wrong, AS_PRINTED)
    case = witness.judgement.instance
    assert witness.judgement.verdict is Verdict.VIOLATED
    assert (schedule_of(case), case.setup.run.rounds) == (rows, rounds)
    assert len(dict(case.setup.run.problem.data)["features"]) == 2


def test_a_witness_of_the_loss_is_replayed_from_its_file_and_by_its_script():
    witness = find_witness(FALLS, AS_PRINTED)
    case = witness.judgement.instance
    again = from_data(json.loads(json.dumps(to_data(case))))
    assert schedule_of(again) == schedule_of(case)
    judged = judge_reading(FALLS, AS_PRINTED, again, measure(again))
    assert judged.verdict is Verdict.VIOLATED
    assert judged.deciding.gap == witness.judgement.deciding.gap
    done = subprocess.run(
        [sys.executable, "-I", "-c", witness.script], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1].endswith("broken: True")


def test_no_schedule_breaks_what_holds_of_all():
    holds = said(S_size(t), 2 * S_size(t - 1), 1)
    witness = find_witness(holds, AS_PRINTED, examples=30, budget=30)
    assert witness is None or max(map(sum, schedule_of(witness.judgement.instance))) > 2


def test_the_tightest_search_varies_schedules_and_its_file_is_replayed(tmp_path, capsys):
    best = tightest([(THEOREM, {THEOREM.readings[0]: 60})], 0)[0][THEOREM.readings[0]]
    assert best.outcome.verdict is Verdict.VIOLATED
    data = {"claim": THEOREM.id, "instance": as_summary(best)["data"]}
    path = tmp_path / "found.json"
    path.write_text(json.dumps(data))
    replay(None, path)
    assert "violated" in capsys.readouterr().out


def test_steps_from_a_schedule_change_it():
    (space, *_), random = spaces(THEOREM, ONE), np.random.default_rng(0)
    several = next(
        at
        for at, own in enumerate(space.counts)
        if own["S_least"] < own["S_most"] and own["T"] >= 3
    )
    tape = Tape(space, {("counts", 0): several}, random)
    assert case_of([ONE], tape) is not None
    seen = set()
    for _ in range(60):
        past = moved(space, tape.made, tape.widths, random, 0.5)
        case = case_of([ONE], Tape(space, past, random))
        if case is not None:
            seen.add(schedule_of(case))
    assert len(seen) >= 3
    assert len({len(rows) for rows in seen}) > 1


# ---- rows


class Chosen(Asking):
    """Answers from a list, taken modulo how many there are."""

    def __init__(self, answers):
        self.answers = iter(answers)

    def which(self, options, what):
        return next(self.answers, 0) % len(options)


@st.composite
def asked(draw):
    clients = draw(st.integers(1, 5))
    least = draw(st.integers(1, clients))
    most = draw(st.integers(least, clients))
    rows = draw(st.integers(1 if least == most else 2, 5))
    return clients, least, most, rows


@given(asked(), st.lists(st.integers(0, 50), max_size=40))
def test_rows_have_the_sizes_that_are_asked_for(wanted, answers):
    clients, least, most, rows = wanted
    found = Chosen(answers).schedule(*wanted)
    sizes = [sum(row) for row in found]
    assert 1 <= len(found) <= rows
    assert {len(row) for row in found} == {clients}
    assert {x for row in found for x in row} <= {0, 1}
    assert (min(sizes), max(sizes)) == (least, most)


def test_every_schedule_of_two_clients_is_an_answer():
    """Of up to two rows: 2 + 4 of one client, 1 + 1 of both, 4 of one and both."""
    found = set()
    for at in range(2**6):
        answers = [at >> place & 1 for place in range(6)]
        found |= {Chosen(answers).schedule(2, *sizes, 2) for sizes in ((1, 1), (2, 2), (1, 2))}
    assert len(found) == 12


@pytest.mark.parametrize("wanted", [(2, 0, 1, 2), (2, 2, 1, 2), (2, 1, 3, 2), (2, 1, 2, 1)])
def test_what_is_no_schedule_is_refused(wanted):
    with pytest.raises(ValueError, match=r"clients of a round|rows of a schedule"):
        Chosen(()).schedule(*wanted)


# ---- constants that are known to within a ball


def test_a_step_below_a_ball_is_below_all_of_it():
    part = replace(ONE, conditions=(Condition(eta, "<=", 1 / s_max2),))
    (space, *_) = spaces(THEOREM, ONE)
    wide = arb(fmpq(3), fmpq(1, 100))
    found = steps_inside(part, space.sought.steps, {"s_max2": wide}, {}, 12)
    assert fmpq(1) / fmpq(302, 100) < found["eta"] <= fmpq(1) / fmpq(301, 100)
