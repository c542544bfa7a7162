"""An algorithm's functions, called as their contract has them; a breach is told with its line.

``step`` must give every row what it gives that row alone, in whatever order the rows stand.
"""

import inspect
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from copy import copy
from fractions import Fraction
from functools import lru_cache
from typing import Any
from unittest.mock import patch

import numpy as np
from flint.utils.flint_exceptions import DomainError

from fedbounds.algorithms.traced import Algorithm
from fedbounds.errors import FedboundsError
from fedbounds.problems.linear import rational

from .clients import Clients
from .random import Drawn, Random
from .sources import TooManyError
from .unknowns import DividedByZeroError, Refused, RootError, bare

Array = Any
State = dict[str, Array]
MODEL = "x"
BLOCK_U, BLOCK_V = "u", "v"  # the blocks of a model that is not shared as a whole
_AXES = {MODEL: "(rows, d)", BLOCK_U: "(rows, d)", BLOCK_V: "(rows, n, d_v)"}
ROUND = "t"
_CLOSE = 1e-9  # relative: what floats of one row may differ by from those of many


class Parameters(Mapping[str, Any]):
    """The parameters of a run by name; remembers whether the round was asked for, in any way.

    Parameters
    ----------
    values : mapping from name to number
    at : int
        The round, p["t"].
    changing : frozenset of str
        Those that are others in other rounds.
    """

    def __init__(
        self, values: Mapping[str, Any], at: Any = 0, changing: frozenset[str] = frozenset()
    ) -> None:
        self._values = {**values, ROUND: at}
        self._changing = changing | {ROUND}
        self.asked_round = False

    def with_values(self, values: Mapping[str, Any]) -> "Parameters":
        """The same with other values of some, of which the round is not asked."""
        kept = {name: x for name, x in self._values.items() if name != ROUND}
        left = self._changing - values.keys()
        return Parameters({**kept, **values}, self._values[ROUND], left)

    def __getitem__(self, name: str) -> Any:
        """The value; an unknown name is an error that lists the known ones."""
        if name not in self._values:
            raise FedboundsError(
                f"the algorithm asks for p[{name!r}], which the theory does not give; add it to "
                f"`parameters` (given: {', '.join(sorted(self._values))})"
            )
        if name in self._changing:
            self.asked_round = True
        return self._values[name]

    def __contains__(self, name: object) -> bool:
        """Whether it is given; asking for a value that is not is an error, never a default."""
        return name in self._values

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


Carry = Callable[[tuple[Array, ...]], tuple[Array, ...]]


class Enough(BaseException):
    """All has been shown that was asked for; no error, that a step might catch."""


class See:
    """What a step shows, by name; a name is shown once a round.

    Parameters
    ----------
    rows : int
        Of every array that is carried.
    carry : function or None
        What a step goes on with in place of arrays that it carries; None: with these.
    enough : frozenset of str or None
        Names after which the step need not go on; None: it does.
    """

    def __init__(
        self, rows: int, carry: Carry | None = None, enough: frozenset[str] | None = None
    ) -> None:
        self.shown: dict[str, Array] = {}
        self.carries = False
        self._rows, self._carry, self._enough = rows, carry, enough

    def __call__(self, **named: Array) -> None:
        """Show arrays with one row per outcome."""
        for name, array in named.items():
            if name in self.shown:
                raise FedboundsError(f"step shows {name!r} twice in a round; give it another name")
            self.shown[name] = array
        if self._enough is not None and self._enough <= self.shown.keys():
            raise Enough

    def carry(self, *arrays: Array) -> Any:
        """The arrays, or the one: where moments are followed, they go on from here.

        What was not carried, and depends on the same draws, cannot be used with them afterwards.
        """
        self.carries = True
        for array in arrays:
            shape = tuple(getattr(array, "shape", ()))
            if not shape or shape[0] != self._rows:
                raise FedboundsError(
                    f"see.carry was given an array of shape {shape}; expected one row for each of "
                    f"{self._rows} outcomes as its first axis"
                )
        if not arrays:
            raise FedboundsError("see.carry was given nothing; expected arrays")
        found = arrays if self._carry is None else self._carry(arrays)
        return found if len(found) > 1 else found[0]


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
    except Refused as error:
        where = _line(function, error).rpartition("/")[2]  # of a record: without the folder
        raise type(error)(f"{where}: {error}" if where else str(error)) from error
    except ZeroDivisionError as error:
        raise DividedByZeroError(f"{_line(function, error)}: it divides by 0") from error
    except DomainError as error:
        raise RootError(
            f"{_line(function, error)}: it takes a root that is not rational; write problem.sqrt(x)"
        ) from error
    except Exception as error:
        what = "" if isinstance(error, FedboundsError) else f"{type(error).__name__}: "
        name = getattr(function, "__name__", "function")
        raise FedboundsError(
            f"{_line(function, error)}: in {name}: {what}{error}{_hint(error)}"
        ) from error


