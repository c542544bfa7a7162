"""Simulation: the same numbers on every array library, for any number of threads, in any chunks."""

import numpy as np
import pytest

from fedbounds.algorithms.fedavg_p import with_effective_step
from fedbounds.algorithms.scaffold_p import ScaffoldP
from fedbounds.problems import Noise, NoiseLaw, Start, coupled_cosine, federated_quadratic
from fedbounds.verify.indexed import INDEXED
from fedbounds.verify.moments import exact_moments
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


def series(problem, algorithm, chunks=range(2), start=START, **options):
    """Quantities of all replicas of some chunks, shape (replicas, T + 1) each."""
    found = list(
        simulate(problem, algorithm, start, 3, chunks, seed=1, key=2, reduce=lambda s: s, **options)
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


@pytest.mark.parametrize(
    "algorithm", [PLAIN, ScaffoldP(**vars(PLAIN))], ids=["FedAvg-P", "Scaffold-P"]
)
def test_means_are_the_exact_expectations_within_sampling_error(algorithm):
    """Every quantity that replicas have, 4096 of them, five standard errors."""
    problem = federated_quadratic(
        clients=3, shared_dimension=1, personal_dimension=1, coupling=0.2, noise=NOISE
    )
    start = Start(np.ones(1), np.ones((3, 1)))
    seen = series(problem, algorithm, range(32), start=start)
    moments = exact_moments(problem, algorithm, start, 3)
    exact, rounding = moments.series, moments.errors
    of_a_mean = {"M_u", "M_v"}  # no single replica has them
    assert set(exact) - set(seen) <= INDEXED | of_a_mean
    for name, values in seen.items():
        last = 4 if name in ("f", "G_u", "G_v", "B") else 3
        error = values[:, :last].std(axis=0, ddof=1) / np.sqrt(len(values))
        off = abs(values[:, :last].mean(axis=0) - exact[name][:last])
        allowed = 5 * error + rounding[name][:last] + 1e-12 * abs(values[:, :last]).max()
        assert (off <= allowed).all(), name
        assert np.isnan(values[:, last:]).all(), name


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
