"""What replay says of a claim's proof, from the status of its steps."""

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from fedbounds.theory.claims import Claim, read
from fedbounds.vocabulary import ProofStatus

from .language import cited
from .replay import Local, Replayed

_HOLDS = (Local.PROVED, Local.GIVEN)
_FAILS = (Local.DOES_NOT_FOLLOW, Local.FALSE)


@dataclass(frozen=True)
class ClaimProof:
    """The proof of the first reading of a claim.

    Attributes
    ----------
    status : ProofStatus
    failed : tuple of str
        Steps that do not follow or are false: the paper's own, then those that it rests on.
    open : tuple of str
        Steps without certificate and without numbers against them; and parts without a step.
    ours : tuple of str
        Our steps, that prove a part otherwise.
    """

    status: ProofStatus
    failed: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    ours: tuple[str, ...] = ()


@dataclass(frozen=True)
class Told:
    """What is said of a step: as in `Replayed`, and as a results document has it."""

    id: str
    reading: str
    source: str
    local: Local
    missing: tuple[str, ...]
    failed: tuple[str, ...]

    @property
    def inherited(self) -> bool:
        """Whether it is proved and so is every ancestor."""
        return self.local in _HOLDS and not self.missing


def proof_of(claim: Claim, steps: Sequence[Replayed]) -> ClaimProof:
    """Sum up the steps written for a claim."""
    reading = claim.readings[0].name
    about = ("", *claim.algorithms)
    own = [
        s
        for s in steps
        if s.written.claim == claim.id
        and s.written.statement.algorithm in about
        and s.written.rule != "given"  # what is taken as given proves nothing
    ]
    shown = [s for s in own if s.written.reading in ("", reading)]
    broken = {s.written.id for s in steps if s.local in _FAILS}
    found = summed_up([_told(s) for s in shown], list(_without_step(claim, shown)), broken)
    paper = [s for s in shown if s.written.source == "paper"]
    if found.status is ProofStatus.PROVED and _measured_givens(paper, steps):
        return ClaimProof(ProofStatus.CONDITIONAL)
    return found


def _told(step: Replayed) -> Told:
    written = step.written
    return Told(written.id, written.reading, written.source, step.local, step.missing, step.failed)


def summed_up(shown: Sequence[Told], missing: Sequence[str], broken: Set[str]) -> ClaimProof:
    """The proof that the steps of a claim's first reading make.

    proved: all of the paper's steps, and all that they rest on. proved otherwise: every part by
    some steps, ours among them, or by steps that rest on such a claim. gap: a step fails and the
    statement is not proved. open: no proof, and nothing against one.

    Parameters
    ----------
    shown : sequence of Told
    missing : sequence of str
        Parts without a step.
    broken : set of str
        Ids of all steps that fail.
    """
    paper = [s for s in shown if s.source == "paper"]
    failed = _unique(
        [s.id for s in paper if s.local in _FAILS]
        + [name for s in paper for name in s.failed if name in broken]
        + [name for s in paper for name in s.missing if name in broken]
    )
    unsettled = [s.id for s in paper if s.local is Local.OPEN]
    unsettled += [name for s in paper for name in s.missing if name not in broken]
    if not missing and paper and all(s.inherited and not s.failed for s in paper):
        return ClaimProof(ProofStatus.PROVED)
    ours = _unique([s.id for s in shown if s.source == "ours" and s.inherited])
    open_ = _unique([*unsettled, *missing])
    wanted = {s.id for s in shown if s.reading}
    settled = {s.id for s in shown if s.inherited}
    if not missing and wanted <= settled:
        return ClaimProof(ProofStatus.PROVED_OTHERWISE, failed, open_, ours)
    if failed:
        return ClaimProof(ProofStatus.GAP, failed, open_, ours)
    return ClaimProof(ProofStatus.OPEN, failed, open_, ours)


def _measured_givens(own: Sequence[Replayed], steps: Sequence[Replayed]) -> frozenset[str]:
    """What steps rest on that is taken as given and is a claim itself, to be measured."""
    cites = {s.written.id: tuple(cited(s.written)) for s in steps}
    given = {s.written.id for s in steps if s.written.rule == "given" and s.written.claim}
    found: set[str] = set()
    waiting = [name for s in own for name in cited(s.written)]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting.extend(cites.get(name, ()))
    return frozenset(found & given)


def _without_step(claim: Claim, steps: Sequence[Replayed]) -> Iterator[str]:
    """Parts without a step of their own, for every algorithm that they are about."""
    for part in read(claim, claim.readings[0]):
        # a line within a proof names no reading
        own = [s for s in steps if s.written.reading and s.written.part == part.name]
        about = [name for name in claim.algorithms if part.algorithm in ("", name)]
        told = {s.written.statement.algorithm for s in own}
        if not own or not all(told & {"", name} for name in about):
            yield f"part {part.name or 'of the claim'}"


def _unique(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))
