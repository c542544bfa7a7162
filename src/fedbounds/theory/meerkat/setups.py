"""Runs on which the claims are judged: ridge quadratics, at the step sizes that the claims name."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

from fedbounds.theory.language.setups import Number, Objective, Planned, Run, Setup

from . import choices, gradip_setups, minibatches, rows_of_tables, sines
from .ridges import ATTAINED, HALF, RIDGES, SEVEN, SWINGING, TEN, Numbers, Ridge, root

_EPSILON = "1/10"
_LIMIT: Numbers = {"slopes": 1}  # of small epsilon
# rounds, and local steps of each
_MANY, _LONG, _SHORT, _TWICE = (1000, 2), (60, 10), (3, 3), (3, 2)
_FEW, _OFTEN, _ONCE, _AT_ONCE = (2, 2), (6, 1), (1, 2), (1, 3)


def _planned(
    name: str, of: Ridge, view: str, given: dict[str, Any], chosen: Numbers, rounds: int,
    quick: bool,
) -> Planned:  # fmt: skip
    every = {"mask": of.mask, "epsilon": _EPSILON, "own": 0} | given
    run = Run(of.objective, of.start, tuple(every.items()), rounds)
    return Planned(f"{of.told}: {name}", Setup("meerkat", view, run, tuple(chosen.items())), quick)


def local_steps(of: Ridge, eta: Fraction, steps: int, told: str, *, quick: bool) -> Planned:
    """So many local steps of every client."""
    name = f"{steps} local steps, {told}"
    return _planned(name, of, "local steps", {"eta": str(eta)}, {"c_m": str(of.c)}, steps, quick)


def rounds(
    of: Ridge, eta: Fraction, counts: tuple[int, int], told: str, *, quick: bool, young: int = 1
) -> Planned:
    """Rounds of so many local steps; Young's parameter is ``young`` times that of (17)."""
    count, steps = counts
    delta = young / (eta * steps * of.pull)
    given = {"eta": str(eta), "K": steps}
    name = f"R={count} T={steps}, {told}"
    view = {_FEW: "few local steps", _OFTEN: "one local step"}.get(counts, "rounds")
    return _planned(name, of, view, given, of.chosen | {"young": str(delta)}, count, quick)


def settling(of: Ridge, eta: Fraction, steps: int) -> Setup:
    """Rounds whose limit is asked for."""
    planned = rounds(of, eta, (6, steps), "", quick=False)
    return replace(planned.setup, view="rounds that settle")


def stopped(
    of: Ridge,
    clients: tuple[int, ...],
    eta: Fraction,
    counts: tuple[int, int],
    gamma: Number,
    told: str,
    *,
    quick: bool,
) -> Planned:
    """Rounds in which the clients that have a 1 take one local step."""
    count, steps = counts
    kept = len(clients) - sum(clients)
    delta = len(clients) / (eta * of.pull * (kept * steps + sum(clients)))
    given = {"eta": str(eta), "K": steps, "stopped": clients}
    chosen = of.chosen | {"gamma_g": gamma, "young": str(delta)}
    name = f"{sum(clients)} of {len(clients)} stopped, R={count} T={steps}, {told}"
    view = "few local steps" if counts == _FEW else "rounds"
    return _planned(name, of, f"{view}, some clients stopped", given, chosen, count, quick)


def stopped_step(of: Ridge, clients: tuple[int, ...], steps: int, gamma: Number) -> Fraction:
    """The step size of Theorem 2.2."""
    n = len(clients)
    every = (n - sum(clients)) * steps + sum(clients)
    top = of.pl * root(of.c) * every
    return min(
        of.local_step,
        top / (2 * n * (2 + of.u) ** 2 * of.smoothness**2 * steps * Fraction(gamma)),
    )


def _is_small(of: Ridge) -> bool:
    return len(of.mask) < 10


