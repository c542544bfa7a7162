"""One run without randomness, whatever its step: in balls, with as many bits as it takes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import arb, ctx

from .balls import BITS, Ball, balls
from .contract import State, drawn_by, started, stepped
from .functions import OfState, values_of
from .random import Drawn, Random, answered, outcomes, sources_of
from .subject import Subject
from .unknowns import Refused

Array = Any
_MOST_BITS = 4096
_WIDTH = 1e-25  # relative, of a ball that is believed
MOST_ROUNDS = 2000


@dataclass(frozen=True, eq=False)
class Trajectory:
    """Quantities of a run.

    Attributes
    ----------
    series : mapping from name to array of balls
        Of rounds 0, ..., T.
    bits : int
        With which they were found.
    """

    series: Mapping[str, Array]
    bits: int


def trajectory(subject: Subject, functions: Mapping[str, OfState]) -> Trajectory:
    """The one run there is.

    Raises
    ------
    Refused
        If something is drawn, a comparison is not decided with the most bits, or a ball stays
        wide.
    """
    if not subject.exact:
        raise Refused("it is in floats; balls start from exact numbers")
    if subject.rounds > MOST_ROUNDS:
        raise Refused(f"{subject.rounds} rounds; at most {MOST_ROUNDS} are followed")
    bits, before = BITS, ctx.prec
    try:
        while True:
            ctx.prec = bits
            try:
                return Trajectory(_followed(subject, functions), bits)
            except _Wide as error:
                if bits >= _MOST_BITS:
                    raise Refused(f"{error} with {bits} bits") from error
                bits *= 2
    finally:
        ctx.prec = before


class _Wide(Refused):
    """More bits may help."""


def _followed(subject: Subject, functions: Mapping[str, OfState]) -> dict[str, Array]:
    problem, algorithm = subject.problem, subject.algorithm

    def start(random: Random) -> State:
        return started(algorithm, problem, subject.start[None], random, subject.parameters())

    state = {name: balls(rows) for name, rows in _only(start).items()}
    every: dict[str, list[arb]] = {name: [] for name in functions}
    for t in range(subject.rounds + 1):
        p = subject.parameters(t)
        drawn = _only(lambda random, p=p: drawn_by(algorithm, random, problem, p))
        try:
            for name, function in functions.items():
                (value,) = values_of(function, subject, p, state, name).tolist()
                every[name].append(_narrow(value, name, t))
            if t < subject.rounds:
                state, _ = stepped(algorithm, problem, p, state, drawn)
        except Refused as error:
            raise _Wide(str(error)) from error
    return {name: _array(values) for name, values in every.items()}


def _only(ask: Any) -> Drawn:
    """What a function makes of sources that have one outcome each."""
    sources = sources_of(ask, exact=True)
    drawn = [source.name for source in sources if source.count != 1]
    if drawn:
        raise Refused(f"the run is random: it draws {', '.join(drawn)}")
    return answered(ask, sources, outcomes(sources, exact=True).answers)


def _narrow(value: Any, name: str, t: int) -> arb:
    ball = value.ball if isinstance(value, Ball) else arb(value)
    if not ball.is_finite() or float(ball.rad()) > _WIDTH * max(1e-300, float(abs(ball).mid())):
        raise _Wide(f"{name} in round {t} is known to {ball.rel_accuracy_bits()} bits")
    return ball


def _array(values: list[arb]) -> Array:
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return found
