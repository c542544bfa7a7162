"""What runs show of proof steps, kept with the records."""

from collections.abc import Sequence

from ..judge.proofs import seen_of
from ..judge.seen import Seen
from .engine import engine_of
from .store import Store


def kept_steps(store: Store, paper: str, names: Sequence[str]) -> dict[str, Seen]:
    """What was seen of these steps: as before, if neither the paper nor the engine changed."""
    key = f"{engine_of(paper)}-steps"
    known = store.note(paper, key) or {}
    if missing := [name for name in names if name not in known]:
        found = seen_of(paper, missing)
        fresh = {name: vars(found[name]) if name in found else None for name in missing}
        known = {**known, **fresh}
        store.save_note(paper, key, known)
    return {name: Seen(**one) for name in names if (one := known[name]) is not None}
