"""The difference of what two runs judged, on a screen: gravest first, then what agrees."""

from collections import Counter
from collections.abc import Iterator, Sequence

from rich.table import Table
from rich.text import Text

from fedbounds.verify.page.listing import console
from fedbounds.verify.page.numbers import count, to_float
from fedbounds.vocabulary import Verdict

from .content import Cell, Comparison, Difference, What
from .judged import Content

_LINES = 24  # of differences; the other formats have all
_LEAST = 2  # of each kind that there is
# columns with the most characters of a cell
_SHOWN = {
    "what": 21, "claim": 28, "reading": 20, "part": 12, "called": 26,
    "field": 11, "old": 13, "new": 13, "relative": 8,
}  # fmt: skip


def print_content(comparison: Comparison, old: Content, new: Content) -> None:
    """Print a comparison.

    Parameters
    ----------
    comparison : Comparison
    old, new : Content
        What was compared.
    """
    out = console()
    for word, side in (("OLD", old), ("NEW", new)):
        out.print(Text(f"{word}: {side.run}; {_size(side)}"))
    differences = comparison.differences
    if differences:
        shown = _selected(differences)
        out.print(_table(shown))
        if len(shown) < len(differences):
            out.print(f"and {len(differences) - len(shown)} more; `--format csv` has all")
    counted = Counter(one.what for one in differences)
    told = ", ".join(f"{what} {counted[what]}" for what in What if counted[what])
    out.print(Text(f"differs: {told or 'nothing'}", style="bold"))
    for line in _agreeing(comparison, old):
        out.print(Text(line))


def _size(side: Content) -> str:
    parts = sum(len(record.parts) for record in side.judged)
    told = (count(len(side.claims), "claim"), count(len(side.judged), "record"))
    return f"{', '.join(told)}, {count(parts, 'part')}"


def _selected(differences: Sequence[Difference]) -> list[Difference]:
    """Gravest first, and a few of each kind."""
    seen: Counter[What] = Counter()
    first: list[int] = []
    more: list[int] = []
    for at, one in enumerate(differences):
        (first if seen[one.what] < _LEAST else more).append(at)
        seen[one.what] += 1
    chosen = sorted([*first, *more[: _LINES - len(first)]])
    return [differences[at] for at in chosen]


def _table(differences: Sequence[Difference]) -> Table:
    """Each on a line; columns without a word are left out."""
    names = [
        name for name in _SHOWN if any(getattr(d, name) not in (None, "") for d in differences)
    ]
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in names:
        table.add_column(name, no_wrap=True, overflow="ellipsis")
    for one in differences:
        table.add_row(*(Text(_cell(getattr(one, name), _SHOWN[name])) for name in names))
    return table


def _cell(value: Cell, most: int) -> str:
    """Numbers with few digits, exact ones too."""
    if value is None:
        return "-"
    text, real = str(value), to_float(value)
    if real is not None and len(text) > most:
        return f"{real:.{most - 8}g}"  # the rest for sign, point and exponent
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _agreeing(comparison: Comparison, old: Content) -> Iterator[str]:
    """What agrees, counted."""
    agreed = comparison.agreed
    parts = (part for record in old.judged for part in record.parts)
    broken = sum(part.verdict == Verdict.VIOLATED for part in parts)
    readings = sum(len(claim.readings) for claim in old.claims.values())
    softened = f" ({agreed.softened} of them rationals in OLD)" if agreed.softened else ""
    yield (
        f"parts that agree: {agreed.exact} as rationals; {agreed.rounded} as reals"
        f"{softened}, at most {agreed.widest:.1e} apart; {agreed.wordless} without a number"
    )
    yield (
        f"violations there again: {agreed.violations} of {broken}; "
        f"standings kept: {agreed.standings} of {count(len(old.claims), 'claim')}"
    )
    yield (
        f"of {count(readings, 'reading')}: {agreed.applicable} with as many records that apply "
        f"({agreed.more} with more), {agreed.tightness} as tight ({agreed.tighter} tighter)"
    )
