"""What a verdict on an exact set-up says, in words."""

from dataclasses import replace
from typing import Any

from flint import fmpq

from fedbounds.theory.language.claims import AS_PRINTED, Part
from fedbounds.theory.language.registry import claim

from ...decide.case import Case
from ...decide.measurement import measure
from ...decide.part import Outcome
from ...judge.judge import judge_reading
from .planted import Said


def judged(claim_id: str, part: Part, subject: Case) -> Outcome:
    """The outcome of one part of a claim, as given, on one set-up."""
    alone = replace(claim(claim_id), parts=(part,), readings=(AS_PRINTED,), proof_weights=())
    return judge_reading(alone, AS_PRINTED, subject, measure(subject)).deciding


def verdict_said(outcome: Outcome) -> Said:
    """The verdict, with both sides and where."""
    if outcome.gap is None:
        return Said(outcome.verdict.value, outcome.reason)
    at = "" if outcome.at is None else f" at round {outcome.at}"
    sides = (outcome.left, outcome.right, outcome.gap)
    numbers = "left {}, right {}, gap {}".format(*map(_short, sides)) + at
    reason = f"; {outcome.reason}" if outcome.reason else ""
    return Said(outcome.verdict.value, numbers + reason)


def _short(number: Any) -> str:
    """An exact value as it is, if it is short; else rounded."""
    text = str(number)
    if isinstance(number, str) and len(text) <= 16:
        return text
    return f"{float(fmpq(number) if isinstance(number, str) else number):.6g}"
