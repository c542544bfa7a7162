"""What one instance says about one reading of a claim."""

from dataclasses import dataclass
from math import isnan

from fedbounds.theory.language.claims import Claim, Reading
from fedbounds.vocabulary import Verdict

from .case import Case
from .part import AS_EQUAL, SAME, Outcome

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
        """The outcome of the part that decides: the gravest verdict, candidates of a violation
        first; then the smallest gap.

        Of those whose gaps are the smallest but for rounding, it is the first that has a tightness
        to tell, or the first: the last digits say nothing.
        """
        gravest = min(map(_gravity, self.outcomes))
        every = [o for o in self.outcomes if _gravity(o) == gravest]
        least = min(_gap(o) + _doubt(o) for o in every)
        smallest = [o for o in every if _gap(o) - _doubt(o) <= least + SAME]
        return next((o for o in smallest if o.tightness is not None), smallest[0])

    @property
    def verdict(self) -> Verdict:
        """The gravest verdict of any part."""
        return self.deciding.verdict


def _gravity(outcome: Outcome) -> tuple[int, bool]:
    return GRAVITY.index(outcome.verdict), not outcome.candidate


def _gap(outcome: Outcome) -> float:
    """0 where none is known."""
    gap = outcome.relative_gap
    return 0.0 if gap is None or isnan(gap) else gap


def _doubt(outcome: Outcome) -> float:
    """Where more is in doubt, gaps are no longer the same but for rounding."""
    return min(outcome.doubt, AS_EQUAL)
