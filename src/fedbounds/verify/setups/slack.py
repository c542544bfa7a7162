"""Which premise of a proof loses the slack: the multipliers of its certificate, on a run.

right - left is the sum of multiplier times gap over what the step cites, plus what conditions,
squares and dropped terms leave over. A proof by induction is unrolled down to its first round.
"""

from collections import Counter
from functools import partial
from typing import Any

import numpy as np
import sympy as sp

from fedbounds.theory.checker.data import Assignment, Certificate, Premise
from fedbounds.theory.language.claims import Claim, Part
from fedbounds.theory.language.glossary import Glossary
from fedbounds.theory.language.registry import claim as claim_of
from fedbounds.theory.language.registry import glossary
from fedbounds.theory.language.setups import Setup
from fedbounds.theory.language.typed import Names, expression, names_of
from fedbounds.theory.proof.library import book_of, replayed
from fedbounds.theory.proof.replay import Local, Replayed

from ..decide.judgement import Judgement
from ..decide.shares import Share, shares_of
from ..measure.evaluate import Numbers, evaluate, whole
from .found import view_of

_REST = "conditions and dropped terms"
Losses = Counter[str]


class NotToldError(Exception):
    """A premise is used in a way whose gap is not measured; never shown as an error."""


@shares_of.register
def _shares(setup: Setup, judgement: Judgement, numbers: Numbers) -> tuple[Share, ...]:
    if not view_of(setup).tried:
        return ()
    claim, at = judgement.claim, judgement.deciding.at
    part = claim.part(judgement.deciding.part)
    step = _proved(claim, part)
    if step is None or step.certificate is None:
        return ()
    gap = _gap(part, numbers, at)
    if not gap > 0:
        return ()
    try:
        losses = _losses(claim.entry.paper, part, step.certificate, numbers, at, gap)
    except (NotToldError, ArithmeticError):
        return ()
    found = [Share(name, float(x), float(x / gap)) for name, x in losses.items() if x != 0]
    return tuple(sorted(found, key=lambda share: -share.share))


def _proved(claim: Claim, part: Part) -> Replayed | None:
    every = book_of(claim.entry.paper).steps
    names = [w.id for w in every if (w.claim, w.part) == (claim.id, part.name)]
    own = (s for s in replayed(claim.entry.paper, names) if s.written.id in names)
    return next((s for s in own if s.local is Local.PROVED), None)


def _gap(part: Part, numbers: Numbers, at: int | None) -> Any:
    found = evaluate(part.gap, numbers, None if at is None else range(at, at + 1))
    return found if at is None else found.reshape(-1)[0] if hasattr(found, "reshape") else found


def _cited_gap(premise: Premise, part: Part, numbers: Numbers, at: int | None) -> Any:
    """right - left of a cited step where it is used: in a round, or summed over all of them.

    Raises
    ------
    NotToldError
        If it is used elsewhere.
    """
    if premise.at or premise.over not in ("", "t"):
        raise NotToldError
    if not premise.over:
        return _gap(part, numbers, at)
    rounds = range(part.first_round, whole(numbers.constants["T"]))
    gaps = np.broadcast_to(evaluate(part.gap, numbers, rounds), len(rounds))
    return sum(gaps.tolist(), numbers.rational(0, 1))


def _losses(
    theory: str, part: Part, certificate: Certificate, numbers: Numbers, at: int | None, gap: Any
) -> Losses:
    """What each premise loses; the amounts add up to the gap."""
    induction = certificate.rule == "induction"
    found: Losses = Counter()
    if induction and at == part.first_round:
        return Counter({_REST: gap})
    before = at - 1 if induction and at is not None else at
    names = glossary(theory)
    value = partial(_multiplier, certificate=certificate, numbers=numbers, at=before, names=names)
    for premise in certificate.premises:
        if premise.kind not in ("step", "hypothesis"):  # what they leave is part of the rest
            continue
        weight = value(premise)
        if weight == 0:
            continue
        if premise.kind == "hypothesis":
            own = _gap(part, numbers, before)
            for name, amount in _losses(theory, part, certificate, numbers, before, own).items():
                found[name] += weight * amount
        else:
            step = premise.name.removeprefix("asm ")
            cited, _, name = step.partition(":")
            other = claim_of(f"{theory}/{cited}").part(name)
            found[step] += weight * _cited_gap(premise, other, numbers, before)
    found[_REST] += gap - sum(found.values(), numbers.rational(0, 1))
    return found


def _multiplier(
    premise: Premise,
    *,
    certificate: Certificate,
    numbers: Numbers,
    at: int | None,
    names: Glossary,
) -> Any:
    """Its value on a run; variables of the chart are what the parameters make them."""
    text = premise.times[0]
    typed = names_of(names).constants
    slacks = {f"{a.name}_": sp.Symbol(f"{a.name}_") for a in certificate.chart}
    constants = dict(numbers.constants)
    plain = Names(typed, {})
    for assignment in certificate.chart:
        constants[f"{assignment.name}_"] = _slack(assignment, plain, numbers)
    if at is not None:
        constants["t"] = numbers.rational(at, 1)
    known = Numbers(constants, {}, numbers.rational)
    return evaluate(expression(text, Names({**typed, **slacks}, {})), known)


def _slack(assignment: Assignment, names: Names, numbers: Numbers) -> Any:
    bound = evaluate(expression(assignment.bound, names), numbers)
    own = evaluate(expression(assignment.name, names), numbers)
    return bound / own - 1 if assignment.kind == "below" else own - bound
