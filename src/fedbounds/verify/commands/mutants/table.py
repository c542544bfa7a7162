"""Tables of mutants as text: all of a paper, of which those that read alike share a line."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass
from itertools import groupby

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.claims import Part, read
from fedbounds.theory.language.registry import encoded_claims, neighbours

from ...decide.case import Case
from ...decide.measurement import fingerprint
from .operators import Operator
from .rows import Outcome, Row

_COLUMNS = (
    "claim", "part", "operator", "place", "outcome", "proof", "set-up", "why", "changes",
)  # fmt: skip
_BETWEEN = "; "
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
    seen: str
    why: str
    change: str


@dataclass(frozen=True)
class Table:
    """What a file holds.

    Attributes
    ----------
    command : str
        That wrote it.
    theory, engine : str
        Digests: of the statements, neighbours and planned set-ups of the paper; and of the
        program, which says what wrote the table and not whether it is out of date.
    lines : tuple of Line
    """

    command: str
    theory: str
    engine: str
    lines: tuple[Line, ...]


def line_of(row: Row) -> Line:
    """A row as text."""
    mutant = row.mutant
    cells = (
        row.claim.partition("/")[2], mutant.original.name, mutant.operator.value, mutant.place,
        row.outcome.value, row.proof, row.seen, row.why, mutant.change,
    )  # fmt: skip
    *key, change = (cell.translate(_SEPARATORS) for cell in cells)
    return _line(key, change)


def theory_digest(paper: str, cases: Iterable[Case]) -> str:
    """Of all that the mutants of a paper are made of and measured on, but for the program."""
    found = hashlib.sha256(repr(neighbours(paper)).encode())
    for claim in encoded_claims(paper):
        found.update(claim.id.encode())
        for part in read(claim, claim.readings[0]):
            found.update(_said(part).encode())
    for case in cases:
        found.update(f"{case.name} {fingerprint(case.setup)}".encode())
    return found.hexdigest()[:16]


def _said(part: Part) -> str:
    return repr(
        (part.name, str(part.left), part.relation.value, str(part.right), part.index.value,
         part.first_round, [str(c) for c in part.conditions], sorted(map(str, part.assumptions)),
         part.algorithm, part.scopes)
    )  # fmt: skip


def counts(lines: Sequence[Line]) -> Iterator[tuple[str, ...]]:
    """Of every operator how many mutants have each outcome, and of all."""
    number = Counter((line.operator, line.outcome) for line in lines)
    known = [o.value for o in Outcome]
    yield ("operator", *known, "all")
    for operator in [o.value for o in Operator]:
        row = [number[operator, outcome] for outcome in known]
        if any(row):
            yield (operator, *map(str, row), str(sum(row)))
    total = [sum(number[o.value, outcome] for o in Operator) for outcome in known]
    yield ("all", *map(str, total), str(len(lines)))


def to_text(table: Table) -> str:
    """The file: mutants of one place with one outcome share a line."""
    head = [f"# {table.command}", f"# theory {table.theory}", f"# engine {table.engine}"]
    rows = ["\t".join(_COLUMNS)]
    for key, group in groupby(table.lines, lambda line: astuple(line)[:-1]):
        rows.append("\t".join((*key, _BETWEEN.join(line.change for line in group))))
    return "\n".join((*head, *rows)) + "\n"


def _line(cells: Sequence[str], change: str) -> Line:
    claim, part, operator, place, outcome, proof, seen, why = cells
    return Line(claim, part, operator, place, outcome, proof, seen, why, change)


def from_text(text: str) -> Table:
    """What `to_text` wrote.

    Raises
    ------
    FedboundsError
        If it is no such file.
    """
    head: list[str] = []
    rows: list[str] = []
    for line in text.splitlines():
        (head if line.startswith("# ") else rows).append(line)
    if len(head) != 3 or not rows or rows[0] != "\t".join(_COLUMNS):
        raise FedboundsError("no table of mutants")
    command, theory, engine = (one.removeprefix("# ") for one in head)
    lines = []
    for row in rows[1:]:
        key, _, changes = row.rpartition("\t")
        lines += [_line(key.split("\t"), change) for change in changes.split(_BETWEEN)]
    return Table(command, theory.partition(" ")[2], engine.partition(" ")[2], tuple(lines))
