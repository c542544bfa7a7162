"""Laws of control variates, as in Scaffold.

The function under test is ``round_(x, controls, control, participants, local_steps, step_size,
gradient) -> (x, controls, control)``: the clients' controls c_i of shape (n, d) and the server's
control c of shape (d,), which estimate gradients; a local step is
y - gamma (gradient(i, y) - c_i + c).
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from fedbounds.errors import require

from .base import ROUNDING, Law, agree, largest
from .examples import (
    Gradient,
    Participants,
    Quadratics,
    arrays,
    check_counts,
    minimiser,
    number,
    quadratics,
    sets_of,
    shaped,
)

Array = Any
Round = Callable[
    [Array, Array, Array, Participants, int, Any, Gradient], tuple[Array, Array, Array]
]

MEAN = Law("mean of the controls", "the server's control is the mean of the clients' controls")
FIXED_POINT = Law(
    "fixed point", "at the minimiser, with every client's gradient there as control, nothing moves"
)
CORRECTED = Law(
    "corrected steps",
    "where clients share their Hessian, corrected local steps are gradient descent on the average",
)
ABSENT = Law("absent clients", "the control of a client outside the sample stays as it is")
_STEPS = (1, 2, 3)
_ROUNDS = 3


def control_is_the_mean(
    round_: Round,
    *,
    n: int = 3,
    m: int = 2,
    dimension: int = 2,
    exact: bool = False,
    tolerance: float = ROUNDING,
) -> None:
    """c = (1/n) sum_i c_i after each of some rounds, if it was so before.

    Parameters
    ----------
    round_ : function
        See the module.
    n, m, dimension : int
        Clients, participants, d.
    exact : bool
        Call with fractions in object arrays instead of floats.
    tolerance : float
        Units in the last place, see `agree`.

    Raises
    ------
    LawBroken
        With the state before the round that breaks it.
    FedboundsError
        If the counts do not fit.
    """
    check_counts(n, m, dimension)
    clients = quadratics(n, dimension, shared_hessian=False, exact=exact)
    size = number(1, 8, exact=exact)
    for chosen in sets_of(n, m):
        for steps in _STEPS:
            for x, controls in _states(n, dimension, exact):
                control = controls.mean(axis=0)
                for _ in range(_ROUNDS):
                    before = _where(x, controls, control, chosen, steps, clients)
                    x, controls, control = _called(
                        round_, x, controls, control, chosen, steps, size, clients.gradient
                    )
                    scale = largest(controls)
                    mean = controls.mean(axis=0)
                    agree(MEAN, control, mean, before, tolerance, scale=scale)


def rests_at_the_solution(
    round_: Round,
    *,
    n: int = 3,
    m: int = 2,
    dimension: int = 2,
    exact: bool = False,
    tolerance: float = ROUNDING,
) -> None:
    """x = x*, c_i = grad f_i(x*), c = 0: the point and all controls stay, whoever takes part.

    Parameters and errors are those of `control_is_the_mean`.
    """
    check_counts(n, m, dimension)
    clients = quadratics(n, dimension, shared_hessian=False, exact=exact)
    x = minimiser(clients)
    controls = np.stack([clients.gradient(i, x) for i in range(n)])
    control, size = x * 0, number(1, 8, exact=exact)
    scale = largest(controls)
    for chosen in sets_of(n, m):
        for steps in _STEPS:
            after = _called(round_, x, controls, control, chosen, steps, size, clients.gradient)
            where = _where(x, controls, control, chosen, steps, clients)
            for left, right in zip(after, (x, controls, control), strict=True):
                agree(FIXED_POINT, left, right, where, tolerance, scale=scale)


def corrected_steps_descend(
    round_: Round,
    *,
    n: int = 3,
    m: int = 2,
    dimension: int = 2,
    exact: bool = False,
    tolerance: float = ROUNDING,
) -> None:
    """H_i = H and controls at one common point: K corrected steps are K steps of x - gamma grad f.

    Parameters and errors are those of `control_is_the_mean`.
    """
    check_counts(n, m, dimension)
    clients = quadratics(n, dimension, shared_hessian=True, exact=exact)
    size = number(1, 8, exact=exact)
    for x in arrays((dimension,), exact=exact):
        reference = x * 0
        controls = np.stack([clients.gradient(i, reference) for i in range(n)])
        control = controls.mean(axis=0)
        for chosen in sets_of(n, m):
            for steps in _STEPS:
                right = x
                for _ in range(steps):
                    right = right - size * clients.mean_gradient(right)
                left, _, _ = _called(
                    round_, x, controls, control, chosen, steps, size, clients.gradient
                )
                where = _where(x, controls, control, chosen, steps, clients)
                agree(CORRECTED, left, right, where, tolerance, scale=largest(controls))


def absent_controls_stay(
    round_: Round,
    *,
    n: int = 3,
    m: int = 2,
    dimension: int = 2,
    exact: bool = False,
) -> None:
    """The controls of clients outside the sample are returned to the bit.

    Parameters and errors are those of `control_is_the_mean`.
    """
    check_counts(n, m, dimension)
    clients = quadratics(n, dimension, shared_hessian=False, exact=exact)
    size = number(1, 8, exact=exact)
    for chosen in sets_of(n, m):
        absent = [i for i in range(n) if i not in chosen]
        for x, controls in _states(n, dimension, exact):
            control = controls.mean(axis=0)
            _, after, _ = _called(round_, x, controls, control, chosen, 2, size, clients.gradient)
            where = _where(x, controls, control, chosen, 2, clients)
            agree(ABSENT, after[absent], controls[absent], where, 0)


def _states(n: int, dimension: int, exact: bool) -> Iterator[tuple[Array, Array]]:
    for rows in arrays((n + 1, dimension), exact=exact):
        yield rows[0], rows[1:]


def _called(round_: Round, x: Array, controls: Array, control: Array, *rest: Any) -> Any:
    """The round on copies, which it may change; its three results as arrays."""
    after = round_(x.copy(), controls.copy(), control.copy(), *rest)
    given = type(after).__name__
    three = isinstance(after, tuple | list) and len(after) == 3
    require(three, "what the round returned", given, "a tuple (x, controls, control)")
    state = zip(after, (x, controls, control), strict=True)
    return tuple(shaped(one, like, {"participants": rest[0]}) for one, like in state)


def _where(
    x: Array,
    controls: Array,
    control: Array,
    chosen: Participants,
    steps: int,
    clients: Quadratics,
) -> dict[str, object]:
    state = {"x": x, "controls": controls, "control": control}
    return {"participants": chosen, "local_steps": steps, **state, **clients.shown()}
