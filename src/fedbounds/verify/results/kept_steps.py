"""What runs show of proof steps, kept with the records."""

from ..judge.proofs import seen_of
from ..judge.seen import Seen
from .engine import engine_of
from .store import Store


def kept_steps(store: Store, paper: str) -> dict[str, Seen]:
    """What was seen of a paper's steps: as before, if neither the paper nor the engine changed."""
    key = f"{engine_of(paper)}-steps"
    known = store.note(paper, key)
    if known is None:
        found = seen_of(paper)
        store.save_note(paper, key, {name: vars(one) for name, one in found.items()})
        return found
    return {name: Seen(**one) for name, one in known.items()}
