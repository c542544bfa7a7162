"""The command ``fedbounds mutants``: every small change of statements, and what catches it."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..options import OutputFolder

if TYPE_CHECKING:
    from fedbounds.theory.language.claims import Claim

    from .table import Line, Table

_SHOWN = 20  # misses on the terminal
_SUFFIX = ".tsv"
COUNTS = "counts.md"


@click.command()
@click.argument("names", nargs=-1, metavar="[PAPER|CLAIM]...")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0))
@click.option(
    "--out", metavar="DIR", type=OutputFolder(), help="Write a table of each paper, and the counts."
)
def mutants(names: tuple[str, ...], seed: int, out: Path | None) -> None:
    """Change every statement in every small way; show what catches each change.

    Constants are halved and doubled, exponents one more and one less, names give place to their
    neighbours; squares, hats, conditions and assumptions are dropped, relations turned. In a file
    of one's own the algorithm is changed too, line by line. A change
    is caught if numbers satisfy what the proof cites and break it, or if a planned set-up of seed
    SEED breaks it in exact arithmetic, and neither is so of the original.
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
        tables[paper] = _table(paper, own, left_out, names, seed)
        _show(paper, tables[paper])
        if out is not None:
            _write(out, paper, tables[paper])
    refuse_conflicts(tables)


def _table(
    paper: str, claims: "list[Claim]", left_out: int, names: tuple[str, ...], seed: int
) -> "Table":
    from fedbounds.theory.language.contributed import declared

    from ...decide.profile import Profile
    from ...judge.plan import own_cases
    from ...results.engine import engine_of
    from .rows import rows, subjects
    from .table import Table, line_of, theory_digest

    # the default plan of a file has few cases, and many problems
    profile = Profile.QUICK if declared(paper) is None else Profile.DEFAULT
    cases = tuple(own_cases(paper, profile, seed))
    found = rows(paper, subjects(paper, claims), cases)
    of_algorithm: tuple[Line, ...] = ()
    if declared(paper) is not None:
        from ...own.known import theory_of
        from . import of_file

        theory = theory_of(paper)
        found = [of_file.at_its_edges(theory, row) for row in found]
        of_algorithm = tuple(of_file.of_algorithm(theory))
    other = declared(paper)
    own = " ".join(name for name in names if name.partition("/")[0] == paper) or paper
    told = own if other is None or not other.file else other.file
    return Table(
        " ".join(("fedbounds mutants", told, "--seed", str(seed))),
        theory_digest(paper),
        engine_of(paper),
        left_out,
        (*map(line_of, found), *of_algorithm),
    )


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
