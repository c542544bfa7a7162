"""What replay says of a claim's proof, from the status of its steps."""

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from fedbounds.theory.language.claims import Claim, Part, Reading, read
from fedbounds.vocabulary import ProofStatus

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
    givens : tuple of str
        What the proof rests on that is no definition, assumption, fact or proved step.
    """

    status: ProofStatus
    failed: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    ours: tuple[str, ...] = ()
    givens: tuple[str, ...] = ()


@dataclass(frozen=True)
class Told:
    """What is said of a step: as in `Replayed`, and as a results document has it."""

    id: str
    reading: str
    source: str
    local: Local
    missing: tuple[str, ...]
    failed: tuple[str, ...]
    givens: tuple[str, ...]

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
    return summed_up([_told(s) for s in shown], list(_without_step(claim, shown)), broken)


def is_of(step: Replayed, claim: Claim, reading: Reading, part: Part) -> bool:
    """Whether a step written for some reading states a part of this one: readings share parts."""
    own = step.written
    if own.part != part.name or own.reading == reading.name:
        return own.part == part.name
    other = next((r for r in claim.readings if r.name == own.reading), None)
    return other is not None and any(_same(x, part) for x in read(claim, other))


def _same(one: Part, other: Part) -> bool:
    """Whether two readings say the same of a part."""
    told = (
        (x.name, x.left, x.relation, x.right, x.conditions, x.assumptions) for x in (one, other)
    )
    return len(set(told)) == 1


def _told(step: Replayed) -> Told:
    own = step.written
    return Told(own.id, own.reading, own.source, step.local, step.missing, step.failed, step.givens)


def summed_up(shown: Sequence[Told], missing: Sequence[str], broken: Set[str]) -> ClaimProof:
    """The proof that the steps of a claim's first reading make.

    proved: all of the paper's steps, and all that they rest on. proved otherwise: every part by
    some steps, ours among them, or by steps in which a line of ours stands for one of the paper's
    that fails. proved from givens: every part, and something that is neither a definition nor an
    assumption, a fact or proved is supposed. gap: a step fails and the statement is not proved.
    open: no proof, and nothing against one.

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
    best = _best(shown)
    wanted = {s.id for s in shown if s.reading}
    settled = not missing and wanted <= set(best)
    own = not missing and all(s.inherited and not s.failed for s in paper)
    own = own and wanted <= {s.id for s in paper}  # no part is proved by ours alone
    if own and not any(s.givens for s in paper):
        return ClaimProof(ProofStatus.PROVED)
    givens = _unique([name for i in best if i in wanted or own for name in best[i].givens])
    ours = _unique([s.id for s in shown if s.source == "ours" and s.inherited])
    open_ = _unique([*unsettled, *missing])
    if settled or own:
        status = ProofStatus.CONDITIONAL if givens else ProofStatus.PROVED_OTHERWISE
        return ClaimProof(status, failed, open_, () if own and givens else ours, givens)
    status = ProofStatus.GAP if failed else ProofStatus.OPEN
    return ClaimProof(status, failed, open_, ours)


def _best(shown: Sequence[Told]) -> dict[str, Told]:
    """Of every statement that is proved, the proof that supposes least."""
    found: dict[str, Told] = {}
    for step in shown:
        if step.inherited and (
            step.id not in found or len(step.givens) < len(found[step.id].givens)
        ):
            found[step.id] = step
    return found


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
