"""What the planned set-ups say of mutants: each is measured once, for all of them.

A mutant that one set-up breaks in exact numbers is looked at no further. Sampled set-ups are left
out: they refute nothing.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.claims import Claim, Part
from fedbounds.vocabulary import Method, Verdict

from ...decide.case import Case
from ...decide.conditions import refusal
from ...decide.measurement import Measurement, measure
from ...decide.part import Outcome
from ...judge.judge import Replays, concerned, judge_part
from ...measure.evaluate import UndefinedError
from ...measure.threads import one_thread


@dataclass(eq=False)
class Seen:
    """What set-ups show of a part.

    Attributes
    ----------
    broken_by : str
        The first set-up that breaks it; empty if none does.
    held : int
        On how many it is not violated.
    closest : tuple of float and str
        The largest share that the left side is of the right one where it is known, and where.
    others : counter of reasons
        Why it was not decided on others that its claim is about, and says nothing of them.
    """

    broken_by: str = ""
    held: int = 0
    closest: tuple[float, str] = (-1.0, "")
    others: Counter[str] = field(default_factory=Counter)

    def add(self, outcome: Outcome, name: str) -> None:
        """What one set-up shows."""
        if outcome.verdict is Verdict.VIOLATED:
            self.broken_by = self.broken_by or name
        elif outcome.verdict is Verdict.NOT_VIOLATED:
            self.held += 1
            self.closest = max(self.closest, (_near(outcome), name), key=lambda x: x[0])
        else:
            self.others[outcome.verdict.value] += 1


def _near(outcome: Outcome) -> float:
    """How close to equality: the tightness, or what one side is of the other where it is known."""
    if outcome.tightness is not None:
        return outcome.tightness
    gap = outcome.relative_gap
    return 0.0 if gap is None or gap != gap else (1 - abs(gap)) / (1 + abs(gap))


@dataclass(frozen=True, eq=False)
class Asked:
    """A part of a claim, and other parts that may take its place."""

    claim: Claim
    part: Part
    others: tuple[Part, ...]


def survey(
    asked: Sequence[Asked], cases: Iterable[Case], enough: int | None = None
) -> Mapping[Part, Seen]:
    """What these set-ups show of every part, those in the place of others included.

    ``enough``: a part that holds on that many is looked at no further.
    """
    found = {part: Seen() for one in asked for part in (one.part, *one.others)}
    claims = tuple(dict.fromkeys(one.claim for one in asked))
    with one_thread():
        for case in cases:
            about = {claim for claim, _ in concerned(claims, case)}
            if not about or case.method is Method.SAMPLING:
                continue
            own = [one for one in asked if one.claim in about]
            try:
                shown = Shown(case, measure(case), Replays(case))
            except FedboundsError:  # a constant of a file is negative past an edge, say
                for part in {part for one in own for part in (one.part, *one.others)}:
                    found[part].others["not measured"] += 1
                continue
            for one in own:
                _look(one, shown, found, enough)
    return found


@dataclass(frozen=True, eq=False)
class Shown:
    """A set-up and what is measured on it."""

    case: Case
    measured: Measurement
    replays: Replays


def _look(one: Asked, shown: Shown, found: Mapping[Part, Seen], enough: int | None) -> None:
    """What a set-up shows of a part and of others in its place.

    Where only premises differ, the outcome of the part is theirs where both apply.
    """
    refused = _refused(one.part, shown)
    own = None if refused is not None else decided(one.part, shown, admitted=True)
    for part in (one.part, *one.others):
        seen = found[part]
        if seen.broken_by or (enough is not None and seen.held >= enough):
            continue
        outcome = refused if _alike(part, one.part) else _refused(part, shown)
        if outcome is None and _same_sides(part, one.part):
            outcome = own
        seen.add(outcome or decided(part, shown, admitted=True), shown.case.name)


def _refused(part: Part, shown: Shown) -> Outcome | None:
    """Why a part says nothing of a set-up; None if it applies there."""
    try:
        kept = refusal(part, shown.case, shown.measured.numbers)
    except (ZeroDivisionError, UndefinedError):
        return Outcome(part.name, Verdict.NOT_APPLICABLE, "a condition has no value")
    except (OverflowError, FedboundsError) as error:
        return Outcome(part.name, Verdict.UNDECIDED, str(error))
    return None if kept is None else Outcome(part.name, kept.verdict, kept.reason)


def _same_sides(one: Part, other: Part) -> bool:
    return (one.left, one.relation, one.right) == (other.left, other.relation, other.right)


def _alike(one: Part, other: Part) -> bool:
    """Whether two parts apply to the same set-ups: they have the same premises and names."""
    return one is other or (
        one.conditions == other.conditions
        and one.assumptions == other.assumptions
        and one.constants == other.constants
        and one.quantities == other.quantities
        and one.signed == other.signed
    )


def decided(part: Part, shown: Shown, *, admitted: bool = False) -> Outcome:
    """The outcome of a part; undecided where its formula cannot be evaluated."""
    try:
        return judge_part(part, shown.case, shown.measured, shown.replays, admitted=admitted)
    except FedboundsError as error:
        return Outcome(part.name, Verdict.UNDECIDED, str(error))
