"""Inside a part's conditions: counts from a list of those that fit, step sizes at the edges."""

from dataclasses import replace
from functools import cache
from itertools import islice, product
from typing import Any

import numpy as np
from flint import fmpq
from hypothesis import strategies as st

from fedbounds.algorithms.fedavg_p import with_effective_step
from fedbounds.errors import FedboundsError
from fedbounds.problems import FederatedQuadratic, Problem, Start
from fedbounds.problems.linear import rational
from fedbounds.theory.claims import Claim, Condition, Part, read
from fedbounds.theory.registry import encoded
from fedbounds.verify.case import Case
from fedbounds.verify.conditions import failure, refusal
from fedbounds.verify.evaluate import IrrationalError, Numbers, evaluate
from fedbounds.verify.extremes_steps import names_in, step_sizes
from fedbounds.verify.indexed import INDEXED, is_indexable
from fedbounds.verify.instance import ALGORITHM_NAMES, Instance, parameters_of
from fedbounds.verify.measurement import measure
from fedbounds.verify.names import entry_named
from fedbounds.verify.plan import own_cases
from fedbounds.verify.profile import Profile
from fedbounds.vocabulary import Assumption, Constant, Method

from .problems import quadratic_of
from .ranges import as_numbers, whole

Values = dict[str, Any]
RUNS = {name: kind for kind, name in ALGORITHM_NAMES.items()}
_MOST_PLANNED = 40  # set-ups of a claim about another algorithm
_BLOCKS = ((1, 0), (1, 1), (0, 1))
_BITS = 6  # significant binary digits of what is irrational: rounded inside the conditions


# ---- instances


def instances_inside(asked: str | Claim) -> st.SearchStrategy[Any]:
    """See `fedbounds.strategies.instances`."""
    claim = _claim(asked)
    return st.one_of([_instances(claim, part, name) for part, name in _parts(claim)])


def _claim(asked: Any) -> Claim:
    """A claim, or the one of that id."""
    found = encoded(entry_named(asked)) if isinstance(asked, str) else asked
    if isinstance(found, Claim):
        return found
    kind = type(found).__name__
    if isinstance(asked, str):
        raise FedboundsError(f"{asked} is {kind}, without formulas to instantiate")
    raise FedboundsError(
        f"claim is of type {kind}; expected an id such as 'personalization/thm-3.7', or a Claim "
        "with formulas"
    )


def _parts(claim: Claim) -> list[tuple[Part, str]]:
    """The parts of the first reading for which instances are built, with their algorithm."""
    found = [
        (part, name)
        for part in read(claim, claim.readings[0])
        for name in ((part.algorithm,) if part.algorithm else claim.algorithms)
        if not part.vectors and (_fits(part, name) if name in RUNS else _planned(claim, part))
    ]
    if not found:
        raise FedboundsError(
            f"no instances are built for {claim.id}, which is about {', '.join(claim.algorithms)}"
        )
    return found


def _instances(claim: Claim, part: Part, name: str) -> st.SearchStrategy[Any]:
    return _runs(part, name) if name in RUNS else st.sampled_from(_planned(claim, part))


@cache
def _planned(claim: Claim, part: Part) -> list[Case]:
    """What the theory plans in rationals and the part applies to, the cheapest first."""
    every = own_cases(claim.entry.paper, Profile.QUICK, 0)
    own = (one for one in every if one.algorithm_name in claim.algorithms)
    exact = sorted((one for one in own if one.method is Method.RATIONAL), key=lambda one: one.work)
    inside = (one for one in exact if refusal(part, one, measure(one).numbers) is None)
    return list(islice(inside, _MOST_PLANNED))


@st.composite
def _runs(draw: st.DrawFn, part: Part, name: str) -> Instance:
    counted = draw(st.sampled_from(_counts(part, name)))
    n, d_u, d_v = (counted[key] for key in ("n", "d_u", "d_v"))
    quiet = _fixed(part)
    below = frozenset({*part.assumptions, Assumption.BOUNDED_BELOW})
    problem = quadratic_of(draw, n, d_u, d_v, below, exact=True, quiet=quiet)
    start = _away(problem, whole(draw, (d_u,), -2, 2), whole(draw, (n, d_v), -2, 2))
    values = _steps(draw, part, counted, problem, start)
    outer = values["eta_u"], values["eta_v"]
    found = with_effective_step(counted["m"], counted["K"], values["gamma"], *outer)
    algorithm = RUNS[name](**vars(found))
    return Instance("drawn", problem, algorithm, counted["T"], Method.RATIONAL, start)


def _away(problem: FederatedQuadratic, u: Any, v: Any) -> Start:
    """The start, moved by one in its first block if it is the minimiser: F_0 > 0."""
    start = Start(as_numbers(u, True), as_numbers(v, True))
    if problem.constants(start)[Constant.INITIAL_GAP].value > 0:
        return start
    return _away(problem, u + 1, v) if len(u) else _away(problem, u, v + 1)


# ---- parameters


def parameters_inside(
    asked: str | Claim, problem: Problem | None, start: Start | None
) -> st.SearchStrategy[Values]:
    """See `fedbounds.strategies.parameters`."""
    claim = _claim(asked)
    if problem is None:
        return instances_inside(claim).map(parameters_of)
    strategies, reasons = [], []
    begun = _ones(problem) if start is None else start
    for part, name in _parts(claim):
        reason = _unfit(part, name, problem)
        if reason is None:
            strategies.append(_parameters(part, name, problem, begun))
        else:
            reasons.append(reason)
    if not strategies:
        raise FedboundsError(f"{claim.id} does not apply to this problem: {'; '.join({*reasons})}")
    return st.one_of(strategies)


