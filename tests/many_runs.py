"""FedPLT over a few rounds by hand: plain lists, every sign of the noise; and subjects of it."""

from fractions import Fraction as F
from itertools import product

from fedbounds.verify.measure.objectives import exact
from fedbounds.verify.setups.found import many_of, view_of


def many(setup, *, floats=False):
    """What is known of a set-up of many rounds."""
    return many_of(setup, view_of(setup), floats=floats)


class ByHand:
    """A run's numbers as fractions; shares no code with the package."""

    def __init__(self, run):
        data, given = dict(run.problem.data), dict(run.parameters)
        self.H = [[[F(x) for x in row] for row in one] for one in data["hessians"]]
        self.h = [[F(x) for x in row] for row in data["slopes"]]
        self.noise, self.masks, self.tau = F(data["noise"]), given["masks"], given["tau"]
        weights = [F(w) for w in given["weights"]]
        self.c = [w / sum(weights) for w in weights]
        self.n, self.d = len(self.h), len(self.h[0])
        held = [sum(c for c, m in zip(self.c, self.masks, strict=True) if m[i])
                for i in range(self.d)]  # fmt: skip
        self.psi = [1 / x for x in held]
        self.start = [F(x) for x in run.start]
        self.best = self.minimiser()

    def minimiser(self):
        """W* = argmin sum_k c_k F_k, by elimination."""
        A = [[sum(c * H[i][j] for c, H in zip(self.c, self.H, strict=True))
              for j in range(self.d)] for i in range(self.d)]  # fmt: skip
        b = [-sum(c * h[i] for c, h in zip(self.c, self.h, strict=True)) for i in range(self.d)]
        for i in range(self.d):
            for j in range(self.d):
                if j != i:
                    q = A[j][i] / A[i][i]
                    A[j] = [x - q * y for x, y in zip(A[j], A[i], strict=True)]
                    b[j] -= q * b[i]
        return [b[i] / A[i][i] for i in range(self.d)]

    def gradient(self, k, W):
        """grad F_k."""
        return [sum(a * x for a, x in zip(row, W, strict=True)) + h
                for row, h in zip(self.H[k], self.h[k], strict=True)]  # fmt: skip

    def wide(self, W):
        """grad F."""
        own = [self.gradient(k, W) for k in range(self.n)]
        return [sum(c * g[i] for c, g in zip(self.c, own, strict=True)) for i in range(self.d)]

    def step(self, W, eta, e, visit=lambda k, W: None):
        """W^{t+1}, and sum_k c_k ||W_k - W||^2; ``visit`` sees every model."""
        new, moved = list(W), F(0)
        for k in range(self.n):
            own = list(W)
            visit(k, own)
            for s in range(self.tau):
                g = self.gradient(k, own)
                own = [
                    own[i] - eta * (g[i] + e[(k * self.tau + s) * self.d + i])
                    if self.masks[k][i] else own[i]
                    for i in range(self.d)
                ]  # fmt: skip
                visit(k, own)
            U = [a - b for a, b in zip(own, W, strict=True)]
            moved += self.c[k] * sum(x * x for x in U)
            new = [x + p * self.c[k] * u for x, p, u in zip(new, self.psi, U, strict=True)]
        return new, moved

    def signs(self):
        """Every noise of a round."""
        size = (self.noise, -self.noise) if self.noise else (F(0),)
        return list(product(size, repeat=self.n * self.tau * self.d))

    def far(self, W):
        """||W - W*||^2."""
        return sum((a - b) ** 2 for a, b in zip(W, self.best, strict=True))

    def moments(self, steps):
        """D^0, D^1, ... and sum_k c_k E ||W_k - W||^2 per round; every model and client seen."""
        states, distance, divergence, seen = {tuple(self.start): F(1)}, [], [], []
        signs = self.signs()
        for eta in steps:
            distance.append(sum(p * self.far(W) for W, p in states.items()))
            after, total = {}, F(0)
            for (W, p), e in product(states.items(), signs):
                new, moved = self.step(W, eta, e, lambda k, W: seen.append((k, tuple(W))))
                total += p * moved / len(signs)
                after[tuple(new)] = after.get(tuple(new), F(0)) + p / len(signs)
            states = after
            divergence.append(total)
        distance.append(sum(p * self.far(W) for W, p in states.items()))
        return distance, divergence, seen


def fractions(values):
    """Rationals as fractions."""
    return [F(int(x.p), int(x.q)) for x in map(exact, values)]
