"""A record's run per round, and a record's ladder over one parameter: drawn and as tables."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .numbers import number, to_float
from .plots import Curve, Panel, Values, panel

Record = dict[str, Any]


def reals(values: Any) -> list[float | None]:
    """A record's list as finite numbers or None."""
    found = [to_float(value) for value in values or ()]
    return [v if v is not None and math.isfinite(v) else None for v in found]


@dataclass(frozen=True)
class CurveView:
    """A record's run: measured against bound, their ratio beneath, and both as a table.

    ``of_mean``: the bound is of a mean over all rounds.
    """

    instance: str
    tightness: str
    left_out: int
    panels: tuple[Panel, ...]
    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    of_mean: bool


@dataclass(frozen=True)
class CurveData:
    """The run of one record: its rounds, named sides and band, and measured over bound."""

    record: Record
    rounds: list[float]
    sides: dict[str, list[float | None]]
    ratios: dict[str, list[float | None]]


LEFT, MEAN, RIGHT = "measured, left side", "its running mean", "bound, right side"
BAND = ("low", "high")
_LONG = 5  # the last round of a run that shows its course
_STYLES = {LEFT: "left", MEAN: "mean", RIGHT: "right"}


def curve_data(records: Sequence[Record]) -> CurveData | None:
    """The run of the tightest record that tells it, all rounds; None if none does.

    A short run shows less of its course: it is taken where there is no longer one.
    """
    told = [row for row in records if row.get("curve")]
    if not told:
        return None
    own = [row for row in told if row["curve"]["rounds"][-1] >= _LONG] or told
    row = max(own, key=lambda r: (r["tightness"] or 0.0, r["key"]))
    curve = row["curve"]
    columns = {
        LEFT: reals(curve["left"]),
        MEAN: reals(curve.get("mean")),
        RIGHT: reals(curve["right"]),
        **{name: reals(curve.get(name)) for name in BAND},
    }
    sides = {name: values for name, values in columns.items() if values}
    # where the bound is of a mean over rounds, no single round is held against it
    told_by = (MEAN, "running mean / right") if MEAN in sides else (LEFT, "left / right")
    ratios = {told_by[1]: _ratio(sides[told_by[0]], sides[RIGHT])} if told_by[0] in sides else {}
    return CurveData(row, [float(at) for at in curve["rounds"]], sides, ratios)


def curve_view(records: Sequence[Record], most: int) -> CurveView | None:
    """The run of the tightest record that tells it, at ``most`` rounds; None if none does."""
    found = curve_data(records)
    if found is None:
        return None
    kept = _spread_out(len(found.rounds), most)
    x = [found.rounds[at] for at in kept]
    columns = {name: [values[at] for at in kept] for name, values in found.sides.items()}
    ratios = {name: [values[at] for at in kept] for name, values in found.ratios.items()}
    instance = found.record["problem"]["instance"]
    upper = sides_panel(instance, x, columns)
    lower = panel(
        f"Measured side over bound per round on {instance}",
        "round t",
        x,
        [
            Curve(title, "mean" if MEAN in columns else "left", values)
            for title, values in ratios.items()
        ],
    )
    every = columns | ratios
    return CurveView(
        instance,
        number(found.record["tightness"]),
        len(found.rounds) - len(x),
        tuple(drawn for drawn in (upper, lower) if drawn is not None),
        ("round t", *every),
        tuple(
            (number(at), *(number(values[index], 4) for values in every.values()))
            for index, at in enumerate(x)
        ),
        MEAN in columns,
    )


def sides_panel(
    instance: str, rounds: Sequence[float], sides: Mapping[str, Values]
) -> Panel | None:
    """Both sides of a run; None if nothing of them is positive."""
    band = (sides[BAND[0]], sides[BAND[1]]) if set(BAND) <= sides.keys() else None
    return panel(
        f"Measured side and bound per round on {instance}",
        "round t",
        rounds,
        [Curve(name, style, sides[name]) for name, style in _STYLES.items() if name in sides],
        band=band,
    )


def _spread_out(count: int, most: int) -> list[int]:
    """At most so many of the places 0 to count - 1, evenly, both ends among them."""
    if count <= most:
        return list(range(count))
    return [round(at * (count - 1) / (most - 1)) for at in range(most)]


