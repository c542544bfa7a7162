"""Errors in proofs and algorithms of the paper, each of which the machinery must find."""

from fedbounds.theory.planted import Caught, Rule, Stated, Without, WrongProof, WrongRule

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


RULES = (
    WrongRule("stale-mask", "the server fills in by the masks of other clients",
              "random masks, server", "sub_models.filled", _stale, "claim-virtual",
              masked_round()),
    WrongRule("no-projection", "the server forgets the projection",
              "random masks in a box, server", "sub_models.server", _not_projected,
              "claim-virtual", masked_round(boxed=True)),
)  # fmt: skip
