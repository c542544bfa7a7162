"""What a user's claims rest on is judged with them: a given counts as far as it is measured."""

from collections.abc import Sequence

from fedbounds.theory.language.catalogue import Entry, entry
from fedbounds.theory.language.contributed import declared


def with_givens(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """The entries, and all that those that files declare rest on, directly or not."""
    found: dict[str, Entry] = {one.id: one for one in entries}
    waiting = [one for one in entries if declared(one.paper) is not None]
    while waiting:
        for used in waiting.pop().uses:
            if used not in found:
                found[used] = entry(used)
                waiting.append(found[used])
    return tuple(found.values())
