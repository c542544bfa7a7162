"""A contest as rows: for the terminal, and as data in every format."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from rich.table import Table as Grid

from fedbounds.verify.page.exports.table import Table, table
from fedbounds.verify.page.listing import columns, console

from .contenders import contender
from .contest import LEVEL, Result, Row
from .field import BATCH, SAMPLES, Family
from .passage import Ending
from .phase import Panel
from .plan import Plan, Steps

EXACT = "exact expectation (float64)"
SAMPLED = "estimate (sampled)"
_COLUMNS = (
    "problem", "asked", "b2", "K", "m", "eps", "algorithm", "claim_says", "why_not", "claim_step",
    "step", "step_at_end_of_grid", "ending", "rounds_run", "rounds", "provenance",
    "fewer_predicted", "fewer_measured", "log_ratio_low", "log_ratio", "log_ratio_high",
    "log_ratio_round",
)  # fmt: skip
_MOST_REASONS = 4
_FOR = {
    Steps.OPTIMAL: "steps at which each theorem's bound reaches eps first",
    Steps.TUNED: "the best step of a logarithmic grid; predictions at each theorem's best",
    Steps.EQUAL: "the same step for all",
}


def provenance(plan: Plan) -> str:
    """Where measured rounds come from."""
    return EXACT if plan.exact else SAMPLED


def data(rows: Sequence[Row], plan: Plan) -> Table:
    """A row per cell and algorithm."""
    return table(_COLUMNS, [_cells(row, one, plan) for row in rows for one in row.results])


def _cells(row: Row, one: Result, plan: Plan) -> list[Any]:
    interval = row.intervals.get(one.name)
    ends = (
        (interval.low, interval.middle, interval.high, interval.rounds)
        if interval
        else (None, None, None, None)
    )
    return [
        plan.shape.family.value,
        row.cell.spread,
        row.dissimilarity,
        row.cell.steps,
        row.cell.participants,
        plan.eps,
        one.name,
        one.promise.rounds,
        one.promise.why,
        one.promise.step,
        one.step,
        one.edge_of_grid,
        one.passage.ending.value,
        one.passage.rounds,
        one.passage.reached,
        provenance(plan),
        row.predicted,
        row.measured,
        *ends,
    ]


def panels(rows: Sequence[Row], plan: Plan) -> list[list[Panel]]:
    """A diagram for each b^2: predicted above, measured below; K across, m upwards."""
    name = "heterogeneity" if plan.shape.family is Family.LOGISTIC else "b^2"

    def panel(what: str, spread: float) -> Panel:
        winner = {
            (float(row.cell.steps), float(row.cell.participants)): getattr(row, what)
            for row in rows
            if row.cell.spread == spread
        }
        across, up = tuple(map(float, plan.steps)), tuple(map(float, plan.participants))
        return Panel(f"{what}, {name} = {spread:g}", across, up, winner)

    return [[panel(what, spread) for spread in plan.spreads] for what in ("predicted", "measured")]


def print_contest(rows: Sequence[Row], plan: Plan, files: Sequence[str]) -> None:
    """The table, then what it rests on."""
    out = console()
    out.print(_grid(rows, plan))
    out.print()
    for line in (*_notes(rows, plan), *files):
        out.print(line)


def _grid(rows: Sequence[Row], plan: Plan) -> Grid:
    names = [one.name for one in rows[0].results]
    logistic = plan.shape.family is Family.LOGISTIC
    spread = ["heterogeneity", "b^2 at most"] if logistic else ["b^2"]
    own = [f"{what} {name}" for what in ("predicted", "measured") for name in names]
    own.insert(len(names), "fewer")
    grid = columns(*spread, "K", "m", *own, "fewer")
    for row in rows:
        first = [f"{row.cell.spread:g}", f"{row.dissimilarity:.3g}"][: len(spread)]
        predicted = [
            "-" if r.promise.rounds is None else str(r.promise.rounds) for r in row.results
        ]
        measured = [str(r.passage) + ("*" if r.edge_of_grid else "") for r in row.results]
        counts = [str(row.cell.steps), str(row.cell.participants)]
        grid.add_row(*first, *counts, *predicted, row.predicted, *measured, row.measured)
    return grid


def _notes(rows: Sequence[Row], plan: Plan) -> list[str]:
    """What the rounds are, where they come from, who needs fewer where, and what is missing."""
    shape, results = plan.shape, [one for row in rows for one in row.results]
    logistic = shape.family is Family.LOGISTIC
    noise = f"minibatches of {BATCH} of {SAMPLES}" if logistic else f"noise {shape.noise:g}"
    won = Counter(row.measured for row in rows)
    agree = sum(row.predicted == row.measured for row in rows)
    notes = [
        f"rounds until the error that the theorems bound, averaged over rounds, is at most "
        f"{plan.eps:g}; {_FOR[plan.mode]}",
        f"{shape.family.value} problem: n = {shape.clients}, d_u = {shape.shared}, "
        f"d_v = {shape.personal}, {noise}, seed {shape.seed}; {'; '.join(_others(rows))}",
        f"predicted: {', '.join(_claims(rows))}; measured: {_measured(plan)}",
        f"fewer measured rounds, in {len(rows)} cells: "
        + ", ".join(f"{name} {count}" for name, count in sorted(won.items()))
        + f"; as predicted in {agree}",
    ]
    missing = Counter(one.passage.ending for one in results)
    if missing[Ending.LIMIT]:
        notes.append(
            f"> {plan.limit}: not within {plan.limit} rounds, {missing[Ending.LIMIT]} runs"
        )
    if missing[Ending.DIVERGED]:
        notes.append(f"diverged: {missing[Ending.DIVERGED]} runs")
    reasons = list(dict.fromkeys(one.promise.why for one in results if one.promise.why))
    notes += [f"-: no prediction: {reason}" for reason in reasons[:_MOST_REASONS]]
    if len(reasons) > _MOST_REASONS:
        notes.append(f"and {len(reasons) - _MOST_REASONS} more reasons; --csv has them all")
    if any(one.edge_of_grid for one in results):
        notes.append("*: the first or last step of the grid; a better one may lie beyond")
    return notes


def _others(rows: Sequence[Row]) -> list[str]:
    """What step sizes besides the one that is chosen are."""
    told = (contender(one.name).data.told for one in rows[0].results)
    return list(dict.fromkeys(x for x in told if x))


def _claims(rows: Sequence[Row]) -> list[str]:
    return [f"{one.name} by {one.claim}" for one in rows[0].results]


def _measured(plan: Plan) -> str:
    if plan.exact:
        return EXACT
    return (
        f"{SAMPLED}, {plan.replicas} replicas on common random numbers; an algorithm is named only "
        f"if paired intervals on fresh draws exclude zero, {LEVEL:.0%} for all cells together"
    )
