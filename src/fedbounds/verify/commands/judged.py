"""`fb.check` and `fb.judge`: what is judged, as a table where a notebook shows it."""

from collections.abc import Iterable, Sequence
from typing import Any

from fedbounds.theory.language.claims import Claim

from ..decide.case import Case
from ..decide.judgement import GRAVITY, Judgement
from ..judge import judge as judging
from ..judge.judge import Judged
from ..page.exports.table import Table, table

_COLUMNS = ("claim", "reading", "part", "verdict", "left", "right", "right - left", "reason")


class Seen(Judgement):
    """A judgement that a notebook shows."""

    def _repr_html_(self) -> str:
        return judged_table([self])._repr_html_()


class AllSeen(Judged):
    """All judgements on one instance, likewise."""

    def _repr_html_(self) -> str:
        return judged_table(self.judgements)._repr_html_()


def check(claim: Claim, instance: Case, *, outside: bool = False) -> Seen:
    """Judge the first reading of a claim on an instance; see `judge.judge.check`."""
    return _seen(judging.check(claim, instance, outside=outside))


def judge(claims: Sequence[Claim], instance: Case, **how: Any) -> AllSeen:
    """Judge every reading of claims on an instance; see `judge.judge.judge`."""
    found = judging.judge(claims, instance, **how)
    return AllSeen(tuple(map(_seen, found.judgements)), found.measurement)


def _seen(one: Judgement) -> Seen:
    return Seen(one.claim, one.reading, one.instance, one.outcomes)


def judged_table(judgements: Iterable[Judgement]) -> Table:
    """A row for every part, the gravest verdicts first."""
    every = [(one, x) for one in judgements for x in one.outcomes]
    every.sort(key=lambda pair: GRAVITY.index(pair[1].verdict))
    return table(
        _COLUMNS,
        [
            (
                one.claim.id,
                one.reading.name,
                x.part,
                x.verdict.value,
                x.left,
                x.right,
                x.gap,
                x.reason,
            )
            for one, x in every
        ],
    )
