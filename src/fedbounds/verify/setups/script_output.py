"""What a program prints: by itself, in a process that ends when this one does; or in this one."""

import sys
import warnings
from functools import partial
from io import StringIO
from subprocess import DEVNULL, PIPE, Popen
from types import CodeType
from typing import Any

# The input is a pipe that nobody writes to: it ends when the process that holds its other end does.
_WATCHED = """
import os, sys, threading
threading.Thread(target=lambda: (os.read(0, 1), os._exit(1)), daemon=True).start()
exec(sys.argv[1], {"__name__": "__main__"})
"""


def output_of(program: str) -> str | None:
    """What a Python program without arguments prints, by itself; None if it fails."""
    command = [sys.executable, "-I", "-c", _WATCHED, program]
    with Popen(command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, text=True) as child:
        assert child.stdout is not None
        found = child.stdout.read()
    return found if child.returncode == 0 else None


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
