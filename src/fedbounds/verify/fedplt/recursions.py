"""The recursion of the squared distance taken as given: sequences, and runs that satisfy it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.errors import require
from fedbounds.problems import Evidence
from fedbounds.problems.linear import rational
from fedbounds.vocabulary import Assumption

from ..case import Found, find
from .findings import basic, family
from .measured import distance
from .outcomes import all_rounds
from .setups import Decaying, Rate, Recursion

Distances = Sequence[Any]


@find.register
def _found_of_sequence(setup: Recursion) -> Found:
    D = [rational(setup.D_0)]
    for step in setup.steps:
        D.append((1 - setup.z * step) * D[-1] + step**2 * setup.B_step)
        require(D[-1] >= 0, f"squared distance {len(D) - 1} of the recursion", D[-1], "at least 0")
    return Found(
        family="a sequence with equality in the recursion",
        parameters=_parameters(D, setup.steps, setup.z, setup.B_step, setup.C_rate),
        series={"D_W": np.array(D, dtype=object)},
        evidence=given(D, setup.steps, setup.z, setup.B_step),
    )


@find.register
def _found_of_run(setup: Decaying) -> Found:
    run = setup.run
    algorithms = [replace(run.algorithm, inner_step_u=step) for step in setup.steps]
    every = list(all_rounds(run.problem, algorithms, run.start))
    D = [*(distance(found) for found in every), distance(every[-1], "Wn")]
    added = _least(D, setup.steps, setup.z) if setup.B_step is None else rational(setup.B_step)
    return Found(
        family=family(run, "rounds of the algorithm, a step size each"),
        parameters={
            "n": run.problem.clients,
            **_parameters(D, setup.steps, setup.z, added, setup.C_rate),
        },
        series={"D_W": np.array(D, dtype=object)},
        evidence=basic(run) | given(D, setup.steps, setup.z, added),
    )


def _least(D: Distances, steps: Sequence[Any], z: Any) -> Any:
    """The least B >= 0 with which the recursion holds."""
    needed = [(D[t + 1] - (1 - z * step) * D[t]) / step**2 for t, step in enumerate(steps)]
    return max(*needed, fmpq(0))


def _parameters(
    D: Distances, steps: Sequence[Any], z: Any, added: Any, rate: Any
) -> dict[str, Any]:
    """Numbers of the recursion; the step size, and 1/eta - z > 0, if it is one and the same."""
    level = added / z**2
    rates = {Rate.BASE: D[0] + level, Rate.ANY: level, Rate.LONGER: max(D[0], 4 * level)}
    C = rates[rate] if isinstance(rate, Rate) else rational(rate)
    for name, value, fits in (("z", z, z > 0), ("B", added, added >= 0), ("C", C, C > 0)):
        require(bool(fits), name, value, "positive" if name != "B" else "at least 0")
    found = {"T": len(steps), "z": z, "B_step": added, "D_0": D[0], "C_rate": C}
    if all(step == steps[0] for step in steps):
        found["eta"] = steps[0]
        if z * steps[0] < 1:
            found["w_gap"] = 1 / steps[0] - z
    return found


def given(D: Distances, steps: Sequence[Any], z: Any, added: Any) -> dict[Assumption, Evidence]:
    """Whether the display holds in every round, for each of the paper's choices of step sizes."""
    broken = [
        t for t, step in enumerate(steps) if D[t + 1] > (1 - z * step) * D[t] + step**2 * added
    ]
    choices = {
        Assumption.RECURSION: [steps[0]] * len(steps),
        Assumption.RECURSION_DECAYING: [1 / (z * (t + 1)) for t in range(len(steps))],
        Assumption.RECURSION_LONGER: [2 / (z * (t + 2)) for t in range(len(steps))],
    }
    found = {}
    for assumption, wanted in choices.items():
        if list(steps) != wanted:
            found[assumption] = Evidence(False, f"the step sizes are {', '.join(map(str, steps))}")
        elif broken:
            found[assumption] = Evidence(False, f"it fails in round {broken[0]}")
        else:
            found[assumption] = Evidence(True, "it holds in every round examined")
    return found
