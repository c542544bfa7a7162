"""``python -m fedbounds.theory.checker proofs.json``: re-check every certificate of a file."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .errors import Refused
from .recheck import Rechecked, recheck


def main(paths: Sequence[str]) -> int:
    """Print what every theorem rests on; 0 if no certificate is refused, 2 if a file is none."""
    if not paths:
        print("name the files of certificates: python -m fedbounds.theory.checker proofs.json")
        return 2
    count, bad = 0, 0
    for path in paths:
        try:
            books = _read(path)
            for name, data in books.items():
                found = recheck(data)
                _say(f"{name}: theory {data['hash']}")
                _print(found)
                count += sum(1 for row in data["steps"] if row["certificate"] is not None)
                bad += sum(1 for one in found if one.refused)
        except Refused as error:
            _say(f"{path}: {error}")
            return 2
    print(f"{count} certificates, {bad} refused")
    return 1 if bad else 0


def _read(path: str) -> dict[str, Any]:
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise Refused(f"no file of certificates: {error}") from error
    if not isinstance(data, dict) or not all(isinstance(one, dict) for one in data.values()):
        raise Refused("no file of certificates: expected a book of proofs per paper")
    return data


def _say(line: str) -> None:
    """One line, whatever names a file has: no name ends it, or writes over another."""
    print("".join(c if c.isprintable() else ascii(c)[1:-1] for c in line))


def _print(found: Sequence[Rechecked]) -> None:
    """A line per theorem, then how many rest on what."""
    theorems = [one for one in found if one.claim and not one.given]
    for one in theorems:
        _say(f"  {one.claim}, {one.id}: {_said(one)}")
    for one in found:
        if one.refused and one not in theorems:
            _say(f"  {one.id}: refused: {one.refused}")
    alone = sum(1 for one in theorems if not one.missing and not one.givens)
    given = sum(1 for one in theorems if not one.missing and one.givens)
    print(
        f"  {len(theorems)} statements of claims: {alone} proved from definitions and assumptions "
        f"alone, {given} from givens, {len(theorems) - alone - given} not proved"
    )


def _said(one: Rechecked) -> str:
    under = f"; assumes {', '.join(one.assumptions)}" if one.assumptions else ""
    if one.refused:
        return f"refused: {one.refused}"
    if one.id in one.missing:
        return "no certificate"
    if one.missing:
        return f"rests on what is not proved: {', '.join(one.missing)}"
    if one.givens:
        return f"proved from givens: {', '.join(one.givens)}{under}"
    return f"proved{under}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
