"""f(W; x) = m^(-1/2) sum_r a_r max(w_r'x, 0): two layers, of which the first is trained.

This is (27) of "On the Convergence of Federated Averaging under Partial Participation for
Over-parameterized Neural Networks" (Liu, Li, Zhan, Pan, Ma, Ding, Pan). What is trained is W, flat,
row by row: m d_in entries; of neurons that stand for several equal ones, W times the root of how
many these are, so that slopes and distances are those of all. A client's loss is half of its sum of
squares (2), and its gradient is (48), where max(s, 0) has the derivative 1{s >= 0}, at its kink
too.

Given in rationals, all is exact if m is a square, and else in balls. A sign that a ball does not
decide is refused, never guessed.
"""

from dataclasses import dataclass
from math import isqrt, sqrt
from typing import Any

import array_api_compat
import numpy as np
from flint import fmpq

from fedbounds.errors import require
from fedbounds.facts import Fact

from .cohort import Cohort, products_by_client
from .common_model import all_through, mean_move
from .constants import Constants, Evidence, not_known
from .indicators import indicators, is_exact_array, numbers
from .neural_kernels import expected_extremes, gram, least_eigenvalue, of_samples
from .noise import SILENT
from .problem import Start
from .shown import Shown

Array = Any
_MOST = 32  # samples of which eigenvalues are found
_KNOWN = {
    Fact.BOUNDED_BELOW: "half of a sum of squares",
    **dict.fromkeys(
        (Fact.NOISE, Fact.NOISELESS, Fact.UNBIASED, Fact.BOUNDED_VARIANCE, Fact.INDEPENDENT),
        "no noise",
    ),
}
# where some sample is not 0
_UNBOUNDED = "along t W with f(W; x) not 0, W'grad is t times a positive number, and a constant"
_JUMPS = "the gradient jumps where w_r'x = 0, as another neuron keeps f(W; x) away from y"
_BENT = "where w_r'x = 0, a neuron of the other sign makes f(W; x) - y such that the slope falls"


