"""A proved theorem without one of its conditions is false, and a short search finds it so."""

from dataclasses import replace

import pytest

from fedbounds.theory.language.claims import AS_PRINTED
from fedbounds.theory.language.registry import claim
from fedbounds.verify.decide.measurement import measure
from fedbounds.verify.judge.judge import judge_reading
from fedbounds.verify.search.tightest import tightest
from fedbounds.verify.setups.instance_file import from_data, to_data
from fedbounds.vocabulary import Verdict

_BUDGET = 60  # fewer than in a run of the default profile
# a part, and how the condition begins that is taken away
TAKEN = (
    ("fedplt/A2.4", "equal", "2*L*alpha_k**2*eta*psi_max**2 <="),
    ("fedplt/decaying-step/corrected", "", "C_rate >= D_0"),
    ("personalization/thm-3.7", "", "gamma <="),
    ("personalization/cor-4.6", "", "gamma =="),
    ("submodel/thm-2", "mean", "K*L*eta <="),
    ("submodel/thm-3", "distance", "K*L*S_sub*eta <="),
    ("meerkat/thm-b9", "count", "eta =="),
    ("meerkat/thm-2.2-explicit/corrected", "", "eta <="),
    ("overparam/thm-iv.2/corrected", "everyone", "S_least =="),
)


def planted(name, part, taken=None):
    """The one part alone, with or without a condition."""
    original = claim(name)
    own = original.part(part)
    left = [x for x in own.conditions if taken is None or not str(x).startswith(taken)]
    assert len(left) + (taken is not None) == len(own.conditions)
    parts = (replace(own, conditions=tuple(left)),)
    return replace(original, parts=parts, readings=(AS_PRINTED,), proof_weights=())


@pytest.mark.parametrize(("name", "part", "taken"), TAKEN)
def test_what_a_condition_rules_out_is_found_without_it(name, part, taken):
    found = planted(name, part, taken)
    best = tightest([(found, {AS_PRINTED: _BUDGET})], 0)[0][AS_PRINTED]
    assert best.outcome.verdict is Verdict.VIOLATED
    again = from_data(to_data(best.instance))  # and stays so when it is read from a file
    assert judge_reading(found, AS_PRINTED, again, measure(again)).verdict is Verdict.VIOLATED


@pytest.mark.parametrize(("name", "part"), [x[:2] for x in TAKEN[::3]])
def test_with_all_its_conditions_it_is_seen_to_hold(name, part):
    best = tightest([(planted(name, part), {AS_PRINTED: 20})], 0)[0][AS_PRINTED]
    assert best.judgement.verdict is Verdict.NOT_VIOLATED
