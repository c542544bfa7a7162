"""A theory's own set-ups as cases, with what each costs."""

from collections.abc import Iterator
from functools import lru_cache
from math import prod

from fedbounds.theory.language.beside import PlannedBeside
from fedbounds.theory.language.registry import besides, choices, ladders, setups, starts
from fedbounds.theory.language.setups import Ladder, Planned, PlannedLadder, Run, View
from fedbounds.vocabulary import Method

from ..decide.case import Case
from ..decide.profile import Profile
from ..measure.contract import drawn_by
from ..measure.random import count_of, sources_of
from ..measure.subject import Subject
from ..measure.trace import algorithm, subject_of
from .choices import choice_case
from .found import InFloats, method_of, view_of
from .rungs import LadderInFloats, rungs_of, settles
from .sampled import InSamples
from .sides import sides_of
from .starts import starts_case

_RATIONAL = 10  # times what floats cost


def planned(theory: str, name: str, profile: Profile) -> Iterator[Case]:
    """Those of a profile, in the theory's order; ``name`` as in `case_of`."""
    for one in setups(theory):
        if not one.judged:
            continue
        if profile is not Profile.QUICK:
            yield case_of(one, name)
        elif one.quick:
            yield case_of(one if one.quick is True else one.quick, name)
    for one_of in choices(theory):
        if one_of.quick or profile is not Profile.QUICK:
            yield choice_case(one_of.name, one_of.choice)
    for rungs in ladders(theory):
        if profile is not Profile.QUICK:
            yield ladder_case(rungs.name, rungs.ladder, floats=rungs.floats)
        elif rungs.quick is not None:
            yield ladder_case(rungs.name, rungs.quick, floats=rungs.floats)
    for drawn in starts(theory):
        if drawn.quick or profile is not Profile.QUICK:
            yield starts_case(drawn)
    for two in besides(theory):
        if two.quick or profile is not Profile.QUICK:
            yield beside_case(two)


def beside_case(one: PlannedBeside) -> Case:
    """As a case; the smallest have few rounds, local steps, clients and coordinates."""
    runs = [setup.run for setup in one.beside.setups]
    work = sum(run.rounds * local_steps(run) * len(run.start) ** 2 for run in runs)
    clients = len(dict(runs[0].problem.data).get("slopes", (0,)))
    called = sides_of(one.beside).runs
    return Case(one.name, called, one.beside, Method.RATIONAL, work * clients * _RATIONAL)


def ladder_case(name: str, ladder: Ladder, *, floats: bool = False) -> Case:
    """As a case; the smallest have few rounds."""
    called, rounds = rungs_of(ladder).runs, sum(setup.run.rounds for setup in ladder.setups)
    entries = len(ladder.setups[0].run.start)
    if floats:
        method = Method.BALLS if settles(rungs_of(ladder)) else Method.MOMENTS
        return Case(name, called, LadderInFloats(ladder), method, rounds * entries**2)
    return Case(name, called, ladder, Method.RATIONAL, rounds * entries**2 * _RATIONAL)


def case_of(one: Planned | PlannedLadder, name: str) -> Case:
    """As a case, to be measured in rationals or in floats, or to be sampled.

    ``name`` is what claims call the algorithm; where it is empty, what the view calls it.
    """
    if isinstance(one, PlannedLadder):
        return ladder_case(one.name, one.ladder, floats=one.floats)
    view = view_of(one.setup)
    called = name or about(view)
    if one.replicas:
        size = one.replicas * len(one.setup.run.start) * one.setup.run.rounds
        return Case(one.name, called, InSamples(one.setup, one.replicas), Method.SAMPLING, size)
    if view.many:
        setup = InFloats(one.setup) if one.floats else one.setup
        method = Method.MOMENTS if one.floats else Method.RATIONAL
        rounds = one.setup.run.rounds
        return Case(one.name, called, setup, method, rounds * (1 if one.floats else _RATIONAL))
    if one.floats:
        size = driven_work(one.setup.run, view)
        return Case(one.name, called, InFloats(one.setup), Method.MOMENTS, size)
    size = work(one.setup.run, view)
    irrational = subject_of(one.setup.run, view).problem.irrational
    method = Method.BALLS if irrational else method_of(one.setup)
    return Case(one.name, called, one.setup, method, size)


def about(view: View) -> str:
    """What claims call the algorithm that is looked at."""
    return view.runs or algorithm(view.algorithm).name


@lru_cache(maxsize=64)  # a run is looked at in several ways
def work(run: Run, view: View) -> int:
    """Outcomes, rounds, local steps, clients and coordinates, multiplied; or those of moments."""
    subject = subject_of(run, view)
    if view.moments:
        size = 1 + max(subject.problem.entries, int(subject.problem.clients))
        return int(size**3 * run.rounds**2 * local_steps(run))
    if view.integrated:
        masks = 2 ** min(subject.problem.dimension, 8)
        return int(subject.rounds * subject.problem.clients * masks)
    steps = local_steps(run)
    size = subject.problem.clients * subject.problem.dimension
    return int(outcomes_of(subject) ** run.rounds * prod((run.rounds, steps, size)))


def driven_work(run: Run, view: View) -> int:
    """Of rounds that are driven, in the same unit."""
    size = 1 + subject_of(run, view).problem.entries
    return int(size**2 * run.rounds + size**3)


def local_steps(run: Run) -> int:
    """Of a round, by either name; 1 where there is none."""
    return int(run.parameter("tau") or run.parameter("K") or 1)


def outcomes_of(subject: Subject) -> int:
    """Of one round."""
    p = subject.parameters()
    return count_of(
        sources_of(
            lambda random: drawn_by(subject.algorithm, random, subject.problem, p), subject.exact
        )
    )
