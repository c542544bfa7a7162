"""The workloads of the speed targets, and what is measured on each."""

import resource
import subprocess
import sys
import time
from dataclasses import dataclass

import numpy as np

from fedbounds.algorithms import personal_averaging, personal_scaffold
from fedbounds.algorithms.fedavg_p import FedAvgP, with_effective_step
from fedbounds.algorithms.scaffold_p import ScaffoldP
from fedbounds.algorithms.traced import Algorithm
from fedbounds.problems import Noise, NoiseLaw, Start, federated_quadratic
from fedbounds.theory.proof.vectors import sq
from fedbounds.theory.setups import Shown
from fedbounds.theory.symbols import VectorSymbol
from fedbounds.verify.affine import driver_of, read_off
from fedbounds.verify.measure.clients import Clients
from fedbounds.verify.measure.driven import drive
from fedbounds.verify.measure.driven_run import DrivenRun
from fedbounds.verify.measure.subject import Subject
from fedbounds.verify.measure.twins import form_of
from fedbounds.verify.memory import Means
from fedbounds.verify.moments import advance, exact_moments, initial_moment, quantities
from fedbounds.verify.simulate import CHUNK, simulate


@dataclass(frozen=True)
class Workload:
    """Sizes of a FedAvg-P run on federated quadratics with Gaussian noise."""

    name: str
    replicas: int
    clients: int
    participants: int
    local_steps: int
    dimension: int
    rounds: int


# rounds are fewer than a study would run: speed per round is what is measured
SMALL = Workload("S", 256, 10, 3, 5, 10, 100)
MEDIUM = Workload("M", 2048, 10, 5, 10, 20, 20)
LARGE = Workload("L", 256, 100, 10, 10, 100, 5)
MANY = Workload("M, 100,000 replicas", 100_096, 10, 5, 10, 20, 2)


@dataclass(frozen=True)
class Row:
    """One line of the table; ``limit`` is the value the project promises."""

    name: str
    value: float
    unit: str
    limit: str = ""


def set_up(work: Workload):
    """Problem, algorithm and start of a workload."""
    problem = federated_quadratic(
        clients=work.clients,
        shared_dimension=work.dimension,
        personal_dimension=work.dimension,
        dissimilarity=1.0,
        noise=Noise(NoiseLaw.GAUSSIAN, 0.1, 0.1),
    )
    outer = (work.participants**0.5, (work.clients / work.participants) ** 0.5)
    step = 1.0 / (32.0 * work.local_steps)
    algorithm = with_effective_step(work.participants, work.local_steps, step, *outer)
    start = Start(np.ones(work.dimension), np.ones((work.clients, work.dimension)))
    return problem, algorithm, start


