"""Algorithms side by side in every cell: rounds to eps, predicted and measured.

Expectations on quadratics are exact, and fewer rounds win. Elsewhere rounds are estimated from
replicas. A pilot names the leader and its rounds; on fresh draws it wins only if its error after
those rounds is below every other's by a paired interval, and if it needs fewer rounds there too.
The level of the intervals is shared out over all of a contest.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from fedbounds.errors import require
from fedbounds.facts import Constant
from fedbounds.problems import to_rational
from fedbounds.verify.measure.subject import Subject

from .contenders import Contender, common_error, short, weights
from .field import Ground, ground
from .passage import Ending, Passage, passage
from .plan import Cell, Plan, Steps
from .prediction import Promise, constants, edge, promises
from .recursion import error_recursion
from .sampled import Draws, Interval, errors_after, log_ratio, race, running_errors

LEVEL = 0.05  # that any winner of a sampled contest is announced wrongly
_POWERS = range(2, -13, -1)  # of 2: steps that are tried, in units of 1 / (L K)
_HORIZONS = (1_000, 10_000, 100_000)  # rounds
_PILOT, _FRESH = 0, 1  # chunks of draws

TIE, NOBODY, UNDECIDED = "tie", "none", "undecided"


@dataclass(frozen=True)
class Result:
    """One algorithm in one cell.

    Attributes
    ----------
    name, claim : str
        The algorithm, and the id of its theorem.
    promise : Promise
        What its theorem says, at its best step size or, if steps are equal, at the common one.
    step : float
        gamma of the measured run.
    edge_of_grid : bool
        Whether a tuned step is the largest or smallest tried: a better one may lie beyond.
    passage : Passage
    """

    name: str
    claim: str
    promise: Promise
    step: float
    edge_of_grid: bool
    passage: Passage


@dataclass(frozen=True)
class Row:
    """One cell of a contest.

    Attributes
    ----------
    cell : Cell
    dissimilarity : float
        b^2 of the problem, or its certified upper bound.
    results : tuple of Result
        One for each algorithm.
    predicted, measured : str
        The name of the algorithm with fewer rounds, or `TIE`, `NOBODY` or `UNDECIDED`.
    intervals : dict from name to Interval
        Of the measured leader's error against each other's; empty where expectations are exact.
    """

    cell: Cell
    dissimilarity: float
    results: tuple[Result, ...]
    predicted: str
    measured: str
    intervals: dict[str, Interval]


@dataclass(frozen=True, eq=False)
class _Seat:
    """An algorithm in a cell before it runs: its promise, and the steps to be tried."""

    contender: Contender
    promise: Promise
    values: dict[str, float]
    tried: tuple[float, ...]

    def runs(self, here: Ground, *, exact: bool) -> dict[str, Subject]:
        """A run for each step, labelled by name and place."""
        problem = to_rational(here.problem) if exact else here.problem
        start = here.exact_point if exact else here.point
        return {
            f"{self.contender.name} {i}": self.contender.subject(problem, start, self.values, step)
            for i, step in enumerate(self.tried)
        }


def contest(contenders: tuple[Contender, ...], plan: Plan) -> list[Row]:
    """A row for every cell of the plan.

    Raises
    ------
    FedboundsError
        If there are fewer than two algorithms, one is named twice, or their theorems bound
        different errors; or if the family of problems cannot attain a b^2.
    """
    names = [one.name for one in contenders]
    require(len(names) >= 2, "number of algorithms", len(names), "at least 2, to compare")
    require(len(set(names)) == len(names), "algorithms", ", ".join(names), "each named once")
    error = common_error(contenders)
    grounds = {spread: ground(plan.shape, spread) for spread in plan.spreads}
    seats = _seats(contenders, plan, grounds)
    rows = []
    for index, cell in enumerate(plan.cells):
        here = grounds[cell.spread]
        of_round = weights(error, {"n": plan.shape.clients, "m": cell.participants})
        at = [seat[index] for seat in seats]
        intervals: dict[str, Interval] = {}
        if plan.exact:
            found = _exact(at, here, of_round, plan)
        else:
            found, intervals = _sampled(at, here, of_round, plan)
        results = tuple(
            Result(
                seat.contender.name,
                seat.contender.claim.id,
                seat.promise,
                seat.tried[place],
                len(seat.tried) > 1 and place in (0, len(seat.tried) - 1),
                ended,
            )
            for seat, (place, ended) in zip(at, found, strict=True)
        )
        b2 = here.problem.constants(here.start)[Constant.DISSIMILARITY].value
        rows.append(
            Row(
                cell,
                float(b2),
                results,
                fewest({r.name: r.promise.rounds for r in results}),
                _measured(results, intervals, plan),
                intervals,
            )
        )
    return rows


def fewest(rounds: dict[str, int | None]) -> str:
    """The name with the fewest rounds; None is never."""
    reached = {name: count for name, count in rounds.items() if count is not None}
    if not reached:
        return NOBODY
    least = min(reached.values())
    first = [name for name, count in reached.items() if count == least]
    return first[0] if len(first) == 1 else TIE


def _seats(
    contenders: tuple[Contender, ...], plan: Plan, grounds: dict[float, Ground]
) -> list[list[_Seat]]:
    """Promises and steps of every algorithm in every cell."""
    cells = plan.cells
    here = [grounds[cell.spread] for cell in cells]
    values, largest = [], []
    for one in contenders:
        every = []
        for cell, at in zip(cells, here, strict=True):
            bare = constants(at, cell.participants, cell.steps)
            edges = edge(one, bare)
            del edges[one.data.step.name]
            every.append(bare | {name: short(x, up=True) for name, x in edges.items()})
        values.append(every)
        largest.append([edge(one, v)[one.data.step.name] for v in every])
    common = np.min(largest, axis=0) if plan.step is None else np.full(len(cells), plan.step)
    equal = common if plan.mode is Steps.EQUAL else None
    seats = []
    for one, every in zip(contenders, values, strict=True):
        promised = promises(one, here, every, plan.eps, equal)
        seats.append(
            [
                _Seat(one, promise, v, _tried(plan, promise, v))
                for promise, v in zip(promised, every, strict=True)
            ]
        )
    return seats


def _tried(plan: Plan, promise: Promise, values: dict[str, float]) -> tuple[float, ...]:
    if plan.mode is not Steps.TUNED:
        return (short(promise.step),)
    powers = _POWERS if plan.exact else _POWERS[::2]
    return tuple(
        short(2.0**power / (values[Constant.SMOOTHNESS] * values["K"])) for power in powers
    )


def _exact(
    seats: list[_Seat], here: Ground, error: dict[str, float], plan: Plan
) -> list[tuple[int, Passage]]:
    """The best step's place and its rounds to eps, for each algorithm."""
    found = []
    for seat in seats:
        defined = seat.contender.error(error)
        recursions = [error_recursion(one, defined) for one in seat.runs(here, exact=True).values()]
        # all steps as far as the next horizon, so that none runs long after another has reached eps
        for horizon in (*(h for h in _HORIZONS if h < plan.limit), plan.limit):
            every = [passage(one.values(), plan.eps, horizon) for one in recursions]
            if any(ended.reached for ended in every):
                break
        place = min(range(len(every)), key=lambda i: _order(every[i]))
        found.append((place, every[place]))
    return found


