"""BLAS on one thread: threads that wait on small matrices cost ten times more."""

from contextlib import AbstractContextManager
from functools import cache

from threadpoolctl import ThreadpoolController


def one_thread() -> AbstractContextManager[object]:
    """As long as the context lasts, in this process."""
    found: AbstractContextManager[object] = _libraries().limit(limits=1, user_api="blas")
    return found


@cache
def _libraries() -> ThreadpoolController:
    """Those of the process, which are sought once: it takes longer than many a set-up."""
    import scipy.linalg  # noqa: F401, which brings a BLAS of its own

    return ThreadpoolController()
