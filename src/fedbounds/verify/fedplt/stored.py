"""The set-ups about FedPLT that a file may hold, and what each costs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fedbounds.algorithms.fedplt_rows import FedPLT
from fedbounds.theory.fedplt.views import VIEWS

from ..stored.common import LOCAL_STEPS, MASK, QUADRATIC, START, STEP
from ..stored.fields import (
    Choice,
    Data,
    Fields,
    Flag,
    Known,
    Listed,
    Number,
    Record,
    Whole,
)
from ..stored.looked import ROW, fits, looked_at
from ..stored.work import KEPT, Cost, Setup, power
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


@dataclass(frozen=True)
class WordOr:
    """One of these words, or a number."""

    words: tuple[str, ...]

    def read(self, data: Data, where: str, known: Known) -> Any:
        """See `Kind`."""
        return data if data in self.words else Number().read(data, where, known)


_PARAMETERS: Fields = {
    "masks": Listed(MASK, "n"),
    "weights": Listed(Number(above=0), "n"),
    "tau": LOCAL_STEPS,
    "j": Whole(1, "K"),
    "eta": STEP,
    "models": Listed(ROW, "n"),
    "common": Whole(0, 1),
    "attenuation": Listed(Number(least=0), "n"),
    "steps": Listed(STEP, "T"),
    "z": STEP,
    "B_step": Number(least=0),
}
_CHOSEN: Fields = {
    "rho_min": WordOr(("aligned", "compensated")),
    "G^2": WordOr(("global", "local")),
    "k": Whole(0, "n - 1"),
    "psi_free": Number(),
    "z": STEP,
    "B_step": WordOr(("least",)),
    "C_rate": WordOr(("base", "any", "longer")),
}
_VECTORS = 20  # about so many are looked at


def _of_looked_at(given: Any) -> Sequence[Cost]:
    """Rounds of so many local steps, every sign of the noise."""
    run, data = given.run, dict(given.run.problem.data)
    size = len(run.start) * len(data["slopes"])
    steps = run.parameter("tau") or 1
    drawn = steps if VIEWS[given.view].algorithm == "fedplt.ROUNDS" else 1
    signs = size * drawn * run.rounds if data["noise"] else 0
    return (Cost(_VECTORS * power(2, signs) * run.rounds * steps * size**2, run.rounds * steps),)


def _of_long_run(given: Any) -> Sequence[Cost]:
    n, d = given.problem.linear.shape
    steps = given.algorithm.local_steps
    driven = Cost(KEPT * (n * d * steps) ** 2, steps)
    return (driven, Cost(given.rounds * steps * n * d**3, given.rounds * steps))


SETUPS = (
    Setup(
        looked_at("fedplt", VIEWS, _PARAMETERS, _CHOSEN),
        _of_looked_at,
        _NAME,
        fits,
        "fedplt",
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
