"""Which reading of a claim in words comes first, and which are marked as harsher than the text."""

import pytest

from fedbounds.errors import FedboundsError
from fedbounds.facts import Fact
from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.claims import read
from fedbounds.theory.language.registry import claim, encoded_claims
from fedbounds.theory.language.symbols import T, quantities_in, t
from fedbounds.theory.submodel import assumed
from fedbounds.theory.submodel.names import RANDOM, ROUNDS_LADDERS
from fedbounds.vocabulary import Index

IN_WORDS = [found for found in encoded_claims("submodel") if "/claim-" in found.id]


def headline(name):
    found = claim(f"submodel/{name}")
    return read(found, found.readings[0])


@pytest.mark.parametrize("found", IN_WORDS, ids=[found.id for found in IN_WORDS])
def test_what_is_harsher_than_the_text_comes_last(found):
    marks = [reading.name.startswith("harsher") for reading in found.readings]
    assert not marks[0]
    told = [mark for mark in marks if mark]
    # of static masks, a remark on coordinates that nobody holds stands apart
    assert found.id == "submodel/claim-static" or marks[len(marks) - len(told) :] == told


def test_the_rate_is_that_of_both_methods_and_has_no_logarithm():
    parts = headline("claim-rate")
    assert [part.algorithm for part in parts] == list(ROUNDS_LADDERS)
    for part in parts:
        assert quantities_in(part.left) == {"F_r"}  # the loss, as "plus a residual error" says
        assert quantities_in(part.right) == {"R_r"}
        assert "gap_full_at_p" in part.constants


def test_the_residual_is_bounded_as_theorem_1_does_it():
    (part,) = headline("claim-residual")
    assert quantities_in(part.right) == {"q_miss"}
    assert {assumed.BOUNDED_DOMAIN, Fact.STRONGLY_CONVEX} <= set(part.assumptions)
    assert Fact.QUADRATIC not in part.assumptions


def test_remark_3_speaks_of_an_order_and_of_no_multiple_of_1_minus_p():
    (part,) = headline("claim-variance")
    assert (part.left.subs(t, t + 1), part.constants) == (part.right, frozenset())


def test_a_stationary_point_is_one_up_to_constants():
    (part,) = headline("claim-stationary")
    assert assumed.EQUAL_KEEP in part.assumptions
    assert quantities_in(part.right) == {"g_Fp", "w_2"}
    assert not part.conditions  # at any w, not at w = 0 alone


def test_the_nonconvex_rate_is_one_in_rounds():
    parts = headline("claim-K-speedup")
    assert {part.algorithm for part in parts} == {RANDOM}
    assert all((part.right**2 * T).cancel().diff(T) == 0 for part in parts)


@pytest.mark.parametrize(("name", "quantity"), [("capacity", "L_lim"), ("stability", "dl_r")])
def test_the_ends_of_a_ladder_are_compared(name, quantity):
    (part,) = headline(f"claim-{name}")
    assert part.index is Index.RUNG
    at = {atom.args[0] for side in (part.left, part.right) for atom in side.atoms(side.func)}
    assert at == {0, T - 1}
    assert part.quantities == {quantity}


def test_orders_of_algorithms_are_judged_with_the_step_sizes_of_the_theorems():
    for name in ("roll-vs-random", "static"):
        (part,) = headline(f"claim-{name}")
        assert any("S_sub" in str(condition) for condition in part.conditions)
        assert not part.quantities  # limits, whatever the number of rounds


def test_the_gap_is_that_of_the_models_of_the_experiments():
    (part,) = headline("claim-gap")
    assert part.quantities == {"tg_scaled", "tg_full"}


def test_what_the_paper_does_not_claim_is_no_claim():
    with pytest.raises(FedboundsError, match="claim-scale"):
        entry("submodel/claim-scale")


def test_the_mean_follows_from_the_epoch_as_displayed():
    """Both readings of Theorem 4: 4.3 from the constants before rounding, 4 (1.08) from these."""
    first, second = claim("submodel/thm-4").readings
    assert (first.parts[0], second.parts) == ("mean", ("mean, of the epoch",))
