"""Errors in proofs and algorithms of the paper, each of which the machinery must find."""

from dataclasses import replace
from typing import Any

from fedbounds.theory.language.planted import (
    Caught,
    DrawLaw,
    Identity,
    Rule,
    Stated,
    Without,
    WrongProof,
    WrongRule,
)

from .rolling_setups import epoch_of_windows
from .setups import masked_round

_NOT = Caught.DOES_NOT_FOLLOW

PLANTED = (
    WrongProof("strong-convexity-not-cited", "an epoch contracts without strong convexity",
               "thm-3:epoch", Without(("asm strongly convex, rolling masks",)), _NOT),
    WrongProof("one-sample-less", "coupled runs part more slowly than they do", "lem-12",
               Stated(right="eta*G_pair(t)/(2*n*n_s) + dl_w(t)"), _NOT),
)  # fmt: skip


def _stale(filled: Rule) -> Rule:
    """Of two clients, each has the other's mask."""
    return lambda masks, own, models: filled(masks[:, ::-1], own, models)


def _not_projected(server: Rule) -> Rule:
    """The box is forgotten."""
    return lambda problem, p, *rest: server(problem, {x: p[x] for x in p if x != "box"}, *rest)


def _rare(masks: Any) -> Any:
    """Coordinates are kept with half the probability."""

    def draw(random: Any, problem: Any, p: Any) -> Any:
        return masks.draw(random, problem, p.with_values({"keep": p["keep"] / 2}))

    return replace(masks, draw=draw)


def _in_order(epochs: Any) -> Any:
    """Every epoch visits the sub-models one after the other."""

    def draw(random: Any, problem: Any, p: Any) -> Any:
        found = epochs.draw(random, problem, p)
        turns = problem.xp.arange(found["order"].shape[2])
        return {**found, "order": found["order"] * 0 + turns}

    return replace(epochs, draw=draw)


_KEPT = (("1/2", "1/2"), ("4/5", "4/5"))
RULES = (
    WrongRule("stale-mask", "the server fills in by the masks of other clients",
              "random masks, server", "sub_models.filled", _stale,
              Identity("claim-virtual", masked_round())),
    WrongRule("no-projection", "the server forgets the projection",
              "random masks in a box, server", "sub_models.server", _not_projected,
              Identity("claim-virtual", masked_round(boxed=True))),
    WrongRule("rare-masks", "coordinates are kept with half the probability",
              "draw of random masks", "sub_models.BESIDE_FULL", _rare,
              DrawLaw(masked_round(), "masks", _KEPT)),
    WrongRule("fixed-order", "every epoch visits the sub-models in the same order",
              "draw of rolling masks", "rolling_models.BESIDE_FULL", _in_order,
              DrawLaw(epoch_of_windows(), "order", ((1, 1, 1), (1, 1, 1)), alike=6)),
)  # fmt: skip