def _ratio(left: Values, right: Values) -> list[float | None]:
    return [
        None if a is None or b is None or b <= 0 else a / b
        for a, b in zip(left, right, strict=True)
    ]


@dataclass(frozen=True)
class LadderView:
    """Measured values over one parameter, a panel per series, a fitted line, both exponents.

    A ladder of algorithms, which have no place on an axis, has no panel.
    """

    parameter: str
    instance: str
    verdict: str
    panels: tuple[Panel, ...]
    drawable: bool
    fitted: str
    span: str
    symbolic: str
    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def entitled(claim_id: str, name: str) -> tuple[str, bool]:
    """What a series is called, as far as its theory is known; and whether it is a rate."""
    from fedbounds.theory.proof.library import names_of

    names = names_of(claim_id.partition("/")[0])
    rate, meaning = name in names.rates, names.meanings.get(name)
    shown = f"1 − {name}" if rate else name
    told = f"{name}: {meaning.text}" if rate and meaning else meaning.text if meaning else ""
    return f"{shown}, {told}" if told else shown, rate


def ladder_view(claim_id: str, row: Record) -> LadderView:
    """The ladder of a record, or one that a paper displays, beside a claim.

    A rate is drawn as its distance from 1, where it differs visibly.
    """
    ladder, fit = row["ladder"], row["ladder"]["fit"]
    labels = [str(v) if to_float(v) is None else number(v) for v in ladder["values"]]
    x = reals(ladder["values"])
    series = {name: reals(values) for name, values in sorted(ladder["series"].items())}
    columns = dict(series)
    for name, values in series.items():
        if entitled(claim_id, name)[1]:
            columns[f"1 − {name}"] = _from_one(values)
    at = [v for v in x if v is not None]
    drawable = len(at) == len(x)
    panels = (
        _ladder_panel(claim_id, ladder["parameter"], at, name, values, fit)
        for name, values in series.items()
        if drawable
    )
    return LadderView(
        ladder["parameter"],
        row["problem"]["instance"],
        row["verdict"],
        tuple(found for found in panels if found is not None),
        drawable,
        number(fit["exponent"]) if fit else "",
        f"{number(fit['low'])} to {number(fit['high'])}" if fit else "",
        str(fit["symbolic"]) if fit and fit["symbolic"] is not None else "",
        (ladder["parameter"], *columns),
        tuple(
            (label, *(number(values[index], 6) for values in columns.values()))
            for index, label in enumerate(labels)
        ),
    )


def drawn_series(claim_id: str, name: str, values: Values) -> tuple[str, list[float | None]]:
    """What is drawn of a series, and its name: a rate as its distance from 1."""
    title, rate = entitled(claim_id, name)
    return title, _from_one(values) if rate else list(values)


def _from_one(values: Values) -> list[float | None]:
    return [None if v is None else 1 - v for v in values]


def slopes(
    x: Sequence[float], name: str, values: Values, fit: Record | None
) -> list[tuple[str, str, list[float | None]]]:
    """Lines of the fitted and the symbolic exponent of a series: name, style, values."""
    if not fit or fit["series"] != name:
        return []
    found = []
    for word, style, slope in (
        ("fitted", "fit", to_float(fit["exponent"])),
        ("symbolic", "symbolic", to_float(fit["symbolic"])),
    ):
        if slope is not None and (line := _power_law(x, values, slope)):
            found.append((f"{word} slope {number(slope)}", style, line))
    return found


def _ladder_panel(
    claim_id: str,
    parameter: str,
    x: Sequence[float],
    name: str,
    values: Values,
    fit: Record | None,
) -> Panel | None:
    title, drawn = drawn_series(claim_id, name, values)
    curves = [Curve(title, "left", drawn, line=False, dots=True)]
    curves += [Curve(*line) for line in slopes(x, name, drawn, fit)]
    return panel(f"{title} over {parameter}", parameter, x, curves, log_x=True)


def _power_law(x: Sequence[float], values: Values, slope: float) -> list[float | None]:
    """A line of that slope through the middle of the points, both axes logarithmic."""
    known = [
        (math.log(at), math.log(v))
        for at, v in zip(x, values, strict=True)
        if v is not None and v > 0 and at > 0
    ]
    if not known:
        return []
    middle = [sum(side) / len(known) for side in zip(*known, strict=True)]
    return [math.exp(middle[1] + slope * (math.log(at) - middle[0])) for at in x]
