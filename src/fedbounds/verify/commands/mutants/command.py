"""The command ``fedbounds mutants``: every small change of statements, and what catches it."""

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..options import OutputFolder

if TYPE_CHECKING:
    from fedbounds.theory.language.claims import Claim

    from .begun import Begun
    from .table import Line, Table

_SHOWN = 20  # misses on the terminal
_SUFFIX = ".tsv"
_TOGETHER = 8  # claims that look at each set-up one after another, which is measured once for them
COUNTS = "counts.md"


@click.command()
@click.argument("names", nargs=-1, metavar="[PAPER|CLAIM]...")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0))
@click.option(
    "--out", metavar="DIR", type=OutputFolder(), help="Write a table of each paper, and the counts."
)
@click.option(
    "--workers",
    default=2,
    show_default=True,
    type=click.IntRange(1),
    help="Processes; they never change a table.",
)
def mutants(names: tuple[str, ...], seed: int, out: Path | None, workers: int) -> None:
    """Change every statement in every small way; show what catches each change.

    Constants are halved and doubled, exponents one more and one less, names give place to their
    neighbours; squares, hats, conditions and assumptions are dropped, relations turned. In a file
    of one's own the algorithm is changed too, line by line. A change is caught if numbers satisfy
    what the proof cites and break it, or if a planned set-up of seed SEED breaks it in exact
    arithmetic, and neither is so of the original. What is finished when a table is interrupted is
    kept in DIR, and is not made again.
    """
    from ...own.names import entries_named

    entries = [entry for entry in entries_named(names) if entry.module]
    from fedbounds.theory.language.claims import Claim
    from fedbounds.theory.language.registry import encoded

    from ...results.processes import collect_seldom

    collect_seldom()
    claims = [found for found in map(encoded, entries) if isinstance(found, Claim)]
    tables = {}
    for paper in dict.fromkeys(claim.entry.paper for claim in claims):
        own = [claim for claim in claims if claim.entry.paper == paper]
        left_out = sum(entry.paper == paper for entry in entries) - len(own)
        kept = _statements(paper, own, left_out, names, seed, out, workers)
        tables[paper] = replace(kept.table, lines=(*kept.table.lines, *_algorithm(paper)))
        _show(paper, tables[paper])
        if out is not None:
            _write(out, paper, tables[paper])
            kept.done()
    refuse_conflicts(tables)


def _statements(
    paper: str,
    claims: "list[Claim]",
    left_out: int,
    names: tuple[str, ...],
    seed: int,
    out: Path | None,
    workers: int,
) -> "Begun":
    """Some claims after others, so that what is finished is kept."""
    from fedbounds.theory.language.contributed import declared

    from ...results.engine import engine_of
    from ...results.processes import worker_pool
    from .batch import lines_of
    from .begun import begun
    from .table import Table, theory_digest

    other = declared(paper)
    own = " ".join(name for name in names if name.partition("/")[0] == paper) or paper
    told = own if other is None or not other.file else other.file
    command = " ".join(("fedbounds mutants", told, "--seed", str(seed)))
    empty = Table(command, theory_digest(paper), engine_of(paper), left_out, ())
    kept = begun(out, paper, empty)
    left = [claim.id for claim in claims if not kept.has(claim.id)]
    batches = [left[at : at + _TOGETHER] for at in range(0, len(left), _TOGETHER)]
    file = other.file if other is not None else ""
    several = workers > 1 and len(batches) > 1
    pools = worker_pool(workers, (file,) if file else ()) if several else nullcontext()
    with pools as pool:
        each: Any = map if pool is None else pool.map
        every = each(lines_of, repeat(paper), batches, repeat(seed))
        for number, lines in enumerate(every, 1):
            kept.add(lines)
            if several:
                click.echo(f"{paper}: {number} of {len(batches)} parts", err=True)
    return kept


def _algorithm(paper: str) -> "Iterator[Line]":
    """Of a file's algorithm; of a paper's there is none."""
    from fedbounds.theory.language.contributed import declared

    from ...own.known import theory_of
    from .of_file import of_algorithm

    return of_algorithm(theory_of(paper)) if declared(paper) is not None else iter(())


def refuse_conflicts(tables: "dict[str, Table]") -> None:
    """Raise ConflictError if a mutant, or its original, is both proved and violated."""
    from fedbounds.errors import ConflictError

    from .rows import Outcome

    for paper, table in tables.items():
        for line in table.lines:
            if line.outcome == Outcome.CONFLICT.value:
                told = f"{paper}/{line.claim} {line.part} {line.place}: {line.change}"
                raise ConflictError(f"{told}: proved, violated by {line.first or line.seen!r}")


def _show(paper: str, table: "Table") -> None:
    from rich.text import Text

    from ...page.listing import columns, console
    from .rows import Outcome
    from .table import counts

    out = console()
    head, *body = counts(table.lines)
    shown = columns(*head)
    for row in body:
        shown.add_row(*map(Text, row))
    out.print(f"\n{paper}: {len(table.lines)} mutants")
    out.print(shown)
    if table.left_out:
        out.print(f"{table.left_out} claims without an inequality or identity have no mutants")
    missed = [line for line in table.lines if line.outcome == Outcome.MISSED.value]
    for line in missed[:_SHOWN]:
        place = " ".join(filter(None, (line.claim, line.part, line.place)))
        told = "; ".join(filter(None, (line.proof, line.why)))
        out.print(Text(f"missed: {place}: {line.change} ({told})"))
    if len(missed) > _SHOWN:
        out.print(f"... and {len(missed) - _SHOWN} more, which --out writes")


def _write(out: Path, paper: str, table: "Table") -> None:
    """The table, and the counts of all that are in the folder."""
    from ...results.files import file_of, make_folder, write_text
    from .table import from_text, to_text

    make_folder(out)
    path = file_of(out, f"{paper}{_SUFFIX}")
    write_text(path, to_text(table))
    every = {
        path.stem: from_text(path.read_text("utf-8")) for path in sorted(out.glob(f"*{_SUFFIX}"))
    }
    write_text(file_of(out, COUNTS), counted(every))
    click.echo(f"written: {path}", err=True)


def counted(tables: "dict[str, Table]") -> str:
    """How many mutants of each paper have each outcome, as Markdown."""
    from .table import counts

    found = []
    for paper, table in tables.items():
        head, *body = counts(table.lines)
        lines = [head, ("---", *("---:" for _ in head[1:])), *body]
        rows = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        made = f"`{table.command}`, theory `{table.theory}`, engine `{table.engine}`"
        found.append(f"### {paper}\n\n{made}\n\n{rows}\n")
    return "\n".join(found)
