"""Theories that are loaded, by key: a run names its theory, whose functions are not data."""

from fedbounds.errors import FedboundsError

from .declare import Theory

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
