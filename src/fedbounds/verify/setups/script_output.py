"""What a program prints: by itself, in a process that ends when this one does; or in this one."""

import atexit
import os
import sys
import warnings
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache, partial
from io import StringIO
from subprocess import DEVNULL, PIPE, Popen
from threading import Lock
from types import CodeType
from typing import Any

# A process that has what scripts import, of which each program gets a copy: NumPy takes ten times
# as long to be read as most of them take. It ends with its input, and so does the program.
_COPIES = """
import os, select, signal, sys
import fractions, itertools, math, types, numpy
asked, told = sys.stdin.buffer, sys.stdout.buffer

def alone(program):
    failed = 1
    try:
        exec(program, {"__name__": "__main__"})
        failed = 0
    except SystemExit as end:
        failed = int(end.code not in (None, 0))
    finally:
        sys.stdout.flush()
        os._exit(failed)

for size in asked:
    program = asked.read(int(size))
    ours, theirs = os.pipe()
    child = os.fork()
    if not child:
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(theirs, 1)
        alone(program)
    os.close(theirs)
    found = b""
    while True:
        ready, _, _ = select.select([ours, 0], [], [])
        if 0 in ready:  # nobody waits any more
            os.kill(child, signal.SIGKILL)
            os._exit(1)
        more = os.read(ours, 1 << 16)
        if not more:
            break
        found += more
    os.close(ours)
    failed = os.waitpid(child, 0)[1]
    told.write(b"%d %d\\n" % (bool(failed), len(found)) + found)
    told.flush()
"""
# Where processes cannot be copied. The input is a pipe that nobody writes to: it ends when the
# process that holds its other end does.
_WATCHED = """
import os, sys, threading
threading.Thread(target=lambda: (os.read(0, 1), os._exit(1)), daemon=True).start()
exec(sys.argv[1], {"__name__": "__main__"})
"""
_PLAIN = [sys.executable, "-I", "-X", "utf8", "-c"]


def output_of(program: str) -> str | None:
    """What a Python program without arguments prints, by itself; None if it fails."""
    if hasattr(os, "fork"):
        return _copies(os.getpid()).output_of(program)
    with Popen([*_PLAIN, _WATCHED, program], stdin=PIPE, stdout=PIPE, stderr=DEVNULL) as child:
        assert child.stdout is not None
        found = child.stdout.read()
    return _text(found) if child.returncode == 0 else None


@dataclass(frozen=True)
class _Copies:
    """The process of which programs get copies, one after the other."""

    process: Popen[bytes]
    one_by_one: AbstractContextManager[Any]

    def output_of(self, program: str) -> str | None:
        asked, told, text = self.process.stdin, self.process.stdout, program.encode()
        assert asked is not None
        assert told is not None
        with self.one_by_one:
            asked.write(b"%d\n" % len(text) + text)
            asked.flush()
            failed, size = map(int, told.readline().split())
            found = told.read(size)
        return None if failed else _text(found)


@cache
def _copies(_of: int) -> _Copies:
    """That of this process: a copy of it has its own."""
    # one thread: a process that has others is not copied whole
    given = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    process = Popen([*_PLAIN, _COPIES], stdin=PIPE, stdout=PIPE, stderr=DEVNULL, env=given)
    atexit.register(process.__exit__, None, None, None)
    return _Copies(process, Lock())


def _text(printed: bytes) -> str:
    return printed.decode().replace(os.linesep, "\n")


def run_here(program: CodeType) -> tuple[dict[str, Any], str] | None:
    """What a program of ours has named when it ends, and what it prints; None if it fails.

    Most scripts take a tenth of the time that a process takes to start. That one runs alone is for
    `output_of` to say.
    """
    printed = StringIO()
    names: dict[str, Any] = {"__name__": "__main__", "print": partial(print, file=printed)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(program, names)
        except (Exception, SystemExit):  # a premise that fails, or what a shortened script lacks
            return None
    return names, printed.getvalue()
