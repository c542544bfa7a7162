"""What a user types to name claims: an id, a paper, or a file of one's own."""

from fedbounds.errors import FedboundsError
from fedbounds.theory.catalogue import Entry, entry, select


def entries_named(names: tuple[str, ...]) -> tuple[Entry, ...]:
    """Entries of the named papers, claims and files; all papers if none is named."""
    return select(names)


def entry_named(name: str) -> Entry:
    """The entry of a claim: "personalization/thm-3.7", "FILE.py::rate", or FILE.py with one claim.

    Raises
    ------
    FedboundsError
        If there is no such claim, or the file has several.
    """
    if "/" in name and not name.endswith(".py"):
        return entry(name)
    found = entries_named((name,))
    if len(found) != 1:
        raise FedboundsError(f"{name!r} has {len(found)} claims; expected one")
    return found[0]
