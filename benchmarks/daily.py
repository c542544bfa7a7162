"""Daily questions: a bound's value after import, a theorem of one's own in a fresh folder."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from time import perf_counter

from fedbounds.theory.language.registry import claim

from .workloads import Row

_NUMBERS = {
    "n": 100, "m": 10, "K": 5, "T": 1000, "L": 1, "F_0": 1, "gamma": "1/200",
    "sigma_u2": 1, "sigma_v2": 1, "b2": 1,
}  # fmt: skip

_COMMANDS = (
    ("show thm-3.7, nothing judged", 2, ("show", "personalization/thm-3.7")),
    ("prove lem-A.2", 3, ("prove", "personalization/lem-A.2")),
    ("prove lem-A.2, again", 1, ("prove", "personalization/lem-A.2")),
    ("sensitivity lem-3.5", 5, ("sensitivity", "personalization/lem-3.5")),
)  # what is promised in seconds


def _seconds(folder: str, *arguments: str) -> float:
    command = [
        sys.executable,
        "-c",
        "from fedbounds.verify.commands.command_line import main; main()",
    ]
    begun = perf_counter()
    subprocess.run([*command, *arguments], cwd=folder, check=True, capture_output=True)
    return perf_counter() - begun


def rows() -> Iterator[Row]:
    """Wall time of each."""
    theorem = claim("personalization/thm-3.7")
    begun = perf_counter()
    theorem.evaluate(**_NUMBERS)
    yield Row("bound: thm-3.7 term by term, after import", perf_counter() - begun, "s", "<= 0.1")
    with tempfile.TemporaryDirectory() as folder:
        _seconds(folder, "new", "my_theorem.py")
        taken = _seconds(folder, "verify", "my_theorem.py", "--laws")
        yield Row("own theorem: the template, laws and page included", taken, "s", "<= 20")
        taken = _seconds(folder, "verify", "my_theorem.py", "--laws")
        yield Row("own theorem: the same again, which reuses all", taken, "s", "<= 2")
    yield from _asked()


def _asked() -> Iterator[Row]:
    """Questions about a paper that nobody has judged."""
    with tempfile.TemporaryDirectory() as folder:
        for told, promised, arguments in _COMMANDS:
            yield Row(told, _seconds(folder, *arguments), "s", f"<= {promised}")
