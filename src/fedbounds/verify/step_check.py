"""Every proved step on the running algorithm: a proved step that is broken there is a conflict.

A theory whose set-ups are data is looked at by `setups.steps`, in rationals. What is left is here:
FedAvg-P and Scaffold-P where no client is a quadratic, on small instances whose outcomes are
enumerated, in floats with their rounding size.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
import sympy as sp
from sympy.core.function import AppliedUndef

from fedbounds.algorithms.fedavg_p import FedAvgP, with_effective_step
from fedbounds.algorithms.scaffold_p import ScaffoldP
from fedbounds.problems import Noise, NoiseLaw, Start, coupled_cosine
from fedbounds.theory.checker.data import Scope
from fedbounds.theory.contributed import contributed
from fedbounds.theory.proof.language import Written
from fedbounds.theory.proof.library import book_of
from fedbounds.theory.proof.replay import Replayed
from fedbounds.theory.symbols import RunOperator
from fedbounds.vocabulary import Constant

from . import evaluate as scalars
from .dependences import check_declared
from .evaluate import Numbers
from .outcome_values import Evaluated, evaluate
from .outcomes import Outcomes, of_client, round_outcomes, step_outcomes
from .seen import Seen, gap, judged
from .setups import steps as of_setups

# 1 / (L gamma_u): inside every condition of the claims, and large
_STEPS = (1000, 4)
_HERE = "personalization"  # the paper of which something is left here
_ANY = "any increments"  # the scope of statements about whatever the algorithm does


@dataclass(frozen=True, eq=False)
class _Case:
    """A round, or a local step, of one run, with the values of all symbols."""

    scope: str
    algorithm: str
    outcomes: Outcomes
    values: dict[str, float]


@cache
def _cases() -> tuple[_Case, ...]:
    found = []
    for rule, participants, scale, rounds in (
        (FedAvgP, 1, (0.5, 0.4), 2),
        (FedAvgP, 2, (0.5, 0.4), 1),
        (FedAvgP, 2, (0.5, 0.0), 2),
        (ScaffoldP, 1, (0.5, 0.0), 2),
        (ScaffoldP, 2, (0.5, 0.0), 2),
    ):
        for inverse in _STEPS:
            found += list(_run(rule, participants, scale, rounds, inverse))
    return tuple(found)


def _run(
    rule: Any, participants: int, scale: tuple[float, float], rounds: int, inverse: int
) -> Iterator[_Case]:
    noise = Noise(NoiseLaw.RADEMACHER, *scale)
    problem = coupled_cosine(clients=2, shared_dimension=1, personal_dimension=1, noise=noise)
    random = np.random.default_rng(1)
    start = Start(random.standard_normal(1), random.standard_normal((2, 1)))
    constants = {name.value: c.value for name, c in problem.constants(start).items()}
    smoothness = float(constants[Constant.SMOOTHNESS])
    steps = with_effective_step(participants, 2, 1 / (inverse * smoothness), 4.0, 3.0)
    algorithm = steps if rule is FedAvgP else rule(**vars(steps))
    outcomes = round_outcomes(problem, algorithm, start, rounds)
    values = {name: float(v) for name, v in constants.items() if v is not None} | {
        "n": 2.0, "m": float(participants), "K": 2.0, "T": float(rounds),
        "gamma": steps.inner_step_u * 4.0, "gamma_u": steps.inner_step_u,
        "gamma_v": steps.inner_step_v, "eta_u": 4.0, "eta_v": 3.0, "d_u": 1.0, "d_v": 1.0,
    }  # fmt: skip
    name = "FedAvg-P" if rule is FedAvgP else "Scaffold-P"
    yield _Case(name, name, outcomes, values)
    yield _Case(f"client of {name}", name, of_client(outcomes, 0), values)
    for step in range(2):
        yield _Case(f"step of {name}", name, step_outcomes(outcomes, 0, step), values)


def evaluated(steps: Sequence[Replayed], paper: str = "personalization") -> dict[str, Seen]:
    """What was seen of every step of a paper that can be evaluated on its small instances.

    Raises
    ------
    ConflictError
        If a proved step is broken, or a vector depends on more than the proofs declare.
    """
    if contributed(paper) is not None:
        return {}  # every step is a claim, and judged on the cases
    theory = book_of(paper).theory
    check_dependences(paper, theory.scopes)
    of_setups.check_signs(paper, theory.quantities)
    gaps = partial(of_setups.gaps, paper)
    return judged(
        steps, (lambda written: gaps(written) + _gaps(written)) if paper == _HERE else gaps
    )


def check_dependences(paper: str, scopes: Mapping[str, Scope]) -> None:
    """Hold what a paper's proofs declare of vectors against its small instances.

    Raises
    ------
    ConflictError
        If a vector depends on more than is declared, does not vanish on average as it is to, or is
        not what it is derived from.
    """
    of_setups.check_declared(paper, scopes)
    if paper == _HERE:
        for name, scope in scopes.items():
            check_declared(name, scope, (c.outcomes for c in _cases() if c.scope == name))


def _gaps(written: Written) -> list[float]:
    return [found for case in _cases() if (found := _gap(written, case)) is not None]


def _gap(written: Written, case: _Case) -> float | None:
    """See `gap`; None too where the case is not what the step speaks of."""
    if written.scope not in ("", case.scope, case.scope.replace(case.algorithm, _ANY)):
        return None
    sides = written.left, written.right
    if any(side.has(RunOperator) for side in sides):
        return gap(written, lambda side: _of_the_run(side, case))
    if any(not _of_this_round(side, case) for side in sides):
        return None
    return gap(written, lambda side: evaluate(side, case.outcomes, case.values))


def _of_the_run(side: sp.Expr, case: _Case) -> Evaluated:
    """The value of what speaks of all rounds, and the size of its terms."""
    numbers = Numbers(case.values, case.outcomes.series)
    size = scalars.scale(numbers, None, sp.expand(side))
    return Evaluated(float(scalars.evaluate(side, numbers)), float(size))


def _of_this_round(side: sp.Expr, case: _Case) -> bool:
    """Whether only quantities at t and t + 1 occur, and t - 1 where there is such a round."""
    seen = ("t", "t + 1", *(("t - 1",) if case.outcomes.t else ()))
    return all(
        str(atom.args[0]) in seen
        for atom in side.atoms(AppliedUndef)
        if atom.func.__name__ not in ("sq", "ip", "given", "present")
    )
