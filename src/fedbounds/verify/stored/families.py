"""The kinds of instances that a file may hold, by the word under ``family``."""

from collections.abc import Callable, Mapping

from fedbounds.algorithms.fedavg_p import FedAvgP
from fedbounds.algorithms.scaffold_p import ScaffoldP
from fedbounds.errors import FedboundsError
from fedbounds.problems import FederatedQuadratic, Noise, NoiseLaw, Start
from fedbounds.vocabulary import Method

from ..case import Case
from ..instance import Instance
from ..judge import Subject
from . import costs
from .common import LOCAL_STEPS, ROUNDS, STEP
from .fields import (
    Choice,
    Data,
    Fields,
    Known,
    Number,
    Numbers,
    Record,
    Whole,
    Word,
    check_names,
    made,
    values_of,
    wrong,
)
from .work import check

ALGORITHMS: dict[str, type[FedAvgP]] = {"FedAvg-P": FedAvgP, "Scaffold-P": ScaffoldP}
STEPS = ("inner_step_u", "inner_step_v", "outer_step_u", "outer_step_v")
_NAME = "replay"
_SIZE = Number(least=0)

_NOISE = Record(
    Noise, {"law": Choice(tuple(NoiseLaw)), "scale_u": _SIZE, "scale_v": _SIZE}, tagged=False
)
_START = Record(Start, {"u": Numbers(("d_u",)), "v": Numbers(("n", "d - d_u"))}, tagged=False)
_QUADRATIC: Fields = {
    "family": Word(("FederatedQuadratic",)),
    "algorithm": Word(tuple(ALGORITHMS)),
    "hessian": Numbers(("n", "d", "d")),
    "linear": Numbers(("n", "d")),
    "shared_dimension": Whole(0, "d", count="d_u"),
    "noise": _NOISE,
    "start": _START,
    "rounds": ROUNDS,
    "participants": Whole(1, "n"),
    "local_steps": LOCAL_STEPS,
    **dict.fromkeys(STEPS, STEP),
}


def read(data: Data, where: str = "instance") -> Subject:
    """The instance that data describe.

    Raises
    ------
    FedboundsError
        If a field is missing, unknown, of another type, outside its range or of a shape that does
        not fit; if the instance is no valid one; or if looking at it would cost too much.
    """
    return _READERS[_family(data, where, tuple(_READERS))](data, where)


def _family(data: Data, where: str, known: tuple[str, ...]) -> str:
    """The family that is named, one of those known."""
    if not isinstance(data, dict) or "family" not in data:
        raise FedboundsError(f"{where} has no 'family'; expected one of {', '.join(known)}")
    return Word(known).read(data["family"], f"{where}.family", Known())


def _quadratic(data: Data, where: str) -> Instance:
    _family(data, where, ("FederatedQuadratic",))
    known = Known()
    values = values_of(_QUADRATIC, data, where, known)
    arrays = {name: values[name] for name in ("hessian", "linear", "shared_dimension", "noise")}
    problem = made(FederatedQuadratic, arrays, where)
    counts = {name: values[name] for name in ("participants", "local_steps", *STEPS)}
    algorithm = made(ALGORITHMS[values["algorithm"]], counts, where)
    rounds = values["rounds"]
    check(costs.of_run(problem, algorithm, rounds), known, where)
    return Instance(_NAME, problem, algorithm, rounds, Method.RATIONAL, values["start"])


def _case(data: Data, where: str) -> Case:
    from ..plan import stored_setups  # which imports this file's own users

    check_names(("family", "algorithm", "setup"), data, where)
    setup, known = data["setup"], stored_setups()
    name = setup.get("type") if isinstance(setup, dict) else None
    if not isinstance(name, str) or name not in known:
        names = ", ".join(x.partition(":")[2] for x in known)
        raise wrong(f"{where}.setup", name, f"the type of a set-up, one of {names}")
    found = known[name].read(setup, f"{where}.setup")
    algorithm = known[name].algorithm_of(found)
    Word((algorithm,)).read(data["algorithm"], f"{where}.algorithm", Known())
    return Case(_NAME, algorithm, found, Method.RATIONAL)


_READERS: Mapping[str, Callable[[Data, str], Subject]] = {
    "FederatedQuadratic": _quadratic,
    "Case": _case,
}
