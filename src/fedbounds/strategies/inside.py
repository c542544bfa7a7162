"""Inside a part's conditions: counts from a list of those that fit, step sizes at the edges."""

from dataclasses import replace
from functools import cache
from itertools import islice, product
from typing import Any

import numpy as np
from flint import fmpq
from hypothesis import assume
from hypothesis import strategies as st

from fedbounds.errors import FedboundsError
from fedbounds.facts import Constant
from fedbounds.problems import FederatedQuadratic, Problem, Start
from fedbounds.problems.linear import is_exact, rational
from fedbounds.theory.language.claims import Claim, Part, read
from fedbounds.theory.language.registry import encoded
from fedbounds.verify.decide.case import Case, parameters_of
from fedbounds.verify.decide.conditions import failure, refusal
from fedbounds.verify.decide.measurement import measure
from fedbounds.verify.judge.plan import quick_cases
from fedbounds.verify.measure.evaluate import Numbers
from fedbounds.verify.own.names import entry_named
from fedbounds.verify.search.seeking import Admits, Space, spaces
from fedbounds.verify.search.small import exactly, instances_of
from fedbounds.verify.setups.inside import steps_inside
from fedbounds.vocabulary import Method

from .ranges import as_numbers

Values = dict[str, Any]
_MOST_PLANNED = 40  # set-ups of a claim whose theory searches none
_BITS = 6  # significant binary digits of what is irrational: rounded inside the conditions


# ---- instances


def instances_inside(asked: str | Claim) -> st.SearchStrategy[Any]:
    """See `fedbounds.strategies.instances`."""
    claim = _claim(asked)
    return st.one_of([_instances(claim, part) for part in _parts(claim)])


def _claim(asked: Any) -> Claim:
    """A claim, or the one of that id."""
    found = encoded(entry_named(asked)) if isinstance(asked, str) else asked
    if isinstance(found, Claim):
        return found
    kind = type(found).__name__
    if isinstance(asked, str):
        raise FedboundsError(f"{asked} is {kind}, without formulas to instantiate")
    raise FedboundsError(
        f"claim is of type {kind}; expected an id of the catalogue, or a Claim with formulas"
    )


def _parts(claim: Claim) -> list[Part]:
    """The parts of the first reading for which instances are built."""
    every = read(claim, claim.readings[0])
    found = [
        part
        for part in every
        if not part.vectors and (spaces(claim, part) or _planned(claim, part))
    ]
    if not found:
        raise FedboundsError(
            f"no instances are built for {claim.id}, which is about {', '.join(claim.algorithms)}"
        )
    return found


def _instances(claim: Claim, part: Part) -> st.SearchStrategy[Any]:
    every = spaces(claim, part)
    if not every:
        return st.sampled_from(_planned(claim, part))
    return st.one_of([_sought(space) for space in every])


@st.composite
def _sought(draw: st.DrawFn, space: Space) -> Case:
    """Of a theory's own set-ups, one to which the part applies."""
    found = draw(instances_of(space, space.part.named))
    assume(refusal(space.part, found, measure(found).numbers) is None)
    return replace(exactly(found), name="drawn")


@cache
def _planned(claim: Claim, part: Part) -> list[Case]:
    """What the theory plans in rationals and the part applies to, the cheapest first."""
    every = quick_cases(claim.entry.paper)
    own = (one for one in every if one.algorithm_name in claim.algorithms)
    exact = sorted((one for one in own if one.method is Method.RATIONAL), key=lambda one: one.work)
    inside = (one for one in exact if refusal(part, one, measure(one).numbers) is None)
    return list(islice(inside, _MOST_PLANNED))


# ---- parameters


def parameters_inside(
    asked: str | Claim, problem: Problem | None, start: Start | None
) -> st.SearchStrategy[Values]:
    """See `fedbounds.strategies.parameters`."""
    claim = _claim(asked)
    if problem is None:
        return instances_inside(claim).map(lambda case: dict(parameters_of(case)))
    strategies, reasons = [], []
    begun = _ones(problem) if start is None else start
    for part in _parts(claim):
        every = spaces(claim, part)
        reason = _unfit(claim, part, every, problem)
        if reason is None:
            strategies += [_parameters(space, problem, begun) for space in every]
        else:
            reasons.append(reason)
    if not strategies:
        raise FedboundsError(f"{claim.id} does not apply to this problem: {'; '.join({*reasons})}")
    return st.one_of(strategies)


def _unfit(claim: Claim, part: Part, every: tuple[Space, ...], problem: Problem) -> str | None:
    """Why a part does not apply to a problem, or None."""
    if not every:
        return f"it is about {', '.join(claim.algorithms)}, where no problem is needed"
    for assumption in part.assumptions:
        evidence = problem.satisfies(assumption)
        if evidence.holds is not True:
            return f"{assumption}: {evidence.reason}"
    return None if _own_counts(part, problem) else "no m, K, T meet its conditions for n, d_u, d_v"


def _ones(problem: Problem) -> Start:
    exact = isinstance(problem, FederatedQuadratic) and is_exact(problem.hessian)
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
def _parameters(draw: st.DrawFn, space: Space, problem: Problem, start: Start) -> Values:
    """Counts with step sizes at the edges of the conditions, or inside; checked."""
    part, of = space.part, space.sought.steps
    counted = draw(st.sampled_from(_own_counts(part, problem)))
    constants = {k.value: rational(c.value) for k, c in problem.constants(start).items()}
    known = constants | {key: fmpq(number) for key, number in counted.items()}
    fixed = {str(c.left) for c in part.conditions if c.relation == "=="}

    def factor(name: str, *sizes: fmpq) -> fmpq:
        return fmpq(1) if name in fixed else draw(st.sampled_from(sizes))

    factors = {x: factor(x, fmpq(1), fmpq(1, 2), fmpq(1, 8)) for x in of.largest}
    factors |= {x: factor(x, fmpq(1), fmpq(2)) for x in of.least}
    steps = steps_inside(part, of, known, factors, _BITS)
    numbers = Numbers(known | steps, {}, lambda p, q: fmpq(p, q))
    for condition in part.conditions:
        reason = failure(condition, numbers)
        if reason:
            raise FedboundsError(f"no step sizes were found: {reason}")
    return counted | steps


def _own_counts(part: Part, problem: Problem) -> list[Values]:
    """Counts for a problem of any size."""
    n, blocks = problem.clients, (problem.shared_dimension, problem.personal_dimension)
    every = (
        {"n": n, "m": m, "K": k, "T": rounds, "d_u": blocks[0], "d_v": blocks[1]}
        for k, rounds, m in product((1, 2, 3, 8), (1, 2, 4, 16), range(1, n + 1))
    )
    admit = Admits(part.conditions, part.first_round)
    return [values for values in every if admit(values)]
