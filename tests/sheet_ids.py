"""Print the claim ids that a statement sheet defines: python tests/sheet_ids.py SHEET.md

An id is a code span `paper/x`, or `/x` for short, x made of letters, digits, dots and hyphens.
A sheet defines an id in one of four positions; anywhere else a code span is a mention:

    **`paper/x`** ..., **`paper/x` title.**, **`/x`, `/y`**   the start of bold text, anywhere
    - `paper/x` ...                                           the start of a list item
    ## Title - `paper/x` remark                               anywhere in a heading
    | `paper/x`, `/y` | ... |                                 the first cell of a table row

So ordinary prose ("an id written `/x` abbreviates ..."), formulas, fenced code, registers of
readings ("**amb-1 sampling**") and references in later cells define nothing. `/x` takes the paper
of the sheet, which is that of the first full id; an id of another paper in a defining position is
an error. An id is listed once, where it is first defined. Bold text does not run over a line end.
Ranges (`x-1`..`x-7`) are not expanded.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ID = r"`(?:[a-z][a-z0-9]*)?/[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?`"
LEADING_IDS = re.compile(rf"\s*{ID}(?:\s*(?:,|;|and)\s*{ID})*")


def defining_positions(text: str) -> Iterator[str]:
    """The pieces of a sheet in which every id is a definition, in order."""
    fenced = False
    for line in text.splitlines():
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif fenced:
            continue
        elif re.match(r"#{1,6}\s", line):
            yield line
        elif line.lstrip().startswith("|"):
            yield line.lstrip().split("|")[1]
        else:
            item, *others = line.split("**")
            for start in [*re.findall(r"^\s*[-*]\s(.*)", item), *others[::2]]:
                if leading := LEADING_IDS.match(start):
                    yield leading.group()


def sheet_ids(text: str) -> list[str]:
    """The ids a sheet defines, written in full, in order, without repetition."""
    paper, found = None, []
    for position in defining_positions(text):
        for span in re.findall(ID, position):
            prefix, _, name = span.strip("`").partition("/")
            paper = paper or prefix
            if not paper:
                raise ValueError(f"/{name}: abbreviated before any full id names the paper")
            if prefix not in ("", paper):
                raise ValueError(f"{prefix}/{name}: the sheet is about {paper}")
            found.append(f"{paper}/{name}")
    return list(dict.fromkeys(found))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__.splitlines()[0])
    print("\n".join(sheet_ids(Path(sys.argv[1]).read_text(encoding="utf-8"))))
