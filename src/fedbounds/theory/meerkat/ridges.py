"""Ridge quadratics f_k(w) = h_k (a'w)^2/2 + b_k a'w, whose constants are all known.

Every gradient is a multiple of a: a mask keeps the same share of each, that of ||a||^2. L is the
largest h_k ||a||^2, and f is PL with the mean of them.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import isqrt

from fedbounds.theory.language.setups import Number, Objective, numbers

Numbers = dict[str, Number]


@dataclass(frozen=True)
class Ridge:
    """One of them, with a mask.

    Attributes
    ----------
    told : str
        In a few words.
    along : tuple of int
        a.
    mask : tuple of int
    curvatures, slopes : tuples of numbers
        h_k and b_k.
    c_h, sigma_h : numbers
        Of Assumption B.3.
    noise : number
        Of every coordinate of a gradient, up to sign.
    swings : number
        Of the factor of a, up to sign: a mask keeps c of every gradient of a sample too.
    quick : tuple of str
        Which of its runs are in a quick plan, besides those that all small ones have there:
        "three" rounds, "thirty", "long" ones, those with "stopped" clients.
    """

    told: str
    along: tuple[int, ...]
    mask: tuple[int, ...]
    curvatures: tuple[Number, ...] = (1, 1)
    slopes: tuple[Number, ...] = (0, 0)
    c_h: Number = "9/16"
    sigma_h: Number = 0
    noise: Number = 0
    swings: Number = 0
    quick: tuple[str, ...] = ()

    @cached_property
    def objective(self) -> Objective:
        """As data."""
        if self.swings:
            powers = {"along": self.along, "curvatures": self.curvatures, "noise": self.swings,
                      "quartics": (0,) * len(self.curvatures)}  # fmt: skip
            return Objective("ridge powers", tuple(powers.items()))
        a, h, b = self.along, self._of(self.curvatures), self._of(self.slopes)
        hessians = [[[own * x * y for x in a] for y in a] for own in h]
        linear = [[own * x for x in a] for own in b]
        data = {"hessians": numbers(hessians), "slopes": numbers(linear), "noise": self.noise}
        return Objective("quadratics", tuple(data.items()))

    @property
    def start(self) -> tuple[int, ...]:
        """Where a'w is 1 for the first coordinate alone, or several that the mask keeps or not."""
        return (2, *(1 for _ in self.along[1:]))

    @property
    def u(self) -> int:
        """How many coordinates are kept."""
        return sum(self.mask)

    @property
    def size(self) -> int:
        """||a||^2."""
        return sum(x * x for x in self.along)

    @property
    def c(self) -> Fraction:
        """The share that the mask keeps."""
        return Fraction(sum(x * x for x, m in zip(self.along, self.mask, strict=True) if m),
                        self.size)  # fmt: skip

    @property
    def smoothness(self) -> Fraction:
        """L."""
        return max(self._of(self.curvatures)) * self.size

    @property
    def pl(self) -> Fraction:
        """mu."""
        return self._mean(self.curvatures) * self.size

    @property
    def apart(self) -> Fraction:
        """(1/n) sum_k Delta_k, of the minimisers nearest to 0: -(b_k/h_k) a/||a||^2."""
        best = self._mean(self.slopes) / self._mean(self.curvatures)
        every = zip(self._of(self.slopes), self._of(self.curvatures), strict=True)
        squares = [(b / h - best) ** 2 for b, h in every]
        return sum(squares, Fraction(0)) / len(squares) / self.size

    def share(self, stopped: tuple[int, ...]) -> Fraction:
        """The least gamma, in 64ths where minimisers differ, of the display before (28).

        At every a'w = s the kept clients' gaps, sum_kept h_k (s - s_k)^2/2, are at most gamma times
        all, H (s - s')^2/2 + max(h) sum_k (s_k - s')^2/2, with H = sum_k h_k and s' the mean.
        """
        h, kept = self._of(self.curvatures), [1 - own for own in stopped]
        at = [-b / own for b, own in zip(self._of(self.slopes), h, strict=True)]
        whole, first = (sum(y * x**p for y, x in zip(h, at, strict=True)) for p in range(2))
        own, own_first, own_second = (
            sum(one * y * x**p for one, y, x in zip(kept, h, at, strict=True)) for p in range(3)
        )
        if self.apart == 0:
            return Fraction(own) / whole
        spread = first**2 / whole + max(h) * len(h) * self.apart * self.size
        for part in range(1, 64):
            gamma = Fraction(part, 64)
            square, rest = gamma * whole - own, gamma * spread - own_second
            if min(square, rest) >= 0 and square * rest >= (gamma * first - own_first) ** 2:
                return gamma
        return Fraction(1)

    @property
    def pull(self) -> Fraction:
        """sqrt(c) (1 + sqrt(c_h)), of squares; else a number near it, for step sizes alone."""
        return root(self.c) * (1 + root(Fraction(self.c_h)))

    @property
    def chosen(self) -> Numbers:
        """Constants that a set-up says."""
        return {
            "c_m": str(self.c), "c_h": self.c_h, "sigma_h": self.sigma_h,
            "Delta": str(self.apart), "mu_PL": str(self.pl),
        }  # fmt: skip

    @property
    def local_step(self) -> Fraction:
        """1/(L (u + 2))."""
        return 1 / (self.smoothness * (self.u + 2))

    def short_step(self, steps: int) -> Fraction:
        """1/(5 L T (u + 2) (1 + c_h/c)): of so many local steps, where clients drift little."""
        return self.local_step / (5 * steps * (1 + Fraction(self.c_h) / self.c))

    def short_stopped_step(self, steps: int) -> Fraction:
        """(1 - c_h)/(36 L T (u + 2)): the same, where some clients are stopped."""
        return self.local_step * (1 - Fraction(self.c_h)) / (36 * steps)

    @property
    def step(self) -> Fraction:
        """That of Theorem 2.1."""
        small = self.pl * self.pull / (2 * self.smoothness**2 * (2 + self.u) ** 2)
        return min(self.local_step, small)

    def _mean(self, values: tuple[Number, ...]) -> Fraction:
        return sum(self._of(values), Fraction(0)) / len(values)

    @staticmethod
    def _of(values: tuple[Number, ...]) -> list[Fraction]:
        return [Fraction(x) for x in values]