def _line(function: Callable[..., Any], error: Exception) -> str:
    """Where in the function's file an error arose."""
    code = getattr(function, "__code__", None)
    frames = traceback.extract_tb(error.__traceback__)
    own = [f for f in frames if code is not None and f.filename == code.co_filename]
    return f"{own[-1].filename}:{own[-1].lineno}" if own else place(function)


def _hint(error: Exception) -> str:
    text = str(error)
    if isinstance(error, TypeError) and "fmpq" in text and "float" in text:
        return "; exact runs have rationals: write x / 2, not 0.5 * x"
    if isinstance(error, TypeError) and "fmpq" in text and "Fraction" in text:
        return "; write x / 2, or import Fraction in the file of the theory itself"
    if isinstance(error, ValueError) and "read-only" in text:
        return "; it changes its argument: make a new array instead"
    return ""


@lru_cache(maxsize=256)
def takes(function: Callable[..., Any], count: int) -> bool:
    """Whether a function can be called with so many arguments."""
    try:
        inspect.signature(function).bind(*[None] * count)
    except (TypeError, ValueError):
        return False
    return True


def started(
    algorithm: Algorithm, problem: Clients, start: Array, random: Random, p: Parameters
) -> State:
    """The state before round 0, a row per row of ``start``.

    Raises
    ------
    FedboundsError
        If it is no dict of arrays with as many rows, has no model of shape (rows, d), or none of
        shapes (rows, d) and (rows, n, d_v), or has floats where the start is exact.
    """
    arguments = (problem, start, random, p)[: arguments_of_init(algorithm)]
    state = called(algorithm.init, *arguments)
    rows = int(start.shape[0])
    check_rows(state, rows, algorithm.init, "init")
    _check_model(state, _expected(problem, rows), algorithm.init)
    return _exact(state, algorithm.init, "init") if is_object(start) else _floats(state)


def arguments_of_init(algorithm: Algorithm) -> int:
    """How many ``init`` asks for: 2, 3 or 4."""
    return next((count for count in (4, 3) if takes(algorithm.init, count)), 2)


def model_of(state: State) -> Array:
    """The shared model, shape (rows, d)."""
    return state[MODEL] if MODEL in state else state[BLOCK_U]


def _expected(problem: Clients, rows: int) -> list[dict[str, tuple[int, ...]]]:
    """Shapes of the models of a state; where all is shared, the blocks may be there too."""
    d, d_v = problem.dimension, problem.personal_dimension
    blocks = {BLOCK_U: (rows, d), BLOCK_V: (rows, int(problem.clients), d_v)}
    return [blocks] if d_v else [{MODEL: (rows, d)}, blocks]


def _check_model(
    state: State, expected: list[dict[str, tuple[int, ...]]], init: Callable[..., Any]
) -> None:
    """Raise unless a state has one of these models, and not x where it has personal blocks."""
    chosen = {MODEL: expected[0].get(MODEL)} if MODEL in state else expected[-1]
    given = {name: tuple(state[name].shape) if name in state else "none" for name in chosen}
    if given != chosen:
        told = ", ".join(f"state[{name!r}] {shape}" for name, shape in given.items())
        asked = ", ".join(
            f"state[{name!r}] of {_AXES[name]} = {shape}" for name, shape in expected[0].items()
        )
        raise FedboundsError(
            f"{place(init)}: init returned a model of shape {told}; expected {asked}"
        )


