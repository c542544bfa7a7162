"""The virtual path as a claim: planted errors of a server are found, and the listing's own are told."""

from dataclasses import replace

import pytest

from fedbounds.algorithms import virtual_path
from fedbounds.theory.meerkat.equivalences import CLAIMS
from fedbounds.verify.measure.same import compare
from fedbounds.verify.setups.pairs import shapes_of, two_of
from fedbounds.vocabulary import Verdict

PAIRS = {pair.name: (claim, pair) for claim in CLAIMS for pair in claim.pairs}


def largest(name):
    """Both algorithms of a pair on the largest small problem."""
    claim, pair = PAIRS[name]
    *_, shape = shapes_of(pair.conditions, claim.shapes)
    return two_of(pair, shape, claim.shapes.rounds)


def planted(step):
    """The verdict on the virtual path where the server does something else."""
    two = largest("virtual path")
    wrong = replace(two.special.algorithm, step=step)
    return compare(replace(two, special=replace(two.special, algorithm=wrong))).verdict


@pytest.mark.parametrize("name", PAIRS)
def test_what_is_said_of_the_listing(name):
    same = name in ("virtual path", "as listed", "one local step")
    found = compare(largest(name))
    assert found.verdict is (Verdict.NOT_VIOLATED if same else Verdict.VIOLATED)
    assert (found.difference is None) is same


def late(problem, p, state, drawn, see):
    """The directions of the next seeds."""
    scalars, _ = virtual_path.sent(problem, p, state["x"], drawn)
    directions = drawn["z"]
    turned = problem.xp.concat([directions[:, :, 1:, :], directions[:, :, :1, :]], axis=2)
    ends = virtual_path.replayed(problem.spread(state["x"]), p, scalars, turned)
    return {"x": problem.xp.sum(ends, axis=1) / problem.clients}


def one_client(problem, p, state, drawn, see):
    """The first client's path in place of the mean."""
    scalars, _ = virtual_path.sent(problem, p, state["x"], drawn)
    directions = drawn["z"]
    ends = virtual_path.replayed(problem.spread(state["x"]), p, scalars, directions)
    return {"x": ends[:, 0, :]}


@pytest.mark.parametrize("step", [late, one_client])
def test_a_server_that_does_otherwise_is_found(step):
    assert planted(step) is Verdict.VIOLATED