def _unfit(part: Part, name: str, problem: Problem) -> str | None:
    """Why a part does not apply to a problem, or None."""
    if name not in RUNS:
        return f"it is about {name}, where no problem is needed"
    for assumption in part.assumptions:
        evidence = problem.satisfies(assumption)
        if evidence.holds is not True:
            return f"{assumption}: {evidence.reason}"
    return None if _own_counts(part, problem) else "no m, K, T meet its conditions for n, d_u, d_v"


def _ones(problem: Problem) -> Start:
    exact = isinstance(problem, FederatedQuadratic) and problem.hessian.dtype == object
    for size in (1, 2):
        u, v = (
            as_numbers(np.full(shape, size), exact)
            for shape in (
                (problem.shared_dimension,),
                (problem.clients, problem.personal_dimension),
            )
        )
        start = Start(u, v)
        gap = problem.constants(start).get(Constant.INITIAL_GAP)
        if gap is None or gap.value > 0:
            break
    return start


@st.composite
def _parameters(draw: st.DrawFn, part: Part, name: str, problem: Problem, start: Start) -> Values:
    return _steps(draw, part, draw(st.sampled_from(_own_counts(part, problem))), problem, start)


def _steps(draw: st.DrawFn, part: Part, counted: Values, problem: Problem, start: Start) -> Values:
    """The counts with step sizes at the edges of the conditions, or inside; checked."""
    constants = {k.value: rational(c.value) for k, c in problem.constants(start).items()}
    known = constants | {key: fmpq(number) for key, number in counted.items()}
    fixed = {str(c.left) for c in part.conditions if c.relation == "=="}

    def factor(name: str, *sizes: float) -> float:
        return 1.0 if name in fixed else draw(st.sampled_from(sizes))

    factors = factor("gamma", 1.0, 0.5, 0.125), factor("eta_u", 1.0, 2.0), factor("eta_v", 1.0, 2.0)
    found = step_sizes(_at_least(part), known, factors, _BITS)
    if found is None:
        raise FedboundsError(
            "the conditions fix gamma at an irrational number, or name unknown ones"
        )
    gamma, eta_u, eta_v = found
    steps = {"gamma": gamma, "gamma_u": gamma / eta_u, "gamma_v": gamma / eta_v}
    steps |= {"eta_u": eta_u, "eta_v": eta_v}
    numbers = Numbers(known | steps, {}, lambda p, q: fmpq(p, q))
    for condition in part.conditions:
        reason = failure(condition, numbers)
        if reason:
            raise FedboundsError(f"no step sizes were found: {reason}")
    return counted | steps


def _at_least(part: Part) -> Part:
    """An outer step that is fixed, as the least admissible one; it is then taken once."""
    conditions = (
        replace(c, relation=">=") if str(c.left) in ("eta_u", "eta_v") and c.relation == "==" else c
        for c in part.conditions
    )
    return replace(part, conditions=tuple(conditions))


def _fixed(part: Part) -> bool:
    """Whether a condition fixes gamma: then by a root, of the noise and of the dissimilarity."""
    return any(str(c.left) == "gamma" and c.relation == "==" for c in part.conditions)


# ---- counts


@cache
def _counts(part: Part, name: str) -> list[Values]:
    """All small counts that meet the conditions on counts alone, the simplest first."""
    return [
        values
        for values in _small_counts()
        if values["T"] > part.first_round
        and _meets(part, values)
        and _rational(part, values)
        and _measured(part, name, values)
    ]


def _small_counts() -> list[Values]:
    return [
        {"n": n, "m": m, "K": k, "T": rounds, "d_u": d_u, "d_v": d_v}
        for n in range(1, 5)
        for d_u, d_v in _BLOCKS
        for k, rounds in product((1, 2, 3), (1, 2, 4))
        for m in range(1, n + 1)
    ]


def _own_counts(part: Part, problem: Problem) -> list[Values]:
    """Counts for a problem of any size."""
    n, blocks = problem.clients, (problem.shared_dimension, problem.personal_dimension)
    every = (
        {"n": n, "m": m, "K": k, "T": rounds, "d_u": blocks[0], "d_v": blocks[1]}
        for k, rounds, m in product((1, 2, 3, 8), (1, 2, 4, 16), range(1, n + 1))
    )
    return [v for v in every if v["T"] > part.first_round and _meets(part, v)]


def _fits(part: Part, name: str) -> bool:
    return bool(_counts(part, name))


def _meets(part: Part, values: Values) -> bool:
    numbers = Numbers(values, {})
    return all(
        failure(condition, numbers) is None
        for condition in part.conditions
        if _of_counts(condition, values)
    )


def _measured(part: Part, name: str, values: Values) -> bool:
    """Whether runs are small enough for what the part names of each client and step."""
    if not part.named & INDEXED:
        return True
    n, d = values["n"], values["d_u"] + values["d_v"]
    hessian, linear = (as_numbers(np.zeros(shape), True) for shape in ((n, d, d), (n, d)))
    problem = FederatedQuadratic(hessian, linear, values["d_u"])
    return is_indexable(problem, RUNS[name](values["m"], values["K"], 1, 1, 1, 1))


def _rational(part: Part, values: Values) -> bool:
    """Whether a gamma that is fixed is rational, on problems without noise and dissimilarity."""
    constants = {"L": 1, "F_0": 1, "b^2": 0, "sigma_u^2": 0, "sigma_v^2": 0}
    known = {key: fmpq(number) for key, number in (constants | values).items()}
    for condition in part.conditions:
        if str(condition.left) == "gamma" and condition.relation == "==":
            try:
                evaluate(condition.right, Numbers(known, {}, lambda p, q: fmpq(p, q)))
            except IrrationalError:
                return False
    return True


def _of_counts(condition: Condition, values: Values) -> bool:
    return names_in(condition) <= values.keys()
