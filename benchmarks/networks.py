"""Networks as wide as experiments have them: local steps against products of matrices, and Grams.

Depth 3, width 500, 20 clients with 60 samples of 28 x 28 entries and 10 outputs, 5 local steps, 8
initialisations on 2 threads. What is counted are the products of plain steps, client by client:
forward, slopes, and backward but for samples.
"""

import time
import tracemalloc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from fedbounds.algorithms.scheduled_averaging import TRAINED
from fedbounds.problems.deep_linear import DeepLinear
from fedbounds.verify.measure.clients import Clients

from .workloads import Row

CLIENTS, STEPS, STARTS, THREADS = 20, 5, 8, 2
SQUARE = 2_000  # rows of the matrices whose product is the machine's rate


def network(clients: int, samples: int, inputs: int, width: int) -> DeepLinear:
    """Random data of ten outputs, three layers."""
    rng = np.random.default_rng(0)
    features = rng.standard_normal((clients, samples, inputs)) / inputs**0.5
    return DeepLinear(features, rng.standard_normal((clients, samples, 10)), 3, width)


def best(timed: Callable[[], object], count: int = 3) -> float:
    """Seconds of the fastest of several."""
    found = []
    for _ in range(count):
        began = time.perf_counter()
        timed()
        found.append(time.perf_counter() - began)
    return min(found)


def product_rate() -> float:
    """Operations a second of a product of two matrices, on all cores."""
    a = np.random.default_rng(0).standard_normal((SQUARE, SQUARE))
    return 2 * SQUARE**3 / best(lambda: a @ a)


def steps_rate() -> float:
    """Operations a second of a round of local steps."""
    own = network(CLIENTS, 60, 784, 500)
    problem, present = Clients(own), np.ones((1, CLIENTS))
    starts = np.random.default_rng(1).standard_normal((STARTS, own.shared_dimension))
    p = {"eta": 5e-4, "K": STEPS}

    def a_round(at: int) -> Any:
        state, drawn = {"x": starts[at : at + 1]}, {"present": present}
        return TRAINED.step(problem, p, state, drawn, lambda **_: None)["x"]

    def every() -> None:
        with threadpool_limits(1, "blas"), ThreadPoolExecutor(THREADS) as pool:
            assert all(np.isfinite(x).all() for x in pool.map(a_round, range(STARTS)))

    first, *others = own.layer_sizes
    each = 2 * own.samples * (2 * first + 3 * sum(others))
    return STARTS * CLIENTS * STEPS * each / best(every, 2)


def grams() -> list[Row]:
    """P(t) and P(t, k, c) of 64 samples: time, and memory in sizes of the result."""
    own, rng = network(8, 8, 784, 512), np.random.default_rng(2)
    x = rng.standard_normal((1, own.shared_dimension))
    ys = x[:, None, :] + rng.standard_normal((1, 8, own.shared_dimension))
    found = []
    for name, made in (
        ("P(t)", lambda: own.gram(x[0])),
        ("P(t, k, c) of all clients", lambda: own.crossed_gram(x, ys)),
    ):
        told = f"Gram {name}, n=64, 10 outputs, width 512, depth 3"
        found.append(Row(told, best(made), "s", "<= 2"))
        tracemalloc.start()
        size = made().nbytes
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        found.append(Row(f"{told}, peak", peak / size, "sizes of the result", "<= 5"))
    return found


def rows() -> list[Row]:
    pairs = [(steps_rate(), product_rate()) for _ in range(2)]
    steps, product = (max(own) for own in zip(*pairs, strict=True))
    told = f"network 784-500-500-10, n=20, K=5, {STARTS} starts"
    return [
        Row(f"product of matrices, {SQUARE} rows", product / 1e9, "G operations/s"),
        Row(f"{told}, local steps", steps / 1e9, "G operations/s"),
        Row(f"{told}, over the product's", steps / product, "", ">= 0.5"),
        *grams(),
    ]


if __name__ == "__main__":
    for row in rows():
        print(row)
