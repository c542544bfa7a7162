"""``fedbounds prove``: replay proofs; measure only the claims that have a step without proof.

An exact instance that breaks a claim makes its unproved step false; nothing is accepted because
it was measured.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.catalogue import Entry
from fedbounds.theory.language.claims import Claim
from fedbounds.theory.language.registry import encoded
from fedbounds.theory.proof.library import book_of, certificates, has_book
from fedbounds.theory.proof.replay import Local

from ..judge.given import with_givens
from ..judge.proofs import Proofs, proof_rows, prove, proves, with_measurements
from ..results.accepted import kept_answers, with_answers
from ..results.kept import kept_steps
from ..results.run import Results, Settings, run
from ..results.store import Store

Record = dict[str, Any]


@dataclass(frozen=True)
class Proved:
    """What replay shows.

    Attributes
    ----------
    rows : dict
        Of the proofs, as in the results document.
    measured : list of summaries
        Of the claims that were measured.
    """

    rows: Record
    measured: list[Record]


def require_proofs(entries: Sequence[Entry]) -> None:
    """Refuse claims that were named by themselves and have no proof; nothing is replayed.

    Raises
    ------
    FedboundsError
        With the ids of these claims.
    """
    books = {e.paper: book_of(e.paper).steps for e in entries if has_book(e.paper)}
    lacking = [
        entry.id
        for entry in entries
        if not any(proves(written, entry.id) for written in books.get(entry.paper, ()))
    ]
    if lacking:
        have = "has" if len(lacking) == 1 else "have"
        raise FedboundsError(
            f"{', '.join(lacking)} {have} no proof: there is nothing to replay; "
            "`fedbounds show CLAIM` tells what is known"
        )


def prove_entries(entries: Sequence[Entry], settings: Settings, store: Store) -> Proved:
    """Replay the proofs of these claims, and measure those that have a step without proof.

    Raises
    ------
    ConflictError
        If a proved step is broken on a run.
    """
    entries = with_givens(entries)
    with store.writing():
        proofs = prove([entry.id for entry in entries], partial(kept_steps, store))
        store.pack()
    doubtful = [entry for entry in entries if _is_doubtful(entry, proofs)]
    results = Results([], [])
    if doubtful:
        results = run(doubtful, settings, store)
        proofs = with_measurements(proofs, results.records, _witnesses(results))
    claims = [encoded(entry) for entry in entries if entry.module]
    rows = proof_rows(proofs, [claim for claim in claims if isinstance(claim, Claim)])
    with store.writing():
        rows = with_answers(rows, kept_answers(store))
        store.pack()
    return Proved(rows, results.claims)


def _is_doubtful(entry: Entry, proofs: Proofs) -> bool:
    """Whether a part of the claim has no proof."""
    return any(
        step.written.claim == entry.id and step.written.reading and step.local is not Local.PROVED
        for step in proofs.steps.get(entry.paper, ())
    )


def _witnesses(results: Results) -> dict[tuple[str, str], Record]:
    return {(row["claim"], row["reading"]): row for row in results.records if "instance" in row}


def certificate_data(claims: Iterable[str]) -> Record:
    """Certificates of these claims, by paper, for ``python -m fedbounds.theory.checker``."""
    ids = dict.fromkeys(claims)
    keys = dict.fromkeys(name.partition("/")[0] for name in ids)
    return {key: certificates(key, ids.keys()) for key in keys if has_book(key)}
