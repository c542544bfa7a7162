"""Deep linear networks in scripts: f(x) = C W_L ... W_1 x, and the numbers that they tell."""

from collections.abc import Collection, Iterator, Mapping
from math import isqrt
from typing import Any

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.setups import Objective

from .script_asserts import Table, broken
from .script_lines_of import nested

Lines = tuple[str, ...]
Sides = list[tuple[str, str]]
BEGINNING: Lines = (
    "def __init__(self, X, Y, sizes):  # samples x, y in rows: |C W_L ... W_1 x - y|^2 / 2",
    "    self.X, self.Y, self.shapes = X, Y, [*zip(sizes[1:], sizes)]",
    "    self.C = Q(1, isqrt(width ** (depth - 1) * sizes[-1]))",
    "    assert self.C**2 * width ** (depth - 1) * sizes[-1] == 1",
)
# what needs eigenvalues, or a model that misses nothing, has no script
ANSWERS: Mapping[str, Any] = {"has_spectra": lambda x: False, "has_nearest_fit": False}
METHODS: Mapping[str, Lines] = {
    "spread": (
        "def spread(self, y):",
        "    return y if y.ndim == 3 else np.stack([y] * n, axis=1)",
    ),
    "scheduled": (
        "def scheduled(self, rows, t):  # who takes part",
        "    assert rows.shape[1] == n and all({*r} <= {0, 1} and r.any() for r in rows)",
        "    return rows[t % len(rows)]",
    ),
    "outputs": (
        "@property",
        "def outputs(self):",
        "    return self.Y.shape[2]",
    ),
    "layer_sizes": (
        "@property",
        "def layer_sizes(self):",
        "    return [rows * columns for rows, columns in self.shapes]",
    ),
    "layers": (
        "def layers(self, y):  # W_1, ..., W_L, transposed",
        "    own = np.split(self.spread(y), np.cumsum(self.layer_sizes)[:-1], axis=2)",
        "    every = [w.reshape(*w.shape[:2], *s) for w, s in zip(own, self.shapes)]",
        "    return [w.swapaxes(2, 3) for w in every]",
    ),
    "flat": (
        "def flat(self, outputs):",
        "    return (self.C * outputs).reshape(*outputs.shape[:2], -1)",
    ),
    "inputs": (
        "def inputs(self, y):  # samples before each layer, and after the last one",
        "    found = [self.X]",
        "    for w in self.layers(y):",
        "        found.append(found[-1] @ w)",
        "    return found",
    ),
    "has_spectra": (
        "def has_spectra(self, x):",
        "    return False",
    ),
    "has_nearest_fit": ("has_nearest_fit = False",),
    **{
        name: (f"{name} = None",)
        for name in (
            "spectra",
            "own_extremes",
            "grams_apart",
            "gram_blocks",
            "local_changes",
            "nearest_fit",
        )
    },
    "by_crossed_gram": (
        "def by_crossed_gram(self, x, y, r):  # sum_c P(x, y_c) r_c = J(x) sum_c J_c(y_c)' r_c",
        "    return self.tangent(x, self.cotangent(y, r).sum(axis=1))",
    ),
    "residual": (
        "def residual(self, y):",
        "    return self.flat(self.inputs(y)[-1]) - self.Y.reshape(n, -1)",
    ),
    "expansion": (
        "def expansion(self, y, v):  # of outputs at y + v, terms by their degree in v",
        "    terms = [self.X]",
        "    for w, u in zip(self.layers(y), self.layers(v)):",
        "        kept, moved = [a @ w for a in terms], [a @ u for a in terms]",
        "        terms = [kept[0], *map(np.add, kept[1:], moved), moved[-1]]",
        "    return np.stack([self.flat(a) for a in terms], axis=2)",
    ),
    "tangent": (
        "def tangent(self, y, v):  # J v",
        "    return self.expansion(y, v)[:, :, 1]",
    ),
    "cotangent": (
        "def cotangent(self, y, r):  # J' r",
        "    back, found = self.C * r.reshape(*r.shape[:2], *self.Y.shape[1:]), []",
        "    for w, a in zip(self.layers(y)[::-1], self.inputs(y)[-2::-1]):",
        "        found.append((back.swapaxes(2, 3) @ a).reshape(*r.shape[:2], -1))",
        "        back = back @ w.swapaxes(2, 3)",
        "    return np.concatenate(found[::-1], axis=2)",
    ),
    "gram": (
        "@property",
        "def gram(self):  # X'X, of all samples",
        "    return self.X.reshape(-1, self.X.shape[2]) @ self.X.reshape(-1, self.X.shape[2]).T",
    ),
    "kernel": (
        "def kernel(self, x):  # J J' at x, of all samples",
        "    r = exact([np.eye(self.Y[0].size, dtype=int)] * n).swapaxes(0, 1)",
        "    J = self.cotangent(np.stack([x] * len(r)), r).reshape(-1, d)",
        "    return J @ J.T",
    ),
    "fit": (
        "@property",
        "def fit(self):  # W W' of the least W with Y = W X",
        "    Y = self.Y.reshape(-1, self.outputs)",
        "    return Y.T @ np.stack([solve(self.gram, y) for y in Y.T], axis=1)",
    ),
    "products": (
        "def products(self, x):  # A A' of W_L ... W_i, B' B of W_i ... W_1 X, over powers of m",
        "    W = [w[0, 0].T for w in self.layers(x[None])]",
        "    A, B = np.eye(self.outputs, dtype=int), self.X.reshape(-1, self.X.shape[2]).T",
        "    for i in range(1, len(self.shapes)):",
        "        A, B = A @ W[-i], W[i - 1] @ B",
        "        yield A @ A.T / width**i, B.T @ B / width**i",
    ),
}
COMPUTED = {
    "depth": "Q(depth)",
    "width": "Q(width)",
    "d_out": "Q(problem.outputs)",
}
# what numbers are called, and lines that say whether they are that: {} is == of exact ones
_NUMBERS: Mapping[str, tuple[str, str]] = {
    "rank": ("rank of X'X", "assert rank_of(problem.gram) {} rank"),
    "s_min2": ("least eigenvalue of X'X", "assert against(problem.gram, s_min2) {} 0"),
    "s_max2": ("largest eigenvalue of X'X", "assert against(-problem.gram, -s_max2) {flipped} 0"),
    "w_star2": ("||W||^2 of the least W with Y = W X",
                "assert against(-problem.fit, -w_star2) {flipped} 0"),
    "R_0": ("||residual||^2 at the start",
            "assert (problem.residual(start[None]) ** 2).sum() {} R_0"),
    "X_F2": ("||X||_F^2", "assert (X**2).sum() {} X_F2"),
    "P_min": ("least eigenvalue of J J' at the start",
              "assert against(problem.kernel(start), P_min) {} 0"),
    "P_max": ("largest eigenvalue of J J' at the start",
              "assert against(-problem.kernel(start), -P_max) {flipped} 0"),
}  # fmt: skip
# of products of layers: what they are compared with, and from where that must be known
_OF_PRODUCTS: Mapping[str, tuple[str, str, str, str]] = {
    "low_0": (
        "at most what squared singular values of products are", "s_min2", ">=",
        "assert all(against(A, low_0) <= 0 >= against(B, low_0 * s_min2) for A, B in products)",
    ),
    "high_0": (
        "at least what squared singular values of products are", "s_max2", "<=",
        "assert all(against(-A, -high_0) <= 0 >= against(-B, -high_0 * s_max2)"
        " for A, B in products)",
    ),
}  # fmt: skip
FLIPPED = str.maketrans("<>", "><")  # of a relation, when signs are others


