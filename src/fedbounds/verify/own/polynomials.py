"""Exact second moments of an own algorithm over many rounds, where its step is affine in the state.

That it is affine is not assumed: ``step`` is run on unknowns, polynomials in the entries of the
state that can be added and multiplied and refuse everything else, comparisons and tests for
equality among them. What comes back has degree one, or the moments are not known.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from flint import Ordering, fmpq, fmpq_mat, fmpq_mpoly_ctx

from fedbounds.errors import FedboundsError
from fedbounds.problems.linear import rational

from ..measure.clients import Clients
from .algorithm import Algorithm, State, called, draws_of, started, stepped
from .draws import Draws
from .known import problem_of
from .quantities import OfState, all_of, of_round
from .setup import OwnRun

Array = Any
MOST_ENTRIES = 24  # of the state
MOST_WORK = 400_000  # outcomes x entries^3


class NotAffineError(Exception):
    """Why second moments are not known; never shown as an error."""


class Unknown:
    """A polynomial that can be added, multiplied and divided by numbers, and nothing else.

    A bare polynomial would answer ``x == 0`` with no, and so take one branch where there are two.
    """

    def __init__(self, polynomial: Any) -> None:
        self.polynomial = polynomial

    def __add__(self, other: Any) -> "Unknown":
        return Unknown(self.polynomial + _bare(other))

    def __sub__(self, other: Any) -> "Unknown":
        return Unknown(self.polynomial - _bare(other))

    def __rsub__(self, other: Any) -> "Unknown":
        return Unknown(_bare(other) - self.polynomial)

    def __mul__(self, other: Any) -> "Unknown":
        return Unknown(self.polynomial * _bare(other))

    __radd__, __rmul__ = __add__, __mul__

    def __truediv__(self, other: Any) -> "Unknown":
        return Unknown(self.polynomial * (1 / rational(_number(other))))

    def __neg__(self) -> "Unknown":
        return Unknown(-self.polynomial)

    def __pos__(self) -> "Unknown":
        return self

    def __pow__(self, power: int) -> "Unknown":
        return Unknown(self.polynomial**power)

    def __eq__(self, other: object) -> bool:
        raise NotAffineError("the step asks whether entries of the state are equal")

    def __bool__(self) -> bool:
        raise NotAffineError("the step asks whether an entry of the state is zero")


def _bare(value: Any) -> Any:
    return value.polynomial if isinstance(value, Unknown) else _number(value)


def _number(value: Any) -> Any:
    """A rational or whole number; floats are not mixed with unknowns."""
    if isinstance(value, fmpq):
        return value
    if isinstance(value, int | np.integer):
        return int(value)
    raise NotAffineError(f"the step mixes the state with {type(value).__name__}")


def moments(run: OwnRun, algorithm: Algorithm, own: Mapping[str, OfState]) -> dict[str, Array]:
    """Expectations of all quantities that are quadratic in the state, over rounds, exactly.

    Raises
    ------
    NotAffineError
        If the step is not affine in the state, is different in every round, or is too large.
    """
    problem = Clients(problem_of(run))
    begun = started(algorithm, problem, run.start)
    variables = _Variables(begun)
    state = variables.state
    measured = _quadratic(variables, problem, all_of(problem, own), state)
    p = run.parameters()
    draws = draws_of(algorithm, problem, p, exact=True)
    count, size = len(draws.chances), variables.size
    if count * size**3 > MOST_WORK:
        raise NotAffineError(f"{count} outcomes and {size} numbers of state are too many")
    maps, within = _of_every_outcome(variables, algorithm, problem, p, draws)
    if p.asked_round:
        raise NotAffineError("the step depends on the round")
    point = [fmpq(1), *variables.flat(begun)]
    second = fmpq_mat(size, 1, point) * fmpq_mat(1, size, point)
    boundary: dict[str, list[fmpq]] = {name: [] for name in measured}
    inside: dict[str, list[fmpq]] = {name: [] for name in within}
    for at in range(run.rounds + 1):
        for name, form in measured.items():
            boundary[name].append(_inner(form, second))
        if at == run.rounds:
            break
        for name, form in within.items():
            inside[name].append(_inner(form, second))
        second = _sum(maps, second, draws.chances)
    return {name: _array(values) for name, values in (boundary | inside).items()}


class _Variables:
    """One polynomial variable for every entry of a state with one row."""

    def __init__(self, state: State) -> None:
        self.shapes = {name: values.shape for name, values in state.items()}
        entries = sum(values.size for values in state.values())
        if entries > MOST_ENTRIES:
            raise NotAffineError(f"{entries} numbers of state; at most {MOST_ENTRIES}")
        self.size = entries + 1
        names = [f"z{i}" for i in range(entries)]
        self.context = fmpq_mpoly_ctx.get(names, Ordering.lex)
        self.state = self._shaped([Unknown(x) for x in self.context.gens()])

    def _shaped(self, flat: list[Any]) -> State:
        found, at = {}, 0
        for name, shape in self.shapes.items():
            own = np.empty(int(np.prod(shape)), dtype=object)
            for i in range(own.size):
                own[i] = flat[at + i]
            found[name] = own.reshape(shape)
            at += own.size
        return found

    def flat(self, state: State) -> list[Any]:
        """Entries in the order of the variables."""
        return [x for name in self.shapes for x in state[name].reshape(-1).tolist()]

    def terms(self, value: Any) -> dict[tuple[int, ...], fmpq]:
        """Exponents of the variables, each with its coefficient."""
        if isinstance(value, Unknown):
            every = value.polynomial.to_dict().items()
            return {tuple(int(e) for e in powers): factor for powers, factor in every}
        return {(0,) * (self.size - 1): rational(value)}

    def line(self, value: Any) -> list[fmpq]:
        """Coefficients (1, z) of an affine polynomial."""
        row = [fmpq(0)] * self.size
        for powers, factor in self.terms(value).items():
            if sum(powers) > 1:
                raise NotAffineError("the step is not affine in the state")
            row[1 + powers.index(1) if sum(powers) else 0] = factor
        return row

    def form(self, value: Any) -> fmpq_mat:
        """Symmetric matrix of a polynomial of degree two in (1, z)."""
        matrix = fmpq_mat(self.size, self.size)
        for powers, factor in self.terms(value).items():
            at = [i + 1 for i, power in enumerate(powers) for _ in range(power)]
            if len(at) > 2:
                raise NotAffineError("not quadratic in the state")
            i, j = [0] * (2 - len(at)) + at
            matrix[i, j] += factor / 2
            matrix[j, i] += factor / 2
        return matrix


def _quadratic(
    variables: _Variables, problem: Clients, measured: Mapping[str, OfState], state: State
) -> dict[str, fmpq_mat]:
    """Matrices of the quantities that are quadratic; the others are left out."""
    found = {}
    for name, function in measured.items():
        try:
            (value,) = called(function, problem, state).tolist()
            found[name] = variables.form(value)
        except (FedboundsError, NotAffineError):
            continue
    return found


def _of_every_outcome(
    variables: _Variables, algorithm: Algorithm, problem: Clients, p: Any, draws: Draws
) -> tuple[list[fmpq_mat], dict[str, fmpq_mat]]:
    """The affine map of every outcome, and the expected quantities of a round."""
    rows = len(draws.chances)
    before = {name: np.concatenate([x] * rows) for name, x in variables.state.items()}
    try:
        after = stepped(algorithm, problem, p, before, draws.drawn)
        inside = of_round(before, after)
    except FedboundsError as error:
        raise NotAffineError(str(error)) from error
    maps = []
    first = [fmpq(1)] + [fmpq(0)] * (variables.size - 1)
    for row in range(rows):
        own = variables.flat({name: values[row : row + 1] for name, values in after.items()})
        lines = [first, *(variables.line(value) for value in own)]
        maps.append(fmpq_mat(variables.size, variables.size, [x for line in lines for x in line]))
    forms = {}
    for name, values in inside.items():
        total = fmpq_mat(variables.size, variables.size)
        for chance, value in zip(draws.chances, values.tolist(), strict=True):
            total += variables.form(value) * chance
        forms[name] = total
    return maps, forms


def _sum(maps: list[fmpq_mat], second: fmpq_mat, chances: list[fmpq]) -> fmpq_mat:
    total = second * 0
    for one, chance in zip(maps, chances, strict=True):
        total += one * second * one.transpose() * chance
    return total


def _inner(form: fmpq_mat, second: fmpq_mat) -> fmpq:
    """E q(z) from the matrix of q and the moments of (1, z)."""
    pairs = zip(form.entries(), second.entries(), strict=True)
    return sum((a * b for a, b in pairs if a), fmpq(0))


def _array(values: list[fmpq]) -> Array:
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return found
