"""FedPLT's analysis on a small instance: one outcome after the other, one number after the other.

Two or three clients, two coordinates, noise +-1/2 on each coordinate; all in rationals.
"""

from itertools import product

import oracles
from flint import fmpq as F

ETA, SCALE = F(1, 8), F(1, 2)
QUADRATIC = oracles.Quadratic(
    2,
    [
        [[F(2), F(1, 2)], [F(1, 2), F(1)]],
        [[F(1), F(-1, 4)], [F(-1, 4), F(3, 2)]],
        [[F(3, 2), F(0)], [F(0), F(3, 4)]],
    ],
    [[F(1), F(-1)], [F(-1, 2), F(2)], [F(1, 4), F(-3)]],
)
MASKS = {2: ((1, 0), (1, 1)), 3: ((1, 0), (1, 1), (0, 1))}
COUNTS = (1, 3, 2)
W_0 = (F(1), F(-3, 4))
FREE = ((F(1, 2), F(-1)), (F(0), F(3, 4)), (F(-2), F(1, 4)))


def plain(n):
    return oracles.Quadratic(2, QUADRATIC.hessian[:n], QUADRATIC.linear[:n])


class Slow:
    """The three views by their definitions, in rationals."""

    def __init__(self, n, steps):
        self.n, self.steps, self.masks = n, steps, MASKS[n]
        self.objective = plain(n)
        self.c = [F(x, sum(COUNTS[:n])) for x in COUNTS[:n]]
        held = [sum(self.c[j] * self.masks[j][i] for j in range(n)) for i in range(2)]
        self.psi = [1 / x for x in held]
        self.signs = [(a * SCALE, b * SCALE) for a, b in product((-1, 1), repeat=2)]

    def gradient(self, j, w):
        return self.objective.gradient(j, list(w), [])[0]

    def pooled(self, updates):
        """psi o sum_k c_k (m_k o U_k)."""
        return tuple(
            self.psi[i] * sum(self.c[j] * self.masks[j][i] * updates[j][i] for j in range(self.n))
            for i in range(2)
        )

    def one(self, w, own):
        """Every (probability, what happened) of one gradient of each client at its own point."""
        exact = [self.gradient(j, own[j]) for j in range(self.n)]
        for signs in product(self.signs, repeat=self.n):
            U = [
                tuple(-ETA * (a + b) for a, b in zip(*each, strict=True))
                for each in zip(exact, signs, strict=True)
            ]
            Ub = [tuple(-ETA * a for a in row) for row in exact]
            yield F(1, 4**self.n), {"W": w, "Wk": own, "U": U, "Ub": Ub}

    def round(self, w):
        """The same of a round: local steps of every client, with every noise of every step."""
        paths = [list(self.paths(j, w)) for j in range(self.n)]
        for chosen in product(*paths):
            ends, U, Ub, squares = (list(part) for part in zip(*chosen, strict=True))
            chance = F(1, 4 ** (self.n * self.steps))
            yield chance, {"W": w, "Wk": ends, "U": U, "Ub": Ub, "squares": squares}

    def paths(self, j, w):
        for signs in product(self.signs, repeat=self.steps):
            own, U, Ub, squares = w, (F(0),) * 2, (F(0),) * 2, F(0)
            for drawn in signs:
                exact = self.gradient(j, own)
                noisy = [a + b for a, b in zip(exact, drawn, strict=True)]
                U = tuple(a - ETA * b for a, b in zip(U, noisy, strict=True))
                Ub = tuple(a - ETA * b for a, b in zip(Ub, exact, strict=True))
                squares += sum(m * b * b for m, b in zip(self.masks[j], noisy, strict=True))
                own = tuple(
                    a - ETA * m * b for a, m, b in zip(own, self.masks[j], noisy, strict=True)
                )
            yield own, U, Ub, squares

    def last_round(self, rounds):
        """Every outcome of round t = ``rounds - 1``."""
        states = {tuple(W_0): F(1)}
        for _ in range(rounds - 1):
            states = self.after(states, self.round, lambda w, seen: self.moved(w, seen))
        return [(p * q, seen) for w, p in states.items() for q, seen in self.round(w)]

    def last_step(self, count):
        """Every outcome of virtual step t = ``count - 1``."""
        states = {(tuple(W_0), (tuple(W_0),) * self.n): F(1)}
        for t in range(count - 1):
            after = {}
            for (w, own), p in states.items():
                for q, seen in self.one(w, own):
                    new = self.moved(w, seen)
                    each = tuple(
                        tuple(a + m * b for a, m, b in zip(*row, strict=True))
                        for row in zip(own, self.masks, seen["U"], strict=True)
                    )
                    state = (new, (new,) * self.n if (t + 1) % self.steps == 0 else each)
                    after[state] = after.get(state, 0) + p * q
            states = after
        return [(p * q, x) for (w, own), p in states.items() for q, x in self.one(w, own)]

    @staticmethod
    def after(states, branches, move):
        found = {}
        for state, p in states.items():
            for q, seen in branches(state):
                new = move(state, seen)
                found[new] = found.get(new, 0) + p * q
        return found

    def moved(self, w, seen):
        return tuple(a + b for a, b in zip(w, self.pooled(seen["U"]), strict=True))

    def best(self, shares):
        """argmin sum_k shares_k F_k by Cramer's rule."""
        pairs = list(zip(shares, self.objective.hessian, self.objective.linear, strict=True))
        (a, b), (_, d) = ([sum(c * h[i][j] for c, h, _ in pairs) for j in range(2)] for i in (0, 1))
        p, q = (-sum(c * x[i] for c, _, x in pairs) for i in (0, 1))
        return (d * p - b * q) / (a * d - b * b), (a * q - b * p) / (a * d - b * b)


