"""The fairest small instance that breaks a claim, and a script that shows it without us."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random

import numpy as np
from hypothesis import HealthCheck, Phase, find, settings
from hypothesis.errors import NoSuchExample

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.claims import Claim, Part, Reading, read
from fedbounds.theory.language.setups import Setup
from fedbounds.theory.language.symbols import T
from fedbounds.vocabulary import Method, Verdict

from ..decide.case import Case, parameters_of, without_floats
from ..decide.conditions import sides
from ..decide.judgement import Judgement
from ..decide.measurement import fingerprint, measure
from ..judge.judge import judge_reading
from ..measure.evaluate import Numbers
from ..setups.found import is_long
from ..setups.instance_file import is_exact, is_kept
from ..setups.script_rendered import script
from ..setups.unscripted import unscripted
from .explore import case_of
from .fairness import fairest
from .planned import narrowed_to
from .seeking import Space
from .small import exactly, is_followed, is_shown, small_instances, small_spaces
from .tape import Tape
from .tightest import BUDGET, tightest_parts

EXAMPLES = 80  # counted, not timed: the same search finds the same witness
SHRINKS = 120
RESTARTS = 8  # searches for the tightest instance, near a violation that was seen
_FAMILIES = 8  # instances of a space that are looked at for the families of problems in it


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
    claim: Claim,
    reading: Reading,
    suspects: Sequence[Case] = (),
    examples: int = EXAMPLES,
    budget: int = BUDGET,
    searches: int | None = None,
) -> Witness | None:
    """An exact violation in small numbers, with its script; None if none is found.

    A planned instance in rationals will do, if a script can show it, or none is ever written for
    what the reading speaks of. Failing that, small instances are searched and shrunk; and then the
    instance on which the reading is tightest, in numbers of as few digits as break it.

    Parameters
    ----------
    suspects : sequence of instances
        Instances on which the claim was seen broken.
    examples : int
        How many small instances are tried before the tightest one is sought.
    budget : int
        Evaluations of each search for the tightest one.
    searches : int or None
        How many there are; None: several where a suspect is of counts among which one searches.
    """
    cases = [suspect for suspect in suspects if isinstance(suspect, Case)]
    first = _smallest(claim, reading, cases)
    every = small_spaces(claim, reading)
    scripts = any(_has_scripts(space) for space in every)
    if not every or (first is not None and (first.script is not None or not scripts)):
        return first
    shrunk = _shrunk(claim, reading, examples)
    found = None if shrunk is None else explain(shrunk)
    if found is not None and (found.script is not None or not scripts):
        return found
    first = first or found
    seeds = searches or (RESTARTS if any(_is_near(every, one) for one in cases) else 1)
    other = _tightest(claim, reading, seeds, budget, scripts=scripts)
    return other if first is None or (other is not None and other.script) else first


def _is_near(every: Sequence[Space], case: Case) -> bool:
    """Whether one searches among set-ups of such a problem and counts, whatever its rounds are."""
    if not is_shown(case) or (isinstance(case.setup, Setup) and is_long(case.setup)):
        return False  # no script walks through all of that, and smaller ones were searched
    known, family = parameters_of(case), _family(case)
    own = (x for x in every if family is None or _has_family(x, family))
    found = (counts.items() for space in own for counts in space.counts)
    return any(all(known.get(x, y) == y for x, y in counts if x != T.name) for counts in found)


def _has_family(space: Space, family: str) -> bool:
    """Whether one searches among its problems, or among ladders, which have several."""
    return not {family, None}.isdisjoint(map(_family, _some_cases(space)))


def _some_cases(space: Space) -> Iterator[Case]:
    """Some instances among which one searches: there may be several families of problems."""
    for seed in range(_FAMILIES):
        found = case_of([space.part], Tape(space, {}, np.random.default_rng(seed)))
        if found is not None:
            yield found


def _family(case: Case) -> str | None:
    """Of its problem, if it is one run."""
    setup = exactly(case).setup
    return setup.run.problem.family if isinstance(setup, Setup) else None


def _has_scripts(space: Space) -> bool:
    """Whether some instance among which one searches may have a script that shows the part."""
    case = next(_some_cases(space), None)
    setup = None if case is None else exactly(case).setup
    return not isinstance(setup, Setup) or not unscripted(setup, space.part)


def _smallest(claim: Claim, reading: Reading, cases: Sequence[Case]) -> Witness | None:
    """The cheapest fair case that surely breaks the claim; first those a script can show."""
    planned = [case.setup for case in cases]
    ordered = sorted(cases, key=lambda case: (_how(case), _is_in_balls(case), case.work))
    exact = (own for case in ordered if (own := _exact(case)) is not None)
    # what is planned in floats may be small enough for one replay and too large for a file
    kept = (case for case in exact if case.setup in planned or is_kept(case))
    judged = (_judge(claim, reading, narrowed_to(claim, case)) for case in kept)
    found = fairest(one for one in judged if one.verdict is Verdict.VIOLATED)
    if found is None:
        return None
    assert isinstance(found.instance, Case)
    return explain(_judge(claim, reading, exactly(found.instance)))


def _exact(case: Case) -> Case | None:
    """The case without floats, if it has any way."""
    if is_exact(case):
        return case
    found = without_floats(case.setup)
    return None if found is None else replace(case, setup=found[0], method=found[1])


def _is_in_balls(case: Case) -> bool:
    """Whether few rounds are followed in balls: rationals are shown first."""
    own = isinstance(case.setup, Setup) and not is_long(case.setup)
    return own and case.method is Method.BALLS


def _how(case: Case) -> int:
    """First those through which a script walks, then those whose moments it follows."""
    return 0 if is_shown(case) else 1 if is_followed(case) else 2


def _shrunk(claim: Claim, reading: Reading, examples: int) -> Judgement | None:
    """Of small instances that a script can show, the one that hypothesis shrinks to."""
    known: dict[str, bool] = {}

    def broken(case: Case) -> bool:
        key = fingerprint(case.setup)
        if key not in known:
            # shrinking stops when the budget does: what was not tried is not smaller
            known[key] = (
                len(known) < examples + SHRINKS
                and is_shown(case)
                and _judge(claim, reading, case).verdict is Verdict.VIOLATED
            )
        return known[key]

    every = small_instances(claim, reading)
    try:
        case = find(every, broken, settings=_settings(examples), random=Random(0))
    except NoSuchExample:
        return None
    return _judge(claim, reading, replace(exactly(case), name="witness"))


def _tightest(
    claim: Claim, reading: Reading, seeds: int, budget: int, *, scripts: bool
) -> Witness | None:
    """Where a search for the tightest instance meets a violation; one that a script shows."""
    first = None
    for seed in range(seeds):
        # a script walks through few rounds
        for found in tightest_parts(claim, reading, seed, budget, first_only=True, longer=False):
            if found.judgement.verdict is Verdict.VIOLATED:
                shown = explain(_judge(claim, reading, found.instance))
                first = first or shown
                if shown.script is not None or not scripts:
                    return shown
    return first


def _settings(examples: int) -> settings:
    return settings(
        derandomize=True,
        database=None,
        deadline=None,
        max_examples=examples,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )


def _judge(claim: Claim, reading: Reading, instance: Case) -> Judgement:
    return judge_reading(claim, reading, instance, measure(instance))


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
