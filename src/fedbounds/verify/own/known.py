"""Theories that are loaded, by key: a run names its theory, whose functions are not data."""

from typing import Any

from fedbounds.errors import FedboundsError

from ..measure.clients import Clients
from ..measure.subject import Subject
from .declare import Theory
from .setup import OwnRun

_LOADED: dict[str, Theory] = {}


def remember(theory: Theory) -> None:
    """Make a theory known; a later one of the same key takes its place."""
    _LOADED[theory.key] = theory


def theory_of(key: str) -> Theory:
    """The loaded theory of that key.

    Raises
    ------
    FedboundsError
        If its file is not loaded: stored data never loads one.
    """
    if key not in _LOADED:
        raise FedboundsError(f"the theory {key!r} is not loaded; name its file on the command line")
    return _LOADED[key]


def problem_of(run: OwnRun) -> Any:
    """The problem of a run."""
    if isinstance(run.problem, int):
        return theory_of(run.theory).problems[run.problem][0]
    return run.problem


def subject_of(run: OwnRun) -> Subject:
    """What is traced: the theory's algorithm on the problem of a run."""
    theory = theory_of(run.theory)
    problem = Clients(problem_of(run))
    return Subject(theory.algorithm, problem, run.start, dict(run.values), run.rounds, theory.shown)


def is_loaded(key: str) -> bool:
    """Whether a theory of that key is loaded."""
    return key in _LOADED
