"""Simulation: the same numbers on every array library, for any number of threads, in any chunks."""

import numpy as np
import pytest

from fedbounds.algorithms.fedavg_p import with_effective_step
from fedbounds.algorithms.scaffold_p import ScaffoldP
from fedbounds.problems import Noise, NoiseLaw, Start, coupled_cosine, federated_quadratic
from fedbounds.verify.simulate import CHUNK, simulate

NOISE = Noise(NoiseLaw.GAUSSIAN, 0.2, 0.1)
START = Start(np.ones(2), np.ones((4, 2)))
PLAIN = with_effective_step(2, 3, 1 / 64, 1.5, 1.5)
PROBLEMS = {
    "quadratic": federated_quadratic(
        clients=4, shared_dimension=2, personal_dimension=2, coupling=0.2, noise=NOISE
    ),
    "cosine": coupled_cosine(clients=4, shared_dimension=2, personal_dimension=2, noise=NOISE),
}


def series(problem, algorithm, chunks=range(2), **options):
    """Quantities of all replicas of some chunks, shape (replicas, T + 1) each."""
    found = list(
        simulate(problem, algorithm, START, 3, chunks, seed=1, key=2, reduce=lambda s: s, **options)
    )
    return {name: np.concatenate([part[name] for part in found]) for name in found[0]}


@pytest.mark.parametrize("family", PROBLEMS)
@pytest.mark.parametrize(
    "algorithm", [PLAIN, ScaffoldP(**vars(PLAIN))], ids=["FedAvg-P", "Scaffold-P"]
)
@pytest.mark.parametrize("virtual", [True, False])
def test_every_array_library_sees_the_same_run(xp, family, algorithm, virtual):
    ours = series(PROBLEMS[family], algorithm, range(1), virtual=virtual, xp=xp)
    reference = series(PROBLEMS[family], algorithm, range(1), virtual=virtual)
    assert ours.keys() == reference.keys()
    for name, values in reference.items():
        np.testing.assert_allclose(ours[name], values, rtol=1e-10, atol=1e-14)


def test_threads_change_nothing():
    one, two = (series(PROBLEMS["quadratic"], PLAIN, workers=w) for w in (1, 2))
    for name, values in one.items():
        np.testing.assert_array_equal(values, two[name])


def test_later_chunks_continue_the_same_streams():
    whole = series(PROBLEMS["quadratic"], PLAIN, range(2))
    later = series(PROBLEMS["quadratic"], PLAIN, range(1, 2))
    for name, values in whole.items():
        np.testing.assert_array_equal(values[CHUNK:], later[name])


def test_chunks_and_rounds_draw_anew():
    found = series(PROBLEMS["quadratic"], PLAIN)["G_u"]
    assert len(np.unique(found[:, 1])) > CHUNK  # not the same draws in both chunks
    assert not np.allclose(found[:, 1] - found[:, 0], found[:, 2] - found[:, 1])


def test_without_virtual_iterates_only_boundary_quantities_are_seen():
    assert series(PROBLEMS["quadratic"], PLAIN, virtual=False).keys() == {"f", "G_u", "G_v", "B"}


@pytest.mark.gpu
def test_cupy_sees_the_same_run():
    import cupy

    for problem in PROBLEMS.values():
        ours, reference = series(problem, PLAIN, xp=cupy), series(problem, PLAIN)
        for name, values in reference.items():
            np.testing.assert_allclose(ours[name], values, rtol=1e-10, atol=1e-14)
