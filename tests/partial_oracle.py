"""FedPLT by its description, in fractions: one client, one coordinate after the other."""

import random
from fractions import Fraction


def fraction(number):
    """Of a rational of any kind, or a text."""
    return Fraction(str(number))


def fractions(rows):
    """Nested numbers as nested lists of fractions."""
    if isinstance(rows, str) or not hasattr(rows, "__len__"):
        return fraction(rows)
    return [fractions(row) for row in rows]


class Oracle:
    """A run that a theory has as data."""

    def __init__(self, run):
        data, given = dict(run.problem.data), dict(run.parameters)
        self.H, self.h = fractions(data["hessians"]), fractions(data["slopes"])
        self.scale = fraction(data["noise"])
        self.masks, self.steps = given["masks"], given["tau"]
        self.eta, self.first = given.get("eta"), given.get("first")
        weights = fractions(given["weights"])
        self.c = [x / sum(weights) for x in weights]
        self.d = len(self.h[0])
        self.start = fractions(run.start)

    def step_size(self, t):
        """eta, or first/(t+1)."""
        return fraction(self.eta) if self.first is None else fraction(self.first) / (t + 1)

    def gradient(self, k, w):
        return [
            sum(a * x for a, x in zip(row, w, strict=True)) + b
            for row, b in zip(self.H[k], self.h[k], strict=True)
        ]

    def wide(self, w):
        """Of F."""
        every = [self.gradient(k, w) for k in range(len(self.c))]
        return [
            sum(c * g for c, g in zip(self.c, own, strict=True)) for own in zip(*every, strict=True)
        ]

    def round(self, w, step, signs):
        """W^{t+1} and the local models of every client."""
        paths = []
        for k, mask in enumerate(self.masks):
            own = [list(w)]
            for _ in range(self.steps):
                g = [x + self.scale * signs() for x in self.gradient(k, own[-1])]
                own.append([a - step * m * b for a, m, b in zip(own[-1], mask, g, strict=True)])
            paths.append(own)
        after = []
        for i in range(self.d):
            held = sum(c * mask[i] for c, mask in zip(self.c, self.masks, strict=True))
            moved = sum(
                c * mask[i] * (own[-1][i] - w[i])
                for c, mask, own in zip(self.c, self.masks, paths, strict=True)
            )
            after.append(w[i] + (moved / held if held else 0))
        return after, paths

    def run(self, rounds, seed=0, signs=None):
        """t, W^t and the local models of every client."""
        source = random.Random(seed)
        w = self.start
        for t in range(rounds):
            draw = signs or (lambda: source.choice((-1, 1)))
            after, paths = self.round(w, self.step_size(t), draw)
            yield t, w, paths
            w = after

    def rho(self, k, w, best):
        """None where its denominator vanishes."""
        g = self.gradient(k, w)
        terms = [a * (x - y) for a, x, y in zip(g, w, best, strict=True)]
        kept = sum(x for x, m in zip(terms, self.masks[k], strict=True) if m)
        return None if sum(terms) == 0 else Fraction(kept) / sum(terms)
