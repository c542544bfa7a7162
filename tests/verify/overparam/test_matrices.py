"""Lemmas A.2 and A.3 on matrices: norms against NumPy's, and with errors planted."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from each import each
from flint import arb

import fedbounds.algorithms.matrices as algorithm
from fedbounds.theory.overparam.matrices import PLANNED, QUANTITIES
from fedbounds.verify.measure.balls import Ball
from fedbounds.verify.setups.found import known_of, view_of


def blocks_of(setup):
    blocks = dict(setup.run.parameters)["blocks"]
    return np.array([[[float(Fraction(x)) for x in row] for row in one] for one in blocks])


def wanted(setup):
    """In floats."""
    blocks = blocks_of(setup)
    norms = [np.linalg.norm(one, 2) ** 2 for one in blocks]
    return {
        "N_whole": np.linalg.norm(np.concatenate(blocks, axis=1), 2) ** 2,
        "N_added": sum(norms),
        "N_crossed": np.linalg.norm(np.kron(blocks[0], blocks[-1]), 2) ** 2,
        "N_first": norms[0],
        "N_last": norms[-1],
    }


def shown(setup, planted=None):
    view = view_of(setup)
    found = known_of(setup, view if planted is None else replace(view, algorithm=planted))
    every = {name: found.series(name)[0] for name in QUANTITIES}
    return {name: float(arb(x.ball if isinstance(x, Ball) else x).mid())
            for name, x in every.items()}  # fmt: skip


def differing(setup, planted=None):
    found = shown(setup, planted)
    return {name for name, x in wanted(setup).items() if not np.isclose(found[name], x, 1e-9)}


@each("one", lambda: PLANNED, lambda one: one.name)
def test_norms_are_those_of_numpy(one):
    assert wanted(one.setup).keys() == QUANTITIES.keys()
    assert differing(one.setup) == set()


def setup_of(told):
    (found,) = (one.setup for one in PLANNED if one.name == told)
    return found


# ---- planted errors


def step_of(wrong):
    """A step that is shown other numbers."""

    def step(problem, p, state, drawn, see):
        return algorithm.step(problem, p, state, drawn, lambda **own: see(**wrong(own)))

    return replace(algorithm.NORMS, step=step)


WRONG = {
    "the largest block": (lambda own: {**own, "added": own["first_block"]}, {"N_added"}),
    "of norms": (lambda own: {**own, "crossed": own["first_block"]}, {"N_crossed"}),
    "blocks exchanged": (
        lambda own: {**own, "first_block": own["last_block"], "last_block": own["first_block"]},
        {"N_first", "N_last"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_another_number_is_caught(name):
    wrong, names = WRONG[name]
    assert differing(setup_of("matrices: of rank one"), step_of(wrong)) == names
