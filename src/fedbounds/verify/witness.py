"""The fairest small instance that breaks a claim, and a script that shows it without us."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from random import Random

from hypothesis import HealthCheck, Phase, find, settings
from hypothesis.errors import NoSuchExample

from fedbounds.errors import FedboundsError
from fedbounds.theory.claims import Claim, Part, Reading, read
from fedbounds.vocabulary import Method, Verdict

from .case import Case, in_rationals
from .conditions import sides
from .evaluate import Numbers
from .fairness import fairest
from .judge import Judgement, Subject, exact_work, judge_reading
from .measurement import fingerprint, measure
from .script import script
from .small import has_small_instances, rounded, small_instances

EXAMPLES = 80  # counted, not timed: the same search finds the same witness
SHRINKS = 120
SUSPECTS = 3  # the smallest ones are rounded
MOST_WORK = 3_000_000  # of a suspect, in units of `exact_work`


@dataclass(frozen=True)
class Premise:
    """A condition of the claim with both sides on the witness."""

    condition: str
    left: str
    right: str


@dataclass(frozen=True)
class Witness:
    """A violation in exact rationals, its premises, and a script where one can be written.

    Attributes
    ----------
    judgement : Judgement
    premises : tuple of Premise
    script : str or None
    no_script : str
        Why there is none.
    """

    judgement: Judgement
    premises: tuple[Premise, ...]
    script: str | None
    no_script: str = ""


def find_witness(
    claim: Claim, reading: Reading, suspects: Sequence[Subject] = (), examples: int = EXAMPLES
) -> Witness | None:
    """An exact violation in small numbers, with its script; None if none is found.

    Where runs are long, a planned instance in small rationals will do, or a suspect rounded to as
    few binary places as still break the claim. Failing that, small instances are searched and
    shrunk.

    Parameters
    ----------
    suspects : sequence of instances
        Instances on which the claim was seen broken.
    examples : int
        How many small instances are tried before giving up.
    """

    cases = [suspect for suspect in suspects if isinstance(suspect, Case)]
    planned_case = _smallest_case(claim, reading, cases)
    if planned_case is not None or not has_small_instances(claim):
        return planned_case

    known: dict[str, bool] = {}

    def broken(instance: Subject) -> bool:
        key = fingerprint(instance)
        if key not in known:
            # shrinking stops when the budget does: what was not tried is not smaller
            known[key] = (
                len(known) < examples + SHRINKS
                and _judge(claim, reading, instance).verdict is Verdict.VIOLATED
            )
        return known[key]

    others = [suspect for suspect in suspects if not isinstance(suspect, Case)]
    cheap = sorted((s for s in others if exact_work(s) <= MOST_WORK), key=exact_work)
    exact = (s for s in cheap if s.method is Method.RATIONAL)
    simple = (s for suspect in cheap[:SUSPECTS] for s in rounded(claim, suspect))
    planned = (s for s in chain(exact, simple) if broken(s))
    shown = fairest(_judge(claim, reading, one) for one in planned)
    if shown is not None:
        return explain(shown)
    try:
        instance = find(
            small_instances(claim), broken, settings=_settings(examples), random=Random(0)
        )
    except NoSuchExample:
        return None
    return explain(_judge(claim, reading, instance))


def _smallest_case(claim: Claim, reading: Reading, cases: Sequence[Case]) -> Witness | None:
    """The cheapest fair case of the plan that breaks the claim in rationals."""
    exact = (
        replace(case, setup=setup, method=Method.RATIONAL)
        for case in sorted(cases, key=exact_work)
        if (setup := case.setup if case.method is Method.RATIONAL else in_rationals(case.setup))
    )
    judged = (_judge(claim, reading, case) for case in exact)
    found = fairest(one for one in judged if one.verdict is Verdict.VIOLATED)
    return None if found is None else explain(found)


def _settings(examples: int) -> settings:
    return settings(
        derandomize=True,
        database=None,
        deadline=None,
        max_examples=examples,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )


def _judge(claim: Claim, reading: Reading, instance: Subject) -> Judgement:
    names: frozenset[str] = frozenset().union(*(part.named for part in claim.parts))
    return judge_reading(claim, reading, instance, measure(instance, names))


def explain(judgement: Judgement) -> Witness:
    """Premises and script of an exact violation."""
    numbers, part = measure(judgement.instance).numbers, _part(judgement)
    known = premises(judgement, numbers)
    try:
        return Witness(judgement, known, script(judgement, part, numbers))
    except FedboundsError as error:
        return Witness(judgement, known, None, str(error))


def premises(judgement: Judgement, numbers: Numbers) -> tuple[Premise, ...]:
    """Every condition of the deciding part with both sides."""
    return tuple(
        Premise(str(condition), *(str(side) for side in sides(condition, numbers)))
        for condition in _part(judgement).conditions
    )


def _part(judgement: Judgement) -> Part:
    parts = read(judgement.claim, judgement.reading)
    return next(part for part in parts if part.name == judgement.deciding.part)
