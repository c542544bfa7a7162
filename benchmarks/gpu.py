"""Replicas on the host and on a GPU, side by side: `python -m benchmarks.gpu`, with CuPy."""

import time
from typing import Any

import numpy as np

from fedbounds.algorithms import personal_averaging
from fedbounds.verify.measure.device import Device, namespace
from fedbounds.verify.measure.participants import slotted
from fedbounds.verify.measure.samples import patterned, replicas

from .workloads import LARGE, MEDIUM, SMALL, Workload, subject_of

ROUNDS = 5
COUNTS = (128, 2048, 16_384)


def speed(work: Workload, count: int, xp: Any) -> float:
    """Local steps of participants per second, in millions; best of two."""
    own = subject_of(work, personal_averaging.ROUNDS, ROUNDS)
    pattern, known, took = patterned(own), slotted(own), list[float]()
    for _ in range(2):
        began = time.perf_counter()
        replicas(own, pattern, np.random.default_rng(0), xp, count, known)  # ends on the host
        took.append(time.perf_counter() - began)
    return count * work.participants * work.local_steps * ROUNDS / min(took) / 1e6


if __name__ == "__main__":
    cupy = namespace(Device.CUDA)
    print("| workload | replicas at once | host, M client steps/s | GPU |\n|---|---:|---:|---:|")
    for work in (SMALL, MEDIUM, LARGE):
        for count in COUNTS if work is not LARGE else COUNTS[:1]:
            host, device = (speed(work, count, xp) for xp in (np, cupy))
            print(f"| {work.name} | {count:,} | {host:.3g} | {device:.3g} |", flush=True)
