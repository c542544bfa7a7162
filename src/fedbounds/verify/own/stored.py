"""Runs of a user's theory that a file may hold; the theory itself is loaded by its own file."""

from collections.abc import Sequence
from typing import Any

from fedbounds.errors import require
from fedbounds.problems import FederatedQuadratic
from fedbounds.problems.linear import is_exact
from fedbounds.problems.problem import entries_of

from ..measure.enumerated import MOST_ROWS
from ..stored.common import ROUNDS, quadratics
from ..stored.fields import Either, Listed, Number, Numbers, Record, Row, Text, Whole
from ..stored.work import Cost, Setup, power
from .declare import Theory
from .known import problem_of, theory_of
from .plan import check_parameter
from .setup import OwnRun


def _fits(run: OwnRun) -> None:
    """Raise unless the theory is loaded and gives it such problems and parameters."""
    theory = theory_of(run.theory)
    if isinstance(run.problem, int):
        _check_other(theory, run.problem)
    problem = problem_of(run)
    given, expected = run.start.shape, (entries_of(problem),)
    require(given == expected, "shape of the start", given, f"{expected}")
    names, parameters = [name for name, _ in run.values], list(theory.parameters)
    require(names == parameters, "parameters", names, f"{parameters}")
    for name, value in run.values:
        check_parameter(theory, name, value, problem.clients)


def _check_other(theory: Theory, number: int) -> None:
    """Raise unless the theory has a problem of this number that is no quadratic, in rationals."""
    others = [
        at
        for at, (problem, start) in enumerate(theory.problems)
        if not isinstance(problem, FederatedQuadratic) and is_exact(start)
    ]
    require(number in others, "problem", number, f"one of the theory's in rationals, {others}")


def _cost(given: Any) -> Sequence[Cost]:
    """Rounds of as many steps as the largest of the parameters, which may count them."""
    size = len(given.start) * (1 if isinstance(given.problem, int) else given.problem.clients)
    every = [
        x for _, value in given.values for x in (value if isinstance(value, tuple) else [value])
    ]
    steps = max([1.0, *(float(int(value.ceil())) for value in every)])
    few = power(2, given.rounds)  # outcomes, if there are as many as two in a round
    rows = few if few <= MOST_ROWS else size**2
    return (Cost(rows * given.rounds * steps * size, given.rounds * steps),)


_VALUE = Either({"rational": Number(), "tuple": Listed(Number(), "n")})
SETUPS = (
    Setup(
        Record(
            OwnRun,
            {
                "theory": Text(),
                "source": Text(),
                "problem": Either({"type": quadratics(Whole(0, "d")), "": Whole(0)}),
                "values": Listed(Row((Text(), _VALUE)), least=0),
                "start": Numbers(("entries",)),
                "rounds": ROUNDS,
            },
        ),
        _cost,
        lambda run: theory_of(run.theory).algorithm_name,
        _fits,
    ),
)
