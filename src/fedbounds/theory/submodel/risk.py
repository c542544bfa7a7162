"""Corollary 1: optimisation and stability together, as the sheet reconstructs it.

The constants are means over data sets, as in the theorems on stability.
"""

import sympy as sp

from fedbounds.facts import Fact
from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.claims import Claim, Condition, Part, Reading
from fedbounds.theory.language.symbols import K, L, eta, mu, n, t

from . import assumed
from .bounds import MASK_GAP_BOUND, STEEPEST, random_distance
from .names import COUPLED
from .stability import APART
from .symbols import G, G_m, ex_hat, ex_w, gap_full_at_p, n_s

_STEP = (Condition(eta * K * L, "<=", sp.Rational(1, 10)),)
_ASSUMED = (
    Fact.SMOOTH,
    Fact.STRONGLY_CONVEX,
    Fact.NOISE,
    assumed.KEPT,
    assumed.BERNOULLI,
    Fact.SMOOTH_SAMPLES,
    Fact.CONVEX_SAMPLES,
    assumed.LIPSCHITZ_SAMPLES,
    assumed.INDEPENDENT_SAMPLES,
)
_OPTIMISED = L * random_distance(t)
_STABLE = APART * t * G

COROLLARY_1 = Claim(
    entry("submodel/cor-1"),
    algorithms=COUPLED,
    parts=(
        # F(w) - F(w*) is at most L/2 ||w - w*||^2, twice that of w*(p) and twice Lemma 2
        Part(
            name="last model",
            left=ex_w(t),
            right=_OPTIMISED + L / mu**2 * gap_full_at_p + _STABLE,
            conditions=_STEP,
            assumptions=(*_ASSUMED, Fact.UNCONSTRAINED),
        ),
        Part(
            name="projected step",
            left=ex_hat(t),
            right=_OPTIMISED
            + (L / mu**2 + 1 / (2 * L)) * MASK_GAP_BOUND**2
            + _STABLE
            + 2 * G * G_m / (L * n_s * n),
            conditions=_STEP,
            assumptions=(
                *_ASSUMED,
                assumed.BOUNDED_DOMAIN,
                assumed.BOUNDED_MASKED_GRADIENTS,
            ),
            trivial=STEEPEST,
        ),
    ),
    # no strongly convex sample is Lipschitz on R^d: what is meant is where the runs are
    readings=(
        Reading("one projected step after the last model", parts=("projected step",)),
        Reading(
            "the last model, on R^d, where no sample is strongly convex and Lipschitz",
            parts=("last model",),
        ),
    ),
)

CLAIMS = (COROLLARY_1,)
