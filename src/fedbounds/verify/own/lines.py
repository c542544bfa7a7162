"""Where in a user's file something is declared, which every mistake tells first."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from fedbounds.errors import FedboundsError


@contextmanager
def told_at(line: str) -> Iterator[None]:
    """Put the line of a declaration before whatever is wrong with it."""
    try:
        yield
    except FedboundsError as error:
        raise FedboundsError(f"{line}: {error}") from error


def caller() -> str:
    """File and line from which a declaring method or function was called."""
    frame = sys._getframe(2)
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"
