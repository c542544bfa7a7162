"""A user's algorithm: three plain functions, and what is checked of them before they are believed.

``init(problem, start)`` makes the state, ``draw(random, problem, p)`` all randomness of a round,
``step(problem, p, state, drawn)`` the next state. State and draws are dicts of arrays with one row
per outcome; the model is ``state["x"]``, shape (rows, d). ``p`` has the parameters by name, and
the round as ``p["t"]``.
"""

import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import numpy as np

from fedbounds.errors import FedboundsError

from .clients import Clients
from .draws import Draws, Random, every_draw

Array = Any
State = dict[str, Array]
MODEL = "x"


@dataclass(frozen=True, eq=False)
class Algorithm:
    """An algorithm of one's own.

    Attributes
    ----------
    init : function (problem, start) -> state
        ``start`` has shape (rows, d).
    draw : function (random, problem, p) -> dict of arrays
        All randomness of a round, from ``random`` (see `Random`) alone.
    step : function (problem, p, state, drawn) -> state
        Deterministic; leaves its arguments as they are.
    name : str
        For tables.
    """

    init: Callable[[Clients, Array], State]
    draw: Callable[[Random, Clients, dict[str, Any]], dict[str, Array]]
    step: Callable[[Clients, dict[str, Any], State, dict[str, Array]], State]
    name: str = "own algorithm"


class Parameters(dict[str, Any]):
    """The parameters of a run by name; remembers whether the round was asked for."""

    asked_round = False

    def __getitem__(self, name: str) -> Any:
        """The value; an unknown name is an error that lists the known ones."""
        if name not in self:
            raise FedboundsError(
                f"the algorithm asks for p[{name!r}], which the theory does not give; add it to "
                f"`parameters` (given: {', '.join(sorted(self))})"
            )
        if name == "t":
            self.asked_round = True
        return super().__getitem__(name)


def place(function: Callable[..., Any]) -> str:
    """File and line of a function."""
    code = getattr(function, "__code__", None)
    return "" if code is None else f"{code.co_filename}:{code.co_firstlineno}"


def called(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a user's function; whatever it raises becomes one line with its file and line."""
    try:
        return function(*arguments)
    except Exception as error:
        code = getattr(function, "__code__", None)
        frames = traceback.extract_tb(error.__traceback__)
        own = [f for f in frames if code is not None and f.filename == code.co_filename]
        where = f"{own[-1].filename}:{own[-1].lineno}" if own else place(function)
        what = "" if isinstance(error, FedboundsError) else f"{type(error).__name__}: "
        hint = ""
        if isinstance(error, TypeError) and "fmpq" in str(error) and "float" in str(error):
            hint = "; exact runs have rationals: write x / 2, not 0.5 * x"
        name = getattr(function, "__name__", "function")
        raise FedboundsError(f"{where}: in {name}: {what}{error}{hint}") from error


def started(algorithm: Algorithm, problem: Clients, start: Array) -> State:
    """The state before round 0, one row.

    Raises
    ------
    FedboundsError
        If it is no dict of arrays with one row, or has no model of shape (1, d).
    """
    state = called(algorithm.init, problem, start[None, :])
    _check_rows(state, 1, algorithm.init, "init")
    shape = tuple(getattr(state.get(MODEL), "shape", ()))
    if shape != (1, problem.dimension):
        raise FedboundsError(
            f"{place(algorithm.init)}: init returned a model of shape {shape or 'none'} as "
            f"state[{MODEL!r}]; expected (rows, d) = (1, {problem.dimension})"
        )
    return dict(state)


def draws_of(algorithm: Algorithm, problem: Clients, p: Parameters, exact: bool) -> Draws:
    """Every outcome of a round's draws."""
    found = every_draw(lambda random: called(algorithm.draw, random, problem, p), exact)
    _check_rows(found.drawn, len(found.chances), algorithm.draw, "draw")
    return found


def stepped(
    algorithm: Algorithm, problem: Clients, p: Parameters, state: State, drawn: State
) -> State:
    """The state after a round.

    Raises
    ------
    FedboundsError
        If the arrays are not those of the state before, shape by shape.
    """
    after = called(algorithm.step, problem, p, state, drawn)
    rows = int(state[MODEL].shape[0])
    _check_rows(after, rows, algorithm.step, "step")
    for name, before in state.items():
        if name not in after or tuple(after[name].shape) != tuple(before.shape):
            given = tuple(after[name].shape) if name in after else "missing"
            raise FedboundsError(
                f"{place(algorithm.step)}: step returned state[{name!r}] {given}; expected the "
                f"shape that it had, {tuple(before.shape)}"
            )
    return {name: after[name] for name in state}


def examine(algorithm: Algorithm, problem: Clients, p: Parameters, start: Array) -> None:
    """Run one round in floats as the contract has it, and refuse what breaks it.

    Raises
    ------
    FedboundsError
        If ``step`` samples, changes its arguments, or gives two results for the same arguments.
    """
    state = started(algorithm, problem, start)
    found = draws_of(algorithm, problem, p, exact=False)
    count = len(found.chances)
    state = {name: np.repeat(rows, count, axis=0) for name, rows in state.items()}
    kept = {name: rows.copy() for name, rows in state.items()}
    drawn = {name: rows.copy() for name, rows in found.drawn.items()}
    with _no_sampling(algorithm.step):
        once = stepped(algorithm, problem, p, state, found.drawn)
    for what, before, after in (("state", kept, state), ("drawn", drawn, found.drawn)):
        for name, rows in before.items():
            if not np.array_equal(rows, after[name]):
                raise FedboundsError(
                    f"{place(algorithm.step)}: step changes its argument {what}[{name!r}]; make a "
                    "new array instead"
                )
    again = stepped(algorithm, problem, p, state, found.drawn)
    for name, rows in once.items():
        if not np.array_equal(rows, again[name]):
            raise FedboundsError(
                f"{place(algorithm.step)}: step gives two results for the same draws "
                f"(state[{name!r}]); sample in draw, from `random`"
            )


@contextmanager
def _no_sampling(function: Callable[..., Any]) -> Iterator[None]:
    """Refuse NumPy's and Python's own generators for a while."""

    def refuse(*_: Any, **__: Any) -> Any:
        raise FedboundsError("it samples; sample in draw, from `random`")

    sources = {
        "numpy.random": ("default_rng", "normal", "rand", "randn", "randint", "choice", "random",
                         "uniform", "permutation", "standard_normal"),
        "random": ("random", "choice", "sample", "gauss", "randint", "uniform", "shuffle"),
    }  # fmt: skip
    patches = [
        patch(f"{module}.{name}", refuse) for module, names in sources.items() for name in names
    ]
    for each in patches:
        each.start()
    try:
        yield
    finally:
        for each in reversed(patches):
            each.stop()


def _check_rows(arrays: Any, rows: int, function: Callable[..., Any], name: str) -> None:
    if not isinstance(arrays, dict) or not arrays:
        raise FedboundsError(
            f"{place(function)}: {name} returned {type(arrays).__name__}; expected a dict of arrays"
        )
    for key, value in arrays.items():
        shape = tuple(getattr(value, "shape", ()))
        if not shape or shape[0] != rows:
            raise FedboundsError(
                f"{place(function)}: {name} returned {key!r} of shape {shape}; expected one row "
                f"for each of {rows} outcomes as its first axis"
            )
