"""Judge claims on one instance: measure once, decide every part of every reading."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from threadpoolctl import threadpool_limits

from fedbounds.algorithms.fedavg_p import with_effective_step
from fedbounds.errors import FedboundsError
from fedbounds.problems import FederatedQuadratic
from fedbounds.problems.linear import rational as to_fraction
from fedbounds.theory.claims import Claim, Part, Reading, read
from fedbounds.vocabulary import Method, Verdict

from .affine import driver_of, state_size
from .case import Case, in_rationals
from .conditions import Refusal, refusal
from .decide import Outcome, decide
from .device import Device, namespace
from .evaluate import Numbers, UndefinedError, UnmeasuredError
from .instance import Instance, products_of, rational
from .measurement import Measurement, measure
from .products import with_products
from .sampling import sample_and_decide

Subject = Instance | Case  # what a verdict is about
_UNDEFINED = "it has no value here: a division by zero, or a root of a negative number"
_MOST_WORK = 1_500_000  # of an exact replay: state size^3 x rounds^2 x local steps, counted


@dataclass(frozen=True)
class Judgement:
    """What one instance says about one reading of one claim."""

    claim: Claim
    reading: Reading
    instance: Subject
    outcomes: tuple[Outcome, ...]

    @property
    def deciding(self) -> Outcome:
        """The outcome of the part that decides: the gravest verdict, then the smallest gap."""
        return min(self.outcomes, key=lambda o: (GRAVITY.index(o.verdict), o.relative_gap or 0.0))

    @property
    def verdict(self) -> Verdict:
        """The gravest verdict of any part."""
        return self.deciding.verdict


GRAVITY = (
    Verdict.VIOLATED,
    Verdict.DIVERGED,
    Verdict.UNDECIDED,
    Verdict.NOT_VIOLATED,
    Verdict.OUTSIDE,
    Verdict.NOT_APPLICABLE,
)


@dataclass(frozen=True)
class Judged:
    """All judgements on one instance, with its measurement where there is one."""

    judgements: tuple[Judgement, ...]
    measurement: Measurement


def concerned(claims: Sequence[Claim], instance: Subject) -> tuple[tuple[Claim, Reading], ...]:
    """Claims and readings about the instance's algorithm."""
    return tuple(
        (claim, reading)
        for claim in claims
        if instance.algorithm_name in claim.algorithms
        for reading in claim.readings
    )


def judge(
    claims: Sequence[Claim],
    instance: Subject,
    *,
    seed: int = 0,
    workers: int = 1,
    device: Device = Device.CPU,
) -> Judged:
    """Judge every reading of every claim that is about the instance's algorithm."""
    pairs = concerned(claims, instance)
    if isinstance(instance, Case) and instance.method is Method.SAMPLING:
        return _judge_sampled(pairs, instance, seed, workers, device)
    with threadpool_limits(1, "blas"):  # threads that wait on small matrices cost ten times more
        measured = measure(instance)
        replays = Replays(instance)
        judgements = [
            judge_reading(claim, reading, instance, measured, replays) for claim, reading in pairs
        ]
    return Judged(tuple(judgements), measured)


def check(claim: Claim, instance: Subject, *, outside: bool = False) -> Judgement:
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
    instance: Subject,
    measured: Measurement,
    replays: "Replays | None" = None,
    *,
    outside: bool = False,
) -> Judgement:
    """Judge every part of one reading on a measured instance; ``replays`` may be shared."""
    exact = replays or Replays(instance)
    outcomes = (
        _judge_part(part, instance, measured, exact, outside) for part in read(claim, reading)
    )
    return Judgement(claim, reading, instance, tuple(outcomes))


