"""A long run in balls has as many digits as its numbers lose, and no fewer than are wanted."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx, fmpq

from fedbounds.theory.language.registry import setups
from fedbounds.verify.measure.balls import BITS, Ball
from fedbounds.verify.measure.known import MissingError
from fedbounds.verify.setups.digits import FEWEST, Digits
from fedbounds.verify.setups.found import _listed, view_of
from fedbounds.verify.setups.narrowed import narrowed

MOST = 4096


@dataclass
class Losing:
    """Numbers that are the small difference of large ones."""

    lost: dict[str, int]
    asked: list[tuple[str, int]] = field(default_factory=list)
    constants: tuple[str, ...] = ("c",)

    def series(self, name: str) -> Any:
        self.asked.append((name, int(ctx.prec)))
        large, third = arb(2) ** self.lost[name], arb(fmpq(1, 3))
        return np.array([Ball(large + third - large), Ball(arb(0))], dtype=object)

    def constant(self, name: str) -> Any:
        self.asked.append((name, int(ctx.prec)))
        if ctx.prec < MOST:
            raise MissingError("it divides by a number that may be 0")
        return fmpq(1)

    def holds(self, _says: Any) -> tuple[bool | None, str]:
        return (ctx.prec >= MOST, "the balls overlap")

    def broken(self, says: Any) -> str:
        return "" if self.holds(says)[0] else "it fails"


def holds(ball: arb, number: fmpq) -> bool:
    with ctx.workprec(4 * MOST):
        return bool(ball.overlaps(arb(number)))


def digits(known):
    return Digits(MOST, lambda _bits: known)


@pytest.mark.parametrize("lost", [0, 60, 64, 65, 500, 3000])
def test_no_number_has_fewer_digits_than_are_wanted(lost):
    known = Losing({"x": lost})
    found, zero = digits(known).series("x")
    assert holds(found.ball, fmpq(1, 3))
    assert found.ball.rel_accuracy_bits() >= BITS
    assert zero.ball == 0
    used = [bits for _, bits in known.asked]
    assert used[0] == FEWEST
    assert used == sorted(set(used))
    assert used[-1] <= max(FEWEST, 4 * (lost + FEWEST)), "far more than it takes"


def test_large_numbers_have_as_many_digits_behind_the_point():
    """What two of them differ by may be 0, which balls of less than 1e-15 stand for."""

    class Large(Losing):
        def series(self, name: str) -> Any:
            third, *_ = super().series(name)
            return np.array([third * arb(2) ** 100], dtype=object)

    known = Large({"x": 0})
    (found,) = digits(known).series("x")
    assert known.asked[-1][1] > FEWEST
    assert found.ball.rad() < arb(2) ** -BITS


def test_what_loses_all_is_told_with_the_most():
    known = Losing({"x": 2 * MOST})
    found, _ = digits(known).series("x")
    assert known.asked[-1] == ("x", MOST)
    assert holds(found.ball, fmpq(1, 3))


def test_what_is_not_told_or_does_not_hold_is_asked_with_the_most():
    own = digits(Losing({}))
    assert own.constant("c") == 1
    assert own.holds(None)[0] is True
    assert own.broken(None) == ""


def test_what_was_asked_before_changes_nothing():
    told = []
    for names in (("x", "y"), ("y", "x")):
        own = digits(Losing({"x": 10, "y": 700}))
        found = {name: own.series(name)[0].ball for name in names}
        told.append({name: (x.mid(), x.rad()) for name, x in found.items()})
    assert told[0] == told[1]


def test_the_precision_outside_stays_as_it_was():
    before = ctx.prec
    digits(Losing({"x": 700})).series("x")
    assert ctx.prec == before


def test_a_run_with_few_digits_agrees_with_the_same_in_rationals():
    every = (x.setup for x in setups("meerkat") if x.setup.run.rounds > FEWEST - BITS)
    one = next(x for x in every if view_of(x).moments)
    view = narrowed(view_of(one), frozenset({"G_f", "f"}))
    exact, balls = _listed(one, view), _listed(one, view, given=BITS)
    names = [*exact.series]
    assert names
    for name in names:
        numbers, found = exact.series[name], balls.series[name]
        assert numbers.size == found.size > FEWEST - BITS
        assert any(isinstance(x, arb) for x in found.flat)
        for number, ball in zip(numbers.flat, found.flat, strict=True):
            assert holds(ball, number) if isinstance(ball, arb) else ball == number
            if isinstance(ball, arb) and number != 0:
                assert ball.is_exact() or ball.rel_accuracy_bits() >= BITS