def drawn_by(algorithm: Algorithm, random: Random, problem: Clients, p: Parameters) -> Drawn:
    """All randomness of a round."""
    found: Drawn = called(algorithm.draw, random, problem, p)
    return found


def stepped(
    algorithm: Algorithm,
    problem: Clients,
    p: Parameters,
    state: State,
    drawn: Drawn,
    carry: Carry | None = None,
) -> tuple[State, dict[str, Array]]:
    """The state after a round, and what the step showed.

    Parameters
    ----------
    carry : function or None
        See `See`.

    Raises
    ------
    FedboundsError
        If the arrays are not those of the state before, shape by shape, or floats where that was
        exact; if what is shown has no row for each outcome; if rows mix; or if what is carried
        is changed afterwards.
    """
    after, shown, carries = _step(algorithm, problem, p, state, drawn, carry)
    rows = _count(state)
    if carries and carry is None:
        again, seen, _ = _step(algorithm, problem, p, state, drawn, _copied)
        name = different({**after, **_told(shown)}, {**again, **_told(seen)})
        if name is not None:
            raise FedboundsError(
                f"{place(algorithm.step)}: step gives another {name} with see.carry than without "
                "it; it must not change an array that it carries: make a new one"
            )
    if rows > 1 and isinstance(_any(state), np.ndarray):
        for order in _orders(rows):
            again, seen = one_step(algorithm, problem, p, _rows(state, order), _rows(drawn, order))
            name = different(_rows({**after, **_told(shown)}, order), {**again, **_told(seen)})
            if name is not None:
                raise FedboundsError(
                    f"{place(algorithm.step)}: step gives an outcome another {name} by itself "
                    "than among the others; it must not sample, mix rows (the first axis), nor "
                    "change its arguments"
                )
    return after, shown


def _orders(rows: int) -> list[Array]:
    """Ways to take rows: the ends alone, and all of a few in the other order."""
    some = np.unique(np.linspace(0, rows - 1, 5).astype(int))
    return [some[:1], some[-1:], some[::-1]]


def _told(shown: Mapping[str, Array]) -> dict[str, Array]:
    return {f"see({name})": array for name, array in shown.items()}


def _copied(arrays: tuple[Array, ...]) -> tuple[Array, ...]:
    return tuple(copy(array) for array in arrays)


def one_step(
    algorithm: Algorithm,
    problem: Clients,
    p: Parameters,
    state: State,
    drawn: Drawn,
    carry: Carry | None = None,
) -> tuple[State, dict[str, Array]]:
    """As `stepped`, but neither rows nor what is carried is held against itself."""
    after, shown, _ = _step(algorithm, problem, p, state, drawn, carry)
    return after, shown


def shown_first(
    algorithm: Algorithm,
    problem: Clients,
    p: Parameters,
    state: State,
    drawn: Drawn,
    names: frozenset[str],
) -> dict[str, Array]:
    """Of what a step shows these; it is not run further than it takes to see them."""
    see = See(_count(state), enough=names)
    with suppress(Enough):
        called(algorithm.step, problem, p, _read_only(state), _read_only(drawn), see)
    check_rows(see.shown, _count(state), algorithm.step, "see")
    found = {name: see.shown[name] for name in names}
    return _exact(found, algorithm.step, "see") if is_object(_any(state)) else _floats(found)


