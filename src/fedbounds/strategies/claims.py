"""Parameters inside a claim's conditions, and whole instances that a claim applies to."""

from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from fedbounds.problems import Problem, Start

if TYPE_CHECKING:
    from fedbounds.theory.language.claims import Claim


def parameters(
    claim: "str | Claim", problem: Problem | None = None, start: Start | None = None
) -> st.SearchStrategy[dict[str, Any]]:
    """Counts and step sizes at and inside the edges of a claim's conditions, by symbol name.

    Parameters
    ----------
    claim : str or Claim
        A claim, or what `fedbounds show` takes, such as "personalization/thm-3.7".
    problem : Problem, optional
        The step sizes are for its constants, and n, d_u, d_v are its own. By default one is drawn.
    start : Start, optional
        Of the problem, for claims whose conditions name F_0; by default all ones (all twos where
        that is the minimiser).

    Returns
    -------
    strategy of dict
        n, m, K, T, gamma, gamma_u, gamma_v, eta_u, eta_v and the like: integers and exact
        rationals. A float of the problem counts as the rational that it is.

    Raises
    ------
    FedboundsError
        If there is no such claim, it is about something that is not built here, or the problem
        does not satisfy its assumptions. When drawing: if a condition fixes gamma at an irrational
        number for this problem.
    """
    from .inside import parameters_inside

    return parameters_inside(claim, problem, start)


def instances(claim: "str | Claim") -> st.SearchStrategy[Any]:
    """Instances for `verify.judge.judge.check`, in exact rationals, that the claim applies to.

    Runs have one coordinate in each block and small whole numbers; where a condition fixes gamma at
    a number with a root, the instance has no noise and no dissimilarity, so that it is rational.
    Where all terms of the claim are zero, `check` says that it says nothing there.

    Parameters
    ----------
    claim : str or Claim
        A claim with formulas, or its id. Of those that are not about FedAvg-P or Scaffold-P, the
        set-ups are those that its theory plans in rationals, the cheapest first.

    Raises
    ------
    FedboundsError
        If there is no such claim, or it is about something that is not built here.
    """
    from .inside import instances_inside

    return instances_inside(claim)
