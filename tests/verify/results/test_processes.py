"""Processes end with the one that started them, whatever they are doing."""

import os
import select
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from own_files import own_file

import fedbounds
from fedbounds.verify.results.processes import worker_pool
from fedbounds.verify.setups.script_output import output_of

SOURCE = str(Path(fedbounds.__path__[0]).parent)
LONGEST = 60  # seconds until a test fails; a process that ends does so at once
MANY = '{"m": (1,), "eta": tuple(f"1/({k}*L)" for k in range(8, 48))}'  # enough for processes


def python(code, **streams):
    return subprocess.Popen(
        [sys.executable, "-c", code], env=os.environ | {"PYTHONPATH": SOURCE}, **streams
    )


@pytest.fixture
def pipe(tmp_path):
    """A named pipe and its reading end; who writes to it and keeps it open is seen to end."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    yield path, reader
    os.close(reader)


def read(reader):
    """What was written next; nothing once all who write have ended."""
    assert select.select([reader], [], [], LONGEST)[0], "nothing was written, and nobody ended"
    return os.read(reader, 1000).decode()


def started(reader, count):
    """The numbers of so many processes, once they have written them."""
    found = ""
    while found.count("\n") < count:
        found += read(reader)
    return [int(number) for number in found.split()]


def test_workers_end_when_the_program_is_killed(tmp_path, pipe):
    """In the middle of a computation that never ends, and the tracker of resources with them."""
    path, reader = pipe
    file = own_file(
        tmp_path, parameters=MANY, before="import multiprocessing, os",
        step=f"""
            if multiprocessing.parent_process() is not None:
                kept = os.open({str(path)!r}, os.O_WRONLY)
                os.write(kept, f"{{os.getpid()}}\\n".encode())
                while True:
                    pass
            return {{"x": state["x"]}}
        """,
    )  # fmt: skip
    arguments = ["measure", file, "--workers", "2", "--out", str(tmp_path / "out")]
    code = f"from fedbounds.verify.commands.command_line import main; main({arguments!r})"
    program = python(code, stderr=subprocess.PIPE)  # which workers and tracker hold open too
    workers = []
    try:
        workers = started(reader, 2)
        assert len({*workers, program.pid}) == 3
        program.kill()
        program.communicate(timeout=LONGEST)
        assert read(reader) == ""
    finally:
        program.kill()
        for number in workers:
            with suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)


def test_a_program_that_is_tried_ends_when_we_are_killed(pipe):
    path, reader = pipe
    endless = (
        "import os\n"
        f"kept = os.open({str(path)!r}, os.O_WRONLY)\n"
        'os.write(kept, f"{os.getpid()}\\n".encode())\n'
        "while True: pass\n"
    )
    program = python(
        f"from fedbounds.verify.setups.script_output import output_of; output_of({endless!r})"
    )
    tried = []
    try:
        tried = started(reader, 1)
        program.kill()
        assert read(reader) == ""
    finally:
        program.kill()
        program.wait()
        for number in tried:
            with suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)


def test_a_program_is_tried_by_itself():
    assert output_of("print(1, __name__)") == "1 __main__\n"

    for wrong in ("print(os)", "print(sys)", "print(", "raise SystemExit(2)"):
        assert output_of(f"print(0)\n{wrong}") is None


def test_after_an_error_nothing_more_is_begun():
    def interrupted():
        with worker_pool(1, ()) as pool:
            jobs.extend(pool.submit(pow, 2, k) for k in range(1000))
            raise KeyboardInterrupt  # while the process starts

    jobs = []
    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert any(job.cancelled() for job in jobs)
    assert all(job.done() for job in jobs)
