"""Small runs on logistic losses, as numbers: minibatches of one sample, every outcome looked at.

Two samples of a client, whose shared features are orthogonal, so that its constants are rationals;
so is the step size that a corollary prescribes, where F_0 is chosen accordingly.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from fedbounds.theory.language.setups import Objective, Run

from .small_runs import Size, parameters

_SHARED = (
    (("6/5", "8/5"), ("-6/5", "9/10")),
    (("8/5", "6/5"), ("9/10", "-6/5")),
    (("-6/5", "-8/5"), ("6/5", "-9/10")),
)
_PERSONAL = (((1,), ("-3/2",)), (("-1/2",), (1,)), (("3/2",), ("1/2",)))
_START = (1, "-1/2", "1/2", -1, "3/4")

# constants of the first n clients: of f(u^0, v^0) what is above it
_L, _VARIANCE_U, _VARIANCE_V = Fraction(3, 5), Fraction(125, 64), Fraction(25, 16)
_B2 = {2: Fraction(169, 128), 3: Fraction(121, 72)}
_F_0 = {2: Fraction(93, 100), 3: Fraction(18, 25)}


@dataclass(frozen=True)
class Steps:
    """A run, where claims are most exposed.

    Attributes
    ----------
    name : str
    size : Size
    length : number
        1/(L gamma).
    outer : pair of numbers
        eta_u and eta_v.
    gap : number
        F_0.
    """

    name: str
    size: Size
    length: Fraction
    outer: tuple[Fraction, Fraction]
    gap: Fraction

    @property
    def run(self) -> Run:
        """As numbers."""
        n = self.size.n
        data = {"shared": _SHARED[:n], "personal": _PERSONAL[:n], "regulariser": "1/20", "batch": 1}
        problem = Objective("logistic in blocks", tuple(data.items()))
        given = parameters(self.size, 1 / (_L * self.length), self.outer)
        return Run(problem, _START[: 2 + n], given, self.size.T)


@dataclass(frozen=True)
class Sized:
    """Sizes of runs, with rationals for the numbers of which conditions speak.

    Attributes
    ----------
    size : Size
    outer : pair of numbers
        At least sqrt(m) and sqrt(n/m).
    long : number
        At least sqrt(b^2 T/(L F_0)) and sqrt(m).
    share : number
        At most min(m/n^(2/3), 1).
    roots : triple of numbers
        Those of Corollary 3.8, Theorem 3.11 and Corollary 4.6; 0 where there is none.
    """

    size: Size
    outer: tuple[str, str]
    long: str
    share: str
    roots: tuple[str, str, str]


_ALL, _SOME = (
    Sized(Size(2, 2, 1, 3, 0), ("17/12", "1"), "8/3", "1", ("23/6", "22/3", "27/2")),
    Sized(Size(2, 1, 2, 2, 0), ("1", "17/12"), "13/6", "17/27", ("39/5", "0", "0")),
)
_THREE, _EVERY = (
    Sized(Size(3, 2, 1, 2, 0), ("17/12", "16/13"), "14/5", "24/25", ("47/12", "0", "0")),
    Sized(Size(3, 3, 1, 2, 0), ("7/4", "1"), "14/5", "1", ("10/3", "19/3", "35/3")),
)
_LONG = Sized(Size(2, 2, 2, 2, 0), ("17/12", "1"), "13/6", "1", ("22/5", "17/2", "31/2"))
_ONE_STEP = Sized(Size(2, 1, 1, 2, 0), ("1", "17/12"), "13/6", "17/27", ("0", "0", "0"))
_ONE_ROUND = Sized(Size(2, 2, 2, 1, 0), ("17/12", "1"), "17/12", "1", ("0", "0", "11"))
# those of a quick plan first
SIZES, SCAFFOLD_SIZES = (
    (_ALL, _SOME, _THREE, _LONG, _EVERY),
    (_ALL, _ONE_STEP, _SOME, _THREE, _EVERY, _ONE_ROUND),
)
_AT_ONCE = {1: ("17/6", "49/10"), 2: ("4", "97/14")}  # sqrt(8 K max(K - 1, 1)); of 24 K


def fedavg(of: Sized) -> Iterator[Steps]:
    """At the edges of Lemmas 3.5 and 3.6, of Theorems 3.7 and 3.11, and of Corollary 3.8."""
    size, one = of.size, Fraction(1)
    n, m, K, T = size.n, size.m, size.K, size.T
    level = 4 * (n - m) * K * _B2[n] / (m * n) + _VARIANCE_U / m + m * _VARIANCE_V / n
    root, other = Fraction(of.roots[0]), Fraction(of.roots[1])
    outer, long = (Fraction(of.outer[0]), Fraction(of.outer[1])), Fraction(of.long)
    gap, steep = _F_0[n], Fraction(_AT_ONCE[K][0])
    yield Steps("edge of lem-3.5", size, steep, (one, one), gap)
    yield Steps("edge of thm-3.7", size, Fraction(32 * K), outer, gap)
    tuned = 3 * _L * K * T * level / root**2
    yield Steps("steps of cor-3.8", size, 32 * K + root / _L, (long, outer[1]), tuned)
    if m == n:
        full = _VARIANCE_U / n + _VARIANCE_V
        yield Steps("edge of lem-3.6", size, Fraction(8 * K), (Fraction(T), one), gap)
        yield Steps("edge of thm-3.11", size, Fraction(84 * K), (Fraction(T), one), gap)
        tuned = 11 * _L * K * T * full / other**2
        yield Steps("steps of thm-3.11", size, 84 * K + other / _L, (Fraction(T), one), tuned)


def scaffold(of: Sized) -> Iterator[Steps]:
    """At the edges of Lemmas 4.3 and 4.4, and of Corollary 4.6."""
    size, one = of.size, Fraction(1)
    n, m, K, T = size.n, size.m, size.K, size.T
    outer, gap = (Fraction(of.outer[0]), Fraction(of.outer[1])), _F_0[n]
    yield Steps("edge of lem-4.3", size, Fraction(_AT_ONCE[K][1]), (one, one), gap)
    yield Steps("edge of lem-4.4", size, 72 * K / Fraction(of.share), outer, gap)
    root = Fraction(of.roots[2])
    if root:
        tuned = 37 * _L * K * T * (_VARIANCE_U / m + m * _VARIANCE_V / n) / root**2
        yield Steps("steps of cor-4.6", size, 72 * K + root / _L, outer, tuned)
