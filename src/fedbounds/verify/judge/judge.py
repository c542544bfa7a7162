"""Judge claims on one instance: measure once, decide every part of every reading."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.choices import Choice
from fedbounds.theory.language.claims import Claim, Part, Reading, read
from fedbounds.vocabulary import Method, Verdict

from ..decide.case import Case, products_of, without_floats
from ..decide.conditions import Refusal, refusal
from ..decide.judgement import Judgement
from ..decide.measurement import Measurement, measure
from ..decide.part import Outcome, decide
from ..decide.products import with_products
from ..decide.sampling import sample_and_decide
from ..measure.device import Device, namespace
from ..measure.evaluate import Numbers, UndefinedError, UnmeasuredError
from ..measure.threads import one_thread

_UNDEFINED = "it has no value here: a division by zero, or a root of a negative number"


@dataclass(frozen=True)
class Judged:
    """All judgements on one instance, with its measurement where there is one."""

    judgements: tuple[Judgement, ...]
    measurement: Measurement


def concerned(claims: Sequence[Claim], instance: Case) -> tuple[tuple[Claim, Reading], ...]:
    """Claims and readings about the instance's algorithm; on a choice, those of its theory."""
    setup = instance.setup
    own = setup.theory if isinstance(setup, Choice) else None  # what its numbers are, it says
    return tuple(
        (claim, reading)
        for claim in claims
        if instance.algorithm_name in claim.algorithms and own in (None, claim.entry.paper)
        for reading in claim.readings
    )


def judge(
    claims: Sequence[Claim],
    instance: Case,
    *,
    seed: int = 0,
    workers: int = 1,
    device: Device = Device.CPU,
) -> Judged:
    """Judge every reading of every claim that is about the instance's algorithm."""
    pairs = concerned(claims, instance)
    if instance.method is Method.SAMPLING:
        return _judge_sampled(pairs, instance, seed, workers, device)
    with one_thread():
        measured = measure(instance)
        replays = Replays(instance)
        judgements = [
            judge_reading(claim, reading, instance, measured, replays) for claim, reading in pairs
        ]
    return Judged(tuple(judgements), measured)


def check(claim: Claim, instance: Case, *, outside: bool = False) -> Judgement:
    """Judge the first reading of a claim on an instance of one's own, without sampling.

    Parameters
    ----------
    outside : bool
        Measure also where a condition fails, for research: the verdict remains "outside
        conditions" and says nothing about the claim.

    Raises
    ------
    FedboundsError
        If no part of the claim applies: the condition that fails with both sides, or the
        assumption that does not hold. Or if the instance is to be sampled.
    """
    if instance.algorithm_name not in claim.algorithms:
        raise FedboundsError(
            f"{claim.id} is about {', '.join(claim.algorithms)}; "
            f"the instance runs {instance.algorithm_name}"
        )
    if instance.method is Method.SAMPLING:
        raise FedboundsError(f"{instance.name!r} is to be sampled; use `judge`")
    found = judge_reading(claim, claim.readings[0], instance, measure(instance), outside=outside)
    refused = (Verdict.NOT_APPLICABLE, *(() if outside else (Verdict.OUTSIDE,)))
    if all(outcome.verdict in refused for outcome in found.outcomes):
        reasons = "; ".join(dict.fromkeys(outcome.reason for outcome in found.outcomes))
        raise FedboundsError(f"{claim.id} does not apply to {instance.name!r}: {reasons}")
    return found


def judge_reading(
    claim: Claim,
    reading: Reading,
    instance: Case,
    measured: Measurement,
    replays: "Replays | None" = None,
    *,
    outside: bool = False,
) -> Judgement:
    """Judge every part of one reading on a measured instance; ``replays`` may be shared."""
    exact = replays or Replays(instance)
    outcomes = (
        judge_part(part, instance, measured, exact, outside) for part in read(claim, reading)
    )
    return Judgement(claim, reading, instance, tuple(outcomes))


