"""What is measured of every run that is tried: functions of the state, and steps of models."""

from collections.abc import Mapping
from typing import Any

import sympy as sp

from fedbounds.theory.language.setups import View
from fedbounds.theory.language.symbols import VectorSymbol
from fedbounds.theory.proof.vectors import sq

from ..measure.answers import Asked
from ..measure.clients import Clients
from ..measure.contract import BLOCK_U, BLOCK_V, MODEL, State
from ..measure.functions import OfState
from ..measure.subject import AFTER

Array = Any


def squares(rows: Array) -> Array:
    """Squared norms of the rows."""
    return (rows * rows).sum(axis=-1)


def standard(problem: Clients, infimum: Any) -> dict[str, OfState]:
    """Quantities of the model that every theory may use; f and D_W need a minimiser."""
    found: dict[str, OfState] = {
        "G_u": lambda p, s: squares(p.full_gradient(s[MODEL])),
        "B": lambda p, s: squares(p.gradient(s[MODEL])).sum(axis=1),
    }
    if infimum is not None:
        found["f"] = lambda p, s: p.value(s[MODEL]).sum(axis=1) / p.clients - infimum
    if problem.minimiser is not None:
        found["D_W"] = lambda p, s: squares(s[MODEL] - p.minimiser)
    return found


def of_blocks(infimum: Any) -> dict[str, OfState]:
    """Those of models with personal blocks: f, and gradients by each block."""

    def gradients(p: Clients, s: State) -> tuple[Array, Array]:
        return p.gradients(s[BLOCK_U], s[BLOCK_V])

    def mean(p: Clients, rows: Array) -> Array:
        return p.xp.sum(rows, axis=1) / p.clients

    found: dict[str, OfState] = {
        "G_u": lambda p, s: squares(mean(p, gradients(p, s)[0])),
        "G_v": lambda p, s: mean(p, squares(gradients(p, s)[1])),
        "B": lambda p, s: squares(gradients(p, s)[0]).sum(axis=1),
    }
    if infimum is not None:
        found["f"] = lambda p, s: mean(p, p.value(s[BLOCK_U], s[BLOCK_V])) - infimum
    return found


def asked_of(view: View, problem: Clients, values: Mapping[str, Any]) -> Asked:
    """The standard quantities and those of the view.

    Parameters
    ----------
    values : mapping from symbol name to number
        Parameters and constants, of which definitions may speak.
    """
    infimum = problem.objective.infimum()
    whole = MODEL in view.shown.vectors
    own = standard(problem, infimum) if whole else of_blocks(infimum)
    moved = {name: _step(model) for name, model in _steps(view).items()}
    return Asked({**own, **view.functions}, {**moved, **view.quantities}, values)


def _steps(view: View) -> dict[str, str]:
    """Which models' steps are measured; of clients that weigh alike, those of personal blocks."""
    if MODEL in view.shown.vectors:
        return {"Du_2": MODEL}
    weighed = any(view.shown.indices.values())
    return {"Du_2": BLOCK_U} | ({} if weighed else {"Dv_2": BLOCK_V})


def _step(model: str) -> sp.Expr:
    here, there = (VectorSymbol(name, name) for name in (model, model + AFTER))
    return sq(there - here)
