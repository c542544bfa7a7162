"""Proofs on the page: per claim its steps as formulas, those that fail first, then open ones."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fedbounds.vocabulary import ProofStatus

from . import steps
from .detail import Room
from .formulas import ClaimView
from .numbers import listed
from .proof_steps import Source, StepView, step_view, terms

Record = dict[str, Any]


@dataclass(frozen=True)
class ProofView:
    """The proof of a claim: steps that fail, that are open, and all of them by reading.

    Attributes
    ----------
    grave : bool
        Whether a step of the headline reading fails.
    terms : tuple of str
        Conditions and assumptions that most steps have; a step tells its own where they differ.
    """

    status: str
    grave: bool
    meaning: str
    counted: str
    supposed: str
    givens: tuple[str, ...]
    failed: tuple[StepView, ...]
    open: tuple[StepView, ...]
    missing: tuple[str, ...]
    terms: tuple[str, ...]
    chains: tuple[tuple[str, tuple[StepView, ...]], ...]


def source_of(
    document: Record, folder: Path | None, room: Room, views: Mapping[str, ClaimView]
) -> Source:
    """The proofs of a document, with the claim of every step by paper and id."""
    proofs = document["proofs"]
    if proofs:
        from fedbounds.theory.proof.library import papers

        papers()  # their notation is known once they are loaded
    shown = document["claims"]
    claims = {
        (key.partition("/")[0], step["id"]): key
        for key, row in steps.claims_of(proofs).items()
        for step in row["steps"]
        if key in shown
    }
    parts = {
        (key, reading, part.name)
        for key, view in views.items()
        for reading, own in view.readings.items()
        for part in own
    }
    return Source(proofs, folder, room, claims, frozenset(parts))


def proof_view(source: Source, claim_id: str, headline: str) -> ProofView | None:
    """The proof of a claim, ``headline`` the reading that decides; None if none was replayed."""
    row = source.proofs.get(claim_id)
    if row is None:
        return None
    own, supposed = row["steps"], steps.supposed(claim_id, row, source.proofs)
    readings = dict.fromkeys([headline, *(step["reading"] or headline for step in own)])
    views = [(step["reading"] or headline, step_view(source, claim_id, step)) for step in own]
    chains = [(name, tuple(v for r, v in views if r == name)) for name in readings]
    shown = {id(step): view for step, (_, view) in zip(own, views, strict=True)}
    return ProofView(
        status=row["status"],
        grave=steps.fails(row),
        meaning=steps.MEANING[ProofStatus(row["status"])],
        counted=_counted(own),
        supposed=supposed.words if supposed.names else "",
        givens=tuple(
            f"{name} (measured nowhere)" if name in supposed.unmeasured else name
            for name in supposed.names
        ),
        failed=tuple(shown[id(step)] for step in steps.failing(row)),
        open=tuple(shown[id(step)] for step in steps.unsettled(own)),
        missing=tuple(steps.missing_parts(row)),
        terms=_usual_terms(claim_id.partition("/")[0], own),
        chains=tuple(chain for chain in chains if chain[1]),
    )


def _counted(own: Sequence[Record]) -> str:
    resting = sum(1 for step in own if step["local"] == steps.PROVED and not step["inherited"])
    text = listed(steps.by_local(steps.counted(own)))
    return f"{text} ({resting} of these from steps that are not)" if resting else text


def _usual_terms(paper: str, own: Sequence[Record]) -> tuple[str, ...]:
    """Those of most steps; none if no two steps share theirs."""
    (found, times), *_ = Counter(terms(paper, step) for step in own).most_common(1) or [((), 0)]
    return found if times > 1 else ()


def given_views(source: Source) -> list[tuple[str, tuple[StepView, ...]]]:
    """Per paper what its proofs suppose, then the definitions."""
    found = [
        (key, sorted(own, key=lambda step: not step["supposed"]))
        for key, own in steps.given_of(source.proofs).items()
    ]
    return [(key, tuple(step_view(source, key, step) for step in own)) for key, own in found]
