"""What a results document lacks, or has otherwise, as one line that says what to do."""

from collections.abc import Iterator
from contextlib import contextmanager

from jinja2 import UndefinedError

from fedbounds.errors import FedboundsError

# as which that shows
_INCOMPLETE = (
    LookupError,
    TypeError,
    ValueError,
    ArithmeticError,
    AttributeError,
    RecursionError,
    UndefinedError,
)


@contextmanager
def complete() -> Iterator[None]:
    """Raise a FedboundsError where a document turns out to be incomplete."""
    try:
        yield
    except FedboundsError:
        raise
    except _INCOMPLETE as error:
        raise FedboundsError(
            f"the results document is incomplete ({type(error).__name__}: {error}); "
            "run `fedbounds verify` again"
        ) from error
