"""The laws that algorithms have in common, on a user's algorithm: ``verify FILE --laws``.

Every expectation is exact: of one round on small quadratics in rationals.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import zip_longest
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.errors import FedboundsError
from fedbounds.laws.base import Law, LawBroken, agree
from fedbounds.problems.arrays import to_namespace
from fedbounds.problems.spectrum import to_floats

from ..measure.answers import Asked
from ..measure.clients import Clients
from ..measure.contract import State, drawn_by, model_of, stepped
from ..measure.enumerated import Rows, begun, draws_of, taken
from ..measure.functions import OfState
from ..measure.methods import answer
from ..measure.random import sources_of
from ..measure.sources import Source, TooManyError, listed, zeros
from ..measure.subject import Subject, numbers
from .declare import CONTROL_VARIATES, Theory
from .examined import in_floats
from .families import Pair, quadratic
from .plan import first_parameters

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
    names = frozenset(theory.parameters)
    bound = {law: partial(test, theory, law) for law, test in _TESTS.items()}
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


def _subject(theory: Theory, pair: Pair, **fixed: Any) -> Subject:
    """One round with fixed counts and step size; the first value of every other parameter."""
    given = {
        **theory.parameters,
        **{name: (value,) for name, value in fixed.items() if name in theory.parameters},
    }
    if "eta" in given:
        given["eta"] = (_ETA,)
    values = first_parameters(replace(theory, parameters=given), *pair)
    return Subject(theory.algorithm, Clients(pair[0]), pair[1], dict(values), 1)


def _next(subject: Subject) -> Array:
    """All next models after one round, shape (outcomes, d)."""
    return model_of(_advanced(subject, begun(subject).state))


def _advanced(subject: Subject, state: State) -> State:
    """Every state after one round from a state with one row."""
    p = subject.parameters()
    every, drawn = draws_of(subject, p)
    rows = Rows(state, numbers([fmpq(1)], subject.exact))
    return taken(subject, p, 0, rows, every, drawn).after


def _expected(subject: Subject, functions: dict[str, OfState]) -> list[Any]:
    """Expectations after the round, by the first method that knows them."""
    found = answer(subject, Asked(functions))
    if found.missing:
        raise FedboundsError("; ".join(dict.fromkeys(found.missing.values())))
    return [found.series[name][1] for name in functions]


def _mean(subject: Subject) -> Array:
    def entry(at: int) -> OfState:
        return lambda problem, state: model_of(state)[:, at]

    every = {str(at): entry(at) for at in range(subject.problem.dimension)}
    return numbers(_expected(subject, every), subject.exact)


def _mean_square(subject: Subject) -> Any:
    (found,) = _expected(subject, {"": lambda problem, state: (model_of(state) ** 2).sum(axis=-1)})
    return found


def _unbiased(theory: Theory, law: Law) -> None:
    pair = _problem(3)
    whole = _mean(_subject(theory, pair, m=3, K=1))
    for m in (1, 2):
        part = _mean(_subject(theory, pair, m=m, K=1))
        agree(law, part, whole, {"n": 3, "m": m, "K": 1, "x": _START})


def _renaming(theory: Theory, law: Law) -> None:
    for order in ((1, 0, 2), (2, 1, 0)):
        pairs = _problem(3), _problem(3, order=order)
        means, squared = (
            [f(_subject(theory, pair, m=2, K=2)) for pair in pairs] for f in (_mean, _mean_square)
        )
        where = {"n": 3, "order": list(order), "x": _START}
        agree(law, means[1], means[0], where)
        agree(law, squared[1], squared[0], where)


def _reduction(theory: Theory, law: Law) -> None:
    asked, of_one = (_asked(_subject(theory, _problem(2), m=m, K=1)) for m in (2, 1))
    # what m does not change is no participation: with a compressor no step is that of SGD
    others = [one for one, other in zip_longest(asked, of_one) if one == other]
    if not all(map(_of_everybody, others)):
        raise FedboundsError("the algorithm draws more than noise where all clients take part")
    noisy = any(map(_is_silent, asked))
    for n, noise in ((1, 0), (2, 0), *(((2, fmpq(1, 2)),) if noisy else ())):
        subject = _subject(theory, _problem(n, noise), m=n, K=1)
        step = subject.start - subject.problem.full_gradient(subject.start[None])[0] * _ETA
        where = {"n": n, "m": n, "K": 1, "eta": _ETA, "noise": noise, "x": _START}
        agree(law, _mean(subject), step, where)
        variance = fmpq(len(_START)) * noise * noise / n
        wanted = (step * step).sum() + _ETA**2 * variance
        agree(law, _mean_square(subject), wanted, where | {"of": "mean square"})


def _asked(subject: Subject) -> list[Source]:
    """What a round draws."""
    p = subject.parameters()
    return sources_of(
        lambda random: drawn_by(subject.algorithm, random, subject.problem, p), subject.exact
    )


def _is_silent(source: Source) -> bool:
    """Whether it is the noise of a problem without noise."""
    return source == zeros(*source.shape)


def _of_everybody(source: Source) -> bool:
    """Whether a call is noise, or lets every client take part for sure."""
    try:
        return _is_silent(source) or all(set(row) == {1} for row, _ in listed(source))
    except TooManyError:
        return False


def _steps(theory: Theory, law: Law) -> None:
    pair = _problem(1)
    problem = Clients(pair[0])
    wanted = pair[1][None]
    for count in (1, 2, 3):
        wanted = wanted - problem.full_gradient(wanted) * _ETA
        found = _mean(_subject(theory, pair, m=1, K=count))
        agree(law, found, wanted[0], {"n": 1, "K": count, "eta": _ETA, "x": _START})


def _controls(theory: Theory, law: Law) -> None:
    pair = quadratic([_HESSIANS[1]] * 3, _SLOPES, _START)
    problem = Clients(pair[0])
    known = begun(_subject(theory, pair, m=3, K=1)).state
    for count in (1, 2):
        # a round with all clients: of one step, so that controls are exact, then of two
        met = _advanced(_subject(theory, pair, m=3, K=count), known)
        known = {name: rows[:1] for name, rows in met.items()}
        wanted = model_of(known)
        for _ in range(count):
            wanted = wanted - problem.full_gradient(wanted) * _ETA
        for m in (1, 2):
            found = model_of(_advanced(_subject(theory, pair, m=m, K=count), known))
            where = {"n": 3, "m": m, "K": count, "eta": _ETA, "x": model_of(known)[0].tolist()}
            agree(law, found, np.concatenate([wanted] * len(found)), where)


def _rest(theory: Theory, law: Law) -> None:
    problem, _ = quadratic(_HESSIANS, [[0, 0]] * 3, [0, 0])
    pair = problem, problem.minimiser
    for m in (3, 2):
        models = _next(_subject(theory, pair, m=m, K=2))
        wanted = np.stack([pair[1]] * len(models))
        agree(law, models, wanted, {"n": 3, "m": m, "K": 2, "x": pair[1].tolist()})


def _libraries(theory: Theory, law: Law) -> None:
    import array_api_strict as strict

    exact = _subject(theory, _problem(3), m=2, K=2)
    floats = in_floats(exact.problem.objective)
    subject = replace(exact, problem=Clients(floats), start=to_floats(exact.start))
    p = subject.parameters()
    state = begun(subject).state
    every, drawn = draws_of(subject, p)
    count = len(every.chances)
    rows = {name: np.repeat(x[:1], count, axis=0) for name, x in state.items()}
    own, _ = stepped(subject.algorithm, subject.problem, p, rows, drawn)
    states, draws = ({k: strict.asarray(v) for k, v in x.items()} for x in (rows, drawn))
    where = {"libraries": ["NumPy", "array_api_strict"]}
    try:
        problem = Clients(to_namespace(floats, strict), strict)
        other, _ = stepped(subject.algorithm, problem, p, states, draws)
    except FedboundsError as error:
        raise LawBroken(law, None, None, where, f"on the second, {error}") from error
    agree(law, np.asarray(model_of(other)), model_of(own), where)


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
