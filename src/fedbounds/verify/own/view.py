"""A user's theory as a paper has it: a view of its runs, and set-ups that are data."""

from typing import Any

from fedbounds.problems import FederatedQuadratic, SampledRegression
from fedbounds.theory.language.setups import GIVEN, Objective, Run, Setup, View

from .declare import Theory

RUNS = "runs"  # the one view that a file declares


def view_of_theory(theory: Theory) -> View:
    """What is seen of its algorithm's runs."""
    return View(
        told=theory.algorithm.name,
        algorithm=theory.algorithm,
        shown=theory.shown,
        runs=theory.algorithm_name,
        quantities=theory.definitions,
        functions=theory.quantities,
        constants={**theory.constants, **theory.of_runs},
        assumptions=theory.stated,
        decided=theory.assumptions,
        takes=tuple(theory.parameters),
        tried=True,
        problems=tuple(problem for problem, _ in theory.problems),
        declared={**theory.lines, "": theory.line},
    )


Values = tuple[tuple[str, Any], ...]  # of parameters: numbers, or tuples of them


def setup_of(theory: Theory, number: int, values: Values, rounds: int) -> Setup:
    """A run on a problem of the theory, by its number from 0."""
    problem, start = theory.problems[number]
    return set_up(theory, problem, start, values, rounds, number)


def set_up(
    theory: Theory, problem: Any, start: Any, values: Values, rounds: int, number: int = 0
) -> Setup:
    """A run on a quadratic or a regression, or on the theory's problem of that number."""
    return Setup(theory.key, RUNS, Run(as_data(problem, number), start.tolist(), values, rounds))


def as_data(problem: Any, number: int) -> Objective:
    """A quadratic or a regression as plain data; another by its number."""
    if type(problem) is FederatedQuadratic and problem.hessian.dtype == object:
        data = {
            "hessians": problem.hessian.tolist(),
            "slopes": problem.linear.tolist(),
            "noise": problem.noise.scale_u,
            "law": problem.noise.law.value,
        }
        if problem.personal_dimension:
            data["personal"] = problem.personal_dimension
            data["personal_noise"] = problem.noise.scale_v
        return Objective("quadratics", tuple(data.items()))
    if type(problem) is SampledRegression and problem.features.dtype == object:
        data = {
            "features": problem.features.tolist(),
            "targets": problem.targets.tolist(),
            "ridge": problem.loss.ridge,
        }
        return Objective("regression", tuple(data.items()))
    return Objective(GIVEN, (("number", number),))
