"""Broken orders of two kinds of masks as programs that need nothing but Python."""

from typing import Any

from fedbounds.algorithms.static_masks import StaticMasks
from fedbounds.errors import FedboundsError
from fedbounds.problems.masked_laws import Bernoulli, Rolling
from fedbounds.theory.claims import Part
from fedbounds.theory.symbols import constants_in, quantities_in

from ..case import script_of
from ..evaluate import Numbers
from .frame import Frame
from .limits_scripts import asserts, law_lines, limit_call, moment_lines, point, program
from .side_by_side_runs import SideBySide

_LOSSES = {"L_roll", "L_rand", "L_stat", "roll_loss", "rand_loss", "stat_loss"}
_DISTANCES = {"D_roll", "D_rand", "roll_floor", "rand_floor"}
_LIMITS = {"roll_loss", "rand_loss", "stat_loss", "roll_floor", "rand_floor"}


@script_of.register
def _(setup: SideBySide, judgement: Any, part: Part, numbers: Numbers) -> str:
    names = quantities_in(part.gap) | (constants_in(part.gap) - {"T"})
    loss, limit = names <= _LOSSES, names <= _LIMITS
    if not (loss or names <= _DISTANCES):
        raise FedboundsError(f"{judgement.claim.id}: no script for some of its quantities")
    lines = [
        *moment_lines(setup.problem, setup.rolling, setup.start, limit=limit, loss=loss),
        *law_lines("roll", setup.rolling),
        *law_lines("other", setup.other),
        *asserts(part, numbers, setup.rolling, "(roll, other)"),
    ]
    times = {"roll": setup.epochs, "other": setup.rounds}
    sides = []
    for name, algorithm in (("roll", setup.rolling), ("other", setup.other)):
        z = f"after({name}, {times[name]})"
        if limit:
            z = limit_call(name, algorithm, setup.start)
        sides.append(f"loss({z})" if loss else f"distance({z}, {name}, {_own(setup, name)})")
    return program(judgement, lines, *sides)


def _own(setup: SideBySide, name: str) -> str:
    """The minimiser that the run is measured against."""
    other = setup.other
    assert not isinstance(other, StaticMasks)
    law = Rolling(setup.rolling.masks) if name == "roll" else Bernoulli(other.keep)
    return point(Frame(setup.problem, law, None).masked.minimiser)
