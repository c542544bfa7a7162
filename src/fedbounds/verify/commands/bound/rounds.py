"""The smallest number of rounds at which a bound is at most eps, at a fixed or at the best step."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import sympy as sp

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.bounds import summands
from fedbounds.theory.language.claims import Part
from fedbounds.theory.language.inputs import Inputs
from fedbounds.theory.language.values import Value, names_in, number, replaced, sign

from .shape import Ends, falls
from .step import NoBestStepError, Step, admissible, best_step

# what 14 digits of the best step size may hide: the slope there is zero, so about 1e-28
_FLAT = sp.Rational(1, 10**20)
MOST = 2**60  # rounds; the search stops there


@dataclass(frozen=True)
class Rounds:
    """What is known of the rounds that a bound needs to reach eps.

    Attributes
    ----------
    name : str
        "T", or "t" for a bound on the state after t rounds.
    eps : SymPy rational
    found : int or None
        A number of rounds that is enough, one less not being enough.
    smallest : bool
        Whether no smaller number is enough either: the bound is shown never to rise.
    floor : Value or None
        What the bound exceeds at every number of rounds, if that is more than eps.
    """

    name: str
    eps: sp.Rational
    found: int | None
    smallest: bool
    floor: Value | None = None


def counter(part: Part) -> str:
    """Name of the rounds in a bound: T, or the round t.

    Raises
    ------
    FedboundsError
        If the bound has neither.
    """
    for name in ("T", "t"):
        if name in names_in(part.right):
            return name
    raise FedboundsError(f"the bound {part.right} does not depend on the number of rounds")


def rounds_to(
    eps: sp.Rational, part: Part, inputs: Inputs, counted: sp.Symbol, step: sp.Symbol | None
) -> tuple[Rounds, Inputs | None, Step | None]:
    """Rounds until the bound is at most eps, with the numbers and the step size used there.

    Parameters
    ----------
    inputs : Inputs
        Complete but for the rounds and the step size.
    step : symbol or None
        The step size, chosen anew for each number of rounds; None if it is given.

    Raises
    ------
    FedboundsError
        If the bound is above eps after 2^60 rounds, and no floor explains it.
    """
    bound = replaced(part.right, inputs.values)
    ends = _common_ends(part, inputs, counted, step)
    shown = ends is not None and falls(bound, counted, inputs.values, step, ends)
    floor = _floor(bound, counted, step)
    if shown and sign(floor - eps, inputs.values) > 0:
        return Rounds(counted.name, eps, None, True, number(floor, inputs.values)), None, None
    at = _evaluator(part, inputs, counted, step)
    first = _first(inputs, counted)
    low, high = first - 1, first
    while not _reached(part, at(high), eps):
        low, high = high, 2 * high
        if high > MOST:
            raise FedboundsError(f"after {low} rounds the bound is above {eps}; no more are tried")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _reached(part, at(middle), eps) else (middle, high)
    found = at(high)
    assert found is not None
    certain = shown and (low < first or _surely_above(part, at(low), eps))
    return (Rounds(counted.name, eps, high, certain), *found)


def _evaluator(
    part: Part, inputs: Inputs, counted: sp.Symbol, step: sp.Symbol | None
) -> Callable[[int], tuple[Inputs, Step | None] | None]:
    """Numbers after so many rounds, the best step size among them; None if there is none."""

    def at(rounds: int) -> tuple[Inputs, Step | None] | None:
        here = replace(inputs, values={**inputs.values, counted.name: sp.Integer(rounds)})
        if step is None:
            return here, None
        try:
            best = best_step(part, here, step)
        except NoBestStepError:
            return None
        return replace(here, values={**here.values, step.name: best.value}), best

    return at


def _reached(part: Part, at: tuple[Inputs, Step | None] | None, eps: sp.Rational) -> bool:
    return at is not None and sign(part.right - eps, at[0].values) <= 0


def _surely_above(part: Part, at: tuple[Inputs, Step | None] | None, eps: sp.Rational) -> bool:
    """Whether the bound is above eps at the best step size itself, not only next to it."""
    if at is None:
        return False
    inputs, step = at
    if step is None:
        return True
    return bool(step.shown) and sign(part.right - eps * (1 + _FLAT), inputs.values) > 0


def _floor(bound: sp.Expr, counted: sp.Symbol, step: sp.Symbol | None) -> sp.Expr:
    """The summands that neither the rounds nor the step size change."""
    return sp.Add(*(s for s in summands(bound) if not {counted, step} & s.free_symbols))


def _common_ends(
    part: Part, inputs: Inputs, counted: sp.Symbol, step: sp.Symbol | None
) -> Ends | None:
    """Ends of the admissible step sizes; None if they depend on the number of rounds."""
    if step is None:
        return None, None
    try:
        found = admissible(part, inputs, step)
    except FedboundsError:  # a condition needs the number of rounds
        return None
    ends = (found.low, found.high)
    written = [replaced(end, inputs.values) for end in ends if end is not None]
    return None if any(counted in end.free_symbols for end in written) else ends


def _first(inputs: Inputs, counted: sp.Symbol) -> int:
    """Fewest rounds that a condition such as T >= 2 allows; at least one."""
    least = [1]
    for c in inputs.conditions:
        if c.left != counted or not names_in(c.right) <= inputs.values.keys():
            continue
        value = number(c.right, inputs.values).number
        if c.relation == ">=":
            least.append(-int(-value // 1))
        elif c.relation == ">":
            least.append(int(value // 1) + 1)
    return max(least)
