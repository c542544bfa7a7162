"""The smallest exact instance that breaks a claim, and a script that shows it without us."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from hypothesis import HealthCheck, Phase, find, settings
from hypothesis.errors import NoSuchExample

from fedbounds.theory.claims import Claim, Part, Reading, read
from fedbounds.vocabulary import Verdict

from .conditions import sides
from .evaluate import Numbers
from .instance import Instance
from .judge import Judgement, judge_reading
from .measure import measure
from .script import script
from .small import rounded, small_instances

EXAMPLES = 80  # counted, not timed: the same search finds the same witness


@dataclass(frozen=True)
class Premise:
    """A condition of the claim with both sides on the witness."""

    condition: str
    left: str
    right: str


@dataclass(frozen=True)
class Witness:
    """A violation in exact rationals, its premises, and a script."""

    judgement: Judgement
    premises: tuple[Premise, ...]
    script: str


def find_witness(
    claim: Claim, reading: Reading, suspects: Sequence[Instance] = (), examples: int = EXAMPLES
) -> Witness | None:
    """An exact violation in small numbers, with its script; None if none is found.

    First small instances are searched and shrunk; failing that, the suspects are rounded to as
    few binary places as still break the claim.

    Parameters
    ----------
    suspects : sequence of Instance
        Instances on which the claim was seen broken.
    examples : int
        How many small instances are tried before giving up.
    """

    def broken(instance: Instance) -> bool:
        return _judge(claim, reading, instance).verdict is Verdict.VIOLATED

    try:
        instance = find(
            small_instances(claim), broken, settings=_settings(examples), random=Random(0)
        )
    except NoSuchExample:
        found = (s for suspect in suspects for s in rounded(claim, suspect) if broken(s))
        first = next(found, None)
        if first is None:
            return None
        instance = first
    return explain(_judge(claim, reading, instance))


def _settings(examples: int) -> settings:
    return settings(
        derandomize=True,
        database=None,
        deadline=None,
        max_examples=examples,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )


def _judge(claim: Claim, reading: Reading, instance: Instance) -> Judgement:
    return judge_reading(claim, reading, instance, measure(instance))


def explain(judgement: Judgement) -> Witness:
    """Premises and script of an exact violation."""
    numbers = measure(judgement.instance).numbers
    return Witness(
        judgement, premises(judgement, numbers), script(judgement, _part(judgement), numbers)
    )


def premises(judgement: Judgement, numbers: Numbers) -> tuple[Premise, ...]:
    """Every condition of the deciding part with both sides."""
    return tuple(
        Premise(str(condition), *(str(side) for side in sides(condition, numbers)))
        for condition in _part(judgement).conditions
    )


def _part(judgement: Judgement) -> Part:
    parts = read(judgement.claim, judgement.reading)
    return next(part for part in parts if part.name == judgement.deciding.part)
