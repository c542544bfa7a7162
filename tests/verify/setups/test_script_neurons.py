"""Scripts of ReLU networks: what they assert, and what stops them."""

import re
from dataclasses import replace
from functools import cache

import pytest
import sympy as sp

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.claims import read
from fedbounds.theory.language.registry import claim
from fedbounds.theory.overparam.relu_setups import PLANNED
from fedbounds.verify.judge.judge import judge
from fedbounds.verify.search.witness import find_witness
from fedbounds.verify.setups.plan import case_of
from fedbounds.verify.setups.script_code import _check_between
from fedbounds.verify.setups.script_output import run_here
from fedbounds.verify.setups.script_rendered import script
from fedbounds.vocabulary import Verdict

ROUND, THEOREM, TERMS = (claim(f"overparam/{x}") for x in ("eq-70", "thm-iv.3", "eq-53-56"))


def planned(name):
    return next(one for one in PLANNED if one.name == name)


FITTED = planned("ReLU, the first client nearly fitted: one client, K=1 T=3")
LONG = planned("ReLU, long steps: one client, K=1 T=3")


def scripts(of, one):
    """Of every reading that is broken."""
    found = judge((of,), case_of(one, ""), seed=0, workers=1)
    for own in found.judgements:
        for part, outcome in zip(read(of, own.reading), own.outcomes, strict=True):
            if outcome.verdict is Verdict.VIOLATED:
                yield script(own, part, found.measurement.numbers)


@cache
def of_round():
    return next(scripts(ROUND, FITTED))


@cache
def of_theorem():
    return find_witness(THEOREM, THEOREM.readings[0]).script


def shown(text):
    return run_here(compile(text, "script", "exec"))


def test_scripts_show_the_gap_and_each_neuron_once():
    for text in (of_round(), of_theorem(), *scripts(TERMS, LONG)):
        assert shown(text)[1].endswith("broken: True\n")
    assert "# so many equal neurons are one row" in of_theorem()


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ('lam = Q("1/2")', 'lam = Q("49/100")'),
        ('lam = Q("1/2")', 'lam = Q("51/100")'),
        ('H_min = Q("1/2")', 'H_min = Q("2/5")'),
        ('lam_max = Q("1/2")', 'lam_max = Q("3/5")'),
        ('"eta": Q("1/8001")', '"eta": Q("1/7999")'),
        ('"radius": Q("1/4001")', '"radius": Q("1/3999")'),
        ('"radius": Q("1/4001")', '"radius": Q("1/100000000")'),  # which neurons leave
        ("X = exact([[[1, 0]], [[0, 1]]])", 'X = exact([[[1, 0]], [["3/5", "4/5"]]])'),
        ("a = exact([1, -1,", "a = exact([1, -2,"),
        ('"65/256", "-639/1024"', '"-65/256", "-639/1024"'),  # another H(0)
        ("copies = 1", "copies = 2"),
        ('"schedule": exact([[1, 0]])', '"schedule": exact([[0, 0]])'),
    ],
)
def test_another_number_stops_a_script(right, wrong):
    assert right in of_round()
    assert shown(of_round().replace(right, wrong, 1)) is None


@pytest.mark.parametrize("wrong", ["copies = 9", 'C_w = Q("999")'])
def test_a_narrower_network_stops_the_script_of_the_theorem(wrong):
    name = wrong.partition(" = ")[0]
    text = re.sub(rf"(?m)(^|; ){name} = [^ ;\n]*", rf"\1{wrong}", of_theorem(), count=1)
    assert text != of_theorem()
    assert shown(text) is None


def test_other_angles_and_roots_have_no_script():
    close = planned("ReLU, samples with an angle: one client, K=1 T=3")
    narrow = planned("ReLU, twelve neurons: one client, K=1 T=40")
    short = replace(narrow, setup=replace(narrow.setup, run=replace(narrow.setup.run, rounds=1)))
    for one, told in ((close, "for lam, which is known between"), (short, "over the root of 12")):
        of = claim("overparam/eq-59")
        with pytest.raises(FedboundsError, match=told):
            list(scripts(of, one))


def test_what_bends_upwards_in_a_logarithm_is_not_held_by_its_ends():
    x, y = sp.Symbol("x", positive=True), sp.Symbol("y", positive=True)
    log = sp.log(y)
    _check_between(x - 3 * log**2, {log})
    _check_between(x * sp.Max(1, log, x) - y, {log})  # it bends upwards, and never falls
    _check_between(y - x * sp.Max(1, log, x), {log})
    for slack in (3 * log**2 - x, (x - 1) * log**2, sp.Max(1, log) - log * x):
        with pytest.raises(FedboundsError, match="logarithms"):
            _check_between(slack, {log})
