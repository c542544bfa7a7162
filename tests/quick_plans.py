"""What the quick plan and the proofs of a paper say, found once for all processes of a test session.

It is kept as by a run that was interrupted: a run that begins with a copy of the folder goes on.
"""

import pickle
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.registry import displayed, encoded, encoded_claims
from fedbounds.verify.decide.profile import Profile
from fedbounds.verify.judge.plan import own_displays, quick_cases
from fedbounds.verify.judge.proofs import Proofs, prove
from fedbounds.verify.judge.settings.judge import universal
from fedbounds.verify.judge.settled import Finding
from fedbounds.verify.results import packs, run
from fedbounds.verify.results.kept import kept_steps
from fedbounds.verify.results.store import Store

Record = dict[str, Any]
IN_WORDS = tuple(
    f"fedplt/{name}" for name in ("any-static-masks", "constant-step-floor", "exact-convergence")
)
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
    store.keep(list(_written(store).records.values()))
    return _records(store, paper, 0, None)


def proved(shared: Path, paper: str) -> Proofs:
    """The paper's steps, replayed; what runs show of them is evaluated once for all processes."""
    store = Store(shared / f"{paper}, steps")
    with FileLock(shared / f"{paper}-steps.lock"):
        for name, value in _written(store).notes.items():
            store._of(paper).notes[name.partition("/")[2]] = value
        return prove([paper], partial(kept_steps, store))


def in_words(shared: Path) -> dict[str, list[Finding]]:
    """What is found of the claims in words whose violations have scripts, with all of these."""
    path = shared / "in words"
    with FileLock(f"{path}.lock"):
        if not path.exists():
            every = {
                name: list(universal(encoded(entry(name)), scripts_of_all=True))
                for name in IN_WORDS
            }
            path.write_bytes(pickle.dumps(every))
        found: dict[str, list[Finding]] = pickle.loads(path.read_bytes())
    return found


def displays(shared: Path, paper: str) -> dict[str, list[Record]]:
    """What is shown beside the claims of a paper."""
    path = shared / f"{paper}, displays"
    with FileLock(f"{path}.lock"):
        if not path.exists():
            path.write_bytes(pickle.dumps(own_displays(paper, Profile.QUICK, displayed(paper))))
        found: dict[str, list[Record]] = pickle.loads(path.read_bytes())
    return found


def _written(store: Store) -> packs.Kept:
    """What all processes have written so far."""
    kept = packs.Kept()
    for path in store.records.iterdir():
        for block in packs.read(path, whole=True):
            kept.add(block)
    return kept


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
