"""Which steps of the paper on over-parameterised networks fail, and what rests on them."""

from functools import cache

import pytest

from fedbounds.theory.overparam.proofs.book import book
from fedbounds.theory.proof.replay import Local, replay


@cache
def steps():
    return {step.written.id: step for step in replay(book())}


def proved(names):
    return {name for name in names if steps()[name].local is Local.PROVED}


def test_of_neurons_the_third_sum_alone_fails():
    """Everything from (53) to (70) follows, given what is cited; but not (59)."""
    chain = {x for x in steps() if x.startswith(("eq-5", "eq-6", "eq-70", "a1-", "(29)"))}
    assert chain - proved(chain) == {"eq-59:H^infinity", "eq-59:H(0)"}
    for name in ("eq-60", "eq-69:A_1", "eq-70:first", "eq-70:second", "(29), where neurons stay"):
        assert set(steps()[name].missing) == {"eq-59:H^infinity"}
    for name in ("eq-57:above", "eq-58:above", "eq-61-63:(63)", "eq-68", "eq-69:A_2", "eq-69:A_4"):
        assert steps()[name].inherited


def test_of_layers_terms_1_and_3_and_the_sum_of_constants_fail():
    """Term 2 is as said, given lemmas; term 3 not; and (b) would follow from (a), but not (c)."""
    chain = {x for x in steps() if x.startswith(("eq-2", "term-1", "final-step:"))}
    failing = {"term-1", "eq-26:first", "final-step:constants", "final-step:(a)", "final-step:(c)"}
    assert chain - proved(chain) == failing
    assert set(steps()["a round of (19)"].missing) == {"final-step:(a)"}


OURS = ("eq-59:everyone", "eq-70:everyone", "thm-iv.3:everyone", "final-step:everyone",
        "thm-iv.2:everyone", "thm-iv.2:uniform")  # fmt: skip


@pytest.mark.parametrize(
    "name", [*(f"{x}/corrected" for x in OURS), "linearised:two layers", "kernel"]
)
def test_what_is_true_instead_rests_on_no_step_that_fails(name):
    found = steps()[name]
    assert found.inherited
    assert found.givens  # measured, and called so
    assert not [one for one in found.givens if steps()[one].written.claim]
