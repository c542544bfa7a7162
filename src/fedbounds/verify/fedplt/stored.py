"""The set-ups about FedPLT that a file may hold, and what each costs."""

from collections.abc import Sequence
from typing import Any

from fedbounds.algorithms.fedplt_rows import FedPLT

from ..stored.common import LOCAL_STEPS, MASK, QUADRATIC, START, STEP
from ..stored.fields import (
    Choice,
    Flag,
    Listed,
    Number,
    Record,
    Whole,
)
from ..stored.work import KEPT, Cost, Setup
from .long_runs import MOST_EXACT, Gradients, LongRun, Steps

_NAME = "FedPLT"
_ALGORITHM = Record(
    FedPLT,
    {
        "masks": Listed(MASK, "n"),
        "weights": Listed(Number(above=0), "n"),
        "local_steps": LOCAL_STEPS,
        "inner_step_u": STEP,
    },
)


def _of_long_run(given: Any) -> Sequence[Cost]:
    n, d = given.problem.linear.shape
    steps = given.algorithm.local_steps
    driven = Cost(KEPT * (n * d * steps) ** 2, steps)
    return (driven, Cost(given.rounds * steps * n * d**3, given.rounds * steps))


SETUPS = (
    Setup(
        Record(
            LongRun,
            {
                "problem": QUADRATIC,
                "algorithm": _ALGORITHM,
                "start": START,
                "rounds": Whole(1, MOST_EXACT, "T"),
                "gradients": Choice(tuple(Gradients)),
                "steps": Choice(tuple(Steps)),
                "z": Number(0),
                "exact": Flag(only=True),
            },
        ),
        _of_long_run,
        _NAME,
    ),
)