def judge_part(
    part: Part,
    instance: Case,
    measured: Measurement,
    replays: "Replays",
    outside: bool = False,
    *,
    admitted: bool = False,
) -> Outcome:
    """The outcome of a part; where it has no value it says nothing of this instance.

    ``admitted``: it is known to apply, as another part with the same premises does.
    """
    try:
        with np.errstate(all="ignore"):  # what is not finite is told, not warned of
            return _decided(part, instance, measured, replays, outside, admitted)
    except (ZeroDivisionError, UndefinedError):
        return Outcome(part.name, Verdict.NOT_APPLICABLE, _UNDEFINED)
    except UnmeasuredError as error:
        return Outcome(part.name, Verdict.NOT_APPLICABLE, str(error))
    except OverflowError:
        return Outcome(part.name, Verdict.DIVERGED, "a side is above all floats", candidate=True)


def _decided(
    part: Part,
    instance: Case,
    measured: Measurement,
    replays: "Replays",
    outside: bool,
    admitted: bool,
) -> Outcome:
    refused = None if admitted else refusal(part, instance, measured.numbers)
    plain, numbers, unknown = _scalar(part, instance, measured.numbers)
    refused = refused or unknown
    if refused is not None and outside and refused.verdict is Verdict.OUTSIDE:
        shown = decide(plain, numbers, instance.method, measured.diverged_at)
        return replace(shown, verdict=Verdict.OUTSIDE, reason=refused.reason, candidate=False)
    if refused is not None:
        return Outcome(part.name, refused.verdict, refused.reason)
    outcome = decide(plain, numbers, instance.method, measured.diverged_at)
    if not outcome.candidate or outcome.verdict is Verdict.DIVERGED:
        return outcome
    # the part as encoded: rationals measure their own products of vectors
    replayed = replays.judge(part)
    return outcome if replayed is None else replayed


def _scalar(part: Part, instance: Case, numbers: Numbers) -> tuple[Part, Numbers, Refusal | None]:
    """The part with its products of vectors measured, or why it cannot be."""
    products = products_of(instance)
    if not part.vectors or products is None:
        return part, numbers, None
    try:
        return *with_products(part, numbers, products), None
    except FedboundsError as error:
        return part, numbers, Refusal(Verdict.NOT_APPLICABLE, str(error))


class Replays:
    """One instance in exact rationals or in balls, measured when first asked for."""

    def __init__(self, instance: Case) -> None:
        self._instance = instance

    @cached_property
    def _exact(self) -> Case | None:
        found = without_floats(self._instance.setup)
        if found is None:
            return None
        setup, method = found
        return replace(self._instance, setup=setup, method=method)

    @cached_property
    def _measured(self) -> Measurement:
        assert self._exact is not None
        return measure(self._exact)

    def judge(self, part: Part) -> Outcome | None:
        """Judge a part exactly; None if that is not possible, or if it does not apply there."""
        exact = self._exact
        if exact is None:
            return None
        plain, numbers, unknown = _scalar(part, exact, self._measured.numbers)
        if (refusal(part, exact, self._measured.numbers) or unknown) is not None:
            return None
        how = "balls" if exact.method is Method.BALLS else "exact rationals"
        return replace(decide(plain, numbers, exact.method), replayed=how)


def _judge_sampled(
    pairs: tuple[tuple[Claim, Reading], ...],
    instance: Case,
    seed: int,
    workers: int,
    device: Device,
) -> Judged:
    judgements = []
    parts = [part for claim, reading in pairs for part in read(claim, reading)]
    sampled = sample_and_decide(parts, instance, seed=seed, workers=workers, xp=namespace(device))
    outcomes = iter(sampled.outcomes)
    for claim, reading in pairs:
        own = tuple(next(outcomes) for _ in read(claim, reading))
        judgements.append(Judgement(claim, reading, instance, own))
    return Judged(tuple(judgements), Measurement(sampled.means))
