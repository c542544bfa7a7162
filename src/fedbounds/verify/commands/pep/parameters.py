"""Which claims can be formulated, and at which parameters and constants."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import Any

import numpy as np
import sympy as sp
from flint import fmpq
from sympy.core.function import AppliedUndef

from fedbounds.errors import FedboundsError, require, unknown_name
from fedbounds.facts import Fact
from fedbounds.problems.linear import rational
from fedbounds.theory.language.catalogue import PAPERS
from fedbounds.theory.language.claims import Claim, Condition, Part, Reading, read
from fedbounds.theory.language.registry import encoded_claims, sought, views, worst_cases
from fedbounds.theory.language.symbols import SHARED, Mean_t, Sum_t, quantities_in, t
from fedbounds.theory.language.worst_cases import WorstCases
from fedbounds.vocabulary import Index, Relation

from ...decide.conditions import failure
from ...measure.evaluate import Numbers, evaluate
from ...setups.inside import NoStepsError, names_in, steps_inside
from .formulate import Setting

MOST_GRADIENTS = 40  # unknown vectors: a run of about ten seconds
_MOST_ROUNDS = 40
_ASSUMPTIONS = {
    Fact.SMOOTH,
    Fact.NOISE,
    Fact.DISSIMILARITY,
    Fact.BOUNDED_BELOW,
}
_COUNTS = {"n": 2, "m": 1, "K": 1, "T": 2, "d_u": 1, "d_v": 1}
_LEVELS = {"L": "1", "F_0": "1", "b^2": "1", "B_0": "1", "G_0": "1"}
_STEPS = ("gamma", "eta_u", "eta_v")
_OF_STEPS = {*_STEPS, "gamma_u", "gamma_v"}
_SILENT = ("sigma_u^2", "sigma_v^2")
_ALIASES = {"b2": "b^2", "B0": "B_0", "F0": "F_0", "G0": "G_0"}
_BITS = 8  # of step sizes that a condition bounds by an irrational number


@dataclass(frozen=True, eq=False)
class Question:
    """A part of a claim at given numbers.

    Attributes
    ----------
    claim, reading, part
    setting : Setting
    numbers : dict from symbol name to rational
        Every constant and parameter.
    last : int
        The last round whose quantities the left side names.
    """

    claim: Claim
    reading: Reading
    part: Part
    setting: Setting
    numbers: dict[str, fmpq]
    last: int

    @property
    def view(self) -> str:
        """In which instances are measured."""
        return _asked(self.claim).view


def _asked(claim: Claim) -> WorstCases:
    found = worst_cases(claim.entry.paper)
    assert found is not None  # else nothing of it is formulable
    return found


def question(claim: Claim, part_name: str | None, settings: Sequence[str]) -> Question:
    """The question that a claim and ``NAME=VALUE`` settings ask.

    Raises
    ------
    FedboundsError
        If the claim cannot be formulated, a name or a value makes no sense, the numbers are
        outside the part's conditions, or the problem is too large.
    """
    reading, part = _part(claim, part_name)
    given = _given(settings)
    numbers = _numbers(part, given)
    counts = {name: int(numbers[name].p) for name in _COUNTS}
    last = counts["T"] - 1 if _before_end(part.left) else counts["T"]
    _refuse_large(counts, last)
    _refuse_outside(claim, [c for c in part.conditions if not names_in(c) & _OF_STEPS], numbers)
    steps = _steps(claim, part, numbers, given)
    numbers |= dict(zip(_STEPS, steps, strict=True))
    exact = Numbers(numbers, {}, lambda p, q: fmpq(p, q))
    parameters = {x: rational(evaluate(y, exact)) for x, y in _asked(claim).parameters.items()}
    numbers |= {name: value for name, value in parameters.items() if name in _OF_STEPS}
    _refuse_outside(claim, part.conditions, numbers)
    setting = Setting(
        view=views(claim.entry.paper)[_asked(claim).view],
        clients=counts["n"],
        rounds=counts["T"],
        shared=counts["d_u"] > 0,
        personal=counts["d_v"] > 0,
        parameters=parameters,
        constants={
            name: numbers[name]
            for name in _LEVELS
            if name in part.constants or name == "L" or (name == "b^2" and _dissimilar(part))
        },
        dissimilar=_dissimilar(part),
    )
    return Question(claim, reading, part, setting, numbers, last)


def left_side(asked: Question, numbers: Numbers) -> Any:
    """The left side on measured series, or on forms: one of what the series hold."""
    found = evaluate(asked.part.left, numbers)
    return found.item() if isinstance(found, np.ndarray) else found  # f(T) is an array of one


def formulable(claim: Claim) -> dict[str, tuple[Reading, Part]]:
    """The parts that a worst-case problem can express, by name, in the first reading of each."""
    asked = worst_cases(claim.entry.paper)
    if asked is None or asked.runs not in claim.algorithms:
        return {}
    found: dict[str, tuple[Reading, Part]] = {}
    for reading in claim.readings:
        for part in read(claim, reading):
            if _expressible(part, asked.runs, views(claim.entry.paper)[asked.view].states):
                found.setdefault(part.name, (reading, part))
    return found


def _expressible(part: Part, runs: str, states: Collection[str]) -> bool:
    known = {*_COUNTS, *_LEVELS, *_OF_STEPS, *_SILENT}
    return (
        part.relation is Relation.AT_MOST
        and part.index is Index.RUN
        and part.algorithm in ("", runs)
        and not part.vectors
        and not quantities_in(part.right)
        and quantities_in(part.left) <= {*states}
        and part.constants <= known
        and Fact.SMOOTH in part.assumptions
        and set(part.assumptions) <= _ASSUMPTIONS
        and _linear(part.left)
    )


def _before_end(expression: sp.Expr) -> bool:
    """Whether every quantity stands at round t, and so at T - 1 last."""
    return all(atom.args == (t,) for atom in expression.atoms(AppliedUndef))


def _linear(expression: sp.Expr) -> bool:
    """Whether an expression is a sum of measured quantities times constants."""
    if not quantities_in(expression):
        return False
    if isinstance(expression, AppliedUndef):
        return True
    if isinstance(expression, Mean_t | Sum_t | sp.Add):
        return all(_linear(argument) for argument in expression.args)
    if isinstance(expression, sp.Mul):
        measured = [argument for argument in expression.args if quantities_in(argument)]
        return len(measured) == 1 and _linear(measured[0])
    return False


def _part(claim: Claim, name: str | None) -> tuple[Reading, Part]:
    parts = formulable(claim)
    if not parts:
        every = (other for paper in PAPERS for other in encoded_claims(paper))
        named = ", ".join(other.id for other in every if formulable(other))
        raise FedboundsError(
            f"{claim.id} has no part for a worst-case problem: a bound, in constants, on a sum of "
            "f, G_u, G_v or B over a run of local steps and averages with smooth clients; such are "
            f"{named}"
        )
    if name is None:
        return next(iter(parts.values()))
    if name not in parts:
        raise unknown_name(f"part of {claim.id}", name, parts)
    return parts[name]


def _given(settings: Sequence[str]) -> dict[str, fmpq]:
    found: dict[str, fmpq] = {}
    for text in settings:
        name, equals, value = text.partition("=")
        name = _ALIASES.get(name.strip(), name.strip())
        known = (*_COUNTS, *_LEVELS, *_STEPS, *_SILENT)
        if name not in known:
            raise unknown_name("parameter", name, known)
        try:
            found[name] = rational(Fraction(value.strip()))
        except (ValueError, ZeroDivisionError) as error:
            shown = text if equals else f"{text!r} without a value"
            raise FedboundsError(
                f"--set {shown}: expected NAME=NUMBER, such as {name}=3/2"
            ) from error
        _check_range(name, found[name])
    return found


def _check_range(name: str, value: fmpq) -> None:
    if name in _COUNTS:
        least = 0 if name in ("d_u", "d_v") else 1
        require(value.q == 1 and value >= least, name, value, f"a whole number >= {least}")
    elif name in _SILENT:
        require(value == 0, name, value, "0: the worst case is that of noise-free runs")
    else:
        positive = bool(SHARED.constants[name].is_positive)
        allowed = value > 0 if positive else value >= 0
        require(allowed, name, value, "> 0" if positive else ">= 0")


def _numbers(part: Part, given: dict[str, fmpq]) -> dict[str, fmpq]:
    """Constants and counts: given ones, else those that the conditions fix, else small ones."""
    numbers = {name: fmpq(value) for name, value in _COUNTS.items()}
    numbers |= {name: rational(Fraction(value)) for name, value in _LEVELS.items()}
    numbers |= dict.fromkeys(_SILENT, fmpq(0))
    for condition in part.conditions:
        name = str(condition.left)
        if condition.relation == "==" and name in ("d_u", "d_v", "K"):
            numbers[name] = fmpq(int(condition.right))
    numbers |= {name: value for name, value in given.items() if name not in _STEPS}
    everyone = any(
        c.relation == "==" and (str(c.left), str(c.right)) == ("m", "n") for c in part.conditions
    )
    if "m" not in given:
        numbers["m"] = numbers["n"] if everyone else fmpq(1)
    require(numbers["m"] <= numbers["n"], "m", numbers["m"], f"at most n = {numbers['n']}")
    blocks = numbers["d_u"] + numbers["d_v"]
    require(blocks > 0, "d_u + d_v", blocks, "a block at least")
    return numbers


def _steps(
    claim: Claim, part: Part, numbers: dict[str, fmpq], given: dict[str, fmpq]
) -> tuple[fmpq, fmpq, fmpq]:
    """The largest gamma and the smallest outer steps that the conditions admit, unless given."""
    runs = _asked(claim).runs
    of = next(one.steps for one in sought(claim.entry.paper) if one.runs == runs)
    try:
        steps = steps_inside(part, of, numbers, {}, _BITS)
    except NoStepsError as error:
        if "gamma" not in given:
            raise FedboundsError(
                f"the conditions of {claim.id} fix gamma at an irrational number for these "
                "constants; choose others, such as --set b^2=0, or a claim that leaves gamma free"
            ) from error
        steps = dict.fromkeys(_STEPS, fmpq(1))
    bounded = {str(c.left) for c in part.conditions if c.relation == ">="}
    steps |= {name: fmpq(1) for name in _STEPS[1:] if name not in bounded}  # free, or fixed at 1
    steps |= {name: value for name, value in given.items() if name in _STEPS}
    return steps["gamma"], steps["eta_u"], steps["eta_v"]


def _refuse_outside(
    claim: Claim, conditions: Sequence[Condition], numbers: dict[str, fmpq]
) -> None:
    for condition in conditions:
        reason = failure(condition, Numbers(numbers, {}, lambda p, q: fmpq(p, q)))
        if reason:
            raise FedboundsError(f"outside the conditions of {claim.id}: {reason}")


def _dissimilar(part: Part) -> bool:
    return Fact.DISSIMILARITY in part.assumptions


def _refuse_large(counts: dict[str, int], last: int) -> None:
    """Raise if the clients' gradients at all points of all branches are too many."""
    n, m, blocks = counts["n"], counts["m"], (counts["d_u"] > 0) + (counts["d_v"] > 0)
    total, branches = 0, 1
    for round_ in range(min(last, _MOST_ROUNDS) + 1):
        total += n * blocks * branches * (counts["K"] if round_ < last else 1)
        branches *= comb(n, m)
    if total > MOST_GRADIENTS:
        size = ", ".join(f"{name} = {counts[name]}" for name in ("n", "m", "K", "T"))
        raise FedboundsError(
            f"{size} makes {total} unknown gradients; expected at most {MOST_GRADIENTS}: "
            "fewer clients, local steps or rounds, everybody taking part, or one block (d_v=0)"
        )