def dot(x, y):
    return sum(a * b for a, b in zip(x, y, strict=True))


def minus(x, y):
    return [a - b for a, b in zip(x, y, strict=True)]


def square(x):
    return dot(x, x)


def numbers_of(slow, outcomes):
    """Expectations of the analysis, from its definitions."""
    star = slow.best(slow.c)
    total = {}
    for chance, seen in outcomes:
        w, own, every = seen["W"], seen["Wk"], range(slow.n)
        full, quiet = slow.pooled(seen["U"]), slow.pooled(seen["Ub"])
        here = [a + b for a, b in zip(minus(w, star), quiet, strict=True)]
        gradients = [slow.gradient(j, own[j]) for j in every]
        rows = {
            "D^t": square(minus(w, star)),
            "D^t+1": square(minus(slow.moved(w, seen), star)),
            "A_1": square(minus(full, quiet)),
            "A_2": square(here),
            "A_3": 2 * dot(minus(full, quiet), here),
            "divergence": sum(slow.c[j] * square(minus(own[j], w)) for j in every),
            "own distance": sum(slow.c[j] * square(minus(own[j], star)) for j in every),
            "squared shares": sum(
                slow.c[j] ** 2
                * sum(m * (a - b) ** 2 for m, a, b in zip(slow.masks[j], *pair, strict=True))
                for j, pair in enumerate(zip(seen["U"], seen["Ub"], strict=True))
            ),
            "gradients": sum(
                slow.c[j] * min(1, sum(slow.masks[j])) * square(gradients[j]) for j in every
            ),
            "masked slope": sum(
                slow.c[j]
                * sum(m * a * b for m, a, b in zip(slow.masks[j], gradients[j], minus(own[j], star), strict=True))
                for j in every
            ),
            "compensated slope": sum(
                slow.c[j]
                * sum(
                    p * m * a * b
                    for p, m, a, b in zip(
                        slow.psi, slow.masks[j], gradients[j], minus(own[j], star), strict=True
                    )
                )
                for j in every
            ),
            "average": square(
                [w[i] - sum(slow.c[j] * own[j][i] for j in every) for i in range(2)]
            ),
            "gaps": sum(
                slow.c[j] * (slow.objective.value(j, own[j], []) - lowest(slow, j)) for j in every
            ),
            "gaps at W": sum(
                slow.c[j] * (slow.objective.value(j, w, []) - lowest(slow, j)) for j in every
            ),
            "Lambda": sum(
                slow.c[j] * (slow.objective.value(j, star, []) - lowest(slow, j)) for j in every
            ),
            "local squares": sum(
                a * b for a, b in zip(slow.c, seen.get("squares", [0] * slow.n), strict=True)
            ),
        }  # fmt: skip
        for name, x in rows.items():
            total[name] = total.get(name, 0) + chance * x
    return total


def lowest(slow, j):
    alone = [F(int(i == j)) for i in range(slow.n)]
    return slow.objective.value(j, slow.best(alone), [])
