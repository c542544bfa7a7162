"""A network of two layers, neuron by neuron and sample by sample, on lists of any numbers.

W is a list of rows w_r, a client is (samples, targets), and ``root`` is the square root of m, which
is a fraction or a float. Nothing here knows the package.
"""


def dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


def output(W, signs, x, root):
    total = 0
    for w, a in zip(W, signs, strict=True):
        if dot(w, x) >= 0:
            total += a * dot(w, x)
    return total / root


def loss(W, signs, client, root):
    return sum((output(W, signs, x, root) - y) ** 2 for x, y in zip(*client, strict=True)) / 2


def slope(W, signs, client, root):
    """(48), as a list of rows."""
    found = []
    for w, a in zip(W, signs, strict=True):
        row = [0 * x for x in w]
        for x, y in zip(*client, strict=True):
            if dot(w, x) >= 0:
                missed = output(W, signs, x, root) - y
                row = [g + a * missed * entry / root for g, entry in zip(row, x, strict=True)]
        found.append(row)
    return found


def moved(W, V, signs, x, root):
    """The entry of J(W) V of a sample."""
    kept = [a * dot(v, x) for w, v, a in zip(W, V, signs, strict=True) if dot(w, x) >= 0]
    return sum(kept) / root


def kernel(W, own, x, other):
    """The entry of H of x at W and of another sample at another model."""
    both = [dot(w, x) >= 0 and dot(v, other) >= 0 for w, v in zip(W, own, strict=True)]
    return dot(x, other) * sum(both) / len(W)
