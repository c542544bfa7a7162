"""No algorithm: matrices whose squared spectral norms are looked at.

Parameter: ``blocks`` (count, rows, columns), matrices A_0, A_1, ... of one shape.
"""

from collections.abc import Mapping
from typing import Any

from .traced import Algorithm, State

Array = Any


def init(problem: Any, start: Array) -> State:
    """Nothing moves."""
    return {"x": start}


def draw(random: Any, problem: Any, p: Mapping[str, Any]) -> State:
    """Nothing."""
    return {}


def step(problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any) -> State:
    """Norms of [A_0, A_1, ...], of its blocks, and of Kronecker's product of the first and last."""
    xp, blocks = problem.xp, p["blocks"]
    beside = xp.concat([blocks[c, ...] for c in range(blocks.shape[0])], axis=1)
    first, last = blocks[0, ...], blocks[-1, ...]
    both = first[:, None, :, None] * last[None, :, None, :]
    rows, columns = (size * size for size in first.shape)
    own = problem.squared_norms(blocks)
    here = state["x"][:, 0] * 0 + 1
    see(
        whole=problem.squared_norms(beside[None, ...])[0] * here,
        added=xp.sum(own, axis=0) * here,
        crossed=problem.squared_norms(xp.reshape(both, (1, rows, columns)))[0] * here,
        first_block=own[0] * here,
        last_block=own[-1] * here,
        one=here,
    )
    return state


NORMS = Algorithm(init, draw, step, "norms of matrices")
