"""Meerkat-vp from its choice of clients on: by GradIP scores of a calibration, or at random.

Clients that are stopped make one local step a round, the others K. Parameters beside those of
`sparse_zeroth_order`: for the choice by scores ``calibration``, T_cali local steps from w^0 whose
models nobody keeps; ``pretraining`` (d,), the gradient of the pre-training objective; and
``initial``, ``later``, ``quiet``, ``ratio``, ``share``, ``latest`` and ``absolute`` of
`Calibration`, the last two 0 or 1. ``latest`` 0 and ``absolute`` 0 are the rule as printed, 1 and 1
what Table 3 says of it. For the choice at random ``m``, how many are stopped.

Six algorithms: `CALIBRATION`, whose rounds are calibrations from w^0, with their scores; `SCORED`,
whose rounds are single local steps, with the score of each; `CHOSEN`, which chooses by scores
before round 0, and `FLAGS`, which does no more than that; `AT_RANDOM`, which before round 0 stops
any m clients; and `ANEW`, which draws them anew in each round. In one round the last two have the
same law. Moments of `ANEW` are exact; those of `AT_RANDOM` are the mean of those of
`sparse_zeroth_order.STOPPED` over all sets. `CHOSEN` and `AT_RANDOM` show no minimisers: they run
where none is known.
"""

from collections.abc import Mapping
from typing import Any

from . import sparse_zeroth_order
from .early_stopping import Calibration, flagged, gradip
from .sparse_zeroth_order import (
    as_it_is,
    at_best,
    averaged,
    difference,
    directions,
    draw_one,
    init,
    init_models,
    local_step,
)
from .traced import Algorithm, State
from .virtual_path import sent

Array = Any

# ---- the choice


def draw_calibration(random: Any, problem: Any, p: Mapping[str, Any]) -> State:
    """Directions and noise of every step of the calibration."""
    steps = p["calibration"]
    return {"z": directions(random, problem, p, steps), "noise": random.noise(problem, steps)}


def scores_of(problem: Any, p: Mapping[str, Any], x: Array, drawn: State) -> Array:
    """GradIP of what clients send, shape (rows, n, T_cali)."""
    scalars, _ = sent(problem, p, x, drawn)
    return gradip(scalars, drawn["z"], p["pretraining"])


def calibrate(problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any) -> State:
    """Shows the scores; the model stays w^0."""
    see(scores=scores_of(problem, p, state["x"], drawn))
    return state


def scored_step(problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any) -> State:
    """One local step of every client, from its own model; shows its score, and grad f_p."""
    scalars = difference(problem, p, state["y"], drawn["z"][:, :, 0, ...],
                         drawn["noise"][:, :, 0, ...])  # fmt: skip
    see(score=gradip(scalars[:, :, None], drawn["z"], p["pretraining"])[:, :, 0])
    see(pre=problem.xp.stack([p["pretraining"]] * state["x"].shape[0], axis=0))
    return local_step(problem, p, state, drawn, see)


def rule_of(p: Mapping[str, Any]) -> Calibration:
    """The rule that the parameters are."""
    sizes = {name: p[name] for name in ("initial", "later", "quiet", "ratio", "share")}
    return Calibration(**sizes, latest=bool(p["latest"]), absolute=bool(p["absolute"]))


def init_chosen(problem: Any, start: Array, random: Any, p: Mapping[str, Any]) -> State:
    """w^0, and who is stopped: 1 where the rule flags a client, shape (rows, n)."""
    scores = scores_of(problem, p, start, draw_calibration(random, problem, p))
    one = scores[:, :, 0] * 0 + 1
    return {"x": start, "stopped": problem.xp.where(flagged(scores, rule_of(p)), one, one * 0)}


def init_at_random(problem: Any, start: Array, random: Any, p: Mapping[str, Any]) -> State:
    """w^0, and m clients that are stopped."""
    return {"x": start, "stopped": random.participants(problem.clients, p["m"])}


# ---- rounds


def draw_nothing(random: Any, problem: Any, p: Mapping[str, Any]) -> State:
    """Nothing."""
    return {}


def see_chosen(problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any) -> State:
    """Shows who was chosen before round 0, and goes nowhere."""
    see(flags=state["stopped"], one=state["x"][:, 0] * 0 + 1)
    return state


def step_chosen(problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any) -> State:
    """A round in which those are stopped who were at the start."""
    kept = 1 - state["stopped"]
    after = averaged(problem, p, state["x"], drawn, see, see.carry, kept)
    return {"x": after, "stopped": state["stopped"]}


def draw_anew(random: Any, problem: Any, p: Mapping[str, Any]) -> State:
    """Directions, noise, and m clients that are stopped."""
    drawn = sparse_zeroth_order.draw(random, problem, p)
    return {**drawn, "stopped": random.participants(problem.clients, p["m"])}


def step_anew(problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any) -> State:
    """A round in which those are stopped who were drawn."""
    see(**at_best(problem, state["x"]))
    return {"x": averaged(problem, p, state["x"], drawn, see, as_it_is, 1 - drawn["stopped"])}


CALIBRATION = Algorithm(init, draw_calibration, calibrate, "Meerkat-vp, calibration")
SCORED = Algorithm(init_models, draw_one, scored_step, "Meerkat, local steps with scores")
FLAGS = Algorithm(init_chosen, draw_nothing, see_chosen, "Meerkat-vp, who is flagged")
CHOSEN = Algorithm(init_chosen, sparse_zeroth_order.draw, step_chosen, "Meerkat-vp, chosen")
AT_RANDOM = Algorithm(init_at_random, sparse_zeroth_order.draw, step_chosen, "stopped at random")
ANEW = Algorithm(init, draw_anew, step_anew, "stopped at random, in each round")
