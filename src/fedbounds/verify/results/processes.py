"""Processes of a run. They end when the process that started them does, also if it is killed.

Light: every process imports it.
"""

import gc
import os
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from threading import Thread
from typing import Any


@contextmanager
def worker_pool(workers: int, files: tuple[str, ...]) -> Iterator[ProcessPoolExecutor]:
    """Processes that know these files of a user; after an error they begin nothing more."""
    pool = ProcessPoolExecutor(workers, _context(), _begin, (files,))
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def _context() -> Any:
    """New processes are copies of one that has imported all, on Linux, where a BLAS may be."""
    if sys.platform != "linux":
        return get_context("spawn")
    context = get_context("forkserver")
    context.set_forkserver_preload(["fedbounds.verify.results.work"])
    return context


def collect_seldom() -> None:
    """Look for objects that refer to each other in circles less often than Python does.

    Exact numbers and expressions are many, and hardly any do: a sixth of a run went into that.
    """
    gc.set_threshold(100_000, 20, 20)


def _begin(files: tuple[str, ...]) -> None:
    collect_seldom()
    Thread(target=_end_with_parent, daemon=True).start()
    if files:
        from ..own.load import load

        for file in files:
            load(file)


def _end_with_parent() -> None:
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
