"""What the quick plan of a paper says, judged once for all processes of a test session."""

import pickle
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from filelock import FileLock

from fedbounds.theory.language.registry import encoded_claims
from fedbounds.verify.decide.case import Case
from fedbounds.verify.decide.profile import Profile
from fedbounds.verify.judge.judge import judge
from fedbounds.verify.judge.plan import own_cases
from fedbounds.verify.results.records import record

Record = dict[str, Any]


def planned(paper: str) -> Iterable[Case]:
    """Its cases."""
    return own_cases(paper, Profile.QUICK, 0)


def judged(shared: Path, paper: str) -> list[Record]:
    """Records of all claims on all cases, in their order; the first process that asks judges."""
    shared.mkdir(exist_ok=True)
    found = shared / f"{paper}.pickle"
    with FileLock(f"{found}.lock"):
        if not found.exists():
            claims = encoded_claims(paper)
            every = (judge(claims, case).judgements for case in planned(paper))
            found.write_bytes(pickle.dumps([record(one, "") for own in every for one in own]))
    kept: list[Record] = pickle.loads(found.read_bytes())
    return kept


def verdicts(records: Iterable[Record]) -> dict[tuple[str, str, str], set[str]]:
    """Of every part of every reading: by claim, reading and part."""
    found = dict[tuple[str, str, str], set[str]]()
    for row in records:
        for part in row["parts"]:
            key = row["claim"], row["reading"], part["part"]
            found.setdefault(key, set()).add(part["verdict"])
    return found
