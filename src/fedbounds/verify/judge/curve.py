"""Measured against bound, round by round: what a page draws for a theorem about a run."""

from typing import Any

import numpy as np
import sympy as sp
from flint import arb

from fedbounds.theory.language.claims import Part, read
from fedbounds.theory.language.symbols import Mean_t
from fedbounds.vocabulary import Index

from ..decide.judgement import Judgement
from ..decide.part import EXACT, rounds_of
from ..measure.evaluate import IrrationalError, Numbers, evaluate, in_balls, whole
from ..measure.roots import Roots

_POINTS = 24  # drawn at most
_FEWEST = 3  # rounds of an exact run that is drawn: shorter ones show no course
_BITS = 10  # of a ball that is drawn as a point
Curve = dict[str, list[float]]


def curve_of(judgement: Judgement, numbers: Numbers) -> Curve | None:
    """Both sides per round; of a bound on a mean, what it averages, its running mean, the bound.

    Of the first part that has them. None for other claims, for short exact runs, and where a side
    is no finite float.
    """
    exact = judgement.instance.method in EXACT
    parts = read(judgement.claim, judgement.reading)
    for part, outcome in zip(parts, judgement.outcomes, strict=True):
        if outcome.rounds and (not exact or _is_long(part, numbers)):
            found = _of_part(part, numbers)
            if found is not None:
                return found
    return None


def _of_part(part: Part, numbers: Numbers) -> Curve | None:
    if part.index is Index.RUN and isinstance(part.left, Mean_t):
        return _of_a_mean(part, numbers)
    each_round = part.index is Index.ROUND and not part.vectors
    return _of_rounds(part, numbers) if each_round else None


def _is_long(part: Part, numbers: Numbers) -> bool:
    rounds = rounds_of(part, numbers) if part.index is Index.ROUND else None
    told = numbers.constants.get("T", 0) if rounds is None else len(rounds)
    return bool(told >= _FEWEST)


def _of_a_mean(part: Part, numbers: Numbers) -> Curve | None:
    rounds = whole(numbers.constants["T"])
    inside = _in_floats(part.left.args[0], numbers, range(rounds))
    each = np.broadcast_to(inside, (rounds,))  # of constants alone it is one number
    (right,) = _in_floats(part.right, numbers, None)
    if not np.isfinite([*each, right]).all():
        return None
    shown = np.unique(np.linspace(0, rounds - 1, min(rounds, _POINTS)).round().astype(int))
    mean = np.cumsum(each) / np.arange(1, rounds + 1)
    return {
        "rounds": [int(t) for t in shown],
        "left": [float(x) for x in each[shown]],
        "mean": [float(x) for x in mean[shown]],
        "right": [float(right)] * len(shown),
    }


def _in_floats(side: sp.Expr, numbers: Numbers, rounds: range | None) -> Any:
    """A side as floats; NaN where it is none, or too little is known of it."""
    try:
        found = evaluate(side, numbers, rounds)
    except IrrationalError:
        found = evaluate(side, in_balls(numbers), rounds)
    values = np.atleast_1d(np.asarray(found))
    if values.ndim > 1:  # of every client, layer or outcome: no curve
        return np.full(1, np.nan)
    return np.array([_float(x) for x in values.tolist()])


def _float(value: Any) -> float:
    number = value.ball() if isinstance(value, Roots) else value
    if isinstance(number, arb):
        known = number.rad() == 0 or number.rel_accuracy_bits() >= _BITS
        number = number.mid() if known else float("nan")
    try:
        return float(number)
    except OverflowError:
        return float("nan")


def _of_rounds(part: Part, numbers: Numbers) -> Curve | None:
    rounds = rounds_of(part, numbers)
    if rounds is None or len(rounds) < 2:
        return None
    left, right = (
        np.broadcast_to(_in_floats(side, numbers, rounds), (len(rounds),))
        for side in (part.left, part.right)
    )
    if not (np.isfinite(left).all() and np.isfinite(right).all()):
        return None
    shown = np.unique(
        np.linspace(0, len(rounds) - 1, min(len(rounds), _POINTS)).round().astype(int)
    )
    return {
        "rounds": [rounds[at] for at in shown],
        "left": [float(x) for x in left[shown]],
        "right": [float(x) for x in right[shown]],
    }
