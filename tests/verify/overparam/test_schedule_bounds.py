"""(19) on schedules whose sets change size: the product, and minima over rounds, by hand."""

from fractions import Fraction

import pytest
from overparam_cases import CASES, F, case_of

from fedbounds.theory.language.registry import claim
from fedbounds.theory.overparam.setups import PLANNED
from fedbounds.verify.decide.case import Case
from fedbounds.verify.decide.measurement import measure
from fedbounds.verify.decide.part import decide
from fedbounds.verify.measure.evaluate import evaluate
from fedbounds.vocabulary import Method, Verdict

THEOREM = claim("overparam/thm-iv.2")
VARYING = "one layer, the first client nearly fitted: both, then one, K=1 T=8"


def planned(name):
    return next(one.setup for one in PLANNED if one.name == name)


def numbers_of(setup):
    return measure(Case("planned", "FedAvg on a schedule", setup, Method.RATIONAL)).numbers


def sides(part, numbers, rounds):
    found = (evaluate(side, numbers, rounds) for side in (part.left, part.right))
    return [[Fraction(int(x.p), int(x.q)) for x in own] for own in found]


def by_hand(sizes, n, rate):
    """Of rounds 0, 1, ...: the product, the power of the least, and that of the least from 1."""
    product, found = F(1), []
    for t, size in enumerate(sizes):
        product *= 1 - rate * size / (2 * n**2)
        least = (1 - rate * min(sizes[: t + 1]) / (2 * n**2)) ** (t + 1)
        later = (1 - rate * min(sizes[1 : t + 1]) / (2 * n**2)) ** t if t else None
        found.append((product, least, later))
    return found


@pytest.mark.parametrize("name", [VARYING, "one layer: one, then both, K=3 T=4"])
def test_bounds_are_those_by_hand(name):
    setup = planned(name)
    case, numbers = case_of(setup), numbers_of(setup)
    rows = setup.run.parameter("schedule")
    sizes = [sum(rows[t % len(rows)]) for t in range(setup.run.rounds)]
    rate = case.eta * case.K * F(1)  # lambda_min(P(0)) of one layer: that of X'X, which is 1
    wanted, loss = by_hand(sizes, 2, rate), case.wanted["R_2"]
    every, later = range(len(sizes)), range(1, len(sizes))
    assert len(set(sizes)) > 1
    for part, at in (("product", 0), ("any sequence", 1)):
        left, right = sides(THEOREM.part(part), numbers, every)
        assert left == loss[1:]
        assert right == [own[at] * loss[0] for own in wanted]
    left, right = sides(THEOREM.part("from 1"), numbers, later)
    assert left == loss[1:-1]
    assert right == [own[2] * loss[0] for own in wanted[1:]]


def test_the_product_is_broken_where_the_power_of_the_least_is_not():
    """Eight rounds: 1 - eta once, against 1 - eta/4 and seven times 1 - eta/8, or eight of these."""
    numbers = numbers_of(planned(VARYING))
    found = {
        name: decide(THEOREM.part(name), numbers, Method.RATIONAL)
        for name in ("product", "any sequence", "second")
    }
    assert found["product"].verdict is Verdict.VIOLATED
    assert found["product"].at == 7
    assert found["any sequence"].verdict is Verdict.NOT_VIOLATED
    assert found["second"].verdict is Verdict.NOT_VIOLATED


def test_sizes_are_those_of_the_oracle():
    case = CASES["all, then some"]
    assert case.wanted["S_size"] == [3, 2, 1]
