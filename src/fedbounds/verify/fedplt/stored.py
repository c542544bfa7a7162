"""The set-ups about FedPLT that a file may hold, and what each costs."""

from collections.abc import Sequence
from typing import Any

from fedbounds.algorithms.fedplt_rows import FedPLT
from fedbounds.vocabulary import Assumption

from ..stored.common import LOCAL_STEPS, MASK, QUADRATIC, ROUNDS, START, STEP
from ..stored.fields import Choice, Either, Flag, Listed, Maybe, Number, Numbers, Record, Whole
from ..stored.work import KEPT, Cost, Setup, power
from .long_runs import MOST_EXACT, Gradients, LongRun, Steps
from .setups import Analysed, Attenuated, Decaying, Rate, Recursion, Run, Shows, View

_NAME = "FedPLT"
_VECTORS = 20  # about so many are looked at
_NUMBER = {"": Number(), "rational": Number()}
_ALGORITHM = Record(
    FedPLT,
    {
        "masks": Listed(MASK, "n"),
        "weights": Listed(Number(above=0), "n"),
        "local_steps": LOCAL_STEPS,
        "inner_step_u": STEP,
    },
)
_RUN = Record(
    Run,
    {
        "problem": QUADRATIC,
        "algorithm": _ALGORITHM,
        "start": START,
        "count": ROUNDS,
        "own": Maybe(Numbers(("n", "d"))),
        "dependent": Flag(),
    },
)
_RATE = Either({**_NUMBER, "enum": Choice(tuple(Rate))})
_ALIGNMENTS = Choice((Assumption.ALIGNED, Assumption.ALIGNED_COMPENSATED))


def _enumerated(run: Run, rounds: int, steps: int) -> Sequence[Cost]:
    """Rounds of so many local steps, every sign of the noise."""
    size = run.problem.clients * run.problem.shared_dimension
    signs = size * steps * rounds if run.problem.noise.scale_u else 0
    return (Cost(_VECTORS * power(2, signs) * rounds * steps * size**2, rounds * steps),)


def _of_analysed(given: Any) -> Sequence[Cost]:
    run, whole = given.run, given.view is View.ROUNDS
    return _enumerated(run, run.count, run.algorithm.local_steps if whole else 1)


def _of_decaying(given: Any) -> Sequence[Cost]:
    return _enumerated(given.run, len(given.steps), given.run.algorithm.local_steps)


def _of_long_run(given: Any) -> Sequence[Cost]:
    n, d = given.problem.linear.shape
    steps = given.algorithm.local_steps
    driven = Cost(KEPT * (n * d * steps) ** 2, steps)
    return (driven, Cost(given.rounds * steps * n * d**3, given.rounds * steps))


SETUPS = (
    Setup(
        Record(
            Analysed,
            {
                "run": _RUN,
                "view": Choice(tuple(View)),
                "shows": Choice(tuple(Shows)),
                "rho_min": Either({**_NUMBER, "enum": _ALIGNMENTS}),
                "gradients": Choice((Assumption.GLOBAL_GRADIENT, Assumption.LOCAL_GRADIENTS)),
                "client": Whole(0, "n - 1"),
                "coordinate": Whole(0, "d - 1"),
                "free": Maybe(Number()),
            },
        ),
        _of_analysed,
        _NAME,
    ),
    Setup(
        Record(
            Attenuated,
            {"run": _RUN, "attenuation": Listed(Number(0), "n"), "rho_min": Number()},
        ),
        lambda given: _enumerated(given.run, 1, 1),
        _NAME,
    ),
    Setup(
        Record(
            Decaying,
            {
                "run": _RUN,
                "steps": Listed(STEP, "steps"),
                "z": STEP,
                "B_step": Maybe(Number()),
                "C_rate": _RATE,
            },
        ),
        _of_decaying,
        _NAME,
    ),
    Setup(
        Record(
            Recursion,
            {
                "D_0": Number(0),
                "z": STEP,
                "B_step": Number(0),
                "C_rate": _RATE,
                "steps": Listed(STEP, "T"),
            },
        ),
        lambda given: (Cost(len(given.steps), len(given.steps)),),
        _NAME,
    ),
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
