"""``python -m fedbounds.theory.checker proofs.json``: re-check every certificate of a file."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .check import check
from .data import Statement
from .errors import Refused
from .files import step_of, theory_of


def recheck(data: dict[str, Any]) -> dict[str, str]:
    """Refused steps with the reason, of a book of proofs as data; in order, each from earlier."""
    theory = theory_of(data["theory"])
    earlier: dict[str, Statement] = {}
    refused: dict[str, str] = {}
    for row in data["steps"]:
        proved = row["certificate"] is not None
        step = step_of(row if proved else {**row, "certificate": _NOTHING})
        before = earlier.pop(step.id, step.statement)  # a step does not rest on itself
        try:
            if before != step.statement:
                raise Refused("another statement of the same name")
            if proved:
                check(theory, step, earlier)
        except Refused as error:
            refused[step.id] = str(error)
        earlier[step.id] = before
    return refused


_NOTHING: dict[str, Any] = {
    "chart": [],
    "premises": [],
    "squares": [],
    "rule": "none",
    "base": None,
}


def main(paths: Sequence[str]) -> int:
    """Print what is refused; 0 if nothing is."""
    count, bad = 0, 0
    for path in paths:
        for paper, data in json.loads(Path(path).read_text(encoding="utf-8")).items():
            refused = recheck(data)
            count += sum(1 for row in data["steps"] if row["certificate"] is not None)
            bad += len(refused)
            for name, reason in refused.items():
                print(f"{paper}, {name}: {reason}")
    print(f"{count} certificates, {bad} refused")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