def root(x: Fraction) -> Fraction:
    """The square root of a square; of others, a rational number a little below it."""
    far = x * 10**12
    if isqrt(x.numerator) ** 2 == x.numerator and isqrt(x.denominator) ** 2 == x.denominator:
        return Fraction(isqrt(x.numerator), isqrt(x.denominator))
    return Fraction(isqrt(int(far)), 10**6)


_TWO, _THREE, _SEVEN = (3, 4), (1, 2, 2), (2, 2, 2, 1, 1, 1, 1)
_OWN = ("1/2", "3/2")


def _one_of(count: int) -> tuple[int, ...]:
    """The mask that keeps the first coordinate."""
    return (1, *(0,) * (count - 1))


# two clients that attain c_h
ATTAINED = Ridge("own curvatures, a ninth kept, one of 19", (3, *(2,) * 18), _one_of(19),
                 ("1/10", "19/10"), c_h="81/100")  # fmt: skip
# few coordinates of which one has the least share that the bound of Theorem 2.1 does not cover
SEVEN = Ridge("4/25 kept, one of seven, two clients", (*(2,) * 6, 1), _one_of(7), c_h="81/100")
# two clients who are alike: the one that goes on has half of the gaps
HALF = Ridge("a 25th kept, two clients", (*(2,) * 24, *(1,) * 4), _one_of(28))
# as many clients as in the paper's experiments
TEN = Ridge("ten clients, 12 of 33 kept", (*(3,) * 12, *(2,) * 21), (*(1,) * 12, *(0,) * 21),
            (*_OWN,) * 5, (0,) * 10, "1/4")  # fmt: skip
# the only noise of which Assumption B.6 is true for every sample
SWINGING = Ridge("noise along the ridge", _TWO, (0, 1), swings=20)
# assumption B.6 asks for much more than the share u/d: those of few coordinates have a little more
RIDGES = (
    Ridge("4/25 kept, one of 22", (2, *(1,) * 21), _one_of(22), (1,), (0,), "81/100",
          quick=("long",)),
    Ridge("a 25th kept, one of 28", (*(2,) * 24, *(1,) * 4), _one_of(28), (1,), (0,)),
    Ridge("4/9 kept, one of three", _THREE, (0, 1, 0)),
    Ridge("a quarter kept, one of seven", _SEVEN, _one_of(7), quick=("three", "long", "stopped")),
    Ridge("4/9 kept, two of twelve", (2, 2, *(1,) * 10), (1, 1, *(0,) * 10), (1,), (1,)),
    Ridge("16/25 kept, one of two", _TWO, (0, 1), quick=("three", "stopped")),
    Ridge("one coordinate counts", (1, 0), (1, 0), c_h="49/64", quick=("thirty",)),
    Ridge("all kept", _THREE, (1, 1, 1), quick=("three",)),
    Ridge("own curvatures", _TWO, (0, 1), _OWN, c_h="1/4", quick=("long", "stopped")),
    Ridge("own curvatures, one of seven", _SEVEN, _one_of(7), _OWN, c_h="1/4", quick=("three",)),
    Ridge("own minimisers", _TWO, (0, 1), slopes=(1, -1), c_h="1/16", sigma_h=5,
          quick=("long", "stopped")),
    Ridge("three minimisers", _THREE, (0, 1, 0), (1, 1, 1), (1, 1, -2), "1/16", 6,
          quick=("three",)),
    Ridge("own curvatures and minimisers", _TWO, (0, 1), _OWN, (1, -1), "9/16", 10,
          quick=("thirty",)),
    Ridge("one client", _SEVEN, _one_of(7), (2,), (4,), "1/4", quick=("three",)),
    Ridge("noise", _TWO, (0, 1), noise="1/2"),
    Ridge("noise, own minimisers", _TWO, (0, 1), slopes=(1, -1), c_h="1/16", sigma_h=5, noise=1,
          quick=("three",)),
)  # fmt: skip
