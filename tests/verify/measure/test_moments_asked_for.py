"""Moments are computed when they are asked for: what is too much is told of what needs it alone."""

import pytest

from fedbounds.facts import Constant, Fact
from fedbounds.theory.language.setups import Objective, Run, Setup
from fedbounds.verify.decide.case import find
from fedbounds.verify.measure import moments as counted
from fedbounds.verify.setups.found import Named


def setup(blocks=(1, 1), view="Scaffold-P, rounds", rounds=3):
    d_u, d_v = blocks
    hessian = ((2, 1), (1, 3)) if all(blocks) else ((2,),)
    slopes = [(x, 0)[: d_u + d_v] for x in (1, -3, 2)]
    data = {"hessians": (hessian,) * 3, "slopes": slopes, "noise": d_u}
    data |= {"personal": d_v, "personal_noise": d_v}
    parameters = {"cohort": 2, "K": 2, "gamma_u": "1/8", "gamma_v": "1/9", "eta_u": 2, "eta_v": 3}
    problem = Objective("quadratics", tuple(data.items()))
    run = Run(problem, (1,) * (d_u + 3 * d_v), tuple(parameters.items()), rounds)
    return Setup("personalization", view, run)


@pytest.mark.parametrize("names", [{"G_u"}, {"C", "T_1u"}, {"f"}])
def test_a_few_quantities_are_what_they_are_among_all(names):
    """Others would be measured as well, if somebody asked."""
    whole, few = find(setup()), find(Named(setup(), frozenset(names)))
    assert all((few.series[name] == whole.series[name]).all() for name in names)
    assert few.parameters == whole.parameters
    assert few.constants.keys() == whole.constants.keys()


def test_a_definition_that_speaks_of_another_quantity_gets_it():
    found = find(Named(setup(view="rounds"), frozenset({"I_u", "J_u"})))
    assert {"I_u", "J_u"} <= found.series.keys()
    assert not found.missing


def test_what_is_too_much_work_is_missing_with_its_reason_and_the_rest_is_there(monkeypatch):
    """The memory of last participations takes most of the work: what needs it is told."""
    monkeypatch.setattr(counted, "MOST_WORK", 20_000)
    found = find(setup(rounds=12))
    assert "G_u" in found.series
    assert found.missing
    assert found.missing.keys().isdisjoint(found.series)
    assert all("more than 20000 products" in why for why in found.missing.values())
    assert found.missing.keys().isdisjoint(found.undefined)


@pytest.mark.parametrize("blocks", [(1, 0), (0, 1), (1, 1)])
def test_blocks_that_may_be_empty_have_the_constants_of_blocks(blocks):
    found = find(setup(blocks, "rounds"))
    wanted = {Constant.INITIAL_GAP, Constant.VARIANCE_U, Constant.VARIANCE_V}
    assert wanted <= found.constants.keys()
    assert (found.parameters["d_u"], found.parameters["d_v"]) == blocks
    assert Fact.DISSIMILARITY in found.evidence
