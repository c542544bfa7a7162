"""Parameters of set-ups that cannot be: one clear line, before anything is measured."""

from dataclasses import replace

import pytest

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.setups import Setup
from fedbounds.theory.meerkat.minibatches import on_minibatches
from fedbounds.theory.meerkat.ridges import SEVEN
from fedbounds.theory.meerkat.setups import local_steps, rounds
from fedbounds.verify.decide.measurement import measure
from fedbounds.verify.setups.plan import case_of

SETUPS = {
    "rounds": rounds(SEVEN, SEVEN.step, (2, 2), "", quick=False),
    "local steps": local_steps(SEVEN, SEVEN.local_step, 2, "", quick=False),
}
D = len(SEVEN.mask)
BAD = [
    ({"epsilon": 0}, "perturbation epsilon is 0; expected above 0"),
    ({"epsilon": "-1/10"}, "perturbation epsilon is -1/10; expected above 0"),
    ({"mask": (0,) * D}, f"a 0 or 1 for each of d = {D} coordinates, and a 1 at least once"),
    ({"mask": (1,) * (D + 1)}, f"expected a 0 or 1 for each of d = {D} coordinates"),
    ({"mask": (2, *(1,) * (D - 1))}, "mask is .*'2'"),
]


def changed(setup: Setup, **other):
    given = dict(setup.run.parameters) | other
    return replace(setup, run=replace(setup.run, parameters=tuple(given.items())))


@pytest.mark.parametrize("planned", SETUPS.values(), ids=SETUPS)
@pytest.mark.parametrize(("other", "told"), BAD)
def test_what_cannot_be_is_refused_in_a_line(planned, other, told):
    with pytest.raises(FedboundsError, match=told) as error:
        measure(case_of(replace(planned, setup=changed(planned.setup, **other)), ""))
    assert "\n" not in str(error.value)


def test_minibatches_are_looked_at_too():
    setup = changed(on_minibatches("one label", 1), epsilon=0)
    with pytest.raises(FedboundsError, match="perturbation epsilon is 0"):
        measure(case_of(replace(SETUPS["rounds"], setup=setup), ""))
