"""Laws of a whole round of local steps.

The function under test is ``round_(x, participants, local_steps, step_size, gradient) -> x``: the
server's point ``x`` of shape (d,), a tuple of client numbers, K, gamma, and ``gradient(i, y)``,
the gradient of client i at y. The clients are small quadratics that the laws bring.
"""

from collections.abc import Callable
from itertools import permutations
from typing import Any

from fedbounds.errors import require

from .base import ROUNDING, Law, agree, largest
from .examples import (
    Gradient,
    Participants,
    Quadratics,
    arrays,
    check_counts,
    number,
    quadratics,
    sets_of,
)

Array = Any
Round = Callable[[Array, Participants, int, Any, Gradient], Array]

SGD = Law(
    "reduction to SGD",
    "one local step of all clients is one step along the mean of their gradients",
)
STEPS = Law("local steps", "K local steps of one client are K gradient steps of that client")
RENAMING = Law("renaming of clients", "giving the clients other numbers changes nothing")
ABSENT = Law("absent clients", "a client outside the sample does not matter")
_STEPS = (1, 2, 3)
_SIZES = ((1, 8), (1, 3))


def reduces_to_sgd(
    round_: Round,
    *,
    n: int = 3,
    dimension: int = 2,
    exact: bool = False,
    tolerance: float = ROUNDING,
) -> None:
    """K = 1 and full participation: x - gamma * mean of the gradients at x.

    Parameters
    ----------
    round_ : function (x, participants, local_steps, step_size, gradient) -> x
    n, dimension : int
        Clients and d.
    exact : bool
        Call with fractions in object arrays instead of floats.
    tolerance : float
        Units in the last place, see `agree`.

    Raises
    ------
    LawBroken
        With the point and the step size that show it.
    FedboundsError
        If a count is below 1.

    Examples
    --------
    >>> def round_(x, participants, local_steps, step_size, gradient):
    ...     return x - step_size * sum(gradient(i, x) for i in participants) / len(participants)
    >>> reduces_to_sgd(round_)
    """
    clients = _clients(n, n, dimension, exact)
    for x in arrays((dimension,), exact=exact):
        for size in _sizes(exact):
            left = round_(x.copy(), tuple(range(n)), 1, size, clients.gradient)
            right = x - size * clients.mean_gradient(x)
            where = {"x": x, "local_steps": 1, "step_size": size, **clients.shown()}
            agree(SGD, left, right, where, tolerance, scale=_scale(x, clients))


def takes_all_local_steps(
    round_: Round,
    *,
    n: int = 3,
    dimension: int = 2,
    exact: bool = False,
    tolerance: float = ROUNDING,
) -> None:
    """With one participant, K local steps are K gradient steps: neither K - 1 nor K at one point.

    Parameters and errors are those of `reduces_to_sgd`.
    """
    clients = _clients(n, 1, dimension, exact)
    for x in arrays((dimension,), exact=exact):
        for client in range(n):
            for steps in _STEPS:
                for size in _sizes(exact):
                    right = x
                    for _ in range(steps):
                        right = right - size * clients.gradient(client, right)
                    left = round_(x.copy(), (client,), steps, size, clients.gradient)
                    where = {"x": x, "participants": (client,), "local_steps": steps}
                    where |= {"step_size": size, **clients.shown()}
                    agree(STEPS, left, right, where, tolerance, scale=_scale(x, clients))


def round_ignores_names(
    round_: Round,
    *,
    n: int = 3,
    m: int = 2,
    dimension: int = 2,
    exact: bool = False,
    tolerance: float = ROUNDING,
) -> None:
    """Renumbering the clients, their gradients and the participants leaves the round as it is.

    Parameters and errors are those of `reduces_to_sgd`; m is the number of participants.
    """
    clients = _clients(n, m, dimension, exact)
    require(n <= 5, "clients n", n, "at most 5, to go through all orders")
    size = number(1, 8, exact=exact)
    for x in arrays((dimension,), exact=exact):
        for chosen in sets_of(n, m):
            plain = round_(x.copy(), chosen, 2, size, clients.gradient)
            for order in permutations(range(n)):  # client `order[j]` is now called j
                renamed = Quadratics(clients.hessians[list(order)], clients.slopes[list(order)])
                present = tuple(sorted(order.index(i) for i in chosen))
                left = round_(x.copy(), present, 2, size, renamed.gradient)
                where = {"x": x, "participants": chosen, "order": order, **clients.shown()}
                agree(RENAMING, left, plain, where, tolerance, scale=_scale(x, clients))


def round_ignores_absent(
    round_: Round,
    *,
    n: int = 3,
    m: int = 2,
    dimension: int = 2,
    exact: bool = False,
    tolerance: float = ROUNDING,
) -> None:
    """Other objectives at the absent clients give the same round.

    Parameters and errors are those of `reduces_to_sgd`; m is the number of participants.
    """
    clients = _clients(n, m, dimension, exact)
    size = number(1, 8, exact=exact)
    for x in arrays((dimension,), exact=exact):
        for chosen in sets_of(n, m):
            slopes = clients.slopes.copy()
            absent = [i for i in range(n) if i not in chosen]
            slopes[absent] = slopes[absent] + 7
            changed = Quadratics(clients.hessians, slopes)
            plain = round_(x.copy(), chosen, 2, size, clients.gradient)
            left = round_(x.copy(), chosen, 2, size, changed.gradient)
            where = {"x": x, "participants": chosen, "slopes of the absent": "7 more"}
            where |= clients.shown()
            agree(ABSENT, left, plain, where, tolerance, scale=_scale(x, clients))


def _clients(n: int, m: int, dimension: int, exact: bool) -> Quadratics:
    check_counts(n, m, dimension)
    return quadratics(n, dimension, shared_hessian=False, exact=exact)


def _scale(x: Array, clients: Quadratics) -> float:
    return largest(x, clients.slopes)


def _sizes(exact: bool) -> list[Any]:
    return [number(*size, exact=exact) for size in _SIZES]
