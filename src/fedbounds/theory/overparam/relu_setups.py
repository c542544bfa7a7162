"""Runs on which the claims of two-layer ReLU networks are judged."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from random import Random
from typing import Any

from fedbounds.theory.language.setups import Number, Objective, Planned, Run, Setup
from fedbounds.theory.language.starts import PlannedStarts, Starts

Rows = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Network:
    """A network of neurons in fours: near w and -w, of either sign, so that outputs are small.

    Attributes
    ----------
    told : str
    features, targets : nested tuples of numbers
    neurons : int
        m, a multiple of four.
    step, radius, C_w : numbers
        eta K, R, and what Omega hides.
    """

    told: str
    features: Any
    targets: Any
    neurons: int
    step: Fraction
    radius: Number
    C_w: Number = 1

    @property
    def objective(self) -> Objective:
        """As data."""
        data = {"features": self.features, "targets": self.targets}
        return Objective("ReLU", (*data.items(), ("signs", (1, -1) * (self.neurons // 2))))

    @cached_property
    def start(self) -> tuple[Number, ...]:
        """Entries are Gaussian, rounded to eighths, and each is moved by a little: in 1024ths."""
        random, size = Random(f"ReLU {self.neurons} {self.told}"), len(self.features[0][0])
        found: list[int] = []
        for _ in range(self.neurons // 4):
            w = [128 * (round(random.gauss(0, 1) * 8) or 1) for _ in range(size)]
            four = [*w, *w, *(-x for x in w), *(-x for x in w)]
            found += [x + random.randint(-4, 4) for x in four]
        return tuple(str(Fraction(x, 1024)) for x in found)


_APART = (((1, 0),), ((0, 1),))
_CLOSE = (((1, 0),), (("3/5", "4/5"),))
_PAIRS = (((1, 0, 0), ("3/5", "4/5", 0)), ((0, 0, 1), (0, "3/5", "4/5")))
_SHORT = Fraction(1, 8001)  # below lambda/(1000 kappa n^2) at lambda = 1/2, kappa = 1 and n = 2
ALIKE = Network("two samples", _APART, ((1,), (1,)), 16, _SHORT, "1/4001")
NEARLY = Network("the first client nearly fitted", _APART, (("1/100",), (1,)), 16, _SHORT, "1/4001")
CLOSE = Network("samples with an angle", _CLOSE, ((1,), (-1,)), 64, Fraction(1, 100_000), "1/40000")
SAMPLES = Network("two samples a client", _PAIRS, ((1, -1), (1, 2)), 64, Fraction(1, 1_000_000),
                  "1/100000")  # fmt: skip
LONG = Network("long steps", _CLOSE, ((3,), (-3,)), 4, Fraction(1, 2), 4)
WIDE = Network(
    "wide, the first client nearly fitted", _APART, (("1/100",), (1,)), 192**2, _SHORT, "1/4001"
)
BALLS = Network("twelve neurons", _APART, (("1/100",), (1,)), 12, _SHORT, "1/4001")

_ONE, _BOTH, _TURNS = ((1, 0),), ((1, 1),), ((1, 0), (0, 1))
SCHEDULES: tuple[tuple[str, Rows], ...] = (
    ("one client", _ONE), ("both", _BOTH), ("in turns", _TURNS),
)  # fmt: skip


def _planned(
    of: Network, told: str, view: str, own: dict[str, Any], steps: int, rounds: int, *, quick: bool
) -> Planned:
    given = {"eta": str(of.step / steps), "K": steps, "radius": of.radius, **own}
    chosen: dict[str, Number] = {"C_w": of.C_w, "chance": "1/10"}
    run = Run(of.objective, of.start, tuple(given.items()), rounds)
    name = f"ReLU, {of.told}: {told}, K={steps} T={rounds}"
    return Planned(name, Setup("overparam", view, run, tuple(chosen.items())), quick)


def _plan() -> Iterator[Planned]:
    for of in (ALIKE, NEARLY, CLOSE, SAMPLES, LONG):
        for told, rows in SCHEDULES:
            for steps in (1, 3):
                yield _planned(of, told, "ReLU rounds", {"schedule": rows}, steps, 3, quick=True)
        yield _planned(of, "one of 2 at random", "ReLU rounds, clients at random", {"m": 1}, 2, 3,
                       quick=True)  # fmt: skip
    yield _planned(NEARLY, "both, then one", "ReLU rounds", {"schedule": (*_BOTH, *_ONE)}, 1, 2,
                   quick=True)  # fmt: skip
    for told, rows in SCHEDULES[:2]:
        yield _planned(WIDE, told, "ReLU rounds", {"schedule": rows}, 1, 1, quick=False)
    yield _planned(WIDE, "one of 2 at random", "ReLU rounds, clients at random", {"m": 1}, 1, 1,
                   quick=False)  # fmt: skip
    yield _planned(BALLS, "one client", "ReLU rounds", {"schedule": _ONE}, 1, 40, quick=False)


PLANNED = tuple(_plan())


def _samples() -> Iterator[Planned]:
    """Samples one by one, a client each; four neurons, which do not matter."""
    near = (("9999/10001", "200/10001"), (1, 0))
    around = ((1, 0), ("3/5", "4/5"), (0, 1), ("-3/5", "4/5"), ("-4/5", "-3/5"))
    in_space = (
        (1, 0, 0), (0, 1, 0), (0, 0, 1), ("3/5", "4/5", 0), (0, "3/5", "4/5"),
        ("2/3", "2/3", "1/3"), ("-2/3", "1/3", "2/3"),
    )  # fmt: skip
    for told, every in (
        ("orthogonal", ((1, 0), (0, 1))),
        ("a small angle", near),
        ("around", around),
        ("in space", in_space),
        ("one sample", ((1, 0),)),
        ("opposite", ((1, 0), (-1, 0))),
        ("of several lengths", ((2, 0), (0, 1), ("1/2", "1/2"))),
    ):
        features = tuple((sample,) for sample in every)
        of = Network(told, features, tuple((1,) for _ in every), 4, _SHORT, 1)
        own = {"schedule": ((1,) * len(every),)}
        yield _planned(of, "samples alone", "ReLU samples", own, 1, 1, quick=True)


OF_SAMPLES = tuple(_samples())


def _starts() -> Iterator[PlannedStarts]:
    """By their law; and counted, where that is not too rare."""
    for features, told in ((_APART, "two samples"), (_PAIRS, "four samples")):
        for neurons, radius in ((16, "1/4001"), (64, "1/10"), (1000, "1/100"), (1000, "1/5")):
            data = {"features": features, "targets": tuple((0,) * len(own) for own in features),
                    "signs": (1, -1) * (neurons // 2)}  # fmt: skip
            problem = Objective("ReLU", tuple(data.items()))
            of = f"starts of ReLU, {told}, {neurons} neurons, R={radius}"
            for count in (0, 128) if neurons == 64 else (0,):
                how = f"{count} drawn" if count else "by their law"
                for event, of_62 in (
                    ("few change sign", ""),
                    ("few change sign, of (62)", ", (62)"),
                ):
                    given = Starts("overparam", event, problem, count, (("radius", radius),))
                    yield PlannedStarts(f"{of}: {how}{of_62}", given, neurons == 64)


STARTS = tuple(_starts())
