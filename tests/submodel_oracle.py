"""Sub-model training one client, one step, one coordinate at a time, in fractions.

Clients hold their own models w_i = m_i o w, as in the paper's pseudo-code; `virtual_model` is the
other view of the same steps.
"""

from fractions import Fraction as F

import numpy as np
import oracles


def masked(mask, vector):
    return [x if kept else F(0) for kept, x in zip(mask, vector, strict=True)]


def local_model(objective, i, mask, eta, w, noises):
    """w_i^K from w; noises[k] is a vector."""
    own = masked(mask, w)
    for noise in noises:
        slope, _ = objective.gradient(i, own, [])
        step = [eta * (g + e) for g, e in zip(slope, noise, strict=True)]
        own = [x - s if kept else F(0) for x, s, kept in zip(own, step, mask, strict=True)]
    return own


def virtual_model(objective, i, mask, eta, w, noises):
    """y_i^K from w: gradients of f_i(m o y) with respect to y."""
    y = list(w)
    for noise in noises:
        slope, _ = objective.gradient(i, masked(mask, y), [])
        y = [y[j] - eta * kept * (slope[j] + noise[j]) for j, kept in enumerate(mask)]
    return y


def clip(box, w):
    """The nearest point of [low, high]^d; box None is the whole space."""
    return list(w) if box is None else [min(max(x, box[0]), box[1]) for x in w]


def submodel_round(objective, masks, eta, w, noise, box=None):
    """The next w of a round with these masks; noise[i][k] is a vector."""
    models = []
    for i, mask in enumerate(masks):
        own = local_model(objective, i, mask, eta, w, noise[i])
        models.append([o if kept else x for o, x, kept in zip(own, w, mask, strict=True)])
    return clip(box, [sum(column) / len(models) for column in zip(*models, strict=True)])


def holders_round(objective, masks, eta, w, noise, box=None):
    """The same where the server averages each coordinate over those who hold it."""
    models = [local_model(objective, i, m, eta, w, noise[i]) for i, m in enumerate(masks)]
    after = []
    for j, old in enumerate(w):
        held = [model[j] for model, mask in zip(models, masks, strict=True) if mask[j]]
        after.append(sum(held) / len(held) if held else old)
    return clip(box, after)


# ---- small random cases


def quarters(rng, *shape):
    """Random fractions with denominator 4."""
    return np.frompyfunc(lambda x: F(int(x), 4), 1, 1)(rng.integers(-9, 10, shape))


def random_objective(rng, n, d):
    """A quadratic of n clients that couples its coordinates; definite, so that it has a minimiser."""
    half = quarters(rng, n, d, d)
    curved = half @ half.transpose(0, 2, 1) + np.eye(d, dtype=int).astype(object)
    return oracles.Quadratic(d, curved.tolist(), quarters(rng, n, d).tolist())
