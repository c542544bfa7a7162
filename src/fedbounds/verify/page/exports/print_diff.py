"""The difference of two runs on the terminal: what determines it, claims, numbers, records."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from fedbounds.verify.page.listing import columns, console
from fedbounds.verify.page.numbers import count

from .difference import ADDED, CLAIM, READING, RECORD, REMOVED, RUN, STEP, Change

_FEW = 12  # rows of numbers and of records; the other formats have all
_NUMBERS = ("tightness", "least_relative_gap")


def print_diff(changes: Sequence[Change], same: Sequence[str], tolerance: float) -> None:
    """Print changes, the most consequential first.

    Parameters
    ----------
    changes : sequence of Change
    same : sequence of str
        Settings that both runs share, in words.
    tolerance : float
        The threshold of numbers, as it was asked for.
    """
    out = console()
    run = [change for change in changes if change.what == RUN]
    words = [c for c in changes if c.what in (CLAIM, READING, STEP) and c.field not in _NUMBERS]
    numbers = [c for c in changes if c.field in _NUMBERS]
    records = [c for c in changes if c.what == RECORD and c.field not in _NUMBERS]
    records.sort(key=lambda c: c.field in (ADDED, REMOVED))
    _print(out, "what determines the results", run, ("field",), len(run))
    out.print(Text(f"same in both: {', '.join(same) or 'nothing'}\n"))
    _print(out, "claims", words, ("claim", "reading", "item", "field"), len(words))
    numbers.sort(key=lambda c: -1.0 if c.relative is None else -c.relative)
    title = f"numbers that differ by more than {tolerance:g}, relative, largest first"
    _print(out, title, numbers, ("claim", "reading", "item", "field", "relative"), _FEW)
    _print(out, "records", records, ("claim", "reading", "item", "field"), _FEW)
    out.print(Text(_counts(changes)))


def _print(
    out: Console, title: str, changes: Sequence[Change], names: Sequence[str], most: int
) -> None:
    if not changes:
        return
    out.print(Text(title, style="bold"))
    shown = columns(*names, "old", "new")
    for change in changes[:most]:
        cells = [_text(getattr(change, name)) for name in (*names, "old", "new")]
        shown.add_row(*map(Text, cells))
    out.print(shown)
    if len(changes) > most:
        out.print(f"and {len(changes) - most} more; `--format csv` has all")
    out.print()


def _text(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _counts(changes: Sequence[Change]) -> str:
    """How many of each were added, removed or changed."""
    told = []
    for what in (CLAIM, READING, STEP, RECORD):
        own = [change for change in changes if change.what == what]
        found = Counter(
            change.field if change.field in (ADDED, REMOVED) else "changed"
            for change in {(c.claim, c.reading, c.item): c for c in own}.values()
        )
        if found:
            total = count(sum(found.values()), what)
            told.append(f"{total}: {', '.join(f'{n} {word}' for word, n in found.items())}")
    return "; ".join(told) if told else "no result differs"
