"""Measured against bound, round by round: what a page draws for a theorem about a run."""

import numpy as np
from flint import arb

from fedbounds.theory.language.claims import Part, read
from fedbounds.theory.language.symbols import Mean_t
from fedbounds.vocabulary import Index

from ..decide.judgement import Judgement
from ..decide.part import EXACT, rounds_of
from ..measure.evaluate import Numbers, evaluate, whole

_POINTS = 24  # drawn at most
Curve = dict[str, list[float]]


def curve_of(judgement: Judgement, numbers: Numbers) -> Curve | None:
    """Both sides per round; of a bound on a mean, what it averages, its running mean, the bound.

    None for other claims, and where numbers are exact.
    """
    part, first = read(judgement.claim, judgement.reading)[0], judgement.outcomes[0]
    if judgement.instance.method in EXACT or first.rounds == 0:
        return None
    if part.index is Index.RUN and isinstance(part.left, Mean_t):
        return _of_a_mean(part, numbers)
    each_round = part.index is Index.ROUND and not part.vectors
    return _of_rounds(part, numbers) if each_round else None


def _of_a_mean(part: Part, numbers: Numbers) -> Curve | None:
    rounds = whole(numbers.constants["T"])
    each = np.asarray(evaluate(part.left.args[0], numbers, range(rounds)), dtype=np.float64)
    right = evaluate(part.right, numbers)
    if isinstance(right, arb) or not np.isfinite([*each, right]).all():
        return None
    shown = np.unique(np.linspace(0, rounds - 1, min(rounds, _POINTS)).round().astype(int))
    mean = np.cumsum(each) / np.arange(1, rounds + 1)
    return {
        "rounds": [int(t) for t in shown],
        "left": [float(x) for x in each[shown]],
        "mean": [float(x) for x in mean[shown]],
        "right": [float(right)] * len(shown),
    }


def _of_rounds(part: Part, numbers: Numbers) -> Curve | None:
    rounds = rounds_of(part, numbers)
    if rounds is None or len(rounds) < 2:
        return None
    sides = (evaluate(side, numbers, rounds) for side in (part.left, part.right))
    left, right = (
        np.broadcast_to(np.asarray(side, dtype=np.float64), (len(rounds),)) for side in sides
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
