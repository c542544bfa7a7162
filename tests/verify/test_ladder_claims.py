"""Claims about steady states, judged on small ladders in exact rationals."""

from dataclasses import replace

import pytest
import sympy as sp
from claim_numbers import LADDER_NAMES
from flint import arb

from fedbounds.errors import FedboundsError
from fedbounds.theory.claims import Condition
from fedbounds.theory.registry import claim, encoded_claims
from fedbounds.theory.symbols import K, P, gamma, m, n, t
from fedbounds.verify import ladder_plan
from fedbounds.verify.instance import constants_of, parameters_of
from fedbounds.verify.judge import check, concerned, judge
from fedbounds.verify.ladder_plan import rational_ladders
from fedbounds.verify.measurement import measure
from fedbounds.verify.plateau import plateau
from fedbounds.vocabulary import Quantity, Relation, Verdict


@pytest.fixture(scope="module")
def ladders():
    """Of two clients; the pair at equal steady state keeps its steps, which takes no search."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ladder_plan, "tuned", lambda problem, first, second: first)
        return list(rational_ladders((2,)))


def pick(ladders, parameter, rule="FedAvg-P", **fixed):
    """The first ladder in a parameter whose rungs share these parameters."""
    for ladder in ladders:
        common = parameters_of(ladder)
        if ladder.algorithm_name == f"{rule} ladder in {parameter}" and all(
            common.get(name) == value for name, value in fixed.items()
        ):
            return ladder
    raise AssertionError(parameter)


def test_the_plan_has_every_ladder_that_claims_speak_of(ladders):
    assert {ladder.algorithm_name for ladder in ladders} == LADDER_NAMES
    names = [ladder.name for ladder in ladders]
    assert len(set(names)) == len(names)
    spoken = {x for c in encoded_claims("personalization") for x in c.algorithms if "ladder" in x}
    assert spoken <= LADDER_NAMES


@pytest.mark.parametrize("parameter", ["gamma", "m", "K", "b^2"])
def test_what_changes_from_rung_to_rung_is_no_constant(ladders, parameter):
    ladder = pick(ladders, parameter)
    common = parameters_of(ladder) | {k.value: c for k, c in constants_of(ladder).items()}
    assert parameter not in common
    fixed = {"n", "gamma", "m", "K"} - {parameter}
    assert fixed <= common.keys()
    for rung in ladder.rungs:
        own = parameters_of(rung)
        assert all(own[name] == common[name] for name in fixed)
    values = [
        (parameters_of(rung) | {k.value: c.value for k, c in constants_of(rung).items()})[parameter]
        for rung in ladder.rungs
    ]
    assert [float(x) for x in values] == [float(x) for x in ladder.values]
    assert len(set(map(float, values))) == len(values)


def test_steady_states_of_the_rungs_are_those_of_each_run(ladders):
    ladder = pick(ladders, "K", m=1)
    series = measure(ladder).numbers.series
    for at, rung in enumerate(ladder.rungs):
        found = plateau(rung.problem, rung.algorithm)
        g_u, g_v = (found.quantities[q] for q in (Quantity.GRADIENT_U, Quantity.GRADIENT_V))
        assert series["P_G_u"][at] == g_u
        assert series["P"][at] == g_u + g_v / 2  # m/n = 1/2
        assert series["P_sum"][at] == g_u + g_v
        rate = series["rho"][at]
        assert isinstance(rate, arb)
        assert 0 < rate < 1


def judged(found, ladder, reading=0):
    for judgement in judge((found,), ladder).judgements:
        if judgement.reading is found.readings[reading]:
            return {o.part: o for o in judgement.outcomes}
    raise AssertionError


def test_a_claim_on_neighbouring_rungs_is_decided_as_its_numbers_are_ordered(ladders):
    figure = claim("personalization/fig-1a")
    ladder = pick(ladders, "gamma", m=1)
    series = measure(ladder).numbers.series
    falling = all(b <= a for a, b in zip(series["P"], series["P"][1:], strict=False))
    slower = all(a < b for a, b in zip(series["rho"], series["rho"][1:], strict=False))
    found = judged(figure, ladder)
    assert found["smaller"].verdict is (Verdict.NOT_VIOLATED if falling else Verdict.VIOLATED)
    assert found["slower"].verdict is (Verdict.NOT_VIOLATED if slower else Verdict.VIOLATED)
    # turned round, each strict order breaks
    turned = replace(
        figure,
        parts=tuple(replace(p, left=p.right, right=p.left) for p in figure.parts),
    )
    assert {o.verdict for o in judged(turned, ladder).values()} == {Verdict.VIOLATED}


def test_the_rung_that_breaks_is_named(ladders):
    ladder = pick(ladders, "gamma", m=1)
    figure = claim("personalization/fig-1a")
    part = figure.part("smaller")
    series = measure(ladder).numbers.series["P"]
    level = (series[0] + series[1]) / 2
    # P below its mean of the first two rungs: rung 0 alone is above
    below = replace(part, left=P(t), right=sp.Rational(str(level)))
    outcome = judged(replace(figure, parts=(below,)), ladder)["smaller"]
    assert (outcome.verdict, outcome.at) == (Verdict.VIOLATED, 0)


def test_conditions_are_those_that_all_rungs_share(ladders):
    figure = claim("personalization/fig-1c")
    part = replace(figure.part("larger"), conditions=(Condition(m, "<=", n - 1),))
    one = replace(figure, parts=(part,))
    assert check(one, pick(ladders, "K", m=1)).verdict in (Verdict.VIOLATED, Verdict.NOT_VIOLATED)
    with pytest.raises(FedboundsError, match="fails"):
        check(one, pick(ladders, "K", m=2))
    for symbol, parameter in ((K, "K"), (gamma, "gamma")):
        name = f"FedAvg-P ladder in {parameter}"
        on_it = replace(part, conditions=(Condition(symbol, ">=", 0 * m),), algorithm=name)
        with pytest.raises(FedboundsError, match=f"no value for {parameter}"):
            check(
                replace(figure, algorithms=(name,), parts=(on_it,)), pick(ladders, parameter, n=2)
            )


def test_equality_of_steady_states_is_exact(ladders):
    figure = claim("personalization/fig-1d")
    ladder = pick(ladders, "b^2", m=2)
    series = measure(ladder).numbers.series["P"]
    same = len(set(series)) == 1
    outcome = judged(figure, ladder, reading=-1)["no influence of b^2"]
    assert figure.part("no influence of b^2").relation is Relation.EQUAL
    assert outcome.verdict is (Verdict.NOT_VIOLATED if same else Verdict.VIOLATED)


def test_a_part_speaks_of_its_own_ladder_only(ladders):
    figure = claim("personalization/fig-1c")
    found = judged(figure, pick(ladders, "b^2", m=1))
    assert found["faster"].verdict is Verdict.NOT_APPLICABLE
    assert found["larger with b^2"].verdict in (Verdict.VIOLATED, Verdict.NOT_VIOLATED)
    others = [c for c, _ in concerned(encoded_claims("personalization"), pick(ladders, "m"))]
    assert {c.id for c in others} == {"personalization/fig-1b"}
