"""No choice of a name makes the checker read one thing for another."""

from dataclasses import replace

import pytest
from checker_theory import ROUND, THEORY, cite, claim, prove

from fedbounds.theory.checker.data import Scope
from fedbounds.theory.checker.errors import Refused
from fedbounds.theory.checker.names import FUNCTIONS, INDICES, SUMS, fault_of, identifier

TRUE = claim("0 <= A(t)")


@pytest.mark.parametrize("name", sorted(SUMS | FUNCTIONS))
def test_no_quantity_is_called_like_a_function(name):
    theory = replace(THEORY, quantities=THEORY.quantities | {name: True})
    with pytest.raises(Refused, match=name):
        prove(TRUE, theory=theory)


def test_a_quantity_called_like_a_sum_proves_nothing():
    """Sum_i(t) would be n t, whatever the quantity is."""
    theory = replace(THEORY, quantities=THEORY.quantities | {"Sum_i": True})
    with pytest.raises(Refused):
        prove(claim("Sum_i(t) <= n*t"), theory=theory)


@pytest.mark.parametrize("name", ["x_", "_x", "x-y", "lambda", "", "µ", "ﬁ", "2x", "x.y", "None"])
def test_names_that_formulas_cannot_tell_apart_are_refused(name):
    assert fault_of(name) is not None
    for kind in ("symbols", "quantities"):
        theory = replace(THEORY, **{kind: getattr(THEORY, kind) | {name: True}})
        with pytest.raises(Refused):
            prove(TRUE, theory=theory)


def test_a_symbol_and_a_quantity_share_no_name():
    with pytest.raises(Refused, match="'x' is a symbol and a quantity"):
        prove(TRUE, theory=replace(THEORY, quantities=THEORY.quantities | {"x": False}))


@pytest.mark.parametrize(
    "change",
    [
        {"atoms": (*ROUND.atoms, ("x", ("past",)))},  # a symbol
        {"atoms": (*ROUND.atoms, ("A", ("past",)))},  # a quantity
        {"atoms": (*ROUND.atoms, ("xi", ("past",)))},  # a source
        {"atoms": (*ROUND.atoms, ("u", ()))},  # another vector
        {"atoms": (*ROUND.atoms, ("sq", ("past",)))},  # a function
        {"derived": (*ROUND.derived, ("v", "u"))},
        {"derived": (*ROUND.derived, ("start", "u"))},  # a value
        {"values": (*ROUND.values, ("gamma", "u", "v"))},
        {"sources": (*ROUND.sources, "n")},
        {"sources": (*ROUND.sources, "past'")},
    ],
)
def test_two_names_of_a_scope_never_meet(change):
    theory = replace(THEORY, scopes={"round": replace(ROUND, **change)})
    with pytest.raises(Refused):
        prove(claim("0 <= sq(u)"), scope="round", theory=theory)


def test_an_index_is_a_round_or_a_step():
    assert {"t", "k"} == INDICES
    for name, sign in (("r", "index"), ("t", "positive"), ("T", "nonnegative"), ("x", "real")):
        with pytest.raises(Refused, match=sign):
            prove(TRUE, theory=replace(THEORY, symbols=THEORY.symbols | {name: sign}))


def test_an_unknown_scope_is_refused():
    with pytest.raises(Refused, match="unknown scope"):
        prove(claim("0 <= sq(u)"), scope="nowhere")
    with pytest.raises(Refused, match="unknown scope"):
        prove(claim("0 <= sq(u)", scope="nowhere"))


def test_what_is_typed_is_what_is_read():
    assert (identifier("sigma_u^2"), identifier("b^2"), identifier("F_0")) == (
        "sigma_u2",
        "b2",
        "F_0",
    )


def test_the_names_of_a_scope_not_in_use_do_not_matter():
    theory = replace(THEORY, scopes=THEORY.scopes | {"other": Scope(sources=("n",))})
    prove(TRUE, cite("a"), theory=theory, earlier={"a": TRUE})
