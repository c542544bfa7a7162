"""The vectors that the proofs speak of, and the random objects that each depends on.

One step (view A): W and W_1, ..., W_n are free, and one gradient is taken at each W_k. One client:
the same for a fixed client. A round (view R): tau local steps from W^t, W_k^t = W_k^{t,tau}; the
gradient of a local step depends on the samples of the steps before it. The client k has
probability c_k, the local step s is uniform, and xi are all samples. The noise is any vector, but
where a scope says that it is unbiased.
"""

from dataclasses import replace

from fedbounds.facts import Fact
from fedbounds.theory.checker.data import Scope
from fedbounds.theory.fedplt.distance import POSITIVE
from fedbounds.theory.fedplt.scope_names import (
    CLIENT,
    CLIENT_ROUND,
    CLIENT_ROUND_FGD,
    ROUND,
    STEP,
    UNBIASED_ROUND,
    UNBIASED_STEP,
    VIRTUAL,
)
from fedbounds.theory.proof.text import need

from .. import assumed

_BEFORE, _AFTER = ("past", "k"), ("past", "xi", "k")
_NOISES = ("noise", "mn", "pmn", "an", "smn", "san")
_UPDATES = (
    ("Ub", "-eta*g"),
    ("mUb", "-eta*mg"),
    ("aUb", "-eta*ag"),
    ("delta", "-eta*noise"),
    ("mdelta", "-eta*mn"),
    ("adelta", "-eta*an"),
    ("smdelta", "-eta*smn"),
    ("sadelta", "-eta*san"),
)

ONE_STEP = Scope(
    sources=("past", "xi", "k"),
    atoms=(
        ("W", ("past",)),
        ("Wstar", ()),
        *((name, _BEFORE) for name in ("Wk", "g", "g0", "mg", "pmg", "ag", "rg")),
        *((name, _BEFORE) for name in ("ax", "wx", "wg0")),
        *((name, _AFTER) for name in _NOISES),
        ("aone", ("k",)),
        ("saone", ("k",)),
    ),
    derived=(
        *_UPDATES,
        ("D", "-eta*given(pmg + pmn, past, xi)"),
        ("Db", "-eta*given(pmg, past, xi)"),
        ("Wn", "W + D"),
    ),
    needs=(
        need(("rg",), assumed.ALIGNED),
        # their factor is the root of gamma_k
        need(("wx", "wg0"), under=(POSITIVE,)),
    ),
)

# nothing before the step is random, so that squares are those of the vectors themselves
ONE_CLIENT = Scope(
    sources=("xi",),
    atoms=(
        *((name, ()) for name in ("W", "Wk", "Wstar", "g", "g0", "mg", "pmg", "anyv", "mv")),
        ("noise", ("xi",)),
    ),
    derived=(("delta", "-eta*noise"),),
)

_LOCAL = ("past", "xi", "k", "s")
_LOCAL_NOISES = ("ns", "mns", "pmns", "ans")
_LOCAL_GRADIENTS = ("gs", "mgs", "pmgs", "ags", "Gs")

A_ROUND = Scope(
    sources=(*_LOCAL, "new"),
    atoms=(
        ("W", ("past",)),
        ("Wstar", ()),
        *((name, _LOCAL) for name in (*_LOCAL_GRADIENTS, *_LOCAL_NOISES)),
        # of the step that the analysis takes from W_k^{t,tau}, with a new sample
        ("pmg", _AFTER),
        ("pmn", (*_AFTER, "new")),
        ("aone", ("k",)),
    ),
    derived=(
        ("Wk", "W - eta*tau*given(mgs + mns, past, xi, k)"),
        ("D", "-eta*tau*given(pmgs + pmns, past, xi)"),
        ("Db", "-eta*tau*given(pmgs, past, xi)"),
        ("Wn", "W + D"),
        ("W1", "W - eta*given(pmg + pmn, past, xi, new)"),
    ),
)

# j local steps after W^t was sent out, here `W0`; sums over them are j times a mean
VIRTUAL_ROUND = Scope(
    sources=_LOCAL,
    atoms=(
        ("W0", ("past",)),
        *((name, _LOCAL) for name in ("mgs", "pmgs", "ags", *_LOCAL_NOISES[1:])),
    ),
    derived=(
        ("Wk", "W0 - eta*j*given(mgs + mns, past, xi, k)"),
        ("W", "W0 - eta*j*given(pmgs + pmns, past, xi)"),
    ),
    needs=(need(("Wk", "W"), assumed.VIRTUAL),),
)

_OF_CLIENT = ("past", "xi", "s")
A_CLIENT_ROUND = Scope(
    sources=_OF_CLIENT,
    atoms=(
        ("W", ("past",)),
        *((name, _OF_CLIENT) for name in ("gs", "mgs", "Gs", "ns", "mns")),
    ),
    derived=(("Wk", "W - eta*tau*given(mgs + mns, past, xi)"),),
)

A_CLIENT_ROUND_FGD = Scope(
    sources=("past", "s"),
    atoms=(("W", ("past",)), ("gs", ("past", "s")), ("mgs", ("past", "s"))),
    derived=(("Wk", "W - eta*tau*given(mgs, past)"),),
    needs=(need(("Wk",), Fact.NOISELESS),),
)


def _unbiased(scope: Scope, *centred: tuple[str, str]) -> Scope:
    """The same, where noises vanish on average over a source."""
    noises = need((name for name, _ in centred), Fact.NOISE)
    return replace(scope, centred=centred, needs=(*scope.needs, noises))


SCOPES = {
    STEP: ONE_STEP,
    CLIENT: ONE_CLIENT,
    ROUND: A_ROUND,
    CLIENT_ROUND: A_CLIENT_ROUND,
    CLIENT_ROUND_FGD: A_CLIENT_ROUND_FGD,
    VIRTUAL: VIRTUAL_ROUND,
    UNBIASED_STEP: _unbiased(ONE_STEP, *((name, "xi") for name in _NOISES)),
    UNBIASED_ROUND: _unbiased(A_ROUND, *((name, "xi") for name in _LOCAL_NOISES), ("pmn", "new")),
}
