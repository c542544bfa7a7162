"""Regions of all rounds: long runs by an independent oracle stay inside; planted errors are seen."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from flint import fmpq
from partial_oracle import Oracle, fraction
from traced_runs import scalar

from fedbounds.errors import FedboundsError
from fedbounds.theory.fedplt.measured import mask, ones
from fedbounds.theory.fedplt.vectors import W, Wstar, g0
from fedbounds.theory.language.registry import examined
from fedbounds.theory.language.setups import Alone, Everywhere, Largest, Least, Run, Says, dot
from fedbounds.theory.language.symbols import t
from fedbounds.verify.judge.settings.subjects import Examined
from fedbounds.verify.judge.settings.subjects import subjects as every_subject
from fedbounds.verify.measure.always import Always
from fedbounds.verify.measure.ranges import Range, as_range, compared, over_cube, quotient
from fedbounds.verify.measure.regions import AllRounds, Region, falling, support
from fedbounds.verify.measure.sources import Normal, Participants, bernoulli, signs
from fedbounds.verify.measure.unknowns import Refused, variables

ROUNDS = 50
RUNS = {
    one.name: Examined(one.name, one.setup)
    for one in examined("fedplt")
    if not isinstance(one, Alone) and one.setup.view.startswith("all rounds")
}
NOISY, QUIET = "overlapping masks, noise", "overlapping masks, full gradients"
UNKNOWN = "equal masks, full gradients"


def changed(name, *, start=None, problem=None, **parameters):
    """The same run from another start, or with other parameters."""
    setup = RUNS[name].setup
    run = setup.run
    given = {**dict(run.parameters), **parameters}
    own = Run(problem or run.problem, start or run.start, tuple(given.items()), run.rounds)
    return Examined(name, replace(setup, run=own))


def holds(region, rounds, name, at, numbers):
    """Whether numbers are in the range of a vector of a client and step."""
    entries = rounds.space.vectors[name][0, 0][at]
    ranges = [as_range(region.range(entry)).ends for entry in entries]
    return all(
        fraction(low) <= x <= fraction(high) for x, (low, high) in zip(numbers, ranges, strict=True)
    )


def inside(rounds, w, paths):
    """Whether one region contains the state of a round, and every local model."""
    ends = [own[-1] for own in paths]
    for region in rounds.regions:
        here = holds(region, rounds, "W", (0, 0), w)
        after = all(holds(region, rounds, "Wk", (k, 0), end) for k, end in enumerate(ends))
        steps = all(
            holds(region, rounds, "Ws", (k, s), own[s])
            for k, own in enumerate(paths)
            for s in range(len(own) - 1)
        )
        if here and after and steps:
            return True
    return False


ELSEWHERE = {
    "from elsewhere": changed(QUIET, start=(2, 3)),
    "from elsewhere, noise": changed(NOISY, start=("1/2", -1), eta="1/64"),
    "full masks from elsewhere": changed("full masks, two local steps", start=(1, 1)),
}


@pytest.mark.parametrize("name", [*(n for n in RUNS if n != UNKNOWN), *ELSEWHERE])
def test_fifty_rounds_of_the_algorithm_stay_in_the_regions(name):
    subject = {**RUNS, **ELSEWHERE}[name]
    rounds, oracle = subject.always.rounds, Oracle(subject.setup.run)
    for seed in range(2 if oracle.scale else 1):
        for _, w, paths in oracle.run(ROUNDS, seed):
            assert inside(rounds, w, paths)


def test_a_run_that_shrinks_stays_on_a_segment():
    subject = RUNS["disjoint masks, one minimiser"]
    rounds, oracle = subject.always.rounds, Oracle(subject.setup.run)
    (region,) = rounds.regions
    assert len({x.to_dict().__str__() for x in region.substitutes[:2]}) == 1
    for _, w, _ in oracle.run(ROUNDS):
        assert w[0] == w[1]  # between the start (1, 1) and W* = 0
        assert 0 < w[0] <= 1


def test_a_box_of_half_the_size_is_left():
    """Planted: the radius is not larger than it needs to be."""
    subject = RUNS["full masks, noise"]
    rounds, oracle = subject.always.rounds, Oracle(subject.setup.run)
    (region,) = rounds.regions
    (low, high) = as_range(region.range(rounds.space.vectors["W"].reshape(-1)[0])).ends
    reach = max(
        abs(w[0]) for sign in (1, -1) for _, w, _ in oracle.run(400, signs=lambda own=sign: own)
    )
    assert fraction(high) / 2 < reach <= fraction(high)
    assert low == -high


def test_what_is_not_led_into_itself_is_refused():
    with pytest.raises(Refused, match="led into itself"):
        assert changed(NOISY, eta=3).always.rounds.regions
    with pytest.raises(Refused, match="no state, or to many"):
        assert RUNS[UNKNOWN].always.rounds.regions


def test_rounds_that_differ_are_known_only_where_the_run_stays():
    name = "overlapping masks, full gradients, decaying steps"
    assert len(RUNS[name].always.rounds.regions) == 201
    for other in (changed(name, start=(0, 0)), changed(name, tau=2)):
        with pytest.raises(Refused, match="does not stay"):
            assert other.always.rounds.regions


def test_a_step_that_is_not_affine_or_asks_for_the_round_is_refused():
    def squared(problem, p, state, drawn):
        return {"x": state["x"] * state["x"] / 4}

    def counted(problem, p, state, drawn):
        return {"x": state["x"] / (p["t"] + 2)}

    for step, told in ((squared, "not affine"), (counted, "depends on the round")):
        with pytest.raises(Refused, match=told):
            assert AllRounds(scalar(step), {}).regions


def test_products_of_state_and_draws_are_refused():
    def step(problem, p, state, drawn):
        return {"x": state["x"] * drawn["s"][:, :1] / 2}

    subject = scalar(step, draw=lambda random, problem, p: {"s": random.signs(1)})
    with pytest.raises(Refused, match="not affine in the state and in its draws"):
        assert AllRounds(subject, {}).regions


def test_draws_have_supports():
    assert support(signs(2)) == (-1, 1)
    assert support(bernoulli(fmpq(1, 3), 2)) == (0, 1)
    assert support(Participants(3, 2)) == (0, 1)
    with pytest.raises(Refused, match="not bounded"):
        support(Normal((2,)))


def test_only_what_is_seen_to_fall_does():
    assert falling(1 / (t + 1), 5) == 1 / (t + 1)
    for rule in (sp.Rational(1, 2), t / (t + 1), 1 / (t - 9), sp.exp(-t)):
        with pytest.raises(Refused):
            falling(rule, 5)


# ---- ranges


def test_ranges_contain_every_value_on_the_cube():
    x, y = variables({"x": (1, 2)}, ()).context.gens()
    points = [Fraction(a, 4) for a in range(-4, 5)]
    polynomials = (x * y + 2 * x, x**2 - y / 3 + 1, 3 + x + y, x**2 + y**2)
    for polynomial in polynomials:
        found = as_range(over_cube(polynomial))
        values = [polynomial(*(fmpq(z.numerator, z.denominator) for z in (a, b)))
                  for a in points for b in points]  # fmt: skip
        assert found.low <= min(values) <= max(values) <= found.high
    assert over_cube(3 + x + y) == Range(fmpq(1), fmpq(5))  # sharp where it is affine


def test_a_quotient_is_a_number_where_it_is_one_and_refused_where_it_may_not_be():
    x, y = variables({"x": (1, 2)}, ()).context.gens()
    assert quotient(3 * x * y, x * y) == 3
    assert as_range(quotient(x, 3 + y)).ends == (fmpq(-1, 2), fmpq(1, 2))
    for bottom in (x, x - x, 1 + y):
        with pytest.raises(Refused, match="vanish"):
            quotient(1 + 0 * x, bottom)


def test_comparisons_of_ranges_are_decided_everywhere_or_not():
    low, high = Range(fmpq(0), fmpq(1)), Range(fmpq(1), fmpq(2))
    assert compared(low, "<=", high) is True
    assert compared(high, "<", low) is False
    for relation in ("<", "==", ">", ">="):
        assert compared(low, relation, high) is (False if relation == ">" else None)
    assert compared(Range(None, fmpq(1)), "<", fmpq(2)) is True
    assert compared(Range(None, fmpq(1)), ">", fmpq(0)) is None
    with pytest.raises(FedboundsError, match="not told apart"):
        max(low, Range(fmpq(1, 2), fmpq(3)))


def test_arithmetic_of_ranges_contains_that_of_numbers():
    rng = np.random.default_rng(0)
    for _ in range(200):
        a, b, c, d = (fmpq(int(x), 4) for x in rng.integers(-8, 9, 4))
        one, other = (Range(min(p), max(p)) for p in ((a, b), (c, d)))
        for found, value in ((one + other, b + c), (one - other, a - d), (one * other, b * d)):
            assert as_range(found).low <= value <= as_range(found).high
        assert as_range(one**2).low <= a**2 <= as_range(one**2).high
        if compared(other, "==", fmpq(0)) is False:
            assert as_range(one / other).low <= a / d <= as_range(one / other).high


# ---- extremes of all rounds


def test_the_alignment_and_the_gradients_are_those_of_long_runs():
    for name, subject in RUNS.items():
        if name in (UNKNOWN, "overlapping masks, one minimiser, two local steps"):
            continue
        oracle, numbers, seen = Oracle(subject.setup.run), subject.numbers, []
        best = [Fraction(0)] * 2
        assert oracle.wide(best) == best  # W* = 0
        for _, w, paths in oracle.run(25):
            for k, own in enumerate(paths):
                for model in (w, *own):
                    seen.append(oracle.rho(k, model, best))
                    assert sum(x * x for x in oracle.wide(model)) < fraction(numbers["G^2"])
        there = [x for x in seen if x is not None]
        assert all(x >= fraction(numbers["rho_min"]) for x in there)
        assert not there or min(there) == fraction(numbers["rho_min"])


def test_a_bound_that_is_too_small_is_not_held():
    subject = RUNS[QUIET]
    exact = subject.numbers["G^2"] - 1
    for value, holds_ in ((exact, True), (exact - fmpq(1, 10**6), False)):
        largest = next(iter(subject.view.choices["G^2"].values())).args
        (upper,) = (x.args[0] for x in largest if x.has(Largest))
        assert subject.always.decided(Says(upper, "<=", sp.Rational(str(value))))[0] is holds_


def test_everywhere_is_a_number_or_a_state_that_shows_something():
    subject = RUNS[QUIET]
    always: Always = subject.always
    ratio = dot(mask(g0), W - Wstar) / dot(g0, W - Wstar)
    assert always.number(Least(Everywhere(dot(ones, ones)))) == 2
    found = always.number(Least(Everywhere(ratio)))
    assert found.low is None
    assert found.high < 0
    place = [Fraction(x) for x in found.where.removeprefix("at (").rstrip(")").split(", ")]
    oracle = Oracle(subject.setup.run)
    least = min(oracle.rho(k, place, [0, 0]) for k in range(2))
    assert least == fraction(found.high)
    whole = RUNS["full masks, noise"].always
    assert whole.number(Least(Everywhere(ratio))) == 1
    holds_, told = always.decided(Says(Largest(Everywhere(dot(g0, g0))), "<", sp.oo))
    assert holds_ is False
    assert "above 1000000 at (" in told
    assert always.decided(Says(Largest(Everywhere(dot(g0, W))), "<", sp.oo))[0] is False
    # along every coordinate it falls
    falls = Says(Largest(Everywhere(-dot(W, W))), "<", sp.oo)
    assert always.decided(falls)[0] is None


def test_the_region_of_a_point_is_the_point():
    rounds = RUNS[QUIET].always.rounds
    (region,) = rounds.regions
    assert isinstance(region, Region)
    assert rounds.stays
    assert rounds.silent
    assert not RUNS[NOISY].always.rounds.silent
    assert [region.range(x) for x in rounds.space.vectors["W"].reshape(-1)] == [fmpq(1, 4)] * 2


def test_every_examined_run_is_a_subject():
    assert RUNS.keys() <= dict(every_subject("fedplt")).keys()
