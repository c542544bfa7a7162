"""Parameters meet a claim's conditions, instances are judged; both shrink to small ones."""

from dataclasses import replace

import numpy as np
import pytest
import sympy as sp
from each import each
from flint import fmpq
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample

from fedbounds import strategies
from fedbounds.errors import FedboundsError
from fedbounds.problems import FederatedQuadratic, Noise, NoiseLaw, to_rational
from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.claims import Condition
from fedbounds.theory.language.registry import claim, encoded, encoded_claims
from fedbounds.theory.language.symbols import T
from fedbounds.verify.decide.case import constants_of, parameters_of
from fedbounds.verify.decide.conditions import failure
from fedbounds.verify.decide.measurement import measure
from fedbounds.verify.judge.judge import check, judge_reading
from fedbounds.verify.measure.evaluate import Numbers
from fedbounds.verify.search.planned import narrowed_to
from fedbounds.verify.setups.instance_file import to_data
from fedbounds.vocabulary import Verdict

SHRUNK = settings(max_examples=2000, database=None, phases=(Phase.generate, Phase.shrink))
FEW = settings(max_examples=2, deadline=None, database=None, phases=(Phase.generate,))
VACUOUS = "says nothing here: every term is zero"
BUILT = {"FedAvg-P", "Scaffold-P", "participant mean", "bound"}


def claims():
    """Ids of those of which instances are built."""
    return [
        found.id
        for found in encoded_claims("personalization")
        if set(found.algorithms) <= BUILT and not all(part.vectors for part in found.parts)
    ]


@each("name", claims)
@FEW
@given(data=st.data())
def test_the_claim_applies_to_its_instances(name, data):
    instance = narrowed_to(claim(name), data.draw(strategies.instances(name)))
    first = claim(name).readings[0]
    found = judge_reading(claim(name), first, instance, measure(instance))
    assert any(
        outcome.verdict in (Verdict.NOT_VIOLATED, Verdict.VIOLATED) or outcome.reason == VACUOUS
        for outcome in found.outcomes
    ), [outcome.reason for outcome in found.outcomes]


@pytest.mark.parametrize("name", ["personalization/thm-3.7", "personalization/thm-4.5"])
@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_parameters_are_rational_and_inside(name, data):
    problem = data.draw(
        strategies.problems(exact=True, personal_dimension=1, assumptions=_needed(name))
    )
    start = data.draw(strategies.starts(problem))
    values = data.draw(strategies.parameters(name, problem, start))
    assert all(isinstance(value, int | fmpq) for value in values.values())
    numbers = _numbers(problem.constants(start), values)
    for condition in claim(name).parts[0].conditions:
        assert failure(condition, numbers) is None


def _needed(name):
    return frozenset(claim(name).parts[0].assumptions)


def _numbers(constants, values):
    found = {key.value: value.value for key, value in constants.items()}
    found |= {key: fmpq(value) for key, value in values.items()}
    return Numbers(found, {}, lambda p, q: fmpq(p, q))


def test_the_edge_itself_is_drawn():
    """A gamma twice as large is outside, so the edge is where it should be."""
    name = "personalization/thm-3.7"
    instance = find(strategies.instances(name), lambda i: True, settings=SHRUNK)
    values, run = parameters_of(instance), instance.setup.run
    gamma = 1 / (32 * values["K"] * constants_of(instance)["L"].value)
    assert values["gamma"] == gamma
    wide = dict(run.parameters)
    wide |= {f"gamma_{x}": str(2 * gamma / values[f"eta_{x}"]) for x in ("u", "v")}
    other = replace(run, parameters=tuple(wide.items()))
    with pytest.raises(FedboundsError, match=r"gamma <= 1/\(32\*K\*L\) fails"):
        check(claim(name), replace(instance, setup=replace(instance.setup, run=other)))


def test_a_planted_error_is_found_and_small():
    """Half of the paper's constant of a lemma is too small somewhere; hypothesis shrinks to it."""
    found = claim("personalization/lem-A.2-exact")
    part = found.parts[0]
    wrong = replace(found, parts=(replace(part, right=part.right / 2),))

    def broken(instance):
        return judge_reading(wrong, wrong.readings[0], instance, measure(instance)).verdict is (
            Verdict.VIOLATED
        )

    smallest = find(strategies.instances(found.id), broken, settings=SHRUNK)
    assert parameters_of(smallest)["n"] == 2


