"""Rounds of traced algorithms on sampled draws, row by row, for slow oracles to follow."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.verify.measure.contract import drawn_by, stepped
from fedbounds.verify.measure.enumerated import sources_of_init, started_from
from fedbounds.verify.measure.random import answered, sources_of
from fedbounds.verify.measure.subject import Subject


@dataclass(frozen=True)
class Rounds:
    """States before round 0 and after every round; what was drawn for the start and in each.

    Arrays have one row for each replica.
    """

    subject: Subject
    states: list[dict[str, Any]]
    initial: list[Any]
    draws: list[dict[str, Any]]


def some(sources, rng, rows, exact=True):
    """Outcomes of each source."""
    found = []
    for source in sources:
        own = source.sample(rng, rows).reshape(rows, *source.shape)
        if source.selects:
            found.append(own.astype(np.int64))
        elif exact:
            whole = np.empty(own.shape, dtype=object)
            whole.reshape(-1)[:] = [fmpq(int(4 * x), 4) for x in own.reshape(-1)]
            found.append(whole)
        else:
            found.append(own.astype(float))
    return found


def run(subject, *, rows=2, seed=0):
    """Some rounds of a subject, in rationals or in floats."""
    rng, one = np.random.default_rng(seed), subject
    asked = sources_of_init(one)
    initial = some(asked, rng, rows, one.exact)
    states = [answered(lambda random: started_from(one, random, rows), asked, initial)]
    draws = []
    for t in range(one.rounds):
        p = one.parameters(t)

        def draw(random, p=p):
            return drawn_by(one.algorithm, random, one.problem, p)

        sources = sources_of(draw, one.exact)
        draws.append(answered(draw, sources, some(sources, rng, rows, one.exact)))
        states.append(stepped(one.algorithm, one.problem, p, states[-1], draws[-1])[0])
    return Rounds(one, states, initial, draws)
