"""Mutants of a user's file: of its statements, at edges of their own, and of its algorithm."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.claims import Claim
from fedbounds.theory.language.contributed import contribute, contributed
from fedbounds.vocabulary import Verdict

from ...decide.case import Case
from ...decide.part import Outcome as Found
from ...decide.profile import Profile
from ...judge.judge import judge
from ...own.declare import Theory
from ...own.known import remember, theory_of
from ...own.laws import check_laws
from ...own.load import load
from ...own.longer import Runs
from ...results.files import write_text
from .algorithms import Change, changes
from .measured import Asked, survey
from .rows import Outcome, Row, how_far
from .table import Line, cell

_PLANS = (Profile.QUICK, Profile.DEFAULT)
Sides = dict[tuple[str, str, str, str], tuple[str, Any, Any]]  # by claim, reading, part, run


@dataclass(frozen=True)
class Shown:
    """What a plan shows of a file.

    Attributes
    ----------
    sides : verdict, left and right, by claim, reading, part and run
    broken : dict
        By claim, the first run that breaks a reading of it.
    laws : set of str
        Laws that are broken.
    """

    sides: Sides
    broken: Mapping[tuple[str, str], str]
    laws: frozenset[str]


def at_its_edges(theory: Theory, row: Row) -> Row:
    """A mutant with other premises, looked at where these end, as the original's plan is not."""
    mutant = row.mutant
    same = mutant.part.conditions == mutant.original.conditions
    if row.outcome is not Outcome.MISSED or same:
        return row
    (own,) = [s for s in theory.statements if s.claim.id == row.claim]
    claim = replace(own.claim, parts=tuple(
        mutant.part if one.name == mutant.part.name else one for one in own.claim.parts
    ))  # fmt: skip
    statements = [replace(s, claim=claim) if s is own else s for s in theory.statements]
    try:
        plan = list(Runs(replace(theory, statements=statements)).cases(Profile.DEFAULT, 0))
    except FedboundsError as error:  # an edge that depends on what comes later, say
        return replace(row, why=str(error).partition(": ")[2])
    found = survey([Asked(claim, mutant.part, ())], plan)[mutant.part]
    outcome = Outcome.MEASUREMENT if found.broken_by else Outcome.MISSED
    seen = found.broken_by or found.closest[1]
    return replace(row, outcome=outcome, why=f"{how_far(found)}, at its own edges", seen=seen)


def of_algorithm(theory: Theory, wanted: Collection[str] | None = None) -> Iterator[Line]:
    """Every change of the algorithm, judged by the claims that hold of it as it is, and by laws.

    ``wanted``: of these changes alone, as lines tell them.
    """
    kept = contributed(theory.key)
    assert kept is not None
    text = _source(theory)
    before = {profile: _shown(theory, profile) for profile in _PLANS}
    told: Counter[tuple[str, str, str]] = Counter()
    try:
        for change in changes(text):
            told[change.function, change.slip.value, change.told] += 1
            number = told[change.function, change.slip.value, change.told]
            name = cell(change.told + (f" ({number})" if number > 1 else ""))
            if wanted is None or name in wanted:
                yield _line(theory.key, change, name, before)
    finally:
        contribute(kept)
        remember(theory)


def _source(theory: Theory) -> str:
    return Path(theory.line.rpartition(":")[0]).read_text(encoding="utf-8")


def _line(key: str, change: Change, name: str, before: Mapping[Profile, Shown]) -> Line:
    outcome, reason, seen = _judged(key, change.text, before)
    cells = (
        change.function, "", change.slip.value, f"line {change.line}", outcome.value, "", reason,
        "", seen, name,
    )  # fmt: skip
    return Line(*map(cell, cells))


def _judged(key: str, text: str, before: Mapping[Profile, Shown]) -> tuple[Outcome, str, str]:
    """Outcome, why, and the run that breaks a claim: of the quick plan, else of the default one."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / f"{key}.py"
        write_text(file, text)
        try:
            with np.errstate(all="ignore"):  # a change may divide by 0
                load(str(file))
            for profile in _PLANS:
                found = _compared(_shown(theory_of(key), profile, before[profile]), before[profile])
                if found[0] not in (Outcome.MISSED, Outcome.EQUIVALENT):
                    break
        except FedboundsError as error:
            return Outcome.REFUSED, _short(str(error)), ""
    return found


def _compared(now: Shown, before: Shown) -> tuple[Outcome, str, str]:
    fresh = {name: run for name, run in now.broken.items() if name not in before.broken}
    if fresh:
        (claim, reading), run = next(iter(fresh.items()))
        return Outcome.MEASUREMENT, f"violated: {claim.partition('/')[2]}, {reading}", run
    if now.laws - before.laws:
        return Outcome.LAW, ", ".join(sorted(now.laws - before.laws)), ""
    if now.sides == before.sides:
        return Outcome.EQUIVALENT, f"equal in all {len(now.sides)} numbers", ""
    held = sum(verdict == Verdict.NOT_VIOLATED for verdict, _, _ in now.sides.values())
    return Outcome.MISSED, f"held {held} times", ""


def _short(text: str) -> str:
    """Without the place of a file that is gone."""
    return text.partition(".py:")[2].partition(": ")[2].partition("\n")[0] or text


def _shown(theory: Theory, profile: Profile, before: Shown | None = None) -> Shown:
    """All of it; or until a claim breaks that was not broken ``before``."""
    claims: Sequence[Claim] = [statement.claim for statement in theory.statements]
    sides: Sides = {}
    broken: dict[tuple[str, str], str] = {}
    for case in Runs(theory).cases(profile, 0):
        for name, part, outcome in _outcomes(claims, case):
            sides[(*name, part, case.name)] = outcome.verdict, outcome.left, outcome.right
            if outcome.verdict is Verdict.VIOLATED:
                broken.setdefault(name, case.name)
        if before is not None and broken.keys() - before.broken.keys():
            return Shown(sides, broken, frozenset())
    laws = frozenset(one.law for one in check_laws(theory) if one.verdict == "broken")
    return Shown(sides, broken, laws)


def _outcomes(claims: Sequence[Claim], case: Case) -> Iterator[tuple[tuple[str, str], str, Found]]:
    for found in judge(claims, case).judgements:
        for outcome in found.outcomes:
            yield (found.claim.id, found.reading.name), outcome.part, outcome
