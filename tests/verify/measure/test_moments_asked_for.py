"""Moments are computed when they are asked for: what is too much is told of what needs it alone."""

from dataclasses import replace

import pytest
from flint import fmpq

from fedbounds.facts import Constant, Fact
from fedbounds.theory.language.setups import Objective, Run, Setup
from fedbounds.verify.decide.case import find
from fedbounds.verify.measure import moments as counted
from fedbounds.verify.measure import over_one
from fedbounds.verify.measure.exact_steps import TooMuchError
from fedbounds.verify.measure.moments import moments
from fedbounds.verify.measure.trace import subject_of
from fedbounds.verify.measure.unknowns import bare
from fedbounds.verify.setups.found import Named, view_of


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


@pytest.mark.parametrize("bits", [0, 192])
def test_all_rounds_at_once_are_the_rounds_one_by_one(bits):
    subject = subject_of(setup(rounds=9).run, view_of(setup()))
    whole, single = (moments(subject, bits=bits) for _ in range(2))
    for pair in [(1, 1), (1, 2), (2, 2)]:
        own = over_one.whole({pair: fmpq(2, 3), (0, 0): fmpq(1)})
        at_once = whole.values[0].onwards(own, 10)
        alone = [row.applied(own) for row in single.values]
        for one, other in zip(at_once, alone, strict=True):
            assert bare(one) == bare(other) if not bits else one.ball.overlaps(other.ball)


def test_a_search_stops_before_what_is_too_much_and_others_go_as_far_as_it_goes():
    subject = subject_of(setup(rounds=12).run, view_of(setup()))
    own = over_one.whole({(1, 1): fmpq(1)})
    far, none = (moments(replace(subject, steers=x), most=2000, bits=192) for x in (False, True))
    with pytest.raises(TooMuchError, match=r"within \d rounds"):
        far.values[0].onwards(own, 13)
    with pytest.raises(TooMuchError, match="within 12 rounds"):
        none.values[0].onwards(own, 13)


@pytest.mark.parametrize("blocks", [(1, 0), (0, 1), (1, 1)])
def test_blocks_that_may_be_empty_have_the_constants_of_blocks(blocks):
    found = find(setup(blocks, "rounds"))
    wanted = {Constant.INITIAL_GAP, Constant.VARIANCE_U, Constant.VARIANCE_V}
    assert wanted <= found.constants.keys()
    assert (found.parameters["d_u"], found.parameters["d_v"]) == blocks
    assert Fact.DISSIMILARITY in found.evidence
