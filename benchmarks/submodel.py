"""Speed of sub-model training: Bernoulli-masked local SGD on quadratics that share everything."""

import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from threadpoolctl import threadpool_limits

from fedbounds.algorithms import random_masks
from fedbounds.algorithms.random_masks import RandomMasks
from fedbounds.problems import Noise, NoiseLaw, Start, federated_quadratic
from fedbounds.verify.simulate import CHUNK, stream

from .workloads import Row, Workload

MASKED = Workload("n = K = 10, d = 100", 1024, 10, 10, 10, 100, 5)
KEEP = 0.5


def client_steps_per_second(work: Workload, workers: int) -> float:
    """Local steps of all clients per second, draws included, in chunks of replicas."""
    n, d = work.clients, work.dimension
    noise = Noise(NoiseLaw.GAUSSIAN, 0.1, 0.0)
    problem = federated_quadratic(
        clients=n, shared_dimension=d, personal_dimension=0, dissimilarity=1.0, noise=noise
    )
    algorithm = RandomMasks([KEEP] * n, work.local_steps, 1.0 / (32.0 * work.local_steps))
    start = Start(np.ones(d), np.zeros((n, 0)))

    def one(chunk: int) -> None:
        rng = stream(0, 0, chunk)
        carry = random_masks.init(problem, algorithm, start, CHUNK)
        for _ in range(work.rounds):
            drawn = random_masks.draw(problem, algorithm, rng, CHUNK)
            carry = random_masks.step(problem, algorithm, carry, drawn)

    began = time.perf_counter()
    with threadpool_limits(1, "blas"), ThreadPoolExecutor(workers) as pool:
        list(pool.map(one, range(work.replicas // CHUNK)))
    steps = work.replicas * work.rounds * n * work.local_steps
    return steps / (time.perf_counter() - began)


def rows() -> list[Row]:
    """The lines of the table."""
    found = []
    for workers in (1, 2):
        speed = client_steps_per_second(MASKED, workers) / 1e6
        name = f"random masks {MASKED.name}, {workers} thread{'s' * (workers > 1)}"
        found.append(Row(name, speed, "M client steps/s", ">= 0.5" if workers == 2 else ""))
    return found