def _of_clients() -> Iterator[Planned]:
    for of in RIDGES:
        small = _is_small(of)
        yield local_steps(of, of.local_step, 6, "eta = 1/(L(u+2))", quick=small)
        dense = 1 / (of.smoothness * (Fraction(of.u, len(of.mask)) + 2))
        yield local_steps(of, dense, 4, "eta = 1/(L(u/d+2))", quick=small)
        yield local_steps(of, of.local_step, 40, "eta = 1/(L(u+2))", quick=False)


def _of_rounds() -> Iterator[Planned]:
    for of in RIDGES:
        small = _is_small(of)
        if small:
            yield rounds(of, of.local_step, _FEW, "eta = 1/(L(u+2))", quick=True)
        yield rounds(of, of.local_step, _SHORT, "eta = 1/(L(u+2))", quick="three" in of.quick)
        yield rounds(of, of.step, _LONG, "eta of Theorem 2.1", quick="long" in of.quick)
        told = "eta = 1/(L(u+2))"
        yield rounds(of, of.local_step, (30, 5), told, quick="thirty" in of.quick)
        yield rounds(of, of.step, (4, 1), "eta of Theorem 2.1", quick=small, young=2)
        yield rounds(of, of.local_step, _OFTEN, "eta = 1/(L(u+2))", quick=small)
        yield rounds(of, of.step, _OFTEN, "eta of Theorem 2.1", quick=small)
        yield rounds(of, of.step / 4, (5, 3), "a quarter of it", quick=False)
        for counts, quick in ((_FEW, small), (_SHORT, False), (_LONG, "long" in of.quick)):
            told = "eta = 1/(5LT(u+2)(1+c_h/c))"
            yield rounds(of, of.short_step(counts[1]), counts, told, quick=quick)


def _of_stopped() -> Iterator[Planned]:
    for of in RIDGES:
        n = len(of.curvatures)
        for some in _stopped_of(n):
            alike = len(set(of.curvatures)) == 1 == len(set(of.slopes))
            share, gamma = f"{n - sum(some)}/{n}", str(of.share(some))
            first = "stopped" in of.quick and sum(some) == 1
            yield stopped(of, some, of.local_step, _SHORT, gamma, "eta = 1/(L(u+2))", quick=first)
            if not alike and any(some):  # kept clients need not have their share of the gaps
                told = "eta = 1/(L(u+2)), gamma K_g/K"
                yield stopped(of, some, of.local_step, _SHORT, share, told, quick=first)
            for counts in (_FEW, _SHORT, _LONG):
                eta, told = of.short_stopped_step(counts[1]), "eta = (1-c_h)/(36LT(u+2))"
                yield stopped(of, some, eta, counts, gamma, told, quick=first)
            eta = stopped_step(of, some, _LONG[1], gamma)
            yield stopped(of, some, eta, _LONG, gamma, "eta of Theorem 2.2", quick=first)
    half = stopped_step(HALF, (0, 1), _MANY[1], "1/2")
    yield stopped(HALF, (0, 1), half, _MANY, "1/2", "eta of Theorem 2.2", quick=False)


def _stopped_of(n: int) -> Iterator[tuple[int, ...]]:
    """Nobody; the last one; all but the first."""
    yield from dict.fromkeys(((0,) * n, (*(0,) * (n - 1), int(n > 1)), (0, *(1,) * (n - 1))))


def _of_long_steps() -> Iterator[Planned]:
    """Steps after which local gradients are larger than those at the models that are sent."""
    of = next(own for own in RIDGES if own.told == "one coordinate counts")
    yield rounds(of, 8 / of.smoothness, (1, 3), "eta = 8/L", quick=True)


def _of_one_round() -> Iterator[Planned]:
    """So few outcomes that a script lists them."""
    of = next(own for own in RIDGES if own.told == "one coordinate counts")
    yield rounds(of, of.local_step, _AT_ONCE, "eta = 1/(L(u+2))", quick=True)
    yield stopped(of, (0, 1), 1 / of.smoothness, _AT_ONCE, "1/2", "eta = 1/L", quick=True)
    for of in RIDGES:
        if len(of.curvatures) == 2 and len(set(zip(of.curvatures, of.slopes, strict=True))) > 1:
            told = "eta = 1/(L(u+2)), gamma K_g/K"
            yield stopped(of, (1, 0), of.local_step, _ONCE, "1/2", told, quick=_is_small(of))


