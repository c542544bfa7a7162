"""What is not a record and takes long, kept with the records.

It is as before, if neither the paper nor the engine changed.
"""

from collections.abc import Collection, Sequence
from typing import Any

from fedbounds.theory.language.contributed import contributed

from ..decide.profile import Profile
from ..judge.plan import own_displays
from ..judge.proofs import seen_of
from ..judge.seen import Seen
from .engine import engine_of
from .store import Store, paper_of

Record = dict[str, Any]


def kept_steps(store: Store, paper: str, names: Sequence[str]) -> dict[str, Seen]:
    """What runs show of these proof steps."""
    key = f"{engine_of(paper)}-steps"
    known = store.note(paper, key) or {}
    if missing := [name for name in names if name not in known]:
        found = seen_of(paper, missing)
        fresh = {name: vars(found[name]) if name in found else None for name in missing}
        known = {**known, **fresh}
        store.save_note(paper, key, known)
    return {name: Seen(**one) for name in names if (one := known[name]) is not None}


def kept_displays(
    store: Store, paper: str, profile: Profile, claims: Collection[str]
) -> dict[str, list[Record]]:
    """Measured scalings that are shown beside these of its claims, by claim."""
    key = f"{engine_of(paper)}-displays-{profile.value}"
    known = (store.note(paper, key) or {"displays": {}})["displays"]
    own = [claim for claim in claims if paper_of(claim) == paper]
    if missing := sorted(claim for claim in own if claim not in known):
        found = own_displays(paper, profile, missing)
        known = {**known, **{claim: found.get(claim, []) for claim in missing}}
        store.save_note(paper, key, {"displays": known})
    return {claim: known[claim] for claim in own if known[claim]}


def kept_later(store: Store, paper: str, profile: Profile) -> None:
    """Have it known what holds of a file's runs of any length; of what is no file, nothing is."""
    other = contributed(paper)
    if other is None or other.later is None:
        return
    key = f"{engine_of(paper)}-later-{profile.value}"
    known = store.note(paper, key)
    found = other.later(profile, known)
    if known is None:
        store.save_note(paper, key, dict(found))