@pytest.mark.parametrize(
    ("name", "condition"),
    [
        ("personalization/thm-3.7", lambda values: values["n"] == 2),
        ("personalization/cor-3.8", lambda values: values["m"] < values["n"]),
    ],
)
def test_parameters_shrink(name, condition):
    values = find(strategies.parameters(name), condition, settings=SHRUNK)
    assert values["n"] <= 5
    assert values["K"] <= 2
    assert values["T"] <= 2


def test_a_float_problem_gets_rational_parameters():
    problem = FederatedQuadratic(np.eye(2)[None] / 3, np.zeros((1, 2)), 1)
    values = find(
        strategies.parameters("personalization/thm-3.7", problem), lambda v: True, settings=SHRUNK
    )
    assert isinstance(values["gamma"], fmpq)
    assert values["gamma"] <= 1 / (32 * to_rational(problem).hessian[0, 0, 0])


def test_where_gamma_has_a_root_a_noisy_problem_is_refused():
    noise = Noise(NoiseLaw.RADEMACHER, fmpq(1), fmpq(1))
    eye = to_rational(FederatedQuadratic(np.eye(2)[None], np.zeros((1, 2)), 1))
    noisy = replace(eye, noise=noise)
    with pytest.raises(FedboundsError, match="is not rational"):
        find(
            strategies.parameters("personalization/cor-3.8", noisy),
            lambda v: False,
            settings=SHRUNK,
        )


def test_what_is_not_built_is_refused():
    known = claim("personalization/lem-4.3-geo")
    nowhere = replace(known, algorithms=("an algorithm that nobody plans",))
    with pytest.raises(FedboundsError, match="no instances are built for personalization/lem-4.3"):
        strategies.instances(nowhere)
    with pytest.raises(FedboundsError, match="unknown"):
        strategies.instances("personalization/thm-9.9")
    concave = FederatedQuadratic(-np.eye(2)[None], np.zeros((1, 2)), 1)
    with pytest.raises(FedboundsError, match="does not apply to this problem: .*unbounded below"):
        strategies.parameters("personalization/thm-3.7", concave)


def test_parameters_of_a_drawn_instance_are_its_own():
    instance = find(
        strategies.instances("personalization/thm-3.7"), lambda i: True, settings=SHRUNK
    )
    assert find(
        strategies.parameters("personalization/thm-3.7"), lambda v: True, settings=SHRUNK
    ) == parameters_of(instance)


@pytest.mark.parametrize(
    "asked",
    ["thm-3.7", "", 5, None, claim, encoded(entry("personalization/asm-2.1")), ["a"],
     "personalization/asm-2.1", "personalization/prob-1.1", "personalization"],
)  # fmt: skip
@pytest.mark.parametrize("strategy", [strategies.instances, strategies.parameters])
def test_what_is_no_claim_that_is_served_is_told_when_it_is_asked_for(strategy, asked):
    """In a line, and not when something is drawn."""
    with pytest.raises(FedboundsError) as told:
        strategy(asked)
    assert "\n" not in str(told.value)


@each("name", lambda: claims()[::20])
def test_a_claim_will_do_as_well_as_its_id(name):
    drawn = [
        find(strategies.instances(asked), lambda _: True, settings=SHRUNK)
        for asked in (name, claim(name))
    ]
    assert to_data(drawn[0]) == to_data(drawn[1])


def test_a_claim_of_ones_own_making_will_do():
    """Its own conditions are met, not those of the claim of its id."""
    found = claim("personalization/thm-3.7")
    (part,) = found.parts
    one_round = (*part.conditions, Condition(T, "<=", sp.Integer(1)))
    own = replace(found, parts=(replace(part, conditions=one_round),))
    few = settings(SHRUNK, max_examples=10)
    with pytest.raises(NoSuchExample):
        find(strategies.parameters(own), lambda v: v["T"] > 1, settings=few)
    assert find(strategies.parameters(found), lambda v: v["T"] > 1, settings=SHRUNK)["T"] > 1
