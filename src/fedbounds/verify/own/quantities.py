"""What is measured of every own run: functions of the state, and definitions in vectors."""

from collections.abc import Mapping
from typing import Any

from fedbounds.theory.proof.vectors import sq
from fedbounds.theory.symbols import VectorSymbol
from fedbounds.vocabulary import Quantity

from ..measure.answers import Asked
from ..measure.clients import Clients
from ..measure.contract import MODEL
from ..measure.functions import OfState
from ..measure.subject import AFTER
from .declare import Theory

Array = Any


def squares(rows: Array) -> Array:
    """Squared norms of the rows."""
    return (rows * rows).sum(axis=-1)


def standard(problem: Clients, infimum: Any) -> dict[str, OfState]:
    """Quantities of the model that every theory may use; f and D_W need a minimiser."""
    found: dict[str, OfState] = {
        Quantity.GRADIENT_U: lambda p, s: squares(p.full_gradient(s[MODEL])),
        Quantity.GRADIENTS: lambda p, s: squares(p.gradient(s[MODEL])).sum(axis=1),
    }
    if infimum is not None:
        found[Quantity.GAP] = lambda p, s: p.value(s[MODEL]).sum(axis=1) / p.clients - infimum
    if problem.minimiser is not None:
        found[Quantity.DISTANCE] = lambda p, s: squares(s[MODEL] - p.minimiser)
    return {str(name): function for name, function in found.items()}


def asked_of(theory: Theory, problem: Clients, values: Mapping[str, Any]) -> Asked:
    """The standard quantities and those of the theory.

    Parameters
    ----------
    values : mapping from symbol name to number
        Parameters and constants, of which definitions may speak.
    """
    functions = {**standard(problem, problem.objective.infimum()), **theory.quantities}
    here, there = (VectorSymbol(name, name) for name in (MODEL, MODEL + AFTER))
    moved = {Quantity.STEP_U.value: sq(there - here)}
    return Asked(functions, {**moved, **theory.definitions}, values)
