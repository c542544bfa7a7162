"""Deep linear networks and FedAvg on them, as their paper defines them: matrices as lists of rows.

Of fractions, or of anything that is added and multiplied. vec stacks columns; numbers in
parentheses are the paper's. W^1 is the first of a list of layers, ``[0]``.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise, product

import numpy as np

# ---- matrices


def matmul(A, B):
    """A B."""
    return [[dot(row, column) for column in zip(*B, strict=True)] for row in A]


def dot(v, w):
    return sum(a * b for a, b in zip(v, w, strict=True))


def turned(A):
    return [list(column) for column in zip(*A, strict=True)]


def scaled(c, A):
    return [[c * a for a in row] for row in A]


def added(*every):
    return [
        [sum(entries) for entries in zip(*rows, strict=True)] for rows in zip(*every, strict=True)
    ]


def identity(size):
    return [[int(i == j) for j in range(size)] for i in range(size)]


def vec(A):
    """Columns, one below the other."""
    return [a for column in zip(*A, strict=True) for a in column]


def applied(A, v):
    return [dot(row, v) for row in A]


def kron(A, B):
    """Entry by entry: a_ij times b_kl at (i rows(B) + k, j columns(B) + l)."""
    rows, columns = len(B), len(B[0])
    return [
        [A[i // rows][j // columns] * B[i % rows][j % columns] for j in range(len(A[0]) * columns)]
        for i in range(len(A) * rows)
    ]


def beside(*every):
    """[A_1, A_2, ...]."""
    return [[a for row in rows for a in row] for rows in zip(*every, strict=True)]


def square(v):
    return dot(v, v)


def minus(v, *others):
    return [a - sum(rest) for a, *rest in zip(v, *others, strict=True)]


def solved(A, B):
    """The matrix that A, which is regular, turns into B."""
    rows = [[*map(Fraction, a), *b] for a, b in zip(A, B, strict=True)]
    for at in range(len(A)):
        pivot = next(i for i in range(at, len(A)) if rows[i][at] != 0)
        rows[at], rows[pivot] = rows[pivot], rows[at]
        rows[at] = [a / rows[at][at] for a in rows[at]]
        for i in range(len(A)):
            if i != at:
                rows[i] = [a - rows[i][at] * b for a, b in zip(rows[i], rows[at], strict=True)]
    return [row[len(A) :] for row in rows]


# ---- the network


@dataclass(frozen=True)
class Network:
    """Samples (x, y) of every client; C stands for (m^(L-1) d_out)^(-1/2)."""

    clients: list
    depth: int
    width: int
    C: object

    @property
    def d_in(self):
        return len(self.clients[0][0][0])

    @property
    def d_out(self):
        return len(self.clients[0][0][1])

    @property
    def unit(self):
        """m^(L-1) d_out."""
        return self.width ** (self.depth - 1) * self.d_out

    @property
    def everyone(self):
        return range(len(self.clients))

    def X(self, *clients):
        """Columns of the samples of these clients."""
        return turned([x for c in clients for x, _ in self.clients[c]])

    def Y(self, *clients):
        return turned([y for c in clients for _, y in self.clients[c]])

    def layers(self, flat):
        """W^1, ..., W^L of a flat model: one after the other, row by row."""
        sizes = [self.d_in, *[self.width] * (self.depth - 1), self.d_out]
        left = list(flat)
        return [
            [[left.pop(0) for _ in range(columns)] for _ in range(rows)]
            for columns, rows in pairwise(sizes)
        ]

    def chain(self, W, j, i):
        """W^{j:i} = W^j ... W^i; the identity for j < i."""
        found = identity(self.d_in if i == 1 else len(W[i - 2]))
        for at in range(i, j + 1):
            found = matmul(W[at - 1], found)
        return found

    def outputs(self, W, *clients):
        """U of (6)."""
        return scaled(self.C, matmul(self.chain(W, self.depth, 1), self.X(*clients)))

    def sample_output(self, W, x):
        """f(W; x) of (5): layer by layer, unit by unit."""
        for layer in W:
            x = [dot(row, x) for row in layer]
        return [self.C * a for a in x]

    def xi(self, W, *clients):
        """vec(U - Y)."""
        return vec(added(self.outputs(W, *clients), scaled(-1, self.Y(*clients))))

    def loss(self, W, c):
        """(2), sample by sample."""
        return sum(square(minus(self.sample_output(W, x), y)) for x, y in self.clients[c]) / 2

    def gradient(self, W, c):
        """(7), of every layer."""
        apart = added(self.outputs(W, c), scaled(-1, self.Y(c)))
        return [
            scaled(
                self.C,
                matmul(
                    matmul(turned(self.chain(W, self.depth, i + 1)), apart),
                    turned(matmul(self.chain(W, i - 1, 1), self.X(c))),
                ),
            )
            for i in range(1, self.depth + 1)
        ]

    def higher(self, W, V, least):
        """Products of L factors, of which at least so many are of V and the others of W; summed."""
        found = [[0] * self.d_in for _ in range(self.d_out)]
        for count in range(least, self.depth + 1):
            for chosen in combinations(range(self.depth), count):
                mixed = [V[i] if i in chosen else W[i] for i in range(self.depth)]
                found = added(found, self.chain(mixed, self.depth, 1))
        return found

    def first(self, W, V, *clients):
        """C sum_i W^{L:i+1} V^i W^{i-1:1} X, as a vector: J(W) V."""
        every = [
            matmul(matmul(self.chain(W, self.depth, i + 1), V[i - 1]), self.chain(W, i - 1, 1))
            for i in range(1, self.depth + 1)
        ]
        return vec(scaled(self.C, matmul(added(*every), self.X(*clients))))

    def nearest_fit(self, W):
        """Of one layer, all that misses no sample and is nearest to W: rows move along samples."""
        X, wanted = self.X(*self.everyone), scaled(1 / self.C, self.Y(*self.everyone))
        missed = added(wanted, scaled(-1, matmul(W[0], X)))
        along = turned(solved(matmul(turned(X), X), turned(missed)))
        return [added(W[0], matmul(along, turned(X)))]

    def gram(self, W, Wkc, c=None):
        """(14), of a global model and a local one of client c; (13), (16) where they are the same.

        Without a client, of all samples.
        """
        columns = self.everyone if c is None else (c,)
        every = []
        for i in range(1, self.depth + 1):
            left = matmul(self.chain(W, i - 1, 1), self.X(*self.everyone))
            right = matmul(self.chain(Wkc, i - 1, 1), self.X(*columns))
            after = matmul(
                self.chain(W, self.depth, i + 1), turned(self.chain(Wkc, self.depth, i + 1))
            )
            every.append(kron(matmul(turned(left), right), after))
        return scaled(Fraction(1, self.unit), added(*every))


def jacobian(network, flat, *clients):
    """J(W), from differences: outputs are affine in every single entry."""
    here = vec(network.outputs(network.layers(flat), *clients))
    columns = []
    for at in range(len(flat)):
        moved = [x + int(i == at) for i, x in enumerate(flat)]
        columns.append(minus(vec(network.outputs(network.layers(moved), *clients)), here))
    return turned(columns)


# ---- FedAvg under partial participation


def local_models(network, W, c, eta, K):
    """(3): W_{0,c}, ..., W_{K,c}."""
    path = [W]
    for _ in range(K):
        steps = zip(path[-1], network.gradient(path[-1], c), strict=True)
        path.append([added(own, scaled(-eta, slope)) for own, slope in steps])
    return path


def one_round(network, W0, W, present, eta, K):
    """W(t+1), and what the theory's quantities are in a round of the clients S_t."""
    L, everyone, share = network.depth, network.everyone, Fraction(1, len(present))
    paths = [local_models(network, W, c, eta, K) for c in everyone]
    after = [scaled(share, added(*(paths[c][K][i] for c in present))) for i in range(L)]  # (4)
    G = [
        scaled(
            share,
            added(*(network.gradient(paths[c][k], c)[i] for c in present for k in range(K))),
        )
        for i in range(L)
    ]
    step = [scaled(-eta, own) for own in G]
    E = network.higher(W, step, 2)
    higher = vec(scaled(network.C, matmul(E, network.X(*everyone))))
    xi, later = network.xi(W, *everyone), network.xi(after, *everyone)
    own = [[network.xi(at, c) for at in paths[c]] for c in everyone]
    first = network.first(W, step, *everyone)

    def summed(gram, apart):
        """eta/|S| sum_k P^S(k) v^S(k), where P^S has the blocks of the clients in S_t beside."""
        total = [0] * len(xi)
        for k in range(K):
            blocks = beside(*(gram(k, c) for c in present))
            both = applied(blocks, [a for c in present for a in apart(k, c)])
            total = [a + eta * share * b for a, b in zip(total, both, strict=True)]
        return total

    now = {(k, c): network.gram(W, paths[c][k], c) for k in range(K) for c in present}
    at_start = {c: network.gram(W0, W0, c) for c in present}
    by_gram = summed(lambda k, c: now[k, c], lambda k, c: own[c][k])
    # (18): the hat has no columns but those of S_t, so that it is applied to xi of S_t
    term_1 = minus(xi, summed(lambda k, c: at_start[c], lambda k, c: own[c][0]))
    term_2 = summed(lambda k, c: added(at_start[c], scaled(-1, now[k, c])), lambda k, c: own[c][k])
    term_3 = summed(lambda k, c: at_start[c], lambda k, c: minus(own[c][0], own[c][k]))
    away = [added(a, b, scaled(-1, c)) for a, b, c in zip(W, step, after, strict=True)]
    found = {
        **of_model(network, W0, W),
        "S_size": Fraction(len(present)),
        "miss_7": [[along(network, W, own[c][0], c)] for c in everyone],
        "miss_7m": [[along_move(network, W, step, own[c][0], c)] for c in everyone],
        "miss_8": sum(square(vec(x)) for x in away),
        "miss_10": square(minus(later, xi, first, higher)),
        "miss_11": square([a + b for a, b in zip(first, by_gram, strict=True)]),
        "miss_17": square(minus([a + b for a, b in zip(later, by_gram, strict=True)], xi, higher)),
        "miss_18": square(minus(later, term_1, term_2, term_3, higher)),
        "miss_18a": square(minus(later, term_1, term_3, higher)),
        **{f"term_{i}q": square(term) for i, term in
           enumerate((term_1, term_2, term_3, higher), 1)},
        "G_l2": [[square(vec(x))] for x in G],
        "xi_k2": [[square(x) for x in steps] for steps in own],
        "step_k2": [[square(minus(b, a)) for a, b in pairwise(steps)] for steps in own],
        "move_k2": [[square(minus(x, steps[0])) for x in steps] for steps in own],
    }  # fmt: skip
    if L == 1:
        star = network.nearest_fit(W0)
        found["near_k2"] = [[distance(at, star) for at in paths[c][:-1]] for c in everyone]
    return after, found


