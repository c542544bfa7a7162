"""Theorems of your own: what a file such as ``my_theorem.py`` imports.

See `theory`, and ``fedbounds new FILE`` for a commented template.
"""

from fedbounds.algorithms.traced import Algorithm
from fedbounds.theory.proof.language import cite, fact, square
from fedbounds.verify.own.bent import bent
from fedbounds.verify.own.curved import curved
from fedbounds.verify.own.declare import Theory, theory
from fedbounds.verify.own.families import quadratic, quadratics, regression, unlike
from fedbounds.verify.own.load import contribution
from fedbounds.verify.own.objective import objective
from fedbounds.verify.own.statements import part

__all__ = [
    "Algorithm",
    "Theory",
    "bent",
    "cite",
    "contribution",
    "curved",
    "fact",
    "objective",
    "part",
    "quadratic",
    "quadratics",
    "regression",
    "square",
    "theory",
    "unlike",
]
