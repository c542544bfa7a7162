"""Quadratics of random numbers at the edges of claims' conditions, of up to ten clients.

A row of `_ROWS` says how large one is. Spectra lie in [1/20, 1], whose ends are attained; Hessians
are these, turned by a rational reflection, so that L is 1 and entries are rational. The minimiser
is drawn, and slopes such that it is one.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

from fedbounds.theory.language.drawn import Chance, Drawn
from fedbounds.theory.language.setups import Number, Objective, Planned, Run, Setup, numbers

Matrix = list[list[Fraction]]
_TOP, _LOW = Fraction(1), Fraction(1, 20)
_GRID = 2**12


@dataclass(frozen=True)
class Row:
    """One kind of quadratics.

    Attributes
    ----------
    n, m, d_u, d_v, K, T : int
    apart : Fraction or None
        About b^2, of equal curvatures and no coupling; None: own curvatures.
    coupling : Fraction
        L_uv.
    noise : Fraction
        Scale of every coordinate.
    away : Fraction
        About the distance of the start from the minimiser.
    """

    n: int
    m: int
    d_u: int
    d_v: int
    K: int
    T: int
    apart: Fraction | None
    coupling: Fraction
    noise: Fraction
    away: Fraction

    @property
    def told(self) -> str:
        """In words."""
        return f"n={self.n} m={self.m} K={self.K} T={self.T}"

    def one_by_one(self, algorithm: str) -> bool:
        """Whether quantities of each client and local step are looked at."""
        if algorithm == "FedAvg-P":
            return self.n <= 8 and self.n * self.K <= 50
        return self.n <= 5 and self.K <= 4 and self.d_u + self.d_v <= 3


# n, m, d_u, d_v, K, T, b^2, coupling, noise, distance: one row starts so close that client drift is
# all there is
_NUMBERS: tuple[tuple[Any, ...], ...] = (
    (10, 5, 5, 5, 10, 100, 1, 0, "3/10", 1),
    (10, 1, 5, 5, 5, 100, 4, 0, 0, 1),
    (10, 10, 5, 5, 5, 100, 1, 0, "3/10", 1),
    (2, 1, 1, 1, 1, 400, 1, 0, 0, "1/10"),
    (2, 1, 2, 1, 4, 200, 0, 0, 1, "1/10"),
    (10, 5, 5, 5, 10, 100, None, "2/5", "3/10", 1),
    (10, 10, 5, 5, 20, 50, None, "2/5", "1/10", 1),
    (5, 2, 3, 2, 1, 100, None, "1/5", 0, 1),
    (4, 4, 3, 0, 5, 50, 2, 0, "1/5", 1),
    (6, 6, 0, 3, 1, 50, None, 0, "1/5", 1),
    (3, 3, 2, 2, 8, 40, None, "1/2", 0, 3),
    (1, 1, 2, 2, 10, 60, 0, 0, "1/2", 1),
    (8, 8, 0, 1, 1, 60, None, 0, 0, 1),
    (2, 2, 1, 0, 4, 16, None, 0, 0, "1/10000000"),
    (3, 2, 1, 1, 2, 1, 1, 0, "3/10", 1),
    (2, 2, 1, 1, 2, 1, None, "1/5", "1/10", 1),
    (3, 1, 1, 1, 1, 400, "1/100", 0, 0, 1),
    (3, 3, 1, 1, 2, 400, None, "3/10", 0, 1),
    (4, 4, 2, 2, 5, 200, 1, 0, 2, "1/10"),
    (6, 3, 2, 1, 5, 200, 1, 0, 2, "1/10"),
    (4, 1, 3, 0, 6, 200, 9, 0, 0, "3/10"),
    (6, 2, 3, 0, 5, 60, 1, 0, "1/5", 1),
    (10, 1, 4, 0, 3, 60, 4, 0, 0, 1),
    (5, 5, 4, 0, 10, 60, None, 0, "1/10", 1),
    (6, 2, 0, 3, 1, 60, None, 0, "1/5", 1),
    (10, 10, 0, 2, 1, 60, None, 0, 1, "3/10"),
)
_ROWS = tuple(
    Row(n, m, d_u, d_v, K, T, None if b2 is None else Fraction(b2), *map(Fraction, rest))
    for n, m, d_u, d_v, K, T, b2, *rest in _NUMBERS
)
_VIEWS = {
    "FedAvg-P": ("rounds", "rounds of many clients"),
    "Scaffold-P": ("Scaffold-P, rounds", "Scaffold-P, rounds of many clients"),
}


def _quick(row: Row) -> bool:
    return row.n * row.K <= 24 and row.T <= 200


def at_edges(chance: Chance, count: int, *, quick: bool) -> Iterator[Planned]:
    """Both algorithms at the edge of each claim's conditions that a problem can meet."""
    for repeat in range(count):
        for index, row in enumerate(_ROWS):
            if _quick(row) == quick:
                problem, start = _problem(chance, row)
                label = f"quadratic {index + 1}.{repeat + 1}, {row.told}"
                for algorithm, (each, many) in _VIEWS.items():
                    counts = {"n": row.n, "m": row.m, "K": row.K, "T": row.T}
                    for told, steps in chance.edges(algorithm, problem, start, counts, _completed):
                        run = Run(problem, start, _parameters(row, steps), row.T)
                        view = each if row.one_by_one(algorithm) else many
                        setup = Setup("personalization", view, run)
                        yield Planned(f"{algorithm}, {label}, edge of {told}", setup, floats=True)


