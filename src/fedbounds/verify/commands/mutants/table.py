"""Tables of mutants as text: all of a paper, of which those that read alike share a line."""

import ast
import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass
from itertools import zip_longest

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.claims import Part, read
from fedbounds.theory.language.contributed import declared
from fedbounds.theory.language.registry import encoded_claims, neighbours

from ...own.examples import file_of
from .algorithms import Slip
from .operators import Mutant, Operator
from .rows import Outcome, Row

_COLUMNS = (
    "claim", "part", "operator", "place", "outcome", "proof", "why", "original broken by",
    "set-up", "changes",
)  # fmt: skip
_BETWEEN = "; "
_DITTO = '"'
_SEPARATORS = str.maketrans("\t\n;", "  ,")


@dataclass(frozen=True)
class Line:
    """A mutant as a table tells it; see `rows.Row`."""

    claim: str
    part: str
    operator: str
    place: str
    outcome: str
    proof: str
    why: str
    first: str
    seen: str
    change: str


@dataclass(frozen=True)
class Table:
    """What a file holds.

    Attributes
    ----------
    command : str
        That wrote it.
    theory, engine : str
        Digests: of the statements and neighbours of the paper; and of the program, which says
        what wrote the table and not whether it is out of date.
    left_out : int
        Claims asked for that have no mutants, as they have no inequality or identity.
    lines : tuple of Line
    """

    command: str
    theory: str
    engine: str
    left_out: int
    lines: tuple[Line, ...]


def cell(text: str) -> str:
    """Text without what separates cells."""
    return text.translate(_SEPARATORS)


def line_of(row: Row) -> Line:
    """A row as text."""
    mutant = row.mutant
    cells = (
        row.claim.partition("/")[2], mutant.original.name, mutant.operator.value, mutant.place,
        row.outcome.value, row.proof, row.why, row.first, row.seen, mutant.change,
    )  # fmt: skip
    return Line(*map(cell, cells))


def key_of(part: str, mutant: Mutant) -> tuple[str, str, str, str]:
    """What names a mutant of a claim in a table: part, operator, place, change."""
    return part, mutant.operator.value, cell(mutant.place), cell(mutant.change)


def theory_digest(paper: str) -> str:
    """Of all that the mutants of a paper are made of, but for the program."""
    found = hashlib.sha256(repr(neighbours(paper)).encode())
    other = declared(paper)
    if other is not None and other.file:  # the algorithm is changed too
        found.update(_code(file_of(other.file).read_text("utf-8")).encode())
    for claim in encoded_claims(paper):
        found.update(claim.id.encode())
        for part in read(claim, claim.readings[0]):
            found.update(_said(part).encode())
    return found.hexdigest()[:16]


def _code(text: str) -> str:
    """A file without what it says of itself."""
    tree = ast.parse(text)
    return ast.unparse(ast.Module([x for x in tree.body if not _is_text(x)], []))


def _is_text(node: ast.stmt) -> bool:
    value = node.value if isinstance(node, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def _said(part: Part) -> str:
    return repr(
        (part.name, str(part.left), part.relation.value, str(part.right), part.index.value,
         part.first_round, [str(c) for c in part.conditions], sorted(map(str, part.assumptions)),
         part.algorithm, part.scopes)
    )  # fmt: skip


def counts(lines: Sequence[Line]) -> Iterator[tuple[str, ...]]:
    """Of every operator how many mutants have each outcome, and of all."""
    number = Counter((line.operator, line.outcome) for line in lines)
    known = [o.value for o in Outcome if any(line.outcome == o.value for line in lines)]
    yield ("operator", *known, "all")
    for operator in [o.value for o in (*Operator, *Slip)]:
        row = [number[operator, outcome] for outcome in known]
        if any(row):
            yield (operator, *map(str, row), str(sum(row)))
    total = [sum(line.outcome == outcome for line in lines) for outcome in known]
    yield ("all", *map(str, total), str(len(lines)))


def to_text(table: Table) -> str:
    """The file: set-ups have numbers, mutants of one place with one outcome share a line.

    A cell that is that of the line above is a ditto mark.
    """
    names = dict.fromkeys(name for x in table.lines for name in (x.first, x.seen) if name)
    numbers = {"": "", **{name: str(at) for at, name in enumerate(names, 1)}}
    head = [table.command, f"theory {table.theory}", f"engine {table.engine}",
            f"without mutants {table.left_out}", *names]  # fmt: skip
    rows: dict[tuple[str, ...], list[str]] = {}
    for line in table.lines:
        *key, first, seen, change = astuple(line)
        rows.setdefault((*key, numbers[first], numbers[seen]), []).append(change)
    whole = [(*key, _BETWEEN.join(changes)) for key, changes in rows.items()]
    body = ("\t".join(_ditto(row, above)) for row, above in zip(whole, ((), *whole), strict=False))
    return "\n".join((*(f"# {x}" for x in head), "\t".join(_COLUMNS), *body)) + "\n"


def _ditto(row: Sequence[str], above: Sequence[str]) -> list[str]:
    same = [one == other != "" for one, other in zip(row, above, strict=False)]
    return [_DITTO if alike else cell for cell, alike in zip_longest(row, same)]


def from_text(text: str) -> Table:
    """What `to_text` wrote; lines that share one are together.

    Raises
    ------
    FedboundsError
        If it is no such file.
    """
    every = text.splitlines()
    head = [line.removeprefix("# ") for line in every if line.startswith("# ")]
    names, rows = head[4:], every[len(head) :]
    if len(head) < 4 or not rows or rows[0] != "\t".join(_COLUMNS):
        raise FedboundsError("no table of mutants")
    command, theory, engine, left_out = (
        head[0],
        *(line.rpartition(" ")[2] for line in head[1:4]),
    )
    lines, above = [], [""] * len(_COLUMNS)
    for row in rows[1:]:
        told = zip(row.split("\t"), above, strict=True)
        above = [other if cell == _DITTO else cell for cell, other in told]
        *key, first, seen, changes = above
        where = (names[int(at) - 1] if at else "" for at in (first, seen))
        cells = [*key, *where]
        lines += [Line(*[*cells, change]) for change in changes.split(_BETWEEN)]
    return Table(command, theory, engine, int(left_out), tuple(lines))
