"""Meerkat's rounds from given directions, and their means over Gaussian ones: slow and obvious.

Vectors are lists, matrices lists of rows. A client is (H, h) for f(w) = w'Hw/2 + h'w; n clients, d
coordinates, K local steps. Nothing here knows the algorithm of the package.

Means are had twice. `Listed` goes through every outcome of a law on five points, which has a
Gaussian's moments up to the fifth: what has degree five at most in each entry of a direction has
the same mean. `Closed` follows E of all products of w and of the models, by Isserlis' formula: for
z ~ N(0, P), P the mask's diagonal matrix, and v, v' not depending on z,

    E z z'v = P v,   E z z' (v v'^T) z z' = P (v v'^T + v' v^T) P + (v' P v) P.
"""

from dataclasses import dataclass
from itertools import product
from math import prod

from flint import fmpq as F

FIVE = ((0, F(1, 2)), (1, F(1, 6)), (-1, F(1, 6)), (2, F(1, 12)), (-2, F(1, 12)))

# ---- lists


def dot(x, y):
    return sum((a * b for a, b in zip(x, y, strict=True)), 0 * x[0])


def plus(x, y):
    return [a + b for a, b in zip(x, y, strict=True)]


def times(c, x):
    return [c * a for a in x]


def minus(x, y):
    return plus(x, times(-1, y))


def masked(mask, x):
    return [a if kept else 0 * a for kept, a in zip(mask, x, strict=True)]


def mean(vectors):
    return [sum(own) / len(vectors) for own in zip(*vectors, strict=True)]


def apply(M, x):
    return [dot(row, x) for row in M]


def outer(x, y):
    return [[a * b for b in y] for a in x]


def turned(M):
    return [list(column) for column in zip(*M, strict=True)]


def matmul(A, B):
    return [[dot(row, column) for column in turned(B)] for row in A]


def add(*matrices):
    return [[sum(own) for own in zip(*rows, strict=True)] for rows in zip(*matrices, strict=True)]


def scaled(c, M):
    return [times(c, row) for row in M]


def trace(M):
    return sum(M[i][i] for i in range(len(M)))


# ---- quadratics


def value(client, w):
    H, h = client
    return dot(apply(H, w), w) / 2 + dot(h, w)


def gradient(client, w):
    H, h = client
    return plus(apply(H, w), h)


def averaged(clients):
    """The quadratic f."""
    n = len(clients)
    H = scaled(F(1, n), add(*(H for H, _ in clients)))
    return H, mean([h for _, h in clients])


def a_minimiser(client):
    """Some w with H w + h = 0, by Gauss and Jordan; what is free is 0."""
    H, h = client
    d, rows, at = len(h), [[*row, -b] for row, b in zip(H, h, strict=True)], []
    for column in range(d):
        row = next((i for i in range(len(at), d) if rows[i][column] != 0), None)
        if row is None:
            continue
        rows[len(at)], rows[row] = rows[row], rows[len(at)]
        top = times(1 / rows[len(at)][column], rows[len(at)])
        rows = [
            top if i == len(at) else minus(own, times(own[column], top))
            for i, own in enumerate(rows)
        ]
        at.append(column)
    assert all(row[d] == 0 for row in rows[len(at) :]), "not bounded below"
    found = [F(0)] * d
    for i, column in enumerate(at):
        found[column] = rows[i][d]
    return found


def lowest(client):
    return value(client, a_minimiser(client))


# ---- one local step and one round, as printed


def projected(objective, w, z, epsilon):
    """(f_+ - f_-)/(2 epsilon): the model is moved by epsilon z, then by -2 epsilon z in place."""
    moved = plus(w, times(epsilon, z))
    above = objective(moved)
    moved = minus(moved, times(2 * epsilon, z))
    below = objective(moved)
    return (above - below) / (2 * epsilon)


def noisy(client, noise):
    """The objective of a minibatch: its gradient is the client's and the noise."""
    return lambda w: value(client, w) + dot(noise, w)


