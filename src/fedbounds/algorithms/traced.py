"""The common form of an algorithm: three plain functions that are traced, never special-cased."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Array = Any
State = dict[str, Array]


@dataclass(frozen=True, eq=False)
class Stages:
    """A round that goes through an order, one index a stage: no stage sees more of the order.

    Attributes
    ----------
    order : str
        The array of ``draw`` whose last axis is the order.
    begin : function (problem, p, state, see) -> None
        Shows what the round starts from, whatever is drawn.
    stage : function (problem, p, state, drawn) -> state
        A stage; of ``order`` it is given the index that is its turn, without the last axis.
    """

    order: str
    begin: Callable[..., None]
    stage: Callable[..., State]


@dataclass(frozen=True, eq=False)
class Algorithm:
    """An algorithm; p has its parameters by name, and the round as p["t"].

    State and draws are dicts of arrays with one row per outcome; the shared model is state["x"],
    shape (rows, d). Where clients have personal blocks, state["u"] is shared, and state["v"], shape
    (rows, n, d_v), has theirs.

    Attributes
    ----------
    init : function (problem, start) -> state
        Or (problem, start, random), or (problem, start, random, p).
        ``start`` has shape (rows, d); with personal blocks it is (u, v_1, ..., v_n), which
        ``problem.blocks(start)`` takes apart.
    draw : function (random, problem, p) -> dict of arrays
        All randomness of a round, from ``random`` alone.
    step : function (problem, p, state, drawn) or (problem, p, state, drawn, see) -> state
        Deterministic; leaves its arguments as they are. ``see(name=array, ...)`` shows what a
        theory speaks of: vectors and numbers, one row per outcome. ``y = see.carry(y)`` is y; where
        moments are followed, they go on from there, and its draws are not used again.
    name : str
        For tables.
    stages : Stages or None
        What ``step`` is made of, where `in_stages` made it.
    """

    init: Callable[..., State]
    draw: Callable[..., dict[str, Array]]
    step: Callable[..., State]
    name: str = "own algorithm"
    stages: Stages | None = None


def in_stages(
    init: Callable[..., State],
    draw: Callable[..., dict[str, Array]],
    stages: Stages,
    name: str = "own algorithm",
) -> Algorithm:
    """An algorithm whose step is its stages, one after another."""

    def step(problem: Any, p: Any, state: State, drawn: dict[str, Array], see: Any) -> State:
        stages.begin(problem, p, state, see)
        order = drawn[stages.order]
        for s in range(order.shape[-1]):
            state = stages.stage(problem, p, state, {**drawn, stages.order: order[..., s]})
        return state

    return Algorithm(init, draw, step, name, stages)
