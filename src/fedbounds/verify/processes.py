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
from subprocess import DEVNULL, PIPE, Popen
from threading import Thread

# The input is a pipe that nobody writes to: it ends when the process that holds its other end does.
_WATCHED = """
import os, sys, threading
threading.Thread(target=lambda: (os.read(0, 1), os._exit(1)), daemon=True).start()
exec(sys.argv[1], {"__name__": "__main__"})
"""


@contextmanager
def worker_pool(workers: int, files: tuple[str, ...]) -> Iterator[ProcessPoolExecutor]:
    """Processes that know these files of a user; after an error they begin nothing more."""
    pool = ProcessPoolExecutor(workers, get_context("spawn"), _begin, (files,))
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def output_of(program: str) -> str | None:
    """What a Python program without arguments prints, by itself; None if it fails."""
    command = [sys.executable, "-I", "-c", _WATCHED, program]
    with Popen(command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, text=True) as child:
        assert child.stdout is not None
        found = child.stdout.read()
    return found if child.returncode == 0 else None


def collect_seldom() -> None:
    """Look for objects that refer to each other in circles less often than Python does.

    Exact numbers and expressions are many, and hardly any do: a sixth of a run went into that.
    """
    gc.set_threshold(100_000, 20, 20)


def _begin(files: tuple[str, ...]) -> None:
    collect_seldom()
    Thread(target=_end_with_parent, daemon=True).start()
    if files:
        from .own.load import load

        for file in files:
            load(file)


def _end_with_parent() -> None:
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
