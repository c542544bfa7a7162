"""Errors in proofs, claims and algorithms of the paper, each of which the machinery must find."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fedbounds.theory.language.planted import (
    Caught,
    Identity,
    Replaced,
    Rule,
    Stated,
    Unconditional,
    Without,
    WithoutStart,
    WrongClaim,
    WrongProof,
    WrongRule,
)
from fedbounds.theory.language.setups import Setup
from fedbounds.theory.language.symbols import eta, n, t
from fedbounds.vocabulary import Verdict

from . import matrices, relu_setups, setups
from .sizes import LINEAR_RATE, rate
from .symbols import (
    N_added,
    N_first,
    N_last,
    P_max,
    P_min,
    S_least,
    S_size,
    samples,
)


def _of(plan: Any, name: str) -> Setup:
    """A planned set-up by its name."""
    found: Setup = next(one.setup for one in plan if one.name == name)
    return found


_LINEAR, _RELU = setups.PLANNED, relu_setups.PLANNED
_EVERYONE = _of(_LINEAR, "one layer: both, K=3 T=4")
_TURNS = _of(_LINEAR, "two layers, width 16: in turns, K=2 T=3")
_VARYING = _of(_LINEAR, "one layer: one, then both, K=3 T=4")
_ONE = _of(_LINEAR, "two layers, width 16: one client, K=2 T=3")
_STUCK = _of(_LINEAR, "one layer, the first client nearly fitted: one client, K=1 T=4")
_UNLIKE = _of(_LINEAR, "two layers, samples of two sizes: both, K=2 T=2")
_BLOCKS = _of(matrices.PLANNED, "matrices: diagonal and turned")
_ORTHOGONAL = _of(relu_setups.OF_SAMPLES, "ReLU, orthogonal: samples alone, K=1 T=1")
_LINEARISED = _of(
    _LINEAR,
    "one layer, both features: 1 of 2 at random, beside its linearisation, eta=1/20 K=2 T=4",
)
_LONG = _of(_RELU, "ReLU, long steps: one client, K=3 T=3")

PLANTED = (
    WrongProof("linear-mean-no-square", "a mean of models is as near as models are, for free",
               "the mean of some clients", Without()),
    WrongProof("linear-loss-not-cited", "a round contracts although no loss is cited", "a round",
               Without(("asm losses and distance",)), Caught.DOES_NOT_FOLLOW),
    WrongProof("linear-rate-doubled", "2 eta K lambda/N in a round", "a round",
               Stated(right="(1 - 2*eta*K*P_min/n)*far_2(t)"), Caught.DOES_NOT_FOLLOW),
    WrongProof("linear-rate-of-fewer", "N in place of N^2 in the rate of fewer clients",
               "rem-iv.2:guarantee",
               Stated(right="1 - eta*K*P_min*S_least/(2*n)"), Caught.DOES_NOT_FOLLOW),
    WrongProof("linearised-for-free", "slopes do not move with layers", "slopes of both",
               Without(("asm slopes",)), Caught.DOES_NOT_FOLLOW),
    WrongProof("linearised-no-start", "both models may start apart", "rounds of both",
               WithoutStart()),
    WrongProof("linearised-no-square", "cross terms of a round are left out",
               "a round of both", Without(("square",))),
    WrongProof("kernel-loss-not-cited", "linearised, a round contracts although no loss is cited",
               "a round, linearised", Without(("asm losses and distance, linearised",)),
               Caught.DOES_NOT_FOLLOW),
    WrongProof("linear-any-number", "|S| may be larger than N",
               "rate-forms:(a) gives (b)", Stated(conditions=()), Caught.DOES_NOT_FOLLOW),
)  # fmt: skip

_SECOND = rate(S_size(t))
CLAIMS = (
    WrongClaim("linear-n-for-n-squared", "N in place of N^2 in the factor of a round",
               "final-step", "(b)", Replaced(((_SECOND, n * _SECOND),)), _EVERYONE),
    WrongClaim("linear-some-clients", "every client in every round, without that", "thm-iv.2",
               "everyone", Unconditional(), _STUCK, control=Verdict.OUTSIDE),
    WrongClaim("linear-rate-times-2n", "2N times the rate of (19)", "thm-iv.2",
               "everyone", Replaced(((rate(S_least), 2 * n * rate(S_least)),)), _EVERYONE),
    WrongClaim("linear-first-block-alone", "the first block in place of all", "lemma-a2", "",
               Replaced(((N_added(t), N_first(t)),)), _BLOCKS),
    WrongClaim("linear-norms-added", "the sum of two norms in place of their product", "lemma-a3",
               "", Replaced(((N_first(t) * N_last(t), N_first(t) + N_last(t)),)), _BLOCKS),
    WrongClaim("linear-least-for-largest", "lambda_min(P(0)) bounds all of P^S(0)", "eq-16",
               "largest", Replaced(((P_max, P_min),)), _UNLIKE),
    WrongClaim("linear-local-rate", "16 times the rate of local steps", "lemma-a6", "(35)",
               Replaced(((eta, 16 * eta),)), _EVERYONE),
    WrongClaim("relu-quarter", "n/4 for the trace of H^infinity", "h-inf", "trace, length 1",
               Replaced(((samples, samples / 2),)), _ORTHOGONAL),
    WrongClaim("kernel-rate-times-n", "a linearised round contracts as if all took part", "kernel",
               "", Replaced(((LINEAR_RATE, n * LINEAR_RATE),)), _LINEARISED),
    WrongClaim("linear-product-times-4n", "4N times the rates of the product of (19)", "thm-iv.2",
               "product", Replaced(((_SECOND, 4 * n * _SECOND),)), _VARYING),
)  # fmt: skip


# ---- algorithms


def _over_everyone(mean_of: Rule) -> Rule:
    """The sum over S_t is over N."""
    return lambda problem, own, present: (
        mean_of(problem, own, present)
        * (problem.xp.sum(present, axis=1) / problem.clients)[:, None]
    )


def _step_over_steps(local_steps: Rule) -> Rule:
    """Steps of eta/K."""

    def wrong(problem: Any, p: Any, *rest: Any) -> Any:
        return local_steps(problem, p.with_values({"eta": p["eta"] / p["K"]}), *rest)

    return wrong


def _of_the_next(apart: Rule) -> Rule:
    """Local residuals of the next client stand beside a client's Gram matrix."""

    def wrong(problem: Any, p: Any, state: Any, present: Any, *rest: Any) -> None:
        xp, (*before, missed, see) = problem.xp, rest
        rolled = [xp.concat([own[:, 1:], own[:, :1]], axis=1) for own in missed]
        apart(problem, p, state, present, *before, rolled, see)

    return wrong