def _judge_part(
    part: Part,
    instance: Subject,
    measured: Measurement,
    replays: "Replays",
    outside: bool = False,
) -> Outcome:
    """The outcome of a part; where it has no value it says nothing of this instance."""
    try:
        with np.errstate(all="ignore"):  # what is not finite is told, not warned of
            return _decided(part, instance, measured, replays, outside)
    except (ZeroDivisionError, UndefinedError):
        return Outcome(part.name, Verdict.NOT_APPLICABLE, _UNDEFINED)
    except UnmeasuredError as error:
        return Outcome(part.name, Verdict.NOT_APPLICABLE, str(error))
    except OverflowError:
        return Outcome(part.name, Verdict.DIVERGED, "a side is above all floats", candidate=True)


def _decided(
    part: Part, instance: Subject, measured: Measurement, replays: "Replays", outside: bool
) -> Outcome:
    refused = refusal(part, instance, measured.numbers)
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


def _scalar(
    part: Part, instance: Subject, numbers: Numbers
) -> tuple[Part, Numbers, Refusal | None]:
    """The part with its products of vectors measured, or why it cannot be."""
    products = products_of(instance)
    if not part.vectors or products is None:
        return part, numbers, None
    try:
        return *with_products(part, numbers, products), None
    except FedboundsError as error:
        return part, numbers, Refusal(Verdict.NOT_APPLICABLE, str(error))


class Replays:
    """One instance in exact rationals, measured when first asked for.

    Floats at the edge of a condition may lie outside it by rounding; then the step sizes are
    moved inside by 2^-20, and the outcome says so.
    """

    def __init__(self, instance: Subject) -> None:
        self._instance = instance
        self._known: dict[tuple[Instance | Case, frozenset[str]], Measurement] = {}

    @cached_property
    def _candidates(self) -> tuple[tuple[Instance | Case, str], ...]:
        instance = self._instance
        if isinstance(instance, Case):
            setup = in_rationals(instance.setup)
            if setup is None:
                return ()
            return ((replace(instance, setup=setup, method=Method.RATIONAL), "exact rationals"),)
        if not isinstance(instance, Instance) or exact_work(instance) > _MOST_WORK:
            return ()
        exact = rational(instance)
        inside = _inside(exact)
        moved = "exact rationals, step sizes moved inside the conditions by 2^-20"
        return (exact, "exact rationals"), (inside, moved)

    def _measured(self, candidate: Instance | Case, names: frozenset[str]) -> Measurement:
        key = (candidate, names)
        if key not in self._known:
            self._known[key] = measure(candidate, names)
        return self._known[key]

    def judge(self, part: Part) -> Outcome | None:
        """Judge a part; None if the instance is too large, or not quadratic."""
        for candidate, how in self._candidates:
            measured = self._measured(candidate, part.named)
            plain, numbers, unknown = _scalar(part, candidate, measured.numbers)
            if (refusal(part, candidate, measured.numbers) or unknown) is None:
                return replace(decide(plain, numbers, Method.RATIONAL), replayed=how)
        return None


def replay(part: Part, instance: Subject) -> Outcome | None:
    """Judge a part in exact rationals; None if the instance is too large or not quadratic."""
    return Replays(instance).judge(part)


def exact_work(instance: Subject) -> float:
    """What measuring an instance in rationals costs, counted; infinite where it cannot be."""
    if isinstance(instance, Case):
        return float(instance.work)
    if not isinstance(instance, Instance):
        return 0.0
    problem, algorithm = instance.problem, instance.algorithm
    if not isinstance(problem, FederatedQuadratic):
        return np.inf
    size = state_size(driver_of(problem, algorithm)) + 1
    return float(size**3 * instance.rounds**2 * algorithm.local_steps)


def _inside(instance: Instance) -> Instance:
    algorithm = instance.algorithm
    nudge = to_fraction(2.0**-20)
    step = algorithm.inner_step_u * algorithm.outer_step_u * (1 - nudge)
    moved = with_effective_step(
        algorithm.participants,
        algorithm.local_steps,
        step,
        algorithm.outer_step_u * (1 + nudge),
        algorithm.outer_step_v * (1 + nudge),
    )
    return replace(instance, algorithm=type(algorithm)(**vars(moved)))


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
