"""Random vectors by enumeration: an oracle for inner products that knows no rule at all.

A vector is an array over all outcomes of the sources, one axis for each; its expressions are
evaluated by Python itself, with Fractions.
"""

from fractions import Fraction
from itertools import combinations

import numpy as np

AXES = ("past", "xi", "k", "i", "S")


class FiniteSpace:
    """Two pasts, samples and steps, n clients, all sets of m participants; uniform."""

    def __init__(self, n, m, random, pasts=2, samples=2, steps=2):
        self.random = random
        self.sets = list(combinations(range(n), m))
        self.shape = (pasts, samples, steps, n, len(self.sets))
        inside = [[int(i in chosen) for chosen in self.sets] for i in range(n)]
        self.indicator = self._full(np.array(inside, dtype=object)[None, None, None])

    def _full(self, array):
        return np.broadcast_to(array, self.shape) * Fraction(1)

    def vector(self, depends, centred=""):
        """Small random numbers that depend on these sources only."""
        shape = [size if a in depends else 1 for a, size in zip(AXES, self.shape, strict=True)]
        count = int(np.prod(shape))
        numbers = [Fraction(self.random.randint(-3, 3)) for _ in range(count)]
        found = np.array(numbers, dtype=object).reshape(shape)
        if centred:
            axis = AXES.index(centred)
            found = found - found.sum(axis=axis, keepdims=True) / found.shape[axis]
        return self._full(found)

    def given(self, x, *sources):
        """The mean over all sources but these."""
        axes = tuple(at for at, name in enumerate(AXES) if name not in sources)
        count = int(np.prod([self.shape[at] for at in axes]))
        return self._full((x + self.zero()).sum(axis=axes, keepdims=True) / Fraction(count))

    def zero(self):
        return self._full(np.zeros((1,) * len(AXES), dtype=object))

    def present(self, x):
        return self.indicator * x

    def ip(self, x, y):
        total = (x * y + self.zero()).sum()
        return Fraction(total) / int(np.prod(self.shape))

    def sq(self, x):
        return self.ip(x, x)

    def product(self, key, atoms):
        """What a key "<a|b|sources>" stands for."""
        first, second, sources = key[1:-1].split("|")
        kept = sources.split(",") if sources else []
        return self.ip(self.given(atoms[first], *kept), self.given(atoms[second], *kept))

    def evaluate(self, text, **values):
        """The value of an expression in vectors and numbers."""
        names = {name: name for name in AXES}
        functions = {"given": self.given, "present": self.present, "sq": self.sq, "ip": self.ip}
        return eval(text, {"__builtins__": {}}, names | functions | values)
