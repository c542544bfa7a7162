"""The laws that algorithms have in common, on a user's algorithm: ``verify FILE --laws``.

Every expectation is exact: all outcomes of one round on small quadratics in rationals.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.errors import FedboundsError
from fedbounds.laws.base import Law, LawBroken, agree
from fedbounds.problems import FederatedQuadratic, Noise
from fedbounds.problems.arrays import to_namespace
from fedbounds.problems.spectrum import to_floats

from ..measure.clients import Clients
from ..measure.count import Count
from . import draws
from .algorithm import MODEL, Algorithm, Parameters, State, draws_of, started, stepped
from .declare import CONTROL_VARIATES, Theory
from .families import Pair, quadratic

Array = Any

UNBIASED = Law(
    "unbiased aggregation",
    "without noise, the mean of the next model over all sets of participants is the next model of "
    "full participation",
)
RENAMING = Law(
    "invariance under renaming clients",
    "mean and mean square of the next model do not depend on the clients' numbers",
)
REDUCTION = Law(
    "reduction to SGD at K = 1 and full participation",
    "the next model has the mean x - eta grad f(x), and the variance eta^2 sigma^2/n",
)
STEPS = Law(
    "K local steps",
    "with one client and no noise, K local steps are K steps of gradient descent",
)
REST = Law("rest at a shared minimiser", "where no client's gradient is left, nothing moves")
CONTROLS = Law(
    "control variates",
    "after a round with all clients, K corrected steps of clients that share their curvature are K "
    "gradient steps on the mean of their objectives, whoever takes part",
)
LIBRARIES = Law("equal draws on two array libraries", "the next state is the same on both")

# two coordinates, clients that differ in curvature and slope; eta is below every edge
_HESSIANS = ([[2, 0], [0, 1]], [[3, 1], [1, 2]], [[1, 0], [0, 4]])
_SLOPES = ([1, -2], [-3, 1], [2, 3])
_START, _ETA = [2, -1], fmpq(1, 32)


@dataclass(frozen=True)
class Checked:
    """What was found of one law.

    Attributes
    ----------
    verdict : "kept", "broken" or "not checked"
    reason : str
        Both sides and the counterexample, or why it was not checked.
    """

    law: str
    verdict: str
    reason: str


def check_laws(theory: Theory) -> tuple[Checked, ...]:
    """Every common law, and that of control variates where the theory asks for it."""
    return tuple(_checked(law, test) for law, test in _laws(theory))


def _laws(theory: Theory) -> Iterator[tuple[Law, Callable[[], None]]]:
    algorithm, names = theory.algorithm, frozenset(theory.parameters)
    bound = {law: partial(test, algorithm, theory, law) for law, test in _TESTS.items()}
    for law, needs in _NEEDS.items():
        if law is CONTROLS and CONTROL_VARIATES not in theory.laws:
            continue
        missing = sorted(needs - names)
        yield law, partial(_refuse, missing) if missing else bound[law]


def _refuse(missing: list[str]) -> None:
    raise FedboundsError(f"the algorithm has no parameter {' or '.join(missing)}")


def _checked(law: Law, test: Callable[[], None]) -> Checked:
    try:
        test()
    except LawBroken as error:
        return Checked(law.name, "broken", f"{law.statement}; {str(error).partition(chr(10))[2]}")
    except FedboundsError as error:
        return Checked(law.name, "not checked", str(error))
    return Checked(law.name, "kept", "")


def _problem(n: int, noise: Any = 0, order: tuple[int, ...] = (0, 1, 2)) -> Pair:
    """The first n clients, in an order."""
    chosen = [i for i in order if i < n]
    return quadratic([_HESSIANS[i] for i in chosen], [_SLOPES[i] for i in chosen], _START, noise)


def _parameters(theory: Theory, pair: Pair, **fixed: Any) -> Parameters:
    """Fixed counts and step size; the first value of every other parameter."""
    from .plan import first_parameters

    given = {
        **theory.parameters,
        **{name: (value,) for name, value in fixed.items() if name in theory.parameters},
    }
    if "eta" in given:
        given["eta"] = (_ETA,)
    values = first_parameters(replace(theory, parameters=given), *pair)
    return Parameters({name: Count(int(x.p)) if x.q == 1 else x for name, x in values}, Count(0))


def _next(algorithm: Algorithm, pair: Pair, p: Parameters) -> tuple[Array, Array]:
    """All next models after one round, shape (outcomes, d), and their chances."""
    problem = Clients(pair[0])
    after, chances = _advanced(algorithm, problem, started(algorithm, problem, pair[1]), p)
    return after[MODEL], chances


def _advanced(
    algorithm: Algorithm, problem: Clients, state: State, p: Parameters
) -> tuple[State, Array]:
    """Every state after one round from a state with one row, and its chances."""
    drawn = draws_of(algorithm, problem, p, exact=True)
    count = len(drawn.chances)
    before = {name: np.repeat(rows, count, axis=0) for name, rows in state.items()}
    after = stepped(algorithm, problem, p, before, drawn.drawn)
    return after, np.array(drawn.chances, dtype=object)


def _mean(algorithm: Algorithm, pair: Pair, p: Parameters) -> Array:
    models, chances = _next(algorithm, pair, p)
    return (models * chances[:, None]).sum(axis=0)


def _mean_square(algorithm: Algorithm, pair: Pair, p: Parameters) -> Any:
    models, chances = _next(algorithm, pair, p)
    return ((models * models).sum(axis=1) * chances).sum()


def _unbiased(algorithm: Algorithm, theory: Theory, law: Law) -> None:
    pair = _problem(3)
    whole = _mean(algorithm, pair, _parameters(theory, pair, m=3, K=1))
    for m in (1, 2):
        part = _mean(algorithm, pair, _parameters(theory, pair, m=m, K=1))
        agree(law, part, whole, {"n": 3, "m": m, "K": 1, "x": _START})


def _renaming(algorithm: Algorithm, theory: Theory, law: Law) -> None:
    for order in ((1, 0, 2), (2, 1, 0)):
        pairs = _problem(3), _problem(3, order=order)
        means, squares = (
            [f(algorithm, pair, _parameters(theory, pair, m=2, K=2)) for pair in pairs]
            for f in (_mean, _mean_square)
        )
        where = {"n": 3, "order": list(order), "x": _START}
        agree(law, means[1], means[0], where)
        agree(law, squares[1], squares[0], where)


def _reduction(algorithm: Algorithm, theory: Theory, law: Law) -> None:
    silent = _problem(2)
    p = _parameters(theory, silent, m=2, K=1)
    asked = draws_of(algorithm, Clients(silent[0]), p, exact=True).laws
    if "m" not in theory.parameters and not all(map(_of_everybody, asked)):
        raise FedboundsError("the algorithm draws, and has no parameter m for all clients")
    noisy = any(one.name.startswith("noise") for one in asked)
    for n, noise in ((1, 0), (2, 0), *(((2, fmpq(1, 2)),) if noisy else ())):
        pair = _problem(n, noise)
        problem, start = Clients(pair[0]), pair[1]
        p = _parameters(theory, pair, m=n, K=1)
        step = start - problem.full_gradient(start[None])[0] * _ETA
        where = {"n": n, "m": n, "K": 1, "eta": _ETA, "noise": noise, "x": _START}
        agree(law, _mean(algorithm, pair, p), step, where)
        variance = fmpq(len(_START)) * noise * noise / n
        wanted = (step * step).sum() + _ETA**2 * variance
        agree(law, _mean_square(algorithm, pair, p), wanted, where | {"of": "mean square"})


def _of_everybody(asked: draws.Law) -> bool:
    """Whether a call is noise, or lets every client take part for sure."""
    return asked.name.startswith("noise") or bool((asked.outcomes == 1).all())


def _steps(algorithm: Algorithm, theory: Theory, law: Law) -> None:
    pair = _problem(1)
    problem = Clients(pair[0])
    wanted = pair[1][None]
    for count in (1, 2, 3):
        wanted = wanted - problem.full_gradient(wanted) * _ETA
        found = _mean(algorithm, pair, _parameters(theory, pair, m=1, K=count))
        agree(law, found, wanted[0], {"n": 1, "K": count, "eta": _ETA, "x": _START})


def _controls(algorithm: Algorithm, theory: Theory, law: Law) -> None:
    pair = quadratic([_HESSIANS[1]] * 3, _SLOPES, _START)
    problem = Clients(pair[0])
    known = started(algorithm, problem, pair[1])
    for count in (1, 2):
        # a round with all clients: of one step, so that controls are exact, then of two
        met, _ = _advanced(algorithm, problem, known, _parameters(theory, pair, m=3, K=count))
        known = {name: rows[:1] for name, rows in met.items()}
        wanted = known[MODEL]
        for _ in range(count):
            wanted = wanted - problem.full_gradient(wanted) * _ETA
        for m in (1, 2):
            p = _parameters(theory, pair, m=m, K=count)
            after, _ = _advanced(algorithm, problem, known, p)
            found = after[MODEL]
            where = {"n": 3, "m": m, "K": count, "eta": _ETA, "x": known[MODEL][0].tolist()}
            agree(law, found, np.concatenate([wanted] * len(found)), where)


def _rest(algorithm: Algorithm, theory: Theory, law: Law) -> None:
    problem, _ = quadratic(_HESSIANS, [[0, 0]] * 3, [0, 0])
    pair = problem, problem.minimiser
    for m in (3, 2):
        models, _ = _next(algorithm, pair, _parameters(theory, pair, m=m, K=2))
        wanted = np.stack([pair[1]] * len(models))
        agree(law, models, wanted, {"n": 3, "m": m, "K": 2, "x": pair[1].tolist()})


def _libraries(algorithm: Algorithm, theory: Theory, law: Law) -> None:
    import array_api_strict as strict

    pair = _problem(3)
    exact = _parameters(theory, pair, m=2, K=2)
    p = Parameters({k: int(v) if isinstance(v, int) else float(v) for k, v in exact.items()})
    floats = _in_floats(pair[0])
    host = Clients(floats)
    state = started(algorithm, host, to_floats(pair[1]))
    drawn = draws_of(algorithm, host, p, exact=False)
    rows = {name: np.repeat(x, len(drawn.chances), axis=0) for name, x in state.items()}
    own = stepped(algorithm, host, p, rows, drawn.drawn)
    there = [{k: strict.asarray(v) for k, v in x.items()} for x in (rows, drawn.drawn)]
    where = {"libraries": ["NumPy", "array_api_strict"]}
    try:
        other = stepped(algorithm, Clients(to_namespace(floats, strict), strict), p, *there)
    except FedboundsError as error:
        raise LawBroken(law, None, None, where, f"on the second, {error}") from error
    agree(law, np.asarray(other[MODEL]), own[MODEL], where)


def _in_floats(problem: FederatedQuadratic) -> FederatedQuadratic:
    noise = Noise(problem.noise.law, float(problem.noise.scale_u), 0.0)
    return FederatedQuadratic(
        to_floats(problem.hessian), to_floats(problem.linear), problem.shared_dimension, noise
    )


_NEEDS = {
    UNBIASED: frozenset({"m"}),
    RENAMING: frozenset[str](),
    REDUCTION: frozenset({"eta"}),
    STEPS: frozenset({"K", "eta"}),
    REST: frozenset[str](),
    CONTROLS: frozenset({"m", "K", "eta"}),
    LIBRARIES: frozenset[str](),
}
_TESTS = {
    UNBIASED: _unbiased,
    RENAMING: _renaming,
    REDUCTION: _reduction,
    STEPS: _steps,
    REST: _rest,
    CONTROLS: _controls,
    LIBRARIES: _libraries,
}
