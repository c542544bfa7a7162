"""Errors in claims, which theories plant: one part is changed, and an exact set-up violates it.

What is printed is not violated on the same set-up, so it is the error that is caught.
"""

from dataclasses import replace

from fedbounds.theory.language.catalogue import PAPERS
from fedbounds.theory.language.claims import Claim, Part
from fedbounds.theory.language.planted import Misprint, Replaced, Times, TurnedRound, WrongClaim
from fedbounds.theory.language.registry import claim, planted_claims
from fedbounds.theory.language.setups import Planned, Setup
from fedbounds.vocabulary import Verdict

from ...decide.case import Case
from ...setups.plan import case_of
from .planted import ErrorKind, Planted, Said
from .said import judged, verdict_said


def misprinted(change: Misprint, part: Part) -> Part:
    """The part with the error."""
    if isinstance(change, Replaced):
        return replace(part, right=part.right.subs(dict(change.pairs), simultaneous=True))
    if isinstance(change, Times):
        return replace(part, right=part.right * change.factor)
    if isinstance(change, TurnedRound):
        return replace(part, left=part.right, right=part.left)
    return replace(part, conditions=())


def subject_of(setup: Setup) -> Case:
    """A set-up to judge a claim on; made anew, so that nothing found of another is used again."""
    return case_of(Planned("planted", replace(setup, run=replace(setup.run))), "")


def with_error(paper: str, wrong: WrongClaim) -> Claim:
    """The claim whose part has the error."""
    found = claim(f"{paper}/{wrong.claim}")
    parts = (misprinted(wrong.change, p) if p.name == wrong.part else p for p in found.parts)
    return replace(found, parts=tuple(parts))


def planted_in(paper: str, wrong: WrongClaim) -> Planted:
    """An error that a theory plants, with what examines it."""
    claim_id = f"{paper}/{wrong.claim}"

    def subject() -> Part:
        printed = claim(claim_id).part(wrong.part)
        return replace(printed, relation=wrong.relation or printed.relation)

    def plant(part: Part) -> Part:
        return misprinted(wrong.change, part)

    def examine(part: Part) -> Said:
        return verdict_said(judged(claim_id, part, subject_of(wrong.setup)))

    place = f"{wrong.claim} {wrong.part}".rstrip()
    return Planted(
        wrong.name, ErrorKind.CLAIM, wrong.error, place, "violated by an exact set-up", subject,
        plant, examine, wrong.control.value, Verdict.VIOLATED.value,
    )  # fmt: skip


PLANTED = tuple(planted_in(paper, wrong) for paper in PAPERS for wrong in planted_claims(paper))