def client_steps_per_second(work: Workload, workers: int, virtual: bool) -> float:
    """Local steps of participants per second, every round's metrics included."""
    problem, algorithm, start = set_up(work)
    began = time.perf_counter()
    for _ in simulate(
        problem,
        algorithm,
        start,
        work.rounds,
        range(work.replicas // CHUNK),
        seed=0,
        key=0,
        reduce=lambda series: {k: v.sum(axis=0) for k, v in series.items()},
        workers=workers,
        virtual=virtual,
    ):
        pass
    steps = work.replicas * work.rounds * work.participants * work.local_steps
    return steps / (time.perf_counter() - began)


def moments_per_round(work: Workload, kind: type = FedAvgP) -> tuple[float, float]:
    """Seconds of preparation, and seconds per round, of exact expectations."""
    problem, algorithm, start = set_up(work)
    algorithm = kind(**vars(algorithm))
    began = time.perf_counter()
    driver = driver_of(problem, algorithm, Means)
    found = read_off(driver)
    prepared = time.perf_counter() - began
    moment = initial_moment(driver, problem, start)
    began, rounds = time.perf_counter(), 50
    for _ in range(rounds):
        moment = advance(found, moment)
        quantities(found, moment)
    return prepared, (time.perf_counter() - began) / rounds


def driven_per_round(work: Workload, traced: Algorithm) -> tuple[float, float]:
    """The same by driving a traced step; a round has bounds of its rounding in it."""
    problem, algorithm, start = set_up(work)
    values = {
        "cohort": work.participants,
        "K": work.local_steps,
        "gamma_u": algorithm.inner_step_u,
        "gamma_v": algorithm.inner_step_v,
        "eta_u": algorithm.outer_step_u,
        "eta_v": algorithm.outer_step_v,
    }
    shown = Shown(
        {"S": ("present",), "xi": ("xi_u", "xi_v")}, {"i": "", "k": ""},
        {"u": (), "v": ("i",), **dict.fromkeys(("uh", "vh", "hu", "hv"), ("i", "k"))},
    )  # fmt: skip
    u, v, uh, vh, hu, hv = (VectorSymbol(x, x) for x in ("u", "v", "uh", "vh", "hu", "hv"))
    seen = [sq(uh - u), sq(vh - v), sq(hu), sq(hv)]
    point = np.concatenate([start.u, start.v.reshape(-1)])
    one = Subject(traced, Clients(problem.centred()), point, values, 50, shown)
    form_of(one)  # once for all subjects of a kind
    began = time.perf_counter()
    run = DrivenRun(one, drive(one))
    products = [run.space.product(node, {}) for node in seen]
    prepared = time.perf_counter() - began
    began = time.perf_counter()
    every = [run.series(products), *map(run.errors.of_product, products)]
    assert all(np.isfinite(x).all() for x in every)
    return prepared, (time.perf_counter() - began) / one.rounds


def ten_thousand_rounds() -> float:
    """Largest relative change of a stationary run between rounds 5,000 and 10,000."""
    problem, algorithm, start = set_up(SMALL)
    series = exact_moments(problem, algorithm, start, 10_000, frozenset({"G_u"})).series["G_u"]
    return float(abs(series[10_000] / series[5_000] - 1.0))


def own_peak() -> float:
    """Peak resident MiB of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0


def peak_memory(work: Workload) -> float:
    """Peak resident MiB of a fresh process that runs the workload."""
    code = (
        "from benchmarks.workloads import Workload, client_steps_per_second, own_peak; "
        f"client_steps_per_second({work!r}, 2, False); print(own_peak())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return float(done.stdout.split()[-1])


def start_up(*arguments: str) -> float:
    """Seconds of a command of the command line, best of three."""
    code = f"from fedbounds.verify.command_line import main; main({list(arguments)!r})"

    def once() -> float:
        began = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
        return time.perf_counter() - began

    return min(once() for _ in range(3))


def rows() -> list[Row]:
    """Every line of the table."""
    found = []
    for work in (SMALL, MEDIUM, LARGE):
        for workers in (1, 2):
            speed = client_steps_per_second(work, workers, virtual=False) / 1e6
            limit = ">= 2" if work is MEDIUM and workers == 2 else ""
            name = f"FedAvg-P {work.name}, participants, {workers} thread{'s' * (workers > 1)}"
            found.append(Row(name, speed, "M client steps/s", limit))
    virtual = client_steps_per_second(MEDIUM, 2, virtual=True) / 1e6
    found.append(Row("FedAvg-P M, all clients and all quantities", virtual, "M client steps/s"))
    prepared, each = moments_per_round(MEDIUM)
    found.append(Row("exact moments M, preparation", prepared * 1e3, "ms"))
    found.append(Row("exact moments M, per round", each * 1e3, "ms", "<= 10"))
    prepared, each = moments_per_round(MEDIUM, ScaffoldP)
    found.append(Row("exact moments M, Scaffold-P, preparation", prepared * 1e3, "ms"))
    found.append(Row("exact moments M, Scaffold-P, per round", each * 1e3, "ms", "<= 100"))
    for traced in (personal_averaging.ROUNDS, personal_scaffold.ROUNDS):
        prepared, each = driven_per_round(MEDIUM, traced)
        name = f"driven moments M, {traced.name}"
        found.append(Row(f"{name}, preparation", prepared * 1e3, "ms"))
        found.append(Row(f"{name}, per round", each * 1e3, "ms"))
    found.append(Row("exact moments S, drift over 5,000 rounds", ten_thousand_rounds(), "relative"))
    found.append(Row("FedAvg-P M, 100,000 replicas, peak", peak_memory(MANY), "MiB", "<= 2048"))
    found.append(Row("fedbounds --help", start_up("--help"), "s", "<= 0.3"))
    found.append(Row("fedbounds list", start_up("list"), "s", "<= 1"))
    return found
