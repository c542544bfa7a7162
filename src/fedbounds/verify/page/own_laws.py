"""The laws of the user's algorithms in the terminal: broken ones first, with both sides."""

from collections.abc import Sequence

from rich.text import Text

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.catalogue import Entry

from ..own.known import is_loaded, theory_of
from ..own.laws import Checked, check_laws
from .listing import console


def print_laws(entries: Sequence[Entry]) -> None:
    """The common laws on the algorithm of every own theory among the entries.

    Raises
    ------
    FedboundsError
        If none of them is of a file of one's own.
    """
    own = [key for key in dict.fromkeys(entry.paper for entry in entries) if is_loaded(key)]
    if not own:
        raise FedboundsError("--laws is about algorithms of your own; name a FILE")
    out = console()
    for key in own:
        theory = theory_of(key)
        found = check_laws(theory)
        out.print(Text(f"laws of {theory.algorithm.name} ({key})", style="bold"))
        for one in sorted(found, key=_gravity):
            out.print(Text(f"  {one.verdict}: {one.law}"), soft_wrap=True)
            if one.reason:
                out.print(Text(f"    {one.reason}"), soft_wrap=True)
        out.print()


def _gravity(found: Checked) -> int:
    return ("broken", "not checked", "kept").index(found.verdict)