def local_steps(client, start, zs, noises, epsilon, eta):
    """The models before every step and at the end, and what the client sends: numbers."""
    models, sent = [start], []
    for z, noise in zip(zs, noises, strict=True):
        g = projected(noisy(client, noise), models[-1], z, epsilon)
        models.append(minus(models[-1], times(eta * g, z)))
        sent.append(g)
    return models, sent


def replay(start, zs, sent, eta):
    """The server's virtual path: directions from seeds, and the numbers; no data."""
    w = start
    for z, g in zip(zs, sent, strict=True):
        w = minus(w, times(eta * g, z))
    return w


def one_round(clients, w, zs, noises, epsilon, eta):
    """w^{r+1}, and models and estimates of every client and step; zs are masked, per client."""
    reached, models, estimates = [], [], []
    for client, own, noise in zip(clients, zs, noises, strict=True):
        path, sent = local_steps(client, w, own, noise, epsilon, eta)
        reached.append(replay(w, own, sent, eta))
        models.append(path)
        estimates.append([times(g, z) for g, z in zip(sent, own, strict=True)])
    return mean(reached), models, estimates


# ---- set-ups


@dataclass(frozen=True)
class Case:
    """Rounds of Meerkat; ``noise`` is the size of signs on every coordinate of a gradient."""

    clients: tuple
    start: tuple
    mask: tuple
    eta: object
    epsilon: object
    K: int
    own: int = 0
    noise: object = F(0)

    @property
    def n(self):
        return len(self.clients)

    @property
    def d(self):
        return len(self.start)


def of_a_round(case, w, after, models, estimates):
    """What is measured of a round of one outcome."""
    f, steps, every = averaged(case.clients), range(case.K), range(case.n)
    G, own = gradient(f, w), [gradient(one, w) for one in case.clients]
    count = case.n * case.K

    def at(k, s):
        return masked(case.mask, gradient(case.clients[k], models[k][s]))

    return {
        "X_f": dot(G, minus(after, w)),
        "X_own": sum(dot(own[k], minus(models[k][-1], w)) for k in every) / case.n,
        "X_est": sum(dot(G, estimates[k][s]) for k in every for s in steps) / count,
        "X_mask": sum(dot(G, at(k, s)) for k in every for s in steps) / count,
        "est_m": sum(dot(x, x) for k in every for x in estimates[k]) / count,
        "Dw_2": dot(minus(after, w), minus(after, w)),
        "drift": sum(far(models[k][s], w) for k in every for s in steps) / count,
    }


def far(x, w):
    """The squared distance."""
    return dot(minus(x, w), minus(x, w))


def of_a_stopped_round(case, stopped, w, after, models, estimates):
    """The same where clients with a 1 take one local step: of those that are taken."""
    G = gradient(averaged(case.clients), w)
    kept = [k for k in range(case.n) if not stopped[k]]
    rest = [k for k in range(case.n) if stopped[k]]
    steps, count = [(k, s) for k in kept for s in range(case.K)], case.n * case.K
    taken = [*steps, *((k, 0) for k in rest)]

    def at(k, s):
        return gradient(case.clients[k], models[k][s])

    return {
        "X_f": dot(G, minus(after, w)),
        "Dw_2": far(after, w),
        "V_g": sum((value(case.clients[k], w) - lowest(case.clients[k]) for k in kept), F(0))
        / case.n,
        "X_g": sum((dot(G, masked(case.mask, at(k, s))) for k, s in steps), F(0)) / count,
        "X_b": sum((dot(G, masked(case.mask, at(k, 0))) for k in rest), F(0)) / case.n,
        "X_ge": sum((dot(G, estimates[k][s]) for k, s in steps), F(0)) / count,
        "X_be": sum((dot(G, estimates[k][0]) for k in rest), F(0)) / case.n,
        "g_g": sum((dot(at(k, s), at(k, s)) for k, s in steps), F(0)) / count,
        "g_b": sum((dot(at(k, 0), at(k, 0)) for k in rest), F(0)) / case.n,
        "est_g": sum((dot(estimates[k][s], estimates[k][s]) for k, s in taken), F(0)) / count,
        "drift_g": sum((far(models[k][s], w) for k, s in taken), F(0)) / count,
    }


