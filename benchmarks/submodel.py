"""Speed of sub-model training: Bernoulli-masked local SGD on quadratics that share everything."""

import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from threadpoolctl import threadpool_limits

from fedbounds.algorithms import sub_models
from fedbounds.problems import Noise, NoiseLaw, federated_quadratic
from fedbounds.verify.measure.clients import Clients
from fedbounds.verify.measure.random import Random
from fedbounds.verify.measure.samples import CHUNK
from fedbounds.verify.measure.sources import Source

from .workloads import Row, Workload

MASKED = Workload("n = K = 10, d = 100", 1024, 10, 10, 10, 100, 5)
KEEP = 0.5


def client_steps_per_second(work: Workload, workers: int) -> float:
    """Local steps of all clients per second, draws included, in chunks of replicas."""
    n, d = work.clients, work.dimension
    noise = Noise(NoiseLaw.GAUSSIAN, 0.1, 0.0)
    problem = Clients(
        federated_quadratic(
            clients=n, shared_dimension=d, personal_dimension=0, dissimilarity=1.0, noise=noise
        )
    )
    eta = 1.0 / (32.0 * work.local_steps)
    p = {"keep": [KEEP] * n, "K": work.local_steps, "eta": eta}

    def one(chunk: int) -> None:
        rng, w = np.random.default_rng([0, chunk]), np.ones((CHUNK, d))

        def answer(source: Source) -> np.ndarray:
            return source.sample(rng, CHUNK).reshape(CHUNK, *source.shape)

        for _ in range(work.rounds):
            drawn = sub_models.draw(Random(answer), problem, p)
            noisy = sub_models.noisy(problem, drawn["noise"])
            own = sub_models.local(noisy, drawn["masks"], eta, work.local_steps, problem.spread(w))
            w = sub_models.server(problem, p, w, drawn["masks"], own[-1])

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
