"""Measured against bound, round by round: what a page draws for a theorem about a run."""

import numpy as np
from flint import arb

from fedbounds.theory.symbols import Mean_t
from fedbounds.vocabulary import Index, Method

from .evaluate import Numbers, evaluate, whole
from .judge import Judgement

_POINTS = 24  # drawn at most


def curve_of(judgement: Judgement, numbers: Numbers) -> dict[str, list[float]] | None:
    """What the left side averages, its running mean, and the bound; None for other claims."""
    part = judgement.claim.parts[0]
    exact = judgement.instance.method is Method.RATIONAL
    if exact or part.index is not Index.RUN or not isinstance(part.left, Mean_t):
        return None
    rounds = whole(numbers.constants["T"])
    each = np.asarray(evaluate(part.left.args[0], numbers, range(rounds)), dtype=np.float64)
    right = evaluate(part.right, numbers)
    if isinstance(right, arb) or not np.isfinite(each).all():
        return None
    shown = np.unique(np.linspace(0, rounds - 1, min(rounds, _POINTS)).round().astype(int))
    mean = np.cumsum(each) / np.arange(1, rounds + 1)
    return {
        "rounds": [int(t) for t in shown],
        "left": [float(x) for x in each[shown]],
        "mean": [float(x) for x in mean[shown]],
        "right": [float(right)] * len(shown),
    }
