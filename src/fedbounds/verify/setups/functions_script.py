"""Python of a script for quantities that are functions of the state."""

from collections.abc import Callable
from typing import Any

from fedbounds.errors import FedboundsError
from fedbounds.problems.linear import rational
from fedbounds.theory.language.claims import Part
from fedbounds.theory.language.setups import View

from ..measure.contract import takes
from ..measure.subject import Subject

_STANDARD = {
    "D_W": '((state["x"] - problem.minimiser) ** 2).sum(axis=1)',
    "G_u": '(problem.full_gradient(state["x"]) ** 2).sum(axis=1)',
    "B": '(problem.gradient(state["x"]) ** 2).sum(axis=(1, 2))',
    "f": 'problem.value(state["x"]).sum(axis=1) / n - {infimum}',
}

_GRADIENTS = 'problem.gradients(state["u"], state["v"])'
_OF_BLOCKS = {
    "G_u": f"(({_GRADIENTS}[0].sum(axis=1) / n) ** 2).sum(axis=1)",
    "G_v": f"({_GRADIENTS}[1] ** 2).sum(axis=(1, 2)) / n",
    "B": f"({_GRADIENTS}[0] ** 2).sum(axis=(1, 2))",
    "f": 'problem.value(state["u"], state["v"]).sum(axis=1) / n - {infimum}',
}


def measured_in(
    part: Part, view: View, subject: Subject
) -> tuple[dict[str, str], tuple[Callable[..., Any], ...]]:
    """Python for each quantity that is a function, and the functions that a part calls.

    Raises
    ------
    FedboundsError
        If a function is a lambda.
    """
    own = {name: f for name, f in view.functions.items() if name in part.quantities}
    infimum = subject.problem.objective.infimum()
    least = "0" if infimum is None else f'Q("{rational(infimum)}")'
    standard = _OF_BLOCKS if subject.problem.personal_dimension else _STANDARD
    found = {name: text.replace("{infimum}", least) for name, text in standard.items()}
    return found | {name: _called(name, f) for name, f in own.items()}, tuple(own.values())


def _called(name: str, function: Callable[..., Any]) -> str:
    """A call of a user's function of the state."""
    found = getattr(function, "__name__", "<lambda>")
    if found == "<lambda>":
        raise FedboundsError(f"the quantity {name} is a lambda; a script needs a named function")
    return f"{found}(problem, state, p)" if takes(function, 3) else f"{found}(problem, state)"