def _completed(steps: Mapping[str, Any]) -> dict[str, Any]:
    """Of gamma and the outer steps: gamma = gamma_u eta_u = gamma_v eta_v."""
    inner = {f"gamma_{b}": steps["gamma"] / steps[f"eta_{b}"] for b in ("u", "v")}
    return {**steps, **inner}


def _parameters(row: Row, steps: Mapping[str, Any]) -> tuple[tuple[str, Number], ...]:
    kept = ("gamma_u", "gamma_v", "eta_u", "eta_v")
    named = {"cohort": row.m, "K": row.K}
    every = _completed({name: Fraction(value) for name, value in steps.items()})
    return tuple((named | {x: y for x, y in every.items() if x in kept}).items())


# ---- problems


def _problem(chance: Chance, row: Row) -> tuple[Objective, tuple[Number, ...]]:
    """And a start."""
    n, d_u, d_v = row.n, row.d_u, row.d_v
    hessians = [_hessian(chance, row, first=i == 0) for i in range(n)]
    if row.apart is not None:
        for own in hessians[1:]:
            for a in range(d_u):
                own[a][:d_u] = hessians[0][a][:d_u]
    elif d_u + d_v == 1 and n > 1:
        hessians[1] = [[_LOW]]
    u, v = _normal(chance, d_u), [_normal(chance, d_v) for _ in range(n)]
    apart = _apart(chance, row)
    slopes = []
    for own, one, off in zip(hessians, v, apart, strict=True):
        point = [*u, *one]
        wanted = [*off, *[Fraction(0)] * d_v]  # the gradient there
        terms = zip(own, wanted, strict=True)
        slopes.append(
            [g - sum(a * x for a, x in zip(line, point, strict=True)) for line, g in terms]
        )
    data = {"hessians": numbers(hessians), "slopes": numbers(slopes), "personal": d_v}
    data |= {"noise": row.noise if d_u else 0, "personal_noise": row.noise if d_v else 0}
    away = [x * row.away for x in _normal(chance, d_u + n * d_v)]
    least = [*u, *(x for own in v for x in own)]
    start = numbers([x + y for x, y in zip(least, away, strict=True)])
    return Objective("quadratics", tuple(data.items())), start


def _hessian(chance: Chance, row: Row, *, first: bool) -> Matrix:
    """Of one client; the first has both ends of the spectrum, and all where blocks are coupled."""
    d_u, d_v = row.d_u, row.d_v
    size = d_u + d_v
    every = [_LOW + (_TOP - _LOW) * Fraction(k, 1024) for k in chance.integers(0, 1025, size)]
    if first or row.coupling:
        every[-1] = _LOW
        every[0] = _TOP
    off = Fraction(0)
    if row.coupling:  # (top - low)(y - low) = c^2: then low is an eigenvalue of [[top, c], [c, y]]
        off, every[d_u] = row.coupling, _LOW + row.coupling**2 / (_TOP - _LOW)
    turned_u, turned_v = (_reflection(chance, d) for d in (d_u, d_v))
    found = [[Fraction(0)] * size for _ in range(size)]
    for first_at, turned, spectrum in ((0, turned_u, every[:d_u]), (d_u, turned_v, every[d_u:])):
        for a, line in enumerate(turned):
            for b, other in enumerate(turned):
                terms = (x * c * y for x, c, y in zip(line, spectrum, other, strict=True))
                found[first_at + a][first_at + b] = sum(terms, Fraction(0))
    if off:
        for a in range(d_u):
            for b in range(d_v):
                found[a][d_u + b] = found[d_u + b][a] = turned_u[a][0] * off * turned_v[b][0]
    return found


def _reflection(chance: Chance, d: int) -> Matrix:
    """I - 2 v v' / v'v."""
    v = [Fraction(x) for x in chance.integers(1, 5, d)]
    signs = chance.integers(0, 2, d)
    v = [x if s else -x for x, s in zip(v, signs, strict=True)]
    size = sum(x * x for x in v)
    return [[int(a == b) - 2 * v[a] * v[b] / size for b in range(d)] for a in range(d)]


def _apart(chance: Chance, row: Row) -> list[list[Fraction]]:
    """Gradients by u at the minimiser: they add up to 0, and their mean square is about b^2."""
    every = [_normal(chance, row.d_u) for _ in range(row.n)]
    means = [sum(column, Fraction(0)) / row.n for column in zip(*every, strict=True)]
    every = [[x - y for x, y in zip(own, means, strict=True)] for own in every]
    size = sum((x * x for own in every for x in own), Fraction(0)) / row.n
    if row.apart is None or not size:
        return every
    factor = Fraction(round(float(row.apart / size) ** 0.5 * _GRID), _GRID)
    return [[x * factor for x in own] for own in every]


def _normal(chance: Chance, count: int) -> list[Fraction]:
    found: Sequence[float] = chance.normal(count) if count else []
    return [Fraction(round(x * _GRID), _GRID) for x in found]


DRAWN = (
    Drawn(partial(at_edges, quick=True), 1, 2, 10, floats=True),
    Drawn(partial(at_edges, quick=False), 0, 2, 10, floats=True),
)
