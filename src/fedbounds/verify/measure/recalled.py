"""Quantities of a last time: what they are in the mean, round by round."""

from functools import lru_cache
from typing import Any

import numpy as np
import sympy as sp

from fedbounds.theory.language.setups import Remembered
from fedbounds.theory.language.symbols import t

Array = Any


def recalled(series: Array, chance: Any) -> Array:
    """A mean over what was, and 0 at first; one round more."""
    found = [series[..., 0] * 0] if series.shape[-1] else [np.zeros(series.shape[:-1])]
    for at in range(series.shape[-1]):
        found.append(found[-1] * (1 - chance) + series[..., at] * chance)
    return np.stack(found, axis=-1)


@lru_cache(maxsize=4096)
def remembered(expression: sp.Expr) -> dict[sp.Expr, sp.Expr]:
    """A quantity for each `Remembered`."""
    nodes = sorted(expression.atoms(Remembered), key=str)
    return {node: sp.Function(f"_remembered_{at}")(t) for at, node in enumerate(nodes)}
