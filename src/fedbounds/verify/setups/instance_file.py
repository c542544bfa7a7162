"""An exact instance as JSON data, and back: what ``search --replay`` reads. Never run as code."""

from typing import Any

from fedbounds.errors import FedboundsError
from fedbounds.theory.language import setups as planned
from fedbounds.vocabulary import Method

from ..decide.case import Case
from .found import is_long, method_of
from .setup_data import class_name, encoded
from .stored import stored, stored_beside, stored_choice, stored_ladder
from .stored_fields import Data, Known, Word, check_names, wrong
from .stored_work import Setup

_FAMILY = "Case"  # the one word that a file has under "family"
_NAME = "replay"


def is_exact(case: Case) -> bool:
    """Whether it is followed in rationals, or in balls of a set-up whose numbers a file holds."""
    if case.method is Method.RATIONAL or not isinstance(case.setup, planned.Setup):
        return case.method is Method.RATIONAL
    return is_long(case.setup) or (case.method is Method.BALLS and _is_read(case))


def is_kept(case: Case) -> bool:
    """Whether a file that holds an instance is replayed: it must not cost too much."""
    return is_exact(case) and _is_read(case)


def _is_read(case: Case) -> bool:
    """Of some families a file holds no problem."""
    try:
        from_data(_written(case))
    except FedboundsError:
        return False
    return True


def to_data(case: Case) -> dict[str, Any]:
    """All numbers of an instance that is followed in rationals, or in balls, exactly."""
    if not is_exact(case):
        held = "only what is in rationals or in balls of numbers that a file holds"
        raise FedboundsError(f"{case.name}: {held} is stored exactly")
    return _written(case)


def _written(case: Case) -> dict[str, Any]:
    return {
        "family": _FAMILY,
        "algorithm": case.algorithm_name,
        "setup": encoded(case.setup),
    }


def from_data(data: Data, where: str = "instance") -> Case:
    """The instance of a file that may be a stranger's.

    Raises
    ------
    FedboundsError
        If a field is missing, unknown, of another type, outside its range or of a shape that does
        not fit; if the instance is no valid one; or if looking at it would cost too much.
    """
    if not isinstance(data, dict) or "family" not in data:
        raise FedboundsError(f"{where} has no 'family'; expected {_FAMILY}")
    Word((_FAMILY,)).read(data["family"], f"{where}.family", Known())
    check_names(("family", "algorithm", "setup"), data, where)
    setup, known = data["setup"], stored_setups()
    name = setup.get("type") if isinstance(setup, dict) else None
    if not isinstance(name, str) or name not in known:
        names = ", ".join(x.partition(":")[2] for x in known)
        raise wrong(f"{where}.setup", name, f"the type of a set-up, one of {names}")
    found = known[name].read(setup, f"{where}.setup")
    algorithm = known[name].algorithm_of(found)
    Word((algorithm,)).read(data["algorithm"], f"{where}.algorithm", Known())
    method = method_of(found) if isinstance(found, planned.Setup) else Method.RATIONAL
    return Case(_NAME, algorithm, found, method)


def stored_setups() -> dict[str, Setup]:
    """Every set-up that a file may hold, by the name of its class."""
    every = (stored(), stored_choice(), stored_ladder(), stored_beside())
    return {class_name(setup.record.make): setup for setup in every}