def of_model(network, W0, W):
    """What depends on the model of a round alone, and on the start."""
    found = {
        "R_2": square(network.xi(W, *network.everyone)),
        "R_mean": square(network.xi(W, *network.everyone)) / len(network.clients),
        "far_l2": [[distance([a], [b])] for a, b in zip(W, W0, strict=True)],
    }
    if network.depth == 1:
        found["far_2"] = distance(W, network.nearest_fit(W0))
    return found


def along(network, W, xi, c):
    """<xi_c, J_c W> - <grad L_c, W>."""
    slopes = zip(network.gradient(W, c), W, strict=True)
    return dot(xi, network.first(W, W, c)) - sum(dot(vec(a), vec(b)) for a, b in slopes)


def along_move(network, W, step, xi, c):
    """The same along a round's move."""
    slopes = zip(network.gradient(W, c), step, strict=True)
    return dot(xi, network.first(W, step, c)) - sum(dot(vec(a), vec(b)) for a, b in slopes)


def spectra(network, W0, W, present, eta, K):
    """What is told of eigenvalues, in floats: by name, as the theory has it."""
    L, m, everyone = network.depth, network.width, network.everyone
    X = network.X(*everyone)
    ends = extremes(matmul(turned(X), X))
    lasts = [(L - i + 1, network.chain, (L, i), None) for i in range(2, L + 1)]
    firsts = [(i, network.chain, (i, 1), X) for i in range(1, L)]
    low, high = [], []
    moved = {"W_first": [0.0], "W_last": [0.0]}
    for power, chain, at, right in (*lasts, *firsts):
        now, then = (chain(V, *at) for V in (W, W0))
        if right is not None:
            now, then = matmul(now, right), matmul(then, right)
        gram = matmul(turned(now), now) if right is not None else matmul(now, turned(now))
        own = [x / m**power for x in extremes(gram)]
        unit = ends if right is not None else (1.0, 1.0)
        if unit[0] > 1e-12:  # else there are more samples than independent ones
            low.append(own[0] / unit[0])
        high.append(own[1] / unit[1])
        away = added(now, scaled(-1, then))
        name = "W_last" if right is None else "W_first"
        moved[name].append(extremes(matmul(turned(away), away))[1] / m**power)
    paths = [local_models(network, W, c, eta, K) for c in everyone]
    grams = []
    for k in range(K):
        apart = beside(*(
            added(network.gram(W, paths[c][k], c), scaled(-1, network.gram(W0, W0, c)))
            for c in present
        ))  # fmt: skip
        grams.append(extremes(matmul(turned(apart), apart))[1])
    return {
        "W_low": min(low, default=1.0), "W_high": max(high, default=1.0),
        **{name: max(own) for name, own in moved.items()},
        "grams_2": grams,
        "own_max": [extremes(matmul(turned(network.X(c)), network.X(c)))[1] for c in everyone],
        "own_min": [extremes(matmul(turned(network.X(c)), network.X(c)))[0] for c in everyone],
        **between(network, W0, W),
        **of_local_steps(network, W, paths),
        **of_blocks(network, W0, W, present),
    }  # fmt: skip


