"""Norms of any matrices: Lemmas A.2 and A.3, squared. Gaps are rational where the norms are."""

from collections.abc import Iterator

import sympy as sp

from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.claims import Claim, Part
from fedbounds.theory.language.setups import Objective, Planned, Run, Setup
from fedbounds.theory.language.symbols import t
from fedbounds.theory.proof.vectors import ip
from fedbounds.vocabulary import Relation

from .names import MATRICES
from .symbols import N_added, N_crossed, N_first, N_last, N_whole
from .vectors import added, crossed, first_block, last_block, one, whole

BESIDE = Claim(entry("overparam/lemma-a2"), MATRICES, (Part(left=N_whole(t), right=N_added(t)),))
KRONECKER = Claim(
    entry("overparam/lemma-a3"), MATRICES,
    (Part(left=N_crossed(t), right=N_first(t) * N_last(t), relation=Relation.EQUAL),),
)  # fmt: skip
CLAIMS = (BESIDE, KRONECKER)

SHOWN = ("whole", "added", "crossed", "first_block", "last_block", "one")
QUANTITIES: dict[str, sp.Expr] = {
    "N_whole": ip(whole, one),
    "N_added": ip(added, one),
    "N_crossed": ip(crossed, one),
    "N_first": ip(first_block, one),
    "N_last": ip(last_block, one),
}

Matrix = tuple[tuple[int | str, ...], ...]
_TURNED: Matrix = (("3/5", "4/5"), ("-4/5", "3/5"))
_DIAGONAL: Matrix = ((2, 0), (0, 3))
_BLOCKS: tuple[tuple[str, tuple[Matrix, ...]], ...] = (
    ("numbers", (((-2,),), ((3,),))),
    ("one block", (_DIAGONAL,)),
    ("equal blocks", (_TURNED, _TURNED, _TURNED)),
    ("diagonal and turned", (_DIAGONAL, _TURNED)),
    ("rows, in other places", (((1, 0), (0, 0)), ((0, 0), (0, 1)))),
    ("of rank one", (((1, 2), (2, 4)), ((3, -1), (-6, 2)))),
    ("with a zero", (((0, 0), (0, 0)), ((1, 1), (1, -1)))),
    ("tall", (((1, 0), (2, 0), (2, 3)), ((0, 2), (1, 0), (0, 0)))),
    ("wide", (((1, 1, 1, 1), (1, -1, 1, -1)), ((3, 0, 4, 0), (0, 5, 0, 0)))),
    ("many", tuple(((k, 1), (-1, k)) for k in range(6))),
)
_NOTHING = Objective("quadratics", (("hessians", (((0,),),)), ("slopes", ((0,),)), ("noise", 0)))


def _planned() -> Iterator[Planned]:
    for told, blocks in _BLOCKS:
        run = Run(_NOTHING, (0,), (("blocks", blocks),), 1)
        yield Planned(f"matrices: {told}", Setup("overparam", "matrices", run), quick=True)


PLANNED = tuple(_planned())
