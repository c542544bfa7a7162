"""Promised rounds against the exact rounds of `bound`, and against what is measured."""

import numpy as np
import pytest

from fedbounds.theory.language.registry import claim
from fedbounds.verify.commands.bound.answer import answers
from fedbounds.verify.commands.contest.contenders import contender
from fedbounds.verify.commands.contest.field import Shape, ground
from fedbounds.verify.commands.contest.prediction import constants, edge, promises

NAMES = {"L", "F_0", "sigma_u^2", "sigma_v^2", "b^2", "n", "m", "K", "eta_u", "eta_v"}


def _promise(name, *, b2=4.0, m=2, steps=4, eps=0.05, step=None):
    one, here = contender(name), ground(Shape(clients=5), b2)
    values = constants(here, m, steps)
    values |= {k: v for k, v in edge(one, values).items() if k != "gamma"}
    chosen = None if step is None else np.array([step])
    (found,) = promises(one, [here], [values], eps, chosen)
    return found, values


@pytest.mark.parametrize("name", ["FedAvg-P", "Scaffold-P"])
def test_rounds_are_those_that_exact_arithmetic_finds(name):
    found, values = _promise(name)
    given = {k: v for k, v in values.items() if k in NAMES and not k.startswith("eta")}
    if name == "Scaffold-P":
        del given["b^2"]  # its theorem has none
    (part,) = answers(claim(contender(name).claim.id), given, to="0.05").parts
    assert found.rounds == part.rounds.found
    assert part.rounds.smallest
    assert found.why == ""


@pytest.mark.parametrize("name", ["FedAvg-P", "Scaffold-P"])
def test_one_round_less_is_not_enough_at_the_promised_step(name):
    found, values = _promise(name)
    one = contender(name).part

    def bound(rounds):
        put = values | {"T": rounds, "gamma": found.step}
        return float(one.right.subs({s: put[s.name] for s in one.right.free_symbols}))

    assert bound(found.rounds) <= 0.05 * (1 + 1e-12)
    assert bound(found.rounds - 1) > 0.05
    other, _ = _promise(name, step=found.step)
    assert other.rounds == found.rounds


def test_a_bound_that_stays_above_eps_promises_nothing():
    found, _ = _promise("FedAvg-P", eps=1e-6, step=1e-3)
    assert found.rounds is None
    assert "stays above eps" in found.why


def test_a_step_outside_the_conditions_promises_nothing():
    found, _ = _promise("Scaffold-P", step=1.0)
    assert found.rounds is None
    assert found.why.startswith("gamma <= ")
    assert " fails: 1 against " in found.why