def of_a_start(case, w):
    """What is measured of a model at the start of a round."""
    f = averaged(case.clients)
    G = gradient(f, w)
    return {
        "f": value(f, w) - lowest(f),
        "G_f": dot(G, G),
        "M_f": dot(masked(case.mask, G), G),
        "V_m": sum(value(one, w) - lowest(one) for one in case.clients) / case.n,
    }


ROUND = ("X_f", "X_own", "X_est", "X_mask", "est_m", "Dw_2", "drift")
START = ("f", "G_f", "M_f", "V_m")
STEP = ("V_k", "g_k2", "mg_k2", "est_2", "bias_2")


# ---- means over every outcome


def every(law, count):
    """Outcomes of that many independent numbers, with their chances."""
    for row in product(law, repeat=count):
        yield prod((p for _, p in row), start=F(1)), [x for x, _ in row]


def filled(mask, numbers):
    """A direction, or the noise that it meets: numbers where the mask keeps, else 0."""
    kept = iter(numbers)
    return [F(next(kept)) if one else F(0) for one in mask]


def draws(case, steps):
    """Directions and noise of every client and step, with their chances.

    Noise off the mask changes no estimate: it is left out.
    """
    u, clients = sum(case.mask), case.n if case.own else 1
    signs = ((case.noise, F(1, 2)), (-case.noise, F(1, 2))) if case.noise else ((F(0), F(1)),)

    def cut(numbers):
        rows = [filled(case.mask, numbers[i * u : (i + 1) * u]) for i in range(len(numbers) // u)]
        return [rows[i * steps : (i + 1) * steps] for i in range(len(rows) // steps)]

    for p, numbers in every(FIVE, u * steps * clients):
        zs = cut(numbers) if case.own else cut(numbers) * case.n
        for q, noise in every(signs, u * steps * case.n):
            yield p * q, zs, cut(noise)


@dataclass(frozen=True)
class Listed:
    """Means of one round by every outcome of the law on five points."""

    case: Case

    def numbers(self):
        """Those of round 0, and of the start of round 1."""
        case, w = self.case, list(self.case.start)
        total = dict.fromkeys(ROUND + START, F(0))
        for p, zs, noises in draws(case, case.K):
            after, models, estimates = one_round(
                case.clients, w, zs, noises, case.epsilon, case.eta
            )
            found = of_a_round(case, w, after, models, estimates) | of_a_start(case, after)
            for name, x in found.items():
                total[name] += p * x
        return {name: total[name] for name in ROUND} | {
            name: (of_a_start(case, w)[name], total[name]) for name in START
        }

    def stopped(self, stopped):
        """Those of round 0, where clients with a 1 take one local step."""
        case, w, total = self.case, list(self.case.start), {}
        for p, zs, noises in draws(case, case.K):
            # a client's own path, of which the stopped ones go one step
            _, models, estimates = one_round(
                case.clients, w, zs, noises, case.epsilon, case.eta
            )  # fmt: skip
            after = mean(
                [path[1 if one else -1] for path, one in zip(models, stopped, strict=True)]
            )
            found = of_a_stopped_round(case, stopped, w, after, models, estimates)
            for name, x in found.items():
                total[name] = total.get(name, F(0)) + p * x
        return total

    def of_steps(self, count):
        """Those of every client's local step ``count - 1``, and of its start; w is not sent."""
        case, total = self.case, {}
        for k in range(case.n):
            alone = Case((case.clients[k],), case.start, case.mask, case.eta, case.epsilon,
                         count, 1, case.noise)  # fmt: skip
            own = dict.fromkeys(STEP, F(0))
            for p, (zs,), (noises,) in draws(alone, count):
                client = case.clients[k]
                path, sent = local_steps(
                    client, list(case.start), zs, noises, case.epsilon, case.eta
                )
                g = gradient(client, path[-2])
                kept = masked(case.mask, g)
                estimated = times(sent[-1], zs[-1])
                given = self._estimate_given(client, path[-2])
                own["V_k"] += p * (value(client, path[-2]) - lowest(client))
                own["g_k2"] += p * dot(g, g)
                own["mg_k2"] += p * dot(kept, kept)
                own["est_2"] += p * dot(estimated, estimated)
                own["bias_2"] += p * dot(minus(given, kept), minus(given, kept))
            total[k] = own
        return total

    def _estimate_given(self, client, w):
        """Its mean over the direction and the noise, at a point."""
        case, total = self.case, [F(0)] * self.case.d
        one = Case((client,), tuple(w), case.mask, case.eta, case.epsilon, 1, 1, case.noise)
        for p, (zs,), (noises,) in draws(one, 1):
            g = projected(noisy(client, noises[0]), w, zs[0], case.epsilon)
            total = plus(total, times(p * g, zs[0]))
        return total


# ---- means by Isserlis' formula


@dataclass(frozen=True)
class Closed:
    """E of all products of w and of the models y_1, ..., y_n, followed step by step.

    The two-point difference of a quadratic is exact: the estimate is z z'v with v = H y + h + noise.
    """

    case: Case

    def _diagonal(self):
        case = self.case
        return [[F(int(i == j and case.mask[i])) for j in range(case.d)] for i in range(case.d)]

    def start(self):
        """Means, and E of outer products, of w ("w") and of the models (0, ..., n - 1)."""
        w, names = list(self.case.start), ["w", *range(self.case.n)]
        return {a: w for a in names}, {(a, b): outer(w, w) for a in names for b in names}

    def slope(self, k, means):
        """E v_k."""
        return gradient(self.case.clients[k], means[k])

    def with_slope(self, a, k, means, products):
        """E a v_k^T of a, that is w or a model: noise is independent of it, of mean 0."""
        H, h = self.case.clients[k]
        return add(matmul(products[a, k], turned(H)), outer(means[a], h))

    def slopes(self, j, k, means, products, exact=False):
        """E v_j v_k^T; noise of two clients is independent. Exact: of gradients, without noise."""
        H, h = self.case.clients[j]
        found = add(matmul(H, self.with_slope(j, k, means, products)),
                    outer(h, self.slope(k, means)))  # fmt: skip
        own = self.case.noise**2 if j == k and not exact else F(0)
        return add(
            found, [[own * int(a == b) for b in range(self.case.d)] for a in range(self.case.d)]
        )

    def estimates(self, j, k, means, products):
        """E of est_j est_k^T."""
        P, A = self._diagonal(), self.slopes(j, k, means, products)
        if j != k and self.case.own:
            return matmul(matmul(P, A), P)
        both = matmul(matmul(P, add(A, turned(A))), P)
        return add(both, scaled(trace(matmul(P, A)), P))

    def stepped(self, means, products):
        """After one local step of every client."""
        case, P, eta = self.case, self._diagonal(), self.case.eta
        every = range(case.n)
        new = {"w": means["w"]}
        new |= {k: minus(means[k], times(eta, apply(P, self.slope(k, means)))) for k in every}
        found = {("w", "w"): products["w", "w"]}
        for k in every:
            moved = matmul(self.with_slope("w", k, means, products), P)
            found["w", k] = add(products["w", k], scaled(-eta, moved))
            found[k, "w"] = turned(found["w", k])
            for j in every:
                one = matmul(self.with_slope(j, k, means, products), P)
                other = turned(matmul(self.with_slope(k, j, means, products), P))
                found[j, k] = add(
                    products[j, k], scaled(-eta, one), scaled(-eta, other),
                    scaled(eta**2, self.estimates(j, k, means, products)),
                )  # fmt: skip
        return new, found

    def sent(self, means, products):
        """After the server's mean."""
        n, every = self.case.n, range(self.case.n)
        w = mean([means[k] for k in every])
        M = scaled(F(1, n * n), add(*(products[j, k] for j in every for k in every)))
        names = ["w", *every]
        return {a: w for a in names}, {(a, b): M for a in names for b in names}

    # ---- what is measured

    def expected(self, client, w, M):
        """E f(w) of a quadratic."""
        H, h = client
        return trace(matmul(H, M)) / 2 + dot(h, w)

    def squared(self, client, w, M):
        """E grad grad^T of a quadratic."""
        H, h = client
        Hw = apply(H, w)
        return add(matmul(matmul(H, M), turned(H)), outer(Hw, h), outer(h, Hw), outer(h, h))

    def of_start(self, means, products):
        case, w, M = self.case, means["w"], products["w", "w"]
        f = averaged(case.clients)
        gaps = [self.expected(one, w, M) - lowest(one) for one in case.clients]
        return {
            "f": self.expected(f, w, M) - lowest(f),
            "G_f": trace(self.squared(f, w, M)),
            "M_f": trace(matmul(self._diagonal(), self.squared(f, w, M))),
            "V_m": sum(gaps) / case.n,
        }

    def rounds(self, count):
        """Of every round; of starts, of the one after the last too."""
        case, P, every = self.case, self._diagonal(), range(self.case.n)
        H, h = averaged(case.clients)
        state, found = self.start(), {name: [] for name in ROUND + START}
        for _ in range(count):
            for name, x in self.of_start(*state).items():
                found[name].append(x)
            w, M = state[0]["w"], state[1]["w", "w"]
            own = dict.fromkeys(ROUND, F(0))
            for _ in range(case.K):
                for k in every:
                    # E <H w + h, P v_k>; noise has mean 0, so that the gradient in place of the
                    # estimate is no other number
                    with_w = matmul(H, self.with_slope("w", k, *state))
                    both = add(with_w, outer(h, self.slope(k, state[0])))
                    own["X_est"] += trace(matmul(P, both)) / (case.n * case.K)
                    own["est_m"] += trace(self.estimates(k, k, *state)) / (case.n * case.K)
                    products = state[1]  # E of w w' is not moved by local steps
                    apart = trace(products[k, k]) - 2 * trace(products["w", k]) + trace(M)
                    own["drift"] += apart / (case.n * case.K)
                state = self.stepped(*state)
            own["X_mask"] = own["X_est"]
            means, products = state
            for k in every:
                Hk, hk = case.clients[k]
                moved = add(products["w", k], scaled(-1, M))
                own["X_own"] += (
                    trace(matmul(Hk, moved)) + dot(hk, minus(means[k], w))
                ) / case.n  # fmt: skip
                own["X_f"] += (trace(matmul(H, moved)) + dot(h, minus(means[k], w))) / case.n
                own["Dw_2"] -= 2 * trace(products["w", k]) / case.n
            state = self.sent(*state)
            own["Dw_2"] += trace(state[1]["w", "w"]) + trace(M)
            for name, x in own.items():
                found[name].append(x)
        for name, x in self.of_start(*state).items():
            found[name].append(x)
        return found

    def steps(self, count):
        """Of every client's local step, which are not sent; of starts, of one more."""
        case, P, state = self.case, self._diagonal(), self.start()
        found = {name: [[] for _ in range(case.n)] for name in STEP}
        for t in range(count + 1):
            for k, client in enumerate(case.clients):
                squares = self.squared(client, state[0][k], state[1][k, k])
                own = {
                    "V_k": self.expected(client, state[0][k], state[1][k, k]) - lowest(client),
                    "g_k2": trace(squares),
                    "mg_k2": trace(matmul(P, squares)),
                }
                if t < count:
                    own["est_2"] = trace(self.estimates(k, k, *state))
                    own["bias_2"] = F(0)  # E z z'v = P v: a quadratic's difference is exact
                for name, x in own.items():
                    found[name][k].append(x)
            state = self.stepped(*state)
        return found
