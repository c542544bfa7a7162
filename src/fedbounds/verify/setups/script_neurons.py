"""Two-layer ReLU networks in scripts: f(x) = C sum_r a_r max(w_r' x, 0), and what they tell."""

from collections.abc import Collection, Iterator, Mapping
from math import isqrt
from typing import Any

from flint import fmpq

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.setups import Objective

from ..measure.objectives import objective
from . import script_networks as networks
from .script_asserts import Table, broken
from .script_lines_of import nested
from .script_networks import FLIPPED

Lines = tuple[str, ...]
Sides = list[tuple[str, str]]
BEGINNING: Lines = (
    "def __init__(self, X, Y, a, copies):  # samples x, y in rows: (f(x) - y)^2 / 2",
    "    self.X, self.Y, self.a, self.copies = X, Y, a, copies",
    "    self.C = Q(isqrt(copies), isqrt(len(a) * copies))  # W is isqrt(copies) times as long",
    "    assert self.C**2 * len(a) == 1 and isqrt(copies) ** 2 == copies",
    "    assert all(x in (-1, 1) for x in a)",
)
_SHAPED = "reshape(*self.spread(y).shape[:2], -1)"
METHODS: Mapping[str, Lines] = {
    **{name: networks.METHODS[name] for name in ("spread", "scheduled")},
    "products": (
        "def products(self, y):  # w_r' x",
        "    W = self.spread(y).reshape(*self.spread(y).shape[:2], len(self.a), -1)",
        "    return self.X @ W.swapaxes(2, 3)",
    ),
    "residual": (
        "def residual(self, y):",
        "    s = self.products(y)",
        "    return self.C * np.where(s >= 0, s, 0) @ self.a - self.Y",
    ),
    "tangent": (
        "def tangent(self, y, v):  # J v",
        "    return self.C * np.where(self.products(y) >= 0, self.products(v), 0) @ self.a",
    ),
    "cotangent": (
        "def cotangent(self, y, r):  # J' r",
        "    back = np.where(self.products(y) >= 0, self.C * self.a, 0) * r[..., None]",
        f"    return (back.swapaxes(2, 3) @ self.X).{_SHAPED}",
    ),
    "neurons": (
        "def neurons(self, y):  # what each adds to outputs",
        "    s = self.products(y)",
        f"    return (self.C * self.a * np.where(s >= 0, s, 0)).{_SHAPED}",
    ),
    "tangent_neurons": (
        "def tangent_neurons(self, y, v):  # and to J v",
        "    s = np.where(self.products(y) >= 0, self.products(v), 0)",
        f"    return (self.C * self.a * s).{_SHAPED}",
    ),
    "near": (
        "def near(self, y, R):  # whether some w with |w - w_r| <= R is of another sign at x",
        "    s, most = self.products(y), R**2 * self.copies * (self.X**2).sum(axis=2)[..., None]",
        f"    return (1 * np.where(s >= 0, s**2 < most, s**2 <= most)).{_SHAPED}",
    ),
    "distances": (
        "def distances(self, v):  # of neurons, squared",
        "    return (v.reshape(*v.shape[:-1], len(self.a), -1) ** 2).sum(axis=-1) / self.copies",
    ),
    "largest": (
        "def largest(self, x):",
        "    return x.max(axis=-1)",
    ),
    "samples": (
        "@property",
        "def samples(self):  # of all clients",
        "    return self.X.reshape(-1, self.X.shape[2])",
    ),
    "expected": (
        "@property",
        "def expected(self):  # H^infinity of samples at right angles, or opposite",
        "    G = self.samples @ self.samples.T",
        "    assert all(x == 0 or (x < 0 and x**2 == G[i, i] * G[j, j])"
        " for (i, j), x in np.ndenumerate(G) if i != j)",
        "    return G * np.eye(len(G), dtype=int) / Q(2)",
    ),
    "kernel": (
        "def kernel(self, x):  # H at x",
        "    on = 1 * (self.samples @ x.reshape(len(self.a), -1).T >= 0)",
        "    return self.samples @ self.samples.T * (on @ on.T) / Q(len(self.a))",
    ),
}
COMPUTED = {
    "width": "Q(len(problem.a) * problem.copies)",
    "samples": "Q(len(problem.samples))",
    "x_min2": "min((problem.samples**2).sum(axis=1))",
    "x_max2": "max((problem.samples**2).sum(axis=1))",
    "H_trace": "(problem.samples**2).sum() / 2",
}
_NUMBERS: Mapping[str, tuple[str, str]] = {
    "lam": ("least eigenvalue of H^infinity", "assert against(problem.expected, lam) {} 0"),
    "lam_max": ("largest eigenvalue of H^infinity",
                "assert against(-problem.expected, -lam_max) {flipped} 0"),
    "H_min": ("least eigenvalue of H at the start",
              "assert against(problem.kernel(start), H_min) {} 0"),
}  # fmt: skip


def needed_of(problem: Objective, names: Collection[str]) -> Sides:
    """Nothing, of other numbers."""
    return []


def lines_of(problem: Objective, known: Mapping[str, str]) -> Table:
    """Lines that assert what numbers are, by what they are called; as for deep linear networks.

    Raises
    ------
    FedboundsError
        If H^infinity is asked for, and has angles in it that are neither right nor straight.
    """
    expected = objective(problem).numbers(None)["lam"]
    if {"lam", "lam_max"} & known.keys() and not (isinstance(expected, fmpq) and expected > 0):
        raise FedboundsError("no script is written for H^infinity of samples at other angles")
    found: Table = {}
    for name in (one for one in _NUMBERS if one in known):
        told, line = _NUMBERS[name]
        found[told] = (line.format(known[name], flipped=known[name].translate(FLIPPED)),)
    return found


def made(own: Mapping[str, Any]) -> Iterator[str]:
    """The problem of a script.

    Raises
    ------
    FedboundsError
        If outputs have a root in them.
    """
    rows = len(own["signs"])
    if isqrt(rows) ** 2 != rows:
        raise FedboundsError(f"no script is written for outputs over the root of {rows}")
    for name, data in (("X", "features"), ("Y", "targets"), ("a", "signs")):
        yield from broken(f"{name} = exact({nested(own[data])})")
    copies = own.get("copies", 1)
    yield f"copies = {copies}" + ("  # so many equal neurons are one row" if copies > 1 else "")
    yield "n, d = len(X), len(a) * X.shape[2]"
    yield "problem = Problem(X, Y, a, copies)"