def norm(A):
    """||A||^2."""
    return extremes(matmul(turned(A), A))[1]


def between(network, W0, W):
    """Of W^{j:i} with 1 < i <= j < L, and what they moved, over m^(j-i+1)."""
    found = {"W_in": [], "W_in_moved": []}
    for i in range(2, network.depth):
        for j in range(i, network.depth):
            now, then = (network.chain(V, j, i) for V in (W, W0))
            unit = network.width ** (j - i + 1)
            found["W_in"].append(norm(now) / unit)
            found["W_in_moved"].append(norm(added(now, scaled(-1, then))) / unit)
    return {name: max(own) for name, own in found.items() if own}


def of_local_steps(network, W, paths):
    """(36) to (39): for every client and, but for single layers, for p = 1, ..., L - 1."""
    L, m = network.depth, network.width

    def apart(V, j, i, right=None):
        now, then = (network.chain(U, j, i) for U in (V, W))
        away = added(now, scaled(-1, then))
        return norm(away if right is None else matmul(away, right))

    found = {name: [] for name in ("D_first", "D_last", "D_inner", "D_length", "D_spread")}
    for c, path in enumerate(paths):
        least, most = extremes(matmul(turned(network.X(c)), network.X(c)))
        spread = most * float(square(network.xi(W, c)))
        for p in range(1, L):
            X = network.X(*network.everyone)
            found["D_length"].append(p)
            found["D_spread"].append(spread / least**2)
            found["D_first"].append(max(apart(V, p, 1, X) for V in path) / m**p)
            found["D_last"].append(max(apart(V, L, L - p + 1) for V in path) / m**p)
            ends = [(i + p - 1, i) for i in range(2, L) if i + p - 1 < L]
            every = [apart(V, *at) for V in path for at in ends]
            found["D_inner"].append(max(every, default=0.0) / m**p)
    layers = [[max(apart(V, i, i) for i in range(1, L + 1)) for V in path] for path in paths]
    named = {name: own for name, own in found.items() if (2 if name == "D_inner" else 1) < L}
    return named | {"D_layer2": layers}


