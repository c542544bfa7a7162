"""FedAvg-P by its description, in fractions: one outcome, one client and one step after the other."""

from collections import defaultdict
from fractions import Fraction
from itertools import combinations, product


class Oracle:
    """A run that a theory has as data, with one shared and one personal coordinate."""

    def __init__(self, run):
        data, given = dict(run.problem.data), dict(run.parameters)
        self.H, self.h = data["hessians"], data["slopes"]
        self.s, self.r = Fraction(str(data["noise"])), Fraction(str(data["personal_noise"]))
        self.n, self.m, self.K, self.T = len(self.H), given["cohort"], given["K"], run.rounds
        self.g_u, self.g_v, self.e_u, self.e_v = (
            Fraction(str(given[name])) for name in ("gamma_u", "gamma_v", "eta_u", "eta_v")
        )
        u, *v = (Fraction(str(x)) for x in run.start)
        self.start = u, tuple(v)

    def slope(self, i, u, v):
        (a, c), (_, d) = self.H[i]
        return a * u + c * v + self.h[i][0], c * u + d * v + self.h[i][1]

    def value(self, u, v):
        def own(i):
            (a, c), (_, d) = self.H[i]
            quadratic = (a * u * u + 2 * c * u * v[i] + d * v[i] * v[i]) / 2
            return quadratic + self.h[i][0] * u + self.h[i][1] * v[i]

        return sum(own(i) for i in range(self.n)) / self.n

    def local(self, i, u, v, signs):
        """(u, v, gradient by u, gradient by v, noise) of every local step, and the last models."""
        path = []
        for k in range(self.K):
            g_u, g_v = self.slope(i, u, v)
            noise = self.s * signs[k][0], self.r * signs[k][1]
            path.append((u, v, g_u, g_v, noise))
            u, v = u - self.g_u * (g_u + noise[0]), v - self.g_v * (g_v + noise[1])
        return path, (u, v)

    def draws(self):
        """Every set of participants with every noise of every client."""
        one = list(product(*(product((-1, 1), repeat=2) for _ in range(self.K))))
        sets = list(combinations(range(self.n), self.m))
        return [(s, w) for s in sets for w in product(one, repeat=self.n)]

    def outcomes(self):
        """Round t, the state, and for each draw (chance, S, paths, the next state)."""
        draws, states = self.draws(), {self.start: Fraction(1)}
        for t in range(self.T):
            after = defaultdict(Fraction)
            for (u, v), chance in states.items():
                rows = []
                for S, signs in draws:
                    walked = [self.local(i, u, v[i], signs[i]) for i in range(self.n)]
                    mean = sum(walked[i][1][0] for i in S) / self.m
                    u1 = (1 - self.e_u) * u + self.e_u * mean
                    v1 = tuple(
                        v[i] + self.e_v * (walked[i][1][1] - v[i]) if i in S else v[i]
                        for i in range(self.n)
                    )
                    own = chance / len(draws)
                    rows.append((own, S, walked, (u1, v1)))
                    after[u1, v1] += own
                yield t, (u, v), chance, rows
            states = after

    def measured(self):
        """Means of some quantities, by name, round, client and step."""
        found = defaultdict(Fraction)
        n, K = self.n, self.K
        for t, (u, v), chance, rows in self.outcomes():
            slopes = [self.slope(i, u, v[i]) for i in range(n)]
            found["G_u", t] += chance * (sum(x for x, _ in slopes) / n) ** 2
            found["G_v", t] += chance * sum(y * y for _, y in slopes) / n
            found["B", t] += chance * sum(x * x for x, _ in slopes)
            mean_du = sum(own * (u1 - u) for own, *_, (u1, _) in rows) / chance
            found["M_u", t] += chance * mean_du**2
            for i in range(n):
                found["g_vi", t, i] += chance * slopes[i][1] ** 2
                mean = sum(own * (v1[i] - v[i]) for own, *_, (_, v1) in rows) / chance
                found["M_vi", t, i] += chance * mean**2
            for own, S, walked, (u1, v1) in rows:
                found["f step", t] += own * (self.value(u1, v1) - self.value(u, v))
                found["Du_2", t] += own * (u1 - u) ** 2
                found["P_u", t] += own * self.of_participants(S, walked) ** 2
                sums = [sum(step[2] for step in path) for path, _ in walked]
                found["T_3u", t] += own * sum((x - sum(sums) / n) ** 2 for x in sums)
                for i, (path, last) in enumerate(walked):
                    found["Dv_i", t, i] += own * (v1[i] - v[i]) ** 2
                    models = [*((x, y) for x, y, *_ in path), last]
                    for k, (x, y) in enumerate(models):
                        found["E_ik", t, i, k] += own * ((x - u) ** 2 + (y - v[i]) ** 2)
                    for k in range(K):
                        found["Y_ik", t, i, k] += own * (path[k][4][0] ** 2 if i in S else 0)
        return found

    def of_participants(self, S, walked):
        """-gamma/m times the sum of the participants' gradients by u."""
        total = sum(step[2] for i in S for step in walked[i][0])
        return -self.g_u * self.e_u * total / self.m
