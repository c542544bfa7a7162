"""Proofs on the page: per reading its steps as formulas, those that fail first, then open ones."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fedbounds.vocabulary import ProofStatus

from . import steps
from .addresses import Addresses
from .numbers import listed
from .proof_steps import Source, StepView, step_view, terms

Record = dict[str, Any]


@dataclass(frozen=True)
class Chain:
    """The steps of one reading: those that fail, that are open, and all of them in order.

    Attributes
    ----------
    accepted : str
        By whom its proved steps are; empty without any.
    terms : tuple of str
        Conditions and assumptions that most steps have; a step tells its own where they differ.
    means : str
        Over which indices their means are taken as well; empty for none.
    """

    counted: str
    accepted: str
    terms: tuple[str, ...]
    means: str
    failed: tuple[StepView, ...]
    open: tuple[StepView, ...]
    steps: tuple[StepView, ...]


@dataclass(frozen=True)
class ProofView:
    """The proof of a claim, with the steps of the headline reading apart from those of others."""

    status: str
    meaning: str
    supposed: str
    givens: tuple[str, ...]
    missing: tuple[str, ...]
    headline: Chain
    others: dict[str, Chain]


def source_of(document: Record, folder: Path | None) -> Source:
    """The proofs of a document, with the claim of every step by paper and id."""
    proofs = document["proofs"]
    if proofs:
        from fedbounds.theory.proof.library import has_book

        for key in {name.partition("/")[0] for name in proofs}:
            has_book(key)  # its notation is known once it is loaded
    shown = document["claims"]
    claims = {
        (key.partition("/")[0], step["id"]): key
        for key, row in steps.claims_of(proofs).items()
        for step in row["steps"]
        if key in shown
    }
    return Source(proofs, folder, Addresses(shown), claims)


def proof_view(source: Source, claim_id: str, headline: str) -> ProofView | None:
    """The proof of a claim, ``headline`` the reading that decides; None if none was replayed."""
    row = source.proofs.get(claim_id)
    if row is None:
        return None
    own, supposed = row["steps"], steps.supposed(claim_id, row, source.proofs)
    readings: dict[str, list[Record]] = {headline: []}
    for step in own:
        readings.setdefault(step["reading"] or headline, []).append(step)
    chains = {name: _chain(source, claim_id, row, found) for name, found in readings.items()}
    return ProofView(
        status=row["status"],
        meaning=steps.MEANING[ProofStatus(row["status"])],
        supposed=supposed.words if supposed.names else "",
        givens=tuple(
            f"{name} (measured nowhere)" if name in supposed.unmeasured else name
            for name in supposed.names
        ),
        missing=tuple(steps.missing_parts(row)),
        headline=chains.pop(headline),
        others=chains,
    )


def _chain(source: Source, claim_id: str, row: Record, own: Sequence[Record]) -> Chain:
    views = {id(step): step_view(source, claim_id, step) for step in own}
    failed = [step for step in steps.failing(row) if id(step) in views]
    paper = claim_id.partition("/")[0]
    return Chain(
        counted=_counted(own) if own else "none",
        accepted=steps.accepted_by(own),
        terms=_usual_terms(paper, own),
        means=_means(paper, own),
        failed=tuple(views[id(step)] for step in failed),
        open=tuple(views[id(step)] for step in steps.unsettled(own)),
        steps=tuple(views.values()),
    )


def _means(paper: str, own: Sequence[Record]) -> str:
    from fedbounds.theory.language.formula import means_in
    from fedbounds.theory.proof.library import names_of

    return means_in((step[side] for step in own for side in ("left", "right")), names_of(paper))


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
