"""What the quick plan of a paper says, judged once for all processes of a test session.

It is kept as by a run that was interrupted: a run that begins with a copy of the folder goes on.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from fedbounds.theory.language.registry import encoded_claims
from fedbounds.verify.decide.profile import Profile
from fedbounds.verify.judge.plan import quick_cases
from fedbounds.verify.results import packs, run
from fedbounds.verify.results.store import Store

Record = dict[str, Any]
_PIECES = 12


def judged(shared: Path, paper: str) -> list[Record]:
    """Records of all claims on all cases, in their order; processes that ask share the work."""
    store = Store(shared / paper)
    for wait in (False, True):  # what nobody is at; then what others have begun
        for piece in range(_PIECES):
            done = shared / f"{paper}-{piece}"
            try:
                with FileLock(f"{done}.lock", blocking=wait):
                    if not done.exists():
                        _of_piece(store, paper, piece)
                        done.touch()
            except Timeout:
                continue
    for path in store.records.iterdir():
        for block in packs.read(path, whole=True):
            kept = packs.Kept()
            kept.add(block)
            store.keep(list(kept.records.values()))
    return _records(store, paper, 0, None)


def _of_piece(store: Store, paper: str, piece: int) -> list[Record]:
    """Of one of the pieces in which the cases follow each other."""
    count = len(quick_cases(paper))
    return _records(store, paper, *(count * at // _PIECES for at in (piece, piece + 1)))


def _records(store: Store, paper: str, first: int, end: int | None) -> list[Record]:
    """From the store, or judged and written."""
    claims, cases = encoded_claims(paper), list(quick_cases(paper)[first:end])
    every = run._all_records(claims, cases, run.Settings(Profile.QUICK, workers=1), store, None)
    return [row for _, own in every for row in own]


def verdicts(records: Iterable[Record]) -> dict[tuple[str, str, str], set[str]]:
    """Of every part of every reading: by claim, reading and part."""
    found = dict[tuple[str, str, str], set[str]]()
    for row in records:
        for part in row["parts"]:
            key = row["claim"], row["reading"], part["part"]
            found.setdefault(key, set()).add(part["verdict"])
    return found
