"""Errors in proofs, claims and algorithms of the paper, each of which the machinery must find."""

from typing import Any

from fedbounds.theory.language.planted import (
    Caught,
    Identity,
    Reduces,
    Replaced,
    Rule,
    Stated,
    Unconditional,
    WrongClaim,
    WrongProof,
    WrongRule,
)
from fedbounds.vocabulary import Verdict

from .ridges import RIDGES
from .setups import local_steps, rounds, stopped
from .symbols import u

_OF = next(own for own in RIDGES if own.told == "4/9 kept, one of three")
_LONG = local_steps(_OF, 4 * _OF.local_step, 2, "4/(L(u+2))", quick=False).setup
_SHORT = local_steps(_OF, _OF.local_step, 2, "eta = 1/(L(u+2))", quick=False).setup
_ROUNDS = rounds(_OF, _OF.local_step, (2, 2), "eta = 1/(L(u+2))", quick=False).setup

_HALF = stopped(_OF, (0, 1), _OF.local_step, (2, 2), "1/2", "one stopped", quick=False).setup

_TRANSIENT = "L**2*(2 + u_m)**2/(mu_PL**2*c_m*(1 + sqrt(c_h))**2*K*T)*f(0)"
_FLOOR = "sigma_h**2/(mu_PL*(1 + sqrt(c_h))**2) + L*Delta + K*c_m*sigma2/(2*L*(2 + u_m))"
_THREE = f"3*{_TRANSIENT} + {_FLOOR}"
PLANTED = (
    WrongProof("estimate-one-plus-u", "(1+u) in place of (2+u) in Lemma B.7", "lemma-b7:count",
               Stated(right="(1 + u_m)*c_m*s_k2(t)"), Caught.DOES_NOT_FOLLOW),
    WrongProof("any-step-of-a-client", "(6) at every step size", "eq-6:count",
               Stated(conditions=()), Caught.DOES_NOT_FOLLOW),
    WrongProof("last-step-three-for-four", "3 in place of 4 in the last step of Theorem 2.1",
               "thm-2.1-explicit", Stated(right=_THREE),
               Caught.DOES_NOT_FOLLOW),
)  # fmt: skip
CLAIMS = (
    WrongClaim("moment-one-plus-u", "(1+u) in place of (2+u) in Lemma B.7", "lemma-b7", "count",
               Replaced(((u, u - 1),)), _SHORT),
    WrongClaim("step-of-another-lemma", "(6) without its step size", "eq-6", "count",
               Unconditional(), _LONG, control=Verdict.OUTSIDE),
)  # fmt: skip


def _unmasked(directions: Rule) -> Rule:
    """Directions of all coordinates."""

    def wrong(random: Any, problem: Any, p: Any, steps: int) -> Any:
        every = {"mask": [1] * len(p["mask"]), "own": p["own"], "epsilon": p["epsilon"]}
        return directions(random, problem, every, steps)

    return wrong


def _doubled(difference: Rule) -> Rule:
    """A difference over eps in place of 2 eps."""

    def wrong(*arguments: Any, **more: Any) -> Any:
        return difference(*arguments, **more) * 2

    return wrong


def _by_steps(averaged: Rule) -> Rule:
    """Clients count by their local steps, the stopped ones less."""

    def wrong(problem: Any, p: Any, x: Any, drawn: Any, see: Any, carry: Any, kept: Any) -> Any:
        shown: dict[str, Any] = {}
        averaged(problem, p, x, drawn, lambda **more: shown.update(more), carry, kept)
        taken = kept * (p["K"] - 1) + 1
        every = sum((1 - own) * (p["K"] - 1) + 1 for own in p["stopped"])
        after = problem.xp.sum(shown["reached"] * taken[:, :, None], axis=1) / every
        see(**shown | {"w_next": after})
        return after

    return wrong


def _one_less(replayed: Rule) -> Rule:
    """The server forgets the last scalar."""

    def wrong(start: Any, p: Any, scalars: Any, directions: Any) -> Any:
        return replayed(start, p, scalars[:, :, :-1], directions)

    return wrong


_WHERE = "Meerkat, clients"
RULES = (
    WrongRule("directions-not-masked", "directions move all coordinates", _WHERE,
              "sparse_zeroth_order.directions", _unmasked, Identity("eq-9", _ROUNDS)),
    WrongRule("difference-not-halved", "the difference of two values is over eps", _WHERE,
              "sparse_zeroth_order.difference", _doubled, Identity("eq-9", _ROUNDS)),
    WrongRule("stopped-clients-count-less", "clients are averaged by their local steps",
              "Meerkat-vp, server", "sparse_zeroth_order.averaged", _by_steps,
              Identity("eq-19", _HALF)),
    WrongRule("virtual-path-one-step-less", "the server replays a step less", "Meerkat, server",
              "virtual_path.replayed", _one_less, Reduces("alg-2", "n=2 m=2 K=2 d_u=2 d_v=0")),
)  # fmt: skip
