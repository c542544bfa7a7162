"""Broken dependences on the capacity as programs that need nothing but Python."""

from typing import Any

from fedbounds.theory.claims import Part

from ..case import script_of
from ..decide import Outcome
from ..evaluate import Numbers
from .limits_scripts import (
    asserts,
    law_lines,
    limit_call,
    moment_lines,
    program,
)
from .run_ladders_runs import CapacityLadder


def outcome_of(judgement: Any, part: Part) -> Outcome:
    """What was found of a part."""
    found: Outcome = next(o for o in judgement.outcomes if o.part == part.name)
    return found


@script_of.register
def _(setup: CapacityLadder, judgement: Any, part: Part, numbers: Numbers) -> str:
    limit, at = part.quantities == {"L_lim"}, outcome_of(judgement, part).at or 0
    small, large = (at, at + 1) if part.compares_neighbours else (0, -1)
    lines = moment_lines(setup.problem, setup.algorithms[0], setup.start, limit=limit, loss=True)
    sides = []
    for name, rung in (("large", setup.algorithms[large]), ("small", setup.algorithms[small])):
        lines += law_lines(name, rung)
        z = f"after({name}, {setup.rounds // rung.epoch})"
        sides.append(f"loss({limit_call(name, rung, setup.start) if limit else z})")
    lines += asserts(part, numbers, setup.algorithms[0], "(large, small)")
    return program(judgement, lines, *sides)
