"""What one instance says about one reading of a claim."""

from dataclasses import dataclass

from fedbounds.theory.language.claims import Claim, Reading
from fedbounds.vocabulary import Verdict

from .case import Case
from .part import Outcome

GRAVITY = (
    Verdict.VIOLATED,
    Verdict.DIVERGED,
    Verdict.UNDECIDED,
    Verdict.NOT_VIOLATED,
    Verdict.OUTSIDE,
    Verdict.NOT_APPLICABLE,
)


@dataclass(frozen=True)
class Judgement:
    """What one instance says about one reading of one claim."""

    claim: Claim
    reading: Reading
    instance: Case
    outcomes: tuple[Outcome, ...]

    @property
    def deciding(self) -> Outcome:
        """The outcome of the part that decides: the gravest verdict, then the smallest gap."""
        return min(self.outcomes, key=lambda o: (GRAVITY.index(o.verdict), o.relative_gap or 0.0))

    @property
    def verdict(self) -> Verdict:
        """The gravest verdict of any part."""
        return self.deciding.verdict
