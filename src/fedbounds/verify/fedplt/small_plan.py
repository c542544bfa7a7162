"""Small exact cases for every encoded claim about FedPLT: every outcome is enumerated."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain
from random import Random
from typing import Any

from flint import fmpq

from fedbounds.algorithms.fedplt_rows import untrained
from fedbounds.vocabulary import Assumption, Method

from ..case import Case
from ..profile import Profile
from .long_runs_plan import as_case, at_rest
from .setups import Analysed, Attenuated, Decaying, Rate, Recursion, Run, Shows, View
from .small_runs import (
    COUPLED,
    CUBE,
    ONE,
    OTHER,
    STEEP,
    TWO,
    UNIT,
    Rows,
    angles,
    apart,
    ascent,
    away,
    idle,
    mean_of,
    random_run,
    run,
    work,
)

FEDPLT = "FedPLT"
PRINTED, OURS = Assumption.ALIGNED, Assumption.ALIGNED_COMPENSATED
GLOBAL, LOCAL = Assumption.GLOBAL_GRADIENT, Assumption.LOCAL_GRADIENTS
_RANDOM = {Profile.QUICK: 1, Profile.DEFAULT: 5, Profile.THOROUGH: 60}  # runs of each view
_Q = fmpq(1, 4)
_FREE = (fmpq(4), fmpq(1, 2), fmpq(-1))  # psi_i is any real number where nobody trains i
_FULL, _SPLIT, _NESTED = ((1, 1), (1, 1)), ((1, 0), (0, 1)), ((1, 0), (1, 1))


def cases(profile: Profile, seed: int) -> Iterator[Case]:
    """Every case of a profile; what the seed changes comes last."""
    quick = profile is Profile.QUICK
    if not quick:
        setup = Analysed(away(132), View.ROUNDS, Shows.DISTANCES)
        yield _case("away from W*: rounds of the algorithm", setup, 528)
    yield as_case("partial masks, at rest away from W*", at_rest(44))
    yield from chain(_sequences(), _chosen(), _angles())
    for view, runs in ((View.FREE, _free()), (View.STEPS, _steps()), (View.ROUNDS, _rounds())):
        for name, found in list(runs)[: 4 if quick else None]:
            yield from _analysed(name, found, view)
    random = Random(seed)
    for view in View:
        for number in range(_RANDOM[profile]):
            name = f"random {number + 1} of seed {seed}"
            yield from _analysed(name, random_run(view, random), view)


# ---- runs, each looked at in all ways that its view has


def _analysed(name: str, found: Run, view: View) -> Iterator[Case]:
    ways: dict[View, Sequence[tuple[Shows, Assumption, Assumption]]] = {
        View.FREE: [
            (Shows.STEP, PRINTED, GLOBAL),
            (Shows.STEP, OURS, GLOBAL),
            (Shows.CLIENTS, PRINTED, GLOBAL),
            (Shows.CLIENT, PRINTED, GLOBAL),
        ],
        View.STEPS: [
            (Shows.STEP, PRINTED, GLOBAL),
            (Shows.STEP, OURS, GLOBAL),
            (Shows.DISTANCES, OURS, LOCAL),
            (Shows.VECTORS, PRINTED, LOCAL),
            (Shows.CLIENTS, PRINTED, GLOBAL),
        ],
        View.ROUNDS: [
            (Shows.DISTANCES, PRINTED, GLOBAL),
            (Shows.DISTANCES, OURS, LOCAL),
            (Shows.VECTORS, PRINTED, GLOBAL),
            (Shows.CLIENTS, PRINTED, GLOBAL),
            (Shows.CLIENTS, PRINTED, LOCAL),
        ],
    }
    for shows, alignment, gradients in ways[view]:
        setup = Analysed(found, view, shows, alignment, gradients)
        switches = {PRINTED: "", OURS: ", compensated alignment"}[alignment]
        switches += ", G of every F_k" if gradients is LOCAL else ""
        yield _case(f"{name}: {view.value}: {shows.value}{switches}", setup, work(found, view))
    if untrained(found.algorithm):
        shows = Shows.DISTANCES if view is View.ROUNDS else Shows.STEP
        for free in _FREE:
            setup = Analysed(found, view, shows, free=free)
            label = f"{name}: {view.value}: {shows.value}, psi = {free} where nobody trains"
            yield _case(label, setup, work(found, view))


def _case(name: str, setup: Any, cost: int) -> Case:
    return Case(name, FEDPLT, setup, Method.RATIONAL, cost)


def _free() -> Iterator[tuple[str, Run]]:
    """W is the mean of the W_k, as Step 4.3 recalls; but once."""
    yield "two clients uphill", ascent(free=True)
    own: Rows = ((4, 2), (3, 3))
    nested = partial(run, (COUPLED, STEEP), ((1, -1), (-1, 2)), _NESTED, fmpq(1, 64), noise=_Q)
    weighted = partial(nested, mean_of(own, (1, 3)), weights=(1, 3), own=own)
    yield "unequal weights", weighted()
    yield "one noise for all", run(
        (ONE, ONE), ((1,), (-1,)), ((1,), (1,)), _Q, (2,), noise=1, own=((3,), (1,)),
        dependent=True,
    )  # fmt: skip
    yield "conditions at equality", _edge(fmpq(1, 2), ((3,), (1,)))
    yield "one client", run((TWO,), ((3,),), ((1,),), _Q, (2,), noise=1, own=((2,),))
    yield "one noise for all, masks", weighted(dependent=True)
    own = ((1, 2, 3), (3, 1, -2), (2, 0, -4))
    yield "disjoint masks", run(
        (CUBE, CUBE, CUBE), ((1, 2, -1), (0, -3, 1), (-2, 1, 0)), CUBE, fmpq(1, 32),
        mean_of(own, (1, 1, 2)), weights=(1, 1, 2), own=own,
    )  # fmt: skip
    own = ((1, 2), (3, 4))
    yield "a coordinate of nobody", run(
        (UNIT, STEEP), ((1, 2), (-1, 0)), ((1, 0), (1, 0)), fmpq(1, 8), mean_of(own, (1, 1)),
        noise=_Q, own=own,
    )  # fmt: skip
    yield (
        "a common minimiser",
        run((COUPLED, OTHER), ((0, 0), (0, 0)), _SPLIT, fmpq(1, 16), (2, 3), own=own),
    )
    yield (
        "F_1* above F*, at its minimiser",
        run((ONE, ONE), ((0,), (4,)), ((1,), (1,)), fmpq(1, 8), (0,), own=((0,), (0,))),
    )
    # the models are anything: last, as the paper has them close to their mean
    yield "models anywhere", nested((-3, 5), own=((2, 2), (4, 3)))


def _steps() -> Iterator[tuple[str, Run]]:
    nested = partial(run, (UNIT, COUPLED), ((1, -1), (-1, 1)), _NESTED, fmpq(1, 64), (6, 5), tau=2)
    yield "two clients uphill", ascent(tau=2, count=2)
    yield "every client its own coordinate", apart(4, 4)
    yield (
        "full masks",
        run((COUPLED, STEEP), ((1, -1), (-2, 1)), _FULL, fmpq(1, 16), (3, 2), tau=2, count=4),
    )
    yield "nested masks", nested(count=2, weights=(1, 3), noise=_Q)
    yield "nested masks, second round", nested(count=5)
    yield (
        "one coordinate",
        run((ONE, TWO), ((4,), (-3,)), ((1,), (1,)), fmpq(1, 32), (9,), tau=3, count=4, noise=1),
    )
    yield (
        "one local step",
        run((ONE, TWO), ((1,), (-1,)), ((1,), (1,)), fmpq(1, 8), (4,), count=3, noise=1),
    )
    yield (
        "two coordinates, two clients",
        run((UNIT, STEEP), ((3, 1), (-2, 2)), _SPLIT, fmpq(1, 64), (8, -6), tau=3, count=6),
    )
    yield "one client", run((STEEP,), ((1, 2),), ((1, 0),), fmpq(1, 8), (2, 3), tau=2, count=3)


def _rounds() -> Iterator[tuple[str, Run]]:
    yield "two clients uphill", ascent(count=1)
    yield "two clients uphill, two local steps", ascent(count=3, tau=2)
    yield "conditions at equality", _edge(fmpq(1, 2))
    yield "nested masks", run(
        (COUPLED, STEEP), ((1, -1), (-1, 2)), _NESTED, fmpq(1, 256), (4, 3), tau=2,
        weights=(1, 3), noise=_Q,
    )  # fmt: skip
    yield "two clients uphill, noise", ascent(count=2, noise=fmpq(1, 64))
    yield (
        "opposite gradients",
        run((ONE, ONE), ((5,), (-5,)), ((1,), (1,)), fmpq(1, 8), (1,), tau=2, count=3),
    )
    yield (
        "noise, four rounds",
        run((ONE, TWO), ((1,), (-1,)), ((1,), (1,)), fmpq(1, 8), (4,), count=4, noise=1),
    )
    yield "one client", run((TWO,), ((3,),), ((1,),), fmpq(1, 8), (2,), tau=3, count=2, noise=1)
    yield (
        "one client, two local steps",
        run((TWO,), ((3,),), ((1,),), fmpq(1, 8), (2,), tau=2, noise=1),
    )
    yield (
        "one client, half of its coordinates",
        run((STEEP,), ((1, 2),), ((1, 0),), fmpq(1, 8), (2, 3), tau=2, count=3),
    )
    yield "every client its own coordinate", apart(2, 3)
    yield (
        "a common minimiser",
        run((COUPLED, OTHER), ((0, 0), (0, 0)), _FULL, fmpq(1, 16), (2, 3), tau=3, count=3),
    )
    yield "a coordinate of nobody", run(
        (UNIT, STEEP), ((1, 2), (-1, 0)), ((1, 0), (1, 0)), fmpq(1, 8), (1, 2), count=2,
        noise=_Q,
    )  # fmt: skip
    yield "full masks, unequal weights", run(
        (UNIT, STEEP), ((3, 1), (-2, 2)), _FULL, fmpq(1, 32), (8, -6), tau=3, count=4,
        weights=(2, 5),
    )  # fmt: skip


def _edge(step: Any, own: Any = None) -> Run:
    """Full masks, L = 1: eta = 1/2 is the largest of condition (ii)."""
    slopes = ((1,), (-1,))
    return run((ONE, ONE), slopes, ((1,), (1,)), step, (2,), count=1 if own else 3, own=own)


# ---- rho_min, alpha_k, angles and recursions that are chosen


def _chosen() -> Iterator[Case]:
    """Where Step 4.4 asks nothing of rho_min: every condition at equality, and any alpha_k."""
    own = ((2, -1), (1, 3))
    slopes, step = ((1, -1), (-1, 2)), fmpq(1, 24)
    found = run((COUPLED, STEEP), slopes, _NESTED, step, mean_of(own, (1, 1)), own=own)
    # psi = (1, 2), L = 3: 2 eta psi_max^2 L = 1, so that conditions (ii) and (iii) meet at these
    for name, rho_min in (("(ii) at equality", 1), ("(iii) at equality", 2)):
        setup = Analysed(found, View.FREE, Shows.STEP, fmpq(rho_min))
        yield _case(f"any rho_min, condition {name}", setup, 8)
    full = run((COUPLED, STEEP), slopes, _FULL, fmpq(1, 3), mean_of(own, (1, 1)), own=own)
    setup = Analysed(full, View.FREE, Shows.STEP, fmpq(2))
    yield _case("any rho_min, eta = 1/L", setup, 8)
    for view, shows in ((View.FREE, Shows.STEP), (View.ROUNDS, Shows.DISTANCES)):
        setup = Analysed(idle(free=view is View.FREE), view, shows, free=fmpq(4))
        name = f"two clients uphill, an idle coordinate: {view.value}, psi = 4 where nobody trains"
        yield _case(name, setup, 12)
    nobody = run(
        (UNIT, UNIT), ((1, 0), (-1, 0)), ((1, 0), (1, 0)), fmpq(1, 2), (1, 0), own=((1, 0), (1, 0))
    )
    below = Analysed(nobody, View.FREE, Shows.STEP, fmpq(2), free=fmpq(-1))
    yield _case("any rho_min, psi = -1 where nobody trains", below, 8)
    # client 1 trains what its gradient has least of: alpha_1 = 1/2 is enough
    uneven = run(
        (UNIT, UNIT), ((0, -4), (0, 4)), _NESTED, fmpq(1, 64), (1, 0), own=((1, 0), (1, 0))
    )
    for name, alpha in (("unequal", (fmpq(1, 2), fmpq(1))), ("all 1", (fmpq(1), fmpq(1)))):
        yield _case(f"alpha {name}", Attenuated(uneven, alpha, fmpq(1)), 8)


def _angles() -> Iterator[Case]:
    """Angles above 90 degrees first: the two readings name the same numbers."""
    for cost, sign, where in ((4, -1, "above"), (5, 1, "below")):
        for name, y, g in (("better", (3, 4), (5, 12)), ("worse", (4, 3), (12, -5))):
            pointed = (sign * y[0], sign * y[1])
            found = angles(pointed, g)
            setup = Analysed(found, View.FREE, Shows.CLIENT)
            yield _case(f"angles {where} 90 degrees, {name} masked", setup, cost)
    outside = Analysed(angles((3, 4), (0, 5)), View.FREE, Shows.CLIENT)
    yield _case("a gradient outside of its mask", outside, 4)


def _sequences() -> Iterator[Case]:
    """Recursions with equality, and runs that satisfy one; C at the edges of its conditions."""
    z, B = fmpq(1, 2), fmpq(3)
    level = B / z**2
    for name, D_0, added, step, count in (
        ("eta = 1/(2z)", fmpq(4), B, 1 / (2 * z), 6),
        ("eta near 1/z", fmpq(4), B, fmpq(255, 256) / z, 4),
        ("small eta", fmpq(40), B, 1 / (64 * z), 8),
        ("B = 0", fmpq(4), fmpq(0), 1 / (4 * z), 4),
        ("D^0 = 0", fmpq(0), B, 1 / (4 * z), 4),
        ("one round", fmpq(4), B, 1 / (4 * z), 1),
    ):
        setup = Recursion(D_0, z, added, Rate.BASE if added else fmpq(4), (step,) * count)
        yield _case(f"recursion, {name}", setup, count)
    for name, D_0, rate, count in (
        ("start near", level / 2, Rate.BASE, 3),
        ("start at W*", fmpq(0), Rate.BASE, 3),
        ("start far", 2 * level, Rate.BASE, 12),
        ("start far", 2 * level, Rate.ANY, 12),
        ("start near", level / 2, Rate.ANY, 3),
        ("start far, C large", 2 * level, 20 * level, 12),
        ("one round", 2 * level, Rate.BASE, 1),
    ):
        steps = decaying(z, count)
        what = f"C = {rate.value}" if isinstance(rate, Rate) else "any larger C"
        yield _case(f"decaying recursion, {name}, {what}", Recursion(D_0, z, B, rate, steps), count)
    for name, D_0 in (("near", level), ("far", 8 * level), ("at W*", fmpq(0))):
        for rate in (Rate.LONGER, 10 * level):
            what = "C least" if isinstance(rate, Rate) else "C larger"
            setup = Recursion(D_0, z, B, rate, longer(z, 12))
            yield _case(f"longer steps, start {name}, {what}", setup, 12)
    slow = run((ONE, ONE), ((1,), (-1,)), ((1,), (1,)), 1, (4,), count=3, noise=1)
    for name, steps, rate in (
        ("constant steps", (_Q,) * 3, Rate.BASE),
        ("steps 1/(z(t+1))", decaying(fmpq(1), 3), Rate.BASE),
        ("steps 1/(z(t+1)), least C", decaying(fmpq(1), 3), Rate.ANY),
        ("steps 2/(z(t+2))", longer(fmpq(1), 3), Rate.LONGER),
    ):
        setup_of_run = Decaying(slow, steps, fmpq(1), None, rate)
        yield _case(f"FedPLT, {name}", setup_of_run, work(slow, View.ROUNDS))


def decaying(z: Any, count: int) -> tuple[Any, ...]:
    """1/(z(t+1))."""
    return tuple(1 / (z * (t + 1)) for t in range(count))


def longer(z: Any, count: int) -> tuple[Any, ...]:
    """2/(z(t+2))."""
    return tuple(2 / (z * (t + 2)) for t in range(count))
