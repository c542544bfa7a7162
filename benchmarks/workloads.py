"""The workloads of the speed targets, and what is measured on each."""

import resource
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from threadpoolctl import threadpool_limits

from fedbounds.algorithms import personal_averaging, personal_scaffold
from fedbounds.algorithms.traced import Algorithm
from fedbounds.problems import Noise, NoiseLaw, federated_quadratic
from fedbounds.problems.linear import rational
from fedbounds.theory.language.registry import views
from fedbounds.theory.language.setups import Shown
from fedbounds.theory.language.symbols import VectorSymbol
from fedbounds.theory.proof.vectors import sq
from fedbounds.verify.measure.clients import Clients
from fedbounds.verify.measure.driven import drive
from fedbounds.verify.measure.driven_run import DrivenRun
from fedbounds.verify.measure.participants import slotted
from fedbounds.verify.measure.replicas import Replicas
from fedbounds.verify.measure.samples import CHUNK, patterned, replicas, stream
from fedbounds.verify.measure.subject import Subject
from fedbounds.verify.measure.twins import form_of


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
FEW = Workload("n = 3, d = 2 + 2", 0, 3, 2, 5, 2, 10_000)  # moments of all rounds are kept
MEDIUM = Workload("M", 2048, 10, 5, 10, 20, 20)
LARGE = Workload("L", 256, 100, 10, 10, 100, 5)
MANY = Workload("M, 10,000 replicas", 10_112, 10, 5, 10, 20, 2)


@dataclass(frozen=True)
class Row:
    """One line of the table; ``limit`` is the value the project promises."""

    name: str
    value: float
    unit: str
    limit: str = ""


SHOWN = Shown(
    {"S": ("present",), "xi": ("xi_u", "xi_v")}, {"i": "", "k": ""},
    {"u": (), "v": ("i",), **dict.fromkeys(("uh", "vh", "hu", "hv"), ("i", "k"))},
)  # fmt: skip


def subject_of(work: Workload, traced: Algorithm, rounds: int, shown: Shown = SHOWN) -> Subject:
    """A run of a workload, from ones."""
    problem = federated_quadratic(
        clients=work.clients,
        shared_dimension=work.dimension,
        personal_dimension=work.dimension,
        dissimilarity=1.0,
        noise=Noise(NoiseLaw.GAUSSIAN, 0.1, 0.1),
    )
    eta_u, eta_v = work.participants**0.5, (work.clients / work.participants) ** 0.5
    gamma = 1.0 / (32.0 * work.local_steps)
    values = {"cohort": work.participants, "K": work.local_steps, "eta_u": eta_u, "eta_v": eta_v}
    values |= {"gamma_u": gamma / eta_u, "gamma_v": gamma / eta_v}
    start = np.ones(work.dimension * (1 + work.clients))
    return Subject(traced, Clients(problem.centred()), start, values, rounds, shown)


def client_steps_per_second(work: Workload, workers: int, *, every: bool) -> float:
    """Local steps of participants per second: states alone, or ``every`` quantity of the theorems.

    Participants alone compute; for quantities that need more than states, all clients do besides.
    """
    view = views("personalization")["rounds of many clients"]
    traced = personal_averaging.OBSERVED if every else personal_averaging.ROUNDS
    one = subject_of(work, traced, work.rounds, view.shown if every else SHOWN)
    pattern, known = patterned(one), slotted(one)
    counts = {"n": work.clients, "m": work.participants, "T": work.rounds, "f_inf": 0}
    constants = {**one.values, **counts, "gamma": one.values["gamma_u"] * one.values["eta_u"]}
    given = {name: rational(value) for name, value in constants.items()}

    def of_chunk(number: int) -> None:
        rows = replicas(one, pattern, stream(0, 0, number), np, slotted=known)
        assert np.isfinite(rows.starts[-1].vectors["u"]).all()
        if every:
            found = Replicas(rows, given, view.quantities, view.states)
            names = [x for x in view.quantities if x not in (*_MEANS, *view.states)]
            measured = {x: found.series(x).sum(axis=0) for x in (*names, *view.states)}
            assert all(np.isfinite(x).any() for x in measured.values())

    began = time.perf_counter()
    with threadpool_limits(1, "blas"), ThreadPoolExecutor(workers) as pool:
        for _ in pool.map(of_chunk, range(work.replicas // CHUNK)):
            pass
    steps = work.replicas * work.rounds * work.participants * work.local_steps
    return steps / (time.perf_counter() - began)


_MEANS = ("M_u", "M_v")  # given the past: no replica has them


def driven_per_round(work: Workload, traced: Algorithm) -> tuple[float, float]:
    """Seconds of preparation, and per round, of moments with the bounds of their rounding."""
    u, v, uh, vh, hu, hv = (VectorSymbol(x, x) for x in ("u", "v", "uh", "vh", "hu", "hv"))
    seen = [sq(uh - u), sq(vh - v), sq(hu), sq(hv)]
    one = subject_of(work, traced, 50)
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
    one = subject_of(FEW, personal_averaging.ROUNDS, FEW.rounds)
    run = DrivenRun(one, drive(one))
    u = VectorSymbol("u", "u")
    (series,) = run.series([run.space.product(sq(u), {})])
    return float(abs(series[9_999] / series[5_000] - 1.0))


def own_peak() -> float:
    """Peak resident MiB of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0


def peak_memory(work: Workload) -> float:
    """Peak resident MiB of a fresh process that runs the workload."""
    code = (
        "from benchmarks.workloads import Workload, client_steps_per_second, own_peak; "
        f"client_steps_per_second({work!r}, 2, every=False); print(own_peak())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return float(done.stdout.split()[-1])


def start_up(*arguments: str) -> float:
    """Seconds of a command of the command line, best of three."""
    code = f"from fedbounds.verify.commands.command_line import main; main({list(arguments)!r})"

    def once() -> float:
        began = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
        return time.perf_counter() - began

    return min(once() for _ in range(3))


def rows() -> list[Row]:
    """Every line of the table."""
    # first: a process begins with the peak of the one that starts it
    peak = Row("FedAvg-P M, 10,000 replicas, peak", peak_memory(MANY), "MiB", "<= 2048")
    found = []
    for work in (SMALL, MEDIUM, LARGE):
        for workers in (1, 2):
            speed = client_steps_per_second(work, workers, every=False) / 1e6
            limit = ">= 2" if work is MEDIUM and workers == 2 else ""
            name = f"FedAvg-P {work.name}, {workers} thread{'s' * (workers > 1)}"
            found.append(Row(name, speed, "M steps of participants/s", limit))
    every = client_steps_per_second(MEDIUM, 2, every=True) / 1e6
    found.append(Row("FedAvg-P M, all quantities", every, "M steps of participants/s"))
    for traced, limit in ((personal_averaging.ROUNDS, 10), (personal_scaffold.ROUNDS, 100)):
        prepared, each = driven_per_round(MEDIUM, traced)
        name = f"driven moments M, {traced.name}"
        found.append(Row(f"{name}, preparation", prepared * 1e3, "ms"))
        found.append(Row(f"{name}, per round", each * 1e3, "ms", f"<= {limit}"))
    drift = ten_thousand_rounds()
    found.append(Row(f"driven moments {FEW.name}, drift over 5,000 rounds", drift, "relative"))
    found.append(peak)
    found.append(Row("fedbounds --help", start_up("--help"), "s", "<= 0.3"))
    found.append(Row("fedbounds list", start_up("list"), "s", "<= 1"))
    return found