def _step(
    algorithm: Algorithm,
    problem: Clients,
    p: Parameters,
    state: State,
    drawn: Drawn,
    carry: Carry | None = None,
) -> tuple[State, dict[str, Array], bool]:
    """And whether it carries."""
    see = See(_count(state), carry)
    arguments = (problem, p, _read_only(state), _read_only(drawn))
    sees = takes(algorithm.step, 5)
    after = called(algorithm.step, *arguments, *([see] if sees else []))
    rows = _count(state)
    check_rows(after, rows, algorithm.step, "step")
    for name, before in state.items():
        if name not in after or tuple(after[name].shape) != tuple(before.shape):
            given = tuple(after[name].shape) if name in after else "missing"
            raise FedboundsError(
                f"{place(algorithm.step)}: step returned state[{name!r}] {given}; expected the "
                f"shape that it had, {tuple(before.shape)}"
            )
    if see.shown:
        check_rows(see.shown, rows, algorithm.step, "see")
    shown = see.shown
    if is_object(_any(state)):
        after = _exact(after, algorithm.step, "step")
        shown = _exact(shown, algorithm.step, "see")
    else:
        after, shown = _floats(after), _floats(shown)
    return {name: after[name] for name in state}, shown, see.carries


def _any(state: State) -> Array:
    return next(iter(state.values()))


def _count(state: State) -> int:
    return int(_any(state).shape[0])


def _rows(arrays: Mapping[str, Array], order: Array) -> dict[str, Array]:
    return {name: array[order] for name, array in arrays.items()}


def _read_only(arrays: State) -> State:
    """The same arrays in a new dict; NumPy refuses to write to them."""
    found = {}
    for name, values in arrays.items():
        found[name] = values
        if isinstance(values, np.ndarray):
            found[name] = values.view()
            found[name].flags.writeable = False
    return found


def _exact(state: State, function: Callable[..., Any], name: str) -> State:
    """The same with rationals for fractions, and for integers, whose quotients Python makes floats.

    Raises
    ------
    FedboundsError
        If there are floats.
    """
    found = {}
    for key, values in state.items():
        kinds = set(map(type, values.reshape(-1))) if is_object(values) else set()
        if values.dtype.kind in "fc" or any(issubclass(kind, float) for kind in kinds):
            raise FedboundsError(
                f"{place(function)}: {name} returned {key!r} in floats; exact runs have "
                "rationals: write x * 0 for zeros, x / 2 for 0.5 * x, problem.sqrt(x) for roots"
            )
        mixed = any(kind is int or issubclass(kind, Fraction) for kind in kinds)
        found[key] = _in_rationals(values) if mixed else values
    return found


def _floats(state: State) -> State:
    """The same with floats for whatever numbers stand in lists of Python's objects."""
    return {key: own.astype(np.float64) if is_object(own) else own for key, own in state.items()}


def _in_rationals(values: Array) -> Array:
    plain = np.frompyfunc(_as_rational, 1, 1)
    return np.asarray(plain(values), dtype=object)


def _as_rational(number: Any) -> Any:
    plain = type(number) is int or isinstance(number, Fraction)
    return rational(number) if plain else number


def is_object(array: Array) -> bool:
    """Whether an array holds exact numbers, or unknowns."""
    return isinstance(array, np.ndarray) and array.dtype == object


def different(one: Mapping[str, Array], other: Mapping[str, Array]) -> str | None:
    """The name of an array that is not the same in both."""
    for name, rows in other.items():
        if name not in one or tuple(one[name].shape) != tuple(rows.shape):
            return name
        if not same(np.asarray(one[name]), np.asarray(rows)):
            return name
    return None


def same(one: Array, other: Array) -> bool:
    """Whether both arrays hold the same numbers; floats may differ by rounding."""
    if not (is_object(one) or is_object(other)):
        return bool(np.allclose(one, other, rtol=_CLOSE, atol=_CLOSE, equal_nan=True))
    pairs = zip(one.reshape(-1), other.reshape(-1), strict=True)
    return all(bare(a) == bare(b) for a, b in pairs)


@contextmanager
def no_sampling() -> Iterator[None]:
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


def check_rows(arrays: Any, rows: int, function: Callable[..., Any], name: str) -> None:
    """Raise unless it is a dict of arrays with one row for each outcome."""
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
