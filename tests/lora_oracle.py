"""LoRA-FedZO, one client after another, on lists: W = W_0 + (alpha/rho) B A of a quadratic of W.

A pair is (B, A), both lists of rows. A client is (H, h) for f(w) = w'Hw/2 + h'w, with w the rows of
W one after another. Nothing here knows the package.
"""

from zeroth_order_oracle import dot, gradient, matmul, turned, value


def flat(matrix):
    return [x for row in matrix for x in row]


def rows_of(entries, columns):
    return [entries[i : i + columns] for i in range(0, len(entries), columns)]


def pair_of(entries, C, p, rank):
    return rows_of(entries[: C * rank], rank), rows_of(entries[C * rank :], p)


def entries_of(pair):
    return flat(pair[0]) + flat(pair[1])


def matrix(fixed, pair, alpha):
    """W."""
    B, A = pair
    rank = len(A)
    return [
        [w + alpha * x / rank for w, x in zip(row, own, strict=True)]
        for row, own in zip(fixed, matmul(B, A), strict=True)
    ]


def loss(client, fixed, pair, alpha):
    return value(client, flat(matrix(fixed, pair, alpha)))


def slopes(client, fixed, pair, alpha):
    """By the chain rule, entry by entry of B and of A."""
    B, A = pair
    rank, p = len(A), len(A[0])
    G = rows_of(gradient(client, flat(matrix(fixed, pair, alpha))), p)
    of_B = [[alpha * dot(row, a) / rank for a in A] for row in G]
    of_A = [[alpha * dot(b, column) / rank for column in turned(G)] for b in turned(B)]
    return of_B, of_A


def moved(pair, by, times):
    return tuple(
        [[x + times * y for x, y in zip(a, b, strict=True)] for a, b in zip(M, N, strict=True)]
        for M, N in zip(pair, by, strict=True)
    )


def a_round(clients, fixed, pair, alpha, directions, epsilon, eta):
    """Directions (z_B, z_A) of every client and step; the server averages B and A entry by entry."""
    reached, sent = [], []
    for client, own in zip(clients, directions, strict=True):
        here, scalars = pair, []
        for z in own:
            above = loss(client, fixed, moved(here, z, epsilon), alpha)
            below = loss(client, fixed, moved(here, z, -epsilon), alpha)
            g = (above - below) / (2 * epsilon)
            here = moved(here, z, -eta * g)
            scalars.append(g)
        reached.append(here)
        sent.append(scalars)
    count = len(clients)
    summed = [sum(own) / count for own in zip(*map(entries_of, reached), strict=True)]
    return summed, sent