def _of_swings() -> Iterator[Planned]:
    """Noise along the ridge, at the step sizes of (7), of Theorem 2.1 and of Theorem 2.2."""
    of, some = SWINGING, (0, 1)
    told = "eta = 1/(L(u+2))"
    yield local_steps(of, of.local_step, 6, told, quick=True)
    yield rounds(of, of.local_step, _ONCE, told, quick=True)
    yield rounds(of, of.local_step, (30, 5), told, quick=False)
    yield rounds(of, of.step, _OFTEN, "eta of Theorem 2.1", quick=True)
    yield rounds(of, of.step, _LONG, "eta of Theorem 2.1", quick=False)
    for counts in (_ONCE, _SHORT):
        yield stopped(of, some, of.local_step, counts, "1/2", told, quick=True)
    eta, told = of.short_stopped_step(3), "eta = (1-c_h)/(36LT(u+2))"
    yield stopped(of, some, eta, _SHORT, "1/2", told, quick=False)
    eta = stopped_step(of, some, _LONG[1], "1/2")
    yield stopped(of, some, eta, _LONG, "1/2", "eta of Theorem 2.2", quick=False)


def _of_sines() -> Iterator[Planned]:
    """A first round where f bends down: gradients grow on the way to the minimiser."""
    for view, n, more in (
        ("first round", 1, _LIMIT),
        ("first round, some clients stopped", 2, {**_LIMIT, "stopped": (0, 1)}),
    ):
        given = {"mask": (1, 0), "epsilon": _EPSILON, "own": 0, "eta": "1/24", "K": 2, **more}
        run = Run(sines.clients(n), ("8/5", 0), tuple(given.items()), 1)
        setup = Setup("meerkat", view, run, tuple(sines.CHOSEN.items()))
        yield Planned(f"x^2 + 3 sin^2 x: {view}, T=2, eta = 1/(L(u+2))", setup, quick=True)


def _of_powers() -> Iterator[Planned]:
    """A first local step on fourth powers, where two values at a distance miss the slope."""
    data = {"along": (1, 2, 2), "curvatures": (1, 2), "quartics": (1, 0)}
    problem = Objective("ridge powers", tuple(data.items()))
    given = {"mask": (0, 1, 0), "epsilon": _EPSILON, "own": 0, "eta": "1/64"}
    run = Run(problem, (2, 1, 1), tuple(given.items()), 1)
    chosen = (("c_m", "4/9"),)
    setup = Setup("meerkat", "local steps", run, chosen)
    yield Planned("fourth powers of one client: a local step", setup, quick=True)


PLANNED = (
    *_of_clients(),
    *_of_long_steps(),
    *_of_one_round(),
    *_of_powers(),
    *_of_rounds(),
    *_of_stopped(),
    *gradip_setups.PLANNED,
    *minibatches.PLANNED,
    rounds(ATTAINED, ATTAINED.step, (100, 10), "eta of Theorem 2.1", quick=False),
    rounds(SEVEN, SEVEN.step, (160, 1), "eta of Theorem 2.1", quick=False),
    rounds(TEN, TEN.step, _TWICE, "eta of Theorem 2.1", quick=False),
    rounds(TEN, TEN.short_step(2), _TWICE, "eta = 1/(5LT(u+2)(1+c_h/c))", quick=False),
    stopped(
        TEN,
        (*(0,) * 3, *(1,) * 7),
        TEN.short_stopped_step(2),
        _TWICE,
        str(TEN.share((*(0,) * 3, *(1,) * 7))),
        "eta = (1-c_h)/(36LT(u+2))",
        quick=False,
    ),
    *_of_swings(),
    *_of_sines(),
)
LADDERS = gradip_setups.LADDERS
CHOICES = (*choices.PLANNED, *rows_of_tables.PLANNED)
