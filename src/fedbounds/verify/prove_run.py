"""``fedbounds prove``: replay proofs; measure only the claims that have a step without proof.

An exact instance that breaks a claim makes its unproved step false; nothing is accepted because
it was measured.
"""

from collections.abc import Sequence
from typing import Any

from fedbounds.theory.catalogue import Entry
from fedbounds.theory.claims import Claim
from fedbounds.theory.proof.library import certificates
from fedbounds.theory.proof.replay import Local
from fedbounds.theory.registry import encoded

from .given import with_givens
from .proofs import Proofs, proof_rows, prove, with_measurements
from .run import Results, Settings, run
from .store import Store

Record = dict[str, Any]


def prove_entries(entries: Sequence[Entry], settings: Settings, store: Store) -> Record:
    """Rows of the proofs of these claims, as in the results document.

    Raises
    ------
    ConflictError
        If a proved step is broken on a run, or a proved claim by an exact instance.
    """
    entries = with_givens(entries)
    proofs = prove(tuple(dict.fromkeys(entry.paper for entry in entries)))
    doubtful = [entry for entry in entries if _is_doubtful(entry, proofs)]
    if doubtful:
        results = run(doubtful, settings, store)
        proofs = with_measurements(proofs, results.records, _witnesses(results))
    claims = [encoded(entry) for entry in entries if entry.module]
    return proof_rows(proofs, [claim for claim in claims if isinstance(claim, Claim)])


def _is_doubtful(entry: Entry, proofs: Proofs) -> bool:
    """Whether a part of the claim has no proof."""
    return any(
        step.written.claim == entry.id and step.written.reading and step.local is not Local.PROVED
        for step in proofs.steps.get(entry.paper, ())
    )


def _witnesses(results: Results) -> dict[tuple[str, str], Record]:
    return {(row["claim"], row["reading"]): row for row in results.records if "instance" in row}


def certificate_data(papers: Sequence[str]) -> Record:
    """All certificates of these papers, for ``python -m fedbounds.theory.checker``."""
    return {paper: certificates(paper) for paper in papers}
