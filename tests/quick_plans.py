"""What the quick plan of a paper says, judged once for all processes of a test session."""

import pickle
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from fedbounds.theory.language.registry import encoded_claims
from fedbounds.verify.decide.case import Case
from fedbounds.verify.decide.profile import Profile
from fedbounds.verify.judge.judge import judge
from fedbounds.verify.judge.plan import own_cases
from fedbounds.verify.results.records import record

Record = dict[str, Any]
_PIECES = 12


def planned(paper: str) -> Iterable[Case]:
    """Its cases."""
    return own_cases(paper, Profile.QUICK, 0)


def judged(shared: Path, paper: str) -> list[Record]:
    """Records of all claims on all cases, in their order; processes that ask share the work."""
    shared.mkdir(exist_ok=True)
    files = [shared / f"{paper}-{piece}.pickle" for piece in range(_PIECES)]
    for wait in (False, True):  # what nobody is at; then what others have begun
        for piece, file in enumerate(files):
            try:
                with FileLock(f"{file}.lock", blocking=wait):
                    if not file.exists():
                        file.write_bytes(pickle.dumps(_records(paper, piece)))
            except Timeout:
                continue
    return [row for file in files for row in pickle.loads(file.read_bytes())]


def _records(paper: str, piece: int) -> list[Record]:
    """Of one of the pieces in which the cases follow each other."""
    claims, cases = encoded_claims(paper), list(planned(paper))
    first, end = (len(cases) * at // _PIECES for at in (piece, piece + 1))
    every = (judge(claims, case).judgements for case in cases[first:end])
    return [record(one, "") for own in every for one in own]


def verdicts(records: Iterable[Record]) -> dict[tuple[str, str, str], set[str]]:
    """Of every part of every reading: by claim, reading and part."""
    found = dict[tuple[str, str, str], set[str]]()
    for row in records:
        for part in row["parts"]:
            key = row["claim"], row["reading"], part["part"]
            found.setdefault(key, set()).add(part["verdict"])
    return found