@dataclass(frozen=True, eq=False, repr=False)
class ReluNetwork(Shown):
    """Networks of n clients, each with n_c samples of its own.

    Attributes
    ----------
    features : array, shape (n, n_c, d_in)
        x_j of every client, as rows.
    targets : array, shape (n, n_c)
        y_j.
    signs : array, shape (rows,)
        a_r, 1 or -1, which are not trained.
    copies : int
        So many equal neurons are one row, the square of a whole number; they stay equal.

    Raises
    ------
    FedboundsError
        If the shapes do not fit together, there is no neuron, a sign is another number, or the
        copies are no square.
    """

    features: Array
    targets: Array
    signs: Array
    copies: int = 1

    personal_dimension = 0
    noise = SILENT

    def __post_init__(self) -> None:
        shape, given = tuple(self.features.shape), tuple(self.targets.shape)
        fits = len(shape) == 3 and 0 not in shape
        require(fits, "shape of the features", shape, "(n, n_c, d_in)")
        require(given == shape[:2], "shape of the targets", given, f"{shape[:2]}")
        width = tuple(self.signs.shape)
        require(len(width) == 1 and width[0] >= 1, "shape of the signs", width, "(m,), m >= 1")
        xp = array_api_compat.array_namespace(self.signs)
        wrong = int(self.signs[xp.abs(self.signs) != 1].shape[0])
        require(wrong == 0, "number of signs a_r other than 1 and -1", wrong, "0")
        square = self.copies >= 1 and isqrt(self.copies) ** 2 == self.copies
        require(square, "copies of a neuron", self.copies, "the square of 1, 2, ...")

    @property
    def clients(self) -> int:
        """n, which the paper calls N."""
        return int(self.features.shape[0])

    @property
    def samples(self) -> int:
        """n_c."""
        return int(self.features.shape[1])

    @property
    def inputs(self) -> int:
        """d_in."""
        return int(self.features.shape[2])

    @property
    def width(self) -> int:
        """m."""
        return self.rows * self.copies

    @property
    def rows(self) -> int:
        """Neurons that may differ from each other."""
        return int(self.signs.shape[0])

    @property
    def root(self) -> int:
        """Of how many neurons are one row."""
        return isqrt(self.copies)

    @property
    def shared_dimension(self) -> int:
        """D = m d_in, of neurons that may differ."""
        return self.rows * self.inputs

    @property
    def exact(self) -> bool:
        """Whether the data are rationals."""
        return is_exact_array(self.features) and is_exact_array(self.targets)

    @property
    def irrational(self) -> bool:
        """Whether gradients at rational points are no rationals: m is no square."""
        return self.exact and isqrt(self.width) ** 2 != self.width

    # ---- outputs, and their derivative

    def active(self, z: Array, cohort: Cohort) -> Array:
        """1{w_r'x_j >= 0} as numbers, shape (rows, n_c, m).

        Raises
        ------
        FedboundsError
            If w_r'x_j is a ball that does not tell.
        """
        xp = array_api_compat.array_namespace(z)
        return xp.permute_dims(indicators(self._products(z, cohort)), (0, 2, 1))

    def residual(self, z: Array, cohort: Cohort) -> Array:
        """Outputs minus targets of the row's client, shape (rows, n_c)."""
        products = self._products(z, cohort)
        return self._missed(products, indicators(products), cohort)

    def tangent(self, z: Array, v: Array, cohort: Cohort) -> Array:
        """J_i(z) v, shape (rows, n_c): entries m^(-1/2) sum_r a_r 1{w_r'x_j >= 0} v_r'x_j."""
        require(v.shape == z.shape, "shape of the directions", tuple(v.shape), f"{tuple(z.shape)}")
        return self._outputs(self._products(v, cohort), indicators(self._products(z, cohort)))

    def cotangent(self, z: Array, r: Array, cohort: Cohort) -> Array:
        """J_i(z)'r, shape (rows, D): blocks m^(-1/2) a_r sum_j r_j 1{w_r'x_j >= 0} x_j."""
        expected, given = (int(z.shape[0]), self.samples), tuple(r.shape)
        require(given == expected, "shape of what is pulled back", given, f"{expected}")
        return self._pulled(indicators(self._products(z, cohort)), r, cohort)

    def gradient(self, z: Array, cohort: Cohort) -> Array:
        """Rows J_i(z)'(f - y), which is (48)."""
        products = self._products(z, cohort)
        on = indicators(products)
        return self._pulled(on, self._missed(products, on, cohort), cohort)

    def value(self, z: Array, cohort: Cohort) -> Array:
        """Rows 1/2 sum_j (f - y_j)^2."""
        xp = array_api_compat.array_namespace(z)
        residual = self.residual(z, cohort)
        return xp.sum(residual * residual, axis=1) / 2

    # products w_r'x_j and indicators have shape (rows, m, n_c)

    def _products(self, z: Array, cohort: Cohort) -> Array:
        """w_r'x_j, times the root of how many are one row."""
        xp, given = array_api_compat.array_namespace(z), tuple(z.shape)
        expected = (cohort.bounds[-1], self.shared_dimension)
        require(given == expected, "shape of the models", given, f"{expected}")
        rows = xp.reshape(z, (expected[0], self.rows, self.inputs))
        return products_by_client(rows, cohort, xp.matrix_transpose(self.features))

    def _outputs(self, products: Array, on: Array) -> Array:
        """m^(-1/2) sum_r a_r of the products where neurons are active."""
        xp = array_api_compat.array_namespace(products)
        return self._shrunk(xp.sum(self._signs(products) * (on * products), axis=1))

    def _missed(self, products: Array, on: Array, cohort: Cohort) -> Array:
        """Outputs minus targets."""
        xp = array_api_compat.array_namespace(products)
        targets = xp.take(self.targets, cohort.pair // cohort.replicas, axis=0)
        return self._outputs(products, on) - targets

    def _pulled(self, on: Array, r: Array, cohort: Cohort) -> Array:
        """J'r, flat."""
        xp = array_api_compat.array_namespace(r)
        weights = self._signs(r) * (on * self._shrunk(r)[:, None, :])
        blocks = products_by_client(weights, cohort, self.features)
        return xp.reshape(blocks, (r.shape[0], self.shared_dimension))

    def _signs(self, like: Array) -> Array:
        """a_r times that root, in the number type of an array, shape (rows, 1)."""
        if is_exact_array(like):
            return numbers(self.signs > 0, self.root, -self.root)[:, None]
        xp = array_api_compat.array_namespace(self.signs)
        return xp.astype(self.signs * self.root, like.dtype)[:, None]

    def _shrunk(self, x: Array) -> Array:
        """m^(-1/2) x."""
        m, root = self.width, isqrt(self.width)
        if not is_exact_array(x):
            return x / sqrt(m)
        if root * root == m:
            return x * fmpq(1, root)
        rationals = any(isinstance(number, int | fmpq) for number in x.reshape(-1))
        require(not rationals, f"kind of numbers in a network of m = {m} neurons", "rationals",
                "balls, since m is no square")  # fmt: skip
        return x / np.sqrt(x * 0 + m)

    def averaged(self, x: Array, shares: Array, *, eta: Any, steps: int) -> tuple[Array, Array]:
        """Weighted means of where gradient steps of all clients lead from a model of all.

        A client's rows of W move along its samples: what is followed are products with these.

        Parameters
        ----------
        x : array, shape (models, D)
        shares : array, shape (models, n)
            Weights of clients, which add up to one.

        Returns
        -------
        after : array, shape (models, D)
        missed : array, shape (models, n, n_c)
            f - y at ``x``.
        """
        xp, models = array_api_compat.array_namespace(x), x.shape[0]
        weights = xp.reshape(x, (models, self.rows, self.inputs))
        samples = xp.stack([self.features] * models, axis=0)
        dots = xp.matmul(self.features, xp.matrix_transpose(self.features))
        products = all_through(samples, xp.matrix_transpose(weights))
        signs, moved, first = self._signs(x)[:, 0], products * 0, None
        for _ in range(steps):
            on = indicators(products)
            missed = self._shrunk(xp.sum(signs * (on * products), axis=3)) - self.targets
            first = missed if first is None else first
            move = signs * (on * self._shrunk(missed * eta)[..., None])
            moved, products = moved + move, products - xp.matmul(dots, move)
        after = weights - mean_move(samples, moved, shares)
        return xp.reshape(after, (models, -1)), first

    # ---- neuron by neuron

    def neurons(self, z: Array, cohort: Cohort) -> Array:
        """What all of a row add to outputs, m^(-1/2) a_r max(w_r'x_j, 0) each.

        Shape (models, n_c rows).
        """
        products = self._products(z, cohort)
        return self._by_neuron(products, indicators(products))

    def tangent_neurons(self, z: Array, v: Array, cohort: Cohort) -> Array:
        """What they add to J_i(z) v, of the same shape."""
        return self._by_neuron(self._products(v, cohort), indicators(self._products(z, cohort)))

    def near(self, z: Array, cohort: Cohort, *, radius: Any) -> Array:
        """1 where 1{w'x_j >= 0} is not the same for all w within ``radius`` of w_r.

        Those are the neurons of the complement of Q_j, (52); shape as of `neurons`.
        """
        xp, products = array_api_compat.array_namespace(z), self._products(z, cohort)
        squares = xp.sum(self.features * self.features, axis=2) * (radius * radius * self.copies)
        own = xp.take(squares, cohort.pair // cohort.replicas, axis=0)[:, None, :]
        on, beyond = indicators(products), products * products - own
        return self._by_sample(on * (1 - indicators(beyond)) + (1 - on) * indicators(-beyond))

    def distances(self, moved: Array) -> Array:
        """|v_r|^2 of each neuron's move, of moves of a model (..., D): shape (..., rows)."""
        xp = array_api_compat.array_namespace(moved)
        own = xp.reshape(moved, (*moved.shape[:-1], self.rows, self.inputs))
        found: Array = xp.sum(own * own, axis=-1) / self.copies
        return found

    def _by_neuron(self, products: Array, on: Array) -> Array:
        return self._by_sample(self._shrunk(self._signs(products) * (on * products)))

    def _by_sample(self, found: Array) -> Array:
        """From shape (rows, m, n_c)."""
        xp = array_api_compat.array_namespace(found)
        return xp.reshape(xp.permute_dims(found, (0, 2, 1)), (found.shape[0], -1))

    # ---- what is known

    def numbers(self, start: Array | None) -> dict[str, Any]:
        """m, n, what is known of samples and H^infinity; at a start the least eigenvalue of H(0).

        Of many samples there are sizes alone. The least eigenvalue of H^infinity is 0 where samples
        are parallel; else as many are positive as there are samples.
        """
        samples = self.features.reshape(-1, self.inputs)
        count = fmpq(len(samples))
        sizes = {"width": fmpq(self.width), "samples": count}
        if count > _MOST:
            return sizes
        least, largest = expected_extremes(samples)
        found: dict[str, Any] = {
            **sizes, "lam": least, "lam_max": largest, **of_samples(samples),
        }  # fmt: skip
        if least != 0:
            found["H_positive"] = count
        return found if start is None else found | {"H_min": least_eigenvalue(gram(self, start))}

    def infimum(self) -> Any:
        """Not known."""
        return None

    def constants(self, start: Start) -> Constants:
        """None is known."""
        return {}

    def satisfies(self, assumption: str) -> Evidence:
        """By the formula."""
        if assumption in _KNOWN:
            return Evidence(True, _KNOWN[Fact(assumption)])
        xp = array_api_compat.array_namespace(self.features)
        if not xp.any(self.features != 0):  # losses are constants
            return not_known(assumption)
        if assumption in (Fact.BOUNDED_GRADIENTS, Fact.GLOBAL_GRADIENT_EVERYWHERE):
            return Evidence(False, _UNBOUNDED)
        if assumption in (Fact.SMOOTH, Fact.QUADRATIC) and self.rows >= 2:
            return Evidence(False, _JUMPS)
        both = bool(xp.any(self.signs > 0) and xp.any(self.signs < 0))
        if assumption in (Fact.CONVEX, Fact.STRONGLY_CONVEX) and both:
            return Evidence(False, _BENT)
        return not_known(assumption)
