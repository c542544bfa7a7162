"""What no script ever shows of a part, whatever the numbers of a set-up are."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import sympy as sp

from fedbounds.theory.language.claims import Part
from fedbounds.theory.language.setups import GIVEN, Says, Setup, View, Where

from ..measure.subject import Subject
from ..measure.trace import subject_of
from .found import is_long, view_of
from .narrowed import names_in, sides_of
from .program import one_round
from .script_parts import ANSWERS_OF, FAMILIES


def unscripted(setup: Setup, part: Part) -> str:
    """Why there is no script of such a set-up that shows the part; empty where there may be one."""
    view, family = view_of(setup), setup.run.problem.family
    if is_long(setup):
        return f"no script walks through {setup.run.rounds} rounds"
    if part.quantities & view.outcomes.keys():
        return f"no script for numbers of every outcome, as in {part.name!r}"
    if family == GIVEN:
        return "no script is written for objectives of one's own"
    if family not in FAMILIES:
        return f"no script is written for the family {family!r}"
    if family in ANSWERS_OF:
        missing = _behind(view, part) & _unshown(subject_of(setup.run, view), ANSWERS_OF[family])
        if missing:
            return f"no script is written for {min(missing)}, which problems of scripts do not tell"
    return ""


def _unshown(subject: Subject, answers: Mapping[str, Any]) -> frozenset[str]:
    """Vectors that the step need not show, and does not if a problem answers as in a script."""
    if not subject.shown.may:
        return frozenset()
    problem: Any = _Answering(subject.problem, answers)
    _, shown = one_round(replace(subject, problem=problem))
    return frozenset(subject.shown.may) - shown


class _Answering:
    """A problem, some attributes of which are others."""

    def __init__(self, problem: Any, answers: Mapping[str, Any]) -> None:
        self.__dict__.update(answers, _problem=problem)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._problem, name)


def _behind(view: View, part: Part) -> frozenset[str]:
    """Vectors of which definitions speak: of quantities, constants and premises of a part."""
    assumed = (says for name in part.assumptions for says in view.assumptions.get(name, ()))
    says = [Says(one.left, one.relation, one.right) for one in part.conditions]
    waiting = [part.left, part.right, *_sides((*says, *assumed, *view.requires))]
    meanings = {**view.quantities, **view.constants, **view.shown.derived}
    found = set[str]()
    while waiting:
        fresh = names_in(waiting.pop()) - found
        found |= fresh
        waiting += _sides(meanings[name] for name in fresh & meanings.keys())
    return frozenset(found & {*view.shown.vectors, *view.shown.factors})


def _sides(every: Iterable[Any]) -> list[sp.Expr]:
    """Of functions, which are quoted, there are none."""
    plain = (one for one in every if isinstance(one, sp.Basic | Where | Says))
    return [side for one in plain for side in sides_of(one)]
