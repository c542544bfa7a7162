"""Problems show themselves in a line, and in a notebook with the constants that they have."""

import numpy as np
import pytest

from fedbounds.problems import federated_quadratic, to_float
from fedbounds.problems.quadratic import FederatedQuadratic
from fedbounds.problems.shown import Shown, origin
from fedbounds.theory.language.catalogue import PAPERS
from fedbounds.theory.language.registry import setups
from fedbounds.theory.language.setups import GIVEN
from fedbounds.verify.measure.objectives import objective


def families():
    """One problem of each that the papers plan."""
    every = (one.setup.run.problem for paper in PAPERS for one in setups(paper))
    found = {own.family: own for own in every if own.family != GIVEN}
    return [objective(own) for _, own in sorted(found.items())]


def test_every_family_is_a_line_and_a_table_of_its_constants():
    every = families()
    assert len({type(problem) for problem in every}) >= 8
    for problem in every:
        assert isinstance(problem, Shown)
        line = repr(problem)
        assert len(line) < 90
        assert line.startswith(f"<{type(problem).__name__}: {problem.clients} client")
        shown = problem._repr_markdown_().splitlines()
        assert shown[0] == line[1:-1]
        assert len({row.count("|") for row in shown[2:]}) <= 1
        if hasattr(problem, "hessian"):
            names = [row.split(" | ")[0].removeprefix("| ") for row in shown[4:]]
            assert names == [str(name) for name in problem.constants(origin(problem))]


@pytest.mark.parametrize("floats", [False, True])
def test_numbers_are_those_of_a_run_from_the_origin(floats):
    """f = (x - 1)^2 + y^2 / 2 of one client: F_0 = 1 there, and B_0 = 4."""
    exact = FederatedQuadratic(
        hessian=np.array([[[2, 0], [0, 1]]], dtype=object),
        linear=np.array([[-2, 0]], dtype=object),
        shared_dimension=2,
    )
    shown = (to_float(exact) if floats else exact)._repr_markdown_()
    for row in ("| L | 2 | exact | both |", "| F_0 | 1 | exact | both |", "| B_0 | 4 |"):
        assert row in shown


def test_a_problem_of_many_clients_is_a_line_too():
    problem = federated_quadratic(clients=40, shared_dimension=6, personal_dimension=2, seed=1)
    assert repr(problem) == "<FederatedQuadratic: 40 clients, 6 coordinates and 2 of each client>"
