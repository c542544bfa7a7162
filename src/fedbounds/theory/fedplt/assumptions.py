"""Assumptions 1 to 6, each in the readings that the text allows.

Assumption 5 is imposed together with Assumption 2, and Assumption 6 speaks of F_k that are
strongly convex.
"""

from fedbounds.facts import Fact
from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.setting import Asked, Existence

from . import assumed

_CONVEX = Fact.STRONGLY_CONVEX
_PARTIAL = assumed.LEAVES_OUT

A1 = Existence(entry("fedplt/A1"), (Asked("as printed", (Fact.SMOOTH,)),))
A2 = Existence(entry("fedplt/A2"), (Asked("as printed", (_CONVEX,)),))
A3 = Existence(
    entry("fedplt/A3"),
    (
        Asked(
            "independent over clients, steps and rounds",
            (Fact.UNBIASED, Fact.INDEPENDENT),
        ),
        Asked("independence over clients is not asked for", (Fact.UNBIASED,)),
    ),
)
A4 = Existence(entry("fedplt/A4"), (Asked("as printed", (Fact.BOUNDED_VARIANCE,)),))

A5 = Existence(
    entry("fedplt/A5"),
    (
        Asked(
            "on all of R^d, with Assumption 2",
            (_CONVEX, Fact.GLOBAL_GRADIENT_EVERYWHERE),
        ),
        Asked(
            "on all of R^d, without Assumption 2",
            (Fact.GLOBAL_GRADIENT_EVERYWHERE,),
        ),
        Asked("on a set that contains the iterates", (_CONVEX, assumed.GLOBAL_GRADIENT)),
        Asked(
            "the gradient of each F_k, on a set that contains the iterates",
            (_CONVEX, assumed.LOCAL_GRADIENTS),
        ),
    ),
)

A6 = Existence(
    entry("fedplt/A6"),
    (
        Asked(
            "every W in R^d, a mask leaves out a coordinate",
            (_CONVEX, _PARTIAL, assumed.ALIGNED_EVERYWHERE),
        ),
        Asked(
            "every W in R^d, full masks",
            (_CONVEX, assumed.FULL_MASKS, assumed.ALIGNED_EVERYWHERE),
        ),
        Asked(
            "the iterates of one run, a mask leaves out a coordinate",
            (_CONVEX, _PARTIAL, assumed.ALIGNED),
        ),
        Asked(
            "an open set that contains the iterates, a mask leaves out a coordinate",
            (_CONVEX, _PARTIAL, assumed.ALIGNED_OPEN),
        ),
    ),
)

CLAIMS = (A1, A2, A3, A4, A5, A6)
