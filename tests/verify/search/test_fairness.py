"""The witness that is shown: step sizes that somebody would take, no start at rest, then small."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fedbounds.theory.language.registry import claim
from fedbounds.verify.decide.measurement import measure
from fedbounds.verify.judge.judge import judge_reading
from fedbounds.verify.search import fairness
from fedbounds.verify.search.fairness import LOOKS, fairest, unfairness
from fedbounds.verify.search.planned import planned_cases
from fedbounds.verify.search.witness import find_witness
from fedbounds.vocabulary import Verdict

flags = st.lists(st.tuples(st.booleans(), st.booleans()), max_size=2 * LOOKS)


@given(flags)
def test_the_first_fair_one_of_few_is_shown_else_the_least_unfair(given_flags):
    every = [SimpleNamespace(at=at, flags=own) for at, own in enumerate(given_flags)]
    asked = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fairness, "unfairness", lambda one: asked.append(one) or one.flags)
        shown = fairest(iter(every))
    seen = every[:LOOKS]
    assert len(asked) <= LOOKS
    assert shown is (min(seen, key=lambda one: (one.flags, one.at)) if seen else None)


@pytest.fixture(scope="module")
def broken():
    """Violations of a claim that long steps break too, the cheapest first."""
    found = claim("submodel/claim-stability")
    reading = next(one for one in found.readings if one.parts == ("rounds",))
    cases = sorted(planned_cases(found), key=lambda case: case.work)
    judged = [judge_reading(found, reading, case, measure(case)) for case in cases]
    return found, reading, [one for one in judged if one.verdict is Verdict.VIOLATED]


def test_a_step_that_nobody_takes_is_not_shown_where_a_usual_one_breaks_the_claim(broken):
    found, reading, judged = broken
    judged = sorted(judged, key=unfairness, reverse=True)
    assert unfairness(judged[0])[0]  # its step is 9/5
    assert any(not any(unfairness(one)) for one in judged)
    shown = find_witness(found, reading, [one.instance for one in judged])
    assert unfairness(shown.judgement) == (False, False)
    assert shown.script


@pytest.mark.parametrize(
    ("rounds", "left", "little"), [(2, 1.0, False), (20, 1.0, True), (2, 0.0, True)]
)
def test_a_long_run_is_no_better_than_a_start_at_rest(monkeypatch, rounds, left, little):
    series = {"f": np.array([left, 0.5])}
    found = SimpleNamespace(numbers=SimpleNamespace(series=series))
    monkeypatch.setattr(fairness, "constants_of", lambda instance: {})
    monkeypatch.setattr(fairness, "parameters_of", lambda instance: {"T": rounds, "eta": 0.5})
    monkeypatch.setattr(fairness, "measure", lambda instance: found)
    judgement = SimpleNamespace(instance=None, claim=claim("fedplt/recursion"))
    assert unfairness(judgement) == (False, little)
