"""The set-ups about sub-model training that a file may hold, and what each costs."""

from fedbounds.problems.sampled_regression import Loss, SampledRegression
from fedbounds.theory.submodel import names

from ..stored.common import (
    LOCAL_STEPS,
    PROBABILITY,
    ROUNDS,
    STEP,
)
from ..stored.fields import Fields, Listed, Maybe, Number, Numbers, Record, Whole
from ..stored.work import Setup
from . import stored_costs as costs
from .stability_ladders import StabilityLadder

# ---- descriptions

_KEEP = Listed(PROBABILITY, "n")
_LOSS = Record(Loss, {"ridge": Number(0), "threshold": Maybe(STEP)})
_SAMPLES = Record(
    SampledRegression,
    {"features": Numbers(("n", "n_s", "d")), "targets": Numbers(("n", "n_s")), "loss": _LOSS},
)
_POINT = Numbers(("d",))
_CHANGED: Fields = {
    "problem": _SAMPLES,
    "client": Whole(0, "n - 1"),
    "sample": Whole(0, "n_s - 1"),
    "feature": _POINT,
    "target": Number(),
}

# ---- which

_TO_ROUNDS: Fields = {"start": _POINT, "rounds": ROUNDS}
_OVER_KEEP: Fields = {
    **_CHANGED,
    "keeps": Listed(PROBABILITY),
    "local_steps": LOCAL_STEPS,
    "step": STEP,
    **_TO_ROUNDS,
}
SETUPS = (Setup(Record(StabilityLadder, _OVER_KEEP), costs.of_stability, names.COUPLED_LADDER[0]),)