@dataclass(frozen=True)
class _Other:
    """A problem of which one function is another one.

    Attributes
    ----------
    problem : problem
    name : str
    function : function
        Of the problem, and of what the right one is given.
    """

    problem: Any
    name: str
    function: Callable[..., Any]

    def __getattr__(self, name: str) -> Any:
        if name == self.name:
            return lambda *given: self.function(self.problem, *given)
        return getattr(self.problem, name)


def _with(name: str, function: Callable[..., Any]) -> Callable[[Rule], Rule]:
    """A rule that is given a problem with another function."""
    return lambda rule: lambda problem, *rest: rule(_Other(problem, name, function), *rest)


def _by_turned_gram(problem: Any, x: Any, ys: Any, apart: Any) -> Any:
    """P(t, k)' in place of P(t, k)."""
    size = apart.shape[1] * apart.shape[2]
    matrix = problem.xp.reshape(problem.objective.crossed_gram(x, ys), (-1, size, size))
    turned = problem.xp.matrix_transpose(matrix)
    found = problem.xp.matmul(turned, problem.xp.reshape(apart, (-1, size, 1)))
    return problem.xp.reshape(found, apart.shape)


def _not_near(problem: Any, y: Any, radius: Any) -> Any:
    """Q_i in place of its complement."""
    return 1 - problem.near(y, radius)


_ROUND = "FedAvg, a round"
RULES = (
    WrongRule("mean-over-everyone", "the mean over S_t is over N", "FedAvg, server",
              "scheduled_averaging.mean_of", _over_everyone, Identity("eq-17", _ONE)),
    WrongRule("gram-transposed", "the transpose of the Gram matrix", _ROUND,
              "scheduled_averaging._apart", _with("by_crossed_gram", _by_turned_gram),
              Identity("eq-11-12", _TURNS)),
    WrongRule("residuals-of-another", "local residuals of another client", _ROUND,
              "scheduled_averaging._apart", _of_the_next, Identity("eq-17", _TURNS)),
    WrongRule("step-over-local-steps", "clients' steps are eta/K", "FedAvg, client",
              "scheduled_averaging.local_steps", _step_over_steps, Identity("eq-8-10", _TURNS)),
    WrongRule("neurons-that-stay", "v and H^perp are of the neurons of Q_i",
              "FedAvg of ReLU networks, a round", "relu_averaging._apart", _with("near", _not_near),
              Identity("eq-53-56", _LONG)),
)  # fmt: skip