def _order(ended: Passage) -> tuple[bool, bool, int]:
    """Fewest rounds first, then what is only late, then what diverged."""
    return ended.reached is None, ended.ending is Ending.DIVERGED, ended.rounds


def _sampled(
    seats: list[_Seat], here: Ground, error: dict[str, float], plan: Plan
) -> tuple[list[tuple[int, Passage]], dict[str, Interval]]:
    """As `_exact`, and intervals of the pilot's leader against the others, on fresh draws."""
    runs = [(seat, seat.runs(here, exact=False)) for seat in seats]
    every = {label: one for _, own in runs for label, one in own.items()}
    names = {label: seat.contender.name for seat, own in runs for label in own}
    defined = {label: seat.contender.error(error) for seat, own in runs for label in own}

    def run(subjects: dict[str, Subject], chunk: int) -> Any:
        return running_errors(subjects, defined, Draws(plan.replicas, plan.shape.seed, chunk))

    live = dict(every)
    pilot = race(run(live, _PILOT), live, names, plan.eps, plan.limit)
    places = {name: int(label.rpartition(" ")[2]) for name, (label, _) in pilot.items()}
    order = [seat.contender.name for seat in seats]
    if fewest({name: ended.reached for name, (_, ended) in pilot.items()}) == NOBODY:
        return [(places[name], pilot[name][1]) for name in order], {}
    chosen = {label: every[label] for label, _ in pilot.values()}
    live = dict(chosen)
    fresh = race(run(live, _FRESH), live, names, plan.eps, plan.limit)
    found = [(places[name], fresh[name][1]) for name in order]
    leader = min(order, key=lambda name: pilot[name][1].reached or np.inf)
    rounds = pilot[leader][1].rounds
    errors = {names[label]: e for label, e in errors_after(run(chosen, _FRESH), rounds).items()}
    level = LEVEL / (len(plan.cells) * (len(order) - 1))
    pairs = {name: log_ratio(errors[leader], errors[name], rounds, level) for name in order}
    del pairs[leader]
    # a run that diverged has no interval, and nothing is announced against it
    return found, {name: i for name, i in pairs.items() if np.isfinite((i.low, i.high)).all()}


def _measured(results: tuple[Result, ...], intervals: dict[str, Interval], plan: Plan) -> str:
    first = fewest({r.name: r.passage.reached for r in results})
    if plan.exact or first == NOBODY:
        return first
    others = {r.name for r in results} - {first}
    settled = others == intervals.keys() and all(i.high < 0 for i in intervals.values())
    return first if settled else UNDECIDED
