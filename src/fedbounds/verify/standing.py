"""A claim's standing, computed from two axes: what measurement says, what proof replay says.

Nobody writes a standing, and nothing here reads an expected one.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fedbounds.theory.claims import Reading
from fedbounds.vocabulary import ProofStatus, Standing, StatementStatus, Verdict

from .decide import Outcome
from .judge import Judgement


@dataclass(frozen=True)
class ReadingStatus:
    """All evidence on one reading of a claim.

    Attributes
    ----------
    statement : StatementStatus
        Refuted by an exact violation; survived if every part has been firmly "not violated".
    counts : verdict -> number of instances
    untested : names of parts without any firm verdict
    tightness : largest left / right seen, or None
    uninformative : whether the right side never beat its named trivial bound (None: none named)
    """

    reading: Reading
    statement: StatementStatus
    counts: dict[str, int]
    untested: tuple[str, ...]
    tightness: float | None
    uninformative: bool | None

    @property
    def power(self) -> float | None:
        """A bound this many times smaller would have passed too."""
        return None if not self.tightness else 1.0 / self.tightness


def status_of(reading: Reading, judgements: Sequence[Judgement]) -> ReadingStatus:
    """Sum up the judgements of one reading of one claim."""
    outcomes = [outcome for judgement in judgements for outcome in judgement.outcomes]
    parts = sorted({outcome.part for outcome in outcomes})
    firm = {o.part for o in outcomes if o.verdict is Verdict.NOT_VIOLATED}
    untested = tuple(part for part in parts if part not in firm)
    if any(outcome.verdict is Verdict.VIOLATED for outcome in outcomes):
        statement = StatementStatus.REFUTED
    elif parts and not untested:
        statement = StatementStatus.SURVIVED
    else:
        statement = StatementStatus.UNTESTED
    return ReadingStatus(
        reading=reading,
        statement=statement,
        counts=dict(sorted(Counter(j.verdict.value for j in judgements).items())),
        untested=untested,
        tightness=max((o.tightness for o in outcomes if o.tightness is not None), default=None),
        uninformative=_uninformative(outcomes),
    )


def _uninformative(outcomes: Iterable[Outcome]) -> bool | None:
    seen = [outcome.beats_trivial for outcome in outcomes if outcome.beats_trivial is not None]
    return not any(seen) if seen else None


def standing(statement: StatementStatus, proof: ProofStatus) -> Standing:
    """The word for the two axes.

    A proof, by certificate or by solver, and an exact violation cannot both be right: that is a
    conflict, a bug of this suite.
    """
    proved = (ProofStatus.PROVED, ProofStatus.PROVED_BY_SOLVER, ProofStatus.PROVED_OTHERWISE)
    if proof is ProofStatus.CONTRADICTORY:
        return Standing.UNSATISFIABLE
    if statement is StatementStatus.REFUTED:
        return Standing.CONFLICT if proof in proved else Standing.REFUTED
    if proof in proved:
        return {
            ProofStatus.PROVED: Standing.CONFIRMED,
            ProofStatus.PROVED_BY_SOLVER: Standing.CONFIRMED_BY_SOLVER,
            ProofStatus.PROVED_OTHERWISE: Standing.PROVED_OTHERWISE,
        }[proof]
    if proof is ProofStatus.GAP:
        return Standing.GAP
    return Standing.TESTED if statement is StatementStatus.SURVIVED else Standing.OPEN
