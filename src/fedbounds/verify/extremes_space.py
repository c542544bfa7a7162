"""Where the tightest instances are sought: shapes, and the box of numbers behind each of them.

A point of the box [0, 1]^d and a shape make an instance whose minimiser is the origin (every
quadratic with a stationary point is one of these after a translation). Step sizes come from the
part's own conditions: coordinate 0 is the largest admissible gamma, the smallest admissible outer
step, a silent noise, no slope.
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from enum import StrEnum
from itertools import product
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.algorithms.fedavg_p import FedAvgP, with_effective_step
from fedbounds.algorithms.scaffold_p import ScaffoldP
from fedbounds.problems import FederatedQuadratic, Noise, NoiseLaw, Start, to_float
from fedbounds.problems.linear import rational
from fedbounds.theory.claims import Claim, Part
from fedbounds.vocabulary import Assumption, Method

from .conditions import failure
from .evaluate import Numbers
from .extremes_steps import names_in, rounded, simple, step_sizes
from .indexed import INDEXED, REMEMBERED
from .instance import ALGORITHM_NAMES, Instance

Array = Any
KINDS: tuple[type[FedAvgP], ...] = (FedAvgP, ScaffoldP)
_CLIENTS = ((1, 1), (2, 1), (2, 2), (3, 1), (3, 2), (3, 3), (4, 1), (4, 3), (6, 1), (6, 6))
_LOCAL_STEPS = (1, 2, 3, 6)
_ROUNDS = (1, 2, 3, 6, 12, 30, 100)
_MOST_WORK = 200_000  # state size^3 x rounds^2 x steps: an exact run in about a tenth of a second
_MOST_CLIENTS = max(n for n, _ in _CLIENTS)
_SHAPE_SYMBOLS = {"n", "m", "K", "T", "d_u", "d_v"}
_FULL_BITS = 24  # sums of such numbers have no rounding in float64


class Form(StrEnum):
    """Curvature of the clients."""

    ALIKE = "shared curvature"  # bounded dissimilarity
    OWN = "own curvature"  # and coupled blocks
    CONCAVE = "concave"


@dataclass(frozen=True)
class Shape:
    """Everything discrete about an instance; a block has one coordinate, or is absent."""

    kind: type[FedAvgP]
    clients: int
    participants: int
    local_steps: int
    rounds: int
    shared: bool
    personal: bool
    form: Form

    @property
    def counts(self) -> dict[str, Any]:
        """Its numbers by symbol name."""
        return {
            "n": self.clients,
            "m": self.participants,
            "K": self.local_steps,
            "T": self.rounds,
            "d_u": int(self.shared),
            "d_v": int(self.personal),
        }


def work(shape: Shape, named: frozenset[str]) -> int:
    """What an exact run costs that measures the named quantities, counted."""
    n, size = shape.clients, 2 + shape.clients
    if shape.kind is ScaffoldP:
        size = 3 + 2 * n
        if named & INDEXED:
            size = 3 + 3 * n * (1 + shape.local_steps)
        elif named & REMEMBERED:
            size = 3 + 4 * n
    return int(size**3 * shape.rounds**2 * shape.local_steps)


def shapes(claim: Claim, part: Part, named: frozenset[str]) -> list[Shape]:
    """Every shape that the part's conditions and assumptions admit, the cheapest first."""
    forms = [Form.ALIKE]
    if Assumption.DISSIMILARITY not in part.assumptions:
        forms.append(Form.OWN)
        if Assumption.BOUNDED_BELOW not in part.assumptions:
            forms.append(Form.CONCAVE)
    kinds = [
        kind
        for kind in KINDS
        if ALGORITHM_NAMES[kind] in ((part.algorithm,) if part.algorithm else claim.algorithms)
    ]
    blocks = ((True, True), (True, False), (False, True))
    found = [
        Shape(kind, n, m, steps, rounds, *block, form)
        for kind, (n, m), steps, rounds, block, form in product(
            kinds, _CLIENTS, _LOCAL_STEPS, _ROUNDS, blocks, forms
        )
        if rounds > part.first_round
    ]
    fixed = [c for c in part.conditions if names_in(c) <= _SHAPE_SYMBOLS]
    return sorted(
        (
            shape
            for shape in found
            if work(shape, named) <= _MOST_WORK
            and all(failure(c, Numbers(shape.counts, {})) is None for c in fixed)
        ),
        key=lambda shape: work(shape, named),
    )


# coordinates of the box: eight of the whole instance, then five for every client
GAMMA, ETA_U, ETA_V, NOISE_U, NOISE_V, SLOPE, START, SCALE = range(8)
_SHARED_CURVATURE, _PERSONAL_CURVATURE, _COUPLING, _OWN_SLOPE, _OWN_START = range(5)
_OWN = 5
DIMENSION = SCALE + 1 + _OWN * _MOST_CLIENTS


