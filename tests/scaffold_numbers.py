"""Plain numbers for the Scaffold-P claims, and displays typed as functions of them.

A quantity is a number per name, round and local step, the same in every round of a run operator.
"""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from types import SimpleNamespace

from fedbounds.vocabulary import Index

CONSTANTS = {
    "sigma_u^2": "s_u", "sigma_v^2": "s_v",
    **{name: name for name in ("n", "m", "K", "T", "L", "F_0", "gamma", "gamma_u", "gamma_v",
                               "eta_u", "eta_v")},
}  # fmt: skip


@dataclass(frozen=True)
class Values:
    """Constants by symbol name; quantities drawn once per (name, round - t, step - k)."""

    constants: dict[str, float]
    seed: int

    def quantity(self, name: str, rounds: int = 0, step: int = 0) -> float:
        return Random(f"{self.seed} {name} {rounds} {step}").uniform(0.2, 3.0)


class At:
    """Quantities at round t + base: ``q.C`` at t, ``q.before.C`` at t - 1, ``q.next`` of step k."""

    def __init__(self, values: Values, base: int = 0, step: int = 0) -> None:
        self._values, self._base, self._step = values, base, step

    def __getattr__(self, name: str) -> float:
        return self._values.quantity(name, self._base, self._step)

    @property
    def before(self) -> "At":
        return At(self._values, self._base - 1, self._step)

    @property
    def after(self) -> "At":
        return At(self._values, self._base + 1, self._step)

    @property
    def next(self) -> "At":
        return At(self._values, self._base, self._step + 1)


def draw(seed: int) -> Values:
    rng = Random(seed)
    n = rng.randint(3, 9)
    whole = {"n": n, "m": rng.randint(1, n - 1), "K": rng.randint(2, 6), "T": rng.randint(2, 6)}
    some = {name: rng.uniform(0.3, 2.0) for name in CONSTANTS if name not in whole}
    return Values(some | {name: float(v) for name, v in whole.items()}, seed)


def plain(values: Values) -> SimpleNamespace:
    return SimpleNamespace(
        **{CONSTANTS[name]: v for name, v in values.constants.items() if name in CONSTANTS}
    )


Side = Callable[[SimpleNamespace, At], float]


@dataclass(frozen=True)
class Chain:
    """``sides[0] <= sides[1] <= ...``, and what the display is quantified over."""

    sides: tuple[Side, ...]
    index: Index = Index.ROUND


def chain(*sides: Side, index: Index = Index.ROUND) -> Chain:
    return Chain(sides, index)


def level(c):
    return c.s_u / c.m + c.m * c.s_v / c.n


def hat(c, q):
    return q.G_u + c.m / c.n * q.G_v


def bare(c, q):
    return q.G_u + q.G_v


def largest_growth(c):
    return max(1.0, c.n ** (2 / 3) / c.m)
