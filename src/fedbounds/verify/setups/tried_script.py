"""Scripts of runs that are tried: their functions, the problem, every outcome."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from fedbounds.errors import FedboundsError
from fedbounds.facts import Fact
from fedbounds.problems.linear import rational
from fedbounds.theory.claims import Part
from fedbounds.theory.setups import Run, Says, Setup, View
from fedbounds.theory.symbols import RunOperator, T

from ..evaluate import Numbers
from ..measure.contract import takes
from ..measure.trace import subject_of
from ..script_check import agrees
from .found import view_of
from .program import Program, check_size, written
from .script_code import Definitions
from .script_parts import COMPUTED
from .standard import asked_of

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


def tried_script(setup: Setup, judgement: Any, part: Part, numbers: Numbers) -> str:
    """A script that runs by itself and prints the gap that was judged.

    Raises
    ------
    FedboundsError
        If none can be written.
    """
    outcome = next(one for one in judgement.outcomes if one.part == part.name)
    run = _shortest(setup.run, part, outcome.at)
    view = view_of(setup)
    check_size(subject_of(run, view))
    text = written(tried_program(run, view, part, numbers), judgement, part, outcome)
    if not agrees(text, outcome.gap):
        raise FedboundsError("the functions do not run outside their file, or give another gap")
    return text


def _shortest(run: Run, part: Part, at: int | None) -> Run:
    """The run as far as it shows the gap."""
    of_a_run = T in part.left.free_symbols | part.right.free_symbols or any(
        side.has(RunOperator) for side in (part.left, part.right)
    )
    return replace(run, rounds=run.rounds if at is None or of_a_run else at + 1)


def tried_program(run: Run, view: View, part: Part, numbers: Numbers) -> Program:
    """What shows a part.

    Raises
    ------
    FedboundsError
        If the problem is no quadratic, or a quantity is a lambda.
    """
    if run.problem.family != "quadratics":
        raise FedboundsError("no script is written for objectives of one's own")
    subject = subject_of(run, view)
    problem = subject.problem.objective
    own = {name: f for name, f in view.functions.items() if name in part.quantities}
    asked = asked_of(view, subject.problem, {})
    infimum, blocks = problem.infimum(), problem.personal_dimension
    standard = {
        name: text.replace("{infimum}", "0" if infimum is None else f'Q("{rational(infimum)}")')
        for name, text in (_OF_BLOCKS if blocks else _STANDARD).items()
    }
    computed = {"n": COMPUTED["n"]} if blocks else COMPUTED
    called = {name: _called(name, function) for name, function in own.items()}
    defined = Definitions(
        view.shown,
        numbers.constants,
        asked.definitions,
        {x: computed.get(x, f'Q("{rational(y)}")') for x, y in numbers.constants.items()},
        lambda name: name not in asked.definitions,
        lambda name: True,
        measured=standard | called,
    )
    told: dict[str, tuple[Says, ...]] = {Fact.UNCONSTRAINED: (), Fact.INDEPENDENT: ()}
    return Program(subject, run, defined, assumptions=told, functions=tuple(own.values()))


def _called(name: str, function: Callable[..., Any]) -> str:
    """A call of a user's function of the state."""
    found = getattr(function, "__name__", "<lambda>")
    if found == "<lambda>":
        raise FedboundsError(f"the quantity {name} is a lambda; a script needs a named function")
    return f"{found}(problem, state, p)" if takes(function, 3) else f"{found}(problem, state)"
