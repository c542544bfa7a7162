"""Errors in claims: one part is changed, and an exact instance violates it.

What is printed is not violated on the same instance, so it is the error that is caught.
"""

from collections.abc import Callable
from dataclasses import replace

import sympy as sp
from flint import fmpq

from fedbounds.theory.claims import Part
from fedbounds.theory.registry import claim
from fedbounds.theory.setups import Objective, Planned, Run, Setup
from fedbounds.theory.symbols import (
    G_u,
    T_3u,
    b2,
    m,
    n,
    t,
    variance_u,
    variance_v,
)
from fedbounds.vocabulary import Relation, Verdict

from ..case import Case
from ..instance import Instance
from ..setups.plan import case_of
from .instances import (
    balanced,
    drawn_apart,
    judged,
    noisy,
    scalar_run,
    slow,
    verdict_said,
)
from .planted import ErrorKind, Planted, Said

Change = Callable[[Part], Part]


def _right(change: Callable[[sp.Expr], sp.Expr]) -> Change:
    return lambda part: replace(part, right=change(part.right))


def _turned(part: Part) -> Part:
    return replace(part, left=part.right, right=part.left)


def _exchanged(side: sp.Expr) -> sp.Expr:
    return side.subs({m: n, n: m}, simultaneous=True)


def _unconditional(part: Part) -> Part:
    return replace(part, conditions=())


def long_steps() -> Instance:
    """Steps beyond every condition: gamma L = 3."""
    return scalar_run(((0, 0),), 1, (1,), m=1, K=1, T=2, step=fmpq(3))


def vectors() -> Case:
    """Two of X = 1, -1, 3 at a time: the mean square of their mean is 5/3."""
    rows = Objective("quadratics", (("hessians", (((0,),),) * 3), ("slopes", ((1,), (-1,), (3,)))))
    setup = Setup("personalization", "participants", Run(rows, (0,), (("m", 2),), 1))
    return case_of(Planned("planted", setup), "")


def _planted(
    name: str,
    error: str,
    where: tuple[str, str],
    instance: Callable[[], Instance | Case],
    change: Change,
    control: Verdict = Verdict.NOT_VIOLATED,
    *,
    relation: Relation | None = None,
) -> Planted:
    """A part of a claim of the partial-personalisation paper, as printed or changed."""
    short, part = where
    claim_id = f"personalization/{short}"

    def subject() -> Part:
        printed = claim(claim_id).part(part)
        return replace(printed, relation=relation or printed.relation)

    def examine(own: Part) -> Said:
        return verdict_said(judged(claim_id, own, instance()))

    place = f"{short} {part}".rstrip()
    return Planted(
        name, ErrorKind.CLAIM, error, place, "violated by an exact instance", subject, change,
        examine, control.value, Verdict.VIOLATED.value,
    )  # fmt: skip


PLANTED = (
    _planted("halved-constant", "the constant of b^2 is halved", ("lem-3.6", "a"), balanced,
             _right(lambda r: r.subs(b2, b2 / 2))),
    _planted("bound-over-ten", "the bound is divided by ten", ("thm-3.7", ""), slow,
             _right(lambda r: r / 10)),
    _planted("dropped-factor", "the factor n of b^2 is forgotten", ("lem-3.6", "a"), balanced,
             _right(lambda r: r.subs(n * b2, b2))),
    _planted("dropped-noise", "the noise terms are dropped", ("lem-3.5", ""), noisy,
             _right(lambda r: r.subs({variance_u: 0, variance_v: 0}))),
    _planted("wrong-sign", "the sampling term is subtracted", ("lem-3.1", ""), balanced,
             _right(lambda r: r.subs(T_3u(t), -T_3u(t)))),
    _planted("index-shift", "G_u is taken one round later", ("lem-3.6", "a"), drawn_apart,
             _right(lambda r: r.subs(G_u(t), G_u(t + 1)))),
    _planted("m-and-n-exchanged", "m and n are exchanged", ("lem-A.2", ""), vectors,
             _right(_exchanged), relation=Relation.AT_MOST),
    _planted("turned-round", "the inequality is turned round", ("lem-3.4", ""), drawn_apart,
             _turned),
    _planted("dropped-condition", "the conditions on the step sizes are dropped", ("thm-3.7", ""),
             long_steps, _unconditional, Verdict.OUTSIDE),
)  # fmt: skip
