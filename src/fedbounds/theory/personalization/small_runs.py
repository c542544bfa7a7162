"""Small runs of both algorithms, as numbers: one shared and one personal coordinate.

Corners: one participant, all clients, two clients, one local step, one round; with and without
coupling of the blocks.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

from fedbounds.theory.language.setups import Number, Objective, Run

Outer = tuple[Number | Fraction, Number | Fraction]  # eta_u, eta_v


class Smooth(Protocol):
    """Clients whose smoothness is known."""

    def smoothness(self, n: int) -> int | Fraction:
        """L of the first n clients."""


@dataclass(frozen=True)
class Curvatures:
    """Entries of Hessians [[a, c], [c, d]], client by client."""

    name: str
    shared: tuple[int, ...]
    personal: tuple[int, ...]
    coupling: tuple[int, ...]

    def smoothness(self, n: int) -> int:
        """L of the first n clients: the largest norm of a block."""
        return max(map(abs, (*self.shared[:n], *self.personal[:n], *self.coupling[:n])))


@dataclass(frozen=True)
class Size:
    """Clients, participants, local steps, rounds, and noise of every coordinate."""

    n: int
    m: int
    K: int
    T: int
    noise: Number

    @property
    def told(self) -> str:
        """In words."""
        return f"n={self.n} m={self.m} K={self.K} T={self.T} noise {self.noise}"


CURVATURES = (
    Curvatures("shared curvature", (2, 2, 2), (1, 2, 1), (0, 0, 0)),
    Curvatures("own curvature", (2, 1, 2), (2, 2, 1), (1, 0, -1)),
)
_SLOPES = ((1, 1), (-2, 0), (2, -1))
SIZES = (
    Size(1, 1, 2, 2, 1),
    Size(2, 1, 1, 2, 1),
    Size(2, 1, 2, 3, 1),
    Size(2, 2, 2, 3, 1),
    Size(3, 1, 3, 2, 1),
    Size(3, 2, 1, 1, 1),
    Size(3, 2, 2, 3, 0),
    Size(3, 2, 3, 3, 2),
    Size(3, 3, 2, 4, 1),
    Size(3, 3, 1, 2, 0),
)


def run_of(of: Curvatures, size: Size, gamma: Fraction, outer: Outer) -> Run:
    """With gamma = gamma_u eta_u = gamma_v eta_v, of steps ``outer`` = (eta_u, eta_v)."""
    every = zip(of.shared, of.coupling, of.personal, strict=True)
    hessians = tuple(((a, c), (c, d)) for a, c, d in every)[: size.n]
    data = {"hessians": hessians, "slopes": _SLOPES[: size.n], "noise": size.noise}
    data |= {"personal": 1, "personal_noise": size.noise}
    problem = Objective("quadratics", tuple(data.items()))
    return Run(problem, (1,) * (1 + size.n), parameters(size, gamma, outer), size.T)


def parameters(size: Size, gamma: Fraction, outer: Outer) -> tuple[tuple[str, Any], ...]:
    """Of a run with gamma = gamma_u eta_u = gamma_v eta_v."""
    eta_u, eta_v = (Fraction(step) for step in outer)
    found: dict[str, Any] = {"cohort": size.m, "K": size.K, "gamma_u": gamma / eta_u}
    return tuple((found | {"gamma_v": gamma / eta_v, "eta_u": eta_u, "eta_v": eta_v}).items())


def schedules(
    of: Smooth, size: Size, short: Fraction
) -> Iterator[tuple[str, Fraction, tuple[Number, Number]]]:
    """Effective steps and outer ones, by name; with eta_v at least sqrt(n/m)."""
    length = 1 / (Fraction(of.smoothness(size.n)) * size.K)
    eta_v = size.n if size.m < size.n else 1
    yield "short steps", short * length, (size.m, eta_v)
    yield "long outer steps", length / 84, (4 * max(size.n, size.T), eta_v)
    yield "long steps", length / 2, (1, eta_v)


# ---- for proofs: short and long steps, in rounds, in one client and in its local steps


_PROVED = (Size(2, 1, 2, 2, 1), Size(2, 2, 2, 1, 1), Size(2, 2, 2, 2, "1/2"))
_STEPS = (1000, 4)  # 1 / (L gamma_u)


def proved() -> Iterator[tuple[str, Run, tuple[Run, ...]]]:
    """By name: a run, and the same with each of its local steps to look at."""
    for of in CURVATURES:
        for size in _PROVED:
            for inverse in _STEPS:
                gamma = Fraction(4, inverse * of.smoothness(size.n))
                run = run_of(of, size, gamma, (4, 3))
                each = (
                    Run(run.problem, run.start, (*run.parameters, ("k", k)), run.rounds)
                    for k in range(size.K)
                )
                told = f"{of.name}, m={size.m} T={size.T}, 1/(L gamma_u) = {inverse}"
                yield told, run, tuple(each)
