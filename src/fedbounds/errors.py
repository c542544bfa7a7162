"""The errors a user can cause, and the checks of scalars that raise them."""

from collections.abc import Iterable
from difflib import get_close_matches
from functools import lru_cache
from typing import Any


class FedboundsError(ValueError):
    """Bad input: the message names the thing, the value given and what is allowed."""


class ConflictError(RuntimeError):
    """A claim is both proved and violated: a bug of this suite, never of a paper."""


def unknown_name(what: str, given: str, known: Iterable[str]) -> FedboundsError:
    """An error for a name that does not exist, with the nearest ones that do."""
    names = tuple(sorted(known))
    near = _nearest(given, names)
    hint = f"the nearest are {', '.join(near)}" if near else f"known: {', '.join(names[:8])}"
    return FedboundsError(f"unknown {what} {given!r}; {hint}")


@lru_cache(maxsize=256)  # such an error may be an answer: that a definition does not fit
def _nearest(given: str, names: tuple[str, ...]) -> list[str]:
    return get_close_matches(given, names, n=3, cutoff=0.4)


def require(condition: bool, what: str, given: object, expected: str) -> None:
    """Raise unless ``condition``: ``what`` was ``given`` and should have been ``expected``."""
    if not condition:
        raise FedboundsError(f"{what} is {given}; expected {expected}")


def require_finite(what: str, given: Any, *, positive: bool) -> None:
    """Raise unless a real number (float, fraction or rational) is finite and > 0 (or >= 0)."""
    finite = given - given == 0  # false for infinities and NaN
    in_range = given > 0 if positive else given >= 0
    require(
        bool(finite and in_range), what, given, f"a finite number {'>' if positive else '>='} 0"
    )


def require_extra(extra: str, package: str) -> FedboundsError:
    """An error for a missing optional package, naming the extra that brings it."""
    return FedboundsError(
        f"{package} is not installed; it comes with the extra {extra!r}: "
        f"pip install 'fedbounds[{extra}]', or in a checkout pip install -e '.[{extra}]'"
    )
