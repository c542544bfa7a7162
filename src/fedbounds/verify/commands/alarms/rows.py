"""Which parts are proved, each once, and what their statements are as one hash."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fedbounds.theory.language.catalogue import Entry
from fedbounds.theory.language.claims import Claim, Part, Reading, read
from fedbounds.theory.language.registry import encoded
from fedbounds.theory.proof.library import has_book

from ...judge.proofs import Proofs, asked
from ..audit.stated import formula, supposed


@dataclass(frozen=True, eq=False)
class Row:
    """A part of a proved reading of a claim."""

    claim: Claim
    reading: Reading
    part: Part

    @property
    def key(self) -> tuple[str, str, str]:
        """Claim, reading and part, by name."""
        return self.claim.id, self.reading.name, self.part.name


def every_row(entries: Sequence[Entry]) -> Iterator[Row]:
    """Each part of each reading of these claims; what readings share stands once for each."""
    for entry in entries:
        claim = encoded(entry) if entry.module else None
        if isinstance(claim, Claim):
            for reading in claim.readings:
                yield from (Row(claim, reading, part) for part in read(claim, reading))


def proved_rows(theory: str, entries: Sequence[Entry]) -> tuple[Row, ...]:
    """Those of readings that are proved, by whatever steps; a statement of a claim stands once."""
    every = tuple(every_row(entries))
    if not every or not has_book(theory):
        return ()
    claims = list(dict.fromkeys(row.claim.id for row in every))
    proofs = Proofs({theory: asked(theory, claims)}, {}, {}, {})
    found: dict[tuple[str, str], Row] = {}
    for row in every:
        if proofs.proves(row.claim, row.reading):
            found.setdefault((row.claim.id, _said(row.part)), row)
    return tuple(found.values())


def judged_otherwise(entries: Sequence[Entry]) -> tuple[str, ...]:
    """Claims that are no formulas of a run or a choice: assumptions, equivalences, comparisons."""
    encoded_ones = ((entry.id, encoded(entry)) for entry in entries if entry.module)
    return tuple(name for name, claim in encoded_ones if not isinstance(claim, Claim))


def digest(entries: Sequence[Entry]) -> str:
    """A hash of what all parts of these claims say, proved or not."""
    said = (" ".join((*row.key, _said(row.part))) for row in every_row(entries))
    return hashlib.sha256("\n".join(said).encode()).hexdigest()[:16]


def _said(part: Part) -> str:
    return f"{formula(part)} | {supposed(part)}"