def of_blocks(network, W0, W, present):
    """(16), entry by entry: columns, and rows of blocks as they are printed."""
    whole = network.gram(W, W)
    columns = beside(*(network.gram(W, W, c) for c in network.everyone))
    rows = [row for c in network.everyone for row in printed_block(network, W, c)]
    chosen = beside(*(network.gram(W0, W0, c) for c in present))
    low, high = extremes(matmul(turned(chosen), chosen))
    return {
        "miss_16": float(square(vec(added(columns, scaled(-1, whole))))),
        "miss_16t": float(square(vec(added(rows, scaled(-1, whole))))),
        "P_S_low": low,
        "P_S_high": high,
    }


def printed_block(network, W, c):
    """(16) with its further transpose, on the first factor."""
    every = []
    for i in range(1, network.depth + 1):
        before, after = network.chain(W, i - 1, 1), network.chain(W, network.depth, i + 1)
        left, right = (matmul(before, network.X(*own)) for own in (network.everyone, (c,)))
        every.append(kron(turned(matmul(turned(left), right)), matmul(after, turned(after))))
    return scaled(Fraction(1, network.unit), added(*every))


def extremes(A):
    """The least and the largest eigenvalue of a symmetric matrix, in floats."""
    values = np.linalg.eigvalsh(np.array([[float(a) for a in row] for row in A]))
    return float(values[0]), float(values[-1])


def distance(W, V):
    """The squared distance of two models."""
    return sum(square(minus(vec(a), vec(b))) for a, b in zip(W, V, strict=True))


def rounds(network, start, sets, eta, K):
    """What the quantities are in rounds of these sets of clients, and some after the last."""
    W0 = W = network.layers(start)
    found = []
    for present in sets:
        W, numbers = one_round(network, W0, W, present, eta, K)
        found.append(numbers)
    return found, of_model(network, W0, W)


def means(network, start, m, T, eta, K):
    """The same in the mean, where every set of m clients is equally likely in each round."""
    subsets = list(combinations(network.everyone, m))
    every = [rounds(network, start, sets, eta, K) for sets in product(subsets, repeat=T)]
    share = Fraction(1, len(every))
    each = [[*run, last] for run, last in every]
    *found, last = (
        {name: _mean([run[t][name] for run in each], share) for name in each[0][t]}
        for t in range(T + 1)
    )
    return found, last


def _mean(values, share):
    if isinstance(values[0], list):
        return [_mean(list(own), share) for own in zip(*values, strict=True)]
    return share * sum(values)