def active(shape: Shape) -> list[int]:
    """The coordinates that matter to a shape."""
    return list(range(SCALE + 1 + _OWN * shape.clients))


def instance_at(part: Part, shape: Shape, point: Array, bits: int = _FULL_BITS) -> Instance | None:
    """The rational instance of a point; None if the part's conditions leave no step sizes.

    ``bits``: its numbers are rounded to so many significant binary digits. Step sizes obey the
    conditions exactly; a gamma that a condition fixes at an irrational number is none.
    """
    n, own = shape.clients, point[SCALE + 1 :].reshape(_MOST_CLIENTS, _OWN)[: shape.clients]
    top = 4.0 ** (2.0 * point[SCALE] - 1.0)
    a, d = (top * 100.0 ** -own[:, j] for j in (_SHARED_CURVATURE, _PERSONAL_CURVATURE))
    if shape.form is Form.ALIKE:
        a = np.full(n, a[0])
    sign = -1.0 if shape.form is Form.CONCAVE else 1.0
    coupling = np.zeros(n)
    if shape.form is not Form.ALIKE and shape.shared and shape.personal:
        # below one, so that rounding keeps the Hessians definite
        coupling = 0.98 * (2.0 * own[:, _COUPLING] - 1.0) * np.sqrt(a * d)
    hessian, linear = np.zeros((n, 2, 2)), np.zeros((n, 2))
    hessian[:, 0, 0], hessian[:, 1, 1] = sign * a, sign * d
    hessian[:, 0, 1] = hessian[:, 1, 0] = coupling
    linear[:, 0] = _size(point[SLOPE]) * (2.0 * own[:, _OWN_SLOPE] - 1.0)
    kept = [j for j, present in enumerate((shape.shared, shape.personal)) if present]
    slopes = simple(linear, bits)
    slopes[-1, 0] -= slopes[:, 0].sum()  # the minimiser is the origin, in floats too
    scales = (
        rational(rounded(_size(point[j]), bits)) if present else fmpq(0)
        for j, present in ((NOISE_U, shape.shared), (NOISE_V, shape.personal))
    )
    problem = FederatedQuadratic(
        simple(hessian, bits)[np.ix_(range(n), kept, kept)],
        slopes[:, kept],
        int(shape.shared),
        Noise(NoiseLaw.RADEMACHER, *scales),
    )
    size = _size(point[START])
    offsets = 2.0 * own[:, _OWN_START : _OWN_START + 1] - 1.0
    start = Start(
        u=simple(np.full(int(shape.shared), size), bits),
        v=simple(size * offsets[:, : int(shape.personal)], bits),
    )
    known: dict[str, Any] = {
        k.value: rational(c.value) for k, c in problem.constants(start).items()
    }
    known |= {name: fmpq(value) for name, value in shape.counts.items()}
    outer = 16.0 ** point[ETA_U], 16.0 ** point[ETA_V]
    steps = step_sizes(part, known, (1000.0 ** -point[GAMMA], *outer), bits)
    if steps is None:
        return None
    found = with_effective_step(shape.participants, shape.local_steps, *steps)
    algorithm = shape.kind(**{field.name: getattr(found, field.name) for field in fields(found)})
    name = f"search, n={n} m={shape.participants} K={shape.local_steps} T={shape.rounds}"
    return Instance(name, problem, algorithm, shape.rounds, Method.RATIONAL, start)


def in_floats(instance: Instance) -> Instance:
    """The same instance, to be measured in float64."""
    assert instance.start is not None
    return Instance(
        instance.name,
        to_float(instance.problem),
        to_float(instance.algorithm),
        instance.rounds,
        Method.MOMENTS,
        to_float(instance.start),
    )


def _size(coordinate: float) -> float:
    """Zero at the edge, else between 1/100 and 100."""
    return 0.0 if coordinate == 0 else float(10.0 ** (4.0 * coordinate - 2.0))


def corners_first(every: list[Shape], rng: np.random.Generator) -> Iterator[Shape]:
    """All shapes in a random order that shows each single value of each field early."""
    order = [every[int(i)] for i in rng.permutation(len(every))]
    seen: set[tuple[str, Any]] = set()
    late = []
    for shape in order:
        new = set(_corners(shape)) - seen
        if new:
            seen |= new
            yield shape
        else:
            late.append(shape)
    yield from late


def _corners(shape: Shape) -> Iterator[tuple[str, Any]]:
    for field in fields(shape):
        yield field.name, getattr(shape, field.name)
    if shape.participants == shape.clients:
        yield "everyone", shape.clients > 1
