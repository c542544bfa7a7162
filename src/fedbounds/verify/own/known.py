"""Theories that are loaded, by key, for what only a user's file has: laws of its algorithm."""

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
        If its file is not loaded.
    """
    if key not in _LOADED:
        raise FedboundsError(f"the theory {key!r} is not loaded; name its file on the command line")
    return _LOADED[key]


def is_loaded(key: str) -> bool:
    """Whether a theory of that key is loaded."""
    return key in _LOADED
