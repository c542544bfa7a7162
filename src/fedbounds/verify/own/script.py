"""Scripts of own claims: the user's functions, the problem, every outcome.

A script is kept only if it runs by itself and prints the gap that was judged.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from fedbounds.errors import FedboundsError
from fedbounds.facts import Fact
from fedbounds.problems import FederatedQuadratic
from fedbounds.problems.linear import rational
from fedbounds.theory.claims import Part
from fedbounds.theory.setups import Objective, Run, Says
from fedbounds.theory.symbols import RunOperator, T

from ..case import script_of
from ..evaluate import Numbers
from ..measure.contract import takes
from ..script_check import agrees
from ..setups.program import Program, check_size, written
from ..setups.script_code import Definitions
from ..setups.script_parts import COMPUTED
from .known import subject_of, theory_of
from .quantities import asked_of
from .setup import OwnRun

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


@script_of.register
def _script(setup: OwnRun, judgement: Any, part: Part, numbers: Numbers) -> str:
    outcome = next(one for one in judgement.outcomes if one.part == part.name)
    run = _shortest(setup, part, outcome.at)
    check_size(subject_of(run))
    text = written(program_of(run, part, numbers), judgement, part, outcome)
    if not agrees(text, outcome.gap):
        raise FedboundsError("the functions do not run outside their file, or give another gap")
    return text


def _shortest(setup: OwnRun, part: Part, at: int | None) -> OwnRun:
    """The run as far as it shows the gap."""
    of_a_run = T in part.left.free_symbols | part.right.free_symbols or any(
        side.has(RunOperator) for side in (part.left, part.right)
    )
    return replace(setup, rounds=setup.rounds if at is None or of_a_run else at + 1)


def program_of(setup: OwnRun, part: Part, numbers: Numbers) -> Program:
    """What shows a part.

    Raises
    ------
    FedboundsError
        If the problem is no quadratic, or a quantity is a lambda.
    """
    if not isinstance(setup.problem, FederatedQuadratic):
        raise FedboundsError("no script is written for objectives of one's own")
    theory, subject = theory_of(setup.theory), subject_of(setup)
    own = {name: f for name, f in theory.quantities.items() if name in part.quantities}
    asked = asked_of(theory, subject.problem, {})
    infimum, blocks = setup.problem.infimum(), setup.problem.personal_dimension
    standard = {
        name: text.replace("{infimum}", "0" if infimum is None else f'Q("{rational(infimum)}")')
        for name, text in (_OF_BLOCKS if blocks else _STANDARD).items()
    }
    computed = {"n": COMPUTED["n"]} if blocks else COMPUTED
    called = {name: _called(name, function) for name, function in own.items()}
    defined = Definitions(
        theory.shown,
        numbers.constants,
        asked.definitions,
        {x: computed.get(x, f'Q("{rational(y)}")') for x, y in numbers.constants.items()},
        lambda name: name not in asked.definitions,
        lambda name: True,
        measured=standard | called,
    )
    told: dict[str, tuple[Says, ...]] = {Fact.UNCONSTRAINED: (), Fact.INDEPENDENT: ()}
    return Program(
        subject, _as_data(setup), defined, assumptions=told, functions=tuple(own.values())
    )


def _as_data(setup: OwnRun) -> Run:
    problem: FederatedQuadratic = setup.problem
    data = {
        "hessians": problem.hessian.tolist(),
        "slopes": problem.linear.tolist(),
        "noise": rational(problem.noise.scale_u),
    }
    if problem.personal_dimension:
        data["personal"] = problem.personal_dimension
        data["personal_noise"] = rational(problem.noise.scale_v)
    objective = Objective("quadratics", tuple(data.items()))
    return Run(objective, tuple(setup.start.tolist()), setup.values, setup.rounds)


def _called(name: str, function: Callable[..., Any]) -> str:
    """A call of a user's function of the state."""
    found = getattr(function, "__name__", "<lambda>")
    if found == "<lambda>":
        raise FedboundsError(f"the quantity {name} is a lambda; a script needs a named function")
    return f"{found}(problem, state, p)" if takes(function, 3) else f"{found}(problem, state)"
