"""Runs on which the claims of deep linear networks are judged."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from random import Random
from typing import Any

from fedbounds.theory.language.setups import (
    Ladder,
    Number,
    Objective,
    Planned,
    PlannedLadder,
    Run,
    Setup,
)
from fedbounds.theory.language.starts import PlannedStarts, Starts

from . import choices, matrices, relu_setups

Rows = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Network:
    """A network with data and a start.

    Attributes
    ----------
    told : str
        In a few words.
    features, targets : nested tuples of numbers
        Of every client and sample.
    depth, width : int
    start : tuple of numbers
    largest, least : numbers
        No less than the largest eigenvalue of X'X, no more than the least.
    C_w : number
        What Omega hides.
    """

    told: str
    features: Any
    targets: Any
    depth: int
    width: int
    start: tuple[Number, ...]
    largest: Number = 1
    least: Number = 1
    C_w: Number = 1

    @property
    def objective(self) -> Objective:
        """As data."""
        data = {x: getattr(self, x) for x in ("features", "targets", "depth", "width")}
        return Objective("deep linear", tuple(data.items()))

    @property
    def clients(self) -> int:
        """N."""
        return len(self.features)

    def step(self, steps: int) -> Fraction:
        """That of the proofs, d_out/(50 L kappa K ||X||^2), or less."""
        outputs, largest = len(self.targets[0][0]), Fraction(self.largest)
        return outputs * Fraction(self.least) / (50 * self.depth * steps * largest**2)


# ---- starts

Layer = Sequence[Sequence[Fraction | int]]
_SIGNS = Fraction(1)


def signs(width: int, columns: int) -> list[list[int]]:
    """Columns of +-1: constant, alternating, alternating in pairs; orthogonal if 8 divides m."""
    return [
        [1 if at == 0 else (-1) ** (row >> (at - 1)) for at in range(columns)]
        for row in range(width)
    ]


def flat(*layers: Layer) -> tuple[Number, ...]:
    return tuple(str(x) for layer in layers for row in layer for x in row)


def _two_layers(width: int, columns: int, moved: int = 0) -> tuple[Number, ...]:
    """Orthogonal columns, and signs that are orthogonal to them; each entry moved by Gaussians."""
    first = signs(width, columns)
    last = [[row[-1] for row in signs(width, columns + 1)]]
    random = Random(f"two layers {width} {columns} {moved}")
    return tuple(
        _in_64ths(64 * x + round(random.gauss(0, 1) * moved))
        for layer in (first, last)
        for row in layer
        for x in row
    )


@lru_cache(maxsize=1024)  # most entries are among a few
def _in_64ths(count: int) -> str:
    return str(Fraction(count, 64))


def _many_layers(
    depth: int, width: int, columns: int, outputs: int, ends: Fraction = _SIGNS
) -> tuple[Number, ...]:
    """All layers are columns or rows of signs that are orthogonal to each other.

    Those of the first layer and of the last one are ``ends`` times as long.
    """
    every = range(width)  # a power of 2
    square = [[Fraction((-1) ** bin(i & j).count("1")) for j in every] for i in every]
    first = [[x * ends for x in row[:columns]] for row in square]
    last = [[x * ends for x in row] for row in square[width - outputs :]]
    return flat(first, *[square] * (depth - 2), last)


# ---- networks

_APART = (((1, 0),), ((0, 1),))
_SKEWED = (((1, 1),), ((-1, 1),))
_ALIKE, _NEARLY = (((1,),), ((1,),)), ((("1/100",),), ((1,),))
WIDEST = 10**6  # one layer has no width: any will do
ONE_LAYER = Network("one layer", _APART, _ALIKE, 1, WIDEST, ("1/1000", "-1/1000"), C_w=1000)
ONE_NEARLY = Network(
    "one layer, the first client nearly fitted", _APART, _NEARLY, 1, WIDEST, (0, 0), C_w=1000
)
SKEWED = Network("one layer, both features", _SKEWED, (((1,),), ((3,),)), 1, WIDEST, (0, 0), 2, 2)
WIDE = Network("two layers, width 400", _APART, _ALIKE, 2, 400, _two_layers(400, 2, 8))
WIDE_NEARLY = Network(
    "two layers, width 400, the first client nearly fitted", _APART, _NEARLY, 2, 400,
    _two_layers(400, 2, 1),
)  # fmt: skip
NARROW = Network("two layers, width 16", _APART, _ALIKE, 2, 16, _two_layers(16, 2, 2))
THREE_LAYERS = Network("three layers", _APART, _ALIKE, 3, 64, _many_layers(3, 64, 2, 1))
SEVEN_LAYERS = Network(
    "seven layers", _APART, (((-1,),), ((1,),)), 7, 64, _many_layers(7, 64, 2, 1)
)
UNLIKE = Network(
    "two layers, samples of two sizes", (((2, 0),), ((0, 1),)), _ALIKE, 2, 4, _two_layers(4, 2),
    4, 1,
)  # fmt: skip
OUTPUTS = Network(
    "three layers, four outputs", _APART, (((1, 0, 0, 1),), ((0, -1, 2, 0),)), 3, 4,
    _many_layers(3, 4, 2, 4),
)  # fmt: skip
THREE = Network(
    "one layer, three clients", (((1, 0, 0),), ((1, 1, 0),), ((0, 0, 1),)),
    (((1,),), ((-1,),), ((2,),)), 1, WIDEST, (0, 0, 0), 3, "1/3",
)  # fmt: skip
# of one client the widths that the theorem asks for are small
_TOGETHER, _BOTH_ALIKE = (((1, 0), (0, 1)),), (((1,), (1,)),)
ALONE = Network("two layers, one client", _TOGETHER, _BOTH_ALIKE, 2, 16, _two_layers(16, 2, 2))
ALONE_DEEPER = Network(
    "three layers, one client", _TOGETHER, _BOTH_ALIKE, 3, 64, _many_layers(3, 64, 2, 1)
)
_ALONE = (((1,),),)
ONE_CLIENT = Network(
    "three layers, one client", _ALONE, ((("1/2",),),), 3, 16, _many_layers(3, 16, 1, 1)
)
FOUR_LAYERS = Network(
    "four layers, one client", _ALONE, ((("1/2",),),), 4, 16, _many_layers(4, 16, 1, 1)
)
# within the event, P(0) is as large as two for every layer, and local moves have that L
LONGER_ENDS = Network(
    "ten layers, the first and the last one longer, one client", _ALONE, ((("1/100",),),), 10, 32,
    _many_layers(10, 32, 1, 1, ends=Fraction(19, 16)),
)  # fmt: skip
# a constant of 10,000 in Omega, which (22) and (23) need
WIDEST_OF_TWO = Network(
    "two layers, width 65536, one client", _ALONE, ((("1/100",),),), 2, 2**16,
    _two_layers(2**16, 1), C_w=10**4,
)  # fmt: skip
IN_BALLS = Network("two layers, width 8", _APART, _ALIKE, 2, 8, _two_layers(8, 2))
SAMPLES = Network(
    "one layer, two samples a client", (((1, 0, 0, 0), (0, 1, 0, 0)), ((0, 0, 2, 0), (0, 0, 0, 2))),
    (((1,), (2,)), ((-1,), (1,))), 1, WIDEST, (0, 0, 0, 0), 4, 1,
)  # fmt: skip

# ---- plans

_ONE, _BOTH, _TURNS = ((1, 0),), ((1, 1),), ((1, 0), (0, 1))
SCHEDULES: tuple[tuple[str, Rows], ...] = (
    ("one client", _ONE), ("both", _BOTH), ("in turns", _TURNS),
    ("one, then both", (*_ONE, *_BOTH)),
)  # fmt: skip


def _planned(
    of: Network, told: str, view: str, parameters: dict[str, Any], rounds: int, *, quick: bool
) -> Planned:
    run = Run(of.objective, of.start, tuple(parameters.items()), rounds)
    chosen: dict[str, Number] = {"C_w": of.C_w, "C_o": 1, "C_B": 2, "chance": "1/10"}
    return Planned(
        f"{of.told}: {told}", Setup("overparam", view, run, tuple(chosen.items())), quick
    )


def _scheduled(
    of: Network, told: str, rows: Rows, steps: int, rounds: int, *, quick: bool = True
) -> Planned:
    parameters = {"eta": str(of.step(steps)), "K": steps, "schedule": rows}
    return _planned(of, f"{told}, K={steps} T={rounds}", "rounds", parameters, rounds, quick=quick)


def _at_random(of: Network, count: int, steps: int, rounds: int) -> Planned:
    parameters = {"eta": str(of.step(steps)), "K": steps, "m": count}
    told = f"{count} of {of.clients} at random, K={steps} T={rounds}"
    return _planned(of, told, "rounds, clients at random", parameters, rounds, quick=True)


def _plan() -> Iterator[Planned]:
    for of in (ONE_LAYER, ONE_NEARLY, SKEWED, SAMPLES):
        for told, rows in SCHEDULES:
            for steps in (1, 3):
                yield _scheduled(of, told, rows, steps, 4)
        for steps in (1, 3):
            yield _at_random(of, 1, steps, 4)
    yield _scheduled(ONE_LAYER, "one client", _ONE, 1, 300)
    # what both do in a round makes up for later ones by the least |S_i|, but not by the product
    yield _scheduled(ONE_NEARLY, "both, then one", (*_BOTH, *_ONE * 7), 1, 8)
    # digits grow (2 L - 1) times with every step
    for of, steps, rounds in ((THREE_LAYERS, 1, 2), (SEVEN_LAYERS, 1, 1), (UNLIKE, 2, 2),
                              (OUTPUTS, 1, 2)):  # fmt: skip
        for told, rows in SCHEDULES[:3]:
            yield _scheduled(of, told, rows, steps, rounds)
        yield _at_random(of, 1, 1, 1)
    for of, steps, rounds in ((ONE_CLIENT, 1, 2), (ONE_CLIENT, 2, 1), (FOUR_LAYERS, 1, 1)):
        yield _scheduled(of, "everyone", ((1,),), steps, rounds)
    for told, rows in (("all", ((1, 1, 1),)), ("two of three in turns", ((1, 1, 0), (0, 1, 1))),
                       ("one, two and all", ((0, 0, 1), (1, 1, 0), (1, 1, 1))),
                       ("one client", ((0, 1, 0),))):  # fmt: skip
        yield _scheduled(THREE, told, rows, 15, 3)
    for count in (1, 2, 3):
        yield _at_random(THREE, count, 2, 3)
    for of, steps, rounds in ((ALONE, 1, 4), (ALONE, 3, 2), (ALONE_DEEPER, 2, 1)):
        yield _scheduled(of, "alone", ((1,),), steps, rounds)
    yield _scheduled(LONGER_ENDS, "alone", ((1,),), 3, 1)
    for told, rows in SCHEDULES:
        yield _scheduled(NARROW, told, rows, 2, 3)
        yield _scheduled(WIDE, told, rows, 1, 1)
        yield _scheduled(IN_BALLS, told, rows, 1, 40, quick=False)
    for told, rows in SCHEDULES[:3]:
        yield _scheduled(WIDE, told, rows, 2, 2, quick=False)
    yield _scheduled(WIDEST_OF_TWO, "alone", ((1,),), 1, 2, quick=False)
    yield _scheduled(WIDE_NEARLY, "one client", _ONE, 1, 2)


# of growing width, beside the linearised model; powers of 4, whose roots are rational
_WIDTHS = (4, 16, 64, 256)
_OF_WIDTH = tuple(
    Network(f"two layers, width {m}", _APART, _ALIKE, 2, m, _two_layers(m, 2, 2)) for m in _WIDTHS
)


def _beside() -> Iterator[Planned]:
    """With steps of the theorem, and with some that are hundreds of times longer."""
    for of in _OF_WIDTH:
        small = of.width <= 16
        for step in (of.step(2), Fraction(1, 8)):
            for told, rows in SCHEDULES:
                parameters = {"eta": str(step), "K": 2, "schedule": rows}
                told = f"{told}, beside its linearisation, eta={step} K=2 T=2"
                yield _planned(of, told, "rounds, linearised", parameters, 2, quick=small)
            told = f"1 of 2 at random, beside its linearisation, eta={step} K=2 T=2"
            parameters = {"eta": str(step), "K": 2, "m": 1}
            view = "rounds, linearised, clients at random"
            yield _planned(of, told, view, parameters, 2, quick=small)
    parameters = {"eta": "1/8", "K": 3, "schedule": _TURNS}
    told = "in turns, beside its linearisation, K=3 T=4"
    yield _planned(SKEWED, told, "rounds, linearised", parameters, 4, quick=True)
    # step sizes of what holds of linearised models in the mean, or nearly those
    for of, eta, steps, rounds in ((SKEWED, "1/20", 2, 4), (UNLIKE, "1/60", 1, 3),
                                   (OUTPUTS, "1/20", 1, 2), (THREE, "1/50", 2, 3)):  # fmt: skip
        told = f"1 of {of.clients} at random, beside its linearisation, eta={eta} K={steps}"
        parameters = {"eta": eta, "K": steps, "m": 1}
        view = "rounds, linearised, clients at random"
        yield _planned(of, f"{told} T={rounds}", view, parameters, rounds, quick=True)


PLANNED = (*_plan(), *_beside(), *relu_setups.PLANNED, *relu_setups.OF_SAMPLES, *matrices.PLANNED)


def _over_clients(of: Network, steps: int, rounds: int) -> PlannedLadder:
    """From one client a round to all."""
    every = (_at_random(of, count, steps, rounds) for count in range(1, of.clients + 1))
    ladder = Ladder("overparam", "over the number of clients", tuple(x.setup for x in every))
    return PlannedLadder(f"{of.told}: over m, K={steps} T={rounds}", ladder, ladder)


LADDERS = (
    *(_over_clients(of, steps, 3) for of in (ONE_LAYER, SKEWED, THREE) for steps in (1, 2, 15)),
)


def _starts(
    of: Network, event: str, width: int, count: int, C_w: Number, *, quick: bool = False
) -> PlannedStarts:
    """Networks of another width."""
    data = dict(of.objective.data) | {"width": width}
    chosen: dict[str, Number] = {"C_w": C_w, "C_B": 2, "C_l": 2, "chance": "1/10"}
    given = Starts("overparam", event, Objective("deep linear", tuple(data.items())), count,
                   tuple(chosen.items()))  # fmt: skip
    told = f"{count} starts" if count else "the law of starts"
    return PlannedStarts(f"{told} of {of.told.split(',')[0]}, width {width}: {event}", given,
                         quick)  # fmt: skip


def _every_start() -> Iterator[PlannedStarts]:
    """Those that are counted are few and narrow; of laws none is drawn, and any width will do."""
    for event in ("all", "all, B squared", "spectra", "loss"):
        for of, width, C_w in ((ONE_LAYER, WIDEST, 1000), (WIDE, 1000, 40), (WIDE, 640, 25),
                               (WIDE, 30, 1), (THREE_LAYERS, 3000, 80)):  # fmt: skip
            yield _starts(of, event, width, 0, C_w, quick=True)
        yield _starts(WIDE, event, 640, 1024, 25, quick=True)
        yield _starts(WIDE, event, 250, 1024, 10, quick=True)
        yield _starts(THREE_LAYERS, event, 400, 192, 10)
        yield _starts(WIDE, event, 30, 1024, 1, quick=True)


STARTS = (*_every_start(), *relu_setups.STARTS)
CHOICES = choices.PLANNED
