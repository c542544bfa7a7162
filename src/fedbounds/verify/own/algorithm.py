"""A user's algorithm: three plain functions, and what is checked of them before they are believed.

``init(problem, start)`` makes the state, ``draw(random, problem, p)`` all randomness of a round,
``step(problem, p, state, drawn)`` the next state. State and draws are dicts of arrays with one row
per outcome; the model is ``state["x"]``, shape (rows, d). ``p`` has the parameters by name, and
the round as ``p["t"]``.
"""

import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import numpy as np

from fedbounds.errors import FedboundsError

from ..measure.clients import Clients
from .draws import Draws, Random, TooManyError, every_draw

Array = Any
State = dict[str, Array]
MODEL = "x"
ROUND = "t"
_CLOSE = 1e-9  # relative: what floats of one row may differ by from those of many


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


class Parameters(Mapping[str, Any]):
    """The parameters of a run by name; remembers whether the round was asked for, in any way.

    Parameters
    ----------
    values : mapping from name to number
    at : int
        The round, p["t"].
    """

    def __init__(self, values: Mapping[str, Any], at: int = 0) -> None:
        self._values = {**values, ROUND: at}
        self.asked_round = False

    def __getitem__(self, name: str) -> Any:
        """The value; an unknown name is an error that lists the known ones."""
        if name not in self._values:
            raise FedboundsError(
                f"the algorithm asks for p[{name!r}], which the theory does not give; add it to "
                f"`parameters` (given: {', '.join(sorted(self._values))})"
            )
        if name == ROUND:
            self.asked_round = True
        return self._values[name]

    def __contains__(self, name: object) -> bool:
        """Whether it is given; asking for a value that is not is an error, never a default."""
        return name in self._values

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


def place(function: Callable[..., Any]) -> str:
    """File and line of a function."""
    code = getattr(function, "__code__", None)
    return "" if code is None else f"{code.co_filename}:{code.co_firstlineno}"


