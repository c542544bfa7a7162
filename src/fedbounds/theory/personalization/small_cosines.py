"""Small runs on coupled cosines, as numbers: neither convex nor quadratic, every outcome looked at.

f_i(u, v_i) = A u^2 / 2 + a_i u + v_i^2 / 4 + s cos(u + q v_i), one coordinate in each block.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from fedbounds.theory.language.setups import Number, Objective, Run

from .small_runs import Outer, Size, parameters

_CURVATURE = Fraction(1, 2)  # of the personal block


@dataclass(frozen=True)
class Cosines:
    """A, the a_i, s and q; and where runs start, of both blocks."""

    name: str
    shared: Number
    slopes: tuple[Number, ...]
    amplitude: Number
    direction: int
    start: tuple[Number, ...]

    def smoothness(self, n: int) -> Fraction:
        """L: the largest norm of a block."""
        s, q = Fraction(self.amplitude), Fraction(self.direction)
        return max(Fraction(self.shared) + s, _CURVATURE + s * q * q, s * abs(q))


@dataclass(frozen=True)
class Noisy:
    """Sizes of a run; its noise is that of the shared block."""

    size: Size
    personal: Number

    @property
    def told(self) -> str:
        """In words."""
        return f"{self.size.told} and {self.personal}"


_SLOPES: tuple[Number, ...] = (1, "-1/2", "1/4")
_START: tuple[Number, ...] = (1, "1/2", -1, "3/2")
COSINES = Cosines("cosines", "3/5", _SLOPES, "7/10", 1, _START)
STEEP = Cosines("steep cosines", "1/5", _SLOPES, 2, -1, _START)
_SILENT = (Size(2, 1, 2, 2, 0), Size(3, 2, 1, 2, 0), Size(3, 1, 3, 3, 0), Size(3, 3, 2, 3, 0))
_BOTH = (
    Noisy(Size(2, 2, 1, 3, "3/10"), 0),
    Noisy(Size(2, 1, 1, 2, 0), "1/2"),
    *(Noisy(size, 0) for size in _SILENT),
)
SIZES = (
    *_BOTH,
    Noisy(Size(2, 1, 1, 2, "1/2"), "1/2"),
    Noisy(Size(3, 1, 1, 2, "1/5"), 0),
    Noisy(Size(2, 2, 1, 2, "3/10"), "3/10"),
    Noisy(Size(2, 2, 2, 1, 1), 1),
    Noisy(Size(2, 1, 2, 2, "1/2"), 0),
)
SCAFFOLD_SIZES = (
    *_BOTH,
    Noisy(Size(1, 1, 2, 2, "1/2"), 0),
    Noisy(Size(2, 1, 1, 2, "1/2"), 0),
)


def run_of(of: Cosines, noisy: Noisy, gamma: Fraction, outer: Outer) -> Run:
    """With gamma = gamma_u eta_u = gamma_v eta_v."""
    size = noisy.size
    data = {
        "shared_hessian": ((of.shared,),),
        "linear": tuple((slope,) for slope in of.slopes[: size.n]),
        "personal_curvature": str(_CURVATURE),
        "amplitude": of.amplitude,
        "shared_direction": (1,),
        "personal_direction": (of.direction,),
        "noise": size.noise,
        "personal_noise": noisy.personal,
    }
    problem = Objective("coupled cosines", tuple(data.items()))
    return Run(problem, of.start[: 1 + size.n], parameters(size, gamma, outer), size.T)


# ---- where a step size that corollaries prescribe is a rational: there F_0 = L = 3/2, and 25/8


def _from_zero(amplitude: Number, *slopes: Number) -> Cosines:
    """Of mean slope 1, from 0, where the cosines are 1."""
    name = f"cosines of {amplitude} from 0"
    return Cosines(name, 1, slopes, amplitude, 1, (0,) * (1 + len(slopes)))


@dataclass(frozen=True)
class Edge:
    """A run whose step size is 1 / (least K L + root)."""

    of: Cosines
    noisy: Noisy
    least: int
    root: Number

    @property
    def run(self) -> Run:
        """With outer steps m and n, which are long enough."""
        size = self.noisy.size
        length = self.least * size.K * self.of.smoothness(size.n) + Fraction(self.root)
        return run_of(self.of, self.noisy, 1 / length, (2 * size.m, size.n))


_ONE, _TWO = (_from_zero("1/2", *slopes) for slopes in ((1,), ("3/2", "1/2")))
EDGES = (
    Edge(_TWO, Noisy(Size(2, 2, 1, 2, "1/2"), "1/2"), 32, "3/2"),
    Edge(_TWO, Noisy(Size(2, 2, 2, 1, "1/2"), "1/2"), 32, "3/2"),
    Edge(_TWO, Noisy(Size(2, 2, 1, 2, 2), 2), 32, 6),
    Edge(_TWO, Noisy(Size(2, 2, 1, 3, 0), "1/2"), 32, "3/2"),
    Edge(_TWO, Noisy(Size(2, 1, 1, 6, 0), 0), 32, 6),
    Edge(_TWO, Noisy(Size(2, 1, 2, 6, 0), 0), 32, 12),
    Edge(_TWO, Noisy(Size(2, 2, 2, 3, 0), 0), 32, 0),
    Edge(_ONE, Noisy(Size(1, 1, 1, 3, "1/2"), 0), 32, "3/2"),
)
_CLIENTS = (1,), ("3/2", "1/2"), ("3/2", "1/2", 1), ("3/2", "1/2") * 4
_STEEP = tuple(_from_zero("21/16", *slopes) for slopes in _CLIENTS)
SCAFFOLD_EDGES = (
    Edge(_STEEP[0], Noisy(Size(1, 1, 1, 2, "1/2"), 0), 72, "37/10"),
    Edge(_STEEP[0], Noisy(Size(1, 1, 1, 2, 0), "1/2"), 72, "37/10"),
    Edge(_STEEP[0], Noisy(Size(1, 1, 1, 2, 0), 2), 72, "74/5"),
    Edge(_STEEP[1], Noisy(Size(2, 2, 1, 2, 0), "1/2"), 72, "37/10"),
    Edge(_STEEP[1], Noisy(Size(2, 2, 1, 2, 0), 2), 72, "74/5"),
    Edge(_STEEP[2], Noisy(Size(3, 3, 1, 2, 0), "1/2"), 72, "37/10"),
    Edge(_STEEP[2], Noisy(Size(3, 3, 1, 2, 0), 0), 72, 0),
    Edge(_STEEP[1], Noisy(Size(2, 2, 2, 3, 0), 0), 72, 0),
    Edge(_STEEP[3], Noisy(Size(8, 1, 1, 2, 0), 0), 288, 0),
)


# ---- for proofs


def proved(*runs: Noisy) -> Iterator[tuple[str, Run, tuple[Run, ...]]]:
    """By name: a run of long steps, and the same with each of its local steps to look at."""
    for noisy in runs:
        gamma = Fraction(4) / (4 * COSINES.smoothness(noisy.size.n))
        run = run_of(COSINES, noisy, gamma, (4, 3))
        each = (
            Run(run.problem, run.start, (*run.parameters, ("k", k)), run.rounds)
            for k in range(noisy.size.K)
        )
        yield f"{COSINES.name}, {noisy.told}", run, tuple(each)


PROVED = (
    Noisy(Size(2, 1, 2, 2, "1/2"), 0),
    Noisy(Size(2, 2, 2, 1, "1/2"), "2/5"),
)
SCAFFOLD_PROVED = (Noisy(Size(2, 1, 2, 2, 0), 0), Noisy(Size(2, 1, 2, 1, "1/2"), 0))