def needed_of(problem: Objective, names: Collection[str]) -> Sides:
    """What the lines of these numbers ask of others: which, and on which side of the true one."""
    several = dict(problem.data)["depth"] > 1
    asked = [_OF_PRODUCTS[name] for name in names if several and name in _OF_PRODUCTS]
    return [(other, side) for _, other, side, _ in asked]


def lines_of(problem: Objective, known: Mapping[str, str]) -> Table:
    """Lines that assert what numbers are, by what they are called.

    Parameters
    ----------
    known : mapping from name to "==", "<=" or ">="
        Whether a number is exact, or is at most, or at least, the true one.
    """
    found: Table = {}
    for name, side in known.items():
        if name in _NUMBERS:
            told, line = _NUMBERS[name]
            found[told] = (line.format(side, flipped=side.translate(FLIPPED)),)
        elif name in _OF_PRODUCTS and dict(problem.data)["depth"] > 1:
            told, _, _, line = _OF_PRODUCTS[name]
            found[f"{name}: {told}"] = ("products = [*problem.products(start)]", line)
        elif name in _OF_PRODUCTS:
            found[f"{name}: one layer has no products"] = (f"assert {name} == 1 == depth",)
    return found


def made(own: Mapping[str, Any]) -> Iterator[str]:
    """The problem of a script.

    Raises
    ------
    FedboundsError
        If outputs have a root in them.
    """
    square = own["width"] ** (own["depth"] - 1) * len(own["targets"][0][0])
    if isqrt(square) ** 2 != square:
        raise FedboundsError(f"no script is written for outputs over the root of {square}")
    for name, data in (("X", "features"), ("Y", "targets")):
        yield from broken(f"{name} = exact({nested(own[data])})")
    yield f"depth, width = {own['depth']}, {own['width']}"
    inner = "kept" if "kept" in own else "width"
    if "kept" in own:
        yield f"kept = {own['kept']}  # outputs of inner layers: all others are 0, and stay so"
    yield f"sizes = [X.shape[2], *[{inner}] * (depth - 1), Y.shape[2]]"
    yield "n, d = len(X), sum(r * c for r, c in zip(sizes[1:], sizes))"
    yield "problem = Problem(X, Y, sizes)"