def called(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a user's function; whatever it raises becomes one line with its file and line."""
    try:
        return function(*arguments)
    except TooManyError:
        raise
    except Exception as error:
        code = getattr(function, "__code__", None)
        frames = traceback.extract_tb(error.__traceback__)
        own = [f for f in frames if code is not None and f.filename == code.co_filename]
        where = f"{own[-1].filename}:{own[-1].lineno}" if own else place(function)
        what = "" if isinstance(error, FedboundsError) else f"{type(error).__name__}: "
        hint = ""
        if isinstance(error, TypeError) and "fmpq" in str(error) and "float" in str(error):
            hint = "; exact runs have rationals: write x / 2, not 0.5 * x"
        if isinstance(error, ValueError) and "read-only" in str(error):
            hint = "; it changes its argument: make a new array instead"
        name = getattr(function, "__name__", "function")
        raise FedboundsError(f"{where}: in {name}: {what}{error}{hint}") from error


def started(algorithm: Algorithm, problem: Clients, start: Array) -> State:
    """The state before round 0, one row.

    Raises
    ------
    FedboundsError
        If it is no dict of arrays with one row, has no model of shape (1, d), or has floats where
        the start is exact.
    """
    state = called(algorithm.init, problem, start[None, :])
    _check_rows(state, 1, algorithm.init, "init")
    shape = tuple(getattr(state.get(MODEL), "shape", ()))
    if shape != (1, problem.dimension):
        raise FedboundsError(
            f"{place(algorithm.init)}: init returned a model of shape {shape or 'none'} as "
            f"state[{MODEL!r}]; expected (rows, d) = (1, {problem.dimension})"
        )
    if _is_object(start):
        _refuse_floats(state, algorithm.init, "init")
    return dict(state)


def draws_of(algorithm: Algorithm, problem: Clients, p: Parameters, exact: bool) -> Draws:
    """Every outcome of a round's draws."""
    try:
        found = every_draw(lambda random: called(algorithm.draw, random, problem, p), exact)
    except TooManyError as error:
        raise TooManyError(f"{place(algorithm.draw)}: {error}") from error
    _check_rows(found.drawn, len(found.chances), algorithm.draw, "draw")
    name = _different(found.last, {name: rows[-1:] for name, rows in found.drawn.items()})
    if name is not None:
        raise FedboundsError(
            f"{place(algorithm.draw)}: draw gives {name!r} another value where it is asked for one "
            "outcome than where it is asked for all; use `random` only, and keep rows apart"
        )
    return found


def stepped(
    algorithm: Algorithm, problem: Clients, p: Parameters, state: State, drawn: State
) -> State:
    """The state after a round.

    Raises
    ------
    FedboundsError
        If the arrays are not those of the state before, shape by shape, or floats where that was
        exact; or if the last row by itself gives another state than among the others.
    """
    after = _stepped(algorithm, problem, p, state, drawn)
    rows = int(state[MODEL].shape[0])
    if rows > 1 and isinstance(state[MODEL], np.ndarray):
        last = ({name: x[-1:] for name, x in arrays.items()} for arrays in (state, drawn))
        name = _different(
            _stepped(algorithm, problem, p, *last), {name: x[-1:] for name, x in after.items()}
        )
        if name is not None:
            raise FedboundsError(
                f"{place(algorithm.step)}: step gives the last outcome another state[{name!r}] by "
                "itself than among the others; it must not sample, mix rows (the first axis), nor "
                "change its arguments"
            )
    return after


def _stepped(
    algorithm: Algorithm, problem: Clients, p: Parameters, state: State, drawn: State
) -> State:
    after = called(algorithm.step, problem, p, _read_only(state), _read_only(drawn))
    _check_rows(after, int(state[MODEL].shape[0]), algorithm.step, "step")
    for name, before in state.items():
        if name not in after or tuple(after[name].shape) != tuple(before.shape):
            given = tuple(after[name].shape) if name in after else "missing"
            raise FedboundsError(
                f"{place(algorithm.step)}: step returned state[{name!r}] {given}; expected the "
                f"shape that it had, {tuple(before.shape)}"
            )
    if _is_object(state[MODEL]):
        _refuse_floats(after, algorithm.step, "step")
    return {name: after[name] for name in state}


def _read_only(arrays: State) -> State:
    """The same arrays in a new dict; NumPy refuses to write to them."""
    found = {}
    for name, values in arrays.items():
        found[name] = values
        if isinstance(values, np.ndarray):
            found[name] = values.view()
            found[name].flags.writeable = False
    return found


def _refuse_floats(state: State, function: Callable[..., Any], name: str) -> None:
    for key, values in state.items():
        if values.dtype.kind in "fc":
            raise FedboundsError(
                f"{place(function)}: {name} returned state[{key!r}] in floats; exact runs have "
                "rationals: write x * 0 for zeros, x / 2 for 0.5 * x"
            )


def _is_object(array: Array) -> bool:
    return isinstance(array, np.ndarray) and array.dtype == object


def _different(one: State, other: State) -> str | None:
    """The name of an array that is not the same in both."""
    for name, rows in other.items():
        if name not in one or tuple(one[name].shape) != tuple(rows.shape):
            return name
        own, given = np.asarray(one[name]), np.asarray(rows)
        if not same(own, given):
            return name
    return None


def same(one: Array, other: Array) -> bool:
    """Whether both arrays hold the same numbers; floats may differ by rounding."""
    if not (_is_object(one) or _is_object(other)):
        return bool(np.allclose(one, other, rtol=_CLOSE, atol=_CLOSE, equal_nan=True))
    pairs = zip(one.reshape(-1), other.reshape(-1), strict=True)
    return all(getattr(a, "polynomial", a) == getattr(b, "polynomial", b) for a, b in pairs)


def examine(algorithm: Algorithm, problem: Clients, p: Parameters, start: Array) -> None:
    """Run one round in floats as the contract has it, and refuse what breaks it.

    Raises
    ------
    FedboundsError
        If ``step`` samples, changes its arguments, or any function gives two results for the same
        arguments.
    """
    state = started(algorithm, problem, start)
    if _different(started(algorithm, problem, start), state) is not None:
        raise FedboundsError(
            f"{place(algorithm.init)}: init gives two results for the same start; it must not "
            "sample"
        )
    found = draws_of(algorithm, problem, p, exact=False)
    count = len(found.chances)
    state = {name: np.repeat(rows, count, axis=0) for name, rows in state.items()}
    with _no_sampling(algorithm.step):
        once = _stepped(algorithm, problem, p, state, found.drawn)
    again = _stepped(algorithm, problem, p, state, found.drawn)
    name = _different(once, again)
    if name is not None:
        raise FedboundsError(
            f"{place(algorithm.step)}: step gives two results for the same draws "
            f"(state[{name!r}]); sample in draw, from `random`"
        )
    stepped(algorithm, problem, p, once, found.drawn)  # from states that differ, row by row


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
    # a deterministic algorithm draws nothing
    if not isinstance(arrays, dict) or not (arrays or name == "draw"):
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
