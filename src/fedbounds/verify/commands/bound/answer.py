"""What `bound` answers for each part of a claim: value, terms, step size, rounds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import sympy as sp

from fedbounds.errors import FedboundsError, require
from fedbounds.theory.language.bounds import (
    PartValue,
    bounded_parts,
    needs,
    none_of,
    reading_named,
    value_of,
)
from fedbounds.theory.language.claims import Claim, Part
from fedbounds.theory.language.inputs import (
    complete,
    exact,
    recognised,
    step_to_choose,
    unmet,
    used_by,
)
from fedbounds.theory.language.registry import glossary

from .rounds import Rounds, counter, rounds_to
from .step import Step, best_step
from .usual import usual


@dataclass(frozen=True)
class Answer:
    """One part.

    Attributes
    ----------
    value : PartValue or None
        None if no number of rounds is enough.
    step : Step or None
        The best step size, if it was left out.
    rounds : Rounds or None
        If an eps was given.
    """

    part: Part
    value: PartValue | None
    step: Step | None = None
    rounds: Rounds | None = None


@dataclass(frozen=True)
class Answers:
    """All parts of a claim under one reading; ``without`` says why a part has no value.

    ``taken`` are usual numbers, for those that were not given.
    """

    claim: str
    reading: str
    given: dict[str, sp.Expr]
    parts: tuple[Answer, ...]
    without: tuple[tuple[str, str], ...]
    taken: Mapping[str, sp.Expr] = field(default_factory=dict)


class _Missing(Exception):
    """Numbers that a part needs."""


def answers(
    claim: Claim,
    given: Mapping[str, Any],
    *,
    reading: str = "",
    part: str | None = None,
    outside: bool = False,
    to: str | None = None,
) -> Answers:
    """Every part that is a bound, for the given numbers, and usual ones where none is given.

    Parameters
    ----------
    given : mapping from name to number or text
    outside : bool
        Also where conditions fail.
    to : str or None
        The rounds until the bound is at most this are sought.

    Raises
    ------
    FedboundsError
        If no part has a value; the message lists every missing number.
    """
    chosen = reading_named(claim, reading)
    parts = bounded_parts(claim, chosen, part)
    names = glossary(claim.entry.paper)
    known = recognised(names, claim.id, given, bounded_parts(claim, chosen))
    eps = None if to is None else exact("--to", to)
    require(eps is None or eps > 0, "--to", to, "a number > 0")
    taken: dict[str, sp.Expr] = {}
    found, without, missing = _tried(claim, parts, known, outside, eps)
    if missing:
        taken = usual(missing, known)
        found, without, missing = _tried(claim, parts, {**known, **taken}, outside, eps)
    if not found:
        raise none_of(names, claim.id, without, missing)
    return Answers(claim.id, chosen.name, known, tuple(found), tuple(without), taken)


def _tried(
    claim: Claim,
    parts: Sequence[Part],
    known: dict[str, sp.Expr],
    outside: bool,
    eps: sp.Rational | None,
) -> tuple[list[Answer], list[tuple[str, str]], set[str]]:
    """The parts that have a value, why others have none, and the numbers that these lack."""
    names = glossary(claim.entry.paper)
    found: list[Answer] = []
    without: list[tuple[str, str]] = []
    missing: set[str] = set()
    for one in parts:
        try:
            found.append(answer(claim, one, known, outside, eps))
        except _Missing as error:
            missing.update(error.args)
            without.append((one.name, needs(names, error.args)))
        except FedboundsError as error:
            without.append((one.name, str(error)))
    return found, without, missing


def answer(
    claim: Claim, part: Part, given: dict[str, sp.Expr], outside: bool, eps: sp.Rational | None
) -> Answer:
    """One part; a step size that is left out is the best admissible one."""
    symbols = used_by(part)
    counted = None
    if eps is not None:
        name = counter(part)
        require(name not in given, name, given.get(name), "left out: --to looks for it")
        counted = symbols[name]
    rounds = frozenset() if counted is None else frozenset({counted.name})
    chosen = step_to_choose(part, given)
    inputs = complete(part, given, rounds | ({chosen} if chosen else set()))
    if inputs.missing:
        raise _Missing(*inputs.missing)
    step = symbols[chosen] if chosen else None
    later = rounds | ({chosen} if chosen else set())
    failed = unmet(glossary(claim.entry.paper), inputs, part, later=later)
    if failed and not outside:
        raise FedboundsError(f"{'; '.join(failed)}; --outside evaluates it all the same")
    if counted is not None:
        needed, at, best = rounds_to(eps, part, inputs, counted, step)
        if at is None:
            return Answer(part, None, None, needed)
        try:
            return Answer(part, value_of(claim, part, at, outside), best, needed)
        except FedboundsError as error:
            raise FedboundsError(f"at {needed.name} = {needed.found}: {error}") from error
    if step is None:
        return Answer(part, value_of(claim, part, inputs, outside))
    best = best_step(part, inputs, step)
    inputs = replace(inputs, values={**inputs.values, step.name: best.value})
    return Answer(part, value_of(claim, part, inputs, outside), best)
