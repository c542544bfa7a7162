"""What a program prints that runs by itself. It ends when the process that started it does."""

import sys
from subprocess import DEVNULL, PIPE, Popen

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
