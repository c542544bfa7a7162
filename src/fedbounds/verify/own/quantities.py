"""What is measured of every own run, before each round and after the last, and within a round."""

from collections.abc import Callable, Mapping
from typing import Any

from fedbounds.vocabulary import Quantity

from ..measure.clients import Clients
from .algorithm import MODEL, State

Array = Any
OfState = Callable[[Clients, State], Array]  # one number per row


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


def of_round(before: State, after: State) -> dict[str, Array]:
    """Quantities of a round: one number per row."""
    return {Quantity.STEP_U.value: squares(after[MODEL] - before[MODEL])}


def all_of(problem: Clients, own: Mapping[str, OfState]) -> dict[str, OfState]:
    """The standard quantities and those of the theory."""
    return {**standard(problem, problem.objective.infimum()), **own}
